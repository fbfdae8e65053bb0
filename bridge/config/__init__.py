"""Merge configuration: keys, what a table stores, how each release completes and upgrades it, what holds in the end."""

from __future__ import annotations

from bridge.config.creation import created_properties
from bridge.config.effective import EffectiveMergeConfig, MergeRule, effective_config
from bridge.config.entry import ConfigEntry, DeprecatedKeyWarning
from bridge.config.inference import (
    InferredSettings,
    MergeSettings,
    infer,
    infer_for_creation,
    infer_for_writes,
    mode_of_payload,
)
from bridge.config.properties import format_properties, parse_properties, read_properties
from bridge.config.refusals import MergeConfigError
from bridge.config.sources import DeprecatedKey, Setting, Source, deprecated_keys, settings_of
from bridge.config.sql import created_by_sql, from_sql
from bridge.config.table import TableMergeConfig, read_table
from bridge.config.validation import Conflict, check_writer, conflicts_of
from bridge.config.versions import change_version

__all__ = [
    "ConfigEntry",
    "Conflict",
    "DeprecatedKey",
    "DeprecatedKeyWarning",
    "EffectiveMergeConfig",
    "InferredSettings",
    "MergeConfigError",
    "MergeRule",
    "MergeSettings",
    "Setting",
    "Source",
    "TableMergeConfig",
    "change_version",
    "check_writer",
    "conflicts_of",
    "created_by_sql",
    "created_properties",
    "deprecated_keys",
    "effective_config",
    "format_properties",
    "from_sql",
    "infer",
    "infer_for_creation",
    "infer_for_writes",
    "mode_of_payload",
    "parse_properties",
    "read_properties",
    "read_table",
    "settings_of",
]
