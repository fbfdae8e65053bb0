"""MERGE statements of rules, run on tables of Delta Lake; the reference interpreter says what they give.

A command of its own, because Delta extends Spark's session, and it takes minutes. It prints a line for each statement,
with what differs or the message with which the statement failed, and fails if a statement does otherwise than its rule.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.spark import SessionOptions, session_of, spark_schema
from mergers.rules.source import Merging, merge_statement
from payloads import Ordering, parse_schema
from payloads.records import RuleVersion, merged
from payloads.rules import (
    DATA,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Concat,
    Constant,
    DeleteTests,
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
    LaterIs,
    Least,
    Marker,
    MergeRule,
    Not,
    Point,
    Role,
    Sum,
    Take,
    Union,
)
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

OLDER, NEWER, LATER, EARLIER = Role.OLDER, Role.NEWER, Role.LATER, Role.EARLIER
DELTA = "io.delta:delta-spark_2.12:3.3.2"
CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}
_DEFAULTS = (
    {"name": "count", "type": "long", "default": 0},
    {"name": "rate", "type": ["double", "null"], "default": 0.0},
)
_COLUMNS = record_schema(
    id="string",
    ts="long",
    at=nullable("long"),
    note=nullable("string"),
    hits=nullable("int"),
    raw=nullable("bytes"),
    share=nullable("double"),
    part=nullable("float"),
    yes=nullable("boolean"),
    tags=nullable({"type": "array", "items": "string"}),
    counts=nullable({"type": "map", "values": "long"}),
    _hoodie_is_deleted=nullable("boolean"),
)
SCHEMA = parse_schema(_COLUMNS | {"fields": [*_COLUMNS["fields"], *_DEFAULTS]})
TEXT = 'it\'s "so" \\ \n\t`x` -- é\U0001f600 \x0012'
VALUES: dict[str, tuple[Any, ...]] = {
    "count": (0, 1, 2**63 - 1, -(2**63)),
    "rate": (0.0, -0.0, 1.5, None),
    "ts": (1, 2, 3),
    "at": (1, 2, 3, None),
    "note": ("?", "OPEN", "open", "skip", "\u017fK\u0131P", "skip\n", TEXT, "", None),
    "hits": (0, 7, 2**31 - 8, -5, None),
    "raw": (b"\x00\xff'", b"", None),
    "share": (0.0, -0.0, float("nan"), float("inf"), 2.5, None),
    "part": (0.5, -0.0, 0.0, None),
    "yes": (True, False, None),
    "tags": (["x"], [], None),
    "counts": ({"k": 1}, {"k": 2, "l": 3}, {}, None),
    "_hoodie_is_deleted": (False, False, None, True),
}
DELETED = Case(IsDelete(NEWER), Effect.DELETE)
EVERY_NODE = MergeRule(
    ByColumn(("ts",), tie=OLDER, reverse=True),
    DeleteTests(flag=True, marker=Marker("note", "OPEN")),
    cases=(
        DELETED,
        Case(ColumnIs(OLDER, "note", TEXT), Effect.SENTINEL),
        Case(AllOf((ColumnIs(NEWER, "hits", 7), Not(LaterIs(OLDER)))), Effect.COPY),
        Case(AnyOf((IsEmpty(NEWER), ColumnIs(LATER, "yes", None))), Effect.WINNER),
        Case(ColumnIs(EARLIER, "raw", b"\x00\xff'"), Effect.DELETE),
    ),
    columns={
        DATA: FirstNonNull((Take(LATER), Take(EARLIER))),
        "count": FirstNonDefault((Take(NEWER), Take(OLDER))),
        "rate": FirstNonDefault((Take(EARLIER), Take(LATER))),
        "note": FirstNonMarker((FirstNonNull((Take(NEWER), Take(OLDER))), Take(OLDER)), "?"),
        "hits": Sum(),
        "share": Greatest(),
        "part": Least(),
        "yes": Constant(value=True),
        "tags": Concat(),
        "counts": Union(),
        "at": IfElse(ColumnIs(NEWER, "yes", True), Greatest(), Take(OLDER)),
    },
)
STORED = {
    "every node": EVERY_NODE,
    "the incoming version": MergeRule(otherwise=Effect.INCOMING),
    "the stored row": MergeRule(otherwise=Effect.CURRENT),
    "the later version": MergeRule(ByColumn(("ts",))),
    "by a column with nulls": MergeRule(ByColumn(("at",), tie=OLDER)),
    "by two columns": MergeRule(ByColumn(("ts", "count"), reverse=True), cases=(DELETED,)),
    "by a double": MergeRule(ByColumn(("share",)), columns={"hits": Sum(), "count": Least()}),
    "a delete in any case": MergeRule(
        deletes=DeleteTests(marker=Marker("note", "Open", ignore_case=True)), cases=(DELETED,)
    ),
    "a delete as Java ignores case": MergeRule(
        deletes=DeleteTests(marker=Marker("note", "Skip", ignore_case=True)), cases=(DELETED,)
    ),
    "a kept row before a delete": MergeRule(
        cases=(Case(ColumnIs(OLDER, "yes", True), Effect.CURRENT), Case(ColumnIs(NEWER, "hits", 0), Effect.DELETE)),
        columns={"counts": Union(), "raw": FirstNonNull((Take(NEWER), Constant(b"'"), Take(OLDER)))},
    ),
    "an error that no row meets": MergeRule(
        cases=(Case(ColumnIs(OLDER, "note", "missing"), Error(ErrorKind.FAILED)),), otherwise=Effect.INCOMING
    ),
}
ALONE = MergeRule(deletes=DeleteTests(flag=True), cases=(DELETED, Case(ColumnIs(NEWER, "note", ""), Effect.DELETE)))
BATCHES = {
    "by ordering": MergeRule(ByOrdering()),
    "by ordering, ties keep the first": MergeRule(ByOrdering(tie=OLDER)),
    "by ordering, the least": MergeRule(ByOrdering(tie=OLDER, reverse=True)),
    "by arrival": MergeRule(),
    "the first": MergeRule(otherwise=Effect.CURRENT),
}
TWO = (("a", 1, 0), ("a", 1, 1))
FAILING = {
    "two versions of a key": ({Point.BATCH: MergeRule()}, "", "two versions of one key"),
    "a rule of a batch that is no rank": ({Point.BATCH: MergeRule(columns={"hits": Sum()})}, "arrival", "two versions"),
    "a tie": ({Point.BATCH: MergeRule(ByOrdering())}, "", "equal ordering values"),
    "a null that is compared": ({Point.STORED: MergeRule(ByColumn(("at",)))}, "arrival", "null ordering value"),
    "an error of the class": (
        {Point.STORED: MergeRule(otherwise=Error(ErrorKind.FAILED))},
        "arrival",
        "the rule fails",
    ),
}


class Merge(NamedTuple):
    """A statement, the rows that it merges, and those that it must leave."""

    statement: str
    stored: list[dict[str, Any]]
    incoming: list[dict[str, Any]]
    expected: dict[str, dict[str, Any]]


def row(source: random.Random, key: str, **own: Any) -> dict[str, Any]:
    drawn = {name: source.choice(values) for name, values in VALUES.items()}
    return {field.name: ({"id": key} | drawn | own)[field.name] for field in SCHEMA.fields}


def version(record: dict[str, Any] | None) -> RuleVersion:
    return RuleVersion(record, None if record is None else Ordering("long", record["ts"]))


def yielded(rule: MergeRule, older: dict[str, Any] | None, newer: dict[str, Any] | None) -> Any:
    found = merged(rule, version(older), version(newer), SCHEMA)
    assert found is not None
    if found.gives is Effect.SENTINEL:
        return older
    assert not isinstance(found.gives, Error), found
    return None if found.version is None else found.version.record


def statement(rules: Mapping[Point, MergeRule], arrival: str = "") -> str:
    plain = {Point.STORED: MergeRule(otherwise=Effect.INCOMING), Point.ALONE: ALONE, Point.BATCH: MergeRule()}
    return merge_statement(plain | {**rules}, Merging(SCHEMA, ("id",), ("ts",), arrival), "Merges as the class does.")


def merge_of(rule: MergeRule, count: int = 400) -> Merge:
    """Return pairs of versions, a key each, of which every fifth has no stored row."""
    source = random.Random(38)  # noqa: S311 (seeded on purpose)
    stored, incoming, expected = [], [], {}
    for at in range(count):
        key = f"k{at}"
        older = None if at % 5 == 0 else row(source, key)
        newer = row(source, key)
        if older is not None and isinstance(rule.later, ByColumn):
            newer |= {name: older[name] for name in rule.later.names if newer[name] is None}
        found = yielded(ALONE, None, newer) if older is None else yielded(rule, older, newer)
        stored += [] if older is None else [older]
        incoming.append(newer | {"arrival": at})
        expected |= {} if found is None else {key: found}
    return Merge(statement({Point.STORED: rule}, "arrival"), stored, incoming, expected)


def batch_of(rule: MergeRule, *, has_arrival: bool) -> Merge:
    """Return a batch with several versions of a key, in any order; without their arrival no two are equal."""
    source = random.Random(7)  # noqa: S311 (seeded on purpose)
    incoming, expected = [], {}
    for at in range(120):
        key = f"k{at}"
        times = source.choices((1, 2, 3), k=3) if has_arrival else source.sample((1, 2, 3, 4), k=source.choice((1, 3)))
        versions = [row(source, key, ts=ts, note="?", _hoodie_is_deleted=None) for ts in times]
        kept = versions[0]
        for one in versions[1:]:
            kept = yielded(rule, kept, one)
        incoming += [one | {"arrival": number} for number, one in enumerate(versions)]
        expected[key] = kept
    source.shuffle(incoming)
    return Merge(statement({Point.BATCH: rule}, "arrival" if has_arrival else ""), [], incoming, expected)


def failing(rules: Mapping[Point, MergeRule], arrival: str) -> Merge:
    source = random.Random(1)  # noqa: S311 (seeded on purpose)
    incoming = [row(source, key, ts=ts, at=None) | {"arrival": at} for key, ts, at in TWO]
    stored = [row(source, "a", at=1)]
    return Merge(statement(rules, arrival), stored, incoming if Point.BATCH in rules else incoming[:1], {})


def merges() -> Iterator[tuple[str, Merge]]:
    for name, rule in STORED.items():
        yield name, merge_of(rule)
    for name, rule in BATCHES.items():
        yield f"{name}, with arrival", batch_of(rule, has_arrival=True)
        if not isinstance(rule.later, ByArrival):
            yield name, batch_of(rule, has_arrival=False)
    for name, (rules, arrival, _) in FAILING.items():
        yield name, failing(rules, arrival)


def ran(spark: SparkSession, one: Merge, place: Path) -> Any:
    """Run a statement; return the rows that differ."""
    columns = spark_schema(SCHEMA)
    table = f"delta.`{place}`"
    spark.createDataFrame(one.stored, columns).write.format("delta").save(str(place))
    of_batch = spark_schema(SCHEMA).add("arrival", "integer")
    spark.createDataFrame(one.incoming, of_batch).createOrReplaceTempView("incoming")
    text = one.statement.replace("MERGE INTO target", f"MERGE INTO {table}").strip().removesuffix(";")
    try:
        spark.sql(text).collect()
    except Exception as error:  # noqa: BLE001 (Spark has no class of its own for it)
        return str(error)
    found = {made["id"]: shown(made.asDict()) for made in spark.read.format("delta").load(str(place)).collect()}
    wanted = {key: shown(record) for key, record in one.expected.items()}
    return [
        (key, wanted.get(key), found.get(key)) for key in sorted({*found, *wanted}) if found.get(key) != wanted.get(key)
    ]


def shown(record: Mapping[str, Any]) -> str:
    return repr([(name, plain(record[name])) for name in sorted(record)])


def plain(value: Any) -> Any:
    if isinstance(value, bytearray):
        return bytes(value)
    return sorted(value.items()) if isinstance(value, dict) else value


def main() -> None:
    spark = session_of(SessionOptions(conf=CONF, packages=(DELTA,)))
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="merge-") as folder:
        for at, (name, one) in enumerate(merges()):
            found = ran(spark, one, Path(folder) / f"t{at}")
            is_right = FAILING[name][2] in found if name in FAILING else not found
            wrong += not is_right
            sys.stdout.write(f"{name}: {'as the rule' if is_right else json.dumps(found)}\n")
            sys.stdout.flush()
    spark.stop()
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
