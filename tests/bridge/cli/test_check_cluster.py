"""`check-cluster`: what each place has, and whether it reaches a path; on workers of a cluster, see `tests.cluster`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bridge.cli import main


def checked(*words):
    result = CliRunner().invoke(main, ("check-cluster", *map(str, words), "--output", "json"))
    return result.exit_code, json.loads(result.stdout)


def test_a_table_that_everyone_reaches(spark, tmp_path):
    (tmp_path / "table" / ".hoodie").mkdir(parents=True)
    (tmp_path / "table" / ".hoodie" / "hoodie.properties").write_text("hoodie.table.name=t\n")
    (tmp_path / "table" / "day=1").mkdir()
    code, answer = checked(tmp_path / "table")
    assert (code, answer["success"]) == (0, True)
    assert [(one["by"], one["found"]) for one in answer["results"] if "by" in one] == [
        ("the driver", "a folder of 2 entries"),
        ("Spark", "reads hoodie.properties"),
    ]


@pytest.mark.parametrize(
    ("path", "phrase"),
    [
        ("nothing", "nothing can't be read by the driver: nothing is there"),
        ("s3a://user:secret@bucket/table", "credentials"),
        ("nowhere://bucket/table", "this storage can't be reached"),
    ],
)
def test_a_path_that_is_not_reached(spark, tmp_path, monkeypatch, path, phrase):
    monkeypatch.chdir(tmp_path)
    code, answer = checked(path)
    assert code == 3
    assert phrase in answer["verdict"]
    assert "secret" not in json.dumps(answer)


def test_folders_without_end_are_not_searched(spark, tmp_path):
    folder = tmp_path
    for _ in range(120):
        folder /= "a"
    folder.mkdir(parents=True)
    (folder / "b.csv").write_text("id\n")
    code, answer = checked(tmp_path)
    assert code == 0
    assert [one["by"] for one in answer["results"] if "by" in one] == ["the driver", "Spark and executors"]
    assert "has no file to read, so Spark and executors did not try" in answer["verdict"]
