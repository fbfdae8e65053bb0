"""Running payloads and mergers on tables, with PySpark. Modules are loaded when a name is first used.

Every error that a caller can cause is a `PayloadBridgeError`: those here, and those of `payloads` and `mergers`.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any, Final

# A function that has the name of its module comes from that module: mypy takes it for the module else.
if TYPE_CHECKING:
    from bridge.compare import (
        Comparison,
        Counts,
        Difference,
        DiffReport,
        Example,
        Grade,
        HeldCommit,
        HeldCompaction,
        HistoryReplay,
        HistoryReport,
        OverRepresented,
        ReaderResult,
        ReadersReplay,
        ReadersReport,
        RebuiltCommits,
        ReplayReport,
        TableTypesReplay,
        compare_readers,
        diff,
        rebuilt_commits,
    )
    from bridge.compare.replay import replay
    from bridge.compare.table_history import table_history
    from bridge.config import MergeConfigError, TableMergeConfig
    from bridge.engines import RowCounts, RowStatus
    from bridge.errors import (
        AlteredTableWarning,
        ClassLinkError,
        ConflictError,
        EngineError,
        InputError,
        JavaNotFoundError,
        MergeFailedError,
        PlanError,
        RowCountsError,
    )
    from bridge.explain import (
        ExplainReport,
        TableCall,
        TableRow,
        explain,
        replay_causes,
    )
    from bridge.hudi import HudiTable, HudiTableError, check_whole
    from bridge.merge import MergePoint
    from bridge.migration import (
        Damage,
        FleetReport,
        FleetTable,
        Inspection,
        MigrateReport,
        MigrationPlan,
        RehearsalOutcome,
        RehearsalReport,
        RehearsedStep,
        TableDamage,
        TablePart,
        find_damage,
        inspect,
        inspect_catalog,
        inspect_tables,
        migrate,
        plan_migration,
        rehearse,
    )
    from bridge.pipeline import (
        Batch,
        Batches,
        MergeReport,
        PathsReport,
        Scope,
        SimulateReport,
        SqlMerge,
        append,
        combine_input,
        compact,
        merge_frames,
        simulate_upgrade,
        snapshot,
        upsert,
    )
    from bridge.pipeline.paths_report import all_paths
    from bridge.pipeline.simulate_report import simulate
    from bridge.plan import MergePlan, TableType
    from bridge.programs import NextWriter, key_paths, smallest_history
    from bridge.redaction import redacted
    from bridge.report import Severity
    from bridge.spark import local_session
    from bridge.verify import Verification, verify
    from bridge.write import (
        MergeIntoReport,
        merge_batch,
        write_files,
        write_table,
    )
    from bridge.write.merge_into import merge_into
    from payloads import PayloadBridgeError

__all__ = [
    "AlteredTableWarning",
    "Batch",
    "Batches",
    "ClassLinkError",
    "Comparison",
    "ConflictError",
    "Counts",
    "Damage",
    "DiffReport",
    "Difference",
    "EngineError",
    "Example",
    "ExplainReport",
    "FleetReport",
    "FleetTable",
    "Grade",
    "HeldCommit",
    "HeldCompaction",
    "HistoryReplay",
    "HistoryReport",
    "HudiTable",
    "HudiTableError",
    "InputError",
    "Inspection",
    "JavaNotFoundError",
    "MergeConfigError",
    "MergeFailedError",
    "MergeIntoReport",
    "MergePlan",
    "MergePoint",
    "MergeReport",
    "MigrateReport",
    "MigrationPlan",
    "NextWriter",
    "OverRepresented",
    "PathsReport",
    "PayloadBridgeError",
    "PlanError",
    "ReaderResult",
    "ReadersReplay",
    "ReadersReport",
    "RebuiltCommits",
    "RehearsalOutcome",
    "RehearsalReport",
    "RehearsedStep",
    "ReplayReport",
    "RowCounts",
    "RowCountsError",
    "RowStatus",
    "Scope",
    "Severity",
    "SimulateReport",
    "SqlMerge",
    "TableCall",
    "TableDamage",
    "TableMergeConfig",
    "TablePart",
    "TableRow",
    "TableType",
    "TableTypesReplay",
    "Verification",
    "all_paths",
    "append",
    "check_whole",
    "combine_input",
    "compact",
    "compare_readers",
    "diff",
    "explain",
    "find_damage",
    "inspect",
    "inspect_catalog",
    "inspect_tables",
    "key_paths",
    "local_session",
    "merge_batch",
    "merge_frames",
    "merge_into",
    "migrate",
    "plan_migration",
    "rebuilt_commits",
    "redacted",
    "rehearse",
    "replay",
    "replay_causes",
    "simulate",
    "simulate_upgrade",
    "smallest_history",
    "snapshot",
    "table_history",
    "upsert",
    "verify",
    "write_files",
    "write_table",
]

_HOMES: Final = {
    "bridge.compare": (
        "Comparison",
        "Counts",
        "DiffReport",
        "Difference",
        "Example",
        "Grade",
        "HeldCommit",
        "HeldCompaction",
        "HistoryReplay",
        "HistoryReport",
        "OverRepresented",
        "ReaderResult",
        "ReadersReplay",
        "ReadersReport",
        "RebuiltCommits",
        "ReplayReport",
        "TableTypesReplay",
        "compare_readers",
        "diff",
        "rebuilt_commits",
        "replay",
        "table_history",
    ),
    "bridge.config": ("MergeConfigError", "TableMergeConfig"),
    "bridge.engines": ("RowCounts", "RowStatus"),
    "bridge.errors": (
        "RowCountsError",
        "AlteredTableWarning",
        "ClassLinkError",
        "ConflictError",
        "EngineError",
        "InputError",
        "JavaNotFoundError",
        "MergeFailedError",
        "PlanError",
    ),
    "bridge.explain": ("ExplainReport", "TableCall", "TableRow", "explain", "replay_causes"),
    "bridge.hudi": ("HudiTable", "HudiTableError", "check_whole"),
    "bridge.merge": ("MergePoint",),
    "bridge.migration": (
        "Damage",
        "FleetReport",
        "FleetTable",
        "Inspection",
        "MigrateReport",
        "MigrationPlan",
        "RehearsalReport",
        "RehearsalOutcome",
        "RehearsedStep",
        "TableDamage",
        "TablePart",
        "find_damage",
        "inspect",
        "inspect_catalog",
        "inspect_tables",
        "migrate",
        "plan_migration",
        "rehearse",
    ),
    "bridge.pipeline": (
        "Batch",
        "Batches",
        "MergeReport",
        "PathsReport",
        "Scope",
        "SimulateReport",
        "SqlMerge",
        "all_paths",
        "append",
        "combine_input",
        "compact",
        "merge_frames",
        "simulate",
        "simulate_upgrade",
        "snapshot",
        "upsert",
    ),
    "bridge.plan": ("MergePlan", "TableType"),
    "bridge.programs": ("NextWriter", "key_paths", "smallest_history"),
    "bridge.redaction": ("redacted",),
    "bridge.report": ("Severity",),
    "bridge.spark": ("local_session",),
    "bridge.verify": ("Verification", "verify"),
    "bridge.write": ("MergeIntoReport", "merge_batch", "merge_into", "write_files", "write_table"),
    "payloads": ("PayloadBridgeError",),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def _public(value: Any) -> Any:
    """Return a public name as users call it: a function looks at the types of its arguments first."""
    if not isinstance(value, types.FunctionType):
        return value
    from payloads.arguments import checked  # noqa: PLC0415 (with the first name)

    return checked(value)


class _OnDemand(types.ModuleType):
    """The package, which imports the home of a public name when the name is first used."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME_OF:
            msg = f"module {self.__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
        super().__setattr__(name, _public(value))
        return self.__dict__[name]

    def __setattr__(self, name: str, value: object) -> None:
        # `explain` and `verify` are functions, and importing their packages would put modules in their place.
        is_own_package = isinstance(value, types.ModuleType) and name in _HOME_OF
        super().__setattr__(name, _public(getattr(value, name)) if is_own_package else value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _OnDemand
