"""Payloads that were written for 0.15, as they are there and as a later release wants them (tests/jvm/java)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from payloads import HudiRelease
from tests.jvm.java_compiler import SOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.jvm.java_compiler import JavaCompiler

_SINCE = re.compile(r"\s*// since (\S+): (.*)")
_SOURCES = {name: (SOURCES / name).read_text("utf-8") for name in ("OlderShapes.java", "OlderFork.java")}
FORK: Final = "org.apache.hudi.common.model.OlderFork"
NAMES: Final = (*re.findall(r"static class (\w+)", _SOURCES["OlderShapes.java"]), FORK)


def sources_for(release: HudiRelease) -> dict[str, str]:
    """Return the sources changed by hand for a release: a comment `since` replaces the line before it."""
    return {name: "\n".join(_lines(text, release)) for name, text in _SOURCES.items()}


def _lines(text: str, release: HudiRelease) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        found = _SINCE.match(line)
        if found is None:
            lines.append(line)
        elif HudiRelease.parse(found[1]) <= release:
            lines[-1] = found[2]
    return lines


def jar_for(compiler: JavaCompiler, release: HudiRelease) -> Path:
    """Return the jar of the sources for a release, compiled against its bundle."""
    return compiler.compiled(sources_for(release), release)
