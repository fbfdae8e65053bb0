from __future__ import annotations

import importlib
import pkgutil
import types

import pytest

# Written out, not computed: a name that comes, goes or changes its spelling is a decision, and shows up here.
PUBLIC = {
    "payloads": [
        "AWSDmsAvroPayload",
        "AvroSchema",
        "Branch",
        "DefaultHoodieRecordPayload",
        "EmptyHoodieRecordPayload",
        "EventTimeAvroPayload",
        "FirstValueAvroPayload",
        "HoodieAvroPayload",
        "HoodieJsonPayload",
        "HoodieRecordPayload",
        "HudiRelease",
        "MySqlDebeziumAvroPayload",
        "NATURAL_ORDER",
        "NullOrderingError",
        "Ordering",
        "OrderingTypeError",
        "OverwriteNonDefaultsWithLatestAvroPayload",
        "OverwriteWithLatestAvroPayload",
        "PartialUpdateAvroPayload",
        "PayloadBridgeError",
        "PayloadConfigError",
        "PayloadConstructorError",
        "PayloadFailedError",
        "PayloadFamilyError",
        "PayloadNotFoundError",
        "PayloadRef",
        "PostgresDebeziumAvroPayload",
        "Record",
        "ReverseOrderHoodieRecordPayload",
        "RewriteAvroPayload",
        "SENTINEL",
        "SchemaError",
        "UnsupportedPayloadOperationError",
        "builtin_payloads",
        "parse_schema",
        "resolve_payload",
    ],
    "mergers": [
        "AvroRecordMerger",
        "Bracketing",
        "BufferedMerger",
        "COMMIT_TIME_BASED_MERGE_STRATEGY_UUID",
        "CUSTOM_MERGE_STRATEGY_UUID",
        "EVENT_TIME_BASED_MERGE_STRATEGY_UUID",
        "HoodieAvroIndexedRecord",
        "HoodieAvroRecord",
        "HoodieEmptyRecord",
        "HoodieKey",
        "HoodieRecord",
        "HoodieRecordMerger",
        "HoodieRecordType",
        "HoodieSparkRecord",
        "LawReport",
        "MergerConfig",
        "MergerConfigError",
        "MergerNotFoundError",
        "MergerRef",
        "MetadataValues",
        "OperationMode",
        "OverwriteWithLatestMerger",
        "PAYLOAD_BASED_MERGE_STRATEGY_UUID",
        "PartialUpdateMode",
        "RecordMergeMode",
        "UnsupportedRecordOperationError",
        "adapt_merger",
        "bracketing_text",
        "bracketings",
        "buffered_merger",
        "check_laws",
        "every_bracketing",
        "fold",
        "fold_left",
        "fold_right",
        "law_cases",
        "resolve_merger",
        "runnable_here",
        "select_merger",
    ],
    "bridge": [
        "InputError",
        "JavaNotFoundError",
        "MergeFailedError",
        "MergePlan",
        "MergePoint",
        "PlanError",
        "TableMergeConfig",
        "TableType",
        "append",
        "combine_input",
        "compact",
        "local_session",
        "plan_migration",
        "simulate",
        "simulate_commits",
        "simulate_upgrade",
        "snapshot",
        "upsert",
    ],
}


@pytest.mark.parametrize("package", PUBLIC)
def test_all_is_what_is_promised(package):
    assert sorted(importlib.import_module(package).__all__) == PUBLIC[package]


@pytest.mark.parametrize("package", PUBLIC)
def test_every_promised_name_is_there(package):
    module = importlib.import_module(package)
    assert [name for name in PUBLIC[package] if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PUBLIC)
def test_no_module_takes_the_place_of_a_public_name(package):
    found = importlib.import_module(package)
    for module in pkgutil.iter_modules(found.__path__):
        importlib.import_module(f"{package}.{module.name}")
    assert [name for name in found.__all__ if isinstance(getattr(found, name), types.ModuleType)] == []
