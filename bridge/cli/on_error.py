"""`--on-error`: what a verb does with a key that can't be merged, and what it says of the rows it set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.engines import Fate
from bridge.plan import ON_ERROR

if TYPE_CHECKING:
    from bridge.engines import Books
    from bridge.report import Report

on_error_option = click.option(
    "--on-error",
    type=click.Choice(ON_ERROR),
    default=ON_ERROR[0],
    show_default=True,
    help="What to do with a key that can't be merged: end the run, or set the key aside with all its versions and the "
    "reason, and merge the others.",
)


def tell_quarantine(report: Report, books: Books, where: str) -> None:
    """Put what was set aside into a report; without success where no newer row is left.

    Args:
        report: has its verdict already.
        books: of the run.
        where: where the rows are, in half a sentence.
    """
    aside = books.total(Fate.QUARANTINED)
    if not aside:
        return
    newer = [side for side in books.rows_in if side != "stored"]
    rows = "1 row is" if aside == 1 else f"{aside} rows are"
    report.warnings.append(f"{rows} in quarantine, since their keys can't be merged; the reasons are {where}")
    if books.total(Fate.QUARANTINED, newer) == sum(books.rows_in[side] for side in newer):
        report.success = False
        report.verdict = f"NOTHING MERGED: every row that came in is in quarantine. {report.verdict}"
