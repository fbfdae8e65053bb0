"""inspect: what a move to the release changes for new batches is a finding, and so is what was not looked at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import FleetReport, FleetTable, Severity, inspect, plan_migration
from bridge.cli import main
from bridge.config import TargetMode
from bridge.errors import ParameterError
from bridge.hudi import SymptomKind
from bridge.migration import report_plan
from bridge.migration.damage import Damage, TableDamage
from bridge.migration.findings import Finding
from mergers import RecordMergeMode
from payloads import PayloadRef, ReleaseWarning
from tests.bridge.config.recorded import MODEL

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

PAYLOAD = "hoodie.compaction.payload.class"
LOGGED = {"hoodie.table.version": "6", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.precombine.field": "ts"}
WHOLE = TableDamage("/data/t", "0.15", (), 4, 4)


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("name", ["OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload"])
def test_a_class_whose_new_batches_merge_differently_is_not_without_findings(name: str) -> None:
    found = inspect(LOGGED | {PAYLOAD: MODEL + name}).with_damage(WHOLE)
    assert found.severity is Severity.CHANGED
    assert "no findings" not in found.verdict
    assert any("for new batches after the upgrade" in one.text for one in found.warnings)
    report = found.to_report()
    assert "payload-bridge replay --table /data/t --batches NEXT --to 1.2" in report.next[0].command


def test_a_class_that_can_not_be_tried_is_not_called_unchanged() -> None:
    mine = PayloadRef("com.acme.Mine", "acme.jar")
    damage = TableDamage("/data/t", "0.15", (), 4, 4, payload=mine)
    found = inspect(LOGGED | {PAYLOAD: "com.acme.Mine"}, jar="acme.jar").with_damage(damage)
    assert Severity.NOT_CHECKED in found.severities
    assert "no findings" not in found.verdict
    (first, *_) = found.to_report().next
    assert first.command == (
        "payload-bridge replay --table /data/t --batches NEXT --to 1.2 --payload com.acme.Mine --jar acme.jar"
    )


def test_a_class_that_is_not_named_is_asked_for_first() -> None:
    mine = PayloadRef("com.acme.Mine", "YOUR.jar")
    damage = TableDamage("/data/t", "0.15", (), 0, 4, "its class is not named", payload=mine)
    found = inspect(LOGGED | {PAYLOAD: "com.acme.Mine"}, release="0.15").with_damage(damage)
    assert found.severities == {Severity.NOT_CHECKED}  # no release refuses anything
    assert "--payload com.acme.Mine --jar FILE" in str(found.warnings[0])
    (step,) = found.to_report().next
    assert step.command == "payload-bridge inspect /data/t --release 0.15 --payload com.acme.Mine --jar YOUR.jar"


def test_the_release_that_was_asked_about_comes_first() -> None:
    differing = tuple(Damage(SymptomKind.DIFFERS, release, 16) for release in ("1.0", "1.1", "1.2"))
    found = inspect(LOGGED, release="1.2").with_damage(TableDamage("/t", "0.15", differing, 4, 4))
    assert "finding: Hudi 1.2 shows 16 rows differently" in found.verdict


def test_advice_to_replay_names_the_class_of_the_user() -> None:
    differs = Damage(SymptomKind.DIFFERS, "1.2", 61)
    (own,) = TableDamage("/t", "0.15", (differs,), 4, 4, payload=PayloadRef("com.acme.Mine", "a.jar")).findings
    (hudis,) = TableDamage("/t", "0.15", (differs,), 4, 4).findings
    assert "replay --table /t --to 1.2 --payload com.acme.Mine --jar a.jar lists them" in own.remedy
    assert "replay --table /t --to 1.2 lists them" in hudis.remedy


def test_what_reads_all_asks_the_same() -> None:
    part = TableDamage("/data/t", "0.15", (), 1, 4, payload=PayloadRef("com.acme.Mine", "a.jar"))
    first = inspect(LOGGED, release="0.15").with_damage(part).to_report().next[0]
    own = "--payload com.acme.Mine --jar a.jar --slices all"
    assert first.command == (f"payload-bridge inspect /data/t --release 0.15 {own}")
    plan = plan_migration(LOGGED, "COMMIT_TIME_ORDERING").with_evidence(part)
    first = report_plan(plan, {"to": "COMMIT_TIME_ORDERING"}).next[0]
    assert first.command == (f"payload-bridge plan /data/t --to COMMIT_TIME_ORDERING {own}")


def test_a_writer_that_is_not_known_is_not_guessed() -> None:
    """1.1 and 1.2 write table version 9, and merge logs differently."""
    table = LOGGED | {"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    unsure = inspect(table).with_damage(WHOLE)
    assert (unsure.severity, "if Hudi 1.1 wrote this one" in unsure.verdict) == (Severity.NOT_CHECKED, True)
    assert inspect(table, from_release="1.2").with_damage(WHOLE).severity is Severity.UNCHANGED
    sure = inspect(table, from_release="1.1").with_damage(WHOLE)
    assert (sure.severity, "1 behaviour may change" in sure.verdict) == (Severity.NOT_CHECKED, True)
    assert "depends on whether several writers write at once" in sure.verdict


def test_a_move_to_an_older_release_is_looked_at_too() -> None:
    """A table of version 6, which 1.2 may have written at its version."""
    table = LOGGED | {PAYLOAD: MODEL + "DefaultHoodieRecordPayload"}
    assert inspect(table, release="0.15").with_damage(WHOLE).severity is Severity.UNCHANGED
    found = inspect(table, release="0.15", from_release="1.2").with_damage(WHOLE)
    assert found.severity is Severity.CHANGED
    assert "for new batches from then on" in found.verdict


@pytest.mark.parametrize("asked", [{"release": "1.2.7"}, {"from_release": "0.15.9"}])
def test_a_patch_release_that_was_not_compared_is_told(asked: dict[str, str]) -> None:
    with pytest.warns(ReleaseWarning, match="was not compared"):
        inspect(LOGGED, **asked)


def test_a_table_of_the_release_itself_changes_nothing() -> None:
    found = inspect(LOGGED | {PAYLOAD: MODEL + "DefaultHoodieRecordPayload"}, release="0.15").with_damage(WHOLE)
    assert (found.severities, found.move, found.to_report().next) == ({Severity.UNCHANGED}, None, [])


@pytest.mark.parametrize("damage", [None, TableDamage("/t", "0.15", (), 0, 4, "rows were not read (--slices)")])
def test_what_was_not_looked_at_is_never_nothing_found(damage: TableDamage | None) -> None:
    found = inspect(LOGGED, release="0.15")
    found = found if damage is None else found.with_damage(damage)
    assert found.severity is Severity.NOT_CHECKED
    assert "read" in found.verdict
    text = found.to_report().as_text(80, colours=True)
    assert "\x1b[1;32m" not in text
    assert "? not checked" in text


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Make the properties of a table as 0.15 leaves them: their file."""
    file = tmp_path / "hoodie.properties"
    lines = LOGGED | {PAYLOAD: MODEL + "OverwriteNonDefaultsWithLatestAvroPayload"}
    file.write_text("#saved\n" + "".join(f"{key}={value}\n" for key, value in lines.items()), "iso-8859-1")
    return file


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("--fail-on", "changed"), 1),
        (("--fail-on", "damaged"), 3),  # no file was looked at
        (("--release", "0.15", "--fail-on", "changed"), 3),
    ],
)
def test_a_pipeline_may_fail_on_it(table: Path, words: tuple[str, ...], code: int) -> None:
    result = run("inspect", table, *words, "--output", "json")
    assert result.exit_code == code, result.output
    assert json.loads(result.stdout)["success"] == (code == 0)


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    result = run("inspect", "--root", tmp_path)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"no Hudi table is below {tmp_path}" in result.stderr


ALIKE = FleetTable("t", new_batches=Severity.UNCHANGED)
LOST = Finding(Severity.DAMAGED, "1 file of a completed commit: missing", "restore the files")


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (ALIKE, {Severity.UNCHANGED, Severity.NOT_CHECKED}),  # no row was read
        (ALIKE._replace(grade="IDENTICAL ON THIS DATA"), {Severity.UNCHANGED}),
        (ALIKE._replace(grade="DIFFERS"), {Severity.UNCHANGED, Severity.CHANGED}),
        (ALIKE._replace(grade="IDENTICAL ON THIS DATA", findings=(LOST,)), {Severity.UNCHANGED, Severity.DAMAGED}),
        (ALIKE._replace(failure="it is lost", findings=(LOST,)), {Severity.NOT_CHECKED, Severity.DAMAGED}),
    ],
)
def test_a_table_of_many_is_sound_only_if_its_rows_and_files_were_looked_at(
    table: FleetTable, found: set[Severity]
) -> None:
    report = FleetReport("db", "0.15", (table,)).to_report()
    assert report.severities == found
    (line,) = report.results
    assert line["severity"] == max(found).value
    if table.findings:
        assert line["findings"][0]["severity"] == "damaged"
        assert f"t: {LOST}" in report.warnings


def test_a_folder_of_which_no_row_is_read_is_never_sound(table: Path) -> None:
    folder = table.parent / "orders" / ".hoodie"
    folder.mkdir(parents=True)
    table.rename(folder / table.name)
    words = ("inspect", "--root", folder.parents[1], "--release", "0.15", "--fail-on", "damaged")
    assert run(*words).exit_code == 3


def test_each_table_of_a_folder_has_a_writer_of_its_own(tmp_path: Path) -> None:
    for option, value in (("--from", "0.15"), ("--slices", "3"), ("--bootstrap", "src"), ("--call-timeout", "9")):
        refused = run("inspect", "--root", tmp_path, option, value)
        assert (refused.exit_code, f"{option} is for one TABLE" in refused.stderr) == (2, True)


@pytest.mark.parametrize("is_folder", [False, True])
def test_functions_take_a_path_and_answer_as_the_command_line(table: Path, is_folder: bool) -> None:  # noqa: FBT001
    if is_folder:
        folder = table.parent / "orders" / ".hoodie"
        folder.mkdir(parents=True)
        table = table.rename(folder / table.name).parents[1]
    for verb, made in (
        (("inspect", table, "--slices", "0"), inspect(table, slices=0)),
        (("plan", table, "--to", "1.2", "--slices", "0"), plan_migration(table, "1.2", slices=0)),
    ):
        result = run(*verb, "--output", "json")
        assert result.exit_code == 0, result.output
        by_command, by_function = (json.loads(text) for text in (result.stdout, made.to_json()))
        assert by_command.pop("plan")["table"] == str(table)
        by_function.pop("plan")
        assert by_command == by_function
        assert (by_function["severity"], by_function["not_checked"]) == (
            "changed",
            not is_folder,
        )  # without file slices all is seen


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"slices": 3}, "slices is for rows, but a table's properties have none"),
        ({"slices": None}, "slices is for rows"),
        ({"payload": "AWSDmsAvroPayload"}, "payload is for rows"),
        ({"bootstrap": "x"}, "bootstrap is for rows"),
    ],
)
def test_what_is_for_rows_is_refused_for_properties(tmp_path: Path, given: dict[str, Any], sentence: str) -> None:
    stored = {"hoodie.table.version": "6", "hoodie.table.type": "COPY_ON_WRITE"}
    file = tmp_path / "hoodie.properties"
    file.write_text("".join(f"{name}={text}\n" for name, text in stored.items()))
    for table in (stored, file, str(file)):
        with pytest.raises(ParameterError, match=sentence):
            inspect(table, **given)
        with pytest.raises(ParameterError, match=sentence):
            plan_migration(table, "1.2", **given)
    assert inspect(stored).move is not None


def test_a_table_that_is_not_there_was_written_by_no_release() -> None:
    with pytest.raises(ParameterError, match="from_release is for a table that exists"):
        inspect({"hoodie.table.type": "COPY_ON_WRITE"}, from_release="0.15")


def test_one_merge_mode_is_set() -> None:
    with pytest.raises(ParameterError, match="to and mode both name a merge mode"):
        plan_migration(
            {"hoodie.table.version": "9"}, "EVENT_TIME_ORDERING", mode=TargetMode(RecordMergeMode.COMMIT_TIME_ORDERING)
        )
