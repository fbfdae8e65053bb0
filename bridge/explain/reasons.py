"""What decided a merge call, in words: from its input, its output, and the results of the payload's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config import capabilities, implicit_delete_marker, keys
from bridge.explain.versions import plain, plain_text, reason, same_record, side_of, value, winner, wins
from bridge.merge import Action, LogDelete, MergePoint, merge_config
from bridge.redaction import current
from bridge.report import json_field
from mergers import RecordMergeMode
from mergers.laws import same_bytes
from payloads import SENTINEL
from payloads.builtin import IS_DELETED
from payloads.ordering import same_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.config import EffectiveMergeConfig, PointRule
    from bridge.explain.recorder import PayloadCall
    from bridge.merge import Outcome
    from bridge.plan import MergePlan
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
        rule = self._rule(point)
        if rule is None or rule.mode is None:
            text = self._of_payload(older, newer, outcome, answers)
        elif rule.mode is _CUSTOM:
            text = self._of_custom(rule, older, newer, outcome, answers)
        else:
            text = self._of_mode(rule.mode, older, newer, outcome)
        return text + self._columns(older, newer, result)

    # -- who decides

    def _rule(self, point: MergePoint) -> PointRule | None:
        """Return the merge rule of a point; None if the payload is called without one."""
        config = self._config
        if config is None:
            return None
        if point in {MergePoint.COMBINE_INPUT, MergePoint.TAG, MergePoint.UPSERT}:
            if self._can.payload_writer:
                return None
            return config.dedup if point is MergePoint.COMBINE_INPUT else config.merge
        return config.read

    def _of_write(self, version: Any, result: Any, answers: Sequence[PayloadCall], *, to_log: bool) -> str:
        """Say why a version is stored, logged or dropped."""
        answer = _last(answers, "get_insert_value")
        tested = _last(answers, "is_deleted")
        side = side_of(version)
        if tested is not None and tested.value:
            why = "is_deleted returns true" + self._mark(side.record)
        elif answer is not None:
            why = self._answer(answer)
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

    def _of_payload(self, older: Any, newer: Any, outcome: Outcome[Any], answers: Sequence[PayloadCall]) -> str:
        if isinstance(newer, LogDelete):
            return self._of_entry(older, newer, kept=outcome.action is Action.KEEP, by_commit=False)
        answer = _last(answers, "pre_combine") or _last(answers, "combine_and_get_update_value")
        text = "" if older is None else self._orderings(older, newer)
        if answer is not None:
            return self._answer(answer) + text
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
            return self._answer(answer) + self._orderings(older, newer) + self._overruled(answer, older, newer, result)
        if rule.payload is None and self._plan.merger is not None and self._calls_merger(older, newer):
            text = winner(older, newer, result, self._schema)
            return f"{self._plan.merger.name} merges: {text}{self._orderings(older, newer)}"
        # If a side is a delete, Hudi mostly decides without a call.
        decided = self._by_event_time(older, newer, outcome)
        return f"the payload is not called: {decided}" if rule.payload is not None else decided

    def _calls_merger(self, older: Any, newer: Any) -> bool:
        """Whether a user's merger sees the two: in 1.0 no deletes."""
        deletes = side_of(newer).is_delete or (older is not None and side_of(older).is_delete)
        return self._can.buffered_mergers or not deletes

    def _answer(self, answer: PayloadCall) -> str:
        """Say what a payload method returned; the class is named where it is not the writer's."""
        class_name, own = type(answer.payload).__name__, self._plan.payload
        is_own = own is None or own.name.replace(":", ".").rpartition(".")[2] == class_name
        return f"{answer.method}{'' if is_own else f' of {class_name}'} returns {self._returned(answer)}"

    def _orderings(self, older: Any, newer: Any) -> str:
        """Return the ordering values of both sides, in addition to a result that may have other reasons."""
        left, right = self._ordering_text(older), self._ordering_text(newer)
        if left is None or right is None:
            return ""
        names = ", ".join(self._plan.ordering) or "ordering"
        return f" ({names}: {left}, then {right})"

    def _ordering_text(self, carrier: Any) -> str | None:
        """Return the ordering columns of a version; of a delete without data the ordering value that it came with."""
        side = side_of(carrier)
        if side.record is None:
            return None if side.ordering is None else value(side.ordering, self._plan.ordering)
        if not self._plan.ordering or any(name not in side.record for name in self._plan.ordering):
            return None
        return ", ".join(_shown(name, side.record[name]) for name in self._plan.ordering)

    # -- merge modes

    def _of_mode(self, mode: RecordMergeMode, older: Any, newer: Any, outcome: Outcome[Any]) -> str:
        if mode is _BY_COMMIT:
            if isinstance(newer, LogDelete):
                return self._of_entry(older, newer, kept=False, by_commit=True)
            return f"commit time: the newer version wins, as it came later{self._deletes(newer)}"
        if mode is RecordMergeMode.EVENT_TIME_ORDERING:
            return self._by_event_time(older, newer, outcome)
        return f"{mode.value}: {winner(older, newer, outcome.version, self._schema)}"

    def _by_event_time(self, older: Any, newer: Any, outcome: Outcome[Any]) -> str:
        if isinstance(newer, LogDelete):
            return self._of_entry(older, newer, kept=outcome.action is Action.KEEP, by_commit=False)
        newer_wins = wins(older, newer, outcome, self._schema)
        which = newer if newer_wins else older
        text = "the newer version wins" if newer_wins else "the older version stays"
        return f"{reason(older, newer, self._plan.ordering, newer_wins=newer_wins)}: {text}{self._deletes(which)}"

    def _of_entry(self, older: Any, entry: LogDelete, *, kept: bool, by_commit: bool) -> str:
        """Say what a delete entry of a log does to the entries before it."""
        if older is None:
            return "nothing is in the log before it: the delete entry counts"
        before = older.payload.get_ordering_value() if hasattr(older, "payload") else older.ordering_value
        at, other = (value(one, self._plan.ordering) for one in (entry.ordering, before))
        if by_commit:
            return "commit time: the delete entry wins, as it came later"
        if kept:
            return f"the delete entry at {at} is older than the logged version at {other}: it is ignored"
        if entry.ordering is None or entry.ordering.is_default:
            return "a delete entry without an ordering value (0) wins against all"
        if before is None or not same_class(before, entry.ordering):
            kinds = f"{getattr(before, 'java_type', 'null')} and {entry.ordering.java_type}"
            return f"the ordering values have different Java classes ({kinds}) and don't compare: the delete entry wins"
        return f"the delete entry at {at} is not older than the logged version at {other}: it wins"

    # -- further facts

    def _deletes(self, winner: Any) -> str:
        """Say so if the version that wins is a delete."""
        side = side_of(winner)
        return f", and deletes{self._mark(side.record)}" if side.is_delete else ""

    def _mark(self, record: Record | None) -> str:
        """Return the column that marks a row as a delete, in brackets; empty if no known column does."""
        for name, marker in self._markers:
            if record is not None and name in record and str(record[name]).lower() == marker.lower():
                return f" ({name} is {_shown(name, record[name])})"
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

    def _columns(self, older: Any, newer: Any, result: Any) -> str:
        """Say where the columns of a row that is neither side come from."""
        if result is None or older is None or isinstance(newer, LogDelete):
            return ""
        left, right, made = side_of(older).record, side_of(newer).record, side_of(result).record
        if made is None or left is None or right is None:
            return ""
        if any(same_record(made, side, self._schema) for side in (left, right)):
            return ""
        as_left, as_right = ({name for name in made if self._same(name, made, side)} for side in (left, right))
        kept = [name for name in made if name in as_left - as_right]
        new = [name for name in made if name not in as_left | as_right]
        taken = [name for name in made if name in as_right - as_left]
        # Both lists are true; the shorter one is the exception.
        if len(kept) <= len(taken):
            text = f"; kept from the older version: {', '.join(kept)}" if kept else ""
        else:
            text = f"; taken from the newer version: {', '.join(taken)}" if taken else ""
        if new:
            text += f"; from neither: {', '.join(new)}"
        return text + self._partial()

    def _same(self, name: str, left: Record, right: Record) -> bool:
        """Whether two records have the same value in a column."""
        field = self._schema.by_name.get(name)
        one: Any = left.get(name)
        other: Any = right.get(name)
        return one is other or (one == other if field is None else same_bytes(one, other, field.schema))

    def _partial(self) -> str:
        mode = None if self._config is None else self._config.partial_update_mode
        return "" if mode is None else f" ({mode})"

    def _overruled(self, answer: PayloadCall, older: Any, newer: Any, result: Any) -> str:
        """Say so if a merge mode does not follow the payload's result."""
        kept = side_of(result) if result is not None else None
        if answer.method != "combine_and_get_update_value" or kept is None or kept.is_delete:
            return ""
        if answer.value is None:
            return f", yet {winner(older, newer, result, self._schema)}"
        came = side_of(newer).record
        edited = answer.value is answer.payload.record and not same_record(plain(answer.value), came, self._schema)
        if edited and same_record(kept.record, came, self._schema):
            return ", which it has edited in place; the reader considers it unchanged, and the edit is lost"
        return ""

    def _returned(self, answer: PayloadCall) -> str:
        """Say what a payload method returned, seen from the merge."""
        payload, method, other, value = answer
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
        return "a row equal to the incoming one" if same else "a row of its own"


def _shown(column: str, value: Any) -> str:
    """Write the value of a column as text, or what stands for a hidden one."""
    return plain_text(json_field(column, value) if current().hides(column) else value)


def _last(answers: Sequence[PayloadCall], method: str) -> PayloadCall | None:
    return next((answer for answer in reversed(answers) if answer.method == method), None)
