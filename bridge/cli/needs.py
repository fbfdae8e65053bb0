"""Options that have no effect unless another option is given: refused in one place for all verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "batch_column": ("batches",),
    "bundle": ("out_table_format",),
    "history": ("table",),
    "out_format": ("out", "out_table"),
    "partition_by": ("out", "out_table"),
    "strict": ("table",),
    "trust_sample": ("trust_rule",),
    "table_version": ("out_table_format",),
    "write_options": ("out_table_format",),
}
"""What an option needs, by the names of parameters: one of these, where the verb has one."""


def given_option(context: click.Context, name: str) -> str | None:
    """Return how an option is spelt, if the user gave it."""
    if context.get_parameter_source(name) in {None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP}:
        return None
    return next(one.opts[0] for one in context.command.params if one.name == name)


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that the user gave.

    Raises:
        UsageError: naming the first of them, and `why`.
    """
    context = click.get_current_context()
    for name in names:
        if given := given_option(context, name):
            msg = f"{given} {why}"
            raise click.UsageError(msg, context)


def refuse_without_need(context: click.Context) -> None:
    """Refuse an option of `NEEDS` where nothing is given that it needs.

    Raises:
        UsageError: naming both.
    """
    options = {one.name: one.opts[0] for one in context.command.params if isinstance(one, click.Option)}
    for name in options:
        needed = [options[one] for one in NEEDS.get(name or "", ()) if one in options]
        if not needed or any(given_option(context, one) for one in NEEDS[name or ""]):
            continue
        refuse_given([str(name)], f"is for {' or '.join(needed)}; add {needed[0]}, or leave it out")
