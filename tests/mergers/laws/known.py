"""Known behaviour of real Hudi's classes, as data: the laws as observed, and the violations with their reasons.

`OBSERVED` has the results of real Hudi, class by class: commutativity, associativity and action, on data, with flagged
deletes, and with deletes without data. `KNOWN` extends it to every law of this project.
"""

from __future__ import annotations

from typing import NamedTuple

UNTIL_0_13, UNTIL_0_15, NEW = ("0.12", "0.13"), ("0.12", "0.13", "0.14", "0.15"), ("1.1", "1.2")
OLD = (*UNTIL_0_15, "1.0")
ALL = OLD + NEW

HOLDS, BREAKS, TIES_BREAK, UNSAID = "holds", "breaks", "ties break", "-"

_MAXIMUM = (TIES_BREAK, HOLDS, HOLDS)
_DEDUP_DIFFERS = (TIES_BREAK, HOLDS, BREAKS)
_NONE = (BREAKS, BREAKS, BREAKS)
_LAST_ARRIVAL = (BREAKS, HOLDS, HOLDS)
_FREE = (UNSAID, UNSAID, UNSAID)

OBSERVED = (
    ("OverwriteWithLatestAvroPayload", UNTIL_0_15, (_DEDUP_DIFFERS, _DEDUP_DIFFERS, _NONE)),
    ("OverwriteWithLatestAvroPayload", ("1.0", *NEW), (_LAST_ARRIVAL, _LAST_ARRIVAL, _LAST_ARRIVAL)),
    ("DefaultHoodieRecordPayload", ALL, (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("EventTimeAvroPayload", ALL, (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("FirstValueAvroPayload", ("0.15", "1.0"), (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("ReverseOrderHoodieRecordPayload", ("1.2",), (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("OverwriteNonDefaultsWithLatestAvroPayload", ALL, (_DEDUP_DIFFERS, _DEDUP_DIFFERS, _NONE)),
    ("PartialUpdateAvroPayload", ALL[1:], ((TIES_BREAK, BREAKS, BREAKS), _NONE, _NONE)),
    ("AWSDmsAvroPayload", ALL, (_DEDUP_DIFFERS, _DEDUP_DIFFERS, _NONE)),
    ("MySqlDebeziumAvroPayload", NEW, (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("MySqlDebeziumAvroPayload", UNTIL_0_13, (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("MySqlDebeziumAvroPayload", ("0.14", "0.15", "1.0"), (_DEDUP_DIFFERS, _DEDUP_DIFFERS, _NONE)),
    ("PostgresDebeziumAvroPayload", ALL, (_MAXIMUM, _DEDUP_DIFFERS, _NONE)),
    ("PostgresDebeziumAvroPayload, unavailable values", ALL, (_DEDUP_DIFFERS, _DEDUP_DIFFERS, _NONE)),
    ("HoodieAvroPayload", ALL, (_LAST_ARRIVAL, _LAST_ARRIVAL, _LAST_ARRIVAL)),
    # Observed with deletes without data too, but a HoodieJsonPayload can't be built from null.
    ("HoodieJsonPayload", ALL, (_LAST_ARRIVAL, _LAST_ARRIVAL, _FREE)),
    ("EmptyHoodieRecordPayload", ALL, ((HOLDS, HOLDS, HOLDS), _FREE, _FREE)),
)
"""Class, releases, and for data, flagged and empty the verdicts on commutativity, associativity and action."""

_LETTERS = {
    "a": ("associativity",),
    "x": ("action", "schedule-independence"),
    "s": ("schedule-independence",),
    "c": ("commutativity",),
    "t": ("tombstone",),
    "p": ("purity",),
    "i": ("idempotence",),
    "r": ("round-trip",),
}


class Known(NamedTuple):
    """The laws that a class violates by design.

    Attributes:
        name: the subject.
        releases: those that it applies to.
        broken: letters of laws for data, flagged and empty.
        reason: why.
    """

    name: str
    releases: tuple[str, ...]
    broken: tuple[str, str, str]
    reason: str


_EVENT_TIME = (
    "a delete is not stored, so the next version is an insert; a delete without data is ignored within a batch"
)
KNOWN = (
    Known(
        "OverwriteWithLatestAvroPayload",
        UNTIL_0_15,
        ("x", "x", "axct"),
        "ordering decides within a batch, arrival against the stored row; a delete without data loses to any data",
    ),
    Known("OverwriteWithLatestAvroPayload", ("1.0", *NEW), ("c", "ct", "ct"), "arrival order decides, by design"),
    Known(
        "DefaultHoodieRecordPayload",
        ("0.13",),
        ("", "x", "axct"),
        f"a delete wins against any stored row; {_EVENT_TIME}",
    ),
    Known("DefaultHoodieRecordPayload", ("0.12", *ALL[2:]), ("", "x", "axct"), _EVENT_TIME),
    Known("EventTimeAvroPayload", OLD[1:], ("", "x", "axct"), f"a delete wins against any stored row; {_EVENT_TIME}"),
    Known("EventTimeAvroPayload", ("0.12", *NEW), ("", "x", "axct"), _EVENT_TIME),
    Known("FirstValueAvroPayload", ("0.15", "1.0"), ("", "x", "axct"), _EVENT_TIME),
    Known("ReverseOrderHoodieRecordPayload", ("1.2",), ("", "x", "axct"), _EVENT_TIME),
    Known(
        "OverwriteNonDefaultsWithLatestAvroPayload",
        OLD,
        ("x", "x", "axct"),
        "columns are filled from the stored row but not within a batch, and ordering decides only within a batch",
    ),
    Known(
        "OverwriteNonDefaultsWithLatestAvroPayload",
        NEW,
        ("x", "x", "axc"),
        "columns are filled from the stored row but not within a batch; a newer delete without data wins any batch",
    ),
    Known(
        "PartialUpdateAvroPayload",
        ALL[1:],
        ("ax", "axct", "axct"),
        "one ordering value covers all columns; within a batch a newer delete loses to older data",
    ),
    Known(
        "AWSDmsAvroPayload",
        ALL,
        ("x", "x", "axct"),
        "ordering decides within a batch, arrival against the stored row; a delete of an unknown key fails",
    ),
    Known("MySqlDebeziumAvroPayload", UNTIL_0_13, ("", "xt", "axct"), f"positions compare as text; {_EVENT_TIME}"),
    Known(
        "MySqlDebeziumAvroPayload",
        ("0.14", "0.15", "1.0"),
        ("x", "xt", "axct"),
        "positions compare as text within a batch, as numbers against the stored row, which wins ties",
    ),
    Known("MySqlDebeziumAvroPayload", NEW, ("", "x", "axct"), _EVENT_TIME),
    Known("PostgresDebeziumAvroPayload", ALL, ("", "x", "axct"), _EVENT_TIME),
    Known(
        "PostgresDebeziumAvroPayload, unavailable values",
        OLD,
        ("x", "x", "axct"),
        "an unavailable value is filled from the stored row but not within a batch",
    ),
    Known(
        "PostgresDebeziumAvroPayload, unavailable values",
        NEW,
        ("xp", "xp", "axctp"),
        "an unavailable value is filled from the stored row but not within a batch, and stays filled in the payload",
    ),
    Known("HoodieAvroPayload", ALL, ("c", "c", "ct"), "arrival order decides, by design"),
    Known("HoodieJsonPayload", ALL, ("c", "c", ""), "arrival order decides, by design"),
    Known("RewriteAvroPayload", ALL, ("xi", "xi", ""), "it refuses to combine, so the other laws are not checked"),
    Known("COMMIT_TIME_ORDERING", ("1.0", *NEW), ("c", "ct", "ct"), "arrival order decides, by design"),
    Known(
        "EVENT_TIME_ORDERING",
        ("1.0", *NEW),
        ("", "x", "ax"),
        "a delete is not stored, so the next version is an insert; one with Integer 0 removes later data, too",
    ),
    *(
        Known(
            f"COMMIT_TIME_ORDERING/{partial}",
            NEW,
            ("c", "axct", "axct"),
            "arrival order decides; nothing is filled across a delete, unless the delete is folded away first",
        )
        for partial in ("IGNORE_DEFAULTS", "FILL_UNAVAILABLE")
    ),
    *(
        Known(
            f"EVENT_TIME_ORDERING/{partial}",
            NEW,
            ("ax", "ax", "ax"),
            "one ordering value covers all columns; nothing is filled across a delete",
        )
        for partial in ("IGNORE_DEFAULTS", "FILL_UNAVAILABLE")
    ),
)


def known_violations() -> dict[tuple[str, str, str, str], str]:
    """Return the reason for each (subject, release, domain, law) that is known to break."""
    return {
        (known.name, release, domain, law): known.reason
        for known in KNOWN
        for release in known.releases
        for domain, letters in zip(("data", "flagged", "empty"), known.broken, strict=True)
        for letter in letters
        for law in _LETTERS[letter]
    }
