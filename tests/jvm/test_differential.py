from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from bridge.engines.jvm_payload import PayloadCalls
from payloads import HudiRelease, PayloadRef, builtin_payloads
from tests.jvm.differential import differences
from tests.jvm.strategies import cases

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = int(os.environ.get("DIFFERENTIAL_EXAMPLES", "200"))
BY_RECORD_AND_ORDERING = [
    payload_class
    for release in HudiRelease
    for payload_class in builtin_payloads(release)
    if payload_class.__name__ not in {"HoodieJsonPayload", "RewriteAvroPayload"}
]


@cache
def calls_of(spark: SparkSession, release: HudiRelease) -> PayloadCalls:
    return PayloadCalls(spark, PayloadRef("HoodieAvroPayload"), release)


@pytest.mark.parametrize("payload_class", BY_RECORD_AND_ORDERING, ids=lambda c: f"{c.__name__}-{c.release}")
def test_a_port_answers_as_the_real_class(bundles, payload_class):
    calls = calls_of(bundles, payload_class.release)

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(cases(payload_class))
    def agree(case):
        found = differences(case, calls)
        assert not found, "\n".join(found)

    agree()
