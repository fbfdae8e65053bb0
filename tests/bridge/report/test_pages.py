"""Pages in a browser: what the first screen says, and what clicks do; hostile values stay text."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

import pytest

from bridge.report import PAGE_KEYS, Bar, CauseLine, Chart, Figure, Keys, Report, Severity, Table, ValueLine, View
from bridge.verify import verify
from payloads import HudiRelease
from tests.support import pages
from tests.support.pages import broken_rules, found, lines

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</script><img src=x onerror=document.title='owned'><b>&amp;\x00\u202e"
SIDES = ("Hudi 0.15", "Hudi 1.2")
KINDS = ("only in Hudi 0.15", "only in Hudi 1.2", "changed")
CAUSES = (
    CauseLine("late", "Late version", "a version arrives late", 7, [(SIDES[0], "keeps"), (SIDES[1], HOSTILE)]),
    CauseLine("tie", "Tie", "two versions are tied", 3),
)


def story(ts: int) -> dict[str, Any]:
    call = {"commit": 1, "where": "upsert", "release": None, "older": "v1", "newer": "v2", "rule": f"ts {ts}: wins"}
    sides = [
        {"name": name, "calls": [{**call, "result": end, "parts": True}], "end": end, "error": None}
        for name, end in zip(SIDES, ("v1", "v2"), strict=True)
    ]
    versions = [{"label": f"v{at}", "commit": at, "row": [None, "k", str(ts), "Oslo"]} for at in (1, 2)]
    return {"columns": ["part", "id", "ts", "city"], "versions": versions, "sides": sides}


def replay(number: int, total: int | None = None) -> Report:
    rows = [
        {
            "key": [f"p{at % 3}", HOSTILE if at == 4 else f"k{at}"],
            "kind": at % 3,
            "table": 0,
            "cause": None if at % 5 == 4 else at % 2,
            "columns": ["city"] if at % 3 == 2 else [],
            "left": None if at % 3 == 1 else {"part": f"p{at % 3}", "id": f"k{at}", "ts": str(at), "city": "Oslo"},
            "right": None if at % 3 == 0 else {"part": f"p{at % 3}", "id": f"k{at}", "ts": str(at), "city": None},
            "note": None,
            "story": story(at),
        }
        for at in range(number)
    ]
    total = number if total is None else total
    report = Report(
        "replay",
        f"DIFFERS: {total} keys differ {HOSTILE}.",
        {Severity.CHANGED if total else Severity.UNCHANGED},
        sides=SIDES,
    )
    report.plan = {"payload": HOSTILE, "from": "0.15", "to": "1.2"}
    report.body = [Table.of_rows(("id", "city"), [{"id": HOSTILE, "city": None}], "Keys")]
    if not total:
        report.view = View("Hudi 0.15 and Hudi 1.2 agree on all 42 keys")
        return report
    batches = Chart("After each batch", [Bar(HOSTILE, (1, 0, 2)), Bar("2.jsonl", (0, 5, 0))])
    partitions = Chart("By partition", [Bar(f"p{at}", (at, 1, 1), 9, ("partition", f"p{at}")) for at in range(3)])
    report.view = View(
        f"Hudi 0.15 and Hudi 1.2 disagree on {total:,} of 100,000 keys",
        [Figure("3", kind) for kind in KINDS],
        KINDS,
        [batches, partitions],
        CAUSES,
        "counted on 10 keys",
        Keys(rows, ("part", "id"), ("part",), KINDS, ("merge-on-read",), CAUSES, total, f"{number} of {total}"),
    )
    return report


def large() -> Report:
    """Both tables of a replay of 100,000 keys, of which 20,000 differ, in 31 batches and 120 partitions."""
    report = replay(PAGE_KEYS, 20_000)
    batches = [Bar(f"2024-06-{day:02}.parquet", (500 * day, 0, 3_000)) for day in (1, 8, 16, 24, 31)]
    partitions = [Bar(f"country=de/day={at}", (300, 500, 900), 8_000, ("partition", f"p{at % 3}")) for at in range(5)]
    parted = [(SIDES[0], "pre_combine returns the older version (ts: 24, then 20)"), (SIDES[1], "commit time " * 9)]
    causes = [
        CauseLine(f"c{at}", f"Late version {at}", "a version is late " * 5, 9_000 - at, parted) for at in range(6)
    ]
    assert report.view is not None
    assert report.view.keys is not None
    rows = [row | {"cause": at % len(causes)} for at, row in enumerate(report.view.keys.rows)]
    report.warnings = ["only the first keys that differ are listed (--sample)"]
    report.view = dataclasses.replace(
        report.view,
        headline=f"{' and '.join(SIDES)} disagree on 20,000 (copy-on-write) and 19,400 (merge-on-read) of 100,000 keys",
        charts=[
            Chart("By partition", partitions, "5 of 120 are shown"),
            *(
                Chart(f"After each batch, {one}", batches, "5 of 31 are shown")
                for one in ("copy-on-write", "merge-on-read")
            ),
        ],
        causes=causes,
        keys=dataclasses.replace(report.view.keys, rows=rows, causes=causes),
    )
    return report


def test_the_first_screen_says_how_many_where_and_why(page: Any) -> None:
    browser = page(replay(10))
    assert found(browser, "h1")[0].text.endswith("Hudi 0.15 and Hudi 1.2 disagree on 10 of 100,000 keys")
    for css in ("h1", ".figures", ".causes", ".charts .card:last-child"):
        box = found(browser, css)[0].rect
        assert box["y"] + box["height"] < pages.HEIGHT, css
    assert [one.text for one in found(browser, ".causes .link")] == ["Late version 7", "Tie 3"]
    widths = [one.size["width"] for one in found(browser, ".bars")[0].find_elements("css selector", ".part")]
    assert [round(width / min(widths)) for width in widths] == [1, 2, 5]


def test_the_list_is_searched_sorted_and_filtered(page: Any) -> None:
    browser = page(replay(10))
    assert len(lines(browser)) == 10
    found(browser, "#search")[0].send_keys("k7")
    assert [line.split()[1] for line in lines(browser)] == ["k7"]
    found(browser, "button[type=reset]")[0].click()
    time.sleep(0.1)
    assert len(lines(browser)) == 10
    heads = {one.text: one for one in found(browser, "#list thead button")}
    heads["id"].click()
    assert lines(browser)[1].split()[1] == "k0"
    heads["id"].click()
    assert lines(browser)[0].split()[1] == "k9"
    assert found(browser, "#list thead th")[1].get_attribute("aria-sort") == "descending"
    found(browser, ".causes [data-value=tie]")[0].click()
    assert [line.split()[1] for line in lines(browser)] == ["k7", "k5", "k3", "k1"]
    assert found(browser, "#shown")[0].text == "4 of 10"
    found(browser, "[data-field=partition]")[2].click()
    assert [line.split()[1] for line in lines(browser)] == ["k5"]


def test_a_key_opens_its_timeline_and_marks_what_changed(page: Any) -> None:
    browser = page(replay(10))
    opener = found(browser, "#list .open")[2]
    opener.send_keys("\n")  # by keyboard
    assert opener.get_attribute("aria-expanded") == "true"
    detail = found(browser, ".detail")[0]
    assert [one.text for one in detail.find_elements("css selector", "td.changed")] == ["Oslo", "null"]
    lanes = detail.find_elements("css selector", ".lane")
    assert [lane.text.splitlines()[-1] for lane in lanes] == ["Ends with v1", "Ends with v2"]
    assert len(detail.find_elements("css selector", ".parting")) == 2
    assert lanes[0].location["y"] == lanes[1].location["y"]
    opener.click()
    assert found(browser, ".detail") == []


def test_an_over_represented_value_searches_the_list(page: Any) -> None:
    report = replay(10)
    assert report.view is not None
    values = (ValueLine("id=k7", "91% (40 of 44)", "12% (9 of 75)", "k7"), ValueLine("city=null", "60%", "20%"))
    report.view = dataclasses.replace(report.view, values=values)
    browser = page(report)
    assert [one.text for one in found(browser, ".values li")] == [
        "id=k7 91% (40 of 44); of all rows 12% (9 of 75)",
        "city=null 60%; of all rows 20%",
    ]
    found(browser, "[data-search]")[0].click()
    assert [line.split()[1] for line in lines(browser)] == ["k7"]
    assert broken_rules(browser) == []


def test_the_versions_of_a_table_have_their_commit_times(page: Any) -> None:
    report = replay(10)
    assert report.view is not None
    assert report.view.keys is not None
    told = report.view.keys.rows[0]["story"]
    told |= {"moment": "commit time", "caption": "Versions in the files"}
    for version, commit in zip(told["versions"], ("20240101", 0), strict=True):
        version["commit"] = commit
    for side in told["sides"]:
        side["calls"][0]["commit"] = None
    browser = page(report)
    found(browser, "#list .open")[0].click()
    shown = found(browser, ".detail")[0].text
    assert "version commit time part id ts city" in shown
    assert "v1 20240101" in shown
    assert "v2 in the table" in shown
    assert [one.text for one in found(browser, ".where")] == ["upsert", "upsert"]


@pytest.mark.parametrize("dark", [False, True])
def test_values_stay_text_and_everybody_can_read_them(page: Any, *, dark: bool) -> None:
    browser = page(replay(10), dark=dark)
    found(browser, "#list .open")[4].click()
    assert HOSTILE.replace("\x00", "\ufffd") in found(browser, "#list > tbody")[0].get_attribute("textContent")
    assert found(browser, "img, main b b") == []
    assert browser.title.startswith("payload-bridge replay:")
    assert broken_rules(browser) == []
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_narrow_window_does_not_scroll_sideways(page: Any) -> None:
    browser = page(replay(10), width=400)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400


def test_what_changed_is_marked_in_numbers_too(page: Any) -> None:
    report = replay(0)
    rows = Table.of_rows(("ts", "city"), [{"ts": 1, "city": "Oslo"}, {"ts": 2, "city": "Rome"}])
    report.view, report.body = None, [dataclasses.replace(rows, marks=frozenset({(1, 0), (1, 1)}))]
    assert [one.text for one in found(page(report), ".grid td.changed")] == ["2", "Rome"]


def test_the_full_name_of_a_class_fits_a_phone(page: Any) -> None:
    report = replay(0)
    report.plan = {"payload": "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload", "from": "0.15"}
    assert page(report, width=390).execute_script("return document.documentElement.scrollWidth") <= 390


def test_words_in_backquotes_are_code_but_not_in_the_data(page: Any) -> None:
    report = replay(0)
    report.warnings = ["set `upgrade_after`; `<b>` stays text"]
    rule = Table(("", "rule"), [("step 1", "if `Op` = 'D', no row is left")], folded=60)
    report.view, report.body = None, ["`payloads` shows it", rule, Table(("city",), [("`Oslo`",)])]
    browser = page(report)
    assert [one.text for one in found(browser, "code")] == ["upgrade_after", "<b>", "payloads", "Op"]
    assert found(browser, ".grid td")[-1].text == "`Oslo`"


def test_settings_are_words_where_they_are_names_and_values(page: Any) -> None:
    report = replay(0)
    nested = {"name": "r", "fields": []}
    report.plan = {
        "key": ["id", "part"],
        "props": {},
        "row": {"id": "k1", "n": 3},
        "schema": nested,
        "universe": {"a": 1},
    }
    browser = page(report)
    assert found(browser, "header .settings")[0].text == "row id=k1, n=3"
    shown = [one.get_property("textContent") for one in found(browser, ".plan dd")]
    assert shown == ["id, part", "none", "id=k1, n=3", '{"name": "r", "fields": []}']


def test_an_equal_replay_is_a_page_too(page: Any) -> None:
    browser = page(replay(0))
    assert "s-unchanged" in found(browser, ".verdict")[0].get_attribute("class")
    assert found(browser, "#list") == []
    assert broken_rules(browser) == []


def test_a_replay_of_a_hundred_thousand_keys_fits_the_first_screen(page: Any, tmp_path: Path) -> None:
    """At full size, through Spark: `python -m tests.bridge.report.at_size`."""
    browser = page(large())
    assert len(lines(browser)) == 100
    assert browser.execute_script(pages.READY) < 2_000 * 5  # ms; five times what a quiet machine may take
    assert (tmp_path / "page.html").stat().st_size < 300_000
    for css in ("h1", ".figures", ".causes li:nth-child(3)", *(f".charts .card:nth-child({at})" for at in (1, 2, 3))):
        box = found(browser, css)[0].rect
        assert box["y"] + box["height"] < pages.HEIGHT, css
    found(browser, "#more")[0].click()
    assert len(found(browser, "#list > tbody > tr")) == 200


def test_many_remarks_do_not_push_the_answer_away(page: Any) -> None:
    report = large()
    report.warnings = [f"remark {at}" for at in range(9)]
    browser = page(report)
    box = found(browser, ".charts .card:first-child")[0].rect
    assert box["y"] + box["height"] < pages.HEIGHT
    (more,) = found(browser, "details.warning")
    assert more.text == "7 more"


def test_a_violated_law_opens_its_counterexample(page: Any) -> None:
    checked = verify("AWSDmsAvroPayload", release=HudiRelease.V1_2, exhaustive=True, domains=("data",))
    browser = page(checked.to_report())
    (button, *_) = found(browser, ".matrix button")
    panel = found(browser, f"#{button.get_attribute('data-panel')}")[0]
    assert not panel.is_displayed()
    button.click()
    assert panel.is_displayed()
    assert "s\u00b7(a\u00b7b)" in panel.text
    assert broken_rules(browser) == []
