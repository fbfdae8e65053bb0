"""The class by which the versions of a table merge: one that the caller names, else the table's own; and its plan."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.errors import PlanError
from bridge.hudi.unmerged import why_unmerged
from bridge.plan import CALL_TIMEOUT, ENGINES, MergePlan
from payloads import PayloadRef, StoredPayloadRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.hudi.properties import TableProperties
    from payloads import HudiRelease


ON_FRAMES = frozenset({"native", "jvm"})
"""The engines to which tasks give what they read; else the tasks merge, too."""


@dataclasses.dataclass(frozen=True)
class TableClass:
    """What merges a table.

    Attributes:
        payload: the class that is named, in place of the table's own class or mode; None for the table's.
        call_timeout: how many seconds a call of it may take.
        engine: what merges: `native` or `jvm`, else tasks in Python, slice by slice.
        in_tasks: gives the plan with which tasks call a compiled class; raises where the release can't run it. None
            where nothing can.
    """

    payload: PayloadRef | None = None
    call_timeout: int = CALL_TIMEOUT
    engine: str = "auto"
    in_tasks: Callable[[MergePlan], MergePlan] | None = None

    def __post_init__(self) -> None:
        """Check the engine.

        Raises:
            PlanError: there is no such engine.
        """
        if self.engine not in ENGINES:
            msg = f"unknown engine {self.engine!r}; choose one of {', '.join(ENGINES)}"
            raise PlanError(msg)

    def stored(self, properties: TableProperties, release: HudiRelease) -> TableProperties:
        """Return the properties of a table that merges by the class."""
        return properties if self.payload is None else properties.with_payload(self.payload.java_name(release))

    def plan(self, properties: TableProperties, release: HudiRelease) -> MergePlan:
        """Return how a release merges a table of these properties."""
        stored, able = properties.merge, capabilities(release)
        return MergePlan(
            payload=self.payload or StoredPayloadRef(stored.resolved_payload(release)),
            release=release,
            table_type=stored.table_type,
            key=properties.key_fields or ("_hoodie_record_key",),
            partition=properties.partition_fields,
            ordering=stored.ordering if able.merge_modes else stored.ordering[:1],
            table=stored if able.merge_modes else None,
            call_timeout=self.call_timeout,
            engine=self.engine if self.engine in ON_FRAMES else "auto",  # type: ignore[arg-type]  # checked above
        )

    def called(self, plan: MergePlan, path: str) -> MergePlan:
        """Return the plan as tasks need it: they call a compiled class in the JVM of their executor.

        Raises:
            PlanError: there is no JVM for the class of the table at `path`.
            PayloadBridgeError: what `in_tasks` raises.
        """
        if not plan.runs_java or self.engine in ON_FRAMES:
            return plan
        if self.in_tasks is None:
            msg = f"{path}: only tasks of Spark call a compiled class, {plan.payload_name}; use HudiTable"
            raise PlanError(msg)
        return self.in_tasks(plan)

    def check(self, plan: MergePlan, path: str) -> None:
        """Find the class; errors as in `called`, or PayloadNotFoundError without a Python class of the name."""
        if plan.runs_java:
            self.called(plan, path)
        elif self.payload is not None:
            self.payload.resolve(plan.release)

    def unnamed(self, properties: TableProperties, release: HudiRelease, path: str) -> str | None:
        """Return why versions can't be merged: settings that contradict each other, a class that the table names."""
        return None if self.payload is not None else why_unmerged(path, properties, release)
