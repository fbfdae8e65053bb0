"""`payload-bridge demo`: recorded batches give the same rows as real Hudi, and what an upgrade changes for one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from bridge.cli.issue import issue_option, report_of_issue
from bridge.cli.options import payload_option
from bridge.cli.payloads import rule_text
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb
from bridge.demo import NEW, OLD
from bridge.demo import recordings as recorded
from bridge.explain import story
from bridge.plan import TableType
from bridge.report import Report, Table, plan_as_json
from payloads import PayloadRef

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.demo import RealAnswer, Recording

    Identity = tuple[Any, ...]


class _Side(NamedTuple):
    """One table: the recording and our results."""

    recording: Recording
    answers: list[RealAnswer]

    @property
    def unequal(self) -> int:
        """The number of results that differ from real Hudi's."""
        return sum(not answer.is_equal for answer in self.answers)


_Sides = dict[tuple[TableType, str], _Side]


@click.command(cls=Verb, short_help="See what an upgrade changes, checked against real Hudi.")
@payload_option(type=click.Choice(list(recorded.RECORDED)), default=next(iter(recorded.RECORDED)), show_default=True)
@issue_option
def demo(payload: str, issue: int | None) -> Report:
    """Merge recorded batches under Hudi 0.15 and 1.2, compare with real Hudi, and explain the difference.

    Five batches that real Hudi 0.15.0 and 1.2.0 wrote, copy-on-write and merge-on-read, are merged here on Spark, and
    each commit's rows are compared with those that Hudi returned. Then every merge call of the smallest row on which
    the two releases differ is shown. The exit code is 0 if all answers are equal, else 1.

    With --issue a known report of Apache Hudi is shown instead: its batches, the rows of each release and table, and
    the law that is violated.
    """
    if issue is not None:
        context = click.get_current_context()
        if context.get_parameter_source("payload") is not ParameterSource.DEFAULT:
            msg = "--issue sets its own payload class; leave out --payload"
            raise click.UsageError(msg, context)
        return report_of_issue(issue)
    spark = quiet_session(small=True)
    recordings = {
        (table_type, release): recorded.read_recording(payload, table_type, release)
        for table_type in TableType
        for release in (OLD, NEW)
    }
    answers = recorded.run(spark, list(recordings.values()))
    sides = {side: _Side(recording, own) for (side, recording), own in zip(recordings.items(), answers, strict=True)}
    return _report(spark, payload, sides)


def _report(spark: SparkSession, payload: str, sides: _Sides) -> Report:
    answers = sum(len(side.answers) for side in sides.values())
    unequal = sum(side.unequal for side in sides.values())
    changed = {one: _differing(sides[one, OLD], sides[one, NEW]) for one in TableType}
    types = [sides[one, OLD] for one in TableType]
    disagreeing = _differing(*types)
    first = types[0].recording
    keys = len({recorded.identity_of(row) for side in sides.values() for row in side.answers[-1].rows})
    report = Report(
        "demo",
        _verdict(answers, unequal, changed, keys),
        success=not unequal,
        plan=plan_as_json(first.plan) | {"table_type": "both", "from": OLD, "to": NEW},
        statistics={
            "rows_in": sum(map(len, first.batches)),
            "rows_out": {
                f"{one.value} {release}": len(side.answers[-1].rows) for (one, release), side in sides.items()
            },
            "snapshots": answers,
            "unequal_snapshots": unequal,
            "last_rows": keys,
            "changed_keys": {one.value: len(found) for one, found in changed.items()},
            "disagreeing_keys": len(disagreeing),
        },
    )
    report.results += [
        {
            "release": release,
            "table_type": one.value,
            "commit": answer.commit,
            "rows": len(answer.rows),
            "expected_rows": len(answer.expected),
            "equal": answer.is_equal,
        }
        for (one, release), side in sides.items()
        for answer in side.answers
    ]
    report.body += [
        *_example(spark, sides, changed),
        *_rule(first),
        Table.of_rows(
            ("table type", "Hudi", "batches", "rows in", "rows", "equal answers"),
            [_line(one, release, side) for (one, release), side in sides.items()],
            f"{payload}: five batches merged here, and compared with real Hudi's answers after each",
        ),
        _within(disagreeing),
    ]
    return report


def _differing(left: _Side, right: _Side) -> list[Identity]:
    return recorded.disagreeing(left.answers[-1].rows, right.answers[-1].rows)


def _verdict(answers: int, unequal: int, changed: dict[TableType, list[Identity]], keys: int) -> str:
    if unequal:
        return f"{unequal} of {answers} answers differ from real Hudi's: do not trust this installation."
    same = f"All {answers} answers are real Hudi's, row by row."
    if not any(changed.values()):
        return f"{same} Both releases give the same rows."
    counts = " and ".join(f"{len(found)} of {keys} rows ({one.long_name})" for one, found in changed.items())
    return f"{same} On the same batches Hudi 1.2 gives different rows than 0.15: {counts}."


def _example(spark: SparkSession, sides: _Sides, changed: dict[TableType, list[Identity]]) -> list[str | Table]:
    """Explain the smallest row on which the releases differ, merge-on-read first."""
    for one in reversed(TableType):
        if changed[one]:
            old, new = sides[one, OLD].recording, sides[one, NEW].recording
            told = recorded.explained(spark, old, new, recorded.smallest(old, changed[one]))
            return [f"The smallest example: {told.verdict}", *story(told)]
    return []


def _within(disagreeing: list[Identity]) -> str:
    if not disagreeing:
        return f"Under Hudi {OLD} both table types give the same rows."
    names = ", ".join("/".join(map(str, key)) for key in disagreeing)
    return f"Under Hudi {OLD} alone, copy-on-write and merge-on-read disagree on {len(disagreeing)}: {names}."


def _rule(recording: Recording) -> list[str]:
    """Return the docstring of the payload, in paragraphs."""
    found = PayloadRef(recording.plan.payload_name).resolve(recording.plan.release)
    return [" ".join(part.split()) for part in f"The rule of the class: {rule_text(found)}".split("\n\n")]


def _line(one: TableType, release: str, side: _Side) -> dict[str, Any]:
    equal = len(side.answers) - side.unequal
    return {
        "table type": one.long_name,
        "Hudi": release,
        "batches": len(side.answers),
        "rows in": sum(map(len, side.recording.batches)),
        "rows": len(side.answers[-1].rows),
        "equal answers": f"{equal} of {len(side.answers)}",
    }
