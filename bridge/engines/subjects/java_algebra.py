"""JvmAlgebra: the operations of a compiled payload class, for the laws; one round trip through the gateway a merge."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from bridge.engines.jvm import PayloadCalls, checked, decoded, ordering_of
from bridge.engines.subjects.java_elsewhere import OtherJvms
from bridge.linkage import literals_of
from mergers.laws import Observed, through_bytes
from payloads import PayloadBridgeError, PayloadFailedError
from payloads.ordering import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from bridge.engines.jvm import CallStep, ClassCalls, JavaAnswer, JvmPayload
    from mergers.laws import Version
    from payloads import AvroSchema, Ordering, Record
    from payloads.api import Props


@dataclass(eq=False)
class _Held:
    """An object in the JVM.

    Attributes:
        number: its number in Java.
        answer: what is observable of it, or the error of observing it; None if not observed yet.
        state: its serialised form; None if not observed yet, or if it has none.
        step: the step that makes it, as long as that has not run.
        origin: what it is a copy of, which has to be there until the step has run.
    """

    number: int = -1
    answer: Observed | PayloadBridgeError | None = None
    state: str | None = None
    step: CallStep | None = None
    origin: _Held | None = field(default=None, repr=False)


class JvmAlgebra:
    """A compiled class: preCombine merges, combineAndGetUpdateValue and getInsertValue act.

    A copy is made by Spark's serialiser, as in a shuffle. It is made by the call that uses it.

    Attributes:
        name: the class.
        schema: the schema of all records.
        payload_class: the class as a payload of the library.
        is_remote: that a merge takes a call of another process.
    """

    is_remote = True

    def __init__(
        self,
        payload_class: type[JvmPayload],
        schema: AvroSchema,
        props: Props,
        order: Callable[[Ordering, Ordering], int] = compare,
    ) -> None:
        """Prepare; `order` compares ordering values as the class does."""
        self.name = payload_class.__name__
        self.schema = schema
        self.payload_class = payload_class
        self.order = order
        self._calls: ClassCalls = payload_class.calls
        self._asked = self._calls.call_fields(schema, props)
        self._props = props

    def elsewhere(self) -> OtherJvms:
        """Return the runner that repeats merges in separate JVMs."""
        return OtherJvms(self._in_driver, self._run_by)

    def _run_by(self, calls: ClassCalls) -> JvmAlgebra:
        """Return the same class, run by other calls."""
        other = type(self.name, (self.payload_class,), {"calls": calls})
        return JvmAlgebra(other, self.schema, self._props, self.order)

    @functools.cached_property
    def constants(self) -> tuple[object, ...]:
        """The literals of the class, and of the user's classes that it refers to."""
        return literals_of(self.payload_class.java_name, self._in_driver.class_file)

    @property
    def _in_driver(self) -> PayloadCalls:
        """The calls of the driver.

        Raises:
            TypeError: this is the algebra of another JVM, which has no others.
        """
        if isinstance(self._calls, PayloadCalls):
            return self._calls
        msg = "only the driver's JVM knows its class files, and starts others"
        raise TypeError(msg)

    def __reduce__(self) -> NoReturn:
        msg = "the objects of a compiled class stay in their JVM"
        raise TypeError(msg)

    # -- the operations

    def incoming(self, version: Version) -> _Held:
        """Build an object by (record, ordering value)."""
        return self._built(version.record, version.ordering)

    def merge(self, older: _Held, newer: _Held) -> _Held:
        """Return the result of `newer.preCombine(older)`."""
        merged = self._new()
        step = {"op": "pre_combine", "id": newer.number, "older": older.number, "as": merged.number, **self._asked}
        answer, *looks = self._run([older, newer], [step, *self._looks(merged)])
        checked(answer, self.payload_class.java_name)
        if answer["winner"] == "null":
            msg = f"{self.payload_class.java_name}.preCombine returned null; it must return a payload"
            raise PayloadFailedError(msg)
        return self._seen(merged, looks)

    def act(self, row: Record | None, newer: _Held) -> Record | None:
        """Return what is stored after merging with the row; a row that it changes is changed here too."""
        if row is None:
            (answer,) = self._run([newer], [{"op": "insert_value", "id": newer.number, **self._asked}])
            checked(answer, self.payload_class.java_name)
            return None if answer["outcome"] != "record" else self._calls.record_of(answer)
        stored = self._calls.stored(self.schema, row)
        step = {"op": "combine", "id": newer.number, **stored, **self._asked, "watch": True}
        (answer,) = self._run([newer], [step])
        checked(answer, self.payload_class.java_name)
        if answer["current_after"] is not None:
            row |= decoded(self.schema, answer["current_after"])
        match answer["outcome"]:
            case "empty":
                return None
            case "sentinel":
                return row
        return self._calls.record_of(answer)

    def answer(self, version: _Held) -> Observed:
        """Return data, ordering value and delete mark."""
        if version.answer is None:
            self._seen(version, self._run([version], self._looks(version)))
        if isinstance(version.answer, Observed):
            return version.answer
        raise version.answer or PayloadFailedError(self.name)

    def copy(self, version: _Held) -> _Held:
        """Return a copy, which its first use makes."""
        twin = self._new()
        twin.answer, twin.state, twin.origin = version.answer, version.state, version
        twin.step = {"op": "copy", "id": version.number, "as": twin.number}
        return twin

    def key(self, version: _Held) -> Hashable:
        """Return the serialised state, None if there is none."""
        return version.state

    def restored(self, version: _Held) -> _Held:
        """Rebuild the object from the Avro bytes of its data and its ordering value."""
        answer = self.answer(version)
        return self._built(through_bytes(answer.record, self.schema), answer.ordering)

    # -- asking

    def _new(self) -> _Held:
        held = _Held()
        held.number = self._calls.number_for(held)
        return held

    def _built(self, record: Record | None, ordering: Ordering | None) -> _Held:
        held = self._new()
        held.step = self._calls.make_step(held.number, self.payload_class.java_name, record, ordering, self.schema)
        return self._seen(held, self._run([held], self._looks(held)))

    def _looks(self, held: _Held) -> list[CallStep]:
        # The data comes last: until 1.0 it is the insert value of a class without a base, and asking may leave traces.
        return [{"op": op, "id": held.number, **self._asked} for op in ("state", "ordering", "is_deleted", "data")]

    def _seen(self, held: _Held, looks: list[JavaAnswer]) -> _Held:
        """Keep what looking at an object gave."""
        state, *rest = looks
        text = state.get("value")
        held.state = text if isinstance(text, str) else None
        try:
            ordering, deleted, data = (checked(one, self.payload_class.java_name) for one in rest)
            record = self._calls.record_of(data)
            held.answer = Observed(record, ordering_of(ordering), bool(deleted["value"]))
        except PayloadBridgeError as error:
            held.answer = error
        return held

    def _run(self, used: list[_Held], steps: list[CallStep]) -> list[JavaAnswer]:
        """Run steps after those that make what they use."""
        unmade = list(dict.fromkeys(held for held in used if held.step is not None))
        answers = self._calls.run([*(held.step for held in unmade if held.step is not None), *steps])
        for held, answer in zip(unmade, answers, strict=False):
            checked(answer, self.payload_class.java_name)
            held.step = held.origin = None
        for held in used:
            # Earlier observations may be outdated.
            held.answer = held.state = None
        return answers[len(unmade) :]
