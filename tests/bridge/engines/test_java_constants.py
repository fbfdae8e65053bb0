from __future__ import annotations

import re

import pytest

from bridge.engines.jvm.constants import FILE, constants_java, groups
from bridge.engines.jvm.jars import SOURCES

TEXTS = {
    text: f"{group}.{name}"
    for group, constants in groups().items()
    for name, value in constants.items()
    for text in ((value,) if isinstance(value, str) else value if isinstance(value, tuple) else ())
}
# Words such as "long" are Spark's and Avro's, too: this source alone means ours.
TYPES_ARE_OURS = "OrderingText.java"
JAVA_SOURCES = [pytest.param(path.read_text("utf-8"), path.name, id=path.name) for path in SOURCES.glob("*.java")]


@pytest.mark.parametrize(("source", "name"), JAVA_SOURCES)
def test_no_java_source_spells_out_what_python_names(source, name):
    written = re.findall(r'"((?:[^"\\]|\\.)*)"', source)
    found = {text: TEXTS[text] for text in written if text in TEXTS}
    assert {
        text: where for text, where in found.items() if name == TYPES_ARE_OURS or not where.startswith("OrderingType.")
    } == {}
    assert [text for text in written if "_pb_" in text or "_hoodie_" in text] == []


@pytest.mark.parametrize(("source", "name"), JAVA_SOURCES)
def test_no_java_source_numbers_what_python_numbers(source, name):
    numbers = {key for constants in groups().values() for key, value in constants.items() if isinstance(value, int)}
    declared = re.findall(r"static final (?:int|long|byte) (\w+) =", source)
    assert numbers.intersection(declared) == set()


@pytest.mark.parametrize(("source", "name"), JAVA_SOURCES)
def test_every_constant_that_java_reads_is_generated(source, name):
    imported = re.findall(r"import bridge\.jvm\.Constants\.(\w+);", source)
    read = [(group, key) for group in imported for key in re.findall(rf"(?<![\w.]){group}\.([A-Z]\w+)", source)]
    assert [one for one in read if one[1] not in groups()[one[0]]] == []
    assert {group for group, _ in read} == set(imported)


def test_the_source_is_generated_alone():
    assert not (SOURCES / FILE).exists()
    assert "static final int KEEP = 2;" in constants_java()
    assert "static final long LARGEST_MILLIS = 9999999999999L;" in constants_java()
    assert 'static final String[] OPERATIONS = {"-U", "D", "I", "U"};' in constants_java()
