"""The options that name compiled classes, `--jar`, `--package` and `--built-for`, and what they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.decorators import with_options
from bridge.cli.needs import refuse_taken
from bridge.cli.parameters import derived_option, refused
from bridge.cli.session import is_of_spark
from bridge.plan import MergePlan
from payloads import PayloadRef, StoredPayloadRef

if TYPE_CHECKING:
    from bridge.cli.decorators import Decorator, F, Options
    from payloads import HudiRelease

STORAGE = "Also those that Spark needs to reach a storage (org.apache.hadoop:hadoop-aws:3.3.4)."
CLASS_PLACE: tuple[Decorator, ...] = (
    derived_option(PayloadRef.__init__, "jar"),
    derived_option(PayloadRef.__init__, "package", note=STORAGE),
    derived_option(PayloadRef.__init__, "built_for"),
)
JAVA_OPTIONS: tuple[Decorator, ...] = (derived_option(MergePlan, "implementation"), *CLASS_PLACE)


def java_options(command: F) -> F:
    """Add the options that name compiled classes and choose whether they run."""
    return with_options(command, JAVA_OPTIONS)


def compiled_of(options: Options) -> dict[str, tuple[str, ...]]:
    """Return where `--jar` and `--package` say that compiled classes are, as `PayloadRef` and `MergerRef` take it."""
    packages = options.get("package", ())
    return {"jar": options["jar"], "package": tuple(one for one in packages if not is_of_spark(one))}


def refuse_place(options: Options, why: str) -> None:
    """Refuse the options that say where a class is; a package that extends Spark says so of none.

    Raises:
        UsageError: naming the first that the user gave, and `why`.
    """
    refuse_taken(why, PayloadRef.__init__, but=() if compiled_of(options)["package"] else ("package",))


def built_for_of(options: Options) -> HudiRelease | None:
    """Return the release of `--built-for`; None without it.

    Raises:
        UsageError: what merges is not a payload.
    """
    found: HudiRelease | None = options.get("built_for")
    if found is not None and options["payload"] is None:
        msg = "--built-for is for payload classes; compile a merger for the release that runs it"
        raise click.UsageError(msg)
    return found


def built_reference(name: str | StoredPayloadRef, options: Options) -> PayloadRef:
    """Return the payload that a name and the options of compiled classes make; a table's or a file's loads no code.

    Raises:
        UsageError: there is `--built-for`, and neither a jar nor a package.
    """
    java, line = compiled_of(options), options.get("built_for")
    with refused():
        if isinstance(name, StoredPayloadRef):
            return StoredPayloadRef(name.name, **java, built_for=line)
        return PayloadRef(name, **java, built_for=line)
