"""The history of a table: which versions its files still hold, commit by commit, and the commits written once more."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.compare.both_sides import compare
from bridge.compare.comparison import Comparison, is_release, plan_to
from bridge.compare.merging_engine import check_in_tasks
from bridge.compare.onto_table import BASE, DELETE
from bridge.compare.questions import Question
from bridge.compare.rebuilt import KEY_COLUMNS, MOMENT, RebuiltCommits, first_of_each, rebuilt_commits
from bridge.compare.replay_report import report_replays
from bridge.engines import COMMIT, KIND
from bridge.pipeline import differences, join_rows
from bridge.report import Judged, Listing, Report, Severity, Showable, Table, counted
from bridge.spark import META_COLUMNS, distinct_keys, functions, kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.compare.replay_report import ReplayReport
    from bridge.hudi import HudiTable
    from bridge.pipeline import Scope
    from mergers import RecordMergeMode
    from payloads import HudiRelease, PayloadRef

_NUMBER = "_pb_versions"


class HeldCommit(NamedTuple):
    """What the files still hold of one commit.

    Attributes:
        instant: its requested time.
        logged: rows and deletes in logs, as they were written.
        based: keys whose row is in a base file only: inserted, or merged with the versions before.
        deletes: the deletes among `logged`.
        written: how many inserts, updates and deletes the timeline says that it wrote; None where it is archived.
    """

    instant: str
    logged: int
    based: int
    deletes: int
    written: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the files still hold everything that it wrote."""
        return self.written is not None and self.logged + self.based >= self.written


@dataclasses.dataclass(frozen=True, repr=False)
class HistoryReport(Showable):
    """The result of `table_history`.

    Attributes:
        path: the table.
        release: the release whose reader was used.
        keys: how many keys the files hold.
        versions: the number of keys, by the number of their versions.
        commits: what is held of each commit, the oldest first.
        merges_on_read: whether commits keep what they wrote in logs; those of copy-on-write tables keep merged rows.
    """

    path: str
    release: str
    keys: int
    versions: Mapping[int, int]
    commits: tuple[HeldCommit, ...]
    merges_on_read: bool

    @property
    def several(self) -> int:
        """How many keys have two or more versions."""
        return sum(keys for number, keys in self.versions.items() if number > 1)

    @property
    def verdict(self) -> str:
        """How much of the history is seen, in a sentence or two."""
        seen = f"{self.path}: {counted(self.keys, 'key')}, {self.several} with two or more versions"
        seen += f"; {sum(one.is_complete for one in self.commits)} of {counted(len(self.commits), 'commit')} complete."
        if self.merges_on_read:
            return seen
        kept = "Commits of copy-on-write tables keep only the merged rows: versions that lost or were deleted are gone."
        return f"{seen} {kept}"

    def to_report(self) -> Report:
        """Return the report of the command line."""
        report = Report("history", self.verdict, plan={"table": self.path, "release": self.release})
        report.statistics = {
            "keys": self.keys,
            "keys_with_several_versions": self.several,
            "keys_by_versions": {str(number): keys for number, keys in sorted(self.versions.items())},
        }
        report.results = [commit._asdict() | {"complete": commit.is_complete} for commit in self.commits]
        columns = ("instant", "in logs", "in base files only", "deletes", "written")
        lines = [dict(zip(columns, commit, strict=True)) for commit in self.commits]
        report.body.append(Table.of_rows(columns, lines, "What the files still hold of each commit"))
        lines = [{"versions": number, "keys": keys} for number, keys in sorted(self.versions.items())]
        report.body.append(Table.of_rows(("versions", "keys"), lines, "Keys by number of versions"))
        return report


def table_history(table: HudiTable) -> HistoryReport:
    """Return which versions the files of a table still hold, and how many keys have how many.

    Raises:
        InputError: there are no meta columns, which name the commits.
        HudiTableError: the table can't be read.
    """
    found = kept(first_of_each(table))
    try:
        written = _written(table)
        is_logged = sf.col(KIND) != BASE
        counts = (
            functions.count_if(is_logged),
            functions.count_if(~is_logged),
            functions.count_if(sf.col(KIND) == DELETE),
        )
        rows = found.groupBy(MOMENT).agg(*counts).orderBy(MOMENT).collect()
        commits = [HeldCommit(*row)._replace(written=written.get(row[0])) for row in rows]
        each = found.groupBy(*KEY_COLUMNS).agg(sf.count_distinct(MOMENT).alias(_NUMBER))
        numbers = {row[0]: row[1] for row in each.groupBy(_NUMBER).count().collect()}
    finally:
        found.unpersist()
    total = sum(numbers.values())
    return HistoryReport(table.path, str(table.release), total, numbers, tuple(commits), table.is_merge_on_read)


def _written(table: HudiTable) -> dict[str, int]:
    """Return how many inserts, updates and deletes each commit on the active timeline wrote."""
    timeline = table.queries().timeline
    kinds = ("numInserts", "numUpdateWrites", "numDeletes")
    return {
        instant.requested: sum(
            stat.get(kind) or 0
            for stats in (timeline.metadata(instant).get("partitionToWriteStats") or {}).values()
            for stat in stats
            for kind in kinds
        )
        for instant in timeline.commits
    }


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class HistoryReplay(Judged, Listing):
    """The result of `replay` for the history of a table: the replay, and how far it can be trusted.

    Attributes:
        replay: the replay.
        history: what the files hold.
        rebuilt: the commits that were written again.
        rows: how many rows the table has, in the scope.
        unlike: how many keys the replay under the table's own release does not reproduce, because part of their history
            is lost.
    """

    replay: ReplayReport
    history: HistoryReport
    rebuilt: RebuiltCommits
    rows: int
    unlike: int

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a key differs after any commit, the other side is refused, or the history is not all replayed."""
        return Severity.in_part(self.replay.severities, self.unlike or self.rebuilt.assumption)

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        return self.replay.verdict

    @property
    def proof(self) -> str:
        """What the answer can prove."""
        told = "The rebuilt commits, written again by the table's own release, give "
        told += "exactly its rows" if not self.unlike else f"other rows for {self.unlike} of its keys"
        told = (
            f"{told} ({self.rows}). Differences show what the other release would have made of the commits still held."
        )
        return f"{told} {self.rebuilt.assumption}".rstrip()

    @property
    def differing_keys(self) -> DataFrame | None:
        """As `ReplayReport.differing_keys`."""
        return self.replay.differing_keys

    @property
    def quarantine(self) -> DataFrame | None:
        """As `ReplayReport.quarantine`."""
        return self.replay.quarantine

    @property
    def parts(self) -> tuple[ReplayReport, ...]:
        """The replay, as the only one."""
        return (self.replay,)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line, as `ReplayReport.to_report`."""
        report = report_replays([self.replay], sample, whole=whole, question=Question.HISTORY)
        report.found(*self.severities)
        report.plan["table"] = self.history.path
        report.statistics |= {"rows": self.rows, "not_rebuilt": self.unlike}
        report.statistics |= self.history.to_report().statistics
        report.statistics["compactions"] = [one._asdict() for one in self.rebuilt.compactions]
        report.body += [self.history.verdict, self.proof]
        return report

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.replay.close()
        self.rebuilt.close()


def replay_history(
    table: HudiTable,
    to: str | HudiRelease | RecordMergeMode,
    *,
    payload: str | PayloadRef | None = None,
    props: Mapping[str, str] | None = None,
    scope: Scope | None = None,
) -> HistoryReplay:
    """Replay the commits that a table still holds, on new tables of two releases.

    Commits are rebuilt from log blocks and successive base files, and compactions run where they ran. The report says
    how complete the history is, and whether the table's own release reproduces the table's rows.

    Args:
        table: the table, with the release that wrote it.
        to: as in `replay`.
        payload: the class that the writer passes; None for the table's.
        props: other options of the writer.
        scope: the keys that are replayed; `since` is an instant.

    Raises:
        InputError: there are no meta columns, which name the commits, or no rows.
        PlanError: the logs hold partial updates, which can't be replayed as rows of a batch.
        PayloadBridgeError, PySparkException: merging under the table's own release fails. If only the other side fails,
            it is REFUSED.
    """
    check_in_tasks(table, "a replay of its history", {"native"})
    with contextlib.ExitStack() as closing:
        rebuilt = rebuilt_commits(table, scope)
        closing.callback(rebuilt.close)
        batches = rebuilt.batches
        plan = table.plan(payload=payload, props=props)
        name = str(getattr(to, "value", to))
        right = plan_to(plan if is_release(name) else dataclasses.replace(plan, table=None), name)
        sides = Comparison(plan, right, len(batches), compact_after=rebuilt.compact_after, to=name)
        replayed = compare(batches, sides)
        closing.callback(replayed.close)
        last = replayed.left.where(sf.col(COMMIT) == len(batches))
        own = table.snapshot().drop(*META_COLUMNS).withColumn(COMMIT, sf.lit(len(batches)))
        if scope is not None:
            keys = distinct_keys(batches.versions(plan), plan.identity)
            own = join_rows(own, keys, plan.identity, "leftsemi", or_empty=plan.partition)
        unlike = differences(last, own.select(*last.columns), plan.identity).count()
        answer = HistoryReplay(replayed, table_history(table), rebuilt, own.count(), unlike)
        closing.pop_all()
    return answer
