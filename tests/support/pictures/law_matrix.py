"""The law matrix at a glance: the marks of its page, each class in the newest release that has it."""

from __future__ import annotations

import re
from typing import Final

from payloads import HudiRelease
from tests.support.folders import GUIDE
from tests.support.pictures.frame import drawn

_PAGE: Final = GUIDE / "law_matrix.md"
_TOP, _LEFT, _LINE, _STEP, _MARK = 112, 364, 22, 46, 14
_SYMBOLS: Final = {"+": "holds", "**-**": "violated", "?": "open", ".": "none"}
_LEGEND: Final = (
    "Three marks per law: records only; with records marked as deletes; with deletes that have no record.",
    (
        "+ proved for all rows or on a small universe, \u2212 violated, ? not checked, dot: does not apply. "
        "Each class in its newest release."
    ),
)


def law_matrix() -> str:
    """Return the picture."""
    header, *lines = re.findall(r"^\| (.+) \|$", _PAGE.read_text("utf-8").partition("## The laws")[0], re.MULTILINE)
    _, _, *laws = header.split(" | ")
    newest = {cells[0]: cells for cells in (line.split(" | ") for line in lines)}
    rows = [
        {
            "name": name,
            "release": releases.rpartition(", ")[2].replace("all", str(HudiRelease.latest())),
            "y": _TOP + _LINE * at,
            "cells": [
                {"x": _LEFT + _STEP * law + _MARK * place, "symbol": _SYMBOLS[mark]}
                for law, marks in enumerate(cells)
                for place, mark in enumerate(marks.split(" "))
            ],
        }
        for at, (name, releases, *cells) in enumerate(newest.values())
    ]
    violated = {
        name: [law for law, marks in zip(laws, cells, strict=True) if "-" in marks]
        for name, (_, _, *cells) in newest.items()
    }
    broken = "; ".join(f"{name}: {', '.join(names) or 'none'}" for name, names in violated.items())
    return drawn(
        "law_matrix.svg",
        width=_LEFT + _STEP * len(laws) + 12,
        height=_TOP + _LINE * len(rows) + 24 + 18 * len(_LEGEND),
        title="The law matrix",
        description=f"Laws that are violated on some kind of versions. {broken}.",
        top=_TOP,
        left=_LEFT,
        laws=[{"name": law, "x": _LEFT + _STEP * at + 16} for at, law in enumerate(laws)],
        rows=rows,
        legend=_LEGEND,
    )
