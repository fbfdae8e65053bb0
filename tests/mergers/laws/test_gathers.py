"""An algebra that merges many pairs at once is told of them before they are asked for, and judged as any other."""

from __future__ import annotations

import pytest

from mergers import OverwriteWithLatestMerger
from mergers.laws import check_laws, evaluate, subject_of
from mergers.laws.merger_algebra import MergerAlgebra
from tests.support.user_mergers import LaterEvent

LAWS = ("associativity", "action", "commutativity", "idempotence", "purity", "determinism", "round-trip", "schema")
SETTINGS = {"domain": "flagged", "laws": LAWS, "key": ["id"], "ordering_fields": ["ts"], "examples": 20}


class Told(MergerAlgebra):
    """Notes the pairs that it merges without having been told."""

    def __init__(self, merger, schema, props, release, alone=None):
        super().__init__(merger, schema, props, release)
        self.told, self.alone = set(), [] if alone is None else alone

    def gather(self, merges, acts):
        self.told |= {(self.key(older), self.key(newer)) for older, newer in merges}
        self.told |= {(repr(row), self.key(newer)) for row, newer in acts}

    def again(self):
        return Told(self.merger, self.schema, self.props, self._release, self.alone)

    def merge(self, older, newer):
        self._note(self.key(older), self.key(newer))
        return super().merge(older, newer)

    def act(self, row, newer):
        self._note(repr(row), self.key(newer))
        return super().act(row, newer)

    def _note(self, *pair):
        if pair not in self.told:
            self.alone.append(pair)


def told_and_not(merger):
    settings = {"schema": None, "key": ("id",), "ordering_fields": ("ts",), "release": "1.2", "props": {}}
    plain = subject_of(merger, **settings)
    algebra = Told(plain.algebra.merger, plain.spec.schema, plain.spec.props, plain.release)
    return plain._replace(is_sample=False), plain._replace(algebra=algebra, is_sample=False), algebra


@pytest.mark.parametrize("merger", [OverwriteWithLatestMerger, LaterEvent])
def test_pairs_are_told_of_before_they_are_asked_for(merger):
    plain, told, algebra = told_and_not(merger)
    expected, found = (check_laws(one, **SETTINGS) for one in (plain, told))
    assert {(r.law.id, r.verdict) for r in found.results} == {(r.law.id, r.verdict) for r in expected.results}
    assert len(algebra.told) > 100
    assert algebra.alone == []


def test_a_second_implementation_is_told_too():
    plain, told, algebra = told_and_not(LaterEvent)
    asked = {**SETTINGS, "laws": ["agreement"], "exhaustive": False, "domain": "data"}
    (found,) = check_laws(plain, other=told, **asked).results
    assert found.verdict.value == "holds"
    assert algebra.alone == []


def test_a_level_that_is_not_told_of_is_noticed(monkeypatch):
    _, told, algebra = told_and_not(OverwriteWithLatestMerger)
    levels = evaluate.levels
    monkeypatch.setattr(evaluate, "levels", lambda exprs: levels(exprs)[:1])
    check_laws(told, **SETTINGS)
    assert algebra.alone
