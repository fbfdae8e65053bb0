"""Recorder: a payload class that reports which of its methods a merge called and what they returned, for `explain`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.plan import MergePlan
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads import HoodieRecordPayload

_METHODS = ("pre_combine", "combine_and_get_update_value", "get_insert_value", "is_deleted")


class Answer(NamedTuple):
    """One call of a payload method from outside.

    Attributes:
        payload: the payload that was called.
        method: the name of the method.
        other: its first argument: the older payload, the stored record, or a schema.
        value: what it returned.
    """

    payload: HoodieRecordPayload
    method: str
    other: Any
    value: Any


@dataclass(frozen=True, slots=True)
class RecordedPayloadRef(PayloadRef):
    """A payload whose calls are recorded, in this process alone; `listener` is called after each of them."""

    listener: Callable[[Answer], None] = field(kw_only=True, compare=False)

    def resolve(self, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
        """Return the class of this name, or rather a subclass that records; errors as in `PayloadRef`."""
        return _recorded(PayloadRef(self.name, self.jar, self.package).resolve(release), self.listener)


class _RecordedPlan(MergePlan):
    """A plan whose payloads are recorded: the writer's, and another that the table has."""

    def payload_ref(self, java_name: str) -> PayloadRef:
        """Return the reference to a payload class."""
        found = super().payload_ref(java_name)
        if isinstance(found, RecordedPayloadRef) or not isinstance(self.payload, RecordedPayloadRef):
            return found
        return RecordedPayloadRef(found.name, found.jar, found.package, listener=self.payload.listener)


def recorded_plan(plan: MergePlan, listener: Callable[[Answer], None]) -> MergePlan:
    """Return a plan that merges as `plan` does, and reports what payloads return."""
    payload = plan.payload
    if payload is None:
        return plan
    settings = {one.name: getattr(plan, one.name) for one in fields(plan)}
    ref = RecordedPayloadRef(payload.name, payload.jar, payload.package, listener=listener)
    return _RecordedPlan(**{**settings, "payload": ref})


def _recorded(
    payload_class: type[HoodieRecordPayload], listener: Callable[[Answer], None]
) -> type[HoodieRecordPayload]:
    """Return the subclass of `payload_class` that records; a call from another method of the class is left out."""
    depth = 0

    def recording(name: str) -> Callable[..., Any]:
        method = getattr(payload_class, name)

        def call(self: HoodieRecordPayload, *arguments: Any, **keywords: Any) -> Any:
            nonlocal depth
            depth += 1
            try:
                value = method(self, *arguments, **keywords)
            finally:
                depth -= 1
            if type(value) is payload_class:  # a payload that this one made is recorded, too
                value.__class__ = type(self)
            if not depth:
                listener(Answer(self, name, arguments[0] if arguments else None, value))
            return value

        return call

    def reduced(self: HoodieRecordPayload) -> tuple[Any, ...]:
        make, arguments, *state = method_of_base(self)
        return (_again, (type(self), make, arguments), *state)

    method_of_base = payload_class.__reduce__
    namespace = {name: recording(name) for name in _METHODS} | {
        "__doc__": payload_class.__doc__,
        "__module__": payload_class.__module__,
        "__qualname__": payload_class.__qualname__,
        "__slots__": (),
        "__reduce__": reduced,
    }
    recorded_class: type[HoodieRecordPayload] = type(payload_class)(payload_class.__name__, (payload_class,), namespace)  # type: ignore[misc]
    return recorded_class


def _again(payload_class: type[HoodieRecordPayload], make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Make a copy of the recorded class: the payload's own class would make one that is not recorded."""
    made = make(*arguments)
    made.__class__ = payload_class
    return made
