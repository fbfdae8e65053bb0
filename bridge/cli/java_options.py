"""The options that name compiled classes, `--jar` and `--package`, and choose whether they run."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import click

from bridge.cli.built_for import built_for_option
from bridge.cli.decorators import with_options
from bridge.cli.parameters import derived_option
from bridge.cli.paths import JarFiles
from bridge.cli.session import is_of_spark
from bridge.plan import MergePlan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bridge.cli.decorators import Decorator, F, Options


def jar_option(text: str) -> Callable[[F], F]:
    """Make `--jar`, of one or several jars; `compiled_of` reads it."""

    def each(_context: click.Context, _option: click.Parameter, given: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(itertools.chain.from_iterable(given)))

    return click.option(
        "--jar", "jars", type=JarFiles(), multiple=True, callback=each, metavar="FILE[,FILE]", help=text
    )


def compiled_of(options: Options) -> dict[str, tuple[str, ...]]:
    """Return where `--jar` and `--package` say that compiled classes are, as `PayloadRef` and `MergerRef` take it."""
    return {"jars": options["jars"], "package": tuple(one for one in options["package"] if not is_of_spark(one))}


package_option = click.option(
    "--package",
    multiple=True,
    metavar="COORDINATE",
    help="A Maven package, group:artifact:version: compiled classes, or what Spark needs to reach a storage "
    "(org.apache.hadoop:hadoop-aws:3.3.4); may be repeated.",
)
JAVA_OPTIONS: tuple[Decorator, ...] = (
    derived_option(MergePlan, "implementation"),
    jar_option(
        "A jar with your compiled payload or merger class, which runs unchanged inside Spark, or with classes that it "
        "needs; may be repeated."
    ),
    package_option,
    built_for_option,
)


def java_options(command: F) -> F:
    """Add the options that name compiled classes and choose whether they run."""
    return with_options(command, JAVA_OPTIONS)
