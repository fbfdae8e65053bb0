"""Damage that is visible in a table: what its timeline has left open, and symptoms in its rows, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.compare import YOUR_JAR, replay_command
from bridge.hudi import SymptomKind
from bridge.migration.findings import Finding
from bridge.redaction import shown_message, shown_values
from bridge.report import Severity, Table
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.report import JsonObject
    from payloads import PayloadRef

APART = "apart"
"""The kind for a release that reads other files than the table's own reader."""
UNREAD = "unread"
"""The kind for a table of which no row can be read."""
MOST_SLICES = 100
"""How many file slices are read unless the caller says otherwise."""


class Damage(NamedTuple):
    """One kind of damage, with the smallest example.

    Attributes:
        kind: `unread` (no row could be read), `altered` (files that are missing or have another size than their commit
            says), `listing` (the metadata table can't be read), `unlisted` (files that only the storage or only the
            metadata table lists), `differs` (rows that another reader shows differently), `unreadable` (file slices),
            `live-delete` (rows that are marked as deleted, and are shown), `null-ordering` (stored versions),
            `other-type` (ordering values of another type), `shared-ordering` (logged rows that releases from 1.0 on
            compare by the text ordering value of another row), `millis-as-micros` (files that label milliseconds as
            microseconds), `apart` (a release that finds other files, so that its rows were not compared),
            `change-data` (`.cdc` files, which are ignored), `pending` (work that was planned and has not run), `open`
            (instants that never completed). For a move to a release also keys whose logs have such a case: `late` (a
            version that comes after a greater one), `tie`, `delete`, `null-value` (null, or Debezium's marker, after a
            value).
        about: the reader, the marker, the ordering field and its types, the column, or the action.
        number: how many rows, versions, file slices, files or instants.
        partition: of the example.
        key: its record key; empty where no key is meant.
        file: the file with its last version; for `pending` and `open` the file of the instant.
        reason: why rows or slices are unreadable.
    """

    kind: str
    about: str
    number: int
    partition: str = ""
    key: str = ""
    file: str = ""
    reason: str = ""

    def as_json(self) -> JsonObject:
        """Return it without values that are hidden."""
        key, partition = shown_values({META_COLUMNS[2]: self.key, META_COLUMNS[3]: self.partition}).values()
        reason = self.reason and shown_message(self.reason)
        return self._asdict() | {"key": key, "partition": partition, "reason": reason}


class TableDamage(NamedTuple):
    """The result of `find_damage`.

    Attributes:
        path: the table.
        reader: the release that counts as its writer, whose reader the others are compared with.
        damage: what was found, the timeline first.
        read: how many file slices were read.
        slices: how many there are.
        unread: why no rows were read; None if they were.
        columns: those of the table; empty where they are not known.
        logs: how many of the file slices that were read have a log.
        payload: the class that commands must name so that the table can be merged; None where Hudi ships its own.
    """

    path: str
    reader: str
    damage: tuple[Damage, ...]
    read: int
    slices: int
    unread: str | None = None
    columns: tuple[str, ...] = ()
    logs: int = 0
    payload: PayloadRef | None = None

    def compared(self, to: str) -> int:
        """In how many of the file slices that were read the rows of a release are compared with those of `reader`."""
        if self.unread is not None:
            return 0
        failed: dict[str, int] = {}
        for one in self.damage:
            if one.kind in {SymptomKind.UNREADABLE, APART}:
                failed[one.about] = failed.get(one.about, 0) + one.number
        # What its own reader can't read is not read by another.
        return max(self.read - sum(failed.get(name, 0) for name in {self.reader, to}), 0)

    def compared_words(self, to: str) -> str:
        """Say in how many file slices the rows of a release are compared."""
        compared = self.compared(to)
        if compared == self.slices:
            return "in all file slices" if self.slices > 1 else "in its one file slice"
        left = self.slices - compared
        return f"in {compared} of {self.slices} file slices ({left} {'was' if left == 1 else 'were'} not read)"

    def is_complete(self, to: str) -> bool:
        """Whether the rows of all file slices are compared with those of a release."""
        return self.compared(to) == self.slices

    @property
    def is_whole(self) -> bool:
        """Whether the rows of all file slices were read."""
        return self.unread is None and self.read == self.slices

    @property
    def lacks_class(self) -> bool:
        """Whether the user has yet to name the class that merges the table."""
        return self.payload is not None and self.payload.jars == (YOUR_JAR,)

    @property
    def is_sample(self) -> bool:
        """Whether file slices were left out that could be read."""
        return self.read < self.slices and not any(one.kind == UNREAD for one in self.damage)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The damage as warnings."""
        return tuple(_finding(one, self) for one in self.damage if one.kind in _TEXTS)

    def of(self, kind: SymptomKind) -> Damage | None:
        """Return what was found of a kind, the first where there are several."""
        return next((one for one in self.damage if one.kind == kind), None)

    def to_json(self) -> dict[str, object]:
        """Return it in JSON values."""
        return {
            "reader": self.reader,
            "slices": self.slices,
            "slices_read": self.read,
            "rows_not_read": self.unread,
            "found": [one.as_json() for one in self.damage],
        }

    def table(self) -> Table:
        """Return it as text."""
        columns = ("kind", "about", "number", "key", "file")
        lines = [{name: one.as_json()[name] for name in columns} for one in self.damage]
        return Table.of_rows(columns, lines, f"Found {self.extent}")

    @property
    def extent(self) -> str:
        """How much of the table was read."""
        if self.unread is not None:
            slices = f", and in 0 of {self.slices} file slices" if self.slices else ""
            return f"in the timeline{slices}: {self.unread}"
        return f"in {self.read} of {self.slices} file slices" if self.read < self.slices else "in all file slices"


# -- as warnings

LISTINGS = ("storage", "metadata table")

_OF_PENDING = {
    "compaction": (
        "an upgrade to 1.0 or later does not run it: what was written to its file groups since is hidden then (table "
        "version 6) or merged by the new settings (8)"
    ),
    "clustering": "Hudi refuses to update its file groups until it has run or is rolled back",
    "logcompaction": "log blocks stay as they are until it has run",
}

_ROLLED_BACK, _RUN_AGAIN = ": the next write or an upgrade rolls it back", ": the next write runs it again"
_OF_OPEN = dict.fromkeys(("commit", "deltacommit", "replacecommit"), _ROLLED_BACK) | dict.fromkeys(
    ("clean", "rollback", "restore"), _RUN_AGAIN
)


def _finding(one: Damage, table: TableDamage) -> Finding:
    shown = one.as_json()
    severity, text, remedy = _TEXTS[one.kind](one, table)
    names_file = one.file and one.file not in text
    such = f", such as {shown['key']} in {one.file}" if one.key else f", such as {one.file}" if names_file else ""
    sampled = "" if table.read >= table.slices else f" (in {table.read} of {table.slices} file slices)"
    where = sampled if one.kind in {*SymptomKind} else ""
    return Finding(severity, f"{text}{such}{where}", remedy, shown)


def _many(number: int, one: str, more: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {more}"


_TEXTS: dict[str, Callable[[Damage, TableDamage], tuple[Severity, str, str]]] = {
    SymptomKind.DIFFERS: lambda one, table: (
        Severity.CHANGED,
        (
            f"Hudi {one.about} shows {_many(one.number, 'row', 'rows')} differently from Hudi {table.reader}, as the "
            "files are"
        ),
        f"{replay_command(table.path, one.about, table.payload)} lists them",
    ),
    SymptomKind.UNREADABLE: lambda one, _: (
        Severity.REFUSED,
        f"Hudi {one.about} can't read {_many(one.number, 'file slice', 'file slices')} ({one.as_json()['reason']})",
        "compact it with the release that wrote it, or restore the files (if bootstrapped elsewhere, --bootstrap PATH)",
    ),
    SymptomKind.LIVE_DELETE: lambda one, _: (
        Severity.DAMAGED,
        f"{_many(one.number, 'live row says', 'live rows say')} {one.about}",
        "store the payload class or the delete marker in the table, and delete them",
    ),
    SymptomKind.NULL_ORDERING: lambda one, _: (
        Severity.CHANGED,
        f"{_many(one.number, 'stored version has', 'stored versions have')} no value in the ordering field {one.about}",
        "write these keys again with a value: releases rank null differently",
    ),
    SymptomKind.OTHER_TYPE: lambda one, _: (
        Severity.REFUSED,
        f"ordering values of two types ({one.about}), {one.number} times",
        "compact the table with the release that wrote it: Hudi from 1.0 on can't compare them",
    ),
    SymptomKind.SHARED_ORDERING: lambda one, _: (
        Severity.CHANGED,
        (
            f"Hudi from 1.0 on compares {_many(one.number, 'row', 'rows')} of Parquet log blocks by another row's "
            f"{one.about}"
        ),
        "write Avro log blocks (hoodie.logfile.data.block.format=avro), and these keys again",
    ),
    SymptomKind.MILLIS_AS_MICROS: lambda one, _: (
        Severity.CHANGED,
        f"{_many(one.number, 'file labels', 'files label')} millis as micros (column {one.about})",
        "releases before 1.1 show some of these times in January 1970; read the table with 1.1 or later",
    ),
    "pending": lambda one, _: (
        Severity.CHANGED,
        f"{_many(one.number, one.about, one.about + 's')} pending",
        f"{_OF_PENDING[one.about]}: run it with the release that planned it",
    ),
    UNREAD: lambda one, _: (
        Severity.REFUSED,
        f"no row of the table can be read ({one.as_json()['reason']})",
        "do so first: until then it is unknown which rows are damaged or change",
    ),
    "altered": lambda one, _: (
        Severity.DAMAGED,
        f"{_many(one.number, 'file of a completed commit', 'files of completed commits')}: {one.as_json()['reason']}",
        "restore the files, or restore the table to an instant before (hudi-cli savepoint rollback)",
    ),
    "listing": lambda one, _: (
        Severity.REFUSED,
        f"the {one.about} can't be read ({one.as_json()['reason']})",
        "Hudi from 1.0 on fails to read the table until the metadata table is rebuilt",
    ),
    "unlisted": lambda one, _: (
        Severity.DAMAGED,
        f"{_many(one.number, 'file is', 'files are')} on the {one.about} only"
        if one.about == LISTINGS[0]
        else f"{_many(one.number, 'file is', 'files are')} in the {one.about} only, and missing on the storage",
        "rebuild the metadata table with hudi-cli (metadata delete, metadata create): Hudi uses it from 1.0 on",
    ),
    "change-data": lambda one, _: (
        Severity.UNCHANGED,
        f"{_many(one.number, 'file', 'files')} of change data ({one.about}) ignored",
        "change data capture queries are not supported here; a snapshot does not need these files",
    ),
    APART: lambda one, table: (
        Severity.CHANGED,
        f"Hudi {one.about} finds other files by the metadata table than Hudi {table.reader}: rows not compared",
        f"{replay_command(table.path, one.about, table.payload)} compares them",
    ),
    "open": lambda one, _: (
        Severity.UNCHANGED,
        f"{_many(one.number, one.about + ' has', one.about + 's have')} not completed",
        f"if no writer is running it was interrupted{_OF_OPEN.get(one.about, '')}",
    ),
}
