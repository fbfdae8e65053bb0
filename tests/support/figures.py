"""Figures: what a long run has found out, in a file, so that one that was stopped goes on where it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path


class Figures:
    """What became of each table, a line of the file for each."""

    def __init__(self, file: Path, **settings: Any) -> None:
        """Take the file, and the settings with which its figures count."""
        self._file, self._settings = file, settings

    def known(self, names: Iterable[str], is_fine: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
        """Return the last figures of the tables of these names, in their order, if they are fine."""
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []
        told = {one["name"]: one for one in map(json.loads, lines) if one["settings"] == self._settings}
        return {name: told[name] for name in names if name in told and is_fine(told[name])}

    def add(self, name: str, **told: Any) -> dict[str, Any]:
        """Write down the figures of a table, and return them."""
        found = {"name": name, "settings": self._settings, **told}
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(found)}\n")
        return found
