"""The options that only a command line has, as functions take and return the things themselves.

A function takes a DataFrame, a table or a mapping, where a command line names a file; it returns a report with the
DataFrames of the result, where a command line says what to print and where to write it; and a caller in Python picks
the function, where one verb stands for several. All other options are those of parameters (`derived_option`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.decorators import VerbOption
from bridge.redaction import ALL
from bridge.report import FORMS
from bridge.spark import is_local, local_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.cli.decorators import F

OUTPUTS = ("text", "json", "markdown")


class TerminalOption(VerbOption):
    """An option that is not one of a parameter."""


def terminal_option(*flags: str, **settings: Any) -> Callable[[F], F]:
    """Make an option that only a command line has."""
    return click.option(*flags, **{"cls": TerminalOption, **settings})


def _report_file(text: str) -> str:
    """Read the name of a report, whose suffix determines its format; on a storage it is looked for later."""
    path = Path(text)
    if path.suffix.lower() not in FORMS:
        msg = f"{text!r}: the suffix determines the format of the report; name a file that ends in {', '.join(FORMS)}"
        raise click.BadParameter(msg)
    if is_local(text) and ((local := local_path(text)).is_dir() or not local.parent.is_dir()):
        msg = f"{text!r} is a folder, or its folder does not exist; name a file in an existing folder"
        raise click.BadParameter(msg)
    return text


def _redacted(text: str) -> tuple[str, ...]:
    """Read the columns of `--redact`."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        msg = f"{text!r} has an empty name; write a, a,b or {ALL}"
        raise click.BadParameter(msg)
    return found


def report_options() -> list[click.Parameter]:
    """Return the options of every verb: how its report is shown, and when it may write."""
    switches = {
        "--overwrite": "Overwrite existing output of --report and other options.",
        "--quiet": "No progress output. By default a line shows the progress of long work, in a log every ten seconds.",
        "--dry-run": "Check options and paths, and stop before anything is merged or written.",
    }
    return [
        TerminalOption(
            ["--output"],
            type=click.Choice(OUTPUTS),
            default="text",
            show_default=True,
            help="The format of the output: text for people, json for programs, markdown for documents.",
        ),
        TerminalOption(
            ["--report"],
            type=_report_file,
            metavar="FILE.(html|json|xml|md)",
            help="Also write the result to a file, local or on a storage: a page, the JSON object, JUnit XML, or "
            "Markdown.",
        ),
        TerminalOption(
            ["--redact"],
            type=_redacted,
            metavar="a[,b]|all",
            help="Hide the values of these columns in reports, traces and messages: each is replaced by a keyed hash.",
        ),
        *(TerminalOption([name], is_flag=True, help=text) for name, text in switches.items()),
    ]
