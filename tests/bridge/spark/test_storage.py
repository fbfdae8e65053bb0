from __future__ import annotations

import contextlib
import importlib
import pickle
from pathlib import Path
from types import SimpleNamespace

import pyarrow.orc as po
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from bridge import EngineError, InputError
from bridge.spark import (
    Target,
    batch_places,
    check_table,
    files_of,
    listing,
    output,
    place_of,
    storage,
    write_file,
    write_texts,
)
from bridge.spark.output import _publish
from bridge.spark.storage import Place, _s3


@pytest.fixture
def objects(tmp_path):
    """An object store in which nothing is renamed."""
    system = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())

    def place(path, **files):
        for name, text in files.items():
            file = tmp_path / path / name.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Place(path, "s3a", system)

    return place


def session(settings):
    named = {f"spark.hadoop.fs.{name}": value for name, value in settings.items()}
    return SimpleNamespace(conf=SimpleNamespace(get=named.get))


@pytest.mark.parametrize("text", ["/a/b", "file:/a/b", "file:///a/b"])
def test_a_local_path_is_the_same_however_it_is_written(text):
    assert place_of(text) == Place("/a/b")
    assert place_of(text).uri == "file:/a/b"


def test_what_spark_takes_for_a_pattern_is_escaped():
    assert Place("bucket/a[1]{2}", "s3a").uri == r"s3a://bucket/a\[1\]\{2\}"


def test_credentials_are_those_of_spark_with_the_buckets_own_first():
    settings = {
        "s3a.endpoint": "http://127.0.0.1:9000",
        "s3a.access.key": "all",
        "s3a.bucket.days.access.key": "own",
        "s3a.secret.key": "secret",
    }
    found = _s3("days", settings.get)
    assert (found["access_key"], found["secret_key"]) == ("own", "secret")
    assert (found["endpoint_override"], found["scheme"]) == ("127.0.0.1:9000", "http")
    assert _s3("other", settings.get)["access_key"] == "all"
    assert "access_key" not in _s3("days", {}.get)


def test_a_place_of_a_storage_travels_to_tasks_and_does_not_show_its_credentials():
    spark = session({"s3a.access.key": "KEY", "s3a.secret.key": "HIDDEN"})
    place = place_of("s3a://days/1.avro", spark)
    assert str(place) == "s3a://days/1.avro"
    assert "HIDDEN" not in repr(place)
    assert pickle.loads(pickle.dumps(place)).system == place.system  # noqa: S301


def test_a_scheme_without_a_way_is_refused_without_the_password():
    with pytest.raises(InputError, match="swift://host: this storage can't be reached") as caught:
        place_of("swift://user:secret@host/rows")
    assert "secret" not in str(caught.value)


def test_batches_are_entries_of_a_folder_or_what_matches_a_pattern(tmp_path):
    for name in ("2024-02.csv", "2024-01.csv", "2023-12.csv", "_SUCCESS", ".hidden"):
        (tmp_path / name).write_text("")
    (tmp_path / "odd[1]").mkdir()
    (tmp_path / "odd[1]" / "1.csv").write_text("")
    assert [one.name for one in batch_places(tmp_path / "2024-*")] == ["2024-01.csv", "2024-02.csv"]
    assert [one.name for one in batch_places(tmp_path / "odd[1]")] == ["1.csv"]
    assert len(batch_places(tmp_path)) == 4
    with pytest.raises(InputError, match="nothing matches"):
        batch_places(tmp_path / "2025-*")


def test_batches_on_a_storage_are_listed_once(objects, monkeypatch):
    place = objects("days", **{"2.csv": "", "1.csv": "", "_SUCCESS": "", "3__part.csv": ""})
    monkeypatch.setattr(listing, "place_of", lambda *_: place)
    found = batch_places("s3a://days")
    monkeypatch.setattr(storage, "_info", None)  # what is known is not asked again
    assert [(one.name, one.is_folder()) for one in found] == [("1.csv", False), ("2.csv", False), ("3", True)]


def test_orc_is_read(spark, tmp_path):
    spark.range(3).coalesce(1).write.orc(str(tmp_path / "rows.orc"))
    (part,) = (tmp_path / "rows.orc").glob("*.orc")
    assert po.read_table(part).num_rows == 3
    from bridge.pipeline import read_frame  # noqa: PLC0415

    assert read_frame(spark, f"file:{tmp_path}/rows.orc").count() == 3


# -- output


def test_output_appears_when_it_is_complete_and_replaces_the_old_one_then(spark, tmp_path):
    out = tmp_path / "rows"
    with output(spark, Target(str(out))) as run:
        run.write(spark.range(3))
        assert not out.exists()
    with output(spark, Target(f"file:{out}", overwrite=True, partition_by=("p",))) as run:
        run.write(spark.range(2).selectExpr("id", "id % 2 p"))
        assert pq.read_table(out).num_rows == 3
    assert sorted(entry.name for entry in out.iterdir() if entry.is_dir()) == ["p=0", "p=1"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows"]


def test_a_failure_leaves_the_old_output_and_nothing_else(spark, tmp_path):
    out = tmp_path / "rows"
    out.mkdir()
    with pytest.raises(InputError, match="already exists; name a new folder, or replace it with --overwrite"):
        output(spark, Target(str(out))).__enter__()
    (out / "old").write_text("")
    with contextlib.suppress(ZeroDivisionError), output(spark, Target(str(out), overwrite=True)) as run:
        run.write(spark.range(3))
        raise ZeroDivisionError
    assert [entry.name for entry in tmp_path.rglob("*")] == ["rows", "old"]


def test_a_store_of_objects_gets_the_mark_last_and_loses_the_old_files(objects, tmp_path, monkeypatch):
    place = objects("rows", old="", _SUCCESS="old")
    staged = objects("rows/_payload_bridge_1", **{"p=1__part": "1", "part": "2", "_SUCCESS": "new"})
    order = []
    copy = fs.SubTreeFileSystem.copy_file
    system = SimpleNamespace(
        get_file_info=place.system.get_file_info,
        delete_file=lambda path: (order.append(f"-{path}"), place.system.delete_file(path)),
        copy_file=lambda one, other: (
            order.append(f"+{other}"),
            (tmp_path / other).parent.mkdir(exist_ok=True),
            copy(place.system, one, other),
        ),
    )
    _publish(Place(staged.path, "s3a", system), Place(place.path, "s3a", system))
    assert order[0] == "-rows/_SUCCESS"
    assert order[-1] == "+rows/_SUCCESS"
    assert "-rows/old" in order
    assert (tmp_path / "rows" / "_SUCCESS").read_text() == "new"
    assert (tmp_path / "rows" / "p=1" / "part").read_text() == "1"


# -- tables, texts and reports


def tables_of(spark):
    return [row.tableName for row in spark.sql("SHOW TABLES").collect()]


@pytest.fixture
def rows(spark):
    yield "pb_rows"
    for name in tables_of(spark):
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def test_a_table_appears_when_it_is_complete_and_replaces_the_old_one_then(spark, rows):
    with output(spark, Target(rows, is_table=True)) as run:
        run.write(spark.range(3))
        assert not spark.catalog.tableExists(rows)
    with pytest.raises(InputError, match="already exists; name another table, or replace it with --overwrite"):
        output(spark, Target(rows, is_table=True)).__enter__()
    target = Target(f"default.{rows}", "orc", overwrite=True, is_table=True)
    with contextlib.suppress(ZeroDivisionError), output(spark, target) as run:
        run.write(spark.range(2).selectExpr("id", "id + 5 n"))
        raise ZeroDivisionError
    assert spark.table(rows).count() == 3
    with output(spark, target) as run:
        run.write(spark.range(2).selectExpr("id", "id + 5 n"))
        assert spark.table(rows).count() == 3
    assert sorted(map(tuple, spark.table(rows).collect())) == [(0, 5), (1, 6)]
    assert tables_of(spark) == [rows]


def test_a_table_is_refused_that_would_be_forgotten_or_has_no_name(spark):
    with pytest.raises(EngineError, match="in memory, and ends with the command; add --conf"):
        check_table(spark, Target("db.t", is_table=True), ends=True)
    with pytest.raises(EngineError, match="in memory, and can't rename a table with partitions; add --conf"):
        check_table(spark, Target("db.t", partition_by=("p",), is_table=True))
    for name in ("a..b", "", "a.", "`a"):
        with pytest.raises(InputError, match="is not the name of a table"):
            check_table(spark, Target(name, is_table=True))


def test_a_table_takes_one_result(spark, rows):
    with pytest.raises(InputError, match="is one table"), output(spark, Target(rows, is_table=True)) as run:
        run.write(spark.range(1), "log")
    assert not tables_of(spark)


def test_texts_on_a_store_of_objects_are_marked_as_complete(objects, monkeypatch):
    place = objects("plan", **{"old.md": ""})
    monkeypatch.setattr(importlib.import_module("bridge.spark.output"), "place_of", lambda *_: place)
    with pytest.raises(InputError, match="already exists"):
        write_texts(None, Target("s3a://plan"), {})
    write_texts(None, Target("s3a://plan", overwrite=True), {"a.md": "a", "B.java": "b"})
    found = place.system.get_file_info(fs.FileSelector("plan", recursive=True))
    assert sorted(one.path for one in found if one.is_file) == ["plan/B.java", "plan/_SUCCESS", "plan/a.md"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    place = Place(str(tmp_path / "report.md"))
    write_file(place, b"old")
    monkeypatch.setattr(Place, "write", lambda self, _: (Path(self.path).write_bytes(b"ne"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        write_file(place, b"new")
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("report.md", b"old")]


def test_what_a_killed_run_left_is_not_read(objects):
    place = objects("rows", **{"part-1.parquet": "", "_payload_bridge_1__part-1.parquet": ""})
    with pytest.raises(InputError, match="is the output of a run that did not end"):
        files_of(place)
    objects("rows", _SUCCESS="")
    assert len(files_of(place).paths) == 1
