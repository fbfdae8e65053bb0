"""Subclasses of Hudi's classes that can be imported, as pickled objects need."""

# ruff: noqa: N802 (names of Java)

from __future__ import annotations

import payloads


class Deletes(payloads.OverwriteWithLatestAvroPayload):
    """Deletes by an operation column."""

    def isDeleteRecord(self, record):
        return record["op"] == "D"


CLASSES_OF_MODULE = {"Deletes": Deletes}
