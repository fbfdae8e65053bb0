"""The files that `verify` writes: a test of the counterexamples, and Python source of what they are made of."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from bridge.errors import InputError
from mergers.laws import Verdict
from payloads.avro import Branch

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.verify.report import Verification
    from mergers.laws import LawResult
    from payloads import PayloadRef

_PAYLOADS = "from payloads import Branch, Ordering, parse_schema  # noqa: F401 (records may need them)"


def pytest_text(verification: Verification) -> str:
    """Return a pytest file that fails as long as the violations that were found are there.

    Raises:
        InputError: nothing is violated.
    """
    found = violations_of(verification)
    compiled = verification.compiled
    parts = [
        f'"""What payload-bridge verify found for {verification.name}; each test fails until it is fixed."""',
        "",
        "from __future__ import annotations",
        "",
        *(_named(verification) if compiled is None else _loaded(verification, compiled.reference)),
    ]
    argument, call = ("", "SUBJECT, {}, row, versions, **SETTINGS")
    if compiled is not None:
        argument, call = "subject", "subject.java, {}, row, versions, other=subject.port"
    for result in found:
        counterexample = result.counterexample
        assert counterexample is not None  # noqa: S101 (a violation has one)
        name = f"test_{result.law.id}_on_{result.domain.value}".replace("-", "_")
        parts += [
            "",
            "",
            f"def {name}({argument}):",
            f'    """{result.law.statement}."""',
            f"    row = {python_source(counterexample.operands.row)}",
            "    versions = [",
            *(f"        {_version_source(version)}," for version in counterexample.operands.versions),
            "    ]",
            f"    found = find_violation({call.format(repr(result.law.id))})",
            '    assert found is None, "\\n".join(found.lines())',
        ]
    return "\n".join(parts) + "\n"


def _named(verification: Verification) -> list[str]:
    """Return the lines for a subject that its name says."""
    settings: dict[str, object] = {"release": str(verification.release)}
    settings["schema"] = verification.report.schema.source
    if verification.key:
        settings["key"] = verification.key
    ordering = _ordering_fields(verification)
    if ordering is not None:
        settings["ordering_fields"] = ordering
    if verification.props:
        settings["props"] = dict(verification.props)
    columns = verification.by_columns
    subject = [f"SUBJECT = columns_subject({verification.name!r}, **SETTINGS)"]
    return [
        *(["from bridge.verify import columns_subject"] if columns else []),
        "from mergers.laws import Version, find_violation",
        _PAYLOADS,
        "",
        *([] if columns else [f"SUBJECT = {verification.name!r}"]),
        "SETTINGS = {",
        *(f"    {name!r}: {value!r}," for name, value in settings.items()),
        "}",
        *(subject if columns else []),
    ]


def _loaded(verification: Verification, reference: PayloadRef) -> list[str]:
    """Return the lines for a compiled class, which needs a Spark session."""
    named = f"{reference.name!r}, jars={reference.jars!r}, package={reference.package!r}"
    if reference.built_for is not None:
        named += f", built_for={str(reference.built_for)!r}"
    return [
        "import pytest",
        "",
        "from bridge import local_session",
        "from bridge.verify import compiled",
        "from mergers.laws import Version, find_violation",
        f"from payloads import HudiRelease, PayloadRef\n{_PAYLOADS}",
        "",
        f"SCHEMA = parse_schema({verification.report.schema.source!r})",
        "",
        "",
        '@pytest.fixture(scope="module")',
        "def subject():",
        f"    payload = PayloadRef({named})",
        "    return compiled(",
        "        local_session(),",
        "        payload,",
        f"        HudiRelease.parse({str(verification.release)!r}),",
        "        schema=SCHEMA,",
        f"        key={verification.key!r},",
        f"        ordering={_ordering_fields(verification)!r},",
        f"        props={dict(verification.props)!r},",
        "    )",
    ]


def _ordering_fields(verification: Verification) -> tuple[str, ...] | None:
    """Return the ordering fields; those of the sample schema, which is stated, have to be stated too."""
    if verification.ordering is None and not verification.has_schema:
        return (verification.report.schema.fields[1].name,)
    return verification.ordering


def python_source(value: object) -> str:
    """Return Python source of a record, or of any value in one."""
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if isinstance(value, Branch):
        return f"Branch({value.name!r}, {python_source(value.value)})"
    if isinstance(value, list):
        return f"[{', '.join(map(python_source, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(python_source, value))}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {python_source(inner)}" for name, inner in value.items()) + "}"
    return repr(value)


def _version_source(version: Any) -> str:
    record, ordering = python_source(version.record), _ordering_source(version.ordering)
    return f"Version({record}, {ordering}, is_delete={version.is_delete!r})"


def _ordering_source(ordering: Any) -> str:
    if ordering is None:
        return "None"
    if ordering.java_type == "array":
        inner = ", ".join(map(_ordering_source, ordering.value))
        return f"Ordering('array', ({inner},))"
    if ordering.schema is not None:
        schema = json.dumps(ordering.schema.source)
        return f"Ordering({ordering.java_type!r}, {ordering.value!r}, parse_schema({schema!r}))"
    return f"Ordering({ordering.java_type!r}, {python_source(ordering.value)})"


def violations_of(verification: Verification) -> list[LawResult]:
    """Return the violations.

    Raises:
        InputError: there is none.
    """
    found = [result for result in verification.report.results if result.verdict is Verdict.VIOLATED]
    if not found:
        msg = f"{verification.report.subject} violates no law that was checked, so there is no counterexample to write"
        raise InputError(msg)
    return found


def write(text: str, path: Path) -> None:
    """Write a file, complete or not at all; one of the same name is replaced.

    Raises:
        InputError: it can't be written.
    """
    unfinished = path.with_name(f".{path.name}.part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        msg = f"{path} can't be written ({error.strerror or error}); name another file"
        raise InputError(msg) from error
