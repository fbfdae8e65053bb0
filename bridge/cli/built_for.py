"""The option that says which release of Hudi a compiled payload class was compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.cli.completion import releases_from
from payloads import PayloadRef
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

built_for_option = click.option(
    "--built-for",
    metavar="R",
    help="The Hudi release that the payload class of --jar or --package was compiled for: under a later one it runs as "
    "if it were recompiled. Default: it runs as it is.",
    shell_complete=releases_from,
)


def built_for_of(options: Mapping[str, Any]) -> str | None:
    """Return the release of `--built-for`; None without it.

    Raises:
        UsageError: what merges is not a payload.
    """
    found: str | None = options.get("built_for")
    if found is not None and options["payload"] is None:
        msg = (
            "--built-for is about a payload class; a merger has the interface of the release that it was compiled for, "
            "so compile it for the release that is to run it"
        )
        raise click.UsageError(msg)
    return found


def built_reference(name: str, options: Mapping[str, Any]) -> PayloadRef:
    """Return the payload that a name and the options of compiled classes make.

    Raises:
        UsageError: `--built-for` names an unknown release, or there is neither a jar nor a package.
    """
    try:
        return PayloadRef(name, jars=options["jars"], package=options["package"], built_for=options["built_for"])
    except PayloadBridgeError as error:
        raise click.UsageError(str(error), click.get_current_context(silent=True)) from error
