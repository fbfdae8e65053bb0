"""What a job comes down to on columns, and the one list of reasons why a job does not run natively."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities
from bridge.engines.native.ordering import Kind, kind_of
from bridge.errors import PlanError
from bridge.merge import MergePoint, RecordMerge, merge_config
from bridge.spark import META_COLUMNS
from mergers import RecordMergeMode
from mergers.record import OPERATION_COLUMN
from payloads.builtin import IS_DELETED, flag_tests
from payloads.errors import PayloadBridgeError
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.config import EffectiveMergeConfig, MergeRule
    from bridge.engines.job import Job
    from payloads.builtin import DeleteTest

_READS = {"snapshot": MergePoint.SNAPSHOT, "compact": MergePoint.COMPACT}
_ATOMIC_KEYS = frozenset({"boolean", "int", "long", "float", "double", "string", "bytes"})


class NotLoweredError(PlanError):
    """A job does not run on the native engine; says why."""


@dataclass(frozen=True)
class Lowered:
    """A job as expressions need it.

    Attributes:
        ordering: the ordering fields and how their values compare; empty where the later arrival wins.
        deletes: the tests of whole columns that mark a row as a delete.
        reads_log: whether the newer side is a log, with delete entries, or else a batch.
        fold_point: where versions of the newer side meet, for messages.
        merge_point: where their winner meets the stored row.
    """

    ordering: tuple[Kind, ...]
    deletes: tuple[DeleteTest, ...]
    reads_log: bool
    fold_point: MergePoint
    merge_point: MergePoint


class _Setup(NamedTuple):
    job: Job
    config: EffectiveMergeConfig
    merge: RecordMerge

    @property
    def reads_log(self) -> bool:
        return self.job.program in _READS

    @property
    def rules(self) -> tuple[MergeRule, ...]:
        return (self.config.read,) if self.reads_log else (self.config.dedup, self.config.merge)

    @property
    def by_event_time(self) -> bool:
        return self.rules[0].mode is RecordMergeMode.EVENT_TIME_ORDERING

    @property
    def ordering(self) -> tuple[str, ...]:
        return self.config.ordering if self.by_event_time else ()

    @property
    def deletes(self) -> tuple[DeleteTest, ...] | None:
        # A reader looks at its own properties alone: marked rows are in delete blocks by then.
        return flag_tests(self.job.schema) if self.reads_log else self.merge.single_rows(MergePoint.UPSERT).tests

    @property
    def kinds(self) -> tuple[Kind | None, ...]:
        return tuple(kind_of(self.job.schema, name, reads_log=self.reads_log) for name in self.ordering)


class Refusal(NamedTuple):
    """A reason why a job does not run natively.

    Attributes:
        name: a short name that stays.
        sentence: the reason, for reports.
        holds: whether it holds for a job; tested in the order of the list, so earlier ones don't hold.
    """

    name: str
    sentence: str
    holds: Callable[[_Setup], bool]


_BEFORE_SETUP = (
    ("program", "only upsert, snapshot and compact run as expressions"),
    ("release", "until release 1.0 payload objects merge where rows are written"),
    ("settings", "the settings don't fit together"),
)

REFUSALS = (
    Refusal(
        "quarantine",
        "with on_error=quarantine a key that fails keeps all its versions, of which expressions keep one",
        lambda setup: setup.job.plan.on_error == "quarantine",
    ),
    Refusal(
        "custom",
        "in mode CUSTOM a payload class or a merger decides",
        lambda setup: any(rule.mode is RecordMergeMode.CUSTOM for rule in setup.rules),
    ),
    Refusal(
        "partial-update",
        "a partial update mode fills single columns",
        lambda setup: setup.config.partial_update_mode is not None,
    ),
    Refusal(
        "uncombined",
        "a batch that is not combined may have several rows of a new key",
        lambda setup: not setup.reads_log and not setup.job.plan.combine_before_upsert,
    ),
    Refusal(
        "combined",
        "a batch that was combined before may have deletes without data",
        lambda setup: not setup.reads_log and setup.job.has_entries,
    ),
    Refusal(
        "schema",
        "a given schema may want more of a row than its columns do",
        lambda setup: setup.job.plan.schema is not None,
    ),
    Refusal(
        "deletes",
        "the payload class, or a column that is not text, says which rows are deletes",
        lambda setup: setup.deletes is None,
    ),
    Refusal(
        "flag",
        f"{IS_DELETED} is not a boolean",
        lambda setup: IS_DELETED in setup.job.schema.by_name and not flag_tests(setup.job.schema),
    ),
    Refusal(
        "operation",
        f"readers look for deletes in {OPERATION_COLUMN} too",
        lambda setup: setup.reads_log and OPERATION_COLUMN in setup.job.schema.by_name,
    ),
    Refusal(
        "ordering-type",
        "an ordering field is nested, or its values don't compare in Spark as they do in Hudi",
        lambda setup: None in setup.kinds,
    ),
    Refusal(
        "ordering-list",
        "with several ordering fields, or none, delete entries of a log may have values of another class",
        lambda setup: setup.reads_log and setup.by_event_time and len(setup.ordering) != 1,
    ),
    Refusal(
        "timestamps",
        f"with {CONSISTENT_TIMESTAMP} ordering values are of two classes",
        lambda setup: is_true(setup.job.plan.props.get(CONSISTENT_TIMESTAMP)),
    ),
    Refusal(
        "key-type",
        "a key column is nested",
        lambda setup: any(
            setup.job.schema.by_name[name].schema.non_null.kind not in _ATOMIC_KEYS for name in setup.job.plan.identity
        ),
    ),
)
"""All reasons that depend on a job's settings and schema, in the order in which they are looked for."""


def lowered(job: Job) -> Lowered:
    """Return what a job comes down to.

    Raises:
        NotLoweredError: it needs another engine.
    """
    setup = _setup(job)
    for refusal in REFUSALS:
        if refusal.holds(setup):
            raise NotLoweredError(refusal.sentence)
    kinds = tuple(kind for kind in setup.kinds if kind is not None)
    merge_point = _READS.get(job.program, MergePoint.UPSERT)
    fold_point = MergePoint.LOG_FOLD if setup.reads_log else MergePoint.COMBINE_INPUT
    return Lowered(kinds, setup.deletes or (), setup.reads_log, fold_point, merge_point)


def _setup(job: Job) -> _Setup:
    reasons = dict(_BEFORE_SETUP)
    if not job.spec.native:
        raise NotLoweredError(reasons["program"])
    if not capabilities(job.plan.release).buffered_mergers:
        raise NotLoweredError(reasons["release"])
    try:
        merge = RecordMerge(job.plan, job.schema, has_meta=META_COLUMNS[0] in job.columns)
        return _Setup(job, merge_config(job.plan), merge)
    except PayloadBridgeError as error:
        msg = f"{reasons['settings']}: {error}"
        raise NotLoweredError(msg) from error
