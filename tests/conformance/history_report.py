"""Renders the outcomes of histories: a line a case, the first differences, and the line with the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.conformance.histories import History, Outcome

_ROWS_SHOWN = 12


class HistoryReport:
    """Outcomes of the histories that were run, and the histories that were not: not yet, or not by this engine."""

    def __init__(
        self, outcomes: Sequence[Outcome], missing: Sequence[History], refused: Sequence[tuple[History, str]] = ()
    ) -> None:
        """Take outcomes, histories that can't be run yet, and those that an engine has no part in, with the reason."""
        self._outcomes = outcomes
        self._missing = missing
        self._refused = refused
        self.failures = [outcome for outcome in outcomes if outcome.differences]

    @property
    def succeeded(self) -> bool:
        """Whether every history that was run answered as real Hudi did."""
        return not self.failures

    @property
    def last_line(self) -> str:
        """The sums as one line; no history is optional."""
        failed = len(self.failures)
        return f"{len(self._outcomes) - failed} passed, {failed} failed, 0 optional failed"

    def as_text(self, shown: int) -> Iterator[str]:
        """Give the report line by line, the sums last; the differences of `shown` failures are printed."""
        for outcome in self._outcomes:
            commits = len(outcome.history.commits)
            yield f"{'FAIL' if outcome.differences else 'ok':4} {outcome.history} ({commits} commits)"
        for outcome in self.failures[:shown]:
            yield f"\nFAIL {outcome.history} ({outcome.history.rule})"
            yield from (f"  {line[:400]}" for line in outcome.differences[: _ROWS_SHOWN + 1])
            if len(outcome.differences) > _ROWS_SHOWN + 1:
                yield f"  ... {len(outcome.differences) - 1} rows differ"
        if self._missing:
            yield "\nnot yet supported:"
            yield from (f"  {history} ({history.rule})" for history in self._missing)
        if self._refused:
            yield f"\nnot for this engine: {len(self._refused)} of {len(self._refused) + len(self._outcomes)}"
            yield from (f"  {history}: {reason}" for history, reason in self._refused)
        yield f"\n{self.last_line}"

    def as_json(self) -> dict[str, Any]:
        """Give the report as JSON-like data."""
        return {
            "format": 1,
            "success": self.succeeded,
            "results": [
                {
                    "release": str(outcome.history.release),
                    "history": outcome.history.folder,
                    "passed": not outcome.differences,
                    "differences": list(outcome.differences),
                }
                for outcome in self._outcomes
            ],
            "not_yet_supported": [str(history) for history in self._missing],
            "not_for_this_engine": [{"history": str(history), "reason": reason} for history, reason in self._refused],
            "summary": self.last_line,
        }
