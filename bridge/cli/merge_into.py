"""`payload-bridge merge-into`: a batch merged into a real table by its payload, committed by Hudi's own writer."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.needs import refuse_given
from bridge.cli.on_error import on_error_option
from bridge.cli.options import plan_of, plan_options, sample_option, with_schema
from bridge.cli.out import out_options, target_of
from bridge.cli.parameters import derived_option
from bridge.cli.quiet import quiet_session
from bridge.cli.session import bundle_option
from bridge.cli.table_input import located, table_argument
from bridge.cli.verb import Verb, wants_json
from bridge.errors import InputError
from bridge.hudi import HudiTableError, TableProperties, TableQueries
from bridge.pipeline import read_frame
from bridge.plan import TableType
from bridge.report import list_rows
from bridge.spark import discard, files_of, is_local, output, place_of, spark_schema
from bridge.write import BATCH, merge_into

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from bridge.report import Report
    from bridge.spark import Files, Target
    from bridge.write import MergeIntoReport


@click.command("merge-into", cls=Verb, short_help="Merge a batch into a real table, as one commit of Hudi.")
@table_argument
@derived_option(merge_into, "incoming", required=True)
@bundle_option
@derived_option(merge_into, "batch_id", note="Default: a digest of the names and contents of its files.")
@derived_option(merge_into, "write_options", "--write-option")
@plan_options
@on_error_option
@out_options
@sample_option("rows in quarantine")
def merge_into_command(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str,
    incoming: str,
    batch_id: str | None,
    write_options: tuple[tuple[str, str], ...],
    out: str | None,
    sample: int | None,
    **options: Any,
) -> Report:
    """Merge a batch into a Hudi table: the payload of --release merges, and Hudi's own writer makes one commit.

    TABLE must be of Hudi 1.0 or later in mode COMMIT_TIME_ORDERING: every reader then shows the last write, and needs
    no payload. Key and partition are those of the table. Nothing is written if nothing changes, or if another writer
    has committed since the stored rows were read; with Hudi's optimistic concurrency control (--write-option
    hoodie.write.concurrency.mode, and a lock) the batch is then merged again. --out gets the quarantined rows before
    the commit; it is removed if the commit fails.
    """
    if (out or options["out_table"]) and options["on_error"] == "fail":
        msg = "--out receives the quarantine; add --on-error quarantine, or leave it out"
        raise click.UsageError(msg, click.get_current_context())
    if options["on_error"] == "fail":
        refuse_given(["sample"], "is for rows in quarantine; add --on-error quarantine, or leave it out")
    target = target_of(out, options)
    path = located(table)
    if not is_local(path):
        quiet_session()  # its settings have the credentials
    found = TableQueries(path)
    plan = plan_of(TableType.COPY_ON_WRITE, **_with_keys(options, found.properties))
    spark = quiet_session()
    plan, struct = with_schema(plan, options["schema"])
    files = files_of(place_of(incoming, spark))
    seen = _stamps(files)
    columns = spark_schema(found.schema(found.timeline.latest or "0"))
    frame = read_frame(spark, files, struct, arrival=True, like=columns)
    batch = batch_id or _identity(files)

    tries: list[Target] = []

    def before_commit(aside: DataFrame | None) -> None:
        _check_same(files, seen)
        if target is not None and aside is not None:
            if tries:  # the batch is merged again
                discard(spark, target)
            tries.append(target)
            written.enter_context(_put_quarantine(spark, target, aside, path, batch))

    settings: dict[str, Any] = {"batch_id": batch, "write_options": dict(write_options), "before_commit": before_commit}
    with contextlib.ExitStack() as written, merge_into(path, frame, plan, **settings) as done:
        report = done.to_report()
        if done.quarantine is not None:
            _show_aside(report, done, sample)
    return report


def _with_keys(options: dict[str, Any], own: TableProperties) -> dict[str, Any]:
    """Return the options of a plan with key and partition of the table, where they are left out."""
    stored = {"key": own.key_fields, "partition": own.partition_fields}
    return options | {name: options[name] or columns or None for name, columns in stored.items()}


def _stamps(files: Files) -> list[tuple[str, int, int | None]]:
    """Return name, bytes and time of change of each file."""
    return [(file.name, *file.stamp()) for file in files.paths]


def _check_same(files: Files, seen: list[tuple[str, int, int | None]]) -> None:
    """Check that the files of a batch are those that its identity was taken of.

    Raises:
        InputError: they have changed since.
    """
    now = _stamps(files_of(files.origin))
    if now != seen:
        names = sorted({name for name, *_ in {*now} ^ {*seen}})
        msg = (
            f"{files.origin} changed while it was merged ({', '.join(names[:3])}); nothing is written: merge it again "
            "when all files of the batch are there"
        )
        raise InputError(msg)


def _identity(files: Files) -> str:
    """Return the identity of the files of a batch: a digest of their names and their bytes."""
    digest = hashlib.sha256()
    for file in files.paths:
        digest.update(f"{file.name}\n{file.size()}\n".encode())
        with contextlib.closing(file.open()) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


@contextlib.contextmanager
def _put_quarantine(spark: SparkSession, target: Target, aside: DataFrame, table: str, batch: str) -> Iterator[None]:
    """Write what is in quarantine; remove it if the block fails and no commit of the batch is complete."""
    with output(spark, target) as run:
        run.write(aside)
    try:
        yield
    except Exception:
        with contextlib.suppress(HudiTableError, InputError, OSError):  # then it stays, for nobody knows
            if not any(text == batch for _, text in TableQueries(table).timeline.commits_with(BATCH)):
                discard(spark, target)
        raise


def _show_aside(report: Report, found: MergeIntoReport, sample: int | None) -> None:
    """Add the quarantined versions to the report."""
    aside = found.quarantine
    if aside is None:
        return
    if total := aside.count():
        list_rows(report, aside, total, sample, whole=wants_json(), name="quarantine")
