"""Recorder: payload classes that report which of their methods a merge called and what these returned."""

from __future__ import annotations

import copyreg
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.explain.decision import RuledPair
from mergers.rules.words import rule_of_class
from payloads import NATURAL_ORDER, HudiRelease, PayloadBridgeError, PayloadRef
from payloads.backports import state_of
from payloads.builtin import BuiltinPayload
from payloads.records import RuleVersion
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads import AvroSchema, HoodieRecordPayload

_METHODS = ("pre_combine", "combine_and_get_update_value", "get_insert_value", "is_deleted")


class PayloadCall(NamedTuple):
    """One call of a payload method by a merge.

    Attributes:
        payload: the payload that was called.
        method: the name of the method.
        other: its first argument: the older payload, the stored record, or a schema.
        value: what it returned.
        pair: the versions that it merged, with the rule of the class.
        unruled: why there is no rule for it, if there is none.
    """

    payload: HoodieRecordPayload
    method: str
    other: Any
    value: Any
    pair: RuledPair | None = None
    unruled: str = ""


class PayloadRecorder:
    """Makes classes that record, and keeps their calls.

    Attributes:
        calls: the calls in order. What a method calls on payloads itself is left out.
    """

    def __init__(self, schema: AvroSchema) -> None:
        """Record calls for versions of `schema`."""
        self._schema = schema
        self.calls: list[PayloadCall] = []
        self._depth = 0
        self.recording = functools.cache(self._recording)

    def _recording(self, payload_class: type[HoodieRecordPayload]) -> type[HoodieRecordPayload]:
        """Return the subclass of `payload_class` that records, one for each class."""
        namespace = {name: self._method(name, payload_class) for name in _METHODS} | {
            "__doc__": payload_class.__doc__,
            "__module__": payload_class.__module__,
            "__qualname__": payload_class.__qualname__,
            "__slots__": (),
            "__reduce__": _reduced,
        }
        recording: type[HoodieRecordPayload] = type(payload_class)(payload_class.__name__, (payload_class,), namespace)  # type: ignore[misc]
        return recording

    def _rule(self, name: str, payload_class: Any) -> Callable[[Any, tuple[Any, ...]], tuple[RuledPair | None, str]]:
        """Return what gives the versions of a call with the rule for it, or why there is none."""
        point = _POINTS[name]
        unruled = (
            "no rule covers this call" if issubclass(payload_class, BuiltinPayload) else "the class states no rule"
        )

        def pair(payload: Any, arguments: tuple[Any, ...]) -> tuple[RuledPair | None, str]:
            first = arguments[: point is not Point.ALONE]
            schema, props = (*arguments[len(first) :], None, None)[:2]
            if point is Point.BATCH and schema is None:  # until 0.12 nothing is passed
                schema, props = self._schema, {}
            if schema is None or props is None:
                return None, ""
            try:
                rule = rule_of_class(payload_class, point, schema, props)
            except PayloadBridgeError:  # the call itself says what is wrong
                return None, ""
            if rule is None:
                return None, unruled
            older = _NOTHING
            if point is Point.BATCH:
                older = _version(first[0])
            elif point is Point.STORED:
                older = RuleVersion(first[0], NATURAL_ORDER)
            return RuledPair(rule, older, _version(payload), schema, point), ""

        return pair

    def _method(self, name: str, payload_class: type[HoodieRecordPayload]) -> Callable[..., object]:
        method = getattr(payload_class, name)
        rule_of = self._rule(name, payload_class)

        def call(payload: HoodieRecordPayload, *arguments: object) -> Any:
            pair, unruled = (None, "") if self._depth else rule_of(payload, arguments)
            self._depth += 1
            try:
                value = method(payload, *arguments)
            finally:
                self._depth -= 1
            if type(value) is payload_class:  # some classes name the class of the payload that they make
                value = _as(type(payload), value)
            if not self._depth:
                other = arguments[0] if arguments else None
                self.calls.append(PayloadCall(payload, name, other, value, pair, unruled))
            return value

        return call


@dataclass(frozen=True, slots=True)
class RecordedPayloadRef(PayloadRef):
    """A payload whose calls are recorded, in this process alone."""

    of: PayloadRef = field(kw_only=True)
    recorder: PayloadRecorder = field(kw_only=True, compare=False)

    def has_port(self, release: str | HudiRelease = HudiRelease.latest()) -> bool:
        """Whether the payload has a Python class."""
        return self.of.has_port(release)

    def resolve(self, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
        """Return the subclass that records of the class of this name; errors as in `PayloadRef`."""
        return self.recorder.recording(self.of.resolve(release))


_POINTS = {
    "pre_combine": Point.BATCH,
    "combine_and_get_update_value": Point.STORED,
    "get_insert_value": Point.ALONE,
    "is_deleted": Point.ALONE,
}
_NOTHING = RuleVersion(None, NATURAL_ORDER)


def _version(payload: object) -> RuleVersion:
    return RuleVersion(getattr(payload, "record", None), getattr(payload, "ordering_value", NATURAL_ORDER))


def _reduced(payload: HoodieRecordPayload) -> tuple[Any, ...]:
    """Copy a payload as an object of its own class; that of the class which it records is of the latter."""
    return copyreg.__newobj__, (type(payload),), state_of(payload)  # type: ignore[attr-defined]


def _as(payload_class: type[HoodieRecordPayload], made: HoodieRecordPayload) -> HoodieRecordPayload:
    """Return a payload of `payload_class`, a subclass, in the state of `made`."""
    taken: HoodieRecordPayload = payload_class.__new__(payload_class)
    state = state_of(made)
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        setattr(taken, name, value)
    return taken
