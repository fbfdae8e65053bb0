"""Compares what the code under test answered with the recorded answer, field by field."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.avro.branch import Branch
from payloads.errors import PayloadBridgeError
from payloads.ordering import Ordering, ordering_text
from tests.conformance.avro_json import FLOATS, decode_json, decode_ordering
from tests.conformance.errors import kind_of, kind_of_java
from tests.conformance.same import same_ordering, same_plain, same_value, to_float32
from tests.conformance.vector import Failure, Vector

if TYPE_CHECKING:
    from collections.abc import Iterator

_ONLY_REPORTED = {"identity", "equals"}
_NOT_NESTED = {"record", "ordering", "metadata"}
_UNENCODABLE = "__unencodable__"
_NOTHING = Failure("no stage", KeyError("the answer has no such field"))
_SHOWN = 400


class Comparison(NamedTuple):
    """Compares an answer with the one that `vector` records."""

    vector: Vector

    def mismatches(self, observed: Any) -> Iterator[str]:
        """Name every field of the recorded answer that `observed` does not meet."""
        yield from self._answer(self.vector.expect, observed, "")

    def _answer(self, expect: dict[str, Any], observed: Any, path: str) -> Iterator[str]:
        where = path or "the answer"
        if "error" in expect:
            yield from self._error(expect["error"], observed, where)
        elif isinstance(observed, Failure):
            yield f"{where}: expected a result, got {show(observed)}"
        elif not isinstance(observed, dict):
            yield f"{where}: expected {show(expect)}, got {show(observed)}"
        else:
            for field, expected in self._completed(expect, observed).items():
                inner = f"{path}.{field}" if path else field
                if field not in _ONLY_REPORTED:
                    yield from self._field(expect, field, expected, observed.get(field, _NOTHING), inner)

    def _completed(self, expect: dict[str, Any], observed: dict[str, Any]) -> dict[str, Any]:
        """Add the fields that the format leaves out where they are the vector's own."""
        own = {"payload_class": self.vector.payload_class, "record_schema": self.vector.raw.get("schema")}
        return {**{field: value for field, value in own.items() if field in observed}, **expect}

    def _field(self, expect: dict[str, Any], field: str, expected: Any, actual: Any, path: str) -> Iterator[str]:
        if isinstance(expected, dict) and field not in _NOT_NESTED:
            yield from self._answer(expected, actual, path)
            return
        match field:
            case "record":
                same = self._same_record(expect, expected, actual)
            case "ordering":
                same = isinstance(actual, Ordering | None) and _same_ordering(expected, actual)
            case "winner":
                same = any(same_plain(actual, winner) for winner in self._winners(expect))
            case _:
                same = same_plain(actual, expected)
        if not same:
            yield f"{path}: expected {show(expected)}, got {show(actual)}"

    def _winners(self, expect: dict[str, Any]) -> list[Any]:
        """Return the winners that meet the expectation: one, but for a record that Hudi changed in place.

        Such a record comes back as the incoming object although its value is another one. Here no record is changed
        in place, so that the answer is a new object, and only its value can tell: `merged` will do, and in `combine`,
        where `winner` goes by value too, an input that the value equals.
        """
        winner = expect["winner"]
        if expect.get("identity") == "newer" and winner == "merged":
            return [winner, *expect["equals"]]
        is_buffered_version = "operation" in expect and isinstance(winner, int)
        if is_buffered_version and expect["record"] != self.vector.raw["records"][winner]["value"]:
            return [winner, "merged"]
        return [winner]

    def _same_record(self, expect: dict[str, Any], expected: Any, actual: Any) -> bool:
        if expected is None or not isinstance(actual, dict):
            return expected is None and actual is None
        schema = self.vector.named_schema(expect.get("record_schema", self.vector.raw["schema"]))
        if _UNENCODABLE in expected:
            return not schema.fits(actual) and _has_text(actual, expected["to_string"])
        return same_value(schema, actual, decode_json(schema, expected))

    def _error(self, expected: dict[str, Any], observed: Any, where: str) -> Iterator[str]:
        kind = kind_of_java(expected, self.vector.payload_class)
        wanted = f"an error of kind {kind.value!r} at {expected['stage']} ({expected['type'].rpartition('.')[2]})"
        if not isinstance(observed, Failure):
            yield f"{where}: expected {wanted}, got {show(observed)}"
        elif not isinstance(observed.error, PayloadBridgeError):
            yield f"{where}: expected {wanted}, got the foreign {show(observed)}"
        elif (observed.stage, kind_of(observed.error)) != (expected["stage"], kind):
            yield f"{where}: expected {wanted}, got kind {kind_of(observed.error).value!r}: {show(observed)}"


def _same_ordering(expected: dict[str, Any], actual: Ordering | None) -> bool:
    """Whether an ordering value is the recorded one; of a class that the format has no name for by its text alone."""
    if "." in expected["type"]:
        return bool(ordering_text(actual) == expected["value"])
    return same_ordering(actual, decode_ordering(expected))


def _has_text(record: dict[str, Any], text: str) -> bool:
    """Whether a record has the text of a Java GenericRecord; always where that text could not be made."""
    try:
        shown = json.loads(text)
    except ValueError:
        return True
    return same_plain(_as_text_shows(shown), _as_text_shows(record))


def _as_text_shows(value: Any) -> Any:  # noqa: PLR0911
    """Return a value as the text shows it: no branches, bytes as ISO-8859-1, floats and doubles alike."""
    match value:
        case Branch():
            return _as_text_shows(value.value)
        case dict():
            return {key: _as_text_shows(item) for key, item in value.items()}
        case list():
            return [_as_text_shows(item) for item in value]
        case bytes():
            return value.decode("iso-8859-1")
        case float() if not math.isfinite(value):
            return next(name for name, special in FLOATS.items() if same_plain(special, value))
        case float():
            return to_float32(value)
        case _:
            return value


def show(value: Any) -> str:
    """Return a short readable form."""
    if isinstance(value, Failure):
        text = f"{type(value.error).__name__} at {value.stage}: {value.error}"
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except TypeError:
            text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
