"""What decides how a table merges, where each setting comes from, and which settings are risky."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.config import (
    CLUSTERING,
    CLUSTERS_UNMERGED,
    DEFAULT,
    DELETE_KEY,
    DELETE_MARKER,
    PAYLOAD_CLASS,
    EffectiveMergeConfig,
    MergeConfigError,
    PointRule,
    TableMergeConfig,
    assumed_writer,
    capabilities,
    conflicts_of,
    deprecated_keys,
    effective_config,
    given_settings,
    implicit_delete_marker,
    infer,
    payload_of_mode,
    read_under,
    settings_of,
    unchecked_partition,
)
from bridge.linkage import linkage_of
from bridge.migration.findings import Finding, worst_first
from bridge.migration.inspect_report import CodePlace, Inspection, PayloadClass
from bridge.plan import TableType
from bridge.report import Severity
from mergers import RecordMergeMode
from payloads import PayloadRef, StoredPayloadRef, builtin_payloads
from payloads.builtin import BuiltinPayload
from payloads.errors import PayloadBridgeError
from payloads.jars import jar_paths
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bridge.linkage import Linkage
    from payloads.jars import JarPaths

_MERGED_AS_DEFAULT_UNHARMED: Final = frozenset(
    {
        DEFAULT,
        "org.apache.hudi.common.model.EventTimeAvroPayload",
        "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    }
)


def inspect_settings(
    properties: Mapping[str, str],
    writer: Mapping[str, str] | None = None,
    release: str | HudiRelease = HudiRelease.latest(),
    *,
    jar: JarPaths = None,
    package: tuple[str, ...] = (),
) -> Inspection:
    """Determine how a table merges under a release.

    `properties` are what the table stores (`bridge.config.read_table` reads them), `writer` the options of its writer;
    `jar` and `package` name where compiled payload classes are.

    Raises:
        MergeConfigError: the release can't read the table, or nothing can be inferred from its settings.
        PayloadConfigError: a property can't be read; the message names it.
    """
    line, options = HudiRelease.asked(release), writer or {}
    table = TableMergeConfig.from_properties(properties, line)
    line = read_under(table, line)
    config = effective_config(table, options, line, warn=False)  # they are in `deprecated`
    classes = tuple(_found(name, side, line, jar, package) for name, side in _named_classes(config, options).items())
    here = [path for path in jar_paths(jar) if Path(path).is_file()]
    links = [*_links(classes, line, here, is_complete=not package)]
    warnings = [
        *_lost_class(config, options),
        *_failures(config, options, classes),
        *(finding for linkage in links for finding in _linked(linkage)),
        *_clustered(config, options),
        *_changes(config, options),
        *_going(classes),
    ]
    return Inspection(
        config=config,
        settings=settings_of(config, options),
        deprecated=deprecated_keys(properties, options, line),
        payloads=classes,
        risks=worst_first(warnings),
        unlinked=next((linkage.refusal for linkage in links if linkage.refusal is not None), None),
    )


# -- classes


def _named_classes(config: EffectiveMergeConfig, options: Mapping[str, str]) -> dict[str, str]:
    """Return the classes that may run, each with the side that names it, the table first."""
    named: dict[str, str] = {}
    passed = given_settings(options, config.release).payload
    others = [(rule.payload, "default") for _, rule in config.rules]
    for name, side in [(config.table.payload, "table"), (passed, "writer"), *others]:
        if name:
            named.setdefault(name, side)
    return named


def _found(name: str, side: str, release: HudiRelease, jar: JarPaths, package: tuple[str, ...]) -> PayloadClass:
    kind = PayloadRef if side == "writer" else StoredPayloadRef
    reference = kind(name, jar, package)
    if side != "writer" and not reference.is_builtin and not reference.is_compiled:
        why = (
            "Hudi does not ship it, and the properties of a table never load code; name it with its jar (--payload "
            f"{name} --jar FILE)"
        )
        return PayloadClass(name, side, CodePlace.UNNAMED, why)
    try:
        payload_class = kind(name).resolve(release)
    except PayloadBridgeError as error:
        is_gone = any(found.java_name == name and max(found.shipped) < release for found in builtin_payloads())
        if reference.is_compiled and not is_gone:
            return PayloadClass(name, side, CodePlace.JAR)
        return PayloadClass(name, side, CodePlace.UNKNOWN, str(error))
    return PayloadClass(name, side, CodePlace.PORT if issubclass(payload_class, BuiltinPayload) else CodePlace.PYTHON)


# -- warnings


def _lost_class(config: EffectiveMergeConfig, options: Mapping[str, str]) -> Iterator[Finding]:
    """A copy-on-write table that 0.15 or older made stores no class, so later releases merge it as Default."""
    table, release = config.table, config.release
    can = capabilities(release, table.version)
    if can.payload_writer or can.payload_successors or table.payload is not None:
        return
    if table.table_type is not TableType.COPY_ON_WRITE:
        return
    passed = given_settings(options, release).payload
    what = f"the table stores no payload class (Hudi until 0.15 stores none for copy-on-write), so Hudi {release}"
    store = f"store the class in the table ({PAYLOAD_CLASS.key}), or upgrade it by a write that passes the class"
    if passed is None:
        yield Finding(
            Severity.DAMAGED,
            f"{what} merges it as Default; if its rows come from AWS DMS or Debezium, deleted rows survive",
            f"{store}; --prop hoodie.datasource.write.payload.class=... shows the settings for your writer",
        )
        yield Finding(
            Severity.CHANGED,
            f"a writer without a class merges this table as OverwriteWithLatest in Hudi 0.15, as Default in {release}",
            "pass hoodie.datasource.write.payload.class, or set hoodie.record.merge.mode after an upgrade",
        )
    elif implicit_delete_marker(passed):
        (_, column), (_, marker) = implicit_delete_marker(passed).items()
        yield Finding(
            Severity.DAMAGED,
            f"{what} keeps deleted rows alive: rows with {column}={marker} are stored as live rows, although the "
            f"writer passes {_short(passed)}",
            store,
        )
    if passed is not None and passed not in _MERGED_AS_DEFAULT_UNHARMED:
        yield Finding(
            Severity.CHANGED,
            f"{what} merges incoming with stored rows as Default, although the writer passes {_short(passed)}: late "
            "rows lose by the precombine field, ties win, nulls and markers for unavailable values overwrite",
            store,
        )


def refused_options(
    table: TableMergeConfig, options: Mapping[str, str], release: HudiRelease, *, is_upgraded: bool = False
) -> list[Finding]:
    """Return the options for which Hudi refuses a write.

    The write that upgrades the table is held against what it stored before, and taken.
    """
    found = []
    if (other := unchecked_partition(table.properties, options, release)) is not None:
        found.append(
            Finding(
                Severity.DAMAGED,
                f"the writer passes {other.key}={other.passed}, the table stores {other.stored}: Hudi {release} writes "
                "the rows under other partitions, and does not find those that are stored",
                "pass the stored value",
            )
        )
    of = "takes the write that upgrades it, and refuses those that follow" if is_upgraded else "refuses the write"
    return found + [
        Finding(
            Severity.REFUSED,
            f"the writer passes {key}={passed}, the table stores {stored}: Hudi {of}",
            f"leave the option out{' after the upgrade' if is_upgraded else ''}, or pass the stored value",
        )
        for key, passed, stored in conflicts_of(table, options, release)
    ]


def _failures(
    config: EffectiveMergeConfig, options: Mapping[str, str], classes: tuple[PayloadClass, ...]
) -> Iterator[Finding]:
    table, release = config.table, config.release
    for name, side, found, reason in classes:
        if found is CodePlace.UNKNOWN:
            yield Finding(Severity.REFUSED, f"the class of the {side}, {name}, cannot be loaded", reason)
        elif found is CodePlace.UNNAMED:
            yield Finding(Severity.NOT_CHECKED, f"the class of the {side}, {name}, did not run", reason)
    yield from refused_options(table, options, release)
    can = capabilities(release, table.version)
    if table.version not in can.writable_versions:
        refused = MergeConfigError.from_old_version(table.version, can.writable_versions[0])
        yield Finding(
            Severity.REFUSED, f"Hudi {release} reads this table and refuses to write it: {refused}", "do so first"
        )
    if capabilities(assumed_writer(table.version)).delete_block_utf8 is not None and can.delete_block_utf8 is None:
        yield from unreadable_deletes(table, release)
    if can.merge_modes and not can.payload_successors:
        try:
            infer(table.settings, table.ordering, table.version, release)
        except PayloadBridgeError as error:
            yield Finding(Severity.REFUSED, f"reading log files of this table fails: {error}", "fix its properties")
    marker = [config.merge_properties.get(key) for key in (DELETE_KEY.key, DELETE_MARKER.key)]
    if any(marker) and not all(marker):
        yield Finding(
            Severity.REFUSED,
            f"only one of {DELETE_KEY.key} and {DELETE_MARKER.key} is set: merging fails",
            "set both or none",
        )


def _links(
    classes: tuple[PayloadClass, ...], release: HudiRelease, jars: Sequence[str], *, is_complete: bool
) -> Iterator[Linkage]:
    """Yield how compiled classes link to the release."""
    for name, _, found, _ in classes:
        linkage = linkage_of(name, jars, release, is_complete=is_complete) if found is CodePlace.JAR else None
        if linkage is not None:
            yield linkage


def _linked(linkage: Linkage) -> Iterator[Finding]:
    """A class that needs what the release lacks, or has overrides that it does not call."""
    shown = f"payload-bridge payloads {linkage.name} --jar ... shows all of it"
    if linkage.refusal is not None:
        yield Finding(Severity.REFUSED, linkage.refusal, f"do so before the release runs the class; {shown}")
    for dead in linkage.dead:
        override = "that" if dead.called else "what the release calls"
        told = f"under Hudi {linkage.release} {dead}"
        yield Finding(Severity.CHANGED, told, f"override {override}, and compare the rows of both releases by replay")
    for told in linkage.warnings[len(linkage.dead) :]:
        yield Finding(Severity.UNCHANGED, told, shown)


def _clustered(config: EffectiveMergeConfig, options: Mapping[str, str]) -> Iterator[Finding]:
    """A merger of one's own, which clustering of 1.2.0 does not know."""
    clusters = any(options.get(key, "").strip().lower() == "true" for key in CLUSTERING)
    has_merger = config.read.mode is RecordMergeMode.CUSTOM and config.read.payload is None
    if clusters and has_merger and CLUSTERS_UNMERGED.at(config.release):
        bundle = capabilities(config.release).bundle
        yield Finding(
            Severity.REFUSED,
            f"the writer clusters the table, and clustering of Hudi {bundle} loses the merger of mode CUSTOM "
            "(No valid spark merger implementation set; apache/hudi#18980)",
            "turn clustering off until a release that has apache/hudi#19007",
        )


def unreadable_deletes(table: TableMergeConfig, release: HudiRelease) -> Iterator[Finding]:
    """Delete blocks that hold Java objects: each release before 0.14 registers Utf8 in Kryo under its own number."""
    if table.table_type is TableType.MERGE_ON_READ and table.ordering:
        yield Finding(
            Severity.REFUSED,
            f"if the ordering field {table.ordering[0]} is text, Hudi {release} can't read the delete blocks of this "
            "table's log files (KryoException), and no query or compaction of their file slices succeeds",
            "compact them with the release that wrote them first",
        )


def _changes(config: EffectiveMergeConfig, options: Mapping[str, str]) -> Iterator[Finding]:
    table, read = config.table, config.read
    has_successors = capabilities(config.release, table.version).payload_successors
    has_own = table.payload is not None or has_successors
    has_logs = table.table_type is TableType.MERGE_ON_READ
    elsewhere = "queries and compaction by" if has_logs else "but the table is set to"
    for name, rule in (("duplicates of a batch", config.dedup), ("copy-on-write merges", config.merge)):
        if has_own and not _merge_alike(rule, read, config):
            yield Finding(
                Severity.CHANGED,
                f"{name} merge by {_rule(rule)}, {elsewhere} {_rule(read)}",
                "leave out the writer's class, or make it the table's",
            )
    if read.mode is RecordMergeMode.EVENT_TIME_ORDERING and not config.ordering:
        yield Finding(
            Severity.CHANGED,
            "no ordering field is set, so EVENT_TIME_ORDERING makes the last row to arrive win",
            "set hoodie.table.ordering.fields, or choose COMMIT_TIME_ORDERING",
        )
    if read.mode is RecordMergeMode.COMMIT_TIME_ORDERING and config.ordering:
        yield Finding(
            Severity.UNCHANGED,
            f"COMMIT_TIME_ORDERING does not read the ordering fields {', '.join(config.ordering)}",
            "choose EVENT_TIME_ORDERING if late rows must lose",
        )
    passed = given_settings(options, config.release)
    on_writer = [name for name, value in zip(passed._fields, passed, strict=True) if value]
    stored = [name for name, value in zip(passed._fields, table.settings, strict=True) if value]
    alone = [name for name in on_writer if name not in stored and name != "mode"]
    if alone and not has_successors:
        yield Finding(
            Severity.UNCHANGED,
            f"the {' and the '.join(alone)} is set on the writer only; readers and other writers do not see it",
            "store it in the table",
        )


def _going(classes: tuple[PayloadClass, ...]) -> Iterator[Finding]:
    """Name the classes that this release still has and a later one does not."""
    last = {found.java_name: max(found.shipped) for found in builtin_payloads()}
    for name, side, found, _ in classes:
        gone = next((line for line in HudiRelease if line > last.get(name, HudiRelease.latest())), None)
        if found is CodePlace.PORT and gone is not None:
            yield Finding(
                Severity.UNCHANGED,
                f"the class of the {side}, {_short(name)}, was removed in Hudi {gone}",
                "choose another class before that upgrade",
            )


def _merge_alike(rule: PointRule, read: PointRule, config: EffectiveMergeConfig) -> bool:
    """Whether two merge points decide alike; in 1.0 writers run the class of the readers' mode."""
    can = capabilities(config.release)
    if can.merge_modes and can.payload_writer:
        mode = read.mode or RecordMergeMode.CUSTOM
        return rule.payload == payload_of_mode(mode, read.payload or config.table_payload, config.release)
    is_same = (rule.mode, rule.payload) == (read.mode, read.payload)
    return is_same and (rule.mode is not RecordMergeMode.CUSTOM or rule.strategy == read.strategy)


def _rule(rule: PointRule) -> str:
    mode = [] if rule.mode is None else [rule.mode.name]
    return " with ".join([*mode, *([_short(rule.payload)] if rule.payload else [])])


def _short(name: str) -> str:
    return name.rpartition(".")[2]
