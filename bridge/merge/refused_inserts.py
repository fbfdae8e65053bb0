"""Where a writer of Hudi fails because a payload gives it nothing to write, in words for the error.

Source: HoodieAvroRecord.isDelete, shouldIgnore, prependMetaFields and rewriteRecordWithNewSchema of 0.15.0 to 1.2.0.
A writer drops a row that is a delete, and one whose class declares SENTINEL and gives it. It takes the insert value of
any other row out of its Option unseen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities
from payloads import PayloadFailedError
from payloads.api import Sentinel
from payloads.builtin import BuiltinPayload

if TYPE_CHECKING:
    from payloads import HoodieRecordPayload, HudiRelease, Record


class RefusedInserts(NamedTuple):
    """What is wrong with an insert value that Hudi can't write.

    Attributes:
        empty: for no value.
        sentinel: for a SENTINEL that the class does not declare.
    """

    empty: str
    sentinel: str

    def check(self, value: Record | Sentinel | None, *, is_declared: bool) -> None:
        """Refuse an insert value that is no row, unless it is a SENTINEL that the class declares.

        Raises:
            PayloadFailedError: Hudi fails the write.
        """
        if value is None:
            raise PayloadFailedError(self.empty)
        if isinstance(value, Sentinel) and not is_declared:
            raise PayloadFailedError(self.sentinel)


def refused_inserts(
    release: HudiRelease, payload_class: type[HoodieRecordPayload] | None = None, *, tests_rows: bool = False
) -> RefusedInserts:
    """Return what is wrong with values to insert.

    Args:
        release: of the writer.
        payload_class: names the methods; None for a compiled class.
        tests_rows: whether the writer has looked at the row alone to find a delete, and not asked the class.
    """
    is_java = payload_class is None or (
        hasattr(payload_class, "java_name") and not issubclass(payload_class, BuiltinPayload)
    )
    insert, deleted, declared = _JAVA if is_java else _PYTHON
    fails = f"so Hudi {release} fails the write"
    if not capabilities(release).payload_writer:
        fails += " (or, where its file group's log gets no other row, loses this one without a word)"
    if tests_rows:
        why = (
            f"the writer of Hudi {release} takes a row of a new key for a delete by _hoodie_is_deleted or the table's "
            f"delete marker alone, whatever {deleted} says"
        )
        what = "mark such rows with _hoodie_is_deleted, or return the row"
    else:
        why, what = f"{deleted} does not call the row a delete", f"let {deleted} say so, or return the row"
    return RefusedInserts(
        f"{insert} gives nothing, and {why}, {fails} (No value present in Option); {what}",
        f"{insert} gives SENTINEL, which {declared} does not declare, {fails}; let it return true, or return the row",
    )


_JAVA = ("getInsertValue", "isDeleted", "canProduceSentinel")
_PYTHON = ("get_insert_value", "is_deleted", "can_produce_sentinel")
