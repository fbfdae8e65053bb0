"""The law matrix: every built-in payload and merge mode, in every release, by every law and domain, decided once."""

from __future__ import annotations

import functools
from typing import NamedTuple

from mergers.laws import Domain, LawReport, Verdict, check_laws
from mergers.laws.modes import MODES
from mergers.laws.rules import AGREEMENT, ALL
from payloads import HudiRelease, PostgresDebeziumAvroPayload, builtin_payloads

LAWS = tuple(law.id for law in ALL.laws if law is not AGREEMENT)
DOMAINS = tuple(domain.value for domain in Domain)
_MARKERS = ", unavailable values"


class Subject(NamedTuple):
    """A row of the matrix: what is judged in a release."""

    name: str
    release: str

    @property
    def payload(self) -> str:
        """The name of the class or mode."""
        return self.name.removesuffix(_MARKERS)

    def __str__(self) -> str:
        return f"{self.name}-{self.release}"


def subjects() -> tuple[Subject, ...]:
    """Return every payload and merge mode with each release that has it."""
    found = []
    for release in HudiRelease:
        for payload_class in builtin_payloads(release):
            found.append(Subject(payload_class.__name__, str(release)))
            if issubclass(payload_class, PostgresDebeziumAvroPayload):
                found.append(Subject(payload_class.__name__ + _MARKERS, str(release)))
        if release >= HudiRelease.V1_0:
            partial = release >= HudiRelease.V1_1
            found += [Subject(mode, str(release)) for mode in MODES if partial or "/" not in mode]
    return tuple(found)


@functools.cache
def report(subject: Subject) -> LawReport:
    """Decide all laws for a subject by the small universe."""
    markers = None if "/" in subject.name else subject.name.endswith(_MARKERS)
    return check_laws(
        subject.payload, release=subject.release, laws=LAWS, domain=Domain, exhaustive=True, markers=markers
    )


def verdict(subject: Subject, law: str, domain: str) -> Verdict:
    """Return one cell."""
    return report(subject).result(law, domain).verdict
