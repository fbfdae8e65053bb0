"""Text files that are not UTF-8, or can't be unzipped, are refused by name: Spark would read other texts."""

from __future__ import annotations

import gzip

import pytest

from bridge.errors import InputError
from bridge.pipeline import read_frame
from bridge.pipeline.file_errors import unreadable
from bridge.spark import place_of

CSV = "id,v\na,\u00e9\U0001f600\nb,x\n"


def read(spark, path):
    return sorted((row["id"], row["v"]) for row in read_frame(spark, str(path)).collect())


def check(spark, tmp_path):
    (tmp_path / "whole.csv").write_text(CSV, "utf-8")
    assert read(spark, tmp_path / "whole.csv") == [("a", "\u00e9\U0001f600"), ("b", "x")]
    for name, data, byte in (
        ("latin.csv", CSV.encode("utf-8").replace(b"x", b"\xe9"), 17),
        ("cut.csv", CSV[:9].encode("utf-8")[:-2], 10),
        ("latin.jsonl", b'{"id": "a", "v": "\xff"}\n', 19),
        ("latin.csv.gz", gzip.compress(b"id,v\na,\xff\n"), 8),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(
            InputError, match=rf"{name} is not UTF-8 text: byte {byte} begins no character; convert the"
        ):
            read(spark, tmp_path / name)
    whole = gzip.compress(CSV.encode(), mtime=0)
    for name, data in {"none": b"", "cut": whole[:-12], "broken": whole[:12] + b"\xff" + whole[13:]}.items():
        (tmp_path / f"{name}.csv.gz").write_bytes(data)
        with pytest.raises(InputError, match=rf"{name}.csv.gz can't be read: .*; fix the file"):
            read(spark, tmp_path / f"{name}.csv.gz")


def test_in_the_driver(spark, tmp_path):
    check(spark, tmp_path)


@pytest.mark.many_tasks
def test_in_tasks(spark, tmp_path):
    check(spark, tmp_path)


def test_a_character_across_two_pieces(spark, tmp_path):
    text = "id,v\na," + "x" * ((1 << 20) - 8) + "\u00e9\n"
    (tmp_path / "long.csv").write_text(text, "utf-8")
    assert read(spark, tmp_path / "long.csv")[0][1].endswith("x\u00e9")
    (tmp_path / "long.csv").write_bytes(text.encode("utf-8")[:-2] + b"\n")
    with pytest.raises(InputError, match=f"byte {1 << 20} begins no character"):
        read(spark, tmp_path / "long.csv")


def test_an_exception_of_spark_without_a_message_is_told_in_words():
    error = OSError("org.apache.spark.sql.catalyst.util.CannotParseJSONFieldException")
    told = "/x.jsonl can't be read: a value does not have the type of its column; fix the file or give the right schema"
    assert str(unreadable(place_of("/x.jsonl"), error)) == told
