"""What decides natively: the rules of a job by merge mode or by payload class, as expressions need them."""

from __future__ import annotations

import abc
import functools
from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.engines.native.ordering import kind_of
from bridge.engines.native.windows import Windows
from bridge.merge import (
    MergePoint,
    delete_tests,
    deletes_first,
    deletes_of,
    fails_alone,
    flag_of,
    kept_by,
    merge_props,
)
from mergers import HoodieRecordType, RecordMergeMode, buffered_merger
from payloads.builtin import PartialUpdateAvroPayload
from payloads.release import ByRelease
from payloads.rules import (
    Case,
    DeleteTests,
    Error,
    ErrorKind,
    IsUnordered,
    Point,
    Role,
)

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig, PointRule
    from bridge.engines.job import Job
    from bridge.engines.native.ordering import Kind
    from bridge.engines.native.partial_updates import Gap
    from bridge.merge import Payloads, RecordMerge

READS = {"snapshot": MergePoint.SNAPSHOT, "compact": MergePoint.COMPACT}
HISTORY, _QUERIES = "simulate", "snapshot"
_COMPARES_ROWS = frozenset({"upsert", HISTORY})
_ASKS_FIRST = ByRelease(False, {"0.13": True})
"""Whether a writer asks a payload whether it is a delete before it asks for the insert value."""
_IN_LOGS = frozenset({"int", "long", "string", "boolean"})


class JobRules(abc.ABC):
    """What a job merges by.

    Attributes:
        job: the job.
        merge: the calls that it stands for.
    """

    def __init__(self, job: Job, merge: RecordMerge) -> None:
        self.job = job
        self.merge = merge

    @property
    @abc.abstractmethod
    def refuses_nulls(self) -> bool:
        """Whether a null ordering value fails even where it is not compared."""

    @property
    def reads_log(self) -> bool:
        """Whether the newer side is a log."""
        return self.job.program in READS

    @property
    @abc.abstractmethod
    def fields(self) -> tuple[str, ...]:
        """The ordering fields by which versions of the newer side compare; empty where the later arrival wins."""

    @property
    @abc.abstractmethod
    def written_ordering(self) -> tuple[str, ...]:
        """The ordering fields whose values `_pb_ordering` has."""

    @property
    @abc.abstractmethod
    def deletes(self) -> DeleteTests | None:
        """The tests of whole columns for deletes; None if columns can't tell."""

    @property
    def compares(self) -> bool:
        """Whether a version of the newer side compares with the stored row by the same fields."""
        return bool(self.fields)

    @property
    def deletes_first(self) -> bool:
        """Whether a delete replaces the stored row whatever the ordering values."""
        return False

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The columns that are filled where they have a gap."""
        return ()

    @property
    def tells(self) -> bool:
        """Whether outcomes have `_pb_ordering`."""
        program = self.job.program
        return program == "combine_input" or (program == "append" and self.deletes != DeleteTests())

    def kinds(self, names: tuple[str, ...]) -> tuple[Kind | None, ...]:
        """Return how the values of fields compare; None where Spark does not compare them as Hudi does."""
        kinds = [kind_of(self.job.schema, name) for name in names]
        return tuple(kind if kind is not None and self.is_comparable(kind) else None for kind in kinds)

    def is_comparable(self, kind: Kind) -> bool:  # noqa: ARG002
        """Whether Spark compares the values of a kind here as Hudi does."""
        return True

    @property
    def has_texts(self) -> bool:
        """Whether SQL makes the texts of `_pb_ordering`, where outcomes have it."""
        kinds = self.kinds(self.written_ordering)
        if not self.tells:
            return True
        if any(kind is None or not kind.has_text for kind in kinds):
            return False
        if len(kinds) > 1:  # JSON would need escapes
            return all(kind is not None and kind.type != "string" for kind in kinds)
        is_date = any(kind is not None and kind.logical == "date" for kind in kinds)
        return not is_date or self.job.program != "append" or capabilities(self.job.plan.release).delete_block_dates


class ModeRules(JobRules):
    """Commit time and event time from 1.1 on: the same rules write and read; readers of 1.0 by commit time, too."""

    def __init__(self, job: Job, merge: RecordMerge, config: EffectiveMergeConfig) -> None:
        """Take the effective settings, too."""
        super().__init__(job, merge)
        self.config = config

    @property
    def rules(self) -> tuple[PointRule, ...]:
        """The rules of the merge points that the job goes through."""
        return (self.config.read,) if self.reads_log else (self.config.dedup, self.config.merge)

    @functools.cached_property
    def windows(self) -> Windows | None:
        """What the rule of the mode comes down to; None in CUSTOM, and for a mode that states none."""
        mode, job = self.rules[0].mode, self.job
        if mode is None or mode is RecordMergeMode.CUSTOM:
            return None
        merger = buffered_merger(
            mode,
            job.schema,
            merge_props(self.config, job.plan),
            release=job.plan.release,
            engine=HoodieRecordType.SPARK if self.reads_log else HoodieRecordType.AVRO,
            partial_update_mode=self.config.partial_update_mode,
            fidelity=job.plan.fidelity,
        )
        rule = merger.rule(Point.STORED, job.schema)
        return None if rule is None else Windows.of(rule, job.schema)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The modes by name, if they state no rule or fill columns; else the nodes that expressions don't run."""
        mode = self.rules[0].mode
        if mode is RecordMergeMode.CUSTOM:
            return ()
        if self.windows is None or (self.windows.lacking and self.config.partial_update_mode is not None):
            return tuple(str(name) for name in (mode and mode.value, self.config.partial_update_mode) if name)
        return tuple(map(repr, self.windows.lacking))

    @property
    def by_event_time(self) -> bool:
        """Whether ordering values compare."""
        return self.windows is not None and self.windows.by_ordering

    @property
    def fields(self) -> tuple[str, ...]:
        """The table's ordering fields by event time, else none."""
        return self.config.ordering if self.by_event_time else ()

    @property
    def written_ordering(self) -> tuple[str, ...]:
        """Those that compare; of a delete entry those of the table."""
        # Delete entries carry the real ordering value in commit-time tables, too.
        return self.config.ordering if self.job.program == "append" else self.fields

    @property
    def deletes(self) -> DeleteTests | None:
        """Flag and custom marker; to a reader from 1.1 on the flag alone."""
        if self.reads_log and not capabilities(self.job.plan.release).operation_deletes:
            return delete_tests(self.job.schema, merge_props(self.config, self.job.plan))
        # Such a reader looks at its own properties alone: marked rows are in delete blocks by then.
        if self.reads_log or self._tests_payloads:
            return flag_of(self.job.schema)
        return self.merge.single_rows(MergePoint.UPSERT).tests

    @property
    def _tests_payloads(self) -> bool:
        """Whether the writer builds a payload of each row for its delete test: of a class that looks at the flag."""
        plan = self.job.plan
        if plan.payload is None:
            return False
        payload = plan.payload.resolve(plan.release)
        return (payload.unbound or payload) is PartialUpdateAvroPayload

    @property
    def refuses_nulls(self) -> bool:
        """Only where they are compared."""
        return False

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Those of the partial update mode."""
        return () if self.windows is None else self.windows.gaps

    def is_comparable(self, kind: Kind) -> bool:
        """Whether a writer, or a reader, compares values of one class, whose texts are those of SQL.

        Dates and decimals of a batch have another class than in the table.
        """
        if self.reads_log:
            return kind.has_text and kind.logical != "date"  # entries have dates of two classes
        return kind.logical not in {"date", "decimal"} or self.job.program not in _COMPARES_ROWS


class PayloadRules(JobRules):
    """Built-in payload classes of writers until 1.0, and of readers until 0.15."""

    def __init__(self, job: Job, merge: RecordMerge, side: Payloads) -> None:
        """Take the writer or the reader, whose class has the rules."""
        super().__init__(job, merge)
        point = READS.get(job.program, MergePoint.UPSERT)
        alone = point if self.reads_log else MergePoint.INSERT
        fold = MergePoint.LOG_FOLD if self.reads_log else MergePoint.COMBINE_INPUT
        self._stored, self._alone = side.rule_at(Point.STORED, point), side.rule_at(Point.ALONE, alone)
        self._kept = kept_by(self._stored)
        self._folded = kept_by(side.rule_at(Point.BATCH, fold), next(iter(self.written_ordering), None), of_log=True)

    @property
    def refuses_nulls(self) -> bool:
        """Payloads are built of all rows, and refuse nulls."""
        return True

    @property
    def keeps_whole(self) -> bool:
        """Whether the class keeps one of two versions as it is, by its rules."""
        if self._stored is None or self._kept is None or self._folded is None:
            return False
        if Case(IsUnordered(Role.NEWER), Error(ErrorKind.NULL_ORDERING)) not in self._stored.cases:
            return False
        asks_first = _ASKS_FIRST.at(self.job.plan.release) and self.job.program != _QUERIES
        if fails_alone(self._alone) and not asks_first:
            return False
        return self._kept.column is None or (self._kept.column,) == self.written_ordering

    def is_comparable(self, kind: Kind) -> bool:
        """Whether a reader compares the values of rows and of delete entries by texts that SQL reads."""
        return not self.reads_log or kind.type in _IN_LOGS

    @property
    def fields(self) -> tuple[str, ...]:
        """The one ordering field, where a batch compares by it; with several there is no rule for a log."""
        if self.reads_log and len(self.job.plan.ordering) != 1:
            return ()
        return self.written_ordering if self._folded is not None and self._folded.column is not None else ()

    @property
    def written_ordering(self) -> tuple[str, ...]:
        """The one ordering field."""
        return self.job.plan.ordering[:1]

    @property
    def compares(self) -> bool:
        """Whether the class compares a version with the stored row."""
        return self._kept is not None and self._kept.column is not None

    @property
    def deletes(self) -> DeleteTests | None:
        """The tests that the class declares."""
        return deletes_of(self._alone, self.job.schema)

    @property
    def deletes_first(self) -> bool:
        """Whether the class looks at the flag before it compares."""
        return self._stored is not None and deletes_first(self._stored)
