"""What an exhaustive check enumerates besides the small universe: each column, each pair of columns, all columns.

The small universe varies two columns and the ordering value. A merger that goes wrong in another column, or in one as
another decides, shows in the blocks: in each a few columns take the first values of their pools, and every choice of
versions of the block is tried.
"""

from __future__ import annotations

import functools
import itertools
import random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.core import Domain, Version
from mergers.laws.universe import RANKS, STORED_RANKS, RecordMaker, Universe, delete_forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mergers.laws.universe import DeleteForm, RecordSpec


_CANDIDATES: Final = 12
_UNREAD: Final = 6
"""How many values a column takes that the class does not seem to read."""
_Pairs = list[list[set[tuple[int, int]]]]


class Size(NamedTuple):
    """How large blocks may be.

    Attributes:
        versions: how many versions a block of one or two columns has at most; with every ordering value if they fit.
        values: how many values of a column one of them takes at most.
        pairs: how many pairs of columns have a block.
        wide: how many versions vary all columns.
        data: how many rows of real data are taken.
    """

    versions: int
    values: int
    pairs: int
    wide: int
    data: int


_LARGE: Final = Size(versions=30, values=40, pairs=45, wide=26, data=20)
_MEDIUM: Final = Size(versions=12, values=12, pairs=30, wide=20, data=12)
_SMALL: Final = Size(versions=6, values=6, pairs=20, wide=20, data=8)
_REMOTE: Final = Size(versions=4, values=4, pairs=0, wide=9, data=5)
_FEW_COLUMNS, _MANY_COLUMNS = 12, 40


def size_for(spec: RecordSpec, *, is_remote: bool, is_ours: bool) -> Size:
    """Return how large blocks are: the smaller the more columns there are, and where a merge is slow.

    The classes of this project, which treat columns alike, need less. All pairs of columns meet in the widest block.
    """
    if is_remote:
        return _REMOTE
    columns = len(spec.pools)
    if columns > _MANY_COLUMNS:
        return _SMALL
    return _MEDIUM if is_ours or columns > _FEW_COLUMNS else _LARGE


class OperandBlock(NamedTuple):
    """Operands that are enumerated.

    Attributes:
        title: which columns vary, and what the others have.
        values: the values of each column that varies.
        universe: the operands.
    """

    title: str
    values: Mapping[str, tuple[Any, ...]]
    universe: Universe


class Blocks:
    """Makes the blocks of a domain."""

    def __init__(self, spec: RecordSpec, domain: Domain, form: DeleteForm | None, size: Size) -> None:
        """Prepare; `form` is that of the deletes of the domain, if it has any with a record."""
        self._spec = spec
        self._domain = domain
        self._form = form
        self._size = size
        self._maker = RecordMaker(spec)
        self._columns = tuple(name for name, values in spec.pools.items() if values)

    def all(self) -> Iterator[OperandBlock]:
        """Yield the blocks, the smallest first."""
        spec = self._spec
        read = [name for name in self._columns if name in spec.read]
        for name in self._columns:
            yield self._varied(f"{name} alone", (name,), {})
        others = {name: spec.pools[name][1] for name in self._columns if len(spec.pools[name]) > 1}
        for name in read if len(self._columns) > 1 else ():
            rest = {other: value for other, value in others.items() if other != name}
            yield self._varied(f"{name} alone, the others with their second value", (name,), rest)
        for pair in list(itertools.combinations(read, 2))[: self._size.pairs]:
            yield self._varied(" and ".join(pair), pair, {})
        if len(self._columns) > 1:
            yield self._wide()
        if spec.data:
            yield self._real()

    # -- one or two columns

    def _varied(self, title: str, names: Sequence[str], rest: Mapping[str, object]) -> OperandBlock:
        values = self._values(names)
        is_read = all(name in self._spec.read for name in names)
        chosen = [dict(zip(names, one, strict=True)) | dict(rest) for one in itertools.product(*values.values())]
        small = is_read and self._domain is Domain.DATA and len(chosen) * len(RANKS) <= self._size.versions
        if small:
            ranked = [(rank, one) for one in chosen for rank in RANKS]
        else:
            ranked = [(RANKS[place % len(RANKS)], one) for place, one in enumerate(chosen)]
        return self._block(title, values, ranked)

    def _values(self, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        """Return the first values of each column, as many as give no more versions than the block may have."""
        pools = self._spec.pools
        if len(names) == 1:
            (name,) = names
            return {name: pools[name][: self._size.values if name in self._spec.read else _UNREAD]}
        most = 3 if self._domain is Domain.DATA else 2
        return {name: pools[name][: most + (len(pools[name]) > most)] for name in names}

    # -- all columns

    def _wide(self) -> OperandBlock:
        """Vary all columns: any two values of any two columns, and of a column and the ordering, meet in a version."""
        pools = self._spec.pools
        for most in (3, 2):
            values = {name: pools[name][: most if name in self._spec.read else 2] for name in self._columns}
            rows = covering([*map(len, values.values()), len(RANKS)])
            if len(rows) <= self._size.wide:
                break
        ranked = [
            (RANKS[row[-1]], {name: values[name][at] for name, at in zip(self._columns, row[:-1], strict=True)})
            for row in rows
        ]
        return self._block("all columns together", values, ranked)

    def _real(self) -> OperandBlock:
        """Take the rows of real data that are the most frequent as they are, but for the key."""
        counted: dict[str, list[Any]] = {}
        for record in self._spec.data:
            values = {name: record.get(name) for name in self._columns}
            counted.setdefault(repr(values), [0, values])[0] += 1
        most = sorted(counted.values(), key=lambda one: -one[0])[: self._size.data]
        ranked = [(RANKS[place % len(RANKS)], values) for place, (_, values) in enumerate(most)]
        names = {name: tuple({repr(one[name]): one[name] for _, one in ranked}.values()) for name in self._columns}
        return self._block("the most frequent rows of the data", names, ranked)

    def _block(
        self, title: str, values: Mapping[str, tuple[object, ...]], ranked: Sequence[tuple[int, Mapping[str, Any]]]
    ) -> OperandBlock:
        maker = self._maker
        incoming = [maker.version(rank, chosen) for rank, chosen in ranked]
        step = max(1, len(ranked) // len(RANKS))
        deleted = list(zip(RANKS, (chosen for _, chosen in ranked[::step]), strict=False))
        if self._domain is Domain.FLAGGED and self._form is not None:
            incoming += [maker.version(rank, chosen, self._form) for rank, chosen in deleted]
        if self._domain is Domain.EMPTY:
            incoming += [
                Version(None, maker.version(rank, chosen).ordering, is_delete=True) for rank, chosen in deleted
            ]
        distinct = {repr(chosen): chosen for _, chosen in ranked}
        stored = [
            maker.record(STORED_RANKS[place % len(STORED_RANKS)], chosen)
            for place, chosen in enumerate(list(distinct.values())[: self._size.versions // 3 + 1])
        ]
        return OperandBlock(title, values, Universe(_each_once(incoming), _each_once((None, *stored))))


def understood_form(spec: RecordSpec, domain: Domain, is_delete: Callable[[Version], bool]) -> DeleteForm | None:
    """Return the form of deletes that the judged class understands, if the domain has any with a record."""
    if domain is not Domain.FLAGGED:
        return None
    maker = RecordMaker(spec)
    return next((one for one in delete_forms(spec.schema, spec.props) if is_delete(maker.version(1, {}, one))), None)


def _each_once(operands: Sequence[object]) -> tuple[Any, ...]:
    return tuple({repr(operand): operand for operand in operands}.values())


def covering(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return choices of one item of each of several sets, in which any two items of any two sets meet.

    Greedy: of some rows the one that covers the most pairs is taken. The first row has the first item of each.

    Args:
        sizes: how many items the sets have.
    """
    chance = random.Random(0)  # noqa: S311 (nothing secret)
    left = [[set(itertools.product(range(a), range(b))) for b in sizes] for a in sizes]
    rows = [(0,) * len(sizes)]
    while True:
        _cover(left, rows[-1])
        open_pairs = [
            (one, other, pair)
            for one, other in itertools.combinations(range(len(sizes)), 2)
            for pair in sorted(left[one][other])
        ]
        if not open_pairs:
            return rows
        tried = [_row(sizes, left, chance.choice(open_pairs), chance) for _ in range(_CANDIDATES)]
        rows.append(max(tried, key=lambda row: _covered(left, row)))


def _row(
    sizes: Sequence[int], left: _Pairs, start: tuple[int, int, tuple[int, int]], chance: random.Random
) -> tuple[int, ...]:
    one, other, (a, b) = start
    row = {one: a, other: b}
    for place in chance.sample(range(len(sizes)), len(sizes)):
        if place not in row:
            items = chance.sample(range(sizes[place]), sizes[place])
            row[place] = max(items, key=functools.partial(_gain, left, tuple(row.items()), place))
    return tuple(row[place] for place in range(len(sizes)))


def _gain(left: _Pairs, row: Sequence[tuple[int, int]], place: int, item: int) -> int:
    return sum(
        ((b, item) in left[other][place]) if other < place else ((item, b) in left[place][other]) for other, b in row
    )


def _covered(left: _Pairs, row: Sequence[int]) -> int:
    pairs = itertools.combinations(range(len(row)), 2)
    return sum((row[one], row[other]) in left[one][other] for one, other in pairs)


def _cover(left: _Pairs, row: Sequence[int]) -> None:
    for one, other in itertools.combinations(range(len(row)), 2):
        left[one][other].discard((row[one], row[other]))
