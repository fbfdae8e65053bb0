"""`payload-bridge demo`: merges recorded batches on Spark and shows that the answers are those of real Hudi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge import demo as recorded
from bridge.cli.options import payload_option
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb
from bridge.merge_point import MergePoint
from bridge.plan import TableType
from bridge.report import Report, Table, plan_as_json
from payloads import PayloadRef

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.demo import Answer, Recording
    from bridge.trace import Call, Side
    from payloads import Record

    Identity = tuple[Any, ...]

_LONG_NAMES = {TableType.COPY_ON_WRITE: "copy-on-write", TableType.MERGE_ON_READ: "merge-on-read"}
_POINTS = {
    MergePoint.COMBINE_INPUT: "combine input",
    MergePoint.UPSERT: "upsert",
    MergePoint.INSERT: "write",
    MergePoint.LOG_FOLD: "log fold",
    MergePoint.COMPACT: "compaction",
    MergePoint.SNAPSHOT: "query",
}
_POINTS_EXPLAINED = (
    "Where versions meet: combine input = two rows of one batch; write = a row is asked what to store; "
    "upsert = a row meets the stored row (copy-on-write); log fold = a log entry meets the entries before it, "
    "query = the folded log meets the stored row (both merge-on-read)."
)


@click.command(cls=Verb, short_help="Merge recorded batches and compare with real Hudi.")
@payload_option(type=click.Choice(list(recorded.RECORDED)), default=next(iter(recorded.RECORDED)), show_default=True)
def demo(payload: str) -> Report:
    """Merge recorded batches on Spark, and compare every answer with real Hudi's.

    Five batches that Hudi 0.15.0 wrote to a copy-on-write and to a merge-on-read table are merged here. Each commit's
    rows are compared with what Hudi answered. Then every merge call of one key is shown on which the two table types
    disagree. The exit code is 0 if all answers are equal, else 1.

    Example: payload-bridge demo
    """
    spark = quiet_session()
    recordings = {table_type: recorded.read_recording(payload, table_type) for table_type in TableType}
    answers = {table_type: recorded.run(spark, recording) for table_type, recording in recordings.items()}
    keys = recorded.disagreeing(*(found[-1].rows for found in answers.values()))

    recording = recordings[TableType.COPY_ON_WRITE]
    all_answers = [answer for found in answers.values() for answer in found]
    unequal = sum(not answer.is_equal for answer in all_answers)
    report = Report(
        "demo",
        _verdict(len(all_answers), unequal, len(keys)),
        success=not unequal,
        plan=plan_as_json(recording.plan) | {"table_type": "both"},
        statistics={
            "rows_in": sum(map(len, recording.batches)),
            "rows_out": {table_type.value: len(found[-1].rows) for table_type, found in answers.items()},
            "snapshots": len(all_answers),
            "unequal_snapshots": unequal,
            "disagreeing_keys": len(keys),
        },
    )
    report.body += [
        (
            f"{payload} of Hudi {recording.plan.release}: {len(recording.batches)} batches, run here on Spark through "
            "Hudi's merge points, once for each table type. Beside it what real Hudi answered to the same batches."
        ),
        *_rule(recording),
        Table.of_rows(
            ("table type", "commit", "rows in", "rows", "Hudi's rows", "answer"),
            [_line(table_type, recordings[table_type], one) for table_type, found in answers.items() for one in found],
        ),
    ]
    report.results += [
        {
            "commit": answer.commit,
            "table_type": table_type.value,
            "rows": len(answer.rows),
            "expected_rows": len(answer.expected),
            "equal": answer.is_equal,
        }
        for table_type, found in answers.items()
        for answer in found
    ]
    if keys:
        # The key with the most versions shows most.
        shown = max(keys, key=lambda key: len(recording.versions(key)))
        report.body += [_disagreement(keys, recording), *_story(spark, recordings, shown)]
    else:
        report.body.append("Both table types have the same rows after the last commit.")
    return report


def _verdict(answers: int, unequal: int, keys: int) -> str:
    if unequal:
        return f"{unequal} of {answers} answers differ from real Hudi's: this installation can't be trusted."
    same = f"All {answers} answers are real Hudi's, row by row."
    if not keys:
        return same
    plural = "1 key" if keys == 1 else f"{keys} keys"
    return f"{same} The same batches end differently in a copy-on-write and a merge-on-read table on {plural}."


def _line(table_type: TableType, recording: Recording, answer: Answer) -> dict[str, Any]:
    return {
        "table type": _LONG_NAMES[table_type],
        "commit": answer.commit,
        "rows in": len(recording.batches[answer.commit - 1]),
        "rows": len(answer.rows),
        "Hudi's rows": len(answer.expected),
        "answer": "equal" if answer.is_equal else "NOT EQUAL",
    }


def _disagreement(keys: list[Identity], recording: Recording) -> str:
    names = ", ".join(map(_name, keys))
    known = {recorded.identity_of(row) for batch in recording.batches for row in batch}
    commits = len(recording.batches)
    return f"After commit {commits} the two table types disagree on {len(keys)} of {len(known)} keys: {names}."


def _name(identity: Identity) -> str:
    return "/".join(map(str, identity))


def _story(spark: SparkSession, recordings: dict[TableType, Recording], identity: Identity) -> list[str | Table]:
    """Tell how one key came to its two ends: its versions, then every call for each table type."""
    recording = recordings[TableType.COPY_ON_WRITE]
    versions = recording.versions(identity)
    labels = _Labels([row for _, row in versions])
    rows = [
        {"version": f"v{number}", "commit": commit, **row} for number, (commit, row) in enumerate(versions, start=1)
    ]
    ordering = ", ".join(recording.plan.ordering)
    title = f"What happened to {_name(identity)}: the versions that arrived (ordering field: {ordering})"
    story: list[str | Table] = [Table.of_rows(tuple(rows[0]), rows, title), _POINTS_EXPLAINED]
    told = {_LONG_NAMES[one]: recorded.trace(spark, own, identity) for one, own in recordings.items()}
    for name, calls in told.items():
        columns = ("commit", "where", "older", "newer", "payload method", "result")
        lines = [_call(call, labels) for call in calls]
        story.append(Table(columns, lines, f"{name.capitalize()}: every call", frozenset({"commit"})))
    story.append(_parting(told, labels))
    return story


def _rule(recording: Recording) -> list[str]:
    """Return the docstring of the payload, in paragraphs."""
    found = PayloadRef(recording.plan.payload_name).resolve(recording.plan.release)
    return [" ".join(part.split()) for part in f"Its rule: {found.__doc__}".split("\n\n")]


def _parting(told: dict[str, list[Call]], labels: _Labels) -> str:
    """Say at which commit the table types part, and which call decided in each."""
    ends = {name: {call.commit: call.result for call in calls} for name, calls in told.items()}
    left, right = ends.values()
    commit = min(number for number in left.keys() | right.keys() if left.get(number) != right.get(number))
    parts = []
    for name, calls in told.items():
        here = [call for call in calls if call.commit == commit]
        decided = next(call for call in here if _data(call.result) == _data(here[-1].result))
        given = f"{'nothing' if decided.older is None else labels.of(decided.older)} and {labels.of(decided.newer)}"
        answer = f"gives {labels.of(decided.result)}"
        parts.append(f"{name} asks {decided.method} at its {_POINTS[decided.point]}, which of {given} {answer}")
    return f"At commit {commit} they part: {'; '.join(parts)}."


def _data(side: Side | None) -> Record | None:
    return None if side is None else side.record


def _call(call: Call, labels: _Labels) -> tuple[str, ...]:
    older = "-" if call.older is None else labels.of(call.older)
    return str(call.commit), _POINTS[call.point], older, labels.of(call.newer), call.method, labels.of(call.result)


class _Labels:
    """Names versions v1, v2 and so on by their data; data that no version has is written out."""

    def __init__(self, versions: list[dict[str, Any]]) -> None:
        self._versions = versions

    def of(self, side: Side | None) -> str:
        """Return the label of one side of a call."""
        if side is None:
            return "no row"
        if side.record is None:
            return "a delete" if side.ordering is None else f"a delete at {side.ordering.value}"
        if side.record in self._versions:
            return f"v{self._versions.index(side.record) + 1}"
        return ", ".join(f"{name}={value}" for name, value in side.record.items())
