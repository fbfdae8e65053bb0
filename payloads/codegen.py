"""Functions generated for a list of names and compiled once, where a loop over the names for each record is too slow.

Every name is a field or parameter name; fields enter the source as string literals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import CodeType

CALLS = "<call of a user's class>"
"""The file, in tracebacks, of functions that only call a user's class."""


def record_maker(names: Sequence[str]) -> Callable[[list[list[Any]], int], list[dict[str, Any]]]:
    """Return a function that turns columns, and a number of rows, into dicts with the keys `names`.

    A dict display is three times as fast as `dict(zip(...))`.
    """
    if not names:
        return lambda _columns, rows: [{} for _ in range(rows)]
    values = [f"v{index}" for index in range(len(names))]
    display = ", ".join(f"{name!r}: {value}" for name, value in zip(names, values, strict=True))
    source = f"lambda columns, rows: [{{{display}}} for ({', '.join(values)},) in zip(*columns, strict=True)]"
    return _compiled(source)


def copy_comparer(
    shared: Iterable[str], otherwise: Callable[[dict[str, Any], dict[str, Any]], bool]
) -> Callable[[dict[str, Any], dict[str, Any]], bool]:
    """Return a function that compares two records, of which one may be a copy of the other.

    They are the same where they are equal and the fields `shared` hold the very same objects; else `otherwise` decides.
    """
    tests = "".join(f" and left[{name!r}] is right[{name!r}]" for name in shared)
    return _compiled(f"lambda left, right: left == right{tests} or otherwise(left, right)", otherwise=otherwise)


def call(
    attribute: str,
    parameters: Sequence[str],
    positional: Iterable[str],
    keywords: Mapping[str, str],
    *,
    needs_props: bool,
) -> Callable[..., Any]:
    """Return a function of a target and `parameters` that passes some of them on.

    Args:
        attribute: the method of the target; `__init__` calls the target itself.
        parameters: what the function takes after its target.
        positional: the parameters that it passes by position.
        keywords: those that it passes by name: the callee's name to ours.
        needs_props: whether to pass an empty dict where `props` is None.
    """
    values = {name: name for name in parameters}
    if needs_props:
        values["props"] = "({} if props is None else props)"
    callee = "target" if attribute == "__init__" else f"target.{attribute}"
    given = [values[name] for name in positional] + [f"{keyword}={values[name]}" for keyword, name in keywords.items()]
    source = f"lambda {', '.join(('target', *parameters))}: {callee}({', '.join(given)})"
    return _compiled(compile(source, CALLS, "eval"))


def _compiled(source: str | CodeType, **names: object) -> Callable[..., Any]:
    function: Callable[..., Any] = eval(source, names)  # noqa: S307 (names of fields as literals, and of parameters)
    return function
