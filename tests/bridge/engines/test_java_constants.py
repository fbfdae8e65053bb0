from __future__ import annotations

import ast
import difflib
import functools
import re
from pathlib import Path

import pytest

from bridge.engines.jvm.constants import FILE, constants_java, groups
from bridge.engines.jvm.jars import SOURCES
from bridge.engines.jvm.job import MODES_IN_JAVA

ROOT = Path(__file__).parents[3]
TOP = ("payloads", "mergers", "bridge")
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


def test_the_source_is_only_generated():
    assert not (SOURCES / FILE).exists()
    assert "static final int KEEP = 2;" in constants_java()
    assert "static final long LARGEST_MILLIS = 9999999999999L;" in constants_java()
    assert 'static final String[] OPERATIONS = {"-U", "D", "I", "U"};' in constants_java()


# -- what both languages spell out: keys, steps and messages

JAVA = {path.name: path.read_text("utf-8") for path in SOURCES.glob("*.java")}
JOB = ROOT / "bridge" / "engines" / "jvm" / "job.py"
ALMOST = 0.9
LITERAL = r'"((?:[^"\\]|\\.)*)"'


@functools.cache
def python():
    return [node for top in TOP for path in (ROOT / top).rglob("*.py") for node in walked(path)]


def walked(path):
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def only(kind, found):
    return [node for node in found if isinstance(node, kind)]


def texts_of(found):
    return {one.value for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def keys_of(found):
    """The keys of dicts that are spelled out, of entries that are added, and of `TypedDict`s."""
    fields = [field.target.id for typed in only(ast.ClassDef, found) for field in typed.body if is_field(field)]
    added = [
        target.slice for one in only(ast.Assign, found) for target in one.targets if isinstance(target, ast.Subscript)
    ]
    return texts_of(key for one in only(ast.Dict, found) for key in one.keys) | texts_of(added) | set(fields)


def is_field(node):
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


def in_java(pattern):
    return {found for text in JAVA.values() for found in re.findall(pattern, text)}


def test_java_reads_the_keys_that_python_writes():
    read = in_java(r"\.(?:get|containsKey)\(\"(\w+)\"\)") | in_java(
        r"\b(?:flag|schema|positions|merge)\((?:job, )?\"(\w+)\""
    )
    assert len(read) > 50
    assert read - keys_of(python()) == set()
    assert keys_of(walked(JOB)) - in_java(LITERAL) == set(), "nobody reads them"


def test_python_reads_the_keys_that_java_writes():
    written = in_java(r"\.put\(\"(\w+)\"")
    assert "winner" in written
    assert written - texts_of(only(ast.Constant, python())) - keys_of(python()) == set()


def test_both_know_the_same_steps():
    """A step that tests alone ask for is written in Java only."""
    asked = texts_of(
        value for one in only(ast.Dict, python()) for key, value in zip(one.keys, one.values, strict=True) if is_op(key)
    )
    assert asked - in_java(r"\bop\.equals\(\"(\w+)\"\)") == set()
    assert in_java(r"\bop\.equals\(\"(\w+)\"\)") - texts_of(only(ast.Constant, python())) == set()


def is_op(key):
    return isinstance(key, ast.Constant) and key.value == "op"


def test_python_knows_every_reason_for_which_java_refuses_a_class():
    reasons = in_java(r"return new String\[\] \{\"(\w+)\"")
    assert {"missing", "shape"} <= reasons
    assert reasons - texts_of(case.value for case in only(ast.MatchValue, python())) == {"strategy", "failing"}


def test_no_message_reads_almost_the_same_in_both_languages():
    """Where both refuse the same, they say it in the same words; Python may name the class in front."""
    said = {template("".join(map(shown, one.values))) for one in only(ast.JoinedStr, python())}
    said |= {template(text) for text in texts_of(only(ast.Constant, python()))}
    said = {text.removeprefix("{}").lstrip(".: ") for text in said if " " in text}
    raised = {template(text).removeprefix("{} ") for source in JAVA.values() for text in messages(source)}
    assert len(raised & said) > 10
    almost = {text: difflib.get_close_matches(text, said, 1, ALMOST) for text in raised - said}
    assert {text: near for text, near in almost.items() if near} == {}


def shown(part):
    return part.value if isinstance(part, ast.Constant) else "{}"


def template(text):
    """A message without the values that it inserts, and without the quotes around them."""
    return re.sub(r"'?(\{\})+(, \{\})*(\[\])?'?", "{}", text)


def messages(source):
    """The messages of `RecordError`s, with {} for each expression."""
    for found in re.finditer(r"new RecordError\(", source):
        depth, at = 1, found.end()
        while depth:
            literal = re.compile(LITERAL).match(source, at)
            depth += 0 if literal else {"(": 1, ")": -1}.get(source[at], 0)
            at = literal.end() if literal else at + 1
        parts = re.split(LITERAL, source[found.end() : at - 1])
        yield "".join(
            part if place % 2 else "{}" * bool(re.sub(r"[\s+]", "", part)) for place, part in enumerate(parts)
        )


def test_java_is_asked_for_the_merge_modes_alone_that_it_has():
    written = (SOURCES / "ModeMerger.java").read_text("utf-8")
    assert set(re.findall(r"MergeMode\.(\w+)\.equals\(mode\)", written)) == {mode.name for mode in MODES_IN_JAVA}
