"""read_class: a compiled Java class, read from the bytes of its class file.

Source: The Java Virtual Machine Specification, chapters 4 and 6. The constant pool holds texts, large numbers and
constants with a name; small numbers and the cases of a switch are in the code itself.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.linkage.class_file import ClassField, ClassFile, ClassMethod, Flag, Op, Use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAGIC: Final = 0xCAFEBABE
_UTF8, _INT, _FLOAT, _LONG, _DOUBLE, _CLASS, _STRING = 1, 3, 4, 5, 6, 7, 8
_FIELD, _METHOD, _INTERFACE_METHOD, _NAME_AND_TYPE, _HANDLE, _DYNAMIC, _INVOKE_DYNAMIC = 9, 10, 11, 12, 15, 17, 18
_NUMBERS: Final = {_INT: ">i", _FLOAT: ">f", _LONG: ">q", _DOUBLE: ">d"}
_PAIRS: Final = frozenset({_FIELD, _METHOD, _INTERFACE_METHOD, _NAME_AND_TYPE, _DYNAMIC, _INVOKE_DYNAMIC})
_SIZES: Final = {16: 2, 19: 2, 20: 2}
"""How long other entries of the constant pool are, by tag."""
_BIPUSH, _SIPUSH, _IINC, _TABLESWITCH, _LOOKUPSWITCH, _WIDE = 16, 17, 132, 170, 171, 196
_LDC, _LDC_W, _INVOKEDYNAMIC, _NEW = 18, 19, 186, 187
# How many bytes follow an opcode, if any.
_OPERANDS: Final = {
    **dict.fromkeys((_BIPUSH, _LDC, *range(21, 26), *range(54, 59), 169, 188), 1),
    **dict.fromkeys((_SIPUSH, _LDC_W, 20, _IINC, *range(153, 169), *range(178, 185), 187, 189, 192, 193, 198, 199), 2),
    197: 3,
    **dict.fromkeys((185, 186, 200, 201), 4),
}
_MOST_CASES = 1000
_RECIPE = "\x01"
"""The placeholder of an operand in a concatenation."""


_HANDLES: Final = (
    *(Op.GET_FIELD, Op.GET_STATIC, Op.PUT_FIELD, Op.PUT_STATIC),
    *(Op.INVOKE_VIRTUAL, Op.INVOKE_STATIC, Op.INVOKE_SPECIAL, Op.INVOKE_SPECIAL, Op.INVOKE_INTERFACE),
)
"""What a method handle does, by its kind less 1."""
_CODES: Final = {op.value: op for op in Op} | dict.fromkeys((189, 193, 197), Op.CLASS)


def read_class(data: bytes, *, code: bool = True) -> ClassFile:
    """Read a class file; without `code` its methods use nothing.

    Raises:
        ValueError: it is not a class file.
    """
    try:
        return _Reader(data, reads_code=code).read()
    except (struct.error, IndexError, KeyError) as error:
        msg = f"this is not a class file: {error!r}"
        raise ValueError(msg) from error


class _Reader:
    def __init__(self, data: bytes, *, reads_code: bool) -> None:
        self._data = data
        self._reads_code = reads_code
        self._at = 0
        self._entries: dict[int, tuple[int, Any]] = {}
        self._texts: dict[int, str] = {}
        self._classes: dict[int, str] = {}

    def read(self) -> ClassFile:
        magic, _ = self._take(">II")
        if magic != _MAGIC:
            raise KeyError(magic)
        entries = self._entries = self._pool()
        texts = self._texts = {at: value for at, (tag, value) in entries.items() if tag == _UTF8}
        literals: list[object] = [texts[value] for tag, value in entries.values() if tag == _STRING]
        literals += [value for tag, value in entries.values() if tag in _NUMBERS]
        self._classes = {at: _class_name(texts[value]) for at, (tag, value) in entries.items() if tag == _CLASS}
        access, name, parent = self._take(">HHH")
        interfaces = tuple(self._classes[self._count()] for _ in range(self._count()))
        fields = tuple(ClassField(*self._member()[:3]) for _ in range(self._count()))
        found = [self._member() for _ in range(self._count())]
        handles = self._bootstrap_handles() if self._reads_code else []
        methods = []
        for method, descriptor, flags, code in found:
            uses: tuple[Use, ...] = ()
            if code is not None:
                literals += _numbers_in(code.instructions)
                uses = tuple(self._uses(code, handles))
            methods.append(ClassMethod(method, descriptor, flags, uses))
        distinct = dict.fromkeys((type(one), one) for one in literals if one == one)  # noqa: PLR0124 (no NaN)
        kept = tuple(one for _, one in distinct if not (isinstance(one, str) and _RECIPE in one))
        return ClassFile(
            self._classes[name],
            Flag(access),
            self._classes.get(parent),  # Object and modules have none
            interfaces,
            fields,
            tuple(methods),
            kept,
            tuple(dict.fromkeys(self._classes.values())),
        )

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
            elif tag in _PAIRS:
                value = self._take(">HH")
            elif tag == _HANDLE:
                value = self._take(">BH")
            else:
                self._at += _SIZES[tag]
            entries[at] = tag, value
            at += 2 if tag in {_LONG, _DOUBLE} else 1
        return entries

    def _attributes(self) -> Iterator[tuple[str, int]]:
        """Yield name and end of each attribute; reading goes on behind it, however far its reader has come."""
        for _ in range(self._count()):
            name, size = self._take(">HI")
            end = self._at + size
            yield self._texts[name], end
            self._at = end

    def _member(self) -> tuple[str, str, Flag, _Code | None]:
        access, name, descriptor = self._take(">HHH")
        code = None
        for attribute, _ in self._attributes():
            if attribute == "Code" and self._reads_code:
                code = self._code()
        return self._texts[name], self._texts[descriptor], Flag(access), code

    def _code(self) -> _Code:
        _, _, length = self._take(">HHI")
        instructions = self._data[self._at : self._at + length]
        self._at += length
        handlers = [self._take(">HHHH") for _ in range(self._count())]
        lines: list[tuple[int, int]] = []
        for attribute, _ in self._attributes():
            if attribute == "LineNumberTable":
                lines += [self._take(">HH") for _ in range(self._count())]
        return _Code(instructions, handlers, sorted(lines))

    def _bootstrap_handles(self) -> list[list[Use]]:
        """Return what the method handles of each bootstrap method use: lambdas, references to methods."""
        found: list[list[Use]] = []
        for attribute, _ in self._attributes():
            if attribute == "BootstrapMethods":
                for _ in range(self._count()):
                    _, *arguments = [self._count(), *(self._count() for _ in range(self._count()))]
                    found.append([self._handle(one) for one in arguments if self._entries[one][0] == _HANDLE])
        return found

    def _handle(self, at: int) -> Use:
        kind, reference = self._entries[at][1]
        return self._member_use(_HANDLES[kind - 1], reference)

    def _member_use(self, op: Op, at: int) -> Use:
        tag, (owner, pair) = self._entries[at]
        if self._texts[self._entries[owner][1]].startswith("["):
            return Use(Op.CLASS, self._classes[owner])  # every array has its methods
        name, descriptor = (self._texts[one] for one in self._entries[pair][1])
        return Use(op, self._classes[owner], name, descriptor, of_interface=tag == _INTERFACE_METHOD)

    def _uses(self, code: _Code, handles: Sequence[Sequence[Use]]) -> Iterator[Use]:
        for at, opcode in _instructions(code.instructions):
            found: list[Use] = []
            op = _CODES.get(opcode)
            if opcode in {_LDC, _LDC_W}:
                form = ">B" if opcode == _LDC else ">H"
                (entry,) = struct.unpack_from(form, code.instructions, at + 1)
                found = [Use(Op.CLASS, self._classes[entry])] if entry in self._classes else []
            elif opcode == _INVOKEDYNAMIC:
                (entry,) = struct.unpack_from(">H", code.instructions, at + 1)
                found = list(handles[self._entries[entry][1][0]])
            elif op is not None:
                (entry,) = struct.unpack_from(">H", code.instructions, at + 1)
                is_class = op in {Op.NEW, Op.CLASS}
                found = [Use(op, self._classes[entry]) if is_class else self._member_use(op, entry)]
            for use in found:
                yield use._replace(line=code.line_at(at), caught=self._caught(code, at))
        for kind in dict.fromkeys(kind for *_, kind in code.handlers if kind):
            yield Use(Op.CLASS, self._classes[kind])

    def _caught(self, code: _Code, at: int) -> frozenset[str]:
        around = (kind for start, end, _, kind in code.handlers if kind and start <= at < end)
        return frozenset(self._classes[kind] for kind in around)


class _Code(NamedTuple):
    """The code of a method: its instructions; its handlers as start, end, handler, class; its lines as start, line."""

    instructions: bytes
    handlers: Sequence[tuple[Any, ...]]
    lines: Sequence[tuple[int, int]]

    def line_at(self, at: int) -> int | None:
        """Return the line of an instruction."""
        return next((line for start, line in reversed(self.lines) if start <= at), None)


def _instructions(code: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each instruction starts, and its opcode."""
    at = 0
    while at < len(code):
        opcode = code[at]
        yield at, opcode
        if opcode in {_TABLESWITCH, _LOOKUPSWITCH}:
            start = at + 4 - at % 4
            if opcode == _TABLESWITCH:
                first, last = struct.unpack_from(">ii", code, start + 4)
                at = start + 12 + 4 * (last - first + 1)
            else:
                (cases,) = struct.unpack_from(">i", code, start + 4)
                at = start + 8 + 8 * cases
        elif opcode == _WIDE:
            at += 6 if code[at + 1] == _IINC else 4
        else:
            at += 1 + _OPERANDS.get(opcode, 0)


def _numbers_in(code: bytes) -> Iterator[int]:
    """Yield the numbers that code pushes, and the cases of its switches."""
    for at, opcode in _instructions(code):
        start = at + 4 - at % 4
        if opcode == _BIPUSH:
            yield struct.unpack_from(">b", code, at + 1)[0]
        elif opcode == _SIPUSH:
            yield struct.unpack_from(">h", code, at + 1)[0]
        elif opcode == _TABLESWITCH:
            first, last = struct.unpack_from(">ii", code, start + 4)
            yield from range(first, min(last + 1, first + _MOST_CASES))
        elif opcode == _LOOKUPSWITCH:
            (cases,) = struct.unpack_from(">i", code, start + 4)
            yield from (struct.unpack_from(">i", code, start + 8 + 8 * case)[0] for case in range(cases))


def _text(data: bytes) -> str:
    """Decode Java's modified UTF-8: zero takes two bytes, characters beyond the first plane are pairs."""
    pairs = data.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
    return pairs.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _class_name(text: str) -> str:
    """Return the full name of a class, of an array that of its items."""
    return (text.lstrip("[").removeprefix("L").removesuffix(";") if text.startswith("[") else text).replace("/", ".")
