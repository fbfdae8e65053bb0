"""Compiled classes that Python calls: how to find them, and the JVM that runs them, the driver's or an executor's."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Protocol

from bridge.engines.jvm.calls import ClassCalls, PayloadCalls
from bridge.engines.jvm.connection import Address, Connection
from bridge.engines.jvm.job import DEFAULT_PAYLOAD
from bridge.engines.jvm.merger_object import JvmMerger
from bridge.engines.jvm.payload import payload_of
from bridge.errors import EngineError
from bridge.plan import CALL_TIMEOUT
from mergers import MergerRef, adapt_merger
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.engines.jvm.payload import JvmPayload
    from bridge.plan import MergePlan
    from mergers import HoodieRecordMerger
    from payloads import HoodieRecordPayload


class ClassHost(Protocol):
    """The JVM that runs compiled classes."""

    def calls(self, payload: PayloadRef, release: HudiRelease) -> ClassCalls:
        """Return what runs steps with the jars of a payload."""


@dataclasses.dataclass(frozen=True)
class InDriver:
    """The driver's JVM, for the versions of a few keys.

    Attributes:
        spark: its session.
        call_timeout: how many seconds a call may take.
    """

    spark: SparkSession
    call_timeout: int = CALL_TIMEOUT

    def calls(self, payload: PayloadRef, release: HudiRelease) -> ClassCalls:
        """Return what runs steps there; raises what `jars_of` raises."""
        return PayloadCalls(self.spark, payload, release, self.call_timeout)


@dataclasses.dataclass(frozen=True)
class InExecutor:
    """The JVM of the executor that a Python worker belongs to.

    Attributes:
        jars: the names of the jars that the executors were sent.
        secret: what the JVM asks of a caller.
        call_timeout: how many seconds a call may take.
    """

    jars: tuple[str, ...]
    secret: str
    call_timeout: int = CALL_TIMEOUT

    def calls(self, payload: PayloadRef, release: HudiRelease) -> ClassCalls:  # noqa: ARG002 (the jars are theirs)
        """Return what runs steps there.

        Raises:
            EngineError: this is not a worker of a job that tells the port, or the JVM is gone.
        """
        if _Worker.port is None:
            msg = "only a task of the jvm engine can call a compiled class of its executor; run the job on Spark"
            raise EngineError(msg)
        return ClassCalls(Connection(Address(_Worker.port, self.secret), self.jars).ask, self.call_timeout)


class _Worker:
    """What a Python worker, which has one executor for life, knows of it."""

    port: int | None = None


def in_executor_at(port: int) -> None:
    """Note at which port the JVM of this worker's executor listens."""
    _Worker.port = port


@dataclasses.dataclass(frozen=True, slots=True)
class CompiledPayloadRef(PayloadRef):
    """A compiled payload that Python calls.

    Attributes:
        host: where it runs.
        of: the reference that was given: one that a table states finds no Python class.
    """

    host: ClassHost = dataclasses.field(kw_only=True)
    of: PayloadRef = dataclasses.field(kw_only=True)

    @property
    def is_compiled(self) -> bool:
        """True, wherever the class comes from."""
        return True

    def has_port(self, release: str | HudiRelease = HudiRelease.latest()) -> bool:  # noqa: ARG002 (as in `PayloadRef`)
        """Return False: the compiled class itself is meant."""
        return False

    def resolve(self, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
        """Return the class, one object a release, as two classes don't combine; errors: `ClassHost.calls`."""
        return _payload_class(self, HudiRelease.parse(release))


@dataclasses.dataclass(frozen=True, slots=True)
class CompiledMergerRef(MergerRef):
    """A compiled merger that Python calls.

    Attributes:
        host: where it runs.
        release: whose interface it has.
    """

    host: ClassHost = dataclasses.field(kw_only=True)
    release: HudiRelease = dataclasses.field(kw_only=True)

    def resolve(self) -> HoodieRecordMerger:
        """Return the merger, a new object each time; errors: `ClassHost.calls`."""
        return adapt_merger(JvmMerger(self.name, self.merging_strategy, _merger_calls(self)))


@functools.lru_cache(maxsize=8)
def _payload_class(reference: CompiledPayloadRef, release: HudiRelease) -> type[JvmPayload]:
    of_release = functools.partial(_payload_class, reference)
    return payload_of(reference.of, release, reference.host.calls(reference.of, release), of_release)


@functools.lru_cache(maxsize=8)
def _merger_calls(reference: CompiledMergerRef) -> ClassCalls:
    return reference.host.calls(PayloadRef(DEFAULT_PAYLOAD, reference.jars, reference.package), reference.release)


def jvm_payload(
    spark: SparkSession, payload: str | PayloadRef, release: str | HudiRelease = HudiRelease.latest()
) -> type[JvmPayload]:
    """Return a compiled class as a payload class for mergers and laws, run in the driver's JVM.

    Raises:
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError: see `jars_of`.
    """
    plain = PayloadRef(payload) if isinstance(payload, str) else payload
    reference = _called_by(plain, InDriver(spark))
    return _payload_class(reference, HudiRelease.parse(release))


def called_from_python(plan: MergePlan, host: ClassHost) -> MergePlan:
    """Return a plan whose compiled payload or merger is called by Python; any other plan as it is.

    Where the class has a Python port, that is taken.
    """
    if not plan.runs_java:
        return plan
    payload, stored = (_called(one, plan.release, host) for one in (plan.payload, plan.stored_payload))
    merger = plan.merger
    if merger is not None and plan.mode is None and merger.is_compiled and not merger.has_port:
        merger = CompiledMergerRef(
            merger.name, merger.jars, merger.package, merger.strategy, host=host, release=plan.release
        )
    return dataclasses.replace(
        plan, payload=payload, merger=merger, stored_payload=stored, engine="python", implementation=None
    )


def _called(payload: PayloadRef | None, release: HudiRelease, host: ClassHost) -> PayloadRef | None:
    if payload is None or payload.has_port(release):
        return payload
    return _called_by(payload, host)


def _called_by(payload: PayloadRef, host: ClassHost) -> CompiledPayloadRef:
    source = (payload.name, payload.jars, payload.package)
    given = payload.of if isinstance(payload, CompiledPayloadRef) else payload
    return CompiledPayloadRef(*source, built_for=payload.built_for, host=host, of=given)
