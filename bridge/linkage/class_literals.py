"""The literals of a class and of the user's classes that it refers to, and whether it extends another."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, Final

from bridge.linkage.class_reader import read_class

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_CLASSES = 50
_PLATFORM: Final = re.compile(r"(java|javax|scala|sun|jdk|org\.apache(?!\.hudi\.)|org\.slf4j|com\.fasterxml)\.")
"""Which classes are none of the user's; those in a package of Hudi's may be."""


def literals_of(name: str, load: Callable[[str], bytes | None]) -> tuple[object, ...]:
    """Return the literals of a class and of the user's classes that it refers to, the nearest first.

    `load` gives the class file of a full name; None for a class that is not the user's, whatever its package.
    """
    found: dict[tuple[type, Any], None] = {}
    names = [name]
    for one in names:
        data = load(one)
        if data is None:
            continue
        read = read_class(data)
        found |= dict.fromkeys((type(literal), literal) for literal in read.literals)
        others = (
            other
            for other in read.references
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


def _java_hash(text: str) -> int:
    found = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for (unit,) in struct.iter_unpack(">H", units):
        found = (31 * found + unit) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found
