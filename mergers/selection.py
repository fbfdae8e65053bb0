"""Engine-aware selection (RFC-46): the implementation for an engine, given a strategy and a list of implementations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mergers.api import STRATEGY_OF_MODE, HoodieRecordType, RecordMergeMode
from mergers.errors import MergerConfigError, MergerNotFoundError
from mergers.registry import resolve_merger
from payloads.arguments import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.api import HoodieRecordMerger
    from mergers.registry import MergerRef


def strategy_id(strategy: str | RecordMergeMode) -> str:
    """Return the UUID of a strategy that is given as UUID, merge mode or name of a merge mode.

    CUSTOM gives the generic UUID of custom mergers; a merger with a UUID of its own is requested by that.

    Raises:
        MergerConfigError: the strategy is empty.
    """
    if not strategy:
        msg = "the merge strategy is empty; give its UUID or a merge mode"
        raise MergerConfigError(msg)
    if isinstance(strategy, str):
        if strategy not in RecordMergeMode.__members__:
            return strategy
        strategy = RecordMergeMode[strategy]
    return STRATEGY_OF_MODE[strategy]


@checked
def select_merger(
    strategy: str | RecordMergeMode,
    engine: HoodieRecordType | str,
    implementations: Iterable[HoodieRecordMerger | type | str | MergerRef],
) -> HoodieRecordMerger:
    """Return the first implementation of `strategy` for `engine`, else the first one for Avro records.

    Args:
        strategy: UUID or merge mode of the table.
        engine: the engine's record type.
        implementations: mergers, their classes, or their names, in order of preference.

    Raises:
        MergerNotFoundError: no implementation fits; the message lists what is registered.
        MergerConfigError: one of the implementations is not a merger, or the engine has no such record type.
    """
    wanted, form = strategy_id(strategy), _record_type(engine)
    registered = [resolve_merger(implementation) for implementation in implementations]
    same_strategy = [merger for merger in registered if merger.merging_strategy == wanted]
    accepted_types = dict.fromkeys((form, HoodieRecordType.AVRO))
    for accepted in accepted_types:
        for merger in same_strategy:
            if merger.record_type is accepted:
                return merger
    known = "; ".join(map(_described, registered)) or "nothing"
    forms = " or ".join(accepted.value for accepted in accepted_types)
    msg = f"no merger has the strategy {wanted} for {forms} records; registered: {known}; register one that has"
    raise MergerNotFoundError(msg)


@checked
def runnable_here(merger: HoodieRecordMerger) -> HoodieRecordMerger:
    """Return `merger` if PySpark can run it; called before any merger runs.

    Raises:
        MergerConfigError: it merges FLINK records.
    """
    if merger.record_type is HoodieRecordType.FLINK:
        msg = f"{_described(merger)}: FLINK records exist only in Flink; register an AVRO or SPARK implementation too"
        raise MergerConfigError(msg)
    return merger


@dataclass(frozen=True, slots=True)
class MergerConfig:
    """How a table merges: a fixed strategy, and its implementations, which may change.

    Attributes:
        strategy: UUID; a merge mode is turned into its UUID.
        implementations: what `select_merger` takes, in order of preference.
    """

    strategy: str
    implementations: tuple[HoodieRecordMerger | type | str | MergerRef, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "strategy", strategy_id(self.strategy))
        object.__setattr__(self, "implementations", tuple(self.implementations))

    def with_implementations(self, *implementations: HoodieRecordMerger | type | str | MergerRef) -> MergerConfig:
        """Return this configuration with other implementations of its strategy."""
        return replace(self, implementations=implementations)

    def with_strategy(self, strategy: str | RecordMergeMode) -> MergerConfig:
        """Return this configuration, if `strategy` is the one that it has.

        Raises:
            MergerConfigError: it is another one: rows that are stored were merged by the old one.
        """
        wanted = strategy_id(strategy)
        if wanted != self.strategy:
            msg = (
                f"the table merges by the strategy {self.strategy}, which can't be changed to {wanted}; "
                "change the implementations, or write a new table"
            )
            raise MergerConfigError(msg)
        return self

    def select(self, engine: HoodieRecordType | str) -> HoodieRecordMerger:
        """Return the implementation for `engine`; errors as in `select_merger`."""
        return select_merger(self.strategy, engine, self.implementations)


def _record_type(engine: HoodieRecordType | str) -> HoodieRecordType:
    try:
        return HoodieRecordType(engine.upper()) if isinstance(engine, str) else HoodieRecordType(engine)
    except ValueError as error:
        known = ", ".join(member.value for member in HoodieRecordType)
        msg = f"unknown record type {engine!r}; use one of {known}"
        raise MergerConfigError(msg) from error


def _described(merger: HoodieRecordMerger) -> str:
    target = getattr(merger, "target", merger)
    return f"{type(target).__name__} ({merger.merging_strategy}, {merger.record_type.value})"
