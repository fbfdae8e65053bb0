"""Loads recorded tables, and compares each answer of this project with real Hudi's, in process."""

from __future__ import annotations

import base64
import collections
import datetime
import decimal
import gzip
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.hudi.queries import TableQueries
from bridge.hudi.slice_reader import SliceReader
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from bridge.hudi.queries import Answer

_SEQUENCE = "_hoodie_commit_seqno"


class Check(NamedTuple):
    """One question to one table.

    Attributes:
        table: its folder.
        question: `snapshot`, `as_of INSTANT`, ...
        problem: the first differences, or what failed; empty where the answer is real Hudi's.
        is_refusal: whether this project refused.
    """

    table: str
    question: str
    problem: str = ""
    is_refusal: bool = False


def load(directory: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Give the folder and the expectations of each table below a directory, by path."""
    for path in sorted(directory.rglob("expected.json.gz")):
        yield path.parent, json.loads(gzip.decompress(path.read_bytes()))


def check_table(folder: Path, expected: dict[str, Any]) -> Iterator[Check]:
    """Ask a table everything that real Hudi was asked."""
    name = f"{folder.parent.name}/{folder.name}"
    if expected["table_version"] is None:
        return
    source = folder / "source"
    table = TableQueries(
        str(folder / "table"), expected["hudi_version"], bootstrap=str(source) if source.is_dir() else None
    )
    refused = expected.get("refused") or {}
    yield Check(name, "file_slices", _slices_differ(table, expected["file_slices"]))
    for question, rows, ask in _questions(table, expected):
        if question not in refused:
            yield _compared(name, question, rows, ask)


def _questions(
    table: TableQueries, expected: dict[str, Any]
) -> Iterator[tuple[str, list[dict[str, Any]], Callable[[], Answer]]]:
    if expected.get("snapshot") is not None:
        yield "snapshot", expected["snapshot"], table.snapshot
    if expected.get("read_optimized") is not None:
        yield "read_optimized", expected["read_optimized"], table.read_optimized
    for instant, rows in (expected.get("as_of") or {}).items():
        yield f"as_of {instant}", rows, lambda instant=instant: table.snapshot(instant)


def _compared(name: str, question: str, rows: list[dict[str, Any]], ask: Callable[[], Answer]) -> Check:
    try:
        found = rows_of(ask())
    except PayloadBridgeError as error:
        return Check(name, question, f"{type(error).__name__}: {error}", is_refusal=True)
    except Exception as error:  # noqa: BLE001 (one table that fails must not hide the others)
        return Check(name, question, f"failed: {type(error).__name__}: {error}")
    return Check(name, question, _difference(rows, found))


def rows_of(answer: Answer) -> list[dict[str, Any]]:
    """Return the rows of a query as the archive writes them."""
    reader = SliceReader(answer.query)
    return [row for found in answer.slices for batch in reader.read(found) for row in json_rows(batch)]


def json_rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Give the rows of a batch as JSON-like values."""
    for row in batch.to_pylist(maps_as_pydicts="strict"):
        yield {name: _json(value) for name, value in row.items()}


def _json(value: Any) -> Any:  # noqa: PLR0911 (one a type)
    match value:
        case datetime.datetime():
            plain = value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)
            return plain.isoformat(timespec="microseconds")
        case datetime.date():
            return value.isoformat()
        case decimal.Decimal():
            return format(value, "f")
        case bytes():
            return base64.b64encode(value).decode()
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {_key_text(key): _json(item) for key, item in value.items()}
        case list():
            return [_json(item) for item in value]
        case _:
            return value


def _key_text(key: Any) -> str:
    return key if isinstance(key, str) else str(_json(key))


def _difference(expected: Iterable[dict[str, Any]], found: Iterable[dict[str, Any]]) -> str:
    wanted, got = collections.Counter(map(_text, expected)), collections.Counter(map(_text, found))
    missing, added = sorted((wanted - got).elements()), sorted((got - wanted).elements())
    if not missing and not added:
        return ""
    lines = [f"{len(missing)} missing, {len(added)} too many"]
    lines += [f"missing:  {text}" for text in missing[:2]] + [f"too many: {text}" for text in added[:2]]
    return "\n    ".join(lines)


def _text(row: dict[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k != _SEQUENCE}, sort_keys=True, ensure_ascii=False)


def _slices_differ(table: TableQueries, expected: list[dict[str, Any]]) -> str:
    latest = table.timeline.latest
    found = table.slices.latest(latest) if latest else []
    got = {(s.partition, s.file_id, s.base_instant, s.base_file, frozenset(s.log_files)) for s in found}
    names = ("partition", "file_id", "base_instant", "base_file")
    wanted = {(*(s[name] for name in names), frozenset(s["log_files"])) for s in expected}
    return "" if got == wanted else f"missing {sorted(wanted - got, key=str)}; too many {sorted(got - wanted, key=str)}"
