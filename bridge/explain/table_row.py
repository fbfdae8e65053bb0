"""One row of a table: its versions in base files and logs, in order, and what each reader makes of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.engines import KIND, ORDERING, QUARANTINE, SEQUENCE
from bridge.errors import InputError
from bridge.explain.story import CALL_WIDTH, POINTS_EXPLAINED
from bridge.explain.table_calls import calls_of
from bridge.redaction import shown_message, shown_values
from bridge.report import Judged, Report, Severity, Table, json_rows
from bridge.spark import META_COLUMNS, quoted
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.explain.table_calls import TableCall
    from bridge.hudi import HudiTable
    from bridge.report import JsonObject, Label

_PLACES = ("_pb_slice", "_pb_instant", KIND, "_pb_file", "_pb_block", "_pb_position")
_HEADS = ("slice", "instant", "kind", "file", "block", "position")


@dataclasses.dataclass(frozen=True, repr=False)
class TableRow(Judged):
    """What `explain` answers of a real table.

    Attributes:
        path: the table.
        row: the columns that identify the row, as text.
        versions: its versions in order: `slice`, `instant`, `kind`, `file`, `block`, `position`, `ordering` (of a
            delete), and `row` with the data columns.
        shown: by release, the rows that its reader shows: one, none, or several if the key is stored twice.
        failed: by release, why and at which merge point merging the versions failed, if failures are not raised.
        calls: by release, every merge call of its query in order; a file group without logs has none.
    """

    path: str
    row: Mapping[str, str]
    versions: tuple[Mapping[str, Any], ...]
    shown: Mapping[str, Sequence[Mapping[str, Any]]]
    failed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    calls: Mapping[str, Sequence[TableCall]] = dataclasses.field(default_factory=dict)

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases whose readers are asked."""
        return tuple(self.shown)

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a reader can't merge the versions, or two show different rows; empty for one reader that can."""
        first, *others = self.shown.values()
        if self.failed:
            return frozenset({Severity.REFUSED})
        same = all(repr(other) == repr(first) for other in others)
        return frozenset({Severity.UNCHANGED if same else Severity.CHANGED} if others else ())

    @property
    def verdict(self) -> str:
        """How many versions there are, and whether readers agree."""
        name = _words(self.row)
        files = len({version["file"] for version in self.versions})
        many = f"{len(self.versions)} version{'' if len(self.versions) == 1 else 's'} in {files} file"
        text = f"{name}: {many}{'' if files == 1 else 's'}"
        for release, why in self.failed.items():
            text += f"; in quarantine by Hudi {release}, {why}"
        if self.failed:
            return f"{text}."
        if len(self.shown) == 1:
            return f"{text}."
        readers = " and ".join(f"Hudi {release}" for release in self.shown)
        return f"{text}; {readers} show {'the same' if self.success else 'different rows'}."

    def to_report(self) -> Report:
        """Return the report of the command line."""
        readers = dict(zip(("release", "to"), self.releases, strict=False))
        plan = {"table": self.path, "row": shown_values(self.row), **readers}
        report = Report("explain", self.verdict, self.severities, plan=plan)
        report.statistics = {"versions": len(self.versions), "readers": list(self.shown)}
        shown = {release: list(rows) for release, rows in self.shown.items()}
        calls = {
            release: [call._asdict() | {"made": dict(call.made)} for call in made]
            for release, made in self.calls.items()
        }
        told = {"versions": list(self.versions), "shown": shown, "failed": dict(self.failed), "calls": calls}
        report.results = [told]
        numbers: list[Label] = [("version", [f"v{number}" for number in range(1, len(self.versions) + 1)])]
        places = [{head: version[head] for head in _HEADS} for version in self.versions]
        report.body.append(Table.of_rows(_HEADS, places, "The versions, in the order in which they merge", numbers))
        absent = dict.fromkeys(self.versions[0]["row"], "")
        lines = [version["row"] for version in self.versions]
        labels = [f"v{number} {version['kind']}" for number, version in enumerate(self.versions, start=1)]
        for release, rows in self.shown.items():
            lines += rows or [absent]
            none = "in quarantine" if release in self.failed else "none"
            labels += [f"Hudi {release}"] * len(rows) or [f"Hudi {release}: {none}"]
        report.body.append(
            Table.of_rows(tuple(absent), lines, "Their rows, and what readers show", [("version", labels)])
        )
        report.body += self._calls()
        return report

    def _calls(self) -> Iterator[str | Table]:
        """Give the merge calls of each reader, and the rows that they made."""
        if any(self.calls.values()):
            yield POINTS_EXPLAINED
        for release, calls in self.calls.items():
            if not calls:
                continue
            lines = [(call.point, call.words) for call in calls]
            title = f"Hudi {release}: every merge call of its query"
            yield Table(("where", "what merges -> result"), lines, title, folded=CALL_WIDTH)
            made = {name: row for call in calls for name, row in call.made.items()}
            if made:
                rows = list(made.values())
                yield Table.of_rows(tuple(rows[0]), rows, f"Hudi {release}: rows made by merging", [("row", [*made])])


def table_row(tables: Sequence[HudiTable], row: Mapping[str, str], *, quarantines: bool) -> TableRow:
    """Return the versions of a row that a table holds, where they are stored, and what readers show.

    Args:
        tables: the table, opened once for each reader.
        row: the columns that identify the row (those of `HudiTable.identity`, or `_hoodie_record_key`), as text.
        quarantines: whether to report versions that can't be merged instead of raising the error.

    Raises:
        InputError: `row` names a column that does not identify rows, or no version has these values.
        HudiTableError: the table can't be read.
    """
    table = tables[0]
    known = (*table.identity, META_COLUMNS[2], META_COLUMNS[3])
    if not row:
        msg = f"a row of {table.path} is named by its columns; give `row` some of {', '.join(known)}"
        raise InputError(msg)
    for name in row:
        if name not in known:
            msg = f"{name} does not identify a row of {table.path}; name {', '.join(known)}{did_you_mean(name, known)}"
            raise InputError(msg)
    found = json_rows(_where(table.versions(), row).orderBy(META_COLUMNS[3], "_pb_slice", SEQUENCE))
    if not found:
        msg = f"{table.path} holds no version of {_words(row)}"
        raise InputError(msg)
    versions = tuple(_version(one) for one in found)
    if not quarantines:
        shown = {str(one.release): json_rows(_where(one.snapshot(), row).drop(*META_COLUMNS)) for one in tables}
        return TableRow(table.path, dict(row), versions, shown, calls=_calls_of(tables, found))
    shown, failed = {}, {}
    for one in tables:
        release, rows = str(one.release), json_rows(_where(one.snapshot_outcomes(), row).drop(*META_COLUMNS))
        aside = [told for told in (row.pop(QUARANTINE) for row in rows) if told is not None]
        shown[release] = [] if aside else rows
        if aside:
            failed[release] = f"{aside[0]['merge_point']}: {shown_message(aside[0]['reason'])}"
    return TableRow(table.path, dict(row), versions, shown, failed, _calls_of(tables, found))


def _calls_of(tables: Sequence[HudiTable], found: Sequence[Mapping[str, object]]) -> dict[str, tuple[TableCall, ...]]:
    return {str(one.release): calls_of(one, found) for one in tables}


def _words(row: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={text}" for name, text in shown_values(row).items())


def _where(frame: DataFrame, row: Mapping[str, str]) -> DataFrame:
    for name, text in row.items():
        frame = frame.where(quoted(name).cast("string") == sf.lit(text))
    return frame


def _version(found: Mapping[str, object]) -> JsonObject:
    place = {head: found[name] for head, name in zip(_HEADS, _PLACES, strict=True)}
    data = {name: value for name, value in found.items() if name not in META_COLUMNS and not name.startswith("_pb_")}
    return {**place, "ordering": found[ORDERING], "row": data}
