"""Values that tell more than their Python type: the branch of a union, and the Java class of a text."""

from __future__ import annotations

from typing import Any, NamedTuple


class Branch(NamedTuple):
    """A value of a union whose branch does not follow from its Python type: the branch's full name and the value."""

    name: str
    value: Any


class JavaString(str):
    """Text that a payload took out of an Avro string: until it is stored Java holds another class than Utf8.

    It is equal to the text, and differs from it as an ordering value alone.
    """

    __slots__ = ()
