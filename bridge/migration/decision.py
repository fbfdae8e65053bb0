"""migrate: the replacement for a payload class, accepted if a replay on given data gives the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.compare import is_release
from bridge.config import (
    PAYLOAD_CLASS,
    RECORD_KEY,
    WRITE_PAYLOAD_CLASS,
    TableMergeConfig,
    TargetMode,
    capabilities,
    created_by_sql,
    created_properties,
    given_settings,
    to_sql,
)
from bridge.errors import ParameterError, PlanError
from bridge.migration.candidates import candidates_for
from bridge.migration.generated import asked_class, generated
from bridge.migration.mode_matches import mode_matches
from bridge.migration.path_agreement import path_agreement
from bridge.migration.plan import plan_migration
from bridge.migration.report import MigrateReport
from bridge.migration.skeletons import java_skeletons
from bridge.migration.trials import Attempt, Evidence, closest, is_equal
from bridge.pipeline import as_batches
from bridge.programs import check_upgrade, is_downgrade
from bridge.spark import META_COLUMNS
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bridge.migration.candidates import Candidate
    from bridge.migration.plan_report import MigrationPlan
    from bridge.migration.trials import Trial
    from bridge.pipeline import BatchesLike
    from bridge.plan import MergePlan, TableType
    from mergers import RecordMergeMode
    from payloads.jars import JarPaths


def migrate(  # noqa: PLR0913 (one parameter an option of the verb)
    left: MergePlan,
    to: str | HudiRelease | RecordMergeMode = HudiRelease.latest(),
    *,
    merger: str | None = None,
    properties: Mapping[str, str] | None = None,
    batches: BatchesLike | None = None,
    upgrade_after: int | None = None,
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
    all_paths: bool = False,
    table_types: Sequence[TableType] = (),
    accept_differences: bool = False,
    sample: int | None = None,
    java_class: str | None = None,
) -> MigrateReport:
    """Find the replacement for a payload class, and try it on data. No table is changed.

    Args:
        left: the payload class, its release, and how its table merges.
        to: a release, a merge mode, or a user's merger as `package.module:Class`.
        merger: a user's merger that is tried last, if `to` is a release.
        properties: what the table stores; None: what `left.release` stores in a new one.
        batches: the batches to try the candidates on, or one DataFrame a batch; None: nothing is tried.
        upgrade_after: the table itself is tried, upgraded after this batch; after the last one (`last` on the command
            line) only the reader is upgraded. None: a new table.
        keep_table_version: the new release writes the table without upgrading it.
        compact_after: the batches after which the log of a merge-on-read table is compacted.
        all_paths: compare the paths of `bridge.all_paths` under the class and under the merger that states its rule,
            else under what is recommended. Needs batches.
        table_types: those to try; by default that of `left`.
        accept_differences: take the candidate with the fewest differences if none is equal.
        sample: how many differences of each trial to fetch; None: all. They are fetched if they are accepted.
        java_class: the compiled class, if the payload is its Python twin.

    Raises:
        PlanError: the settings contradict each other.
        MergeConfigError: the settings of the table contradict each other.
        PayloadBridgeError, PySparkException: the payload class fails on the data in its own release.
    """
    target = str(getattr(to, "value", to))
    check_twin(left, java_class)
    candidates = candidates_for(left, target, merger)
    types = tuple(table_types) or (left.table_type,)
    trials: tuple[Trial, ...] = ()
    evidence: Evidence | None = None
    if batches is not None:
        evidence = Evidence(as_batches(batches), upgrade_after, keep_table_version, tuple(compact_after), all_paths)
        if evidence.batches.statements:
            msg = "migrate does not try a MERGE INTO; replay its batches with the two sides"
            raise PlanError(msg)
    asked = asked_class(left, evidence)
    matches = () if asked.rules is None else mode_matches(asked.rules, candidates)
    by_rule = [one.candidate for one in matches if one.is_whole]
    candidates = (*by_rule, *(one for one in candidates if one not in by_rule))
    if evidence is None:
        chosen = by_rule[0] if by_rule else _first(candidates)
    else:
        if evidence.upgrade_after is not None:
            candidates = of_upgrade(candidates, left, target)
        attempt = Attempt(left, evidence, sample if accept_differences else 0)
        trials = attempt.until_equal(candidates, types)
        chosen = closest(candidates, trials)
        if chosen is not None and accept_differences:
            trials = (*trials, *attempt.rest(chosen, types, trials))
    writer = left.writer_options() | ({WRITE_PAYLOAD_CLASS.key: java_class} if java_class else {})
    kept = next((one for one in candidates if one.keeps_payload), chosen or candidates[0])
    made = generated(asked, matches, left, kept, types, evidence, java_class)
    has_better = made.gives_old_rows and _is_free(target, evidence) and chosen and not is_equal(chosen, trials)
    if made.candidate is not None and (chosen is None or has_better):
        chosen, trials = made.candidate, (*trials, *made.trials)
    paths = made.paths
    if paths is None and evidence is not None and all_paths and chosen is not None:
        paths = path_agreement(left, chosen.plan, evidence.batches, types)
    move = None if chosen is None else _Move(left, chosen, writer, evidence)
    new_tables = {} if move is None else {one: move.new_table(one) for one in types}
    return MigrateReport(
        left=left,
        recommended=chosen,
        trials=trials,
        accepts_differences=accept_differences,
        plans={} if move is None else {one: move.plan(one, properties) for one in types},
        new_tables={one: options for one, options in new_tables.items() if options},
        refused=_refused(candidates, trials) if chosen is None else "",
        generated=made,
        to=target,
        evidence=evidence,
        paths=paths,
    )


def check_twin(left: MergePlan, java_class: str | None) -> None:
    """Reject a compiled class in addition to a compiled payload, and invalid class names.

    Raises:
        PlanError: saying which.
    """
    if java_class is None:
        return
    if ":" not in left.payload_name:
        msg = f"{left.payload_name} is a compiled class itself; leave out {java_class}, which is for a Python payload"
        raise PlanError(msg)
    java_skeletons(java_class, "")


def of_upgrade(candidates: tuple[Candidate, ...], left: MergePlan, to: str) -> tuple[Candidate, ...]:
    """Return the candidate that an upgrade itself gives: the table then has no other mode.

    Raises:
        PlanError: the target is not a release, or not an upgrade.
    """
    if not is_release(to):
        msg = f"an upgrade goes to a release, not to {to}; leave out `upgrade_after`"
        raise ParameterError(msg)
    kept = tuple(one for one in candidates if one.keeps_payload)
    if is_downgrade(left, kept[0].plan):
        msg = f"Hudi {to} is older than {left.release}, and a migration goes to a later release; replay has downgrades"
        raise PlanError(msg)
    check_upgrade(left, kept[0].plan)
    return kept


def _is_free(target: str, evidence: Evidence | None) -> bool:
    """Whether the user named no merge mode or merger, and no upgrade decides how the table merges."""
    return is_release(target) and (evidence is None or evidence.upgrade_after is None)


def _first(candidates: tuple[Candidate, ...]) -> Candidate | None:
    """Return what to recommend without data: what Hudi makes of the class, if the release has it."""
    kept = next((one for one in candidates if one.keeps_payload), candidates[0])
    return None if kept.refused else kept


def _refused(candidates: Sequence[Candidate], trials: Sequence[Trial]) -> str:
    reasons = [trial.refused for trial in trials] or [candidate.refused for candidate in candidates]
    return next(filter(None, reversed(reasons)), "")


# -- what to do


@dataclass(frozen=True)
class _Move:
    """A table that moves to a candidate; `writer`: the options of its writer."""

    left: MergePlan
    candidate: Candidate
    writer: Mapping[str, str]
    evidence: Evidence | None

    def plan(self, table_type: TableType, stored: Mapping[str, str] | None) -> MigrationPlan:
        """Plan the move to the settings that were tried: those that an upgrade does not reach are set after it."""
        before = created_properties(self.writer, table_type, self.left.release) if stored is None else stored
        made = self._to(before, self.candidate.target)
        is_upgrade = self.evidence is not None and self.evidence.upgrade_after is not None
        release = self.candidate.plan.release
        has_successors = capabilities(release, made.to_version).payload_successors
        if is_upgrade or self.candidate.target is not None or not has_successors:
            return made
        wanted = _table(created_properties(self.writer, table_type, release))
        if wanted.mode is None or _rules(wanted) == _rules(_table(made.after)):
            return made
        return self._to(before, TargetMode(wanted.mode, wanted.partial_update_mode, wanted.merge_properties))

    def new_table(self, table_type: TableType) -> dict[str, str]:
        """Return the TBLPROPERTIES of a new table that merges so; empty if CREATE TABLE can't make it."""
        release, table = self.candidate.plan.release, self.candidate.plan.table
        options: Mapping[str, str] = self.writer
        if self.candidate.target is not None:
            options = self.candidate.plan.writer_options()
        properties = None if table is None else table.properties
        if properties is not None:
            options = {}
        stored = created_properties(options, table_type, release, tblproperties=properties)
        # Without data there may be no key; the meta column replaces it.
        key = ",".join(name for name in self.left.key if name not in META_COLUMNS)
        given = {**stored, **_given(properties or options, release), RECORD_KEY.key: key}
        sql = to_sql(given, release)
        return sql if _rules(_table(created_by_sql(sql, release))) == _rules(table or _table(stored)) else {}

    def _to(self, before: Mapping[str, str], mode: TargetMode | None) -> MigrationPlan:
        keeps = self.evidence is not None and self.evidence.keep_table_version
        return plan_migration(
            before,
            self.candidate.plan.release,
            self.writer,
            self.left.release,
            keep_table_version=keeps,
            mode=mode,
            jar=self._jar(),
        )

    def _jar(self) -> JarPaths:
        """Return where the compiled class of the payload is; some name, where the user names a class alone.

        Their class in Python has run by now: that the table will have its name is no reason to call it unknown.
        """
        payload = self.left.payload
        if (
            payload is None
            or not (payload.is_compiled or payload.is_builtin)
            or self.writer[WRITE_PAYLOAD_CLASS.key] != self.left.writer_options()[WRITE_PAYLOAD_CLASS.key]
        ):
            return "a jar of the user"
        return payload.jars or payload.package or None


def _given(options: Mapping[str, str], release: HudiRelease) -> dict[str, str]:
    """Return the payload class of options as a table states it; its successor depends on it alone."""
    payload = given_settings(options, release).payload
    return {PAYLOAD_CLASS.key: payload} if payload else {}


def _table(properties: Mapping[str, str]) -> TableMergeConfig:
    return TableMergeConfig.from_properties(properties)


def _rules(table: TableMergeConfig) -> tuple[object, ...]:
    return table.mode, table.payload, table.partial_update_mode, table.merge_properties
