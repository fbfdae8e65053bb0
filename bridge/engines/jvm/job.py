"""What a task of the jvm engine receives: the calls of a plan at each merge point, as JSON that Java parses itself.

Everything that depends on plan and schema is decided here, so that Java looks nothing up per record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bridge.config import capabilities, keys
from bridge.engines.control_columns import GROUP, ROW_COUNTS
from bridge.engines.jvm.jars import java_name_of
from bridge.engines.jvm.rules import missing_in_java, mode_rules
from bridge.engines.row_counts import final_point, fold_point
from bridge.errors import PlanError
from bridge.merge import (
    LOG_ENTRIES,
    SchemaView,
    calls_of,
    indexed_sentinel,
    insert_of_file,
    merge_config,
    merge_props,
    props_of,
    reader_views,
    refused_inserts,
    refused_reads,
    tests_rows,
)
from bridge.programs import Origin, inserts_into_files
from bridge.spark import META_COLUMNS, with_meta
from mergers import RecordMergeMode
from mergers.record import OPERATION_COLUMN, DeleteContext
from payloads import PayloadNotFoundError, PayloadRef, StoredPayloadRef
from payloads.builtin import IS_DELETED, BuiltinPayload, PartialUpdateAvroPayload
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true, ordering_fields
from payloads.rules import rule_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql.types import StructType

    from bridge.config import EffectiveMergeConfig, PointRule
    from bridge.engines.job import Job
    from bridge.plan import MergePlan
    from payloads import AvroSchema

Json = dict[str, "JsonValue"]
JsonValue = str | int | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
_CUSTOM = RecordMergeMode.CUSTOM
DEFAULT_PAYLOAD = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
"""A class of every release; 1.0 writes with it in addition to a merger."""


class Calls:
    """The compiled classes of a plan and when they are called.

    Attributes:
        reference: where the classes come from.
        classes: their full Java names, those of the plan first.
    """

    def __init__(self, plan: MergePlan, *, may_call_none: bool = False, in_java: bool = True) -> None:
        """Find the classes.

        Args:
            plan: how versions merge.
            may_call_none: whether a plan by whose modes no class merges is none to refuse.
            in_java: whether Java runs the program as well, else Python does, and calls the classes.

        Raises:
            PlanError: the engine does not support the plan, or the release calls no compiled class for it.
            MergeConfigError: the settings contradict each other.
        """
        _check(plan, in_java=in_java)
        self._plan = plan
        self._config = merge_config(plan) if capabilities(plan.release).merge_modes else None
        named = list(dict.fromkeys(self._classes()))
        merger = plan.merger
        if merger is not None and plan.mode is None:
            if not self._asks_merger():
                raise PlanError(_uncalled_merger(plan, self._config))
            named = named or [DEFAULT_PAYLOAD]  # is in every bundle
        if not named and not may_call_none:
            raise PlanError(_uncalled(plan, self._config))
        unknown = modes_unknown_to_java(plan) if in_java else ()
        if unknown:
            msg = f"the table merges by {' and by '.join(unknown)}; use the python engine"
            raise PlanError(msg)
        named = named or [DEFAULT_PAYLOAD]
        source = () if merger is None else (merger.jars, merger.package)
        self.reference = plan.payload or StoredPayloadRef(named[0], *source)
        self.classes = tuple(named)

    def _asks_merger(self) -> bool:
        rules = () if self._config is None else self._config.rules
        return any(rule.mode is _CUSTOM and rule.payload is None for _, rule in rules)

    def _classes(self) -> Iterable[str]:
        plan, config = self._plan, self._config
        if config is None:
            yield java_name_of(plan.payload or PayloadRef(""), plan.release)
            return
        if capabilities(plan.release).payload_writer and config.merge.payload is not None:
            yield config.merge.payload
        for _, rule in config.rules:
            if rule.mode is _CUSTOM:
                if rule.payload is not None:
                    yield rule.payload
                elif plan.merger is None:
                    msg = f"the table needs a merger of the strategy {rule.strategy}; name one with its jar"
                    raise PlanError(msg)

    def described(self, schema: AvroSchema) -> Json:
        """Return the calls of writer and reader as plain values.

        Raises:
            PayloadConfigError: the delete key of a table is set without its marker.
        """
        plan, config = self._plan, self._config
        by_payload = writer = None
        if config is None or capabilities(plan.release).payload_writer:
            by_payload = self._by_payload(self.classes[0])
        else:
            writer = self._mode_writer(config, schema)
        return {
            "by_payload": by_payload,
            "call_timeout": plan.call_timeout,
            "combines": plan.combine_before_upsert,
            "inserts_to_base": plan.inserts_to == "base",
            "mode_reader": None if config is None else self._mode_reader(config, schema),
            "mode_writer": writer,
        }

    # -- payload objects

    def _by_payload(self, payload: str) -> Json:
        plan = self._plan
        ordering = plan.ordering[0] if plan.ordering else None
        points: Json = {
            point.value: {
                "with_meta": call.schema is SchemaView.WITH_META,
                "props": props_of(call.props, plan, ordering),
            }
            for point, call in calls_of(plan.release).items()
        }
        return {
            "consistent_timestamps": is_true(plan.props.get(CONSISTENT_TIMESTAMP)),
            "entries": rule_to_json(LOG_ENTRIES),
            "ordering": ordering,
            "payload": payload,
            "points": points,
            "refused": refused_inserts(plan.release)._asdict(),
            "refused_reads": refused_reads(plan.release)._asdict(),
            "since_1_0": not capabilities(plan.release).delete_block_instants,
            # Payloads of a batch that is not combined have no ordering value (HoodieCreateRecordUtils).
            "written_ordering": ordering if plan.combine_before_upsert else None,
        }

    # -- merge modes

    def _mode_writer(self, config: EffectiveMergeConfig, schema: AvroSchema) -> Json:
        props = merge_props(config, self._plan)
        asked = self._class_to_build()
        reads_ordering = asked is None or self._plan.combine_before_upsert  # else as in `_by_payload`
        by_row = tests_rows(self._plan, config.ordering)
        return {
            "asked": asked,
            "consistent_timestamps": is_true(self._plan.props.get(CONSISTENT_TIMESTAMP)),
            "dedup": self._rule(config.dedup, props),
            "deletes": _deletes(props, schema, reads_operation=False),
            "indexed_sentinel": indexed_sentinel(self._plan.release),
            "insert_of_file": insert_of_file(self._plan.release) if inserts_into_files(self._plan.props) else None,
            "merge": self._rule(config.merge, props),
            "ordering": config.ordering if reads_ordering else (),
            "props": props,
            "refused": refused_inserts(self._plan.release, tests_rows=by_row)._asdict(),
            "refused_in_log": refused_inserts(self._plan.release)._asdict(),
            "tests_rows": by_row,
        }

    def _mode_reader(self, config: EffectiveMergeConfig, schema: AvroSchema) -> Json:
        views = reader_views(config, self._plan)
        props = merge_props(config, self._plan, is_writer=views.is_writer)
        can = capabilities(config.release)
        deletes = _deletes({} if can.operation_deletes else props, schema, reads_operation=can.operation_deletes)
        read = self._rule(config.read, props)
        return {
            "deletes": deletes,
            "props": props,
            "query_props": merge_props(config, self._plan, is_writer=False) if views.is_split else None,
            "read": read,
            "refused": refused_reads(self._plan.release)._asdict(),
            "since_1_1": can.buffered_mergers,
        }

    def _rule(self, rule: PointRule, props: Mapping[str, str]) -> Json:
        is_custom = rule.mode is _CUSTOM
        ignores_ordering = rule.mode is RecordMergeMode.COMMIT_TIME_ORDERING
        plan, merger = self._plan, None
        if is_custom and rule.payload is None and plan.merger is not None:
            merger = {"name": plan.merger.name, "key": plan.key, "partition": plan.partition}
        return {
            "merger": merger,
            "mode": None if rule.mode is None else rule.mode.value,
            "ordering": () if ignores_ordering else ordering_fields(props, plan.release) or (),
            "payload": rule.payload if is_custom else None,
            "rules": None if rule.mode is None else self._rules(rule.mode),
        }

    def _rules(self, mode: RecordMergeMode) -> Json | None:
        """Return the rules of a mode; for CUSTOM until 1.0 those by which it merges deletes, from 1.1 on none."""
        if mode is _CUSTOM:
            if capabilities(self._plan.release).buffered_mergers:
                return None
            mode = RecordMergeMode.EVENT_TIME_ORDERING
        rules = mode_rules(mode, self._plan.release)
        return {point.value: rule_to_json(rule) for point, rule in rules.items() if rule is not None}

    def _class_to_build(self) -> str | None:
        """Return the class that a writer instantiates to test rows for deletes; None if there is none."""
        payload = self._plan.payload
        if payload is None:
            return None
        try:
            found = payload.resolve(self._plan.release)
        except PayloadNotFoundError:
            return payload.name
        is_asked = not issubclass(found, BuiltinPayload) or issubclass(found, PartialUpdateAvroPayload)
        return java_name_of(payload, self._plan.release) if is_asked else None


def description(job: Job, calls: Calls, data: StructType, columns: list[str], *, is_java8: bool) -> str:
    """Describe in JSON what a task has to do."""
    return json.dumps(
        {
            **calls.described(job.schema),
            **rows(job, data, is_java8=is_java8),
            "arguments": job.arguments,
            "row_counts": _row_counts(job),
            "by_partition": job.spec.by_partition,
            "carried": [GROUP] if job.file_groups else [],
            "checked": job.plan.key if job.checked is None else job.checked,
            "columns": columns,
            "extras": len(job.extras),
            "grouping": job.grouping,
            "identity": job.plan.identity,
            "key": job.plan.key,
            "payload": calls.classes[0] if job.plan.merger is None else job.plan.merger.name,
            "program": job.program,
            "width": len(data.fields),
        }
    )


def _row_counts(job: Job) -> Json | None:
    """Describe the row counts of a job; None if it keeps none."""
    if ROW_COUNTS not in job.handed_over:
        return None
    return {"folds": [fold_point(job.plan, side) for side in Origin], "point": final_point(job.program)}


def rows(job: Job, data: StructType, *, is_java8: bool) -> Json:
    """Describe the rows of a job: their columns, and the Avro schemas in which they are merged."""
    return {
        "data": data.json(),
        "has_meta": META_COLUMNS[0] in data.names,
        "java8": is_java8,
        "meta_schema": json.dumps(with_meta(job.schema).source),
        "write_schema": json.dumps(job.schema.source),
    }


def _deletes(props: Mapping[str, str], schema: AvroSchema, *, reads_operation: bool) -> dict[str, str | None]:
    DeleteContext(props, schema, reads_operation=reads_operation)  # refuses a key without its marker
    has_operation = reads_operation and OPERATION_COLUMN in schema.by_name
    return {
        "field": props.get(keys.DELETE_KEY.key) or None,
        "flag": IS_DELETED if IS_DELETED in schema.by_name else None,
        "marker": props.get(keys.DELETE_MARKER.key) or None,
        "operation": OPERATION_COLUMN if has_operation else None,
    }


# -- what the engine does not do


def modes_unknown_to_java(plan: MergePlan) -> tuple[str, ...]:
    """Return the merge modes and partial update modes of a plan that only Python has, with what Java lacks of them."""
    if not capabilities(plan.release).merge_modes:
        return ()
    config = merge_config(plan)
    partial = config.partial_update_mode
    found = []
    # In mode CUSTOM a table's partial update mode counts for nothing.
    for mode in dict.fromkeys(rule.mode for _, rule in config.rules if rule.mode not in {None, _CUSTOM}):
        missing = missing_in_java(mode_rules(mode, config.release, partial).values())
        if missing:
            name = mode.value if partial is None else f"{mode.value} with {partial}"
            found.append(f"{name}, of which Java lacks {', '.join(missing)}")
    return tuple(found)


def _check(plan: MergePlan, *, in_java: bool) -> None:
    if plan.global_index and in_java:
        msg = "merging just two versions can't find a row in another partition (global_index=True); use bridge.upsert"
        raise PlanError(msg)
    if plan.payload is None and not capabilities(plan.release).merge_modes:
        msg = "the jvm engine runs payload classes; name one with payload, or use the python engine"
        raise PlanError(msg)
    if plan.merger is not None and plan.mode is None and not plan.merger.is_compiled:
        msg = (
            f"the jvm engine runs compiled payloads, not mergers such as {plan.payload_name}, which has no jar; "
            "leave engine and implementation out, or name the jar of a compiled merger"
        )
        raise PlanError(msg)


def _uncalled(plan: MergePlan, config: EffectiveMergeConfig | None) -> str:
    modes = {rule.mode.name for _, rule in config.rules if rule.mode is not None} if config is not None else set()
    uncalled = "calls no class" if plan.payload is None else f"does not call the class {plan.payload_name}"
    return (
        f"Hudi {plan.release} merges this table by {' and '.join(sorted(modes))}, which {uncalled}; don't ask for "
        "Java, so that the mode itself runs"
    )


def _uncalled_merger(plan: MergePlan, config: EffectiveMergeConfig | None) -> str:
    why = "" if config is None else f" ({config.read.why})"
    return (
        f"the merger {plan.payload_name} merges nothing in this table, which Hudi {plan.release} reads by another rule"
        f"{why}; give the payload or the mode of the table, or a table of the strategy of the merger"
    )
