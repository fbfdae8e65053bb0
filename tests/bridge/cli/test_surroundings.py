"""What surrounds a job goes wrong: one sentence that names it and the way out, exit code 3, nothing half written."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from py4j.protocol import Py4JError

from bridge.cli import main
from bridge.cli import merge as merge_module
from bridge.errors import sentence_of
from bridge.spark.output import OutputRun

PLAN = ("--payload", "OverwriteWithLatestAvroPayload", "--release", "0.15", "--key", "id")


@pytest.fixture
def rows(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    for name in ("a", "b"):
        pq.write_table(pa.table({"id": [name], "n": [1]}), folder / f"{name}.parquet")
    return folder


@pytest.fixture
def fails(rows, tmp_path):
    """Return a check of what a merge of `rows` says, and that it leaves nothing."""

    def check(*sentences):
        before = sorted(entry.name for entry in tmp_path.iterdir())
        words = ("merge", "combine-input", "--incoming", str(rows), *PLAN, "--out", str(tmp_path / "out"))
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 3, result.output
        (line,) = (line for line in result.stderr.splitlines() if line.startswith("error: "))
        for sentence in sentences:
            assert sentence in line
        assert sorted(entry.name for entry in tmp_path.iterdir() if entry != rows) == [n for n in before if n != "rows"]

    return check


def test_files_of_several_schemas(spark, rows, fails):
    pq.write_table(pa.table({"id": ["c"], "n": ["x"]}), rows / "c.parquet")
    fails(
        f"{rows} has files of different schemas (a column is bigint in one and string in another)", "separate batches"
    )


def test_a_parquet_file_that_is_damaged(spark, rows, fails):
    file = rows / "a.parquet"
    data = bytearray(file.read_bytes())
    data[4:24] = bytes(20)  # the header of its first page
    file.write_bytes(data)
    fails(f"{file} can't be read: its Parquet data is damaged or cut off; restore the file")


def test_a_path_that_vanishes_during_the_job(spark, rows, fails, monkeypatch):
    read = merge_module.read_sides

    def vanishing(*words, **settings):
        frames = read(*words, **settings)
        shutil.rmtree(rows)
        return frames

    monkeypatch.setattr(merge_module, "read_sides", vanishing)
    fails(".parquet disappeared during the job; let nothing write to this input")


def test_a_full_disk(spark, fails, monkeypatch):
    write = OutputRun.write

    def full(run, frame, name=""):
        write(run, frame, name)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(OutputRun, "write", full)
    fails("a disk is full (no space left on device); free some, or name other disks")


SPARK = "An error occurred while calling o1.save.\n: org.apache.spark.SparkException: Job aborted\nCaused by: "


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("java.io.IOException: No space left on device\n\tat java.base", "a disk is full"),
        (
            "java.nio.file.AccessDeniedException: s3a://b/x: getFileStatus on s3a://b/x: Forbidden (403)\n\tat",
            "the storage denies access (s3a://b/x: getFileStatus on s3a://b/x: Forbidden (403)); check the cred",
        ),
        (
            "org.apache.hadoop.security.AccessControlException: Permission denied: user=me, access=WRITE\n\tat",
            "the storage denies access (user=me, access=WRITE)",
        ),
        (
            "org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://nowhere/': Bucket does not exist: x\n\tat",
            "there is no such bucket or container (`s3a://nowhere/': Bucket does not exist: x); correct its name",
        ),
        (
            "java.lang.UnsupportedClassVersionError: bridge/jvm/MergeTask: class file version 61.0\n\tat",
            "executors run an older Java than the driver (bridge/jvm/MergeTask: class file version 61.0)",
        ),
    ],
)
def test_what_executors_say_of_their_surroundings(cause, sentence):
    assert sentence_of(Py4JError(SPARK + cause)).startswith(sentence)


READS = "org.apache.spark.SparkException: Encountered error while reading file "
PAGE = "\nCaused by: java.io.IOException: can not read class org.apache.parquet.format.PageHeader: Required field 'x'"


@pytest.mark.parametrize(
    ("cause", "file"),
    [
        (f"{READS}file:///data/a.parquet. Details:{PAGE}", "/data/a.parquet"),
        (f"{READS}file:///with%20space/a.parquet.  SQLSTATE: KD001{PAGE}", "/with space/a.parquet"),
        (f"{READS}s3a://b/a.parquet. Details:{PAGE}", "s3a://b/a.parquet"),
        (
            "java.lang.RuntimeException: file:/data/a.parquet is not a Parquet file. Expected magic number at",
            "/data/a.parquet",
        ),
        (f"org.apache.spark.SparkException: x{PAGE}", "a Parquet file of the input"),
    ],
)
def test_damaged_parquet_names_its_file(cause, file):
    said = sentence_of(Py4JError(SPARK + cause))
    assert said.startswith(file)
    assert said.endswith(" can't be read: its Parquet data is damaged or cut off; restore the file")


@pytest.mark.parametrize(
    "cause",
    [
        "org.apache.spark.SparkUpgradeException: [X.WRITE_ANCIENT_DATETIME] x\n\tat org.apache.parquet.Y",
        f"{READS}s3a://b/a. Details:{PAGE}\nCaused by: java.net.SocketException: Connection reset",
        "java.lang.NoSuchMethodError: org.apache.parquet.schema.Types.x",
        "java.io.IOException: the quota is used up\n\tat org.apache.parquet.hadoop.ParquetFileWriter.end(x)",
        "org.apache.parquet.crypto.ParquetCryptoRuntimeException: no key for the column",
    ],
)
def test_what_is_no_damage_is_not_called_so(cause):
    assert "damaged" not in sentence_of(Py4JError(SPARK + cause))


def test_a_path_without_permission():
    error = PermissionError(13, "Permission denied", "/data")
    assert sentence_of(error) == "/data: permission denied; run as another user, or name another path"


@pytest.mark.parametrize("word", ["x\udcff", "x\0"])
def test_a_word_that_is_no_text_is_a_wrong_command(word):
    for words in (["inspect", word], ["inspect", "--all", word], ["pack", "--out", word, "--dry-run"]):
        result = CliRunner().invoke(main, words)
        (line,) = (line for line in result.stderr.splitlines() if line.startswith("Error: "))
        assert (result.exit_code, ascii(word) in line) == (2, True), result.output
        assert "which Spark and Hudi can't store" in line
