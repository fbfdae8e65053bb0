"""The rules of merge modes as Java reads them: as JSON, of the nodes, fields and words that `MergeRule.java` has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.strategies import buffered_merger
from payloads import parse_schema
from payloads.rules import Effect, Point, Role, rule_to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mergers import RecordMergeMode
    from payloads import HudiRelease
    from payloads.rules import MergeRule

NODES_IN_JAVA: Final = {
    "MergeRule": ("later", "deletes", "cases", "otherwise"),
    "ByArrival": (),
    "ByOrdering": ("tie", "reverse", "unlike_wins"),
    "DeleteTests": ("marked",),
    "Case": ("when", "gives"),
    **dict.fromkeys(("IsEmpty", "IsDelete", "IsNatural", "IsUnordered", "LaterIs"), ("role",)),
    "AllOf": ("tests",),
    "AnyOf": ("tests",),
    "Not": ("test",),
}
"""The nodes that Java has, each with the fields that it reads; another field has to have its default."""
WORDS_IN_JAVA: Final = tuple(
    f"{type(word).__name__}.{word.name}" for word in (*Role, Effect.CURRENT, Effect.INCOMING, Effect.WINNER)
)
POINTS: Final = (Point.BATCH, Point.ENTRY, Point.STORED)
_NO_COLUMNS: Final = parse_schema({"type": "record", "name": "row", "fields": []})
"""No column decides which version of a row Java keeps."""


def mode_rules(
    mode: RecordMergeMode, release: HudiRelease, partial: str | None = None
) -> dict[Point, MergeRule | None]:
    """Return what a mode does wherever versions meet; None where it states no rule."""
    merger = buffered_merger(mode, _NO_COLUMNS, {}, release=release, partial_update_mode=partial)
    return {point: merger.rule(point, _NO_COLUMNS) for point in POINTS}


def missing_in_java(rules: Iterable[MergeRule | None]) -> tuple[str, ...]:
    """Return what Java lacks of some rules: the nodes, fields and words by name."""
    known = {
        *WORDS_IN_JAVA,
        *NODES_IN_JAVA,
        *(f"{node}.{field}" for node, names in NODES_IN_JAVA.items() for field in names),
    }
    found = (part for rule in rules for part in (("a rule",) if rule is None else _parts(rule_to_json(rule))))
    return tuple(dict.fromkeys(part for part in found if part not in known))


def _parts(written: object) -> Iterator[str]:
    """Give the names of a rule's JSON: nodes, their fields, words."""
    match written:
        case {"node": node, **fields}:
            yield node
            for name, value in fields.items():
                yield f"{node}.{name}"
                yield from _parts(value)
        case {"word": word}:
            yield word
        case list():
            for one in written:
                yield from _parts(one)
