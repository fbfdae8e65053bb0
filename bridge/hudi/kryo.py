"""Delete blocks of content versions 1 and 2: arrays of keys or delete records, as Kryo 4 writes Java objects.

No Java class is loaded: only what these blocks hold is understood. Source: SerializationUtils of 0.12.2 and 0.13.1, and
their blocks.
"""

from __future__ import annotations

import datetime
import decimal
import struct
from typing import NamedTuple

from payloads import NATURAL_ORDER, Ordering

_PACKAGE = "org.apache.hudi.common.model."
_KEYS = f"[L{_PACKAGE}HoodieKey;"
_RECORDS = f"[L{_PACKAGE}DeleteRecord;"
_KEY, _RECORD = f"{_PACKAGE}HoodieKey", f"{_PACKAGE}DeleteRecord"
_BY_NAME = 1
_OFFSET = 2  # of registered numbers, as they are written
_REGISTERED = {0: "int", 1: "string", 2: "float", 7: "long", 8: "double", 10: "utf8", 27: "utf8"}
# Utf8 is 10 in 0.12 and 27 in 0.13.


class ForeignTextError(ValueError):
    """A text whose class has another number in the release that reads.

    Attributes:
        number: that of the release that wrote it.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"a text of the Kryo class {number}")
        self.number = number


class DeletedKey(NamedTuple):
    """An entry of a delete block."""

    record_key: str
    partition: str
    ordering: Ordering | None


def read_deletes(data: bytes, *, keys_alone: bool, utf8: int | None) -> list[DeletedKey]:
    """Return the entries of a delete block's serialized array, in order.

    Args:
        data: the object, without the block's own version and length.
        keys_alone: whether it holds keys (content version 1), else delete records (2).
        utf8: the number of Utf8 in the release that reads; None if it writes no such blocks.

    Raises:
        ForeignTextError: an ordering value is a text of another release.
        ValueError: the bytes are not such an array.
    """
    reader = _KryoReader(data, utf8)
    try:
        found = reader.array(_KEYS if keys_alone else _RECORDS)
    except (IndexError, struct.error, UnicodeDecodeError, OverflowError) as error:
        msg = f"its Kryo object can't be read ({error})"
        raise ValueError(msg) from error
    if reader.position != len(data):
        msg = f"its Kryo object ends after {reader.position} of {len(data)} bytes"
        raise ValueError(msg)
    return found


class _KryoReader:
    def __init__(self, data: bytes, utf8: int | None) -> None:
        self.data, self.utf8 = data, utf8
        self.position = 0
        self.names: dict[int, str] = {}
        self.objects: list[object] = []

    def array(self, expected: str) -> list[DeletedKey]:
        self._expect(expected)
        self._mark()
        count = self._varint() - 1
        if not 0 <= count <= len(self.data):  # an element has a byte at least
            msg = f"an array of {count} elements in {len(self.data)} bytes"
            raise ValueError(msg)
        return [self._key() if expected == _KEYS else self._record() for _ in range(count)]

    def _record(self) -> DeletedKey:
        self._expect(_RECORD)
        self._mark()
        key = self._key()
        return DeletedKey(key.record_key, key.partition, self._ordering())

    def _key(self) -> DeletedKey:
        self._expect(_KEY)
        known = self._mark()
        if isinstance(known, DeletedKey):
            return known
        number = len(self.objects) - 1
        partition, record_key = self._text() or "", self._text() or ""
        found = DeletedKey(record_key, partition, NATURAL_ORDER)
        self.objects[number] = found
        return found

    def _ordering(self) -> Ordering | None:  # noqa: PLR0911 (one a type)
        kind = self._class()
        number = kind - _OFFSET if isinstance(kind, int) else 0
        match _REGISTERED.get(number, kind) if isinstance(kind, int) else kind:
            case None:
                return None
            case "int" | "long" as java_type:
                return Ordering(java_type, _zigzag(self._varint()))
            case "float":
                return Ordering("float", struct.unpack(">f", self._take(4))[0])
            case "double":
                return Ordering("double", struct.unpack(">d", self._take(8))[0])
            case "string":
                return Ordering("string", self._text())
            case "utf8":
                if number != self.utf8:
                    raise ForeignTextError(number)
                return Ordering("utf8", self._utf8())
            case "java.math.BigDecimal":
                self._mark()
                unscaled = int.from_bytes(self._take(self._varint() - 1), "big", signed=True)
                return Ordering("decimal", decimal.Decimal(unscaled).scaleb(-_zigzag(self._varint())))
            case "java.time.LocalDate":
                self._mark()
                year, (month, day) = self._varint(), self._take(2)
                return Ordering("local_date", _epoch_day(year, month, day))
            case other:
                msg = f"an ordering value of the Java class {other}"
                raise ValueError(msg)

    def _utf8(self) -> str:
        known = self._mark()
        if known is not None:
            return str(known)
        number = len(self.objects) - 1
        text = self._take(self._varint() - 1).decode()
        self.objects[number] = text
        return text

    def _text(self) -> str | None:
        """Read a string behind its reference mark."""
        known = self._mark()
        if known is not None:
            return str(known)
        number = len(self.objects) - 1
        text = self._characters()
        self.objects[number] = text
        return text

    def _characters(self) -> str | None:
        first = self.data[self.position]
        if not first & 0x80:  # ASCII, the last byte has the high bit
            end = self.position
            while not self.data[end] & 0x80:
                end += 1
            raw = bytearray(self._take(end + 1 - self.position))
            raw[-1] &= 0x7F
            return raw.decode("ascii")
        self.position += 1
        length = first & 0x3F
        if first & 0x40:
            length |= self._varint() << 6
        if length == 0:
            return None
        return self._utf16(length - 1)

    def _utf16(self, count: int) -> str:
        """Read modified UTF-8: each UTF-16 unit in one to three bytes."""
        units = bytearray()
        for _ in range(count):
            first = self._byte()
            if first < 0x80:  # noqa: PLR2004 (the bits of UTF-8)
                unit = first
            elif first < 0xE0:  # noqa: PLR2004
                unit = (first & 0x1F) << 6 | self._byte() & 0x3F
            else:
                unit = (first & 0x0F) << 12 | (self._byte() & 0x3F) << 6 | self._byte() & 0x3F
            units += unit.to_bytes(2, "big")
        return units.decode("utf-16-be", "surrogatepass")

    def _mark(self) -> object:
        """Read a reference mark: None for a new object, which is counted, else the object that was met before."""
        mark = self._varint()
        if mark == 0:
            msg = "a null where an object must be"
            raise ValueError(msg)
        if mark == 1:
            self.objects.append(None)
            return None
        return self.objects[mark - 2]

    def _expect(self, name: str) -> None:
        found = self._class()
        if found != name:
            msg = f"an object of the Java class {found} where {name} must be"
            raise ValueError(msg)

    def _class(self) -> int | str | None:
        number = self._varint()
        if number == 0:
            return None
        if number != _BY_NAME:
            return number
        known = self._varint()
        if known not in self.names:
            self.names[known] = str(self._characters())
        return self.names[known]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value
            shift += 7
            if shift > 63:  # noqa: PLR2004 (bits of a long)
                msg = "a number of more than 64 bits"
                raise ValueError(msg)

    def _byte(self) -> int:
        byte = self.data[self.position]
        self.position += 1
        return byte

    def _take(self, length: int) -> bytes:
        end = self.position + length
        if length < 0 or end > len(self.data):
            msg = f"{length} bytes at {self.position} of {len(self.data)}"
            raise ValueError(msg)
        taken = self.data[self.position : end]
        self.position = end
        return taken


def _zigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


def _epoch_day(year: int, month: int, day: int) -> int:
    return (datetime.date(year, month, day) - datetime.date(1970, 1, 1)).days
