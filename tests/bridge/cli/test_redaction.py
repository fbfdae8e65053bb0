"""`--redact`: no output of any verb has a hidden value, and what stands for it still tells equal from unequal."""

from __future__ import annotations

import json
import re
import subprocess
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import Batches, MergePlan, redacted, simulate
from bridge.cli import main
from bridge.compare import NotRunError, released_process, run_released
from bridge.errors import MergeFailedError, sentence_of
from bridge.redaction import Redaction, scrubbed, without_credentials
from bridge.report import Check, Report, Severity, Table
from bridge.report import files as report_files
from payloads import PayloadFailedError
from tests.support.everything_written import everything_written
from tests.support.user_payloads import Newest

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

COLUMNS = "id string, land string, ts bigint, city string, Op string"
ROWS = [
    [("key-one", "land-one", 770001, "city-one", "I"), ("key-two", None, 770002, "city-one", "I")],
    [("key-one", "land-one", 770004, None, "U"), ("key-two", None, 770003, "city-two", "D")],
    [("key-one", "land-one", 770000, "city-late", "D"), ("key-two", None, 770001, "city-two", "I")],
]
SECRET = re.compile(r"key-(?:one|two|no)|land-one|77000\d|city-\w+")
PLAN = ("--payload", "AWSDmsAvroPayload", "--key", "id", "--partition", "land", "--ordering", "ts")


class Raising(Newest):
    """A payload whose message quotes what it was given."""

    def combine_and_get_update_value(self, current, schema):
        message = f"no room for {self.record['city']} and {current['city']}"
        raise ValueError(message)


@pytest.fixture(scope="module")
def days(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("days")
    for number, rows in enumerate(ROWS, start=1):
        spark.createDataFrame(rows, COLUMNS).coalesce(1).write.parquet(f"{folder}/{number}")
    return folder


SIDES = ("--from", "0.15", "--to", "1.2", "--table-type", "mor")
VERBS = {
    "replay": ("replay", *SIDES),
    "replay-of-a-scope": ("replay", *SIDES, "--partitions", "land-one"),
    "simulate": ("simulate", "--table-type", "both"),
    "all-paths": ("simulate", "--all-paths", "--release", "0.15"),
    "explain": ("explain", "--row", "key-one", "--table-type", "both"),
    "explain-two": ("explain", "--row", "id=key-two", *SIDES),
    "explain-none": ("explain", "--row", "key-no"),
    "migrate": ("migrate", "--table-type", "mor", "--accept-differences"),
}


@pytest.mark.parametrize("name", VERBS)
def test_no_output_of_a_verb_on_batches_has_a_hidden_value(spark, days, tmp_path, name):
    words = [*VERBS[name], "--batches", days, *PLAN, "--redact", "all"]
    folder = tmp_path / "out"
    folder.mkdir()
    if name == "migrate":
        words += ["--out", folder / "files"]
    # Text and Markdown are written from the same report: of one verb with tables of rows, and of one without.
    forms = [("--output", "json", "--report", "a.html"), ("--report", "b.md")]
    for number, more in enumerate(forms if name in {"replay", "explain-two"} else forms[:1]):
        *rest, file = more
        code, text = everything_written(folder, *words, *(["--overwrite"] if number else []), *rest, folder / file)
        assert code in {0, 1} or name == "explain-none", text
        assert SECRET.findall(text) == []
        assert "json" not in rest or re.search(r"text [0-9a-f]{16}", text)


@pytest.mark.parametrize("point", ["upsert", "append", "combine-input"])
def test_no_output_of_a_merge_has_a_hidden_value(spark, days, tmp_path, point):
    stored = () if point == "combine-input" else ("--stored", days / "1")
    words = ("merge", point, *stored, "--incoming", days / "2", *PLAN, "--output", "json", "--redact", "all")
    code, text = everything_written(tmp_path, *words)
    assert (code, SECRET.findall(text)) == (0, [])


@pytest.mark.parametrize("verb", [("simulate",), ("explain", "--row", "key-one"), ("replay", *SIDES)])
def test_no_message_about_a_failed_merge_quotes_a_hidden_value(spark, days, tmp_path, verb):
    plan = ("--payload", f"{__name__}:Raising", *PLAN[2:])
    code, text = everything_written(tmp_path / "x", *verb, "--batches", days, *plan, "--redact", "all")
    assert code == 3
    assert SECRET.findall(text) == []
    assert re.search(r"Raising failed at [a-z-]+ \(key .*id=.?text [0-9a-f]{16}.*\): redaction hides the reason", text)
    _, whole = everything_written(tmp_path / "x", *verb, "--batches", days, *plan)
    assert SECRET.findall(whole)


@pytest.mark.parametrize("verb", [("simulate",), ("replay", *SIDES)])
def test_no_row_in_quarantine_has_a_hidden_value(spark, days, tmp_path, verb):
    plan = ("--payload", f"{__name__}:Raising", *PLAN[2:], "--on-error", "quarantine", "--redact", "all")
    code, text = everything_written(tmp_path / "x", *verb, "--batches", days, *plan, "--output", "markdown")
    assert (code in {0, 1, 3}, SECRET.findall(text)) == (True, [])
    assert "redaction hides the message" in text


def test_no_message_about_a_broken_file_quotes_it(spark, tmp_path):
    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "1.jsonl").write_text('{"id": "key-one", "ts": "city-broken", "land": "x"\n')
    (tmp_path / "rows.ddl").write_text("id string, ts bigint, land string")
    words = ("simulate", "--batches", tmp_path / "days", "--schema", tmp_path / "rows.ddl", *PLAN, "--redact", "id,ts")
    code, text = everything_written(tmp_path / "none", *words)
    assert (code, SECRET.findall(text)) == (3, [])
    assert "1.jsonl can't be read" in text


def results(days: Path, *words: str) -> list[dict[str, Any]]:
    given = ["simulate", "--batches", str(days), *PLAN, "--output", "json", *words]
    found = json.loads(CliRunner().invoke(main, given).stdout)
    return [row for one in found["results"] for row in one["snapshot"]]


def test_equal_stays_equal_and_types_and_nulls_are_seen(spark, days):
    plain, hidden = results(days), results(days, "--redact", "City,land,ts")
    assert [row["id"] for row in hidden] == [row["id"] for row in plain]
    for column, kind in {"city": "text", "land": "text", "ts": "integer"}.items():
        pairs = {(row[column], other[column]) for row, other in zip(plain, hidden, strict=True)}
        assert len(pairs) == len({value for value, _ in pairs}) == len({token for _, token in pairs})
        assert all(token is None if value is None else token.startswith(f"{kind} ") for value, token in pairs)


def test_nothing_is_shown_where_a_column_to_hide_is_misspelt(spark, days, tmp_path):
    given = ["simulate", "--batches", str(days), *PLAN, "--redact", "City,lnad", "--report", str(tmp_path / "x.html")]
    found = CliRunner().invoke(main, given)
    assert (found.exit_code, SECRET.findall(found.output), [*tmp_path.glob("x.html")]) == (3, [], [])
    assert "--redact lnad: the data has no such column, so nothing is shown; did you mean land?" in found.stderr


def test_a_column_of_the_data_is_not_misspelt_though_nothing_shows_it():
    hidden = Redaction.of(["Land", "lnad", "_hoodie_commit_time", "all"])
    assert hidden.misspelt == frozenset()  # nothing was read yet
    land = {"fields": [{"name": "land", "type": "string"}]}
    hidden.learn({"fields": [{"name": "places", "type": {"type": "array", "elementType": land}}]})
    assert hidden.misspelt == {"lnad"}


def test_a_key_of_the_environment_makes_runs_alike(spark, days, monkeypatch):
    monkeypatch.delenv("PAYLOAD_BRIDGE_REDACT_KEY", raising=False)
    assert results(days, "--redact", "all") != results(days, "--redact", "all")
    monkeypatch.setenv("PAYLOAD_BRIDGE_REDACT_KEY", "of a team")
    assert results(days, "--redact", "all") == results(days, "--redact", "all")


def test_in_python_reports_are_hidden_and_frames_are_not(spark, days):
    plan = MergePlan(payload="AWSDmsAvroPayload", release="0.15", key="id", partition="land", ordering="ts")
    with redacted("city"), simulate(Batches.read(spark, days), plan) as found:
        assert "city-" not in found.to_json()
        assert "key-" in found.to_json()
        assert found.snapshots.where("city = 'city-one'").count()
    with simulate(Batches.read(spark, days), plan) as found:
        assert "city-" in found.to_json()


def test_rows_are_not_written_where_values_are_hidden(days, tmp_path):
    words = ["replay", *SIDES, "--batches", days, *PLAN, "--redact", "id", "--out", tmp_path / "rows"]
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 2
    assert "--out writes rows unredacted" in result.stderr


def test_a_column_that_names_batches_is_not_hidden(days):
    words = ["simulate", "--batches", days / "1", "--batch-column", "ts", *PLAN, "--redact", "id,ts"]
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 2
    assert "--redact ts: its values are the names of the batches" in " ".join(result.stderr.split())


# -- messages


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (
            MergeFailedError("no room for city-one", "My", "upsert", {"id": "it's", "n": 3, "day": None}, "city"),
            r"My failed at upsert \(key id=text \w{16}, n=3, day=None, field 'city'\): redaction hides the reason.*",
        ),
        (MergeFailedError("city-one", "My", "upsert", {"id": b"\x01"}), r"My failed at upsert \(key id=hidden\): .*"),
        (PayloadFailedError("city-one"), r"PayloadFailedError: redaction hides the message.*"),
        (
            RuntimeError("x\nbridge.errors.MergeFailedError: M failed at b (key id=1): city-one\n  at y"),
            r"M failed at b .*",
        ),
    ],
)
def test_messages_name_where_it_failed_alone(error, wanted):
    with Redaction(frozenset({"id"}), b"k").applied():
        assert re.fullmatch(wanted, sentence_of(error))
    assert "city-one" in sentence_of(error)


def test_how_a_released_bundle_ended_is_hidden(spark, tmp_path, monkeypatch):
    ended = subprocess.CompletedProcess([], 1, "", "x\njava.lang.IllegalStateException: no room for city-one")
    monkeypatch.setattr(released_process, "run_bounded", lambda *_: ended)
    found = []
    for redaction in (Redaction(), Redaction(frozenset({"city"}), b"k")):
        with redaction.applied(), pytest.raises(NotRunError) as raised:
            run_released(spark, "org:bundle:1", tmp_path / "x.py", {}, way_out="")
        found.append(str(raised.value))
    assert [("city-one" in text, "(redaction hides the message" in text) for text in found] == [
        (True, False),
        (False, True),
    ]


# -- credentials


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("s3a://AKIA:secret+/x@bucket/days", "s3a://***@bucket/days"),
        ("jdbc:x://ann:pw@host/db", "jdbc:x://***@host/db"),
        ("s3a:/AKIA:secret+/x@bucket/days", "s3a:/***@bucket/days"),
        ("sc://host:15002/;token=abc;user_id=ann", "sc://host:15002/;token=***;user_id=***"),
        ("https://x/y?sv=1&sig=a%2Fb&z=1", "https://x/y?sv=1&sig=***&z=1"),
        ("spark.hadoop.fs.s3a.secret.key=abc, and", "spark.hadoop.fs.s3a.secret.key=***, and"),
        ("{'fs.s3a.secret.key': 'hunter2', 'b': 1}", "{'fs.s3a.secret.key': '***', 'b': 1}"),
        ('{\\"password\\": \\"a, b\\"}', '{\\"password\\": \\"***\\"}'),
        ("secret.key: hunter2", "secret.key: ***"),
        ("secret.key = hunter2", "secret.key = ***"),
        ("password='it\\'s mine' and", "password='***' and"),
        ('password="hunter2"', 'password="***"'),
        ("password='cut", "password='***"),
        ("(password => 'hunter2')", "(password => '***')"),
        ("https://x/y?X-Goog-Signature=abc&z=1", "https://x/y?X-Goog-Signature=***&z=1"),
        ("https://x/y?X-Amz-Security-Token=abc&z=1", "https://x/y?X-Amz-Security-Token=***"),
        ("https://ghp_token@host/x", "https://***@host/x"),
        ("Authorization: Bearer ab.c=", "Authorization: Bearer ***"),
        ("{'Authorization': 'Basic abc='}", "{'Authorization': 'Basic ***'}"),
        *(
            (text, text)
            for text in (
                "abfss://container@account.dfs.core.windows.net/x",
                "https://host/@user?to=a@b",
                "file:/data/a@b/c:d@e",
                "ts@city=1",
                "key: id, accessed: 2024-01-01 10:00:00",
                "column 'secret_key': cast it",
                "ExpiredTokenException: the token has expired",
                "password=''",
            )
        ),
    ],
)
def test_credentials_are_taken_out_of_texts(text, wanted):
    assert without_credentials(text) == wanted
    assert without_credentials(wanted) == wanted


def test_entries_whose_names_become_the_same_are_kept():
    given = {"s3a://a:b@bucket": 1, "s3a://a:c@bucket": 2, 7: None, "s3a://***@bucket (2)": 3}
    assert list(scrubbed(given)) == ["s3a://***@bucket", "s3a://***@bucket (2)", 7, "s3a://***@bucket (2) (2)"]


FORM = {
    **{f"as_{name}": methodcaller(f"as_{name}") for name in ("json", "text", "markdown")},
    **report_files.FORMS,
}


@pytest.mark.parametrize("form", FORM)
def test_credentials_in_messages_reach_no_form_of_a_report(form):
    told = "s3a://me:hunter2@bucket/x can't be read"
    table = Table(("reader", "why"), [("hudi-rs", told)], told)
    report = Report("x", told, {Severity.CHANGED}, plan={"table": told}, results=[{"not_run": told}], warnings=[told])
    report.body, report.checks = [told, table], [Check(told, Severity.CHANGED, told, told)]
    text = FORM[form](report)
    assert ("hunter2" in text, "@bucket/x can" in text) == (False, True)


def test_credentials_of_options_reach_no_output(spark, days, tmp_path, monkeypatch):
    secret = "hunter2"  # noqa: S105 (not one)
    words = ("simulate", "--batches", days, *PLAN, "--prop", f"hoodie.datasource.hive_sync.password={secret}")
    more = ("--conf", f"spark.hadoop.fs.s3a.secret.key={secret}", "--output", "json", "--report", tmp_path / "a.html")
    code, text = everything_written(tmp_path, *words, *more)
    assert (code, secret in text) == (0, False)
    for wrong in (
        ("simulate", "--batches", f"s3a://me:{secret}@bucket/days", *PLAN),
        ("simulate", "--batches", f"none://me:{secret}@bucket/days", *PLAN, "--dry-run"),
        ("snapshot", f"none://me:{secret}@bucket/table"),
        ("simulate", "--batches", days, *PLAN, "--conf", f"x.password={secret}"),
        ("simulate", "--batches", days, *PLAN, "--prop", f"hoodie.password={secret}", "--mode", "X"),
    ):
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        code, text = everything_written(tmp_path / "none", *wrong)
        assert (code in {0, 2, 3}, secret in text) == (True, False), text


@pytest.mark.parametrize("verb", ["verify", "payloads"])
def test_rows_are_refused_where_their_values_would_be_shown(verb, days):
    words = [verb, "DefaultHoodieRecordPayload", "--batches", str(days), "--key", "id", "--ordering", "ts"]
    found = CliRunner().invoke(main, [*words, "--redact", "city"])
    assert found.exit_code == 2, found.output
    assert f"{verb} shows values of your rows as they are; leave out --redact, or name no rows" in found.stderr
