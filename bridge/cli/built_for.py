"""The option that says which release of Hudi a compiled payload class was compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.completion import releases_from
from bridge.cli.parameters import refused
from payloads import PayloadRef, StoredPayloadRef

if TYPE_CHECKING:
    from bridge.cli.decorators import Options

built_for_option = click.option(
    "--built-for",
    metavar="R",
    help="The Hudi release that the payload class of --jar or --package was compiled for: under a later one it runs as "
    "if it were recompiled. Default: it runs as it is.",
    shell_complete=releases_from,
)


def built_for_of(options: Options) -> str | None:
    """Return the release of `--built-for`; None without it.

    Raises:
        UsageError: what merges is not a payload.
    """
    found: str | None = options.get("built_for")
    if found is not None and options["payload"] is None:
        msg = "--built-for is for payload classes; compile a merger for the release that runs it"
        raise click.UsageError(msg)
    return found


def built_reference(name: str | StoredPayloadRef, options: Options) -> PayloadRef:
    """Return the payload that a name and the options of compiled classes make; a table's or a file's loads no code.

    Raises:
        UsageError: `--built-for` names an unknown release, or there is neither a jar nor a package.
    """
    java = {key: options[key] for key in ("jars", "package", "built_for")}
    with refused():
        return StoredPayloadRef(name.name, **java) if isinstance(name, StoredPayloadRef) else PayloadRef(name, **java)
