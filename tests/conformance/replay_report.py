"""Renders the answers of replays: a line each, what `replay` says wrongly, and the line with the sums."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from tests.conformance.sums import Sums
from tests.conformance.vector_report import pin_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.conformance.pins import Pinned
    from tests.conformance.replays import Answer
    from tests.conformance.selection import Unreadable

_LINES_SHOWN = 12


class ReplayReport:
    """Answers of `replay` beside the recorded tables; whether it refuses what real Hudi refused is optional.

    In a pinned directory, that is required, too.

    Attributes:
        answers: all of them.
        failures: those that have problems.
        drops: questions that are pinned and not there.
        notes: what else is not as pinned.
    """

    def __init__(
        self, answers: Sequence[Answer], unreadable: Sequence[Unreadable] = (), pinned: Pinned | None = None
    ) -> None:
        self.answers = answers
        self._unreadable = unreadable
        self._is_pinned = pinned is not None
        self.failures = [answer for answer in answers if answer.problems]
        self.drops: list[str] = []
        self.notes: list[str] = []

    def compare(self, pinned: Pinned, section: str) -> None:
        """Compare how many questions of each kind there are with the pins."""
        for change in pinned.pins.changes(section, self.counts):
            (self.drops if change.is_drop else self.notes).append(str(change))

    @property
    def counts(self) -> dict[str, int]:
        """How many questions there are, by releases and kind."""
        return collections.Counter(answer.question.label for answer in self.answers)

    @property
    def succeeded(self) -> bool:
        """Whether every required answer is right, and there is one."""
        return bool(self.answers) and not (self._required or self._unreadable or self.drops)

    @property
    def _required(self) -> list[Answer]:
        return [answer for answer in self.failures if self._is_pinned or not answer.question.is_refused]

    @property
    def sums(self) -> Sums:
        """The sums."""
        failed = len(self._required)
        passed, optional = len(self.answers) - len(self.failures), len(self.failures) - failed
        return Sums(passed, failed + len(self._unreadable), optional)

    @property
    def last_line(self) -> str:
        """The sums as one line."""
        return str(self.sums)

    def as_text(self, shown: int) -> Iterator[str]:
        """Give the report line by line, the sums last; `shown` failures are told."""
        for answer in self.answers:
            yield f"{'FAIL' if answer.problems else 'ok':4} {answer.question} ({_what(answer)})"
        for answer in self.failures[:shown]:
            yield f"\nFAIL {answer.question} ({answer.question.left.rule})"
            yield from (f"  {line[:400]}" for line in answer.problems[:_LINES_SHOWN])
            if len(answer.problems) > _LINES_SHOWN:
                yield f"  ... {len(answer.problems)} in all"
        yield from (f"\nFAIL {file.id}\n  {file.reason}" for file in self._unreadable)
        yield from pin_lines(self.drops, self.notes)
        yield f"\n{self.last_line}"

    def as_json(self) -> dict[str, Any]:
        """Give the report as JSON-like data."""
        return {
            "format": 1,
            "success": self.succeeded,
            "results": [
                {
                    "question": str(answer.question),
                    "commits": answer.question.commits,
                    "refused": answer.question.is_refused,
                    "differing": answer.differing,
                    "passed": not answer.problems,
                    "problems": list(answer.problems),
                }
                for answer in self.answers
            ],
            "unreadable": [file._asdict() for file in self._unreadable],
            "missing": self.drops,
            "notes": self.notes,
            "summary": self.last_line,
        }


def _what(answer: Answer) -> str:
    commits = f"{answer.question.commits} commits"
    if answer.question.is_refused:
        return f"{commits}, refused"
    return f"{commits}, {answer.differing} keys differ"
