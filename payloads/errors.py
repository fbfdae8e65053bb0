"""The errors of this project: one root class, and what can go wrong inside a payload.

Every message names what failed (payload, merge point, key and field, as far as the place that raises knows them)
and says what to do next. Each class also subclasses the builtin that a caller would catch.
"""

from __future__ import annotations

import difflib
import struct
from typing import TYPE_CHECKING

from payloads.visible import escaped, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the end of a message: what is spelt like `name`, the closest first; empty where nothing is."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=likeness)
    return f"; did you mean {' or '.join(by_lower[match] for match in close)}?" if close else ""


def parse_error_text(error: object) -> str:
    """Return what is wrong with a file by the error of what parses it, on one line and in no terms of Python."""
    match error:
        case UnicodeDecodeError() | Exception(__cause__=UnicodeDecodeError()):
            return "it has bytes that are not text"
        case KeyError() if error.args:
            return f"it lacks {error.args[0]}"
        case struct.error() | IndexError() | EOFError() | StopIteration():
            return "it ends too early"
        case TypeError() | AttributeError() | KeyError():
            return "it has an unexpected structure"
        case RecursionError():
            return "it is nested too deeply"
    return (str(error).splitlines() or ["it can't be parsed"])[0].rstrip(". ")


class PayloadBridgeError(Exception):
    """Root of every error that this project raises on purpose; its text is one line, whatever names it quotes."""

    def __str__(self) -> str:
        return escaped(one_line(super().__str__()))


class ArgumentError(PayloadBridgeError, TypeError):
    """An argument of a public function has the wrong type.

    Added in 0.2.0.
    """


class OrderingTypeError(PayloadBridgeError, TypeError):
    """Two ordering values have different Java classes (ClassCastException in `compareTo`).

    Give every version of a record the same type of ordering value.
    """

    @classmethod
    def from_map(cls) -> OrderingTypeError:
        """Build the error for a map as ordering value."""
        return cls("maps have no order; choose another ordering field")

    @classmethod
    def from_types(cls, left: str, right: str) -> OrderingTypeError:
        """Build the error for a comparison of the Java types `left` and `right`."""
        return cls(
            f"ordering values of type {left} and {right} can't be compared; "
            "give all versions of a record ordering values of one type",
        )


class NullOrderingError(PayloadBridgeError, ValueError):
    """An ordering value is null where Hudi needs one.

    Fill the ordering field before the write, or choose a payload that ignores ordering.
    """


class PayloadConfigError(PayloadBridgeError, ValueError):
    """The properties contradict each other or lack a key that the payload needs."""


class SchemaError(PayloadBridgeError, ValueError):
    """A record does not fit its schema, a field is missing, or bytes can't be decoded."""

    @classmethod
    def from_missing_field(cls, field: str, available: Iterable[str]) -> SchemaError:
        """Build the error for a `field` that the schema, with the fields `available`, does not have."""
        return cls(f"the schema has no field {field!r}; it has {', '.join(available) or 'no fields'}")


class PayloadNotFoundError(PayloadBridgeError, LookupError):
    """There is no payload class of this name in this release."""


class PayloadConstructorError(PayloadBridgeError, TypeError):
    """The payload class has no constructor for the given arguments, or what it names is not a payload."""


class PayloadFamilyError(PayloadBridgeError, TypeError):
    """`pre_combine` got a payload of an unrelated class (ClassCastException of Java's bridge method)."""

    @classmethod
    def from_classes(cls, receiver: type, argument: type) -> PayloadFamilyError:
        """Build the error for `receiver.pre_combine(argument)`."""
        return cls(
            f"{receiver.__name__}.pre_combine can't take a {argument.__name__}: the classes belong to different "
            "families; use one payload class for all versions of a table",
        )


class UnsupportedPayloadOperationError(PayloadBridgeError, RuntimeError):
    """The payload class does not support this call in any release (UnsupportedOperationException)."""


class PayloadFailedError(PayloadBridgeError, RuntimeError):
    """Payload code failed on a record: the rule of a class can't be applied, or a user's class raised an error."""
