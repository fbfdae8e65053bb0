"""A compiled Java class: its members, what its code uses, and its literals.

Source: The Java Virtual Machine Specification, chapter 4.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

OBJECT: Final = "java.lang.Object"
CONSTRUCTOR: Final = "<init>"
INITIALISER: Final = "<clinit>"


class Flag(enum.IntFlag):
    """The flags of a class or member that decide how it can be used.

    `DELEGATES` is not Java's: the code of a method of Hudi calls a method of its own name with other parameters.
    """

    PUBLIC = 0x0001
    PRIVATE = 0x0002
    PROTECTED = 0x0004
    STATIC = 0x0008
    FINAL = 0x0010
    BRIDGE = 0x0040
    INTERFACE = 0x0200
    ABSTRACT = 0x0400
    SYNTHETIC = 0x1000
    DELEGATES = 0x8000


class Op(enum.Enum):
    """How code uses a member or a class."""

    GET_STATIC = 178
    PUT_STATIC = 179
    GET_FIELD = 180
    PUT_FIELD = 181
    INVOKE_VIRTUAL = 182
    INVOKE_SPECIAL = 183
    INVOKE_STATIC = 184
    INVOKE_INTERFACE = 185
    NEW = 187
    CLASS = 192

    @property
    def is_field(self) -> bool:
        """Whether it is about a field."""
        return self in _OF_FIELDS

    @property
    def is_static(self) -> bool:
        """Whether it is about a static member."""
        return self in _OF_STATICS


_OF_FIELDS: Final = frozenset({Op.GET_STATIC, Op.PUT_STATIC, Op.GET_FIELD, Op.PUT_FIELD})
_OF_STATICS: Final = frozenset({Op.GET_STATIC, Op.PUT_STATIC, Op.INVOKE_STATIC})


class Use(NamedTuple):
    """A use of a member or class by code.

    Attributes:
        op: how it is used.
        owner: the full name of the class that the code names; that of the items for an array.
        name: the name of the member; empty for a class alone.
        descriptor: its descriptor; empty for a class alone.
        line: the line of the source; None if the class was compiled without.
        caught: what a handler around it catches, of the errors that a missing member or class raises.
        of_interface: whether the code takes the owner for an interface.
    """

    op: Op
    owner: str
    name: str = ""
    descriptor: str = ""
    line: int | None = None
    caught: frozenset[str] = frozenset()
    of_interface: bool = False


class ClassField(NamedTuple):
    """A field.

    Attributes:
        name: its name.
        descriptor: its type.
        access: its flags.
    """

    name: str
    descriptor: str
    access: Flag


class ClassMethod(NamedTuple):
    """A method, or a constructor under the name `<init>`.

    Attributes:
        name: its name.
        descriptor: parameters and result.
        access: its flags.
        uses: what its code uses, in order.
    """

    name: str
    descriptor: str
    access: Flag
    uses: tuple[Use, ...] = ()


class ClassFile(NamedTuple):
    """The contents of a class file.

    Attributes:
        name: the full name of the class.
        access: its flags.
        parent: the class that it extends; None for Object.
        interfaces: the interfaces that it implements or, itself one, extends.
        fields: its own fields.
        methods: its own methods and constructors.
        literals: texts and numbers, in the order of the file, each once.
        references: the full names of the classes that it refers to, its bases among them.
    """

    name: str
    access: Flag
    parent: str | None
    interfaces: tuple[str, ...]
    fields: tuple[ClassField, ...]
    methods: tuple[ClassMethod, ...]
    literals: tuple[object, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def bases(self) -> tuple[str, ...]:
        """The class that it extends, and the interfaces that it implements."""
        return self.interfaces if self.parent is None else (self.parent, *self.interfaces)


def class_of(descriptor: str) -> str | None:
    """Return the class of a type in a descriptor, of an array that of its items; None for a primitive."""
    text = descriptor.lstrip("[")
    return text[1:-1].replace("/", ".") if text.startswith("L") else None


def types_of(descriptor: str) -> tuple[str, ...]:
    """Return the types of the parameters and of the result of a method, as descriptors."""
    found, at = [], 0
    while at < len(descriptor):
        start = at
        while descriptor[at] == "[":
            at += 1
        at = descriptor.index(";", at) + 1 if descriptor[at] == "L" else at + 1
        if descriptor[start] not in "()":
            found.append(descriptor[start:at])
    return tuple(found)


_PRIMITIVES: Final = dict(
    zip("BCDFIJSZV", ("byte", "char", "double", "float", "int", "long", "short", "boolean", "void"), strict=True)
)


def written_type(descriptor: str) -> str:
    """Return a type as a source writes it, without its package."""
    text = descriptor.lstrip("[")
    name = _PRIMITIVES.get(text) or (class_of(text) or text).rpartition(".")[2].replace("$", ".")
    return name + "[]" * (len(descriptor) - len(text))


def written(name: str, descriptor: str) -> str:
    """Return a method as a source calls it: `combine(Schema, Properties)`; a field by its name alone."""
    if not descriptor.startswith("("):
        return name
    return f"{name}({', '.join(map(written_type, types_of(descriptor)[:-1]))})"
