"""The table of programs: what an engine needs to know about each, in one place.

A new program is a class and a line here. A pipeline function names it; the engines read the rest.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING

from bridge.programs.commits import Simulate
from bridge.programs.global_index import GlobalAppend, GlobalIndexTable, GlobalUpsert
from bridge.programs.global_operations import GlobalOperationTable
from bridge.programs.operation_table import OperationTable
from bridge.programs.operation_upgrade import OperationUpgrade
from bridge.programs.operations import Append, CombineInput, Compact, Snapshot, Upsert
from bridge.programs.path_programs import AllPaths, SmallestHistory
from bridge.programs.small_files import SmallFileTable
from bridge.programs.upgrade import Upgrade

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.programs.program import Program


class EngineName(enum.StrEnum):
    """The engines, as users name them."""

    PYTHON = "python"
    JVM = "jvm"
    NATIVE = "native"


class Extra(enum.StrEnum):
    """What a program may add to an outcome, besides the action."""

    DELETE = "delete"
    ORDERING = "ordering"
    TO_LOG = "to_log"
    FIRST = "first"
    LAST = "last"
    PATH = "path"


_BOTH = frozenset({EngineName.PYTHON, EngineName.JVM})
_EVERY = frozenset(EngineName)
_SPAN = (Extra.FIRST, Extra.LAST)
_TO_LOG = (Extra.TO_LOG, Extra.ORDERING)
_NO_INDEX = "Java has no index lookup, which merges a row before the write to learn its partition"
_NO_OPERATIONS = "Java upserts batches and knows no other operation"
_SHARED_FILES = "the keys of a partition share files there, so that none can be taken out"
_ALL_ANSWERS = "a failure of a path is one of its answers"
_NO_STATES = "Java can't tell whether two paths have reached the same state of a payload object"


@dataclasses.dataclass(frozen=True)
class ProgramSpec:
    """A program as the engines know it.

    Attributes:
        program: its class, which takes the merge and the arguments of the job.
        extras: what it adds to an outcome, in order.
        untouched: the extras of a row without another version of its key, where that needs no program: a stored row, or
            a new one that a built-in payload inserts as it is. None if the program must see all rows.
        by_partition: whether it sees the keys of a whole partition path at once, by commit and arrival; else one key.
        upserts_pairs: whether one stored and one incoming row are one `RecordMerge.upsert_pair`, and a new row is one
            `insert_single`.
        engines: those that can run it.
        only_there: why Java can't, in half a sentence; empty if it can.
        only_fails: why a key that fails can't be set aside, in half a sentence; empty if it can.
    """

    program: Callable[..., Program]
    extras: tuple[Extra, ...] = ()
    untouched: tuple[object, ...] | None = None
    by_partition: bool = False
    upserts_pairs: bool = False
    engines: frozenset[EngineName] = frozenset({EngineName.PYTHON})
    only_there: str = ""
    only_fails: str = ""


PROGRAMS = {
    "combine_input": ProgramSpec(CombineInput, (Extra.DELETE, Extra.ORDERING), engines=_BOTH),
    "upsert": ProgramSpec(Upsert, untouched=(), upserts_pairs=True, engines=_EVERY),
    "append": ProgramSpec(Append, _TO_LOG, untouched=(False, None), engines=_BOTH),
    "upsert_global_index": ProgramSpec(GlobalUpsert, only_there=_NO_INDEX),
    "append_global_index": ProgramSpec(GlobalAppend, _TO_LOG, only_there=_NO_INDEX),
    "compact": ProgramSpec(Compact, untouched=(), engines=_EVERY),
    "snapshot": ProgramSpec(Snapshot, untouched=(), engines=_EVERY),
    "simulate": ProgramSpec(Simulate, _SPAN, engines=_BOTH),
    "simulate_small_files": ProgramSpec(
        SmallFileTable, _SPAN, by_partition=True, engines=_BOTH, only_fails=_SHARED_FILES
    ),
    "simulate_global_index": ProgramSpec(GlobalIndexTable, _SPAN, only_there=_NO_INDEX),
    "simulate_operations": ProgramSpec(OperationTable, _SPAN, only_there=_NO_OPERATIONS),
    "simulate_operations_upgrade": ProgramSpec(OperationUpgrade, _SPAN, only_there=_NO_OPERATIONS),
    "simulate_global_operations": ProgramSpec(GlobalOperationTable, _SPAN, only_there=_NO_INDEX),
    "simulate_upgrade": ProgramSpec(Upgrade, _SPAN, engines=_BOTH),
    "all_paths": ProgramSpec(AllPaths, (Extra.PATH,), only_there=_NO_STATES, only_fails=_ALL_ANSWERS),
    "smallest_history": ProgramSpec(SmallestHistory, (Extra.PATH,), only_there=_NO_STATES, only_fails=_ALL_ANSWERS),
}
"""The programs by the name that is sent to tasks."""
