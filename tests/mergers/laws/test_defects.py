from __future__ import annotations

import pytest

from mergers.laws import check_laws, interpreter, repetition
from mergers.laws.repetition import is_ours
from mergers.laws.subject import subject_of
from tests.mergers.laws.faulty import FAULTY, TiesByIdentity
from tests.mergers.laws.lawful import LAWFUL
from tests.mergers.laws.together import PROGRAM, Together
from tests.support.schemas import nullable, record_schema

SCHEMA = record_schema(
    id="string",
    ts="long",
    v=nullable("string"),
    n=nullable("long"),
    x=nullable("double"),
    flag="boolean",
    tags={"type": "map", "values": "string"},
    _hoodie_is_deleted=nullable("boolean"),
)
SETTINGS = {"schema": SCHEMA, "key": ["id"], "ordering_fields": ["ts"]}


@pytest.fixture(scope="module")
def together():
    """Return what starts interpreters for all whose merges are repeated there."""
    given = {**SETTINGS, "release": "1.2", "props": {}}
    faulty = [one for one, law in FAULTY if law == "determinism" and one is not TiesByIdentity]
    lawful = [one for one in LAWFUL if not is_ours(subject_of(one, **given).algebra)]
    return Together([*faulty, *lawful], **given)


@pytest.fixture
def started_together(together, monkeypatch):
    monkeypatch.setattr(interpreter, "_PROGRAM", PROGRAM)
    monkeypatch.setattr(repetition, "Interpreters", together)


@pytest.mark.parametrize(("faulty", "law"), FAULTY, ids=lambda value: getattr(value, "__name__", value))
def test_every_defect_is_caught_by_the_law_that_names_it(faulty, law, request):
    """By the small universe, which decides at once, or else by examples."""
    domains = {}
    if law == "determinism":
        domains = {"domain": "data"}  # each starts processes of its own; test_determinism.py has a defect of deletes
        if faulty is not TiesByIdentity:  # which depends on the objects that others made before
            request.getfixturevalue("started_together")
    report = check_laws(faulty, **SETTINGS, **domains, laws=[law], exhaustive=True)
    if report.ok:
        report = check_laws(faulty, **SETTINGS, **domains, laws=[law], exhaustive=False, examples=60)
    assert [result.law.id for result in report.violations][:1] == [law], str(report)


@pytest.mark.parametrize("lawful", LAWFUL, ids=lambda value: value.__name__)
@pytest.mark.usefixtures("started_together")
def test_no_lawful_merge_is_accused(lawful):
    report = check_laws(lawful, **SETTINGS, domain="data", examples=20)
    assert report.ok, str(report)
