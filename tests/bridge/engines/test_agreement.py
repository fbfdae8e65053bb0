"""The agreement of engines: what its keys have, and that it finds what differs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from unittest import mock

import pyarrow.compute as pc
import pytest
from pyspark.sql import functions as sf

from bridge.engines import ARRIVAL, COMMIT, IS_DELETE, ORDERING
from bridge.engines.native import met
from bridge.engines.native.failures import Failures
from tests.bridge.engines import agreement
from tests.bridge.engines.agreement import agree
from tests.bridge.engines.combinations import all_combinations
from tests.bridge.engines.figures import Figure, commit_of_tests, known, summary, write
from tests.bridge.engines.generated import ORDERED, Combination, draw

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

KEYS = 3000
EVENT = Combination("upsert", "1.2", "EVENT_TIME_ORDERING", ("double",))


def test_keys_have_nulls_ties_signed_zeros_deletes_and_many_versions() -> None:
    drawn = draw(EVENT, KEYS, 17)
    values = drawn["o0"].to_pylist()
    assert {repr(value) for value in values} == {"None", *map(repr, ORDERED["double"].values)}
    assert {math.copysign(1, value) for value in values if value == 0} == {1, -1}
    newer = drawn.filter(drawn[ARRIVAL].is_valid())
    a_key = newer.group_by(["id"]).aggregate([("o0", "count_distinct"), ("id", "count")]).to_pydict()
    assert max(a_key["id_count"]) == 5
    numbers = zip(a_key["o0_count_distinct"], a_key["id_count"], strict=True)
    assert any(distinct < number for distinct, number in numbers), "ties"
    assert set(newer["_hoodie_is_deleted"].to_pylist()) == {None, False, True}
    assert set(newer["op"].to_pylist()) == {None, "I", "d", "D"}
    assert newer.num_rows < drawn.num_rows
    assert pc.count_distinct(drawn["id"]).as_py() < KEYS, "some keys have no version"


def test_versions_of_a_key_are_together_and_in_order() -> None:
    drawn = draw(EVENT, KEYS, 17).select(["id", COMMIT, ARRIVAL]).to_pylist()
    order = [(row["id"], -1 if row[ARRIVAL] is None else row[ARRIVAL]) for row in drawn]
    assert order == sorted(set(order))
    assert all(row[COMMIT] == (None if row[ARRIVAL] is None else row[ARRIVAL] // 2 + 1) for row in drawn)


def test_a_log_has_delete_entries_without_data_of_every_type_of_ordering_value() -> None:
    drawn = draw(Combination("snapshot", "0.13", "DefaultHoodieRecordPayload", ("string",)), KEYS, 17)
    entries = drawn.filter(drawn[IS_DELETE])
    assert {None if one is None else one["type"] for one in entries[ORDERING].to_pylist()} == {
        None,
        "int",
        "string",
        "utf8",
    }
    assert all(entries[name].null_count == entries.num_rows for name in ("o0", "v", "op", "_hoodie_is_deleted"))
    assert drawn.num_rows - drawn[ORDERING].null_count == entries.num_rows - entries[ORDERING].null_count


def test_each_combination_has_keys_of_its_own() -> None:
    names = [str(one) for one in all_combinations()]
    assert len(names) == len(set(names))
    one = EVENT._replace(ordering=("long",))
    assert draw(one, 50, 17).equals(draw(one, 50, 17))
    assert not draw(one, 50, 17).equals(draw(one, 50, 18))
    assert not draw(one, 50, 17).equals(draw(one._replace(release="1.1"), 50, 17))


def test_a_figure_counts_for_the_keys_plans_and_engines_it_was_made_with(tmp_path: Path) -> None:
    file, wanted = tmp_path / "figures", {"a": ("native",), "b": ("native", "jvm"), "d": ("native",)}
    for name in ("a", "b", "c", "d"):
        write(file, Figure(name, 100, 17, 93, 4, ("native",), 0.5, name == "d", "abc"))
    found = known(file, wanted, 100, 17, halved=True)
    assert [*found] == ["a", "d"]
    assert [*known(file, wanted, 100, 17, halved=False)] == ["a"]
    others = (file, 100, 18), (file, 99, 17), (None, 100, 17)
    assert all(known(given, wanted, keys, seed, halved=True) == {} for given, keys, seed in others)
    told = summary(found.values(), 3, 1)
    assert told == "2 of 3 combinations agree (2 at abc): 186 keys, on 8 of which python fails; 1 differ"
    assert re.fullmatch(r"[0-9a-f]{7,}\+?", commit_of_tests())


@pytest.mark.parametrize(("allowed", "halved"), [(True, False), (False, False), (True, True), (False, True)])
def test_a_mistake_in_a_native_rule_is_found_in_either_plan(
    spark: SparkSession, *, allowed: bool, halved: bool
) -> None:
    later, threshold = met.later, "spark.sql.autoBroadcastJoinThreshold"

    def wrong(older: object, newer: object, unlike: object) -> object:
        found = later(older, newer, unlike)
        return ~found if (spark.conf.get(threshold) != "-1") is allowed else found

    with mock.patch.object(met, "later", wrong), pytest.raises(AssertionError) as raised:
        agree(spark, EVENT, 60, 17, failing=False, halved=halved)
    assert "rows that python has not" in str(raised.value)
    assert ("without broadcasts" in str(raised.value)) is not allowed


def test_each_key_that_fails_in_python_fails_natively_at_the_same_merge_point(spark: SparkSession) -> None:
    told: list[dict[str, set[str]]] = []
    noted_by = agreement.noted_by

    def noted(*given: object) -> dict[str, set[str]]:
        told.append(noted_by(*given))
        return told[-1]

    with mock.patch.object(agreement, "noted_by", noted):
        counts = agree(spark, EVENT, 300, 17)
    assert len(told[0]) == counts.failures > 5

    def but_one(*given: object) -> dict[str, set[str]]:
        return dict([*noted_by(*given).items()][1:])

    with mock.patch.object(agreement, "noted_by", but_one), pytest.raises(AssertionError, match="that fail 1 do not"):
        agree(spark, EVENT, 300, 17)


def test_an_engine_that_does_not_fail_is_found(spark: SparkSession) -> None:
    silent = mock.patch.object(Failures, "raised", return_value=sf.lit(None).cast("boolean"))
    with silent, pytest.raises(AssertionError, match="python failed at upsert"):
        agree(spark, EVENT, 60, 17)
