"""The compiled classes of tests/jvm/java/Ported.java against their ports, through both engines, on random rows."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from bridge import MergePlan
from payloads import HudiRelease, PayloadRef
from tests.jvm.ports import SHAPES, source
from tests.jvm.versions import tables

_CHOSEN = list(itertools.product(SHAPES, ("0.15", "1.0", "1.1", "1.2")))
CASES = [
    pytest.param(*one, id="-".join(one), marks=[pytest.mark.long] * ((number + number // 4) % 2))
    for number, one in enumerate(_CHOSEN)
]
"""Every second one, so that each class meets two releases, and each release three classes; the others are long."""


@pytest.fixture(scope="session")
def versions(spark):
    return tables(spark, 31)


@pytest.mark.parametrize(("shape", "release"), CASES)
def test_a_port_answers_as_the_compiled_class(both_engines, java_compiler, versions, shape, release):
    line = HudiRelease.parse(release)
    jar = java_compiler.compiled({"Ported.java": source(line)}, line)
    java = MergePlan(
        payload=PayloadRef(f"com.acme.Ported${shape}", jar=str(jar)), release=release, key="id", ordering="ts"
    )
    python = dataclasses.replace(java, payload=PayloadRef(f"tests.jvm.ported:{shape}"))
    compared = both_engines.compared(java, python, versions)
    assert compared.differences == []
    assert compared.merged > 1 / 3
