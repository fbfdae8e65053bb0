"""Which options of a second write conflict with what the table stores: real Hudi answers (`tests.live.conflicts`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bridge import MergePlan
from bridge.config import TableMergeConfig, conflicts_of
from bridge.programs import refused_batch
from payloads import HudiRelease
from tests.bridge.config.recorded import lines_of

ANSWERS = [json.loads(line) for line in lines_of("conflicts.jsonl.gz")]
_OPTIONS = {
    "RecordKey": "hoodie.datasource.write.recordkey.field",
    "PreCombineKey": "hoodie.datasource.write.precombine.field",
    "OrderingFields": "hoodie.datasource.write.precombine.field",
    "KeyGenerator": "hoodie.datasource.write.keygenerator.class",
    "PartitionPath": "hoodie.datasource.write.partitionpath.field",
}
"""What Hudi calls an option in the lines of its refusal, where it is not the option's name."""


def _id(one: dict[str, Any]) -> str:
    return f"{one['release']}-{one['case']}"


@pytest.mark.parametrize("one", [one for one in ANSWERS if one["stored"] is not None], ids=_id)
def test_the_options_of_a_second_write_conflict_as_in_real_hudi(one: dict[str, Any]) -> None:
    release = HudiRelease.parse(one["release"])
    table = TableMergeConfig.from_properties(one["stored"], release)
    found = {conflict.key for conflict in conflicts_of(table, one["second"], release)}
    named = {_OPTIONS.get(name, name) for name, _, _ in one["refused"] or ()}
    if any("Exception" in name for name in named):  # what comes before the check, such as a key generator that fails
        assert found <= {*_OPTIONS.values()}
        return
    assert found == named


def test_the_answers_are_of_these_bundles() -> None:
    """What the others check was read in their class files: whether they compare partitions, and by columns."""
    assert {one["release"] for one in ANSWERS} == {"1.2.0"}
    assert sum(one["refused"] is not None for one in ANSWERS) > len(ANSWERS) // 3


@pytest.mark.parametrize(("release", "is_refused"), [("0.12", False), ("1.0", False), ("1.1", True), ("1.2", True)])
def test_a_plan_is_held_against_the_table_that_its_first_write_makes(release: str, *, is_refused: bool) -> None:
    plan = MergePlan(payload="MySqlDebeziumAvroPayload", release=release, key="id", ordering="_event_seq")
    assert refused_batch(plan, 1) is None
    found = refused_batch(plan, 3)
    assert (found is not None) is is_refused
    if found is not None:
        assert found.number == 2
        assert "refuses batch 2: " in str(found.error)
        assert "precombine.field: passed _event_seq, stored _event_bin_file,_event_pos" in str(found.error)


@pytest.mark.parametrize("release", HudiRelease)
def test_a_custom_key_generator_writes_types_that_two_releases_do_not_know(release: HudiRelease) -> None:
    props = {
        "hoodie.datasource.write.partitionpath.field": "day:SIMPLE",
        "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.CustomKeyGenerator",
    }
    plan = MergePlan(
        payload="DefaultHoodieRecordPayload", release=release, key="id", partition="day", ordering="ts", props=props
    )
    assert (refused_batch(plan, 2) is not None) is (str(release) in {"0.13", "0.14"})


@pytest.mark.parametrize("release", ["0.12", "0.14", "0.15", "1.2"])
@pytest.mark.parametrize(("key", "is_refused"), [("id, part", False), ("id,part", False), ("part,id", True)])
def test_columns_are_passed_as_the_table_has_them(release: str, key: str, *, is_refused: bool) -> None:
    """A table may store blanks after the commas, and Hudi compares texts."""
    stored = {
        "hoodie.table.version": "6",
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.timeline.layout.version": "1",
        "hoodie.table.recordkey.fields": key,
        "hoodie.table.partition.fields": "day, hour",
        "hoodie.table.precombine.field": "ts",
    }
    line = HudiRelease.parse(release)
    table = TableMergeConfig.from_properties(stored, line)
    settings: dict[str, Any] = {"key": "id,part", "partition": "day,hour", "ordering": "ts", "table": table}
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release=line, **settings)
    assert (refused_batch(plan, 2) is not None) is is_refused
