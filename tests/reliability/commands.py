"""Command lines of every verb with one bad input: an option, a file, a table's properties, odd columns or values."""

from __future__ import annotations

import json
import math
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from bridge.cli import main
from tests.reliability.contents import DDL, FAULTS, FORMATS, Unsure, data_of, rows_in, some_rows, write
from tests.reliability.outcomes import ANSWERED, LEFT, WRONG, Outcome, of_command
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

    from click.testing import Result

Rows = list[dict[str, Any]]
_PLAN: Final = ("--mode", "COMMIT_TIME_ORDERING", "--key", "id", "--schema", "rows.ddl")
_PAYLOAD: Final = ("--payload", "OverwriteWithLatestAvroPayload", "--key", "id", "--schema", "rows.ddl")
BASES: Final[dict[str, tuple[str, ...]]] = {
    "check-cluster": ("check-cluster", "days"),
    "compare-readers": ("compare-readers", "table"),
    "demo": ("demo", "--dry-run"),
    "diff": ("diff", "table", "--against", "table"),
    "explain": ("explain", "--batches", "days", "--row", "a", *_PLAN),
    "history": ("history", "table"),
    "inspect": ("inspect", "table"),
    "merge": ("merge", "upsert", "--stored", "days/1.FORM", "--incoming", "days/2.FORM", *_PLAN),
    "merge-into": ("merge-into", "table", "--incoming", "days/1.FORM", "--dry-run"),
    "migrate": ("migrate", "--batches", "days", *_PAYLOAD),
    "pack": ("pack", "--out", "x.tar.gz", "--dry-run"),
    "payloads": ("payloads", "DefaultHoodieRecordPayload"),
    "plan": ("plan", "table", "--to", "1.2"),
    "rehearse": ("rehearse", "table", "--to", "1.2", "--copy", "copy", "--dry-run"),
    "replay": ("replay", "--batches", "days", "--from", "0.15", "--to", "1.2", *_PAYLOAD),
    "simulate": ("simulate", "--batches", "days", *_PLAN),
    "snapshot": ("snapshot", "table"),
    "verify": ("verify", "OverwriteWithLatestAvroPayload", "--schema", "rows.avsc", "--key", "id", "--examples", "3"),
}
"""A right command line of each verb, in the folder that `Place` makes; `FORM` is the suffix of the files."""
_ON_FILES: Final = ("explain", "merge", "migrate", "replay", "simulate")
_ON_TABLES: Final = ("compare-readers", "diff", "history", "inspect", "plan", "snapshot")
_NOT_DRAWN: Final = {"--help", "--package", "--bundle", "--with", "--redact", "--examples", "--real"}
"""Options that would load from the network, run real Hudi or build for minutes, or are drawn elsewhere."""
_TEXTS: Final = (
    *("", " ", "0", "-1", "1.5", "99999999999999999999", "nan", "a,a", ",", "a,,b", "=", "a=", "=b", "*", "[", "a`b"),
    *(
        "\x1b[31mred\x1b[0m",
        "error: forged\nerror: twice",
        "\u202eabc",
        "é\U0001f600",
        "x" * 5000,
        "%s%n",
        "{0}",
        "\\",
        '"',
    ),
    *(
        "rows.ddl",
        "days",
        ".",
        "..",
        "/",
        "/dev/null",
        "/proc/self/mem",
        "no/such/file",
        "s3a://",
        "file:",
        "://x",
        "~",
    ),
    *("days/1.FORM", "bad.jar", "bad.avsc", "bad.properties", "https://u:p@x/y", "tests.reliability:None", "os:system"),
    *(
        "com.acme.Missing",
        "a.b",
        "id",
        "ts",
        "v",
        "ID",
        "1.2",
        "0.15",
        "1.2.9",
        "0.9",
        "CUSTOM",
        "1=upsert",
        "9=delete",
    ),
    *("hoodie.table.name=\x00", "hoodie.payload.ordering.field=\n", "id=a", "part=", "1%", "200%", "1e-9"),
)


class Place:
    """The folder of one input, which is the working directory of its command."""

    def __init__(self, folder: Path, draw: random.Random) -> None:
        self.folder, self.form = folder, draw.choice(FORMATS)
        self.batches = [some_rows(draw, draw.randrange(1, 5)) for _ in range(2)]
        for number, rows in enumerate(self.batches, start=1):
            write(self.batch(number), data_of(rows, self.form))
        write(folder / "rows.ddl", DDL.encode())
        fields = [{"name": n, "type": t} for n, t in (("id", "string"), ("ts", "long"), ("v", "string"))]
        write(folder / "rows.avsc", json.dumps({"type": "record", "name": "row", "fields": fields}).encode())
        write(folder / "bad.jar", FAULTS["noise"](b"", draw, "jar"))
        write(
            folder / "bad.avsc",
            draw.choice((b"", b"{", b'{"type": "record"}', b"[" * 2000, b"\xff", b'"no such type"')),
        )
        write(folder / "bad.properties", draw.choice((b"", b"\\u12", b"=\n=\n", b"\x00\x1b[31m=\xff", b"a\\")))
        made = MadeTable(folder / "table", {"id": "string", "part": "string", "ts": "long"})
        made.base("g1", pa.table({"id": ["a", "b"], "part": ["p", "p"], "ts": [1, 2]}))
        made.commit()
        made.log("g1", "p", [{"id": "a", "part": "p", "ts": 3}], 1)
        made.commit(1)

    def batch(self, number: int) -> Path:
        """Return the path of a batch."""
        return self.folder / "days" / f"{number}.{self.form}"

    def words(self, verb: str) -> list[str]:
        """Return the right command line of a verb."""
        return [word.replace("FORM", self.form) for word in BASES[verb]]


def run(words: Sequence[str], folder: Path) -> tuple[Result, Outcome]:
    """Run a command in a folder, and judge what it says and leaves."""
    before = _names(folder)
    result = CliRunner().invoke(main, list(words), catch_exceptions=True)
    outcome = of_command(result)
    left = _names(folder) - before
    if left and result.exit_code not in {0, 1} and outcome.kind != LEFT:
        outcome = Outcome(LEFT, f"{sorted(left)[:5]} after: {outcome.told}")
    hidden = {name for name in left if Path(name).parts[0].startswith(".")}
    return result, Outcome(LEFT, str(sorted(hidden)[:5])) if hidden else outcome


def _names(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.name not in {"metastore_db", "derby.log"}
    }


_WIDE: Final = 0.01
"""The share of inputs of thousands of columns or tens of megabytes."""


def bad_option(verb: str, place: Place, draw: random.Random) -> tuple[list[str], Outcome]:
    """Give one option of a verb, or its argument, an odd text."""
    command = main.commands[verb]
    options = [one for one in command.params if not _NOT_DRAWN.intersection(one.opts)]
    option = draw.choice(options)
    text = draw.choice(_TEXTS).replace("FORM", place.form)
    words = place.words(verb)
    if isinstance(option, click.Argument):
        words[1] = text
    elif getattr(option, "is_flag", False):
        words.append(option.opts[0])
        if draw.random() < 0.5:
            words.append(text)
    else:
        words += [option.opts[0], text]
    words += ["--quiet", *(["--output", "json"] if draw.random() < 0.3 and option.opts[0] != "--output" else [])]
    return words, run(words, place.folder)[1]


def bad_file(verb: str, place: Place, draw: random.Random) -> tuple[list[str], Outcome]:
    """Damage one batch; what is read must be what another reader reads, or what was there."""
    fault, number = draw.choice(sorted(FAULTS)), draw.randrange(2)
    whole = place.batch(number + 1).read_bytes()
    data = FAULTS[fault](whole, draw, place.form)
    write(place.batch(number + 1), data)
    words = [*place.words(verb), "--quiet", "--output", "json"]
    result, outcome = run(words, place.folder)
    if outcome.kind != ANSWERED or verb not in {"merge", "simulate"}:
        return [fault, *words], outcome
    try:
        read = rows_in(data, place.form)
    except Unsure:
        return [fault, *words], outcome
    shown, expected = _shown(verb, result), []
    for rows in (read, place.batches[number]):
        if rows is not None:
            batches = [list(one) for one in place.batches]
            batches[number] = rows
            expected.append(_last(batches, as_csv=place.form.startswith("csv")))
    if shown not in expected:
        outcome = Outcome(
            WRONG, f"{fault} {place.form}: shows {shown}, {'no reader reads it' if read is None else expected[0]}"
        )
    return [fault, *words], outcome


def bad_properties(verb: str, place: Place, draw: random.Random) -> tuple[list[str], Outcome]:
    """Damage `hoodie.properties` or the schema file of a verb."""
    path = place.folder / "table" / ".hoodie" / "hoodie.properties"
    if verb not in _ON_TABLES:
        path = place.folder / ("rows.avsc" if verb == "verify" else "rows.ddl")
    data = path.read_bytes()
    lines = data.split(b"\n")
    odd = (
        *(
            b"hoodie.table.name=\x1b[31mred\nhoodie.table.version=6",
            b"hoodie.table.version=99",
            b"hoodie.table.version=x",
        ),
        *(b"hoodie.table.precombine.field=\xff\xfe", b"hoodie.table.recordkey.fields=", b"hoodie.table.type=NEITHER"),
        *(b"\\u12zz", b"hoodie.table.partition.fields=..", b"hoodie.compaction.payload.class=a\\nerror: forged"),
        *(b"hoodie.compaction.payload.class=os:system", b"hoodie.record.merge.mode=CUSTOM", b"id string, id string"),
        *(
            b"hoodie.table.base.file.format=NONE",
            b"x" * 100_000 + b"=1",
            b"hoodie.table.recordkey.fields=" + b"a," * 3000 + b"z",
        ),
    )
    what = draw.choice(("odd", "odd", "drop", *(f for f in FAULTS if f != "another format")))
    if what == "odd":
        data += b"\n" + draw.choice(odd) + b"\n"
    elif what == "drop":
        lines.pop(draw.randrange(len(lines)))
        data = b"\n".join(lines)
    else:
        data = FAULTS[what](data, draw, "properties")
    path.write_bytes(data)
    words = [*place.words(verb), "--quiet", *(["--output", "json"] if draw.random() < 0.3 else [])]
    return [what, *words], run(words, place.folder)[1]


_NAMES: Final = (
    "a.b",
    "a`b",
    "a'b",
    'a"b',
    "\U0001f600",
    "a b",
    "é",
    "x" * 1000,
    "ID",
    "Id",
    "1a",
    "a-b",
    "",
    "_hoodie_x",
    "_pb_x",
)
_KEYS: Final[tuple[tuple[Any, Any], ...]] = (
    (pa.float64(), (0.0, -0.0, math.nan, math.inf, 1.5)),
    (pa.int64(), (2**63 - 1, -(2**63), 0)),
    (pa.string(), ("", "\x00", "\x1b[31m", "\U0001f600", "x" * 1000, "a:b", "a,b", "__null__", "a")),
    (pa.bool_(), (True, False)),
    (pa.binary(), (b"\xff", b"a")),
    (pa.date32(), (0, -719162 - 5, 2932896)),
)


def odd_rows(_verb: str, place: Place, draw: random.Random) -> tuple[list[str], Outcome]:
    """Merge rows with an odd column name, or odd values of the key and the ordering column."""
    kind, values = draw.choice(_KEYS)
    ordering = draw.choice((pa.float64(), pa.int64()))
    orders = (
        (0.0, -0.0, math.nan, math.inf, -math.inf, 1.5) if ordering == pa.float64() else (2**63 - 1, -(2**63), 0, 7)
    )
    name = draw.choice(_NAMES) if draw.random() < 0.5 else "n"
    nulls = draw.random() < 0.2
    batches: list[Rows] = []
    for number in (1, 2):
        rows = [
            {"id": draw.choice((*values, None) if nulls else values), "ts": draw.choice(orders), name: f"{number}-{at}"}
            for at in range(draw.randrange(4))
        ]
        batches.append(list({repr(row["id"]): row for row in rows}.values()) if number == 1 else rows)
        schema = pa.schema([("id", kind), ("ts", ordering), (name, pa.string())])
        out = place.folder / "odd"
        out.mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows if number == 2 else batches[0], schema), out / f"{number}.parquet")
    key = "id" if draw.random() < 0.7 else draw.choice(("id", name, "id,id", "ID"))
    words = ["merge", "upsert", "--stored", "odd/1.parquet", "--incoming", "odd/2.parquet", "--key", key]
    words += ["--mode", "EVENT_TIME_ORDERING", "--ordering", "ts", "--quiet", "--output", "json"]
    result, outcome = run(words, place.folder)
    if outcome.kind != ANSWERED or key != "id" or kind in {pa.binary(), pa.date32()}:
        return words, outcome
    shown = sorted(_text(row) for row in json.loads(result.stdout)["results"])
    found = sorted(_text(row) for row in _latest(batches))
    if shown != found:
        return words, Outcome(WRONG, f"{batches} shows {shown}")
    return words, outcome


def _latest(batches: Iterable[Rows]) -> Rows:
    """Merge by event time as Java compares doubles; a tie is the later row's."""
    found: dict[str, dict[str, Any]] = {}
    for rows in batches:
        for row in rows:
            key = repr(row["id"])
            if key not in found or _java(row["ts"]) >= _java(found[key]["ts"]):
                found[key] = row
    return list(found.values())


def _java(value: float) -> tuple[int, float, int]:
    if isinstance(value, int):
        return (0, value, 0)
    if math.isnan(value):
        return (1, 0.0, 0)
    return (0, value, 0 if struct.pack(">d", value)[0] & 0x80 else 1)


def _text(row: dict[str, Any]) -> str:
    """Write a row so that NaN and -0.0 are told apart, whichever way JSON has them."""
    words = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}  # as JSON has them
    texts = {name: str(value) if isinstance(value, float) else value for name, value in row.items()}
    return repr({name: words.get(str(text), text) for name, text in sorted(texts.items())})


def _shown(verb: str, result: Result) -> Rows:
    found = json.loads(result.stdout)["results"]
    return sorted(found[-1]["snapshot"] if verb == "simulate" else found, key=repr)


def _last(batches: Iterable[Rows], *, as_csv: bool) -> Rows:
    """Merge by commit time: the last row of a key stays."""
    found = {row["id"]: row for rows in batches for row in rows}
    if as_csv:  # an empty field is null
        found = {
            key: {name: None if value == "" else value for name, value in row.items()} for key, row in found.items()
        }
    return sorted(found.values(), key=repr)


def wide(place: Place, draw: random.Random) -> tuple[list[str], Outcome]:
    """Merge rows of 3,000 columns, or with a value of 50 MiB, or nested deeply."""
    out, what = place.folder / "wide", draw.choice(("columns", "large", "deep"))
    out.mkdir()
    row: dict[str, Any] = {"id": "a"}
    if what == "columns":
        row |= {f"c{number}": number for number in range(3000)}
    elif what == "large":
        row |= {"v": "x" * (50 << 20)}
    else:
        value: Any = 1
        for _ in range(60):
            value = {"a": value}
        row |= {"v": value}
    pq.write_table(pa.Table.from_pylist([row]), out / "1.parquet")
    words = ["merge", "upsert", "--stored", "wide/1.parquet", "--incoming", "wide/1.parquet", "--key", "id"]
    words += ["--mode", "COMMIT_TIME_ORDERING", "--quiet", "--output", "json"]
    result, outcome = run(words, place.folder)
    if outcome.kind == ANSWERED and json.loads(result.stdout)["results"] != [row]:
        outcome = Outcome(WRONG, f"{what}: {result.stdout[:300]}")
    return [what, *words], outcome


def drawn(verb: str, folder: Path, draw: random.Random) -> tuple[list[str], Outcome]:
    """Run a verb with one bad input."""
    place = Place(folder, draw)
    kinds = [bad_option]
    kinds += [bad_file, bad_file] if verb in _ON_FILES else []
    kinds += [bad_properties] if verb in (*_ON_TABLES, "verify", "simulate") else []
    if verb == "merge":
        kinds += [odd_rows, odd_rows]
    if draw.random() < _WIDE and verb == "merge":
        return wide(place, draw)
    chosen = draw.choice(kinds)
    try:
        return chosen(verb, place, draw)
    finally:
        shutil.rmtree(folder / "spark-warehouse", ignore_errors=True)
