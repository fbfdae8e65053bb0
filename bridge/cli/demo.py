"""`payload-bridge demo`: recorded batches give the same rows as real Hudi, and what an upgrade changes for one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from bridge.cli.parameters import derived_option
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb
from bridge.demo import ISSUES, RECORDED, demonstrate, reproduce

if TYPE_CHECKING:
    from bridge.report import Report


@click.command(cls=Verb, short_help="See what an upgrade changes, checked against real Hudi.")
@derived_option(
    demonstrate, "payload", type=click.Choice(list(RECORDED)), default=next(iter(RECORDED)), show_default=True
)
@derived_option(
    reproduce,
    "issue",
    type=click.Choice(list(map(str, sorted(ISSUES)))),
    note=f"One of {', '.join(map(str, sorted(ISSUES)))}.",
)
def demo(payload: str, issue: str | None) -> Report:
    """Merge recorded batches under Hudi 0.15 and 1.2, compare with real Hudi, and explain the difference.

    Five batches that real Hudi 0.15.0 and 1.2.0 wrote, copy-on-write and merge-on-read, are merged here on Spark, and
    each commit's rows are compared with those that Hudi returned. Then every merge call of the smallest row on which
    the two releases differ is shown. The exit code is 0 if all answers are equal, else 1.

    With --issue a known report of Apache Hudi is shown instead: its batches, the rows of each release and table, and
    the law that is violated.
    """
    if issue is not None:
        context = click.get_current_context()
        if context.get_parameter_source("payload") is not ParameterSource.DEFAULT:
            msg = "--issue sets its own payload class; leave out --payload"
            raise click.UsageError(msg, context)
        return reproduce(int(issue)).to_report()
    return demonstrate(quiet_session(small=True), payload).to_report()
