"""What classes and merge modes leave of the versions of a key, in plain Python, without this project's engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.write.payloads import DELETED, MODELS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.write.payloads import Row

COLUMNS: Final = {"id": "string", "part": "string", "ts": "bigint", "name": "string", "qty": "int", "Op": "string"}
FLAG: Final = "_hoodie_is_deleted"
ALL: Final = ("0.12", "0.13", "0.14", "0.15", "1.0", "1.1", "1.2")
BOTH: Final = ("cow", "mor")


class Sums:
    """A user's class whose answer depends neither on order nor on brackets: a lost or repeated row shows."""

    def __init__(self, record: Row | None, ordering_value: Any = None) -> None:
        self.record = record

    def pre_combine(self, older: Sums) -> Sums:
        return Sums(_summed(older.record, self.record))

    def combine_and_get_update_value(self, current: Row, schema: Any) -> Row | None:
        return _summed(current, self.record)

    def get_insert_value(self, schema: Any) -> Row | None:
        return self.record


def _summed(older: Row | None, newer: Row | None) -> Row | None:
    if older is None or newer is None:
        return newer
    names = [one["name"] or "" for one in (older, newer)]
    return {**newer, "ts": max(older["ts"], newer["ts"]), "name": max(names), "qty": older["qty"] + newer["qty"]}


class Model(NamedTuple):
    """What merges, and what it does.

    Attributes:
        settings: of the plan.
        merge: the stored row (None: there is none) and the versions of a batch, in order, to the row stored then.
        releases: those of which that is so.
        table_types: likewise.
        flagged: whether rows say that they are deleted.
        upgrades: whether a table may pass from one release to the next.
    """

    settings: dict[str, Any]
    merge: Callable[[Row | None, Sequence[Row]], Row | str | None]
    releases: tuple[str, ...] = ("0.15",)
    table_types: tuple[str, ...] = ("cow",)
    flagged: bool = False
    upgrades: bool = False


def _sums(stored: Row | None, batch: Sequence[Row]) -> Row | None:
    for row in batch:
        stored = row if stored is None else _summed(stored, row)
    return stored


def _by_time(stored: Row | None, batch: Sequence[Row]) -> Row | None:
    for row in batch:
        stored = row if stored is None or row["ts"] >= stored["ts"] else stored
    return stored


_BY_CLASS: Final = {
    f"{name}, as a write of 0.15": Model({"payload": one.payload, "ordering": ("ts",)}, one.merge, flagged=one.has_flag)
    for name, one in MODELS.items()
    if not one.is_compiled
}
_LATEST: Final = {"payload": "DefaultHoodieRecordPayload", "ordering": ("ts",)}
_EVENT: Final = {"merger": "EVENT_TIME_ORDERING", "ordering": ("ts",)}
OF: Final = {
    "sums": Model({"payload": "tests.soak.models:Sums", "ordering": ("ts",)}, _sums, ALL, BOTH, upgrades=True),
    "latest": Model(_LATEST, _by_time, ALL, BOTH, upgrades=True),
    "event time": Model(_EVENT, _by_time, ALL[5:], BOTH),
    "commit time": Model({"merger": "COMMIT_TIME_ORDERING"}, lambda _, batch: batch[-1], ALL[5:], BOTH),
    **_BY_CLASS,
}
"""By name; those of `tests.write` are of a copy-on-write table."""

Rows = dict[tuple[str, str], "Row"]


def written(model: Model, stored: Rows, operation: str, rows: Sequence[Row]) -> Rows:
    """Return the rows of a table, by partition and key, after a batch."""
    keys = [(row["part"], row["id"]) for row in rows]
    if operation == "delete":
        return {key: row for key, row in stored.items() if key not in {*keys}}
    if operation in {"delete_partition", "insert_overwrite"}:
        gone = {part for part, _ in keys}
        stored = {key: row for key, row in stored.items() if key[0] not in gone}
    if operation == "insert_overwrite_table":
        stored = {}
    found, by_key = dict(stored), dict[Any, Any]()
    for key, row in zip(keys, rows, strict=True):
        by_key.setdefault(key, []).append(row)
    for key, versions in by_key.items() if operation != "delete_partition" else ():
        row = model.merge(stored.get(key), versions)
        if row is None or row == DELETED:
            found.pop(key, None)
        else:
            found[key] = row
    return found
