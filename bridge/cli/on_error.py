"""`--on-error`: what a verb does with a key that can't be merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge.plan import CALL_TIMEOUT, ON_ERROR

if TYPE_CHECKING:
    from collections.abc import Mapping

on_error_option = click.option(
    "--on-error",
    type=click.Choice(ON_ERROR),
    default=ON_ERROR[0],
    show_default=True,
    help="What to do with a key that can't be merged: end the run, or set the key aside with all its versions and the "
    "reason, and merge the others.",
)

call_timeout_option = click.option(
    "--call-timeout",
    type=click.IntRange(min=0),
    default=CALL_TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="How long one call of your class may take, before it is taken for one that never ends; 0: any time.",
)


def refuse_quarantine(options: Mapping[str, Any], why: str) -> None:
    """Refuse to set keys aside.

    Raises:
        UsageError: the options ask for it; says why not.
    """
    if options["on_error"] != ON_ERROR[0]:
        msg = f"--on-error {options['on_error']}: {why}; leave it out"
        raise click.UsageError(msg, click.get_current_context())
