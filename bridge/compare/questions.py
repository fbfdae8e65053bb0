"""What a comparison counts: one upgrade has another count under each question, so a verdict names its own."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from bridge.report import Table

if TYPE_CHECKING:
    from typing_extensions import Self


class Question(enum.Enum):
    """What is counted, as a scenario; `ways` says how all of them are asked.

    Attributes:
        value: its name in JSON.
        scenario: the scenario in words.
        counts: what is counted.
        ask: how it is asked.
        proof: what the answer proves; empty where its figures decide that.
    """

    scenario: str
    counts: str
    ask: str
    proof: str

    READERS = (
        "readers",
        "as the files are read by Hudi {to}",
        "rows that queries show differently once readers are upgraded, before any write",
        "replay --table TABLE --to R",
        (
            "Exact for the files as they are: queries show these rows if readers are upgraded first, and the upgrade's "
            "compaction stores them, unless a compaction is pending or the table has a schema history (rehearse it "
            "then). Rows still to be written are not covered."
        ),
    )
    BATCHES = (
        "batches",
        "new batches after the upgrade",
        "keys of new batches that end differently if the new release upgrades the table as it writes them",
        "replay --table TABLE --batches NEXT --to R",
        (
            "Exact for these batches: the first write finds the table's rows and log entries of their keys, and "
            "upgrades the table. For rows that no batch touches, run replay --table without --batches."
        ),
    )
    HISTORY = (
        "history",
        "from the first batch that the files still hold",
        "keys that end differently if the new release had written the commits that the files still hold",
        "replay --table TABLE --history --to R",
    )
    UPGRADED = (
        "upgraded",
        "new batches after the upgrade, which follows batch {after}",
        "keys that end differently if the table is upgraded between the batches",
        "replay --batches ALL --to R --upgrade-after N",
    )
    FIRST = (
        "first",
        "from the first batch on",
        "keys that end differently if each release writes all batches to its own table",
        "replay --batches ALL --to R, and migrate",
    )

    def __new__(cls, word: str, scenario: str, counts: str, ask: str, proof: str = "") -> Self:
        """Make a member whose value is its word."""
        made = object.__new__(cls)
        made._value_ = word
        made.scenario, made.counts, made.ask, made.proof = scenario, counts, ask, proof
        return made

    @property
    def is_of_table(self) -> bool:
        """Whether it is asked of a real table."""
        return self in {Question.READERS, Question.BATCHES, Question.HISTORY}

    @property
    def ways(self) -> Table:
        """What is counted here, and the other counts that the same upgrade has."""
        ordered = [self, *(one for one in Question if one is not self)]
        rows = [(one.counts, "this one" if one is self else one.ask) for one in ordered]
        return Table(("counted", "command"), rows, "One upgrade has several counts")


def question_of(upgrade_after: int | None) -> Question:
    """Return what a comparison of batches counts: an existing table is upgraded before the first."""
    if upgrade_after is None:
        return Question.FIRST
    return Question.UPGRADED if upgrade_after else Question.BATCHES
