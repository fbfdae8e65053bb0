"""OverwriteNonDefaultsWithLatestAvroPayload: a column with its default takes the stored value."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import batch, held, releases_of, row, stored

NAME = "OverwriteNonDefaultsWithLatestAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_defaults_are_filled_from_the_stored_row(release):
    assert stored(NAME, release, row(2, "stored", n=5), row(1, None, n=0)) == row(1, "stored", n=5)
    assert stored(NAME, release, row(2, "stored", n=5), row(1, "incoming", n=7)) == row(1, "incoming", n=7)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_nothing_is_filled_in_a_batch(release):
    assert batch(NAME, release, row(1, "older", n=5), row(2, None)) == row(2, None)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_a_flagged_row_deletes(release):
    assert stored(NAME, release, row(2, "stored"), row(1, _hoodie_is_deleted=True)) is None
