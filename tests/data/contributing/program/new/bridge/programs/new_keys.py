"""The program of `new_keys`: the rows that a batch inserts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge import Action
from bridge.programs.key_state import KeyState

if TYPE_CHECKING:
    from bridge.programs.program import Emit


class NewKeys(KeyState):
    """Write a batch, and show the rows of keys that had none."""

    def finish(self, emit: Emit) -> None:
        """Emit the row of a key without a stored row; nothing for any other key."""
        if self.base is None and self.write_base(self.input) is Action.INSERT:
            emit(Action.INSERT, self.base)
