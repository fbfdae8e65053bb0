"""The script of a migration: its steps on a stand-in for Hudi, and what it refuses; linters find nothing in it."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import MergePlan, MigrationPlan, PlanError, plan_migration
from bridge.cli import main
from bridge.config import TableType, capabilities, change_version, created_properties
from bridge.migration import migration_script
from bridge.migration.script import worker_of
from bridge.migration.steps import VERSION_NAMES, merge_properties
from payloads import HudiRelease

if TYPE_CHECKING:
    from pathlib import Path

MOVES = [
    ("AWSDmsAvroPayload", "1.2"),
    ("AWSDmsAvroPayload", "COMMIT_TIME_ORDERING"),
    ("DefaultHoodieRecordPayload", "EVENT_TIME_ORDERING"),
    ("PostgresDebeziumAvroPayload", "1.1"),
]


def planned(payload: str = "AWSDmsAvroPayload", to: str = "COMMIT_TIME_ORDERING", kind: str = "mor") -> MigrationPlan:
    ordering = "_event_lsn" if "Postgres" in payload else "ts"
    writer = MergePlan(payload=payload, release="0.15", key="id", ordering=ordering).writer_options()
    created = created_properties(writer, TableType(kind), HudiRelease.V0_15)
    stored = {**created, "hoodie.table.name": "trips \U0001f6b2", "hoodie.table.type": "MERGE_ON_READ"}
    if kind == "cow":
        stored["hoodie.table.type"] = "COPY_ON_WRITE"
    return plan_migration({**stored, "hoodie.table.recordkey.fields": "id"}, to, writer)


PATH = "/data/it's"
VERDICT = 'ACCEPTED: "all" of \\ it, \0 and ' + "\\" * 301


class Hudi:
    """Stands for a session with Hudi, whose procedures change the version of the table that they find."""

    def __init__(self, made: MigrationPlan) -> None:
        self.made = made
        self.script: dict[str, Any] = {"__name__": "script"}
        exec(compile(migration_script(made, VERDICT), "script.py", "exec"), self.script)  # noqa: S102
        self.tables = {PATH: dict(made.before)}
        self.catalogue: dict[str, str] = {}
        self.rows, self.rows_after, self.pending, self.newest, self.calls = 3, 3, 0, 9, 0
        self.answers = True
        self.bundle: str | None = capabilities(worker_of(made)).bundle
        self.moved_to = ""
        self.script["meta_client"] = lambda _, path: self._client(path)
        self.script["qualified"] = lambda _, path: f"/data/{path}".replace("/data//", "/").replace("/data/file:", "")
        config = SimpleNamespace(updateAndDeleteProps=self._update)
        jar = SimpleNamespace(getPackage=lambda: SimpleNamespace(getImplementationVersion=lambda: self.bundle))
        current = SimpleNamespace(versionCode=lambda: self.newest, getClass=lambda: jar)
        version = SimpleNamespace(current=lambda: current)
        table = SimpleNamespace(HoodieTableConfig=config, HoodieTableVersion=version)
        hudi = SimpleNamespace(common=SimpleNamespace(table=table))
        util = SimpleNamespace(Properties=_Properties, HashSet=set)
        self._jvm = SimpleNamespace(
            org=SimpleNamespace(apache=SimpleNamespace(hudi=hudi)), java=SimpleNamespace(util=util)
        )

    @property
    def stored(self) -> dict[str, str]:
        return self.tables[PATH]

    @stored.setter
    def stored(self, properties: dict[str, str]) -> None:
        self.tables[PATH] = properties

    def run(self, verb: str, path: str = PATH) -> None:
        self.script["main"]([verb, path], self)

    def _client(self, path: str) -> Any:
        timeline = SimpleNamespace(
            filterInflightsAndRequested=lambda: SimpleNamespace(countInstants=lambda: self.pending)
        )
        stored = {**self.made.table, "hoodie.table.checksum": "1", **self.tables[path]}
        props = SimpleNamespace(getProperty=stored.get, stringPropertyNames=lambda: list(stored))
        config = SimpleNamespace(getProps=lambda: props)
        names = {"getTableConfig": config, "getActiveTimeline": timeline, "getStorage": None, "getMetaPath": path}
        return SimpleNamespace(**{name: (lambda value=value: value) for name, value in names.items()})

    def _update(self, _storage: None, path: str, values: dict[str, str], gone: set[str]) -> None:
        self.calls += 1
        self.tables[path] = {name: value for name, value in {**self.tables[path], **values}.items() if name not in gone}

    def sql(self, statement: str) -> Any:
        if created := re.fullmatch(r"CREATE TABLE (IF NOT EXISTS )?(\w+) USING hudi LOCATION '(.*)'", statement):
            assert created[1] or created[2] not in self.catalogue
            self.catalogue.setdefault(created[2], self.moved_to or created[3].replace(r"\'", "'"))
        elif statement.startswith("DROP TABLE "):
            del self.catalogue[statement.removeprefix("DROP TABLE ")]
        elif statement.startswith("DESCRIBE TABLE EXTENDED "):
            location = self.catalogue[statement.removeprefix("DESCRIBE TABLE EXTENDED ")]
            return SimpleNamespace(collect=lambda: [("Location", "string", None), ("Location", f"file:{location}", "")])
        else:
            self.calls += 1
            self._call(statement)
        return SimpleNamespace(collect=lambda: [(self.answers,)])

    def _call(self, statement: str) -> None:
        (name,) = re.findall(r"table => '(\w+)'", statement)
        if self.answers:
            path = self.catalogue[name]
            version = next(number for number, text in VERSION_NAMES.items() if f"'{text}'" in statement)
            self.tables[path] = merge_properties(change_version(self.tables[path], version, worker_of(self.made)))
            self.rows = self.rows_after

    @property
    def read(self) -> Any:
        loaded = SimpleNamespace(count=lambda: self.rows)
        return SimpleNamespace(format=lambda _: SimpleNamespace(load=lambda _: loaded))


class _Properties(dict[str, str]):
    def setProperty(self, name: str, value: str) -> None:  # noqa: N802 (Java's name)
        self[name] = value


@pytest.mark.parametrize(("payload", "to"), MOVES)
def test_a_table_goes_there_once_and_back(payload: str, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = planned(payload, to)
    hudi = Hudi(made)
    hudi.run("apply")
    assert hudi.stored == made.after
    taken = hudi.calls
    hudi.run("apply")
    assert (hudi.stored, hudi.calls) == (made.after, taken)
    assert "nothing to do" in capsys.readouterr().out
    hudi.run("undo")
    assert hudi.stored == made.after_undo


def test_each_path_is_its_own_table() -> None:
    made = planned()
    hudi = Hudi(made)
    hudi.tables["/data/other"] = dict(made.before)
    hudi.catalogue["payload_bridge_migration"] = PATH
    hudi.run("apply", "/data/other")
    assert hudi.tables == {PATH: made.before, "/data/other": made.after}
    hudi.run("apply")
    assert hudi.tables == {PATH: made.after, "/data/other": made.after}
    assert hudi.catalogue == {"payload_bridge_migration": PATH}


def test_a_relative_path_and_any_text_are_taken() -> None:
    made = planned()
    hudi = Hudi(made)
    hudi.run("apply", "it's")
    assert (hudi.stored, hudi.catalogue) == (made.after, {})
    assert hudi.script["TABLE"]["hoodie.table.name"] == "trips \U0001f6b2"
    assert "".join(VERDICT.replace('"', "'").split()) in "".join(hudi.script["__doc__"].split())


def test_a_catalogue_that_has_another_place_is_refused() -> None:
    made = planned()
    hudi = Hudi(made)
    hudi.moved_to = "/data/other"
    hudi.tables["/data/other"] = dict(made.before)
    with pytest.raises(SystemExit, match="the catalogue has file:/data/other"):
        hudi.run("apply")
    assert (hudi.calls, hudi.catalogue) == (0, {})


@pytest.mark.parametrize(("payload", "to"), MOVES)
@pytest.mark.parametrize("verb", ["apply", "undo"])
def test_either_verb_goes_on_where_the_other_was_stopped(verb: str, payload: str, to: str) -> None:
    made = planned(payload, to)
    hudi = Hudi(made)
    for state in hudi.script["STATES"].values():
        hudi.stored = dict(state)
        hudi.run(verb)
        wanted = made.after if verb == "apply" else made.before if state == made.before else made.after_undo
        assert hudi.stored == wanted


def test_it_goes_on_where_it_was_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    made = planned()
    hudi = Hudi(made)
    upgraded = merge_properties(change_version(made.before, 9, made.to_release))
    hudi.stored = dict(upgraded)
    hudi.run("check")
    says = "the table is at: 1: upgrade to table version 9, with Hudi 1.2\nsteps left: 1 of apply, 2 of undo\n"
    assert capsys.readouterr().out == says
    hudi.run("apply")
    assert (hudi.stored, hudi.calls) == (made.after, 1)
    hudi.stored = dict(upgraded)
    hudi.run("undo")
    assert hudi.stored == made.after_undo


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stored": {"hoodie.table.version": "8"}}, "the table is nowhere on this way"),
        ({"more": {"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}}, "the table is nowhere on this way"),
        (
            {"more": {"hoodie.record.merge.property.hoodie.payload.delete.field": "op"}},
            "field: op, expected not",
        ),
        ({"more": {"hoodie.table.name": "other"}}, "another table than the plan's:\n  hoodie.table.name: other"),
        ({"more": {"hoodie.table.type": "COPY_ON_WRITE"}}, "another table than the plan's"),
        ({"more": {"hoodie.table.recordkey.fields": "city"}}, "another table than the plan's"),
        ({"bundle": "1.1.1"}, r"this is for Hudi 1\.2, and the session has 1\.1\.1"),
        ({"bundle": None, "newest": 8}, "the session's Hudi has 8"),
        ({"pending": 2}, "2 instants that did not complete"),
        ({"newest": 8}, "newest table version is 9; the session's Hudi has 8"),
        ({"answers": False}, "Hudi did not do this"),
    ],
)
def test_what_is_not_as_expected_is_refused_and_left(change: dict[str, Any], says: str) -> None:
    hudi = Hudi(planned())
    hudi.stored = {**hudi.stored, **change.pop("more", {})}
    for name, value in change.items():
        setattr(hudi, name, value)
    before = dict(hudi.stored)
    with pytest.raises(SystemExit, match=says):
        hudi.run("apply")
    assert hudi.stored == before


def test_rows_that_come_or_go_end_it_with_1() -> None:
    hudi = Hudi(planned())
    hudi.rows_after = 4
    with pytest.raises(SystemExit, match="the number of rows has changed"):
        hudi.run("apply")


def test_a_plan_that_a_script_cannot_carry_out() -> None:
    with pytest.raises(PlanError, match="a script writes no rows, but the plan has to: upgrade to table version 9"):
        migration_script(planned(to="1.2", kind="cow"), "")
    with pytest.raises(PlanError, match=r"runs with Hudi 1\.1 or later"):
        migration_script(planned(to="1.0"), "")


@pytest.mark.parametrize(("payload", "to"), MOVES)
def test_linters_have_nothing_to_say(payload: str, to: str, tmp_path: Path) -> None:
    (tmp_path / "migration.py").write_text(migration_script(planned(payload, to), "ACCEPTED."), "utf-8")
    rules = ["check", "--select", "E4,E7,E9,F,W,I,UP,B,C4,SIM,RET,PTH,ARG,PERF"]
    for words in (rules, ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *words, "--isolated", "--line-length", "120", "--no-cache", "."]
        subprocess.run(command, check=True, cwd=tmp_path)


def test_a_script_comes_out_of_properties_and_a_copy_does_not(tmp_path: Path) -> None:
    stored = planned("DefaultHoodieRecordPayload").before | {"hoodie.table.type": "MERGE_ON_READ"}
    (tmp_path / "hoodie.properties").write_text("".join(f"{name}={value}\n" for name, value in stored.items()))
    words = ["migrate", "--table", str(tmp_path / "hoodie.properties")]
    script = tmp_path / "migration.py"
    result = CliRunner().invoke(main, [*words, "--script", str(script)])
    assert result.exit_code == 0, result.output
    assert f"Writtento{script}" in "".join(result.stdout.split())  # a long path is wrapped
    assert "NOT CHECKED: EVENT_TIME_ORDERING" in script.read_text("utf-8")
    assert CliRunner().invoke(main, [*words, "--script", str(script)]).exit_code == 2
    result = CliRunner().invoke(main, [*words, "--apply-to-copy", str(tmp_path / "copy")])
    assert result.exit_code == 2
    assert "is only its properties file" in result.stderr


@pytest.mark.parametrize("option", ["--script", "--apply-to-copy"])
def test_it_is_about_a_table(option: str, tmp_path: Path) -> None:
    words = ["migrate", "--payload", "AWSDmsAvroPayload", "--key", "id", option, str(tmp_path / "new")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert f"{option} needs a table; add --table" in result.stderr
