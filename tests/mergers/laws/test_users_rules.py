"""Rulings on classes of users that state a rule: held against the class itself, on rules and versions at random."""

from __future__ import annotations

import random

import hypothesis
import pytest
from hypothesis import strategies as st

from mergers.laws import Domain, Operands, RuleVerdict, Verdict, check_laws, rule_algebra, rule_universe
from mergers.laws.evaluate import Evaluator
from mergers.laws.from_rules import DECIDABLE
from mergers.laws.rule_verdicts import Rulings, stated_rules
from mergers.laws.rules import ACTION, ASSOCIATIVITY, COMMUTATIVITY, IDEMPOTENCE, SCHEDULE_INDEPENDENCE, TOMBSTONE
from mergers.laws.subject import subject_of
from payloads import HudiRelease, PayloadBridgeError, parse_schema
from payloads.builtin import UNAVAILABLE
from payloads.rules import (
    DATA,
    AnyOf,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Concat,
    DeleteTests,
    Effect,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsDelete,
    IsEmpty,
    Least,
    Marker,
    MergeRule,
    Point,
    Role,
    Sum,
    Take,
    Union,
)
from tests.mergers.laws.rule_draws import MERGE_RULES, ORDERINGS, schema_of, some_record, some_version
from tests.support.rule_classes import ByPoint, ClosedStays, FirstByNote, LastWins, Visits, VisitsMerger
from tests.support.schemas import nullable, record_schema

OLDER, NEWER, LATER, EARLIER = Role.OLDER, Role.NEWER, Role.LATER, Role.EARLIER
HOLDS, FAILS, UNDECIDED = RuleVerdict
RELEASES = tuple(map(str, HudiRelease))
VISITS = parse_schema(
    record_schema(
        "row",
        id="string",
        ts="long",
        version="long",
        hits=nullable("int"),
        first_seen="long",
        status=nullable("string"),
        note=nullable("string"),
        _hoodie_is_deleted=nullable("boolean"),
    )
)
STRATEGY = "3c6a0a1e-7d8f-4f0e-8d0c-9f1f7b0a5f11"


def payload(rule, stored_rule=None):
    """Return a payload class with a rule, or one for batches and one for stored rows."""
    if stored_rule is None:
        return type("Drawn", (), {"rule": rule})
    by_point = {Point.BATCH: rule}
    return type("Drawn", (), {"rule": staticmethod(lambda point, *_: by_point.get(point, stored_rule))})


def merger(rule):
    """Return a merger class with a rule."""
    return type("DrawnMerger", (), {"rule": rule, "merging_strategy": STRATEGY})


def subject(named, schema=None, fields=("ts",), release=RELEASES[-1], props=None):
    return subject_of(
        named, schema=schema or schema_of(), key=("id",), ordering_fields=fields, release=release, props=props or {}
    )


# -- what follows from rules of users

FILLED = FirstNonNull((Take(LATER), Take(EARLIER)))
WHOLE_DELETES = Case(AnyOf((IsDelete(OLDER), IsDelete(NEWER))), Effect.WINNER)
COUNTS = MergeRule(ByOrdering(), columns={"hits": Sum()})
CLOSED = MergeRule(ByOrdering(), cases=(Case(ColumnIs(OLDER, "note", "x"), Effect.CURRENT),))

KNOWN = [
    (payload(COUNTS), ASSOCIATIVITY, "data", HOLDS, "`hits` adds"),
    (payload(COUNTS), ACTION, "data", HOLDS, "`hits` adds"),
    (payload(COUNTS), SCHEDULE_INDEPENDENCE, "data", HOLDS, "`hits` adds"),
    (payload(COUNTS), IDEMPOTENCE, "data", FAILS, "`hits` adds: idempotence fails"),
    (payload(COUNTS), COMMUTATIVITY, "flagged", HOLDS, "`hits` adds"),
    (payload(COUNTS), TOMBSTONE, "flagged", HOLDS, "`hits` adds"),
    (payload(COUNTS), ACTION, "flagged", FAILS, "one side deletes the row"),
    (merger(COUNTS), ASSOCIATIVITY, "data", HOLDS, "`hits` adds"),
    (merger(COUNTS), ACTION, "data", HOLDS, "`hits` adds"),
    (merger(COUNTS), TOMBSTONE, "empty", HOLDS, "`hits` adds"),
    # what two points make of it
    (payload(MergeRule(), COUNTS), ASSOCIATIVITY, "data", HOLDS, "one version is kept whole, by arrival"),
    (
        payload(MergeRule(), MergeRule(columns={"hits": Sum()})),
        ACTION,
        "data",
        FAILS,
        "later version in a batch and adds with the stored row",
    ),
    # tests that couple columns
    (
        payload(CLOSED),
        ASSOCIATIVITY,
        "data",
        FAILS,
        "another version stays, by ordering value, unless a test of `note`",
    ),
    (payload(MergeRule(cases=CLOSED.cases)), ASSOCIATIVITY, "data", HOLDS, "one version is kept whole"),
    (
        payload(MergeRule(columns={"hits": IfElse(ColumnIs(NEWER, "ok", value=True), Sum(), Take(NEWER))})),
        ASSOCIATIVITY,
        "data",
        FAILS,
        "`hits` depends on a test",
    ),
    # extremes, constants, reverse order, ties to the older version
    (payload(MergeRule(ByOrdering(tie=OLDER, reverse=True))), ACTION, "data", HOLDS, "one version is kept whole"),
    (payload(MergeRule(ByOrdering(reverse=True))), TOMBSTONE, "flagged", FAILS, "another version stays"),
    (
        payload(MergeRule(columns={"score": Greatest(), "count": Least()})),
        ACTION,
        "data",
        HOLDS,
        "`score` is the greater",
    ),
    (payload(MergeRule(columns={"score": Sum()})), ACTION, "data", FAILS, "`score` adds"),
    (payload(MergeRule(columns={"count": Sum()})), ASSOCIATIVITY, "data", HOLDS, "`count` adds"),
    (payload(MergeRule(columns={"tags": Concat()})), ACTION, "data", HOLDS, "`tags` joins"),
    (payload(MergeRule(columns={"counts": Union()})), IDEMPOTENCE, "data", HOLDS, "`counts` joins"),
    (
        payload(MergeRule(ByColumn(("count",)))),
        ASSOCIATIVITY,
        "data",
        HOLDS,
        "one version is kept whole, by `count`",
    ),
    # deletes
    (payload(MergeRule(deletes=DeleteTests(marker=Marker("note", "x")))), TOMBSTONE, "flagged", FAILS, "by arrival"),
    (merger(MergeRule(cases=(Case(IsDelete(NEWER), Effect.DELETE),))), ASSOCIATIVITY, "data", HOLDS, "is kept whole"),
    (
        merger(MergeRule(cases=(Case(IsDelete(NEWER), Effect.DELETE),))),
        ASSOCIATIVITY,
        "flagged",
        FAILS,
        "one side is a delete",
    ),
    (
        merger(
            MergeRule(otherwise=Effect.FILLED, cases=(Case(IsEmpty(NEWER), Effect.INCOMING),), columns={DATA: FILLED})
        ),
        ACTION,
        "flagged",
        FAILS,
        "`note` is the first value that is not null",
    ),
    # the marker of Debezium is a value as any other
    (
        payload(MergeRule(columns={"plain": FirstNonMarker((Take(NEWER), Take(OLDER)), UNAVAILABLE)})),
        ACTION,
        "data",
        HOLDS,
        "marker",
    ),
]


@pytest.mark.parametrize(("named", "law", "domain", "outcome", "reason"), KNOWN)
def test_a_law_follows_from_the_rule_of_a_users_class(named, law, domain, outcome, reason):
    found = checked(subject(named), law, Domain(domain))
    assert (found.outcome, reason in found.reason) == (outcome, True), found


@pytest.mark.parametrize(
    ("named", "release"),
    [
        (Visits, RELEASES[0]),
        (VisitsMerger, RELEASES[-1]),
        (ClosedStays, RELEASES[-1]),
        (ByPoint, "1.0"),
        (LastWins, RELEASES[-1]),
        (FirstByNote, RELEASES[-1]),
    ],
)
def test_enumeration_agrees_with_the_rules_of_users_classes(named, release):
    settings = {"schema": VISITS, "key": ["id"], "ordering_fields": ["ts"], "release": release, "domain": list(Domain)}
    report = check_laws(named, laws=[law.id for law in DECIDABLE], exhaustive=True, **settings)
    outcomes = {result.ruling.outcome for result in report.results if result.ruling}
    assert not report.contradictions
    assert FAILS in outcomes
    assert HOLDS in outcomes or named is FirstByNote


@pytest.mark.parametrize(
    ("props", "why"),
    [
        ({"hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled": "true"}, "truncated"),
        (
            {"hoodie.payload.ordering.field": "count", "hoodie.table.ordering.fields": "count"},
            "name other ordering fields",
        ),
    ],
)
def test_a_row_that_is_read_otherwise_than_a_version_is_not_decided(props, why):
    found = checked(subject(payload(COUNTS), props=props), ACTION, Domain.DATA)
    assert (found.outcome, why in found.reason) == (UNDECIDED, True), found


def test_the_verdict_of_a_users_class_covers_all_rows():
    settings = {"schema": schema_of(), "key": ["id"], "ordering_fields": ["ts"], "domain": "data", "examples": 5}
    report = check_laws(payload(COUNTS), laws=["associativity", "idempotence", "purity"], **settings)
    proved, broken, tried = report.results
    assert (proved.verdict, proved.for_all_rows) == (Verdict.PROVED, True)
    assert (
        "proved (for all rows, by its rule: `hits` adds; the later version is determined by ordering value;"
        in proved.line
    )
    assert broken.line.startswith("idempotence [data]: violated (by its rule: `hits` adds: idempotence fails;")
    assert (tried.verdict, tried.ruling) == (Verdict.PROVED, None)
    assert not report.contradictions


# -- rules at random


def of_users(rule):
    """Whether users may state it."""
    return Effect.EDITED not in {rule.result, *(case.gives for case in rule.cases)}


@st.composite
def subjects(draw):
    """Draw a class that states rules, and its subject."""
    kind, fields = draw(ORDERINGS)
    rule = draw(MERGE_RULES.filter(of_users))
    other = draw(st.none() | MERGE_RULES.filter(of_users))
    named = draw(st.sampled_from([payload(rule), payload(rule, other), merger(rule)]))
    release = draw(st.sampled_from(RELEASES))
    try:
        return subject(named, schema_of(kind), fields, release)
    except PayloadBridgeError:  # a merger with a marker
        return subject(payload(rule), schema_of(kind), fields, release)


def refuting(found, law, domain, *, seed, tries, null_orderings=False):  # noqa: PLR0913 (what is drawn)
    """Return versions at random on which a class breaks a law, two versions more than needed at most; None if none."""
    rules = stated_rules(found, null_orderings=null_orderings)
    evaluator, chance = Evaluator(found.algebra), random.Random(seed)  # noqa: S311 (the seed repeats it)
    largest = law.sizes[1] + (law.condition is None and law.sizes[1] > 1)
    for _ in range(tries):
        size = chance.randint(law.sizes[0], largest)
        row = None if chance.random() < 0.3 else some_record(rules, chance)
        row = None if row is not None and rules.deletes(row) else row
        versions = [some_version(rules, domain, chance) for _ in range(size)]
        if not law.applies(tuple(versions), found.algebra.order):
            continue
        bound = evaluator.bind(Operands(row, tuple(versions)))
        if not all(evaluator.holds(equation, bound) for equation in law.stated(size)):
            return row, versions
    return None


def checked(found, law, domain, *, seed=0, tries=60, null_orderings=False):  # noqa: PLR0913 (as above)
    """Return a ruling, once it was held against the class."""
    rulings = Rulings(found, domain, Evaluator(found.algebra), null_orderings=null_orderings)
    ruling = rulings.of(law)
    where = (found.algebra.name, stated_rules(found).all, found.release, domain, law.id, ruling)
    assert not ruling.refuted, where
    if ruling.outcome is HOLDS:
        shown = refuting(found, law, domain, seed=seed, tries=tries, null_orderings=null_orderings)
        assert shown is None, (where, shown)
    return ruling


@hypothesis.given(subjects(), st.sampled_from(Domain), st.sampled_from(DECIDABLE), st.integers(0, 2**20), st.booleans())
@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples * 80 // 100,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
def test_no_version_refutes_what_a_rule_proves_of_its_class(found, domain, law, seed, null_orderings):
    checked(found, law, domain, seed=seed, null_orderings=null_orderings)


# -- planted mistakes


def made_records_stay_marked(patch):
    patch.setattr(rule_algebra.MergerRun, "_kept", rule_algebra.RuleRun._kept)
    patch.setattr(rule_algebra.MergerRun, "_stored", rule_algebra.RuleRun._stored)


def deletes_are_stored(patch):
    patch.setattr(rule_algebra.PayloadRun, "_stored", lambda self, _gives, version, _newer: self._as_row(version))


def rows_carry_what_versions_do(patch):
    patch.setattr(rule_universe.StatedRules, "of_row", lambda self, record: self.carried(record))


KEEPS_MARK = MergeRule(cases=(Case(IsEmpty(NEWER), Effect.INCOMING),), columns={"note": FILLED})


@pytest.mark.parametrize(
    ("plant", "named", "domain", "null_orderings"),
    [
        (made_records_stay_marked, merger(KEEPS_MARK), Domain.FLAGGED, False),
        (deletes_are_stored, payload(MergeRule()), Domain.FLAGGED, False),
        (rows_carry_what_versions_do, payload(MergeRule(ByOrdering())), Domain.DATA, True),
    ],
)
def test_the_class_refutes_what_a_mistake_proves(plant, named, domain, null_orderings, monkeypatch):
    found = subject(named)
    for law in DECIDABLE:
        checked(found, law, domain, null_orderings=null_orderings)
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        _ = [checked(found, law, domain, null_orderings=null_orderings) for law in DECIDABLE]
