"""Which kind of error a Java exception is, and which kind one of this project's errors is.

An expected error is met by an error of the same kind at the same stage. Messages decide only where one Java class
stands for several kinds.
"""

from __future__ import annotations

import enum
import re
from typing import Any, NamedTuple

from payloads import errors


class Kind(enum.Enum):
    """What went wrong, as a caller would tell it apart."""

    ORDERING_TYPE = "ordering type"
    NULL_ORDERING = "null ordering"
    CONFIG = "config"
    SCHEMA = "schema or decoding"
    MISSING = "missing class or constructor"
    UNSUPPORTED = "unsupported operation"
    OTHER = "other"


_KIND_OF_CLASS: tuple[tuple[type[errors.PayloadBridgeError], Kind], ...] = (
    (errors.OrderingTypeError, Kind.ORDERING_TYPE),
    (errors.NullOrderingError, Kind.NULL_ORDERING),
    (errors.PayloadConfigError, Kind.CONFIG),
    (errors.SchemaError, Kind.SCHEMA),
    (errors.PayloadNotFoundError, Kind.MISSING),
    (errors.PayloadConstructorError, Kind.MISSING),
    (errors.UnsupportedPayloadOperationError, Kind.UNSUPPORTED),
    (errors.PayloadBridgeError, Kind.OTHER),
)


class JavaRule(NamedTuple):
    """Exceptions whose simple class name and message match are of `kind`; None: their cause decides."""

    exception: str
    message: str
    kind: Kind | None


_ORDERING_CLASSES = (
    r"java\.lang\.(Boolean|Integer|Long|Float|Double|String)|java\.math\.BigDecimal|java\.nio\.\w*ByteBuffer"
    r"|java\.sql\.Timestamp|java\.util\.Date|java\.time\.(LocalDate|chrono\.ChronoLocalDate)"
    r"|org\.apache\.avro\.util\.Utf8|org\.apache\.avro\.generic\.GenericData\$(EnumSymbol|Fixed|Array|Record)"
    r"|org\.apache\.avro\.generic\.Generic(EnumSymbol|Fixed|Array|Record)"
    r"|org\.apache\.hudi\.common\.util\.collection\.ArrayComparable"
)

# What compareTo says of a null: the class of the other side decides about the words.
_COMPARED_WITH_NULL = (
    r'compareTo|Object\.getClass\(\)|"(another\w+|b|that|other|o|o2|a2|val)" is null'
    r'|IndexedRecord\.get\(int\)" because "record" is null'
)

# The first rule that matches decides.
_RULES = (
    # compareTo of unlike classes, or of lists that differ in length
    JavaRule(
        "ClassCastException",
        rf"class ({_ORDERING_CLASSES}) cannot be cast to class ({_ORDERING_CLASSES})$",
        Kind.ORDERING_TYPE,
    ),
    JavaRule("ClassCastException", r"cannot be cast to class java\.lang\.Comparable$", Kind.ORDERING_TYPE),
    JavaRule("AvroRuntimeException", r"Can't compare maps", Kind.ORDERING_TYPE),
    JavaRule("IllegalArgumentException", r"values should be of the same size", Kind.ORDERING_TYPE),
    # a value read from a record that is not of the type the code expects
    JavaRule(
        "ClassCastException",
        r"to class (java\.util\.(List|Map)|org\.apache\.avro\.generic\.IndexedRecord)",
        Kind.SCHEMA,
    ),
    # payload classes of different families, or a payload's own cast
    JavaRule("ClassCastException", r"", Kind.OTHER),
    # null ordering values
    JavaRule("HoodieException", r"Ordering value is null", Kind.NULL_ORDERING),
    JavaRule("HoodieDebeziumAvroPayloadException", r"cannot be null in insert record", Kind.NULL_ORDERING),
    JavaRule("NullPointerException", _COMPARED_WITH_NULL, Kind.NULL_ORDERING),
    # properties
    JavaRule(
        "IllegalArgumentException",
        r"hoodie\.|delete (key|marker)|[Mm]erge (mode|strategy)|payload class|merge",
        Kind.CONFIG,
    ),
    JavaRule("IllegalArgumentException", r"Field name cannot be null or empty", Kind.CONFIG),
    JavaRule("HoodieIOException", r"Unsupported flow for table versions", Kind.CONFIG),
    JavaRule("HoodieNotSupportedException", r"", Kind.UNSUPPORTED),
    JavaRule("UnsupportedOperationException", r"", Kind.UNSUPPORTED),
    # classes and constructors; a constructor that ran and failed is judged by what it threw
    JavaRule("HoodieException", r"Unable to find constructor", Kind.MISSING),
    JavaRule("ClassNotFoundException|NoSuchMethodException|NoClassDefFoundError", r"", Kind.MISSING),
    JavaRule("HoodieException", r"Unable to instantiate|Unable to load class", None),
    JavaRule("InvocationTargetException|ReflectiveOperationException", r"", None),
    # records, schemas and bytes
    JavaRule("AvroRuntimeException|AvroTypeException|SchemaParseException|UnresolvedUnionException", r"", Kind.SCHEMA),
    JavaRule("EOFException|JsonEOFException|MismatchedInputException|JsonParseException", r"", Kind.SCHEMA),
    JavaRule("HoodieAvroSchemaException", r"", Kind.SCHEMA),
    JavaRule(r"HoodieJsonToAvroConversionException|SchemaCompatibilityException|HoodieIOException", r"", Kind.SCHEMA),
    JavaRule("HoodieException", r"field not found in record|Cannot find a record at", Kind.SCHEMA),
    JavaRule("AssertionError", r"", Kind.SCHEMA),  # a column holds text that is no HoodieOperation
    JavaRule("IllegalStateException", r"Cannot get field from schema type", Kind.SCHEMA),
    JavaRule("IllegalArgumentException", r"Unsupported (Avro|HoodieSchema) type|Input value type", Kind.SCHEMA),
    JavaRule("NullPointerException", r"IndexedRecord|Schema\b|Schema\$Field|Schema\.", Kind.SCHEMA),
)

# HoodieJsonPayload holds text: whatever fails in it fails while that text becomes a record.
_DECODING_CLASSES = ("HoodieJsonPayload",)


def kind_of(error: errors.PayloadBridgeError) -> Kind:
    """Return the kind of an error of this project."""
    return next(kind for error_class, kind in _KIND_OF_CLASS if isinstance(error, error_class))


def kind_of_java(expected: dict[str, Any], payload_class: str | None) -> Kind:
    """Return the kind of a recorded Java exception: `type`, `message` and `causes`, the outermost first."""
    if payload_class is not None and payload_class.rpartition(".")[2] in _DECODING_CLASSES:
        return Kind.SCHEMA
    for link in (expected, *(expected.get("causes") or ())):
        name = re.split(r"[.$]", link["type"])[-1]
        message = link.get("message") or ""
        rule = next((r for r in _RULES if re.fullmatch(r.exception, name) and re.search(r.message, message)), None)
        if rule is None:
            return Kind.OTHER
        if rule.kind is not None:
            return rule.kind
    return Kind.OTHER
