"""What is done to a table: writes with every operation, table services, rollbacks, crashes, changes of the schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.live.rows import Rows

_CLEANING = {
    "hoodie.clean.automatic": "true",
    "hoodie.cleaner.policy": "KEEP_LATEST_COMMITS",
    "hoodie.cleaner.commits.retained": "1",
    "hoodie.clean.commits.retained": "1",
}
_ARCHIVING = {
    **_CLEANING,
    "hoodie.archive.automatic": "true",
    "hoodie.keep.min.commits": "2",
    "hoodie.keep.max.commits": "3",
    "hoodie.commits.archival.batch": "2",
    "hoodie.timeline.compaction.batch.size": "3",
}
_CLUSTERING = {
    "hoodie.clustering.inline": "true",
    "hoodie.clustering.inline.max.commits": "1",
    "hoodie.clustering.plan.strategy.sort.columns": "id",
    "hoodie.clustering.plan.strategy.small.file.limit": "1000000",
}
_COMPACTING = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
_SCHEDULING = {"hoodie.compact.schedule.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
_LOG_COMPACTING = {
    "hoodie.log.compaction.enable": "true",
    "hoodie.log.compaction.inline": "true",
    "hoodie.log.compaction.blocks.threshold": "2",
    "hoodie.compact.inline.max.delta.commits": "50",
    "hoodie.log.record.reader.use.scanV2": "true",
    "hoodie.optimized.log.blocks.scan.enable": "true",
}


SCHEMA_ON_READ = {
    "hoodie.schema.on.read.enable": "true",
    "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true",
}
"""What makes ALTER TABLE rename and drop columns; it has to be set in the session, too."""
_LAZY = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.clean.failed.writes.policy": "LAZY",
    "hoodie.cleaner.policy.failed.writes": "LAZY",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}
_DUPLICATES = {
    "hoodie.combine.before.insert": "false",
    "hoodie.datasource.insert.dup.policy": "none",
    "hoodie.merge.allow.duplicate.on.inserts": "true",
}
_OPERATIONS = {
    "plain": ("upsert", 10),
    "delete": ("delete", 5),
    "insert": ("insert", 8),
    "bulkinsert": ("bulk_insert", 8),
    "overwrite": ("insert_overwrite", 8),
    "overwritetable": ("insert_overwrite_table", 8),
    "deletepartition": ("delete_partition", 1),
}
"""Operation and rows; those in which keys come once at most begin with `insert` or `bulk`."""

_STATEMENTS = {
    "runcompaction": "call run_compaction(table => 'NAME', op => 'run')",
    "schedulecluster": "call run_clustering(table => 'NAME', op => 'schedule')",
    "runcluster": "call run_clustering(table => 'NAME', op => 'execute')",
    "rollback": "call rollback_to_instant(table => 'NAME', instant_time => 'LAST')",
    "sqlupdate": "update NAME set name = 'set' where qty > 3",
    "sqldelete": "delete from NAME where qty = 2",
}
_SAVE = "call create_savepoint(table => 'NAME', commit_time => 'LAST')"
_RESTORE = "call rollback_to_savepoint(table => 'NAME', instant_time => 'SAVED')"


@dataclass(frozen=True)
class Step:
    """One action on a table.

    Attributes:
        do: a write operation of Hudi, `sql`, or `crash` (the last commit's completed file is removed).
        options: of the write, over the table's.
        rows: what is written.
        columns: their types where they are not the table's.
        sql: a statement, in which NAME is the table, LAST its last commit, and SAVED that of the last savepoint.
    """

    do: str
    options: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    sql: str = ""


class Steps:
    """Draws the steps of one table."""

    def __init__(
        self, source: random.Random, rows: Rows, one: Callable[..., str], *, is_mor: bool, alters: bool
    ) -> None:
        """Take what draws: `one` chooses by weight, and notes what it chose."""
        self._source = source
        self._rows = rows
        self._one = one
        self._is_mor = is_mor
        self._alters = alters

    def drawn(self) -> list[Step]:
        """Return the steps, the first of which creates the table."""
        first = self._one(plain=6, insert=2, bulkinsert=2, duplicates=1.5)
        operation = {"plain": "upsert", "bulkinsert": "bulk_insert"}.get(first, "insert")
        rows = self._rows.batch(24, new=True, twice=first in {"duplicates", "plain"})
        steps = [Step(operation, _DUPLICATES if first == "duplicates" else {}, rows, self._rows.columns)]
        count = self._source.randint(3, 6)
        while len(steps) <= count:
            steps += self._next()
        if steps[-1].do == "crash" or self._source.random() < 0.5:
            steps.append(self._upsert())
        return steps

    def _upsert(self, options: dict[str, str] | None = None) -> Step:
        return Step("upsert", options or {}, self._rows.batch(10), self._rows.columns)

    def _next(self) -> list[Step]:
        mor = self._is_mor
        kind = self._one(
            plain=8, delete=1.5, insert=1, bulkinsert=0.5, overwrite=0.5, overwritetable=0.3, deletepartition=0.4,
            compact=1.5 * mor, schedule=mor, runcompaction=0.7 * mor, cluster=0.7, schedulecluster=0.5,
            runcluster=0.4, logcompact=0.4 * mor, rollback=0.8, restore=0.5, crash=0.6, lazy=0.2, clean=0.8,
            archive=0.8, alter=6 * self._alters, sqlupdate=0.5, sqldelete=0.4, addcolumn=0.6 * (not self._alters),
            promote=0.3 * (not self._alters), mixedlog=0.4 * mor,
        )  # fmt: skip
        services = {
            "compact": _COMPACTING,
            "schedule": _SCHEDULING,
            "cluster": _CLUSTERING,
            "logcompact": _LOG_COMPACTING,
            "clean": _CLEANING | (_COMPACTING if mor else {}),
            "mixedlog": {"hoodie.logfile.data.block.format": self._source.choice(["avro", "parquet"])},
        }
        if kind in services:
            return [self._upsert(services[kind])]
        if kind in _STATEMENTS:
            return [Step("sql", sql=_STATEMENTS[kind]), *([self._upsert()] if kind.startswith("run") else [])]
        if kind in _OPERATIONS:
            operation, size = _OPERATIONS[kind]
            rows = self._rows.batch(size, new=operation.startswith(("insert", "bulk")))
            return [Step(operation, {}, rows, self._rows.columns)]
        return self._rarer(kind)

    def _rarer(self, kind: str) -> list[Step]:
        match kind:
            case "crash":
                return [Step("crash")]
            case "lazy":
                return [Step("crash"), self._upsert(_LAZY)]
            case "restore":
                return [Step("sql", sql=_SAVE), self._upsert(), Step("sql", sql=_RESTORE)]
            case "archive":
                return [self._upsert(_ARCHIVING | (_COMPACTING if self._is_mor else {})) for _ in range(4)]
            case "alter":
                return [Step("sql", sql=f"alter table NAME {self._rows.altered()}"), self._upsert()]
            case "addcolumn":
                self._rows.add_column()
            case "promote":
                self._rows.promote()
        return [self._upsert()]
