"""What a move to a release changes for new batches, as one finding of `inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.migration.findings import Finding
from bridge.migration.move import number_told, severity_of
from bridge.report import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.migration.plan_report import MigrationPlan


def move_findings(made: MigrationPlan | None, *, sure: bool) -> Iterator[Finding]:
    """Yield what new batches come to after a move: one finding for all that changes, one for what was not looked at."""
    if made is None:
        return
    old, new = made.names
    after = "after the upgrade" if made.from_version < made.to_version else "from then on"
    remedy = f"plan lists what changes, and replay --batches NEXT --to {made.to_release} shows the rows"
    if made.behaviours:
        severity, first = severity_of(made.behaviours, made.untried, sure=sure), made.behaviours[0]
        many = number_told(made.behaviours)
        about = f"this depends on {first.depends_on}" if first.depends_on else first.case
        case = f"{first.about.value}, {about}" if about else first.about.value
        example = f"for example {case}; {old}: {first.before}; {new}: {first.after}"
        unsure = f"both {old} and {new} write table version {made.from_version}; if {old} wrote this one, "
        yield Finding(severity, f"{'' if sure else unsure}for new batches {after} {many} ({example})", remedy)
    if made.untried is not None:
        told = f"the effect on new batches {after} was not checked: {made.untried}"
        yield Finding(Severity.NOT_CHECKED, told, f"replay --batches NEXT --to {made.to_release} shows the rows")
