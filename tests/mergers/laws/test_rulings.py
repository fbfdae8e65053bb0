from __future__ import annotations

import collections
import json

import pytest

from bridge.report.page import as_html
from bridge.verify import verify
from mergers.laws import Domain, LawViolationError, RuleVerdict, Ruling, Verdict, check_laws
from mergers.laws.core import Version
from mergers.laws.evaluate import Evaluator
from mergers.laws.exhaustive import Enumerated, try_all
from mergers.laws.from_rules import DECIDABLE, Decisions
from mergers.laws.modes import MODES
from mergers.laws.rule_universe import StatedRules
from mergers.laws.rule_verdicts import Rulings, stated_rules
from mergers.laws.rules import COMMUTATIVITY, TOMBSTONE
from mergers.laws.subject import subject_of
from mergers.laws.universe import Universe, sample_schema
from payloads import NATURAL_ORDER, HudiRelease, builtin_payloads, parse_schema
from payloads.rules import MergeRule
from tests.mergers.laws.rule_draws import schema_of
from tests.mergers.rules.universe import SETTINGS, stored

HOLDS, FAILS, UNDECIDED = RuleVerdict
RELEASES = tuple(map(str, HudiRelease))


# -- every registered rule


def named(release):
    yield from (payload.__name__ for payload in builtin_payloads(release))
    if release >= "1.0":
        yield from (mode for mode in MODES if release > "1.0" or "/" not in mode)


EVERYWHERE = ("arrival", "by ts", "marker")
"""The settings that are tried in each release; the others in the newest one."""


def subjects(release):
    titles = SETTINGS if release == RELEASES[-1] else EVERYWHERE
    for name in named(release):
        for title in titles:
            setting = SETTINGS[title]
            fields = tuple(filter(None, setting.props.get("hoodie.table.ordering.fields", "").split(",")))
            position = {"MySqlDebeziumAvroPayload": "_event_seq", "PostgresDebeziumAvroPayload": "_event_lsn"}.get(name)
            if position in setting.schema.by_name:
                fields = (position,)
            elif position is not None:
                continue
            yield (
                title,
                subject_of(
                    name,
                    schema=setting.schema,
                    key=("id",),
                    ordering_fields=fields,
                    release=release,
                    props=setting.props,
                ),
            )


def universe(found, domain):
    """Return rows with nulls, ties, markers and defaults, and the deletes of a domain, of Integer 0 as well."""
    stated_by = stated_rules(found)
    records = [version.record for version in stored(found.spec.schema)]
    heads = found.spec.ordering_heads
    records = [one for one in records if all(one[head] is not None and one[head] != "broken" for head in heads)]
    data = [stated_by.version(one) for one in records if not stated_by.deletes(one)]
    deletes = []
    if domain is Domain.FLAGGED:
        marked = records if stated_by.marks else [one for one in records if stated_by.deletes(one)]
        deletes = [stated_by.version(one, is_delete=True) for one in marked[-3:]]
    if domain is Domain.EMPTY:
        orderings = {repr(one.ordering): one.ordering for one in data} | {"none": NATURAL_ORDER}
        deletes = [Version(None, ordering, is_delete=True) for ordering in orderings.values()]
    return Universe((*data, *deletes), (None, *(one.record for one in data)))


_SEEN: dict[str, collections.Counter] = {}


@pytest.mark.parametrize("release", RELEASES)
def test_enumeration_agrees_with_every_rule_that_is_stated(release):
    found_here = collections.Counter()
    for title, found in subjects(release):
        stated_by = stated_rules(found)
        if stated_by is None:
            continue
        key = repr((title, found.algebra.name, stated_by.all, stated_by.direction))
        if key not in _SEEN:
            _SEEN[key] = agreeing(found, title)
        found_here += _SEEN[key]
    assert found_here[HOLDS] > 100
    assert found_here[FAILS] > 100


def agreeing(found, title):
    """Hold what the rule of a class says against the class itself, on every choice of a universe."""
    outcomes = collections.Counter()
    for domain in Domain:
        evaluator = Evaluator(found.algebra)
        rulings = Rulings(found, domain, evaluator, null_orderings=False)
        operands = universe(found, domain)
        for law in DECIDABLE:
            ruling = rulings.of(law)
            outcomes[ruling.outcome] += 1
            where = (title, found.algebra.name, found.release, domain, law.id, ruling)
            assert not ruling.refuted, where
            if ruling.outcome is HOLDS:
                tried = Enumerated()
                try_all(law, evaluator, operands, tried, most=law.sizes[0])
                assert (tried.counterexample, tried.unlike) == (None, None), (where, tried.counterexample)
    return outcomes


# -- verdicts


def test_what_a_rule_proves_is_proved_for_all_rows():
    report = check_laws("DefaultHoodieRecordPayload", laws=["associativity", "purity"], domain="data", examples=5)
    by_rule, tried = report.results
    assert (by_rule.verdict, by_rule.for_all_rows) == (Verdict.PROVED, True)
    assert (
        "proved (for all rows, by its rule: one version is kept whole, by ordering value; tried, too:" in by_rule.line
    )
    assert (tried.verdict, tried.for_all_rows, tried.ruling) == (Verdict.PROVED, False, None)
    only = check_laws("DefaultHoodieRecordPayload", laws=["associativity"], domain="data", exhaustive=False, examples=5)
    assert (only.results[0].verdict, only.results[0].for_all_rows) == (Verdict.PROVED, True)
    assert not only.contradictions


def test_a_rule_finds_what_the_small_universe_does_not_hold():
    (found,) = check_laws("EVENT_TIME_ORDERING", laws=["associativity"], domain="empty", exhaustive=True).violations
    assert found.line.startswith("associativity [empty]: violated (by its rule: another version stays")
    assert NATURAL_ORDER in [version.ordering for version in found.counterexample.operands.versions]


def test_rows_without_the_marker_are_told_of():
    (found,) = check_laws(
        "PostgresDebeziumAvroPayload", laws=["action"], domain="data", exhaustive=True, markers=False
    ).results
    assert found.for_all_rows
    assert "as no value is '__debezium_unavailable_value'" in found.line


def test_a_class_of_ones_own_has_no_ruling():
    class Own:
        def __init__(self, record, ordering_value=None):
            self.record = record

        def pre_combine(self, older):
            return self

        def combine_and_get_update_value(self, current, schema):
            return self.record

        def get_insert_value(self, schema):
            return self.record

    schema = parse_schema(schema_of().source)
    (found,) = check_laws(Own, laws=["associativity"], domain="data", schema=schema, exhaustive=True).results
    assert (found.ruling, found.for_all_rows) == (None, False)


def contradicted(monkeypatch, **settings):
    """Check a law that does not hold, as if its rule said that it does."""
    wrong = Ruling(HOLDS, "a mistake")
    monkeypatch.setattr(Decisions, "of", lambda _self, _law: wrong)
    return verify(
        "DefaultHoodieRecordPayload",
        release=HudiRelease.latest(),
        laws=("action",),
        domains=("flagged",),
        exhaustive=True,
        **settings,
    )


def test_a_rule_that_enumeration_refutes_is_an_internal_error(monkeypatch):
    found = contradicted(monkeypatch, allow=("action",))
    assert not found.success
    said = "internal error: action [flagged]: by its rule it holds for all rows, but a counterexample was found"
    for text in (found.verdict, str(found.report), *found.to_report().warnings):
        assert said in text
    assert "for all rows, by its rule" not in found.report.results[0].line
    (result,) = json.loads(found.to_json())["results"]
    assert (result["verdict"], result["for_all_rows"]) == ("violated", False)
    with pytest.raises(LawViolationError, match="internal error"):
        found.report.raise_if_violated()


def test_a_counterexample_of_a_rule_that_its_class_refutes_is_an_internal_error(monkeypatch):
    schema, fields = sample_schema(None)
    of_commits = Decisions(StatedRules(schema, MergeRule(), ordering_fields=fields), Domain.DATA).of(COMMUTATIVITY)
    monkeypatch.setattr(Decisions, "of", lambda _self, _law: of_commits)
    report = check_laws("DefaultHoodieRecordPayload", laws=["commutativity"], domain="data", exhaustive=True)
    (found,) = report.results
    assert found.verdict is Verdict.PROVED
    assert "the class merges the counterexample of its rule alike" in found.contradiction
    with pytest.raises(LawViolationError, match="internal error: commutativity"):
        report.raise_if_violated()


def test_the_report_of_verify_says_what_is_proved_for_all_rows():
    found = verify("DefaultHoodieRecordPayload", release=HudiRelease.latest(), domains=("data",), exhaustive=True)
    shown = {one["law"]: one for one in json.loads(found.to_json())["results"]}
    assert {law for law, one in shown.items() if one["for_all_rows"]} == {
        law.id for law in DECIDABLE if law is not TOMBSTONE
    }
    assert shown["associativity"]["rule"] == {
        "outcome": "holds",
        "reason": "one version is kept whole, by ordering value",
    }
    assert shown["purity"]["rule"] is None
    page = as_html(found.to_report())
    assert page.count("proved for all rows") == len(DECIDABLE) - 1
