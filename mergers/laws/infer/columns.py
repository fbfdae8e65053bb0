"""The values that a column may take: nodes of the language, and the same with both versions exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from payloads.rules import (
    Concat,
    Constant,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    Least,
    Role,
    Sum,
    Take,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from payloads.avro import Field
    from payloads.rules import Column

OLDER, NEWER = Role.OLDER, Role.NEWER
ORDERED: Final = frozenset({"int", "long", "float", "double", "string", "boolean", "bytes", "fixed", "enum"})
"""The kinds of columns whose values compare."""
_NUMBERS: Final = frozenset({"int", "long", "float", "double"})
_OTHER: Final = {OLDER: NEWER, NEWER: OLDER}
_SWAPPED: Final = {OLDER: Role.EARLIER, NEWER: Role.LATER}


def candidates(field: Field, constants: Sequence[Any], results: Sequence[Any]) -> Iterator[Column]:
    """Give the values that a column may take without a test, the simplest first.

    Args:
        field: the column.
        constants: what the class may compare with, among them markers.
        results: values that the class put there itself.
    """
    newer_first, older_first = (Take(NEWER), Take(OLDER)), (Take(OLDER), Take(NEWER))
    yield from newer_first
    for sides in (newer_first, older_first):
        yield FirstNonNull(sides)
        if field.has_default and field.default is not None:
            yield FirstNonDefault(sides)
    plain = field.schema.non_null
    if plain.kind in {"string", "bytes"} and plain.logical is None:
        kind = str if plain.kind == "string" else bytes
        for marker in dict.fromkeys(one for one in constants if isinstance(one, kind)):
            for sides in (newer_first, older_first):
                yield FirstNonMarker(sides, marker)
                yield FirstNonMarker((FirstNonNull(sides), sides[1]), marker)
    if plain.kind in ORDERED:
        yield from (Least(), Greatest())
    if plain.kind in _NUMBERS and plain.logical is None:
        yield Sum()
    if plain.kind == "array":
        yield Concat()
    if plain.kind == "map":
        yield Union()
    yield from map(Constant, results)


def turned(node: Column) -> Column | None:
    """Return a node with both versions exchanged; None for one that treats them alike."""
    match node:
        case Take(side):
            return Take(_OTHER[side])
        case FirstNonNull((Take(first), Take(_))):
            return FirstNonNull((Take(_OTHER[first]), Take(first)))
        case FirstNonDefault((Take(first), Take(_)), by):
            return FirstNonDefault((Take(_OTHER[first]), Take(first)), by)
        case FirstNonMarker((Take(first), Take(_)), marker):
            return FirstNonMarker((Take(_OTHER[first]), Take(first)), marker)
        case _:
            return None


def by_later(node: Column) -> Column | None:
    """Return a node that says LATER for the newer version, and EARLIER for the older one."""
    match node:
        case Take(side):
            return Take(_SWAPPED[side])
        case FirstNonNull((Take(first), Take(last))):
            return FirstNonNull((Take(_SWAPPED[first]), Take(_SWAPPED[last])))
        case FirstNonDefault((Take(first), Take(last)), by):
            return FirstNonDefault((Take(_SWAPPED[first]), Take(_SWAPPED[last])), by)
        case FirstNonMarker((Take(first), Take(last)), marker):
            return FirstNonMarker((Take(_SWAPPED[first]), Take(_SWAPPED[last])), marker)
        case _:
            return None
