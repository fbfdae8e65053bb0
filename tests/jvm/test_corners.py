from __future__ import annotations

import os
from functools import cache

import pytest

from payloads import HudiRelease
from tests.conformance.vector import Schemas, Vector
from tests.conformance.vectors import Result, run
from tests.jvm.corner_vectors import cases, schemas
from tests.jvm.java_compiler import RELEASES
from tests.jvm.judge import Judge
from tests.jvm.random_vectors import Corners

EXAMPLES = int(os.environ.get("CORNER_EXAMPLES", "1500"))
SEED = int(os.environ.get("CORNER_SEED", "1"))


@pytest.fixture(scope="module")
def judges(bundles, java_compiler):
    @cache
    def judge(release):
        return Judge(bundles, release, java_compiler)

    return judge


def differences(vectors, known):
    schemas = Schemas(known)
    verdicts = [run(Vector(vector, schemas)) for vector in vectors]
    return [
        f"{verdict.vector.raw}: {verdict.reasons or verdict.missing}"
        for verdict in verdicts
        if verdict.result is not Result.PASSED
    ]


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_single_corners_answer_as_the_real_classes(judges, release):
    vectors = judges(release).answered(cases(release), schemas())
    assert len(vectors) > 800
    assert not differences(vectors, schemas())


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_drawn_corners_answer_as_the_real_classes(judges, release):
    drawn = Corners(release, SEED)
    vectors = judges(release).answered(drawn.vectors(EXAMPLES), drawn.schemas)
    found = differences(vectors, drawn.schemas)
    assert not found, "\n".join(found[:5])


def test_a_wrong_release_is_noticed(judges):
    vectors = judges(HudiRelease.V1_1).answered(cases(HudiRelease.V1_1), schemas())
    assert differences([vector | {"hudi_version": "1.2.0"} for vector in vectors], schemas())
