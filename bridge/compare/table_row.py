"""One row of a table: its versions in base files and logs, in order, and what each reader makes of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.engines import KIND, ORDERING, QUARANTINE, SEQUENCE
from bridge.errors import InputError
from bridge.redaction import current, without_values
from bridge.report import Report, Showable, Table, json_rows
from bridge.spark import META_COLUMNS, quoted
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.hudi import HudiTable

_PLACES = ("_pb_slice", "_pb_instant", KIND, "_pb_file", "_pb_block", "_pb_position")
_HEADS = ("slice", "instant", "kind", "file", "block", "position")


@dataclasses.dataclass(frozen=True, repr=False)
class TableRow(Showable):
    """What `table_row` answers.

    Attributes:
        path: the table.
        row: the columns that identify the row, as text.
        versions: its versions in order: `slice`, `instant`, `kind`, `file`, `block`, `position`, `ordering` (of a
            delete), and `row` with the data columns.
        shown: by release, the rows that its reader shows: one, none, or several of a key that is stored twice.
        failed: by release, why merging the versions failed and at which merge point, if failures do not raise.
    """

    path: str
    row: Mapping[str, str]
    versions: tuple[Mapping[str, Any], ...]
    shown: Mapping[str, Sequence[Mapping[str, Any]]]
    failed: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def success(self) -> bool:
        """Whether all readers can merge the versions, and show the same."""
        first, *others = self.shown.values()
        return not self.failed and all(repr(other) == repr(first) for other in others)

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
        report = Report(
            "explain", self.verdict, success=self.success, plan={"table": self.path, "row": _shown(self.row)}
        )
        report.statistics = {"versions": len(self.versions), "readers": list(self.shown)}
        shown = {release: list(rows) for release, rows in self.shown.items()}
        report.results = [{"versions": list(self.versions), "shown": shown, "failed": dict(self.failed)}]
        places = [{head: version[head] for head in _HEADS} for version in self.versions]
        report.body.append(Table.of_rows(_HEADS, places, "The versions, in the order in which they merge"))
        absent = dict.fromkeys(self.versions[0]["row"], "")
        lines = [version["row"] for version in self.versions]
        labels = [f"{version['kind']} {version['instant']}" for version in self.versions]
        for release, rows in self.shown.items():
            lines += rows or [absent]
            none = "in quarantine" if release in self.failed else "none"
            labels += [f"Hudi {release}"] * len(rows) or [f"Hudi {release}: {none}"]
        report.body.append(
            Table.of_rows(tuple(absent), lines, "Their rows, and what readers show", [("version", labels)])
        )
        return report

    def to_json(self) -> str:
        """Return what `payload-bridge explain --table --output json` prints."""
        return self.to_report().as_json()


def table_row(tables: Sequence[HudiTable], row: Mapping[str, str], *, sets_aside: bool = False) -> TableRow:
    """Say which versions of a row a table holds, where, and what readers show.

    Args:
        tables: the table, opened once for each reader that is asked.
        row: the columns that identify the row (those of `HudiTable.identity`, or `_hoodie_record_key`), as text.
        sets_aside: whether versions that can't be merged are told, in place of the error.

    Raises:
        InputError: `row` names a column that does not identify rows, or no version has these values.
        HudiTableError: the table can't be read.
    """
    table = tables[0]
    known = (*table.identity, META_COLUMNS[2], META_COLUMNS[3])
    for name in row:
        if name not in known:
            msg = f"{name} does not identify a row of {table.path}; name {', '.join(known)}{did_you_mean(name, known)}"
            raise InputError(msg)
    found = json_rows(_where(table.versions(), row).orderBy(META_COLUMNS[3], "_pb_slice", SEQUENCE))
    if not found:
        msg = f"{table.path} holds no version of {_words(row)}"
        raise InputError(msg)
    versions = tuple(_version(one) for one in found)
    if not sets_aside:
        shown = {str(one.release): json_rows(_where(one.snapshot(), row).drop(*META_COLUMNS)) for one in tables}
        return TableRow(table.path, dict(row), versions, shown)
    shown, failed = {}, {}
    for one in tables:
        release, rows = str(one.release), json_rows(_where(one.snapshot_outcomes(), row).drop(*META_COLUMNS))
        aside = [told for told in (row.pop(QUARANTINE) for row in rows) if told is not None]
        shown[release] = [] if aside else rows
        if aside:
            reason = aside[0]["reason"]
            reason = without_values(reason, "an error") if current().is_active else reason
            failed[release] = f"{aside[0]['merge_point']}: {reason}"
    return TableRow(table.path, dict(row), versions, shown, failed)


def _words(row: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={text}" for name, text in _shown(row).items())


def _shown(row: Mapping[str, str]) -> dict[str, str]:
    return {name: current().text(name, text) for name, text in row.items()}


def _where(frame: DataFrame, row: Mapping[str, str]) -> DataFrame:
    for name, text in row.items():
        frame = frame.where(quoted(name).cast("string") == sf.lit(text))
    return frame


def _version(found: Mapping[str, Any]) -> dict[str, Any]:
    place = {head: found[name] for head, name in zip(_HEADS, _PLACES, strict=True)}
    data = {name: value for name, value in found.items() if name not in META_COLUMNS and not name.startswith("_pb_")}
    return {**place, "ordering": found[ORDERING], "row": data}
