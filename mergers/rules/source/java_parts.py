"""What generated Java is made of: the methods that a rule calls, what they need, and values as source."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

from mergers.rules.source.merger import NotStatedError
from payloads.rules import Concat, Default, FirstNonMarker, FirstNonNull, Greatest, Least, Letters, Role, Take, Union

if TYPE_CHECKING:
    from collections.abc import Collection

    from payloads.avro import Field
    from payloads.rules import Column, FirstNonDefault

TYPES: Final = {"int": "Integer", "long": "Long", "float": "Float", "double": "Double"}
_HELPERS: Final = {
    "is": """
  /** Whether a column has a value; a version without data has none. */
  private static boolean is(Version version, String column, Object value) {
    return version.row != null && Objects.equals(text(version.get(column)), value);
  }
""",
    "string": """
  /** Returns the text of a column, empty if there is none. */
  private static String string(Version version, String column) {
    Object value = version.row == null ? null : version.get(column);
    return value instanceof CharSequence ? value.toString() : "";
  }
""",
    "put": """
  /** Sets the value of a column. Queries read rows without some columns, such as those of partitions. */
  private static void put(GenericRecord row, String column, Object value) {
    if (row.getSchema().getField(column) != null) {
      row.put(column, value);
    }
  }
""",
    "firstNot": """
  /** Returns the first of two values unless it is the one that stands for no value, else the second. */
  private static Object firstNot(Object none, Object first, Object second) {
    return Objects.equals(text(first), none) ? second : first;
  }
""",
    "text": """
  /** Returns texts, of which Avro has several classes, as strings. */
  private static Object text(Object value) {
    return value instanceof CharSequence ? value.toString() : value;
  }
""",
    "order": """
  /** Compares two values of a column, of which neither is null. */
  private static int order(Version older, Version newer, String column) {
    Schema schema = newer.row.getSchema().getField(column).schema();
    return GenericData.get().compare(older.get(column), newer.get(column), schema);
  }
""",
    "least": """
  /** Returns the lesser value of a column, or the one that is there. */
  private static Object least(Version older, Version newer, String column) {
    if (older.get(column) == null || newer.get(column) == null) {
      return newer.get(column) == null ? older.get(column) : newer.get(column);
    }
    return order(older, newer, column) <= 0 ? older.get(column) : newer.get(column);
  }
""",
    "greatest": """
  /** Returns the greater value of a column, or the one that is there. */
  private static Object greatest(Version older, Version newer, String column) {
    if (older.get(column) == null || newer.get(column) == null) {
      return newer.get(column) == null ? older.get(column) : newer.get(column);
    }
    return order(older, newer, column) > 0 ? older.get(column) : newer.get(column);
  }
""",
    "concat": """
  /** Returns the elements of the older list, then those of the newer one; the list that is there if one is null. */
  private static Object concat(Object older, Object newer) {
    if (older == null || newer == null) {
      return newer == null ? older : newer;
    }
    List<Object> joined = new ArrayList<>((Collection<?>) older);
    joined.addAll((Collection<?>) newer);
    return joined;
  }
""",
    "union": """
  /** Returns the entries of both maps, those of the newer one first; the map that is there if one is null. */
  private static Object union(Object older, Object newer) {
    if (older == null || newer == null) {
      return newer == null ? older : newer;
    }
    Map<Object, Object> joined = new HashMap<>((Map<?, ?>) older);
    joined.putAll((Map<?, ?>) newer);
    return joined;
  }
""",
    **{
        f"sum{kind}": f"""
  /** Returns the sum of two values, or the one that is there. */
  private static Object sum{kind}(Object older, Object newer) {{
    if (older == null || newer == null) {{
      return newer == null ? older : newer;
    }}
    return ({kind}) older + ({kind}) newer;
  }}
"""
        for kind in TYPES.values()
    },
}
SPELLED: Final = {
    Letters.ANY: "equalsIgnoreCase({})",
    Letters.UPPER: "equals({}.toUpperCase(java.util.Locale.ROOT))",
    Letters.LOWER: "equals({}.toLowerCase(java.util.Locale.ROOT))",
}
"""What the source of a text asks of another one."""
NEEDS: Final = {"is": ("text",), "firstNot": ("text",), "least": ("order",), "greatest": ("order",)}
IMPORTS: Final = {
    "is": ("java.util.Objects",),
    "firstNot": ("java.util.Objects",),
    "order": ("org.apache.avro.Schema", "org.apache.avro.generic.GenericData"),
    "concat": ("java.util.ArrayList", "java.util.Collection", "java.util.List"),
    "union": ("java.util.HashMap", "java.util.Map"),
}


def helper_text(names: Collection[str]) -> str:
    """Return the methods of these names."""
    return "".join(_HELPERS[name] for name in _HELPERS if name in names)


def java_literal(value: object, kind: str) -> str:
    """Return the Java source of a value of a column.

    Raises:
        NotStatedError: it has none.
    """
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            # A text in JSON is one in Java; what lies outside ASCII is written as UTF-16 in both.
            return json.dumps(value)
        case int() if kind == "long":
            return f"{value}L"
        case int() if kind == "int":
            return str(value)
        case int() | float() if kind in {"float", "double"} and math.isfinite(value):
            return f"{float(value)!r}{'f' * (kind == 'float')}"
    msg = f"Java source can't express the value {value!r} of type {kind}"
    raise NotStatedError(msg)


def java_default(node: FirstNonDefault, field: Field | None) -> str:
    """Return the default of a column, as Java compares with it."""
    if field is None or node.by is Default.OBJECT:
        msg = f"Java source can't express {node!r}"
        raise NotStatedError(msg)
    if not field.has_default or field.default is None:
        return "null"
    kind = (field.schema.branches or (field.schema,))[0].kind
    if kind not in {"string", "boolean", *TYPES}:
        msg = f"Java source can't express the default of the column {field.name!r}, of type {kind}"
        raise NotStatedError(msg)
    return java_literal(field.default, kind)


def is_common(node: Column) -> bool:
    """Whether the source of a value is the same for all columns."""
    match node:
        case Take() | Least() | Greatest() | Concat() | Union():
            return True
        case FirstNonNull(values) | FirstNonMarker(values):
            return all(map(is_common, values))
        case _:
            return False


def operator_of(tie: Role, *, reverse: bool) -> str:
    """Return the operator by which the ordering value of the newer version makes it the later one."""
    return ("<" if reverse else ">") + "=" * (tie is Role.NEWER)


def turned(operator: str) -> str:
    """Return the operator for the older version compared with the newer one."""
    return operator.translate(str.maketrans("<>", "><"))


def unstated(part: object) -> NotStatedError:
    """Return the error of a part of a rule that Java has no form of."""
    return NotStatedError(f"Java source can't express {part!r}")
