"""The source of each effective merge setting, what else was set for it, and which names are deprecated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.config.capabilities import capabilities
from bridge.config.keys import (
    DELETE_KEY,
    DELETE_MARKER,
    IMPLEMENTATIONS,
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGE_PROPERTY_PREFIX,
    ORDERING_FIELDS,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_CLASS,
    PAYLOAD_ORDERING,
    STRATEGY_ID,
    TABLE_ENTRIES,
    TABLE_TYPE,
    TABLE_VERSION,
    UNAVAILABLE_MARKER,
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_STRATEGY_ID,
    WRITER_ENTRIES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.config.effective import EffectiveMergeConfig
    from bridge.config.entry import ConfigEntry
    from payloads.release import HudiRelease


class Source(NamedTuple):
    """A source of a value.

    Attributes:
        side: `table` or `writer`, where it is set; `default`, `inferred` or `implied` where it is not.
        key: the property, or what the value follows from.
        value: its text.
    """

    side: str
    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.side}: {self.key}"


class Setting(NamedTuple):
    """An effective setting.

    Attributes:
        name: what it is.
        value: its text; None if nothing sets it.
        source: where it comes from; None if nothing sets it.
        others: further values set for it, without effect on the table as a whole.
    """

    name: str
    value: str | None
    source: Source | None
    others: tuple[Source, ...] = ()


class DeprecatedKey(NamedTuple):
    """A property that is set under a name, or at all, against the advice of the release."""

    side: str
    key: str
    instead: str


_WITH_PREFIX: Final = (DELETE_KEY, DELETE_MARKER, UNAVAILABLE_MARKER)


def settings_of(config: EffectiveMergeConfig, writer: Mapping[str, str] | None = None) -> tuple[Setting, ...]:
    """Return every merge setting of a table with its sources; how a writer's class changes it is in `config.rules`."""
    stated = _Stated(config.table.properties, writer or {}, config.release)
    rule = config.read
    mode = None if rule.mode is None else rule.mode.name
    # Writers that merge with payloads run a class in every mode.
    payload = config.merge.payload if capabilities(config.release).payload_writer else rule.payload
    return (
        stated.setting("table version", str(config.table.version), (TABLE_VERSION,)),
        stated.setting("table type", config.table.table_type.name, (TABLE_TYPE,)),
        stated.setting("merge mode", mode, (MERGE_MODE,), (WRITE_MERGE_MODE,), rule.why),
        stated.setting("payload class", payload, (PAYLOAD_CLASS,), (WRITE_PAYLOAD_CLASS,), rule.why),
        stated.setting("strategy id", rule.strategy or None, (STRATEGY_ID,), (WRITE_STRATEGY_ID,), rule.why),
        stated.setting("merger implementations", None, (), (IMPLEMENTATIONS,)),
        stated.setting(
            "ordering fields",
            ",".join(config.ordering) or None,
            (ORDERING_FIELDS,),
            (WRITE_PRECOMBINE, PAYLOAD_ORDERING),
            "the default of the release",
        ),
        stated.setting("partial update mode", config.table.partial_update_mode, (PARTIAL_UPDATE_MODE,)),
        stated.setting("legacy payload class", config.table.legacy_payload, (LEGACY_PAYLOAD_CLASS,)),
        *(
            stated.merge_property(entry.key, config.merge_properties.get(entry.key), config.table_payload)
            for entry in _WITH_PREFIX
        ),
    )


def deprecated_keys(
    properties: Mapping[str, str], writer: Mapping[str, str], release: HudiRelease
) -> tuple[DeprecatedKey, ...]:
    """Return the properties of a table and a writer that the release deprecates, each once."""
    return tuple(
        DeprecatedKey(side, key, instead)
        for side, given, entries in (("table", properties, TABLE_ENTRIES), ("writer", writer, WRITER_ENTRIES))
        for entry in entries
        for key, instead in _deprecated(entry, given, release)
    )


def _deprecated(entry: ConfigEntry[Any], given: Mapping[str, str], release: HudiRelease) -> Iterator[tuple[str, str]]:
    for alias in entry.old_names(given, release):
        yield alias, entry.key
    if entry.is_deprecated(release) and given.get(entry.key):
        yield entry.key, entry.instead


class _Stated(NamedTuple):
    """What a table and a writer set."""

    properties: Mapping[str, str]
    writer: Mapping[str, str]
    release: HudiRelease

    def setting(
        self,
        name: str,
        value: str | None,
        table_entries: tuple[ConfigEntry[Any], ...],
        writer_entries: tuple[ConfigEntry[Any], ...] = (),
        otherwise: str = "the release",
    ) -> Setting:
        """Return the first source of the effective value; if there is none, it follows from `otherwise`."""
        stated = [
            *self._sources("table", self.properties, table_entries),
            *self._sources("writer", self.writer, (*table_entries, *writer_entries)),
        ]
        if value is None and not table_entries:
            value = next((source.value for source in stated), None)
        winner = next((source for source in stated if source.value == value), None)
        if winner is None and value is not None:
            winner = Source("inferred", otherwise, value)
        return Setting(name, value, winner, tuple(source for source in stated if source is not winner))

    def merge_property(self, key: str, value: str | None, payload: str) -> Setting:
        """Name the place of a property that reaches mergers, with or without the prefix."""
        prefixed = MERGE_PROPERTY_PREFIX + key
        places = (
            ("table", self.properties, prefixed),
            ("writer", self.writer, prefixed),
            ("writer", self.writer, key),
        )
        stated = [Source(side, name, given[name]) for side, given, name in places if given.get(name)]
        # A writer's prefixed delete key or marker has no effect.
        in_vain = ("writer", prefixed) if key != UNAVAILABLE_MARKER.key else None
        counting = (source for source in stated if (source.side, source.key) != in_vain)
        winner = next((source for source in counting if source.value.strip() == value), None)
        if winner is None and value is not None:
            winner = Source("implied", f"payload class {payload}", value)
        return Setting(key, value, winner, tuple(source for source in stated if source is not winner))

    def _sources(self, side: str, given: Mapping[str, str], entries: tuple[ConfigEntry[Any], ...]) -> Iterator[Source]:
        for entry in entries:
            for key in dict.fromkeys((entry.key, *entry.aliases)):
                if given.get(key):
                    yield Source(side, key, given[key])
