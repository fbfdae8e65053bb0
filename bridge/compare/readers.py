"""compare_readers: which rows of a table other releases' readers show differently, slice by slice."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.compare.other_engines import OTHER_ENGINES, ignores_logs, not_run
from bridge.compare.other_programs import compared_with, has_bundle, program_version, shown_by
from bridge.compare.readers_report import (
    BASE_FILES,
    HUDI_RS,
    KEY,
    PARTITION,
    READER,
    ReaderResult,
    ReadersReport,
    is_program,
    reader_of,
    released,
)
from bridge.compare.released_process import NotRunError
from bridge.compare.table_scope import differences_in_scope, in_scope, rows_in_scope
from bridge.engines import arrow_schema
from bridge.errors import ParameterError, PlanError, kind_of, sentence_of
from bridge.hudi import (
    ON_FRAMES,
    Differing,
    ReaderQuery,
    SliceReaders,
    UnmergedTableError,
    answer_columns,
    converted,
    files_of,
    shown_as_text,
    slices_in,
)
from bridge.merge import users_called
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT
from bridge.redaction import current, shown_message
from bridge.spark import META_COLUMNS, PySparkException, kept, map_in_arrow, quoted
from payloads import HudiRelease, PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.hudi import Answer, ComparedRows, HudiTable, SliceQuery, TableQueries
    from bridge.pipeline import Scope

_LIMITS = frozenset({PlanError.__name__, UnmergedTableError.__name__})
"""The errors of an engine that does not merge as a reader does."""
_ROWS, _LOGGED, _REASON = "_pb_rows", "_pb_logged", "_pb_reason"
_ONLY_LEFT, _ONLY_RIGHT, _CHANGED = KINDS
_SEEN, _REFUSED = "seen", "refused"
_COLUMNS = {
    READER: spark_types.IntegerType(),
    PARTITION: spark_types.StringType(),
    KEY: spark_types.StringType(),
    KIND: spark_types.StringType(),
    _ROWS: spark_types.LongType(),
    _LOGGED: spark_types.LongType(),
    _REASON: spark_types.StringType(),
}


def compare_readers(
    table: HudiTable,
    readers: Iterable[str | HudiRelease] | None = None,
    *,
    real: bool = False,
    scope: Scope | None = None,
) -> ReadersReport:
    """Read a table as other readers do, and find the rows that they show differently from the table's own reader.

    All readers read the same instant, each with the files that it finds, so the result is exact for the files as they
    are. Rows are compared without meta columns. One pass over the files serves all releases; a table that was opened
    for the native or the jvm engine is merged once for each.

    Args:
        table: the table, with the release that the others are compared with.
        readers: releases; `hudi-rs`, if the package `hudi` is installed; `base files` for engines that ignore log
            files; the name of another engine, of which only those that ignore log files are compared; or real and a
            release ('real 1.2') for its bundle. None for every other release that reads the table and can run its
            class, hudi-rs unless there is a scope, and base files where there may be logs.
        real: also run the bundle of each of these releases, that of the table's own reader first, each in a process of
            its own; their jars come from Maven Central.
        scope: the keys to compare, for releases and base files; other partitions are not read. `since` is
            an instant: the keys of which the files hold a version of that commit or a later one. Programs (hudi-rs,
            bundles) read whole tables, so they take no scope.

    Raises:
        HudiTableError, MergeFailedError: the table can't be read by its own reader. If only another reader fails, that
            reader is refused.
        PayloadConfigError: unknown release.
        PlanError: the scope does not suit the table, or a program is among the readers; or the engine does not merge
            the table. If it can't merge it as another reader does, that reader is not run.
    """
    names = _readers_of(table, readers, scope, real=real)
    opened = table.queries()
    snapshot = opened.snapshot()
    if scope is not None:
        snapshot = in_scope(table, snapshot, scope)
    results = {name: ReaderResult(name) for name in names}
    queries, apart = _queries_of(table, opened, snapshot, results, scope)
    row = _data_struct([each.query for each in queries.values()])
    current().learn(row.jsonValue())
    columns = _COLUMNS | {LEFT: row, RIGHT: row}
    kinds = spark_types.StructType([spark_types.StructField(*column) for column in columns.items()])
    with contextlib.ExitStack() as closing:
        own = None
        if _by_engine(opened):
            own = kept(table.rows_of(snapshot))
            closing.callback(own.unpersist)
            rows, logged, counted, frames = own.count(), None, {}, [table.spark.createDataFrame([], kinds)]
        else:
            task = functools.partial(_compare_slices, [*queries.values()], [*queries], arrow_schema(kinds))
            found = map_in_arrow(table.slices_of(snapshot), task, kinds)
            found = kept(found if scope is None else differences_in_scope(table, found, scope))
            closing.callback(found.unpersist)
            totals = (sf.count(sf.lit(1)), sf.sum(_ROWS), sf.sum(_LOGGED), sf.min(_REASON))
            counted = {
                (number, kind): values for number, kind, *values in found.groupBy(READER, KIND).agg(*totals).collect()
            }
            _, rows, logged, _ = counted.get((0, _SEEN), (0, 0, 0, None))
            frames = [found.where(sf.col(KIND).isin(*KINDS))]
        if scope is not None:
            rows, logged = rows_in_scope(table, scope).count(), None
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="payload-bridge-")))
        for number, name in enumerate(results, start=1):
            if results[name].refused is not None or results[name].not_run is not None:
                continue
            frame = None
            if is_program(name):
                ran, frame = _run(table, name, folder, opened.timeline.latest)
            elif name in apart:
                rows_here = table.rows_of(snapshot) if own is None else own
                ran, frame = _read_apart(table, name, rows_here, apart[name], scope, by_engine=own is not None)
            else:
                ran = _counted_result(name, number, counted)
            results[name] = ran
            if frame is not None:
                closing.callback(frame.unpersist)
                frames.append(_as_found(frame, number, kinds))
        every = functools.reduce(lambda one, other: one.unionByName(other), frames)
        answers, slices = tuple(results.values()), len(snapshot.slices)
        read = functools.partial(_all_rows, table, scope, own)
        return ReadersReport(
            table, opened.timeline.latest, answers, rows, logged, slices, every, read, scope, closing.pop_all()
        )


def _all_rows(table: HudiTable, scope: Scope | None, own: DataFrame | None, columns: Sequence[str]) -> DataFrame:
    """Return the rows of the table's own reader, those in a scope, with some columns; `own` has them all already."""
    if scope is not None:
        own = rows_in_scope(table, scope)
    return table.snapshot(columns=columns) if own is None else own.select(*map(quoted, columns))


def _queries_of(
    table: HudiTable,
    opened: TableQueries,
    snapshot: Answer,
    results: dict[str, ReaderResult],
    scope: Scope | None,
) -> tuple[dict[int, ReaderQuery], dict[str, Answer]]:
    """Return the queries of readers of the same files, by number, 0 the table's own; and the answers from other files.

    An engine merges each answer by itself. Notes in `results` who refuses the table.
    """
    queries, apart = {0: ReaderQuery(snapshot.query)}, {}
    for number, name in enumerate(results, start=1):
        if is_program(name):
            continue
        bases_only = name == BASE_FILES or ignores_logs(name)
        if name in OTHER_ENGINES and not bases_only:
            results[name] = ReaderResult(name, not_run=not_run(name))
            continue
        try:
            answer = opened.read_optimized() if bases_only else opened.read_by(name).snapshot()
            if scope is not None:
                answer = in_scope(table, answer, scope)
        except PayloadBridgeError as error:
            results[name] = ReaderResult(name, refused=sentence_of(error))
            continue
        own, theirs = (files_of(one.slices, bases_only=bases_only) for one in (snapshot, answer))
        if own == theirs and not _by_engine(opened):
            queries[number] = ReaderQuery(answer.query, bases_only=bases_only)
        else:
            apart[name] = answer
    return queries, apart


def _counted_result(name: str, number: int, counted: Mapping[tuple[int, str], Sequence[Any]]) -> ReaderResult:
    """Return what the tasks counted for a reader."""
    reason = counted.get((number, _REFUSED), [None])[-1]
    if reason:
        return ReaderResult(name, refused=shown_message(reason))
    return ReaderResult(name, *(counted.get((number, kind), [0])[0] for kind in KINDS))


def _run(table: HudiTable, name: str, folder: Path, instant: str | None) -> tuple[ReaderResult, DataFrame | None]:
    """Let another program read the table; return its result, and the rows that differ, kept."""
    try:
        program = program_version(name, table.spark)
    except NotRunError as error:
        return ReaderResult(name, not_run=str(error)), None
    try:
        found = kept(compared_with(table, table.snapshot(), shown_by(name, table, folder)))
        counts = {row[0]: row[1] for row in found.groupBy(KIND).count().collect()}
    except NotRunError as error:
        return ReaderResult(name, not_run=str(error)), None
    except (PayloadBridgeError, PySparkException) as error:
        return ReaderResult(name, refused=sentence_of(error), program=program), None
    if table.queries().timeline.latest != instant:
        found.unpersist()
        return ReaderResult(name, not_run="the table was written during the run; run it again"), None
    result = ReaderResult(name, *(counts.get(kind, 0) for kind in KINDS))
    return result._replace(program=program), found


def _by_engine(opened: TableQueries) -> bool:
    """Whether an engine on frames merges the table, one reader after the other."""
    return opened.plan.engine in ON_FRAMES


def _read_apart(  # noqa: PLR0913 (two answers, and how they are compared)
    table: HudiTable, name: str, own: DataFrame, answer: Answer, scope: Scope | None, *, by_engine: bool
) -> tuple[ReaderResult, DataFrame | None]:
    """Compare the table's own rows with an answer; return the result, and the rows that differ, kept."""
    try:
        found = compared_with(table, own, table.rows_of(answer))
        found = kept(found if scope is None else differences_in_scope(table, found, scope))
        counts = {row[0]: row[1] for row in found.groupBy(KIND).count().collect()}
    except (PayloadBridgeError, PySparkException) as error:
        if by_engine and kind_of(error) in _LIMITS:
            return ReaderResult(name, not_run=sentence_of(error)), None
        return ReaderResult(name, refused=sentence_of(error)), None
    return ReaderResult(name, *(counts.get(kind, 0) for kind in KINDS)), found


def _as_found(frame: DataFrame, number: int, kinds: spark_types.StructType) -> DataFrame:
    """Return the rows that differ for a program in the columns of those that tasks find."""
    given = {READER: sf.lit(number)}
    return frame.select(
        *(
            (given[one.name] if one.name in given else sf.col(one.name) if one.name in frame.columns else sf.lit(None))
            .cast(one.dataType)
            .alias(one.name)
            for one in kinds
        )
    )


def _readers_of(
    table: HudiTable, readers: Iterable[str | HudiRelease] | None, scope: Scope | None, *, real: bool
) -> list[str]:
    """Return the names of the readers that run; errors as in `compare_readers`."""
    names = _default_readers(table) if readers is None else [reader_of(reader) for reader in readers]
    if scope is not None:
        if readers is None:
            names.remove(HUDI_RS)
        if real or any(map(is_program, names)):
            msg = "hudi-rs and released bundles read whole tables; leave `scope` out"
            raise ParameterError(msg)
    return names + (_bundles(table, None if readers is None else names) if real else [])


def _default_readers(table: HudiTable) -> list[str]:
    # A compiled class runs under the releases alone that have a bundle for this Spark.
    is_compiled = table.queries().plan.runs_java
    others = (release for release in table.readers if release is not table.release)
    releases = [str(release) for release in others if not is_compiled or has_bundle(release)]
    return [*releases, HUDI_RS, *([BASE_FILES] if table.is_merge_on_read else [])]


def _bundles(table: HudiTable, names: Sequence[str] | None) -> list[str]:
    """Return the bundles that run: those of the named releases, or of all that have one for this Spark."""
    if names is not None:
        wanted = [table.release, *(HudiRelease.asked(name) for name in names if name[:1].isdecimal())]
        return [*map(released, dict.fromkeys(wanted))]
    return [released(release) for release in table.readers if has_bundle(release)]


def _data_struct(queries: Sequence[SliceQuery]) -> spark_types.StructType:
    """Return the data columns of several queries: as text, where one of them shows text."""
    texts = {name for query in queries for name in query.text_columns} | shown_as_text(queries)
    own = [field for field in answer_columns(queries[0]) if field.name not in META_COLUMNS]
    return spark_types.StructType(
        [spark_types.StructField(f.name, spark_types.StringType() if f.name in texts else f.dataType) for f in own]
    )


@users_called(lambda queries: queries[0].query.plan)
def _compare_slices(
    queries: list[ReaderQuery], numbers: list[int], schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Compare the readers of one task's slices, one after another; `numbers` has what each is called in the result."""
    readers = SliceReaders(queries)
    for found in slices_in(batches):
        for part in readers.compare(found):
            yield _rows_of(part, numbers, found.partition, schema)


def _rows_of(part: Differing | ComparedRows, numbers: list[int], partition: str, schema: pa.Schema) -> pa.RecordBatch:
    if not isinstance(part, Differing):
        rows = [{READER: 0, KIND: _SEEN, _ROWS: part.rows, _LOGGED: len(part.logged)}]
        rows += [{READER: numbers[at], KIND: _REFUSED, _REASON: reason} for at, reason in part.refused.items()]
        return pa.RecordBatch.from_pylist(rows, schema=schema)
    kind = pc.if_else(pc.is_null(part.right), _ONLY_LEFT, pc.if_else(pc.is_null(part.left), _ONLY_RIGHT, _CHANGED))
    given = {
        READER: pa.repeat(pa.scalar(numbers[part.reader], pa.int32()), len(part.keys)),
        PARTITION: pa.repeat(partition, len(part.keys)),
        KEY: pa.array(part.keys, pa.string()),
        KIND: kind,
        LEFT: converted(part.left, schema.field(LEFT).type),
        RIGHT: converted(part.right, schema.field(RIGHT).type),
    }
    columns = [given[one.name] if one.name in given else pa.nulls(len(part.keys), one.type) for one in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
