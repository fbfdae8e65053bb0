"""Reports of `diff`, `merge-into` and `rehearse` in a notebook and as pages, made without Spark and without a table."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from bridge import DiffReport, MergeIntoReport, MergePlan, RehearsalReport, RehearsedStep, redacted
from bridge.compare import Counts, Difference, ReaderResult
from bridge.engines import RowCounts, RowStatus
from bridge.migration.table_copy import CopiedTable
from bridge.report import Report, write_report
from bridge.report.json_values import json_field
from bridge.spark import place_of
from tests.support import pages
from tests.support.notebooks import _plain

HOSTILE = "</script><img src=x onerror=document.title='owned'>"
KINDS = ("only-left", "only-right", "changed")


def rows(number: int = 12) -> list[Difference]:
    """Return rows that differ in each way in turn."""
    found = []
    for at in range(number):
        kind = KINDS[at % 3]
        left = {"part": f"p{at % 2}", "id": f"k{at}", "ts": at, "city": HOSTILE if at == 2 else "Oslo"}
        right = {**left, "city": None}
        sides = (None if kind == "only-right" else left, None if kind == "only-left" else right)
        found.append(
            Difference({"part": left["part"], "id": left["id"]}, kind, ["city"] if at % 3 == 2 else [], *sides)
        )
    return found


class _Frame:
    """Stands for the frame of the rows that differ."""

    def __getattr__(self, _: str) -> Any:
        return lambda *_arguments: self


class _Readers:
    """Stands for the comparison with the reader of the new release."""

    rows = 40

    results = (ReaderResult("1.2", 4, 4, 4),)

    class table:  # noqa: N801 (an attribute)
        path, release, identity = "warehouse/orders", "0.15", ("part", "id")

    def differences(self, _: str) -> _Frame:
        return _Frame()


def diffed() -> DiffReport:
    frame: Any = _Frame()
    return DiffReport(("part", "id"), ("old", "new"), Counts(1, 4, 4, 4), frame)


def rehearsed(off: int = 0, refused: str | None = None) -> RehearsalReport:
    readers: Any = _Readers()
    frame: Any = _Frame()
    return RehearsalReport(
        "warehouse/orders",
        readers,
        CopiedTable(Path("copies/orders"), 123_456, 0.4, ()),
        program="org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0",
        steps=(
            RehearsedStep(
                "upgrade",
                refused,
                12.5,
                off=None if refused else ReaderResult("1.2", 0, 0, off),
                deviations=frame if off else None,
            ),
        ),
    )


def merged() -> MergeIntoReport:
    plan = MergePlan(payload="AWSDmsAvroPayload", release="0.15", key="id", props={"fs.s3a.secret.key": "hunter2"})
    counts = {("upsert", "incoming", RowStatus.MERGED): 3, ("upsert", "stored", RowStatus.MERGED): 3}
    row_counts = RowCounts({"stored": 3, "incoming": 3}, counts, 0, 3, 0)
    return MergeIntoReport(
        f"warehouse/{HOSTILE}", plan, "1", "2", "day-1", updated=3, adds_flag=True, row_counts=row_counts
    )


@pytest.fixture(autouse=True)
def collected(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = lambda *_: [Difference(*(_hidden(one) if isinstance(one, dict) else one for one in row)) for row in rows()]  # noqa: E731
    monkeypatch.setattr(importlib.import_module("bridge.migration.rehearsal_report"), "collected", shown)
    monkeypatch.setattr(DiffReport, "_first", shown)


def _hidden(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row as it is collected: a redaction hides values there."""
    return {name: json_field(name, value) for name, value in row.items()}


MADE = {"diff": diffed, "rehearse": rehearsed, "not as predicted": lambda: rehearsed(off=12), "merge-into": merged}


@pytest.mark.parametrize("name", MADE)
def test_a_notebook_shows_the_verdict_and_no_markup_of_values(name: str) -> None:
    made = MADE[name]()
    html, plain = made._repr_html_(), _plain(made)
    assert "<img" not in html
    assert "hunter2" not in html + plain + repr(made)
    assert repr(made) == f"<{type(made).__name__}>"
    assert plain == made.verdict


@pytest.mark.parametrize("name", ["diff", "rehearse", "not as predicted"])
def test_what_was_hidden_when_it_was_made_stays_hidden(name: str) -> None:
    with redacted("id"):
        made = MADE[name]()
    assert "k11" not in made._repr_html_()
    assert "k11" in MADE[name]()._repr_html_()


@pytest.mark.parametrize("reason", ["HoodieUpsertException: {} (at the upgrade)", "{}"])
def test_the_error_of_hudi_is_hidden_with_the_values_that_it_may_quote(reason: str) -> None:
    reason = reason.format("Error upserting record with key id:Zyx-Wvu")
    with redacted("all"):
        made = rehearsed(refused=reason)
        inside = [made.to_json(), made.verdict]
    outside = [made._repr_html_(), _plain(made), made.verdict, str(made.refused)]
    assert [text for text in [*inside, *outside] if "Zyx" in text or "Wvu" in text] == []
    assert ("HoodieUpsertException: redaction" in made.verdict) == reason.startswith("Hoodie")
    shown = rehearsed(refused=reason)
    assert shown.refused == reason
    with redacted("all"):
        assert "Zyx" not in shown._repr_html_() + shown.verdict


def test_credentials_in_an_error_are_never_shown() -> None:
    made = rehearsed(refused="s3://me:hunter2@bucket is not there")
    assert "hunter2" not in made._repr_html_() + _plain(made)


def written(made: Any) -> Report:
    """Return the report as the command line writes it to a page."""
    report: Report = made.to_report()
    if not isinstance(made, MergeIntoReport):
        report.view = made.to_view()
    return report


@pytest.mark.parametrize("name", MADE)
def test_a_page_opens_without_errors_and_fits(name: str, browser: Any, tmp_path: Path) -> None:
    write_report(written(MADE[name]()), place_of(tmp_path / "page.html"))
    pages.opened(browser, tmp_path / "page.html")
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.find_elements("css selector", "main img") == []
    box = browser.find_elements("css selector", "h1")[0].rect
    assert box["y"] + box["height"] < pages.HEIGHT


@pytest.mark.parametrize(
    ("name", "title", "sides"),
    [
        ("diff", "Keys that differ", ["old", "new"]),
        ("rehearse", "Rows that the upgrade changes", ["Hudi 0.15", "the upgraded copy"]),
        ("not as predicted", "Rows that are not as predicted", ["the prediction", "the copy"]),
    ],
)
def test_a_row_opens_with_both_sides(name: str, title: str, sides: list[str], browser: Any, tmp_path: Path) -> None:
    write_report(written(MADE[name]()), place_of(tmp_path / "page.html"))
    pages.opened(browser, tmp_path / "page.html")
    assert browser.find_elements("css selector", "#keys h2")[0].text == f"{title} 12"
    browser.find_elements("css selector", "#list .open")[2].click()
    detail = browser.find_elements("css selector", ".detail")[0]
    assert [one.text for one in detail.find_elements("css selector", ".side")] == sides
    assert [one.text for one in detail.find_elements("css selector", "td.changed")] == [HOSTILE, "null"]
