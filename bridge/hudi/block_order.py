"""Which blocks of a slice take part in a query, and in which order they are merged, release by release.

Source: BaseHoodieLogRecordReader and AbstractHoodieLogRecordReader: scanInternalV1 and, from 1.2 on, scanInternalV2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities
from bridge.hudi.errors import UnreadableTableError
from bridge.hudi.log_blocks import BlockType, HeaderKey, read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.hudi.log_blocks import Block, RandomAccess
    from payloads import HudiRelease

_ROLLBACK = "0"
_PASSED_OVER = frozenset({BlockType.CORRUPT, BlockType.CDC_DATA})


class BlockRules(NamedTuple):
    """What decides which blocks count; travels to Spark's tasks.

    Attributes:
        release: whose reader.
        until: the latest instant (requested time) that the query sees.
        excluded: instants of blocks to leave out: those that did not complete (table versions 5 and 6).
        completed: those of the active timeline that did.
        start: the first instant of the timeline; None for an empty one. Older instants are archived, so complete.
        checks_blocks: whether each block is judged; from version 8 on each file is.
    """

    release: HudiRelease
    until: str
    excluded: frozenset[str]
    completed: frozenset[str]
    start: str | None
    checks_blocks: bool

    def is_valid(self, instant: str) -> bool:
        """Whether the blocks of an instant count."""
        if not self.checks_blocks:
            return True
        before = self.start is not None and instant < self.start
        return instant not in self.excluded and (before or instant in self.completed)


class FoundBlock(NamedTuple):
    """A block and the file to read it from."""

    block: Block
    stream: RandomAccess


def merged_blocks(logs: Iterable[tuple[str, RandomAccess]], rules: BlockRules) -> list[FoundBlock]:
    """Return the data and delete blocks of a slice that count, in the order in which they are merged.

    Args:
        logs: name and open file of each log file, in the order of the slice.
        rules: what decides.

    Raises:
        DamagedFileError: a file is damaged where Hudi, too, does not pass over it.
        UnreadableTableError: a command block has an unknown command.
    """
    found = _without_rolled_back(logs, rules)
    return _by_instant(found) if capabilities(rules.release).blocks_by_instant else _as_written(found)


def _without_rolled_back(logs: Iterable[tuple[str, RandomAccess]], rules: BlockRules) -> list[FoundBlock]:
    found: list[FoundBlock] = []
    for block, stream in _blocks(logs):
        if block.type in _PASSED_OVER:
            continue
        is_command = block.type is BlockType.COMMAND
        if block.instant > rules.until:
            if not capabilities(rules.release).file_group_reader:
                break  # 0.15 reads no further in this slice, rollbacks included
            if not is_command:
                continue
        if is_command:
            if block.required(HeaderKey.COMMAND_BLOCK_TYPE) != _ROLLBACK:
                msg = (
                    f"{block.file}, block at byte {block.offset}: unknown command; read this table with its own release"
                )
                raise UnreadableTableError(msg)
            target = block.required(HeaderKey.TARGET_INSTANT_TIME)
            found = [earlier for earlier in found if earlier.block.instant != target]
        elif rules.is_valid(block.instant):
            found.append(FoundBlock(block, stream))
    return found


def _blocks(logs: Iterable[tuple[str, RandomAccess]]) -> Iterator[tuple[Block, RandomAccess]]:
    for name, stream in logs:
        for block in read_blocks(stream, name):
            yield block, stream


def _as_written(found: list[FoundBlock]) -> list[FoundBlock]:
    """Return the blocks as they lie, without those that a log compaction has replaced."""
    replaced = {instant for each in found for instant in _compacted(each.block)}
    return [each for each in found if each.block.instant not in replaced]


def _by_instant(found: list[FoundBlock]) -> list[FoundBlock]:
    """Return the blocks of each instant together, by its first block; a log compaction at its last replaced instant."""
    instants: dict[str, list[FoundBlock]] = {}
    for each in found:
        instants.setdefault(each.block.instant, []).append(each)
    replaced_by: dict[str, str] = {}
    order: list[str] = []
    for instant, blocks in reversed(instants.items()):
        compacted = _compacted(blocks[0].block)
        if compacted:
            final = replaced_by.get(instant, instant)
            replaced_by.update(dict.fromkeys(compacted, final))
            continue
        shown = replaced_by.get(instant, instant)
        if shown not in order:
            order.append(shown)
    return [each for instant in reversed(order) for each in instants[instant]]


def _compacted(block: Block) -> list[str]:
    text = block.header.get(HeaderKey.COMPACTED_BLOCK_TIMES, "")
    return [instant.strip() for instant in text.split(",") if instant.strip()]
