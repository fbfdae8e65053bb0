"""The result of `replay`: one verdict a table type and one for all, the keys that differ, the smallest examples."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare.difference import Counts, Difference, Example, replayed_difference
from bridge.compare.duplicates import duplicate_warnings
from bridge.compare.examples import smallest_examples
from bridge.compare.grade import Grade, grade_of, overall
from bridge.compare.over_represented import OverRepresented, over_represented, values_as_json
from bridge.compare.questions import Question, question_of
from bridge.compare.replay_row_counts import both_row_counts_table
from bridge.compare.replay_verdict import joint_verdict, verdict_of
from bridge.compare.tables import quarantine_table, replay_body, replay_checks
from bridge.engines import COMMIT, recompiled_warnings
from bridge.errors import PlanError
from bridge.merge import class_warnings
from bridge.pipeline import KIND, LEFT, RIGHT, report_choices, report_scope
from bridge.programs import inline_warnings, operation_warnings
from bridge.redaction import cached_as_hidden
from bridge.report import (
    SAMPLE,
    Judged,
    Listing,
    Report,
    Severity,
    json_rows,
    limit_of,
    plan_as_json,
    sides_as_json,
)
from bridge.spark import distinct_keys, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.engines import Choice, Recompiled, RowCounts
    from bridge.pipeline import Batches
    from bridge.plan import TableType

TABLE = "_pb_table"
"""The column of `ReplayReport.quarantine` that says on which side a key can't be merged."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ReplayReport(Judged, Listing):
    """The result of `replay`: both tables, and the keys that differ.

    Spark keeps the differences until `close`, or the end of a `with` block.

    Attributes:
        batches: what was written to both tables.
        comparison: both plans, and what the sides are called (`comparison.names`).
        versions: all rows of the batches, with the number of their batch in `_pb_commit`.
        left: the rows of the left table after each commit (`_pb_commit`, from 1).
        right_rows: those of the right table, as `right`; None if it is refused.
        differing: the differences, as `differences`; None if the right side is refused.
        counts: how many keys differ after each commit of the scope, by kind.
        refused: why the right side is refused; None if it is not. If that is because of the ordering field that its
            writer passes, the rest is for a writer without it.
        by_identity: how many keys differ after the last commit only because IGNORE_DEFAULTS compares objects.
        quarantine: all versions of the keys that a side can't merge, with that side (left, right) in `_pb_table`; the
            other columns are those of `MergeReport.quarantine`. No snapshot of that side has them. None unless the plan
            quarantines such keys.
        quarantined: how many rows of it each side has, by the name of the side.
        row_counts: by the name of the side, as in `SimulateReport.row_counts`; a refused side has none, and if no row
            was merged, neither side has.
        outcomes: what Spark keeps for it.
        ran: which engine runs the commits of each side, by its name, and why; none if the right side is refused.
        recompiled: what is changed in the payload class of the right side, which was compiled for an older release;
            None where it runs as it is.
    """

    batches: Batches
    comparison: Comparison
    versions: DataFrame
    left: DataFrame
    right_rows: DataFrame | None = None
    differing: DataFrame | None = None
    counts: tuple[Counts, ...] = ()
    refused: str | None = None
    by_identity: int = 0
    quarantine: DataFrame | None = None
    quarantined: Mapping[str, int] = dataclasses.field(default_factory=dict)
    row_counts: Mapping[str, RowCounts] = dataclasses.field(default_factory=dict)
    outcomes: tuple[DataFrame, ...] = ()
    ran: Mapping[str, Choice] = dataclasses.field(default_factory=dict)
    recompiled: Recompiled | None = None

    @property
    def right(self) -> DataFrame:
        """The rows of the right table after each commit (`_pb_commit`, from 1).

        Raises:
            PlanError: the right side is refused.
        """
        return self._unless_refused(self.right_rows)

    @property
    def differences(self) -> DataFrame:
        """Every difference after any commit of the scope.

        The columns are `_pb_commit`, those that identify the row, both rows as `_pb_left` and `_pb_right` (null for no
        row), `_pb_kind` (only-left, only-right, changed), and `_pb_by_identity boolean`, whether it exists only because
        Hudi's IGNORE_DEFAULTS compares objects.

        Raises:
            PlanError: the right side is refused.
        """
        return self._unless_refused(self.differing)

    def _unless_refused(self, frame: DataFrame | None) -> DataFrame:
        if frame is None:
            msg = f"{self.comparison.names[1]} is refused, so there are no rows to compare: {self.refused}"
            raise PlanError(msg)
        return frame

    @property
    def is_equal(self) -> bool:
        """Whether the right side runs, and no key differs after any commit."""
        return self.refused is None and not any(counts.total for counts in self.counts)

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a key differs after any commit, the right side is refused, or keys were not compared."""
        ran = Severity.UNCHANGED if self.is_equal else Severity.CHANGED if self.refused is None else Severity.REFUSED
        return Severity.in_part({ran}, self.batches.is_sample or any(self.quarantined.values()))

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        return verdict_of(self)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line: `sample` keys; without it all, or a readable number if not `whole`."""
        return report_replays([self], sample, whole=whole)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        for frame in (self.differing, *self.outcomes):
            if frame is not None:
                frame.unpersist()

    @functools.cached_property
    def grade(self) -> Grade:
        """How far the sides agree.

        Differences depend on ties, or on deletes, if the same keys without them show none: of versions with one
        ordering value the first alone, or no version that says that it deletes. Both sides run again for these keys.
        """
        if self.differing is None or self.refused is not None:
            return Grade.REFUSED
        if self.is_equal:
            return Grade.IDENTICAL if self.comparison.follow_one_rule else Grade.IDENTICAL_HERE
        return grade_of(self.differing, self.versions, self.comparison, self.batches.first)

    def collect(self, limit: int | None = None, *, spread: bool = False) -> list[Difference]:
        """Collect the keys that differ after the last commit, by key.

        At most `limit`: the first ones, or with `spread` those with the smallest hash, a sample of all keys that is
        always the same.
        """
        last = self.last_differences
        if last is None:
            return []
        identity = [*map(quoted, self.comparison.left.identity)]
        if limit is not None:
            last = last.orderBy(*([sf.xxhash64(*identity)] if spread else []), *identity).limit(limit)
        with self.comparison.job_description(last, "the rows of keys that differ"):
            return [replayed_difference(self.comparison, row) for row in json_rows(last.orderBy(*identity))]

    @functools.cached_property
    def keys_in(self) -> int:
        """How many keys the batches have."""
        return distinct_keys(self.versions, self.comparison.left.identity).count()

    @property
    def as_it_is(self) -> str | None:
        """Why the right side refuses the class as it is, in half a sentence, where it runs as if recompiled."""
        made = self.recompiled
        return None if made is None or made.refused is None else f"REFUSED as it is: {made.refused}"

    @property
    def last_differences(self) -> DataFrame | None:
        """The differences after the last commit; None if the right side is refused."""
        return None if self.differing is None else self.differing.where(sf.col(COMMIT) == self.comparison.commits)

    @property
    def differing_keys(self) -> DataFrame | None:
        """What `--out` writes: the differences after the last commit, one a row; None if the right side is refused.

        The columns are `table_type`, those that identify the row, `kind`, and both rows as `left` and `right`.
        """
        last = self.last_differences
        if last is None:
            return None
        names = {KIND: "kind", LEFT: "left", RIGHT: "right"}
        shown = [*map(quoted, self.comparison.left.identity), *(sf.col(one).alias(name) for one, name in names.items())]
        return last.select(sf.lit(_type(self).value).alias("table_type"), *shown)

    @property
    def parts(self) -> tuple[ReplayReport, ...]:
        """The replays of which this one consists: itself."""
        return (self,)

    @cached_as_hidden
    def examples(self) -> list[Example]:
        """The smallest example of each kind: with the fewest versions, then the earliest, then by key."""
        if self.differing is None or self.is_equal:
            return []
        return smallest_examples(self.differing, self.versions, self.comparison)

    @cached_as_hidden
    def over_represented(self) -> list[OverRepresented]:
        """The values that are more frequent among the keys that differ in the end, at most one a column."""
        last = self.left.where(sf.col(COMMIT) == self.comparison.commits)
        return over_represented(
            self.last_differences, lambda columns: last.select(*map(quoted, columns)), self.comparison.left.key
        )


def report_replays(
    parts: Sequence[ReplayReport], sample: int | None, *, whole: bool, question: Question | None = None
) -> Report:
    """Report replays of the same batches and settings, one a table type.

    Args:
        parts: the replays.
        sample: how many keys to show; None: all up to `MOST`, or a readable number if not `whole`.
        whole: whether the results are for programs.
        question: what is counted; None: what the comparison of batches says.
    """
    first = parts[0].comparison
    grade = overall(part.grade for part in parts)
    limit = limit_of(sample, whole=whole)
    keys = {_type(part): part.collect(limit) for part in parts}
    severities = {one for part in parts for one in part.severities}
    report = Report("replay", joint_verdict(parts, grade), severities, sides=first.names)
    asked = question or question_of(first.upgrade_after)
    report.scenario = asked.scenario.format(after=first.upgrade_after)
    report.warnings = class_warnings(first.left, first.right) + recompiled_warnings(first.left, first.right)
    report.warnings += operation_warnings(first.operations, *(p for one in parts for p in one.comparison.plans))
    for part, one in ((part, part.comparison) for part in parts):
        report.warnings += inline_warnings(one.left, one.commits, one.compact_after)
        report.warnings += duplicate_warnings(one, (part.left, part.right_rows))
    report.releases = [one.release for one in (*first.plans, *(by.plan for by in first.next_writers))]
    report.plan = plan_as_json(first.left) | {
        "table_type": first.left.table_type.value if len(parts) == 1 else "both",
        "from": str(first.left.release),
        "to": first.to or first.names[1],
        "upgrade_after": first.upgrade_after,
        "via": [one.step for one in first.via],
        "keep_table_version": first.keep_table_version,
        "compact_after": list(first.compact_after),
    }
    report.plan |= {"table": first.path} if first.path else {}
    report.statistics = {
        "question": asked.value,
        "rows_in": parts[0].batches.rows_of(first.left),
        "quarantined": {_type(part).value: dict(part.quarantined) for part in parts},
        "books": {
            _type(part).value: {side: row_counts.lines() for side, row_counts in part.row_counts.items()}
            for part in parts
        },
        "grade": grade.value,
        "table_types": {_type(part).value: _figures(part) for part in parts},
        "commits": [
            {"table_type": _type(part).value, **counts._asdict(), "equal": not counts.total}
            for part in parts
            for counts in part.counts
        ],
        "over_represented": {_type(part).value: values_as_json(part.over_represented) for part in parts},
        "examples": [
            {"table_type": _type(part).value} | example._asdict() | {"difference": example.difference._asdict()}
            for part in parts
            for example in part.examples
        ],
    }
    first_part, alike = parts[0], _are_alike(parts, keys)
    if alike:
        both = " and ".join(_type(part).long_name for part in parts)
        report.body.append(f"{both.capitalize()} give the same results.")
    for part in parts:
        shown = keys[_type(part)]
        report.results += [{"table_type": _type(part).value, **difference._asdict()} for difference in shown]
        report.checks += replay_checks(part, shown)
        if part is first_part or not alike:
            some, alone = shown[: SAMPLE if sample is None else sample], len(parts) == 1 or alike
            report.body += replay_body(part, some, alone=alone, of_table=asked.is_of_table)
        report.body += [both_row_counts_table(part.row_counts, part.comparison)] if part.row_counts else []
        if (whole or sample is not None) and _last(part) > limit:
            report.warnings.append(f"only the first {limit:,} of {_last(part):,} differing keys are listed (--sample)")
        if part.quarantine is not None and part.quarantined:
            aside = quarantine_table(part.quarantine, part.quarantined, _type(part))
            report.body.append(aside)
            report.warnings.append(
                f"{aside.title}: these keys can't be merged there; a key that only one side merges is different"
            )
    if first.left.fidelity == "intended":
        report.warnings.append("the fidelity 'intended' compares defaults by value, which no release of Hudi does")
    report.body += [*([asked.proof] if asked.proof else []), asked.ways]
    differing = {_type(part).long_name: part.last_differences for part in parts if part.counts}
    report_scope(report, first_part.batches, first.left, differing)
    report_choices(report, {f"{_type(part).value}, {name}": ran for part in parts for name, ran in part.ran.items()})
    return report


def _are_alike(parts: Sequence[ReplayReport], keys: dict[TableType, list[Difference]]) -> bool:
    """Whether several table types have the same differences, so that their tables are shown once."""
    one, *others = parts
    return bool(others) and all(
        (part.verdict, part.counts, keys[_type(part)], part.examples)
        == (one.verdict, one.counts, keys[_type(one)], one.examples)
        for part in others
    )


def _type(part: ReplayReport) -> TableType:
    return part.comparison.left.table_type


def _last(part: ReplayReport) -> int:
    """Return how many keys differ after the last commit."""
    return part.counts[-1].total if part.counts else 0


def _figures(part: ReplayReport) -> dict[str, object]:
    return {
        "grade": part.grade.value,
        "verdict": part.verdict,
        "refused_as_it_is": part.as_it_is,
        "sides": sides_as_json(part.comparison.names),
        "differing": _last(part),
        "by_object_identity": part.by_identity,
    }
