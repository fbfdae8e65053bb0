"""A query reads the columns by which rules choose, and no class or mode answers otherwise for want of the rest."""

from __future__ import annotations

import dataclasses
import itertools

import hypothesis
import pytest
from hypothesis import strategies as st

from bridge.merge import columns_of, columns_of_choice
from mergers.laws.modes import MODES
from payloads import NATURAL_ORDER, Ordering, builtin_payloads
from payloads.records import RuleVersion, merged
from payloads.rules import META_COLUMNS, DeleteTests, Effect, Marker, MergeRule, Needs
from payloads.user import same_record
from tests.mergers.rules.subjects import of_mode, of_payload
from tests.mergers.rules.test_agreement import OF_MODES, POINTS, RELEASES, WITH_MODES, pairs
from tests.mergers.rules.universe import SETTINGS
from tests.payloads.rules.drawn import RECORDS, RULES, SCHEMA

READ = ("id", "ts", "n", "_hoodie_is_deleted", *META_COLUMNS)
"""The key, the ordering fields, and what every reader asks."""


def narrow(version, schema):
    if version is None or version.record is None:
        return version
    return version._replace(record={name: version.record[name] for name in schema.by_name})


def check(whole, narrowed, schema, tried):
    for older, newer in tried:
        found = narrowed.call(narrow(older, schema), narrow(newer, schema))
        expected = whole.call(older, newer)
        assert found.gives == expected.gives, (older, newer, found, expected)
        if expected.version is not None and expected.version.record is not None:
            assert same_record(found.version.record, narrow(expected.version, schema).record), (older, newer)


def narrowed_schema(rules, setting):
    """Return the columns that are read, as far as there are any to leave out; None for all."""
    chosen = [columns_of_choice(rule) for rule in rules]
    if None in chosen:
        return None
    return columns_of(setting.schema, frozenset(READ).union(*chosen))


@pytest.mark.parametrize("release", RELEASES)
def test_a_class_answers_the_same_with_the_columns_of_its_rules(release):
    narrow_ones = set()
    for payload, setting in itertools.product(builtin_payloads(release), SETTINGS.values()):
        wholes = {point: of_payload(payload, point, *setting) for point in POINTS}
        schema = narrowed_schema([one.rule for one in wholes.values()], setting)
        if schema is None:
            continue
        narrow_ones.add(payload.__name__)
        for point, whole in wholes.items():
            narrowed = of_payload(payload, point, schema, setting.props)
            check(whole, narrowed, schema, pairs(setting, point, marks=False))
    assert {"OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload", "AWSDmsAvroPayload"} <= narrow_ones


@pytest.mark.parametrize("release", WITH_MODES)
def test_a_mode_answers_the_same_with_the_columns_of_its_rules(release):
    for mode, setting in itertools.product(MODES, SETTINGS.values()):
        if "/" in mode and release == "1.0":
            continue
        wholes = {point: of_mode((mode, release, "SPARK"), point, *setting) for point in OF_MODES}
        schema = narrowed_schema([one.rule for one in wholes.values()], setting)
        assert (schema is None) is ("/" in mode), mode
        for point, whole in wholes.items() if schema is not None else ():
            narrowed = of_mode((mode, release, "SPARK"), point, schema, setting.props)
            check(whole, narrowed, schema, pairs(setting, point, marks=True))


@pytest.mark.parametrize(
    "rule", [None, MergeRule(otherwise=Effect.FILLED), MergeRule(conditions=(Needs.COMPLETE,))], ids=repr
)
def test_a_rule_that_needs_more_than_columns_reads_all(rule):
    assert columns_of_choice(rule) is None


@hypothesis.settings(deadline=None)
@hypothesis.given(rule=RULES, records=st.lists(RECORDS, min_size=2, max_size=3))
def test_a_drawn_rule_chooses_the_same_with_its_columns(rule, records):
    rule = dataclasses.replace(rule, conditions=())
    named = columns_of_choice(rule)
    hypothesis.assume(named is not None)
    schema = columns_of(SCHEMA, named)
    sides = [RuleVersion(record, Ordering("long", record["ts"])) for record in records]
    for older, newer in itertools.product(sides, [*sides, RuleVersion(None, NATURAL_ORDER, marked=True)]):
        found = merged(rule, narrow(older, schema), narrow(newer, schema), schema)
        expected = merged(rule, older, newer, SCHEMA)
        assert (found.gives, found.version) == (expected.gives, narrow(expected.version, schema))


def test_columns_of_tests_are_read():
    rule = MergeRule(deletes=DeleteTests(flag=True, marker=Marker("Op", "D")))
    assert columns_of_choice(rule) == {"_hoodie_is_deleted", "Op"}
