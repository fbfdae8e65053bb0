"""Decorators that verbs share: several options at once; and the types of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

F = TypeVar("F", bound="Callable[..., Any]")
"""The function of a verb."""
Decorator: TypeAlias = "Callable[[Any], Any]"
"""What click makes of an option, to be put above such a function."""
Options: TypeAlias = "Mapping[str, Any]"
"""The values of options, by the names of parameters."""


def with_options(command: F, options: Sequence[Decorator]) -> F:
    """Add options to a verb; the first comes first in its help."""
    for option in reversed(options):
        command = option(command)
    return command
