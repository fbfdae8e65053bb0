"""What options are made of: an option that may need another one, several options at once, and their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

F = TypeVar("F", bound="Callable[..., Any]")
"""The function of a verb."""
Decorator: TypeAlias = "Callable[[Any], Any]"
"""What click makes of an option, to be put above such a function."""
Options: TypeAlias = "Mapping[str, Any]"
"""The values of options, by the names of parameters."""


class VerbOption(click.Option):
    """An option of a verb.

    Attributes:
        needs: the names of options of which one must be given, too, where the verb has them.
    """

    def __init__(self, *flags: Any, needs: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*flags, **settings)
        self.needs = needs


def with_options(command: F, options: Sequence[Decorator]) -> F:
    """Add options to a verb; the first comes first in its help."""
    for option in reversed(options):
        command = option(command)
    return command
