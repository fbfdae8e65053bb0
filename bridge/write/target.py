"""WriteTarget: a table that shows what is written into it as it is, and the options by which Hudi writes it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from bridge.config import assumed_writer, capabilities, keys, writer_layout
from bridge.errors import InputError, PlanError
from bridge.plan import TableType
from bridge.write.concurrency import is_locked, lock_options
from mergers import RecordMergeMode
from payloads import HudiRelease
from payloads.builtin import DELETE_FIELD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.hudi import TableQueries
    from bridge.plan import MergePlan

BATCH: Final = "_payload_bridge_batch"
RUN: Final = "_payload_bridge_run"
"""What a commit says about itself in its extra metadata: the identity of its batch, and of the run that wrote it."""

_PREFIX: Final = "_"
_MODE: Final = RecordMergeMode.COMMIT_TIME_ORDERING
_MAKE: Final = (
    f"write into a new table, of Hudi 1.0 or later, created with {keys.WRITE_MERGE_MODE.key}={_MODE.value} and no "
    "payload class, and load the rows of this one into it first"
)
_LATEST: Final = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
_BY_CLASS: Final = {keys.WRITE_PAYLOAD_CLASS.key: _LATEST, keys.WRITE_PRECOMBINE.key: ""}
"""How the newest row wins in a table without merge modes; without a field of its own, 0.15 takes a column `ts`."""
_DEFAULT_INDEX: Final = "SIMPLE"  # HoodieIndexConfig.getDefaultIndexType of Spark
_MOVES: Final = {"GLOBAL_SIMPLE": keys.SIMPLE_INDEX_MOVES, "GLOBAL_BLOOM": keys.BLOOM_INDEX_MOVES}
"""Global indexes, and the option of each that says whether rows move."""
_NOT_PORTED: Final = ("RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX", "HBASE", "INMEMORY")


class WriteTarget:
    """A table that a merge writes into, checked: no reader merges its rows again by a rule other than the last write.

    Attributes:
        path: its base path.
    """

    def __init__(self, queries: TableQueries) -> None:
        """Check a table.

        Raises:
            InputError: a reader of the table, or Hudi's writer, would make other rows of what is written.
        """
        self.path = queries.files.path
        self._properties = queries.properties
        self._failed = queries.timeline.first_incomplete
        for wrong, why in self._problems():
            if wrong:
                msg = f"{self.path} {why}"
                raise InputError(msg)

    def _problems(self) -> Iterator[tuple[bool, str]]:
        own = self._properties
        yield from self._rules() if self._has_modes else self._classes()
        yield (
            not own.key_fields,
            ("has generated keys, so its rows can't be found again; name record keys in a new table"),
        )
        yield not own.has_meta_fields, "has no meta columns, and a merge into such a table has not been tried"
        yield own.drops_partition_columns, "stores no partition columns, and a merge into such a table is not supported"
        yield own.paths_are_formatted, "formats its partition values, and a merge into such a table is not supported"
        yield (
            not own.derives_key_values,
            "has a custom key generator, so rows can't be found by their columns",
        )
        yield own.bootstrap_source is not None, "is bootstrapped, and a merge into such a table has not been tried"

    @property
    def _has_modes(self) -> bool:
        return capabilities(HudiRelease.latest(), self._properties.version).stored_modes

    def _classes(self) -> Iterator[tuple[bool, str]]:
        """Give what the class of a table without merge modes would do to the rows; the writer's is ours."""
        own = self._properties
        merges = f"has table version {own.version}, whose payload class merges what is written"
        payload = own.config(assumed_writer(own.version)).table_payload
        yield payload != _LATEST, f"{merges}, {payload}; {_MAKE}"
        ordering = ", ".join(own.merge.ordering)
        yield bool(ordering), f"{merges}, by the ordering field {ordering}; {_MAKE}"
        # Hudi's writer takes its time, and then rolls back: its blocks follow a command block of a later instant, where
        # the log reader of 0.15 stops until another commit completes (AbstractHoodieLogRecordReader).
        is_logged = own.stored.get(keys.TABLE_TYPE.key) == TableType.MERGE_ON_READ.name
        hides = (
            f"has the commit {self._failed}, which did not complete: the next write would roll it back, and 0.15 would "
            "not show the rows of that write until a later one; complete it, or roll it back, with Hudi first"
        )
        yield is_logged and self._failed is not None, hides

    def _rules(self) -> Iterator[tuple[bool, str]]:
        """Give what readers of each release would do to the rows."""
        for release in HudiRelease:
            if capabilities(release).created_version < self._properties.version:
                continue
            config = self._properties.config(release)
            rule = next((rule for name, rule in config.rules if name != "dedup" and rule.mode is not _MODE), None)
            how = "" if rule is None else f"{rule.mode.value if rule.mode else rule.payload} ({rule.why})"
            yield rule is not None, f"would merge written rows again, by {how}; {_MAKE}"
            partial = config.partial_update_mode
            yield partial is not None, f"would merge written rows again, by the partial update mode {partial}; {_MAKE}"
            marker = config.merge_properties.get(DELETE_FIELD)
            yield marker is not None, f"deletes rows by the marker column {marker} that a payload may keep; {_MAKE}"

    def check_plan(self, plan: MergePlan) -> None:
        """Check that a plan is about this table.

        Raises:
            PlanError: it names another key, or asks for what is not supported here.
        """
        own = self._properties
        for what, named, stored in (
            ("record key", plan.key, own.key_fields),
            ("partition", plan.partition, own.partition_fields),
        ):
            if set(named) != set(stored):
                msg = (
                    f"the plan has the {what} {', '.join(named) or 'of no columns'}, but {self.path} has "
                    f"{', '.join(stored) or 'none'}; name those of the table"
                )
                raise PlanError(msg)
        if not plan.combine_before_upsert:
            msg = "a merge into a table writes one row per key; leave out combine_before_upsert=False"
            raise PlanError(msg)

    def options(self, given: Mapping[str, str], batch: str | None, run: str) -> dict[str, str]:
        """Return the options of Hudi's writer for one commit.

        Args:
            given: other options of the writer.
            batch: the identity of the batch, if it has one.
            run: the identity of the run.

        Raises:
            PlanError: an option that is given would change what is written, or let writers in that nothing checks, or
                the index is a global one that has not been tried.
        """
        own = self._properties
        stored: Mapping[str, Any] = own.stored
        needed = {
            **writer_layout.layout_options(stored, own.key_fields),
            **({keys.WRITE_MERGE_MODE.key: _MODE.value} if self._has_modes else _BY_CLASS),
            keys.COMBINE_BEFORE_UPSERT.key: "false",
            keys.WRITE_TABLE_VERSION.key: str(own.version),
            keys.AUTO_UPGRADE.key: "false",
            keys.COMMIT_METADATA_PREFIX: _PREFIX,
            RUN: run,
        }
        if batch is not None:
            needed[BATCH] = batch
        needed.setdefault(keys.INDEX_TYPE, _DEFAULT_INDEX)  # else a file of defaults on the machine decides
        needed |= lock_options(given)
        writer_layout.check_given(given, needed, [BATCH, keys.DELETE_KEY.key, keys.DELETE_MARKER.key])
        found = {**needed, **given}
        index = found[keys.INDEX_TYPE].strip().upper()
        self._check_index(index, is_locked=is_locked(found))
        if index in _MOVES:
            # Rows that stay are given with their own partition. A merge-on-read index that moves no rows would put a
            # new row of a deleted key into the partition where a base file still has it.
            found[_MOVES[index]] = "true"
        return found

    def _check_index(self, index: str, *, is_locked: bool) -> None:
        if index in _NOT_PORTED:
            msg = (
                f"a merge by {keys.INDEX_TYPE}={index} is not supported; write with {' or '.join(_MOVES)}, which find "
                "the same rows"
            )
            raise PlanError(msg)
        if index not in _MOVES:
            return
        version, newest = self._properties.version, capabilities(HudiRelease.latest()).created_version
        if not capabilities(HudiRelease.latest(), version).global_merges:
            msg = (
                f"{self.path} has table version {version}, with which a merge by a global index "
                f"({keys.INDEX_TYPE}={index}) has not been tried; upgrade the table to version {newest}, or leave the "
                "index out where keys stay in a partition"
            )
            raise PlanError(msg)
        if is_locked:
            msg = (
                f"{keys.CONCURRENCY_MODE}: Hudi compares the partitions of writers, and by a global index "
                f"({keys.INDEX_TYPE}={index}) two of them may insert a key into different ones; let one writer in"
            )
            raise PlanError(msg)

    def with_index(self, plan: MergePlan, options: Mapping[str, str], given: Mapping[str, str]) -> MergePlan:
        """Return a plan that looks for stored rows where the index of Hudi's writer does.

        Args:
            plan: what merges.
            options: those of the writer, as `options` returns them.
            given: those that the user gave, which say whether rows move.

        Raises:
            PlanError: the plan says otherwise.
        """
        index = options[keys.INDEX_TYPE].strip().upper()
        named = plan.props.get(keys.INDEX_TYPE, index)
        if named.strip().upper() != index or (plan.global_index and index not in _MOVES):
            own = f"{keys.INDEX_TYPE}={named}" if keys.INDEX_TYPE in plan.props else "a global index"
            msg = f"the plan has {own}, but the writer {keys.INDEX_TYPE}={index}; give both the same one"
            raise PlanError(msg)
        if index not in _MOVES or not plan.partition:  # without partitions the key tells the row
            return plan
        moves = _MOVES[index]
        texts = {side[moves].strip().lower() for side in (given, plan.props) if moves in side}
        if len(texts) > 1:
            msg = f"the plan has {moves}={plan.props[moves]}, but the writer {given[moves]}; give both the same"
            raise PlanError(msg)
        props = {**plan.props, keys.INDEX_TYPE: index, moves: next(iter(texts), "true")}
        return dataclasses.replace(plan, props=props)  # which say that its index is a global one
