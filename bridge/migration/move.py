"""Move: a table that goes to another release, table version or merge mode; SilentChange: a behaviour that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import Capabilities, capabilities
from bridge.report import Severity
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.config import TableType
    from bridge.migration.scenarios import VersionKind
    from mergers import RecordMergeMode


class Move(NamedTuple):
    """A table that moves from one release to another.

    Attributes:
        from_release: who wrote it until now.
        to_release: the release that will write it.
        from_version: the table version now.
        to_version: the table version then; the same where the table is kept.
        payload: the full name of the class that its writer passes or it stores; None for a merge mode alone.
        table_type: copy-on-write or merge-on-read.
        stores_payload: whether the table itself stores the class.
        to_mode: the merge mode then, where the table stores one.
        changes_mode: whether the move is to a plain merge mode.
        has_delete_marker: whether a custom delete key is set, by the table or the writer.
        ordering: the ordering fields now, by the table, the writer or the release's default.
        ordering_then: those then.
        keeps_ties: whether the stored row is to stay on a tie (`hoodie.payload.update.on.same.ordering.field=false`).
    """

    from_release: HudiRelease
    to_release: HudiRelease
    from_version: int
    to_version: int
    payload: str | None
    table_type: TableType
    stores_payload: bool = True
    to_mode: RecordMergeMode | None = None
    changes_mode: bool = False
    has_delete_marker: bool = True
    ordering: tuple[str, ...] = ("ts",)
    ordering_then: tuple[str, ...] = ("ts",)
    keeps_ties: bool = True

    @property
    def has_ordering(self) -> bool:
        """Whether there is an ordering field, now or then."""
        return bool(self.ordering or self.ordering_then)

    def passes(self, release: HudiRelease) -> bool:
        """Whether `release` is newer than the old one and not newer than the new one."""
        return self.from_release < release <= self.to_release

    @property
    def after(self) -> Capabilities:
        """What the new release can do on the table."""
        return capabilities(self.to_release, self.to_version)

    @property
    def is_upgraded(self) -> bool:
        """Whether successors replace the deprecated payload classes on the way."""
        before = capabilities(self.from_release, self.from_version)
        return self.after.payload_successors and not before.payload_successors

    @property
    def loses_class(self) -> bool:
        """Whether releases from 1.1 on assume Default, as the table is below version 9 and stores no class."""
        return self.passes(HudiRelease.V1_1) and not self.after.payload_successors and not self.stores_payload


class Answering(NamedTuple):
    """A table on which scenarios run.

    Attributes:
        release: who writes and reads it.
        table_version: its version; that which the release makes where that is lower.
        payload: the full name of its class; None for the merge mode that goes by the ordering field.
        table_type: copy-on-write or merge-on-read.
        properties: its properties for mergers, without their prefix.
        has_ordering: whether it has an ordering field.
    """

    release: HudiRelease
    table_version: int
    payload: str | None
    table_type: TableType
    properties: tuple[tuple[str, str], ...] = ()
    has_ordering: bool = True


class SilentChange(NamedTuple):
    """One behaviour that changes; nothing fails.

    Attributes:
        about: the kind of versions.
        case: what happens to the record; empty if it is not a single case.
        before: the result until now.
        after: the result then.
        is_damage: whether deleted rows survive or values are lost; otherwise another version wins.
        columns: it concerns tables that have one of these columns alone; empty for all tables.
        depends_on: what decides whether rows change, and neither the settings nor an example tell; empty for nothing.
    """

    about: VersionKind
    case: str
    before: str
    after: str
    is_damage: bool = False
    columns: tuple[str, ...] = ()
    depends_on: str = ""


def number_told(changes: Sequence[SilentChange]) -> str:
    """Say how many behaviours change, how many of these with damage, and how many may change; empty for none."""
    certain = sum(not change.depends_on for change in changes)
    damage, possible = sum(change.is_damage for change in changes), len(changes) - certain
    told = "1 behaviour changes" if certain == 1 else f"{certain} behaviours change"
    told += f", {damage} of them with damage" if damage else ""
    if not possible:
        return told if certain else ""
    if certain:
        return f"{told}, and {possible} more may change"
    return "1 behaviour may change" if possible == 1 else f"{possible} behaviours may change"


def severity_of(changes: Sequence[SilentChange], untried: str | None, *, sure: bool = True) -> Severity:
    """Return what a move does to new batches.

    Args:
        changes: the behaviours that are known to change.
        untried: why not all of these are known; None if they are.
        sure: whether it is known that the old release has written the table.
    """
    certain = [change for change in changes if not change.depends_on]
    if not certain:
        return Severity.NOT_CHECKED if changes or untried is not None else Severity.UNCHANGED
    worst = Severity.DAMAGED if any(change.is_damage for change in certain) else Severity.CHANGED
    return worst if sure else Severity.NOT_CHECKED
