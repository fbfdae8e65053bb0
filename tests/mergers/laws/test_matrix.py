from __future__ import annotations

import dataclasses

import pytest

from mergers.laws import Verdict, check_laws
from mergers.laws.rules import COMMUTATIVITY
from tests.mergers.laws.known import BREAKS, HOLDS, OBSERVED, TIES_BREAK, UNSAID, known_violations
from tests.mergers.laws.matrix import DOMAINS, LAWS, Subject, report, subjects, verdict

KNOWN = known_violations()
SUBJECTS = subjects()


def cells():
    for subject in SUBJECTS:
        for domain in DOMAINS:
            for law in LAWS:
                reason = KNOWN.get((*subject, domain, law))
                marks = () if reason is None else pytest.mark.xfail(strict=True, reason=reason, raises=AssertionError)
                yield pytest.param(subject, law, domain, marks=marks, id=f"{subject}-{law}-{domain}")


@pytest.mark.parametrize(("subject", "law", "domain"), list(cells()))
def test_the_law_holds_or_is_known_not_to(subject, law, domain):
    result = report(subject).result(law, domain)
    assert result.verdict in {Verdict.PROVED, Verdict.NOT_APPLICABLE}, str(result)


def test_every_known_violation_belongs_to_a_subject():
    assert {(name, release) for name, release, *_ in KNOWN} <= set(SUBJECTS)


def observations():
    for name, releases, by_domain in OBSERVED:
        for release in releases:
            for domain, observed in zip(DOMAINS, by_domain, strict=True):
                if UNSAID not in observed:
                    yield pytest.param(Subject(name, release), domain, observed, id=f"{name}-{release}-{domain}")


@pytest.mark.parametrize(("subject", "domain", "observed"), list(observations()))
def test_the_verdicts_are_those_of_real_hudi(subject, domain, observed):
    commutes, associates, acts = observed
    assert verdict(subject, "associativity", domain) is _expected(associates)
    assert verdict(subject, "action", domain) is _expected(acts)
    assert verdict(subject, "commutativity", domain) is _expected(HOLDS if commutes is TIES_BREAK else commutes)


def _expected(observed):
    return Verdict.VIOLATED if observed is BREAKS else Verdict.PROVED


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
