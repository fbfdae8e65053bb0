"""A user's merger of columns: which plans have one, and what it needs of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import keys
from bridge.engines.native.lacking import lacking, looks_at_ordering
from bridge.engines.native.rules import READS, JobRules
from bridge.merge import delete_tests, merge_props
from bridge.spark import META_COLUMNS, spark_schema
from mergers import resolve_merger
from mergers.columns import columns_merger

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig
    from bridge.engines.job import Job
    from bridge.engines.native.ordering import Kind
    from bridge.plan import MergePlan
    from mergers.columns import MergesColumns
    from payloads import AvroSchema
    from payloads.builtin import DeleteTest
    from payloads.rules import MergeRule


class ColumnRules(JobRules):
    """A user's merger of columns, in mode CUSTOM from 1.1 on."""

    def __init__(self, job: Job, config: EffectiveMergeConfig, merger: MergesColumns) -> None:
        """Take the effective settings and the merger; nothing is called."""
        self.job = job
        self.merger: MergesColumns | None = merger
        self.props = merge_props(config, job.plan)

    @property
    def refuses_nulls(self) -> bool:
        """No value is compared here."""
        return False

    @property
    def fields(self) -> tuple[str, ...]:
        """None: the merger compares."""
        return ()

    @property
    def told(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def deletes(self) -> tuple[DeleteTest, ...] | None:
        """Flag and custom marker; to a reader, which looks at its own properties alone, the flag."""
        return delete_tests(self.job.schema, {} if self.reads_log else self.props)

    @property
    def leaves_to_rows(self) -> bool:
        """Whether `auto` may run the merger row by row instead, so that no key has to fit into memory."""
        plan = self.job.plan
        if self.job.fits_one_task or plan.engine != "auto" or plan.merger is None:
            return False
        merger = plan.merger.resolve()
        return callable(getattr(getattr(merger, "target", merger), "merge", None))

    @property
    def can_gather(self) -> bool:
        """Whether the job meets stored rows, by keys and columns that compare, without meta columns of a log's rows."""
        schema, plan = self.job.schema, self.job.plan
        if self.job.program not in {"upsert", *READS}:
            return False
        if self.reads_log and META_COLUMNS[0] in self.job.columns:
            return False
        floating = any(schema.by_name[name].schema.non_null.kind in {"float", "double"} for name in plan.identity)
        return not floating and not any(has_map(field.schema) for field in schema.fields)


class StatedRules(ColumnRules):
    """A rule that a user's merger states, in mode CUSTOM from 1.1 on."""

    def __init__(self, job: Job, config: EffectiveMergeConfig, rule: MergeRule) -> None:
        """Take the effective settings and the rule, completed; SchemaError: a column has no type in Spark."""
        self.job = job
        self.merger = None
        self.props = merge_props(config, job.plan)
        self.rule = rule
        self._types = spark_schema(job.schema)
        self._ordering = config.ordering

    @property
    def unknown(self) -> tuple[str, ...]:
        """The nodes of the rule that have no expression, or none for the types of their columns."""
        several = ("several ordering fields",) if len(self.fields) > 1 else ()
        return (*map(repr, lacking(self.rule, self.job.schema, self._types)), *several)

    @property
    def fields(self) -> tuple[str, ...]:
        """The ordering fields, where the rule looks at the values that versions carry."""
        return self._ordering if looks_at_ordering(self.rule) else ()

    def is_comparable(self, kind: Kind) -> bool:
        """Whether Spark compares the values of a kind in a batch, with stored rows and with entries of a log."""
        return kind.logical not in {"date", "decimal"} and (kind.has_text or not self.reads_log)

    @property
    def leaves_to_rows(self) -> bool:
        """Whether `auto` runs the rule row by row instead, so that no key has to fit into memory."""
        return not self.job.fits_one_task and self.job.plan.engine == "auto"

    @property
    def can_gather(self) -> bool:
        """As for columns; maps need not compare."""
        plan, has_meta = self.job.plan, META_COLUMNS[0] in self.job.columns
        kinds = {self.job.schema.by_name[name].schema.non_null.kind for name in plan.identity}
        in_program = self.job.program in {"upsert", *READS} and not (self.reads_log and has_meta)
        return in_program and kinds.isdisjoint({"float", "double"})


def has_map(schema: AvroSchema) -> bool:
    """Whether values of a type have maps in them, which Spark does not compare."""
    plain = schema.non_null
    inner: list[AvroSchema] = []
    if plain.kind == "record":
        inner = [field.schema for field in plain.fields]
    elif plain.kind == "array":
        inner = [plain.items]
    return plain.kind == "map" or any(map(has_map, inner))


def columns_merger_of(plan: MergePlan) -> MergesColumns | None:
    """Return what merges columns under the strategy of a plan's merger: this merger, or one of the implementations."""
    if plan.merger is None or plan.mode is not None or (plan.merger.is_compiled and not plan.merger.has_port):
        return None
    merger = plan.merger.resolve()
    listed = keys.IMPLEMENTATIONS.read(plan.props, plan.release) or ()
    named = [resolve_merger(name) for name in listed if ":" in name]
    same = [merger, *(one for one in named if one.merging_strategy == merger.merging_strategy)]
    return next((found for one in same if (found := columns_merger(one)) is not None), None)
