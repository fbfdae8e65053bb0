"""Options that have no effect beside the others of a command line: refused in one place for all verbs."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bridge.cli.decorators import VerbOption
from bridge.cli.parameters import DerivedOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


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


def parameters_of(*called: Callable[..., Any]) -> set[str]:
    """Return the names of the parameters of functions, methods and classes."""
    return {name for one in called for name in inspect.signature(one).parameters}


def refuse_taken(why: str, *called: Callable[..., Any], but: Iterable[str] = ()) -> None:
    """Refuse the options that the user gave, and a function takes that this command line does not call.

    Args:
        why: the end of the message.
        called: the functions, or classes.
        but: parameters that have an effect nevertheless.

    Raises:
        UsageError: naming the first of them, and `why`.
    """
    refuse_given(sorted(parameters_of(*called) - {*but}), why)


def refuse_foreign(why: str, *called: Callable[..., Any], taken: Iterable[str] = ()) -> None:
    """Refuse the options that the user gave, and no function takes that this command line calls.

    Those of the session and of the terminal suit every function.

    Args:
        why: the end of the message.
        called: the functions.
        taken: other parameters that have an effect.

    Raises:
        UsageError: naming the first of them, and `why`.
    """
    known = parameters_of(*called) | {*taken}
    options = (one for one in click.get_current_context().command.params if isinstance(one, DerivedOption))
    refuse_given((str(one.name) for one in options if one.expose_value and one.name not in known), why)


def refuse_without_need(context: click.Context) -> None:
    """Refuse an option where nothing is given that it needs.

    Raises:
        UsageError: naming both.
    """
    options = {one.name: one for one in context.command.params if isinstance(one, VerbOption)}
    for name, option in options.items():
        needed = [options[one].opts[0] for one in option.needs if one in options]
        if not needed or any(given_option(context, one) for one in option.needs):
            continue
        refuse_given([str(name)], f"is for {' or '.join(needed)}; add {needed[0]}, or leave it out")
