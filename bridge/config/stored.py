"""TableMergeConfig: what a table itself stores about merging, read from its properties."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bridge.config.capabilities import capabilities
from bridge.config.entry import first_given
from bridge.config.inference import MergeSettings
from bridge.config.keys import (
    INITIAL_VERSION,
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGE_PROPERTY_PREFIX,
    ORDERING_FIELDS,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_CLASS,
    STRATEGY_ID,
    TABLE_TYPE,
    TABLE_VERSION,
    WRITE_PAYLOAD_CLASS,
)
from bridge.config.properties import read_properties
from bridge.config.succession import DEFAULT, OVERWRITE
from bridge.config.table_type import TableType
from payloads.arguments import checked
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mergers import RecordMergeMode

PROPERTIES_FILE: Final = "hoodie.properties"

_JAVA_BLANKS: Final = "".join(map(chr, range(0x21)))  # what String.trim takes off


@dataclass(frozen=True)
class TableMergeConfig:
    """What a table stores.

    Attributes:
        version: 5, 6, 8 or 9.
        table_type: copy-on-write or merge-on-read.
        mode: the merge mode.
        payload: the payload class; a copy-on-write table created by 0.15 or older has none.
        strategy: the strategy id, under its current or its old name.
        ordering: the ordering fields, under their current or their old name.
        legacy_payload: the class that the table had before version 9; it merges nothing.
        partial_update_mode: IGNORE_DEFAULTS, FILL_UNAVAILABLE, or, in a table of a release to come, FILL_UNCHANGED.
        merge_properties: the properties for mergers, without their prefix.
        properties: all properties, as they are stored.
    """

    version: int
    table_type: TableType = TableType.COPY_ON_WRITE
    mode: RecordMergeMode | None = None
    payload: str | None = None
    strategy: str | None = None
    ordering: tuple[str, ...] = ()
    legacy_payload: str | None = None
    partial_update_mode: str | None = None
    merge_properties: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    @checked
    def from_properties(
        cls, properties: Mapping[str, str], release: str | HudiRelease = HudiRelease.latest()
    ) -> TableMergeConfig:
        """Read the properties of a table; without a version, of one that the release creates.

        It understands every name that any release has stored, whether or not `release` reads it.

        Raises:
            PayloadConfigError: a property can't be read; the message names it.
        """
        latest, created = HudiRelease.latest(), capabilities(HudiRelease.parse(release)).created_version
        return cls(
            version=first_given(properties, latest, TABLE_VERSION) or created,
            table_type=first_given(properties, latest, TABLE_TYPE) or TableType.COPY_ON_WRITE,
            mode=first_given(properties, latest, MERGE_MODE),
            payload=first_given(properties, latest, PAYLOAD_CLASS),
            strategy=first_given(properties, latest, STRATEGY_ID),
            ordering=first_given(properties, latest, ORDERING_FIELDS) or (),
            legacy_payload=first_given(properties, latest, LEGACY_PAYLOAD_CLASS),
            partial_update_mode=first_given(properties, latest, PARTIAL_UPDATE_MODE),
            merge_properties=merge_properties_of(properties),
            properties=dict(properties),
        )

    @property
    def settings(self) -> MergeSettings:
        """The stored mode, class and strategy id."""
        return MergeSettings(self.mode, self.payload, self.strategy)

    @property
    def initial_version(self) -> int:
        """The version that the table was created with; its current one if that is not stored."""
        text = self.properties.get(INITIAL_VERSION.key, "")
        return int(text) if text.isdecimal() else self.version

    def resolved_payload(self, release: HudiRelease) -> str:
        """Return the payload class that a release assumes for the table, stored or not.

        In order: the stored key, the writer's key among the table's properties, from 1.1 on OverwriteWithLatest in
        mode COMMIT_TIME_ORDERING, and the default: OverwriteWithLatest until 0.15, Default later.
        """
        return payload_in(self.properties, release) or PAYLOAD_CLASS.default_text(release) or DEFAULT


def payload_in(properties: Mapping[str, str], release: HudiRelease) -> str | None:
    """Return the payload class that a set of properties names, the table's key before the writer's."""
    payload: str | None = first_given(properties, release, PAYLOAD_CLASS, WRITE_PAYLOAD_CLASS)
    if payload is not None:
        return payload
    by_mode = properties.get(MERGE_MODE.key) == "COMMIT_TIME_ORDERING"
    return OVERWRITE if by_mode and capabilities(release).commit_time_payload else None


def merge_properties_of(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the properties for mergers, without their prefix; names and values are trimmed, an empty name is none."""
    found = {
        key.removeprefix(MERGE_PROPERTY_PREFIX).strip(_JAVA_BLANKS): value.strip(_JAVA_BLANKS)
        for key, value in properties.items()
        if key.startswith(MERGE_PROPERTY_PREFIX)
    }
    found.pop("", None)
    return found


def read_table(path: Path) -> dict[str, str]:
    """Return the properties of the table in a folder, or those in a properties file.

    Raises:
        PayloadConfigError: the folder has no table, or the file is not a table's.
    """
    file = path
    if path.is_dir():
        candidates = (path / ".hoodie" / PROPERTIES_FILE, path / PROPERTIES_FILE)
        found = next((candidate for candidate in candidates if candidate.is_file()), None)
        if found is None:
            within = next((one for one in sorted(path.iterdir()) if (one / ".hoodie").is_dir()), None)
            near = "" if within is None else f", such as {within}"
            msg = f"{path} is not a Hudi table: it has no .hoodie/{PROPERTIES_FILE}; name the table's base path{near}"
            raise PayloadConfigError(msg)
        file = found
    properties = read_properties(file)
    if TABLE_VERSION.key not in properties:
        msg = f"{file} has no {TABLE_VERSION.key}, so it is not the {PROPERTIES_FILE} of a Hudi table"
        raise PayloadConfigError(msg)
    return properties
