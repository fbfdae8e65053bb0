from __future__ import annotations

import pytest

from mergers.laws import check_laws
from tests.mergers.laws.faulty import FAULTY
from tests.mergers.laws.lawful import LAWFUL
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


@pytest.mark.parametrize(("faulty", "law"), FAULTY, ids=lambda value: getattr(value, "__name__", value))
def test_every_defect_is_caught_by_the_law_that_names_it(faulty, law):
    """By the small universe, which decides at once, or else by examples."""
    # Deletes say nothing new about determinism, and each domain starts processes of its own.
    domains = {"domain": "data"} if law == "determinism" else {}
    report = check_laws(faulty, **SETTINGS, **domains, laws=[law], exhaustive=True)
    if report.ok:
        report = check_laws(faulty, **SETTINGS, **domains, laws=[law], exhaustive=False, examples=60)
    assert [result.law.id for result in report.violations][:1] == [law], str(report)


@pytest.mark.parametrize("lawful", LAWFUL, ids=lambda value: value.__name__)
def test_no_lawful_merge_is_accused(lawful):
    report = check_laws(lawful, **SETTINGS, domain="data", examples=20)
    assert report.ok, str(report)
