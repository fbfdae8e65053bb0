"""Loads recorded tables, asks each in this process what real Hudi was asked, and compares the answers."""

from __future__ import annotations

import base64
import collections
import datetime
import decimal
import functools
import gzip
import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JJavaError

from bridge.errors import sentence_of
from bridge.hudi import HudiTable, SliceReader, TableQueries, UnmergedTableError
from bridge.spark import META_COLUMNS, PySparkException
from payloads.errors import PayloadBridgeError
from tests.conformance.histories import columns_of, parse_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from bridge.hudi import Answer

    JsonRow = dict[str, Any]

_SEQUENCE = "_hoodie_commit_seqno"
_HISTORIES = ("history.json", "history.json.gz")
_ANSWERS = ("expected.json", "expected.json.gz")


class Check(NamedTuple):
    """One question to one table.

    Attributes:
        table: its folder.
        question: `file_slices`, `snapshot`, `as_of INSTANT`, ...
        problem: the first differences, or what failed; empty where the answer is real Hudi's.
        is_refusal: whether this project refused, with `problem` as the reason.
        is_misread: whether real Hudi's answer is none, because it mixed the columns up, and this project refused.
        has_logs: whether versions were to be merged.
    """

    table: str
    question: str
    problem: str = ""
    is_refusal: bool = False
    is_misread: bool = False
    has_logs: bool = True


class Opened(NamedTuple):
    """A table, and how its answers are read.

    Attributes:
        queries: what answers.
        rows_of: gives the rows of an answer as the archive writes them.
    """

    queries: TableQueries
    rows_of: Callable[[Answer], list[JsonRow]]


class Recorded(NamedTuple):
    """A table and what real Hudi answered.

    Attributes:
        folder: holds `table/`.
        label: the last two parts of its path.
        answers: the content of `expected.json` or `history.json`, which may be compressed.
    """

    folder: Path
    label: str
    answers: dict[str, Any]

    @property
    def release(self) -> str:
        """The release that wrote, and read, last."""
        commits = self.answers.get("commits") or [{}]
        return str(commits[-1].get("hudi_version") or self.answers["hudi_version"])


def answer_files(directory: Path) -> list[Path]:
    """Return the files with the answers for the recorded tables below a directory, by path."""
    named = (path for path in directory.rglob("*.json*") if path.name in {*_ANSWERS, *_HISTORIES})
    return sorted(path for path in named if (path.parent / "table").is_dir())


def load(directory: Path, release: str | None = None, case: str | None = None) -> Iterator[Recorded]:
    """Give the recorded tables below a directory, by path; `case` is the name of a folder."""
    for path in answer_files(directory):
        folder = path.parent
        if case not in {None, folder.name}:
            continue
        data = path.read_bytes()
        answers = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
        found = Recorded(folder, f"{folder.parent.name}/{folder.name}", answers)
        if release is None or f"{found.release}.".startswith(f"{release}."):
            yield found


def opened(recorded: Recorded) -> Opened:
    """Open a table to be read in this process."""
    return Opened(TableQueries(*_place(recorded), bootstrap=_source(recorded)), rows_of)


def opened_by(engine: str, spark: SparkSession, recorded: Recorded) -> Opened:
    """Open a table whose snapshots an engine merges on Spark; what the engine refuses there is a refusal."""
    table = HudiTable(spark, *_place(recorded), bootstrap=_source(recorded), engine=engine)  # type: ignore[arg-type]

    def merged(answer: Answer) -> list[JsonRow]:
        try:
            batches = collected(table.rows_of(answer))
        except (PySparkException, Py4JJavaError) as error:  # the latter from PySpark 3.3
            told = sentence_of(error)
            if "use the python engine" not in told:
                raise
            raise UnmergedTableError(told) from error
        return [row for batch in batches for row in json_rows(batch)]

    return Opened(table.queries(), merged)


def collected(frame: DataFrame) -> list[pa.RecordBatch]:
    """Return the rows of a frame as Arrow has them, whatever the time zone of this process."""
    as_arrow = getattr(frame, "toArrow", None)  # from PySpark 4.0 on
    return frame._collect_as_arrow() if as_arrow is None else as_arrow().to_batches()


def _place(recorded: Recorded) -> tuple[str, str]:
    return str(recorded.folder / "table"), recorded.release


def _source(recorded: Recorded) -> str | None:
    source = recorded.folder / "source"
    return str(source) if source.is_dir() else None


def check(
    recorded: Recorded, open_table: Callable[[Recorded], Opened] = opened, *, merges: bool = False
) -> Iterator[Check]:
    """Ask a table everything that real Hudi was asked; or, if `merges`, what merges the table as it is now."""
    try:
        if "commits" in recorded.answers:
            yield from _check_history(recorded, open_table)
        else:
            yield from _check_table(recorded, open_table, merges=merges)
    except PayloadBridgeError as error:
        yield Check(recorded.label, "open", f"{type(error).__name__}: {error}", is_refusal=True)


def _check_table(recorded: Recorded, open_table: Callable[[Recorded], Opened], *, merges: bool) -> Iterator[Check]:
    expected, label = recorded.answers, recorded.label
    if expected.get("table_version", "not noted") is None:
        return
    table = open_table(recorded)
    refused = expected.get("refused") or {}
    if "file_slices" in expected and not merges:
        yield Check(label, "file_slices", _slices_differ(table.queries, expected["file_slices"]))
    for question, rows, ask in questions(table.queries, expected):
        if question not in refused and (question.startswith("snapshot") or not merges):
            done = _compared(label, question, functools.partial(_table_difference, table, rows, ask))
            is_misread = done.is_refusal and "mixes the columns up" in done.problem and any(map(_is_shifted, rows))
            yield done._replace(is_misread=is_misread, has_logs=not merges or _has_logs(table.queries))


def _has_logs(table: TableQueries) -> bool:
    return any(one.data_logs for one in table.snapshot().slices)


def _is_shifted(row: JsonRow) -> bool:
    """Whether a row has its sequence number where its record key should be, as read with another schema's offsets."""
    return re.fullmatch(rf"{row['_hoodie_commit_time']}_\d+_\d+", str(row["_hoodie_record_key"])) is not None


def questions(
    table: TableQueries, expected: dict[str, Any]
) -> Iterator[tuple[str, list[JsonRow], Callable[[], Answer]]]:
    """Give each question that real Hudi answered, its rows, and what asks a table."""
    if expected.get("snapshot") is not None:
        yield "snapshot", expected["snapshot"], table.snapshot
    if expected.get("snapshot_schema_on_read") is not None:
        ask = functools.partial(table.snapshot, schema_on_read=True)
        yield "snapshot_schema_on_read", expected["snapshot_schema_on_read"], ask
    if expected.get("read_optimized") is not None:
        yield "read_optimized", expected["read_optimized"], table.read_optimized
    for instant, rows in (expected.get("as_of") or {}).items():
        yield f"as_of {instant}", rows, functools.partial(table.snapshot, instant)
    for begin, rows in (expected.get("incremental") or {}).items():
        yield f"incremental {begin}", rows, functools.partial(table.incremental, begin)
    for span, rows in (expected.get("incremental_until") or {}).items():
        yield f"incremental_until {span}", rows, functools.partial(table.incremental, *span.split())


def _check_history(recorded: Recorded, open_table: Callable[[Recorded], Opened]) -> Iterator[Check]:
    """Compare the table that a history left behind with its last snapshot, without meta columns."""
    history = recorded.answers
    if history.get("error"):  # the table has a commit that real Hudi failed to read
        return
    table = open_table(recorded)
    kinds = columns_of(history["schema_ddl"])
    last = history["commits"][-1]["snapshot"]
    rows = [row if isinstance(row, dict) else dict(zip(kinds, row, strict=True)) for row in last]
    done = _compared(recorded.label, "snapshot", lambda: _history_difference(kinds, rows, table))
    yield done._replace(has_logs=_has_logs(table.queries))


def _compared(label: str, question: str, difference: Callable[[], str]) -> Check:
    try:
        return Check(label, question, difference())
    except PayloadBridgeError as error:
        return Check(label, question, f"{type(error).__name__}: {error}", is_refusal=True)
    except Exception as error:  # noqa: BLE001 (one table that fails must not hide the others)
        return Check(label, question, f"failed: {type(error).__name__}: {error}")


def _table_difference(table: Opened, rows: list[JsonRow], ask: Callable[[], Answer]) -> str:
    answer = ask()
    found = table.rows_of(answer)
    told = difference(rows, found if table.queries.properties.has_meta_fields else without_meta(found))
    if told or table.rows_of is rows_of:
        return told
    return difference(rows_of(answer), found, whole=True)  # the sequence numbers of commits, too


def _history_difference(kinds: dict[str, str], rows: list[JsonRow], table: Opened) -> str:
    def typed(row: JsonRow) -> JsonRow:
        return {name: None if value is None else str(parse_value(kinds[name], value)) for name, value in row.items()}

    return difference(map(typed, rows), map(typed, without_meta(table.rows_of(table.queries.snapshot()))))


def rows_of(answer: Answer) -> list[JsonRow]:
    """Return the rows of a query as the archive writes them."""
    reader = SliceReader(answer.query)
    return [row for found in answer.slices for batch in reader.read(found) for row in json_rows(batch)]


def json_rows(batch: pa.RecordBatch) -> Iterator[JsonRow]:
    """Give the rows of a batch as JSON-like values."""
    for row in batch.to_pylist(maps_as_pydicts="strict"):
        yield {name: _json(value) for name, value in row.items()}


def without_meta(rows: Iterable[JsonRow]) -> list[JsonRow]:
    """Return rows without meta columns, which the archive leaves out for tables that have none."""
    return [{name: value for name, value in row.items() if name not in META_COLUMNS} for row in rows]


def _json(value: Any) -> Any:  # noqa: PLR0911 (one a type)
    match value:
        case datetime.datetime():
            plain = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
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
            return {key if isinstance(key, str) else str(_json(key)): _json(item) for key, item in value.items()}
        case list():
            return [_json(item) for item in value]
        case _:
            return value


def difference(expected: Iterable[JsonRow], found: Iterable[JsonRow], *, whole: bool = False) -> str:
    """Say how two multisets of rows differ; empty where they do not. Sequence numbers count in a `whole` comparison."""
    text = functools.partial(json.dumps, sort_keys=True, ensure_ascii=False) if whole else row_text
    wanted, got = collections.Counter(map(text, expected)), collections.Counter(map(text, found))
    missing, added = sorted((wanted - got).elements()), sorted((got - wanted).elements())
    if not missing and not added:
        return ""
    lines = [f"{len(missing)} missing, {len(added)} too many"]
    lines += [f"missing:  {text}" for text in missing[:2]] + [f"too many: {text}" for text in added[:2]]
    return "\n    ".join(lines)


def row_text(row: JsonRow) -> str:
    """Return what a row says, the commit's sequence number apart."""
    return json.dumps({k: v for k, v in row.items() if k != _SEQUENCE}, sort_keys=True, ensure_ascii=False)


def _slices_differ(table: TableQueries, expected: list[dict[str, Any]]) -> str:
    latest = table.timeline.latest
    found = table.slices.latest(latest) if latest else []
    got = {(s.partition, s.file_id, s.base_instant, s.base_file, frozenset(s.log_files)) for s in found}
    names = ("partition", "file_id", "base_instant", "base_file")
    wanted = {(*(s[name] for name in names), frozenset(s["log_files"])) for s in expected}
    return "" if got == wanted else f"missing {sorted(wanted - got, key=str)}; too many {sorted(got - wanted, key=str)}"
