"""Classes that misbehave where tables are read: each is named with merge point and key, or its key is quarantined."""

from __future__ import annotations

import dataclasses
import json
import pickle
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.engines import QUARANTINE
from bridge.errors import MergeFailedError
from bridge.hudi import Answer, TableQueries
from bridge.hudi.slice_tasks import read_slices
from tests.bridge.engines.test_misbehaving import DOES, SECONDS
from tests.jvm.misbehaving import _DOES
from tests.support.made_table import MadeTable
from tests.support.pairwise import by_turns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

MERGER = "tests.jvm.misbehaving:Payload"
HERE = f"{__name__}:InEveryMethod"
FEW = ("sys.exit", "GeneratorExit", "KeyboardInterrupt", "os._exit", "loop", "other-key", "empty-record")


def _does(record: Any, method: str) -> Any:
    name, _, how = str((record or {}).get("v")).partition(":")
    return _DOES[how](record) if name == method else record


class InEveryMethod:
    """The last version wins, and misbehaves in the method that the column v names."""

    def __init__(self, record: Any, ordering_value: Any) -> None:
        self.record = record
        self.ordering_value = ordering_value
        _does(record, "init")

    def pre_combine(self, older: InEveryMethod) -> InEveryMethod:
        made = _does(self.record, "pre_combine")
        return self if made is self.record else InEveryMethod(made, self.ordering_value)

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        return _does(self.record, "combine")

    def get_insert_value(self, schema: Any) -> Any:
        return _does(self.record, "insert")


def made(folder: Path, how: str, key: str = "a", *, twice: bool = False) -> str:
    """Write a table whose log updates the keys a (or another) and b, and adds d."""
    table = MadeTable(folder, {"id": "string", "part": "string", "ts": "long", "v": "string"})
    table.base("f", pa.table({"id": ["a", "b", "c"], "part": ["p"] * 3, "ts": [1, 1, 1], "v": ["old"] * 3}))
    table.commit()
    logged = [("first" if twice else how, key), ("new", "b"), ("new", "d")]
    table.log("f", "p", [{"id": name, "part": "p", "ts": 2, "v": text} for text, name in logged], 1)
    table.commit(1)
    if twice:
        table.log("f", "p", [{"id": key, "part": "p", "ts": 3, "v": how}], 2)
        table.commit(2)
    return str(folder)


def rows_of(answer: Answer, *, quarantines: bool = False) -> list[dict[str, Any]]:
    plan = dataclasses.replace(answer.query.plan, call_timeout=SECONDS)
    query = dataclasses.replace(answer.query, plan=plan, quarantines=quarantines)
    slices = pa.record_batch({"slice": [pickle.dumps(one) for one in answer.slices]})
    return [row for batch in read_slices(query, [slices]) for row in batch.to_pylist()]


def told(path: str, release: str, payload: str) -> str:
    with pytest.raises(MergeFailedError) as failure:
        rows_of(TableQueries(path, release, payload=payload).snapshot())
    return str(failure.value)


def quarantine_and_rows(path: str, release: str, payload: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the reason by key that is quarantined, and the rows."""
    found = rows_of(TableQueries(path, release, payload=payload).snapshot(), quarantines=True)
    aside = {row["id"]: row[QUARANTINE]["reason"] for row in found if row[QUARANTINE]}
    return aside, sorted((row["id"], row["v"]) for row in found if not row[QUARANTINE])


@pytest.mark.parametrize(("how", "release"), by_turns(DOES, ("0.15", "1.0", "1.2")))
def test_a_class_is_named_with_merge_point_and_key(tmp_path: Path, how: str, release: str) -> None:
    path = made(tmp_path / "t", how)
    said = told(path, release, MERGER)
    assert said.startswith(f"{MERGER} failed at snapshot (key _hoodie_record_key='a'): ")
    assert "\n" not in said
    assert len(said) < 2_000
    if not (how == "empty-record" and release == "1.2"):  # refused there for the fields that it lacks
        assert DOES[how].partition("; fix the class")[0] in said
    aside, rows = quarantine_and_rows(path, release, MERGER)
    assert list(aside) == ["a"]
    assert aside["a"] in said or how in {"surrogate", "long-message", "unreadable"}
    assert rows == [("b", "new"), ("c", "old"), ("d", "new")]


def _of_methods() -> Iterator[tuple[str, str, str]]:
    """Each method where a release calls it: for a key that the base file has, and for one of the log alone."""
    for release, methods in (("0.15", ("init", "pre_combine", "combine")), ("1.2", ("init", "combine"))):
        yield from ((release, "a", method) for method in methods)
    for release, methods in (("0.15", ("init", "pre_combine", "insert")), ("1.2", ("init", "combine"))):
        yield from ((release, "e", method) for method in methods)


@pytest.mark.parametrize(("of", "how"), by_turns([*_of_methods()], FEW, most=3))
def test_every_method_of_every_kind_of_key(tmp_path: Path, of: tuple[str, str, str], how: str) -> None:
    release, key, method = of
    if method == "init" and how in {"other-key", "empty-record"}:
        how = "surrogate"  # a constructor returns nothing
    path = made(tmp_path / "t", f"{method}:{how}", key, twice=True)
    said = told(path, release, HERE)
    assert said.startswith(f"{HERE} failed at ")
    assert f"(key _hoodie_record_key='{key}'): " in said
    aside, rows = quarantine_and_rows(path, release, HERE)
    assert list(aside) == [key]
    assert rows == [("a", "old")] * (key == "e") + [("b", "new"), ("c", "old"), ("d", "new")]


GIVEN = ["--payload", MERGER, "--call-timeout", "1"]
TOLD = {how: text.replace(f"{SECONDS} s", "1 s") for how, text in DOES.items()}
"""What verbs say, whose calls have whole seconds."""
VERBS = {
    "snapshot": ["snapshot", "{path}", *GIVEN],
    "diff": ["diff", "{path}", "--against", "{other}", *GIVEN],
    "compare-readers": ["compare-readers", "{path}", "--reader", "1.2", *GIVEN],
    "replay": ["replay", "--table", "{path}", "--to", "1.2", *GIVEN],
    "replay-history": ["replay", "--table", "{path}", "--history", "--to", "1.2", *GIVEN],
    "replay-batches": ["replay", "--table", "{other}", "--batches", "{batches}", "--to", "1.2", *GIVEN],
    "simulate": ["simulate", "--table", "{path}", *GIVEN],
    "migrate": ["migrate", "--table", "{path}", "--to", "1.2", *GIVEN],
}


@pytest.mark.parametrize(("verb", "how"), by_turns(VERBS, ("sys.exit", "loop", "surrogate", "other-key"), most=2))
def test_verbs_end_in_one_sentence(tmp_path: Path, spark: SparkSession, verb: str, how: str) -> None:
    paths = {"path": made(tmp_path / "t", how), "other": made(tmp_path / "other", "new")}
    paths["batches"] = str(tmp_path / "batches")
    (tmp_path / "batches").mkdir()
    (tmp_path / "batches/1.jsonl").write_text(json.dumps({"id": "a", "part": "p", "ts": 9, "v": how}))
    result = CliRunner().invoke(main, [word.format(**paths) for word in VERBS[verb]])
    assert result.exit_code == 3, result.output
    said = result.stderr.strip().splitlines()[-1]
    assert said.startswith(f"error: {MERGER} failed at ")
    assert re.search(r"\(key [^)]*'a'\): ", said)
    assert TOLD[how].partition(";")[0] in said


@pytest.mark.parametrize("how", ["sys.exit", "loop", "other-key"])
@pytest.mark.parametrize("words", [["inspect"], ["plan", "--to", "1.2"]])
def test_the_search_for_damage_names_the_class(tmp_path: Path, spark: SparkSession, words: list[str], how: str) -> None:
    path = made(tmp_path / "t", how)
    with (tmp_path / "t/.hoodie/hoodie.properties").open("a", encoding="utf-8") as properties:
        properties.write("hoodie.compaction.payload.class=com.acme.Misbehaving\n")
    result = CliRunner().invoke(main, [words[0], path, *words[1:], *GIVEN])
    assert result.exit_code == 0, result.output
    assert f"can't read 1 file slice ({MERGER} failed at snapshot (key _hoodie_record_key='a'): " in result.stderr
    assert "no findings" not in result.stdout
    assert "the same rows" not in result.stdout


@pytest.mark.parametrize("how", ["sys.exit", "loop"])
def test_the_command_sets_the_key_aside(tmp_path: Path, spark: SparkSession, how: str) -> None:
    path = made(tmp_path / "t", how)
    words = ["snapshot", path, *GIVEN, "--on-error", "quarantine", "--output", "json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["results"]
    assert {row["id"] for row in found if row.get("_pb_reason")} == {"a"}
    assert sorted(row["id"] for row in found if not row.get("_pb_reason")) == ["b", "c", "d"]


@pytest.mark.parametrize("how", ["sys.exit", "loop", "other-key"])
def test_simulate_sets_the_key_aside(tmp_path: Path, spark: SparkSession, how: str) -> None:
    path = made(tmp_path / "t", how)
    result = CliRunner().invoke(main, ["simulate", "--table", path, *GIVEN, "--on-error", "quarantine"])
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert "quarantine" in told
    assert TOLD[how].partition(";")[0].partition(" a record")[0] in told
