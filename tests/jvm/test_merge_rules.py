"""Java merges by rules as the reference does: those of every mode, and drawn ones. It refuses others by name."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st
from py4j.protocol import Py4JError

from bridge.engines import ordering_text
from bridge.engines.jvm.constants import groups
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import SOURCES as OWN
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.rules import NODES_IN_JAVA, missing_in_java
from mergers.laws.modes import MODES
from payloads import HudiRelease, PayloadRef
from payloads.records import merged
from payloads.rules import DeleteTests, Effect, Error, rule_to_json
from tests.jvm.java_compiler import SOURCES
from tests.mergers.rules.subjects import of_mode
from tests.mergers.rules.test_agreement import OF_MODES, WITH_MODES, pairs
from tests.mergers.rules.universe import SETTINGS, versions
from tests.payloads.rules.drawn import RULES, compound, facts, laters, rules_of

UNIVERSE = versions(SETTINGS["by ts"].schema, marks=True)
IN_JAVA = rules_of(
    laters(None),
    st.builds(DeleteTests, marked=st.booleans()),
    compound(facts()),
    st.sampled_from([Effect.CURRENT, Effect.INCOMING, Effect.WINNER]),
    st.just({}),
    errors=st.nothing(),
)


@pytest.fixture(scope="module")
def java(bundles, java_compiler):
    """What answers for `MergeRule.java`: rules with their pairs of versions, in one call."""
    release = HudiRelease.V1_2
    jars = jars_of(bundles, PayloadRef("DefaultHoodieRecordPayload"), release)
    own = next(path for path in jars.paths if "payload-bridge-" in path)
    source = {"RuleAnswers.java": (SOURCES / "RuleAnswers.java").read_text("utf-8")}
    answers = java_compiler.compiled(source, release, [Path(own)])
    driver = Driver(bundles)
    asked = driver.class_in([*jars.paths, str(answers)], "bridge.jvm.RuleAnswers")

    def answered(merges):
        told = driver.call(asked, "answers", json.dumps([given(rule, tried) for rule, tried in merges]))
        return json.loads(str(told))

    return answered


def given(rule, tried):
    known = {}
    for one in itertools.chain.from_iterable(tried):
        known.setdefault(repr(one), (len(known), one))
    return {
        "rule": rule_to_json(rule),
        "versions": [
            {"data": one.record is not None, "marked": one.marked, "ordering": ordering_text(one.ordering)}
            for _, one in known.values()
        ],
        "pairs": [[known[repr(one)][0] for one in pair] for pair in tried],
    }


def expected(rule, pair, schema):
    found = merged(rule, *pair, schema)
    if isinstance(found.gives, Error):
        return found.gives.fault.value
    return "older" if found.gives is Effect.CURRENT else "newer"


def check(java, merges, schema):
    for (rule, tried), found in zip(merges, java(merges), strict=True):
        for pair, answer in zip(tried, found, strict=True):
            assert answer == expected(rule, pair, schema), (rule, *pair)


@pytest.mark.parametrize("release", WITH_MODES)
def test_java_merges_by_the_rule_of_each_mode(java, release):
    for setting in SETTINGS.values():
        merges = []
        for mode, engine, point in itertools.product(MODES, ("AVRO", "SPARK"), OF_MODES):
            if "/" not in mode:
                subject = of_mode((mode, release, engine), point, *setting)
                assert missing_in_java([subject.rule]) == (), (mode, point)
                tried = [(older, subject.seen(newer)) for older, newer in pairs(setting, point, marks=True)]
                merges.append((subject.rule, tried))
        check(java, merges, setting.schema)


@hypothesis.settings(max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(rules=st.lists(IN_JAVA, min_size=5, max_size=10))
def test_java_merges_by_drawn_rules(java, rules):
    schema = SETTINGS["by ts"].schema
    pair = list(itertools.product(UNIVERSE[::3], UNIVERSE[::2]))
    check(java, [(rule, pair) for rule in rules], schema)


@hypothesis.settings(max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(rule=RULES)
def test_what_python_says_java_lacks_java_refuses_by_name(java, rule):
    missing = missing_in_java([rule])
    if not missing:
        java([(rule, [])])
        return
    with pytest.raises(Py4JError) as refused:
        java([(rule, [])])
    named = re.search(r"Java does not have (\S+) of merge rules", str(refused.value))
    assert named is not None, refused.value
    assert named[1] in missing, (named[1], missing)


def test_java_switches_over_the_nodes_that_python_names():
    written = (OWN / "MergeRule.java").read_text("utf-8")
    assert set(re.findall(r"RuleNode\.(\w+)", written)) == set(groups()["RuleNode"])
    assert set(re.findall(r"\"(\w+)\"", written)) >= {name for names in NODES_IN_JAVA.values() for name in names}
