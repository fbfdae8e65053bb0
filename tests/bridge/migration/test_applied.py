from __future__ import annotations

from pathlib import Path

from bridge import redacted
from bridge.migration.applied import AppliedPlan
from bridge.migration.table_copy import CopiedTable


def test_a_redaction_hides_what_hudi_quotes_of_a_copy_that_failed():
    quoted = "HoodieUpsertException: record with key id:4111-1111"
    copied = CopiedTable(**dict.fromkeys(CopiedTable._fields, 0) | {"path": Path("copy")})
    applied = AppliedPlan(copied, (), quoted, (), "0" * 64)
    assert "4111" in "\n".join(applied.lines())
    with redacted("all"):
        assert "4111" not in "\n".join(applied.lines())
