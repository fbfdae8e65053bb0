"""ReadInstant: what the timeline said when stored rows were read, and whether another writer has been there since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import ConflictError
from bridge.write.target import BATCH, RUN

if TYPE_CHECKING:
    from bridge.hudi import ActiveTimeline


class ReadInstant:
    """The commits of users on a timeline, as they were when it was listed.

    Attributes:
        latest: the last commit that rows were read of (requested time); None for an empty table.
        is_locked: whether Hudi's writer looks for other writers as it commits.
    """

    def __init__(self, path: str, timeline: ActiveTimeline, *, is_locked: bool = False) -> None:
        """Note the commits of a table."""
        self._path = path
        self.is_locked = is_locked
        self._timeline = timeline
        self._completed = {one.requested: one.is_completed for one in timeline.writes}
        self.latest = timeline.latest

    @property
    def completed(self) -> list[str]:
        """The commits that were complete (requested times), those of table services included."""
        done = {at for at, is_done in self._completed.items() if is_done}
        return sorted(done.union(one.requested for one in self._timeline.commits))

    def instant_of(self, batch: str) -> str | None:
        """Return the commit that has merged a batch, archived commits included.

        Raises:
            HudiTableError: the timeline can't be read.
        """
        return next((found for found, text in self._timeline.commits_with(BATCH) if text == batch), None)

    def check_before(self, now: ActiveTimeline) -> None:
        """Check, before a commit begins, that nobody has written since; not where Hudi's writer checks it.

        Raises:
            ConflictError: naming the instant.
        """
        found = [] if self.is_locked else self._others(now)
        if found:
            msg = (
                f"{self._path}: {', '.join(found)} of another writer came after {self.latest or 'the empty table'}, "
                "as of which the stored rows were read; nothing is written: merge the batch again"
            )
            raise ConflictError(msg)

    def commit_of(self, now: ActiveTimeline, run: str) -> str | None:
        """Return the completed commit of a run; None if there is none."""
        return next((found for found, text in now.commits_with(RUN) if text == run), None)

    def own_commit(self, now: ActiveTimeline, run: str) -> str:
        """Return the commit of a run, and check that nobody else has committed since, unless Hudi's writer has.

        Raises:
            ConflictError: naming both instants; or there is no commit of the run.
        """
        own = self.commit_of(now, run)
        if own is None:
            msg = (
                f"{self._path}: Hudi's writer ended without an error, and no commit on the timeline is of this run "
                f"({run}); look at the timeline before you merge the batch again"
            )
            raise ConflictError(msg)
        found = [one for one in self._others(now) if one != own]
        if found and not self.is_locked:
            msg = (
                f"{self._path}: the commit {own} of this batch was made without the rows of {', '.join(found)}, "
                f"which another writer made after {self.latest or 'the empty table'}; both commits stay: compare the "
                "keys of the batch, and let one writer at a time into this table"
            )
            raise ConflictError(msg)
        return own

    def _others(self, now: ActiveTimeline) -> list[str]:
        """Return the instants that are new since, have completed since, or have been rolled back since."""
        present = {one.requested: one.is_completed for one in now.writes}
        found = [at for at, is_done in present.items() if is_done > self._completed.get(at, -1)]
        first = now.start or min(present, default="")  # what is older was archived; a savepoint may keep its commit
        done = [at for at, was_done in self._completed.items() if was_done]
        is_only = len(done) == 1  # which is too few for Hudi to archive it: it was rolled back
        gone = [at for at in done if at not in present and (at > first or is_only)]
        return sorted({*found, *gone})
