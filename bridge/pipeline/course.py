"""Course: what happens to a table besides its batches: when its log is compacted, and who takes it over."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from bridge.config import WRITE_TABLE_VERSION
from bridge.errors import ParameterError
from bridge.plan import TableType
from bridge.programs import NextWriter, check_upgrade
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.plan import MergePlan

LAST: Final = "last"
"""The number of the last batch, whichever it is."""

BatchNumber: TypeAlias = "int | Literal['last']"
Steps: TypeAlias = "Mapping[int, str | HudiRelease] | Iterable[tuple[int, str | HudiRelease]]"
"""Releases that take a table over, by the batch before: `{1: "1.0", 2: "1.2@8"}`; `@` names a table version."""


class Step(NamedTuple):
    """A writer that takes a table over on its way to another one.

    Attributes:
        after: the number of the last batch before, from 1.
        release: the writer's.
        table_version: the version that it names by `hoodie.write.table.version`; empty for none.
    """

    after: int
    release: HudiRelease
    table_version: str = ""

    @classmethod
    def parse(cls, after: int, text: str | HudiRelease) -> Step:
        """Read a release, or `RELEASE@VERSION`.

        Raises:
            PayloadConfigError: the release is unknown.
            ParameterError: the table version is not a number.
        """
        if isinstance(text, HudiRelease):
            return cls(after, text)
        release, at, version = text.partition("@")
        if at and not version.isdecimal():
            msg = f"`via` has {text!r}; write RELEASE or RELEASE@VERSION, such as 1.0 or 1.2@8"
            raise ParameterError(msg)
        return cls(after, HudiRelease.asked(release), version)


class Compactions(NamedTuple):
    """When a log is compacted, as the parameters of a verb say it.

    Attributes:
        compact_after: the batches after which, from 1, in any order.
        compact_every: instead of `compact_after`: after every N batches.
    """

    compact_after: Collection[int] = ()
    compact_every: int | None = None

    def among(self, commits: int, table_types: Collection[TableType]) -> tuple[int, ...]:
        """Return the batches after which a log is compacted, in order.

        Raises:
            ParameterError: the parameters contradict each other, or name a batch that does not exist.
        """
        after, every, message = self.compact_after, self.compact_every, None
        outside = next((number for number in sorted(after, reverse=True) if not 1 <= number <= commits), None)
        if after and every is not None:
            message = "`compact_after` and `compact_every` exclude each other; give one"
        elif (after or every) and TableType.MERGE_ON_READ not in table_types:
            message = "only merge-on-read tables compact; set `table_type` to mor, or leave out the compactions"
        elif outside is not None:
            message = f"`compact_after` {outside}: the last batch is {commits}; name a batch"
        elif every is not None and every < 1:
            message = f"`compact_every` {every}: write 1 or more"
        if message is not None:
            raise ParameterError(message)
        return tuple(range(every, commits + 1, every)) if every else tuple(sorted(set(after)))


@dataclasses.dataclass(frozen=True)
class Course:
    """What happens to a table between batches that are counted from 1.

    Attributes:
        upgrade_after: another writer takes the table over after this batch; after the last one it only reads. None:
            nobody does.
        via: who takes it over before, in order.
        keep_table_version: whether that other writer leaves the table at its version.
        plain: whether it passes neither payload class nor merge mode.
        compact_after: the batches after which a log is compacted, in order.
    """

    upgrade_after: int | None = None
    via: tuple[Step, ...] = ()
    keep_table_version: bool = False
    plain: bool = False
    compact_after: tuple[int, ...] = ()

    @classmethod
    def of(  # noqa: PLR0913 (the parameters that verbs share)
        cls,
        commits: int,
        table_types: Collection[TableType],
        *,
        upgrade_after: BatchNumber | None = None,
        via: Steps = (),
        keep_table_version: bool = False,
        plain: bool = False,
        plain_after: int | None = None,
        compact_after: Collection[int] = (),
        compact_every: int | None = None,
    ) -> Course:
        """Return the course that the parameters of a verb describe.

        Args:
            commits: how many batches there are.
            table_types: the types of the tables that get them.
            upgrade_after: see the attribute; `last` for the number of the last batch.
            via: see `Steps`.
            keep_table_version: see the attribute.
            plain: see the attribute.
            plain_after: instead of `upgrade_after`: the same writer goes on after this batch, plain.
            compact_after: see the attribute, in any order.
            compact_every: instead of `compact_after`: compact after every N batches.

        Raises:
            ParameterError: they contradict each other, or name a batch that does not exist.
            PayloadConfigError: a release is unknown.
        """
        after = commits if upgrade_after == LAST else upgrade_after
        pairs = via.items() if isinstance(via, Mapping) else via
        steps = sorted((Step.parse(number, release) for number, release in pairs), key=lambda step: step.after)
        compactions = Compactions(compact_after, compact_every).among(commits, table_types)
        if plain_after is not None:
            if not 1 <= plain_after < commits:
                msg = f"`plain_after` {plain_after}: the last batch is {commits}; name an earlier one"
                raise ParameterError(msg)
            return cls(plain_after, keep_table_version=True, plain=True, compact_after=compactions)
        course = cls(after, tuple(steps), keep_table_version, plain, compactions)
        course._check(commits)
        return course

    def _check(self, commits: int) -> None:
        after, points = self.upgrade_after, [step.after for step in self.via]
        message = None
        if after is None:
            given = {
                "`keep_table_version` applies to an upgrade; add `upgrade_after`": self.keep_table_version,
                "`plain` applies to the writer after an upgrade; add `upgrade_after`": self.plain,
                "`via` is a step on the way to `to`; add `upgrade_after`": bool(points),
            }
            message = next((text for text, holds in given.items() if holds), None)
        elif after not in range(1, commits + 1):
            message = f"`upgrade_after` {after}: the last batch is {commits}; name a batch, or {LAST}"
        elif len(set(points)) < len(points) or any(not 1 <= number < after for number in points):
            message = f"`via` names batches from 1 on, before `upgrade_after` {after}, each once; correct the numbers"
        if message is not None:
            raise ParameterError(message)

    def check_target(self, to: object) -> None:
        """Refuse an upgrade without its target.

        Raises:
            ParameterError: saying what to add.
        """
        if to is None and self.upgrade_after is not None:
            msg = "`upgrade_after`, `via` and `keep_table_version` are for two releases; add `to`"
            raise ParameterError(msg)

    def next_writers(self, plan: MergePlan) -> tuple[NextWriter, ...]:
        """Return who takes the table of a plan over before the other writer does, in order."""
        found = []
        for step in self.via:
            version = {WRITE_TABLE_VERSION.key: step.table_version} if step.table_version else {}
            found.append(
                NextWriter(step.after, dataclasses.replace(plan, release=step.release, props={**plan.props, **version}))
            )
        return tuple(found)

    def check_writers(self, plan: MergePlan, other: MergePlan) -> None:
        """Refuse writers of which one does not take the table of the one before over.

        Raises:
            PlanError: saying which setting stands in the way.
        """
        if self.upgrade_after is None:
            return
        old = plan
        for new in (*(one.plan for one in self.next_writers(plan)), other):
            check_upgrade(old, new)
            old = new
