"""The listing of files in a table's metadata table, by which readers from 1.0 on find the files of the table.

Source: HoodieBackedTableMetadata, HoodieMetadataPayload.combineFileSystemMetadata and
HoodieTableMetadataUtil.getValidInstantTimestamps of 0.15 to 1.2. Until 0.15,
HoodieMetadataConfig.DEFAULT_METADATA_ENABLE_FOR_READERS is false.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from bridge.config import keys
from bridge.hudi.block_order import BlockRules, merged_blocks
from bridge.hudi.errors import DamagedFileError, UnreadableTableError
from bridge.hudi.file_slices import SliceView
from bridge.hudi.files import Listing
from bridge.hudi.hfile import read_cells, read_info
from bridge.hudi.log_blocks import BlockType
from bridge.hudi.log_records import data_records
from bridge.hudi.properties import TableProperties, stored_properties
from bridge.hudi.schema_text import stored_schema
from bridge.hudi.stray_logs import check_strays
from bridge.hudi.timeline import ActiveTimeline
from payloads import HudiRelease
from payloads.avro import decode
from payloads.errors import PayloadBridgeError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.files import TableFiles

_PAYLOAD: Final = "HoodieMetadataPayload"
_FOLDER: Final = ".hoodie/metadata"
_PARTITION: Final = "files"
_ALL_PARTITIONS: Final = "__all_partitions__"
_NOT_PARTITIONED: Final = "."
_SCHEMA: Final = b"schema"

_Sizes = dict[str, int | None]
"""Bytes by name; None for one that was deleted."""


def lists_files(files: TableFiles, properties: TableProperties) -> bool:
    """Whether a table has a metadata table that lists its files: by its properties, and by the folder.

    One whose own properties can't be read is none to Hudi, either (HoodieBackedTableMetadata.initIfNeeded).
    """
    named = properties.stored.get(keys.METADATA_PARTITIONS[0], "")
    if _PARTITION not in {name.strip() for name in named.split(",")} or not files.has_folder(_FOLDER):
        return False
    own = files.below(_FOLDER)
    try:
        stored_properties(own)
    except UnreadableTableError:
        return False
    return True


def metadata_listings(files: TableFiles, timeline: ActiveTimeline) -> list[Listing]:
    """Return the files of each partition as the metadata table lists them, by path.

    What it holds of instants that have not completed on the timeline of the table does not count.

    Args:
        files: those of the table, which `lists_files`.
        timeline: that of the table.

    Raises:
        UnreadableTableError: the metadata table can't be read.
    """
    try:
        merged = _merged(files.below(_FOLDER), timeline)
    except (PayloadBridgeError, ValueError) as error:
        msg = (
            f"{files.described(_FOLDER)}, which Hudi from 1.0 on uses to find the files, can't be read: {error}; "
            "delete the metadata table with hudi-cli (`metadata delete`), or read as 0.15, which lists the storage"
        )
        raise UnreadableTableError(msg) from error
    present = [name for name, size in merged.pop(_ALL_PARTITIONS, {}).items() if size is not None]
    return [
        Listing(
            "" if name == _NOT_PARTITIONED else name,
            {file: size for file, size in sorted(merged.get(name, {}).items()) if size is not None},
        )
        for name in sorted(present)
    ]


def _merged(files: TableFiles, timeline: ActiveTimeline) -> dict[str, _Sizes]:
    """Return the record of each key of the partition that lists files."""
    properties = TableProperties(stored_properties(files))
    if not any(text.endswith(_PAYLOAD) for text in properties.stored.values()):
        msg = f"its properties name no {_PAYLOAD}, without which Hudi merges its records into other listings"
        raise UnreadableTableError(msg)
    own = ActiveTimeline(files, properties)
    pending = frozenset(one.requested for one in timeline.instants if not one.is_completed)
    rules = BlockRules(
        release=HudiRelease.V1_0,
        until=own.latest or "",
        excluded=own.open_instants | pending,
        completed=frozenset(one.requested for one in own.commits),
        start=own.start,
        checks_blocks=True,
    )
    sizes = files.sizes(_PARTITION)
    view = SliceView(own, [Listing(_PARTITION, sizes)], has_completion_times=properties.has_completion_times)
    check_strays(files, view, rules)
    found: dict[str, _Sizes] = {}
    for one in view.latest(rules.until):
        for key, listed in _records(files, one, rules):
            known = found.setdefault(key, {})
            for name, size in listed.items():
                known[name] = size if size is None else max(size, known.get(name) or 0)
    return found


def _records(files: TableFiles, found: FileSlice, rules: BlockRules) -> Iterator[tuple[str, _Sizes]]:
    """Give the records of a slice in the order in which they merge."""
    if found.base_file is not None:
        path = found.path_of(found.base_file)
        data = files.read(path)
        try:
            schema = stored_schema(read_info(data)[_SCHEMA].decode())
            for key, value in read_cells(data):
                yield key.decode(errors="replace"), _listed(decode(schema, value, replaces=True))
        except (SchemaError, ValueError, LookupError, TypeError) as error:
            msg = f"{files.described(path)} is not a base file of a metadata table: {error}"
            raise DamagedFileError(msg) from error
    with contextlib.ExitStack() as stack:
        paths = [found.path_of(name) for name in found.data_logs]
        logs = [(files.described(path), stack.enter_context(files.open(path))) for path in paths]
        for block, stream in merged_blocks(logs, rules):
            if block.type is BlockType.DELETE:
                continue
            try:
                for record in data_records(block, stream)[1]:
                    yield record["key"], _listed(record)
            except (LookupError, TypeError) as error:
                reason = f"it is not a block of a metadata table: {error!r}"
                raise block.damaged(reason) from error


def _listed(record: Mapping[str, Any]) -> _Sizes:
    """Return what a record says of the files of its partition, or of the partitions."""
    entries: Mapping[str, Any] = record["filesystemMetadata"] or {}
    return {name: None if entry["isDeleted"] else int(entry["size"]) for name, entry in entries.items()}
