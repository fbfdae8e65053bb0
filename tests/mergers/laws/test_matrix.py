from __future__ import annotations

import dataclasses

import pytest

from mergers.laws import Verdict, check_laws
from mergers.laws.rules import COMMUTATIVITY
from tests.mergers.laws.known import BREAKS, OBSERVED, TIES_BREAK, UNSAID, known_violations
from tests.mergers.laws.matrix import DOMAINS, LAWS, Subject, report, subjects, verdict

KNOWN = known_violations()
SUBJECTS = subjects()
DECIDED = {Verdict.PROVED, Verdict.VIOLATED, Verdict.NOT_APPLICABLE}


@pytest.mark.parametrize("subject", SUBJECTS, ids=str)
def test_the_laws_hold_but_for_the_known_violations(subject):
    known = {cell[2:]: reason for cell, reason in KNOWN.items() if cell[:2] == subject}
    results = {(domain, law): report(subject).result(law, domain) for domain in DOMAINS for law in LAWS}
    broken = {cell for cell, result in results.items() if result.verdict is Verdict.VIOLATED}
    assert [str(results[cell]) for cell in broken - known.keys()] == []
    assert [(cell, known[cell]) for cell in known.keys() - broken] == []
    assert report(subject).contradictions == ()
    refuses = subject.name == "RewriteAvroPayload"
    assert {result.verdict for result in results.values()} <= (DECIDED | {Verdict.NOT_CHECKED} if refuses else DECIDED)


def test_every_known_violation_belongs_to_a_subject():
    assert {(name, release) for name, release, *_ in KNOWN} <= set(SUBJECTS)


def observations():
    """Yield each class with each release, and by domain what real Hudi was seen to do."""
    for name, releases, by_domain in OBSERVED:
        for release in releases:
            seen = {domain: laws for domain, laws in zip(DOMAINS, by_domain, strict=True) if UNSAID not in laws}
            yield pytest.param(Subject(name, release), seen, id=f"{name}-{release}")


@pytest.mark.parametrize(("subject", "seen"), list(observations()))
def test_the_verdicts_are_those_of_real_hudi(subject, seen):
    laws = ("commutativity", "associativity", "action")
    expected = {
        domain: [_expected(commutes), _expected(associates), _expected(acts)]
        for domain, (commutes, associates, acts) in seen.items()
    }
    assert {domain: [verdict(subject, law, domain) for law in laws] for domain in seen} == expected


def _expected(observed):
    return Verdict.VIOLATED if observed is BREAKS else Verdict.PROVED  # `ties break` says that all others commute


def same_ordering(versions, order):
    left, right = versions
    return order(left.ordering, right.ordering) == 0


TIES = dataclasses.replace(COMMUTATIVITY, id="ties", condition=same_ordering)


@pytest.mark.parametrize(
    ("name", "release"),
    [(name, releases[-1]) for name, releases, by_domain in OBSERVED if by_domain[0][0] is TIES_BREAK],
)
def test_ties_do_not_commute(name, release):
    found = check_laws(Subject(name, release).payload, release=release, laws=[TIES], domain="data")
    assert found.result("ties", "data").verdict is Verdict.VIOLATED


@pytest.mark.parametrize("subject", [subject for subject in SUBJECTS if "Rewrite" not in subject.name], ids=str)
def test_every_class_is_idempotent(subject):
    assert verdict(subject, "idempotence", "data") is Verdict.PROVED


@pytest.mark.parametrize("domain", ["flagged", "empty"])
def test_what_carries_no_records_has_no_deletes_to_judge(domain):
    result = report(Subject("EmptyHoodieRecordPayload", "1.2")).result("associativity", domain)
    assert (result.verdict, result.detail) == (
        Verdict.NOT_APPLICABLE,
        "it has no records: all its versions are alike",
    )
