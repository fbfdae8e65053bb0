"""Trials: candidates of a migration against the payload class in its old release, on the user's batches."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from bridge.compare import Comparison, compare
from bridge.errors import PlanError
from bridge.report import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.compare import Counts, Difference, Example, ReplayReport
    from bridge.migration.candidates import Candidate
    from bridge.pipeline import Batches, Course
    from bridge.plan import MergePlan, TableType


class Evidence(NamedTuple):
    """The data on which a migration is tried.

    Attributes:
        batches: the batches.
        course: when the table is upgraded and its log compacted; without an upgrade the new table has all batches.
        all_paths: whether to compare the paths of the table, too.
    """

    batches: Batches
    course: Course
    all_paths: bool = False


class Trial(NamedTuple):
    """A candidate on one table type.

    Attributes:
        candidate: what was tried.
        table_type: on which type of table.
        counts: the keys that differ after each batch; empty if the candidate is refused.
        refused: why it can't be tried; None if it can.
        example: the smallest example of a difference.
        differences: the keys that differ after the last batch, as many as requested.
        names: what the sides are called; None if nothing was replayed.
    """

    candidate: Candidate
    table_type: TableType
    counts: tuple[Counts, ...] = ()
    refused: str | None = None
    example: Example | None = None
    differences: tuple[Difference, ...] = ()
    names: tuple[str, str] | None = None

    @property
    def is_equal(self) -> bool:
        """Whether no key differs after any batch."""
        return self.refused is None and not any(counts.total for counts in self.counts)

    @property
    def severity(self) -> Severity:
        """What it says of the rows."""
        if self.refused is not None:
            return Severity.REFUSED
        return Severity.UNCHANGED if self.is_equal else Severity.CHANGED

    @property
    def differing(self) -> int:
        """How many keys differ after the last batch."""
        return self.counts[-1].total if self.counts else 0


class Attempt(NamedTuple):
    """What candidates are tried on.

    Attributes:
        left: the payload class in its old release.
        evidence: the data.
        sample: how many differences to fetch of each trial; None: all.
    """

    left: MergePlan
    evidence: Evidence
    sample: int | None

    def until_equal(self, candidates: Sequence[Candidate], types: Sequence[TableType]) -> tuple[Trial, ...]:
        """Try candidates until one is equal on every table type; each until it differs on one.

        Raises:
            PayloadBridgeError, PySparkException: the payload class fails in its old release.
        """
        trials: list[Trial] = []
        for candidate in candidates:
            for one in types:
                trials.append(self.trial(candidate, one))
                if not trials[-1].is_equal:
                    break
            else:
                break
        return tuple(trials)

    def rest(self, candidate: Candidate, types: Sequence[TableType], trials: Sequence[Trial]) -> Iterator[Trial]:
        """Try a candidate on the table types on which it has not been tried."""
        tried = {trial.table_type for trial in trials if trial.candidate == candidate}
        return (self.trial(candidate, one) for one in types if one not in tried)

    def trial(self, candidate: Candidate, table_type: TableType) -> Trial:
        """Try a candidate on one table type."""
        if candidate.refused:
            return Trial(candidate, table_type, refused=candidate.refused)
        data, left, right = self.evidence, _on(self.left, table_type), _on(candidate.plan, table_type)
        course, commits = data.course, len(data.batches)
        sides = Comparison(left, right, commits, course.upgrade_after, course.keep_table_version, course.compact_after)
        if sides.refused_ordering() is not None:  # `plan` says so, and the job leaves its ordering field out
            sides = sides.without_ordering()
        data.batches.versions(left)  # bad data is not the fault of a candidate
        try:
            with compare(data.batches, sides) as answer:
                return _told(candidate, table_type, answer, self.sample)
        except PlanError as error:
            return Trial(candidate, table_type, refused=str(error))


def _told(candidate: Candidate, table_type: TableType, answer: ReplayReport, sample: int | None) -> Trial:
    if answer.refused is not None:
        return Trial(candidate, table_type, refused=answer.refused)
    examples = sorted(answer.examples, key=lambda example: (len(example.versions), example.commit))
    return Trial(
        candidate,
        table_type,
        answer.counts,
        example=examples[0] if examples else None,
        differences=() if sample == 0 else tuple(answer.collect(sample)),
        names=answer.comparison.names,
    )


def _on(plan: MergePlan, table_type: TableType) -> MergePlan:
    table = None if plan.table is None else dataclasses.replace(plan.table, table_type=table_type)
    return dataclasses.replace(plan, table_type=table_type, table=table)


def is_equal(candidate: Candidate, trials: Sequence[Trial]) -> bool:
    """Return whether a candidate was equal on every table type that it was tried on."""
    return all(trial.is_equal for trial in trials if trial.candidate == candidate)


def closest(candidates: Sequence[Candidate], trials: Sequence[Trial]) -> Candidate | None:
    """Return the candidate that is equal on the most table types, then that with the fewest differences."""

    def distance(candidate: Candidate) -> tuple[int, int]:
        own = [trial for trial in trials if trial.candidate == candidate]
        return -sum(trial.is_equal for trial in own), sum(trial.differing for trial in own)

    refused = [trial.candidate for trial in trials if trial.refused is not None]
    tried = [trial.candidate for trial in trials]
    return min((one for one in candidates if one in tried and one not in refused), key=distance, default=None)
