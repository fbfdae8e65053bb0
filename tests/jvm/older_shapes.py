"""Payloads that were written for 0.15, as they are there and as a later release wants them (tests/jvm/java)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from payloads import HudiRelease
from tests.jvm.java_compiler import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.jvm.java_compiler import JavaCompiler

_SINCE = re.compile(r"\s*// since (\S+): (.*)")
_SOURCE = (SOURCES / "OlderShapes.java").read_text("utf-8")
NAMES = tuple(re.findall(r"static class (\w+)", _SOURCE))


def source_for(release: HudiRelease) -> str:
    """Return the source changed by hand for a release: a comment `since` replaces the line before it."""
    lines: list[str] = []
    for line in _SOURCE.splitlines():
        found = _SINCE.match(line)
        if found is None:
            lines.append(line)
        elif HudiRelease.parse(found[1]) <= release:
            lines[-1] = found[2]
    return "\n".join(lines)


def jar_for(compiler: JavaCompiler, release: HudiRelease) -> Path:
    """Return the jar of the source for a release, compiled against its bundle."""
    return compiler.compiled({"OlderShapes.java": source_for(release)}, release)
