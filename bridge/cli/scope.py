"""`--partitions`, `--since`, `--keys-sample`: which keys of the batches a verb takes, and how much that is to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.decorators import with_options
from bridge.cli.needs import refuse_taken
from bridge.cli.parameters import derived_option, refused
from bridge.cli.run import current_run
from bridge.cli.verb import EXTENT
from bridge.pipeline import Scope, percent, share

if TYPE_CHECKING:
    from bridge.cli.decorators import Decorator, F, Options
    from bridge.cli.inputs import BatchSource
    from bridge.plan import MergePlan


def paths(text: str) -> tuple[str, ...]:
    """Read paths of partitions, separated by commas."""
    found = tuple(path.strip() for path in text.split(","))
    if not all(found):
        msg = f"{text!r} has an empty partition; write a/1,b/2, or __HIVE_DEFAULT_PARTITION__ for null"
        raise click.BadParameter(msg)
    return found


def keys_share(text: str) -> float:
    """Read a share of keys."""
    try:
        found = share(text)
        Scope(keys_sample=found)
    except ValueError as error:
        msg = f"{text!r} is not a share of the keys; write 1% or 0.01, above 0 and at most 100%"
        raise click.BadParameter(msg) from error
    return found


_OPTIONS: tuple[Decorator, ...] = (
    derived_option(Scope.of_paths, "partitions", type=paths, metavar="PATH[,PATH]"),
    derived_option(Scope, "since", metavar="BATCH"),
    derived_option(Scope, "keys_sample", type=keys_share, metavar="1%"),
)


def scope_options(command: F) -> F:
    """Add the options; `scope_of` reads them."""
    return with_options(command, _OPTIONS)


def scope_of(plan: MergePlan, batches: BatchSource | None, options: Options) -> Scope | None:
    """Return the scope that a verb was given, if any, and say on standard error what it means for reading batches.

    Raises:
        UsageError: it does not fit the plan.
    """
    partitions, since, keys_sample = options["partitions"], options["since"], options["keys_sample"]
    if not partitions and since is None and keys_sample is None:
        return None
    with refused():
        scope = Scope.of_paths(plan, partitions or (), since=since, keys_sample=keys_sample)
        scope.check(plan)
    if batches is not None and (extent := batches.extent(scope)) is not None:
        click.get_current_context().meta[EXTENT] = str(extent)
        merged = "" if keys_sample is None else f", and {percent(keys_sample)} of the keys to merge"
        run = current_run()
        if run is None or not run.quiet:
            click.echo(f"scope: {extent} to read (estimated){merged}", err=True)
    return scope


def refuse_scope_of_row() -> None:
    """Refuse the options where one row of a real table is explained.

    Raises:
        UsageError: naming one of them.
    """
    refuse_taken("chooses keys, and --row names one: leave it out", Scope.of_paths)
