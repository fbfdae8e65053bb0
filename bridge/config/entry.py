"""ConfigEntry: one configuration key of Hudi, its names and default in each release, and how its text is read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from payloads.release import ByRelease, HudiRelease

T = TypeVar("T")


class DeprecatedKeyWarning(FutureWarning):
    """A property is set under a name that its release supports only for old configurations."""


class Found(NamedTuple):
    """A property that is set: under which name, and its text."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class ConfigEntry(Generic[T]):
    """One key.

    Attributes:
        key: the name.
        parse: reads the text; raises ValueError with what is allowed.
        default: the text that applies if nothing is set, by release; None for none.
        aliases: other names, the most important first; deprecated wherever the release knows `key`.
        since: the first release that knows `key`, None for all; earlier ones know only the aliases.
        sql: the short names in TBLPROPERTIES.
        instead: what to use from the release `deprecated` on; the key still works.
        deprecated: the first release that advises against the key.
    """

    key: str
    parse: Callable[[str], T]
    default: ByRelease[str | None] | None = None
    aliases: tuple[str, ...] = ()
    since: HudiRelease | None = None
    sql: tuple[str, ...] = ()
    instead: str = ""
    deprecated: HudiRelease | None = None

    def is_known(self, release: HudiRelease) -> bool:
        """Whether a release knows `key`, and not the aliases alone."""
        return self.since is None or release >= self.since

    def is_deprecated(self, release: HudiRelease) -> bool:
        """Whether a release advises against `key`."""
        return self.deprecated is not None and release >= self.deprecated

    def names(self, release: HudiRelease) -> tuple[str, ...]:
        """Return the names that a release reads, the one that wins first."""
        return (self.key, *self.aliases) if self.is_known(release) else self.aliases

    def find(self, properties: Mapping[str, str], release: HudiRelease) -> Found | None:
        """Return the name and text that win; None if nothing is set. An empty text counts as not set."""
        return next((Found(key, properties[key]) for key in self.names(release) if properties.get(key)), None)

    def read(self, properties: Mapping[str, str], release: HudiRelease) -> T | None:
        """Return the value, or the default of the release, or None; with one warning if an old name is set.

        Raises:
            PayloadConfigError: naming the property, the text and what is allowed.
        """
        warn_of_old_names(properties, release, self)
        found = self.find(properties, release)
        if found is not None:
            return self.parsed(found)
        default = self.default_text(release)
        return None if default is None else self.parse(default)

    def parsed(self, found: Found) -> T:
        """Return the value of a text.

        Raises:
            PayloadConfigError: naming the property, the text and what is allowed.
        """
        try:
            return self.parse(found.text)
        except ValueError as error:
            msg = f"{found.key}={found.text!r} can't be read: {error}"
            raise PayloadConfigError(msg) from error

    def default_text(self, release: HudiRelease) -> str | None:
        """Return the text that applies in a release if nothing is set."""
        return None if self.default is None else self.default.at(release)

    def old_names(self, properties: Mapping[str, str], release: HudiRelease) -> tuple[str, ...]:
        """Return the deprecated names that are set; none in a release that knows no other."""
        return tuple(alias for alias in self.aliases if self.is_known(release) and properties.get(alias))


def first_given(options: Mapping[str, str], release: HudiRelease, *entries: ConfigEntry[Any]) -> Any:
    """Return the value of the first entry that is set; None, and no default, if none is."""
    for entry in entries:
        found = entry.find(options, release)
        if found is not None:
            return entry.parsed(found)
    return None


def warn_of_old_names(properties: Mapping[str, str], release: HudiRelease, *entries: ConfigEntry[Any]) -> None:
    """Warn of each entry that is set under a name that the release deprecates; Python shows the same warning once."""
    for entry in entries:
        old = entry.old_names(properties, release)
        if old:
            message = f"{', '.join(old)}: this name is deprecated in Hudi {release}; set {entry.key} instead"
            warnings.warn(message, DeprecatedKeyWarning, stacklevel=3)
