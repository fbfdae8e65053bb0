"""The candidates of a migration: what may replace a payload class, each with the plan that tests it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.compare import is_release, plan_to
from bridge.config import (
    BUILT_IN_STRATEGIES,
    DELETE_KEY,
    DELETE_MARKER,
    MERGE_PROPERTY_PREFIX,
    SUCCESSORS,
    UNAVAILABLE_MARKER,
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    TableMergeConfig,
    TargetMode,
    capabilities,
    change_mode,
    created_properties,
)
from bridge.errors import ClassLinkError, ParameterError, PlanError
from bridge.merge import check_links
from mergers import CUSTOM_MERGE_STRATEGY_UUID, MergerRef, RecordMergeMode
from payloads import HudiRelease, PayloadNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.plan import MergePlan

_COMMIT, _EVENT = RecordMergeMode.COMMIT_TIME_ORDERING, RecordMergeMode.EVENT_TIME_ORDERING
_PARTIAL: Final = ("IGNORE_DEFAULTS", "FILL_UNAVAILABLE")
_MERGE_PROPERTIES: Final = (DELETE_KEY.key, DELETE_MARKER.key, UNAVAILABLE_MARKER.key)


class Candidate(NamedTuple):
    """A possible replacement for a payload class.

    Attributes:
        name: a description.
        plan: the right side.
        target: the merge mode to set; None: what the release itself makes of the class.
        refused: why it is not possible; empty if it is.
    """

    name: str
    plan: MergePlan
    target: TargetMode | None = None
    refused: str = ""

    @property
    def keeps_payload(self) -> bool:
        """Whether the writer still passes the class."""
        return self.target is None


def candidates_for(left: MergePlan, to: str, merger: str | None = None) -> tuple[Candidate, ...]:
    """Return the possible replacements for the payload of `left`, in the order in which they are tried.

    A merge mode, a payload or a merger in `to` is the only candidate. For a release they are: Hudi's own successor of
    one of the eight deprecated classes; COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING and the partial update modes; any
    other class as it is, in mode CUSTOM; `merger`, a user's. EVENT_TIME_ORDERING needs an ordering field,
    FILL_UNAVAILABLE a marker, both in the settings of `left`.

    Raises:
        ParameterError: the payload is missing, or the target leaves no place for `merger`.
        PlanError: the target is older or has no merge modes, or nothing has its name.
    """
    if left.payload is None:
        msg = "a migration starts from a payload class; name one by `payload`"
        raise ParameterError(msg)
    if not is_release(to):
        if merger is not None:
            msg = f"`merger` is tried after what a release gives, but `to` names {to} alone; leave one of them out"
            raise ParameterError(msg)
        return (_named(left, to),)
    release = HudiRelease.asked(to)
    can = capabilities(release)
    if release < left.release or not can.merge_modes:
        msg = (
            f"a migration goes to a release with merge modes, 1.0 or later, and not back from {left.release}; name one"
        )
        raise PlanError(msg)
    kept = _kept(left, release)
    if not can.payload_successors:
        if merger is not None:
            msg = f"Hudi {release} keeps the class, so `merger` is not tried; leave it out, or name 1.1 or later"
            raise ParameterError(msg)
        return (kept,)
    found = [_of_mode(left, release, target) for target in _targets(left)]
    if _class_of(left) in SUCCESSORS:
        others = [one for one in found if one.name != kept.name]
        ordered = [kept, *others]
    else:
        ordered = [*found, kept]
    return (*ordered, *([_named(left, merger, release)] if merger else []))


def of_merger(left: MergePlan, merger: str, release: HudiRelease, properties: Mapping[str, str]) -> Candidate:
    """Return a user's merger as a replacement, on a table that has merge properties."""
    found = _named(left, merger, release)
    if not properties or found.target is None:
        return found
    target = found.target._replace(properties=properties)
    stored = change_mode(created_properties(found.plan.writer_options(), left.table_type, release), target, {})
    table = TableMergeConfig.from_properties(stored, release)
    return found._replace(plan=dataclasses.replace(found.plan, table=table), target=target)


def merge_settings(left: MergePlan) -> dict[str, str]:
    """Return the merge properties that the rows of a payload need: those of the class, then those that are given."""
    successor = SUCCESSORS.get(_class_of(left))
    given = {
        name: left.props[key]
        for name in _MERGE_PROPERTIES
        for key in (name, MERGE_PROPERTY_PREFIX + name)
        if left.props.get(key)
    }
    return {**(successor.properties if successor else {}), **given}


def _class_of(left: MergePlan) -> str:
    return left.writer_options().get(WRITE_PAYLOAD_CLASS.key, "")


# -- each candidate


def _kept(left: MergePlan, release: HudiRelease) -> Candidate:
    """The class under the new release: the successor that Hudi gives it, or mode CUSTOM."""
    plan = dataclasses.replace(left, release=release)
    refused = ""
    try:
        if left.payload is not None and not left.runs_java:
            left.payload.resolve(release)
        check_links(plan)
        stored = created_properties(plan.writer_options(), plan.table_type, release)
        table = TableMergeConfig.from_properties(stored, release)
        name = _name(table.mode, table.partial_update_mode, left.payload_name if table.payload else None)
    except (ClassLinkError, PayloadNotFoundError) as error:
        name, refused = f"CUSTOM with {left.payload_name}", str(error)
    return Candidate(name, plan, None, refused)


def _targets(left: MergePlan) -> Iterator[TargetMode]:
    """Give the merge modes, the plain ones first."""
    properties = merge_settings(left)
    marker = properties.pop(UNAVAILABLE_MARKER.key, None)
    modes = [_COMMIT, *([_EVENT] if left.ordering else [])]
    for partial in (None, *_PARTIAL):
        if partial == "FILL_UNAVAILABLE" and marker is None:
            continue
        added = {UNAVAILABLE_MARKER.key: marker} if partial == "FILL_UNAVAILABLE" and marker else {}
        for mode in modes:
            yield TargetMode(mode, partial, {**properties, **added})


def _of_mode(left: MergePlan, release: HudiRelease, target: TargetMode) -> Candidate:
    """A table that the release creates in a mode, with no payload class."""
    options: dict[str, str] = {WRITE_MERGE_MODE.key: target.mode.name}
    if left.ordering:
        options[WRITE_PRECOMBINE.key] = ",".join(left.ordering)
    stored = change_mode(created_properties(options, left.table_type, release), target, {})
    plan = dataclasses.replace(
        left,
        payload=None,
        merger=MergerRef(target.mode.name),
        release=release,
        table=TableMergeConfig.from_properties(stored, release),
        **_python_engine(left),
    )
    return Candidate(_name(target.mode, target.partial), plan, target)


def _named(left: MergePlan, to: str, release: HudiRelease | None = None) -> Candidate:
    """A merge mode, another payload or a user's merger, by its name."""
    if to.upper() in RecordMergeMode.__members__ and to.upper() != RecordMergeMode.CUSTOM.name:
        deletes = {key: text for key, text in merge_settings(left).items() if key != UNAVAILABLE_MARKER.key}
        return _of_mode(left, HudiRelease.latest(), TargetMode(RecordMergeMode[to.upper()], None, deletes))
    plan = plan_to(left, to)
    plan = plan if release is None else dataclasses.replace(plan, release=release)
    if plan.merger is None:
        msg = f"{to} is a payload class, but migrate replaces payload classes; name a release, a merge mode or a merger"
        raise PlanError(msg)
    strategy = plan.merger.resolve().merging_strategy
    if strategy in BUILT_IN_STRATEGIES - {CUSTOM_MERGE_STRATEGY_UUID}:
        msg = f"the strategy id {strategy} of {to} is one of Hudi's own; give the merger its own id, or name a mode"
        raise PlanError(msg)
    target = TargetMode(RecordMergeMode.CUSTOM, strategy=strategy)
    return Candidate(f"CUSTOM with the merger {to}", plan, target)


def _python_engine(left: MergePlan) -> dict[str, Any]:
    """Modes run in Python, even if the class is compiled."""
    return {"engine": "auto" if left.engine == "jvm" else left.engine, "implementation": None}


def _name(mode: RecordMergeMode | None, partial: str | None, payload: str | None = None) -> str:
    name = "CUSTOM" if mode is None else mode.name
    return " with ".join(filter(None, (name, partial or payload)))
