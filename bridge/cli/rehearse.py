"""`payload-bridge rehearse`: the real upgrade of a copy of a table, next to what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.inputs import batches_option_of
from bridge.cli.needs import refuse_given
from bridge.cli.on_error import call_timeout_option
from bridge.cli.options import sample_option
from bridge.cli.parameters import derived_option, refused
from bridge.cli.scope import paths
from bridge.cli.session import session_options
from bridge.cli.table_input import located, open_table, reader_option, table_argument
from bridge.cli.verb import Verb, wants_json, wants_page
from bridge.cli.writing import OVERWRITE, asks_for
from bridge.errors import InputError
from bridge.linkage import check_class
from bridge.migration import TablePart, check_copy, rehearse
from bridge.pipeline import Batches, read_frame
from bridge.plan import MergePlan
from bridge.report import PAGE_KEYS
from bridge.spark import files_of, place_of, read_schema
from bridge.write import merge_into
from payloads import PayloadRef

if TYPE_CHECKING:
    from bridge.cli.inputs import BatchSource
    from bridge.hudi import HudiTable
    from bridge.report import Report
    from payloads import HudiRelease


@click.command("rehearse", cls=Verb, short_help="Upgrade a copy of a table with Hudi itself, and compare.")
@table_argument
@derived_option(rehearse, "to", required=True)
@derived_option(rehearse, "copy", required=True)
@derived_option(
    rehearse, "mode", type=click.Choice(["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"], case_sensitive=False)
)
@derived_option(rehearse, "payload", note="With --jar: the compiled class with which the table merges.")
@derived_option(PayloadRef.__init__, "jar", note="It is checked against --to before anything is copied.")
@batches_option_of(required=False)
@derived_option(merge_into, "incoming", help="One batch, instead of --batches: a file or flat folder of rows.")
@derived_option(
    MergePlan,
    "schema",
    help="The columns of the batches: Spark DDL, Avro JSON, or a file with either. Default: those of the table.",
)
@derived_option(rehearse, "props", "--prop")
@derived_option(rehearse, "bundle", metavar="JAR|COORDINATE")
@derived_option(rehearse, "downgrade")
@derived_option(TablePart, "partitions", type=paths, metavar="PATH[,PATH]")
@derived_option(TablePart, "file_groups", type=click.IntRange(1))
@reader_option
@call_timeout_option
@sample_option("rows")
@session_options
def rehearse_command(  # noqa: PLR0913 (one parameter an option)
    *,
    table: str,
    to: HudiRelease,
    copy: str,
    release: HudiRelease | None,
    sample: int | None,
    batches: BatchSource | None,
    incoming: str | None,
    schema: str | None,
    jar: tuple[str, ...],
    partitions: tuple[str, ...] | None,
    file_groups: int | None,
    **then: Any,
) -> Report:
    """Copy a table, let the released bundle of Hudi upgrade the copy, and compare its rows with those predicted.

    The bundle comes from Maven Central, or is the one of --bundle. It runs in its own process; TABLE itself, a local
    path, is only read.
    Stop its writers first: a table that is written while it is copied is refused. With --batches or --incoming the
    bundle writes them to the upgraded copy, and compacts its log. The exit code is 0 for AS PREDICTED, however many
    rows the upgrade changes, and 1 for NOT AS PREDICTED and REFUSED BY HUDI.
    """
    overwrite = asks_for(OVERWRITE)
    if batches is None and incoming is None:
        refuse_given(["schema"], "is for batches; add --batches or --incoming, or leave it out")
    own = _own_class(then["payload"], jar)
    if own is None:
        of_hudi = "is for a compiled class of your own, and --payload names one of Hudi's; leave one of them out"
        unnamed = "has the table's own compiled class; name that by --payload, or leave it out"
        refuse_given(["jar"], unnamed if then["payload"] is None else of_hudi)
    else:
        check_class(own.name, jar, to)
    if batches is not None and incoming is not None:
        msg = "--incoming (one batch) and --batches (several) exclude each other; give one"
        raise click.UsageError(msg, click.get_current_context())
    with refused(InputError):
        check_copy(located(table), copy, overwrite=overwrite)
    opened = open_table(table, release, payload=own, call_timeout=then.pop("call_timeout"))
    then["payload"] = None if own is not None else then["payload"]
    written = _batches(opened, batches, incoming, schema)
    part = TablePart(partitions or (), file_groups) if partitions or file_groups else None
    then["props"] = dict(then["props"])
    with rehearse(opened, to, copy, overwrite=overwrite, batches=written, part=part, **then) as found:
        report = found.to_report(sample, whole=wants_json())
        if wants_page():
            report.view = found.to_view(PAGE_KEYS if sample is None else sample)
        return report


def _own_class(name: str | None, jar: tuple[str, ...]) -> PayloadRef | None:
    """Return the compiled class by which the table merges; None for a class of Hudi, which the next writer passes."""
    found = None if name is None else PayloadRef(name, jar)
    return found if found is not None and found.is_compiled and not found.is_builtin else None


def _batches(table: HudiTable, batches: BatchSource | None, incoming: str | None, schema: str | None) -> Batches | None:
    """Read what is written next, in the columns of a file or of the table; None for nothing."""
    struct = table.columns if schema is None else read_schema(schema, table.release)[1]
    if batches is not None:
        return batches.read(table.spark, struct)
    if incoming is None:
        return None
    return Batches.of([read_frame(table.spark, files_of(place_of(incoming, table.spark)), struct)])
