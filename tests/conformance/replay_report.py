"""Renders the answers of replays: a line each, what `replay` says wrongly, and the line with the sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.conformance.replays import Answer

_LINES_SHOWN = 12


class ReplayReport:
    """Answers of `replay` beside the recorded tables; whether it refuses what real Hudi refused is optional."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = answers
        self.failures = [answer for answer in answers if answer.problems]

    @property
    def succeeded(self) -> bool:
        """Whether every required answer is right, and there is one."""
        return bool(self._answers) and all(answer.question.is_refused for answer in self.failures)

    @property
    def last_line(self) -> str:
        """The sums as one line."""
        optional = sum(answer.question.is_refused for answer in self.failures)
        passed, failed = len(self._answers) - len(self.failures), len(self.failures) - optional
        return f"{passed} passed, {failed} failed, {optional} optional failed"

    def as_text(self, shown: int) -> Iterator[str]:
        """Give the report line by line, the sums last; `shown` failures are told."""
        for answer in self._answers:
            yield f"{'FAIL' if answer.problems else 'ok':4} {answer.question} ({_what(answer)})"
        for answer in self.failures[:shown]:
            yield f"\nFAIL {answer.question} ({answer.question.left.rule})"
            yield from (f"  {line[:400]}" for line in answer.problems[:_LINES_SHOWN])
            if len(answer.problems) > _LINES_SHOWN:
                yield f"  ... {len(answer.problems)} in all"
        if not self._answers:
            yield "no table below one folder has its pair below the other: one case, an earlier release on the left"
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
                for answer in self._answers
            ],
            "summary": self.last_line,
        }


def _what(answer: Answer) -> str:
    commits = f"{answer.question.commits} commits"
    if answer.question.is_refused:
        return f"{commits}, refused"
    return f"{commits}, {answer.differing} keys differ"
