"""What `inspect` and `plan` share: a table's properties, the options of its writer, and warnings as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.decorators import with_options
from bridge.cli.job_config import config_option, job_of
from bridge.cli.parameters import derived_option
from bridge.cli.quiet import quiet_session
from bridge.cli.terminal import terminal_option
from bridge.config import (
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
)
from bridge.migration import stored_in
from bridge.plan import MergePlan
from bridge.spark import is_local
from mergers import RecordMergeMode
from payloads import builtin_payloads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bridge.cli.decorators import Decorator, F
    from payloads import HudiRelease


_WRITER_OPTIONS: tuple[Decorator, ...] = (
    derived_option(MergePlan, "payload"),
    terminal_option(
        "--mode",
        type=click.Choice([mode.name for mode in RecordMergeMode], case_sensitive=False),
        help="The merge mode that the writer passes.",
    ),
    derived_option(MergePlan, "ordering"),
    derived_option(
        MergePlan,
        "props",
        "--prop",
        help="Another option of the DataFrame writer as Hudi names it; may be repeated. Table properties come from "
        "TABLE or PROPERTIES.",
    ),
    config_option,
)


def table_options(command: F) -> F:
    """Add the table and the options of its writer; `properties_of` and `writer_of` read them."""
    return _with_table(command, required=True)


def optional_table(command: F) -> F:
    """Add a table that may be missing, and the options of its writer."""
    return _with_table(command, required=False)


def _with_table(command: F, *, required: bool) -> F:
    table = click.argument("table", metavar="TABLE|PROPERTIES", required=required)
    return with_options(command, (table, *_WRITER_OPTIONS))


def properties_of(location: str, release: HudiRelease) -> dict[str, str]:
    """Return what a table stores; a properties file without a version has the TBLPROPERTIES of a new table.

    `location` is what `located` gives: a path or URI.

    Raises:
        PayloadConfigError, HudiTableError: it is not a table, or a property can't be read.
        MergeConfigError: the properties of the new table contradict each other.
    """
    if not is_local(location):
        quiet_session()  # its settings have the credentials
    return stored_in(location, release)


def writer_of(  # noqa: PLR0913 (one parameter an option)
    *,
    release: HudiRelease,
    config: Path | None,
    props: Sequence[tuple[str, str]],
    payload: str | None,
    mode: str | None,
    ordering: Sequence[str] | None,
    **_: object,
) -> dict[str, str]:
    """Return the options of the writer under Hudi's names; those of the command line beat those of a file."""
    writer = {} if config is None else job_of(config, release).writer
    writer |= dict(props)
    if payload is not None:
        writer[WRITE_PAYLOAD_CLASS.key] = _full_name(payload)
    if mode is not None:
        writer[WRITE_MERGE_MODE.key] = mode
    if ordering is not None:
        writer[WRITE_PRECOMBINE.key] = ",".join(ordering)
    return writer


def _full_name(name: str) -> str:
    """Return the full name of a class of Hudi, shipped by any release; any other name as it is."""
    full = {found.java_name.rpartition(".")[2]: found.java_name for found in builtin_payloads()}
    return full.get(name, name)
