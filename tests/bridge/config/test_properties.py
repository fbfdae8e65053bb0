"""The format of hoodie.properties, as java.util.Properties reads and writes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.config.properties import format_properties, parse_properties, read_properties
from payloads.errors import PayloadConfigError
from tests.bridge.config.recorded import created_tables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("a:b", {"a": "b"}),
        ("a b", {"a": "b"}),
        ("a \t\f = \t b ", {"a": "b "}),
        ("a==b", {"a": "=b"}),
        ("a = : b", {"a": ": b"}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("=b", {"": "b"}),
        ("  # a=b\n!c=d\n\n \t\ne=f", {"e": "f"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}),
        ("a=b\\\n   c\\\r\n  d", {"a": "bcd"}),
        ("a=b\\\n# no comment", {"a": "b# no comment"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\", {"a": "b"}),
        ("a\\ b\\=c\\:=d", {"a b=c:": "d"}),
        ("a=\\t\\n\\r\\f\\q\\\\", {"a": "\t\n\r\fq\\"}),
        ("a=\\u00e9\\u20AC", {"a": "\u00e9\u20ac"}),
        ("a=\\uD83D\\uDE00", {"a": "\U0001f600"}),
        ("a=x\x0by\x85z", {"a": "x\x0by\x85z"}),
        ("a=b\\\n\nc=d", {"a": "b", "c": "d"}),
    ],
)
def test_text_is_read_as_java_reads_it(text, expected):
    assert parse_properties(text) == expected


@pytest.mark.parametrize("text", ["a=\\u12", "a=\\u12g4", "a=\\u"])
def test_a_broken_escape_is_refused(text):
    with pytest.raises(PayloadConfigError, match="four hex digits"):
        parse_properties(text)


def test_text_is_written_in_ascii_with_the_escapes_that_java_reads():
    properties = {"b c": " d e", "a=:#!": "=:#!\\", "t": "\t\n\u00e9\U0001f600"}
    assert format_properties(properties) == (
        "a\\=\\:\\#\\!=\\=\\:\\#\\!\\\\\nb\\ c=\\ d e\nt=\\t\\n\\u00e9\\ud83d\\ude00\n"
    )


_TEXT = st.text(st.characters(exclude_categories=("Cs",)))


@given(st.dictionaries(_TEXT, _TEXT))
def test_what_is_written_reads_back(properties):
    assert parse_properties(format_properties(properties)) == properties


def test_files_of_real_tables_are_read(tmp_path):
    for table in created_tables():
        file = tmp_path / "hoodie.properties"
        file.write_bytes(table["hoodie_properties"].encode("iso-8859-1"))
        properties = read_properties(file)
        entries = [line for line in table["hoodie_properties"].splitlines() if not line.startswith("#")]
        assert len(properties) == len(entries)
        assert properties["hoodie.table.type"] == table["table_type"]
