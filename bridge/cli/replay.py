"""`payload-bridge replay`: the same batches under two releases, and the keys on which they differ."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING, Any

import click
from pyspark.sql import functions as sf

from bridge import frames
from bridge.cli.options import (
    SAMPLE,
    batches_option,
    compaction_options,
    compactions_of,
    left_plan_options,
    plan_of,
    refuse,
    sample_option,
    with_schema,
)
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb
from bridge.engines.python import COMMIT
from bridge.errors import PlanError
from bridge.files import visible
from bridge.plan import TableType
from bridge.read import read_batches
from bridge.replay import Example, Grade, replay
from bridge.report import Report, Table, plan_as_json
from bridge.sides import Sides
from bridge.upgrade import check_upgrade
from mergers import MergerRef, RecordMergeMode
from payloads import HudiRelease
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan
    from bridge.read import Batch
    from bridge.replay import Counts, Difference, Replay

_LAST = "last"
_EXPLAINED = {
    Grade.IDENTICAL: "both sides follow the same rules",
    Grade.IDENTICAL_HERE: "no key differs after any batch; other data may tell the sides apart",
    Grade.ON_TIES: "without the versions of one key that have the same ordering value no key differs",
    Grade.ON_DELETES: "without the deletes no key differs",
    Grade.DIFFERS: "the keys differ without ties, and without deletes, too",
}


def upgrade_point(text: str) -> int:
    """Read the number of a batch from 1, or `last`, which becomes -1."""
    if text == _LAST:
        return -1
    if not text.isdecimal() or int(text) < 1:
        msg = f"{text!r} is no batch; batches are numbered 1, 2, 3: write N, or {_LAST}"
        raise click.BadParameter(msg)
    return int(text)


@click.command("replay", cls=Verb, short_help="Play batches under two releases and compare.")
@batches_option
@left_plan_options
@click.option("--to", required=True, metavar="R|MODE", help="The right side: a release, or a merge mode under 1.2.")
@click.option(
    "--upgrade-after",
    type=upgrade_point,
    metavar="N|last",
    help="The right side is the left table, upgraded after batch N; last: only the reader is upgraded. "
    "Without: a fresh table of the new release.",
)
@click.option("--keep-table-version", is_flag=True, help="The new release writes to the table without upgrading it.")
@click.option(
    "--table-type",
    type=click.Choice([one.value for one in TableType]),
    default=TableType.COPY_ON_WRITE.value,
    show_default=True,
    help="The type of the table: copy-on-write or merge-on-read.",
)
@compaction_options
@sample_option("keys that differ")
def replay_command(  # noqa: PLR0913 (one parameter an option)
    *,
    batches: Path,
    to: str,
    upgrade_after: int | None,
    keep_table_version: bool,
    table_type: str,
    sample: int | None,
    **options: Any,
) -> Report:
    """Write the same batches on two sides, and show after each which keys differ, with the smallest example.

    The left side is a table of the release --from, the right side one of --to. As JSON the answer has every key that
    differs after the last batch. The exit code is 0 if no key differs after any batch, else 1, also where the new
    release refuses what the old one does.

    Example: payload-bridge replay --batches days/ --payload AWSDmsAvroPayload --from 0.15 --to 1.2 --key id --ordering
    ts --upgrade-after 2
    """
    left = plan_of(TableType(table_type), **options)
    commits = len(visible(batches))
    compactions = compactions_of(options["compact_after"], options["compact_every"], commits, [left.table_type])
    after = commits if upgrade_after == -1 else upgrade_after
    _check(to, after, commits, keep_table_version=keep_table_version)
    try:
        right = _right(left, to)
        if after is not None:
            check_upgrade(left, right)
    except PayloadBridgeError as error:
        refuse(error)

    spark = quiet_session()
    left, struct = with_schema(left, options["schema"])
    right, _ = with_schema(right, options["schema"])
    read = read_batches(spark, batches, struct)
    sides = Sides(left, right, commits, after, keep_table_version, compactions)
    with replay(_versions(read, left), sides) as answer:
        return _report(answer, to, [batch.name for batch in read], sample)


def _check(to: str, after: int | None, commits: int, *, keep_table_version: bool) -> None:
    """Refuse options that contradict each other.

    Raises:
        UsageError: naming the option.
    """
    message = None
    if keep_table_version and after is None:
        message = "--keep-table-version says what an upgrade does; add --upgrade-after"
    elif after is not None and to.upper() in RecordMergeMode.__members__:
        message = "an upgrade goes to a release, and --to names a merge mode; leave out --upgrade-after"
    elif after is not None and after > commits:
        message = f"--upgrade-after {after}: there are {commits} batches"
    if message is not None:
        raise click.UsageError(message, click.get_current_context())


def _right(left: MergePlan, to: str) -> MergePlan:
    """Return the plan of the right side.

    Raises:
        PlanError: the target is neither a release nor a merge mode, or can't have these settings.
    """
    if to.upper() in RecordMergeMode.__members__:
        mode = MergerRef(to.upper())
        return dataclasses.replace(left, payload=None, merger=mode, release=HudiRelease.latest())
    try:
        release = HudiRelease.parse(to)
    except PayloadBridgeError as error:
        modes = ", ".join(mode.name for mode in RecordMergeMode)
        msg = f"{to!r} is neither a release (0.15, 1.0, 1.1, 1.2) nor a merge mode ({modes})"
        raise PlanError(msg) from error
    return dataclasses.replace(left, release=release)


def _versions(read: Sequence[Batch], plan: MergePlan) -> DataFrame:
    """Return all batches as one frame, with their numbers; each must fit the one before it, as in a table."""
    numbered = [batch.frame.withColumn(COMMIT, sf.lit(number)) for number, batch in enumerate(read, start=1)]
    for older, newer in itertools.pairwise(numbered):
        frames.layout_of(plan, newer, older)
    return functools.reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), reversed(numbered))


# -- the report


def _report(answer: Replay, to: str, batches: list[str], sample: int | None) -> Report:
    sides, grade = answer.sides, answer.grade()
    differences, examples = answer.differences(sample), answer.examples()
    last = answer.counts[-1].total if answer.counts else 0
    report = Report("replay", _verdict(answer, grade), success=answer.is_equal)
    report.plan = plan_as_json(sides.left) | {
        "from": str(sides.left.release),
        "to": to,
        "upgrade_after": sides.upgrade_after,
        "keep_table_version": sides.keep_table_version,
        "compact_after": list(sides.compact_after),
    }
    report.statistics = {
        "rows_in": answer.versions.count(),
        "grade": grade.value,
        "commits": [counts._asdict() | {"equal": not counts.total} for counts in answer.counts],
        "examples": [example._asdict() | {"difference": example.difference._asdict()} for example in examples],
    }
    report.results = [difference._asdict() for difference in differences]
    if sample is not None and last > sample:
        report.warnings.append(f"of {last} keys that differ only the first {sample} are given (--sample)")
    if answer.counts:
        report.body.append(_commits(answer.counts, batches))
    report.body += map(_example, examples)
    if last:
        report.body.append(_keys(differences[: SAMPLE if sample is None else sample], last))
    return report


def _verdict(answer: Replay, grade: Grade) -> str:
    if answer.refused is not None:
        return f"{grade.value}: {answer.refused}"
    last = answer.counts[-1]
    lines = f"{grade.value}: {_EXPLAINED[grade]}."
    if answer.is_equal:
        return lines
    keys = "1 key differs" if last.total == 1 else f"{last.total or 'no'} keys differ"
    return f"{lines} After the last of {last.commit} batches {keys}."


def _commits(counts: Sequence[Counts], batches: list[str]) -> Table:
    lines = [
        {"batch": batch, "commit": one.commit, **dict(zip(_KINDS, one[1:], strict=True))}
        for batch, one in zip(batches, counts, strict=True)
    ]
    return Table.of_rows(("batch", "commit", *_KINDS), lines, "Keys that differ after each commit")


_KINDS = ("only left", "only right", "changed")


def _example(example: Example) -> Table:
    """Show the versions of a key as they came, then its row on both sides."""
    difference = example.difference
    absent = dict.fromkeys(difference.left or difference.right or {}, "")
    names = tuple(absent)
    versions = [{"row": f"batch {version[COMMIT]}"} | version for version in example.versions]
    rows = [("left", difference.left), ("right", difference.right)]
    ends = [{"row": side if row else f"{side}: none", **(row or absent)} for side, row in rows]
    key = ", ".join(f"{name}={value}" for name, value in difference.key.items())
    title = f"The smallest example, {difference.kind}: {key} after commit {example.commit}"
    return Table.of_rows(("row", *names), [*versions, *ends], title)


def _keys(shown: Sequence[Difference], total: int) -> Table:
    lines = [{**one.key, "kind": one.kind, "columns": ", ".join(one.columns)} for one in shown]
    count = "" if len(shown) == total else f", {len(shown)} of {total}"
    columns = (*shown[0].key, "kind", "columns") if shown else ("kind", "columns")
    return Table.of_rows(columns, lines, f"Keys that differ after the last batch{count}")
