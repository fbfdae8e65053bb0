"""FirstValueAvroPayload: as Default, but ties go to the version that was there."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import batch, held, releases_of, row, stored

NAME = "FirstValueAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_greater_ordering_value_wins(release):
    assert batch(NAME, release, row(1, "older"), row(2, "newer"))["note"] == "newer"
    assert stored(NAME, release, row(1, "stored"), row(2, "incoming"))["note"] == "incoming"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_ties_go_to_the_version_that_was_there(release):
    assert batch(NAME, release, row(1, "older"), row(1, "newer"))["note"] == "older"
    assert stored(NAME, release, row(1, "stored"), row(1, "incoming"))["note"] == "stored"
