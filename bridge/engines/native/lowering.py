"""What a job comes down to on columns, and the one list of reasons why a job does not run natively."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities
from bridge.engines.native.column_rules import ColumnRules, RulesStated, columns_merger_of, has_map
from bridge.engines.native.rules import HISTORY, READS, JobRules, ModeRules, PayloadRules
from bridge.engines.native.size import are_few
from bridge.engines.native.stated_rules import PayloadMerge, RuleMerge, WrittenMerge
from bridge.errors import PlanError
from bridge.merge import (
    LogScanner,
    MergePoint,
    PayloadWriter,
    RecordMerge,
    StatedRules,
    has_odd_flag,
    merge_config,
    stated_rule,
)
from bridge.plan import TableType
from bridge.spark import META_COLUMNS, line_of
from mergers import RecordMergeMode
from mergers.record import OPERATION_COLUMN
from payloads.errors import PayloadBridgeError
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true
from payloads.rules import IS_DELETED, DeleteTests

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql.types import StructType

    from bridge.engines.job import Job
    from bridge.engines.native.merges import MergeInputs, Merges
    from bridge.engines.native.ordering import Kind
    from bridge.engines.native.partial_updates import Gap
    from mergers.columns import MergesColumns
    from payloads import AvroSchema

_ATOMIC_KEYS = frozenset({"boolean", "int", "long", "float", "double", "string", "bytes", "fixed"})


class NotLoweredError(PlanError):
    """A job does not run on the native engine; says why.

    Attributes:
        refusal: the name of the reason in `REFUSALS`; None for another.
    """

    def __init__(self, sentence: str, refusal: str | None = None) -> None:
        """Give the reason."""
        super().__init__(sentence)
        self.refusal = refusal


@dataclass(frozen=True)
class Lowered:
    """A job as expressions need it.

    Attributes:
        ordering: the ordering fields by which versions of the newer side compare; empty where the later arrival wins.
        compares: whether the combined version compares with the stored row, too, or replaces it.
        written_ordering: the fields whose values `_pb_ordering` has in outcomes.
        plain_texts: whether a text of a delete entry comes back as java.lang.String.
        deletes: the tests of whole columns that mark a row as a delete.
        deletes_first: whether a delete replaces the stored row whatever the ordering values.
        gaps: the columns that are filled where they have none of their own value.
        merger: a user's merger of columns, which decides instead.
        props: what it is given.
        stated: makes the merge of the rules that a user's class states, which decide instead.
        by_mode: whether a merge mode decides: then a delete with Integer 0 replaces whatever is there, and a null of
            the stored row is Integer 0.
        refuses_nulls: whether a null ordering value fails even where it is not compared.
        reads_log: whether the newer side is a log, with delete entries, or else a batch.
        scans: whether payloads fold the log, as in readers until 0.15.
        resets_compare: whether to the rows that follow it in a log a delete with Integer 0 is a version of that value,
            and not one that any row replaces: in release 1.0.
        fold_point: where versions of the newer side meet, for messages.
        merge_point: where the combined version merges with the stored row.
    """

    ordering: tuple[Kind, ...]
    compares: bool
    written_ordering: tuple[Kind, ...]
    plain_texts: bool
    deletes: DeleteTests
    deletes_first: bool
    gaps: tuple[Gap, ...]
    merger: MergesColumns | None
    props: Mapping[str, str]
    stated: Callable[[MergeInputs, AvroSchema, StructType], Merges] | None
    by_mode: bool
    refuses_nulls: bool
    reads_log: bool
    scans: bool
    resets_compare: bool
    fold_point: MergePoint
    merge_point: MergePoint

    @property
    def gathers(self) -> bool:
        """Whether the versions of a key are gathered in one place."""
        return self.merger is not None or self.stated is not None


class Refusal(NamedTuple):
    """A reason why a job does not run natively.

    Attributes:
        name: a short name that stays.
        sentence: the reason, for reports.
        holds: whether it holds for a job; tested in the order of the list, so earlier ones don't hold.
    """

    name: str
    sentence: str
    holds: Callable[[JobRules], bool]


_BEFORE_RULES = (
    ("program", "only combine_input, upsert, append, snapshot, compact and simulate run as expressions"),
    ("merger", "a merger of record type SPARK decides"),
    ("settings", "the settings contradict each other"),
    ("rule", "a mode or a node of its rule has no expressions"),
    ("log", "until 1.0 Hudi's own rules, not those of the class, decide about the delete entries of a log"),
)
LOG_OF_COMMITS = "the commits of a merge-on-read table depend on the log that earlier commits wrote"

REFUSALS = (
    Refusal(
        "quarantine",
        "with on_error=quarantine a key that fails keeps all its versions, but expressions keep only one",
        lambda rules: rules.job.plan.on_error == "quarantine",
    ),
    Refusal(
        "custom",
        "in mode CUSTOM a payload class or a merger decides",
        lambda rules: isinstance(rules, ModeRules) and any(one.mode is RecordMergeMode.CUSTOM for one in rules.rules),
    ),
    Refusal(
        "table",
        "a merger of columns, or a class with a rule, gives rows without the meta columns that a real table shows",
        lambda rules: isinstance(rules, ColumnRules) and rules.job.file_groups,
    ),
    Refusal(
        "columns",
        "mergers of columns, or with a rule, run in upsert, snapshot, compact and, on request, simulate, on keys and "
        "columns that compare",
        lambda rules: isinstance(rules, ColumnRules) and not rules.can_gather,
    ),
    Refusal(
        "marker",
        "a payload class with a rule does not know the delete marker that a writer looks for in a batch",
        lambda rules: isinstance(rules, RulesStated) and rules.delete_marks_differ,
    ),
    Refusal(
        "gathered",
        "a merger of columns, or with a rule, gathers the versions of a key, and these are not known to fit into the "
        "memory of a task; the merge row by row streams them",
        lambda rules: isinstance(rules, ColumnRules) and rules.leaves_to_rows,
    ),
    Refusal(
        "line",
        "Spark 3.3 fails where a merger of columns, or with a rule, merges the versions of a key as expressions",
        lambda rules: isinstance(rules, ColumnRules) and not line_of().gathers,
    ),
    Refusal(
        "history-log",
        LOG_OF_COMMITS,
        lambda rules: rules.job.program == HISTORY and rules.job.plan.table_type is TableType.MERGE_ON_READ,
    ),
    Refusal(
        "payload",
        "the payload class builds records, or its rule does more than compare columns",
        lambda rules: isinstance(rules, PayloadRules) and not rules.keeps_whole,
    ),
    Refusal(
        "uncombined",
        "a batch that is not deduplicated may have several rows of a new key",
        lambda rules: not rules.reads_log and not rules.job.plan.combine_before_upsert,
    ),
    Refusal(
        "combined",
        "a batch that is deduplicated already may have deletes without data",
        lambda rules: not rules.reads_log and rules.job.has_entries,
    ),
    Refusal(
        "schema",
        "a given schema may require more of a row than its columns do",
        lambda rules: rules.job.plan.schema is not None,
    ),
    Refusal(
        "deletes",
        "the payload class, or a column that is not text, decides which rows are deletes",
        lambda rules: rules.deletes is None,
    ),
    Refusal(
        "flag",
        f"{IS_DELETED} is not a boolean",
        lambda rules: isinstance(rules, ModeRules) and has_odd_flag(rules.job.schema),
    ),
    Refusal(
        "operation",
        f"readers look for deletes in {OPERATION_COLUMN} too",
        lambda rules: rules.reads_log and OPERATION_COLUMN in rules.job.schema.by_name,
    ),
    Refusal(
        "ordering-type",
        "an ordering field is nested, or its values don't compare in Spark as they do in Hudi",
        lambda rules: None in rules.kinds(rules.fields),
    ),
    Refusal(
        "ordering-text",
        "delete entries and deduplicated rows carry ordering values as Java's text, which SQL can't produce",
        lambda rules: not rules.has_texts,
    ),
    Refusal(
        "ordering-list",
        "with several ordering fields, or none, delete entries of a log may have values of another Java class",
        lambda rules: rules.reads_log and _compares_entries(rules) and len(rules.fields) != 1,
    ),
    Refusal(
        "timestamps",
        f"with {CONSISTENT_TIMESTAMP} ordering values are of two Java classes",
        lambda rules: is_true(rules.job.plan.props.get(CONSISTENT_TIMESTAMP)),
    ),
    Refusal(
        "history-rows",
        "over several commits, partial update modes, maps and meta columns need a merge row by row",
        lambda rules: rules.job.program == HISTORY and (bool(rules.gaps) or _has_more(rules.job)),
    ),
    Refusal(
        "key-type",
        "a key column is nested",
        lambda rules: any(
            rules.job.schema.by_name[name].schema.non_null.kind not in _ATOMIC_KEYS
            for name in rules.job.plan.identity
            if name not in META_COLUMNS
        ),
    ),
    Refusal(
        "small",
        "the inputs are small files, which the python engine merges before Spark has compiled expressions for them",
        lambda rules: (
            rules.job.plan.engine == "auto"
            and (isinstance(rules, RulesStated) or not isinstance(rules, ColumnRules))
            and are_few(rules.job.few_bytes, fills=bool(rules.gaps))
        ),
    ),
)
"""All reasons that depend on a job's settings, schema and size, in the order in which they are looked for."""


def _has_more(job: Job) -> bool:
    return META_COLUMNS[0] in job.columns or any(has_map(field.schema) for field in job.schema.fields)


def _compares_entries(rules: JobRules) -> bool:
    return isinstance(rules, PayloadRules) or (isinstance(rules, ModeRules) and rules.by_event_time)


def lowered(job: Job) -> Lowered:
    """Return what a job comes down to.

    Raises:
        NotLoweredError: it needs another engine.
    """
    rules = _rules(job)
    for refusal in REFUSALS:
        if refusal.holds(rules):
            raise NotLoweredError(refusal.sentence, refusal.name)
    return Lowered(
        ordering=_known(rules.kinds(rules.fields)),
        compares=rules.compares,
        written_ordering=_known(rules.kinds(rules.written_ordering)) if rules.tells else (),
        plain_texts=capabilities(job.plan.release).delete_block_utf8 is None,
        deletes=rules.deletes or DeleteTests(),
        deletes_first=rules.deletes_first,
        gaps=rules.gaps,
        merger=rules.merger if isinstance(rules, ColumnRules) else None,
        props=rules.props if isinstance(rules, ColumnRules) else {},
        stated=functools.partial(rules.by, rules.rules) if isinstance(rules, RulesStated) else None,
        by_mode=isinstance(rules, ModeRules),
        refuses_nulls=rules.refuses_nulls,
        reads_log=rules.reads_log,
        scans=rules.reads_log and isinstance(rules, PayloadRules),
        resets_compare=rules.reads_log and not capabilities(job.plan.release).buffered_mergers,
        fold_point=MergePoint.LOG_FOLD if rules.reads_log else MergePoint.COMBINE_INPUT,
        merge_point=READS.get(job.program, MergePoint.UPSERT),
    )


def _known(kinds: tuple[Kind | None, ...]) -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds if kind is not None)


def _rules(job: Job) -> JobRules:
    reasons = dict(_BEFORE_RULES)
    if not job.spec.native:
        raise NotLoweredError(reasons["program"])
    can = capabilities(job.plan.release)
    reads = job.program in READS
    by_mode = can.buffered_mergers or (reads and can.file_group_reader)
    try:
        merger = columns_merger_of(job.plan) if can.buffered_mergers else None
        if merger is not None:
            return ColumnRules(job, merge_config(job.plan), merger)
        merge = RecordMerge(job.plan, job.schema, has_meta=META_COLUMNS[0] in job.columns)
        stated = _stated(job, merge)
        rules: ModeRules | RulesStated | None = None
        if stated is not None:
            rules = RulesStated(job, *stated, merge_config(job.plan))
        elif by_mode:
            rules = ModeRules(job, merge, merge_config(job.plan))
    except PayloadBridgeError as error:
        msg = f"{reasons['settings']}: {error}"
        raise NotLoweredError(msg) from error
    if rules is not None:
        if rules.unknown:
            msg = f"{reasons['rule']}: {', '.join(rules.unknown)}"
            raise NotLoweredError(msg)
        return rules
    if reads and merge.writer.stated_rules() is not None:
        raise NotLoweredError(reasons["log"])
    side: object = merge.reader if reads else merge.writer
    if isinstance(side, LogScanner | PayloadWriter):
        return PayloadRules(job, merge, side)
    raise NotLoweredError(reasons["merger"])


def _stated(job: Job, merge: RecordMerge) -> tuple[StatedRules, type[RuleMerge]] | None:
    """Return the rules that a user's class states, and how Hudi merges by them; None for a class with methods."""
    buffers = capabilities(job.plan.release).buffered_mergers
    rule = stated_rule(job.plan) if buffers else None
    if rule is not None:
        return StatedRules(rule, rule), RuleMerge
    reads = READS.get(job.program)
    rules = merge.writer.stated_rules() if reads is None else merge.reader.stated_rules(reads)
    return None if rules is None else (rules, PayloadMerge if buffers else WrittenMerge)
