"""The report of every path: the keys whose row depends on the path, and the smallest sequence of versions."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING

from bridge.config import keys
from bridge.engines import RowCounts, RowStatus, recompiled_warnings
from bridge.merge import class_warnings
from bridge.pipeline.all_paths import answers_of, counted, key_answers, path_outcomes, smallest
from bridge.pipeline.batches import as_batches, only_upserts
from bridge.pipeline.path_groups import agreed, disagreements
from bridge.pipeline.path_text import commits_words, compaction_words, path_words, step_words
from bridge.pipeline.paths_view import by_partition, overview
from bridge.pipeline.row_counts_report import row_counts_in, row_counts_table
from bridge.pipeline.scope_report import report_scope
from bridge.plan import TableType
from bridge.programs import FEW, STATES, small_file_candidates
from bridge.redaction import cached_as_hidden
from bridge.report import Judged, Listing, Report, Severity, Table, cell, limit_of, plan_as_json, sides_as_json
from bridge.spark import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from bridge.pipeline.all_paths import KeyAnswer, PathCounts, SmallestFound
    from bridge.pipeline.batches import Batches, BatchesLike
    from bridge.pipeline.path_groups import Disagreements
    from bridge.plan import MergePlan
    from bridge.report import Label, View


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PathsReport(Judged, Listing):
    """The result of `all_paths`. Nothing runs before a figure or a row is read.

    Spark keeps the answers from then on; `close`, or a `with` block, releases them.

    Attributes:
        batches: what was written.
        plan: how versions merged; its table type is ignored.
        table_types: the table types whose paths were tried.
        outcomes: the source of `answers` and `row_counts`, kept by Spark.
    """

    batches: Batches
    plan: MergePlan
    table_types: tuple[TableType, ...]
    outcomes: DataFrame

    @functools.cached_property
    def answers(self) -> DataFrame:
        """The results of the keys that have more than one.

        The columns are the data columns, `_pb_has_row boolean` (false: no row, so that every column but the key's is
        null) and `_pb_path` of the type `PATH_TYPE`. A key of which not every state could be followed is there in any
        case.
        """
        return answers_of(self.outcomes)

    @functools.cached_property
    def row_counts(self) -> RowCounts:
        """The outcomes of the rows on one path: the batches as given, in the first of `table_types`.

        Nothing is compacted on it. Rows are counted as in `SimulateReport.row_counts`, and those of a key whose path
        ends in an error as quarantined.

        Raises:
            RowCountsError: rows were lost or doubled.
        """
        found = row_counts_in(self.outcomes, {"incoming": self.counts.rows})
        found.check_sides()
        return found

    @functools.cached_property
    def counts(self) -> PathCounts:
        """How many rows and keys there are, and how many keys depend on the path."""
        return counted(self._versions, self.answers, self.plan)

    @functools.cached_property
    def disagreements(self) -> Disagreements:
        """Which of the paths that exist for every key disagree, on how many keys, and how."""
        types = self.table_types
        return disagreements(self.answers, types) if self.counts.depending else agreed(types)

    @cached_as_hidden
    def smallest(self) -> SmallestFound | None:
        """The smallest history that shows a dependence; None if no key depends on the path."""
        return smallest(self._versions, self.answers, self.plan, self.table_types) if self.counts.depending else None

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a key depends on the path, and whether some paths of a key were not tried."""
        counts = self.counts
        depends = Severity.CHANGED if counts.depending else Severity.UNCHANGED
        return Severity.in_part({depends}, counts.many or counts.incomplete or self.batches.is_sample)

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        return _verdict(self.counts, self.smallest, self.table_types)

    def collect(self, limit: int | None = None, *, spread: bool = False) -> list[KeyAnswer]:
        """Collect the answers of the keys that depend on the path, by key.

        Those of at most `limit` keys: the first ones, or with `spread` those with the smallest hash, a sample of all
        keys that is always the same.
        """
        return key_answers(self.answers, self.plan, limit, spread=spread) if self.counts.depending else []

    def _short_report(self) -> Report:
        report = self.to_report(whole=False)
        report.view = self.to_view()
        return report

    def to_view(self) -> View:
        """Return the page of the report without the list of keys."""
        depends = bool(self.counts.depending)
        charts = by_partition(self.answers, self._versions, self.plan) if depends else []
        return overview(self.plan, self.counts, self.disagreements, charts)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line with `sample` keys; None for all, or for some if not `whole`."""
        return _report(self, limit_of(sample, whole=whole), warns=whole or sample is not None)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.outcomes.unpersist()

    @property
    def _versions(self) -> DataFrame:
        return self.batches.versions(self.plan)


def all_paths(
    batches: BatchesLike, plan: MergePlan, *, table_types: Iterable[TableType] = tuple(TableType)
) -> PathsReport:
    """Run batches through every path, and find the keys whose row depends on the path.

    `bridge.key_paths` says what counts as a path. Runs one job; a task holds all versions of a key in memory.

    Args:
        batches: the batches, or one DataFrame per batch.
        plan: how versions merge; its table type and the small-file rule are ignored.
        table_types: the table types whose paths are tried.

    Raises:
        InputError: a batch does not fit the one before it.
        PlanError: the plan runs a compiled class, has a global index, quarantines keys, or fits no table.
        MergeFailedError, from Spark: every path of a key ends in an error.
    """
    written, types = as_batches(batches), tuple(table_types)
    only_upserts(written, "a search of all paths")
    return PathsReport(written, plan, types, kept(path_outcomes(written.versions(plan), plan, types)))


def _report(found: PathsReport, limit: int, *, warns: bool) -> Report:
    counts, example, types = found.counts, found.smallest, found.table_types
    answers = found.collect(limit)
    by_key = [list(same) for _, same in itertools.groupby(answers, key=lambda answer: answer.key)]

    report = Report("simulate", found.verdict, found.severities)
    report.plan = plan_as_json(found.plan) | {
        "table_type": "both" if len(types) > 1 else types[0].value,
        "all_paths": True,
    }
    report.statistics = {
        "rows_in": counts.rows,
        "keys": counts.keys,
        "depending_keys": counts.depending,
        "keys_of_many_versions": counts.many,
        "incomplete_keys": counts.incomplete,
        **found.disagreements.as_json(found.plan),
        **{status.value: found.row_counts.total(status) for status in RowStatus},
        "books": {types[0].value: found.row_counts.lines()},
        "smallest": None if example is None else _example_as_json(example),
    }
    report.results = [_key_as_json(of_key, found.disagreements) for of_key in by_key]
    report.warnings = [*class_warnings(found.plan), *recompiled_warnings(found.plan), *_warnings(counts, found.plan)]
    if warns and counts.depending > limit:
        report.warnings.append(f"only the first {limit} of {counts.depending} keys are listed (--sample)")
    if example is not None:
        report.body += _story(example)
    if counts.depending:
        report.body += found.disagreements.tables()
    if answers:
        report.body.append(_keys(answers, len(by_key), counts.depending))
    report.body.append(row_counts_table(found.row_counts, f"{types[0].long_name}, the batches as they are"))
    report_scope(report, found.batches, found.plan, {"every path": counts.depending}, "depend on the path")
    return report


def _verdict(counts: PathCounts, example: SmallestFound | None, types: Sequence[TableType]) -> str:
    tables = "" if len(types) > 1 else f" through a {types[0].long_name} table"
    if example is None:
        return f"No key of {counts.keys} depends on the path{tables}."
    step = step_words(example.left.path, example.right.path, example.left.batches)
    keys = "1 key" if counts.depending == 1 else f"{counts.depending} keys"
    return f"{keys} of {counts.keys} {'depends' if counts.depending == 1 else 'depend'} on the path{tables}. {step}"


def _warnings(counts: PathCounts, plan: MergePlan) -> Iterator[str]:
    if counts.many:
        yield (
            f"{counts.many} of {counts.keys} keys have more than {FEW} versions; for these, commits of one version, "
            "one batch, two consecutive batches and all versions were tried, and nothing in between"
        )
    if counts.incomplete:
        yield (
            f"for {counts.incomplete} keys more than {STATES} states were reached between two commits and only the "
            "nearest were followed; they may have more results"
        )
    if small_file_candidates(plan.props):
        yield f"{keys.SMALL_FILE_LIMIT} is ignored: the paths of a key do not depend on the other keys of its partition"


# -- as text


def _story(example: SmallestFound) -> Iterator[str | Table]:
    """Show the versions, then both paths side by side with the rows at their ends."""
    left, right = example.left, example.right
    versions = example.versions
    key = ", ".join(f"{name}={cell(value)}" for name, value in left.key.items())
    labels: list[Label] = [
        ("version", [f"v{number}" for number in range(1, len(versions) + 1)]),
        ("batch", left.batches),
    ]
    yield Table.of_rows(tuple(versions[0]), versions, f"The smallest sequence that shows it: {key}", labels)
    told = zip(_told(left), _told(right), strict=True)
    rows: list[tuple[str, ...]] = [(name, one, other) for (name, one), (_, other) in told]
    sides = [one.row or {} for one in (left, right)]
    names = dict.fromkeys(name for side in sides for name in side if name not in left.key)
    rows += [(name, *(cell(side[name]) if name in side else "" for side in sides)) for name in names]
    yield Table(("", "one path", "another"), rows, "Two paths, one step apart")


def _told(answer: KeyAnswer) -> list[tuple[str, str]]:
    return [
        ("table", answer.path.table_type.long_name),
        ("commits", commits_words(answer.path)),
        ("compacted", compaction_words(answer.path, answer.batches) or "never"),
        ("a query sees", "a row" if answer.row else f"an error: {answer.error}" if answer.error else "no row"),
    ]


def _keys(answers: list[KeyAnswer], shown: int, depending: int) -> Table:
    """List the keys with their results."""
    names = [name for name in _columns(answers) if name not in answers[0].key]
    rows = [answer.row or dict.fromkeys(names, "") for answer in answers]
    count = "" if shown == depending else f", {shown} of {depending}"
    title = f"Keys that depend on the path, each result with the nearest path to it{count}"
    key = [(name, [answer.key[name] for answer in answers]) for name in answers[0].key]
    return Table.of_rows(names, rows, title, [*key, ("path", [_path_and_end(answer) for answer in answers])])


def _path_and_end(answer: KeyAnswer) -> str:
    told = path_words(answer.path, answer.batches)
    if answer.row is None:
        told += ": no row" if answer.error is None else ": an error"
    return told


def _columns(answers: list[KeyAnswer]) -> list[str]:
    return next((list(answer.row) for answer in answers if answer.row is not None), [])


# -- as JSON


def _key_as_json(answers: list[KeyAnswer], paths: Disagreements) -> dict[str, object]:
    first = answers[0]
    ends = first.standard or []
    return {
        "key": first.key,
        "batches": first.batches,
        "kind": first.kind,
        "change": first.change,
        "answers": [_answer_as_json(one) | {"groups": paths.groups_of(one.number, ends)} for one in answers],
    }


def _answer_as_json(answer: KeyAnswer) -> dict[str, object]:
    path = answer.path
    return {
        "path": path_words(path, answer.batches),
        "table_type": path.table_type.value,
        "commits": path.commits,
        "compact_after": path.compact_after,
        "row": answer.row,
        "error": answer.error,
    }


def _example_as_json(example: SmallestFound) -> dict[str, object]:
    left, right = example.left, example.right
    return {
        "key": left.key,
        "versions": example.versions,
        "batches": left.batches,
        "sides": sides_as_json((path_words(left.path, left.batches), path_words(right.path, left.batches))),
        "left": _answer_as_json(left),
        "right": _answer_as_json(right),
        "meaning": step_words(left.path, right.path, left.batches),
    }
