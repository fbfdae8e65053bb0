"""Every rule that is stated is what its class or mode does: on small universes, in sequences, and on golden vectors."""

from __future__ import annotations

import collections
import itertools
import random

import pytest

from mergers.laws.modes import MODES
from payloads import HudiRelease, builtin_payloads
from payloads.records import RuleVersion, merged
from payloads.rules import Effect, Point, check_rule, rule_from_json, rule_to_json
from payloads.user import same_record
from tests.mergers.rules.subjects import NOTHING, UNTOLD, of_mode, of_payload
from tests.mergers.rules.universe import SETTINGS, stored, versions
from tests.mergers.rules.vectors import cases

POINTS = (Point.BATCH, Point.STORED, Point.ALONE)
OF_MODES = (Point.BATCH, Point.STORED, Point.ENTRY)
RELEASES = tuple(map(str, HudiRelease))
WITH_MODES = ("1.0", "1.1", "1.2")
UNSTATED = {"HoodieJsonPayload"}
"""The classes that are always called: it is the text of a record that they merge."""
SEQUENCES = 60


def payload_subjects(release):
    for payload in builtin_payloads(release):
        for name, setting in SETTINGS.items():
            for point in POINTS:
                yield f"{payload.__name__}, {name}, {point!r}", of_payload(payload, point, *setting), setting, point


def mode_subjects(release):
    for mode in MODES:
        if "/" in mode and release == "1.0":
            continue
        for name, setting in SETTINGS.items():
            for engine, point in itertools.product(("AVRO", "SPARK"), OF_MODES):
                subject = of_mode((mode, release, engine), point, *setting)
                yield f"{mode} on {engine}, {name}, {point!r}", subject, setting, point


def pairs(setting, point, *, marks):
    incoming = versions(setting.schema, marks=marks)
    if point is Point.ALONE:
        return [(NOTHING, newer) for newer in incoming]
    if point is Point.ENTRY:
        entries = {repr(one.ordering): RuleVersion(None, one.ordering, marked=True) for one in incoming}
        return list(itertools.product(incoming, entries.values()))
    return list(itertools.product(stored(setting.schema) if point is Point.STORED else incoming, incoming))


def same(found, expected):
    """Whether two merges have the same outcome, data, ordering value and mark; a copy is what it is a copy of."""
    gives = Effect.INCOMING if found.gives is Effect.COPY else found.gives
    if gives != expected.gives or (found.version is None) is not (expected.version is None):
        return False
    if found.version is None:
        return True
    left, right = found.version, expected.version
    if (left.record is None) is not (right.record is None):
        return False
    is_same = left.record is None or same_record(left.record, right.record)
    is_same = is_same and (right.ordering is UNTOLD or repr(left.ordering) == repr(right.ordering))
    return is_same and left.marked == right.marked


def check(name, subject, setting, tried):
    """Compare a rule with what it stands for; return how many pairs it decided, and how many it left to the call."""
    decided = called = 0
    for older, newer in tried:
        found = merged(subject.rule, older, subject.seen(newer), setting.schema)
        if found is None:
            called += 1
            continue
        decided += 1
        expected = subject.call(older, newer)
        assert same(found, expected), (name, subject.rule, older, newer, found, expected)
    return decided, called


@pytest.mark.parametrize("release", RELEASES)
def test_the_rule_of_a_class_is_what_the_class_does(release):
    silent = collections.Counter()
    for name, subject, setting, point in payload_subjects(release):
        if subject.rule is None:
            silent[name.partition(",")[0]] += 1
            continue
        check_rule(subject.rule, setting.schema)
        assert rule_from_json(rule_to_json(subject.rule)) == subject.rule
        decided, _ = check(name, subject, setting, pairs(setting, point, marks=False))
        assert decided, name
    assert {name for name, count in silent.items() if count == len(SETTINGS) * len(POINTS)} == UNSTATED


@pytest.mark.parametrize("release", WITH_MODES)
def test_the_rule_of_a_mode_is_what_the_mode_does(release):
    for name, subject, setting, point in mode_subjects(release):
        assert subject.rule is not None, name
        check_rule(subject.rule, setting.schema)
        assert rule_from_json(rule_to_json(subject.rule)) == subject.rule
        decided, called = check(name, subject, setting, pairs(setting, point, marks=True))
        assert (decided > 0, called) == (True, 0), name


def fold(by, versions_, row):
    """Fold a batch, then merge what is left with the stored row; returns every merge on the way."""
    batch, update = by
    found = []
    folded = versions_[0]
    for newer in versions_[1:]:
        one = batch(folded, newer)
        found.append(one)
        if one is None or one.version is None:
            return found
        folded = one.version
    return [*found, update(row, folded)]


def check_sequences(name, subjects, setting, *, marks):
    chance = random.Random(name)  # noqa: S311 (the name repeats it)
    universe, rows = versions(setting.schema, marks=marks), stored(setting.schema)
    for _ in range(SEQUENCES):
        chosen, row = chance.choices(universe, k=chance.randint(3, 5)), chance.choice(rows)
        by_rule = [lambda older, newer, rule=one.rule: merged(rule, older, newer, setting.schema) for one in subjects]
        found, expected = fold(by_rule, chosen, row), fold([one.call for one in subjects], chosen, row)
        for left, right in zip(found, expected, strict=False):
            if left is None:
                break
            assert same(left, right), (name, chosen, row, left, right)


@pytest.mark.parametrize("release", RELEASES)
def test_sequences_of_versions_go_as_in_the_class(release):
    for payload in builtin_payloads(release):
        for name, setting in SETTINGS.items():
            subjects = [of_payload(payload, point, *setting) for point in (Point.BATCH, Point.STORED)]
            if all(one.rule is not None for one in subjects):
                check_sequences(f"{payload.__name__}, {name}", subjects, setting, marks=False)


@pytest.mark.parametrize("release", WITH_MODES)
def test_sequences_of_versions_go_as_in_the_mode(release):
    for mode in MODES:
        if "/" not in mode or release != "1.0":
            for name, setting in SETTINGS.items():
                subjects = [of_mode((mode, release, "AVRO"), point, *setting) for point in (Point.BATCH, Point.STORED)]
                check_sequences(f"{mode}, {name}", subjects, setting, marks=True)


HELD = {"0.12.3": 280, "0.13.1": 480, "0.14.1": 240, "0.15.0": 4300, "1.0.2": 2400, "1.1.1": 2200, "1.2.0": 4300}
"""By release, how many merges of golden vectors a rule decides, at least."""


@pytest.mark.parametrize("release", HELD)
def test_rules_give_what_the_class_gives_on_golden_vectors(release):
    decided = 0
    for one in cases(release):
        folded = one.versions[0]
        for newer in one.versions[1:] if one.subject.rule is not None else ():
            found = merged(one.subject.rule, folded, one.subject.seen(newer), one.schema)
            if found is None:
                break
            decided += 1
            expected = one.subject.call(folded, newer)
            assert same(found, expected), (one.id, one.subject.rule, folded, newer, found, expected)
            if found.version is None:
                break
            folded = found.version
    assert decided >= HELD[release]
