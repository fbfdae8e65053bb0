"""Tables of version 5, which 0.12 and 0.13 make: who writes, upgrades and reads them."""

from __future__ import annotations

import pytest

from bridge.config import MergeConfigError, TableMergeConfig, change_version, created_properties, effective_config
from bridge.errors import PlanError
from bridge.migration.inspection import inspect_settings as inspect
from bridge.migration.plan import plan_migration
from bridge.plan import TableType
from bridge.report import Severity
from payloads.release import HudiRelease, releases
from tests.bridge.config.recorded import MODEL

V0_13, V0_15, V1_2 = HudiRelease.V0_13, HudiRelease.V0_15, HudiRelease.V1_2
REFUSED = "only supports table version greater than version 6 or above. Please upgrade table from version 5 to 6 using"
WRITER = {
    "hoodie.datasource.write.precombine.field": "_event_seq",
    "hoodie.datasource.write.payload.class": f"{MODEL}debezium.MySqlDebeziumAvroPayload",
}


def table(table_type=TableType.MERGE_ON_READ, release=V0_13):
    return created_properties(WRITER, table_type, release)


def failures(found):
    return [warning.text for warning in found if warning.severity is Severity.REFUSED]


def test_0_12_stores_no_strategy():
    strategy = "hoodie.compaction.record.merger.strategy"
    old, new = (table(release=release) for release in releases(until="0.13"))
    assert (old["hoodie.table.version"], new["hoodie.table.version"]) == ("5", "5")
    assert {**old, strategy: new[strategy]} == new


def test_0_13_cannot_read_the_delete_blocks_of_0_12():
    plan = plan_migration(table(), "0.13", WRITER, from_release="0.12")
    assert any("delete blocks" in text for text in failures(plan.warnings))


@pytest.mark.parametrize("release", releases(since="0.14", until="0.15"))
def test_0_14_and_0_15_upgrade_it_and_change_nothing_else(release):
    then = change_version(table(), 6, release)
    assert then == {**table(), "hoodie.table.version": "6"}
    assert change_version(then, 5, release) == table()


@pytest.mark.parametrize("release", releases(since="1.0"))
@pytest.mark.parametrize("version", [6, 8])
def test_later_releases_refuse_to_write_it(release, version):
    with pytest.raises(MergeConfigError, match=REFUSED):
        change_version(table(), version, release)


@pytest.mark.parametrize("release", releases(since="1.0"))
def test_later_releases_read_it(release):
    stored = TableMergeConfig.from_properties(table(), release)
    assert effective_config(stored, {}, release).read.payload == WRITER["hoodie.datasource.write.payload.class"]
    assert any(REFUSED in text for text in failures(inspect(table(), WRITER, release).warnings))


@pytest.mark.parametrize("release", list(HudiRelease))
@pytest.mark.parametrize("table_type", TableType)
def test_inspect_names_the_delete_blocks_that_a_release_cannot_read(release, table_type):
    told = [text for text in failures(inspect(table(table_type), WRITER, release).warnings) if "delete blocks" in text]
    assert len(told) == (release > V0_13 and table_type is TableType.MERGE_ON_READ)


def test_a_plan_goes_by_way_of_0_15():
    with pytest.raises(MergeConfigError, match=REFUSED):
        plan_migration(table(), "1.2", WRITER)
    plan = plan_migration(table(), "0.15", WRITER)
    assert (plan.from_release, plan.from_version, plan.to_version) == (V0_13, 5, 6)
    assert [step.sql for step in plan.apply] == ["CALL upgrade_table(table => '<table>', to_version => 'SIX')"]
    assert [step.sql for step in plan.undo] == ["CALL downgrade_table(table => '<table>', to_version => 'FIVE')"]
    assert not plan.not_undone
    assert any("delete blocks" in text for text in failures(plan.warnings))
    assert any("as text" in change.before for change in plan.behaviours)


def test_0_15_cannot_keep_the_version():
    with pytest.raises(PlanError, match="upgrades table version 5 in its first write"):
        plan_migration(table(), "0.15", WRITER, keep_table_version=True)


def test_no_release_can_choose_version_5():
    with pytest.raises(Exception, match="write one of 6, 8, 9"):
        created_properties({**WRITER, "hoodie.write.table.version": "5"}, TableType.MERGE_ON_READ, V1_2)
