"""A merger in Java that has the rule of a class, for either interface of Hudi's."""

from __future__ import annotations

import json
import re
import textwrap
from string import Template
from typing import TYPE_CHECKING, Final

from mergers.rules.source.java import WIDTH, java_rule
from mergers.rules.source.java_names import filled, imports_of, package_of
from mergers.rules.source.java_parts import helper_text
from mergers.rules.source.python import BATCH, STORED, word_table
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.rules.source.java import JavaRule
    from mergers.rules.source.java_names import JavaNames
    from mergers.rules.source.merger import MergerRules, PointRule
    from payloads.avro import AvroSchema

_MODEL: Final = "org.apache.hudi.common.model"
_OF_BOTH: Final = (
    "org.apache.avro.generic.GenericRecord",
    "org.apache.hudi.common.config.TypedProperties",
    f"{_MODEL}.HoodieRecord.HoodieRecordType",
    f"{_MODEL}.HoodieRecordMerger",
)
_OF_1_0: Final = (
    "java.io.IOException",
    "java.util.HashMap",
    "java.util.Map",
    "org.apache.avro.Schema",
    "org.apache.hudi.AvroConversionUtils",
    f"{_MODEL}.HoodieAvroIndexedRecord",
    f"{_MODEL}.HoodieEmptyRecord",
    f"{_MODEL}.HoodieRecord",
    f"{_MODEL}.HoodieSparkRecord",
    "org.apache.hudi.common.util.Option",
    "org.apache.hudi.common.util.collection.Pair",
    "org.apache.spark.sql.HoodieInternalRowUtils",
    "org.apache.spark.sql.catalyst.InternalRow",
    "scala.Function1",
)
_OF_1_1: Final = (
    "org.apache.hudi.common.engine.RecordContext",
    "org.apache.hudi.common.table.read.BufferedRecord",
    "org.apache.hudi.common.table.read.BufferedRecords",
    "org.apache.hudi.common.util.ConfigUtils",
)
_TO_CALL: Final = frozenset(
    {
        "java.io.IOException",
        "java.util.Objects",
        "org.apache.avro.generic.GenericData",
        "org.apache.avro.generic.IndexedRecord",
        f"{_MODEL}.HoodieRecord",
        f"{_MODEL}.HoodieRecordPayload",
        "org.apache.hudi.common.util.HoodieRecordUtils",
        "org.apache.hudi.common.util.Option",
    }
)
_BY_CLASS: Final = """
  private static final String PAYLOAD = $payload;

  /** Returns a version with the columns that the class decides; one in which they are equal stays itself. */
  Version decided(Version merged, Version older, Version newer, TypedProperties props) throws IOException {
    if (merged == null || merged.isDelete || older.row == null || newer.row == null) {
      return merged;
    }
    GenericRecord byClass = byClass(older, newer, props);
    if (byClass == null) {
      return merged;
    }
    GenericRecord row = copy(merged.row);
    boolean isEqual = true;
    for (String column : byClass()) {
      if (row.getSchema().getField(column) == null) {
        continue; // a query reads rows without some columns
      }
      isEqual = isEqual && Objects.equals(text(row.get(column)), text(byClass.get(column)));
      row.put(column, byClass.get(column));
    }
    return isEqual ? merged : new Version(row, merged.ordering, false);
  }

  /** Returns the columns that the class decides. */
  String[] byClass() {
    return new String[] {$columns};
  }

  /** Returns what the class makes of two versions; null for a delete. */
  GenericRecord byClass(Version older, Version newer, TypedProperties props) throws IOException {
    Option<IndexedRecord> made =
        payload(newer).combineAndGetUpdateValue(copy(older.row), newer.row.getSchema(), props);
    if (!made.isPresent()) {
      return null;
    }
    return made.get() == HoodieRecord.SENTINEL ? older.row : (GenericRecord) made.get();
  }

  /** Builds the class around a copy of a version: it may write into its record. */
  static HoodieRecordPayload payload(Version version) {
    return HoodieRecordUtils.loadPayload(PAYLOAD, copy(version.row), version.ordering);
  }

  private static GenericRecord copy(GenericRecord row) {
    return GenericData.get().deepCopy(row.getSchema(), row);
  }
"""
_BY_CLASS_IN_BATCH: Final = """
    @Override
    String[] byClass() {
      return new String[] {$columns};
    }

    @Override
    GenericRecord byClass(Version older, Version newer, TypedProperties props) throws IOException {
      HoodieRecordPayload made = payload(newer).preCombine(payload(older), newer.row.getSchema(), props);
      Option<IndexedRecord> row = made.getInsertValue(newer.row.getSchema(), props);
      return row.isPresent() ? (GenericRecord) row.get() : null;
    }
"""
_OFFERS: Final = """
  /** Returns the merger for two versions of one batch. */
  @Override
  public HoodieRecordMerger asPreCombiningMode() {
    return new OfBatch(type);
  }
"""
_WINS: Final = """
  /** Whether the newer version is the later one. */
  private static boolean newerWins(Version older, Version newer) {
%s
  }
"""
_COMPARES: Final = """
    /** Whether the newer version is the later one. */
    private static boolean newerWins(Version older, Version newer) {
%s
    }
"""


def java_merger(names: JavaNames, line: str, rules: MergerRules, schema: AvroSchema) -> str:
    """Return the source of a merger for Hudi `1.0`, or `1.1` and later; it calls the class for what that alone decides.

    Raises:
        NotStatedError: naming the node that Java has no form of.
    """
    points = rules.points
    stored, *others = (java_rule(rule.whole, schema) for rule in points)
    delegates = any(rule.left for rule in points)
    helpers = stored.helpers.union(*(one.helpers for one in others), {"text"} if delegates else ())
    imports = {*_OF_BOTH, *(_OF_1_0 if line == "1.0" else _OF_1_1), *stored.imports}
    imports = imports.union(*(one.imports for one in others))
    if others:
        imports.add(f"{_MODEL}.OperationModeAwareness")
    if delegates:
        imports |= _TO_CALL
    return filled(
        f"merger_{line.replace('.', '_')}.java.txt",
        package=package_of(names),
        imports=imports_of(imports),
        about=_about(names, line, rules, sum(rule.asked for rule in points)),
        merger=names.name,
        aware=", OperationModeAwareness" if others else "",
        stored=_comment(STORED, word_table(rules.stored, Point.STORED), "   "),
        body=stored.body[0],
        wins=_wins(stored, _WINS, ""),
        decided="decided(" if delegates else "",
        by_class=_by_class(names.payload, rules.stored) if delegates else "",
        offers=_OFFERS if others else "",
        strategy=names.strategy,
        batch="" if rules.batch is None else _batch(names, rules, others[0]),
        helpers=helper_text(helpers),
        asked=", before, after, props)" if delegates else "",
        throws=" throws IOException" if delegates else "",
    )


# -- parts


def _about(names: JavaNames, line: str, rules: MergerRules, asked: int) -> str:
    hudi = "1.0 on Spark" if line == "1.0" else "1.1 and later"
    told = (
        f"Merges like {names.payload} in Hudi {names.release}, as checked on {asked:,} pairs of versions; for Hudi "
        f"{hudi}."
    )
    settings = [
        f"Of the table: hoodie.record.merge.mode=CUSTOM, hoodie.record.merge.strategy.id={names.strategy}.",
        "Of every writer and reader: hoodie.write.record.merge.custom.implementation.classes",
        f"={names.full},{names.full}$OfAvro.",
    ]
    if rules.marker is not None:
        settings.append(
            f"Hudi looks for deletes itself: hoodie.payload.delete.field={rules.marker.column}, "
            f"hoodie.payload.delete.marker={rules.marker.text}."
        )
    return "\n".join(
        (*(f" * {one}" for one in textwrap.wrap(told, WIDTH - 3)), " *", *(f" * {one}" for one in settings))
    )


def _comment(first: str, table: Iterable[str], indent: str) -> str:
    lines = [first, "", "<pre>", *(re.sub(r"[&<>]|\*/|\\(?=u)", lambda one: _ENTITIES[one[0]], line) for line in table)]
    return "\n".join(f"{indent}* {line}".rstrip() for line in (*lines, "</pre>"))


_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "*/": "*&#47;", "\\": "&#92;"}
"""What would be a tag, end a comment, or be an escape to the compiler, which reads them in comments, too."""


def _wins(rule: JavaRule, text: str, indent: str) -> str:
    return text % "\n".join(indent + line for line in rule.body[1:]) if len(rule.body) > 1 else ""


def _by_class(payload: str, rule: PointRule, text: str = _BY_CLASS) -> str:
    """Return the methods that call the class for the columns that it alone decides."""
    return Template(text).substitute(payload=json.dumps(payload), columns=", ".join(map(json.dumps, rule.left)))


def _batch(names: JavaNames, rules: MergerRules, rule: JavaRule) -> str:
    assert rules.batch is not None  # noqa: S101 (the caller asks)
    delegates = any(one.left for one in rules.points)
    body = "\n".join(f"  {line}" for line in rule.body[0].splitlines())
    table = [f"   {line}" for line in _comment(BATCH, word_table(rules.batch, Point.BATCH), "").splitlines()]
    return "\n".join(
        (
            "",
            "  /**",
            *table,
            "   */",
            f"  public static class OfBatch extends {names.name} {{",
            "",
            "    public OfBatch() {",
            "      this(HoodieRecordType.SPARK);",
            "    }",
            "",
            "    OfBatch(HoodieRecordType type) {",
            "      super(type);",
            "    }",
            "",
            "    @Override",
            "    Version merged(Version older, Version newer) {",
            body,
            "    }",
            *_wins(rule, _COMPARES, "  ").rstrip("\n").splitlines(),
            *(_by_class("", rules.batch, _BY_CLASS_IN_BATCH).rstrip("\n").splitlines() if delegates else ()),
            "  }",
            "",
        )
    )
