"""EmptyHoodieRecordPayload: it deletes."""

from __future__ import annotations

from tests.payloads.builtin.held import held

NAME = "EmptyHoodieRecordPayload"

test_hudi_gave_the_same_answers = held(NAME)
