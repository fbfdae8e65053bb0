"""What a rehearsal predicts of the batches after an upgrade, of the compaction and of the way back."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as sf

from bridge.compare import BASE, Comparison, OntoTable, plan_to, upgraded_slices
from bridge.config import (
    TABLE_VERSION,
    WRITE_PAYLOAD_CLASS,
    TableMergeConfig,
    TargetMode,
    capabilities,
    change_mode,
    change_version,
    keys,
)
from bridge.engines import ADDED_TYPES, COMMIT, KIND, ORDERING, SEQUENCE
from bridge.errors import ParameterError, PlanError
from bridge.migration.plan import plan_migration
from bridge.pipeline import as_batches, join_rows, simulate_commits
from bridge.spark import META_COLUMNS, common_type, distinct_keys, kept, quoted
from mergers import RecordMergeMode
from payloads import PayloadRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.hudi import HudiTable
    from bridge.migration.plan_report import MigrationPlan
    from bridge.pipeline import Batches, BatchesLike
    from payloads import HudiRelease


class Next(NamedTuple):
    """What comes after the upgrade, or with it.

    Attributes:
        mode: the merge mode that the table gets after the upgrade; None for what the upgrade gives it.
        payload: the class that the next writer passes: the table is then upgraded by its first write. None for a writer
            that passes neither class nor mode, and an upgrade by Hudi's procedure.
        batches: what is written next; None for nothing.
        props: other options of the writer.
    """

    mode: RecordMergeMode | None = None
    payload: str | None = None
    batches: Batches | None = None
    props: Mapping[str, str] = {}


def next_of(
    table: HudiTable,
    mode: str | RecordMergeMode | None,
    payload: str | None,
    batches: BatchesLike | None,
    props: Mapping[str, str] | None,
) -> Next:
    """Check what comes after an upgrade.

    Raises:
        ParameterError: a mode and a payload are both given, the bundle has no such class, or there is no batch to pass
            it with.
        PlanError: a batch is not an upsert; or the table has a compiled class, generates its keys, or formats its
            partition values.
    """
    named = None if mode is None else str(getattr(mode, "value", mode)).upper()
    if named not in {None, *RecordMergeMode.__members__}:
        known = " or ".join(one.name for one in RecordMergeMode if one is not RecordMergeMode.CUSTOM)
        msg = f"`mode` {mode}: there is no such merge mode; name {known}"
        raise ParameterError(msg)
    target = None if named is None else RecordMergeMode[named]
    written = None if batches is None else as_batches(batches)
    _check_writer(target, payload, props, writes=written is not None)
    if written is None:
        return Next(target, payload)
    formats = f"{table.path} formats its partition values, and writes to such a table are not predicted"
    for wrong, why in (
        (bool(table.jars), "after an upgrade no write to a table with a compiled class is predicted"),
        (bool(written.operations), "a rehearsal writes upserts, and a batch has another operation"),
        (not table.keys, f"{table.path} has generated keys, so rows of a batch can't be matched"),
        (table.queries().properties.formats_partitions, formats),
    ):
        if wrong:
            msg = f"{why}; leave the batches out"
            raise PlanError(msg)
    return Next(target, payload, written, dict(props or {}))


def _check_writer(
    target: RecordMergeMode | None, payload: str | None, props: Mapping[str, str] | None, *, writes: bool
) -> None:
    """Refuse what the writer after an upgrade is said to pass, where it can't, or writes nothing."""
    for wrong, why in (
        (
            target is not None and payload is not None,
            "`mode` replaces the class; leave out `mode` or `payload`",
        ),
        (
            target is RecordMergeMode.CUSTOM,
            "`mode` CUSTOM runs a class of yours, which the bundle does not have; name another one",
        ),
        (
            payload is not None and not PayloadRef(payload).is_builtin,
            f"`payload` {payload} is not in the released bundle; name a class that Hudi ships",
        ),
        (payload is not None and not writes, "`payload` takes effect in a write; add `batches`, or leave it out"),
        (bool(props) and not writes, "`props` is for a writer; add `batches`, or leave it out"),
    ):
        if wrong:
            raise ParameterError(why)


def check_columns(table: HudiTable, batches: Batches) -> None:
    """Refuse batches that would change the columns of the table, of which alone the rows are compared.

    Raises:
        PlanError: a batch has a column that the table lacks, or a wider type.
    """
    own = {field.name: field.dataType for field in table.columns}
    for field in itertools.chain.from_iterable(frame.schema for frame in batches.frames):
        if field.name in META_COLUMNS or field.name.startswith("_pb_"):
            continue
        known, given = own.get(field.name), field.dataType
        found = None if known is None else common_type(known, given, keeps_order=True)
        if known is None or found is None or found.simpleString() != known.simpleString():
            has = "lacks it" if known is None else f"has it as {known.simpleString()}"
            msg = (
                f"a batch has {field.name!r} as {given.simpleString()}, and the table {has}; a rehearsal compares the "
                "columns of the table, so leave it out or cast it"
            )
            raise PlanError(msg)


class Predictions:
    """The rows and merge properties of a table after each step, as this package predicts them.

    Attributes:
        release: the release that upgrades.
        reader: the table, as that release reads it before the upgrade.
        made: the plan of the upgrade and the mode, where one is named.
        properties: what the table stores after the upgrade.
        passed: what the writer says about the class.
    """

    def __init__(self, table: HudiTable, release: HudiRelease, then: Next) -> None:
        """Take the table as it is before the upgrade.

        Raises:
            PlanError: the release has no such way.
            MergeConfigError: the settings contradict each other.
        """
        self._table, self._then = table, then
        self._simulated: dict[bool, tuple[Any, DataFrame, DataFrame]] = {}
        self.release, self.reader = release, table.read_by(release)
        version = capabilities(release).created_version
        self.made: MigrationPlan | None = None
        self.passed: dict[str, str] = {}
        if then.payload is not None:
            self.passed = {WRITE_PAYLOAD_CLASS.key: PayloadRef(then.payload).java_name(release)}
        stored = table.properties
        self.properties = change_version(stored, version, release, self.passed)
        if then.mode is not None:
            target = TargetMode(then.mode)
            self.made = plan_migration(stored, release, mode=target)
            self.properties = change_mode(self.properties, target, {})

    def downgraded(self) -> dict[str, str]:
        """Return the properties after the way back to the version of before."""
        before = int(self._table.properties[TABLE_VERSION.key])
        return change_version(self.properties, before, self.release)

    def upgraded(self) -> DataFrame:
        """Return the rows after the upgrade, with meta columns."""
        return upgraded_slices(self._table, self.release, self.properties).rows(self.reader)

    def written(self, batch: int, *, compacted: bool = False) -> DataFrame:
        """Return the rows after a batch, without meta columns.

        Args:
            batch: its number, from 1.
            compacted: whether all logs have been compacted since; of the last batch alone.

        Raises:
            PayloadBridgeError: the batch does not fit the table.
        """
        batches = self._then.batches
        if batches is None:
            return self.upgraded().drop(*META_COLUMNS)
        plan, versions, changed = self._simulate(batches, compacted=compacted)
        before = self.upgraded().drop(*META_COLUMNS)
        touched = distinct_keys(versions, plan.identity)
        rest = join_rows(before, touched, plan.identity, "leftanti", or_empty=plan.partition)
        rows = changed.where(sf.col(COMMIT) == batch).select(*map(quoted, before.columns))
        return rest.unionByName(rows)

    def _simulate(self, batches: Batches, *, compacted: bool) -> tuple[Any, DataFrame, DataFrame]:
        """Write all batches, once for all that is asked; Spark keeps the rows until `close`."""
        if compacted not in self._simulated:
            after = (len(batches),) if compacted else ()
            # Hudi's procedure runs the compaction of its upgrade, in 1.0, too; a first write of 1.0 only plans it.
            simulate = self._onto_log if self._then.payload else self._onto_rows
            plan, versions, changed = simulate(batches, after)
            self._simulated[compacted] = plan, versions, kept(changed)
        return self._simulated[compacted]

    def close(self) -> None:
        """Free what Spark keeps; what is asked later is simulated again."""
        for _, _, changed in self._simulated.values():
            changed.unpersist()
        self._simulated.clear()

    def _onto_rows(self, batches: Batches, compact_after: tuple[int, ...]) -> tuple[Any, DataFrame, DataFrame]:
        """Write onto the upgraded table, whose logs the upgrade has compacted, by its own settings."""
        config = TableMergeConfig.from_properties(self.properties, self.release)
        plan = self.reader.plan(props=self._then.props)
        plan = dataclasses.replace(plan, table=config, ordering=config.ordering).as_plain()
        stored = (
            self.upgraded()
            .drop(*META_COLUMNS)
            .withColumns(
                {
                    KIND: sf.lit(BASE),
                    ORDERING: sf.lit(None).cast(ADDED_TYPES[ORDERING]),
                    SEQUENCE: sf.lit(0).cast("bigint"),
                }
            )
        )
        versions = OntoTable(batches, stored).versions(plan)
        commits = len(batches)
        return (
            plan,
            batches.versions(plan),
            simulate_commits(versions, plan, commits=commits, compact_after=compact_after),
        )

    def _onto_log(self, batches: Batches, compact_after: tuple[int, ...]) -> tuple[Any, DataFrame, DataFrame]:
        """Write onto the rows and the log of before: the first write upgrades, or comes after the upgrade."""
        props = {**self._then.props, keys.INLINE_COMPACTION: "false"}
        left = self._table.plan(payload=self._then.payload, props=props)
        right = dataclasses.replace(plan_to(dataclasses.replace(left, table=None), str(self.release)), table=None)
        right = right if self._then.payload else right.as_plain()
        sides = Comparison(
            left,
            right,
            len(batches),
            upgrade_after=0,
            compact_after=compact_after,
            to=str(self.release),
            properties=self._table.properties,
        )
        stored = self._table.versions(all_slices=False)
        return left, batches.versions(left), sides.right_of(OntoTable(batches, stored).versions(left))
