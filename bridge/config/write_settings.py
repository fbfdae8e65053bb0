"""Settings of a write that a plan has fields for and a Hudi writer sets by properties: dedup, index, partition moves.

Source: HoodieWriteConfig and HoodieIndexConfig of 0.15.0 to 1.2.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config.keys import (
    BLOOM_INDEX_MOVES,
    BUCKET_ENGINE,
    COMBINE_BEFORE_UPSERT,
    INDEX_TYPE,
    MERGE_MODE,
    PAYLOAD_CLASS,
    RECORD_INDEX_MOVES,
    SIMPLE_INDEX_MOVES,
    STRATEGY_ID,
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_STRATEGY_ID,
)
from bridge.errors import PlanError
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORD_INDEX = "RECORD_INDEX"
_MOVES = {
    "GLOBAL_SIMPLE": SIMPLE_INDEX_MOVES,
    "GLOBAL_BLOOM": BLOOM_INDEX_MOVES,
    RECORD_INDEX: RECORD_INDEX_MOVES,
}
_RULES = (WRITE_PAYLOAD_CLASS, WRITE_MERGE_MODE, WRITE_STRATEGY_ID, PAYLOAD_CLASS, MERGE_MODE, STRATEGY_ID)
_INDEXES = ("BLOOM", "SIMPLE", "BUCKET", *_MOVES)


def fields_from(props: Mapping[str, str], *, merge_on_read: bool) -> dict[str, object]:
    """Return the fields of a plan that Hudi's own properties set; a field without its property is left out.

    Raises:
        PlanError: an index type that is not supported.
    """
    found: dict[str, object] = {}
    if COMBINE_BEFORE_UPSERT.key in props:
        found["combine_before_upsert"] = _is_true(props[COMBINE_BEFORE_UPSERT.key])
    if INDEX_TYPE not in props:
        return found
    index = props[INDEX_TYPE].upper()
    if index not in _INDEXES:
        msg = f"{INDEX_TYPE}={props[INDEX_TYPE]} is not supported; choose one of {', '.join(_INDEXES)}"
        raise PlanError(msg)
    if index == "BUCKET" and merge_on_read and props.get(BUCKET_ENGINE, "SIMPLE").upper() != "CONSISTENT_HASHING":
        msg = (
            f"{INDEX_TYPE}=BUCKET with the SIMPLE engine puts the first rows of a bucket into a base file and new keys "
            f"after them into its log, which is not supported; set {BUCKET_ENGINE}=CONSISTENT_HASHING, or leave it out"
        )
        raise PlanError(msg)
    found["global_index"] = index in _MOVES
    found["inserts_to"] = "log" if index == "BUCKET" else "base"  # of a table that has a log
    return found


def plain_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a writer without those that say how records merge: class, merge mode and strategy."""
    latest = HudiRelease.latest()
    named = {name for entry in _RULES for name in entry.names(latest)}
    return {key: text for key, text in options.items() if key not in named}


def is_record_index(props: Mapping[str, str]) -> bool:
    """Whether the index type is RECORD_INDEX."""
    return props.get(INDEX_TYPE, "").upper() == RECORD_INDEX


def moves_rows(props: Mapping[str, str]) -> bool:
    """Whether a global index moves a row to the partition that a batch names.

    Only a record index does not, unless its property is true; any other does, unless its property is false.
    """
    index = props.get(INDEX_TYPE, "").upper()
    if is_record_index(props):
        return _is_true(props.get(_MOVES[index], "false"))
    keys = [_MOVES[index]] if index in _MOVES else [key for name, key in _MOVES.items() if name != RECORD_INDEX]
    return all(_is_true(props.get(key, "true")) for key in keys)


def _is_true(text: str) -> bool:
    return text.strip().lower() == "true"
