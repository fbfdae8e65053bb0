"""What the rule of a merge mode comes down to for windows over the versions of a key, and the nodes that these lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.engines.native.partial_updates import Gap
from payloads.rules import (
    DATA,
    META_COLUMNS,
    RESETS,
    STAYS_WHOLE,
    ByArrival,
    ByOrdering,
    Effect,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Role,
    Take,
)

if TYPE_CHECKING:
    from payloads import AvroSchema
    from payloads.rules import Gives, MergeRule, RuleNode

_MET: Final = frozenset(
    {
        (ByArrival(), ()),
        (ByArrival(), (STAYS_WHOLE,)),
        (ByOrdering(), (RESETS,)),
        (ByOrdering(), (RESETS, STAYS_WHOLE)),
    }
)
"""Which version is later, and what deletes do, as `versions.py` folds them."""
_KEPT: Final = frozenset({Effect.WINNER, Effect.FILLED})
_FROM_OTHER: Final = (Take(Role.LATER), Take(Role.EARLIER))


class Windows(NamedTuple):
    """A rule that keeps the last of the versions with the greatest ordering value, or the last of all.

    Attributes:
        by_ordering: whether ordering values compare; a delete with Integer 0 then replaces whatever is there.
        gaps: the columns that are filled from the other version; meta columns are not merged here.
        lacking: the nodes that say anything else: with one of them the rule does not run in windows.
    """

    by_ordering: bool
    gaps: tuple[Gap, ...]
    lacking: tuple[RuleNode | Gives, ...]

    @classmethod
    def of(cls, rule: MergeRule, schema: AvroSchema) -> Windows:
        """Read them off a rule for rows of a schema."""
        gaps: list[Gap] = []
        lacking: list[RuleNode | Gives] = []
        if (rule.later, rule.cases) not in _MET:
            lacking += [rule.later, *rule.cases]
        if rule.result not in _KEPT:
            lacking.append(rule.result)
        has_defaults = any(field.has_default and field.default is not None for field in schema.fields)
        for name, node in rule.columns.items():
            match node:
                case _ if name in META_COLUMNS:
                    pass
                case Take(Role.LATER):
                    pass
                case FirstNonDefault(values) | FirstNonNull(values) if (
                    name == DATA and values == _FROM_OTHER and not has_defaults
                ):
                    gaps += [Gap(field.name, None) for field in schema.fields if field.schema.nullable]
                case FirstNonMarker(values, marker) if values == _FROM_OTHER:
                    if schema.by_name[name].schema.non_null.logical is None:
                        gaps.append(Gap(name, marker))
                case _:
                    lacking.append(node)
        return cls(isinstance(rule.later, ByOrdering), tuple(gaps), tuple(lacking))
