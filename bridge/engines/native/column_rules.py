"""Users' mergers of columns and stated rules, which gather the versions of a key: what they need of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities, keys
from bridge.engines.native.rules import HISTORY, READS, JobRules
from bridge.engines.native.stated_rules import PayloadMerge, RuleMerge
from bridge.engines.native.unsupported import lacking, looks_at_ordering
from bridge.merge import delete_tests, merge_props
from bridge.spark import META_COLUMNS, spark_schema
from mergers import resolve_merger
from mergers.columns import columns_merger
from payloads.rules import Error

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig
    from bridge.engines.job import Job
    from bridge.engines.native.ordering import Kind
    from bridge.merge import StatedRules
    from bridge.plan import MergePlan
    from mergers.columns import MergesColumns
    from payloads import AvroSchema
    from payloads.rules import DeleteTests


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
    def written_ordering(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def deletes(self) -> DeleteTests | None:
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
    def _in_program(self) -> bool:
        """Whether stored rows are met; `auto` runs commits over time in Python, beside which they were not measured."""
        runs = {"upsert", *READS} | ({HISTORY} if self.job.plan.engine == "native" else set())
        return self.job.program in runs

    @property
    def can_gather(self) -> bool:
        """Whether the job meets stored rows, by keys and columns that compare, without meta columns of a log's rows."""
        schema, plan = self.job.schema, self.job.plan
        if not self._in_program:
            return False
        if self.reads_log and META_COLUMNS[0] in self.job.columns:
            return False
        floating = any(schema.by_name[name].schema.non_null.kind in {"float", "double"} for name in plan.identity)
        return not floating and not any(has_map(field.schema) for field in schema.fields)


class RulesStated(ColumnRules):
    """Rules that a user's class states: a merger or a payload from 1.1 on, or a payload for a writer until 1.0.

    Attributes:
        rules: they, completed.
        by: how Hudi merges by them.
    """

    def __init__(self, job: Job, rules: StatedRules, by: type[RuleMerge], config: EffectiveMergeConfig) -> None:
        """Take the rules and the effective settings; SchemaError: a column has no type in Spark."""
        self.job = job
        self.merger = None
        self.props = merge_props(config, job.plan)
        self.rules = rules
        self.by = by
        self._types = spark_schema(job.schema)
        self._ordering = config.ordering if capabilities(job.plan.release).buffered_mergers else job.plan.ordering[:1]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The nodes of the rules that have no expression, or none for the types of their columns."""
        nodes = [
            node
            for rule in (self.rules.folded, self.rules.stored, self.rules.alone)
            if rule is not None
            for node in lacking(rule, self.job.schema, self._types)
        ]
        alone = self.rules.alone
        nodes += [] if alone is None else [one for one in alone.yields if isinstance(one, Error)]
        told = [*map(repr, dict.fromkeys(nodes))]
        if len(self.fields) > 1:
            told.append("several ordering fields")
        if self.rules.reads not in {None, self._ordering}:
            told.append("an ordering field of the class that is not the table's")
        return tuple(told)

    @property
    def fields(self) -> tuple[str, ...]:
        """The ordering fields, where a rule looks at the values that versions carry, or Hudi does so for a payload."""
        looks = self.by is PayloadMerge or any(map(looks_at_ordering, (self.rules.folded, self.rules.stored)))
        return self._ordering if looks else ()

    @property
    def deletes(self) -> DeleteTests | None:
        """To a merger those of Hudi; a payload says itself which rows are deletes, by the flag."""
        return super().deletes if self.by is RuleMerge else delete_tests(self.job.schema, {})

    @property
    def delete_marks_differ(self) -> bool:
        """Whether Hudi looks for another mark of deletes in a batch than the payload class does."""
        marked = all(self.props.get(key.key) for key in (keys.DELETE_KEY, keys.DELETE_MARKER))
        return self.by is PayloadMerge and not self.reads_log and marked

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
        return self._in_program and not (self.reads_log and has_meta) and kinds.isdisjoint({"float", "double"})


def has_map(schema: AvroSchema) -> bool:
    """Whether values of a type have maps in them, which Spark does not compare."""
    return schema.kind == "map" or any(map(has_map, schema.parts))


def columns_merger_of(plan: MergePlan) -> MergesColumns | None:
    """Return what merges columns under the strategy of a plan's merger: this merger, or one of the implementations."""
    if plan.merger is None or plan.mode is not None or (plan.merger.is_compiled and not plan.merger.has_port):
        return None
    merger = plan.merger.resolve()
    listed = keys.IMPLEMENTATIONS.read(plan.props, plan.release) or ()
    named = [resolve_merger(name) for name in listed if ":" in name]
    same = [merger, *(one for one in named if one.merging_strategy == merger.merging_strategy)]
    return next((found for one in same if (found := columns_merger(one)) is not None), None)
