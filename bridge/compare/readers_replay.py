"""A replay that writes nothing: the rows of a table that change if another release reads its files as they are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare.next_steps import class_named, explain_step, next_steps
from bridge.compare.over_represented import values_as_json, values_table
from bridge.compare.questions import Question
from bridge.compare.readers import compare_readers
from bridge.compare.readers_report import (
    KEY,
    PARTITION,
    ReaderResult,
    ReadersReport,
    grade_of_reader,
    reader_name,
    row_as_json,
    seen_by,
    settings_of,
)
from bridge.compare.tables import example_of, keys_table
from bridge.errors import PlanError
from bridge.pipeline import KIND, LEFT, RIGHT
from bridge.redaction import current
from bridge.report import SAMPLE, Check, Judged, Listing, Report, Severity, limit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from bridge.compare.difference import Difference
    from bridge.hudi import HudiTable
    from bridge.pipeline import Scope
    from bridge.report import NextStep
    from payloads import HudiRelease


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ReadersReplay(Judged, Listing):
    """The result of `replay` for a table that is only read. Spark keeps the differences until `close`.

    Attributes:
        readers: the comparison with the reader of the other release, the only one of its `results`.

    Added in 0.2.0.
    """

    readers: ReadersReport

    @property
    def result(self) -> ReaderResult:
        """How far the other release agrees."""
        (found,) = self.readers.results
        return found

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called."""
        return f"Hudi {self.readers.reader}", f"read by {reader_name(self.result.reader)}"

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a row differs, the other release can't read the table, or only a part was compared."""
        return self.readers.severities

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        result, scope = self.result, self.readers.scope
        grade = grade_of_reader(result).value
        if result.refused is not None:
            told = f"{grade}: {result.refused}"
        else:
            rows = self.readers.rows
            number = "none" if result.agrees else f"{result.total:,}"
            differ = f"{rows:,} row{'' if rows == 1 else 's'} {'differ' if result.total > 1 else 'differs'}"
            told = f"{grade}: {number} of {differ} if {reader_name(result.reader)} reads the files as they are"
        if scope is None:
            return f"{told}."
        return f"{told.rstrip('.')}. Scope: {scope.words([] if scope.since is None else [scope.since])}."

    @property
    def differing(self) -> DataFrame | None:
        """The rows that differ, as `ReadersReport.differences`; None if the other release can't read the table."""
        return self.readers.differences(self.result.reader)

    @property
    def differing_keys(self) -> DataFrame | None:
        """What `--out` writes: the rows that differ; None if the other release can't read the table.

        The columns are `_hoodie_partition_path`, `_hoodie_record_key`, `kind`, and both rows as `left` and `right`.
        """
        names = {KIND: "kind", LEFT: "left", RIGHT: "right"}
        shown = (sf.col(one).alias(name) for one, name in names.items())
        return None if self.differing is None else self.differing.select(PARTITION, KEY, *shown)

    @property
    def quarantine(self) -> None:
        """None: no key is quarantined."""

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line: `sample` rows; without it all, or a readable number if not `whole`."""
        found, result, names = self.readers, self.result, self.names
        values = found.over_represented[result.reader]
        report = Report("replay", self.verdict, self.severities, sides=names)
        report.scenario = Question.READERS.scenario.format(to=result.reader)
        report.plan = settings_of(found) | {"from": found.reader, "to": result.reader}
        report.statistics = {
            **seen_by(found),
            "question": Question.READERS.value,
            "grade": grade_of_reader(result).value,
            "differing": result.total,
            "only_left": result.only_left,
            "only_right": result.only_right,
            "changed": result.changed,
            "over_represented": values_as_json(values),
        }
        limit = limit_of(sample, whole=whole)
        rows = found.collect(result.reader, limit)
        report.results = [row_as_json(row) for row in rows]
        if rows:
            shown = rows[: SAMPLE if sample is None else sample]
            report.body.append(example_of(rows[0], (names[0], reader_name(result.reader))))
            report.body.append(keys_table(shown, result.total, names, "Rows that differ"))
        report.body += values_table(values, "rows")
        if (whole or sample is not None) and result.total > limit:
            report.warnings.append(f"only the first {limit:,} of {result.total:,} differing rows are listed (--sample)")
        report.body += [] if result.refused is not None else [Question.READERS.proof]
        report.body.append(Question.READERS.ways)
        report.checks = [Check(f"read by {result.reader}", result.severity, report.verdict)]
        report.next = self._next(rows)
        return report

    def _next(self, rows: Sequence[Difference]) -> list[NextStep]:
        """Return what to run next: why the first of some rows differs, and what a move makes of the table."""
        table, to = self.readers.table, self.result.reader
        opened = table.queries()
        payload = opened.table_class.payload or class_named(opened)
        refused_by = None if self.result.refused is None else table.release
        steps = next_steps(table.path, to, payload, refused_by=refused_by)
        key = rows[0].key if rows else {}
        if not key or any(current().hides(name) or not isinstance(value, str | int) for name, value in key.items()):
            return steps
        row = {name: str(value) for name, value in key.items()}
        return [explain_step(table.path, self.readers.reader, to, row, payload), *steps]

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.readers.close()


def replay_readers(table: HudiTable, to: str | HudiRelease, *, scope: Scope | None = None) -> ReadersReplay:
    """Read the files of a table as they are, by its own release and by another one.

    Args:
        table: the table, with the release that the other one is compared with.
        to: the other release.
        scope: as in `compare_readers`.

    Raises:
        HudiTableError, MergeFailedError: the table can't be read by its own reader.
        PlanError: the scope does not suit the table, or its engine does not merge it as one of the two releases does.
    """
    found = ReadersReplay(compare_readers(table, [to], scope=scope))
    result = found.result
    if result.not_run is not None:
        found.close()
        msg = f"{table.path}: the rows of {reader_name(result.reader)} are not known: {result.not_run}"
        raise PlanError(msg)
    return found
