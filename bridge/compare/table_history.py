"""The history of a table: which versions its files still hold, commit by commit, and the commits written once more."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.compare.comparison import Comparison, is_release, plan_to
from bridge.compare.onto_table import BASE, DELETE, PARTIAL, as_versions
from bridge.compare.replay import compare
from bridge.engines import COMMIT, KIND, SEQUENCE
from bridge.errors import InputError, PlanError
from bridge.pipeline import Batches, differences
from bridge.report import Report, Table
from bridge.spark import META_COLUMNS, kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

    from bridge.compare.replay_report import ReplayReport
    from bridge.hudi import HudiTable
    from payloads import HudiRelease

_MOMENT, _PLACE, _SLICE, _INSTANT, _NUMBER = "_pb_moment", "_pb_place", "_pb_slice", "_pb_instant", "_pb_versions"
_KEY = (META_COLUMNS[3], META_COLUMNS[2])


class HeldCommit(NamedTuple):
    """What the files still hold of one commit.

    Attributes:
        instant: its requested time.
        logged: rows and deletes in logs, as they were written.
        based: keys whose row is in a base file alone: inserted, or merged with the versions before.
        deletes: the deletes among `logged`.

    Added in 0.1.0.
    """

    instant: str
    logged: int
    based: int
    deletes: int


@dataclasses.dataclass(frozen=True)
class HistoryReport:
    """What `table_history` answers.

    Attributes:
        path: the table.
        release: whose reader was asked.
        keys: how many keys the files hold.
        versions: how many keys have so many versions, by their number.
        commits: what is held of each commit, the oldest first.
        merges_on_read: whether commits leave what they write in logs; those of copy-on-write tables leave winners.

    Added in 0.1.0.
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
        seen = f"{self.path}: {self.keys} keys, {self.several} with two or more versions"
        seen += f", of {len(self.commits)} commits."
        if self.merges_on_read:
            return seen
        return f"{seen} Commits of copy-on-write tables hold winners alone: what lost, and what was deleted, is gone."

    def to_report(self) -> Report:
        """Return the report of the command line."""
        report = Report("history", self.verdict, plan={"table": self.path, "release": self.release})
        report.statistics = {
            "keys": self.keys,
            "keys_with_several_versions": self.several,
            "keys_by_versions": {str(number): keys for number, keys in sorted(self.versions.items())},
        }
        report.results = [commit._asdict() for commit in self.commits]
        columns = ("instant", "in logs", "in base files alone", "deletes")
        lines = [dict(zip(columns, commit, strict=True)) for commit in self.commits]
        report.body.append(Table.of_rows(columns, lines, "What the files still hold of each commit"))
        lines = [{"versions": number, "keys": keys} for number, keys in sorted(self.versions.items())]
        report.body.append(Table.of_rows(("versions", "keys"), lines, "Keys by how many versions they have"))
        return report

    def to_json(self) -> str:
        """Return what `payload-bridge history --output json` prints."""
        return self.to_report().as_json()


def table_history(table: HudiTable) -> HistoryReport:
    """Say which versions the files of a table still hold, and of how many keys how many.

    Raises:
        InputError: no meta columns tell the commits.
        HudiTableError: the table can't be read.

    Added in 0.1.0.
    """
    found = kept(_first_of_each(table))
    try:
        is_logged = sf.col(KIND) != BASE
        counts = (sf.count_if(is_logged), sf.count_if(~is_logged), sf.count_if(sf.col(KIND) == DELETE))
        commits = [HeldCommit(*row) for row in found.groupBy(_MOMENT).agg(*counts).orderBy(_MOMENT).collect()]
        each = found.groupBy(*_KEY).agg(sf.count_distinct(_MOMENT).alias(_NUMBER))
        numbers = {row[0]: row[1] for row in each.groupBy(_NUMBER).count().collect()}
    finally:
        found.unpersist()
    total = sum(numbers.values())
    return HistoryReport(table.path, str(table.release), total, numbers, tuple(commits), table.is_merge_on_read)


def _moment() -> Column:
    """Return the commit that wrote a version."""
    return sf.when(sf.col(KIND) == DELETE, sf.col(_INSTANT)).otherwise(sf.col(META_COLUMNS[0]))


def _first_of_each(table: HudiTable) -> DataFrame:
    """Return the versions with their commits: of one key in one commit what its log holds, else its first base row.

    Raises:
        InputError: no meta columns tell the commits.
    """
    if not table.has_meta_columns:
        msg = f"{table.path} has no meta columns, so that no row says its commit; give the batches themselves"
        raise InputError(msg)
    is_base = sf.col(KIND) == BASE
    place = Window.partitionBy(*_KEY, _MOMENT).orderBy(is_base, _SLICE, SEQUENCE)
    numbered = table.versions().withColumn(_MOMENT, _moment()).withColumn(_PLACE, sf.row_number().over(place))
    return numbered.where(~is_base | (sf.col(_PLACE) == 1)).drop(_PLACE)


@dataclasses.dataclass(frozen=True, eq=False)
class HistoryReplay:
    """What `replay_history` answers: the replay, and how far it can be trusted.

    Attributes:
        replay: both sides.
        history: what the files hold.
        rows: how many rows the table has.
        unlike: how many of its keys the replay of its own release leaves another row of, or none, or one too many: what
            is lost of their history decides.

    Added in 0.1.0.
    """

    replay: ReplayReport
    history: HistoryReport
    rows: int
    unlike: int

    @property
    def success(self) -> bool:
        """Whether no key differs after any commit."""
        return self.replay.success

    @property
    def proof(self) -> str:
        """What the answer can prove."""
        told = "The rebuilt commits, written again by the table's own release, give "
        told += "exactly its rows" if not self.unlike else f"other rows for {self.unlike} of its keys"
        return f"{told} ({self.rows}). Differences show what the other release would have made of what is still held."

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line, as `ReplayReport.to_report`."""
        report = self.replay.to_report(sample, whole=whole)
        report.statistics |= {"question": "history", "rows": self.rows, "not_rebuilt": self.unlike}
        report.statistics |= self.history.to_report().statistics
        report.body += [self.history.verdict, self.proof]
        return report

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.replay.close()


def replay_history(
    table: HudiTable,
    to: str | HudiRelease,
    *,
    payload: str | None = None,
    props: Mapping[str, str] | None = None,
) -> HistoryReplay:
    """Write the commits that a table still holds once more, to new tables of two releases.

    Commits are rebuilt from log blocks and successive base files, compactions run where they ran; the report says how
    much is seen, and whether the table's own release comes to the table's rows again.

    Args:
        table: the table, with the release that wrote it.
        to: what `replay` takes.
        payload: the class that the writer passes; None for the table's.
        props: other options of the writer.

    Raises:
        InputError: no meta columns tell the commits, or there are no rows.
        PlanError: the logs hold partial updates, which can't be replayed as rows of a batch.
        PayloadBridgeError, PySparkException: the table's own side fails. Where only the other does, it is REFUSED.

    Added in 0.1.0.
    """
    found = kept(_first_of_each(table))
    moments = found.groupBy(_MOMENT).agg(sf.max(sf.col(KIND) == PARTIAL)).orderBy(_MOMENT).collect()
    if any(partial for _, partial in moments):
        msg = f"{table.path} has partial updates in its logs, which can't be written again as rows; give the batches"
        raise PlanError(msg)
    names = [instant for instant, _ in moments]
    if not names:
        msg = f"{table.path} holds no rows, so there is no history to replay"
        raise InputError(msg)
    numbered = list(zip(names, range(1, len(names) + 1), strict=True))
    numbers = table.spark.createDataFrame(numbered, f"{_MOMENT} string, {COMMIT} int")
    batches = Batches(names, [as_versions(found.join(sf.broadcast(numbers), _MOMENT), COMMIT).drop(KIND)])
    plan = table.plan(payload=payload, props=props)
    name = str(to)
    right = plan_to(plan if is_release(name) else dataclasses.replace(plan, table=None), name)
    compactions = _compactions(found, names) if table.is_merge_on_read else ()
    sides = Comparison(plan, right, len(names), compact_after=compactions, to=name)
    replayed = compare(batches, sides)
    last = replayed.left.where(sf.col(COMMIT) == len(names))
    own = table.snapshot().drop(*META_COLUMNS).withColumn(COMMIT, sf.lit(len(names)))
    unlike = differences(last, own.select(*last.columns), plan.identity).count()
    return HistoryReplay(replayed, table_history(table), own.count(), unlike)


def _compactions(found: DataFrame, names: list[str]) -> tuple[int, ...]:
    """Return after how many of the commits base files were written that are no commit's own."""
    slices = [row[0] for row in found.where(sf.col(KIND) == BASE).select(_SLICE).distinct().collect()]
    others = (sum(name < instant for name in names) for instant in slices if instant not in names)
    return tuple(sorted({number for number in others if number}))
