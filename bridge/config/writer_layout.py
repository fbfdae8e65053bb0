"""The options by which Hudi's writer keeps to the layout of a table, and what may be given besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.config.keys import (
    INDEX_CLASS,
    INDEX_TYPE,
    INSERT_DROPS_KNOWN,
    INSERT_POLICY,
    KEYGEN_CLASS,
    PARTITION_FIELDS,
    TABLE_NAME,
    TABLE_TYPE,
    WRITE_HIVE_STYLE,
    WRITE_KEYGEN_CLASS,
    WRITE_OPERATION,
    WRITE_PARTITION,
    WRITE_PAYLOAD_CLASS,
    WRITE_RECORD_KEY,
    WRITE_STRATEGY_ID,
    WRITE_TABLE_TYPE,
    WRITE_URL_ENCODED,
)
from bridge.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_STORED: Final = (WRITE_HIVE_STYLE, WRITE_URL_ENCODED, INDEX_TYPE)
_KEEPS_ROWS: Final = {INSERT_DROPS_KNOWN: "false", INSERT_POLICY: "none"}
"""Options by whose other values Hudi leaves rows out of an upsert whose keys are stored."""


def layout_options(stored: Mapping[str, str], key: Sequence[str]) -> dict[str, str]:
    """Return the options of an upsert into a table: its name, type, key, partition and index, and no row left out.

    Args:
        stored: what the table stores.
        key: its record key.
    """
    found = {
        TABLE_NAME: stored[TABLE_NAME],
        WRITE_TABLE_TYPE: stored.get(TABLE_TYPE.key, "COPY_ON_WRITE"),
        WRITE_OPERATION: "upsert",
        WRITE_RECORD_KEY: ",".join(key),
        WRITE_PARTITION: stored.get(PARTITION_FIELDS, ""),
    }
    found |= {name: stored[name] for name in _STORED if name in stored}
    found |= _KEEPS_ROWS  # else a file of defaults on the machine decides
    if stored.get(KEYGEN_CLASS):
        found[WRITE_KEYGEN_CLASS] = stored[KEYGEN_CLASS]
    return found


def check_given(given: Mapping[str, str], needed: Mapping[str, str], never: Iterable[str] = ()) -> None:
    """Refuse options that contradict those that a writer needs; only the type of the index may be another.

    Args:
        given: the options of a user.
        needed: the options of the writer.
        never: other options that are refused.

    Raises:
        PlanError: naming the option.
    """
    refused = {*needed, *never, *_KEEPS_ROWS, WRITE_PAYLOAD_CLASS.key, WRITE_STRATEGY_ID.key, INDEX_CLASS}
    for given_name, text in given.items():
        name = given_name.lower()  # as Spark takes it
        is_free = given_name == INDEX_TYPE or _KEEPS_ROWS.get(name) == text.strip().lower()
        if name in refused and not is_free and needed.get(name) != text:
            msg = f"the option {given_name}={text} would change what is written; leave it out"
            raise PlanError(msg)
