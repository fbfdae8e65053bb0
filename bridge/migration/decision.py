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
from bridge.errors import PlanError
from bridge.migration.generated import asked_class, generated
from bridge.migration.mode_matches import mode_matches
from bridge.migration.path_agreement import path_agreement
from bridge.migration.plan import plan_migration
from bridge.migration.report import MigrateReport
from bridge.migration.request import migrate_request, tried_types
from bridge.migration.trials import Attempt, Evidence, closest, is_equal
from bridge.pipeline import as_batches, only_upserts
from bridge.spark import META_COLUMNS
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bridge.migration.candidates import Candidate
    from bridge.migration.plan_report import MigrationPlan
    from bridge.migration.trials import Trial
    from bridge.pipeline import BatchesLike, BatchNumber
    from bridge.plan import MergePlan, TableType
    from mergers import RecordMergeMode
    from payloads.jars import JarPaths


def migrate(  # noqa: PLR0913 (one parameter an option of the verb)
    plan: MergePlan,
    to: str | HudiRelease | RecordMergeMode = HudiRelease.latest(),
    batches: BatchesLike | None = None,
    *,
    merger: str | None = None,
    properties: Mapping[str, str] | None = None,
    upgrade_after: BatchNumber | None = None,
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
    all_paths: bool = False,
    table_types: Sequence[TableType] = (),
    accept_differences: bool = False,
    sample: int | None = None,
    java_class: str | None = None,
) -> MigrateReport:
    """Find the replacement for a payload class, and try it on data. No table is changed.

    Args:
        plan: the payload class, its release, and how its table merges.
        to: a release, a merge mode, or your own merger as `package.module:Class`.
        batches: the batches to try the candidates on, or one DataFrame a batch; None: nothing is tried. What follows
            `properties` is for batches, except `table_types` and `java_class`.
        merger: your own merger, tried after all others if `to` is a release with merge modes for tables of version 9.
        properties: what the table stores; None: what `plan.release` stores in a new one.
        upgrade_after: upgrade the table after this batch, and try that in place of a new table; after the last batch
            (`last`) only the reader is upgraded. None: a new table.
        keep_table_version: the new release writes the table without upgrading it.
        compact_after: the batches after which the log of a merge-on-read table is compacted.
        compact_every: see `replay`.
        all_paths: also compare all paths through the table (its type, compactions, ways of splitting the rows of a key
            into batches) under the class and under its replacement, which takes several times as long.
        table_types: the table types to try; by default that of `properties`, else that of `plan`.
        accept_differences: take the candidate with the fewest differences if none is equal.
        sample: how many of the accepted differences to fetch; None for all.
        java_class: the compiled class, if the payload is its Python port.

    Raises:
        ParameterError: a parameter has no effect beside the others, or names a batch that does not exist.
        PlanError: the target is impossible, or the class can't be tried on these batches.
        MergeConfigError: the settings of the table contradict each other.
        PayloadBridgeError, PySparkException: the payload class fails on the data in its own release.
    """
    target = str(getattr(to, "value", to))
    types = tried_types(properties, table_types, plan.table_type)
    written = None if batches is None else as_batches(batches)
    candidates, course = migrate_request(
        plan,
        target,
        None if written is None else len(written),
        types,
        merger=merger,
        upgrade_after=upgrade_after,
        keep_table_version=keep_table_version,
        compact_after=compact_after,
        compact_every=compact_every,
        all_paths=all_paths,
        accept_differences=accept_differences,
        sample=sample,
        java_class=java_class,
    )
    trials: tuple[Trial, ...] = ()
    evidence: Evidence | None = None
    if written is not None and course is not None:
        if written.statements:
            msg = "migrate does not try a MERGE INTO; replay its batches with the two sides"
            raise PlanError(msg)
        if all_paths:
            only_upserts(written, "a search of all paths")
        evidence = Evidence(written, course, all_paths)
    asked = asked_class(plan, evidence)
    matches = () if asked.rules is None else mode_matches(asked.rules, candidates)
    by_rule = [one.candidate for one in matches if one.is_whole]
    candidates = (*by_rule, *(one for one in candidates if one not in by_rule))
    if evidence is None:
        chosen = by_rule[0] if by_rule else _first(candidates)
    else:
        attempt = Attempt(plan, evidence, sample if accept_differences else 0)
        trials = attempt.until_equal(candidates, types)
        chosen = closest(candidates, trials)
        if chosen is not None and accept_differences:
            trials = (*trials, *attempt.rest(chosen, types, trials))
    writer = plan.writer_options() | ({WRITE_PAYLOAD_CLASS.key: java_class} if java_class else {})
    kept = next((one for one in candidates if one.keeps_payload), chosen or candidates[0])
    made = generated(asked, matches, plan, kept, types, evidence, java_class)
    has_better = made.gives_old_rows and _is_free(target, evidence) and chosen and not is_equal(chosen, trials)
    if made.candidate is not None and (chosen is None or has_better):
        chosen, trials = made.candidate, (*trials, *made.trials)
    paths = made.paths
    if paths is None and evidence is not None and all_paths and chosen is not None:
        paths = path_agreement(plan, chosen.plan, evidence.batches, types)
    move = None if chosen is None else _Move(plan, chosen, writer, evidence)
    new_tables = {} if move is None else {one: move.new_table(one) for one in types}
    return MigrateReport(
        left=plan,
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


def _is_free(target: str, evidence: Evidence | None) -> bool:
    """Whether the user named no merge mode or merger, and no upgrade decides how the table merges."""
    return is_release(target) and (evidence is None or evidence.course.upgrade_after is None)


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
        is_upgrade = self.evidence is not None and self.evidence.course.upgrade_after is not None
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
        keeps = self.evidence is not None and self.evidence.course.keep_table_version
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
