"""Lists of names in a text, and the order in which a HashSet of Java gives them (java.util.HashMap, Java 8 to 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from payloads.errors import PayloadFailedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_BLANKS: Final = "".join(map(chr, range(0x21)))  # what String.trim takes off
_LEAST: Final = 16
_LONG_BIN: Final = 8
_TREES_FROM: Final = 64


def listed_names(text: str | None, *, trims: bool = False) -> list[str]:
    """Return the names that a text lists, each once, in the order of a set that takes them one by one.

    Args:
        text: `name,other`; null and empty text list none. Empty names at the end are dropped, as `String.split` does.
        trims: whether blanks around names don't count, nor names without letters.

    Raises:
        PayloadFailedError: more than eight names have one hash.
    """
    if not text:
        return []
    parts = text.split(",")
    while parts and not parts[-1]:
        parts.pop()
    if trims:
        parts = [part for part in (one.strip(_BLANKS) for one in parts) if part]
        return list(_HashSet(_LEAST, parts))
    return list(_HashSet.of(parts))


def joined_names(first: Collection[str], more: Iterable[str]) -> str | None:
    """Return the names of `new HashSet<>(first)` and `more`, joined by commas in its order; None if there is none.

    Raises:
        PayloadFailedError: more than eight names have one hash.
    """
    found = _HashSet.of(first)
    for name in more:
        found.add(name)
    joined = [*found]
    return ",".join(joined) if joined else None


class _HashSet:
    """The order of a HashSet, but for a table in which a bin becomes a tree."""

    def __init__(self, capacity: int, names: Iterable[str] = ()) -> None:
        self._bins: list[list[str]] = [[] for _ in range(capacity)]
        self._size = 0
        for name in names:
            self.add(name)

    @classmethod
    def of(cls, names: Collection[str]) -> _HashSet:
        """Return `new HashSet<>(names)`, which is as large as it has to be for all of them."""
        wanted = max(int(len(names) / 0.75) + 1, _LEAST)
        return cls(1 << (wanted - 1).bit_length(), names)

    def add(self, name: str) -> None:
        found = self._bin(name)
        if name in found:
            return
        found.append(name)
        self._size += 1
        if len(found) > _LONG_BIN and len(self._bins) < _TREES_FROM:
            self._grow()
        elif len(found) > _LONG_BIN:
            msg = f"more than {_LONG_BIN} listed names, such as {name!r}, have one hash in Java; rename a column"
            raise PayloadFailedError(msg)
        if self._size > len(self._bins) * 3 // 4:
            self._grow()

    def __iter__(self) -> Iterator[str]:
        return (name for names in self._bins for name in names)

    def _bin(self, name: str) -> list[str]:
        return self._bins[_spread(name) & (len(self._bins) - 1)]

    def _grow(self) -> None:
        names = [*self]
        self._bins = [[] for _ in range(2 * len(self._bins))]
        for name in names:
            self._bin(name).append(name)


def _spread(text: str) -> int:
    """Return `hashCode()` of a text as HashMap spreads it."""
    code = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        code = (31 * code + units[at] + (units[at + 1] << 8)) & 0xFFFFFFFF
    return code ^ (code >> 16)
