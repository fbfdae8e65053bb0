"""What Python's own library has from 3.11 on, as this project uses it on 3.10."""

from __future__ import annotations

import copyreg
import enum
from typing import Any, NoReturn, TypeGuard


class StrEnum(str, enum.Enum):
    """An enum whose members are texts (`enum.StrEnum`)."""

    __str__ = str.__str__


def assert_never(value: NoReturn) -> NoReturn:
    """Fail where a type checker has shown that nothing comes (`typing.assert_never`)."""
    msg = f"there is no rule for {value!r}"
    raise AssertionError(msg)


def is_class(value: object) -> TypeGuard[type[Any]]:
    """Whether a value is a class; by `isinstance`, `dict[str, int]` is one before 3.11."""
    return issubclass(type(value), type)


def state_of(value: object) -> object:
    """Return what pickles take of an object (`object.__getstate__`): a dict, it and that of its slots, or None."""
    own = getattr(value, "__getstate__", None)
    if own is not None:
        return own()
    attributes = getattr(value, "__dict__", None) or None
    names: list[str] = copyreg._slotnames(type(value))  # type: ignore[attr-defined]  # noqa: SLF001 (as pickle does)
    slots = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return (attributes, slots) if slots else attributes
