"""Rules at work on the operands of laws: versions, stored rows and errors, each pair merged once.

Around a rule each kind of class does something of its own: what it makes of a delete, and which ordering value a made
record has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mergers.laws.rule_universe import Stater
from payloads.backports import assert_never
from payloads.ordering import NATURAL_ORDER
from payloads.records import RuleVersion, merged
from payloads.rules import Effect, Error

if TYPE_CHECKING:
    from mergers.laws.rule_universe import StatedRules
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
    """Runs rules on states, as Hudi's classes and modes do; each pair once."""

    def __init__(self, rules: StatedRules) -> None:
        self._rules = rules
        self._states: dict[Any, RuleState] = {}
        self._merged: dict[tuple[RuleState, RuleState], RuleState | None] = {}
        self._acted: dict[tuple[RuleState, RuleState], RuleState | None] = {}

    def of(self, version: RuleVersion) -> RuleState:
        """Return the state of a version."""
        return self._interned("version", version)

    def shown(self, state: RuleState) -> RuleState:
        """Return what is observable of a state, as the state that has no more."""
        return state

    def failed(self, fault: Error) -> RuleState:
        """Return the state of an error."""
        found = self._states.get(fault)
        if found is None:
            found = self._states[fault] = RuleState(None, fault)
        return found

    def row(self, record: Record | None) -> RuleState:
        """Return the state of a stored row, with the ordering value that a reader finds in it; None for none."""
        return self._interned("row", None if record is None else RuleVersion(record, self._rules.of_row(record)))

    def _interned(self, kind: str, version: RuleVersion | None) -> RuleState:
        key: Any = kind, None
        if version is not None:
            key = kind, repr(version.record), repr(version.ordering), version.marked
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = RuleState(version)
        return found

    def merge(self, older: RuleState, newer: RuleState) -> RuleState | None:
        """Return the version that the batch rule yields; None if it yields none."""
        if (older, newer) not in self._merged:
            failed = next((one for one in (older, newer) if one.fault), None)
            self._merged[older, newer] = failed or self._merge(older, newer)
        return self._merged[older, newer]

    def _merge(self, older: RuleState, newer: RuleState) -> RuleState | None:
        gives, version = self._result(self._rules.batch, older.version, newer.version)
        if isinstance(gives, Error):
            return self.failed(gives)
        return None if gives is None else self._kept(gives, version, older, newer)

    def _kept(self, gives: Gives, version: RuleVersion | None, older: RuleState, newer: RuleState) -> RuleState | None:  # noqa: ARG002 (each kind looks at others)
        """Return what a batch keeps of a merge that yields `version`, None for none."""
        return None if version is None else self.of(version)

    def act(self, row: RuleState, newer: RuleState) -> RuleState | None:
        """Return the stored row after a version came."""
        if (row, newer) not in self._acted:
            failed = next((one for one in (row, newer) if one.fault), None)
            self._acted[row, newer] = failed or self._act(row, newer)
        return self._acted[row, newer]

    def _act(self, row: RuleState, newer: RuleState) -> RuleState | None:
        if row.version is None:
            return self._inserted(newer)
        gives, version = self._result(self._rules.stored, row.version, newer.version)
        if isinstance(gives, Error):
            return self.failed(gives)
        if gives is Effect.SENTINEL or gives is Effect.CURRENT:
            return row
        return None if gives is None else self._stored(gives, version, newer)

    def _inserted(self, newer: RuleState) -> RuleState | None:
        """Return the row of a key that had none."""
        assert newer.version is not None  # noqa: S101 (no error)
        gives: Gives | None = Effect.INCOMING
        version: RuleVersion | None = newer.version
        if not self._rules.marks:
            gives, version = self._result(self._rules.alone, _NOTHING, newer.version)
        if isinstance(gives, Error):
            return self.failed(gives)
        return None if gives is None else self._as_row(version)

    def _stored(self, gives: Gives, version: RuleVersion | None, newer: RuleState) -> RuleState | None:  # noqa: ARG002 (as above)
        """Return the row that is stored in place of another one."""
        return self._as_row(version)

    def _as_row(self, version: RuleVersion | None) -> RuleState:
        if version is None or (self._rules.marks and version.marked):
            return self.row(None)
        return self.row(version.record)

    @property
    def ends(self) -> bool:
        """Whether a merge in a batch left nothing to merge with."""
        return False

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


class PayloadRun(RuleRun):
    """Runs the rules of a user's payload, as `payloads.user.RulePayload` does.

    A batch keeps a delete that a rule makes without data, with the ordering value of the newer version. What is
    stored as it came is the insert value. Of a delete only the ordering value shows.
    """

    def __init__(self, rules: StatedRules) -> None:
        super().__init__(rules)
        self._shown: dict[RuleState, RuleState] = {}

    def shown(self, state: RuleState) -> RuleState:
        """Return a delete without its data."""
        if state not in self._shown:
            version, shown = state.version, state
            if version is not None and version.record is not None and self._rules.deletes(version.record):
                shown = self.of(RuleVersion(None, version.ordering))
            self._shown[state] = shown
        return self._shown[state]

    def _kept(self, gives: Gives, version: RuleVersion | None, older: RuleState, newer: RuleState) -> RuleState:
        if gives in {Effect.CURRENT, Effect.SENTINEL}:
            return older
        if gives in {Effect.INCOMING, Effect.COPY}:
            return newer
        assert newer.version is not None  # noqa: S101 (no error)
        made = (None, newer.version.ordering) if version is None else (version.record, version.ordering)
        return self.of(RuleVersion(*made))

    def _stored(self, gives: Gives, version: RuleVersion | None, newer: RuleState) -> RuleState | None:
        return self._inserted(newer) if gives is Effect.INCOMING else self._as_row(version)


class MergerRun(RuleRun):
    """Runs the rule of a user's merger, as `mergers.compat.RuleMerger` does.

    A record that it makes is data with the ordering value of its columns. A delete that it makes leaves nothing to
    merge with: what follows stays as it is, and what it follows is gone.
    """

    def __init__(self, rules: StatedRules) -> None:
        super().__init__(rules)
        self._nothing = RuleState(RuleVersion(None, NATURAL_ORDER, marked=True))

    def shown(self, state: RuleState) -> RuleState:
        """Return the delete that nothing looks like."""
        return self.of(RuleVersion(None, NATURAL_ORDER, marked=True)) if state is self._nothing else state

    @property
    def ends(self) -> bool:
        """Whether a merge in a batch made a delete."""
        return self._nothing in self._merged.values()

    def _merge(self, older: RuleState, newer: RuleState) -> RuleState | None:
        return newer if self._nothing in {older, newer} else super()._merge(older, newer)

    def _kept(self, gives: Gives, version: RuleVersion | None, older: RuleState, newer: RuleState) -> RuleState:
        if gives in {Effect.CURRENT, Effect.SENTINEL}:
            return older
        if gives is Effect.INCOMING:
            return newer
        if version is None or version.record is None:
            return self._nothing
        return self.of(RuleVersion(version.record, self._rules.of_row(version.record)))

    def _act(self, row: RuleState, newer: RuleState) -> RuleState | None:
        return self.row(None) if newer is self._nothing else super()._act(row, newer)

    def _stored(self, gives: Gives, version: RuleVersion | None, newer: RuleState) -> RuleState | None:  # noqa: ARG002 (as above)
        marked = gives is Effect.INCOMING and version is not None and version.marked
        return self.row(None if version is None or marked else version.record)


def run_of(rules: StatedRules) -> RuleRun:
    """Return what runs rules as their class does."""
    match rules.stater:
        case Stater.HUDI | Stater.FOUND:
            return RuleRun(rules)
        case Stater.PAYLOAD:
            return PayloadRun(rules)
        case Stater.MERGER:
            return MergerRun(rules)
        case other:
            assert_never(other)
