"""The result of `compare-readers`: a line for each reader."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.compare.difference import collected
from bridge.compare.grade import Grade
from bridge.compare.other_engines import OTHER_ENGINES, ignores_logs, sentence_on
from bridge.compare.over_represented import over_represented
from bridge.compare.tables import example_of
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT
from bridge.redaction import cached_as_hidden
from bridge.report import Check, Judged, Listing, Report, Severity, Table, limit_of
from bridge.spark import META_COLUMNS
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from bridge.compare.difference import Difference
    from bridge.compare.over_represented import OverRepresented
    from bridge.hudi import HudiTable
    from bridge.pipeline import Scope
    from bridge.report import JsonObject

BASE_FILES = "base files"
"""The reader of engines that know no logs: it shows the rows of the base files."""
HUDI_RS = "hudi-rs"
"""The reader in Rust, of the package `hudi`."""
_REAL = "real "

READER = "_pb_reader"
KEY, PARTITION = META_COLUMNS[2], META_COLUMNS[3]

_BY_RULES = "by the rules of the release, as recorded from real Hudi"
_BY_DOCUMENTATION = "by documentation: Trino, Athena and Presto show this for read-optimized tables"
_OF_ENGINE = "by its documentation: the rows of the base files"


class ReaderResult(NamedTuple):
    """How far one reader agrees with the first.

    Attributes:
        reader: the release, `base files`, or the name of an engine.
        only_left: how many rows only the first reader shows.
        only_right: how many rows only this reader shows.
        changed: how many rows have other values.
        refused: why this reader can't read the table; None if it can.
        not_run: why this program was not run; None if it was, or if the reader is part of this package.
        program: what ran, by name and version; None where rows follow from rules.
    """

    reader: str
    only_left: int = 0
    only_right: int = 0
    changed: int = 0
    refused: str | None = None
    not_run: str | None = None
    program: str | None = None

    @property
    def total(self) -> int:
        """How many rows differ."""
        return self.only_left + self.only_right + self.changed

    @property
    def agrees(self) -> bool:
        """Whether it shows the same rows."""
        return self.refused is None and self.not_run is None and not self.total

    @property
    def severity(self) -> Severity:
        """What it says of the rows."""
        return Severity.NOT_CHECKED if self.not_run is not None else grade_of_reader(self).severity

    @property
    def how(self) -> str:
        """How its rows are known."""
        if self.not_run is not None:
            return "not run"
        if self.program is not None:
            return f"run: {self.program}"
        if ignores_logs(self.reader):
            return _OF_ENGINE
        return _BY_DOCUMENTATION if self.reader == BASE_FILES else _BY_RULES


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ReadersReport(Judged, Listing):
    """The result of `compare_readers`. Spark keeps the differences until `close`, or the end of a `with` block.

    Attributes:
        table: the table, read by the release that the others are compared with.
        instant: the requested time of the commit at which all readers read; None for an empty table.
        results: one a reader, in the order asked.
        rows: how many rows the first reader shows.
        logged: how many keys the log files have, as the first reader reads them; None in a scope, and by an engine.
        slices: how many file slices there are, or were read in a scope.
        differing: the rows that differ for any reader, which `differences` gives reader by reader.
        all_rows: gives the rows of the first reader, in the scope, with some columns.
        scope: the keys that count; None for all.
        resources: what `close` releases.
    """

    table: HudiTable
    instant: str | None
    results: tuple[ReaderResult, ...]
    rows: int
    logged: int | None
    slices: int
    differing: DataFrame | None
    all_rows: Callable[[Sequence[str]], DataFrame]
    scope: Scope | None = None
    resources: contextlib.ExitStack = dataclasses.field(default_factory=contextlib.ExitStack)

    @property
    def reader(self) -> str:
        """The release that the others are compared with."""
        return str(self.table.release)

    @property
    def severities(self) -> frozenset[Severity]:
        """What each reader says of the rows, and whether these are a sample."""
        found = {result.severity for result in self.results}
        return Severity.in_part(found, self.scope is not None and self.scope.is_sample)

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        return verdict_of(self)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line: `sample` rows a reader; without it all, or some if not `whole`."""
        return report_readers(self, limit_of(sample, whole=whole))

    def differences(self, reader: str) -> DataFrame | None:
        """Return the rows that differ for a reader of `results`; None if it can't read the table.

        The columns are `_hoodie_partition_path`, `_hoodie_record_key`, `_pb_kind` (only-left, only-right, changed), and
        the rows as `_pb_left` (the first reader's) and `_pb_right`, without meta columns, null for no row.
        """
        name, names = reader_of(reader), [result.reader for result in self.results]
        result = self.results[names.index(name)]
        if self.differing is None or result.refused is not None or result.not_run is not None:
            return None
        number = names.index(name) + 1
        here = (sf.col(READER) == number) & sf.col(KIND).isin(*KINDS)
        return self.differing.where(here).select(PARTITION, KEY, KIND, LEFT, RIGHT)

    @cached_as_hidden
    def over_represented(self) -> dict[str, list[OverRepresented]]:
        """By reader, the values that are more frequent among the rows that differ, at most one a column."""
        names = [result.reader for result in self.results]
        return {name: over_represented(self.differences(name), self.all_rows, self.table.keys) for name in names}

    def collect(self, reader: str, limit: int | None = None) -> list[Difference]:
        """Collect the rows that differ for a reader, by partition and key; at most `limit`."""
        frame = self.differences(reader)
        return [] if frame is None else collected(self.table, frame, limit)

    def close(self) -> None:
        """Release the rows that Spark keeps, and the files of programs."""
        self.resources.close()


def reader_of(reader: str | HudiRelease) -> str:
    """Return the name of a reader: that of the release, `real` and a release, `base files`, `hudi-rs` or an engine.

    Raises:
        PayloadConfigError: unknown release.
    """
    if reader in {BASE_FILES, HUDI_RS, *OTHER_ENGINES}:
        return str(reader)
    if isinstance(reader, str) and reader.startswith(_REAL):
        return released(HudiRelease.parse(reader.removeprefix(_REAL)))
    return str(HudiRelease.parse(reader))


def released(release: HudiRelease) -> str:
    """Return the reader that is the released bundle itself."""
    return f"{_REAL}{release}"


def is_program(reader: str) -> bool:
    """Whether a reader is another program."""
    return reader == HUDI_RS or reader.startswith(_REAL)


def reader_name(reader: str) -> str:
    """Return what a reader is called in texts."""
    if reader in {BASE_FILES, HUDI_RS, *OTHER_ENGINES}:
        return reader
    return f"Hudi {reader.removeprefix(_REAL)}{' itself' if reader.startswith(_REAL) else ''}"


def grade_of_reader(result: ReaderResult) -> Grade:
    """Return how far a reader agrees with the first one."""
    if result.refused is not None:
        return Grade.REFUSED
    return Grade.IDENTICAL_HERE if result.agrees else Grade.DIFFERS


def verdict_of(found: ReadersReport) -> str:
    """Return the result of all readers in a sentence or two."""
    ran = [result for result in found.results if result.not_run is None]
    differing = [result for result in ran if not result.agrees]
    if not ran:
        return f"Not checked: no other reader ran on the {found.rows:,} rows that Hudi {found.reader} shows."
    if not differing:
        who = "All readers" if len(ran) == len(found.results) else "All readers that ran"
        return f"{who} show the {found.rows:,} rows that Hudi {found.reader} shows."
    each = "; ".join(f"{reader_name(result.reader)} {_short(result)}" for result in differing)
    return f"Of the {found.rows:,} rows that Hudi {found.reader} shows, other readers show some differently: {each}."


def _counts(result: ReaderResult) -> tuple[str, str, str]:
    """Return the counts of a table's line: none of a reader that showed no rows, which are not 0."""
    if result.refused is not None or result.not_run is not None:
        return "", "", ""
    return str(result.only_right), str(result.only_left), str(result.changed)


def _grade(result: ReaderResult) -> str:
    return "not run" if result.not_run is not None else grade_of_reader(result).value


def _short(result: ReaderResult) -> str:
    if result.refused is not None:
        return "can't read the table"
    return f"{result.total:,} row{'' if result.total == 1 else 's'}"


def report_readers(found: ReadersReport, sample: int | None) -> Report:
    """Report every reader with its counts and its first example; `sample` rows of each in the results, or all."""
    report = Report("compare-readers", verdict_of(found), found.severities, plan=settings_of(found))
    report.scenario = "as the files are read"
    report.releases = [result.reader for result in found.results]
    report.statistics = {
        **seen_by(found),
        "readers": [result._asdict() | {"differing": result.total, "how": result.how} for result in found.results],
    }
    title = f"Rows that other readers show differently from Hudi {found.reader}"
    counts = ("only there", "missing there", "changed")
    lines = [[reader_name(result.reader), *_counts(result), _grade(result)] for result in found.results]
    report.body.append(Table(("reader", *counts, "grade"), lines, title, frozenset(counts)))
    for result in found.results:
        why = result.refused or result.not_run
        if why is not None:
            report.warnings.append(f"{reader_name(result.reader)}: {'' if result.refused else 'not run, '}{why}")
            report.checks.append(Check(f"{reader_name(result.reader)} ({result.how})", result.severity, why))
            continue
        rows = found.collect(result.reader, sample)
        report.results += [{"reader": result.reader, **row_as_json(row)} for row in rows]
        if rows:
            report.body.append(example_of(rows[0], (f"Hudi {found.reader}", reader_name(result.reader))))
        told = "" if result.agrees else _short(result)
        report.checks.append(Check(f"{reader_name(result.reader)} ({result.how})", result.severity, told))
    report.body += [sentence_on(result.reader) for result in found.results if result.reader in OTHER_ENGINES]
    ran = [f"{reader_name(one.reader)}: {one.how}" for one in found.results if is_program(one.reader)]
    report.body.append(". ".join([f"Releases: {_BY_RULES}", f"Base files: {_BY_DOCUMENTATION}", *ran]) + ".")
    return report


def settings_of(found: ReadersReport) -> JsonObject:
    """Return what was compared, in JSON values."""
    scope = {} if found.scope is None else {"scope": found.scope.as_json()}
    return {"table": found.table.path, "release": found.reader, "instant": found.instant, **scope}


def seen_by(found: ReadersReport) -> dict[str, object]:
    """Return how much was read, for statistics."""
    return {"rows_in": found.rows, "logged_keys": found.logged, "file_slices": found.slices}


def row_as_json(row: Difference) -> JsonObject:
    """Return a row that differs without a note, which no reader has."""
    return {name: value for name, value in row._asdict().items() if name != "note"}
