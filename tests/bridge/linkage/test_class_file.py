from __future__ import annotations

import zipfile
from pathlib import Path

import pyspark
import pytest

from bridge.linkage.class_literals import extends, literals_of
from bridge.linkage.class_reader import read_class

JARS = Path(pyspark.__file__).parent / "jars"


@pytest.fixture(scope="module")
def load():
    """Return what gives the class files of commons-lang3, which comes with Spark."""
    (jar,) = JARS.glob("commons-lang3-*.jar")
    with zipfile.ZipFile(jar) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name.endswith(".class")}
    return lambda name: files.get(name.replace(".", "/") + ".class")


def test_every_class_of_a_jar_can_be_read():
    (jar,) = JARS.glob("avro-1*.jar")
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class")]
        assert sum(bool(read_class(archive.read(name)).references) for name in names) >= len(names) - 1


def test_texts_and_numbers_of_a_class(load):
    found = read_class(load("org.apache.commons.lang3.BooleanUtils"))
    assert {"true", "false", "yes", "no", "on", "off"} <= set(found.literals)
    assert "org.apache.commons.lang3.ObjectUtils" in found.references
    assert found.bases == ("java.lang.Object",)
    units = read_class(load("org.apache.commons.lang3.time.DateUtils")).literals
    assert {1000, 60_000, 3_600_000, 86_400_000} <= set(units)


@pytest.mark.parametrize(
    ("name", "base", "expected"),
    [
        ("mutable.MutableInt", "java.lang.Comparable", True),
        ("mutable.MutableInt", "java.lang.Number", True),
        ("mutable.MutableInt", "org.apache.commons.lang3.mutable.MutableInt", False),
        ("tuple.ImmutablePair", "java.util.Map$Entry", True),
        ("BooleanUtils", "java.lang.Comparable", False),
        ("Absent", "java.lang.Object", False),
    ],
)
def test_bases_are_followed_through_the_jar(load, name, base, expected):
    assert extends(f"org.apache.commons.lang3.{name}", base, load) == expected


def test_a_class_that_is_not_there_has_no_literals():
    assert literals_of("com.acme.Absent", lambda _name: None) == ()


def test_what_is_not_a_class_is_refused():
    for data in (b"", b"PK\x03\x04 and more", b"\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x05"):
        with pytest.raises(ValueError, match="not a class file"):
            read_class(data)
