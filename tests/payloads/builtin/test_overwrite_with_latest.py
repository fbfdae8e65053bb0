"""OverwriteWithLatestAvroPayload: the newer version wins; until 0.15 the greater ordering value in a batch."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import batch, held, inserted, releases_of, row, stored

NAME = "OverwriteWithLatestAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_ordering_counts_in_a_batch_until_0_15(release):
    kept = batch(NAME, release, row(2, "older"), row(1, "newer"))["note"]
    assert kept == ("older" if release.startswith("0.") else "newer")
    assert batch(NAME, release, row(1, "older"), row(1, "newer"))["note"] == "newer"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_ordering_does_not_count_against_the_stored_row(release):
    assert stored(NAME, release, row(2, "stored"), row(1, "incoming"))["note"] == "incoming"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_flag_deletes(release):
    assert stored(NAME, release, row(2), row(1, _hoodie_is_deleted=True)) is None
    assert inserted(NAME, release, row(1, _hoodie_is_deleted=True)) is None
    assert stored(NAME, release, row(2), None) is None
