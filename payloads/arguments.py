"""The types of the arguments of public functions, checked against their annotations before anything runs."""

from __future__ import annotations

import functools
import inspect
import numbers
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, TypeVar

from payloads.backports import is_class
from payloads.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])

_ALIASES: Final = {
    "BatchNumber": "int | str",
    "BatchesLike": "Batches | Iterable[DataFrame | Batch]",
    "JarPaths": "str | PurePath | Iterable[str | PurePath] | None",
    "Steps": "Mapping[int, str | HudiRelease] | Iterable[tuple[int, str | HudiRelease]]",
    "TableLike": "str | PurePath | Mapping[str, str]",
    "Target": "str | HudiRelease | RecordMergeMode | MergePlan",
    "Equality": "Callable",
    "Path": "PurePath",
    "Props": "Properties | Mapping[str, str]",  # the first is made inside, of text that was checked
    "Record": "dict",
}
"""What stands for several types."""
_OPEN: Final = frozenset({"Any", "Fidelity", "HoodieRecordMerger", "Literal"})
"""Protocols and sets of words, which the function itself checks."""
_MANY: Final = ("Collection", "Iterable", "Sequence", "list", "set")
_WORDS: Final = {
    "None": "None",
    "bool": "True or False",
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "Properties": "a dictionary of text to text",
    "PurePath": "a path",
    "type": "a class",
}
_PLAIN: Final[Mapping[str, type]] = {"bool": bool, "float": float, "int": int, "str": str}
_MOST: Final = 60
_UNWRITTEN: Final = re.compile("[\0\ud800-\udfff]")


def checked(function: F) -> F:
    """Return a function, or a class, that looks at the types of its arguments first.

    A type is known by its name: where the annotation names a class, the value's class or a base of it has that name.
    The function gets a tuple for what can be read only once, and an `int` for a whole number of another library.

    Raises:
        ArgumentError: (by the function) an argument has none of the annotated types; names it and says what to give.
    """
    if isinstance(function, type):
        function.__init__ = checked(function.__init__)  # type: ignore[misc] # of the same signature
        return function
    signature, own = inspect.signature(function), function.__qualname__.removesuffix(".__init__")
    parameters = signature.parameters.values()
    kinds = {
        one.name: str(one.annotation)
        for one in parameters
        if one.annotation is not one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    }
    places = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]

    def fitting(name: str, value: Any) -> Any:
        kind = kinds.get(name)
        if kind is None:
            return value
        plain = value
        if not _takes_all_of(kind, type(value)):  # type: ignore[arg-type] # a class has a hash
            plain = _plain(value, kind)
            if not _fits(plain, kind):
                raise ArgumentError(_sentence(own, name, kind, value))
        if isinstance(plain, (str, PurePath)) and (found := unwritten(str(plain))):
            msg = f"{own}: {name} contains {found}, which Spark and Hudi can't store; remove it"
            raise ArgumentError(msg)
        return plain

    @functools.wraps(function)
    def checking(*given: Any, **named: Any) -> Any:
        try:
            placed = [fitting(name, value) for name, value in zip(places, given, strict=False)]
            fitted = {name: fitting(name, value) for name, value in named.items()}
        except ArgumentError:
            try:
                signature.bind(*given, **named)
            except TypeError:  # Python's own words say which argument is missing
                return function(*given, **named)
            raise
        return function(*placed, *given[len(places) :], **fitted)

    return checking  # type: ignore[return-value] # of the same signature


def unwritten(text: str) -> str:
    """Describe the first character that a path or UTF-8 can't contain; empty if there is none.

    Python decodes a byte that is not UTF-8 to a lone surrogate, as in file names and command lines.
    """
    found = _UNWRITTEN.search(text)
    if found is None:
        return ""
    return "a zero character" if found[0] == "\0" else f"a character that is not UTF-8 ({found[0]!a})"


def _plain(value: Any, kind: str) -> Any:
    """Return a value that may be read again and again: a second reader of an iterator would find nothing."""
    if _is_many(kind) and isinstance(value, Iterator):
        return tuple(value)
    is_whole = "int" in _alternatives(kind) and not isinstance(value, int) and isinstance(value, numbers.Integral)
    return int(value) if is_whole else value


def _sentence(function: str, name: str, kind: str, value: Any) -> str:
    plain = value is None or isinstance(value, (str, bytes, bool, numbers.Number, list, tuple, dict, set))
    shown = repr(value) if plain else f"a value of the type {type(value).__name__}"
    shown = shown if len(shown) <= _MOST else f"{shown[:_MOST]}\u2026"
    number = isinstance(value, numbers.Number) and not isinstance(value, bool)
    hint = f"; write {str(value)!r}" if number and "str" in _alternatives(kind) else ""
    return f"{function}: {name} is {_words(kind)}, not {shown}{hint}"


def _words(kind: str) -> str:
    return " or ".join(dict.fromkeys(_word(one) for one in _alternatives(kind)))


def _word(kind: str) -> str:
    name, inner = _parts(kind)
    if name in ("Mapping", "dict"):
        return f"a dictionary of {' to '.join(map(_words, inner))}" if inner else "a dictionary"
    if name in (*_MANY, "tuple"):
        items = [one for one in inner if one != "..."]
        return (
            f"a list, each item {_words(items[0])}"
            if len(items) == 1
            else f"{len(items)} values"
            if items
            else "a list"
        )
    if name == "Callable":
        return "a function"
    return _WORDS.get(name) or f"a{'n' if name[0] in 'AEIOU' else ''} {name}"


@functools.lru_cache(maxsize=1024)
def _takes_all_of(kind: str, given: type) -> bool:
    """Whether every value of a class fits as it is: most calls come from inside, with the same classes."""
    if _is_many(kind) and issubclass(given, Iterator):
        return False
    if given is type(None):
        return any(_parts(one)[0] in {"None", "Any"} for one in _alternatives(kind))
    # Others have classes of these names, too: NumPy's `bool` is none.
    bases = {base.__name__: base for base in reversed(given.__mro__) if _PLAIN.get(base.__name__, base) is base}
    names = bases.keys() - ({"int"} if given is bool else {"type"})
    return any(name in _OPEN or (name in names and not inner) for name, inner in map(_parts, _alternatives(kind)))


def _fits(value: Any, kind: str) -> bool:
    of_its_class = _takes_all_of(kind, type(value))  # type: ignore[arg-type] # as above
    return of_its_class or any(_is(value, one) for one in _alternatives(kind))


def _is(value: Any, kind: str) -> bool:  # noqa: PLR0911 (one case a kind)
    name, inner = _parts(kind)
    match name:
        case "bool":
            return isinstance(value, bool)
        case "int":
            return isinstance(value, numbers.Integral) and not isinstance(value, bool)
        case "float":
            return isinstance(value, numbers.Real) and not isinstance(value, bool)
        case "type":
            return is_class(value)
        case "Callable":
            return callable(value)
        case "Mapping" | "dict":
            is_mapping = isinstance(value, (dict, Mapping))  # Python's own asks no abstract class
            return is_mapping and all(
                _fits(one, part) for pair in value.items() for one, part in zip(pair, inner, strict=False)
            )
        case "tuple" if "..." not in inner:
            fits = isinstance(value, (tuple, list)) and (not inner or len(value) == len(inner))
            return fits and all(map(_fits, value, inner or ["Any"] * len(value)))
        case "Collection" | "Iterable" | "Sequence" | "list" | "set" | "tuple":
            if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Collection):
                return False
            return not inner or all(_fits(one, inner[0]) for one in value)
        case _:
            return any(base.__name__ == name for base in value.__class__.__mro__)  # of a mock, the class it stands for


@functools.cache
def _alternatives(kind: str) -> tuple[str, ...]:
    """Return the types that an annotation allows.

    >>> _alternatives("Mapping[str, int | None] | None")
    ('Mapping[str, int | None]', 'None')
    """
    found: list[str] = []
    for one in _split(kind, "|"):
        found += _alternatives(_ALIASES[one]) if one in _ALIASES else (one,)
    return tuple(found)


@functools.cache
def _is_many(kind: str) -> bool:
    """Whether an annotation allows several values."""
    return any(_parts(one)[0] in (*_MANY, "tuple") for one in _alternatives(kind))


@functools.cache
def _parts(kind: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of a type and what it holds.

    >>> _parts("Mapping[str, int | None]")
    ('Mapping', ('str', 'int | None'))
    """
    name, _, inner = kind.partition("[")
    return name.rpartition(".")[2], tuple(_split(inner.removesuffix("]"), ",")) if inner else ()


def _split(text: str, sign: str) -> list[str]:
    """Split a text at a sign outside of brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == sign and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]
