"""What the parameters of `migrate` ask for, checked before any data is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.compare import is_release
from bridge.config import TableMergeConfig
from bridge.errors import ParameterError, PlanError
from bridge.migration.candidates import candidates_for
from bridge.migration.skeletons import java_skeletons
from bridge.pipeline import Course
from bridge.plan import TableType
from bridge.plan_arguments import is_given
from bridge.programs import check_plan, check_upgrade, is_downgrade
from mergers.registry import SentMergerRef
from payloads.references import SentPayloadRef

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bridge.migration.candidates import Candidate
    from bridge.pipeline import BatchNumber
    from bridge.plan import MergePlan


class TrialSettings(NamedTuple):
    """The parameters of `migrate` that are for batches, on which candidates are tried; see there."""

    upgrade_after: BatchNumber | None = None
    keep_table_version: bool = False
    compact_after: Collection[int] = ()
    compact_every: int | None = None
    all_paths: bool = False
    accept_differences: bool = False
    sample: int | None = None

    def course(self, commits: int, table_types: Collection[TableType]) -> Course:
        """Return what happens to the table besides its batches; errors as in `Course.of`."""
        return Course.of(
            commits,
            table_types,
            upgrade_after=self.upgrade_after,
            keep_table_version=self.keep_table_version,
            compact_after=self.compact_after,
            compact_every=self.compact_every,
        )


class MigrateRequest(NamedTuple):
    """What is tried, and on what.

    Attributes:
        candidates: in the order in which they are tried.
        course: what happens to the table besides its batches; None without batches.
    """

    candidates: tuple[Candidate, ...]
    course: Course | None


def migrate_request(  # noqa: PLR0913 (those of `migrate`)
    left: MergePlan,
    to: str,
    commits: int | None,
    table_types: Sequence[TableType],
    *,
    merger: str | None = None,
    java_class: str | None = None,
    **trials: Any,
) -> MigrateRequest:
    """Check the parameters of `migrate` for some batches, or for none if `commits` is None.

    `trials` are those of `TrialSettings`.

    Raises:
        ParameterError: a parameter has no effect beside the others, or names a batch that does not exist.
        PlanError: the target, the merger or the compiled class is impossible, or the paths can't be searched.
    """
    settings = TrialSettings(**trials)
    _check_twin(left, java_class)
    if left.trust_rule:
        msg = (
            "`trust_rule`: a migration is accepted if it gives the rows of the class itself; generated mergers have "
            "its rule, which would be compared with itself; leave it out"
        )
        raise ParameterError(msg)
    if isinstance(left.payload, SentPayloadRef) or isinstance(left.merger, SentMergerRef):
        msg = (
            f"what `migrate` writes imports the class {left.payload_name}, which no module has; move it to one (in a "
            "notebook: begin its cell with %%writefile module.py), and import it from there"
        )
        raise PlanError(msg)
    if settings.upgrade_after is not None and merger is not None:
        msg = "`upgrade_after` tries what the upgrade gives, so `merger` is not tried; leave one of the two out"
        raise ParameterError(msg)
    candidates = candidates_for(left, to, merger)
    if commits is None:
        if given := next((name for name, value in settings._asdict().items() if is_given(value)), None):
            msg = f"`{given}` is for batches on which candidates are tried; add `batches`, or leave it out"
            raise ParameterError(msg)
        return MigrateRequest(candidates, None)
    if settings.sample is not None and not settings.accept_differences:
        msg = "`sample` is for the keys that differ, which `accept_differences` lists; add that, or leave `sample` out"
        raise ParameterError(msg)
    course = settings.course(commits, table_types)
    if settings.all_paths:
        if course.upgrade_after is not None:
            msg = "`all_paths` follows one writer, and `upgrade_after` adds another; leave one of the two out"
            raise ParameterError(msg)
        check_plan(left)
    if course.upgrade_after is not None:
        candidates = _of_upgrade(candidates, left, to)
    return MigrateRequest(candidates, course)


def tried_types(
    properties: Mapping[str, str] | None, asked: Sequence[TableType], otherwise: TableType = TableType.COPY_ON_WRITE
) -> tuple[TableType, ...]:
    """Return the table types to try: that of the table whose properties are given, else those asked for.

    Raises:
        ParameterError: the table has another type than is asked for.
        MergeConfigError: the properties contradict each other.
    """
    if properties is None:
        return tuple(asked) or (otherwise,)
    own = TableMergeConfig.from_properties(properties).table_type
    if asked and tuple(asked) != (own,):
        named = " and ".join(one.value for one in asked)
        msg = f"`table_types` {named}: the table is {own.value}; leave it out"
        raise ParameterError(msg)
    return (own,)


def _check_twin(left: MergePlan, java_class: str | None) -> None:
    """Reject a compiled class in addition to a compiled payload, and invalid class names."""
    if java_class is None:
        return
    if ":" not in left.payload_name:
        msg = (
            f"{left.payload_name} is a compiled class itself; leave out `java_class` {java_class}, which is for a "
            "Python payload"
        )
        raise ParameterError(msg)
    java_skeletons(java_class, "")


def _of_upgrade(candidates: tuple[Candidate, ...], left: MergePlan, to: str) -> tuple[Candidate, ...]:
    """Return the candidate that an upgrade itself gives: the table then has no other mode."""
    if not is_release(to):
        msg = f"an upgrade goes to a release, not to {to}; leave out `upgrade_after`"
        raise ParameterError(msg)
    kept = tuple(one for one in candidates if one.keeps_payload)
    if is_downgrade(left, kept[0].plan):
        msg = f"Hudi {to} is older than {left.release}, and a migration goes to a later release; replay has downgrades"
        raise PlanError(msg)
    check_upgrade(left, kept[0].plan)
    return kept
