"""`--on-error`: what a verb does with a key that can't be merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.parameters import derived_option
from bridge.plan import ON_ERROR, MergePlan

if TYPE_CHECKING:
    from collections.abc import Mapping

on_error_option = derived_option(MergePlan, "on_error")
call_timeout_option = derived_option(MergePlan, "call_timeout", metavar="SECONDS")


def refuse_quarantine(options: Mapping[str, object], why: str) -> None:
    """Refuse a quarantine.

    Raises:
        UsageError: the options ask for it; says why not.
    """
    if options["on_error"] != ON_ERROR[0]:
        msg = f"--on-error {options['on_error']}: {why}; leave it out"
        raise click.UsageError(msg, click.get_current_context())
