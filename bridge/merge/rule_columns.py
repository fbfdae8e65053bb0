"""The columns that a rule looks at where it chooses one of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.backports import assert_never
from payloads.rules import Effect, Error, columns_named

if TYPE_CHECKING:
    from payloads.rules import Gives, MergeRule


def columns_of_choice(rule: MergeRule | None) -> frozenset[str] | None:
    """Return the columns by which a rule chooses a version; None if it is called, or makes records of several."""
    if rule is None or rule.conditions or any(map(_makes_records, rule.yields)):
        return None
    return columns_named(rule.later, rule.deletes, rule.cases)


def _makes_records(gives: Gives) -> bool:
    match gives:
        case Effect.NEW | Effect.FILLED | Effect.CHANGED | Effect.EDITED:
            return True
        case Effect.CURRENT | Effect.INCOMING | Effect.WINNER | Effect.COPY | Effect.SENTINEL | Effect.DELETE | Error():
            return False
        case other:
            assert_never(other)
