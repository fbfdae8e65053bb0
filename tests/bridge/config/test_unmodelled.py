"""Options that change rows and are not followed: a warning by name, unless their value changes none."""

from __future__ import annotations

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
