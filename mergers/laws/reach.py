"""Where examples reach besides small values: long texts, large collections and numbers, mixed units of time, constants.

Each reach has examples of its own, in which most fields take its values: so two versions of one example share them, or
differ in them alone.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from payloads.avro import AvroSchema

Strategy = st.SearchStrategy[Any]

_LONG_TEXT, _VERY_LONG_TEXT = 5, 300
_LARGE, _VERY_LARGE = 3, 40
_EXACT: Final = 1 << 53
"""Up to here a double holds every integer."""
_INT_MOST, _LONG_MOST = (1 << 31) - 1, (1 << 63) - 1
_SECONDS: Final = 1_700_000_000
_INSTANTS: Final = (
    *(_SECONDS, _SECONDS + 1),
    *(_SECONDS * 1_000, _SECONDS * 1_000 + 1, (_SECONDS + 1) * 1_000),
    *(_SECONDS * 1_000_000, (_SECONDS + 1) * 1_000_000),
)
"""Two instants in seconds, milliseconds and microseconds."""
_OF_ONE, _OF_TWO = 2, 4
"""How many examples nearly always satisfy a condition on one version or on two."""
_MOST_CONSTANTS = 64
_MOST_LENGTH, _MOST_ITEMS = 2_000, 64


class Reach(NamedTuple):
    """Special values.

    Attributes:
        rounds: how many times ten examples it has, for a hundred of any shape.
        of: the values for fields of a plain type; None if there is none for that type.
        items: for the values inside a collection, the collections; None for the usual ones.
        keys: keys of maps besides the usual ones.
    """

    rounds: int
    of: Callable[[AvroSchema], Strategy | None] = lambda _schema: None
    items: Callable[[AvroSchema, Strategy], Strategy] | None = None
    keys: tuple[str, ...] = ()


def often(strategy: Strategy, times: int) -> Strategy:
    """Return a strategy that counts several times where it is one of others; the same one twice counts once."""
    return st.one_of([strategy.map(_same) for _ in range(times)])


def _same(value: object) -> Any:
    return value


def reaches(schema: AvroSchema, constants: Iterable[object]) -> list[Reach]:
    """Return the reaches that matter to records of a schema, and one for each constant that fits a field."""
    inner = list(_inner(schema, set()))
    names = {field.name for one in inner if one.kind == "record" for field in one.fields}
    chosen = [constant for constant in constants if not (isinstance(constant, str) and constant in names)]
    general = [
        Reach(_OF_ONE, _long_text),
        Reach(_OF_ONE, items=_large_collection),
        Reach(_OF_TWO, _large_number),
        Reach(_OF_TWO, _instant),
    ]
    special = map(_constant, chosen[:_MOST_CONSTANTS])
    return [reach for reach in (*general, *special) if any(_matters(reach, one) for one in inner)]


def _matters(reach: Reach, schema: AvroSchema) -> bool:
    if schema.kind in {"array", "map"}:
        return reach.items is not None or (schema.kind == "map" and bool(reach.keys))
    return reach.of(schema) is not None


def _inner(schema: AvroSchema, seen: set[str]) -> Iterator[AvroSchema]:
    """Yield a schema and those inside it; a record that contains itself once."""
    if schema.kind == "record":
        if schema.name in seen:
            return
        seen.add(schema.name)
    yield schema
    for part in schema.parts:
        yield from _inner(part, seen)


def _long_text(schema: AvroSchema) -> Strategy | None:
    match schema.kind:
        case "string":
            return st.text(min_size=_LONG_TEXT, max_size=12) | st.integers(_LONG_TEXT, _VERY_LONG_TEXT).map(_text)
        case "bytes" if schema.logical is None:
            return st.binary(min_size=_LONG_TEXT, max_size=_VERY_LONG_TEXT)
    return None


def _large_number(schema: AvroSchema) -> Strategy | None:
    match schema.kind:
        case "int":
            return st.sampled_from((_INT_MOST, _INT_MOST - 1, -_INT_MOST, -_INT_MOST - 1))
        case "long":
            near = st.sampled_from((_EXACT, _EXACT + 1))
            ends = st.sampled_from((_LONG_MOST, _LONG_MOST - 1, -_LONG_MOST, -_LONG_MOST - 1, -_EXACT - 1))
            return often(near, 3) | st.integers(_EXACT, _LONG_MOST) | ends
        case "double":
            return st.sampled_from((float(_EXACT), float(_EXACT + 2), -float(_EXACT), 1e300, 0.1, 0.1 + 0.2, 5e-324))
    return None


def _instant(schema: AvroSchema) -> Strategy | None:
    if schema.kind == "double":
        return st.sampled_from(tuple(map(float, _INSTANTS)))
    if schema.kind == "string":
        return st.sampled_from(tuple(map(str, _INSTANTS)))
    fitting = tuple(filter(schema.fits, _INSTANTS)) if schema.kind in {"int", "long"} else ()
    return st.sampled_from(fitting) if fitting else None


def _large_collection(schema: AvroSchema, item: Strategy) -> Strategy:
    if schema.kind == "map":
        keys = st.sampled_from("abcdefgh") | st.text(max_size=4)
        return st.dictionaries(keys, item, min_size=_LARGE, max_size=8)
    same = st.builds(lambda value, number: [value] * number, item, st.integers(_LARGE, _VERY_LARGE))
    return st.lists(item, min_size=_LARGE, max_size=6) | same


def _constant(value: Any) -> Reach:
    """Return the reach of a constant: itself; of a number its neighbours too, and texts and lists of that length."""
    is_count = isinstance(value, int) and 0 < value <= _MOST_LENGTH
    items = functools.partial(_of_length, value) if is_count and value <= _MOST_ITEMS else None
    return Reach(_OF_ONE, functools.partial(_near, value), items, (value,) if isinstance(value, str) else ())


def _near(value: object, schema: AvroSchema) -> Strategy | None:
    near: list[object] = []
    match schema.kind, value:
        case (("int" | "long"), int()):
            # Most conditions are satisfied by the constant itself.
            near = [value, value, value, value + 1, value - 1]
        case (("float" | "double"), int() | float()):
            near = [float(value), float(value), float(value), float(value + 1), float(value - 1)]
        case "string", int() if 0 < value <= _MOST_LENGTH:
            near = [_text(value), _text(value + 1)]
        case ("string", str()) | ("bytes", bytes()):
            near = [value]
    fitting = [one for one in near if schema.fits(one)]
    return st.sampled_from(fitting) if fitting else None


def _of_length(length: int, schema: AvroSchema, item: Strategy) -> Strategy:
    sizes = st.integers(max(length - 1, 0), length + 1)
    if schema.kind == "map":
        return st.builds(lambda value, size: {f"k{at}": value for at in range(size)}, item, sizes)
    return st.builds(lambda value, size: [value] * size, item, sizes)


def _text(length: int) -> str:
    return "x" * length
