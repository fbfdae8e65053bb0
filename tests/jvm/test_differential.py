from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bridge.engines.jvm.calls import PayloadCalls
from payloads import DefaultHoodieRecordPayload, HudiRelease, PayloadRef, builtin_payloads
from tests.jvm.call_sequences import sequences
from tests.jvm.differential import compared
from tests.jvm.java_compiler import RELEASES
from tests.jvm.shrink import described
from tests.jvm.strategies import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from payloads.builtin.base import BuiltinPayload
    from tests.jvm.differential import Difference

PORTS = [payload_class for release in RELEASES for payload_class in builtin_payloads(release)]
CASES_OF_A_CALL = 500
EXAMPLES = {HudiRelease.V0_15: 50, HudiRelease.V1_0: 25, HudiRelease.V1_1: 25, HudiRelease.V1_2: 50}
"""How many examples a lane has: fewest of the releases in between, which share most code with the others."""


@cache
def calls_of(spark: SparkSession, release: HudiRelease) -> PayloadCalls:
    return PayloadCalls(spark, PayloadRef("HoodieAvroPayload"), release)


def differences(payload_class: type[BuiltinPayload], calls: PayloadCalls, examples: int) -> Iterator[Difference]:
    """Draw cases, and run every sequence of calls on both sides."""
    drawn = []

    # Hypothesis draws; what differs is shrunk by ourselves, since Java is asked about many cases at once.
    @settings(max_examples=examples, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(cases(payload_class))
    def draw(case):
        drawn.append(case)

    draw()
    for start in range(0, len(drawn), CASES_OF_A_CALL):
        chunk = drawn[start : start + CASES_OF_A_CALL]
        yield from compared([(case, *one) for case in chunk for one in sequences(case)], calls)


@pytest.mark.hypothesis
@pytest.mark.parametrize("payload_class", PORTS, ids=lambda c: f"{c.__name__}-{c.release}")
def test_a_port_answers_as_the_real_class(bundles, payload_class):
    calls = calls_of(bundles, payload_class.release)
    examples = settings().max_examples
    if examples <= settings.get_profile("ci").max_examples:  # not of tests.deep
        examples = EXAMPLES.get(payload_class.release, 100)
    found = next(differences(payload_class, calls, examples), None)
    assert found is None, described(found, calls)


def test_the_comparison_notices_a_port_of_another_release(bundles):
    calls = calls_of(bundles, HudiRelease.V1_0)
    found = next(differences(DefaultHoodieRecordPayload.for_release("1.2"), calls, 500))
    assert "DefaultHoodieRecordPayload of 1.2" in described(found, calls)
