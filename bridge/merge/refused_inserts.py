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

if TYPE_CHECKING:
    from payloads import HudiRelease, Record


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


def refused_inserts(release: HudiRelease, *, tests_rows: bool = False) -> RefusedInserts:
    """Return what is wrong with values to insert.

    Args:
        release: of the writer.
        tests_rows: whether the writer has looked at the row alone to find a delete, and not asked the class.
    """
    fails = f"so Hudi {release} fails the write"
    if capabilities(release).file_group_reader:
        fails += " (or, where its file group's log gets no other row, silently loses this one)"
    if tests_rows:
        why = (
            f"and the writer of Hudi {release} recognises a delete of a new key only by _hoodie_is_deleted or the "
            "table's delete marker, whatever isDeleted says"
        )
        what = "mark such rows with _hoodie_is_deleted, or return the row"
    else:
        why, what = "and isDeleted does not call the row a delete", "let isDeleted say so, or return the row"
    return RefusedInserts(
        f"getInsertValue returns nothing, {why}, {fails} (No value present in Option); {what}",
        f"getInsertValue returns SENTINEL, which canProduceSentinel does not declare, {fails}; let it return true, "
        "or return the row",
    )


def refused_reads(release: HudiRelease) -> RefusedInserts:
    """Return what is wrong with the insert values of rows that a log alone has, where a merge point reads these.

    Source: HoodieMergeHandle of 0.15.0, UpdateProcessor of 1.1.1 and 1.2.0.
    """
    fails = "for a row that only the log has, and Hudi {} asks for it {}, which fails{}; {}".format(
        release,
        *(
            ("in the compaction", " (COMPACT failed to write to files)", "let isDeleted say so, or return the row")
            if capabilities(release).payload_writer
            else ("wherever it reads the row", " (No value present in Option)", "return the row")
        ),
    )
    return RefusedInserts(f"getInsertValue returns nothing {fails}", f"getInsertValue returns SENTINEL {fails}")


def indexed_sentinel(release: HudiRelease) -> str:
    """Return what is wrong with SENTINEL as the record that a merge from 1.1 on asks a payload for."""
    return (
        f"getInsertValue returns SENTINEL for a row that meets another of its key; Hudi {release} merges the "
        "returned value, builds the class from a record without fields, and fails the write (NullPointerException): "
        "return the row, and SENTINEL from combineAndGetUpdateValue, or extend a class of Hudi, whose own record is "
        "merged"
    )


def insert_of_file(release: HudiRelease) -> str:
    """Return what is wrong with an insert value whose own insert value is another row, where files may be joined."""
    return (
        f"getInsertValue changes a row that it has returned before, and Hudi {release} calls it twice where a new "
        "key goes to an existing small file; let it leave its own rows unchanged, or leave out "
        "hoodie.parquet.small.file.limit, so that new keys go to new files"
    )
