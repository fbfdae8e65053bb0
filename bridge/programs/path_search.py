"""Searching the paths of one key: its different results, the fewest versions that show them, the deciding step."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import InputError, ParameterError, PlanError
from bridge.merge import RecordMerge, StoredRow
from bridge.plan import TableType
from bridge.programs.key_timeline import KeyTimeline
from bridge.programs.path_walk import KeyHistory, Path, PathEnd, Walk
from bridge.programs.standard_paths import standard_paths
from mergers.laws import canonical, error_kind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from bridge.merge import MergePointError
    from bridge.plan import MergePlan
    from payloads import AvroSchema, Record

TRIES = 256
"""The number of choices up to which one, two or three versions that show a dependence are searched."""


class _Titled(enum.Enum):
    """A kind with an id, and what it is in words."""

    _value_: tuple[str, str]

    @property
    def id(self) -> str:
        """The id in JSON."""
        return self.value[0]

    @property
    def title(self) -> str:
        """The name."""
        return self.value[1]


class Change(_Titled):
    """The least that has to change for a key to end differently: its id, and what it is in words."""

    TABLE_TYPE = "table-type", "Table type"
    COMPACTION = "compaction", "Compaction"
    COMMITS = "commits", "Commits"


class PathKind(_Titled):
    """How the answers of a key differ: its id, and what such a key is, in words."""

    MISSING = "missing", "missing on some paths"
    FAILING = "failing", "failing on some paths"
    VALUES = "values", "with other values"


class PathEnding(enum.Enum):
    """What a query sees at the end of a path."""

    ROW = "row"
    NOTHING = "nothing"
    ERROR = "error"

    @classmethod
    def of(cls, answer: PathEnd) -> PathEnding:
        """Return it for an answer."""
        if answer.failure is not None:
            return cls.ERROR
        return cls.NOTHING if answer.row is None else cls.ROW


class KeyPaths(NamedTuple):
    """The answers of one key.

    Attributes:
        answers: the different ones, each with the path to it that is nearest to the batches as they are.
        is_complete: whether every state was followed; else there may be more answers.
        change: what leads from the first answer to the second; None where there is one.
    """

    answers: tuple[PathEnd, ...]
    is_complete: bool = True
    change: Change | None = None

    @property
    def kind(self) -> PathKind:
        """How the answers differ."""
        ends = {PathEnding.of(answer) for answer in self.answers}
        if PathEnding.ERROR in ends:
            return PathKind.FAILING
        return PathKind.MISSING if PathEnding.NOTHING in ends else PathKind.VALUES

    @property
    def failure(self) -> MergePointError | None:
        """The first failure, where every path ends in one."""
        fails = bool(self.answers) and all(answer.failure is not None for answer in self.answers)
        return self.answers[0].failure if fails else None

    @property
    def depends(self) -> bool:
        """Whether the answer depends on the path."""
        return len(self.answers) > 1 and self.failure is None


class Smallest(NamedTuple):
    """The smallest history that shows that the answer depends on the path.

    Attributes:
        history: some of the versions, in the batches that they came in.
        left: the answer of a path.
        right: another answer, of a path one step away: a compaction, two commits joined, or the table type.
    """

    history: KeyHistory
    left: PathEnd
    right: PathEnd


def key_paths(
    versions: Iterable[tuple[int, Record]],
    plan: MergePlan,
    schema: AvroSchema,
    table_types: Iterable[TableType] = tuple(TableType),
) -> KeyPaths:
    """Run the versions of one key through every path, without Spark.

    Up to 16 versions are split into commits in every possible way. With more versions, a commit has one version,
    one batch, two consecutive batches, or all versions. In either case the log is compacted after every possible set of
    commits. An error of a merge is the result of its paths.

    Args:
        versions: pairs of batch number, ascending, and record of physical Avro values, by arrival.
        plan: how versions merge; its table type is ignored, and so is Hudi's small-file rule, which looks at all keys
            of a partition.
        schema: the write schema.
        table_types: the table types whose paths are tried.

    Raises:
        PlanError: the plan has a global index, or fits no table.
        InputError: no versions are given, they belong to more than one key, or they are not in batch order.
        SchemaError: a record does not fit the schema.
        PayloadNotFoundError: the payload is compiled, and the plan is not one of `bridge.engines.in_driver`.
    """
    merge = RecordMerge(plan, schema)
    return PathSearch(merge, table_types).paths(history_of(versions, merge))


def smallest_history(
    versions: Iterable[tuple[int, Record]],
    plan: MergePlan,
    schema: AvroSchema,
    table_types: Iterable[TableType] = tuple(TableType),
) -> Smallest | None:
    """Drop versions of a key while its result still depends on the path; None if it never does.

    The arguments are those of `key_paths`.
    """
    merge = RecordMerge(plan, schema)
    return PathSearch(merge, table_types).smallest(history_of(versions, merge))


def history_of(versions: Iterable[tuple[int, Record]], merge: RecordMerge) -> KeyHistory:
    """Return the history of versions as `key_paths` takes them.

    Raises:
        InputError: `versions` is empty, has several keys, or is not in batch order.
        SchemaError: a record does not fit the schema.
    """
    numbered = list(versions)
    if not numbered:
        msg = "there is no version; give at least one"
        raise InputError(msg)
    batches = [number for number, _ in numbered]
    if batches != sorted(batches):
        given = ", ".join(map(str, batches))
        msg = f"the versions are not in batch order: {given}; sort them by batch number"
        raise InputError(msg)
    for _, record in numbered:
        merge.schema.validate(record)
    if len(found := list(dict.fromkeys(merge.key_of(record) for _, record in numbered))) > 1:
        first = " and ".join(repr(one.record_key) for one in found[:2])
        msg = f"the versions have {len(found)} keys, such as {first}; give those of one"
        raise InputError(msg)
    rows = [StoredRow(None, record, None, None, None, None) for _, record in numbered]
    return KeyHistory(found[0], rows, batches)


def check_plan(plan: MergePlan, table_types: Iterable[TableType] = tuple(TableType)) -> None:
    """Refuse a plan whose paths can't be searched, and table types that leave none.

    Raises:
        PlanError: saying why.
        ParameterError: there is no table type.
    """
    if not set(table_types):
        msg = "`table_types` is empty; name a table type, or leave it out to search both"
        raise ParameterError(msg)
    if plan.global_index:
        msg = "the paths of a key are those within one partition, and a global index moves it; leave it out"
        raise PlanError(msg)
    if plan.on_error == "quarantine":  # a key that fails on every path would count as one that depends on none
        msg = "with all paths a failing path is one of the results, and no key goes to quarantine; leave on_error out"
        raise PlanError(msg)


class PathSearch:
    """Searches histories by the calls of one plan, whose table type does not count."""

    def __init__(self, merge: RecordMerge, table_types: Iterable[TableType] = tuple(TableType)) -> None:
        """Bind the calls of each table type.

        Raises:
            PlanError, ParameterError: see `check_plan`.
        """
        chosen = set(table_types)
        check_plan(merge.plan, chosen)
        self._schema = merge.schema
        self._tables = {
            one: KeyTimeline(merge.with_plan(dataclasses.replace(merge.plan, table_type=one)))
            for one in TableType
            if one in chosen
        }

    def paths(self, history: KeyHistory) -> KeyPaths:
        """Return the answers of all paths; an error of a payload or merger is one."""
        nearest: dict[Hashable, tuple[tuple[int, int, int], PathEnd]] = {}
        is_complete = True
        for rank, (one, table) in enumerate(self._tables.items()):
            walk = Walk(table, one, history)
            for steps, answer in walk.ends():
                found = nearest.setdefault(kind := self._kind(answer), ((*steps, rank), answer))
                if (*steps, rank) < found[0]:
                    nearest[kind] = (*steps, rank), answer
            is_complete = is_complete and walk.is_complete
        found_by_steps = sorted(nearest.values(), key=_steps)
        change = _change(found_by_steps[1][0]) if len(found_by_steps) > 1 else None
        return KeyPaths(tuple(answer for _, answer in found_by_steps), is_complete, change)

    def standard(self, history: KeyHistory, found: KeyPaths) -> list[tuple[int, PathEnding]]:
        """Return what is at the end of each of `standard_paths`: the number of the answer, from 1, and what it shows.

        One that is not among the answers, where not every state was followed, has a number beyond theirs.
        """
        numbers = {self._kind(answer): number for number, answer in enumerate(found.answers, start=1)}
        paths = [one.of(history.batches) for one in standard_paths(self._tables)]
        ends = {path: self.answer(history, path) for path in dict.fromkeys(paths)}
        told = {
            path: (numbers.setdefault(self._kind(end), len(numbers) + 1), PathEnding.of(end))
            for path, end in ends.items()
        }
        return [told[path] for path in paths]

    def answer(self, history: KeyHistory, path: Path) -> PathEnd:
        """Return the answer of one path."""
        return Walk(self._tables[path.table_type], path.table_type, history).along(path)

    def smallest(self, history: KeyHistory) -> Smallest | None:
        """Return the smallest history; None if the answer does not depend on the path."""
        if not self.paths(history).depends:
            return None
        history = self._few(history) or self._fewer(history)
        first, second, *_ = self.paths(history).answers
        return self._one_step_apart(history, first.path, second.path)

    def _few(self, history: KeyHistory) -> KeyHistory | None:
        """Return the first one, two or three versions that show it, where these are few to try."""
        for size in (1, 2, 3):
            if math.comb(len(history), size) <= TRIES:
                for positions in itertools.combinations(range(len(history)), size):
                    if self.paths(chosen := history.chosen(positions)).depends:
                        return chosen
        return None

    def _fewer(self, history: KeyHistory) -> KeyHistory:
        """Drop runs of versions, half of them first, single ones last."""
        length = len(history) // 2
        while length:
            start = 0
            while start < len(history):
                rest = history.chosen(at for at in range(len(history)) if not start <= at < start + length)
                if self.paths(rest).depends:
                    history = rest
                else:
                    start += length
            length //= 2
        return history

    def _one_step_apart(self, history: KeyHistory, left: Path, right: Path) -> Smallest:
        """Go from one path to another by single steps; return the first two whose answers differ."""
        walks = {one: Walk(table, one, history) for one, table in self._tables.items()}
        answers = (walks[path.table_type].along(path) for path in self._between(left, right))
        for one, other in itertools.pairwise(answers):
            if self._kind(one) != self._kind(other):
                return Smallest(history, one, other)
        msg = f"the paths {left} and {right} have one answer"
        raise LookupError(msg)

    def _between(self, left: Path, right: Path) -> Iterator[Path]:
        """Give paths from `left` to `right`: without compactions, in one table type, commits split and joined."""
        plain = next(iter(self._tables))
        for count in range(len(left.compact_after), -1, -1):
            yield left._replace(compact_after=left.compact_after[:count])
        there, here = set(itertools.accumulate(right.commits)), set(itertools.accumulate(left.commits))
        yield Path(plain, left.commits)
        for end in sorted(here ^ there):
            here ^= {end}
            ends = sorted(here)
            yield Path(plain, tuple(end - start for start, end in itertools.pairwise((0, *ends))))
        for count in range(len(right.compact_after) + 1):
            yield right._replace(compact_after=right.compact_after[:count])

    def _kind(self, answer: PathEnd) -> Hashable:
        """Return what is equal for answers that are: rows by value and type, errors by their kind."""
        if answer.error is not None:
            return "error", error_kind(answer.error)
        if answer.row is None:
            return None
        # A row taken from a batch may have got meta columns on its way.
        record = answer.row.record or {}
        return canonical({name: record[name] for name in self._schema.by_name if name in record}, self._schema)


def _change(steps: tuple[int, int, int]) -> Change:
    """Return what changes on the way to an answer: commits joined or split, compactions, or the table type alone."""
    regrouped, compactions, _ = steps
    return Change.COMMITS if regrouped else Change.COMPACTION if compactions else Change.TABLE_TYPE


def _steps(found: tuple[tuple[int, int, int], PathEnd]) -> tuple[int, int, int]:
    return found[0]
