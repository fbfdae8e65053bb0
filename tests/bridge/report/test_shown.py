"""What goes beside the HTML of a notebook, what stays hidden there, and credentials value by value."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import bridge
from bridge import MergePlan, plan_migration, redacted, verify
from bridge.engines import ORDERING, QUARANTINE
from bridge.explain import TableRow
from bridge.explain.table_row import _PLACES, table_row
from bridge.redaction import Redaction, cached_as_hidden, current
from bridge.report import Keys, Report, Showable, Table, View, as_notebook, write_report
from bridge.report.page import as_html
from bridge.spark import place_of
from mergers.laws import LawReport, Verdict
from payloads import HudiRelease
from tests.support.notebooks import _plain

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"id": "k1", "url": "https://x.org/a", "at": "10:30", "mail": "me@x.org", "note": "token=abc", "n": "last"}
SHOWN = {**ROW, "note": "token=***"}


@dataclasses.dataclass(frozen=True, repr=False)
class Found(Showable):
    """A result with a row of data."""

    city: str

    @property
    def verdict(self) -> str:
        return f"It is in {current().text('city', self.city)}."

    def to_report(self) -> Report:
        return Report("explain", self.verdict)


def test_what_was_hidden_when_a_report_was_made_is_hidden_when_it_is_shown() -> None:
    with redacted("city"):
        found = Found("Oslo")
    clear = Found("Oslo")
    assert "Oslo" not in found._repr_html_() + _plain(found) + repr(found) + str(found)
    assert "Oslo" in clear._repr_html_()
    assert "Oslo" in _plain(clear)
    with redacted("other"):
        assert "Oslo" not in found._repr_html_()
    with redacted("city"):
        assert "Oslo" not in clear._repr_html_() + _plain(clear) + repr(clear)
    assert not current().is_active


def test_two_redactions_hide_what_either_hides() -> None:
    one, other = Redaction(frozenset({"a"}), b"1"), Redaction(frozenset({"b"}), b"2")
    assert one.joined(other) == Redaction(frozenset({"a", "b"}), b"1")
    assert Redaction().joined(other) == other
    assert one.joined(Redaction()) == one


def test_what_is_kept_is_kept_as_it_is_hidden() -> None:
    class Kept:
        made = 0

        @cached_as_hidden
        def city(self) -> str:
            self.made += 1
            return current().text("city", "Oslo")

    kept = Kept()
    assert (kept.city, kept.city, kept.made) == ("Oslo", "Oslo", 1)
    with redacted("city"):
        assert kept.city.startswith("text ")
    assert (kept.city, kept.made) == ("Oslo", 2)


def test_every_report_is_shown_so() -> None:
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(bridge.__path__, "bridge.")]
    shown = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    own = {one for one in shown if issubclass(one, Showable)}
    assert len(own) > 8
    assert {one.__name__ for one in own if one.__repr__ is not Showable.__repr__} == set()
    results = {one for one in own if "to_report" in vars(one)}
    values = {one for one in results if dataclasses.is_dataclass(one) and one.__dataclass_params__.frozen}  # type: ignore[attr-defined]
    assert {one.__name__ for one in results - values} == set()
    verbs = {"ClusterReport", "DemoReport", "IssueReport", "MergeReport", "ReadersReport", "RehearsalReport"}
    assert {one.__name__ for one in values} >= {*verbs, "SnapshotReport"}


def test_the_text_of_a_plan_has_no_secret_and_is_bounded() -> None:
    props = {"fs.s3a.secret.key": "hunter2", "x.url": "s3://me:hunter2@b/x", "y": "y" * 9_000, "z": "z" * 9_000}
    plan = MergePlan(payload="AWSDmsAvroPayload", key="id", props=props)
    assert "hunter2" not in repr(plan) + str(plan)
    assert len(repr(plan)) < 1_500
    assert "fs.s3a.secret.key=***" in repr(plan)
    assert "key=id" in repr(plan)


def test_rows_are_in_no_text_of_a_report() -> None:
    version = {"kind": "base", "file": "f", "row": {"city": "Oslo"}}
    row = TableRow("t", {"id": "1"}, (version,), {"1.2": ({"city": "Oslo"},)})
    assert repr(row) == "<TableRow>"
    assert _plain(row) == "id=1: 1 version in 1 file."


def test_credentials_are_taken_out_of_values_and_not_across_them(tmp_path: Path) -> None:
    report = Report("any", 'Says token=abc"def', warnings=["s3://me:abc@b/x"])
    report.body = [Table.of_rows(tuple(ROW), [ROW])]
    report.plan = {"first": ROW, "said": 'token=abc"def'}
    report.view = View("x", keys=Keys([{"key": ["s3://me:abc@b/x"]}]))
    for html in (as_notebook(report), _written(report, tmp_path / "a.html")):
        cells = re.findall("<td[^>]*><span>(.*?)</span></td>", html.replace("<wbr>", ""))
        assert cells == list(SHOWN.values())
        assert "abc@" not in html
    assert '"abc' not in as_html(report)
    found = json.loads(_written(report, tmp_path / "a.json"))
    assert found["plan"] == {"first": SHOWN, "said": 'token=***"def'}
    assert found["warnings"] == ["s3://***@b/x"]
    ET.fromstring(_written(report, tmp_path / "a.xml"))  # noqa: S314 (our own)
    assert f"| {' | '.join(SHOWN.values())} |".replace("*", "\\*") in _written(report, tmp_path / "a.md")


def _written(report: Report, path: Path) -> str:
    write_report(report, place_of(path))
    return path.read_text("utf-8")


def test_a_long_text_is_not_cut_inside_a_secret() -> None:
    long = f"{'x' * 280} s3://me:hunter2-hunter2-hunter2@bucket/x"
    assert "hunter2" not in as_notebook(Report("replay", "x", warnings=[long]))


@pytest.fixture
def unchecked() -> LawReport:
    checked = verify("AWSDmsAvroPayload", release=HudiRelease.V1_2, exhaustive=True, domains=("data",)).report
    first, second, *_ = checked.results
    results = (
        dataclasses.replace(first, verdict=Verdict.HOLDS, counterexample=None),
        dataclasses.replace(second, verdict=Verdict.NOT_CHECKED, counterexample=None, detail="<it> raises"),
    )
    return dataclasses.replace(checked, results=results)


def test_laws_that_were_not_checked_are_said(unchecked: LawReport) -> None:
    law = unchecked.results[1].law.id
    html = unchecked._repr_html_()
    assert f"violates no law; not checked: {law} (seed" in html
    assert "&lt;it&gt; raises" in html
    assert f"not checked: {law}" in repr(unchecked)
    assert len(repr(unchecked)) < 300
    checked: Any = verify("AWSDmsAvroPayload", release=HudiRelease.V1_2, exhaustive=True, domains=("data",))
    view = dataclasses.replace(checked, report=unchecked).to_report().view
    assert view is not None
    assert view.headline.endswith(f"no violation of 1 laws was found; not checked: {law}")


class _Rows(list[dict[str, Any]]):
    """Stands for a frame."""

    def orderBy(self, *_: str) -> _Rows:  # noqa: N802 (Spark's name)
        return self

    def drop(self, *_: str) -> _Rows:
        return self


class _Table:
    """Stands for a table with a key that can't be merged."""

    path, identity, release = "t", ("id",), "1.2"

    def versions(self) -> _Rows:
        places = dict.fromkeys((*_PLACES, ORDERING))
        return _Rows([{**places, "id": "1"}])

    def snapshot_outcomes(self) -> _Rows:
        reason = "Raising failed at snapshot (key id='1'): no room for Oslo"
        return _Rows([{"id": "1", QUARANTINE: {"merge_point": "snapshot", "reason": reason}}])


def test_the_reason_of_a_row_in_quarantine_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("bridge.explain.table_row")
    monkeypatch.setattr(module, "json_rows", lambda frame: [dict(row) for row in frame])
    monkeypatch.setattr(module, "_where", lambda frame, _: frame)
    monkeypatch.setattr(module, "calls_of", lambda *_: ())
    tables: Any = [_Table()]
    assert "Oslo" in table_row(tables, {"id": "1"}, quarantines=True).verdict
    with redacted("all"):
        found = table_row(tables, {"id": "1"}, quarantines=True)
        assert "Oslo" not in found.to_json() + found.verdict
        assert "Raising failed at snapshot" in found.verdict


def test_the_text_of_a_migration_plan_has_no_properties() -> None:
    stored = {"hoodie.table.version": "6", "hoodie.table.type": "COPY_ON_WRITE", "hoodie.x.secret": "hunter2"}
    made = plan_migration(stored, to="1.2")
    assert repr(made) == "<MigrationPlan>"
    assert _plain(made) == made.verdict
