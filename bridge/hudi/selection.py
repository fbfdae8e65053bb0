"""What of a query's columns and predicate acts before the merge: columns to read, partitions and record keys to skip.

A predicate is applied to merged rows in any case; what is skipped before can hold no row that it selects. Versions of a
row share partition and record key, so a condition on those alone may act before the merge; one on another column may
not: it could drop the version that wins.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from bridge.config import MERGE_PROPERTY_PREFIX
from bridge.hudi.errors import UnreadableTableError
from bridge.hudi.partition_values import partition_column, values_of_path
from bridge.hudi.schema_evolution import arrow_of
from bridge.hudi.unmerged import record_merge
from bridge.merge import columns_of, columns_of_choice
from bridge.spark import META_COLUMNS, with_meta
from payloads import PayloadBridgeError
from payloads.builtin import DELETE_FIELD, IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.queries import Answer
    from bridge.hudi.slice_query import SliceQuery

_KEY = META_COLUMNS[2]
_OPERATION = "_hoodie_operation"
_MOST_KEYS = 10_000
"""A product of key values larger than this is not looked up."""


class Literal(NamedTuple):
    """A literal of a predicate.

    Attributes:
        name: its text.
        is_string: whether it is a string.
    """

    name: str
    is_string: bool


class Condition(NamedTuple):
    """One of the conditions that a predicate joins by AND.

    Attributes:
        sql: its text.
        columns: the columns that it names, in lower case as Spark compares names; None where it calls functions.
        values: where it says that a column has one of some values: column in lower case, literals.
    """

    sql: str
    columns: frozenset[str] | None
    values: tuple[str, tuple[Literal, ...]] | None


# -- columns


def narrowed(query: SliceQuery, columns: Collection[str] | None, where: Iterable[Condition]) -> SliceQuery:
    """Return the query that reads what the answer shows, the predicate names and the merge needs.

    Args:
        query: one of all columns.
        columns: what the answer shows; None for all.
        where: the conditions on it.
    """
    named = [condition.columns for condition in where]
    if columns is None or None in named:
        return query
    wanted = {name.lower() for name in columns}.union(*(names or () for names in named))
    every = [*META_COLUMNS, *query.schema.by_name]
    shown = frozenset(name for name in every if name.lower() in wanted)
    needed = _merge_columns(query)
    merged = query.schema if needed is None else columns_of(query.schema, shown | needed)
    return dataclasses.replace(query, schema=merged, shown=shown)


def _merge_columns(query: SliceQuery) -> frozenset[str] | None:
    """Return the columns by which versions merge; None for all: a merge is a call, or makes rows of several."""
    properties, plan = query.properties, query.plan
    config = properties.config(plan.release)
    payload = None if config.read.payload is None else plan.payload_ref(config.read.payload)
    if payload is not None and not payload.has_port(plan.release):
        return None  # a class of a jar, whatever its name
    try:
        rules = record_merge(query, with_meta(query.schema)).read_rules()
    except PayloadBridgeError:
        return None  # told where rows are merged
    chosen = [columns_of_choice(rule) for rule in rules]
    marker = (
        config.merge_properties.get(DELETE_FIELD)
        or properties.stored.get(DELETE_FIELD)
        or properties.stored.get(MERGE_PROPERTY_PREFIX + DELETE_FIELD)
    )
    fields = (*properties.key_fields, *properties.partition_fields, *config.ordering, *plan.ordering)
    named = (*fields, IS_DELETED, _OPERATION, *((marker,) if marker else ()))
    read = frozenset(name.partition(".")[0] for name in named)
    return None if None in chosen else read.union(*(names or () for names in chosen))


# -- record keys


def keyed(query: SliceQuery, where: Iterable[Condition]) -> SliceQuery:
    """Return the query that skips the versions of keys which the predicate excludes."""
    said = [condition.values for condition in where if condition.values is not None]
    sets = [found for found in (_record_keys(query, dict([each])) for each in said) if found is not None]
    together = _record_keys(query, dict(said)) if len(said) > 1 else None
    sets += [] if together is None else [together]
    return dataclasses.replace(query, keys=frozenset.intersection(*sets)) if sets else query


def _record_keys(query: SliceQuery, said: Mapping[str, tuple[Literal, ...]]) -> frozenset[str] | None:
    """Return the record keys that rows with such values can have; None where that can't be told."""
    if _KEY in said and len(said) == 1 and query.properties.has_meta_fields:
        return frozenset(value.name for value in said[_KEY]) if all(v.is_string for v in said[_KEY]) else None
    names = query.properties.key_fields
    if not names or not query.properties.derives_key_values or not all(name.lower() in said for name in names):
        return None
    texts = [_texts(arrow_of(query.schema), name, said[name.lower()]) for name in names]
    if None in texts or _product(texts) > _MOST_KEYS:
        return None
    combined = list(itertools.product(*(each or () for each in texts)))
    named = {",".join(f"{name}:{text}" for name, text in zip(names, key, strict=True)) for key in combined}
    return frozenset(named | ({key[0] for key in combined} if len(names) == 1 else set()))


def _product(texts: Sequence[Collection[str] | None]) -> int:
    total = 1
    for each in texts:
        total *= len(each or ())
    return total


def _texts(schema: pa.Schema, name: str, literals: Sequence[Literal]) -> list[str] | None:
    """Return literals as a record key has them; None where Spark would cast the column, or a key has other text."""
    index = schema.get_field_index(name)
    if index < 0:
        return None
    kind = schema.field(index).type
    if pa.types.is_string(kind):
        return [value.name for value in literals] if all(v.is_string and v.name for v in literals) else None
    is_number = pa.types.is_integer(kind) and all(not v.is_string and v.name.isdecimal() for v in literals)
    return [str(int(value.name)) for value in literals] if is_number else None


# -- partitions


def partition_rows(answer: Answer) -> tuple[pa.Schema, list[tuple[str, tuple[object, ...]]]]:
    """Return the partition columns whose values paths tell, and each partition's path and values.

    A partition whose values its path alone does not give is left out: it is always read.
    """
    query = answer.query
    arrow = arrow_of(with_meta(query.schema))
    fields = [name for name in query.properties.partition_fields if name in arrow.names]
    from_paths = set(query.paths_tell)
    if not from_paths:
        fields = [name for name in fields if _is_plain(query, arrow.field(name).type)]
    kinds = {name: pa.string() if name in query.text_columns else arrow.field(name).type for name in fields}
    rows = []
    for path in sorted({found.partition for found in answer.slices}):
        texts = values_of_path(path, query.properties.partition_fields, decode=query.commits is None)
        is_exact = from_paths or ("%" not in path and all(texts.get(name) for name in fields))
        if texts and is_exact:
            with contextlib.suppress(UnreadableTableError, ValueError, OverflowError):  # no value of Python's
                rows.append((path, tuple(_value(texts.get(name), kinds[name], path) for name in fields)))
    return pa.schema(kinds.items()), rows


def _is_plain(query: SliceQuery, kind: pa.DataType) -> bool:
    """Whether a path has the text of a stored value, so that a value is known from it."""
    return not query.properties.paths_are_formatted and (pa.types.is_string(kind) or pa.types.is_integer(kind))


def _value(text: str | None, kind: pa.DataType, path: str) -> object:
    return partition_column(text, kind, 1, path)[0].as_py()


def on_partitions(where: Iterable[Condition], names: Collection[str]) -> list[str]:
    """Return the conditions on partition columns alone, as texts."""
    known = {name.lower() for name in names}
    return [c.sql for c in where if c.columns and c.columns <= known]


def kept_slices(
    answer: Answer, where: Iterable[Condition], select: Callable[[pa.Table, list[str]], Collection[int]]
) -> list[FileSlice]:
    """Return the slices of partitions that the predicate can match.

    Args:
        answer: a query that is ready to run.
        where: the conditions.
        select: gives the numbers of the rows of a small table that all of some conditions select.
    """
    schema, rows = partition_rows(answer)
    texts = on_partitions(where, schema.names)
    if not texts or not rows:
        return answer.slices
    columns = [pa.array([values[i] for _, values in rows], field.type) for i, field in enumerate(schema)]
    chosen = select(pa.Table.from_arrays(columns, schema=schema), texts)
    excluded = {path for number, (path, _) in enumerate(rows) if number not in chosen}
    return [found for found in answer.slices if found.partition not in excluded]
