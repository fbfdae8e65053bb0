"""Scope: the part of the batches that a run takes, chosen so that every answer for one of its keys is exact.

Every choice keeps or drops the versions of a key together, in all batches: partitions, keys that were written late,
and a share of the keys.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import COMMIT
from bridge.errors import InputError, PlanError
from bridge.pipeline.layout import join_rows
from bridge.programs import small_file_candidates
from bridge.redaction import shown_values
from bridge.spark import distinct_keys, functions, is_floating, quoted
from payloads.arguments import checked
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan
    from bridge.report import JsonObject

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
_DAY: Final = len("20241231")
_BITS: Final = 53  # all that a float distinguishes


@checked
@dataclasses.dataclass(frozen=True)
class Scope:
    """The keys of the batches that a run selects, with all of their versions.

    The hash of a key's values as text (Spark's xxhash64) decides whether it is in a sample. The sample is therefore the
    same in every run, configuration, release and engine, and a larger sample contains a smaller one.

    Attributes:
        partitions: the partitions, each as its columns with their values as text; empty for all. The condition is
            pushed down to the reader of the files.
        since: take the keys that have a version in this batch (name or prefix) or a later one; earlier batches are
            collapsed to their final rows. Of a real table: in this instant or a later one. None for all keys.
        keys_sample: take this share of the record keys, with all of their versions: by hash, so always the same keys;
            None for all keys.
    """

    partitions: tuple[Mapping[str, str], ...] = ()
    since: str | None = None
    keys_sample: float | None = None

    def __post_init__(self) -> None:
        """Check the share.

        Raises:
            PlanError: it is not above 0, or above 1.
        """
        if self.keys_sample is not None and not 0 < self.keys_sample <= 1:
            msg = f"a sample of {self.keys_sample:.6g} of the keys; give a share above 0 and at most 1, such as 0.01"
            raise PlanError(msg)

    @classmethod
    def of_paths(
        cls, plan: MergePlan, partitions: Iterable[str], *, since: str | None = None, keys_sample: float | None = None
    ) -> Scope:
        """Make a scope of partitions by their paths, such as `2024-01-01` or `country=de/day=3`.

        Args:
            plan: names the partition columns.
            partitions: take only the rows of these partitions: `2024-01-01`, or `country=de/day=3` or `de/3` for
                several columns.
            since: see the attribute.
            keys_sample: see the attribute.

        Raises:
            PlanError: a path does not have one value for each partition column.
        """
        return cls(tuple(_columns_of(path, plan.partition) for path in partitions), since, keys_sample)

    @property
    def chooses_keys(self) -> bool:
        """Whether keys are selected, not only partitions."""
        return self.since is not None or self.keys_sample is not None

    @property
    def is_sample(self) -> bool:
        """Whether a share of the keys stands for others, which are not checked."""
        return self.keys_sample is not None and self.keys_sample < 1

    def check(self, plan: MergePlan) -> None:
        """Refuse a scope that would separate versions of a key, or keys that affect each other.

        Raises:
            PlanError: saying why, and what to choose instead.
        """
        for one in self.partitions:
            if set(one) != set(plan.partition):
                msg = (
                    f"a partition of the scope names {', '.join(one) or 'no column'}, the table is partitioned by "
                    f"{', '.join(plan.partition) or 'nothing'}; give each partition column its value"
                )
                raise PlanError(msg)
        if self.partitions and plan.global_index:
            msg = "with a global index a key may move to other partitions; choose keys by a sample, not by partitions"
            raise PlanError(msg)
        if self.chooses_keys and small_file_candidates(plan.props):
            msg = "with small-file handling the keys of a partition affect each other; choose whole partitions"
            raise PlanError(msg)

    # -- filters

    def in_partitions(self, frame: DataFrame) -> DataFrame:
        """Return the rows of the partitions; a frame without these columns as it is, for a check to name them."""
        if not self.partitions or not set(self.partitions[0]) <= set(frame.columns):
            return frame
        matches = sf.lit(False)
        for one in self.partitions:
            matches |= _is(frame, one)
        return frame.where(matches)

    def narrow(self, versions: DataFrame, plan: MergePlan, names: Sequence[str], *, has_rows: bool) -> DataFrame:
        """Return what `of_keys` returns, if the scope suits the plan and has rows; `has_rows`: this is already known.

        Raises:
            InputError: the scope has no rows, or no batch matches `since`.
            PlanError: see `check`.
        """
        self.check(plan)
        chosen = self.of_keys(versions, plan, names)
        if not has_rows and chosen.isEmpty():
            msg = f"the batches have no row of {self.words(names)}; choose more"
            raise InputError(msg)
        return chosen

    def of_keys(self, versions: DataFrame, plan: MergePlan, names: Sequence[str]) -> DataFrame:
        """Return the versions of the keys that the scope chooses, of all batches with their numbers in `_pb_commit`.

        Raises:
            InputError: no batch has the name `since` or a later one.
        """
        if self.keys_sample is not None:
            kinds = [versions.schema[name] for name in plan.key]
            drawn = sf.shiftrightunsigned(sf.xxhash64(*map(_text, kinds)), 64 - _BITS)
            versions = versions.where(drawn < sf.lit(round(self.keys_sample * (1 << _BITS))))
        first = self.first(names)
        if first > 1:
            late = distinct_keys(versions.where(sf.col(COMMIT) >= first), plan.key)
            versions = join_rows(versions, late, plan.key, "leftsemi")
        return versions

    def first(self, names: Sequence[str]) -> int:
        """Return the number of the first batch whose keys are in the scope, from 1.

        Raises:
            InputError: no batch has the name `since`, or a later one.
        """
        if self.since is None:
            return 1
        if self.since in names:
            return names.index(self.since) + 1
        earliest = _rank(_as_instant(self.since, names))
        found = next((at for at, name in enumerate(names, start=1) if _rank(name) >= earliest), None)
        if found is None or not self.since:
            msg = f"no batch comes at or after {self.since!r}: there are {names[0]} to {names[-1]}; name one of them"
            raise InputError(msg)
        return found

    # -- words

    def words(self, names: Sequence[str]) -> str:
        """Say in a few words which keys are in the scope, of batches with these names."""
        sample = "" if self.keys_sample is None else f"a sample of {percent(self.keys_sample)} of "
        return f"{sample}{self.population(names)}"

    def population(self, names: Sequence[str]) -> str:
        """Say which keys a sample is taken from."""
        told = "the keys"
        if self.partitions:
            places = ["/".join(shown_values(one).values()) or "the empty partition" for one in self.partitions]
            told += f" in {places[0]}" if len(places) == 1 else f" in {', '.join(places[:-1])} and {places[-1]}"
        if self.since is not None:
            told += f" with a version in {names[self.first(names) - 1]} or later"
        return told if told != "the keys" else "all keys"

    def as_json(self) -> JsonObject:
        """Return the scope under the names of the options."""
        partitions = [shown_values(one) for one in self.partitions]
        return {"partitions": partitions, "since": self.since, "keys_sample": self.keys_sample}


def is_null(value: str) -> bool:
    """Whether the value of a partition column stands for null, and for the empty text."""
    return value in {"", _NULL}


def share(text: str) -> float:
    """Read a share of keys: `1%` or `0.01`.

    Raises:
        ValueError: it is neither.
    """
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def percent(number: float) -> str:
    """Write a share as a percentage of three digits."""
    return f"{number * 100:.3g}%"


def _columns_of(path: str, columns: Sequence[str]) -> dict[str, str]:
    values = path.strip("/").split("/")
    named = [value.partition("=") for value in values]
    if all(equals and name in columns for name, equals, _ in named):
        found = {name: value for name, _, value in named}
    else:
        found = dict(zip(columns, values, strict=False))
    near = "".join(did_you_mean(name, columns) for name, equals, _ in named if equals and name not in columns)
    if near or set(found) != set(columns) or len(values) != len(columns):
        msg = (
            f"{path!r} is not a partition of a table that is partitioned by {', '.join(columns) or 'nothing'}; "
            f"write {'/'.join(f'{name}=VALUE' for name in columns) or 'no partitions'}{near}"
        )
        raise PlanError(msg)
    return found


def _is(frame: DataFrame, values: Mapping[str, str]) -> Column:
    """Whether a row is in a partition; literals get the types of the columns, so that readers of files can compare."""
    matches = sf.lit(True)
    for name, value in values.items():
        kind, column = frame.schema[name].dataType, quoted(name)
        if is_null(value):
            is_text = isinstance(kind, spark_types.StringType)
            matches &= column.isNull() | (column == "") if is_text else column.isNull()
        else:
            wanted = sf.lit(value).cast(kind)
            if is_floating(frame, name):
                column, wanted = column.cast("string"), wanted.cast("string")
            matches &= column == wanted
    return matches


def _text(field: spark_types.StructField) -> Column:
    """Return a key column as text that depends on its value alone, not on the session's time zone."""
    is_instant = isinstance(field.dataType, spark_types.TimestampType)
    column = functions.unix_micros(quoted(field.name)) if is_instant else quoted(field.name)
    return column.cast("string")


def _as_instant(since: str, names: Sequence[str]) -> str:
    """Return when a year, a month or a day begins, in as many digits as the days or instants that name batches have."""
    digits = {len(name) if name.isdecimal() else 0 for name in names}
    return since.ljust(min(digits), "0") if since.isdecimal() and len(digits) == 1 and min(digits) >= _DAY else since


def _rank(name: str) -> tuple[float, str]:
    """Return what names of batches are compared by: numbers as numbers, and before texts."""
    return (float(name), "") if name.isdecimal() else (float("inf"), name)
