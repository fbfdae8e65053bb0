"""Mergers that are generated for a user's class: by its rule where asking the class found one, else by calling it."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import SparkSession

from bridge.config import DELETE_KEY, DELETE_MARKER, WRITE_PAYLOAD_CLASS
from bridge.migration.candidates import of_merger
from bridge.migration.class_rules import ClassRules, class_rules, told
from bridge.migration.path_agreement import path_agreement
from bridge.migration.skeletons import Skeleton, java_skeletons, merger_names, python_skeleton, strategy_id
from bridge.migration.trials import Attempt
from bridge.spark import add_module
from mergers import resolve_merger
from mergers.rules.source import (
    JavaNames,
    NotStatedError,
    java_merger,
    java_test,
    pom,
    python_merger,
    python_test,
)
from payloads import builtin_payloads
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bridge.migration.candidates import Candidate
    from bridge.migration.mode_matches import ModeMatch
    from bridge.migration.path_agreement import PathAgreement
    from bridge.migration.trials import Evidence, Trial
    from bridge.plan import MergePlan, TableType
    from payloads import HudiRelease
    from payloads.rules import Marker


_JAVA: Final = {"1.0": ("1.0", "1.0.2"), "1.1": ("1.1 and 1.2", "1.2.0")}
"""The interfaces of mergers in Java, with the releases that have them, and the one that a pom.xml names."""
_NONE: Final = "no merger by the rule of the class"


class Generated(NamedTuple):
    """What was generated.

    Attributes:
        mergers: the mergers.
        tests: files with tests of them, by name.
        rules: what asking the class found; None where it was not asked.
        trials: those of the merger that states the rule, on the data.
        matches: the merge modes beside the class, that which differs least first.
        candidate: that merger as a replacement of the class; None where it differs from the class, or is not tried.
        gives_old_rows: whether it was compared with the class in its old release, not in the new one.
        notes: what could not be generated, and why.
        paths: which paths of the table agree with that merger, where that was asked for.
    """

    mergers: tuple[Skeleton, ...] = ()
    tests: Mapping[str, str] = MappingProxyType({})
    rules: ClassRules | None = None
    trials: tuple[Trial, ...] = ()
    matches: tuple[ModeMatch, ...] = ()
    candidate: Candidate | None = None
    gives_old_rows: bool = False
    notes: tuple[str, ...] = ()
    paths: PathAgreement | None = None


NOTHING: Final = Generated()


class Asked(NamedTuple):
    """What asking a class found.

    Attributes:
        rules: its rules; None where it is Hudi's own, its columns are not known, or it can't be asked.
        note: why it can't be asked.
    """

    rules: ClassRules | None = None
    note: str = ""


def asked_class(left: MergePlan, evidence: Evidence | None) -> Asked:
    """Ask a class that is not Hudi's own for its rules; one that fails, loops or ends the process has none."""
    if _is_hudis(left):
        return Asked()
    batches = None if evidence is None else evidence.batches
    if batches is None and left.schema is None:
        return Asked(None, f"{_NONE}, which was not tried: name its columns by a schema")
    try:
        return Asked(class_rules(left, batches, SparkSession.getActiveSession()))
    except PayloadBridgeError as error:  # the trials raise what is wrong with the class or the data
        return Asked(None, f"{_NONE}, which can't be tried: {error}")


def _is_hudis(left: MergePlan) -> bool:
    full = left.writer_options().get(WRITE_PAYLOAD_CLASS.key, left.payload_name)
    return left.payload is None or full in {found.java_name for found in builtin_payloads()}


def generated(  # noqa: PLR0913, PLR0917 (what `migrate` has found out)
    asked: Asked,
    matches: tuple[ModeMatch, ...],
    left: MergePlan,
    kept: Candidate,
    types: Sequence[TableType],
    evidence: Evidence | None,
    java_class: str | None,
) -> Generated:
    """Generate mergers for a class that is not Hudi's own.

    One that states the rule of the class is generated only if, loaded, it gives every answer that the class gave, and
    on the user's batches the rows of the class, in a new table of every type: those of the class in the new release,
    or, where that can't run it, in its old one.

    Args:
        asked: what asking the class found.
        matches: the merge modes beside it.
        left: the class in its old release.
        kept: the class in the new release.
        types: the types of tables to try it on.
        evidence: the data; None without any.
        java_class: the compiled class, if the payload is its Python port.
    """
    if left.payload is None or _is_hudis(left):
        return NOTHING
    full = left.writer_options().get(WRITE_PAYLOAD_CLASS.key, left.payload_name)
    compiled = java_class if ":" in full else full
    strategy = strategy_id(compiled or full)
    release = kept.plan.release
    rules = asked.rules
    made = Generated(rules=rules, matches=matches, notes=(asked.note,) if asked.note else ())
    if rules is not None:
        made = _by_rule(made, rules, left, kept, types, evidence, strategy)
    if rules is not None and rules.rules is not None and (made.mergers or _is_left(rules, left, release)):
        return _in_java(made, rules, left, compiled, strategy)
    found, notes = list(made.mergers), list(made.notes)
    if left.payload.has_port(release):
        found.append(python_skeleton(left.payload.name, release, strategy))
    else:
        notes.append("no merger in Python: the class is compiled; write a Python port of it and name that")
    if compiled:
        found += java_skeletons(compiled, strategy)
    else:
        notes.append("no merger in Java: the payload is a Python class; name its compiled class")
    return made._replace(mergers=tuple(found), notes=tuple(notes))


def _by_rule(  # noqa: PLR0913, PLR0917 (what `generated` has found out)
    made: Generated,
    rules: ClassRules,
    left: MergePlan,
    kept: Candidate,
    types: Sequence[TableType],
    evidence: Evidence | None,
    strategy: str,
) -> Generated:
    """Write the merger that states the rule, and its test; they are left out if the merger differs from the class."""
    if rules.rules is None:
        return made._replace(notes=(f"{_NONE}: {rules.refused}",))
    module, merger = merger_names(left.payload_name)
    payload, release = left.payload_name, kept.plan.release
    by_class = [column for one in rules.rules.points for column in one.left]
    if by_class and not (left.payload and left.payload.has_port(release)):
        why = f"only the class decides {', '.join(by_class)}, and it is compiled; nothing was tried on the data"
        return made._replace(notes=(f"no merger in Python by the rule of the class: {why}",))
    text = python_merger(merger, payload, str(left.release), strategy, rules.rules, str(release))
    with _importable(module, text) as name:
        differs = rules.disagreement(resolve_merger(f"{name}:{merger}"))
        if differs is not None:
            return made._replace(notes=(f"{_NONE}: {told(differs)}",))
        candidate = of_merger(left, f"{name}:{merger}", release, delete_properties(rules.rules.marker))
        trials: tuple[Trial, ...] = ()
        beside = left if kept.refused else kept.plan
        if evidence is not None:
            tried = evidence._replace(course=dataclasses.replace(evidence.course, upgrade_after=None))
            try:
                trials = Attempt(beside, tried, 0).until_equal([candidate], types)
            except PayloadBridgeError:  # on this data the class fails in the new release
                if beside is left:
                    raise
                beside = left
                trials = Attempt(left, tried, 0).until_equal([candidate], types)
        is_equal = all(trial.is_equal for trial in trials)
        paths = None
        if evidence is not None and evidence.all_paths and is_equal:
            paths = path_agreement(left, candidate.plan, evidence.batches, types)
    shown = candidate._replace(name=f"CUSTOM with the merger {module}:{merger}")
    trials = tuple(trial._replace(candidate=shown) for trial in trials)
    if not is_equal:
        return made._replace(trials=trials, notes=(f"{_NONE}: on the data it gives other rows than the class",))
    test = python_test(module, merger, rules.rules, rules.examples, rules.schema, left.ordering)
    by = "its rule and the class" if by_class else "its rule"
    by_rule = Skeleton(f"{module}.py", text, f"{module}:{merger}", strategy, str(release), by)
    return made._replace(
        mergers=(by_rule,),
        tests={f"test_{module}.py": test},
        trials=trials,
        candidate=shown if trials else None,
        gives_old_rows=beside is left,
        paths=paths,
    )


def _is_left(rules: ClassRules, left: MergePlan, release: HudiRelease) -> bool:
    """Whether columns are left to a compiled class, so that a merger by its rule calls it, which none in Python can."""
    has_left = rules.rules is not None and any(one.left for one in rules.rules.points)
    return has_left and left.payload is not None and not left.payload.has_port(release)


def _in_java(made: Generated, rules: ClassRules, left: MergePlan, compiled: str | None, strategy: str) -> Generated:
    """Add the merger in Java for either interface, with its test; the class may have no Java form."""
    assert rules.rules is not None  # noqa: S101 (a merger in Python has them)
    package = (compiled or "").rpartition(".")[0]
    name = merger_names(compiled or left.payload_name)[1]
    names = JavaNames(package, name, compiled or left.payload_name, str(left.release), strategy)
    folder = "/".join(filter(None, package.split(".")))
    mergers, tests = list(made.mergers), dict(made.tests)
    calls = any(one.left for one in rules.rules.points)
    by = "its rule and the class" if calls else "its rule"
    if calls and not compiled:
        note = "no merger in Java: it calls the class, which is in Python; name its compiled class"
        return made._replace(notes=(*made.notes, note))
    try:
        for line, (fits, hudi) in _JAVA.items():
            text = java_merger(names, line, rules.rules, rules.schema)
            test = java_test(names, rules.rules, rules.examples, rules.schema, left.ordering)
            main, beside = (f"java-{line}/src/{part}/java/{folder}".rstrip("/") for part in ("main", "test"))
            mergers.append(Skeleton(f"{main}/{names.name}.java", text, names.full, strategy, fits, by))
            tests |= {f"{beside}/{names.name}Test.java": test, f"java-{line}/pom.xml": pom(names, hudi)}
    except NotStatedError as error:
        calling = java_skeletons(compiled, strategy) if compiled else ()
        note = f"no merger in Java by the rule of the class: {error}"
        return made._replace(mergers=(*made.mergers, *calling), notes=(*made.notes, note))
    return made._replace(mergers=tuple(mergers), tests=tests)


def delete_properties(marker: Marker | None) -> dict[str, str]:
    """Return the properties by which Hudi looks for a marker of deletes."""
    return {} if marker is None else {DELETE_KEY.key: marker.column, DELETE_MARKER.key: marker.text}


@contextlib.contextmanager
def _importable(module: str, text: str) -> Iterator[str]:
    """Make the source of a module known to this process and to the workers of its session, under a name of its own."""
    name = f"{module}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    folder = add_module(SparkSession.getActiveSession(), name, text)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield name
    finally:
        sys.path.remove(folder)
        sys.modules.pop(name, None)
