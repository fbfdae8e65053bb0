"""The support matrix of the guide says what the code says, with a reason for every refusal."""

from __future__ import annotations

import re

from bridge.programs import PROGRAMS
from tests.support import support_matrix
from tests.support.support_matrix import PAGE, ROWS


def test_the_page_is_current() -> None:
    """Where it is not: `python -m tests.support.support_matrix`."""
    assert PAGE.read_text("utf-8") == support_matrix.text()


def test_every_program_has_a_row() -> None:
    assert {row.program for row in ROWS} == {*PROGRAMS, "explain"}


def test_every_refusal_has_a_reason() -> None:
    rows, _, reasons = support_matrix.text().partition("## Reasons")
    table, _, _ = rows.partition("## Other lines of PySpark")
    cells = [cell.strip() for line in table.splitlines() if line.startswith("| ") for cell in line.split("|")[3:-1]]
    assert all(re.fullmatch(r"p j n|n|(-|[pjn]( [jn])?) \([\d, ]+\)|\d\.\d+", cell) for cell in cells)
    listed = set(re.findall(r"^(\d+)\. \S", reasons, re.MULTILINE))
    assert listed == {number for cell in cells if "(" in cell for number in re.findall(r"\d+", cell)}
