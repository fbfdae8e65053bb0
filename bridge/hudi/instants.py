"""The instants of a timeline, as the names of its files tell them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from payloads.backports import StrEnum

if TYPE_CHECKING:
    from collections.abc import Iterable

DELTA_COMMIT: Final = "deltacommit"
COMPLETES_AS: Final = {"compaction": "commit", "logcompaction": DELTA_COMMIT, "clustering": "replacecommit"}
"""The action as which a pending one completes."""
_INSTANT_FILE = re.compile(r"(\d+)(?:_(\d+))?(?:\.([a-z]+))??(?:\.(requested|inflight))?")
_COMMITS = frozenset({"commit", DELTA_COMMIT, "replacecommit"})


class State(StrEnum):
    """How far an instant has come."""

    REQUESTED = "REQUESTED"
    INFLIGHT = "INFLIGHT"
    COMPLETED = "COMPLETED"


_ORDER = list(State)


class Instant(NamedTuple):
    """One action on the timeline, in the last state that it reached.

    Attributes:
        requested: its time, which names its files; text that sorts.
        action: as named in that state: a pending `compaction` completes as `commit`.
        state: the last state.
        completed: when it completed; None where it did not, or the timeline (layout 1) does not say.
        file: the file of that state, in the timeline's folder.
    """

    requested: str
    action: str
    state: State
    completed: str | None
    file: str

    @property
    def is_completed(self) -> bool:
        """Whether it completed."""
        return self.state is State.COMPLETED

    @property
    def is_commit(self) -> bool:
        """Whether it writes data: a commit, delta commit or replace commit, pending or not."""
        return COMPLETES_AS.get(self.action, self.action) in _COMMITS


def instants_of(names: Iterable[str]) -> tuple[Instant, ...]:
    """Return the instants that file names tell, each in its last state."""
    found: dict[tuple[str, str], Instant] = {}
    for name in names:
        match = _INSTANT_FILE.fullmatch(name)
        if match is None or not (match[3] or match[4]):
            continue
        requested, completed, action, pending = match.groups()
        action = action or "commit"  # TS.inflight
        state = State(pending.upper()) if pending else State.COMPLETED
        key = requested, COMPLETES_AS.get(action, action)
        known = found.get(key)
        if known is None or _ORDER.index(state) >= _ORDER.index(known.state):
            found[key] = Instant(requested, action, state, completed, name)
    return tuple(sorted(found.values()))
