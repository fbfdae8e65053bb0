"""Files of every format, whole or damaged, and what an independent reader finds in them."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import TYPE_CHECKING, Any, Final

import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

Row = dict[str, Any]
FORMATS: Final = ("parquet", "avro", "orc", "csv", "jsonl", "csv.gz", "jsonl.gz")
DDL: Final = "id string, ts bigint, v string"
NAMES: Final = ("id", "ts", "v")
_SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
_AVRO = {
    "type": "record",
    "name": "row",
    "fields": [{"name": n, "type": ["null", t]} for n, t in (("id", "string"), ("ts", "long"), ("v", "string"))],
}


def data_of(rows: Sequence[Row], form: str) -> bytes:
    """Return the bytes of a file of rows."""
    out = io.BytesIO()
    match form.removesuffix(".gz"):
        case "parquet":
            pq.write_table(pa.Table.from_pylist(list(rows), _SCHEMA), out)
        case "orc":
            pyarrow.orc.write_table(pa.Table.from_pylist(list(rows), _SCHEMA), out)
        case "avro":
            fastavro.writer(out, _AVRO, rows, codec="deflate")
        case "csv":
            text = io.StringIO()
            writer = csv.DictWriter(text, NAMES, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            out.write(text.getvalue().encode())
        case _:
            out.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    return gzip.compress(out.getvalue()) if form.endswith(".gz") else out.getvalue()


class Unsure(Exception):  # noqa: N818 (nothing is wrong)
    """Readers may differ in what they make of a file."""


def rows_in(data: bytes, form: str) -> list[Row] | None:
    """Return the rows that another reader finds; None where it can't read the file.

    Raises:
        Unsure: readers may differ in what they make of it.
    """
    if not data and form in {"csv", "jsonl"}:
        return []
    if b"\xef\xbb\xbf" in data or b"\r" in data:
        raise Unsure
    try:
        found = _read(data, form)
    except (Unsure, RecursionError):
        raise Unsure from None
    except Exception:  # noqa: BLE001 (whatever a reader raises: it can't read the file)
        return None
    if any(not set(row) <= set(NAMES) or not isinstance(row.get("id"), str) for row in found):
        raise Unsure
    return [{name: row.get(name) for name in NAMES} for row in found]


def _read(data: bytes, form: str) -> list[Row]:
    plain = gzip.decompress(data) if form.endswith(".gz") else data
    match form.removesuffix(".gz"):
        case "parquet":
            return list(pq.read_table(io.BytesIO(plain)).to_pylist())
        case "orc":
            return list(pyarrow.orc.read_table(io.BytesIO(plain)).to_pylist())
        case "avro":
            return [dict(row) for row in fastavro.reader(io.BytesIO(plain))]  # type: ignore[call-overload]
        case "csv":
            header, *rows = csv.reader(io.StringIO(plain.decode(), newline=""), strict=True)
            rows = [row for row in rows if row]
            if any(len(row) != len(header) for row in rows):
                raise ValueError(rows)
            return [{n: _typed(n, value) for n, value in zip(header, row, strict=True)} for row in rows]
        case _:
            return [_plain(line) for line in plain.decode().split("\n") if line.strip()]


def _plain(line: str) -> Row:
    found = json.loads(line, object_pairs_hook=list)
    if not isinstance(found, list) or any(not isinstance(one, tuple) for one in found):
        raise Unsure
    row = dict(found)
    kinds = {"id": str, "ts": int, "v": str}
    if len(row) < len(found) or any(not isinstance(row[n], (kinds.get(n, str), type(None))) for n in row):
        raise Unsure
    if abs(row.get("ts") or 0) >= 1 << 63:
        raise ValueError(row)
    return row


def _typed(name: str, text: str) -> Any:
    return None if text == "" else int(text) if name == "ts" else text


def _cut(data: bytes, draw: random.Random, _: str) -> bytes:
    return data[: draw.randrange(1, len(data))]


def _bits(data: bytes, draw: random.Random, _: str) -> bytes:
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 3, 30))):
        found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
    return bytes(found)


def _zeros(data: bytes, draw: random.Random, _: str) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes(len(data) - at)


def _twice(data: bytes, draw: random.Random, _: str) -> bytes:
    return data + data[draw.randrange(len(data)) :]


def _other(_: bytes, draw: random.Random, form: str) -> bytes:
    other = draw.choice([one for one in FORMATS if one != form])
    return data_of([{"id": "a", "ts": 1, "v": "x"}], other)


def _noise(_: bytes, draw: random.Random, __: str) -> bytes:
    return draw.randbytes(draw.choice((1, 4, 100, 5000)))


def _text(data: bytes, draw: random.Random, form: str) -> bytes:
    """Put an odd line where a text file has one; the file of another format gets it behind its end."""
    plain = gzip.decompress(data) if form.endswith(".gz") else data
    odd = draw.choice(
        (
            b'{"id": "a", "ts": 1\n',
            b'{"id": NaN, "ts": NaN, "v": 1}\n',
            b'{"id": "z", "ts": 99999999999999999999999, "v": "x"}\n',
            b'{"id": "z", "id": "y", "ts": 5, "v": "x"}\n',
            b"[" * 3000 + b"]" * 3000 + b"\n",
            b'{"id": "d", "ts": 1, "v": ' + b'{"a":' * 2000 + b"1" + b"}" * 2001 + b"\n",
            b"null\n",
            b"[1, 2]\n",
            b'"text"\n',
            b'"unclosed,1,x\n',
            b"a,b,c,d,e\n",
            b"\xff\xfe,1,x\n",
            b'{"id": "\xff\xfe", "ts": 1, "v": "x"}\n',
            b"a,not a number,x\n",
            b"\x00\x00,1,\x00\n",
            b"q\x1b[31m,1,x\n",
            b"only one\n",
            b",,\n",
            b"\xef\xbb\xbf",
        )
    )
    lines = plain.splitlines(keepends=True)
    lines.insert(draw.randrange(len(lines) + 1), odd)
    found = b"".join(lines)
    return gzip.compress(found) if form.endswith(".gz") else found


FAULTS: Final[dict[str, Callable[[bytes, random.Random, str], bytes]]] = {
    "cut": _cut,
    "bits": _bits,
    "zeros": _zeros,
    "twice": _twice,
    "another format": _other,
    "noise": _noise,
    "odd line": _text,
    "empty": lambda *_: b"",
}


def some_rows(draw: random.Random, count: int) -> list[Row]:
    """Draw plain rows."""
    texts = ("x", "y", None, "é", "a,b", 'q"q', "")
    return [{"id": draw.choice("abcdef"), "ts": draw.randrange(9), "v": draw.choice(texts)} for _ in range(count)]


def write(path: Path, data: bytes) -> Path:
    """Write a file below a folder that may have to be made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
