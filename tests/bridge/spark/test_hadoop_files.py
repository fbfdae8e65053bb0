"""Storage that only Hadoop has a file system for: here one whose scheme is this test's own."""

from __future__ import annotations

import pickle
import tarfile

import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from bridge import HudiTable, InputError, MergePlan, upsert
from bridge.pipeline import read_frame
from bridge.spark import Target, batch_places, files_of, hadoop_files, output, place_of, write_texts
from tests.conformance.tables import difference, json_rows, load
from tests.support import TABLES
from tests.support.archives import unpack

_SCHEME = "shed"


@pytest.fixture
def shed(spark, tmp_path):
    """The root of a storage of Hadoop, and the local folder in which its files are."""
    settings = spark._jsc.hadoopConfiguration()
    settings.set(f"fs.{_SCHEME}.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme")
    settings.set(f"fs.viewfs.overload.scheme.target.{_SCHEME}.impl", "org.apache.hadoop.fs.LocalFileSystem")
    settings.set(f"fs.viewfs.mounttable.{tmp_path.name}.link./in", tmp_path.as_uri())
    return f"{_SCHEME}://{tmp_path.name}/in", tmp_path


def test_batches_are_listed_read_and_written(spark, shed):
    root, folder = shed
    for day in (1, 2):
        spark.createDataFrame([("a", day), ("b", 3 - day)], "id string, ts long").write.parquet(f"{root}/days/{day}")
    assert [str(one) for one in batch_places(f"{root}/days", spark)] == [f"{root}/days/1", f"{root}/days/2"]
    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")
    stored, incoming = (read_frame(spark, f"{root}/days/{day}") for day in (1, 2))
    assert sorted(map(tuple, upsert(stored, incoming, plan).collect())) == [("a", 2), ("b", 2)]
    with output(spark, Target(f"{root}/rows")) as run:
        run.write(spark.range(3))
    assert pq.read_table(folder / "rows").num_rows == 3
    assert files_of(place_of(f"{root}/rows", spark)).format == "parquet"


def test_files_are_read_in_part_written_copied_and_deleted(spark, shed):
    root, folder = shed
    place = place_of(f"{root}/words.txt", spark)
    place.write(b"0123456789" * 10_000)
    assert (place.exists(), place.is_folder(), place.size()) == (True, False, 100_000)
    assert place.stamp()[1] == pytest.approx((folder / "words.txt").stat().st_mtime_ns, abs=10**9)
    with place.open() as stream:
        assert (stream.seek(99_995), stream.read(), stream.read()) == (99_995, b"56789", b"")
    write_texts(spark, Target(f"{root}/plan"), {"a.md": "a"})
    assert (folder / "plan" / "a.md").read_text() == "a"
    place.system.copy_file(place.path, f"{place.path}.2")
    assert (folder / "words.txt.2").stat().st_size == 100_000
    place.system.delete_dir(place_of(f"{root}/plan", spark).path)
    place.system.delete_file(place.path)
    assert not place.exists()
    with pytest.raises(FileNotFoundError, match=r"words\.txt"):
        place.open()


def test_tasks_of_a_local_master_read_a_table(spark, shed):
    root, folder = shed
    with tarfile.open(TABLES) as archive:
        unpack(archive, folder)
    recorded = next(load(folder / "tables", "0.15", "mor-plain-default"))
    path = f"{root}/{recorded.folder.relative_to(folder)}/table"
    frame = HudiTable(spark, path, recorded.release).snapshot()
    found = [one for batch in frame._collect_as_arrow() for one in json_rows(batch)]
    assert difference(recorded.answers["snapshot"], found) == ""


def test_tasks_of_a_cluster_are_refused(spark, shed, monkeypatch):
    root, _ = shed
    place = place_of(root, spark)
    monkeypatch.setattr(spark.sparkContext, "master", "spark://head:7077")
    sent = pickle.dumps(place)
    monkeypatch.setattr(hadoop_files.SparkContext, "_active_spark_context", None)
    with pytest.raises(InputError, match=r"read by the driver's JVM, which tasks on a cluster can't ask"):
        pickle.loads(sent).exists()  # noqa: S301


def test_a_scheme_that_hadoop_lacks_is_refused(spark):
    with pytest.raises(InputError, match=r"oss://rows: this storage can't be reached \(.*No FileSystem for scheme"):
        place_of("oss://rows/days", spark)


def test_s3_is_read_as_s3a_unless_the_platform_reads_it(spark):
    settings = spark._jsc.hadoopConfiguration()
    settings.set("fs.s3n.impl", "com.acme.Own")
    for scheme, name in (("s3", "org.apache.hadoop.fs.s3a.S3AFileSystem"), ("s3n", "com.acme.Own")):
        assert isinstance(place_of(f"{scheme}://rows/days", spark).system, fs.S3FileSystem)
        assert settings.get(f"fs.{scheme}.impl") == name
        settings.unset(f"fs.{scheme}.impl")


def test_databricks_mounts_its_files(monkeypatch):
    monkeypatch.setattr("bridge.spark.storage.Path.is_dir", lambda self: str(self) == "/dbfs")
    assert place_of("dbfs:/mnt/rows").uri == "file:/dbfs/mnt/rows"
