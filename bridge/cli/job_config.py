"""`--config FILE`: the settings of a job as options of a verb, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.parameters import DerivedOption
from bridge.cli.paths import InputFile
from bridge.config import (
    IMPLEMENTATIONS,
    WRITE_MERGE_MODE,
    WRITE_PARTITION,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_RECORD_KEY,
    JobSettings,
    capabilities,
    partition_columns,
    read_job_settings,
)
from bridge.display import escaped
from bridge.report import Table
from payloads import StoredPayloadRef
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from bridge.cli.decorators import Options

config_option = click.option(
    "--config",
    cls=DerivedOption,  # of several parameters, which it gives values
    type=InputFile(path_type=Path),
    metavar="FILE",
    help="The settings of the write job: Hudi Streamer properties, a Spark conf, or the DDL of a Flink table. Options "
    "override it.",
)
_COLUMNS = {"ordering": WRITE_PRECOMBINE.key, "key": WRITE_RECORD_KEY, "partition": WRITE_PARTITION}
_MERGES = {"payload": WRITE_PAYLOAD_CLASS.key, "merger": WRITE_MERGE_MODE.key}


def with_job(options: Options) -> dict[str, Any]:
    """Return the options of a verb, completed by the file of `--config`; says on standard error what counts.

    What names columns, payload or mode becomes the option of that name where it is left out; the rest goes before the
    properties of `--prop`.

    Raises:
        UsageError: the file has no settings, or can't be read.
    """
    path, found = options.get("config"), {name: value for name, value in options.items() if name != "config"}
    if path is None:
        return found
    job = job_of(path, options["release"])
    click.echo(escaped(_summary(path, job)), err=True)
    writer = job.writer
    for name, key in _COLUMNS.items():
        text = writer.pop(key, "")
        if name in found and not found[name] and text.strip():
            found[name] = tuple(column.strip() for column in text.split(","))
            if name == "partition" and ":" in text:  # CustomKeyGenerator has types after the columns
                found[name] = tuple(partition_columns(text).split(","))
                writer[key] = text
    merges = {name: writer.pop(key, None) for name, key in _MERGES.items()}
    if "payload" in found and not any(found.get(name) for name in ("payload", "merger")):
        # A writer that passes both merges by its mode where the release has modes; in CUSTOM, by its class.
        has_modes = "merger" in found and capabilities(options["release"]).merge_modes
        name = "merger" if has_modes and (merges["merger"] or "CUSTOM").upper() != "CUSTOM" else "payload"
        named = merges[name]
        found[name] = StoredPayloadRef(named) if name == "payload" and named is not None else named
    return {**found, "props": (*writer.items(), *found["props"])}


def job_of(path: Path, release: Any) -> JobSettings:
    """Read the settings of a job.

    Raises:
        UsageError: the file has no settings, can't be read, or names Python code.
    """
    try:
        job = read_job_settings(path, release)
    except (PayloadConfigError, OSError) as error:
        raise click.BadParameter(str(error), param_hint="--config") from error
    named = (job.writer.get(WRITE_PAYLOAD_CLASS.key, ""), *(IMPLEMENTATIONS.read(job.writer, release) or ()))
    for name in named:
        if ":" in name:
            msg = f"{path} names {name}, but a settings file never loads Python code; name the class with an option"
            raise click.BadParameter(msg, param_hint="--config")
    return job


def job_table(path: Path, job: JobSettings) -> Table:
    """Return all settings of a job and what each sets, as text."""
    rows = [(one.key, one.value, one.name or "nothing", one.why) for one in job.settings]
    return Table(("key", "value", "sets", "note"), rows, f"Settings of {path.name} ({job.format.value})")


def _summary(path: Path, job: JobSettings) -> str:
    counting = [one.key for one in job.settings if one.name is not None]
    notes = [f"{one.key}: {one.why}{'' if one.why.endswith('?') else '.'}" for one in job.settings if one.is_surprising]
    shown = f"{path.name} ({job.format.value}): {len(counting)} of {len(job.settings)} settings apply"
    lines = [f"{shown}: {', '.join(counting)}." if counting else f"{shown}.", *notes]
    return "\n".join(lines)
