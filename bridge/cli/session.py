"""The options that say where Spark runs; every verb that starts Spark has them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import click

from bridge.cli.decorators import with_options
from bridge.cli.parameters import derived_option
from bridge.cli.terminal import terminal_option
from bridge.spark import SessionOptions
from bridge.write import WRITER_SETTINGS

if TYPE_CHECKING:
    from bridge.cli.decorators import Decorator, F


_META = "bridge.session"
# Packages of these groups extend Spark and its storage; what else --package names is loaded apart, for a payload.
_OF_SPARK = ("org.apache.hadoop:", "org.apache.spark:", "com.google.cloud.bigdataoss:")


def setting(text: str) -> tuple[str, str]:
    """Read one Spark setting; the first equals sign separates name and value."""
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        # The value may be a secret.
        msg = f"{name!r} is not a Spark setting; write spark.NAME=VALUE"
        raise click.BadParameter(msg)
    return name, value


def _noted(context: click.Context, option: click.Parameter, value: object) -> None:
    context.meta.setdefault(_META, {})[option.name] = value


bundle_option = terminal_option(
    "--bundle",
    needs=("out_table_format",),
    metavar="COORDINATE",
    help="Hudi's Spark bundle, as a Maven package: org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0. Default: the one "
    "that the session has already.",
    expose_value=False,
    callback=_noted,
)
_option = functools.partial(derived_option, SessionOptions, expose_value=False, callback=_noted)
_OPTIONS: tuple[Decorator, ...] = (
    _option("master", metavar="URL"),
    _option("remote", metavar="URL"),
    _option("conf", type=setting, metavar="spark.NAME=VALUE"),
)
_CONNECTORS = _option("packages", "--package", type=str, multiple=True, metavar="COORDINATE")


def session_options(command: F) -> F:
    """Add `--master`, `--remote`, `--conf` and `--package`, of connectors; `session_settings` reads them."""
    return with_options(command, (*_OPTIONS, _CONNECTORS))


def bare_session_options(command: F) -> F:
    """Add the same to a verb whose `--package` names compiled classes, too."""
    return with_options(command, _OPTIONS)


def session_settings() -> SessionOptions:
    """Return what the verb that runs was given.

    Raises:
        ParameterError: a master together with a server.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return SessionOptions()
    given = context.meta.get(_META, {})
    packages = given.get("packages") or tuple(filter(is_of_spark, context.params.get("package") or ()))
    conf = dict(given.get("conf") or ())
    if bundle := given.get("bundle"):
        packages, conf = (*packages, bundle), {**WRITER_SETTINGS, **conf}
    return SessionOptions(given.get("master"), given.get("remote"), conf, packages)


def is_of_spark(coordinate: str) -> bool:
    """Whether a Maven package extends Spark itself, and so goes on its class path with its dependencies."""
    return coordinate.startswith(_OF_SPARK)
