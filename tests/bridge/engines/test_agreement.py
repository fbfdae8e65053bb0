"""The agreement of engines: what its keys have, and that it finds what differs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from pyspark.sql import functions as sf

from bridge.engines import ARRIVAL, COMMIT, IS_DELETE, ORDERING
from bridge.engines.native import stored_join
from bridge.engines.native.failures import Failures
from tests.bridge.engines import agreement
from tests.bridge.engines.agreement import Counts, agree
from tests.bridge.engines.combinations import all_combinations
from tests.bridge.engines.figures import Figure, commit_of_tests, known, summary, write
from tests.bridge.engines.generated import ORDERED, Combination, draw
from tests.bridge.engines.outcomes import compare, in_order

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
    assert re.fullmatch(r"[0-9a-f]{7,}\+?|unknown", commit_of_tests())  # a copy of the checkout has no commit


@pytest.mark.parametrize(("allowed", "halved"), [(True, False), (False, False), (True, True), (False, True)])
def test_a_mistake_in_a_native_rule_is_found_in_either_plan(
    spark: SparkSession, *, allowed: bool, halved: bool
) -> None:
    later, threshold = stored_join.later, "spark.sql.autoBroadcastJoinThreshold"

    def wrong(older: object, newer: object, unlike: object) -> object:
        found = later(older, newer, unlike)
        return ~found if (spark.conf.get(threshold) != "-1") is allowed else found

    with mock.patch.object(stored_join, "later", wrong), pytest.raises(AssertionError) as raised:
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


def test_the_command_goes_on_where_another_part_was_and_ends_well_only_if_all_agree(tmp_path: Path) -> None:
    asked: list[str] = []

    def agrees(_: object, one: Combination, keys: int, *__: object, **___: object) -> Counts:
        asked.append(str(one))
        assert "1.2" not in str(one) or keys == 7, f"{one} has 1 rows that python has not"
        return Counts(keys - 1, 1)

    def run(*words: str) -> tuple[int, str]:
        asked.clear()
        found = CliRunner().invoke(agreement.main, ["--only", "append 1.", *words])
        assert found.exception is None or isinstance(found.exception, SystemExit), found.output
        return found.exit_code, found.output.splitlines()[-1]

    file, wanted = str(tmp_path / "figures"), [str(one) for one in all_combinations() if "append 1." in str(one)]
    with mock.patch.object(agreement, "agree", agrees), mock.patch.object(agreement, "_session"):
        code, told = run("--keys", "7", "--part", "1/2", "--figures", file)
        first = [*asked]
        assert (code, len(first)) == (0, -(-len(wanted) // 2))
        assert told.startswith(f"{len(first)} of {len(first)} combinations agree (")
        code, told = run("--keys", "7", "--figures", file)
        assert (code, sorted(first + asked)) == (0, sorted(wanted))
        assert f"{len(wanted)} of {len(wanted)} combinations agree" in told
        assert f"): {6 * len(wanted):,} keys, on {len(wanted)} of which python fails; 0 differ" in told
        assert run("--keys", "7", "--figures", file)[0] == 0
        assert asked == []
        code, told = run("--keys", "8", "--figures", file)
        assert (code, len(asked)) == (1, len(wanted))
        assert told.endswith(f"{sum('1.2' in one for one in wanted)} differ")
        assert run("--keys", "1", "--minutes", "0")[0] == 1
        assert run("--keys", "1")[0] == 1, "no key could be merged"


def test_zeros_of_unlike_signs_differ_and_nan_equals_nan_whatever_the_order_of_rows() -> None:
    def rows(*values: float | None) -> pa.Table:
        one = pa.table({"id": ["a", "b", "c"], "o": pa.array(values, pa.float64())})
        return in_order(one.take([2, 0, 1]))

    compare("it", rows(0.0, math.nan, None), in_order(rows(0.0, math.nan, None)))
    for other in (rows(-0.0, math.nan, None), rows(0.0, 1.0, None), rows(0.0, math.nan, 0.0)):
        with pytest.raises(AssertionError, match="it has 1 rows that python has not"):
            compare("it", other, rows(0.0, math.nan, None))
