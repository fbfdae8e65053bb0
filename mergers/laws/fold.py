"""The bracketings of a list of versions, and folding along one: the reference semantics of every merge point.

A bracketing is a full binary tree whose leaves are the positions of the versions: `((0, 1), 2)` merges the first
two versions and then the result with the third. It never reorders: the left part of a pair is the older one.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

V = TypeVar("V")

Bracketing = int | tuple["Bracketing", "Bracketing"]
"""A position, or the pair of an older and a newer part."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def bracketings(n: int) -> Iterator[Bracketing]:
    """Yield every bracketing of `n` versions, lazily: Catalan(n - 1) many, the right fold first, the left fold last.

    Raises:
        ValueError: `versions` is empty.
    """
    if n < 1:
        msg = f"{n} versions have no bracketing; give at least one"
        raise ValueError(msg)
    return _trees(0, n)


def _trees(start: int, stop: int) -> Iterator[Bracketing]:
    if stop - start == 1:
        yield start
        return
    for split in range(start + 1, stop):
        for older in _trees(start, split):
            for newer in _trees(split, stop):
                yield older, newer


def fold(merge: Callable[[V, V], V], versions: Sequence[V], bracketing: Bracketing) -> V:
    """Merge `versions` as `bracketing` says; `merge(older, newer)` must accept whatever it returns."""
    if isinstance(bracketing, int):
        return versions[bracketing]
    older, newer = bracketing
    return merge(fold(merge, versions, older), fold(merge, versions, newer))


def fold_left(merge: Callable[[V, V], V], versions: Sequence[V]) -> V:
    """Merge the oldest two versions first: how a log is read and how Spark's input arrives.

    Raises:
        ValueError: `versions` is empty.
    """
    _refuse_empty(versions)
    return functools.reduce(merge, versions)


def fold_right(merge: Callable[[V, V], V], versions: Sequence[V]) -> V:
    """Merge the newest two versions first: incoming versions are merged before the oldest one takes part.

    Raises:
        ValueError: `versions` is empty.
    """
    _refuse_empty(versions)
    return functools.reduce(lambda newer, older: merge(older, newer), reversed(versions))


def every_bracketing(merge: Callable[[V, V], V], versions: Sequence[V]) -> Iterator[tuple[Bracketing, V]]:
    """Yield each bracketing of `versions` with its result, in the order of `bracketings`.

    A merge is associative on these versions if all results are equal. An error of `merge` passes through.

    Raises:
        ValueError: `versions` is empty.
    """
    return ((bracketing, fold(merge, versions, bracketing)) for bracketing in bracketings(len(versions)))


def bracketing_text(bracketing: Bracketing, names: Sequence[str] | None = None) -> str:
    """Write a bracketing as `((a·b)·c)`, with `names` for the versions or a, b, ..., z, a1, b1, ..."""
    if isinstance(bracketing, int):
        return _letter(bracketing) if names is None else names[bracketing]
    older, newer = bracketing
    return f"({bracketing_text(older, names)}·{bracketing_text(newer, names)})"


def _letter(position: int) -> str:
    lap, letter = divmod(position, len(_LETTERS))
    return f"{_LETTERS[letter]}{lap or ''}"


def _refuse_empty(versions: Sequence[V]) -> None:
    if not versions:
        msg = "there is nothing to fold; give at least one version"
        raise ValueError(msg)
