"""Rules at work on the operands of laws: versions, stored rows and errors, each pair merged once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from payloads.ordering import NATURAL_ORDER
from payloads.records import RuleVersion, merged
from payloads.rules import Effect, Error

if TYPE_CHECKING:
    from mergers.laws.stated import StatedRules
    from payloads.avro import Record
    from payloads.rules import Gives, MergeRule

_NOTHING: Final = RuleVersion(None, NATURAL_ORDER)


class RuleState:
    """A version, a stored row or an error; equal ones are one object."""

    __slots__ = ("fault", "version")

    def __init__(self, version: RuleVersion | None, fault: Error | None = None) -> None:
        self.version = version
        self.fault = fault


class RuleRun:
    """Runs rules on states; each pair once."""

    def __init__(self, rules: StatedRules) -> None:
        self._rules = rules
        self._states: dict[Any, RuleState] = {}
        self._merged: dict[tuple[RuleState, RuleState], RuleState | None] = {}
        self._acted: dict[tuple[RuleState, RuleState], RuleState | None] = {}

    def of(self, version: RuleVersion | None, fault: Error | None = None) -> RuleState:
        """Return the state of a version, a stored row (None for none), or an error."""
        key: Any = fault
        if version is not None:
            key = (repr(version.record), repr(version.ordering), version.marked)
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = RuleState(version, fault)
        return found

    def row(self, record: Record | None) -> RuleState:
        """Return the state of a stored row, with the ordering value that a reader finds in it."""
        return self.of(None if record is None else RuleVersion(record, self._rules.carried(record)))

    def merge(self, older: RuleState, newer: RuleState) -> RuleState | None:
        """Return the version that the batch rule yields; None if it yields none."""
        if (older, newer) not in self._merged:
            self._merged[older, newer] = self._merge(older, newer)
        return self._merged[older, newer]

    def _merge(self, older: RuleState, newer: RuleState) -> RuleState | None:
        failed = next((one for one in (older, newer) if one.fault), None)
        if failed is not None:
            return failed
        gives, version = self._result(self._rules.batch, older.version, newer.version)
        if isinstance(gives, Error):
            return self.of(None, gives)
        return None if version is None else self.of(version)

    def act(self, row: RuleState, newer: RuleState) -> RuleState | None:
        """Return the stored row after a version came."""
        if (row, newer) not in self._acted:
            self._acted[row, newer] = self._act(row, newer)
        return self._acted[row, newer]

    def _act(self, row: RuleState, newer: RuleState) -> RuleState | None:
        failed = next((one for one in (row, newer) if one.fault), None)
        if failed is not None:
            return failed
        rules, version = self._rules, newer.version
        gives: Gives | None = Effect.INCOMING
        if row.version is not None:
            gives, version = self._result(rules.stored, row.version, version)
        elif not rules.marks:
            gives, version = self._result(rules.alone, _NOTHING, version)
        if gives is None:
            return None
        if isinstance(gives, Error):
            return self.of(None, gives)
        if gives is Effect.SENTINEL or (gives is Effect.CURRENT and row.version is not None):
            return row
        if version is None or version.record is None or (rules.marks and version.marked):
            return self.of(None)
        return self.row(version.record)

    def versions_made(self) -> list[RuleState]:
        """Return what merges in a batch came to."""
        return [state for state in self._merged.values() if state is not None]

    def rows_made(self) -> list[RuleState]:
        """Return the stored rows that versions left."""
        return [state for state in self._acted.values() if state is not None]

    def _result(
        self, rule: MergeRule | None, older: RuleVersion | None, newer: RuleVersion | None
    ) -> tuple[Gives | None, RuleVersion | None]:
        assert rule is not None and older is not None and newer is not None  # noqa: S101, PT018 (`_missing` says so)
        found = merged(rule, older, newer, self._rules.schema)
        return (None, None) if found is None else found
