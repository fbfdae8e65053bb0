"""The payloads that the merges run, and what each does in plain Python, written down without this project's code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = dict[str, Any]
DELETED = "deleted"
COMPILED = Path(__file__).with_name("java") / "Balance.java"
"""The source of a user's class in Java, which does what `Tally` does."""


class Tally:
    """A user's class: it adds quantities, ignores rows named `skip`, and deletes below zero."""

    def __init__(self, record: Row | None, ordering_value: Any = None) -> None:
        self.record = record

    def pre_combine(self, older: Tally) -> Tally:
        return Tally(_added(older.record or {}, self.record or {}))

    def combine_and_get_update_value(self, current: Row, schema: Any) -> Any:
        from payloads import SENTINEL  # noqa: PLC0415 (the model below does not need it)

        if self.record is None or self.record["name"] == "skip":
            return SENTINEL
        found = _added(current, self.record)
        return found if found["qty"] >= 0 else None

    def get_insert_value(self, schema: Any) -> Row | None:
        return self.record if self.record is not None and self.record["qty"] >= 0 else None


def _added(older: Row, newer: Row) -> Row:
    return {**newer, "qty": older["qty"] + newer["qty"]}


# -- models: the row that is stored after a batch, or DELETED; `batch` are the versions of a key, in order of arrival


def _latest(batch: Sequence[Row]) -> Row:
    found = batch[0]
    for row in batch[1:]:
        if row["ts"] >= found["ts"]:
            found = row
    return found


def _default(stored: Row | None, batch: Sequence[Row]) -> Row | str | None:
    newer = _latest(batch)
    if stored is not None and newer["ts"] < stored["ts"]:
        return stored
    return DELETED if newer["_hoodie_is_deleted"] else newer


def _non_defaults(stored: Row | None, batch: Sequence[Row]) -> Row | str | None:
    newer = _latest(batch)
    if newer["_hoodie_is_deleted"]:
        return DELETED
    if stored is None:
        return newer
    return {name: stored[name] if value is None else value for name, value in newer.items()}


def _dms(stored: Row | None, batch: Sequence[Row]) -> Row | str | None:
    newer = _latest(batch)
    return DELETED if newer["Op"] == "D" else newer


def _tally(stored: Row | None, batch: Sequence[Row]) -> Row | str | None:
    newer = batch[0]
    for row in batch[1:]:
        newer = _added(newer, row)
    if stored is None:
        return newer if newer["qty"] >= 0 else DELETED
    if newer["name"] == "skip":
        return stored
    found = _added(stored, newer)
    return found if found["qty"] >= 0 else DELETED


class Model(NamedTuple):
    """A payload, and what it does.

    Attributes:
        payload: its name in a plan, of Hudi 0.15 where Hudi ships it.
        has_flag: whether rows have `_hoodie_is_deleted`.
        merge: the stored row (None: there is none) and the versions of a batch to the row that is stored then.
        is_compiled: whether the class is in a jar.
    """

    payload: str
    has_flag: bool
    merge: Callable[[Row | None, Sequence[Row]], Row | str | None]
    is_compiled: bool = False


MODELS = {
    "default": Model("DefaultHoodieRecordPayload", True, _default),
    "nondefaults": Model("OverwriteNonDefaultsWithLatestAvroPayload", True, _non_defaults),
    "dms": Model("AWSDmsAvroPayload", False, _dms),
    "compiled": Model("com.acme.Balance", False, _tally, is_compiled=True),
    "tally": Model("tests.write.payloads:Tally", False, _tally),
}
