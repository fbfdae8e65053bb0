"""The reports of compared readers: one line a reader, or the rows that change when readers are upgraded first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.compare.grade import Grade
from bridge.compare.replay_report import keys_table, kinds_of
from bridge.report import SAMPLE, Check, Report, Table, limit_of

if TYPE_CHECKING:
    from bridge.compare.differing import Difference
    from bridge.compare.readers import ReaderResult, ReadersReport

BASE_FILES = "base files"
"""The reader of engines that know no logs: it shows the rows of the base files."""

_BY_RULES = "by the rules of the release, as recorded from real Hudi"
_BY_DOCUMENTATION = "by documentation: Trino, Athena and Presto show this for read-optimized tables"
_PROOF = (
    "Exact for the files as they are: this is what queries change if readers are upgraded first, and what the "
    "compaction stores that an upgrade begins with. It says nothing of rows that are still to be written."
)


def reader_name(reader: str) -> str:
    """Return what a reader is called in texts."""
    return reader if reader == BASE_FILES else f"Hudi {reader}"


def grade_of(result: ReaderResult) -> Grade:
    """Return how far a reader agrees with the first one."""
    if result.refused is not None:
        return Grade.REFUSED
    return Grade.IDENTICAL_HERE if result.agrees else Grade.DIFFERS


def verdict_of(found: ReadersReport) -> str:
    """Return the result of all readers in a sentence or two."""
    differing = [result for result in found.results if not result.agrees]
    if not differing:
        return f"All readers show the {found.rows} rows that Hudi {found.reader} shows."
    each = "; ".join(f"{reader_name(result.reader)} {_short(result)}" for result in differing)
    return f"Of the {found.rows} rows that Hudi {found.reader} shows, others show some differently: {each}."


def _short(result: ReaderResult) -> str:
    if result.refused is not None:
        return "can't read the table"
    return f"{result.total} row{'' if result.total == 1 else 's'}"


def report_readers(found: ReadersReport, sample: int | None) -> Report:
    """Report every reader with its counts and its first example; `sample` rows of each in the results, or all."""
    report = Report("compare-readers", verdict_of(found), success=found.success, plan=_settings(found))
    report.statistics = {
        **_seen(found),
        "readers": [
            result._asdict() | {"differing": result.total, "how": _how(result.reader)} for result in found.results
        ],
    }
    lines = [
        {
            "reader": reader_name(result.reader),
            "only there": result.only_right,
            "missing there": result.only_left,
            "changed": result.changed,
            "grade": grade_of(result).value,
        }
        for result in found.results
    ]
    columns = ("reader", "only there", "missing there", "changed", "grade")
    report.body.append(
        Table.of_rows(columns, lines, f"Rows that other readers show differently from Hudi {found.reader}")
    )
    for result in found.results:
        if result.refused is not None:
            report.warnings.append(f"{reader_name(result.reader)}: {result.refused}")
            continue
        rows = found.collect(result.reader, sample)
        report.results += [{"reader": result.reader, **_as_json(row)} for row in rows]
        if rows:
            report.body.append(_example(found, result, rows[0]))
        failure = None if result.agrees else _short(result)
        report.checks.append(Check(f"{reader_name(result.reader)} ({_how(result.reader)})", failure))
    report.body.append(f"Releases: {_BY_RULES}. Base files: {_BY_DOCUMENTATION}.")
    return report


def report_upgraded_readers(found: ReadersReport, sample: int | None, *, whole: bool) -> Report:
    """Report the only other reader as a replay: what changes when readers are upgraded first.

    `sample` rows are shown; without it all, or a readable number if not `whole`.
    """
    (result,) = found.results
    grade = grade_of(result)
    names = f"Hudi {found.reader}", f"read by {reader_name(result.reader)}"
    report = Report("replay", _replay_verdict(found, result), success=grade.is_equal, sides=names)
    report.plan = _settings(found) | {"from": found.reader, "to": result.reader}
    report.statistics = {
        **_seen(found),
        "question": "readers",
        "grade": grade.value,
        "differing": result.total,
        "only_left": result.only_left,
        "only_right": result.only_right,
        "changed": result.changed,
    }
    limit = limit_of(sample, whole=whole)
    rows = found.collect(result.reader, limit)
    report.results = [_as_json(row) for row in rows]
    if rows:
        report.body.append(_example(found, result, rows[0]))
        report.body.append(
            keys_table(rows[: SAMPLE if sample is None else sample], result.total, names, "Rows that differ")
        )
    if (whole or sample is not None) and result.total > limit:
        report.warnings.append(f"only the first {limit} of {result.total} rows that differ are listed (--sample)")
    if result.refused is None:
        report.body.append(_PROOF)
    report.checks = [Check(f"read by {result.reader}", None if grade.is_equal else report.verdict)]
    return report


def _replay_verdict(found: ReadersReport, result: ReaderResult) -> str:
    grade = grade_of(result).value
    if result.refused is not None:
        return f"{grade}: {result.refused}."
    number = "no row differs" if result.agrees else _differ(result.total)
    return f"{grade}: of {found.rows} rows {number} if {reader_name(result.reader)} reads the files as they are."


def _differ(total: int) -> str:
    return "1 differs" if total == 1 else f"{total} differ"


def _settings(found: ReadersReport) -> dict[str, Any]:
    return {"table": found.table.path, "release": found.reader, "instant": found.instant}


def _seen(found: ReadersReport) -> dict[str, Any]:
    return {"rows_in": found.rows, "logged_keys": found.logged, "file_slices": found.slices}


def _how(reader: str) -> str:
    return _BY_DOCUMENTATION if reader == BASE_FILES else _BY_RULES


def _as_json(row: Difference) -> dict[str, Any]:
    return {name: value for name, value in row._asdict().items() if name != "note"}


def _example(found: ReadersReport, result: ReaderResult, row: Difference) -> Table:
    names = f"Hudi {found.reader}", reader_name(result.reader)
    absent = dict.fromkeys(row.left or row.right or {}, "")
    rows = [row.left or absent, row.right or absent]
    labels = [name if side else f"{name}: none" for name, side in zip(names, (row.left, row.right), strict=True)]
    key = ", ".join(f"{name}={value}" for name, value in row.key.items())
    return Table.of_rows(tuple(absent), rows, f"Example, {kinds_of(names)[row.kind]}: {key}", [("reader", labels)])
