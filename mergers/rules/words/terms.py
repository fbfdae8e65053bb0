"""Terms: what the two versions, the columns and the outcomes are called at a merge point."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from payloads.rules import (
    Effect,
    Point,
    Role,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class Terms:
    """What a rule calls the two versions and the columns.

    Attributes:
        older, newer: the version that was there, and the one that came.
        effects: what each outcome means there.
        later, earlier: the later and the earlier version of the rule.
        meets: whether there are two versions.
        names: columns that are called otherwise than by their names.
        kinds: columns that stand for all of a kind, with what these are called.
        texts: the same of texts that mark deletes.
    """

    older: str
    newer: str
    effects: Mapping[Effect, str]
    later: str = "the later version"
    earlier: str = "the earlier version"
    meets: bool = True
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kinds: Mapping[str, str] = dataclasses.field(default_factory=dict)
    texts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def side(self, role: Role) -> str:
        """Return what the version on a side is called."""
        return {
            Role.OLDER: self.older,
            Role.NEWER: self.newer,
            Role.LATER: self.later,
            Role.EARLIER: self.earlier,
        }[role]

    def column(self, name: str) -> str:
        """Return what a column is called."""
        return self.names.get(name, f"`{name}`")

    def value(self, value: Any) -> str:
        """Return a value as it is written."""
        if isinstance(value, str):
            return self.texts.get(value, f"'{value}'")
        return str(value).lower() if isinstance(value, bool) else "null" if value is None else repr(value)


MADE: Final = {
    Effect.NEW: "a new row is made, column by column",
    Effect.FILLED: "{later} is {kept}, as a new row if a column has a gap",
    Effect.CHANGED: "{later} is {kept}, as a new row if a column takes another value",
    Effect.EDITED: "{later} is {kept}, edited in place if a column takes another value",
}


def _effects(kept: str, **others: str) -> dict[Effect, str]:
    own = {Effect[name.upper()]: text for name, text in others.items()}
    made = {effect: text.replace("{kept}", kept) for effect, text in MADE.items()}
    return {Effect.WINNER: f"{{later}} is {kept}", **made, **own}


_OF_ROWS: Final = Terms(
    "the stored row",
    "the incoming version",
    _effects(
        "stored",
        current="the stored row stays",
        incoming="the incoming version is stored",
        copy="a copy of the incoming version is stored",
        sentinel="the stored row is left as it is (SENTINEL)",
        delete="no row is left",
    ),
)
_OF_ONE: Final = Terms(
    "no row",
    "the version",
    _effects(
        "inserted",
        current="nothing changes",
        incoming="it is inserted",
        copy="a copy of it is inserted",
        sentinel="nothing is inserted (SENTINEL)",
        delete="nothing is inserted",
    ),
    meets=False,
)
_OF_BATCH: Final = Terms(
    "the older version",
    "the newer version",
    _effects(
        "kept",
        current="the older version is kept",
        incoming="the newer version is kept",
        copy="a copy of the newer version is kept",
        sentinel="the older version is left as it is (SENTINEL)",
        delete="neither is kept: the key is deleted",
    ),
)
_OF_ENTRY: Final = Terms(
    "the version before it",
    "the delete entry",
    _effects(
        "kept",
        current="the version before it stays, and the delete entry is ignored",
        incoming="the delete entry is kept: the key is deleted",
        copy="a copy of the delete entry is kept: the key is deleted",
        sentinel="the version before it is left as it is (SENTINEL)",
        delete="neither is kept: the key is deleted",
    ),
)
TERMS: Final = {
    Point.BATCH: _OF_BATCH,
    Point.STORED: _OF_ROWS,
    Point.ALONE: _OF_ONE,
    Point.ENTRY: _OF_ENTRY,
}
"""The terms of each point."""
