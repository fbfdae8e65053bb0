"""Before a run by found rules counts: the class itself merges a sample of its keys, and each row must be the same."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, COMMIT, FIRST, LAST, ROW_COUNTS
from bridge.engines.trusted.sample import sample_of
from bridge.errors import TrustedRuleError
from bridge.merge import Action
from bridge.spark import quoted
from payloads.rules import rule_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from bridge.engines.job import Job
    from bridge.engines.trusted.rules import FoundRules

    Run = Callable[[list[DataFrame], Job, tuple[StructField, ...]], DataFrame]

_GONE = frozenset({int(Action.DELETE), int(Action.SKIP)})


class Evidence(NamedTuple):
    """How the rules of a run were checked.

    Attributes:
        found: the rules, and the pairs of versions that they were held against.
        keys: on how many keys of the run class and rules agree.
        merged: how many of these have several versions, or a stored row.
    """

    found: FoundRules
    keys: int
    merged: int

    @property
    def sentence(self) -> str:
        """How the rules were checked."""
        pairs = sum(self.found.pairs.values())
        return (
            f"the rule found for the class runs as Spark expressions (trust_rule): it agrees with the class on "
            f"{pairs:,} pairs of versions, and on {self.keys:,} keys of this run, of which {self.merged:,} are merged"
        )

    @property
    def as_json(self) -> dict[str, object]:
        """The rules, and how they were checked, as JSON."""
        return {
            "keys": self.keys,
            "merged": self.merged,
            "rules": [
                {"point": point.value, "pairs": self.found.pairs[point], "rule": rule_to_json(rule)}
                for point, rule in self.found.rules.items()
            ],
        }


def check(  # noqa: PLR0913 (two runs of one job)
    sides: list[DataFrame],
    job: Job,
    by_rules: Job,
    fields: tuple[StructField, ...],
    *,
    found: FoundRules,
    of_class: Run,
    of_rules: Run,
    size: int,
) -> Evidence:
    """Run a job for a sample of its keys by the class, and by its rules.

    Args:
        sides: the stored side, if there is one, and the newer one.
        job: the job, whose plan runs the class.
        by_rules: the job by its rules.
        fields: the data columns.
        found: the rules.
        of_class: what runs the first job.
        of_rules: what runs the second one.
        size: the number of keys in the sample.

    Raises:
        TrustedRuleError: the class makes something else of a key; names it, the column, and both values.
    """
    with sample_of(sides, job, size) as sample:
        theirs, ours = (
            _rows(run(sample.sides, dataclasses.replace(one, row_counts=False), fields), one)
            for run, one in ((of_class, job), (of_rules, by_rules))
        )
    for key in sorted({*theirs, *ours}):
        _compare(theirs.get(key), ours.get(key), job)
    return Evidence(found, sample.keys, sample.merged)


def _rows(outcomes: DataFrame, job: Job) -> dict[str, dict[str, Any]]:
    """Return what becomes of each key, over time after each commit: its row, or nothing but its columns."""
    over_time = [COMMIT] if FIRST in outcomes.columns else []
    names = [name for name in (*job.columns, *job.handed_over) if name in outcomes.columns and name != ROW_COUNTS]
    shown = outcomes.select(
        *map(quoted, names), *(sf.explode(sf.sequence(FIRST, LAST)).alias(one) for one in over_time)
    )
    found = [one.asDict(recursive=True) for one in shown.collect()]
    return {repr([one[name] for name in (*over_time, *job.plan.identity)]): one for one in found}


def _compare(theirs: dict[str, Any] | None, ours: dict[str, Any] | None, job: Job) -> None:
    """Compare what becomes of a key: an update by an equal row differs in its meta columns alone, if it has some."""
    known = theirs or ours or {}
    names: Sequence[str] = job.columns
    if _is_gone(theirs) or _is_gone(ours):
        if _is_gone(theirs) and _is_gone(ours):
            return
        raise _failure("no row" if _is_gone(theirs) else "a row", "no row" if _is_gone(ours) else "a row", known, job)
    for name in names:
        one, other = (_plain(row[name]) for row in (theirs, ours))  # type: ignore[index]  # neither is gone
        if repr(one) != repr(other):
            raise _failure(repr(one), repr(other), known, job, name)


def _is_gone(row: dict[str, Any] | None) -> bool:
    return row is None or row.get(ACTION) in _GONE


def _failure(theirs: str, ours: str, row: dict[str, Any], job: Job, field: str | None = None) -> TrustedRuleError:
    after = f"after commit {row[COMMIT]} " if COMMIT in row else ""
    reason = (
        f"{after}the class gives {theirs}, and its rule, which is trusted to run in its place, {ours}. "
        "Nothing was written: don't trust the rule, so that the class itself runs"
    )
    key = {name: row[name] for name in job.plan.identity}
    return TrustedRuleError(reason, job.plan.payload_name, job.program, key, field)


def _plain(value: Any) -> Any:
    """Return what prints alike for equal values."""
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value, key=repr)}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return bytes(value) if isinstance(value, bytearray) else value
