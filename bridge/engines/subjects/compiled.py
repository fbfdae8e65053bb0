"""Compiled payload classes as subjects of the laws: the class itself, and its port if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.engines.jvm import jvm_payload
from bridge.engines.subjects.java_algebra import JvmAlgebra
from mergers.laws import Subject, subject_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from payloads import AvroSchema, HudiRelease, PayloadRef

_PLAIN = "HoodieAvroPayload"
"""The substitute for a class without a port when a schema is chosen."""


class Compiled(NamedTuple):
    """A compiled class, ready to be checked.

    Attributes:
        reference: where it comes from.
        java_name: its full name.
        java: the class.
        port: its port, the second implementation for `agreement`; None if there is none.
    """

    reference: PayloadRef
    java_name: str
    java: Subject
    port: Subject | None


def compiled(  # noqa: PLR0913 (what a user may state)
    spark: SparkSession,
    payload: PayloadRef,
    release: HudiRelease,
    *,
    schema: AvroSchema | None = None,
    key: Sequence[str] = (),
    ordering: Sequence[str] | None = None,
    props: Mapping[str, str] | None = None,
) -> Compiled:
    """Load a compiled class, and complete schema and fields as for a port.

    Raises:
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError: the class can't be loaded; see `jars_of`.
        PayloadBridgeError: a field is not in the schema.
    """
    payload_class = jvm_payload(spark, payload, release)
    port = payload.resolve(release) if payload.has_port(release) else None
    like = subject_of(
        port or _PLAIN, schema=schema, key=key, ordering_fields=ordering, release=release, props=dict(props or {})
    )
    order = {} if port is None else {"order": like.algebra.order}
    java = JvmAlgebra(payload_class, like.spec.schema, like.spec.props, **order)
    both = like._replace(algebra=java), None if port is None else like
    return Compiled(payload, payload_class.java_name, *both)
