"""`--report` and `migrate --out` on an object store, without a session."""

from __future__ import annotations

import importlib
import json

import pytest
from click.testing import CliRunner
from pyarrow import fs

from bridge.cli import main, verb
from bridge.spark.storage import Place

REPORT = "s3a://reports/one.json"
MIGRATE = ("migrate", "--payload", "OverwriteWithLatestAvroPayload", "--from", "0.15", "--ordering", "ts")


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Let every URI be in a folder in which nothing is renamed."""
    system = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    (tmp_path / "reports").mkdir()

    def place_of(text, _spark=None):
        return Place(str(text).partition("://")[2], "s3a", system)

    monkeypatch.setattr(verb, "place_of", place_of)
    monkeypatch.setattr(importlib.import_module("bridge.spark.output"), "place_of", place_of)
    return tmp_path / "reports"


def run(*words):
    return CliRunner().invoke(main, words)


def test_a_report_is_not_replaced_unless_asked(store):
    words = ("payloads", "DefaultHoodieRecordPayload", "--report", REPORT)
    assert run(*words).exit_code == 0
    assert json.loads((store / "one.json").read_text())["verb"] == "payloads"
    again = run(*words)
    assert (again.exit_code, "already exists; name another, or add --overwrite" in again.stderr) == (3, True)
    (store / "one.json").write_text("old")
    assert run(*words, "--overwrite").exit_code == 0
    assert (store / "one.json").read_text() != "old"
    assert [entry.name for entry in store.iterdir()] == ["one.json"]


def test_the_name_of_a_report_must_say_its_form(store):
    result = run("payloads", "--report", "s3a://reports/one.txt")
    assert (result.exit_code, "the suffix determines the format" in result.stderr) == (2, True)


def test_a_migration_is_complete_where_its_mark_is(store):
    (store / "cow").mkdir()  # which an object store does not need
    words = (*MIGRATE, "--out", "s3a://reports")
    result = run(*words)
    assert result.exit_code == 0, result.output
    names = {entry.name for entry in store.iterdir()}
    assert "_SUCCESS" in names
    assert len(names) > 2
    assert not [name for name in names if name.startswith("_payload_bridge")]
    assert run(*words).exit_code == 3
