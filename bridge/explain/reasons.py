"""What decided a merge call, in words: from its input, its output, and the results of the payload's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config import capabilities, implicit_delete_marker, keys
from bridge.explain.column_sources import column_sources
from bridge.explain.decision import Decision, RuledPair, decision_of
from bridge.explain.versions import column_value, plain, reason, same_record, side_of, value, winner, wins
from bridge.merge import Action, LogDelete, MergePoint, calls_of, merge_config
from mergers import RecordMergeMode
from mergers.strategies import buffered_merger
from payloads import SENTINEL
from payloads.builtin import IS_DELETED
from payloads.ordering import same_class
from payloads.ordering_fields import TABLE_ORDERING_FIELDS, TABLE_PRECOMBINE_FIELD
from payloads.records import RuleVersion
from payloads.rules import Effect, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.config import EffectiveMergeConfig, PointRule
    from bridge.explain.recorder import PayloadCall
    from bridge.merge import Outcome
    from bridge.plan import MergePlan
    from mergers.strategies import BufferedMerger
    from payloads import AvroSchema, Record

_CUSTOM, _BY_COMMIT = RecordMergeMode.CUSTOM, RecordMergeMode.COMMIT_TIME_ORDERING


class Rules:
    """The rules of one plan, in words."""

    def __init__(self, plan: MergePlan, schema: AvroSchema) -> None:
        """Determine how the plan's release merges at each point; the records are of `schema`."""
        self._plan = plan
        self._schema = schema
        self._can = capabilities(plan.release)
        self._config: EffectiveMergeConfig | None = merge_config(plan) if self._can.merge_modes else None
        self._markers = self._delete_markers()

    def words(
        self, point: MergePoint, call: tuple[Any, Any, Outcome[Any]], answers: Sequence[PayloadCall], *, to_log: bool
    ) -> str:
        """Return what decided.

        Args:
            point: the merge point.
            call: the older version or None, the newer one, and what became of them.
            answers: the results of payload methods since the previous call.
            to_log: whether a write goes to the log.
        """
        older, newer, outcome = call
        result = outcome.version
        if point is MergePoint.INSERT:
            return self._of_write(newer, result, answers, to_log=to_log)
        rule = self._rule(point, older, newer)
        if rule is None or rule.mode is None:
            text = self._of_payload(older, newer, outcome, answers)
        elif rule.mode is _CUSTOM:
            text = self._of_custom(rule, older, newer, outcome, answers)
        else:
            text = self._of_mode(point, rule.mode, (older, newer, outcome))
        return text + self._columns(older, newer, result)

    # -- who decides

    def _rule(self, point: MergePoint, *sides: object) -> PointRule | None:
        """Return the merge rule of a point; None if the payload is called without one."""
        config = self._config
        if config is None:
            return None
        if point in {MergePoint.COMBINE_INPUT, MergePoint.TAG, MergePoint.UPSERT}:
            if self._can.payload_writer:
                return None
            return config.dedup if point is MergePoint.COMBINE_INPUT else config.merge
        is_payloads = self._can.payload_writer and any(hasattr(one, "payload") for one in sides)  # the index of 1.0
        return None if is_payloads and config.read.mode is not _CUSTOM else config.read

    def _of_write(self, version: object, result: object, answers: Sequence[PayloadCall], *, to_log: bool) -> str:
        """Say why a version is stored, logged or dropped."""
        answer = _last(answers, "get_insert_value")
        tested = _last(answers, "is_deleted")
        side = side_of(version)
        told = tested if tested is not None and tested.value else answer
        if told is not None:
            why = self._of_one(told, side.record)
        elif side.is_delete or isinstance(result, LogDelete):
            why = "it is a delete" + self._mark(side.record)
        else:
            why = ""
        if isinstance(result, LogDelete):
            where = "logged as a delete entry"
        elif result is None:
            where = "nothing is there to delete" if side.is_delete or (tested and tested.value) else "nothing is stored"
        elif to_log:
            where = "logged"
        else:
            where = "inserted" if why else "no row is stored yet: inserted"
        return f"{why}: {where}" if why else where

    # -- payloads

    def _of_payload(self, older: object, newer: object, outcome: Outcome[Any], answers: Sequence[PayloadCall]) -> str:
        if isinstance(newer, LogDelete):
            return self._of_entry(older, newer, kept=outcome.action is Action.KEEP, by_commit=False)
        answer = _last(answers, "pre_combine") or _last(answers, "combine_and_get_update_value")
        text = "" if older is None else self._orderings(older, newer)
        if answer is not None:
            return self._of_answer(answer, text)
        answer = _last(answers, "get_insert_value")
        if answer is not None:
            return self._answer(answer)
        return winner(older, newer, outcome.version, self._schema) + text

    def _of_custom(
        self, rule: PointRule, older: Any, newer: Any, outcome: Outcome[Any], answers: Sequence[PayloadCall]
    ) -> str:
        result = outcome.version
        if older is None:
            return self._of_entry(None, newer, kept=False, by_commit=False)
        answer = _last(answers, "pre_combine") or _last(answers, "combine_and_get_update_value")
        if answer is not None:
            text = self._of_answer(answer, self._orderings(older, newer))
            return text + self._overruled(answer, older, newer, result)
        if rule.payload is None and self._plan.merger is not None and self._calls_merger(older, newer):
            text = winner(older, newer, result, self._schema)
            return f"{self._plan.merger.name} merges: {text}{self._orderings(older, newer)}"
        # If a side is a delete, Hudi mostly decides without a call.
        decided = self._by_event_time(older, newer, outcome)
        return f"the payload is not called: {decided}" if rule.payload is not None else decided

    def _calls_merger(self, older: object, newer: object) -> bool:
        """Whether a user's merger sees the two: in 1.0 no deletes."""
        deletes = side_of(newer).is_delete or (older is not None and side_of(older).is_delete)
        return self._can.buffered_mergers or not deletes

    def _of_answer(self, answer: PayloadCall, orderings: str) -> str:
        """Say what the rule of a class decided; without one, or where it does not apply, what the class returned."""
        decision = None if answer.pair is None else decision_of(answer.pair, self._plan.ordering)
        if decision is None or not self._is_answer(answer, decision):
            return self._answer(answer) + orderings
        other = self._other_class(answer)
        text = f"{other}: {decision.text}" if other else decision.text
        return text if decision.compared else text + orderings

    def _of_one(self, answer: PayloadCall, record: Record | None) -> str:
        """Say what a class makes of a version alone; nothing where its rule lets it pass."""
        decision = None if answer.pair is None else decision_of(answer.pair, self._plan.ordering)
        if decision is None or not self._is_answer(answer, decision):
            mark = self._mark(record) if answer.method == "is_deleted" else ""
            return f"{self._answer(answer)}{mark}"
        return decision.why if decision.outcome.version is None else ""

    def _is_answer(self, answer: PayloadCall, decision: Decision) -> bool:
        """Whether a method returned what the rule yields: an earlier call may have changed the payload."""
        gives, version = decision.outcome
        value, record = answer.value, None if version is None else version.record
        if answer.method == "is_deleted":
            return bool(value) is (version is None)
        if answer.method == "pre_combine":
            if gives in {Effect.INCOMING, Effect.CURRENT}:
                return value is (answer.payload if gives is Effect.INCOMING else answer.other)
            return same_record(value.record, record, self._schema)
        if value is None or value is SENTINEL:
            return gives is (Effect.DELETE if value is None else Effect.SENTINEL)
        return version is not None and same_record(plain(value), plain(record), self._schema)

    def _answer(self, answer: PayloadCall) -> str:
        """Say what a payload method returned; the class is named where it is not the writer's."""
        other = self._other_class(answer)
        text = f"{answer.method}{f' of {other}' if other else ''} returns {self._returned(answer)}"
        return f"{answer.unruled}: {text}" if answer.unruled else text

    def _other_class(self, answer: PayloadCall) -> str:
        """Return the name of a class that is not the writer's, else nothing."""
        class_name, own = type(answer.payload).__name__, self._plan.payload
        is_own = own is None or own.name.replace(":", ".").rpartition(".")[2] == class_name
        return "" if is_own else class_name

    def _orderings(self, older: object, newer: object) -> str:
        """Return the ordering values of both sides, in addition to a result that may have other reasons."""
        left, right = self._ordering_text(older), self._ordering_text(newer)
        if left is None or right is None:
            return ""
        names = ", ".join(self._plan.ordering) or "ordering"
        return f" ({names}: {left}, then {right})"

    def _ordering_text(self, carrier: object) -> str | None:
        """Return the ordering columns of a version; of a delete without data the ordering value that it came with."""
        side = side_of(carrier)
        if side.record is None:
            return None if side.ordering is None else value(side.ordering, self._plan.ordering, self._schema)
        if not self._plan.ordering or any(name not in side.record for name in self._plan.ordering):
            return None
        return ", ".join(column_value(name, side.record[name], self._schema) for name in self._plan.ordering)

    # -- merge modes

    def _of_mode(self, point: MergePoint, mode: RecordMergeMode, call: tuple[Any, Any, Outcome[Any]]) -> str:
        older, newer, outcome = call
        kept = outcome.action is Action.KEEP
        if older is None:
            return self._of_entry(older, newer, kept=kept, by_commit=mode is _BY_COMMIT)
        decision, is_stated = self._by_mode(point, mode, older, newer)
        if isinstance(newer, LogDelete):
            if decision is None or (decision.outcome.gives is Effect.CURRENT) is not kept:
                return self._of_entry(older, newer, kept=kept, by_commit=mode is _BY_COMMIT)
            return decision.text
        if decision is None or not self._is_result(decision, outcome):
            unruled = "" if is_stated else " states no rule"
            return f"{mode.value}{unruled}: {winner(older, newer, outcome.version, self._schema)}"
        text = decision.text + self._deletes(newer if decision.outcome.gives is Effect.INCOMING else older)
        return text if decision.compared else text + self._orderings(older, newer)

    def _by_mode(
        self, point: MergePoint, mode: RecordMergeMode, older: Any, newer: Any
    ) -> tuple[Decision | None, bool]:
        """Return what the rule of a mode decided, and whether it states one."""
        merger = self._merger(point, mode)
        before = RuleVersion(older.record, older.ordering_value, older.marked_delete)
        if isinstance(newer, LogDelete):
            met, schema, ordering = Point.ENTRY, older.schema, newer.ordering
            if ordering is not None and self._can.buffered_mergers:
                ordering = merger.context.entry_ordering(ordering)
            came = RuleVersion(None, ordering, marked=True)
        else:
            met = Point.BATCH if point in {MergePoint.COMBINE_INPUT, MergePoint.LOG_FOLD} else Point.STORED
            schema, came = newer.schema, RuleVersion(newer.record, newer.ordering_value, newer.marked_delete)
        schema = schema or older.schema or self._schema
        rule = merger.rule(met, schema)
        if rule is None:
            return None, False
        return decision_of(RuledPair(rule, before, came, schema, met), self._plan.ordering), True

    def _merger(self, point: MergePoint, mode: RecordMergeMode) -> BufferedMerger:
        """Return the merger of a mode, whose rules are those of the plan's table."""
        config: Any = self._config  # there is one where a mode decides
        props = {f"{keys.MERGE_PROPERTY_PREFIX}{name}": value for name, value in config.merge_properties.items()}
        if config.ordering:
            props |= dict.fromkeys((TABLE_ORDERING_FIELDS, TABLE_PRECOMBINE_FIELD), ",".join(config.ordering))
        settings: dict[str, Any] = {"partial_update_mode": config.partial_update_mode, "fidelity": self._plan.fidelity}
        settings |= {"release": self._plan.release, "engine": calls_of(self._plan.release)[point].rows}
        return buffered_merger(mode, self._schema, props, **settings)

    def _is_result(self, decision: Decision, outcome: Outcome[Any]) -> bool:
        """Whether a merge gave what the rule yields."""
        version, result = decision.outcome.version, outcome.version
        if version is None or version.record is None or version.marked:
            return result is None or side_of(result).is_delete
        return result is not None and same_record(side_of(result).record, plain(version.record), self._schema)

    def _by_event_time(self, older: object, newer: object, outcome: Outcome[Any]) -> str:
        if isinstance(newer, LogDelete):
            return self._of_entry(older, newer, kept=outcome.action is Action.KEEP, by_commit=False)
        newer_wins = wins(older, newer, outcome, self._schema)
        which = newer if newer_wins else older
        text = "the newer version wins" if newer_wins else "the older version stays"
        why = reason(older, newer, self._plan.ordering, self._schema, newer_wins=newer_wins)
        return f"{why}: {text}{self._deletes(which)}"

    def _of_entry(self, older: Any, entry: LogDelete, *, kept: bool, by_commit: bool) -> str:
        """Say what a delete entry of a log does to the entries before it."""
        if older is None:
            return "nothing is in the log before it: the delete entry counts"
        before = older.payload.get_ordering_value() if hasattr(older, "payload") else older.ordering_value
        at, other = (value(one, self._plan.ordering, self._schema) for one in (entry.ordering, before))
        if by_commit:
            return "commit time: the delete entry wins because it came later"
        if kept:
            return f"the delete entry at {at} is older than the logged version at {other}: it is ignored"
        if entry.ordering is None or entry.ordering.is_default:
            return "a delete entry without an ordering value (0) always wins"
        if before is None or not same_class(before, entry.ordering):
            kinds = f"{getattr(before, 'java_type', 'null')} and {entry.ordering.java_type}"
            return f"the ordering values have different Java classes ({kinds}) and don't compare: the delete entry wins"
        return f"the delete entry at {at} is not older than the logged version at {other}: it wins"

    # -- further facts

    def _deletes(self, winner: object) -> str:
        """Say so if the version that wins is a delete."""
        side = side_of(winner)
        return f", and deletes{self._mark(side.record)}" if side.is_delete else ""

    def _mark(self, record: Record | None) -> str:
        """Return the column that marks a row as a delete, in brackets; empty if no known column does."""
        for name, marker in self._markers:
            if record is not None and name in record and str(record[name]).lower() == marker.lower():
                return f" ({name} is {column_value(name, record[name], self._schema)})"
        return ""

    def _delete_markers(self) -> list[tuple[str, str]]:
        payload = self._plan.writer_options().get(keys.WRITE_PAYLOAD_CLASS.key)
        found = [(IS_DELETED, "true")]
        merged = {} if self._config is None else self._config.merge_properties
        for props in (self._plan.props, merged, implicit_delete_marker(payload)):
            field, marker = props.get(keys.DELETE_KEY.key), props.get(keys.DELETE_MARKER.key)
            if field and marker:
                found.append((field, marker))
        return found

    def _columns(self, older: object, newer: object, result: object) -> str:
        """Say where the columns of a row that is neither side come from."""
        if result is None or older is None or isinstance(newer, LogDelete):
            return ""
        sides = side_of(older).record, side_of(newer).record
        text = column_sources(*sides, side_of(result).record, self._schema)
        mode = None if self._config is None else self._config.partial_update_mode
        return f"{text} ({mode})" if text and mode else text

    def _overruled(self, answer: PayloadCall, older: object, newer: object, result: object) -> str:
        """Say so if a merge mode does not follow the payload's result."""
        kept = side_of(result) if result is not None else None
        if answer.method != "combine_and_get_update_value" or kept is None or kept.is_delete:
            return ""
        if answer.value is None:
            return f", yet {winner(older, newer, result, self._schema)}"
        came = side_of(newer).record
        edited = answer.value is answer.payload.record and not same_record(plain(answer.value), came, self._schema)
        if edited and same_record(kept.record, came, self._schema):
            how = "" if answer.pair is not None else ", which it edited in place"
            return f"{how}; the reader considers it unchanged, and the edit is lost"
        return ""

    def _returned(self, answer: PayloadCall) -> str:
        """Say what a payload method returned, seen from the merge."""
        payload, method, other, value = answer[:4]
        if method == "pre_combine":
            which = "newer" if value is payload else "older" if value is other else None
            return "a new version" if which is None else f"the {which} version"
        if value is None:
            return "nothing, which deletes" if method == "combine_and_get_update_value" else "nothing"
        if value is SENTINEL:
            return "SENTINEL, which leaves the stored row"
        if value is other:
            return "the stored row"
        if value is payload.record:
            return "the incoming row"
        same = same_record(value, payload.record, self._schema)
        return "a row equal to the incoming one" if same else "a new row"


def _last(answers: Sequence[PayloadCall], method: str) -> PayloadCall | None:
    return next((answer for answer in reversed(answers) if answer.method == method), None)
