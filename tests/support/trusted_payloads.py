"""Users' classes whose rules can be found, and some of which a rule says only nearly what they do."""

from __future__ import annotations

COLUMNS = "id string, ts bigint, op string, status string, hits bigint, first_seen bigint"


class Plain:
    """Takes the incoming row; a batch keeps the greater ordering value."""

    def __init__(self, record, ordering_value):
        self.record, self.ordering_value = record, ordering_value

    def pre_combine(self, older):
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current, schema):
        return None if self.record is None or self.deletes(self.record) else self.merged(current, self.record)

    def get_insert_value(self, schema):
        return None if self.record is None or self.deletes(self.record) else self.record

    def get_ordering_value(self):
        return self.ordering_value

    def deletes(self, record):
        return False

    def merged(self, stored, incoming):
        return incoming


class Visits(Plain):
    """Adds up hits, and keeps the first day."""

    def merged(self, stored, incoming):
        hits, days = (
            [row[name] for row in (stored, incoming) if row[name] is not None] for name in ("hits", "first_seen")
        )
        return {**incoming, "hits": sum(hits) if hits else None, "first_seen": min(days) if days else None}


class Tickets(Plain):
    """A closed ticket stays as it is; an operation deletes."""

    def deletes(self, record):
        return record["op"] == "D"

    def merged(self, stored, incoming):
        return stored if stored["status"] == "CLOSED" else incoming


class Fills(Plain):
    """Keeps the stored value where the incoming row has none."""

    def merged(self, stored, incoming):
        return {name: stored[name] if value is None else value for name, value in incoming.items()}


class Locks(Plain):
    """Keeps the stored row at a status that its code does not name."""

    def merged(self, stored, incoming):
        return stored if stored["status"] == "".join(reversed("DEKCOL")) else incoming


class LocksIncoming(Plain):
    """The same of the incoming row, for one column."""

    def merged(self, stored, incoming):
        is_locked = incoming["status"] == "".join(reversed("DEKCOL"))
        return {**incoming, "hits": stored["hits"] if is_locked else incoming["hits"]}


class Refuses(Plain):
    """Inserts no row of a status that its code does not name."""

    def get_insert_value(self, schema):
        return None if self.record is None or self.record["status"] == "".join(reversed("DEKCOL")) else self.record


class Caps(Plain):
    """Adds up hits, but no further than to a number that its code does not name."""

    def merged(self, stored, incoming):
        hits = (stored["hits"] or 0) + (incoming["hits"] or 0)
        return {**incoming, "hits": min(hits, int("9" * 12))}


class PrefersOld(Plain):
    """In a batch the older version stays at a status that its code does not name."""

    def pre_combine(self, older):
        if older.record["status"] == "".join(reversed("DEKCOL")):
            return older
        return super().pre_combine(older)


class Remembers(Plain):
    """Counts its calls, so that it has no rule."""

    calls = 0

    def merged(self, stored, incoming):
        Remembers.calls += 1
        return {**incoming, "hits": Remembers.calls}


class Joins(Plain):
    """Joins texts, which the language of rules can't say."""

    def merged(self, stored, incoming):
        return {**incoming, "op": f"{stored['op']}{incoming['op']}"}
