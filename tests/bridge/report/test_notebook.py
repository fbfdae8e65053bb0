"""What a notebook shows: values stay text, what is hidden stays hidden, and nothing is without bounds."""

from __future__ import annotations

import dataclasses

from bridge import MergePlan, plan_migration, redacted, verify
from bridge.report import Report, Severity, Table, as_notebook, json_record
from payloads import HudiRelease, parse_schema

HOSTILE = "</style></details><script>document.title='owned'</script><b>&amp;"


def test_values_stay_text_and_credentials_stay_secret() -> None:
    rows = [{"id": HOSTILE, "n": at} for at in range(3)]
    report = Report("replay", f"3 keys differ {HOSTILE}", {Severity.CHANGED}, warnings=[HOSTILE])
    report.body = [HOSTILE, Table.of_rows(("id", "n"), rows, HOSTILE), "s3://user:secret@bucket/x"]
    html = as_notebook(report)
    plan = MergePlan(payload="DefaultHoodieRecordPayload", key=HOSTILE, props={"fs.s3a.secret.key": "abc"})
    for shown in (html, plan._repr_html_()):
        assert "&lt;/style&gt;&lt;/details&gt;&lt;script&gt;" in shown
        assert "<script" not in shown
        assert "<b>&amp;" not in shown
        assert shown.count("</style>") == 1
    assert "secret@" not in html
    assert "abc" not in plan._repr_html_()


def test_a_large_report_is_cut_and_says_so() -> None:
    rows = [{f"c{at}": "x" * 5_000 for at in range(100)} for _ in range(1_000)]
    report = Report("replay", "y" * 100_000, warnings=["w" * 9_000] * 500)
    report.body = ["z\n" * 50_000, *(Table.of_rows([*rows[0]], rows, "t" * 5_000) for _ in range(50))]
    html = as_notebook(report)
    assert len(html) < 300_000
    for said in ("(49988 more lines)", "488 more warnings", "50 more parts"):
        assert said in html
    report.body = [Table.of_rows(["c0"], rows)]
    assert "20 of 1,000 rows" in as_notebook(report)


def test_what_is_hidden_in_a_report_is_hidden_in_a_notebook() -> None:
    schema = parse_schema({"type": "record", "name": "r", "fields": [{"name": "city", "type": "string"}]})
    report = Report("explain", "1 row.")
    with redacted("city"):
        report.body = [Table.of_rows(("city",), [json_record({"city": "Oslo"}, schema)])]
        assert "Oslo" not in as_notebook(report)


def test_a_plan_says_what_is_not_the_default() -> None:
    plan = MergePlan(payload="AWSDmsAvroPayload", release="0.15", key="id", ordering="ts", table_type="mor")
    html = plan._repr_html_()
    assert "AWSDmsAvroPayload on Hudi 0.15: a merge-on-read table of version 6" in html
    assert "<dt>ordering</dt><dd>ts</dd>" in html
    assert "fidelity" not in html
    stored = MergePlan(
        payload="AWSDmsAvroPayload", release="0.15", key="id", props={"hoodie.x.token": "abc"}
    ).as_plain()
    later = dataclasses.replace(stored, release="1.2")
    assert "on Hudi 1.2: a copy-on-write table of version 6" in repr(later), "as the table is, not as 1.2 creates it"
    assert "abc" not in stored._repr_html_()


def test_laws_are_shown_with_and_without_the_bridge() -> None:
    checked = verify("AWSDmsAvroPayload", release=HudiRelease.V1_2, exhaustive=True, domains=("data",))
    for html in (checked._repr_html_(), checked.report._repr_html_()):
        assert "violated" in html
        assert "<details>" in html
        assert "s\u00b7(a\u00b7b)" in html


def test_a_migration_plan_has_its_verdict_and_steps() -> None:
    made = plan_migration({"hoodie.table.version": "6", "hoodie.table.type": "COPY_ON_WRITE"}, to="1.2")
    assert made.verdict in made._repr_html_()
