"""Payloads that misbehave for special values alone, the ones that their docstrings name."""

from __future__ import annotations

from tests.mergers.laws import planted_values
from tests.mergers.laws.lawful import LaterPayload

_ARCHIVED = "ARCHIVED"
_FINAL = frozenset({"CLOSED", "SETTLED"})
_MILLISECONDS = 100_000_000_000


class Odd(LaterPayload):
    """Of versions that are odd, the one that arrived last wins within a batch."""

    def is_odd(self, record):
        raise NotImplementedError

    def pre_combine(self, older):
        return self if self.is_odd(self.record) else super().pre_combine(older)


class LongText(LaterPayload):
    """Texts of more than four characters are cut within a batch."""

    def pre_combine(self, older):
        winner = super().pre_combine(older)
        status = winner.record["status"]
        return type(self)({**winner.record, "status": status and status[:4]}, winner.ordering_value)


class LongList(LaterPayload):
    """Of a list two items are kept within a batch."""

    def pre_combine(self, older):
        winner = super().pre_combine(older)
        return type(self)({**winner.record, "tags": winner.record["tags"][:2]}, winner.ordering_value)


class FloatOrder(LaterPayload):
    """Ordering values are compared as doubles within a batch, exactly with the stored row."""

    def pre_combine(self, older):
        return older if float(older.ordering_value.value) > float(self.ordering_value.value) else self


class FloatColumn(LaterPayload):
    """A column goes through a double within a batch."""

    def pre_combine(self, older):
        winner = super().pre_combine(older)
        n = winner.record["n"]
        return type(self)({**winner.record, "n": n and int(float(n))}, winner.ordering_value)


class MixedUnits(LaterPayload):
    """Seconds are compared with milliseconds as instants within a batch, as numbers with the stored row."""

    def pre_combine(self, older):
        return older if self.instant(older) > self.instant(self) else self

    @staticmethod
    def instant(version):
        value = version.ordering_value.value
        return value if value > _MILLISECONDS else value * 1000


class Literal(Odd):
    """A text in the code."""

    def is_odd(self, record):
        return record["status"] == "ARCHIVED"


class NumberLiteral(Odd):
    """A number in the code."""

    def is_odd(self, record):
        return record["code"] == 7919


class NumberBound(Odd):
    """A bound in the code."""

    def is_odd(self, record):
        return record["n"] is not None and 7919 < record["n"] < 7921


class Global(Odd):
    """A global of the module."""

    def is_odd(self, record):
        return record["status"] == _ARCHIVED


class GlobalSet(Odd):
    """A set that is a global of the module."""

    def is_odd(self, record):
        return record["status"] in _FINAL


class OtherModule(Odd):
    """A constant of another module."""

    def is_odd(self, record):
        return record["status"] == planted_values.FROZEN


class Enumerated(Odd):
    """A member of an enum of another module."""

    def is_odd(self, record):
        return record["status"] == planted_values.State.RETIRED.value


class Nested(Odd):
    """A literal in a function inside a function."""

    def is_odd(self, record):
        def matches(value):
            return any(one == "nested-deep" for one in (value,))

        return matches(record["status"])


class Helper(Odd):
    """A literal in a function of another module."""

    def is_odd(self, record):
        return planted_values.is_blocked(record["status"])


class ClassAttribute(Odd):
    """A class attribute."""

    mark = "HIDDEN"

    def is_odd(self, record):
        return record["status"] == self.mark


class Length(Odd):
    """A length that the code names."""

    def is_odd(self, record):
        return len(record["status"] or "") > 120


class ManyLiterals(Odd):
    """The last of many texts in the code."""

    codes = tuple(f"CODE_{number}" for number in range(30))

    def is_odd(self, record):
        return record["status"] == self.codes[-1]


PLANTED = (
    LongText,
    LongList,
    FloatOrder,
    FloatColumn,
    MixedUnits,
    Literal,
    NumberLiteral,
    NumberBound,
    Global,
    GlobalSet,
    OtherModule,
    Enumerated,
    Nested,
    Helper,
    ClassAttribute,
    Length,
    ManyLiterals,
)
