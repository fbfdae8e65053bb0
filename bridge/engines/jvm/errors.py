"""Java's exceptions as errors of this project, when the library runs a compiled payload."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import EngineError
from payloads import (
    NullOrderingError,
    OrderingTypeError,
    PayloadBridgeError,
    PayloadConfigError,
    PayloadFailedError,
    SchemaError,
    UnsupportedPayloadOperationError,
)

if TYPE_CHECKING:
    from bridge.engines.jvm.answers import JavaAnswer, JavaCause, JavaError


class _Rule(NamedTuple):
    """Java exceptions whose class and message match become `error`."""

    exception: str
    message: str
    error: type[PayloadBridgeError]


_IN_COMPARISON: dict[str, type[PayloadBridgeError]] = {
    "java.lang.ClassCastException": OrderingTypeError,
    "java.lang.NullPointerException": NullOrderingError,
}
_OF_JARS = (
    "NoClassDefFoundError",
    "NoSuchMethodError",
    "NoSuchFieldError",
    "AbstractMethodError",
    "IncompatibleClassChangeError",
    "ExceptionInInitializerError",
)
"""Java errors of a class that was compiled for other jars: no record can change that."""
_RULES = (
    _Rule(
        "ClassCastException",
        r"class (java\.(lang|math|nio|sql|time)\.|org\.apache\.avro\.util\.Utf8)",
        OrderingTypeError,
    ),
    _Rule("HoodieException", "Ordering value is null", NullOrderingError),
    _Rule("IllegalArgumentException", r"hoodie\.", PayloadConfigError),
    _Rule("UnsupportedOperationException", "", UnsupportedPayloadOperationError),
    _Rule(r"Avro\w*Exception|EOFException|HoodieIOException|SchemaCompatibilityException", "", SchemaError),
)


def in_comparison(error: JavaError) -> bool:
    """Whether a Java error comes from `compareTo`: between classes, or with null."""
    return "compareTo" in error["at"] or "compareTo" in (error["message"] or "")


def checked(answer: JavaAnswer, java_name: str) -> JavaAnswer:
    """Return a result, or raise the error that it reports."""
    if answer.get("skipped"):
        msg = f"the object of {java_name} was lost with the connection of a call that failed; build the payload again"
        raise EngineError(msg)
    if "error" not in answer:
        return answer
    if reason := answer["error"].get("reason"):
        is_of_jars = answer["error"]["type"].endswith(_OF_JARS)
        msg = f"{java_name} failed: {reason}"
        raise (EngineError if is_of_jars else PayloadFailedError)(msg)
    kind = _IN_COMPARISON.get(answer["error"]["type"])
    if kind is not None and in_comparison(answer["error"]):
        msg = (
            f"{java_name} can't compare ordering values ({answer['error']['message']}); give them one type, and no null"
        )
        raise kind(msg)
    links: list[JavaCause] = [answer["error"], *answer["error"]["causes"]]
    texts = [f"{link['type'].rpartition('.')[2]}: {link['message']}" for link in links]
    found = next(
        (
            rule.error
            for link in links
            for rule in _RULES
            if re.fullmatch(rf"(?:.*[.$])?(?:{rule.exception})", link["type"])
            and re.search(rule.message, link["message"] or "")
        ),
        PayloadFailedError,
    )
    msg = f"{java_name} failed: {'; caused by '.join(texts)}; fix the record or the class"
    raise found(msg)
