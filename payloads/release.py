"""Hudi releases, and rules that differ between them.

A class that is ported from Hudi states each difference once, as a `by_release` table; binding the class to a
release (`for_release` in `payloads.api`) turns the tables into plain class attributes.
"""

from __future__ import annotations

import enum
import functools
import re
import warnings
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

_WRITTEN = re.compile(r"(\d+\.\d+)(?:\.\d+)*(?:-[\w.-]+)?")  # vendors add parts: 0.15.0.7.3.1-500
_PREVIEW = " (preview)"
_COMPARED = {"0.12": "0.12.3", "0.13": "0.13.1", "0.14": "0.14.1", "0.15": "0.15.0"} | {
    "1.0": "1.0.2",
    "1.1": "1.1.1",
    "1.2": "1.2.0",
}
"""The patch of each line whose rules are ported: the recorded answers come from it."""
_KNOWN = {
    "0.12.0": "its Debezium classes fail on deletes",
    "0.12.1": "its Debezium classes fail on deletes",
    "0.12.2": "its Debezium classes fail on deletes",
    "0.14.0": "its isDeleted knows no custom delete marker, and it has no FirstValueAvroPayload",
}
"""What is known to differ in other patches."""

PREVIEW_NOTE: Final = (
    "the rules of Hudi 1.3 (preview) are taken from sources (apache/hudi#19322) and were not compared with a release"
)
"""What every result under the preview says.

Added in 0.2.0.
"""


class ReleaseWarning(UserWarning):
    """This patch release or build of Hudi was not compared; the rules of another one are used.

    Added in 0.2.0.
    """


def patch_note(release: str) -> str | None:
    """Return the note on a release as a user wrote it; None for a line, or for the patch whose rules are ported.

    >>> patch_note("1.2"), patch_note("1.2.0"), patch_note("1.2.1")
    (None, None, 'the rules are those of Hudi 1.2.0; 1.2.1 was not compared')
    """
    if HudiRelease.parse(release).is_preview:
        return PREVIEW_NOTE
    line = ".".join(release.split("-", maxsplit=1)[0].split(".")[:2])
    compared = _COMPARED.get(line)
    if compared is None or release in {line, compared}:
        return None
    known = _KNOWN.get(release)
    end = "was not compared" if known is None else f"differs: {known}"
    return f"the rules are those of Hudi {compared}; {release} {end}"


class _OfCompared(enum.EnumMeta):
    """Has an enumeration give the releases that were compared: a preview is reached by its name alone."""

    def __iter__(cls: type[T]) -> Iterator[T]:
        return (cls.__members__[name] for name in cls._compared())  # type: ignore[attr-defined]

    def __reversed__(cls: type[T]) -> Iterator[T]:
        return (cls.__members__[name] for name in reversed(cls._compared()))  # type: ignore[attr-defined]

    def __len__(cls) -> int:
        return len(cls._compared())

    def _compared(cls) -> list[str]:
        releases: Mapping[str, HudiRelease] = cls.__members__
        return [name for name, release in releases.items() if not release.is_preview]


@functools.total_ordering
class HudiRelease(enum.Enum, metaclass=_OfCompared):
    """A line of Hudi releases whose merge behaviour is ported, ordered by age.

    Iteration gives those that were compared with real Hudi; `V1_3`, a preview of a release to come, is taken from
    sources and only there by its name.
    """

    V0_12 = "0.12"
    V0_13 = "0.13"
    V0_14 = "0.14"
    V0_15 = "0.15"
    V1_0 = "1.0"
    V1_1 = "1.1"
    V1_2 = "1.2"
    V1_3 = "1.3 (preview)"

    __hash__ = object.__hash__  # members are singletons, and Enum's own hash is slow

    @classmethod
    def parse(cls, release: str | HudiRelease) -> HudiRelease:
        """Read a release as users write it: `0.15`, `0.15.0`, `1.0.2`, `1.2`.

        Raises:
            PayloadConfigError: the release is not one of those that are ported.
        """
        if isinstance(release, HudiRelease):
            return release
        given: object = release
        if not isinstance(given, str):
            msg = f"a Hudi release is written as text: {str(given)!r}, not {given!r}"
            raise PayloadConfigError(msg)
        found = _WRITTEN.fullmatch(release.removesuffix(_PREVIEW))
        for member in cls.__members__.values():
            if found is not None and member.value.removesuffix(_PREVIEW) == found[1]:
                return member
        known = ", ".join(member.value for member in cls)
        msg = f"unknown Hudi release {release!r}; choose one of {known}"
        raise PayloadConfigError(msg)

    @classmethod
    def asked(cls, release: str | HudiRelease) -> HudiRelease:
        """Read a release that a user names, and warn (ReleaseWarning) of a patch or build that was not compared.

        Raises:
            PayloadConfigError: as in `parse`.
        """
        found = cls.parse(release)
        if isinstance(release, str) and (note := patch_note(release)) is not None:
            warnings.warn(note, ReleaseWarning, stacklevel=2)
        return found

    @classmethod
    def latest(cls) -> HudiRelease:
        """Return the newest release that was compared."""
        return next(reversed(cls))

    @property
    def is_preview(self) -> bool:
        """Whether it is a release to come, of which a few rules were taken from sources and nothing was compared.

        Added in 0.2.0.
        """
        return self.value.endswith(_PREVIEW)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, HudiRelease):
            return NotImplemented
        return _AGES[self] < _AGES[other]

    def __str__(self) -> str:
        return self.value


_AGES = {release: age for age, release in enumerate(HudiRelease.__members__.values())}
"""The place of each release in their order: programs compare releases for every row."""


def releases(*, since: str | None = None, until: str | None = None) -> tuple[HudiRelease, ...]:
    """Return the releases from `since` to `until`, both included; None is the oldest or the latest compared."""
    first = None if since is None else HudiRelease.parse(since)
    last = HudiRelease.latest() if until is None else HudiRelease.parse(until)
    every = HudiRelease.__members__.values()
    return tuple(release for release in every if (first is None or first <= release) and release <= last)


class ByRelease(Generic[T]):
    """A rule that changes with releases; as a class attribute, that of the release which its class is bound to.

    Unbound classes look the rule up at each access; `payloads.api.bind` replaces it by the rule itself.

    Attributes:
        rules: the rule of each release.
    """

    def __init__(self, first: T, since: Mapping[str, T]) -> None:
        """State the rule of the oldest release and, by release, those that replaced it.

        Raises:
            PayloadConfigError: `since` names an unknown release.
        """
        changes = {HudiRelease.parse(release): rule for release, rule in since.items()}
        self.rules: dict[HudiRelease, T] = {}
        rule = first
        for release in HudiRelease.__members__.values():
            rule = changes.get(release, rule)
            self.rules[release] = rule

    def at(self, release: HudiRelease) -> T:
        """Return the rule of `release`."""
        return self.rules[release]

    def __get__(self, instance: object, owner: type) -> Any:
        value = self.at(owner.release)  # type: ignore[attr-defined]
        return value.__get__(instance, owner) if callable(value) and hasattr(value, "__get__") else value


def by_release(first: T, *, since: Mapping[str, T]) -> Any:
    """State a rule as a class attribute: that of the oldest release, and by release those that replaced it.

    `by_release(0, since={"1.1": 1})` is 0 until 1.0 and 1 from 1.1 on. A rule that is a function becomes a method.
    """
    return ByRelease(first, since)
