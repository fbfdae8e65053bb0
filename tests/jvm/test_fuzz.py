from __future__ import annotations

import dataclasses

from hypothesis import Phase, find, settings

from bridge.engines.jvm.calls import PayloadCalls
from payloads import DefaultHoodieRecordPayload, HoodieJsonPayload, HudiRelease, PayloadRef
from tests.jvm.case_pools import each_pool
from tests.jvm.fuzz import Comparison
from tests.jvm.shrink import shrunk
from tests.jvm.strategies import cases

LATEST = DefaultHoodieRecordPayload.for_release("1.2")


def played(payload_class, number):
    found = []
    each_pool(payload_class, number, 3, lambda pool: found.extend(map(repr, pool.cases(5))))
    return found


def test_a_seed_reproduces_the_cases():
    for payload_class in (LATEST, HoodieJsonPayload.for_release("1.0")):
        assert played(payload_class, 1) == played(payload_class, 1) != played(payload_class, 2)


def test_the_smallest_form_keeps_what_the_difference_needs():
    def differs(case):
        return case.newer[0] is not None and "v" in case.newer[0] and case.props.get("hoodie.payload.delete.field")

    once = settings(max_examples=2000, phases=[Phase.generate], database=None)
    case = shrunk(find(cases(LATEST), differs, settings=once), differs)
    assert list(case.props) == ["hoodie.payload.delete.field"]
    assert [field.name for field in case.schema.fields] == ["v"]
    assert case.older[0] is None
    assert dataclasses.replace(case, props={}).newer == case.newer


def test_many_cases_notice_a_port_of_another_release(bundles, capsys):
    calls = PayloadCalls(bundles, PayloadRef("HoodieAvroPayload"), HudiRelease.V1_0)
    comparison = Comparison(LATEST, calls, per_pool=100, per_case=3)
    comparison.run(600, 1)
    assert comparison.cases == 600
    assert sum(comparison.differences.values()) > 0
    assert "DefaultHoodieRecordPayload of 1.2" in capsys.readouterr().out
