"""The archived timeline of layout 1: log files with an entry for each state that an instant had reached.

Source: HoodieTimelineArchiver and HoodieArchivedMetaEntry of 0.12 to 0.15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.hudi.log_blocks import BlockType, read_blocks
from bridge.hudi.log_records import data_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.hudi.files import TableFiles

_PREFIX: Final = ".commits_.archive."
_COMPLETED: Final = "COMPLETED"


def archived_commits(files: TableFiles, folder: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Give requested time and commit metadata of each archived commit that completed, in no order.

    One that was archived twice, as after a merge of archive files that did not end, comes twice.

    Args:
        files: of the table.
        folder: where the archive is; it need not be there.

    Raises:
        DamagedFileError: a file can't be read.
    """
    for name in files.names(folder):
        if not name.startswith(_PREFIX):
            continue
        with files.open(f"{folder}/{name}") as stream:
            for block in read_blocks(stream, name):
                if block.type is not BlockType.AVRO_DATA:
                    continue
                _, entries = data_records(block, stream)
                for entry in entries:
                    found = entry.get("hoodieCommitMetadata")
                    if found is not None and entry.get("actionState") == _COMPLETED:
                        yield str(entry["commitTime"]), found
