"""Table properties as Spark SQL writes them: the short names of TBLPROPERTIES."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.config.creation import created_properties
from bridge.config.keys import MERGE_PROPERTY_PREFIX, RECORD_KEY, TABLE_ENTRIES, TABLE_TYPE
from bridge.config.table_type import TableType
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX: Final = "hoodie."
_ENTRY_OF: Final = {name: entry for entry in TABLE_ENTRIES for name in entry.sql}
_BY_LOWER: Final = {name.lower(): name for name in _ENTRY_OF}


def from_sql(tblproperties: Mapping[str, str], release: HudiRelease = HudiRelease.latest()) -> dict[str, str]:
    """Return TBLPROPERTIES under Hudi's own names; what is neither a short name nor Hudi's is left out.

    A full name beats a short one, and `orderingFields` beats `preCombineField`.

    Raises:
        PayloadConfigError: a short name in the wrong case, which Hudi silently ignores.
    """
    wrong = [name for name in tblproperties if name not in _ENTRY_OF and name.lower() in _BY_LOWER]
    if wrong:
        msg = f"the table property {wrong[0]} is not read by Hudi; write {_BY_LOWER[wrong[0].lower()]}"
        raise PayloadConfigError(msg)
    properties: dict[str, str] = {}
    for entry in TABLE_ENTRIES:
        text = next((tblproperties[name] for name in entry.sql if name in tblproperties), None)
        if text is not None:
            properties[entry.names(release)[0] if entry.names(release) else entry.key] = text
    return {**properties, **{key: text for key, text in tblproperties.items() if key.startswith(_PREFIX)}}


def created_by_sql(tblproperties: Mapping[str, str], release: HudiRelease = HudiRelease.latest()) -> dict[str, str]:
    """Return the properties that CREATE TABLE with these TBLPROPERTIES stores; the type defaults to cow.

    Raises:
        MergeConfigError, PayloadConfigError: as `created_properties`.
    """
    options = from_sql(tblproperties, release)
    table_type = TABLE_TYPE.read(options, release) or TableType.COPY_ON_WRITE
    key = {RECORD_KEY.key: options[RECORD_KEY.key]} if RECORD_KEY.key in options else {}
    return {**key, **created_properties({}, table_type, release, tblproperties=options)}


def literal(text: str) -> str:
    """Return text as a string literal of Spark SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def to_sql(properties: Mapping[str, str], release: HudiRelease = HudiRelease.latest()) -> dict[str, str]:
    """Return merge settings as TBLPROPERTIES: under short names where there are any; versions are left out."""
    found = {}
    for entry in TABLE_ENTRIES:
        text = next((properties[name] for name in (entry.key, *entry.aliases) if properties.get(name)), None)
        if entry.sql and text is not None:
            found[entry.sql[0] if entry.is_known(release) else entry.sql[-1]] = text
    return found | {key: text for key, text in properties.items() if key.startswith(MERGE_PROPERTY_PREFIX)}
