"""The counterexamples that were observed on real Hudi's classes, found again by the search, at least as small."""

from __future__ import annotations

import pytest

from mergers.laws import Verdict, check_laws
from mergers.laws.rules import COMMUTATIVITY
from tests.mergers.laws.test_matrix import TIES

# Class, release, law, domain, and how many versions and stored rows the observed counterexample has.
OBSERVED = [
    ("DefaultHoodieRecordPayload", "1.2", TIES, "data", 2),
    ("OverwriteWithLatestAvroPayload", "0.15", "action", "data", 3),
    ("AWSDmsAvroPayload", "1.2", "action", "data", 3),
    ("DefaultHoodieRecordPayload", "1.2", "action", "flagged", 3),
    ("DefaultHoodieRecordPayload", "0.15", "associativity", "empty", 3),
    ("DefaultHoodieRecordPayload", "0.15", COMMUTATIVITY, "empty", 2),
    ("EventTimeAvroPayload", "1.0", "action", "flagged", 3),
    ("FirstValueAvroPayload", "1.0", "action", "flagged", 3),
    ("OverwriteNonDefaultsWithLatestAvroPayload", "1.0", "action", "data", 3),
    ("OverwriteNonDefaultsWithLatestAvroPayload", "1.2", "associativity", "empty", 3),
    ("PartialUpdateAvroPayload", "1.2", "associativity", "data", 3),
    ("PartialUpdateAvroPayload", "1.2", "action", "data", 3),
    ("PartialUpdateAvroPayload", "1.2", COMMUTATIVITY, "flagged", 2),
    ("MySqlDebeziumAvroPayload", "1.0", "action", "data", 3),
    ("PostgresDebeziumAvroPayload", "1.2", "action", "data", 3),
    ("PostgresDebeziumAvroPayload", "1.2", "action", "empty", 3),
]


def name_of(observed):
    name, release, law, domain, _ = observed
    return f"{name}-{release}-{getattr(law, 'id', law)}-{domain}"


@pytest.mark.parametrize("exhaustive", [True, False], ids=["exhaustive", "examples"])
@pytest.mark.parametrize(
    "observed",
    OBSERVED,
    ids=name_of,
)
def test_it_is_found_at_least_as_small(observed, exhaustive):
    name, release, law, domain, records = observed
    report = check_laws(name, release=release, laws=[law], domain=domain, exhaustive=exhaustive, examples=500)
    result = report.results[0]
    assert result.verdict is Verdict.VIOLATED, str(report)
    assert result.counterexample.records <= records, str(report)
