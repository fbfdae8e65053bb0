from __future__ import annotations

import pytest

from mergers.laws import check_laws
from tests.mergers.laws.faulty import FAULTY
from tests.mergers.laws.lawful import LAWFUL

SCHEMA = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "ts", "type": "long"},
        {"name": "v", "type": ["null", "string"], "default": None},
        {"name": "n", "type": ["null", "long"], "default": None},
        {"name": "x", "type": ["null", "double"], "default": None},
        {"name": "flag", "type": "boolean"},
        {"name": "tags", "type": {"type": "map", "values": "string"}},
        {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
    ],
}
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
