"""Thrift's compact protocol, read as the classes that Thrift generates for Java read it.

Source: TCompactProtocol and TProtocolUtil.skip of Thrift 0.16, and the classes of parquet-format-structures 1.13.1.
Fields with an unknown id or another type than defined are skipped. An enum value that is not defined reads as unset. A
struct that lacks a required field is an error. The element type in a list header is ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_LONG_LIST = 15
_MORE = 0x80
"""The bit of a byte after which a number goes on."""

Values: TypeAlias = dict[str, Any]
"""The fields of a struct that are set, by name."""
_Read: TypeAlias = Callable[[bytes, int, int], tuple[Any, int]]
"""Reads a value of a type in the protocol at a place, and returns it, None for no value, and the place after it."""


class ThriftError(ValueError):
    """Bytes are not what a definition says; the message goes on after a subject."""


class Type(NamedTuple):
    """A type of a definition.

    Attributes:
        stored: the types in the protocol that stand for it.
        read: reads a value.
    """

    stored: frozenset[int]
    read: _Read


def value_of(data: bytes, kind: Type) -> Any:
    """Return the value that `data` begins with; no struct at its end is read.

    Raises:
        ThriftError: `data` ends too early, has a type that the protocol lacks, or a struct lacks a required field.
    """
    try:
        return kind.read(data, 0, min(kind.stored))[0]
    except IndexError as error:
        msg = "ends too early"
        raise ThriftError(msg) from error
    except RecursionError as error:
        msg = "is nested too deeply"
        raise ThriftError(msg) from error


def struct(name: str, fields: Mapping[int, tuple[str, Type]], *required: str) -> Type:
    """Return the type of a struct, by the numbers of its fields; its value is `Values`."""

    def read(data: bytes, at: int, _: int) -> tuple[Values, int]:
        found: Values = {}
        number = 0
        while True:
            kind, number, at = _field(data, at, number)
            if not kind:
                break
            value, field, at = _value(data, at, kind, fields.get(number))
            if value is not None:
                found[field] = value
            else:
                found.pop(field, None)
        for one in required:
            if one not in found:
                msg = f"has a {name} without {one}"
                raise ThriftError(msg)
        return found, at

    return Type(frozenset({_STRUCT}), read)


def union(fields: Mapping[int, tuple[str, Type]]) -> Type:
    """Return the type of a union; its value is `Values` of one field, or of none that is known."""

    def read(data: bytes, at: int, _: int) -> tuple[Values, int]:
        kind, number, at = _field(data, at, 0)
        value, field, at = _value(data, at, kind, fields.get(number))
        _, _, at = _field(data, at, number)  # taken for the end, whatever it is
        return ({} if value is None else {field: value}), at

    return Type(frozenset({_STRUCT}), read)


def list_of(element: Type) -> Type:
    """Return the type of a list; values that are none are left out."""
    stored = min(element.stored)

    def read(data: bytes, at: int, _: int) -> tuple[list[object], int]:
        size, _, at = _list(data, at)
        found = []
        for _ in range(size):
            value, at = element.read(data, at, stored)
            if value is not None:
                found.append(value)
        return found, at

    return Type(frozenset({_LIST}), read)


def enum(*numbers: int) -> Type:
    """Return the type of an enum with these values; another one is none."""
    known = frozenset(numbers)

    def read(data: bytes, at: int, kind: int) -> tuple[int | None, int]:
        value, at = I32.read(data, at, kind)
        return (value if value in known else None), at

    return Type(frozenset({_I32}), read)


def _integer(bits: int, stored: int) -> Type:
    """Return the type of a number; what does not fit is cut off, as Java does."""
    whole, sign = (1 << bits) - 1, 1 << (bits - 1)

    def read(data: bytes, at: int, _: int) -> tuple[int, int]:
        value, at = _number(data, at, max(bits, 32))
        return (((value >> 1) ^ -(value & 1)) + sign & whole) - sign, at

    return Type(frozenset({stored}), read)


def _number(data: bytes, at: int, bits: int) -> tuple[int, int]:
    value = data[at]
    if value < _MORE:
        return value, at + 1
    value, shift = value & ~_MORE, 7
    while True:
        at += 1
        byte = data[at]
        value |= (byte & ~_MORE) << shift
        if byte < _MORE:
            return value & ((1 << bits) - 1), at + 1
        shift += 7


def _binary(data: bytes, at: int, _: int) -> tuple[bytes, int]:
    size, at = _size(data, at)
    return data[at : _after(data, at, size)], at + size


def _size(data: bytes, at: int) -> tuple[int, int]:
    size, at = _number(data, at, 32)
    if size >> 31:
        msg = "has a negative length"
        raise ThriftError(msg)
    return size, at


def _after(data: bytes, at: int, size: int) -> int:
    if at + size > len(data):
        raise IndexError
    return at + size


def _field(data: bytes, at: int, last: int) -> tuple[int, int, int]:
    """Return the type and the number of the next field; type 0 at the end of a struct."""
    head = data[at]
    at += 1
    if head >> 4:
        return _known(head & 15), last + (head >> 4), at
    if not head:
        return 0, last, at
    number, at = I16.read(data, at, _I16)
    return _known(head & 15), number, at


def _value(data: bytes, at: int, kind: int, field: tuple[str, Type] | None) -> tuple[Any, str, int]:
    """Return the value and the name of a field; None of one that is not known, or not of this type."""
    if field is None or kind not in field[1].stored:
        return None, "", _skipped(data, at, kind)
    value, at = field[1].read(data, at, kind)
    return value, field[0], at


def _list(data: bytes, at: int) -> tuple[int, int, int]:
    """Return the number of elements of a list, and their type."""
    head = data[at]
    at += 1
    size = head >> 4
    if size == _LONG_LIST:
        size, at = _size(data, at)
    return size, _known(head & 15), at


def _known(kind: int) -> int:
    if kind > _STRUCT:
        msg = f"has a field of type {kind}"
        raise ThriftError(msg)
    return kind


def _skipped(data: bytes, at: int, kind: int) -> int:
    """Return the place after a value of a field."""
    if kind in _SKIPPED:
        return _SKIPPED[kind].read(data, at, kind)[1]
    if kind in _LENGTHS:
        return _after(data, at, _LENGTHS[kind])
    msg = f"has a field of type {kind}"
    raise ThriftError(msg)


def _skip_list(data: bytes, at: int, _: int) -> tuple[None, int]:
    size, element, at = _list(data, at)
    for _ in range(size):
        at = _skipped_element(data, at, element)
    return None, at


def _skip_map(data: bytes, at: int, _: int) -> tuple[None, int]:
    size, at = _size(data, at)
    if size:
        kinds = _known(data[at] >> 4), _known(data[at] & 15)
        at += 1
        for _ in range(size):
            for kind in kinds:
                at = _skipped_element(data, at, kind)
    return None, at


def _skipped_element(data: bytes, at: int, kind: int) -> int:
    """Return the place after a value in a list or a map, where a boolean is a byte."""
    return _skipped(data, at, _BYTE if kind in {_TRUE, _FALSE} else kind)


BOOL = Type(frozenset({_TRUE, _FALSE}), lambda _, at, kind: (kind == _TRUE, at))
"""As a field."""
BYTE = Type(frozenset({_BYTE}), lambda data, at, _: (data[at], at + 1))
I16, I32, I64 = _integer(16, _I16), _integer(32, _I32), _integer(64, _I64)
BINARY = Type(frozenset({_BINARY}), _binary)
_SKIPPED = {
    **dict.fromkeys((_I16, _I32, _I64), I64),
    _BINARY: BINARY,
    _STRUCT: struct("struct", {}),
    **dict.fromkeys((_LIST, _SET), Type(frozenset({_LIST, _SET}), _skip_list)),
    _MAP: Type(frozenset({_MAP}), _skip_map),
}
_LENGTHS = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}
