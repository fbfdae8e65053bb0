"""Comparison: two tables that get the same batches, the names of both, and the plan that `--to` names."""

from __future__ import annotations

import contextlib
import dataclasses
import zipfile
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bridge.compare.side_names import side_names
from bridge.config import WRITE_PRECOMBINE, capabilities
from bridge.errors import ParameterError, PlanError
from bridge.linkage import extends
from bridge.merge import merge_config
from bridge.pipeline import choice_of, program_of, simulate_outcomes, snapshots_of, upgrade_outcomes
from bridge.plan import MergePlan
from bridge.programs import UPSERTS, NextWriter, handovers, is_downgrade, may_store_twice, refused_batch
from bridge.spark import described
from mergers import MergerRef, RecordMergeMode
from mergers.strategies import missed_defaults
from payloads import HudiRelease, PayloadNotFoundError, PayloadRef
from payloads.errors import PayloadBridgeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame

    from bridge.engines import Choice
    from bridge.pipeline import Course
    from bridge.programs import Handover, Operations, RefusedBatch

_MERGER: Final = "org.apache.hudi.common.model.HoodieRecordMerger"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How both sides write the same batches; reports use their `names`.

    Attributes:
        left: the plan of the left side, which all commits follow.
        right: the plan of the right side.
        commits: how many commits there are, counted from 1.
        upgrade_after: the right side is the table of the left one, upgraded to the plan `right` after this commit;
            after the last one it is only read. None: a new table.
        keep_table_version: whether that table keeps its version.
        via: the writers of that table between `left` and `right`.
        compact_after: the commits after which a log is compacted, on both sides.
        to: what the user called the right side; empty for what `names` calls it.
        properties: what a real table stores, which the batches are written to; None for an empty table.
        path: where that table is; empty for none.
        operations: how the commits are written that are not upserts, on both sides.
    """

    left: MergePlan
    right: MergePlan
    commits: int
    upgrade_after: int | None = None
    keep_table_version: bool = False
    compact_after: tuple[int, ...] = ()
    to: str = ""
    properties: Mapping[str, str] | None = None
    path: str = ""
    operations: Operations = UPSERTS
    via: tuple[NextWriter, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """What the left and the right side are called: two names, by what tells the sides apart."""
        return side_names(self.left, self.right) if self.upgrade_after is None else self._upgraded_names()

    def _upgraded_names(self) -> tuple[str, str]:
        how = "downgraded to" if is_downgrade(self.left, self.right) else "upgraded to"
        if self.keep_table_version or self.upgrade_after == self.commits:
            how = "read by" if self.upgrade_after == self.commits else "written by"
        by_way = f" by way of {', '.join(str(one.plan.release) for one in self.via)}" if self.via else ""
        return f"Hudi {self.left.release}", f"{self.left.release} table {how} {self.right.release}{by_way}"

    @property
    def plans(self) -> tuple[MergePlan, MergePlan]:
        """The plans of both sides."""
        return self.left, self.right

    @property
    def next_writers(self) -> tuple[NextWriter, ...]:
        """The writers that continue the table of the left side, in order; none if the right side has its own table."""
        if self.upgrade_after is None:
            return ()
        return (*self.via, NextWriter(self.upgrade_after, self.right, self.keep_table_version))

    @property
    def may_store_twice(self) -> bool:
        """Whether a key may have several rows in a partition, on either side."""
        return any(may_store_twice(plan, self.operations, self.next_writers) for plan in self.plans)

    def handover(self) -> Handover | None:
        """Return how the table of the left side passes to the other writers; errors as in `handovers`."""
        if not self.next_writers:
            return None
        return handovers(self.left, self.next_writers, commits=self.commits, properties=self.properties)

    def refused_ordering(self) -> RefusedBatch | None:
        """Return the first batch that Hudi refuses for the ordering field that the right writer passes; None for none.

        It is refused for nothing else; what else refuses a side is found where it runs.
        """
        found = None
        with contextlib.suppress(PayloadBridgeError):
            plan, change = (self.right, None) if self.upgrade_after is None else (self.left, self.handover())
            found = refused_batch(plan, self.commits, change=change, operations=self.operations)
        is_rights = found is not None and (self.upgrade_after is None or found.number > self.upgrade_after)
        return found if found is not None and is_rights and found.options == (WRITE_PRECOMBINE.key,) else None

    def without_ordering(self) -> Comparison:
        """Return the sides with a right writer that passes no ordering field, and so orders by those of its table."""
        props = {name: text for name, text in self.right.props.items() if name != WRITE_PRECOMBINE.key}
        return dataclasses.replace(self, right=dataclasses.replace(self.right, ordering=(), props=props))

    @property
    def follow_one_rule(self) -> bool:
        """Whether both sides are the same, so that no data can make them differ."""
        return self.left == self.right and self.upgrade_after is None

    def left_of(self, versions: DataFrame) -> DataFrame:
        """Return the snapshots of the left side."""
        return snapshots_of(self.left_outcomes(versions))

    def right_of(self, versions: DataFrame) -> DataFrame:
        """Return the snapshots of the right side; errors as in `right_outcomes`."""
        return snapshots_of(self.right_outcomes(versions))

    def choices(self, versions: DataFrame) -> dict[str, Choice]:
        """Return which engine runs the commits of each side, by its name, and why.

        Raises:
            PayloadBridgeError: a side can't run.
        """
        takes_over = self.upgrade_after is not None
        right = self.left if takes_over else self.right
        programs = program_of(self.left, self.operations), program_of(right, self.operations, upgraded=takes_over)
        sides = zip(self.names, programs, (self.left, right), strict=True)
        return {name: choice_of(program, plan, versions) for name, program, plan in sides}

    def left_outcomes(self, versions: DataFrame, **told: Any) -> DataFrame:
        """Return the rows of the snapshots of the left side; `told`: further settings of `simulate_outcomes`."""
        return self._new_table(versions, self.left, **told)

    def right_outcomes(self, versions: DataFrame, **told: Any) -> DataFrame:
        """Return what `left_outcomes` does, of the right side.

        Raises:
            PayloadBridgeError: its release refuses payload or settings.
        """
        payload, is_java = self.right.payload, self.right.runs_java
        is_java |= self.right.trust_rule and payload is not None and payload.is_compiled
        if payload is not None and not is_java and self.upgrade_after != self.commits:
            payload.resolve(self.right.release)
        if self.upgrade_after is None:
            return self._new_table(versions, self.right, **told)
        return upgrade_outcomes(
            versions,
            self.left,
            self.next_writers,
            commits=self.commits,
            compact_after=self.compact_after,
            properties=self.properties,
            operations=self.operations,
            **told,
        )

    def _new_table(self, versions: DataFrame, plan: MergePlan, **told: Any) -> DataFrame:
        settings: dict[str, Any] = {"compact_after": self.compact_after, "operations": self.operations}
        return simulate_outcomes(versions, plan, commits=self.commits, **settings, **told)

    def job_description(self, frame: DataFrame, what: str) -> contextlib.AbstractContextManager[None]:
        """Say in Spark's pages that the jobs of a `with` block, on `frame`, are this comparison's."""
        both = " and ".join(self.names)
        return described(frame.sparkSession, f"{both}, {self.left.table_type.long_name}: {what}")

    def missed_defaults(self) -> tuple[str, ...]:
        """Return the columns whose default overwrites in Hudi, although a side has the mode IGNORE_DEFAULTS.

        There Hudi tests whether two values are the same object, which is not a property of the data.
        """
        schema = self.left.schema
        missed = () if schema is None else missed_defaults(schema)
        return missed if missed and any(plan.fidelity == "hudi" and _ignores(plan) for plan in self._plans()) else ()

    def as_intended(self) -> Comparison:
        """Return the sides with a mode IGNORE_DEFAULTS that compares values, as intended."""
        left, right = (dataclasses.replace(plan, fidelity="intended") for plan in (self.left, self.right))
        via = tuple(one._replace(plan=dataclasses.replace(one.plan, fidelity="intended")) for one in self.via)
        return dataclasses.replace(self, left=left, right=right, via=via)

    def _plans(self) -> Iterator[MergePlan]:
        """Yield the plans that both tables follow, each with its table."""
        yield self.left
        change = self.handover()
        if change is None:
            yield self.right
        while change is not None:
            yield change.kept
            if change.upgraded is not None:
                yield change.upgraded
            change = change.then


def _ignores(plan: MergePlan) -> bool:
    """Whether a plan merges in the partial update mode IGNORE_DEFAULTS, which table version 9 brought."""
    if not capabilities(plan.release).partial_update_modes:
        return False
    table = plan.table or merge_config(plan).table
    known = capabilities(plan.release, table.version).partial_update_modes
    return table.partial_update_mode == "IGNORE_DEFAULTS" and table.partial_update_mode in known


Target: TypeAlias = "str | HudiRelease | RecordMergeMode | MergePlan"
"""The other side of a comparison: a plan, or what `plan_to` understands."""


def comparison_of(plan: MergePlan, to: Target, course: Course, commits: int) -> Comparison:
    """Return the comparison of a plan with what `to` names, over some commits.

    Raises:
        ParameterError: an upgrade does not go to a release.
        PlanError: the writers of the course do not take one table over.
        PayloadBridgeError: nothing has this name; see `plan_to`.
    """
    name = "" if isinstance(to, MergePlan) else str(getattr(to, "value", to))
    if course.upgrade_after is not None and name and not is_release(name):
        msg = f"an upgrade goes to a release, not to {name}; leave out `upgrade_after`"
        raise ParameterError(msg)
    right = to if isinstance(to, MergePlan) else plan_to(plan, name)
    right = right.as_plain() if course.plain else right
    course.check_writers(plan, right)
    return Comparison(
        plan,
        right,
        commits,
        course.upgrade_after,
        course.keep_table_version,
        course.compact_after,
        name,
        via=course.next_writers(plan),
    )


def plan_to(left: MergePlan, to: str) -> MergePlan:
    """Return the plan of a right side: that of `left` under another release, merge mode, payload or merger.

    Anything but a release is under the newest one. A payload that it does not ship is accepted, as the answer to
    that is a REFUSED; a compiled class, be it a payload or a merger, is looked for where the left one comes from.

    Raises:
        PayloadBridgeError: the name is unknown, or does not fit the settings of `left`.
    """
    if is_release(to):
        return dataclasses.replace(left, release=HudiRelease.asked(to))
    named: PayloadRef | MergerRef
    if to.upper() == RecordMergeMode.CUSTOM.name:
        msg = "CUSTOM runs a payload or a merger; name that one: a payload class, or your own as package.module:Class"
        raise PlanError(msg)
    named = MergerRef(to.upper()) if to.upper() in RecordMergeMode.__members__ else _named(to, left)
    compiled = named.is_compiled or (isinstance(named, PayloadRef) and ":" not in named.name)
    return dataclasses.replace(
        left if _has_rule(named) else left.without_trust(),
        payload=named if isinstance(named, PayloadRef) else None,
        merger=named if isinstance(named, MergerRef) else None,
        release=HudiRelease.latest(),
        engine=left.engine if compiled or left.engine != "jvm" else "auto",
        implementation=left.implementation if compiled else None,
    )


def table_release(to: Target) -> HudiRelease:
    """Return the release that reads or upgrades a real table.

    Raises:
        ParameterError: `to` names no release.
    """
    if not isinstance(to, (str, HudiRelease)) or not is_release(str(to)):
        known = ", ".join(map(str, HudiRelease))
        msg = f"`to` {getattr(to, 'value', to)}: a real table is read or upgraded by a release; name one of {known}"
        raise ParameterError(msg)
    return HudiRelease.asked(to)


def is_release(text: str) -> bool:
    """Whether a text names a release."""
    try:
        HudiRelease.parse(text)
    except PayloadBridgeError:
        return False
    return True


def _has_rule(named: PayloadRef | MergerRef) -> bool:
    """Whether a name is that of a user's payload class, which alone has a rule to be trusted."""
    return isinstance(named, PayloadRef) and (":" in named.name or not named.has_port())


def _named(name: str, plan: MergePlan) -> PayloadRef | MergerRef:
    """Return the payload of any release, or the merger, that has a name."""
    left = plan.payload or plan.merger
    source = ((), ()) if left is None or ":" in name else (left.jars, left.package)
    built_for = left.built_for if isinstance(left, PayloadRef) and ":" not in name else None
    payload, merger = PayloadRef(name, *source, built_for=built_for), MergerRef(name, *source)
    if merger.is_compiled and not merger.has_port and _is_merger(merger, plan):
        return merger
    unknown: Exception | None = None
    for release in reversed(HudiRelease):
        try:
            PayloadRef(name).resolve(release)
        except PayloadNotFoundError as error:
            unknown = unknown or error
        except TypeError:
            break  # the path names a class that is not a payload: it may be a merger
        else:
            return payload
    if payload.is_compiled:
        return payload
    merger = MergerRef(name)
    try:
        merger.resolve()
    except PayloadBridgeError as error:
        if unknown is None:
            raise
        if ":" in name:
            raise PlanError(str(unknown)) from error
        modes = ", ".join(mode.name for mode in RecordMergeMode if mode is not RecordMergeMode.CUSTOM)
        known = ", ".join(map(str, HudiRelease))
        mode = did_you_mean(name, RecordMergeMode.__members__, 0.7)
        msg = f"{name!r} is neither a release ({known}) nor a merge mode ({modes}){mode or f', and {unknown}'}"
        raise PlanError(msg) from error
    return merger


def _is_merger(named: MergerRef, plan: MergePlan) -> bool:
    """Whether the jars of a compiled class have a merger of its name; without jars, whether the plan has one."""
    if not named.jars or not all(map(zipfile.is_zipfile, named.jars)):
        return plan.merger is not None
    with contextlib.ExitStack() as stack:
        jars = [stack.enter_context(zipfile.ZipFile(jar)) for jar in named.jars]

        def load(name: str) -> bytes | None:
            path = name.replace(".", "/") + ".class"
            return next((jar.read(path) for jar in jars if path in jar.NameToInfo), None)

        return extends(named.name, _MERGER, load)
