from __future__ import annotations

import contextlib

import pytest

from bridge.engines.subjects import compiled, java_elsewhere
from mergers.laws import Verdict, check_laws
from payloads import HudiRelease, PayloadRef
from tests.jvm.java_compiler import RELEASES

RELEASE = HudiRelease.V0_15


@pytest.fixture(scope="module")
def judged(bundles, jar):
    """Return what judges a class of java/Undetermined.java by the law."""

    def result(name):
        subject = compiled(bundles, PayloadRef(f"com.acme.Undetermined${name}", jar=str(jar)), RELEASE, key=("id",))
        (found,) = check_laws(subject.java, laws=["determinism"], domain="data", exhaustive=True).results
        return found

    return result


@pytest.fixture(scope="module")
def jvms():
    """Return the JVMs that run on, and their calls, by their conditions."""
    with contextlib.ExitStack() as started:
        yield started, {}


@pytest.fixture
def one_jvm_for_each_condition(jvms, monkeypatch):
    """Let JVMs go on with the next class: one is started for each of the conditions, not for each class as well."""
    started, running = jvms
    start, calls_of = java_elsewhere.OtherJvms._running, java_elsewhere.ClassCalls

    @contextlib.contextmanager
    def going_on(others, conditions):
        if conditions not in running:
            jvm = started.enter_context(start(others, conditions))
            running[conditions] = jvm, calls_of(jvm.ask)
        yield running[conditions][0]

    def calls(ask):
        return next(own for jvm, own in running.values() if jvm is ask.__self__)

    monkeypatch.setattr(java_elsewhere.OtherJvms, "_running", going_on)
    monkeypatch.setattr(java_elsewhere, "ClassCalls", calls)


@pytest.mark.parametrize(
    ("name", "cause"), [pytest.param("Hour", "clock", marks=pytest.mark.long), ("FirstCall", "calls")]
)
def test_what_decides_a_tie_is_found_and_named(judged, name, cause):
    result = judged(name)
    assert result.verdict is Verdict.VIOLATED, str(result)
    assert cause in result.counterexample.cause


def test_a_jvm_that_ends_does_not_count_as_agreement(judged):
    result = judged("Dies")
    assert result.verdict is Verdict.NOT_CHECKED, str(result)
    assert "another JVM ended with exit code 7" in result.detail


@pytest.mark.slow
@pytest.mark.parametrize(
    "release", [*(pytest.param(release, marks=pytest.mark.long) for release in RELEASES[:-1]), RELEASES[-1]]
)
def test_a_class_of_hudi_repeats_alike_everywhere(bundles, release):
    subject = compiled(bundles, PayloadRef("PartialUpdateAvroPayload"), release, key=("id",))
    (result,) = check_laws(subject.java, laws=["determinism"], domain="flagged", exhaustive=True).results
    assert result.verdict is Verdict.PROVED, str(result)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("Hour", "clock"),
        ("Millis", "clock"),
        ("Nanos", "clock"),
        ("Later", "clock"),
        ("Dates", "clock"),
        ("Seldom", "random"),
        ("Numbers", "random"),
        ("Uuids", "random"),
        ("Threads", "process"),
        ("Identity", "identity"),
        ("Hashes", "identity"),
        ("Locales", "environment"),
        ("Variable", "environment"),
        ("Zone", "environment"),
        ("EveryOther", "calls"),
    ],
)
def test_every_cause_is_found_and_named(judged, one_jvm_for_each_condition, name, cause):
    test_what_decides_a_tie_is_found_and_named(judged, name, cause)


# -- at the end, in the JVMs of the classes above, which would draw other random numbers after these


def test_what_decides_nothing_is_not_a_defect(judged, one_jvm_for_each_condition):
    result = judged("Unmoved")
    assert result.verdict is Verdict.PROVED, str(result)
    assert result.detail.endswith("; alike in 3 other processes")


def test_a_class_that_would_end_java_in_some_processes_alone_decides_differently(judged, one_jvm_for_each_condition):
    # Its call fails there, as any call of it that throws: the process goes on, and its answers count.
    result = judged("Exits")
    assert result.verdict is Verdict.VIOLATED, str(result)
