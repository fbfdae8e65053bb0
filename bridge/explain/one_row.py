"""Explain: one row of batches, or of a real table."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, overload

from bridge.compare import table_release
from bridge.errors import ParameterError
from bridge.explain.explanation import explain_batches
from bridge.explain.table_row import table_row
from bridge.hudi import HudiTable
from bridge.plan_arguments import is_given
from bridge.spark import session_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from bridge.compare import Target
    from bridge.explain.report import ExplainReport
    from bridge.explain.table_row import TableRow
    from bridge.pipeline import BatchesLike, BatchNumber, Steps
    from bridge.plan import MergePlan
    from payloads import HudiRelease


@overload
def explain(
    source: BatchesLike,
    plan: MergePlan,
    row: Mapping[str, str],
    to: Target | None = None,
    *,
    upgrade_after: BatchNumber | None = None,
    via: Steps = (),
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
) -> ExplainReport: ...
@overload
def explain(
    source: HudiTable | str | Path,
    *,
    row: Mapping[str, str],
    to: str | HudiRelease | None = None,
    on_error: Literal["fail", "quarantine"] = "fail",
) -> TableRow: ...
def explain(  # noqa: PLR0913 (those of both sources)
    source: BatchesLike | HudiTable | str | Path,
    plan: MergePlan | None = None,
    row: Mapping[str, str] | None = None,
    to: Target | None = None,
    *,
    upgrade_after: BatchNumber | None = None,
    via: Steps = (),
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
    on_error: Literal["fail", "quarantine"] = "fail",
) -> ExplainReport | TableRow:
    """Explain how a row came about: every merge call of its key in order, and what decided each.

    Of batches, only the versions of this row are collected; they are merged in this process, as if written to a new
    table. Of a real table, the versions are those that its files hold, each with file, block and position; the calls
    are those of its readers, and the result is a `TableRow`.

    Args:
        source: the batches, or one DataFrame per batch; or a table, opened with the release that reads it, or its path.
        plan: for batches: how versions merge; the first configuration, if there are two. A table has its own.
        row: the value of each key and partition column that is needed to find the row, as Spark writes it as text; the
            empty text for a null partition. A row of a table may be named by `_hoodie_record_key`, too.
        to: what to compare with, as in `replay`; None for one configuration. A table is read by another release.
        upgrade_after: see `replay`.
        via: see `replay`.
        keep_table_version: see `replay`.
        compact_after: the batches after which the log of a merge-on-read table is compacted.
        compact_every: see `replay`.
        on_error: for a table: what to do if the versions can't be merged: raise the error (`fail`), or report it with
            the calls before it (`quarantine`). Batches have it in the plan.

    Raises:
        InputError: no row, or several, have these values; or a column does not identify rows.
        ParameterError: parameters contradict each other, do not belong to the source, or name a batch that does not
            exist.
        PlanError: a plan can't be traced in this process, or the two are not an upgrade.
        HudiTableError: the table can't be read.
        PayloadBridgeError: merging under `plan` fails; a failure of the second configuration is part of its trace.
    """
    of_batches: dict[str, Any] = {
        "upgrade_after": upgrade_after,
        "via": via,
        "keep_table_version": keep_table_version,
        "compact_after": compact_after,
        "compact_every": compact_every,
    }
    if not isinstance(source, (HudiTable, str, PurePath)):
        if plan is None:
            msg = "`plan` is missing; batches merge by a plan, such as MergePlan(payload=..., release=..., key=...)"
            raise ParameterError(msg)
        if on_error != "fail":
            msg = "`on_error` is for a real table, and the source is batches: set it in the plan"
            raise ParameterError(msg)
        return explain_batches(source, plan, row or {}, to, **of_batches)
    foreign = next((name for name, value in {"plan": plan, **of_batches}.items() if is_given(value)), None)
    if foreign is not None:
        msg = f"`{foreign}` is for batches, and a table has its own commits and settings; leave it out"
        raise ParameterError(msg)
    readers = [source if isinstance(source, HudiTable) else HudiTable(session_of(), str(source))]
    if to is not None:
        readers.append(readers[0].read_by(table_release(to)))
    return table_row(readers, row or {}, quarantines=on_error == "quarantine")
