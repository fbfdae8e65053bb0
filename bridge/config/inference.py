"""How each release infers missing merge settings: merge mode, payload class and strategy id."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config.capabilities import capabilities
from bridge.config.keys import (
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGE_PROPERTY_PREFIX,
    ORDERING_FIELDS,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_CLASS,
    STRATEGY_ID,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.succession import BUILT_IN_STRATEGIES, DEFAULT, EVENT_TIME, OVERWRITE, successors_in
from mergers import PAYLOAD_BASED_MERGE_STRATEGY_UUID, RecordMergeMode
from mergers.api import STRATEGY_OF_MODE

if TYPE_CHECKING:
    from payloads.release import HudiRelease

_EVENT, _COMMIT, _CUSTOM = (
    RecordMergeMode.EVENT_TIME_ORDERING,
    RecordMergeMode.COMMIT_TIME_ORDERING,
    RecordMergeMode.CUSTOM,
)
_MODE_OF_STRATEGY = {strategy: mode for mode, strategy in STRATEGY_OF_MODE.items()}


class MergeSettings(NamedTuple):
    """The three settings that decide how records merge; None, or empty text, if not set."""

    mode: RecordMergeMode | None = None
    payload: str | None = None
    strategy: str | None = None


class InferredSettings(NamedTuple):
    """Settings after inference; only table version 9 leaves out the payload class or the strategy id."""

    mode: RecordMergeMode
    payload: str | None
    strategy: str | None


def mode_of_payload(payload: str, release: HudiRelease) -> RecordMergeMode | None:
    """Return the merge mode of a payload class; None for no class. EventTime is CUSTOM until 1.0."""
    if not payload:
        return None
    if payload == DEFAULT or (payload == EVENT_TIME and capabilities(release).event_time_payload):
        return _EVENT
    return _COMMIT if payload == OVERWRITE else _CUSTOM


def mode_of_strategy(strategy: str | None) -> RecordMergeMode | None:
    """Return the merge mode of a strategy id; None for no id."""
    return _MODE_OF_STRATEGY.get(strategy, _CUSTOM) if strategy else None


def payload_of_mode(mode: RecordMergeMode, payload: str | None, release: HudiRelease) -> str | None:
    """Return the payload class that a mode implies, given the one that is set."""
    if mode is _COMMIT:
        return OVERWRITE
    if mode is _EVENT:
        return EVENT_TIME if capabilities(release).event_time_payload and EVENT_TIME in (payload or "") else DEFAULT
    return payload


def strategy_of_mode(
    mode: RecordMergeMode, payload: str | None, strategy: str | None, *, strategy_first: bool
) -> str | None:
    """Return the strategy id that a mode implies; for CUSTOM the payload-based one or the one given.

    `strategy_first`: whether the given id comes before the payload class.
    """
    if mode is not _CUSTOM:
        return STRATEGY_OF_MODE[mode]
    by_payload = PAYLOAD_BASED_MERGE_STRATEGY_UUID if payload else None
    choice = (strategy, by_payload) if strategy_first else (by_payload, strategy)
    return next(filter(None, choice), None)


def infer(
    given: MergeSettings, ordering: tuple[str, ...], table_version: int, release: HudiRelease
) -> InferredSettings:
    """Complete the settings of a table below version 9; for 9 it is the first step of `infer_for_creation`.

    Raises:
        MergeConfigError: the settings contradict each other, or CUSTOM has nothing to merge with.
    """
    mode = _infer_mode(given, ordering, table_version, release)
    payload = payload_of_mode(mode, given.payload, release)
    strategy_first = capabilities(release, table_version).stored_modes
    strategy = strategy_of_mode(mode, payload, given.strategy, strategy_first=strategy_first)
    if mode is _CUSTOM:
        if not payload and not strategy:
            raise MergeConfigError.from_empty_custom()
        if not payload and strategy == PAYLOAD_BASED_MERGE_STRATEGY_UUID:
            raise MergeConfigError.from_missing_payload()
        payload = payload or DEFAULT
    return InferredSettings(mode, payload, strategy)


def infer_for_creation(
    given: MergeSettings, ordering: tuple[str, ...], table_version: int, release: HudiRelease
) -> dict[str, str]:
    """Return the table properties that a new table of version 9 stores.

    A deprecated payload class becomes its successor: an explicit mode that differs is ignored, and a strategy id
    that is not built in beats the class.

    Raises:
        MergeConfigError: as `infer`, or the table version is below 9.
    """
    if not capabilities(release, table_version).payload_successors:
        raise MergeConfigError.from_table_version(table_version)
    mode, _, strategy = infer(given, ordering, table_version, release)
    if not given.payload and mode is not _CUSTOM:
        return {MERGE_MODE.key: mode.name}
    if not given.payload or strategy not in BUILT_IN_STRATEGIES:
        # Mode CUSTOM: `infer` returns it only with a strategy id.
        return {MERGE_MODE.key: mode.name, STRATEGY_ID.key: strategy or ""}
    successor = successors_in(release).get(given.payload)
    if successor is None:
        return {
            MERGE_MODE.key: _CUSTOM.name,
            PAYLOAD_CLASS.key: given.payload,
            STRATEGY_ID.key: PAYLOAD_BASED_MERGE_STRATEGY_UUID,
        }
    return {
        MERGE_MODE.key: successor.mode.name,
        LEGACY_PAYLOAD_CLASS.key: given.payload,
        **({PARTIAL_UPDATE_MODE.key: successor.partial} if successor.partial else {}),
        **{MERGE_PROPERTY_PREFIX + key: value for key, value in successor.properties.items()},
        **({ORDERING_FIELDS.key: ",".join(successor.ordering)} if successor.ordering else {}),
    }


def infer_for_writes(
    given: MergeSettings, ordering: tuple[str, ...], table_version: int, release: HudiRelease
) -> InferredSettings:
    """Complete the settings of a writer: `infer`, but for table version 9 what `infer_for_creation` stores.

    Raises:
        MergeConfigError: as `infer`.
    """
    if not capabilities(release, table_version).payload_successors:
        return infer(given, ordering, table_version, release)
    stored = infer_for_creation(given, ordering, table_version, release)
    mode = RecordMergeMode[stored[MERGE_MODE.key]]
    return InferredSettings(mode, stored.get(PAYLOAD_CLASS.key), stored.get(STRATEGY_ID.key))


def _infer_mode(
    given: MergeSettings, ordering: tuple[str, ...], table_version: int, release: HudiRelease
) -> RecordMergeMode:
    mode, payload, strategy = given
    table = capabilities(release, table_version)
    by_payload, by_strategy = mode_of_payload(payload or "", release), mode_of_strategy(strategy)
    disagree = by_payload is not by_strategy and None not in {by_payload, by_strategy}
    if table.stored_modes and disagree and by_strategy is not _CUSTOM:
        raise MergeConfigError.from_payload_and_strategy(payload or "", strategy or "")
    choice = (by_strategy, by_payload) if table.stored_modes else (by_payload, by_strategy)
    inferred = next(filter(None, choice), None)
    if inferred is None:
        return mode or (_EVENT if ordering else _COMMIT)
    # In table version 9 the class decides on the mode of its successor, whatever mode is given.
    is_succeeded = table.payload_successors and payload in successors_in(release)
    if mode is not None and mode is not inferred and not is_succeeded:
        raise MergeConfigError.from_mode(mode, inferred, payload, strategy)
    return inferred
