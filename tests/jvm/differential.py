"""Runs the same calls on a port and on the real Java class, and says where the two differ."""

from __future__ import annotations

import base64
import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.engines.jvm.errors import in_comparison
from bridge.engines.ordering_text import from_text
from payloads import SENTINEL, Ordering, PayloadBridgeError
from payloads.avro.codec import decode, encode
from tests.conformance.errors import Kind, kind_of, kind_of_java
from tests.conformance.same import same_ordering, same_plain, same_value
from tests.jvm.strategies import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bridge.engines.jvm.calls import PayloadCalls
    from payloads import AvroSchema, Record
    from tests.jvm.call_sequences import Step
    from tests.jvm.strategies import Case


class Difference(NamedTuple):
    """Where the port and the real class part.

    Attributes:
        case: what was tried.
        sequence: the name of the sequence.
        text: the first step with different answers, and both of them.
    """

    case: Case
    sequence: str
    text: str


def compared(played: Sequence[tuple[Case, str, list[Step]]], calls: PayloadCalls) -> Iterator[Difference]:
    """Run sequences on both sides, with one call to Java; yield the sequences that differ."""
    sent = _Sent(calls)
    running = _JAVA.submit(calls.run, [sent.step(case, step) for case, _, sequence in played for step in sequence])
    own_answers = [_Port(case).played(sequence) for case, _, sequence in played]
    answers = iter(running.result())
    for (case, name, sequence), own in zip(played, own_answers, strict=True):
        both = zip(sequence, itertools.islice(answers, len(sequence)), own, strict=True)
        known = _known(case)
        # What follows the first difference of a sequence follows from it.
        found = [text for text in (_difference(case, calls, known, *one) for one in both) if text]
        if found:
            yield Difference(case, name, found[0])


def _difference(  # noqa: PLR0913, PLR0917 (both sides, and where they are)
    case: Case, calls: PayloadCalls, known: _Known, step: Step, answer: dict[str, Any], own: Any
) -> str:
    real = _java_answer(case, answer, calls)
    return "" if _agree(case, real, own, known) else f"{step['op']} of {step['id']}: Java {real}, port {own}"


# -- the real class


_JAVA = ThreadPoolExecutor(1)  # while it runs, the ports play
_NUMBERS = {"older": 0, "newer": 1, "merged": 2}


class _Sent:
    """Steps as Java gets them; what sequences share is written once."""

    def __init__(self, calls: PayloadCalls) -> None:
        self._calls = calls
        self._known: dict[int, tuple[Any, Any]] = {}

    def step(self, case: Case, step: Step) -> Step:
        if step["op"] == "make":
            return self._once(step, lambda: self._made(case, step))
        number = self._calls.schema_number(case.schema)
        sent = {"op": step["op"], "id": _NUMBERS[step["id"]], "props": step.get("props"), "schema": number}
        if step["op"] == "pre_combine":
            sent |= {"older": _NUMBERS[step["older"]], "as": _NUMBERS[step["as"]]}
            sent["schema"] = number if step.get("schema") else None
        if step["op"] == "combine":
            sent |= self._once(step["stored"], lambda: self._stored(case, step["stored"]))
        return sent

    def _made(self, case: Case, step: Step) -> Step:
        number, name = _NUMBERS[step["id"]], case.payload_class.java_name
        if step["constructor"] == "text":
            return {"op": "make", "id": number, "class": name, "constructor": "text", "record": step["record"]}
        made = self._calls.make_step(number, name, None, step["ordering"], case.schema)
        data = None if step["record"] is None else _base64(case.schema, step["record"])
        return {**made, "constructor": step["constructor"], "record": data}

    def _stored(self, case: Case, row: Record) -> Step:
        return {
            "current": _base64(case.stored_schema, row),
            "current_schema": self._calls.schema_number(case.stored_schema),
        }

    def _once(self, owner: Any, make: Callable[[], Step]) -> Step:
        # The owner is kept, so that its id stays its own.
        if id(owner) not in self._known:
            self._known[id(owner)] = owner, make()
        return self._known[id(owner)][1]


@dataclass(frozen=True)
class Failed:
    """An error, by its kind; the text is for people."""

    kind: str
    text: str = ""


def _base64(schema: AvroSchema, record: Record) -> str:
    return base64.b64encode(record.data if isinstance(record, Row) else encode(schema, record)).decode("ascii")


class Misfit(NamedTuple):
    """A record that does not fit its schema."""

    text: str


class Encoded(NamedTuple):
    """A record as Java wrote it."""

    schema: AvroSchema
    data: bytes

    @property
    def record(self) -> Record:
        record: Record = decode(self.schema, self.data)
        return record

    def __repr__(self) -> str:
        return repr(self.record)


def _java_answer(case: Case, answer: dict[str, Any], calls: PayloadCalls) -> Any:  # noqa: PLR0911 (one for each kind of answer)
    if "skipped" in answer:
        return "skipped"
    if "error" in answer:
        if kind := _kind_in_comparison(answer["error"]):
            return Failed(kind.value, str(answer["error"]["message"]))
        links = [answer["error"], *answer["error"]["causes"]]
        # What follows a class in parentheses names loaders and modules.
        cut = [
            {**link, "message": re.sub(r" \((?:class )?\S+ (?:and|is) .*\)$", "", link["message"] or "")}
            for link in links
        ]
        kind = kind_of_java({**cut[0], "causes": cut[1:]}, case.payload_class.java_name)
        return Failed(kind.value, f"{links[0]['type']}: {links[0]['message']}")
    if "misfit" in answer:
        return Misfit(answer["misfit"])
    if "record" in answer:
        record = answer["record"]
        encoded = None if record is None else Encoded(calls.schema_of(answer), base64.b64decode(record))
        return answer.get("outcome"), answer.get("winner") == "current", encoded
    if "outcome" in answer:
        return answer["outcome"], False, None
    if "winner" in answer:
        return answer["winner"]
    value = answer.get("value")
    if isinstance(value, list):
        return from_text({"type": value[0], "value": value[1]})
    return value


def _kind_in_comparison(error: dict[str, Any]) -> Kind | None:
    """Return the kind of an error that `compareTo` itself raised; its message depends on the class."""
    kinds = {"NullPointerException": Kind.NULL_ORDERING, "ClassCastException": Kind.ORDERING_TYPE}
    return kinds.get(error["type"].rpartition(".")[2]) if in_comparison(error) else None


# -- the port


class _Port:
    """Plays a sequence on the Python class."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.payloads: dict[str, Any] = {}

    def played(self, sequence: list[Step]) -> list[Any]:
        """Run a sequence."""
        return [self.play(step) for step in sequence]

    def play(self, step: Step) -> Any:
        """Run a step; say what came of it in the words of `_java_answer`."""
        needed = [step[name] for name in ("id", "older") if name in step and step["op"] != "make"]
        if any(name not in self.payloads for name in needed):
            return "skipped"
        try:
            return getattr(self, step["op"])(step)
        except PayloadBridgeError as error:
            return Failed(kind_of(error).value, f"{type(error).__name__}: {error}")

    def make(self, step: Step) -> None:
        record = step["record"]
        given = dict(record) if isinstance(record, dict) else record
        ordering = [step["ordering"]] if step["constructor"] in {"record_ordering", "option"} else []
        self.payloads[step["id"]] = self.case.payload_class(given, *ordering)

    def pre_combine(self, step: Step) -> str:
        own, older = self.payloads[step["id"]], self.payloads[step["older"]]
        merged = own.pre_combine(older, self.case.schema if step.get("schema") else None, step.get("props"))
        self.payloads[step["as"]] = merged
        return "self" if merged is own else "older" if merged is older else "new"

    def combine(self, step: Step) -> Any:
        stored = dict(step["stored"])
        props = [] if step["props"] is None else [step["props"]]
        result = self.payloads[step["id"]].combine_and_get_update_value(stored, self.case.schema, *props)
        return self._answer(result, stored)

    def insert_value(self, step: Step) -> Any:
        props = [] if step["props"] is None else [step["props"]]
        return self._answer(self.payloads[step["id"]].get_insert_value(self.case.schema, *props), None)

    def indexed_record(self, step: Step) -> Any:
        return self._answer(self.payloads[step["id"]].get_indexed_record(self.case.schema, step["props"]), None)

    def is_deleted(self, step: Step) -> bool:
        return bool(self.payloads[step["id"]].is_deleted(self.case.schema, step["props"]))

    def ordering(self, step: Step) -> Ordering | None:
        return self.payloads[step["id"]].get_ordering_value()

    def data(self, step: Step) -> Any:
        return None, False, self.payloads[step["id"]].record

    def metadata(self, step: Step) -> Any:
        return self.payloads[step["id"]].get_metadata()

    def can_produce_sentinel(self, step: Step) -> bool:
        return self.payloads[step["id"]].can_produce_sentinel()

    def _answer(self, result: Any, stored: Any) -> Any:
        if result is None:
            return "empty", False, None
        if result is SENTINEL:
            return "sentinel", False, stored  # as the payload left it
        return "record", result is stored, result


_Known = dict[tuple[int, ...], bytes]


def _known(case: Case) -> _Known:
    """Return the bytes of the rows of a case, by the identities of their values: payloads seldom copy these."""
    rows = (case.older[0], case.newer[0], *case.stored)
    return {tuple(map(id, row.values())): row.data for row in rows if isinstance(row, Row)}


def _agree(case: Case, real: Any, own: Any, known: _Known) -> bool:
    if isinstance(real, Failed) and isinstance(own, Failed):
        return real.kind == own.kind
    if isinstance(real, Misfit):
        return isinstance(own, tuple) and own[0] == "record" and not case.schema.fits(own[2])
    if isinstance(real, tuple) and isinstance(own, tuple):
        if real[:2] != own[:2] or (real[2] is None) != (own[2] is None):
            return False
        schema = case.stored_schema if real[1] or real[0] == "sentinel" else case.schema
        return real[2] is None or _same_record(schema, real[2], own[2], known)
    if isinstance(real, Ordering) and isinstance(own, Ordering):
        return same_ordering(real, own)
    return type(real) is type(own) and same_plain(real, own)


def _same_record(schema: AvroSchema, real: Encoded, own: Record, known: _Known) -> bool:
    if real.schema is schema and known.get(tuple(map(id, own.values()))) == real.data:
        return True
    try:
        is_same = real.schema is schema and encode(schema, own) == real.data
    except PayloadBridgeError:
        return False
    # Maps and NaN have several encodings.
    return is_same or same_value(schema, real.record, own)
