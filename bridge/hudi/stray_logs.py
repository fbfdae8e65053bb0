"""Log files whose names belong to no file of their group: releases of Hudi disagree about what they change."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from bridge.hudi.block_order import merged_blocks
from bridge.hudi.errors import UnreadableTableError

if TYPE_CHECKING:
    from bridge.hudi.block_order import BlockRules
    from bridge.hudi.file_slices import SliceView
    from bridge.hudi.files import TableFiles


def check_strays(files: TableFiles, view: SliceView, rules: BlockRules) -> None:
    """Check that logs that continue no file of their group hold nothing that counts, as after a rollback.

    Raises:
        UnreadableTableError: one does; names it.
        DamagedFileError: one can't be read.
    """
    for stray in view.strays(rules.until):
        paths = [stray.path_of(name) for name in stray.data_logs]
        with contextlib.ExitStack() as stack:
            logs = [(files.described(path), stack.enter_context(files.open(path))) for path in paths]
            counts = bool(merged_blocks(logs, rules))
        if counts:
            msg = (
                f"{logs[0][0]} continues, by its name, a file of the instant {stray.base_instant}, but its file group "
                "has none: Hudi 0.15 passes over such a log, or reads it alone, and Hudi 1.0 and later merge it with "
                "another file; restore the name, or the file"
            )
            raise UnreadableTableError(msg)
