from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from bridge.engines.jvm.calls import PayloadCalls
from payloads import DefaultHoodieRecordPayload, HudiRelease, PayloadRef, builtin_payloads
from tests.jvm.differential import differences
from tests.jvm.strategies import cases

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PORTS = [payload_class for release in HudiRelease for payload_class in builtin_payloads(release)]


@cache
def calls_of(spark: SparkSession, release: HudiRelease) -> PayloadCalls:
    return PayloadCalls(spark, PayloadRef("HoodieAvroPayload"), release)


@pytest.mark.slow
@pytest.mark.hypothesis
@pytest.mark.parametrize("payload_class", PORTS, ids=lambda c: f"{c.__name__}-{c.release}")
def test_a_port_answers_as_the_real_class(bundles, payload_class):
    calls = calls_of(bundles, payload_class.release)

    @settings(max_examples=2 * settings().max_examples, suppress_health_check=list(HealthCheck))
    @given(cases(payload_class))
    def agree(case):
        found = differences(case, calls)
        assert not found, "\n".join(found)

    agree()


def test_the_comparison_notices_a_port_of_another_release(bundles):
    calls = calls_of(bundles, HudiRelease.V1_0)
    port = DefaultHoodieRecordPayload.for_release("1.2")
    quick = settings(max_examples=500, phases=[Phase.generate], database=None)
    case = find(cases(port), lambda case: bool(differences(case, calls)), settings=quick)
    assert differences(case, calls)
