"""A test that is marked neither `spark` nor `java` fails where it starts Java: the quick part of the suite has none."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

MARKERS: Final = ("spark", "java")
_PROGRAM_OF_LINUX: Final = b"\x7fELF"  # scripts stand in for Java where its version is looked at


class Watch:
    """Looks at what a test starts in this process."""

    def __init__(self) -> None:
        self._item: pytest.Item | None = None
        self._is_without_java = False
        subprocess.Popen.__init__ = self._watched(subprocess.Popen.__init__)  # type: ignore[method-assign]

    def see(self, item: pytest.Item) -> None:
        """Note the test that is about to start."""
        self._item = item
        self._is_without_java = not any(item.get_closest_marker(name) for name in MARKERS)

    def _watched(self, start: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(start)
        def watched(process: Any, args: Any, *more: Any, **named: Any) -> None:
            program = args if isinstance(args, (str, bytes, os.PathLike)) else args[0]
            if self._item is not None and self._is_without_java and _is_java(os.fsdecode(program)):
                pytest.fail(f"{self._item.nodeid} starts Java; mark it `java`, or use the fixture `spark`")
            start(process, args, *more, **named)

        return watched


def _is_java(program: str) -> bool:
    name = Path(program).name
    found = shutil.which(program) if name in {"java", "spark-submit"} else None
    if found is None:
        return False
    with Path(found).open("rb") as file:
        return name == "spark-submit" or file.read(len(_PROGRAM_OF_LINUX)) == _PROGRAM_OF_LINUX
