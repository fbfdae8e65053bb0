"""The result of the demo: recorded batches merged here beside real Hudi's rows, and what an upgrade changes."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import TYPE_CHECKING, NamedTuple

from bridge.demo import recordings as recorded
from bridge.demo.recordings import NEW, OLD
from bridge.explain import story
from bridge.plan import TableType
from bridge.report import Judged, Report, Severity, Table, plan_as_json
from payloads import PayloadRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from bridge.demo.recordings import RealAnswer, Recording

    Identity = tuple[object, ...]

_VERSION = re.compile(r"\n\nAdded in [\d.]+\.\Z")


class Side(NamedTuple):
    """One table: the recording and our results."""

    recording: Recording
    answers: list[RealAnswer]

    @property
    def unequal(self) -> int:
        """The number of results that differ from real Hudi's."""
        return sum(not answer.is_equal for answer in self.answers)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DemoReport(Judged):
    """What `demonstrate` answers.

    Attributes:
        payload: the class.
        sides: each table by type and release, with our rows and real Hudi's after each commit.
        example: the smallest row on which the releases differ, call by call; empty where none does.
    """

    payload: str
    sides: Mapping[tuple[TableType, str], Side]
    example: tuple[str | Table, ...] = ()

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether an answer is not real Hudi's; empty where all are."""
        return frozenset({Severity.CHANGED} if self._unequal else ())

    @property
    def verdict(self) -> str:
        """Whether our answers are real Hudi's, and how many rows the new release changes, in a sentence or two."""
        if self._unequal:
            return (
                f"{self._unequal} of {self._answers} answers differ from real Hudi's: do not trust this installation."
            )
        same = f"All {self._answers} answers are real Hudi's, row by row."
        changed = _changed(self.sides)
        if not any(changed.values()):
            return f"{same} Both releases give the same rows."
        keys = self._keys
        counts = " and ".join(f"{len(found)} of {keys} rows ({one.long_name})" for one, found in changed.items())
        return f"{same} On the same batches Hudi 1.2 gives different rows than 0.15: {counts}."

    @property
    def _answers(self) -> int:
        return sum(len(side.answers) for side in self.sides.values())

    @property
    def _unequal(self) -> int:
        return sum(side.unequal for side in self.sides.values())

    @property
    def _keys(self) -> int:
        return len({recorded.identity_of(row) for side in self.sides.values() for row in side.answers[-1].rows})

    def to_report(self) -> Report:
        """Return the report of the command line."""
        types = [self.sides[one, OLD] for one in TableType]
        first, disagreeing = types[0].recording, _differing(*types)
        report = Report("demo", self.verdict, self.severities)
        report.plan = plan_as_json(first.plan) | {"table_type": "both", "from": OLD, "to": NEW}
        report.statistics = {
            "rows_in": sum(map(len, first.batches)),
            "rows_out": {
                f"{one.value} {release}": len(side.answers[-1].rows) for (one, release), side in self.sides.items()
            },
            "snapshots": self._answers,
            "unequal_snapshots": self._unequal,
            "last_rows": self._keys,
            "changed_keys": {one.value: len(found) for one, found in _changed(self.sides).items()},
            "disagreeing_keys": len(disagreeing),
        }
        report.results = [
            {
                "release": release,
                "table_type": one.value,
                "commit": answer.commit,
                "rows": len(answer.rows),
                "expected_rows": len(answer.expected),
                "equal": answer.is_equal,
            }
            for (one, release), side in self.sides.items()
            for answer in side.answers
        ]
        report.body = [
            *self.example,
            *_rule(first),
            Table.of_rows(
                ("table type", "Hudi", "batches", "rows in", "rows", "equal answers"),
                [_line(one, release, side) for (one, release), side in self.sides.items()],
                f"{self.payload}: five batches, merged here and compared with real Hudi after each",
            ),
            _within(disagreeing),
        ]
        return report


def demonstrate(spark: SparkSession, payload: str) -> DemoReport:
    """Merge recorded batches as both table types under both releases.

    Args:
        spark: the session that merges.
        payload: the payload class whose recorded batches are merged.
    """
    recordings = {
        (table_type, release): recorded.read_recording(payload, table_type, release)
        for table_type in TableType
        for release in (OLD, NEW)
    }
    answers = recorded.run(spark, list(recordings.values()))
    sides = {side: Side(recording, own) for (side, recording), own in zip(recordings.items(), answers, strict=True)}
    return DemoReport(payload, sides, tuple(_example(spark, sides)))


def rule_text(found: type) -> str:
    """Return the docstring of a class without its last paragraph, the version that added it."""
    return _VERSION.sub("", inspect.cleandoc(found.__doc__ or "It has no docstring."))


def _changed(sides: Mapping[tuple[TableType, str], Side]) -> dict[TableType, list[Identity]]:
    """Return the rows that the new release changes, by table type."""
    return {one: _differing(sides[one, OLD], sides[one, NEW]) for one in TableType}


def _differing(left: Side, right: Side) -> list[Identity]:
    return recorded.disagreeing(left.answers[-1].rows, right.answers[-1].rows)


def _example(spark: SparkSession, sides: Mapping[tuple[TableType, str], Side]) -> list[str | Table]:
    """Explain the smallest row on which the releases differ, merge-on-read first."""
    changed = _changed(sides)
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
    return f"Within Hudi {OLD}, copy-on-write and merge-on-read disagree on {len(disagreeing)}: {names}."


def _rule(recording: Recording) -> list[str]:
    """Return the docstring of the payload, in paragraphs."""
    found = PayloadRef(recording.plan.payload_name).resolve(recording.plan.release)
    return [" ".join(part.split()) for part in f"The rule of the class: {rule_text(found)}".split("\n\n")]


def _line(one: TableType, release: str, side: Side) -> dict[str, object]:
    equal = len(side.answers) - side.unequal
    return {
        "table type": one.long_name,
        "Hudi": release,
        "batches": len(side.answers),
        "rows in": sum(map(len, side.recording.batches)),
        "rows": len(side.answers[-1].rows),
        "equal answers": f"{equal} of {len(side.answers)}",
    }
