"""plan_migration: properties, steps, the undo, and what changes silently."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.config.properties import parse_properties
from bridge.config.refusals import MergeConfigError
from bridge.config.table_versions import change_version
from bridge.errors import PlanError
from bridge.hudi import SymptomKind
from bridge.migration.damage import Damage, TableDamage
from bridge.migration.findings import Finding
from bridge.migration.inspect_table import inspect
from bridge.migration.move import SilentChange
from bridge.migration.plan import plan_migration
from bridge.migration.plan_report import silent_changes
from bridge.migration.scenarios import VersionKind
from bridge.report import Severity
from mergers import RecordMergeMode
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL, upgraded_tables

WRITER = "hoodie.datasource.write.payload.class"
DMS, OVERWRITE = MODEL + "AWSDmsAvroPayload", MODEL + "OverwriteWithLatestAvroPayload"
DEFAULT = MODEL + "DefaultHoodieRecordPayload"
MYSQL = MODEL + "debezium.MySqlDebeziumAvroPayload"
COW_0_15 = {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"}
TABLES = [table for table in upgraded_tables() if "upgraded" in table["table"]]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["table"])
def test_the_plan_has_the_properties_that_real_hudi_wrote(table):
    before = {**table["properties_before"], "hoodie.table.type": table["table_type"]}
    plan = plan_migration(before, "1.2", table["options"], table["table"].split("-")[0])
    assert plan.before == table["properties_before"]
    assert plan.after == table["properties_after"]
    passed = [step.options for step in plan.apply if "hoodie.datasource.write.precombine.field" in step.options]
    assert [options["hoodie.datasource.write.precombine.field"] for options in passed] == (
        ["_event_bin_file,_event_pos"] if "mysql" in table["table"] else []
    )


def test_a_table_without_a_class_is_upgraded_by_a_write_that_passes_it():
    plan = plan_migration(COW_0_15, "1.2", {WRITER: DMS})
    (step,) = plan.apply
    assert step.options[WRITER] == DMS
    assert not step.sql
    assert not any(warning.severity is Severity.DAMAGED for warning in plan.warnings)


def test_a_table_with_a_class_is_upgraded_by_the_procedure():
    plan = plan_migration({**COW_0_15, "hoodie.compaction.payload.class": DMS}, "1.2")
    assert plan.apply[0].sql == "CALL upgrade_table(table => '<table>', to_version => 'NINE')"
    assert plan.undo[0].sql == "CALL downgrade_table(table => '<table>', to_version => 'SIX')"


def test_an_unknown_writer_is_reported_first():
    first = plan_migration(COW_0_15, "1.2").warnings[0]
    assert first.severity is Severity.DAMAGED
    assert WRITER in first.remedy


def test_the_evidence_says_which_slices_the_new_release_cannot_read():
    plan = plan_migration({**COW_0_15, "hoodie.table.type": "MERGE_ON_READ"}, "1.2", {WRITER: DMS})
    refused = Damage(SymptomKind.UNREADABLE, "1.2", 3)
    plan = plan.with_evidence(TableDamage("t", "0.15", (refused, Damage(SymptomKind.UNREADABLE, "0.15", 2)), 9, 9))
    proof = silent_changes(plan)[-1]
    assert "in 4 of 9 file slices, read as they are, Hudi 1.2 shows no row differently from Hudi 0.15" in proof
    assert "the others could not be compared. " in proof


def test_null_ordering_values_are_versions_and_no_keys():
    plan = plan_migration(COW_0_15, "1.2", {WRITER: DMS})
    found = (Damage(SymptomKind.NULL_ORDERING, "ts", 7), Damage(SymptomKind.TIE, "", 2))
    plan = plan.with_evidence(TableDamage("t", "0.15", found, 9, 9))
    keys = {about: plan.keys_of(SilentChange(about, "", "", "")) for about in (VersionKind.ORDERING, VersionKind.TIES)}
    assert keys == {VersionKind.ORDERING: None, VersionKind.TIES: 2}


def test_a_kept_table_changes_no_property_and_reports_the_damage():
    plan = plan_migration(COW_0_15, "1.2", {WRITER: DMS}, keep_table_version=True)
    assert plan.changes == ()
    assert plan.undo == ()
    assert plan.apply[0].options == {"hoodie.write.table.version": "6", "hoodie.write.auto.upgrade": "false"}
    assert plan.warnings[0].severity is Severity.DAMAGED
    assert plan.behaviours[0].is_damage


def test_a_table_that_ends_in_another_mode_is_reported():
    plan = plan_migration(COW_0_15, "1.2", {WRITER: OVERWRITE})
    assert plan.after["hoodie.record.merge.mode"] == "EVENT_TIME_ORDERING"
    assert any("ends in EVENT_TIME_ORDERING" in warning.text for warning in plan.warnings)


def test_a_mode_is_set_after_the_upgrade_and_the_class_passed_no_more():
    plan = plan_migration(COW_0_15, "COMMIT_TIME_ORDERING", {WRITER: OVERWRITE})
    assert plan.after == {
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
        "hoodie.table.ordering.fields": "ts",
        "hoodie.table.version": "9",
    }
    upgrade, rewrite, options = plan.apply
    assert upgrade.options[WRITER] == OVERWRITE
    assert parse_properties(rewrite.file) == {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}
    assert "hoodie.table.legacy.payload.class" in rewrite.cli[1]
    assert options.drop == (WRITER,)
    assert not any(warning.severity is Severity.CHANGED for warning in plan.warnings)


def test_the_steps_lead_from_before_to_after():
    before = {**COW_0_15, "hoodie.compaction.payload.class": MYSQL, "hoodie.table.type": "MERGE_ON_READ"}
    plan = plan_migration(before, RecordMergeMode.COMMIT_TIME_ORDERING)
    table = change_version(before, 9)
    rewrite = next(step for step in plan.apply if step.cli)
    table.update(parse_properties(rewrite.file))
    for key in rewrite.cli[-1].rpartition(" ")[2].split(","):
        del table[key]
    assert {key: table[key] for key in plan.after} == plan.after
    assert plan.after["hoodie.record.merge.property.hoodie.payload.delete.field"] == "_change_operation_type"


def test_a_custom_mode_takes_the_writers_class():
    plan = plan_migration(COW_0_15, "custom", {WRITER: "com.acme.X"})
    assert plan.after["hoodie.record.merge.mode"] == "CUSTOM"
    assert plan.after["hoodie.compaction.payload.class"] == "com.acme.X"


def test_custom_needs_something_to_merge_with():
    with pytest.raises(MergeConfigError, match="CUSTOM needs"):
        plan_migration({"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}, "CUSTOM")
    with pytest.raises(MergeConfigError, match="never in mode CUSTOM"):
        plan_migration(COW_0_15, "CUSTOM", {WRITER: DMS})


def test_the_undo_of_a_mode_restores_the_properties():
    before = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.partial.update.mode": "IGNORE_DEFAULTS",
        "hoodie.table.legacy.payload.class": MODEL + "PartialUpdateAvroPayload",
    }
    plan = plan_migration(before, "COMMIT_TIME_ORDERING")
    (undo,) = plan.undo
    restored = {**plan.after, **parse_properties(undo.file)}
    assert restored == before
    assert plan.not_undone == ()


def test_the_undo_restores_an_ordering_field_that_hudi_does_not():
    before = {**COW_0_15, "hoodie.compaction.payload.class": MYSQL}  # ordered by ts
    plan = plan_migration(before, "1.2")
    downgrade, restore = plan.undo
    assert downgrade.sql.startswith("CALL downgrade_table")
    assert parse_properties(restore.file)["hoodie.table.precombine.field"] == "ts"


def test_an_undo_that_leaves_a_key_behind_says_so():
    before = {
        "hoodie.table.version": "8",
        "hoodie.record.merge.mode": "CUSTOM",
        "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000",
        "hoodie.compaction.payload.class": DMS,
        "hoodie.table.precombine.field": "ts",
    }
    plan = plan_migration(before, "1.2")
    assert [change.key for change in plan.not_undone] == ["hoodie.compaction.record.merger.strategy"]


def test_a_downgrade_is_planned_too():
    before = {"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    plan = plan_migration(before, "1.0")
    assert (plan.from_release, plan.to_version) == (HudiRelease.V1_1, 8)
    assert plan.apply[0].sql == "CALL downgrade_table(table => '<table>', to_version => 'EIGHT')"
    assert plan.after["hoodie.record.merge.strategy.id"] == "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"


def test_a_downgrade_that_no_release_can_read_is_reported():
    before = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.legacy.payload.class": OVERWRITE,
        "hoodie.table.ordering.fields": "ts",
    }
    assert any(warning.severity is Severity.REFUSED for warning in plan_migration(before, "1.0").warnings)


@pytest.mark.parametrize(
    ("to", "keep", "says"),
    [
        ("NEWEST", False, "neither a release nor a merge mode"),
        ("EVENT_TIME_ORDERING", True, "needs version 9"),
    ],
)
def test_what_cannot_be_planned_is_refused(to, keep, says):
    with pytest.raises(PlanError, match=says):
        plan_migration(COW_0_15, to, keep_table_version=keep)


def test_a_later_version_is_not_kept_by_an_old_release():
    with pytest.raises(PlanError, match="can't read table version 9"):
        plan_migration({"hoodie.table.version": "9"}, "1.0", keep_table_version=True)


def test_the_write_that_upgrades_may_pass_the_class_of_a_table_that_stores_none():
    """Real 1.2.0 takes such a write of a copy-on-write table of 0.15.0, and merges in EVENT_TIME_ORDERING."""
    table = COW_0_15 | {"hoodie.table.type": "COPY_ON_WRITE"}
    plan = plan_migration(table, "1.2", {WRITER: "com.acme.Fork"})
    assert plan.after["hoodie.record.merge.mode"] == "EVENT_TIME_ORDERING"
    refusals = [one.text for one in plan.warnings if "the writer passes" in one.text and "refuses" in one.text]
    assert all("takes the write that upgrades it" in one for one in refusals)
    assert len(refusals) == 1


DIFFERS = Damage(SymptomKind.DIFFERS, "1.2", 61)
STAYS = {"hoodie.table.version": "9", "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        (None, "No rows were read. "),
        (TableDamage("t", "0.15", (), 0, 9, "rows were not read"), "No rows were read (0 of 9 file slices). "),
        (TableDamage("t", "0.15", (), 0, 0), "The table has no rows. "),
        (TableDamage("t", "0.15", (Damage(SymptomKind.UNREADABLE, "1.2", 9),), 9, 9), "No rows were read (0 of 9"),
        (TableDamage("t", "0.15", (), 9, 9), "Hudi 1.2 shows the same rows as Hudi 0.15 in all file slices. "),
        (
            TableDamage("t", "0.15", (), 4, 9),
            "Hudi 1.2 shows the same rows as Hudi 0.15 in 4 of 9 file slices (5 were not read). ",
        ),
        (TableDamage("t", "0.15", (DIFFERS,), 9, 9), "Hudi 1.2 shows 61 rows differently from Hudi 0.15 in all"),
    ],
)
def test_the_headline_says_of_rows_that_they_change_or_not_or_were_not_looked_at(evidence, told):
    plan = plan_migration(COW_0_15, "1.2", {WRITER: DMS})
    report = (plan if evidence is None else plan.with_evidence(evidence)).to_report()
    assert report.verdict.startswith(told)
    assert "behaviours change" in report.verdict
    assert (Severity.CHANGED in report.severities, report.success) == (True, True)
    assert "\x1b[1;32m" not in report.as_text(colours=True)


@pytest.mark.parametrize(
    ("evidence", "severity"),
    [
        (TableDamage("t", "1.2", (), 9, 9), Severity.UNCHANGED),
        (TableDamage("t", "1.2", (DIFFERS,), 9, 9), Severity.CHANGED),
        (TableDamage("t", "1.2", (), 8, 9), Severity.NOT_CHECKED),
        (TableDamage("t", "1.2", (), 0, 9, "rows were not read"), Severity.NOT_CHECKED),
    ],
)
def test_a_plan_is_green_where_all_was_looked_at_and_nothing_found(evidence, severity):
    plan = plan_migration(STAYS, "1.2", {}, "1.2")
    assert (plan.behaviours, plan.untried) == ((), None)
    report = plan.with_evidence(evidence).to_report()
    assert report.severity is severity
    assert "No behaviour is known to change" in report.verdict
    assert plan.to_report().severity is Severity.NOT_CHECKED


@pytest.mark.parametrize("severity", [Severity.CHANGED, Severity.DAMAGED])
def test_a_plan_whose_warnings_name_a_change_is_not_green(severity):
    plan = plan_migration(STAYS, "1.2", {}, "1.2").with_evidence(TableDamage("t", "1.2", (), 9, 9))
    report = dataclasses.replace(plan, warnings=(Finding(severity, "deletes come back", "keep the class"),)).to_report()
    assert (report.severity, "except what the warnings name" in report.verdict) == (severity, True)
    assert "\x1b[1;32m" not in report.as_text(colours=True)


def test_a_release_that_cannot_read_the_table_as_it_is_shows_no_rows():
    plan = plan_migration(STAYS, "0.15", {}, "1.2").with_evidence(TableDamage("t", "1.2", (), 9, 9))
    report = plan.to_report()
    assert report.verdict.startswith("No rows were compared, because Hudi 0.15 can't read the table as it is. ")
    assert Severity.NOT_CHECKED in report.severities


def test_a_class_that_was_not_tried_is_not_called_unchanged():
    plan = plan_migration({**COW_0_15, "hoodie.compaction.payload.class": "com.acme.X"}, "1.2")
    report = plan.with_evidence(TableDamage("t", "0.15", (), 9, 9)).to_report()
    assert "com.acme.X was not tried on examples" in report.verdict
    assert any("Not checked: com.acme.X" in str(part) for part in report.body)
    assert Severity.NOT_CHECKED in report.severities


SUMS = "com.acme.SumAmounts"


@pytest.mark.parametrize(
    ("payload", "table_type", "move", "severity", "told"),
    [
        (SUMS, "MERGE_ON_READ", ("0.15", "1.2"), Severity.NOT_CHECKED, "2 behaviours may change; com.acme.SumAmounts"),
        (SUMS, "MERGE_ON_READ", ("0.15", "1.0"), Severity.NOT_CHECKED, "1 behaviour may change; com.acme.SumAmounts"),
        (SUMS, "COPY_ON_WRITE", ("0.12", "0.15"), Severity.NOT_CHECKED, "3 behaviours may change; com.acme.SumAmounts"),
        (SUMS, "COPY_ON_WRITE", ("0.15", "1.2"), Severity.NOT_CHECKED, "No behaviour was checked: com.acme.SumAmounts"),
        (DEFAULT, "COPY_ON_WRITE", ("0.14", "0.15"), Severity.NOT_CHECKED, "1 behaviour may change."),
        (DEFAULT, "MERGE_ON_READ", ("0.15", "1.2"), Severity.CHANGED, "change, and 1 more may change."),
        (DMS, "COPY_ON_WRITE", ("0.15", "1.2"), Severity.CHANGED, "behaviours change."),
    ],
)
def test_what_depends_on_a_class_or_a_writer_may_change(payload, table_type, move, severity, told):
    """No row need change: a class may sum amounts in any order, and one writer has one order."""
    table = {
        "hoodie.table.version": "5" if move[0] == "0.12" else "6",
        "hoodie.table.type": table_type,
        "hoodie.table.precombine.field": "ts",
        "hoodie.compaction.payload.class": payload,
    }
    report = plan_migration(table, move[1], {}, move[0]).to_report()
    assert (report.severity, told in report.verdict) == (severity, True), report.verdict
    behaviours = report.results[0]["behaviours"]
    listed = str(report.body[0])
    assert all(f"depends on {one['depends_on']}" in listed for one in behaviours if one["depends_on"])
    found = inspect(table, release=move[1], from_release=move[0])
    assert max(one.severity for one in found.warnings if "new batches" in one.text) is severity


def test_a_count_of_keys_is_none_where_no_log_was_looked_at():
    plan = plan_migration(COW_0_15, "1.2", {WRITER: DMS})
    change = SilentChange(VersionKind.TIES, "", "", "")
    counts = [plan.with_evidence(TableDamage("t", "0.15", (), 9, 9, logs=logs)).keys_of(change) for logs in (0, 2)]
    assert counts == [None, 0]


def test_what_a_table_has_no_column_for_is_not_listed():
    plan = plan_migration({**COW_0_15, "hoodie.compaction.payload.class": DMS}, "1.2")
    columns = ("id", "ts")
    kept = plan.with_evidence(TableDamage("t", "0.15", (), 0, 9, "rows were not read", columns)).behaviours
    assert {one.case for one in plan.behaviours} - {one.case for one in kept}
    assert not any("Op" in one.case + one.before for one in kept)


def test_a_plan_that_is_refused_ends_with_what_to_run_next():
    plan = plan_migration({**COW_0_15, "hoodie.compaction.payload.class": MODEL + "FirstValueAvroPayload"}, "1.2")
    report = plan.with_evidence(TableDamage("/data/t", "0.15", (), 9, 9)).to_report()
    assert Severity.REFUSED in report.severities
    verbs = [one.command.split()[1] for one in report.next]
    assert verbs == ["replay", "rehearse", "migrate", "snapshot", "merge-into"]
    assert "payload-bridge rehearse /data/t --to 1.2 --copy COPY" in report.as_text(200)


def test_a_plan_of_a_sample_ends_with_how_to_read_all():
    plan = plan_migration(STAYS, "1.2", {}, "1.2").with_evidence(TableDamage("/data/t", "1.2", (), 8, 9))
    assert plan.to_report().next[0].command == "payload-bridge plan /data/t --to 1.2 --slices all"
    whole = plan_migration(STAYS, "1.2", {}, "1.2").with_evidence(TableDamage("/data/t", "1.2", (), 9, 9))
    assert whole.to_report().next == []
