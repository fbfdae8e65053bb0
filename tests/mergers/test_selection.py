from __future__ import annotations

import dataclasses
import pickle

import pytest

from mergers import (
    COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
    CUSTOM_MERGE_STRATEGY_UUID,
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    HoodieRecordType,
    MergerConfig,
    MergerConfigError,
    MergerNotFoundError,
    MergerRef,
    OverwriteWithLatestMerger,
    RecordMergeMode,
    resolve_merger,
    runnable_here,
    select_merger,
)
from tests.mergers.tables import merger

OURS = "5a3bb2d1-0000-4c1c-9d4f-2d3b9c1f0a11"


class OfStrategy:
    merging_strategy = OURS

    def merge(self, older, newer, schema, props):
        return newer


class ForAvro(OfStrategy):
    record_type = HoodieRecordType.AVRO


class AlsoForAvro(ForAvro):
    pass


class ForSpark(OfStrategy):
    record_type = HoodieRecordType.SPARK


class ForFlink(OfStrategy):
    record_type = HoodieRecordType.FLINK


class OtherForSpark(ForSpark):
    merging_strategy = CUSTOM_MERGE_STRATEGY_UUID


@pytest.mark.parametrize(
    ("engine", "implementations", "expected"),
    [
        ("SPARK", [ForAvro, ForSpark], ForSpark),
        ("AVRO", [ForSpark, ForAvro], ForAvro),
        ("FLINK", [ForAvro, ForFlink, ForSpark], ForFlink),
        ("SPARK", [ForFlink, ForAvro], ForAvro),
        ("FLINK", [ForSpark, ForAvro], ForAvro),
        ("SPARK", [AlsoForAvro, ForAvro], AlsoForAvro),
        ("SPARK", [OtherForSpark, ForAvro], ForAvro),
        (HoodieRecordType.SPARK, [f"{__name__}:ForSpark"], ForSpark),
        ("spark", [MergerRef(f"{__name__}:ForSpark"), ForAvro], ForSpark),
    ],
)
def test_the_first_implementation_of_the_strategy_for_the_engine_then_avro(engine, implementations, expected):
    assert type(select_merger(OURS, engine, implementations)) is expected


def test_an_object_is_selected_as_it_is():
    chosen, bridge = ForSpark(), merger()
    assert select_merger(OURS, "SPARK", [ForAvro, chosen]) is chosen
    assert select_merger(PAYLOAD_BASED_MERGE_STRATEGY_UUID, "SPARK", [chosen, bridge]) is bridge


@pytest.mark.parametrize("mode", [RecordMergeMode.COMMIT_TIME_ORDERING, "COMMIT_TIME_ORDERING"])
def test_a_merge_mode_selects_its_strategy(mode):
    found = select_merger(mode, "SPARK", ["org.apache.hudi.common.model.OverwriteWithLatestMerger"])
    assert isinstance(found, OverwriteWithLatestMerger)


def test_an_unknown_strategy_lists_what_is_registered():
    with pytest.raises(MergerNotFoundError) as error:
        select_merger("EVENT_TIME_ORDERING", "SPARK", [ForSpark, OverwriteWithLatestMerger])
    for part in (EVENT_TIME_BASED_MERGE_STRATEGY_UUID, f"ForSpark ({OURS}, SPARK)", "OverwriteWithLatestMerger"):
        assert part in str(error.value)
    with pytest.raises(MergerNotFoundError, match="registered: nothing"):
        select_merger(OURS, "SPARK", [])


def test_an_implementation_for_another_engine_does_not_fit():
    with pytest.raises(MergerNotFoundError, match="for AVRO records"):
        select_merger(OURS, "AVRO", [ForSpark, ForFlink])


def test_flink_is_selected_but_not_run():
    flink = select_merger(OURS, "FLINK", [ForFlink])
    with pytest.raises(MergerConfigError, match="FLINK records exist only in Flink"):
        runnable_here(flink)
    assert runnable_here(select_merger(OURS, "SPARK", [ForSpark])).record_type is HoodieRecordType.SPARK


@pytest.mark.parametrize(("strategy", "engine"), [("", "SPARK"), (OURS, "HIVE")])
def test_strategies_and_engines_that_are_refused(strategy, engine):
    with pytest.raises(MergerConfigError):
        select_merger(strategy, engine, [ForAvro])


# -- a table's configuration


def test_the_implementations_of_a_table_can_change():
    table = MergerConfig(OURS, [ForAvro])
    assert isinstance(table.select("SPARK"), ForAvro)
    changed = table.with_implementations(ForSpark, ForAvro)
    assert isinstance(changed.select("SPARK"), ForSpark)
    assert (changed.strategy, table.implementations) == (OURS, (ForAvro,))


def test_the_strategy_of_a_table_cannot_change():
    table = MergerConfig("EVENT_TIME_ORDERING")
    assert table.with_strategy(EVENT_TIME_BASED_MERGE_STRATEGY_UUID) is table
    with pytest.raises(MergerConfigError, match="can't be changed"):
        table.with_strategy(RecordMergeMode.COMMIT_TIME_ORDERING)
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.strategy = COMMIT_TIME_BASED_MERGE_STRATEGY_UUID


# -- names


def test_a_reference_travels():
    reference = MergerRef(f"{__name__}:ForSpark")
    assert pickle.loads(pickle.dumps(reference)) == reference  # noqa: S301 (its own bytes)
    assert isinstance(reference.resolve(), ForSpark)
    assert isinstance(resolve_merger(reference), ForSpark)
    assert isinstance(resolve_merger("OverwriteWithLatestMerger"), OverwriteWithLatestMerger)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NoSuchMerger", "OverwriteWithLatestMerger"),
        ("no_such_module:Merger", "no_such_module"),
        (f"{__name__}:Missing", "has no 'Missing'"),
        ("HoodieAvroRecordMerger", "AvroRecordMerger\\(payload, release, 'combine'\\)"),
        ("org.apache.hudi.common.model.HoodiePreCombineAvroRecordMerger", "'pre_combine'"),
    ],
)
def test_names_that_lead_nowhere(name, message):
    with pytest.raises(MergerNotFoundError, match=message):
        resolve_merger(name)


def test_the_commit_time_merger_keeps_the_newer_version():
    older, newer = object(), object()
    assert OverwriteWithLatestMerger().merge(older, newer, None, {}) is newer
