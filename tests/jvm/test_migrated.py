"""Mergers in Java that `migrate` writes: they compile in each release, and real Hudi gives the rows of the class."""

from __future__ import annotations

import base64
import json
import random
from typing import TYPE_CHECKING, Any, get_args

import pytest

from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.migration.class_rules import merger_of
from mergers import HoodieAvroIndexedRecord, HoodieEmptyRecord, HoodieKey, adapt_merger
from mergers.rules.source import JavaNames, MergerRules, PointRule, java_merger
from payloads import HudiRelease, Ordering, PayloadRef, parse_schema
from payloads.avro import decode, encode
from payloads.errors import PayloadBridgeError
from payloads.rules import (
    DATA,
    AllOf,
    AnyOf,
    ByColumn,
    ByOrdering,
    Case,
    Column,
    ColumnIs,
    Concat,
    Constant,
    Effect,
    Error,
    ErrorKind,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    JoinedLists,
    Later,
    LaterIs,
    Least,
    Letters,
    MergeRule,
    Not,
    Role,
    Sum,
    Take,
    Test,
    TextIs,
    Union,
    nodes_of,
)
from tests.jvm.java_compiler import SOURCES
from tests.migrated.__main__ import run
from tests.support.bundles import ON_3_5
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.jvm.java_compiler import JavaCompiler

OLDER, NEWER, LATER, EARLIER = Role.OLDER, Role.NEWER, Role.LATER, Role.EARLIER
SCHEMA = record_schema(
    id="string",
    ts="long",
    at=nullable("long"),
    status=nullable("string"),
    n="int",
    hits=nullable("long"),
    price=nullable("double"),
    rate=nullable("float"),
    tags=nullable({"type": "array", "items": "string"}),
    props=nullable({"type": "map", "values": "long"}),
    ok=nullable("boolean"),
    _hoodie_is_deleted=nullable("boolean"),
)
STRATEGY = "6f1a2f0e-6a3c-4e0b-9f35-2d7c1f9a4b10"
EVERY_NODE = MergeRule(
    ByColumn(("at", "n"), tie=OLDER, reverse=True),
    cases=(
        Case(AllOf((IsEmpty(NEWER), Not(IsDelete(OLDER)))), Effect.DELETE),
        Case(AnyOf((IsNatural(NEWER), IsUnordered(NEWER), LaterIs(OLDER))), Effect.CURRENT),
        Case(ColumnIs(OLDER, "status", 'CLOSED "now"'), Effect.SENTINEL),
        Case(ColumnIs(NEWER, "n", 7), Error(ErrorKind.FAILED)),
        Case(ColumnIs(LATER, "ok", None), Effect.COPY),
        Case(ColumnIs(EARLIER, "hits", 5), Effect.WINNER),
    ),
    columns={
        DATA: FirstNonNull((Take(LATER), Take(EARLIER))),
        "status": FirstNonMarker((FirstNonNull((Take(NEWER), Take(OLDER))), Take(OLDER)), "?"),
        "n": Sum(),
        "hits": IfElse(ColumnIs(NEWER, "ok", True), Sum(), Take(OLDER)),
        "price": Greatest(),
        "rate": Least(),
        "tags": Concat(),
        "props": Union(),
        "ok": Constant(value=True),
    },
)


RULES = {
    "every node": EVERY_NODE,
    "by ordering": MergeRule(ByOrdering(tie=OLDER), columns={DATA: FirstNonNull((Take(LATER), Take(EARLIER)))}),
    "defaults": MergeRule(columns={DATA: FirstNonDefault((Take(NEWER), Take(OLDER)))}),
    "by a column": MergeRule(ByColumn(("at",)), cases=(Case(IsEmpty(NEWER), Effect.DELETE),)),
    "letters": MergeRule(
        cases=(
            Case(TextIs(NEWER, "status", "skip"), Effect.CURRENT),
            Case(TextIs(OLDER, "status", "CLOSED", Letters.UPPER), Effect.DELETE),
        ),
        columns={
            DATA: Take(NEWER),
            "status": IfElse(TextIs(NEWER, "status", "keep", Letters.LOWER), Take(OLDER), Take(NEWER)),
        },
    ),
}
LETTERS = ("skip", "sK\u0131P", "closed", "clo\u017feD", "Keep", "\u212aEEP")
VALUES: dict[str, tuple[Any, ...]] = {
    "id": ("a",),
    "ts": (1, 2, 3),
    "at": (1, 2, None),
    "status": ("?", "OPEN", 'CLOSED "now"', "\u00e9\U0001f600", *LETTERS, None),
    "n": (0, 7, 2_147_483_647, -5),
    "hits": (5, 9_223_372_036_854_775_807, -1, None),
    "price": (0.0, -0.0, 2.5, None),
    "rate": (0.5, -0.25, None),
    "tags": (["x"], [], None),
    "props": ({"k": 1}, {"k": 2, "l": 3}, None),
    "ok": (True, False, None),
    "_hoodie_is_deleted": (False, None, True),
}


def pairs(count: int) -> list[tuple[Any, Any]]:
    source = random.Random(38)  # noqa: S311 (seeded on purpose)

    def row() -> dict[str, Any] | None:
        return None if source.random() < 0.05 else {name: source.choice(values) for name, values in VALUES.items()}

    return [(row(), row()) for _ in range(count)]


def written(row: dict[str, Any] | None) -> str:
    return "-" if row is None else base64.b64encode(encode(parse_schema(SCHEMA), row)).decode()


def read(text: str) -> Any:
    """Read a row, of which the entries of maps may have come in any order."""
    return text if text in {"-", "!"} else repr(sorted_maps(decode(parse_schema(SCHEMA), base64.b64decode(text))))


def sorted_maps(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: sorted_maps(value[name]) for name in sorted(value)}
    return value


def reference(rule: MergeRule, older: dict[str, Any] | None, newer: dict[str, Any] | None) -> str:
    """Return what the reference makes of two rows, as AskRules writes it."""
    key, schema = HoodieKey("a"), parse_schema(SCHEMA)
    sides = [
        HoodieEmptyRecord(key)
        if row is None
        else HoodieAvroIndexedRecord(key, dict(row), schema, None, Ordering("long", row["ts"]))
        for row in (older, newer)
    ]
    try:
        merged: Any = adapt_merger(merger_of(rule)).merge(*sides, schema, {})
    except PayloadBridgeError:
        return "!"
    return written(None if merged is None else merged.record)


@pytest.mark.parametrize("release", [HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2])
@pytest.mark.parametrize("name", RULES)
def test_java_merges_as_the_reference(
    bundles: SparkSession, java_compiler: JavaCompiler, name: str, release: HudiRelease
) -> None:
    names = JavaNames("com.acme", "OrderMerger", "com.acme.OrderPayload", "0.15", STRATEGY)
    schema = parse_schema(SCHEMA)
    rule = PointRule(RULES[name])
    rules = MergerRules(rule, PointRule(MergeRule(ByOrdering())))
    source = java_merger(names, "1.0" if release is HudiRelease.V1_0 else "1.1", rules, schema)
    sources = {"OrderMerger.java": source, "AskRules.java": (SOURCES / "AskRules.java").read_text("utf-8")}
    jar = java_compiler.compiled(sources, release)
    driver, payload = Driver(bundles), PayloadRef("HoodieAvroPayload", jar=str(jar))
    asker = driver.class_in(jars_of(bundles, payload, release).paths, "com.acme.AskRules")
    asked = pairs(2_000)
    lines = "\n".join(f"{written(older)} {written(newer)}" for older, newer in asked)
    told = str(driver.call(asker, "answers", json.dumps(SCHEMA), lines)).splitlines()
    wrong = [
        (pair, answer, wanted)
        for pair, answer in zip(asked, told, strict=True)
        if (wanted := reference(RULES[name], *pair)) != answer and read(wanted) != read(answer)
    ]
    assert not wrong, wrong[0]


def test_every_node_is_compared() -> None:
    compared = {type(node) for rule in RULES.values() for node in nodes_of(rule)}
    preview = {IsListed, JoinedLists}  # which no Java is written for
    assert compared >= {*get_args(Test | Column | Later)} - preview


@ON_3_5
def test_real_hudi_gives_the_rows_of_the_class(
    bundles: SparkSession, java_compiler: JavaCompiler, tmp_path: Path
) -> None:
    lines = [*run(bundles, java_compiler, tmp_path, ["1.2.0"], ["KeepsFirstSeen"], ["cow", "mor"])]
    assert len(lines) == 2
    assert all(line.endswith(": equal") for line in lines), lines
