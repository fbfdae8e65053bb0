"""DefaultHoodieRecordPayload: the greater ordering value wins everywhere, and ties go to the newer version."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import batch, held, releases_of, row, stored

NAME = "DefaultHoodieRecordPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_greater_ordering_value_wins(release):
    assert batch(NAME, release, row(2, "older"), row(1, "newer"))["note"] == "older"
    assert stored(NAME, release, row(2, "stored"), row(1, "incoming"))["note"] == "stored"
    assert stored(NAME, release, row(1, "stored"), row(2, "incoming"))["note"] == "incoming"
    assert stored(NAME, release, row(None, "stored"), row(1, "incoming"))["note"] == "incoming"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_ties_go_to_the_newer_version(release):
    assert batch(NAME, release, row(1, "older"), row(1, "newer"))["note"] == "newer"
    assert stored(NAME, release, row(1, "stored"), row(1, "incoming"))["note"] == "incoming"
    kept = stored(NAME, release, row(1, "stored"), row(1, "incoming"), update_on_same_ordering_field="false")
    assert kept["note"] == ("stored" if release == "1.2" else "incoming")


@pytest.mark.parametrize("release", releases_of(NAME))
def test_an_earlier_delete_loses_but_in_0_13(release):
    found = stored(NAME, release, row(2, "stored"), row(1, _hoodie_is_deleted=True))
    assert found is None if release == "0.13" else found["note"] == "stored"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_a_marker_of_the_users_deletes_from_0_14_on(release):
    found = stored(NAME, release, row(1), row(2, Op="X"), delete_field="Op", delete_marker="X")
    assert (found is None) is (release not in {"0.12", "0.13"})
