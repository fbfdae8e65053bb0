"""The words of merge rules: points, sides, ways to compare, outcomes and faults."""

from __future__ import annotations

import enum


class Word(enum.Enum):
    """A word of the language: it prints as its name."""

    def __repr__(self) -> str:
        return self.name


class Point(Word):
    """Where versions meet, as far as a rule depends on it.

    Two versions that were written, in a batch or a log; one with the stored row; one of a key without a row; an entry
    of a delete block with what came before it in the log.
    """

    BATCH = "batch"
    STORED = "stored"
    ALONE = "alone"
    ENTRY = "entry"


class Role(Word):
    """One of the two versions."""

    OLDER = "older"
    NEWER = "newer"
    LATER = "later"
    EARLIER = "earlier"


class How(Word):
    """How two ordering values compare.

    As Java compares them; as texts; or as positions in MySQL's log, `<file number>.<position>`.
    """

    JAVA = "java"
    TEXT = "text"
    POSITION = "position"


class Letters(Word):
    """When two texts are one word: as Java's `equalsIgnoreCase` says, or by the upper or lower case of whole texts."""

    ANY = "any"
    UPPER = "upper"
    LOWER = "lower"


class Against(Word):
    """What the newer version compares with the column of the older one."""

    COLUMN = "its column; null is an error"
    COLUMN_OR_CARRIED = "its column, or, without one, the ordering value that it carries"
    COLUMN_OF_DATA = "its column, or, for a delete or without one, the ordering value that it carries"
    CARRIED = "the ordering value that it carries; values of another class are never later"


class Default(Word):
    """When a value is the default of its column.

    By Java's `equals`, as OverwriteNonDefaults tests it; as one and the same Java object, as the mode IGNORE_DEFAULTS
    does; or by value, as that mode promises. Null is one, where no other default is declared.
    """

    EQUALS = "equals"
    OBJECT = "object"
    VALUE = "value"


class Effect(Word):
    """What a merge yields.

    The older version itself (the stored row); the newer one itself; the later one itself (WINNER); an equal copy of the
    newer one; "leave the stored row as it is"; a new record of `columns`; that, but the later version itself where it
    has no gap (FILLED), or where the record would be equal to its own (CHANGED); the same as the last, with the record
    of the newer version edited in place; no record.
    """

    CURRENT = "current"
    INCOMING = "incoming"
    WINNER = "winner"
    COPY = "copy"
    SENTINEL = "sentinel"
    NEW = "new"
    FILLED = "filled"
    CHANGED = "changed"
    EDITED = "edited"
    DELETE = "delete"


class ErrorKind(Word):
    """What an error is about."""

    NULL_ORDERING = "null ordering"
    UNLIKE_TYPES = "unlike types"
    SCHEMA = "schema"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"


class Needs(Word):
    """What must hold of two versions for a rule to apply: every column is there, with null only where it may be."""

    COMPLETE = "complete"
