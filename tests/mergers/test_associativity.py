from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergers import HoodieAvroRecord
from mergers.laws import bracketing_text, every_bracketing
from payloads import Ordering, parse_schema
from tests.mergers.tables import BY_TS, KEY, RELEASES, RIDES, incoming, long, merger, ride

CHANGES = parse_schema(
    {
        **RIDES.source,
        "fields": [
            *RIDES.source["fields"],
            {"name": "Op", "type": "string"},
            {"name": "_change_operation_type", "type": "string"},
            {"name": "_event_lsn", "type": "long"},
        ],
    }
)
EVERYWHERE = (
    "AWSDmsAvroPayload",
    "DefaultHoodieRecordPayload",
    "EventTimeAvroPayload",
    "HoodieAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "OverwriteWithLatestAvroPayload",
    "PostgresDebeziumAvroPayload",
)
LAWFUL = [
    *((name, release) for release in RELEASES for name in EVERYWHERE),
    ("FirstValueAvroPayload", "0.15"),
    ("FirstValueAvroPayload", "1.0"),
    ("ReverseOrderHoodieRecordPayload", "1.2"),
]
# One Java class for all versions of an example; few values, so that ties are common.
ORDERINGS = st.sampled_from(
    [("long", (-1, 0, 1)), ("int", (-1, 1, 2)), ("utf8", ("", "1", "10", "9")), ("double", (-0.0, 0.0, float("nan")))]
)


@st.composite
def batches(draw):
    """Rows of one key with data, some of them flagged as deletes in each of the ways that a class may look at."""
    java_type, values = draw(ORDERINGS)
    rows = []
    for number in range(draw(st.integers(2, 5))):
        deleted = draw(st.booleans())
        record = {
            **ride(number, f"rider-{number}", deleted=deleted or draw(st.sampled_from([None, False]))),
            "Op": "D" if deleted else "I",
            "_change_operation_type": "d" if deleted else "c",
            "_event_lsn": number,
        }
        rows.append((record, Ordering(java_type, draw(st.sampled_from(values)))))
    return rows


def answers(bridge, versions, schema=RIDES):
    """Return the record that each bracketing answers, by the text of the bracketing."""
    results = every_bracketing(lambda older, newer: bridge.merge(older, newer, schema, BY_TS), versions)
    return {bracketing_text(bracketing): result.payload.record for bracketing, result in results}


@pytest.mark.parametrize(("payload", "release"), LAWFUL)
@given(rows=batches())
def test_all_bracketings_of_a_batch_agree(payload, release, rows):
    bridge = merger(payload, release, "pre_combine")
    versions = [HoodieAvroRecord(KEY, bridge.payload_class(record, ordering)) for record, ordering in rows]
    found = list(answers(bridge, versions, CHANGES).values())
    assert all(record is found[0] for record in found)


@pytest.mark.parametrize("release", RELEASES)
def test_partial_updates_do_not_agree(release):
    bridge = merger("PartialUpdateAvroPayload", release, "pre_combine")
    rows = [ride(1, "rider-A"), ride(3, fare=3.0), ride(2, "rider-C")]
    assert answers(bridge, [incoming(bridge, row) for row in rows]) == {
        "(a·(b·c))": ride(3, "rider-C", 3.0),
        "((a·b)·c)": ride(3, "rider-A", 3.0),
    }


@pytest.mark.parametrize("release", RELEASES)
def test_a_delete_without_data_breaks_the_law_of_the_greatest_ordering_value(release):
    bridge = merger("DefaultHoodieRecordPayload", release, "pre_combine")
    newest, late = ride(2, "rider-A"), ride(1, "rider-C")
    versions = [incoming(bridge, newest), incoming(bridge, None, long(3)), incoming(bridge, late)]
    assert answers(bridge, versions) == {"(a·(b·c))": newest, "((a·b)·c)": late}


@pytest.mark.parametrize("release", RELEASES)
@given(orderings=st.permutations([1, 2, 3, 4]), stored_ts=st.integers(0, 5))
def test_default_merges_a_batch_as_it_merges_row_by_row(release, orderings, stored_ts):
    pre_combine = merger(release=release, mode="pre_combine")
    combine = merger(release=release, mode="combine")

    def applied(row, version):
        merged = combine.merge(row, version, RIDES, BY_TS)
        return combine_row(merged)

    def combine_row(version):
        return version.to_indexed_record(RIDES, BY_TS)

    row = combine_row(incoming(combine, ride(stored_ts, "stored")))
    versions = [incoming(combine, ride(ts, f"rider-{ts}")) for ts in orderings]
    one_by_one = row
    for version in versions:
        one_by_one = applied(one_by_one, version)
    for bracketing in answers(pre_combine, versions).values():
        assert applied(row, incoming(combine, bracketing)).record == one_by_one.record
