"""What a report says of its scope: for which keys it is exact and, of a sample, what that says of all keys."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.pipeline.scope import percent
from bridge.spark import distinct_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.pipeline.batches import Batches
    from bridge.plan import MergePlan
    from bridge.report import JsonObject, Report

CONFIDENCE: Final = 0.95
METHOD: Final = "Wilson score interval"


class Estimate(NamedTuple):
    """The share of all keys that a sample speaks for.

    Attributes:
        found: how many record keys of the sample are meant.
        keys: how many record keys the sample has.
        low: the lower end of the interval, a share from 0 to 1.
        high: the upper end.
    """

    found: int
    keys: int
    low: float
    high: float

    @classmethod
    def of(cls, found: int, keys: int) -> Estimate:
        """Estimate from `found` of `keys`, which are at least 1, by the Wilson score interval.

        >>> [round(end, 4) for end in Estimate.of(5, 10)[2:]]
        [0.2366, 0.7634]
        """
        z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        share, spread = found / keys, z * z / keys
        middle = (share + spread / 2) / (1 + spread)
        margin = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
        return cls(found, keys, max(0.0, middle - margin), min(1.0, middle + margin))

    def words(self, what: str, population: str) -> str:
        """Say it in a sentence: `what` is what the keys do, `population` all that the sample is drawn from."""
        ends = (
            f"between {percent(self.low)} and {percent(self.high)}" if self.found else f"at most {percent(self.high)}"
        )
        seen = f"{self.found:,} of the {self.keys:,} record keys of the sample {what}"
        return f"{seen}; of {population} {ends} do ({CONFIDENCE:.0%} confidence, {METHOD})."


def report_scope(
    report: Report,
    batches: Batches,
    plan: MergePlan,
    differing: Mapping[str, DataFrame | int | None] | None = None,
    what: str = "differ after the last batch",
) -> None:
    """Put the scope of batches, if they have one, into a report: settings, verdict, text and figures.

    Args:
        report: the report of a verb.
        batches: what was written.
        plan: what names the record key.
        differing: the keys that the report is about, or how many they are, by what it calls their table; None for a
            report without a count.
        what: what these keys do, as a verb.
    """
    scope = batches.scope
    if scope is None:
        return
    words = scope.words(batches.names)
    report.plan["scope"] = scope.as_json()
    report.verdict = f"{report.verdict.rstrip('.')}. Scope: {words}."
    told = [f"Scope: {words}. Every version of these keys was merged, so their results are exact."]
    if batches.first > 1:
        told.append("Earlier batches are collapsed to the rows of these keys by then; their snapshots are left out.")
    found: JsonObject = {"exact_for": words}
    if scope.keys_sample is not None and differing is not None:
        population, keys = scope.population(batches.names), _record_keys(batches.versions(plan), plan)
        numbers = {
            name: one or 0 if isinstance(one, int | None) else _record_keys(one, plan)
            for name, one in differing.items()
        }
        estimates = {name: Estimate.of(min(number, keys), keys) for name, number in numbers.items()}
        for name, one in estimates.items():
            sentence = one.words(what, population)
            told.append(f"{name.capitalize()}: {sentence}" if len(estimates) > 1 else sentence)
        found |= {
            "confidence": CONFIDENCE,
            "method": METHOD,
            "estimates": [{"table": name, **one._asdict()} for name, one in estimates.items()],
        }
    report.statistics["scope"] = found
    report.body.insert(0, " ".join(told))


def _record_keys(frame: DataFrame, plan: MergePlan) -> int:
    """Count record keys, which are what a sample draws; the rows of one in several partitions come together."""
    return distinct_keys(frame, plan.key).count()
