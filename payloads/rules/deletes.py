"""What Hudi's merge modes do with deletes, as cases of rules."""

from __future__ import annotations

from typing import Final

from payloads.rules.nodes import Case
from payloads.rules.version_tests import AllOf, AnyOf, DeleteTests, IsDelete, IsNatural
from payloads.rules.words import Effect, Role

MARKED: Final = DeleteTests(marked=True)
"""The versions that were found to be deletes when they were made."""
RESETS: Final = Case(
    AnyOf(tuple(AllOf((IsDelete(role), IsNatural(role))) for role in (Role.OLDER, Role.NEWER))), Effect.INCOMING
)
"""A delete without an ordering value replaces what is older, and gives way to what is newer."""
STAYS_WHOLE: Final = Case(AnyOf((IsDelete(Role.OLDER), IsDelete(Role.NEWER))), Effect.WINNER)
"""Where one is a delete, the later version stays as it is."""
