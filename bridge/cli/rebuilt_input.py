"""`--table` in place of `--batches`: the commits that the files of a table still hold, as batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.cli.needs import refuse_foreign, refuse_given
from bridge.cli.scope import scope_of
from bridge.cli.table_class import class_of
from bridge.cli.table_input import open_table, open_written
from bridge.compare import OF_NEW_TABLES, RebuiltCommits, rebuilt_commits, table_history
from bridge.hudi import HudiTable, TableQueries
from bridge.pipeline import Scope
from bridge.report import Severity
from bridge.spark import is_local, local_path
from payloads import PayloadRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bridge.cli.decorators import Options
    from bridge.plan import MergePlan
    from bridge.report import Report
    from payloads import HudiRelease

TABLE_WITHOUT_TRUST = (
    "is for batches: rows of a real --table have meta columns, about which the rule of a class says nothing; leave it "
    "out, so that the class itself runs"
)


def refuse_table_settings(*called: Callable[..., Any], taken: Iterable[str] = ()) -> None:
    """Refuse the options that say what a real table has itself: those that no function takes that it is given to.

    Raises:
        UsageError: naming the first that the user gave.
    """
    refuse_given(("trust_rule", "trust_sample"), TABLE_WITHOUT_TRUST)
    refuse_foreign(OF_NEW_TABLES, open_written, PayloadRef.__init__, *called, taken=taken)


class TableInput(NamedTuple):
    """What a verb replays of a table.

    Attributes:
        table: the table.
        plan: how it merges.
        rebuilt: its commits.
    """

    table: HudiTable
    plan: MergePlan
    rebuilt: RebuiltCommits

    def tell(self, report: Report) -> None:
        """Say in a report where the batches come from, and how much of the history is seen."""
        seen = table_history(self.table)
        report.plan["table"] = self.table.path
        report.statistics |= seen.to_report().statistics
        told = f"The batches are the commits that the files still hold. {seen.verdict} {self.rebuilt.assumption}"
        report.body.append(told.rstrip())
        if self.rebuilt.assumption:
            report.found(Severity.NOT_CHECKED)


def holds_rows(path: str) -> bool:
    """Whether there is a table with file slices, so that it has commits to rebuild.

    Raises:
        HudiTableError: it can't be read.
    """
    if is_local(path) and not local_path(path).is_dir():
        return False
    return bool(TableQueries(path).snapshot().slices)


def rebuilt_input(text: str, release: HudiRelease | None, options: Mapping[str, object]) -> TableInput:
    """Rebuild the commits of a table.

    Raises:
        UsageError: an option that the table answers itself, or the table is not there.
        InputError, PlanError, HudiTableError: its commits can't be rebuilt.
    """
    refuse_table_settings(HudiTable.plan, Scope.of_paths, taken=("on_error",))
    return rebuilt_of(text, release, options)


def rebuilt_of(path: str, release: HudiRelease | None, options: Options, plan: MergePlan | None = None) -> TableInput:
    """Rebuild the commits of a table, for the plan that a verb has made itself, else for the table's own.

    A verb that has made one changes the table, and refuses one whose files are not as they were written.

    Raises:
        UsageError: the table is not there.
        InputError, PlanError, HudiTableError: its commits can't be rebuilt.
    """
    table = open_table(path, release, refuses=plan is not None, call_timeout=options["call_timeout"])
    if plan is None:
        plan = table.plan(payload=class_of(options)["payload"], props=dict(options["props"]))
    return TableInput(table, plan, rebuilt_commits(table, scope_of(plan, None, options)))
