"""The class by which a real table merges: its name, where it is compiled, and how long a call of it may take."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from bridge.cli.decorators import with_options
from bridge.cli.java_options import CLASS_PLACE, built_reference, refuse_place
from bridge.cli.needs import refuse_given
from bridge.cli.parameters import derived_option
from bridge.cli.session import bare_session_options
from bridge.hudi import HudiTable

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
    derived_option(HudiTable.__init__, "payload"),
    *CLASS_PLACE,
    derived_option(HudiTable.__init__, "call_timeout", metavar="SECONDS"),
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
    if name is not None:
        return built_reference(name, options)
    refuse_place(options, "applies to the class of --payload; add --payload")
    return None


def refuse_class(options: Options, why: str) -> None:
    """Refuse the options of the class that merges a table.

    Raises:
        UsageError: naming the first that the user gave, and `why`.
    """
    refuse_given(TableClass.__annotations__, why)
    refuse_place(options, why)
