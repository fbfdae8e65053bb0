"""A class that was compiled for an older release of Hudi, behind a later one: what is changed for it to link.

`BuiltFor.java` links the class to the later release as recompiling would; this says what was in the way.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import SparkSession

from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of, java_name_of
from bridge.linkage import linkage_of

if TYPE_CHECKING:
    from bridge.engines.jvm.jars import Jars
    from bridge.linkage import Linkage
    from bridge.plan import MergePlan
    from payloads import HudiRelease, PayloadRef

_MOST = 3
"""How many members a sentence names."""


class RecompiledMember(NamedTuple):
    """A place of a user's classes that does not fit the release.

    Attributes:
        where: class, method and line; the full name of the class where a method overrides nothing any more.
        member: the member of Hudi that no longer links, or that method.
        instead: what stands in its place; for a method, what the release calls; empty for nothing.
    """

    where: str
    member: str
    instead: str


@dataclasses.dataclass(frozen=True)
class Recompiled:
    """What is changed for a class to run under a later release, as if recompiled.

    Attributes:
        name: the full name of the class.
        built_for: the release that it was compiled for.
        release: the release that runs it.
        changed: members that the release lacks or has closed, and what stands in their place.
        gone: those in whose place nothing stands: a call of them fails.
        dead: methods that override nothing in the release, which therefore does not call them.
        linkage: how it links as it is, by the check that reads class files; None where that has not its classes.
    """

    name: str
    built_for: HudiRelease
    release: HudiRelease
    changed: tuple[RecompiledMember, ...]
    gone: tuple[RecompiledMember, ...]
    dead: tuple[RecompiledMember, ...]
    linkage: Linkage | None = None

    @property
    def refused(self) -> str | None:
        """Why the release refuses the class as it is; None where it links."""
        if self.linkage is not None:
            return self.linkage.refusal
        found = list(dict.fromkeys(f"{one.where} uses {one.member}" for one in (*self.gone, *self.changed)))
        return f"{self.name} does not link to Hudi {self.release}: {_listed(found)}" if found else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader of a result has to know, a sentence or two each."""
        changes = _listed(list(dict.fromkeys(f"{one.member} -> {one.instead}" for one in self.changed)))
        told = [f"{self.name} was compiled for Hudi {self.built_for} and runs under {self.release} as if recompiled"]
        if changes:
            told[0] += f": {changes}"
        elif not self.gone:
            told[0] += ", which changes nothing: it links as it is"
        if self.refused is not None:
            told[0] += f"; as it is, it fails under Hudi {self.release}: recompile it before you move"
        if self.gone:
            found = _listed([f"{one.member} ({one.where})" for one in self.gone])
            told.append(f"Hudi {self.release} has no replacement for {found}: calling it fails; change the source")
        known = {(one.user_class, one.method) for one in self.linkage.dead} if self.linkage is not None else set()
        told += [self._dead(one) for one in self.dead if (one.where, one.member) not in known]
        return tuple(told)

    def _dead(self, one: RecompiledMember) -> str:
        calls = f"it calls {one.instead}" if one.instead else "it calls no method of that name"
        return (
            f"{one.where.rpartition('.')[2]}.{one.member} overrides nothing in Hudi {self.release}, which never "
            f"calls it: {calls}; override that to keep the rule"
        )


def _listed(texts: list[str]) -> str:
    shown = ", ".join(texts[:_MOST])
    return shown if len(texts) <= _MOST else f"{shown} and {len(texts) - _MOST} more"


def recompiled(plan: MergePlan) -> Recompiled | None:
    """Return what is changed in the payload class of a plan for its release; None where it runs as it is.

    The classes are read, in the JVM of the active session, and not run.

    Raises:
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError: see `jars_of`.
    """
    payload = plan.payload
    if payload is None or (not plan.runs_java and payload.has_port(plan.release)):
        return None
    return recompiled_class(payload, plan.release)


def recompiled_class(payload: PayloadRef, release: HudiRelease) -> Recompiled | None:
    """Return what `recompiled` does, of a compiled class under a release."""
    spark = SparkSession.getActiveSession()
    if payload.built_for is None or not payload.recompiled_for(release) or spark is None:
        return None
    jars = jars_of(spark, payload, release)
    name = java_name_of(payload, release)
    found = _read(spark.sparkContext.applicationId, name, jars, payload.built_for, release)
    linkage = linkage_of(name, payload.jars, release, is_complete=not payload.package)
    return dataclasses.replace(found, linkage=linkage)


def recompiled_warnings(*plans: MergePlan) -> list[str]:
    """Return the warnings about classes of plans that run as if recompiled; errors as in `recompiled`."""
    found = (recompiled(plan) for plan in plans)
    return list(dict.fromkeys(one for each in found if each is not None for one in each.warnings))


@functools.lru_cache(maxsize=32)
def _read(application: str, name: str, jars: Jars, built_for: HudiRelease, release: HudiRelease) -> Recompiled:  # noqa: ARG001 (paths are an application's)
    driver = Driver(SparkSession.builder.getOrCreate())
    lines = driver.call(driver.class_in(jars.paths, "bridge.jvm.Checks"), "changes", name)
    found: dict[str, list[RecompiledMember]] = {"changed": [], "gone": [], "dead": []}
    for word, *texts in lines:
        found[str(word)].append(RecompiledMember(*map(str, texts)))
    changed, gone, dead = (tuple(found[word]) for word in ("changed", "gone", "dead"))
    return Recompiled(name, built_for, release, changed, gone, dead)
