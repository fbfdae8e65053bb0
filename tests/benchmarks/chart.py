"""A table of ratios as a chart: bars by matplotlib, the window at 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from tests.benchmarks.cases import BY_HAND, FLOOR, OURS, PEER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COLOURS = {FLOOR: "#9aa5b1", BY_HAND: "#d9a441", OURS: "#2f6f9f", PEER: "#a4533f"}
_INCHES, _OF_TITLE, _WIDTH = 0.27, 1.2, 9.5


def draw(title: str, bars: Sequence[tuple[str, str, float]], path: Path) -> None:
    """Write an SVG with a bar for each (name, kind, ratio), in order from top to bottom."""
    names, kinds, ratios = zip(*bars, strict=True)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ratios", "font.size": 9}):  # the same bytes each time
        figure = Figure(figsize=(_WIDTH, _OF_TITLE + _INCHES * len(bars)), layout="constrained")
        axes = figure.subplots()
        drawn = axes.barh(range(len(bars)), ratios, color=[_COLOURS[kind] for kind in kinds])
        axes.bar_label(drawn, fmt="%.2f", padding=3)
        axes.axvline(1.0, color="#666666", linewidth=0.8, linestyle="--")
        axes.set_yticks(range(len(bars)), names)
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel("times the row_number window")
        axes.set_title(title, loc="left", fontsize=10)
        for kind, colour in _COLOURS.items():
            if kind in kinds:
                axes.bar(0, 0, color=colour, label=kind)
        axes.legend(loc="lower right", frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})
