"""HoodieAvroPayload: the incoming row replaces the stored one."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import held, releases_of, row, stored

NAME = "HoodieAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_incoming_row_wins_against_the_stored_one(release):
    assert stored(NAME, release, row(2, "stored"), row(1, "incoming"))["note"] == "incoming"
