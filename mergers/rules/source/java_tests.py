"""A JUnit 5 test of a merger in Java, and the pom.xml that builds and tests it."""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING

from mergers.rules.source.java import WIDTH
from mergers.rules.source.java_names import filled, imports_of, package_of
from mergers.rules.source.java_parts import java_literal
from mergers.rules.source.merger import NotStatedError
from payloads.records import outcome_of
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers.rules.source.examples import Example
    from mergers.rules.source.java_names import JavaNames
    from mergers.rules.source.merger import MergerRules, PointRule
    from payloads.avro import AvroSchema, Field, Record


def java_test(
    names: JavaNames,
    rules: MergerRules,
    examples: Iterable[tuple[Point, Example]],
    schema: AvroSchema,
    ordering: Sequence[str],
) -> str:
    """Return the source of a JUnit 5 test: what the rule of the merger makes of the pairs of `examples`.

    Columns that are left to the class have the values of the rule there: the test does not call it.

    Raises:
        NotStatedError: a value has no source.
    """
    tests, seen = [], dict[str, int]()
    for point, one in examples:
        of_batch = point is Point.BATCH and rules.batch is not None
        merger = f"new {names.name}.OfBatch()" if of_batch else f"new {names.name}()"
        method = _camel(("in_a_batch_" if point is Point.BATCH else "") + one.name)
        seen[method] = seen.get(method, 0) + 1
        method += str(seen[method]) if seen[method] > 1 else ""
        rule = rules.batch if of_batch and rules.batch is not None else rules.stored
        rows = [_row(row, schema) for row in (_by_rule(one, rule, schema), one.older.record, one.newer.record)]
        tests.append(
            "\n".join(
                (
                    "",
                    "  @Test",
                    f"  void {method}() {{",
                    f"    GenericRecord older = {rows[1]};",
                    f"    GenericRecord newer = {rows[2]};",
                    f"    assertEquals({rows[0]}, merged({merger}, older, newer));",
                    "  }",
                    "",
                )
            )
        )
    if len(ordering) > 1:
        msg = "the test in Java has no version with several ordering fields"
        raise NotStatedError(msg)
    imports = (
        "org.apache.avro.Schema",
        "org.apache.avro.generic.GenericData",
        "org.apache.avro.generic.GenericRecord",
        "org.junit.jupiter.api.Test",
    )
    value = f"row == null ? 0 : (Comparable) row.get({json.dumps(ordering[0])})" if ordering else "0"
    return filled(
        "merger_test.java.txt",
        package=package_of(names),
        imports="import static org.junit.jupiter.api.Assertions.assertEquals;\n\n" + imports_of(imports),
        merger=names.name,
        schema=_text(json.dumps(schema.source)),
        tests="".join(tests),
        ordering=value,
    )


def pom(names: JavaNames, hudi: str) -> str:
    """Return a pom.xml that builds and tests a merger against a release of Hudi, named in full."""
    artifact = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", names.name).lower()
    return filled("pom.xml.txt", group=names.package or "mergers", artifact=artifact, hudi=hudi)


# -- parts


def _by_rule(example: Example, rule: PointRule, schema: AvroSchema) -> Record | None:
    """Return what a pair becomes, with the values of the rule in the columns that are left to the class."""
    if example.merged is None or not rule.left:
        return example.merged
    found = outcome_of(rule.whole, example.older, example.newer, schema).version
    row = {} if found is None or found.record is None else found.record
    return {**example.merged, **{name: row.get(name) for name in rule.left}}


def _row(row: Record | None, schema: AvroSchema) -> str:
    if row is None:
        return "null"
    return f"row({', '.join(_value(row[field.name], field) for field in schema.fields)})"


def _value(value: object, field: Field) -> str:
    kind = field.schema.non_null
    match value:
        case list():
            inner = ", ".join(java_literal(one, kind.items.kind) for one in value)
            return f"java.util.Arrays.asList({inner})"
        case dict() if not value:
            return "java.util.Collections.emptyMap()"
        case dict() if len(value) == 1:
            ((key, one),) = value.items()
            inner = f"{java_literal(key, 'string')}, {java_literal(one, kind.values.kind)}"
            return f"java.util.Collections.singletonMap({inner})"
    return java_literal(value, kind.kind)


def _text(text: str) -> str:
    """Write a long text as a sum of literals."""
    parts = textwrap.wrap(text, WIDTH - 30, drop_whitespace=False)
    return "\n".join(f"      {'+ ' if at else ''}{json.dumps(part)}" for at, part in enumerate(parts))


def _camel(name: str) -> str:
    first, *others = re.sub(r"[^a-z0-9_]", "", name).split("_")
    return first + "".join(map(str.capitalize, others))
