"""Schemas in commits and log blocks are taken, or refused, as real Hudi 0.15.0 and 1.2.0 take them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from bridge.hudi import DamagedFileError
from bridge.hudi.schema_text import record_schema, stored_schema
from payloads.errors import SchemaError
from tests.hudi.damaged import COLUMNS, altered, rows
from tests.support.made_table import MadeTable, instant

if TYPE_CHECKING:
    from pathlib import Path

TEXT = {"name": "note", "type": ["null", "string"], "default": None}


def with_field(**changed: Any) -> str:
    return json.dumps({"type": "record", "name": "r", "fields": [{**TEXT, **changed}]})


def with_type(kind: Any) -> str:
    field = {"name": "note", "type": kind}
    return json.dumps({"type": "record", "name": "r", "fields": [field]})


def record(**changed: Any) -> str:
    return json.dumps({"type": "record", "name": "r", "fields": [TEXT], **changed})


REFUSED = {
    "1x": "'1x' is not a name",
    "a-b": "'a-b' is not a name",
    "a b": "'a b' is not a name",
    "a.b": "'a.b' is not a name",
    "$x": "'$x' is not a name",
    "": "'' is not a name",
}


@pytest.mark.parametrize(("name", "told"), REFUSED.items())
def test_names(name: str, told: str) -> None:
    for text in (with_field(name=name), *([] if "." in name else [record(name=name)])):
        with pytest.raises(SchemaError, match=told.replace("$", r"\$")):
            record_schema(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "it is not JSON"),
        ("7", "7 is not a type"),
        ('"text"', "'text' is not a type"),
        ("{}", "{} is not a type"),
        (record(fields="none"), "the record r has no list of fields"),
        (record(fields=[7]), "7 is not a field"),
        (record(fields=[{"name": "a"}]), "is not a field"),
        (record(fields=[{"type": "long"}]), "None is not a name"),
        (record(fields=[TEXT, TEXT]), "r has the field note twice"),
        (record(fields=[TEXT, {**TEXT, "name": "NOTE"}]), "the columns note and NOTE, which Spark can't tell apart"),
        (record(type=["record"]), "is not a type"),
        (record(type={"type": "record"}), "is not a type"),
        (record(name=7), "a record has no name"),
        (with_field(default=True), "the field note has a default of another type"),
        (with_field(default="x"), "the field note has a default of another type"),
        (with_field(order="sideways"), "the field note has the order 'sideways'"),
        (with_field(order=7), "the field note has the order 7"),
        (with_field(aliases=7), "7 are not aliases"),
        (with_type("lon"), "'lon' is not a type"),
        (with_type(None), "null is not a type"),
        (with_type([]), "a union has no types"),
        (with_type("null"), "no DataFrame can have its columns"),
        (with_type(["null", "null"]), "a union has a type twice: null, null"),
        (with_type(["null", ["long"]]), "a union is in another one"),
        (with_type({"type": "array"}), "is not a type"),
        (with_type({"type": "record", "name": "q", "fields": []}), "no DataFrame can have its columns"),
        (with_type({"type": "record", "name": "r", "fields": [TEXT]}), "r is there twice"),
        (with_type({"type": "enum", "name": "q", "symbols": ["A", "A"]}), "has one twice"),
        (with_type({"type": "enum", "name": "q", "symbols": ["a-b"]}), "'a-b' is not a name"),
        (with_type({"type": "fixed", "name": "q", "size": -4}), "q has no size"),
        (with_type({"type": "fixed", "name": "q", "size": "x"}), "q has no size"),
    ],
)
def test_schemas_that_java_refuses(text: str, told: str) -> None:
    with pytest.raises(SchemaError) as raised:
        record_schema(text)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        with_field(name="ä"),
        with_field(name="_ok"),
        with_field(aliases=["q"]),
        with_field(doc=7),
        with_field(type=["string", "null"], default="x"),
        record(namespace="a-b"),
        record(namespace=7),
        record(name="a-b.c.r"),
        with_type({"type": "long", "logicalType": "other"}),
        with_type({"type": "string", "logicalType": "date"}),
        with_type({"type": "array", "items": {"type": "record", "name": "q", "fields": [TEXT]}}),
        with_type({"type": "map", "values": "long"}),
    ],
)
def test_schemas_that_java_takes(text: str) -> None:
    assert record_schema(text).kind == "record"


def test_a_type_stands_for_itself_by_its_name() -> None:
    inner = {"type": "enum", "name": "n.e", "symbols": ["A"]}
    fields = [{"name": "a", "type": inner}, {"name": "b", "type": ["null", "n.e"]}, {"name": "c", "type": "e"}]
    assert stored_schema(record(fields=fields[:2])).by_name["b"].schema.branches[1].kind == "enum"
    with pytest.raises(SchemaError, match="'e' is not a type"):
        stored_schema(record(fields=fields))


def change_schema(path: Path, change: dict[str, Any]) -> str:
    """Give the last commit a schema with one more column."""
    file = path / ".hoodie" / f"{instant(1)}.deltacommit"
    said = json.loads(file.read_text())
    schema = json.loads(said["extraMetadata"]["schema"])
    schema["fields"].append(change)
    said["extraMetadata"]["schema"] = json.dumps(schema)
    file.write_text(json.dumps(said))
    return str(file)


def test_rows_that_do_not_fit_are_an_error_of_their_file(made: MadeTable) -> None:
    change_schema(made.path, {"name": "new", "type": "long"})
    with pytest.raises(DamagedFileError, match=f"{made.path}/p/.*has rows that do not fit the table's schema: "):
        rows(made.path)


def test_until_0_15_logs_need_a_default_for_what_they_lack(made: MadeTable) -> None:
    """Real 0.15.0 resolves the two schemas, and fails; 1.2.0 shows null."""
    change_schema(made.path, {"name": "new", "type": ["null", "long"]})
    assert {row["new"] for row in rows(made.path)} == {None}
    with pytest.raises(DamagedFileError, match="its records lack new, for which the table's schema has no default"):
        rows(made.path, "0.15")


def test_a_log_block_has_a_schema_of_java(made: MadeTable) -> None:
    (log,) = (made.path / "p").glob(".*.log.*")
    log.write_bytes(log.read_bytes().replace(b'"name": "ts"', b'"name": "t-"'))
    with pytest.raises(DamagedFileError, match="its schema is invalid: 't-' is not a name"):
        rows(made.path)
    assert altered(made.path) == []


@pytest.mark.parametrize(("old", "new", "shown"), [(b"x_y", b"x\xffy", "x\ufffdy"), (b"x_y", b"xxy", "xxy")])
def test_bytes_of_a_logged_row_that_are_no_text_are_replaced(
    tmp_path: Path, old: bytes, new: bytes, shown: str
) -> None:
    """As a String of Java has them."""
    table = MadeTable(tmp_path / "table", COLUMNS | {"note": "string"})
    table.base("g", pa.table({"id": ["a"], "part": ["p"], "ts": [1], "note": ["n"]}))
    table.commit()
    table.log("g", "p", [{"id": "a", "part": "p", "ts": 2, "note": old.decode()}], 1)
    table.commit(1)
    (log,) = (table.path / "p").glob(".*.log.*")
    log.write_bytes(log.read_bytes().replace(old, new))
    assert [row["note"] for row in rows(table.path)] == [shown]
