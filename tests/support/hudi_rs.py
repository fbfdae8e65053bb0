"""The page on what hudi-rs shows of recorded tables, next to what real Hudi showed.

`python -m tests.support.hudi_rs` writes it, where the package `hudi` is installed. Each recorded table has the snapshot
that the release which wrote it showed; this project shows the same of every one (tests.hudi.test_tables).
"""

from __future__ import annotations

import collections
import importlib
import importlib.metadata
import json
import re
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.spark import META_COLUMNS
from tests.conformance.tables import Recorded, json_rows, load
from tests.support.archives import unpack
from tests.support.folders import GUIDE, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE: Final = GUIDE / "hudi_rs.md"
_LONGEST = 160
_HEAD = """\
# What hudi-rs shows

hudi-rs {version} reads the {tables} recorded tables of real Hudi 0.15.0, 1.0.2, 1.1.1 and 1.2.0 that have a recorded
snapshot. This page compares its rows with the snapshot of the Hudi release that wrote the table, without meta columns.
This project shows the same rows as Hudi for all of them.

| | tables |
|---|---:|
| the same rows as Hudi | {alike} |
| different rows | {differ} |
| refused by hudi-rs | {refused} |

`payload-bridge compare-readers TABLE` runs [hudi-rs](https://github.com/apache/hudi-rs) on your table, if the package
`hudi` is installed ([Your table](your_table.md#questions-about-a-table)).
"""


class Answer(NamedTuple):
    """What hudi-rs makes of a table.

    Attributes:
        table: release and case.
        missing: how many rows of real Hudi it does not show.
        added: how many rows it shows that real Hudi does not.
        example: a column in which the first such rows differ, with both values; empty where there is none.
        refused: its message; empty where it reads the table.
    """

    table: str
    missing: int = 0
    added: int = 0
    example: str = ""
    refused: str = ""


def answers(folder: Path) -> Iterator[Answer]:
    """Read every recorded table below a folder of which real Hudi has shown a snapshot."""
    for recorded in load(folder):
        rows = recorded.answers.get("snapshot")
        if rows is not None and "snapshot" not in (recorded.answers.get("refused") or {}):
            yield _answer(recorded, rows)


def _answer(recorded: Recorded, expected: list[dict[str, Any]]) -> Answer:
    hudi: Any = importlib.import_module("hudi")
    try:
        batches = list(hudi.HudiTable(str(recorded.folder / "table")).read_stream())
        found = [row for batch in batches for row in json_rows(batch)]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 (a panic of Rust is no Exception)
        text = re.sub(r"\s+", " ", str(error).replace(str(recorded.folder), "")).strip()
        return Answer(recorded.label, refused=text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()}…")
    keys = tuple(recorded.answers.get("key_fields") or ())
    wanted, got = collections.Counter(map(_text, expected)), collections.Counter(map(_text, found))
    missing, added = sorted((wanted - got).elements()), sorted((got - wanted).elements())
    return Answer(recorded.label, len(missing), len(added), _example(expected, found, keys) if missing or added else "")


def _data(row: dict[str, Any]) -> dict[str, str | None]:
    data = ((name, value) for name, value in row.items() if name not in META_COLUMNS)
    nested = (dict, list)
    return {
        name: json.dumps(value, sort_keys=True) if isinstance(value, nested) else None if value is None else str(value)
        for name, value in sorted(data)
    }


def _text(row: dict[str, Any]) -> str:
    return repr(_data(row))


def _example(expected: list[dict[str, Any]], found: list[dict[str, Any]], keys: tuple[str, ...]) -> str:
    """Return the first difference, by key."""
    own, theirs = (_by_key(rows, keys) for rows in (expected, found))
    for key in sorted(own.keys() | theirs.keys()):
        ours, others = own.get(key, []), theirs.get(key, [])
        if not ours or not others:
            return f"{key[1:-1]}: only in {'hudi-rs' if others else 'Hudi'}"
        if len(ours) != len(others):
            return f"{key[1:-1]}: {len(ours)} rows in Hudi, {len(others)} in hudi-rs"
        for one, other in zip(ours, others, strict=True):
            name = next((name for name in one if one[name] != other.get(name)), None)
            if name is not None:
                return f"{key[1:-1]}: `{name}` is {one[name]!r} in Hudi, {other.get(name)!r} in hudi-rs"
    return ""


def _by_key(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each key in an order that does not depend on the reader's."""
    found: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in rows:
        found[repr([row.get(key) for key in keys])].append(_data(row))
    return {key: sorted(several, key=repr) for key, several in found.items()}


def text(folder: Path) -> str:
    """Return the page on the tables below a folder."""
    found = list(answers(folder))
    differ = [one for one in found if one.missing or one.added]
    refused = [one for one in found if one.refused]
    lines = [
        _HEAD.format(
            version=importlib.metadata.version("hudi"),
            tables=len(found),
            alike=len(found) - len(differ) - len(refused),
            differ=len(differ),
            refused=len(refused),
        )
    ]
    lines += ["## Different rows\n", "| table | missing | extra | first difference by key |", "|---|---:|---:|---|"]
    lines += [f"| {one.table} | {one.missing} | {one.added} | {one.example.replace('|', ' ')} |" for one in differ]
    by_reason: dict[str, list[str]] = collections.defaultdict(list)
    for one in refused:
        by_reason[one.refused].append(one.table)
    lines += ["\n## Refused\n", "| message | tables |", "|---|---|"]
    ordered = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    lines += [f"| {reason.replace('|', ' ')} | {', '.join(tables)} |" for reason, tables in ordered]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as unpacked, tarfile.open(TABLES) as archive:
        unpack(archive, unpacked)
        PAGE.write_text(text(Path(unpacked)), encoding="utf-8")
