"""A user's class in Python: the row with the later moment stays, and the price is never lowered."""

from __future__ import annotations

from payloads import HoodieRecordPayload


class NeverCheaper(HoodieRecordPayload):
    def pre_combine(self, older, schema=None, props=None):
        return self if self.record["ts"] >= older.record["ts"] else older

    def combine_and_get_update_value(self, current, schema, props=None):
        later = self.record if self.record["ts"] >= current["ts"] else current
        return later | {"price": max(self.record["price"], current["price"])}

    def get_insert_value(self, schema, props=None):
        return self.record
