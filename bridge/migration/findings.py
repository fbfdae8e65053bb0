"""Findings: warnings about a table by severity, and class names as text shows them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Severity(enum.Enum):
    """The severity of a warning, the worst first."""

    DAMAGE = "damage"
    FAILS = "fails"
    CHANGES = "changes rows"
    ADVICE = "advice"


class Finding(NamedTuple):
    """A warning about a table.

    Attributes:
        severity: its severity.
        text: what is wrong, in a sentence.
        remedy: what to do.
    """

    severity: Severity
    text: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity.value}: {self.text}; {self.remedy}"


def findings_as_json(findings: Iterable[Finding]) -> list[dict[str, str]]:
    """Return warnings with their parts."""
    return [{"severity": one.severity.value, "text": one.text, "remedy": one.remedy} for one in findings]


def short(text: str) -> str:
    """Leave out the package of Hudi's payload classes, in text."""
    return text.replace("org.apache.hudi.common.model.debezium.", "").replace("org.apache.hudi.common.model.", "")
