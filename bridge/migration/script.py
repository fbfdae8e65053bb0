"""The script of a migration: PySpark that carries out the steps of a plan on a table, with checks, and undoes them."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final

from bridge.config import (
    AUTO_UPGRADE,
    MERGE_KEYS,
    MERGE_PROPERTY_PREFIX,
    TableMergeConfig,
    assumed_writer,
    capabilities,
    change_version,
)
from bridge.errors import PlanError
from bridge.migration.steps import changes_between, merge_properties

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.migration.plan_report import MigrationPlan
    from bridge.migration.steps import Step
    from bridge.report import JsonObject
    from payloads import HudiRelease

_TEMPLATE: Final = Path(__file__).with_name("script.py.txt")
_WIDTH: Final = 112
_BUNDLE: Final = "org.apache.hudi:hudi-spark3.5-bundle_2.12:{}"


def migration_script(made: MigrationPlan, verdict: str) -> str:
    """Return a PySpark script that carries out a plan on a table that is as the plan has it before.

    The script compares what the table stores with what the plan predicts before and after each step, so it goes on
    where it was stopped, and refuses any other table: every merge property counts, and name, type and record key.
    Options of writers are in its docstring alone.

    Args:
        made: the plan.
        verdict: what the plan rests on, in a sentence; it is in the docstring.

    Raises:
        PlanError: the table does not change, a step is the write of a batch, or a release before 1.1 would do it.
    """
    worker = worker_of(made)
    if not capabilities(worker, capabilities(worker).created_version).payload_successors:
        msg = f"a script runs with Hudi 1.1 or later, but these steps need Hudi {worker}; follow the printed steps"
        raise PlanError(msg)
    states, apply, undo = _ways(made)
    if not apply:
        msg = "nothing changes in the table, so a script has nothing to do; change the options of the writers"
        raise PlanError(msg)
    notes = [_plain(f"- {step.what}: {_options(step)}") for step in made.apply if step.options or step.drop]
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        title=f"table version {made.from_version} to {made.to_version}, Hudi {made.from_release} to {made.to_release}",
        verdict=_plain(textwrap.fill(verdict, _WIDTH)),
        release=worker,
        coordinate=_BUNDLE.format(capabilities(worker).bundle),
        notes="".join(f"{line}\n" for line in ["", "The writers then:", *notes]) if notes else "",
        hudi=json.dumps(str(worker)),
        newest=capabilities(worker).created_version,
        keys=_literal(sorted(MERGE_KEYS)),
        prefix=json.dumps(MERGE_PROPERTY_PREFIX),
        table=_literal(dict(made.table)),
        states=_literal(states),
        apply=_literal(apply),
        undo=_literal(undo),
    )


def _plain(text: str) -> str:
    """Return text that can stand in a docstring."""
    escaped = text.replace("\\", "\\\\").replace('"', "'")
    return "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode() for one in escaped
    )


def _options(step: Step) -> str:
    given = [f"{name}={value}" for name, value in step.options.items()]
    return ", ".join([*given, *(f"without {name}" for name in step.drop)])


def _ways(made: MigrationPlan) -> tuple[dict[str, dict[str, str]], list[JsonObject], list[JsonObject]]:
    """Return what the table may store, by name, and the next step of `apply` and of `undo` from each of these states.

    Either may be stopped after any step, and the other goes on from there, as does `apply` from where `undo` ends.
    """
    for one in (*made.apply, *made.undo):
        if not one.sql and not one.cli and one.options.get(AUTO_UPGRADE.key) == "true":
            msg = (
                f"a script writes no rows, but the plan has to: {one.what}. Let the first write of the new job do "
                "it, or name the class in the table before"
            )
            raise PlanError(msg)
    states = {"before": dict(made.before), "after": dict(made.after)}
    apply: list[JsonObject] = []
    undo: list[JsonObject] = []
    waiting = ["before", "after"]
    for name in waiting:  # it grows
        for found, steps, end in ((apply, made.apply, made.after), (undo, made.undo, made.after_undo)):
            step = None if name == "before" and found is undo else _next(states[name], steps, end, made)
            if step is None:
                continue
            then = step.pop("after")
            to = next((known for known, state in states.items() if state == then), None)
            if to is None:
                to = "undone" if then == made.after_undo else f"{len(states) - 1}: {step['what']}"
                states[to] = then
                waiting.append(to)
            found.append({"from": name, "to": to, **step})
    return states, apply, undo


def _next(
    state: Mapping[str, str], steps: Sequence[Step], end: Mapping[str, str], made: MigrationPlan
) -> JsonObject | None:
    """Return the next step to a state, with what the table stores then; None if it is there."""
    version = TableMergeConfig.from_properties(end).version
    if TableMergeConfig.from_properties(state).version != version:
        step = next(step for step in steps if step.sql)
        then = merge_properties(change_version(state, version, worker_of(made)))
        return {"what": step.what, "sql": step.sql, "set": {}, "unset": [], "after": then}
    changes = changes_between(state, end)
    if not changes:
        return None
    return {
        "what": next((step.what for step in steps if step.cli), "set the merge properties"),
        "sql": "",
        "set": {one.key: one.after for one in changes if one.after is not None},
        "unset": [one.key for one in changes if one.after is None],
        "after": dict(end),
    }


def worker_of(made: MigrationPlan) -> HudiRelease:
    """Return the release that changes the table's version: a downgrade is the work of the newer one."""
    if capabilities(made.to_release).created_version >= made.from_version:
        return made.to_release
    return max(made.from_release, assumed_writer(made.from_version))


def _literal(value: object, indent: str = "") -> str:
    """Return Python source, one item a line, as formatters write it."""
    inner = f"{indent}    "
    if isinstance(value, dict) and value:
        items = [f"{inner}{json.dumps(name)}: {_literal(one, inner)}," for name, one in value.items()]
        return "\n".join(["{", *items, f"{indent}}}"])
    if isinstance(value, list) and value:
        return "\n".join(["[", *(f"{inner}{_literal(one, inner)}," for one in value), f"{indent}]"])
    return json.dumps(value, ensure_ascii=False)
