"""The literals of a compiled Java class, and the classes it refers to, read from the bytes of its class file.

Source: The Java Virtual Machine Specification, chapters 4 and 6. The constant pool holds texts, large numbers and
constants with a name; small numbers and the cases of a switch are in the code itself.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAGIC: Final = 0xCAFEBABE
_UTF8, _INT, _FLOAT, _LONG, _DOUBLE, _CLASS, _STRING = 1, 3, 4, 5, 6, 7, 8
_NUMBERS: Final = {_INT: ">i", _FLOAT: ">f", _LONG: ">q", _DOUBLE: ">d"}
_SIZES: Final = {9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""How long other entries of the constant pool are, by tag."""
_BIPUSH, _SIPUSH, _IINC, _TABLESWITCH, _LOOKUPSWITCH, _WIDE = 16, 17, 132, 170, 171, 196
# How many bytes follow an opcode, if any.
_OPERANDS: Final = {
    **dict.fromkeys((_BIPUSH, 18, *range(21, 26), *range(54, 59), 169, 188), 1),
    **dict.fromkeys((_SIPUSH, 19, 20, _IINC, *range(153, 169), *range(178, 185), 187, 189, 192, 193, 198, 199), 2),
    197: 3,
    **dict.fromkeys((185, 186, 200, 201), 4),
}
_MOST_CASES = 1000
_MOST_CLASSES = 50
_PLATFORM: Final = re.compile(r"(java|javax|scala|sun|jdk|org\.apache(?!\.hudi\.)|org\.slf4j|com\.fasterxml)\.")
"""Which classes are none of the user's; those in a package of Hudi's may be."""
_RECIPE = "\x01"
"""The placeholder of an operand in a concatenation."""


class ClassFile(NamedTuple):
    """The contents of a class file.

    Attributes:
        literals: texts and numbers, in the order of the file, each once.
        references: the full names of the classes that it refers to, its bases among them.
        bases: the full names of the class that it extends and of the interfaces that it implements.
    """

    literals: tuple[Any, ...]
    references: tuple[str, ...]
    bases: tuple[str, ...]


def read_class(data: bytes) -> ClassFile:
    """Read a class file.

    Raises:
        ValueError: it is not a class file.
    """
    try:
        return _Reader(data).read()
    except (struct.error, IndexError, KeyError) as error:
        msg = f"this is not a class file: {error!r}"
        raise ValueError(msg) from error


def literals_of(name: str, load: Callable[[str], bytes | None]) -> tuple[Any, ...]:
    """Return the literals of a class and of the user's classes that it refers to, the nearest first.

    `load` gives the class file of a full name; None for a class that is not the user's, whatever its package.
    """
    found: dict[tuple[type, Any], None] = {}
    names = [name]
    for one in names:
        data = load(one)
        if data is None:
            continue
        literals, references, _ = read_class(data)
        found |= dict.fromkeys((type(literal), literal) for literal in literals)
        others = (
            other
            for other in references
            if other not in names and not _PLATFORM.match(other) and load(other) is not None
        )
        names += list(dict.fromkeys(others))[: _MOST_CLASSES - len(names)]
    hashes = {_java_hash(literal) for _, literal in found if isinstance(literal, str)}
    # A switch over texts compares their hashes first.
    return tuple(literal for kind, literal in found if not (kind is int and literal in hashes))


def extends(name: str, base: str, load: Callable[[str], bytes | None]) -> bool:
    """Whether a class extends or implements another by way of classes that `load` has; see `literals_of`."""
    names = [name]
    for one in names:
        data = load(one)
        names += [] if data is None else [found for found in read_class(data).bases if found not in names]
    return base in names[1:]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def read(self) -> ClassFile:
        magic, _ = self._take(">II")
        if magic != _MAGIC:
            raise KeyError(magic)
        entries = self._pool()
        texts = {at: value for at, (tag, value) in entries.items() if tag == _UTF8}
        literals = [texts[value] for tag, value in entries.values() if tag == _STRING]
        literals += [value for tag, value in entries.values() if tag in _NUMBERS]
        classes = {at: _class_name(texts[value]) for at, (tag, value) in entries.items() if tag == _CLASS}
        _, _, parent = self._take(">HHH")
        bases = [parent, *(self._count() for _ in range(self._count()))]
        for _ in range(2):  # fields, then methods
            for _ in range(self._count()):
                self._take(">HHH")
                literals += self._attributes(texts)
        distinct = dict.fromkeys((type(one), one) for one in literals if one == one)  # noqa: PLR0124 (no NaN)
        kept = tuple(one for _, one in distinct if not (isinstance(one, str) and _RECIPE in one))
        named = tuple(classes[at] for at in bases if at in classes)  # Object and modules have no base
        return ClassFile(kept, tuple(dict.fromkeys(classes.values())), named)

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return found

    def _count(self) -> int:
        return int(self._take(">H")[0])

    def _pool(self) -> dict[int, tuple[int, Any]]:
        entries: dict[int, tuple[int, Any]] = {}
        at, end = 1, self._count()
        while at < end:
            (tag,) = self._take(">B")
            value: Any = None
            if tag == _UTF8:
                size = self._count()
                value = _text(self._data[self._at : self._at + size])
                self._at += size
            elif tag in _NUMBERS:
                (value,) = self._take(_NUMBERS[tag])
            elif tag in {_CLASS, _STRING}:
                value = self._count()
            else:
                self._at += _SIZES[tag]
            entries[at] = tag, value
            at += 2 if tag in {_LONG, _DOUBLE} else 1
        return entries

    def _attributes(self, texts: dict[int, str]) -> list[int]:
        """Pass the attributes of a field or method; return the numbers in its code."""
        found: list[int] = []
        for _ in range(self._count()):
            name, size = self._take(">HI")
            start = self._at
            if texts[name] == "Code":
                _, _, length = self._take(">HHI")
                found += _numbers_in(self._data[self._at : self._at + length])
            self._at = start + size
        return found


def _numbers_in(code: bytes) -> Iterator[int]:
    """Yield the numbers that code pushes, and the cases of its switches."""
    at = 0
    while at < len(code):
        opcode = code[at]
        if opcode == _BIPUSH:
            yield struct.unpack_from(">b", code, at + 1)[0]
        elif opcode == _SIPUSH:
            yield struct.unpack_from(">h", code, at + 1)[0]
        if opcode in {_TABLESWITCH, _LOOKUPSWITCH}:
            start = at + 4 - at % 4
            if opcode == _TABLESWITCH:
                first, last = struct.unpack_from(">ii", code, start + 4)
                yield from range(first, min(last + 1, first + _MOST_CASES))
                at = start + 12 + 4 * (last - first + 1)
            else:
                (cases,) = struct.unpack_from(">i", code, start + 4)
                yield from (struct.unpack_from(">i", code, start + 8 + 8 * case)[0] for case in range(cases))
                at = start + 8 + 8 * cases
        elif opcode == _WIDE:
            at += 6 if code[at + 1] == _IINC else 4
        else:
            at += 1 + _OPERANDS.get(opcode, 0)


def _text(data: bytes) -> str:
    """Decode Java's modified UTF-8: zero takes two bytes, characters beyond the first plane are pairs."""
    pairs = data.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
    return pairs.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _class_name(text: str) -> str:
    """Return the full name of a class, of an array that of its items."""
    return (text.lstrip("[").removeprefix("L").removesuffix(";") if text.startswith("[") else text).replace("/", ".")


def _java_hash(text: str) -> int:
    found = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for (unit,) in struct.iter_unpack(">H", units):
        found = (31 * found + unit) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found
