"""What `migrate` says of the rule of a class: the mode that has it or comes closest, and the path that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge import MergePoint, Rule, calls_of
from bridge.migration.class_rules import told
from bridge.report import shown_constants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.migration.candidates import Candidate
    from bridge.migration.generated import Generated
    from bridge.migration.mode_matches import ModeMatch
    from payloads import HudiRelease


_EDITS = (
    "The class edits the stored row in place and returns it. From 1.1 on readers and compactions of merge-on-read "
    "tables consider such a row unchanged and lose the edit; a merger that states the rule keeps it."
)
_EDITS_OWN = (
    "the class writes into its own row and returns it; from 1.1 on readers and compactions of merge-on-read tables "
    "consider such a row unchanged and lose what was written: return a changed copy, such as dict(self.record, ...)"
)


def rule_warnings(found: Generated) -> list[str]:
    """Return what to know of a class that was asked: that it edits its own row, and that constants are not hidden."""
    if found.rules is None:
        return []
    return [*([_EDITS_OWN] if found.rules.edited_own is not None else []), *shown_constants()]


def by_rule(found: Generated, old: HudiRelease, recommended: Candidate | None) -> Iterator[str]:
    """Say which merge mode has the rule of the class, or comes closest, and which path changes because it has two."""
    if found.matches:
        best = found.matches[0]
        answers = f"it gives the results of the class for all {best.asked:,} pairs of versions tried"
        if best.is_whole:
            yield f"The rule of the class is that of {best.candidate.name}: {answers}. No code is needed."
        else:
            closest = f"No merge mode has the rule of the class; the closest is {best.candidate.name}."
            yield f"{closest} {beside(best)}"
    if found.rules is not None and found.rules.edited is not None:
        yield _EDITS
    rules = None if found.rules is None else found.rules.rules
    if rules is None or rules.batch is None or recommended is None:
        return
    new = recommended.plan.release
    folds = [calls_of(release)[MergePoint.LOG_FOLD].rule is Rule.PRE_COMBINE for release in (old, new)]
    if folds[0] is not folds[1]:
        logs = f"In Hudi {old} log entries are merged as in a batch, in {new} as with the stored row"
        two = "The class has one rule in a batch and another for the stored row."
        yield f"{two} {logs}, so rows of merge-on-read tables may change."


def beside(one: ModeMatch) -> str:
    """Say how a merge mode differs from the class, with the smallest pair."""
    differs = f"{one.differing:,} of {one.asked:,} pairs of versions differently from the class"
    return f"{one.candidate.name} merges {differs}: {told(one.example)}."
