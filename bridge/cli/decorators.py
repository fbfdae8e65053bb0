"""Decorators that verbs share: several options at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

F = TypeVar("F", bound="Callable[..., Any]")


def with_options(command: F, options: Sequence[Callable[[Any], Any]]) -> F:
    """Add options to a verb; the first comes first in its help."""
    for option in reversed(options):
        command = option(command)
    return command
