"""The table of programs: what an engine needs to know about each, in one place.

A new program is a class and a line here. A pipeline function names it; the engines read the rest.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.merge import Action, MergePoint
from bridge.programs.global_index import GlobalAppend, GlobalUpsert
from bridge.programs.operations import Append, CombineInput, Compact, Snapshot, Upsert
from bridge.programs.path_programs import AllPaths, SmallestHistory
from bridge.programs.small_file_table import SmallFileTable
from bridge.programs.table import Table
from payloads.backports import StrEnum

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bridge.programs.program import Program


class EngineName(StrEnum):
    """The engines, as users name them."""

    PYTHON = "python"
    JVM = "jvm"
    NATIVE = "native"


class Extra(StrEnum):
    """What a program may add to an outcome, besides the action."""

    DELETE = "delete"
    ORDERING = "ordering"
    TO_LOG = "to_log"
    FIRST = "first"
    LAST = "last"
    PATH = "path"


_PLAIN: dict[Action, tuple[object, ...]] = {Action.KEEP: (), Action.INSERT: (), Action.UPDATE: ()}
_APPENDED: dict[Action, tuple[object, ...]] = {
    Action.KEEP: (False, None),
    Action.INSERT: (False, None),
    Action.UPDATE: (True, None),
}
_SPAN = (Extra.FIRST, Extra.LAST)
_TO_LOG = (Extra.TO_LOG, Extra.ORDERING)
_SHARED_FILES = "the keys of a partition share files there, so none can be left out"
_ALL_ANSWERS = "a failure of a path is one of its answers"


@dataclasses.dataclass(frozen=True)
class ProgramSpec:
    """A program as the engines know it.

    Attributes:
        program: its class, which takes the merge and the arguments of the job.
        extras: what it adds to an outcome, in order.
        untouched: what it adds to a row that whole columns decide, by action: a stored row that stays, or a newer one
            that a built-in payload stores as it is. None if the program must see all rows.
        by_partition: whether it sees the keys of a whole partition path at once, by commit and arrival; else one key.
        meets_at: the merge point whose `SingleRows` decide about a key with one newer row; None if they don't.
        goes_beside: whether a newer row leaves the stored one as it is: it goes to a log.
        in_java: whether Java has it as well; else the jvm engine lets Python run it, which calls the class in Java.
        native: whether it may run as expressions.
        only_fails: why a key that fails can't be quarantined, in half a sentence; empty if it can.
    """

    program: Callable[..., Program]
    extras: tuple[Extra, ...] = ()
    untouched: Mapping[Action, tuple[object, ...]] | None = None
    by_partition: bool = False
    meets_at: MergePoint | None = None
    goes_beside: bool = False
    in_java: bool = False
    native: bool = False
    only_fails: str = ""


PROGRAMS = {
    "combine_input": ProgramSpec(
        CombineInput,
        (Extra.DELETE, Extra.ORDERING),
        untouched={Action.INSERT: (False, None)},  # and its ordering value
        meets_at=MergePoint.COMBINE_INPUT,
        in_java=True,
        native=True,
    ),
    "upsert": ProgramSpec(Upsert, untouched=_PLAIN, meets_at=MergePoint.UPSERT, in_java=True, native=True),
    "append": ProgramSpec(Append, _TO_LOG, untouched=_APPENDED, goes_beside=True, in_java=True, native=True),
    "upsert_global_index": ProgramSpec(GlobalUpsert),
    "append_global_index": ProgramSpec(GlobalAppend, _TO_LOG),
    "compact": ProgramSpec(Compact, untouched=_PLAIN, meets_at=MergePoint.COMPACT, in_java=True, native=True),
    "snapshot": ProgramSpec(Snapshot, untouched=_PLAIN, meets_at=MergePoint.SNAPSHOT, in_java=True, native=True),
    "simulate": ProgramSpec(Table, _SPAN, in_java=True, native=True),
    "simulate_small_files": ProgramSpec(
        SmallFileTable, _SPAN, by_partition=True, in_java=True, only_fails=_SHARED_FILES
    ),
    "simulate_global_index": ProgramSpec(Table, _SPAN),
    "simulate_operations": ProgramSpec(Table, _SPAN),
    "simulate_operations_upgrade": ProgramSpec(Table, _SPAN),
    "simulate_global_operations": ProgramSpec(Table, _SPAN),
    "simulate_global_operations_upgrade": ProgramSpec(Table, _SPAN),
    "simulate_upgrade": ProgramSpec(Table, _SPAN, in_java=True),
    "simulate_global_upgrade": ProgramSpec(Table, _SPAN),
    "all_paths": ProgramSpec(AllPaths, (Extra.PATH,), only_fails=_ALL_ANSWERS),
    "smallest_history": ProgramSpec(SmallestHistory, (Extra.PATH,), only_fails=_ALL_ANSWERS),
}
"""The programs by the name that is sent to tasks."""
