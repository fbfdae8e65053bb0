"""`columns` and `where` of a table: what is skipped before the merge never changes the answer."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as sf

from bridge import HudiTable, HudiTableError, InputError
from bridge.hudi import FileSlice, SliceReader, TableQueries
from bridge.hudi.predicates import conditions
from bridge.hudi.selection import keyed, narrowed, partition_rows
from bridge.spark import META_COLUMNS
from tests.conformance.tables import json_rows, load, rows_of
from tests.hudi.test_hudi_table import opened
from tests.hudi.test_hudi_table import rows_of as frame_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.hudi import Answer
    from tests.conformance.tables import Recorded

KEY = META_COLUMNS[2]


def queries_of(recorded: Recorded) -> TableQueries:
    source = recorded.folder / "source"
    path = str(recorded.folder / "table")
    return TableQueries(path, recorded.release, bootstrap=str(source) if source.is_dir() else None)


@pytest.fixture(scope="module", params=[60, pytest.param(130, marks=pytest.mark.long)])
def answers(tables: Path, request: pytest.FixtureRequest) -> list[tuple[Recorded, Answer, list[dict[str, Any]]]]:
    """Queries that real Hudi answered, of some of the recorded tables by a seed, with their rows."""
    return list(_answers(random.Random(11).sample(list(load(tables)), request.param)))  # noqa: S311


def _answers(tables: list[Recorded]) -> Iterator[tuple[Recorded, Answer, list[dict[str, Any]]]]:
    for recorded in tables:
        expected = recorded.answers
        if expected["table_version"] is None or "snapshot" in (expected.get("refused") or {}):
            continue
        table = queries_of(recorded)
        begins = list(expected.get("incremental") or {})[:1]
        for ask in (table.snapshot, *(functools.partial(table.incremental, begin) for begin in begins)):
            try:
                answer = ask()
                rows = rows_of(answer)
            except HudiTableError:  # what real Hudi refuses, too, and a few more
                continue
            if rows:
                yield recorded, answer, rows


def as_texts(rows: list[dict[str, Any]], names: list[str]) -> list[str]:
    return sorted(str([row[name] for name in names]) for row in rows)


@pytest.mark.slow
def test_fewer_columns_and_keys_are_the_same_rows(answers: Any) -> None:
    chance = random.Random(16)  # noqa: S311 (a seeded choice)
    narrow, looked_up, fewer = 0, 0, 0
    for recorded, answer, rows in answers:
        names = chance.sample(sorted(rows[0]), min(2, len(rows[0])))
        query = narrowed(answer.query, names, [])
        found = rows_of(answer._replace(query=query))
        assert as_texts(found, names) == as_texts(rows, names), (recorded.label, names)
        narrow += len(query.schema.by_name) < len(answer.query.schema.by_name)

        fields = answer.query.properties.key_fields
        chosen = chance.choice(rows)
        values = [chosen.get(name) for name in fields]
        if not values or any(not isinstance(value, str | int) or isinstance(value, bool) for value in values):
            continue
        texts = [f"'{value}'" if isinstance(value, str) else str(value) for value in values]
        where = " AND ".join(f"`{name}` = {text}" for name, text in zip(fields, texts, strict=True))
        query = keyed(narrowed(answer.query, names, conditions(where)), conditions(where))
        asked = [row for row in rows if [row[name] for name in fields] == values]
        found = [row for row in rows_of(answer._replace(query=query)) if [row[name] for name in fields] == values]
        assert as_texts(found, names) == as_texts(asked, names), (recorded.label, where)
        looked_up += query.keys is not None
        fewer += len(list(_rows_read(answer, query))) < len(rows)
    assert min(narrow, looked_up, fewer) > len(answers) // 3, (narrow, looked_up, fewer)


def _rows_read(answer: Answer, query: Any) -> Iterator[dict[str, Any]]:
    reader = SliceReader(query)
    for found in answer.slices:
        for batch in reader.read(found):
            yield from json_rows(batch)


def test_a_partition_path_gives_the_values_of_its_rows(answers: Any) -> None:
    """Partitions are skipped by these values."""
    told = 0
    for recorded, answer, _ in answers:
        schema, known = partition_rows(answer)
        reader = SliceReader(answer.query)
        values = dict(known)
        for found in answer.slices:
            for batch in reader.read(found):
                for row in batch.select(schema.names).to_pylist() if found.partition in values else ():
                    assert tuple(row.values()) == values[found.partition], (recorded.label, found)
                    told += bool(row)
    assert told > len(answers)


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ("id = 'a'", [({"id"}, "id")]),
        ("'a' = ID and day > 3", [({"id"}, "id"), ({"day"}, None)]),
        ("(id IN ('a', 'b')) AND (x = 1 OR y = 2)", [({"id"}, "id"), ({"x", "y"}, None)]),
        ("a.b = 1", [({"a"}, None)]),
        ("`a.b` = 1", [({"a.b"}, "a.b")]),
        ("upper(id) = 'A'", [(None, None)]),
        ("rand() < 0.5 AND id = 'a'", [(None, None), ({"id"}, "id")]),
        ("id IN (SELECT id FROM t)", [(None, None)]),
        ("id = other", [({"id", "other"}, None)]),
        ("NOT id = 'a'", [({"id"}, None)]),
        ("id = 'a' OR day = 3", [({"id", "day"}, None)]),
        ("this is no predicate (", [(None, None)]),
    ],
)
def test_a_predicate_is_split_at_its_ands(predicate: str, said: list[tuple[set[str] | None, str | None]]) -> None:
    found = conditions(predicate)
    assert [(c.columns, c.values and c.values[0]) for c in found] == said


class TestOnSpark:
    @pytest.fixture
    def partitioned(self, tables: Path) -> list[Recorded]:
        found = [one for one in load(tables) if one.answers.get("snapshot") and "mor-part" in one.folder.name]
        return random.Random(3).sample(found, 4)  # noqa: S311 (a seeded choice)

    @pytest.mark.slow
    def test_selected_rows_are_those_of_the_snapshot(self, partitioned: list[Recorded], spark: SparkSession) -> None:
        chance = random.Random(5)  # noqa: S311 (a seeded choice)
        for recorded in partitioned:
            table = opened(spark, recorded)
            every = table.snapshot().localCheckpoint()
            rows = every.collect()
            *_, name = table.identity
            texts = {str(row[name]) for row in rows}
            where = f"`{name}` = '{min(texts)}' OR `{name}` > '{max(texts)}'"
            partition = table.identity[0]
            some = chance.choice(rows)[partition]
            also = f"`{partition}` IS NULL" if some is None else f"`{partition}` = '{some}'"
            for predicate in (where, also, f"({where}) AND {also}", f"NOT ({also})"):
                columns = chance.sample(every.columns, 3)
                found = table.snapshot(columns=columns, where=predicate)
                assert found.columns == columns
                assert sorted(map(str, found.collect())) == sorted(
                    map(str, every.where(predicate).select(columns).collect())
                ), (recorded.label, predicate)

    def test_partitions_that_cannot_match_are_not_opened(
        self, partitioned: list[Recorded], spark: SparkSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[FileSlice] = []
        slices_of = HudiTable.slices_of

        def counted(self: HudiTable, answer: Answer) -> Any:
            read.extend(answer.slices)
            return slices_of(self, answer)

        monkeypatch.setattr(HudiTable, "slices_of", counted)
        table = next(one for one in (opened(spark, r) for r in partitioned) if one.file_slices.count() > 1)
        partition = table.identity[0]
        value = table.snapshot().first()[partition]
        every = len(read)
        read.clear()
        table.snapshot(where=f"`{partition}` = '{value}'")
        assert 0 < len(read) < every

    def test_a_column_object_acts_on_merged_rows(self, partitioned: list[Recorded], spark: SparkSession) -> None:
        table = opened(spark, partitioned[0])
        key = sf.col(KEY)
        wanted = table.snapshot().first()[KEY]
        assert [row[0] for row in table.snapshot(columns=[KEY], where=key.eqNullSafe(wanted)).collect()] == [wanted]

    def test_bad_columns_and_predicates_are_one_sentence(
        self, partitioned: list[Recorded], spark: SparkSession
    ) -> None:
        table = opened(spark, partitioned[0])
        with pytest.raises(HudiTableError, match="has no column nope; its columns are _hoodie_commit_time"):
            table.snapshot(columns=["nope"])
        with pytest.raises(HudiTableError, match="was asked for no column"):
            table.read_optimized(columns=[])
        for predicate in ("nope = 1", "id = (", "_hoodie_record_key IN (SELECT"):
            with pytest.raises(InputError, match="Spark can't read the predicate"):
                table.snapshot(where=predicate)

    def test_the_read_optimized_and_incremental_queries_take_them(
        self, partitioned: list[Recorded], spark: SparkSession
    ) -> None:
        recorded = next(one for one in partitioned if one.answers.get("incremental"))
        table, begin = opened(spark, recorded), min(recorded.answers["incremental"])
        for every, ask in (
            (table.read_optimized(), table.read_optimized),
            (table.incremental(begin), lambda **given: table.incremental(begin, **given)),
        ):
            key = every.first()[KEY]
            where = f"{KEY} = '{key}'"
            assert frame_rows(ask(columns=[KEY], where=where)) == frame_rows(every.where(where).select(KEY))
