"""One table says what the engines have to know of each program: they and their sources agree with it."""

from __future__ import annotations

import inspect
import pickle

import pytest

from bridge import MergePlan, engines
from bridge.engines import Job
from bridge.programs import PROGRAMS, EngineName
from payloads import PayloadRef, parse_schema
from tests.support.schemas import record_schema

SCHEMA = parse_schema(record_schema("Row", id="string"))


def job_of(program: str, plan: MergePlan) -> Job:
    return Job(plan, SCHEMA, ("id", "part"), program)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_extras_of_a_row_that_passes_untouched_are_those_of_the_program(name: str) -> None:
    spec = PROGRAMS[name]
    assert spec.untouched is None or {len(added) for added in spec.untouched.values()} == {len(spec.extras)}
    assert inspect.isclass(spec.program)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compiled_class_runs_every_program_on_its_engine(name: str) -> None:
    plan = MergePlan(payload=PayloadRef("com.acme.Custom", jar="acme.jar"), key=("id",))
    assert engines.engine_of(job_of(name, plan)).engine is EngineName.JVM


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_job_groups_by_the_identity_of_a_row_or_by_its_partition_and_travels(name: str) -> None:
    plan = MergePlan(payload=PayloadRef("DefaultHoodieRecordPayload"), key=("id",), partition=("part",))
    job = job_of(name, plan)
    by_partition = name == "simulate_small_files"
    assert job.grouping == (("part",) if by_partition else ("part", "id"))
    assert job.order == (("part",) if by_partition else ("id", "part"))
    assert pickle.loads(pickle.dumps(job)).added == job.added  # noqa: S301 (made here)
