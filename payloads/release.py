"""Hudi releases, and rules that differ between them.

A class that is ported from Hudi states each difference once, as a `by_release` table; binding the class to a
release (`for_release` in `payloads.api`) turns the tables into plain class attributes.
"""

from __future__ import annotations

import enum
import functools
from typing import Any, Generic, TypeVar

from payloads.errors import PayloadConfigError

T = TypeVar("T")


@functools.total_ordering
class HudiRelease(enum.Enum):
    """A line of Hudi releases whose merge behaviour is ported, ordered by age."""

    V0_15 = "0.15"
    V1_0 = "1.0"
    V1_1 = "1.1"
    V1_2 = "1.2"

    __hash__ = object.__hash__  # members are singletons, and Enum's own hash is slow

    @classmethod
    def parse(cls, release: str | HudiRelease) -> HudiRelease:
        """Read a release as users write it: `0.15`, `0.15.0`, `1.0.2`, `1.2`.

        Raises:
            PayloadConfigError: the release is not one of those that are ported.
        """
        if isinstance(release, HudiRelease):
            return release
        line = ".".join(release.split(".")[:2])
        for member in cls:
            if member.value == line:
                return member
        known = ", ".join(member.value for member in cls)
        msg = f"unknown Hudi release {release!r}; choose one of {known}"
        raise PayloadConfigError(msg)

    @classmethod
    def latest(cls) -> HudiRelease:
        """Return the newest release."""
        return cls.V1_2

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, HudiRelease):
            return NotImplemented
        members = list(HudiRelease)
        return members.index(self) < members.index(other)

    def __str__(self) -> str:
        return self.value


class ByRelease(Generic[T]):
    """A class attribute whose value depends on the release that its class is bound to.

    Unbound classes look the value up at each access; `payloads.api.bind` replaces it by the value itself.
    """

    def __init__(self, table: dict[HudiRelease, T]) -> None:
        self._table = table

    def at(self, release: HudiRelease) -> T:
        """Return the value for `release`: that of the newest entry that is not later than it."""
        since = max(start for start in self._table if start <= release)
        return self._table[since]

    def __get__(self, instance: object, owner: type) -> Any:
        value = self.at(owner.release)  # type: ignore[attr-defined]
        return value.__get__(instance, owner) if callable(value) and hasattr(value, "__get__") else value


def by_release(v0_15: T, *, v1_0: T | None = None, v1_1: T | None = None, v1_2: T | None = None) -> Any:
    """State a rule by the release in which it starts; a release without an entry keeps its predecessor's.

    A rule that is a function becomes a method of the class. `None` can't be a rule.
    """
    starts = zip(HudiRelease, (v0_15, v1_0, v1_1, v1_2), strict=True)
    return ByRelease({release: rule for release, rule in starts if rule is not None})
