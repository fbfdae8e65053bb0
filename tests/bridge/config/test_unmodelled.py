"""Options that change rows and are not followed: a warning by name, unless their value changes none."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bridge import Batches, MergePlan, PathsReport, migrate
from bridge.config import option_warnings
from bridge.config.keys import key_hint
from bridge.config.unmodelled import OPTIONS
from bridge.engines import RowCounts
from bridge.merge import class_warnings
from bridge.pipeline import PathCounts


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_named_with_what_it_does_but_for_its_harmless_values(name: str) -> None:
    option = OPTIONS[name]
    (told,) = option_warnings({name: "anything.Else"})
    assert told == f"{name}=anything.Else is not followed: it {option.does}"
    for value in option.harmless:
        assert (
            option_warnings({name: f"org.apache.hudi.keygen{value}" if value.startswith(".") else value.upper()}) == []
        )
    assert key_hint(name) == ""


def test_what_is_followed_is_not_named() -> None:
    followed = {
        "hoodie.combine.before.upsert": "false",
        "hoodie.index.type": "GLOBAL_SIMPLE",
        "hoodie.parquet.small.file.limit": "0",
        "hoodie.merge.allow.duplicate.on.inserts": "true",
        "hoodie.upsert.shuffle.parallelism": "2",
    }
    assert option_warnings(followed) == []


def _plan(release: str, **props: str) -> MergePlan:
    return MergePlan(payload="DefaultHoodieRecordPayload", release=release, key="id", ordering="ts", props=props)


def test_an_ordering_field_of_the_payload_alone_is_named() -> None:
    (told,) = class_warnings(_plan("0.12", **{"hoodie.payload.ordering.field": "seq"}))
    assert told.startswith("hoodie.payload.ordering.field=seq has no effect: ")
    assert told.endswith(" by the precombine field, ts")
    assert class_warnings(_plan("0.12", **{"hoodie.payload.ordering.field": "ts"})) == []


def test_an_option_that_is_misspelt_is_named() -> None:
    (told,) = class_warnings(_plan("1.2", **{"hoodie.payload.delete.feild": "op"}))
    assert told == "hoodie.payload.delete.feild has no effect on merging; did you mean hoodie.payload.delete.field?"


NEW_NAME = "hoodie.write.record.merge.custom.implementation.classes"
OLD_NAME = "hoodie.datasource.write.record.merger.impls"


@pytest.mark.parametrize(
    ("release", "name", "classes", "says"),
    [
        ("0.15", NEW_NAME, "a.Merger", "has no effect in Hudi 0.15, which reads it from 1.0 on"),
        ("0.12", OLD_NAME, "a.Merger", "has no effect in Hudi 0.12, which reads it from 0.13 on"),
        ("0.14", OLD_NAME, "org.apache.hudi.HoodieSparkRecordMerger", "Hudi 0.14 then runs a merger, not the payload"),
        ("0.15", OLD_NAME, "org.apache.hudi.common.model.HoodieAvroRecordMerger", ""),
        ("1.2", OLD_NAME, "a.Merger", ""),
    ],
)
def test_mergers_that_0_x_runs_or_does_not_know_are_named(release: str, name: str, classes: str, says: str) -> None:
    told = class_warnings(_plan(release, **{name: classes}))
    assert len(told) == bool(says)
    assert all(says in one for one in told)


SMALL = "hoodie.merge.small.file.group.candidates.limit"
LIMIT = "hoodie.parquet.small.file.limit"


@pytest.mark.parametrize(
    ("table_type", "props", "is_told"),
    [
        ("mor", {SMALL: "1"}, True),
        ("mor", {SMALL: "1", LIMIT: "0"}, True),
        ("mor", {SMALL: "1", LIMIT: "1024"}, False),
        ("mor", {LIMIT: "1024"}, False),
        ("cow", {SMALL: "1"}, False),
    ],
)
def test_small_files_without_their_size_are_named(table_type: Any, props: dict[str, str], *, is_told: bool) -> None:
    told = class_warnings(dataclasses.replace(_plan("0.15", **props), table_type=table_type))
    assert [SMALL in one for one in told] == [True] * is_told


@pytest.mark.parametrize(
    ("release", "says"),
    [("0.12", "have no effect"), ("0.13", "have no effect"), ("0.14", "in Hudi 0.14.0"), ("0.15", ""), ("1.2", "")],
)
def test_a_delete_field_before_it_was_read(release: str, says: str) -> None:
    told = class_warnings(_plan(release, **{"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "d"}))
    assert len(told) == bool(says)
    assert all(says in one for one in told)


def test_verbs_that_try_paths_or_replacements_say_it() -> None:
    plan = _plan("0.15", **{"hoodie.datasource.write.operation": "insert"})
    unused: Any = None
    paths = PathsReport(Batches(["1"], []), plan, (plan.table_type,), unused)
    counts = PathCounts(rows=0, keys=0, many=0, depending=0, incomplete=0)
    vars(paths).update(counts=counts, row_counts=RowCounts({"incoming": 0}, {}, 0, 0, 0))
    for report in (paths.to_report(), migrate(plan, "1.2").to_report()):
        assert [one for one in report.warnings if "write.operation=insert is not followed" in one]
