"""A printed page: everything that is needed is there, nothing to click, and dark pages print light."""

from __future__ import annotations

import base64
import itertools
import re
from typing import TYPE_CHECKING, Any

import pytest

from bridge.report import Table
from bridge.spark import META_COLUMNS
from bridge.verify import verify
from payloads import HudiRelease
from tests.bridge.report.test_pages import large, replay
from tests.bridge.report.test_path_pages import every_path
from tests.support.pages import found, lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.report import Report

PAPER = 794
"""The width of A4 in pixels of CSS."""


def laws() -> Report:
    return verify("AWSDmsAvroPayload", release=HudiRelease.V1_2, exhaustive=True, domains=("data",)).to_report()


def stored_rows(number: int = 20) -> Report:
    """Rows of a table as `snapshot` shows them: too broad for a page of paper."""
    file = "8dfbb0bb-f07c-4e5c-bd6b-cd2cf2f54fbe-0_0-465-362_20261122074548391.parquet"
    meta = dict(zip(META_COLUMNS, ("20261122074548391", "20261122074548391_0_1", "k1", "p0", file), strict=True))
    row = meta | {"id": "k1", "part": "p0", "ts": 3, "name": None, "qty": 7, "price": 1.5, "_hoodie_is_deleted": False}
    report = replay(0)
    report.view, report.body = None, [Table.of_rows([*row], [row] * number, "rows")]
    return report


MADE: dict[str, Callable[[], Report]] = {
    "replay": lambda: replay(10),
    "large": large,
    "paths": every_path,
    "laws": laws,
    "rows": stored_rows,
}
"""A page of each kind."""
CLOSED = """
const seen = { contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true };
const isSeen = (one) => one.getBoundingClientRect().height && one.checkVisibility(seen);
return [...document.querySelectorAll("details > *, .panel")].filter((one) => !isSeen(one))
  .map((one) => one.outerHTML.slice(0, 80));
"""
CLICKABLE = """
return [...document.querySelectorAll("input, select, form, [type=reset], #more")].filter((one) => one.checkVisibility())
  .map((one) => one.outerHTML.slice(0, 80));
"""
DARK = """
const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number); return (r + g + b) / 765; };
return [...document.querySelectorAll("body, main *")]
  .filter((one) => one.checkVisibility() && one.textContent.trim())
  .filter((one) => {
    const { color, backgroundColor } = getComputedStyle(one);
    const isClear = backgroundColor.startsWith("rgba");
    return light(color) > 0.6 || (!isClear && light(backgroundColor) < 0.6);
  }).map((one) => one.outerHTML.slice(0, 80));
"""


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("dark", [False, True])
def test_everything_is_on_paper_and_nothing_to_click(name: str, page: Any, *, dark: bool) -> None:
    browser = page(MADE[name](), media="print", width=PAPER, dark=dark)
    assert browser.execute_script(CLOSED) == []
    assert browser.execute_script(CLICKABLE) == []
    assert browser.execute_script(DARK) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= PAPER


def test_what_is_printed_says_what_it_leaves_out(page: Any) -> None:
    browser = page(large(), media="print", width=PAPER)
    assert len(lines(browser)) == 100
    assert found(browser, "#shown")[0].text == "1,000, the first 100 are shown"
    assert found(browser, "header .settings")[0].is_displayed()


def test_open_keys_are_printed_with_their_timelines(page: Any) -> None:
    browser = page(replay(10))
    found(browser, "#list .open")[2].click()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert len(found(browser, ".detail .lane")) == 2
    assert all(one.is_displayed() for one in found(browser, ".detail .lane"))


@pytest.mark.parametrize("name", MADE)
def test_a_browser_prints_pages(name: str, page: Any) -> None:
    printed = page(MADE[name](), dark=True).execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    pdf = base64.b64decode(printed["data"])
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 1


def test_columns_with_long_names_fit_on_the_screen(page: Any) -> None:
    """Hudi's own columns and those of a change feed: their names break after an underscore."""
    names = [*META_COLUMNS, "id", "part", "name", "qty", "_change_operation_type", "_event_lsn", "_event_origin_ts_ms"]
    row = dict.fromkeys(names, "k000") | {META_COLUMNS[0]: "20261122074542835"}
    report = replay(0)
    report.view, report.body = None, [Table.of_rows(names, [row], "rows: 1 of 1")]
    browser = page(report)
    wide = "const one = document.querySelector('.grid').parentElement; return one.scrollWidth - one.clientWidth"
    assert browser.execute_script(wide) <= 0
    assert found(browser, ".grid th")[0].text == META_COLUMNS[0]
    labels = "return [...document.querySelectorAll('.grid td')].map((one) => one.dataset.label)"
    assert "_hoodie_\u200bcommit_\u200btime" in browser.execute_script(labels)


SIDEWAYS = "return [...document.querySelectorAll('.wide')].filter((one) => one.scrollWidth > one.clientWidth).length"


@pytest.mark.parametrize("width", [390, 800])
def test_rows_that_are_too_broad_are_shown_one_below_another(width: int, page: Any) -> None:
    browser = page(stored_rows(2), width=width)
    assert browser.execute_script(SIDEWAYS) == 0
    cells = found(browser, ".grid td")
    assert len(cells) == 24
    assert all(above.location["y"] < below.location["y"] for above, below in itertools.pairwise(cells))


def test_a_table_that_fits_stays_a_table(page: Any) -> None:
    report = replay(0)
    row = {"id": "k1", "part": "p0", "ts": 3, "name": "a", "qty": 7, "price": 1.5, "note": "c", "day": "d", "Op": "U"}
    report.view, report.body = None, [Table.of_rows([*row], [row], "Rows of a title that is longer than its table is")]
    browser = page(report, width=800)
    assert browser.execute_script(SIDEWAYS) == 0
    assert len({one.location["y"] for one in found(browser, ".grid td")}) == 1


def test_a_phone_shows_the_versions_of_a_key_without_scrolling_sideways(page: Any) -> None:
    browser = page(replay(10), width=390)
    found(browser, "#list .open")[2].click()
    tables = found(browser, ".detail .wide")
    assert len(tables) == 2
    assert all(one.get_property("scrollWidth") <= one.get_property("clientWidth") for one in tables)
    label = "return getComputedStyle(arguments[0].querySelector('td:last-child'), '::before').content"
    assert [browser.execute_script(label, one) for one in tables] == ['"city"', '"city"']


@pytest.mark.parametrize("width", [PAPER, 390])
def test_no_line_ends_within_an_option(width: int, page: Any) -> None:
    """A command of a warning can be read from paper: `--to`, not `-` and `-to`."""
    report = replay(10)
    report.warnings = [f"{'word ' * number}payload-bridge replay --table x --to 1.2" for number in range(30)]
    report.origin = "payload-bridge replay --table x --to 1.2"
    report.body = [Table.of_rows(("run",), [{"run": one} for one in report.warnings], "Commands")]
    browser = page(report, media="print", width=width)
    in_lines = "return [...document.querySelectorAll('.option')].map((one) => one.getClientRects().length)"
    assert browser.execute_script(in_lines) == [1] * 122
