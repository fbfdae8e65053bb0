"""The constants that a user's Python code may compare against: literals, and what its functions refer to."""

from __future__ import annotations

import datetime
import enum
import functools
import math
import re
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from payloads.rules import RuleNode, Word

_MOST_VISITED: Final = 2000
_MOST_TEXT: Final = 200
_PROPERTY: Final = "hoodie."
"""How names of properties start, which are not data."""
_LONG: Final = 1 << 63
_NEAR_ZERO: Final = frozenset({0, 1, 2})
"""Values that occur in most examples anyway."""
_FOREIGN: Final = frozenset({*sys.stdlib_module_names, "payloads", "mergers", "bridge", "pyspark", "fastavro"})
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_WORD: Final = re.compile(r"\w+")
_LABELS: Final = frozenset(
    {"__doc__", "__module__", "__qualname__", "__annotations__", "__slots__", "__match_args__", "__firstlineno__"}
)


def constants_of(*roots: object) -> tuple[object, ...]:
    """Return the texts, bytes and numbers that classes, functions and objects may compare against, the nearest first.

    What they refer to counts: nested functions, globals of their modules, closures, class attributes and base classes,
    functions and classes that they call. Code of the standard library and of this project does not.
    """
    found: dict[Any, None] = {}
    for one in _reached(roots):
        found |= dict.fromkeys((type(value), value) for value in _plain(one))
    return usable(value for _, value in found)


def words_of(*roots: object) -> frozenset[str]:
    """Return the words in the texts of code, and the names of the attributes that it uses, in lower case.

    A column that the code reads by its name is among them, whichever way the name is put together.
    """
    found: set[str] = set()
    for one in _reached(roots):
        if isinstance(one, types.FunctionType):
            found |= {name.lower() for name in _attributes(one.__code__)}
        elif isinstance(one, str):
            found.update(words_in(one))
    return frozenset(found)


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def _attributes(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _attributes(constant)


def _reached(roots: Iterable[object]) -> Iterator[object]:
    """Yield what code refers to: values, and functions and classes that are the user's."""
    left = deque(roots)
    seen: set[int] = set()
    kept: list[object] = []  # an id stays taken as long as its object lives
    while left and len(seen) < _MOST_VISITED:
        one = left.popleft()
        if any(True for _ in _plain(one)):
            yield one
        elif id(one) not in seen:
            seen.add(id(one))
            kept.append(one)
            if isinstance(one, types.FunctionType) and not _is_foreign(one):
                yield one
            left.extend(_parts(one))


def usable(values: Iterable[object]) -> tuple[object, ...]:
    """Return the constants that are worth trying, each once; sentences, such as messages of errors, come last."""
    distinct = dict.fromkeys((type(value), value) for value in values if _is_worth_it(value))
    return tuple(sorted((value for _, value in distinct), key=lambda value: isinstance(value, str) and " " in value))


def _is_worth_it(value: Any) -> bool:
    if isinstance(value, str) and value.startswith(_PROPERTY):
        return False
    if isinstance(value, str | bytes):
        return 0 < len(value) <= _MOST_TEXT
    if isinstance(value, int):
        return -_LONG <= value < _LONG and value not in _NEAR_ZERO
    return math.isfinite(value)


def _plain(one: object) -> Iterator[object]:
    """Yield what a value is in an Avro record; nothing if it can't be one."""
    if isinstance(one, enum.Enum):
        yield from _plain(one.value)
    elif isinstance(one, bool):
        return
    elif isinstance(one, str | bytes | int | float):
        yield one
    elif isinstance(one, re.Pattern):
        yield one.pattern
    elif isinstance(one, datetime.datetime):
        since = (one if one.tzinfo else one.replace(tzinfo=datetime.timezone.utc)) - _EPOCH
        for unit in ({"seconds": 1}, {"milliseconds": 1}, {"microseconds": 1}):
            yield since // datetime.timedelta(**unit)
    elif isinstance(one, datetime.date):
        yield (one - _EPOCH.date()).days


def _parts(one: object) -> Iterable[object]:  # noqa: C901, PLR0911 (one a kind)
    match one:
        case types.FunctionType():
            return _function(one)
        case types.MethodType() | staticmethod() | classmethod():
            return [one.__func__]
        case property():
            return [one.fget]
        case functools.cached_property():
            return [one.func]
        case functools.partial():
            return [one.func, *one.args, *one.keywords.values()]
        case type():
            return [] if _is_foreign(one) else _class(one)
        case RuleNode():
            return [part for part in one.parts if not isinstance(part, Word)]
        case Mapping():
            return [*one.keys(), *one.values()]
        case list() | tuple() | set() | frozenset():
            return one
        case types.ModuleType() | types.BuiltinFunctionType() | None:
            return []
    if _is_foreign(type(one)):
        return []
    return [*getattr(one, "__dict__", {}).values(), type(one)]


def _class(one: type) -> list[object]:
    members = [value for name, value in vars(one).items() if name not in _LABELS]
    return [*members, *one.__bases__]


def _function(function: types.FunctionType) -> list[object]:
    if _is_foreign(function):
        return []
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    literals = [one for one in _code(function.__code__, function.__globals__) if one is not function.__doc__]
    return [*literals, *cells, *defaults, getattr(function, "__wrapped__", None)]


def _code(code: types.CodeType, namespace: Mapping[str, object]) -> Iterator[object]:
    """Yield the literals of code, of the functions inside it, and what its names refer to."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant, namespace)
        else:
            yield constant
    for name in code.co_names:
        value = namespace.get(name)
        if isinstance(value, types.ModuleType) and not _is_foreign(value):
            yield from (getattr(value, attribute, None) for attribute in code.co_names)
        else:
            yield value


def _is_foreign(one: object) -> bool:
    name = one.__name__ if isinstance(one, types.ModuleType) else getattr(one, "__module__", None)
    return is_foreign_module(str(name or "builtins"))


def is_foreign_module(name: str) -> bool:
    """Whether a module belongs to Python's library or to this project, and is none of the user's."""
    return name.partition(".")[0] in _FOREIGN
