"""A step of a rehearsal has what Hudi said of it, as far as it may be shown."""

from __future__ import annotations

from bridge import redacted
from bridge.compare import ReaderResult
from bridge.migration.rehearsal import _Judged
from bridge.migration.rehearsal_steps import StepResult, StepTask


def test_a_redaction_hides_what_the_errors_of_a_step_quote() -> None:
    refused = "SchemaException: no room for city-one (at the read)"
    taken = StepResult(StepTask("upgrade", "upgrade", {}), None, refused, 1.0)
    judged = _Judged(None, None, taken, 0)  # type: ignore[arg-type]  # a refused step has no rows to read
    change = ReaderResult("1.2", refused="UnreadableTableError: city-one is no number")
    step = judged.step(change)
    assert (step.refused, step.expected) == (refused, change.refused)
    with redacted("all"):
        step = judged.step(change)
    assert [str(one).partition(":")[0] for one in (step.refused, step.expected)] == [
        "SchemaException",
        "UnreadableTableError",
    ]
    assert "city-one" not in f"{step.refused} {step.expected}"
