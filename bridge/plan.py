"""MergePlan: everything that decides how a table merges, stated once and checked before any job starts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Final, Literal

from bridge.config import TableMergeConfig, TableType, capabilities, created_properties, keys, write_settings
from bridge.display import Fragment, notebook_html
from bridge.errors import ParameterError
from bridge.plan_arguments import accepted
from bridge.redaction import setting_shown, without_credentials
from mergers import MergerRef, RecordMergeMode
from payloads import HudiRelease, PayloadRef, StoredPayloadRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mergers import HoodieRecordMerger
    from mergers.strategies import Fidelity
    from payloads import AvroSchema, HoodieRecordPayload

__all__ = ["ENGINES", "IMPLEMENTATIONS", "ON_ERROR", "MergePlan", "TableType"]

ENGINES = ("auto", "native", "jvm", "python")
ON_ERROR = ("fail", "quarantine")
IMPLEMENTATIONS = ("python", "java")
CALL_TIMEOUT: Final = 60
"""Seconds that a call of a user's class may take: more than any that ends, even one that waits for another service."""
_MOST_LETTERS: Final = 2_000


@dataclass(frozen=True, kw_only=True)
class MergePlan:
    """How the versions of a record merge.

    Attributes:
        payload: the payload class of the writer: one of Hudi's by its full or short Java name, or your own as
            package.module:Class.
        merger: instead of a payload: a merge mode of Hudi 1.0 and later, or your own merger, as package.module:Class
            or, if a jar or Maven package has it, by its Java name.
        stored_payload: where the payload class that the table stores comes from, if a plain writer names none.
        plain: whether the writer passes neither payload class nor merge mode, as most writers of an existing table do;
            the settings stored in the table are used then, or the default of the release.
        release: the Hudi release whose rules apply.
        table_version: 6, 8 or 9; None for the version that the release creates.
        table_type: the type of the table: copy-on-write (cow) or merge-on-read (mor).
        key: the record key columns.
        partition: the partition path columns, part of a row's identity; empty for a table without partitions.
        ordering: the ordering (precombine) fields, dotted paths allowed: the version with the greater value is the
            later one. Empty for the order of arrival.
        schema: the schema of the rows; None for that of the data.
        props: options of the DataFrame writer as Hudi names them, for example hoodie.payload.delete.field=op. Not table
            properties: hoodie.record.merge.property.* and hoodie.record.merge.mode have no effect.
        arrival: the column with the order of arrival within a batch; None for the order of files and rows.
        combine_before_upsert: whether a batch is deduplicated first.
        inserts_to: where a merge-on-read table writes new keys.
        global_index: whether the key alone, without the partition, identifies a row.
        table: what an existing table stores; None for a new table of the release.
        fidelity: how IGNORE_DEFAULTS recognizes a default: as Hudi does, the same object (`hudi`), or by value
            (`intended`), which no release does.
        engine: the engine that runs the merges; `auto` picks the fastest one that supports the plan.
        implementation: how a compiled class that also has a Python port runs: `java` or `python`. None: the port.
        on_error: what to do with a key that can't be merged: end the run (`fail`), or put the key into quarantine with
            all its versions and the reason, and merge the others (`quarantine`).
        call_timeout: how many seconds one call of a user's class may take; 0 for any time.
        trust_rule: run the rule that is inferred from your own payload class instead of the class itself, with the
            `native` engine. The class is called for a sample of the keys first; a row that differs ends the run.
        trust_sample: the number of keys in this sample.
    """

    payload: PayloadRef | None = None
    merger: MergerRef | None = None
    release: HudiRelease = HudiRelease.latest()
    table_version: int | None = None
    table_type: TableType = TableType.COPY_ON_WRITE
    key: tuple[str, ...] = ()
    partition: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()
    schema: AvroSchema | None = None
    props: Mapping[str, str] = field(default_factory=dict)
    arrival: str | None = None
    combine_before_upsert: bool = True
    inserts_to: Literal["base", "log"] = "base"
    global_index: bool = False
    table: TableMergeConfig | None = None
    plain: bool = False
    stored_payload: PayloadRef | None = None
    fidelity: Fidelity = "hudi"
    engine: Literal["auto", "native", "jvm", "python"] = "auto"
    implementation: Literal["python", "java"] | None = None
    on_error: Literal["fail", "quarantine"] = "fail"
    call_timeout: int = CALL_TIMEOUT
    trust_rule: bool = False
    trust_sample: int = 1_000

    if TYPE_CHECKING:
        # `__post_init__` accepts more than the fields contain.
        def __init__(  # noqa: PLR0913 (the fields)
            self,
            *,
            payload: str | type[HoodieRecordPayload] | PayloadRef | None = None,
            merger: str | type[HoodieRecordMerger] | MergerRef | None = None,
            release: str | HudiRelease = HudiRelease.latest(),
            table_version: int | None = None,
            table_type: str | TableType = TableType.COPY_ON_WRITE,
            key: str | Iterable[str] = (),
            partition: str | Iterable[str] = (),
            ordering: str | Iterable[str] = (),
            schema: AvroSchema | None = None,
            props: Mapping[str, str] = ...,
            arrival: str | None = None,
            combine_before_upsert: bool = True,
            inserts_to: Literal["base", "log"] = "base",
            global_index: bool = False,
            table: TableMergeConfig | None = None,
            plain: bool = False,
            stored_payload: PayloadRef | None = None,
            fidelity: Fidelity = "hudi",
            engine: Literal["auto", "native", "jvm", "python"] = "auto",
            implementation: Literal["python", "java"] | None = None,
            on_error: Literal["fail", "quarantine"] = "fail",
            call_timeout: int = CALL_TIMEOUT,
            trust_rule: bool = False,
            trust_sample: int = 1_000,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Accept what users write (names, text, lists) and reject contradictions.

        Raises:
            ParameterError: naming the setting and what to write instead.
            PayloadConfigError: unknown release.
            PayloadNotFoundError, MergerNotFoundError: a name looks like one of Hudi, and is none.
        """
        for name, value in accepted({one.name: getattr(self, one.name) for one in fields(self)}).items():
            object.__setattr__(self, name, value)
        on_read = self.table_type is TableType.MERGE_ON_READ
        for name, value in write_settings.fields_from(self.props, merge_on_read=on_read).items():
            default = type(self).__dataclass_fields__[name].default
            if getattr(self, name) not in {default, value}:
                msg = f"`{name}`={getattr(self, name)!r} contradicts the properties, which say {value!r}; give only one"
                raise ParameterError(msg)
            object.__setattr__(self, name, value)
        for wrong, msg in self._problems():
            if wrong:
                raise ParameterError(msg)

    def _problems(self) -> Iterator[tuple[bool, str]]:
        can = capabilities(self.release)
        given = (self.payload is not None) + (self.merger is not None)
        yield not self.plain and given != 1, "give exactly one of `payload` and `merger`"
        yield self.plain and given > 0, "a plain writer passes neither payload nor merger; leave out both, or `plain`"
        custom = (
            "CUSTOM runs a payload or a merger; name that one: a payload class, or your own as package.module:Class"
        )
        yield self.mode is RecordMergeMode.CUSTOM, custom
        yield not self.key, "the record key is missing; name its columns by `key`"
        yield (
            len(self.ordering) > 1 and not can.several_ordering_fields,
            f"Hudi {self.release} has one ordering field, not {', '.join(self.ordering)}; name one",
        )
        yield self.engine not in ENGINES, f"unknown engine {self.engine!r}; choose one of {', '.join(ENGINES)}"
        yield (
            self.implementation not in (None, *IMPLEMENTATIONS),
            f"unknown implementation {self.implementation!r}; choose one of {', '.join(IMPLEMENTATIONS)}",
        )
        yield (
            (self.engine, self.implementation) in (("python", "java"), ("jvm", "python"), ("native", "java")),
            f"the {self.engine} engine does not run {self.implementation} classes; omit one of the two",
        )
        yield self.on_error not in ON_ERROR, f"`on_error` is {' or '.join(map(repr, ON_ERROR))}, not {self.on_error!r}"
        yield (
            not self.call_timeout >= 0,
            f"`call_timeout` is a number of seconds, or 0 for any time, not {self.call_timeout}",
        )
        yield (
            self.trust_rule and self.engine != "native",
            "`trust_rule` is for the native engine; set `engine` to native",
        )
        yield (
            self.trust_sample != MergePlan.trust_sample and not self.trust_rule,
            "`trust_sample` is for `trust_rule`; add that, or leave it out",
        )
        yield self.trust_sample < 1, f"`trust_sample` is a number of keys from 1 on, not {self.trust_sample}"
        yield (
            self.fidelity not in ("hudi", "intended"),
            f"`fidelity` is 'hudi' or 'intended', not {self.fidelity!r}",
        )
        yield self.inserts_to not in ("base", "log"), f"inserts_to is 'base' or 'log', not {self.inserts_to!r}"
        # What is not supported is rejected, so that no result is silently wrong.
        yield (
            self.global_index and not self.combine_before_upsert,
            "a global index takes any one version of a key from a batch that is not combined; combine it",
        )
        yield (
            self.has_record_index and not can.record_index,
            f"Hudi {self.release} has no record index ({keys.INDEX_TYPE}=RECORD_INDEX); name another index",
        )
        yield self.global_index and self.inserts_to == "log", "a global index does not find rows of a log; omit one"
        yield self.global_index and not self.partition, "a global index is for tables with partitions; omit it"
        for name in (keys.SMALL_FILE_LIMIT, keys.SMALL_FILE_CANDIDATES):
            number = self.props.get(name, "0")
            yield not re.fullmatch(r"[+-]?[0-9]+", number), f"{name}={number!r} is not a whole number; Hudi fails on it"
        old = not can.merge_modes
        without = f"Hudi {self.release} has neither merge modes nor Avro mergers; give a payload"
        yield old and self.merger is not None, without
        created = can.created_version
        yield (
            self.table is None and self.table_version not in {None, created},
            f"Hudi {self.release} creates table version {created}; describe an older table with `table`",
        )

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that identify a row: partition and key, or the key alone with a global index."""
        partition = () if self.global_index else self.partition
        return (*partition, *(name for name in self.key if name not in partition))

    def within_partitions(self) -> MergePlan:
        """Return the plan for readers: without a global index, each partition by itself."""
        if not self.global_index:
            return self
        props = {name: value for name, value in self.props.items() if name != keys.INDEX_TYPE}
        return replace(self, global_index=False, props=props)

    @property
    def moves_rows(self) -> bool:
        """Whether a global index moves a row to the partition that a batch names, or leaves it in its partition."""
        return write_settings.moves_rows(self.props)

    @property
    def has_record_index(self) -> bool:
        """Whether the global index is a record index, which drops deleted keys."""
        return write_settings.is_record_index(self.props)

    @property
    def runs_java(self) -> bool:
        """Whether the compiled class runs, in the jvm engine: on request, or because no Python class exists."""
        if self.engine == "jvm" or self.implementation == "java":
            return True
        if self.engine in {"native", "python"} or self.implementation == "python":
            return False
        if self.merger is not None:
            return self.mode is None and self.merger.is_compiled and not self.merger.has_port
        return self.payload is not None and self.payload.is_compiled and not self.payload.has_port(self.release)

    @property
    def payload_name(self) -> str:
        """The name of the payload class, merge mode or merger, for messages."""
        if self.payload is not None:
            return self.payload.name
        return self.merger.name if self.merger is not None else "a plain writer"

    def without_trust(self) -> MergePlan:
        """Return the plan by which a class itself merges, not the rule that is inferred from it."""
        return replace(self, trust_rule=False, trust_sample=MergePlan.trust_sample)

    def as_plain(self) -> MergePlan:
        """Return the plan of a writer that passes neither payload class nor merge mode, for a table that this one made.

        Raises:
            MergeConfigError: the settings of the plan make no table; in Hudi's words.
        """
        table = self.table
        if table is None:
            stored = created_properties(self.writer_options(), self.table_type, self.release)
            table = TableMergeConfig.from_properties(stored, self.release)
        props = write_settings.plain_options(self.props)
        known = self.payload or self.stored_payload
        return replace(self, payload=None, merger=None, plain=True, stored_payload=known, table=table, props=props)

    @property
    def mode(self) -> RecordMergeMode | None:
        """The merge mode that `merger` names; None if it names a merger."""
        names = RecordMergeMode.__members__
        return names.get(self.merger.name.upper()) if self.merger is not None else None

    def __repr__(self) -> str:
        """Return the settings that are not the default, without secrets: logs and notebooks keep it."""
        facts = "".join(f"; {name}={_short(without_credentials(value))}" for name, value in self._facts())
        return f"<MergePlan: {_short(self._headline() + facts, _MOST_LETTERS)}>"

    def _repr_html_(self) -> str:
        return notebook_html(Fragment(brand="MergePlan", headline=self._headline(), facts=[*self._facts()]))

    def _headline(self) -> str:
        made = capabilities(self.release).created_version if self.table is None else self.table.version
        version, kind = self.table_version or made, (self.table or self).table_type
        return f"{self.payload_name} on Hudi {self.release}: a {kind.long_name} table of version {version}"

    def _facts(self) -> Iterator[tuple[str, str]]:
        """Yield the settings that are not the default, as text; the headline has the first ones."""
        told = {"payload", "merger", "release", "table_type", "table_version", "table", "props"}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in told or value in (None, (), one.default):
                continue
            yield one.name.replace("_", " "), _fact(value)
        for name, value in self.props.items():
            yield name, setting_shown(name, value)

    def payload_ref(self, java_name: str) -> PayloadRef:
        """Return the reference to a payload class: the plan's own, or the table's, if it has this name.

        Any other name loads no code.
        """
        known = (self.payload, self.stored_payload)
        named = (own for own in known if own is not None and own.java_name(self.release) == java_name)
        return next(named, None) or StoredPayloadRef(java_name)

    def writer_options(self) -> dict[str, str]:
        """Return the options that a Hudi writer of this plan passes: `props`, payload or merger, ordering fields."""
        options = dict(self.props)
        if self.ordering:
            options.setdefault(keys.WRITE_PRECOMBINE.key, ",".join(self.ordering))
        if self.payload is not None:
            options[keys.WRITE_PAYLOAD_CLASS.key] = self.payload.java_name(self.release)
        elif self.mode is not None:
            options[keys.WRITE_MERGE_MODE.key] = self.mode.value
        elif self.merger is not None:
            options[keys.WRITE_MERGE_MODE.key] = RecordMergeMode.CUSTOM.value
            options[keys.WRITE_STRATEGY_ID.key] = self.merger.merging_strategy
        return options


def _short(text: str, most: int = 300) -> str:
    return text if len(text) <= most else f"{text[:most]}\u2026"


def _fact(value: object) -> str:
    match value:
        case tuple():
            return ", ".join(value)
        case bool():
            return "yes" if value else "no"
        case PayloadRef():
            return value.name
        case _:
            return str(value)
