from __future__ import annotations

import itertools
import json
import random
import re

import pytest
from click.testing import CliRunner

from bridge import InputError, PlanError, TableType, all_paths, key_paths, smallest_history
from bridge.cli import main
from bridge.errors import ParameterError
from bridge.merge import Action, MergePointError
from bridge.merge.carriers import StoredRow
from bridge.merge.record_merge import RecordMerge
from bridge.pipeline.path_text import path_words, step_words
from bridge.programs.path_programs import AllPaths, SmallestHistory
from bridge.programs.path_search import PathSearch, history_of
from bridge.programs.path_walk import FEW, Path, _State, _state_key, as_given
from bridge.programs.program import Arrival, Origin
from bridge.programs.standard_paths import standard_paths
from bridge.programs.table import Table
from payloads import SchemaError, parse_schema
from payloads.avro.branch import JavaString
from tests.conformance.spark_histories import versions_of
from tests.mergers.laws.recorded import read_case
from tests.support import GUIDE
from tests.support.plans import plan_of
from tests.support.schemas import nullable, record_schema

COW, MOR = TableType
PAGE = GUIDE / "paths.md"
SCHEMA = parse_schema(
    record_schema(id="string", ts="long", city=nullable("string"), _hoodie_is_deleted=nullable("boolean"))
)


def row(ts, city, *, deleted=False):
    return {"id": "a", "ts": ts, "city": city, "_hoodie_is_deleted": deleted}


@pytest.mark.parametrize(
    ("versions", "types", "error", "message"),
    [
        ([(1, row(1, "x"))], (), ParameterError, "table_types is empty; name a table type"),
        (
            [(2, row(1, "x")), (1, row(2, "y"))],
            TableType,
            InputError,
            "not in batch order: 2, 1; sort them by batch number",
        ),
        ([(1, row(1, "x")), (1, row(2, "y") | {"id": "b"})], TableType, InputError, "2 keys, such as 'a' and 'b'"),
        ([(1, {"id": "a"})], TableType, SchemaError, "field 'ts' is missing"),
        ([(1, row("now", "x"))], TableType, SchemaError, "field 'ts': 'now' .str. is not a valid long"),
    ],
)
def test_what_is_not_the_versions_of_one_key_is_refused(versions, types, error, message):
    for search in (key_paths, smallest_history):
        with pytest.raises(error, match=message):
            search(versions, plan_of(), SCHEMA, types)


def random_versions(count, seed):
    source = random.Random(seed)  # noqa: S311 (repeatable test data)
    batch, versions = 1, []
    for _ in range(count):
        batch += source.random() < 0.6
        city = source.choice([None, "Oslo", "Rome", "Lima"])
        versions.append((batch, row(source.randint(0, 3), city, deleted=source.random() < 0.3)))
    return versions


class Counts:
    """A payload that remembers how many versions it has seen, in an attribute that can't be pickled."""

    def __init__(self, record, ordering_value):
        self.record = record
        self.seen = lambda: 1

    def pre_combine(self, older):
        seen = self.seen() + 2 * older.seen()
        merged = type(self)(self.record, None)
        merged.seen = lambda: seen
        return merged

    def combine_and_get_update_value(self, current, schema):
        return {**self.record, "ts": current["ts"] + self.seen()}

    def get_insert_value(self, schema):
        return self.record


class FailsOnStoredRows(Counts):
    """A payload that can be inserted and combined, but not merged with a stored row."""

    def combine_and_get_update_value(self, current, schema):
        message = "no merge today"
        raise LookupError(message)


class FailsAlways(FailsOnStoredRows):
    def get_insert_value(self, schema):
        message = "no insert either"
        raise LookupError(message)


# -- the search, against every path one by one


def every_path(count):
    for parts in range(1, count + 1):
        for cuts in itertools.combinations(range(1, count), parts - 1):
            commits = tuple(end - start for start, end in itertools.pairwise((0, *cuts, count)))
            yield Path(COW, commits)
            for size in range(parts + 1):
                for compact_after in itertools.combinations(range(1, parts + 1), size):
                    yield Path(MOR, commits, compact_after)


def simulated(path, history, merge):
    """Return the row after the last commit as `simulate` has it, or the name of its error; as text."""
    program = Table(
        merge,
        commits=len(path.commits),
        log_updates=path.table_type is MOR,
        compact_after=path.compact_after,
    )
    numbers = [number for number, size in enumerate(path.commits, start=1) for _ in range(size)]
    last = []

    def emit(action, carrier, first, until):
        if until == len(path.commits):
            last.append(carrier.record)

    program.start(history.key)
    try:
        for number, version in zip(numbers, history.versions, strict=True):
            program.accept(Arrival(Origin.INCOMING, number, dict(version.record), None), emit)
        program.finish(emit)
    except MergePointError as failure:
        return type(failure.error).__name__
    return repr(last[0] if last else None)


def text_of(answer):
    if answer.error is not None:
        return type(answer.error).__name__
    return repr(answer.row and answer.row.record)


@pytest.mark.parametrize(
    ("payload", "release", "settings"),
    [
        ("DefaultHoodieRecordPayload", "0.15", {}),
        ("DefaultHoodieRecordPayload", "0.15", {"combine_before_upsert": False}),
        ("DefaultHoodieRecordPayload", "1.2", {"inserts_to": "log"}),
        ("OverwriteNonDefaultsWithLatestAvroPayload", "0.15", {}),
        ("PartialUpdateAvroPayload", "1.0", {}),
        ("PartialUpdateAvroPayload", "1.2", {}),
        ("tests.bridge.programs.test_path_search:Counts", "0.15", {}),
        ("tests.bridge.programs.test_path_search:Counts", "1.2", {}),
    ],
)
def test_the_search_has_the_answers_of_all_paths_one_by_one(payload, release, settings):
    plan = plan_of(payload, release, **settings)
    merge = RecordMerge(plan, SCHEMA)
    search = PathSearch(merge)
    for seed in range(12):
        history = history_of(random_versions(4, seed), merge)
        each = {path: simulated(path, history, merge) for path in every_path(4)}
        found = search.paths(history)
        answers = {answer.path: text_of(answer) for answer in found.answers}
        assert set(each.values()) == set(answers.values())
        assert len(answers) == len(set(answers.values()))
        assert {path: each[path] for path in answers} == answers


def test_the_nearest_path_of_the_first_answer_is_the_batches_as_they_are():
    found = key_paths(random_versions(6, 1), plan_of(), SCHEMA)
    assert found.answers[0].path == Path(COW, as_given([batch for batch, _ in random_versions(6, 1)]))


def test_one_table_type_has_its_own_paths():
    versions = [(1, row(10, "Oslo")), (2, row(20, None, deleted=True)), (3, row(15, "Pisa"))]
    found = key_paths(versions, plan_of(release="1.2"), SCHEMA, [MOR])
    assert [(answer.path, answer.row and answer.row.record["city"]) for answer in found.answers] == [
        (Path(MOR, (1, 1, 1)), None),
        (Path(MOR, (1, 1, 1), (2,)), "Pisa"),
    ]


def test_one_version_has_one_answer():
    assert not key_paths([(1, row(1, "Oslo"))], plan_of(), SCHEMA).depends
    assert smallest_history([(1, row(1, "Oslo"))], plan_of(), SCHEMA) is None


class EditsInserts(FailsAlways):
    """A payload that changes a row each time it hands it out."""

    def get_insert_value(self, schema):
        return {**self.record, "ts": self.record["ts"] + 1}


def test_one_version_takes_several_paths_where_new_keys_go_to_the_log():
    plan = plan_of("tests.bridge.programs.test_path_search:EditsInserts", inserts_to="log")
    history, left, right = smallest_history([(1, row(1, "Oslo")), (2, row(9, "Rome"))], plan, SCHEMA)
    assert len(history) == 1
    assert [answer.row.record["ts"] for answer in (left, right)] == [2, 3]
    edits = plan_of("tests.bridge.programs.test_path_search:EditsInserts")
    assert not key_paths([(1, row(1, "Oslo"))], edits, SCHEMA).depends
    emitted = []
    for program in (AllPaths, SmallestHistory):
        searching = program(RecordMerge(plan, SCHEMA), table_types=["cow", "mor"])
        searching.start(history.key)
        searching.accept(Arrival(Origin.INCOMING, 1, row(1, "Oslo"), None), None)
        searching.finish(lambda *outcome: emitted.append(outcome))
    assert [json.loads(text)["number"] for _, _, text in emitted] == [1, 2, 0, -1, 1]


def test_states_are_distinguished_by_value_type_schema_and_class_of_text():
    """What a later merge could tell apart must not be one state."""
    numbers = parse_schema(record_schema("n", n=["long", "double"]))

    def key_of(record, schema=None):
        return _state_key(_State(log=StoredRow(None, record, schema)), numbers)

    assert key_of({"n": 0.0}) == key_of({"n": 0.0})
    assert key_of({"n": 0.0}) != key_of({"n": -0.0})
    assert key_of({"n": 1.0}) != key_of({"n": 1})
    assert key_of({"n": 1.0}, numbers) != key_of({"n": 1.0}, parse_schema(numbers.source | {"name": "m"}))
    assert key_of({"n": JavaString("x")}) != key_of({"n": "x"})
    assert key_of({"n": 1.0}) != key_of({"n": 1.0, "_hoodie_commit_seqno": "1"})


def test_no_version_is_refused():
    with pytest.raises(ValueError, match="give at least one"):
        key_paths([], plan_of(), SCHEMA)


# -- bounds


class CountsCalls:
    count = 0

    def merged(self, *call):
        self.count += 1

    def payload_ref(self, payload):
        return payload


def calls_of(count):
    """Return how many merges the search of a key takes."""
    listener = CountsCalls()
    merge = RecordMerge(plan_of("OverwriteNonDefaultsWithLatestAvroPayload"), SCHEMA, listener=listener)
    PathSearch(merge).paths(history_of(random_versions(count, 3), merge))
    return listener.count


def test_the_work_for_many_versions_is_not_exponential():
    assert calls_of(200) < 3 * calls_of(100)
    assert calls_of(FEW) < 2**FEW / 10


def test_of_many_versions_the_batches_are_still_a_path():
    versions = random_versions(3 * FEW, 5)
    given = as_given([batch for batch, _ in versions])
    assert max(given) > 1
    assert key_paths(versions, plan_of(), SCHEMA).answers[0].path.commits == given


def test_states_that_cannot_be_distinguished_are_bounded_and_the_result_says_so():
    plan = plan_of("tests.bridge.programs.test_path_search:Counts")
    assert key_paths(random_versions(4, 0), plan, SCHEMA).is_complete
    assert not key_paths(random_versions(12, 0), plan, SCHEMA).is_complete


class Trail(Counts):
    """Each way of splitting the versions into commits ends in another row."""

    def pre_combine(self, older):
        return Trail({**self.record, "city": f"{older.record['city']}, {self.record['city']}"}, None)

    def combine_and_get_update_value(self, current, schema):
        return {**current, "city": f"{current['city']}; {self.record['city']}"}


@pytest.mark.parametrize(("count", "is_complete"), [(8, True), (9, False)])
def test_as_many_states_as_are_followed_are_complete(count, is_complete):
    """Of eight versions, the first seven end in 64 states, of nine the first eight in 128."""
    versions = [(number, row(number, str(number))) for number in range(1, count + 1)]
    found = key_paths(versions, plan_of("tests.bridge.programs.test_path_search:Trail"), SCHEMA, [COW])
    assert found.is_complete is is_complete
    assert (len(found.answers) == 2 ** (count - 1)) is is_complete


# -- errors are answers


def test_an_error_on_some_paths_is_an_answer():
    plan = plan_of("tests.bridge.programs.test_path_search:FailsOnStoredRows")
    given, joined = key_paths([(1, row(1, "Oslo")), (2, row(2, "Rome"))], plan, SCHEMA).answers
    assert "no merge today" in str(given.error)
    assert joined.path == Path(COW, (2,))
    assert joined.row.record["city"] == "Rome"
    merge = RecordMerge(plan, SCHEMA)
    history = history_of([(1, row(1, "Oslo")), (2, row(2, "Rome"))], merge)
    assert "no merge today" in str(PathSearch(merge).answer(history, given.path).error)
    emitted = []
    searching = AllPaths(merge, table_types=["cow"])
    searching.start(history.key)
    for batch, version in enumerate(history.versions, start=1):
        searching.accept(Arrival(Origin.INCOMING, batch, version.record, None), None)
    searching.finish(lambda action, row, text: emitted.append((action, row is None, json.loads(text)["error"])))
    failed, inserted = emitted
    assert failed[:2] == (Action.SKIP, True)
    assert failed[2].startswith("FailsOnStoredRows.combine_and_get_update_value raised LookupError")
    assert inserted == (Action.KEEP, False, None)


def test_an_error_on_all_paths_is_a_failure():
    found = key_paths(random_versions(3, 0), plan_of("tests.bridge.programs.test_path_search:FailsAlways"), SCHEMA)
    assert "no insert either" in str(found.failure)
    assert not found.depends


# -- the smallest history, and words


def test_what_is_not_needed_is_dropped():
    noise = [(number, row(number, "Rome")) for number in range(1, 20)]
    plan = plan_of(release="1.2")
    assert smallest_history(noise, plan, SCHEMA) is None
    deleted = [(20, row(30, None, deleted=True)), (21, row(25, "Pisa"))]
    history, left, right = smallest_history(noise + deleted, plan, SCHEMA)
    assert [version.record["ts"] for version in history.versions] == [30, 25]
    assert step_words(left.path, right.path, history.batches) == (
        "Writing v1 and v2 in one commit or in two changes the row."
    )


@pytest.mark.parametrize(
    ("path", "batches", "words"),
    [
        (Path(COW, (1, 2)), (1, 3, 3), "copy-on-write, batches as given"),
        (Path(MOR, (1, 2), (1, 2)), (1, 3, 3), "merge-on-read, batches as given, compacted after batch 1 and batch 3"),
        (Path(MOR, (3, 1), (1,)), (1, 3, 3, 4), "merge-on-read, v1 to v3 | v4, compacted after v3"),
    ],
)
def test_a_path_in_words(path, batches, words):
    assert path_words(path, batches) == words


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        (
            Path(COW, (1, 1)),
            Path(MOR, (1, 1)),
            "A copy-on-write and a merge-on-read table differ after the same commits, without a compaction.",
        ),
        (Path(MOR, (1, 1), (2,)), Path(MOR, (1, 1)), "A compaction after batch 4 changes the row."),
        (Path(COW, (2,)), Path(COW, (1, 1)), "Writing v1 and v2 in one commit or in two changes the row."),
    ],
)
def test_a_step_in_words(left, right, words):
    assert step_words(left, right, (2, 4)) == words


def test_two_differences_are_not_one_step():
    with pytest.raises(ValueError, match="not one step apart"):
        step_words(Path(COW, (2,)), Path(MOR, (1, 1), (2,)), (2, 4))


def test_the_example_of_the_guide_runs(capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names = {}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 (our own example)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 1
    assert printed == [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    _, left, right = names["smallest"]
    assert left.row.record != right.row.record


# -- on Spark


def test_spark_and_plain_python_find_the_same(spark):
    case = read_case("1.2.0/late-partial-update")
    versions = versions_of(spark, {0: case.tables[0]})
    batches = [
        versions.where(versions["_pb_commit"] == number).drop("_pb_commit", "conformance_case")
        for number in range(1, len(case.tables[0].commits) + 1)
    ]
    found = all_paths(batches, case.plan)
    on_spark = {}
    for answer in found.collect():
        of_key = on_spark.setdefault((answer.key["part"], answer.key["id"]), [])
        of_key.append((answer.path, answer.row and answer.row["note"]))
    merge = RecordMerge(case.plan, case.schema)
    search = PathSearch(merge)
    plain = {}
    for key, own in case.keys().items():
        paths = search.paths(history_of(own, merge))
        if paths.depends:
            plain[key] = [(one.path, one.row and one.row.record["note"]) for one in paths.answers]
    assert on_spark == plain
    assert found.counts[:4] == (
        sum(len(commit.incoming) for commit in case.tables[0].commits),
        len(case.keys()),
        0,
        len(plain),
    )
    found.close()


@pytest.mark.parametrize("empty", [None, ""])
def test_a_key_in_a_null_partition_has_its_smallest_history(spark, empty):
    columns = "id string, ts bigint, part string, _hoodie_is_deleted boolean"
    rows = [("a", 10, empty, False), ("a", 20, empty, True), ("a", 15, empty, False)]
    batches = [spark.createDataFrame([one], columns) for one in rows]
    plan = plan_of(release="1.2", partition=("part",))
    found = all_paths(batches, plan)
    versions, left, right = found.smallest
    assert [version["ts"] for version in versions] == [20, 15]
    assert left.row != right.row
    assert [answer.key for answer in found.collect(limit=1)] == [{"part": None, "id": "a"}] * 2
    assert found.counts[:4] == (3, 1, 0, 1)
    found.close()


def test_a_global_index_is_refused():
    plan = plan_of(partition=("city",), global_index=True)
    with pytest.raises(PlanError, match="a global index moves it"):
        key_paths([(1, row(1, "Oslo"))], plan, SCHEMA)


def test_a_quarantine_is_refused():
    with pytest.raises(PlanError, match="a failing path is one of the results"):
        key_paths([(1, row(1, "Oslo"))], plan_of(on_error="quarantine"), SCHEMA)


# -- on the command line


@pytest.fixture
def days(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    rows = [
        [("a", 10, "Oslo", False), ("b", 10, "Rome", False)],
        [("a", 20, "Lima", False), ("b", 20, None, True)],
        [("b", 15, "Pisa", False)],
    ]
    names = ("id", "ts", "city", "_hoodie_is_deleted")
    for number, lines in enumerate(rows, start=1):
        text = "\n".join(json.dumps(dict(zip(names, line, strict=True))) for line in lines)
        (folder / f"{number}.jsonl").write_text(text + "\n", encoding="utf-8")
    ddl = tmp_path / "rows.ddl"
    ddl.write_text("id string, ts bigint, city string, _hoodie_is_deleted boolean", encoding="utf-8")
    return ["--batches", str(folder), "--schema", str(ddl)]


def run(*words):
    return CliRunner().invoke(main, ["simulate", "--all-paths", *words])


WORDS = ("--payload", "DefaultHoodieRecordPayload", "--release", "1.2", "--key", "id", "--ordering", "ts")


STATUSES = {"merged": 0, "kept": 4, "deleted": 1, "ignored": 0, "quarantined": 0}


def test_a_key_that_depends_on_the_path_is_listed_with_its_answers(spark, days):
    result = run(*days, *WORDS, "--output", "json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    assert answer["success"] is False
    assert answer["plan"]["table_type"] == "both"
    told = answer["statistics"]
    of_paths = {name: told.pop(name) for name in ("paths", "disagreements", "kinds", "changes")}
    assert len(of_paths["paths"]) == len(standard_paths(TableType))
    assert of_paths["kinds"] == {"missing": 1, "failing": 0, "values": 0}
    assert told | {"smallest": None} == {
        "rows_in": 5,
        "keys": 2,
        "depending_keys": 1,
        "keys_of_many_versions": 0,
        "incomplete_keys": 0,
        "smallest": None,
        **STATUSES,
        "books": {"cow": [{"merge_point": "snapshot", "side": "incoming", **STATUSES}]},
    }
    (key,) = answer["results"]
    assert key["key"] == {"id": "b"}
    assert [(one["table_type"], one["row"] and one["row"]["city"]) for one in key["answers"]] == [
        ("cow", "Pisa"),
        ("mor", None),
    ]
    smallest = answer["statistics"]["smallest"]
    assert [version["ts"] for version in smallest["versions"]] == [20, 15]
    assert smallest["meaning"] in answer["verdict"]


def test_the_text_has_the_verdict_first_and_both_paths_side_by_side(spark, days):
    more = ("--table-type", "mor", "--sample", "1", "--prop", "hoodie.parquet.small.file.limit=104857600")
    result = run(*days, *WORDS, *more)
    lines = result.stdout.splitlines()
    assert lines[1].startswith("1 key of 2 depends on the path through a merge-on-read table.")
    assert any(line.split()[:3] == ["commits", "v1", "|"] for line in lines)
    assert any(line.split() == ["after", "batch", "2"] for line in lines)  # of a cell that wraps
    assert "hoodie.parquet.small.file.limit is ignored" in result.stderr


def test_keys_that_keep_their_row_on_every_path_do_not_differ(spark, days):
    words = ("--mode", "COMMIT_TIME_ORDERING", "--release", "1.2", "--key", "id", "--ordering", "ts")
    result = run(*days, *words)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1] == "No key of 2 depends on the path."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--table-type", "mor", "--compact-after", "1"),
            "contradicts --all-paths, which tries every compaction",
        ),
        (
            ("--table-type", "mor", "--compact-every", "1"),
            "contradicts --all-paths, which tries every compaction",
        ),
    ],
)
def test_what_contradicts_all_paths_is_refused(days, words, message):
    result = run(*days, *WORDS, *words)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")
