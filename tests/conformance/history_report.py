"""Renders the outcomes of histories: a line a case, the first differences, and the line with the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conformance.sums import Sums
from tests.conformance.vector_report import pin_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.conformance.histories import History, Outcome
    from tests.conformance.pins import Pinned
    from tests.conformance.selection import Unreadable

_ROWS_SHOWN = 12
SECTION = "histories"


class HistoryReport:
    """Outcomes of the histories that were run, those that the engine has no part in, and files that are none.

    Attributes:
        failures: the outcomes that name differences; those without, where another patch is known to differ; and in a
            pinned directory what is refused.
        known: those that differ because another patch than the ported one wrote the table.
        refused: those that the product refuses to run, elsewhere than in a pinned directory.
        drops: snapshots that are pinned and not there.
        notes: what else is not as pinned.
    """

    def __init__(
        self,
        outcomes: Sequence[Outcome],
        not_for_engine: Sequence[tuple[History, str]] = (),
        unreadable: Sequence[Unreadable] = (),
        *,
        is_pinned: bool = False,
    ) -> None:
        self._outcomes = outcomes
        self._not_for_engine = not_for_engine
        self._unreadable = unreadable
        self.refused = [] if is_pinned else [one for one in outcomes if one.refusal is not None]
        self.failures = [
            one
            for one in outcomes
            if (one.refusal is not None and is_pinned)
            or (one.refusal is None and bool(one.differences) != bool(one.history.known_difference))
        ]
        self.known = [one for one in outcomes if one.differences and one.history.known_difference]
        self.drops: list[str] = []
        self.notes: list[str] = []

    def compare(self, pinned: Pinned, counts: dict[str, int], concerns: Callable[[str], bool]) -> None:
        """Compare how many snapshots each history has with the pins, for the labels that were asked for."""
        found = {pinned.prefix + label: count for label, count in counts.items()}

        def is_below(label: str) -> bool:
            return label.startswith(pinned.prefix) and concerns(label)

        for change in pinned.pins.changes(SECTION, found, is_below):
            (self.drops if change.is_drop else self.notes).append(str(change))

    @property
    def succeeded(self) -> bool:
        """Whether histories were run, all answered as real Hudi did or were refused, and none is missing."""
        return bool(self._outcomes) and not (self.failures or self._unreadable or self.drops)

    @property
    def sums(self) -> Sums:
        """The sums; what another patch of the release wrote may differ."""
        known, refused = len(self.known), len(self.refused)
        passed = len(self._outcomes) - len(self.failures) - known - refused
        return Sums(passed, len(self.failures) + len(self._unreadable), known, refused)

    @property
    def last_line(self) -> str:
        """The sums as one line."""
        return str(self.sums)

    def as_text(self, shown: int) -> Iterator[str]:
        """Give the report line by line, the sums last; the differences of `shown` failures are printed."""
        for outcome in self._outcomes:
            commits = len(outcome.history.commits)
            why = f": {outcome.history.known_difference}" if outcome in self.known else ""
            result = "FAIL" if outcome in self.failures else "diff" if why else "ok"
            if outcome in self.refused:
                result, why = "none", f": refused by us, {outcome.refusal}"
            yield f"{result:4} {outcome.history} ({commits} commits){why}"
        for outcome in self.failures[:shown]:
            yield f"\nFAIL {outcome.history} ({outcome.history.rule})"
            if outcome.refusal is not None:
                yield f"  refused by us: {outcome.refusal}"
            elif outcome.history.known_difference:
                yield f"  is equal, and should not be: {outcome.history.known_difference}"
            yield from (f"  {line[:400]}" for line in outcome.differences[: _ROWS_SHOWN + 1])
            if len(outcome.differences) > _ROWS_SHOWN + 1:
                yield f"  ... {len(outcome.differences) - 1} rows differ"
        yield from (f"\nFAIL {file.id}\n  {file.reason}" for file in self._unreadable)
        if self._not_for_engine:
            others = len(self._not_for_engine)
            yield f"\nnot for this engine: {others} of {others + len(self._outcomes)}"
            yield from (f"  {history}: {reason}" for history, reason in self._not_for_engine)
        yield from pin_lines(self.drops, self.notes)
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
                    "passed": outcome not in self.failures and outcome not in self.refused,
                    "differences": list(outcome.differences),
                    "refused_by_us": outcome.refusal,
                }
                for outcome in self._outcomes
            ],
            "unreadable": [file._asdict() for file in self._unreadable],
            "not_for_this_engine": [
                {"history": str(history), "reason": reason} for history, reason in self._not_for_engine
            ],
            "missing": self.drops,
            "notes": self.notes,
            "summary": self.last_line,
        }
