"""Runs the same calls on a port and on the real Java class, and says where the two differ."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge.engines.jvm_errors import in_comparison
from bridge.engines.jvm_payload import make_step
from bridge.ordering_text import from_text
from payloads import SENTINEL, HudiRelease, Ordering, PayloadBridgeError, parse_schema
from payloads.avro import decode, encode
from tests.conformance.errors import Kind, kind_of, kind_of_java
from tests.conformance.same import same_ordering, same_plain, same_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.engines.jvm_payload import PayloadCalls
    from payloads import AvroSchema
    from tests.jvm.strategies import Case

Step = dict[str, Any]


def scenes(case: Case) -> Iterator[tuple[str, list[Step]]]:
    """Give what is tried: each scene builds its own payloads, because some remember what they were asked."""
    older, newer = _make("older", *case.older), _make("newer", *case.newer)
    view = [
        {"op": "insert_value", "id": "merged", "props": case.props},
        {"op": "is_deleted", "id": "merged", "props": case.props},
        {"op": "ordering", "id": "merged"},
        {"op": "data", "id": "merged"},
        {"op": "metadata", "id": "merged"},
    ]
    for name, asked in {
        "pre_combine(schema, props)": {"schema": True, "props": case.props},
        "pre_combine(props)": {"props": case.props},
        "pre_combine()": {},
    }.items():
        yield (
            name,
            [older, newer, {"op": "pre_combine", "id": "newer", "older": "older", "as": "merged", **asked}, *view],
        )
    combine = {"op": "combine", "id": "newer", "stored": case.stored[0], "props": case.props}
    again = {**combine, "stored": case.stored[1]}
    asked = {"id": "newer", "props": case.props}
    yield (
        "combine(props)",
        [newer, combine, {"op": "metadata", "id": "newer"}, again, {"op": "is_deleted", **asked}],
    )
    yield "combine()", [newer, {**combine, "props": None}, {"op": "insert_value", **asked}]
    yield (
        "insert_value(props)",
        [
            newer,
            {"op": "insert_value", **asked},
            {"op": "metadata", "id": "newer"},
            {"op": "is_deleted", **asked},
            combine,
        ],
    )
    yield (
        "is_deleted({})",
        [
            newer,
            {"op": "is_deleted", "id": "newer", "props": {}},
            {"op": "insert_value", **asked},
            {"op": "ordering", "id": "newer"},
        ],
    )
    yield (
        "insert_value()",
        [newer, {"op": "insert_value", "id": "newer", "props": None}, {"op": "can_produce_sentinel", "id": "newer"}],
    )
    if case.payload_class.release >= HudiRelease.V1_1:
        yield "indexed_record", [newer, {"op": "indexed_record", **asked}]
    if not case.payload_class.__name__.startswith("Empty"):
        optional = {**newer, "ordering": Ordering("int", 0), "constructor": "option"}
        yield "by option", [optional, {"op": "ordering", "id": "newer"}, combine]


def _make(name: str, record: Any, ordering: Ordering | None) -> Step:
    return {"op": "make", "id": name, "record": record, "ordering": ordering}


def differences(case: Case, calls: PayloadCalls) -> list[str]:
    """Run every scene of a case on both sides, with one call to Java; return what differs."""
    played = list(scenes(case))
    steps = [_java_step(case, index, step) for index, (_, scene) in enumerate(played) for step in scene]
    answers = iter(calls.run(steps))
    found = []
    for name, scene in played:
        port = _Port(case)
        for step in scene:
            real, own = _java_answer(case, next(answers)), port.play(step)
            if not _agree(case, real, own):
                found.append(f"{name}: {step['op']} of {step['id']}: Java {real}, port {own}")
                break
        else:
            continue
        for _ in range(len(scene) - scene.index(step) - 1):
            next(answers)
    return found


# -- the real class


def _java_step(case: Case, scene: int, step: Step) -> Step:
    numbers = {name: scene * 3 + index for index, name in enumerate(("older", "newer", "merged"))}
    number = numbers[step["id"]]
    schema_text = _text(case.schema)
    if step["op"] == "make":
        made = make_step(number, case.payload_class.java_name, step["record"], step["ordering"], case.schema)
        return {**made, "constructor": step.get("constructor", made["constructor"])}
    sent = {"op": step["op"], "id": number, "props": step.get("props"), "schema": schema_text}
    if step["op"] == "pre_combine":
        sent |= {"older": numbers[step["older"]], "as": numbers[step["as"]]}
        sent["schema"] = schema_text if step.get("schema") else None
    if step["op"] == "combine":
        data = base64.b64encode(encode(case.stored_schema, step["stored"])).decode()
        sent |= {"current": data, "current_schema": _text(case.stored_schema)}
    return sent


def _text(schema: AvroSchema) -> str:
    return json.dumps(schema.source)


@dataclass(frozen=True)
class Failed:
    """An error, by its kind; the text is for people."""

    kind: str
    text: str = ""


def _java_answer(case: Case, answer: dict[str, Any]) -> Any:  # noqa: PLR0911 (one for each kind of answer)
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
        return "a record that does not fit its schema"
    if "record" in answer:
        record = answer["record"]
        decoded = None if record is None else decode(parse_schema(answer["schema"]), base64.b64decode(record))
        return answer.get("outcome"), answer.get("winner") == "current", decoded
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
    """Plays a scene on the Python class."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.payloads: dict[str, Any] = {}

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
        self.payloads[step["id"]] = self.case.payload_class(None if record is None else dict(record), step["ordering"])

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
            return "sentinel", False, None
        if result is not stored and not self.case.schema.fits(result):
            return "a record that does not fit its schema"
        return "record", result is stored, result


def _agree(case: Case, real: Any, own: Any) -> bool:
    if isinstance(real, Failed) and isinstance(own, Failed):
        return real.kind == own.kind
    if isinstance(real, tuple) and isinstance(own, tuple):
        if real[:2] != own[:2] or (real[2] is None) != (own[2] is None):
            return False
        schema = case.stored_schema if real[1] else case.schema
        return real[2] is None or same_value(schema, real[2], own[2])
    if isinstance(real, Ordering) and isinstance(own, Ordering):
        return same_ordering(real, own)
    return type(real) is type(own) and same_plain(real, own)
