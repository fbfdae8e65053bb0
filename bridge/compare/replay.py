"""Replay: batches on two sides, or what a move changes on a real table; each question has its own function."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

from bridge.compare.both_sides import compare
from bridge.compare.comparison import comparison_of, table_release
from bridge.compare.onto_table import replay_batches
from bridge.compare.questions import Question
from bridge.compare.readers_replay import ReadersReplay, replay_readers
from bridge.compare.table_history import HistoryReplay, replay_history
from bridge.compare.table_types_replay import TableTypesReplay
from bridge.errors import ParameterError
from bridge.hudi import HudiTable
from bridge.pipeline import Course, as_batches
from bridge.plan import MergePlan, TableType
from bridge.plan_arguments import is_given
from bridge.spark import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from bridge.compare.comparison import Comparison, Target
    from bridge.compare.replay_report import ReplayReport
    from bridge.pipeline import BatchesLike, BatchNumber, Scope, Steps
    from mergers import RecordMergeMode
    from payloads import HudiRelease, PayloadRef

Replay: TypeAlias = "ReplayReport | TableTypesReplay | HistoryReplay | ReadersReplay"
"""The results of `replay`: each has `verdict`, `severity`, `differing_keys`, `quarantine`, `to_report` and `close`."""

OF_NEW_TABLES: Final = "is for a table that batches make; a real one has its own settings: leave it out"
_OF_PLAN: Final = dict.fromkeys(("payload", "props"), "set it in the plan")
_INSTEAD: Final = {**_OF_PLAN, "scope": "give it to Batches.of, Batches.by or Batches.read"}


@overload
def replay(
    source: BatchesLike,
    plan: MergePlan,
    to: Target,
    *,
    upgrade_after: BatchNumber | None = None,
    via: Steps = (),
    keep_table_version: bool = False,
    plain: bool = False,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
) -> ReplayReport: ...
@overload
def replay(
    source: BatchesLike,
    plan: MergePlan,
    to: Target,
    *,
    table_types: Iterable[TableType],
    upgrade_after: BatchNumber | None = None,
    via: Steps = (),
    keep_table_version: bool = False,
    plain: bool = False,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
) -> TableTypesReplay: ...
@overload
def replay(
    source: HudiTable | str | Path,
    *,
    to: str | HudiRelease,
    batches: BatchesLike,
    keep_table_version: bool = False,
    payload: str | PayloadRef | None = None,
    props: Mapping[str, str] | None = None,
    as_of: str | None = None,
) -> ReplayReport: ...
@overload
def replay(
    source: HudiTable | str | Path,
    *,
    to: str | HudiRelease | RecordMergeMode,
    history: Literal[True],
    payload: str | PayloadRef | None = None,
    props: Mapping[str, str] | None = None,
    scope: Scope | None = None,
) -> HistoryReplay: ...
@overload
def replay(source: HudiTable | str | Path, *, to: str | HudiRelease, scope: Scope | None = None) -> ReadersReplay: ...
def replay(  # noqa: PLR0913 (those of all questions)
    source: BatchesLike | HudiTable | str | Path,
    plan: MergePlan | None = None,
    to: Target | None = None,
    *,
    batches: BatchesLike | None = None,
    history: bool = False,
    table_types: Iterable[TableType] = (),
    upgrade_after: BatchNumber | None = None,
    via: Steps = (),
    keep_table_version: bool = False,
    plain: bool = False,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
    payload: str | PayloadRef | None = None,
    props: Mapping[str, str] | None = None,
    scope: Scope | None = None,
    as_of: str | None = None,
) -> Replay:
    """Merge the same versions under two configurations, and find the keys that differ. Nothing is written.

    Batches are written to new tables: `replay(batches, plan, "1.2")`. A real table is asked one of three questions:
    which rows change if another release reads its files as they are, `replay(table, to="1.2")`; which if these batches
    are written next, and the other release upgrades the table in its first write, `replay(table, to="1.2",
    batches=...)`; or what the other release would have made of the commits that the files still hold, `replay(table,
    to="1.2", history=True)`. The results are `ReplayReport` for batches, `TableTypesReplay` with `table_types`,
    `HistoryReplay` and `ReadersReplay`; Spark keeps their rows until `close`, or the end of a `with` block.

    Args:
        source: the batches, or one DataFrame a batch; or a table, opened with the release that has written it so far,
            or its path.
        plan: for batches: the first side. A table has its own.
        to: what to compare with: a release, with the other settings of the plan; or under the newest release a merge
            mode, a payload class, or your own payload or merger as `package.module:Class`. A table, without `history`,
            is compared with a release alone.
        batches: for a table: the batches to write next.
        history: for a table: replay the commits that it still holds, on new tables of both releases.
        table_types: for batches: one replay for each of these types; empty: the type of the plan alone.
        upgrade_after: compare with the same table, upgraded after this batch, or downgraded if the other release is
            older. After the last batch (`last`) only the reader changes. None: compare with a new table of the other
            release.
        via: intermediate upgrades: the batch after which each runs, and its release, with the table version if its
            writer keeps an older one.
        keep_table_version: the other release writes the table without upgrading it.
        plain: the writer of the other release passes neither payload class nor merge mode.
        compact_after: the batches, from 1, after which the log of a merge-on-read table is compacted.
        compact_every: instead of `compact_after`: compact the log of a merge-on-read table after every N batches.
        payload: for writes to a table: the class that the writer passes; None for the table's.
        props: for writes to a table: other options of the writer.
        scope: for a table, without `batches`: the keys that are compared; `since` is an instant.
        as_of: for `batches` onto a table: the table as it was at this instant, by its requested time.

    Raises:
        PayloadBridgeError, PySparkException: the first side fails. If only the other side fails, it is REFUSED.
        MergeFailedError: with `trust_rule`, on either side, a class gives another row than its rule.
        ParameterError: parameters contradict each other, or do not belong to what is asked; a batch does not exist; or
            the table was opened for an engine that does not merge what is asked.
        PlanError: the two sides are not an upgrade, nothing has the name `to`, or what is asked is not predicted of
            this table; names the reason.
        InputError: a batch does not fit the one before it, or the table; or the table has no history to replay.
        HudiTableError: the table can't be read.
    """
    settings = _given({name: value for name, value in locals().items() if name != "source"})
    if isinstance(source, (HudiTable, str, PurePath)):
        question, _ = check_replay(settings, None)
        table = source if isinstance(source, HudiTable) else HudiTable(session_of(), str(source))
        settings.pop("history", None)
        return _OF_TABLES[question](table, **settings)
    written = as_batches(source)
    _, sides = check_replay(settings, len(written))
    with contextlib.ExitStack() as closing:
        parts = tuple(closing.enter_context(compare(written, one)) for one in sides)
        closing.pop_all()
    return TableTypesReplay(parts) if "table_types" in settings else parts[0]


def check_replay(settings: Mapping[str, Any], commits: int | None) -> tuple[Question, tuple[Comparison, ...]]:
    """Check the parameters of `replay` before any data is read.

    Args:
        settings: their values, without `source`; what is left out has its default.
        commits: how many batches the source has; None: it is a table.

    Returns:
        What is asked, and the two sides on each type of new tables.

    Raises:
        ParameterError: a parameter is missing, or does not belong to what is asked.
        PlanError, PayloadBridgeError: as in `comparison_of`.
    """
    settings = _given(settings)
    question = _question(settings, of_table=commits is None)
    to = settings.get("to")
    if to is None:
        msg = "`to` is missing; name what to compare with, such as a release"
        raise ParameterError(msg)
    if commits is None:
        if isinstance(to, MergePlan):
            msg = "`to` is a plan, and a real table has its own; name a release"
            raise ParameterError(msg)
        if question is not Question.HISTORY:
            table_release(to)
        return question, ()
    if "plan" not in settings:
        msg = "`plan` is missing; batches merge by a MergePlan, such as MergePlan(payload=..., release=..., key=...)"
        raise ParameterError(msg)
    return question, _on_new_tables(commits, **settings)


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters whose value is not the default: an empty list is one, but for a list of batches."""
    return {
        name: value for name, value in settings.items() if (value is not None if name == "batches" else is_given(value))
    }


def _question(settings: Mapping[str, Any], *, of_table: bool) -> Question:
    """Return what is asked.

    Raises:
        ParameterError: a parameter is for another question.
    """
    if not of_table:
        question, known = Question.FIRST, _parameters(_on_new_tables) | _parameters(Course.of)
    else:
        question = Question.BATCHES if "batches" in settings else Question.READERS
        question = Question.HISTORY if "history" in settings else question
        known = {*_parameters(_OF_TABLES[question]), "history"}
    foreign = next((name for name in settings if name not in known), None)
    if foreign is None:
        return question
    if question is Question.FIRST:
        why = f"is for a real table, and the source is batches: {_INSTEAD.get(foreign, 'leave it out')}"
    elif foreign == "plan":
        why = "is for batches, and a table has its own; if the source is a path of batches, read it by Batches.read"
    elif not any(foreign in _parameters(one) for one in _OF_TABLES.values()):
        why = OF_NEW_TABLES
    elif question is Question.READERS:
        why = "applies to writes, and without `batches` the table is only read; add them, or leave it out"
    elif question is Question.BATCHES:
        why = f"is that of the batches: {_INSTEAD.get(foreign, 'leave it out')}"
    elif "batches" in settings:
        foreign, why = "history", "replays the table's own commits; leave out `batches`, or `history`"
    else:
        why = "is for `batches`, and `history` replays the table's own commits; leave it out"
    msg = f"`{foreign}` {why}"
    raise ParameterError(msg)


def _parameters(called: Callable[..., Any]) -> set[str]:
    return {*inspect.signature(called).parameters}


def _on_new_tables(
    commits: int, plan: MergePlan, to: Target, *, table_types: Iterable[TableType] = (), **settings: Any
) -> tuple[Comparison, ...]:
    """Return the two sides that some batches are written to, for each table type; `settings` are those of `Course.of`.

    Errors as in `replay`.
    """
    types = tuple(dict.fromkeys(table_types)) or (plan.table_type,)
    course = Course.of(commits, types, **settings)
    return tuple(comparison_of(dataclasses.replace(plan, table_type=one), to, course, commits) for one in types)


_OF_TABLES: Final[Mapping[Question, Callable[..., Replay]]] = {
    Question.READERS: replay_readers,
    Question.BATCHES: replay_batches,
    Question.HISTORY: replay_history,
}
