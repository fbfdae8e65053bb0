"""A part of a table as a table of its own: some partitions, or a sample of file groups, with the whole timeline."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import format_properties, keys
from bridge.errors import InputError
from bridge.migration.table_copy import check_plans, instants_of
from bridge.spark import is_local, local_path, staged_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.hudi import HudiTable

_METADATA: Final = ".hoodie"
_METADATA_TABLE: Final = "metadata"
_PROPERTIES: Final = "hoodie.properties"


class TablePart(NamedTuple):
    """The part of a table that is rehearsed.

    Attributes:
        partitions: only these partitions, by their paths below the table; empty for all.
        file_groups: only this many file groups, evenly chosen by partition and file id; None for all.
    """

    partitions: tuple[str, ...] = ()
    file_groups: int | None = None


@contextlib.contextmanager
def part_of(table: HudiTable, part: TablePart, place: Path) -> Iterator[HudiTable]:
    """Make a table of a part of another one for the time of a block: links to its files, or copies of them.

    It has the table's timeline and properties, and no metadata table, which would list the files that are left out.

    Args:
        table: a table on this machine.
        part: what the new one has.
        place: the folder in which it is made, on the same disk where the files are to be links.

    Raises:
        InputError: the table is on a storage, has no such partition, was written meanwhile, or has a rollback or clean
            that did not complete.
    """
    if not is_local(table.path):
        msg = f"{table.path} is on remote storage, but only local tables are copied: copy it here first"
        raise InputError(msg)
    source, before = local_path(table.path).resolve(), instants_of(table.path)
    check_plans(source)
    chosen = _chosen(table, part)
    with staged_folder(place) as folder:
        target = Path(folder, source.name)
        left_out = shutil.ignore_patterns(_METADATA_TABLE)
        shutil.copytree(source / _METADATA, target / _METADATA, ignore=left_out)
        for partition, groups in chosen.items():
            (target / partition).mkdir(parents=True, exist_ok=True)
            for file in (source / partition).iterdir():
                if file.is_file() and (file.name.startswith(".hoodie_partition") or group_of(file.name) in groups):
                    _link(file, target / partition / file.name)
        kept = {name: text for name, text in table.properties.items() if name not in keys.METADATA_PARTITIONS}
        (target / _METADATA / _PROPERTIES).write_text(format_properties(kept), "utf-8")
        (target / _METADATA / f".{_PROPERTIES}.crc").unlink(missing_ok=True)  # by which Hadoop checks the file
        if not before == instants_of(table.path) == instants_of(str(target)):
            msg = f"{table.path} was written while it was copied; stop its writers, and run it again"
            raise InputError(msg)
        yield table.copied_to(str(target))


def _chosen(table: HudiTable, part: TablePart) -> dict[str, set[str]]:
    """Return the file groups of each partition.

    Raises:
        InputError: the table has no such partition.
    """
    found = sorted({(one.partition, one.file_id) for one in table.queries().snapshot().slices})
    known = {partition for partition, _ in found}
    wanted = known if not part.partitions else {*part.partitions}
    if unknown := sorted(wanted - known):
        msg = f"{table.path} has no files in the partition {unknown[0]}; it has {', '.join(sorted(known)[:10])}"
        raise InputError(msg)
    found = [one for one in found if one[0] in wanted]
    if part.file_groups is not None and part.file_groups < len(found):
        found = [found[at * len(found) // part.file_groups] for at in range(part.file_groups)]
    groups: dict[str, set[str]] = {}
    for partition, file_id in found:
        groups.setdefault(partition, set()).add(file_id)
    return groups


def group_of(name: str) -> str:
    """Return the file id of a base or log file."""
    return name.removeprefix(".").partition("_")[0]


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(file, target)
