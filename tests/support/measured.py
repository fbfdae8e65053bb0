"""`python -m tests.support.measured` writes the table of the README's Speed section from the stored ratios.

These are in `tests/data/benchmarks`: what `python -m tests.benchmarks --charted --no-grow --peers --out FOLDER` leaves.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Final

from tests.benchmarks import jvm_case
from tests.support.folders import ROOT

RATIOS: Final = ROOT / "tests" / "data" / "benchmarks" / "ratios.json"
README: Final = ROOT / "README.md"
TABLE: Final = re.compile(r"^\| times the window \|.*?(?=\n\n)", re.MULTILINE | re.DOTALL)
"""The table in the README."""
_LINES: Final = {
    "event time, as Spark's expressions": "upsert, event time 1.2, native",
    "a built-in class (`DefaultHoodieRecordPayload`, 0.15), in Python": "upsert, Default 0.15",
    "partial update (`PartialUpdateAvroPayload`, 1.2), in Python": "upsert, PartialUpdate 1.2",
    "a custom Python class": "upsert, user's class 0.15",
    "a compiled class": jvm_case.NAME.format("upsert"),
    "a custom Python class, `snapshot` of a log": "snapshot, user's class 0.15",
}


@functools.cache
def tables() -> list[dict[str, Any]]:
    """Return what was measured of each shape of data, the first one with all cases."""
    found: list[dict[str, Any]] = json.loads(RATIOS.read_text("utf-8"))["tables"]
    return found


def by_name(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the cases of a shape by name."""
    return {case["name"]: case for case in table["cases"]}


def shape_words(table: dict[str, Any]) -> str:
    """Return the shape of the data, in a few words."""
    if table["new"]:
        return f"{table['new']:.0%} new keys"
    updated = f"{table['contested']:.0%} updated" if table["contested"] else "no common keys"
    return updated if table["columns"] == tables()[0]["columns"] else f"{updated}, {table['columns']} columns"


def speed_table() -> str:
    """Return the table: a case of ours a line, a shape of data a column."""
    shapes = tables()
    lines = ["| times the window | " + " | ".join(map(shape_words, shapes)) + " |", "|---|" + "---:|" * len(shapes)]
    for words, name in _LINES.items():
        cases = [by_name(table).get(name) for table in shapes]
        cells = [f"{case['times_window']:.2f}" if case else "" for case in cases]
        if any(cells):
            lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Replace the table in the README."""
    README.write_text(TABLE.sub(lambda _: speed_table(), README.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
