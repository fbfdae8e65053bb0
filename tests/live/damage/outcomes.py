"""What is made of two answers about a damaged table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.spark import META_COLUMNS
from tests.conformance.tables import difference, without_meta
from tests.live.damage.readers import HANGS

if TYPE_CHECKING:
    import collections
    from collections.abc import Sequence

    from tests.live.damage.readers import Answer

EQUAL, BOTH, WARNED = "equal", "refused by both", "warned"
UNANSWERED = "without an answer of Hudi"
LOST = "refused where Hudi shows other rows than were written"
VERSION = "refused as another version"
REFUSED, SILENT, HANG, TRACEBACK = "refused by us alone", "silent", "hangs", "tracebacks"
WRONG = (REFUSED, SILENT, HANG, TRACEBACK)


def outcome(theirs: Answer, ours: Answer, sound: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """Return how our answer stands to real Hudi's, and why; `sound` has the rows of the table without the damage.

    `silent`: other rows than real Hudi's, or rows where it fails, without a warning, or nothing in `inspect` where no
    rows are read; `warned`: with one. A traceback is
    any error that is not one sentence of the project about the table. Versions that this project reads are fewer than
    Hudi's: what is left of the properties says another one, or none.
    """
    if str(theirs.get("refused", "")) == HANGS:
        return UNANSWERED, ""
    for name, answer in (("snapshot", ours), ("inspect", ours.get("inspect", {}))):
        why = str(answer.get("refused", ""))
        if why == HANGS:
            return HANG, name
        if why and not answer.get("is_sentence"):
            return TRACEBACK, f"{name}: {why}"
    if "rows" not in ours:
        if ours.get("inspect", {}).get("warnings") == []:
            return SILENT, f"inspect finds nothing where snapshot says: {ours['refused']}"
        return _refusal(theirs, str(ours["refused"]), sound)
    if "rows" not in theirs:
        found = f"{len(ours['rows'])} rows where Hudi says: {theirs['refused']}"
    else:
        hides = theirs["rows"] and META_COLUMNS[0] not in theirs["rows"][0]  # Hudi has no such columns then
        found = difference(*((without_meta(each) if hides else each) for each in (theirs["rows"], ours["rows"])))
    return _told(ours, found) if found else (EQUAL, "")


def _refusal(theirs: Answer, why: str, sound: Sequence[dict[str, Any]]) -> tuple[str, str]:
    if "rows" not in theirs:
        return BOTH, why
    if "hoodie.table.version" in why:
        return VERSION, why
    return (LOST if difference(sound, theirs["rows"]) else REFUSED), why


def _told(ours: Answer, found: str) -> tuple[str, str]:
    return (WARNED if ours["warnings"] else SILENT), "\n    ".join([found, *ours["warnings"]])


def is_wrong(counts: collections.Counter[str]) -> bool:
    """Whether an outcome is one that must not be."""
    return any(counts[name] for name in WRONG)
