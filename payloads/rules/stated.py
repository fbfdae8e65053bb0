"""Rules that users state: in place of methods, completed by what Hudi's merge modes do with deletes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from payloads.errors import PayloadConfigError
from payloads.rules.deletes import RESETS, STAYS_WHOLE
from payloads.rules.nodes import ByColumn, ByOrdering, Case
from payloads.rules.version_tests import IsDelete, IsEmpty
from payloads.rules.walk import nodes_of
from payloads.rules.words import Effect, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from payloads.rules.nodes import MergeRule

_WITHOUT_COLUMNS = Case(IsEmpty(Role.NEWER), Effect.INCOMING)


def completed(rule: MergeRule, owner: str) -> MergeRule:
    """Return what a user's rule does with any two versions.

    What `_hoodie_is_deleted` or Hudi marks is a delete, besides what the rule says. Where none of its cases tests for
    deletes, these do what they do in Hudi's merge modes: the later version stays as it is, and a delete that has
    nothing to compare replaces what is older.

    Args:
        rule: what the user states.
        owner: the class, for messages.

    Raises:
        PayloadConfigError: the rule leaves something to methods, or to an object that only methods have.
    """
    left = [*rule.conditions, *(one for one in rule.yields if one is Effect.EDITED)]
    if left:
        msg = f"{owner}: its rule has {left[0]!r}, which only rules of Hudi's classes can have; remove it"
        raise PayloadConfigError(msg)
    before: tuple[Case, ...] = ()
    if not any(isinstance(node, IsDelete | IsEmpty) for node in nodes_of(rule.cases)):
        before = (STAYS_WHOLE,)
        if isinstance(rule.later, ByOrdering):
            before = RESETS, STAYS_WHOLE
        elif isinstance(rule.later, ByColumn):
            before = _WITHOUT_COLUMNS, STAYS_WHOLE
    deletes = dataclasses.replace(rule.deletes, flag=True, marked=True)
    return dataclasses.replace(rule, deletes=deletes, cases=(*before, *rule.cases))


def check_without_methods(owner: str, methods: Iterable[str]) -> None:
    """Check that a class with a rule has no methods: one of the two would not run.

    Raises:
        PayloadConfigError: naming them.
    """
    found = list(methods)
    if found:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""  # noqa: PLR2004
        named = f"{', '.join(found[:3])}{more}"
        msg = (
            f"{owner} states a rule and also has {named}, so it defines twice how it merges; keep one of the two "
            "(`replay` compares a class with methods and one with a rule on your rows)"
        )
        raise PayloadConfigError(msg)
