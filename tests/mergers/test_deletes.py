"""Deletes that meet rows and each other from 1.1 on: which version stands for both, and what marks one."""

from __future__ import annotations

import pytest

from mergers.payload_rules import deleted_version
from mergers.record.context import DeleteContext, greater_ordering_value
from payloads import NATURAL_ORDER, Ordering, PayloadConfigError
from tests.mergers.tables import BY_TS, RIDES, long, merger, ride, stored

FIELD, MARKER = "hoodie.payload.delete.field", "hoodie.payload.delete.marker"


def test_of_two_versions_that_merge_to_a_delete_the_newer_delete_remains():
    row, gone, other = stored(ride(1)), stored(ride(9), "D"), stored(None, "D", long(5))
    assert deleted_version(gone, other, RIDES) is other
    assert deleted_version(other, gone, RIDES) is gone
    assert deleted_version(gone, row, RIDES) is gone
    assert deleted_version(row, gone, RIDES) is gone


@pytest.mark.parametrize(("older", "newer"), [(1, 9), (9, 1)])
def test_two_rows_that_merge_to_a_delete_make_one_with_the_greater_ordering_value(older, newer):
    made = deleted_version(stored(ride(older)), stored(ride(newer)), RIDES)
    assert (made.record, made.operation, made.ordering_value) == (None, "D", long(9))


def test_of_equal_ordering_values_that_of_the_newer_version_is_taken():
    older, newer = Ordering("long", 5), Ordering("long", 5)
    assert greater_ordering_value(older, newer) is newer


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize("mode", ["combine", "pre_combine"])
def test_a_delete_without_an_ordering_value_gives_way_to_any_row_after_it(mode, release):
    """Also where it has data, which a payload would compare."""
    older = stored(ride(9, deleted=True), "D", NATURAL_ORDER)
    newer = stored(ride(1))
    assert merger(release=release, mode=mode).merge(older, newer, RIDES, BY_TS) is newer
    assert merger(release=release, mode=mode).merge(newer, older, RIDES, BY_TS) is older


@pytest.mark.parametrize("props", [{FIELD: "rider"}, {MARKER: "gone"}, {FIELD: "rider", MARKER: ""}])
def test_a_delete_key_without_a_marker_is_refused_and_so_is_a_marker_without_a_key(props):
    with pytest.raises(PayloadConfigError, match="either custom delete key or marker"):
        DeleteContext(props, RIDES)
