"""The merger that states the rule of a class: it is loaded, gives the answers of the class, and its test passes."""

from __future__ import annotations

import functools
import importlib
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from bridge import Batches, MergePlan, migrate
from bridge.cli import main
from bridge.migration.class_rules import merger_of
from bridge.migration.generated import delete_properties
from bridge.plan import TableType
from mergers import adapt_merger
from payloads import OverwriteWithLatestAvroPayload, parse_schema
from payloads.rules import ByOrdering, Constant, MergeRule, Point, Role, Sum, Take
from tests.mergers.laws.infer.shapes import SHAPES, schema_of

MODULE = "tests.mergers.laws.infer.shapes"
STATED = [
    *("CountsClicks", "DeletesByNumber", "DeletesByOp", "DeletesByTruth", "DeletesStoredAlone"),
    *("FillsByVersion", "KeepsClosed"),
]
DDL = "_pb_commit int, _pb_arrival int, id string, ts bigint, kind string, hits bigint"
ROWS = [
    (1, 1, "a", 10, "click", 1),
    (1, 2, "a", 5, "view", 2),
    (1, 3, "b", 10, None, 3),
    (2, 4, "a", 20, "click", 4),
    (2, 5, "b", 5, "view", 5),
    (3, 6, "b", 30, "click", 6),
]


def plan(name, **settings):
    schema = parse_schema(schema_of(SHAPES[name]))
    return MergePlan(payload=f"{MODULE}:{name}", release="1.2", key="id", ordering="ts", schema=schema, **settings)


@functools.cache
def made_for(name):
    """Migrate a class once: asking it for its rules takes seconds."""
    return migrate(plan(name))


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Write the files of a report to a folder, and return the module of the merger's test."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(made):
        names = {one.path: one.text for one in made.generated.mergers} | {**made.generated.tests}
        for name, text in names.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
            monkeypatch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
        importlib.invalidate_caches()
        test = next(name for name in made.generated.tests if name.endswith(".py"))
        return tmp_path, importlib.import_module(test.removesuffix(".py"))

    return load


@pytest.mark.parametrize("name", STATED)
def test_a_merger_states_the_rule_and_passes_its_test(name, loaded):
    made = made_for(name)
    assert [one.by for one in made.generated.mergers] == ["its rule"] * 3
    folder, test = loaded(made)
    assert len(test.PAIRS) >= 4
    for pair in test.PAIRS:
        test.test_merge(*pair.values)
    for words in (["format", "--check"], ["check"]):
        subprocess.run([sys.executable, "-m", "ruff", *words, "--isolated", "--no-cache", "."], check=True, cwd=folder)


class Cancels(OverwriteWithLatestAvroPayload):
    """Deletes by an operation; in a batch the built-in class takes such a row for data."""

    def get_insert_value(self, schema, props=None):
        row = super().get_insert_value(schema, props)
        return None if row is None or row["op"] == "cancel" else row

    def combine_and_get_update_value(self, current, schema, props=None):
        return self.get_insert_value(schema, props)


def test_a_merger_deletes_with_a_row_that_the_class_keeps_in_a_batch_and_deletes_with_later():
    schema = parse_schema(schema_of(SHAPES["DeletesByOp"]))
    mine = MergePlan(payload=f"{__name__}:Cancels", release="0.15", key="id", ordering="ts", schema=schema)
    made = migrate(mine)
    assert made.generated.notes == ()
    assert [one.by for one in made.generated.mergers] == ["its rule"] * 3


def test_the_test_of_a_merger_fails_for_another_rule(loaded):
    _, test = loaded(made_for("CountsClicks"))
    wrong = type("Wrong", (), {**vars(test.CountsClicksMerger), "rule": MergeRule(columns={"hits": Sum()})})
    failed = 0
    for merger, *rows in (pair.values for pair in test.PAIRS if pair.values[0] is test.CountsClicksMerger):
        try:
            test.test_merge(wrong, *rows)
        except AssertionError:
            failed += 1
        test.test_merge(merger, *rows)
    assert failed


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("CountsClicks", MergeRule(columns={"hits": Sum()})),
        ("NeverReopens", MergeRule()),
        ("FillsByVersion", MergeRule(ByOrdering())),
        ("KeepsCreated", MergeRule(columns={"created": Take(Role.OLDER), "a": Constant("x")})),
    ],
)
def test_a_merger_that_differs_is_told_with_the_pair(name, rule):
    found = made_for(name).generated.rules
    differs = found.disagreement(adapt_merger(merger_of(rule)))
    assert differs.point in {Point.BATCH, Point.STORED}
    assert differs.question.newer.record is not None


def test_a_class_that_a_merger_cannot_be_is_told_and_called():
    made = made_for("DeletesInAnyCase")
    assert [one.by for one in made.generated.mergers] == ["the class"]
    assert any("matches in any case" in note for note in made.generated.notes)


def test_a_delete_that_hudi_does_not_look_for_is_told_and_the_class_called():
    """Hudi looks for one text in one column; without a stored row no merger is asked."""
    made = made_for("DeletesByColumns")
    assert [one.by for one in made.generated.mergers] == ["the class"]
    (note,) = [one for one in made.generated.notes if "by the rule" in one]
    assert "'GONE'" in note
    assert "alone the class returns a delete, but Hudi, which calls no merger then, inserts it" in note


@pytest.mark.parametrize(
    ("name", "properties"),
    [
        ("DeletesByTruth", {"hoodie.payload.delete.field": "gone", "hoodie.payload.delete.marker": "true"}),
        ("DeletesByNumber", {"hoodie.payload.delete.field": "code", "hoodie.payload.delete.marker": "9"}),
        ("DeletesStoredAlone", {}),
    ],
)
def test_hudi_is_told_what_deletes_without_a_stored_row(name, properties):
    assert delete_properties(made_for(name).generated.rules.rules.marker) == properties


def test_what_the_class_alone_decides_calls_it_in_java_too():
    made = migrate(plan("MergesJson"), java_class="com.acme.MergesJson")
    assert [one.by for one in made.generated.mergers] == ["its rule and the class"] * 3
    for one in made.generated.mergers[1:]:
        assert 'PAYLOAD = "com.acme.MergesJson";' in one.text
        assert 'return new String[] {"doc"};' in one.text
        assert "decided(merged(before, after), before, after, props)" in one.text
    without = made_for("MergesJson")
    assert [one.by for one in without.generated.mergers] == ["its rule and the class"]
    assert any("name its compiled class" in note for note in without.generated.notes)


class FillsTheStoredRow:
    """Fills nulls, by writing into the row that it is given."""

    def __init__(self, record, ordering_value):
        self.record, self.ordering_value = record, ordering_value

    def pre_combine(self, older):
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current, schema):
        if self.record is None:
            return None
        current.update({name: value for name, value in self.record.items() if value is not None})
        return current

    def get_insert_value(self, schema):
        return self.record


def test_a_class_that_writes_into_the_stored_row_is_told():
    """From 1.1 on what it wrote is lost in merge-on-read tables, and what its merger makes is not."""
    schema = parse_schema(schema_of(SHAPES["KeepsCreated"]))
    settings = {"release": "0.15", "key": "id", "ordering": "ts", "schema": schema}
    told = "The class edits the stored row in place"
    assert told in migrate(MergePlan(payload=f"{__name__}:FillsTheStoredRow", **settings)).to_report().as_markdown()
    assert told not in made_for("KeepsCreated").to_report().as_markdown()


def test_without_columns_nothing_is_asked_and_the_report_says_so():
    made = migrate(MergePlan(payload=f"{MODULE}:Counts", release="0.15", key="id", ordering="ts"))
    assert made.generated.rules is None
    assert [one.by for one in made.generated.mergers] == ["the class"]
    assert any("was not tried: name its columns by a schema" in note for note in made.generated.notes)


def test_a_schema_alone_is_enough_to_ask_on_the_command_line(tmp_path):
    found = migrated(tmp_path, "CountsClicks", "--out", tmp_path / "out")
    assert found.exit_code == 0, found.output
    assert "Sum()" in (tmp_path / "out" / "counts_clicks_merger.py").read_text("utf-8")


def test_a_merger_is_tried_on_the_data(spark):
    left = MergePlan(payload=f"{MODULE}:CountsClicks", release="0.15", key="id", ordering="ts", table_type="mor")
    data = Batches.by(spark.createDataFrame(ROWS, DDL), "_pb_commit")
    made = migrate(left, batches=data, accept_differences=True)
    (trial,) = made.generated.trials
    assert (trial.is_equal, trial.table_type) == (True, left.table_type)
    assert made.paths is None
    assert {one.by for one in made.generated.mergers} == {"its rule"}
    assert "so rows of merge-on-read tables may change" in made.to_report().as_markdown()
    assert "counts_clicks_merger.py" in json.dumps(json.loads(made.to_json())["results"])


class ByColumns:
    """The rule of a merge mode, as a user's class writes it."""

    def __init__(self, record, ordering_value):
        self.record, self.ordering_value = record, ordering_value

    def pre_combine(self, older):
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current, schema):
        if self.record is not None and current["ts"] is not None and current["ts"] > self.record["ts"]:
            return current
        return self.record

    def get_insert_value(self, schema):
        return self.record


def test_a_merge_mode_that_has_the_rule_is_recommended_without_data():
    schema = parse_schema(schema_of(SHAPES["Counts"]))
    mine = MergePlan(payload=f"{__name__}:ByColumns", release="0.15", key="id", ordering="ts", schema=schema)
    made = migrate(mine)
    assert made.recommended.name == "EVENT_TIME_ORDERING"
    assert made.generated.matches[0].is_whole
    assert "The rule of the class is that of EVENT_TIME_ORDERING" in made.to_report().as_text()


def test_a_merge_mode_that_the_data_cannot_tell_from_the_class_is_warned_of(spark):
    mine = MergePlan(payload=f"{MODULE}:NeverReopens", release="1.2", key="id", ordering="ts")
    rows = [(1, 1, "a", 1, "OPEN", "x"), (2, 2, "a", 2, "OPEN", "y")]
    ddl = "_pb_commit int, _pb_arrival int, id string, ts bigint, status string, a string"
    made = migrate(mine, batches=Batches.by(spark.createDataFrame(rows, ddl), "_pb_commit"))
    assert (made.is_equal, made.recommended.name) == (True, "COMMIT_TIME_ORDERING")
    (warning,) = [one for one in made.to_report().warnings if "the data does not show it" in one]
    assert "CLOSED" in warning


def migrated(tmp_path, name, *words):
    """Run `migrate` on the command line for a shape."""
    schema = tmp_path / "rows.avsc"
    schema.write_text(json.dumps(schema_of(SHAPES[name])))
    own = ["--payload", f"{MODULE}:{name}", "--schema", schema, "--key", "id", "--ordering", "ts", "--from", "1.2"]
    return CliRunner().invoke(main, ["migrate", *map(str, (*own, *words))])


def test_the_rule_is_written_as_a_merge_statement(tmp_path):
    found = migrated(tmp_path, "CountsClicks", "--sql", tmp_path / "merge.sql")
    assert found.exit_code == 0, found.output
    text = (tmp_path / "merge.sql").read_text("utf-8")
    assert "hits = CASE WHEN newer.kind <=> 'click' THEN older.hits + newer.hits ELSE older.hits END" in text
    assert "row_number()" not in text
    assert "equal ordering values; name the order in which they arrived" in text


@pytest.mark.parametrize(
    ("name", "reason"),
    [("MergesJson", "SQL can't express the rule of doc, which only the class decides")],
)
def test_a_rule_that_is_no_statement_is_refused_by_name(tmp_path, name, reason):
    found = migrated(tmp_path, name, "--sql", tmp_path / "merge.sql")
    assert found.exit_code == 1
    assert f"no MERGE statement was written: {reason}" in " ".join(found.output.split())
    assert not (tmp_path / "merge.sql").exists()


def test_paths_that_agree_with_the_merger_and_did_not_with_the_class_are_told(spark):
    """Until 0.15 a log is merged as a batch is, which keeps one version and so loses clicks."""
    left = MergePlan(payload=f"{MODULE}:CountsClicks", release="0.15", key="id", ordering="ts", table_type="mor")
    rows = [*ROWS[:4], (2, 5, "b", 5, "click", 5), ROWS[5]]
    data = Batches.by(spark.createDataFrame(rows, DDL), "_pb_commit")
    made = migrate(left, batches=data, table_types=list(TableType), accept_differences=True, all_paths=True)
    now = {tuple(one.words for one in pair) for pair in made.paths.now}
    assert ("copy-on-write, batches as given", "merge-on-read, batches as given") in now
    assert made.paths.before.depending >= made.paths.after.depending
    text = made.to_report().as_markdown()
    assert "These agree now and did not before: " in text
    assert json.loads(made.to_json())["statistics"]["paths"]["agree_now"]


class EditsItsOwnRow:
    """Writes into its own row, and returns that or, by its subclass, a copy."""

    def __init__(self, record, ordering_value=None):
        self.record = record

    def preCombine(self, older, props=None):  # noqa: N802 (Java's name)
        return self

    def combineAndGetUpdateValue(self, current, schema, props=None):  # noqa: N802
        return self.edited()

    def getInsertValue(self, schema, props=None):  # noqa: N802
        return self.record

    def edited(self):
        self.record["kind"] = "seen"
        return self.record


class ReturnsACopy(EditsItsOwnRow):
    def edited(self):
        return {**self.record, "kind": "seen"}


@pytest.mark.parametrize(("name", "warns"), [("EditsItsOwnRow", True), ("ReturnsACopy", False)])
def test_an_edit_of_the_own_row_is_warned_of(name, warns):
    schema = parse_schema(schema_of(SHAPES["CountsClicks"]))
    settings = {"release": "1.0", "key": "id", "ordering": "ts", "schema": schema}
    made = migrate(MergePlan(payload=f"{__name__}:{name}", **settings))
    told = [one for one in made.to_report().warnings if "the class writes into its own row and returns it" in one]
    assert bool(told) is warns
