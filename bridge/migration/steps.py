"""The steps of a migration: SQL, options and commands that bring a table to other merge properties, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import (
    AUTO_UPGRADE,
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_TABLE_VERSION,
    TableMergeConfig,
    capabilities,
    change_version,
    first_given,
    format_properties,
    given_settings,
    is_merge_key,
)
from payloads import builtin_payloads
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mergers import RecordMergeMode

VERSION_NAMES: Final = {5: "FIVE", 6: "SIX", 8: "EIGHT", 9: "NINE"}
"""Table versions as Hudi's procedures call them."""


class PropertyChange(NamedTuple):
    """A table property that changes; None if it is not set."""

    key: str
    before: str | None
    after: str | None


class Step(NamedTuple):
    """One thing to do.

    Attributes:
        what: what it does.
        sql: a statement of Spark SQL.
        options: what a writer passes.
        drop: the options that it must no longer pass.
        cli: commands of hudi-cli.
        file: the properties file that `cli` reads.
    """

    what: str
    sql: str = ""
    options: Mapping[str, str] = {}
    drop: tuple[str, ...] = ()
    cli: tuple[str, ...] = ()
    file: str = ""


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[PropertyChange, ...]:
    """Return the properties that differ, by name."""
    return tuple(
        PropertyChange(key, before.get(key), after.get(key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    )


def merge_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that are about merging, by name."""
    return {key: properties[key] for key in sorted(properties) if is_merge_key(key)}


# -- what to do


def apply_steps(
    table: TableMergeConfig,
    after: Mapping[str, str],
    mode: RecordMergeMode | None,
    worker: HudiRelease,
    options: Mapping[str, str],
) -> Iterator[Step]:
    """Bring a table to the properties `after`; `worker` is the release that changes its version."""
    new = TableMergeConfig.from_properties(after)
    if new.version > table.version:
        yield _upgrade(table, new, worker, options)
    elif new.version < table.version:
        yield _by_procedure("downgrade", new.version, worker)
    elif mode is None:
        keeps = capabilities(worker).keeps_version
        yield Step(
            f"write with Hudi {worker} and keep table version {new.version}",
            options={WRITE_TABLE_VERSION.key: str(new.version), AUTO_UPGRADE.key: "false"} if keeps else {},
        )
    if mode is not None:
        upgraded = change_version(table.properties, new.version, worker, options)
        yield _rewrite(f"set the merge mode {mode.name}", upgraded, after)
    follow, drop = options_after(new, options, changes_mode=mode is not None)
    if follow or drop:
        yield Step("change the options from the next write on", options=follow, drop=drop)


def _upgrade(table: TableMergeConfig, new: TableMergeConfig, worker: HudiRelease, options: Mapping[str, str]) -> Step:
    """Upgrade by a procedure, or by a write if the upgrade must know the writer's class.

    The procedure has no writer's options, and a table without a stored class would count as one of Default. A class
    that the release no longer has can't be passed.
    """
    passed, new_can = given_settings(options, worker).payload, capabilities(worker, new.version)
    is_gone = any(found.java_name == passed and max(found.shipped) < worker for found in builtin_payloads())
    if new_can.stored_modes and table.payload is None and passed is not None and not is_gone:
        return Step(
            f"upgrade to table version {new.version} by a write with Hudi {worker} that passes the payload class",
            options={
                WRITE_PAYLOAD_CLASS.key: passed,
                WRITE_TABLE_VERSION.key: str(new.version),
                AUTO_UPGRADE.key: "true",
            },
        )
    return _by_procedure("upgrade", new.version, worker)


def _by_procedure(verb: str, version: int, worker: HudiRelease) -> Step:
    return Step(
        f"{verb} to table version {version}, with Hudi {worker}",
        sql=f"CALL {verb}_table(table => '<table>', to_version => '{VERSION_NAMES[version]}')",
    )


def _rewrite(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Step:
    """Change properties that no writer may change on an existing table."""
    changes = changes_between(merge_properties(before), merge_properties(after))
    set_ = {change.key: change.after for change in changes if change.after is not None}
    unset = [change.key for change in changes if change.after is None]
    return Step(
        what,
        cli=(
            *(["table update-configs --props-file <file>"] if set_ else []),
            *([f"table delete-configs --comma-separated-configs {','.join(unset)}"] if unset else []),
        ),
        file=format_properties(set_),
    )


def options_after(
    new: TableMergeConfig, options: Mapping[str, str], *, changes_mode: bool
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the options that the writer has to change, and those that it must no longer pass.

    A class that a writer still passes would decide in its batches and copy-on-write merges, whatever the new mode.
    """
    changed = {}
    release = HudiRelease.latest()
    ordering = first_given(options, release, WRITE_PRECOMBINE)
    if ordering and new.ordering and ordering != new.ordering:
        changed[WRITE_PRECOMBINE.key] = ",".join(new.ordering)
    passed = first_given(options, release, WRITE_MERGE_MODE)
    if passed is not None and new.mode is not None and passed is not new.mode:
        changed[WRITE_MERGE_MODE.key] = new.mode.name
    has_class = changes_mode and new.payload is None and WRITE_PAYLOAD_CLASS.key in options
    return changed, (WRITE_PAYLOAD_CLASS.key,) if has_class else ()


# -- undo


def undo_steps(properties: Mapping[str, str], after: Mapping[str, str], worker: HudiRelease) -> Iterator[Step]:
    """Undo, and restore by hand what Hudi's own downgrade loses: mode, class or ordering fields."""
    old, new = TableMergeConfig.from_properties(properties), TableMergeConfig.from_properties(after)
    back = change_version(after, old.version, worker)
    if old.version != new.version:
        yield _by_procedure("downgrade" if old.version < new.version else "upgrade", old.version, worker)
    then = TableMergeConfig.from_properties(back)
    pairs = ((old.mode, then.mode), (old.payload, then.payload), (old.ordering, then.ordering))
    is_same_version = old.version == new.version
    if any(was and was != now for was, now in pairs) or (is_same_version and changes_between(back, properties)):
        yield _rewrite("restore the properties", back, properties)
