"""Properties that note which of them are read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from mergers.laws.constants import is_foreign_module

if TYPE_CHECKING:
    from collections.abc import Callable

_OF_ONE: Final = ("__getitem__", "__contains__", "get", "pop", "setdefault")
_OF_ALL: Final = (
    *("__iter__", "__len__", "__eq__", "__ne__", "__or__", "__ror__", "__ior__", "__reversed__", "__repr__"),
    *("keys", "values", "items", "copy", "popitem"),
)


class ReadProperties(dict[str, str]):
    """A dict that notes which of its keys a class asks for.

    Attributes:
        names: the keys, each once, in order; keys that are not there too.
        by_user: those that the user's own code asks for, not a class of this project that it extends.
        are_all: whether all were looked at: the class has a copy of them, or goes through them.
    """

    def __init__(self, given: dict[str, str]) -> None:
        """Take the properties."""
        super().__init__(given)
        self.names: dict[str, None] = {}
        self.by_user: dict[str, None] = {}
        self.are_all = False

    def __bool__(self) -> bool:
        """Return whether there are any; of an empty dict that is a look at all of them."""
        is_empty = dict.__len__(self) == 0
        self.are_all |= is_empty
        return not is_empty


def _of_one(method: Callable[..., Any]) -> Callable[..., Any]:
    def noted(self: ReadProperties, name: str, *others: Any) -> Any:
        self.names[name] = None
        if not is_foreign_module(sys._getframe(1).f_globals.get("__name__", "")):  # noqa: SLF001 (who calls)
            self.by_user[name] = None
        return method(self, name, *others)

    return noted


def _of_all(method: Callable[..., Any]) -> Callable[..., Any]:
    def noted(self: ReadProperties, *others: Any) -> Any:
        self.are_all = True
        return method(self, *others)

    return noted


for _name in _OF_ONE:
    setattr(ReadProperties, _name, _of_one(getattr(dict, _name)))
for _name in _OF_ALL:
    setattr(ReadProperties, _name, _of_all(getattr(dict, _name)))
