"""The class by which a real table merges: its name, where it is compiled, and how long a call of it may take."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from bridge.cli.built_for import built_for_option, built_reference
from bridge.cli.decorators import with_options
from bridge.cli.java_options import compiled_of, jar_option, package_option
from bridge.cli.on_error import call_timeout_option
from bridge.cli.options import payload_option
from bridge.cli.session import bare_session_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.cli.decorators import Decorator, F, Options
    from payloads import PayloadRef, StoredPayloadRef


class TableClass(TypedDict):
    """What `HudiTable` takes of a class.

    Attributes:
        payload: the class that merges in place of the table's own; None for the table's.
        call_timeout: how many seconds a call of it may take.
    """

    payload: PayloadRef | None
    call_timeout: int


_CLASS_OPTIONS: tuple[Decorator, ...] = (
    payload_option(
        help="The class that merges; it overrides the table's own. A class that Hudi does not ship must be named: "
        "a Python class, or a compiled one of --jar."
    ),
    jar_option("A jar with the compiled class of --payload, or with classes that it needs; may be repeated."),
    package_option,
    built_for_option,
    call_timeout_option,
    bare_session_options,
)


def table_class_options(command: F) -> F:
    """Add the options that name the class of a table, and those of the session."""
    return with_options(command, _CLASS_OPTIONS)


def class_of(options: Options) -> TableClass:
    """Return the class that the command line names.

    Raises:
        UsageError: a place of compiled classes without the name of one, or an unknown release.
    """
    return {"payload": reference_of(options["payload"], options), "call_timeout": options["call_timeout"]}


def reference_of(name: str | StoredPayloadRef | None, options: Mapping[str, object]) -> PayloadRef | None:
    """Return the reference to a class, compiled or not; None without a name; errors as in `class_of`."""
    compiled = compiled_of(options) | {"built_for": options.get("built_for")}
    if name is not None:
        return built_reference(name, compiled)
    for given, option in (("jars", "--jar"), ("package", "--package"), ("built_for", "--built-for")):
        if compiled[given]:
            msg = f"{option} applies to the class of --payload; add --payload"
            raise click.UsageError(msg, click.get_current_context(silent=True))
    return None
