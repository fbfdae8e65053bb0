"""law_cases: one case per law and domain, for any test framework."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mergers.laws.check import DEFAULT_DOMAINS, check_laws, domains_named
from mergers.laws.core import Domain
from mergers.laws.rules import laws_named
from payloads.arguments import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.laws.core import Law, RuleSet
    from mergers.laws.report import LawResult


@dataclass(frozen=True)
class LawCase:
    """One law in one domain, for a test.

    Attributes:
        law: the id of the law.
        domain: the domain.
    """

    law: str
    domain: str
    _arguments: tuple[Any, dict[str, Any]]

    @property
    def __name__(self) -> str:
        """The name of the case in a test report."""
        return f"{self.law}-{self.domain}"

    def __str__(self) -> str:
        return self.__name__

    def result(self) -> LawResult:
        """Judge."""
        subject, settings = self._arguments
        return check_laws(subject, laws=[self.law], domain=self.domain, **settings).results[0]

    def check(self) -> None:
        """Check the law, and fail if it is violated or could not be checked.

        Raises:
            LawViolationError: the law is violated; the message shows the counterexample.
            LawNotCheckedError: it could not be checked; the message says why.
        """
        __tracebackhide__ = True  # pytest then shows the test, not this
        subject, settings = self._arguments
        report = check_laws(subject, laws=[self.law], domain=self.domain, **settings)
        report.raise_if_violated()
        report.raise_if_unchecked()


@checked
def law_cases(
    payload_or_merger: object,
    *,
    laws: Iterable[str | Law | RuleSet] | None = None,
    domain: str | Domain | Iterable[str | Domain] = DEFAULT_DOMAINS,
    **settings: object,
) -> list[LawCase]:
    """Return one case per law and domain, for `pytest.mark.parametrize`; the arguments are those of `check_laws`.

    Laws that can't apply are left out: `tombstone` on data alone, `agreement` without a second implementation.
    """
    return [
        LawCase(law.id, one.value, (payload_or_merger, settings))
        for one in domains_named(domain)
        for law in laws_named(laws)
        if not (law.needs_delete and one is Domain.DATA) and not (law.needs_other and settings.get("other") is None)
    ]
