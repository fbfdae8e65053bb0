"""verify: check the laws of a payload, a merge mode or a merger, compiled or in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.types import StructType

from bridge.errors import ParameterError
from bridge.spark import avro_schema, read_schema
from bridge.verify.columns_algebra import columns_subject, gives_columns_alone
from bridge.verify.report import Verification
from mergers.laws import Domain, Verdict, check_laws
from payloads import HudiRelease
from payloads.errors import PayloadConfigError
from payloads.user import CALL_TIMEOUT, CallGuard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bridge.engines.subjects import Compiled
    from payloads.avro import AvroSchema, Record


EXAMPLES: Final = 100
"""How many random examples are tried, where nothing else is said."""


def verify(  # noqa: PLR0913 (the options of the verb)
    name: str | type,
    *,
    release: str | HudiRelease = HudiRelease.latest(),
    schema: AvroSchema | StructType | str | None = None,
    key: str | Sequence[str] = (),
    ordering: str | Sequence[str] | None = None,
    props: Mapping[str, str] | None = None,
    laws: Iterable[str] | None = None,
    domains: Iterable[str] = ("data", "flagged"),
    examples: int = EXAMPLES,
    exhaustive: bool | None = None,
    seed: int = 0,
    allow: Iterable[str] = (),
    subject: Compiled | None = None,
    data: Sequence[Record] = (),
    call_timeout: float | None = CALL_TIMEOUT,
) -> Verification:
    """Check a payload, a merge mode or a merger.

    Args:
        name: its name, or a class in Python.
        release: the Hudi release whose rules apply.
        schema: the schema of the records: Spark DDL ('id string, ts bigint'), Avro JSON, or a file with either. None
            for a small one that suits the class.
        key: the record key columns: the same in all versions.
        ordering: the ordering columns; None for the order of arrival.
        props: properties of the merge, as Hudi names them.
        laws: laws by id, or rule sets by name; None for all.
        domains: kinds of versions: data (records), flagged (also records marked as deletes), empty (also deletes
            without data).
        examples: how many examples of arbitrary shape are tried; special cases such as long strings are added.
        exhaustive: True for enumeration only, False for Hypothesis only, None for both.
        seed: reproduces the examples.
        allow: laws that may be violated, or not checked, without failure.
        subject: the compiled class to check instead of `name`, and its port for `agreement`.
        data: rows of the table, from which operands are drawn besides the generated ones; see `check_laws`.
        call_timeout: how many seconds one call of the class may take, whole or not (0.5); 0 for any time.

    Raises:
        ParameterError: a domain does not exist, examples are asked of an enumeration, or a law to allow is not checked.
        CallEndedError: a call of the class took longer, or tried to end the process.
        PayloadBridgeError: nothing has this name, the settings contradict each other, or no law applies.

    A merger that only merges columns needs a Spark session: the active one, else a local one is started.
    """
    outside = [domain for domain in domains if domain not in {one.value for one in Domain}]
    if outside:
        msg = f"`domains` {', '.join(outside)}: use {', '.join(one.value for one in Domain)}"
        raise ParameterError(msg)
    if exhaustive and examples != EXAMPLES:
        msg = "`examples` is for random examples, and `exhaustive` tries none; leave one of the two out"
        raise ParameterError(msg)
    line = HudiRelease.asked(release)
    schema = _avro(schema, line)
    key, ordering = _listed(key), None if ordering is None else _listed(ordering)
    judged: Any = name if subject is None else subject.java
    name = name if isinstance(name, str) else f"{name.__module__}:{name.__qualname__}"
    with CallGuard(name, None) as guard:
        by_columns = judged == name and guard.call("loading it", gives_columns_alone, name)
    if by_columns:
        settings: dict[str, Any] = {"schema": schema, "key": key, "ordering_fields": ordering, "props": props}
        judged = columns_subject(name, release=line, **settings)
    report = check_laws(
        judged,
        schema=schema,
        key=key,
        ordering_fields=ordering,
        release=line,
        laws=laws,
        domain=tuple(domains),
        examples=examples,
        exhaustive=exhaustive,
        seed=seed,
        props=dict(props or {}),
        other=None if subject is None else subject.port,
        data=data,
        call_timeout=call_timeout,
    )
    if all(result.verdict is Verdict.NOT_APPLICABLE for result in report.results):
        msg = f"{report.subject}: no law applies; {'; '.join(report.left_out)}"
        raise PayloadConfigError(msg)
    known = {result.law.id for result in report.results}
    unknown = [law for law in allow if law not in known]
    if unknown:
        msg = f"`allow` {', '.join(unknown)}: not among the checked laws, which are {', '.join(sorted(known))}"
        raise ParameterError(msg)
    return Verification(
        name,
        line,
        key,
        ordering,
        dict(props or {}),
        frozenset(allow),
        report,
        schema is not None,
        subject,
        by_columns,
    )


def _avro(schema: AvroSchema | StructType | str | None, release: HudiRelease) -> AvroSchema | None:
    if isinstance(schema, StructType):
        return avro_schema(schema, release)
    return read_schema(schema, release)[0] if isinstance(schema, str) else schema


def _listed(columns: str | Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)
