"""Pages of the guide that programs make are what these make now."""

from __future__ import annotations

import re

from bridge.explain.causes import Cause
from bridge.programs import PROGRAMS
from tests.support import known_reports, support_matrix, what_changes


def test_the_gallery_is_current() -> None:
    """Where it is not: `python -m tests.support.known_reports`."""
    assert known_reports.PAGE.read_text("utf-8") == known_reports.text()


def test_the_pages_on_what_changes_are_those_of_the_recorded_tables() -> None:
    """Where they are not: `python -m tests.support.what_changes`."""
    pages = what_changes.pages()
    assert {path.name for path in pages if path.parent == what_changes.FOLDER} == {
        path.name for path in what_changes.FOLDER.iterdir()
    }
    assert [path.name for path, text in pages.items() if path.read_text("utf-8") != text] == []
    everything = "".join(pages.values())
    assert Cause.UNSEEN.title.lower() not in everything
    assert Cause.FAILURE.title.lower() not in everything


# -- the support matrix


def test_the_support_matrix_is_current() -> None:
    """Where it is not: `python -m tests.support.support_matrix`."""
    assert support_matrix.PAGE.read_text("utf-8") == support_matrix.text()


def test_every_program_has_a_row() -> None:
    assert {row.program for row in support_matrix.ROWS} == {*PROGRAMS, "explain"}


def test_every_refusal_has_a_reason() -> None:
    rows, _, reasons = support_matrix.text().partition("## Reasons")
    table, _, _ = rows.partition("## Other lines of PySpark")
    cells = [cell.strip() for line in table.splitlines() if line.startswith("| ") for cell in line.split("|")[3:-1]]
    assert all(re.fullmatch(r"p j n|n|(-|[pjn]( [jn])?) \([\d, ]+\)|\d\.\d+", cell) for cell in cells)
    listed = set(re.findall(r"^(\d+)\. \S", reasons, re.MULTILINE))
    assert listed == {number for cell in cells if "(" in cell for number in re.findall(r"\d+", cell)}
