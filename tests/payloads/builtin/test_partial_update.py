"""PartialUpdateAvroPayload: a null takes the value of the other version."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import batch, held, releases_of, row, stored

NAME = "PartialUpdateAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_nulls_are_filled_from_the_version_that_loses(release):
    assert stored(NAME, release, row(1, "stored"), row(2, None, Op="U")) == row(2, "stored", Op="U")
    assert stored(NAME, release, row(2, None, Op="U"), row(1, "incoming")) == row(2, "incoming", Op="U")


@pytest.mark.parametrize("release", releases_of(NAME))
def test_a_batch_fills_too(release):
    assert batch(NAME, release, row(1, "older"), row(2, None))["note"] == "older"
    assert batch(NAME, release, row(2, None), row(1, "newer"))["note"] == "newer"
