"""The page of every path in a browser: the matrix of paths, the keys with all their answers, a timeline per path."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.report import CauseLine, Figure, Keys, PathLine, Report, Severity, View, as_notebook
from tests.support import pages
from tests.support.pages import broken_rules, found, lines

HOSTILE = "</script><img src=x onerror=document.title='owned'><b>&amp;\x00\u202e"
KINDS = ("missing on some paths", "failing on some paths", "with other values")
CAUSES = (
    CauseLine("commits", "Commits", "the versions are split otherwise", 8, [("copy-on-write, batches as given", "x")]),
    CauseLine("table-type", "Table type", "both tables end differently", 4),
)
LINES = (
    PathLine(
        "A",
        [("copy-on-write, batches as given", "combine-input, upsert"), ("copy-on-write, one commit", "combine-input")],
        [(0, 0, 0), (3, 0, 5), (0, 1, 3)],
    ),
    PathLine("B", [("merge-on-read, batches as given", "combine-input, snapshot")], [(3, 0, 5), (0, 0, 0), (3, 1, 8)]),
    PathLine("C", [("merge-on-read, compacted, one commit", HOSTILE)], [(0, 1, 3), (3, 1, 8), (0, 0, 0)]),
)


def answer(groups: list[str], path: str, city: str | None, error: str | None = None) -> dict[str, Any]:
    row = None if city is None else {"part": "p", "id": "k", "ts": "3", "city": city}
    return {"groups": groups, "path": path, "row": row, "error": error}


def key(at: int) -> dict[str, Any]:
    """Return a key: of three answers, the last an error, or of two, where one has no row."""
    given, joined = "copy-on-write, batches as given", "merge-on-read, v1, v2"
    answers = [answer(["A", "C"], given, "Oslo"), answer(["B"], joined, None if at % 3 else "Rome")]
    if at % 4 == 0:
        answers[0]["groups"] = ["A"]
        answers.append(answer(["C"], "merge-on-read, v1 | v2, compacted after v1", None, HOSTILE))
    call = {"commit": 1, "where": "upsert", "release": None, "older": "v1", "newer": "v2", "rule": "later wins"}
    sides = [
        {"name": one["path"], "calls": [{**call, "result": "v2", "parts": True}], "end": "v2", "error": one["error"]}
        for one in answers
    ]
    versions = [{"label": f"v{n}", "commit": n, "row": ["p", f"k{at}", "3", "Oslo"]} for n in (1, 2)]
    marks = {"unit": "commit", "mark": "\u2190 decides the end"}
    return {
        "key": [f"p{at % 2}", HOSTILE if at == 5 else f"k{at}"],
        "kind": at % 3,
        "table": 0,
        "cause": at % 2,
        "columns": ["city"] if at % 3 == 0 else [],
        "paths": ["A-B", "A-C", "B-C"] if at % 4 == 0 else ["A-B", "B-C"],
        "answers": answers,
        "story": {"columns": ["part", "id", "ts", "city"], "versions": versions, "sides": sides, **marks},
    }


def every_path(number: int = 12) -> Report:
    report = Report(
        "simulate",
        f"{number} keys of 40 depend on the path. {HOSTILE}",
        {Severity.CHANGED if number else Severity.UNCHANGED},
    )
    report.plan = {"payload": "X", "release": "1.2", "all_paths": True}
    if not number:
        report.view = View("On Hudi 1.2 no key of 40 keys depends on how it is written")
        return report
    rows = [key(at) for at in range(number)]
    keys = Keys(rows, ("part", "id"), ("part",), KINDS, [""], CAUSES, number, title="Keys that depend on the path")
    report.view = View(
        f"On Hudi 1.2 {number} of 40 keys depend on how they are written",
        [Figure("4", kind) for kind in KINDS],
        KINDS,
        causes=CAUSES,
        cause_title="What changes the row",
        cause_note="the least that differs",
        paths=LINES,
        keys=keys,
    )
    return report


def test_the_first_screen_says_which_paths_disagree_on_how_many_keys(page: Any) -> None:
    browser = page(every_path())
    for css in ("h1", ".figures", ".causes", ".paths"):
        box = found(browser, css)[0].rect
        assert box["y"] + box["height"] < pages.HEIGHT, css
    assert [one.text for one in found(browser, ".paths td .link")] == ["8", "4", "8", "12", "4", "12"]
    first = found(browser, ".paths tbody tr")[0]
    kinds = first.find_elements("css selector", ".track .part")
    assert [one.get_attribute("class") for one in kinds] == ["part k0", "part k2", "part k1", "part k2"]
    points = [one.text for one in found(browser, ".paths tbody tr:first-child li")]
    assert points[0].startswith("copy-on-write, batches as given")
    assert points[0].endswith("combine-input, upsert")


def test_a_pair_of_paths_filters_the_list(page: Any) -> None:
    browser = page(every_path())
    assert len(lines(browser)) == 12
    found(browser, ".paths [data-value='A-C']")[0].click()
    assert [line.split()[1] for line in lines(browser)] == ["k0", "k4", "k8"]
    assert found(browser, "#by-paths option:checked")[0].text == "A and C"
    found(browser, ".causes [data-value=table-type]")[0].click()
    assert lines(browser) == []
    found(browser, "button[type=reset]")[0].click()
    found(browser, "#search")[0].send_keys("rome")
    assert [line.split()[1] for line in lines(browser)] == ["k0", "k3", "k6", "k9"]


def test_words_of_paths_are_not_searched(page: Any) -> None:
    browser = page(every_path())
    found(browser, "#search")[0].send_keys("compacted")
    assert lines(browser) == []


def test_a_key_shows_its_answers_and_opens_a_timeline_per_path(page: Any) -> None:
    browser = page(every_path())
    assert "A city Oslo" in lines(browser)[0]
    assert "B city Rome" in lines(browser)[0]
    assert "B no row" in lines(browser)[1]
    opener = found(browser, "#list .open")[0]
    opener.send_keys("\n")
    (detail,) = found(browser, ".detail")
    table = detail.find_elements("css selector", "tbody")[0]
    assert [one.text.split("\n")[0].split()[0] for one in table.find_elements("css selector", "tr")] == ["A", "B", "C"]
    assert [one.text for one in detail.find_elements("css selector", "td.changed")] == ["Oslo", "Rome", "\u2014"]
    lanes = detail.find_elements("css selector", ".lane")
    assert [lane.find_element("css selector", "h3").text for lane in lanes] == [
        "copy-on-write, batches as given",
        "merge-on-read, v1, v2",
        "merge-on-read, v1 | v2, compacted after v1",
    ]
    assert "commit 1 \u00b7 upsert" in lanes[0].text
    assert [one.text for one in detail.find_elements("css selector", ".parting")] == ["\u2190 decides the end"] * 3
    assert lanes[2].text.splitlines()[-1].startswith("Fails: ")


@pytest.mark.parametrize("dark", [False, True])
def test_values_stay_text_and_everybody_can_read_them(page: Any, *, dark: bool) -> None:
    browser = page(every_path(), dark=dark)
    for at in (4, 5):
        found(browser, "#list .open")[at].click()
    assert HOSTILE.replace("\x00", "\ufffd") in found(browser, "#list > tbody")[0].get_attribute("textContent")
    assert found(browser, "img, main b b") == []
    assert broken_rules(browser) == []
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_narrow_window_does_not_scroll_sideways(page: Any) -> None:
    assert page(every_path(), width=400).execute_script("return document.documentElement.scrollWidth") <= 400


def test_paths_that_agree_are_a_page_too(page: Any) -> None:
    browser = page(every_path(0))
    assert "s-unchanged" in found(browser, ".verdict")[0].get_attribute("class")
    assert found(browser, "#list, .paths") == []
    assert broken_rules(browser) == []


def test_a_notebook_shows_the_matrix_without_buttons() -> None:
    html = as_notebook(every_path())
    assert "What changes the row" in html
    assert ">12" in html.partition("Paths that disagree")[2]
    assert "<button" not in html
    assert "<img" not in html
