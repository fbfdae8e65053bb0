"""Findings: warnings about a table by severity, and class names as text shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.report import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Finding(NamedTuple):
    """A warning about a table.

    Attributes:
        severity: its severity; `unchanged` for advice, by which no row changes.
        text: what is wrong, in a sentence.
        remedy: what to do.
        example: what was counted in the table, and the smallest example; None for a finding about settings.
    """

    severity: Severity
    text: str
    remedy: str
    example: Mapping[str, object] | None = None

    @property
    def graded(self) -> str:
        """The severity and what is wrong."""
        word = "advice" if self.severity is Severity.UNCHANGED else self.severity.value
        return f"{word}: {self.text}"

    def __str__(self) -> str:
        return f"{self.graded}; {self.remedy}"


def findings_as_json(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return warnings with their parts."""
    return [
        {"severity": one.severity.value, "text": one.text, "remedy": one.remedy}
        | ({} if one.example is None else {"example": dict(one.example)})
        for one in findings
    ]


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return warnings by severity."""
    return tuple(sorted(findings, key=lambda one: one.severity, reverse=True))


def short(text: str) -> str:
    """Leave out the package of Hudi's payload classes, in text."""
    return text.replace("org.apache.hudi.common.model.debezium.", "").replace("org.apache.hudi.common.model.", "")
