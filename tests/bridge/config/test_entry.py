"""ConfigEntry: names, defaults by release, reading, and the warning for old names."""

from __future__ import annotations

import pytest

from bridge.config import keys
from bridge.config.entry import DeprecatedKeyWarning
from bridge.plan import TableType
from mergers import RecordMergeMode
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease, releases

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2


@pytest.mark.parametrize(
    ("entry", "defaults"),
    [
        (keys.WRITE_PRECOMBINE, (("ts",), None, None, None)),
        (keys.PAYLOAD_ORDERING, ("ts", None, None, None)),
        (keys.EVENT_TIME_FIELD, ("ts", "ts", "ts", None)),
        (keys.TABLE_TYPE, (TableType.COPY_ON_WRITE,) * 4),
        (keys.UPDATE_ON_TIE, (True,) * 4),
        (keys.MERGE_MODE, (None,) * 4),
        (keys.AUTO_UPGRADE, (None, True, True, True)),
    ],
)
def test_defaults_belong_to_a_release(entry, defaults):
    assert tuple(entry.read({}, release) for release in releases(since="0.15")) == defaults
    assert {entry.read({}, release) for release in releases(until="0.15")} == {defaults[0]}


def test_the_payload_class_has_a_default_until_0_15():
    overwrite = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    for entry in (keys.PAYLOAD_CLASS, keys.WRITE_PAYLOAD_CLASS):
        assert [entry.read({}, release) for release in HudiRelease] == [overwrite, overwrite, None, None, None]


@pytest.mark.parametrize(
    ("entry", "text", "value"),
    [
        (keys.MERGE_MODE, "event_time_ordering", RecordMergeMode.EVENT_TIME_ORDERING),
        (keys.TABLE_TYPE, "mor", TableType.MERGE_ON_READ),
        (keys.TABLE_VERSION, "9", 9),
        (keys.ORDERING_FIELDS, "a, b,,", ("a", " b")),
        (keys.UPDATE_ON_TIE, "TRUE", True),
        (keys.UPDATE_ON_TIE, "yes", False),
        (keys.PAYLOAD_CLASS, "com.uber.hoodie.X", "org.apache.hudi.X"),
        (keys.PARTIAL_UPDATE_MODE, "fill_unavailable", "FILL_UNAVAILABLE"),
    ],
)
def test_text_is_read_by_the_type_of_the_key(entry, text, value):
    assert entry.read({entry.key: text}, V1_2) == value


@pytest.mark.parametrize(
    ("entry", "text", "says"),
    [
        (keys.MERGE_MODE, "LATEST", r"hoodie\.record\.merge\.mode='LATEST' .*COMMIT_TIME_ORDERING"),
        (keys.TABLE_TYPE, "delta", r"hoodie\.table\.type='delta' .*MERGE_ON_READ"),
        (keys.TABLE_VERSION, "5", r"hoodie\.table\.version='5' .*6, 8, 9"),
        (keys.PARTIAL_UPDATE_MODE, "KEEP_VALUES", r"'KEEP_VALUES' .*IGNORE_DEFAULTS"),
    ],
)
def test_wrong_text_is_refused_with_name_value_and_choice(entry, text, says):
    with pytest.raises(PayloadConfigError, match=says):
        entry.read({entry.key: text}, V1_2)


def test_empty_text_counts_as_not_set():
    assert keys.MERGE_MODE.find({keys.MERGE_MODE.key: ""}, V1_2) is None


def test_an_old_name_works_with_one_warning():
    old = "hoodie.table.precombine.field"
    says = rf"{old}.*deprecated in Hudi 1\.2.*hoodie\.table\.ordering\.fields"
    with pytest.warns(DeprecatedKeyWarning, match=says) as seen:
        assert keys.ORDERING_FIELDS.read({old: "ts"}, V1_2) == ("ts",)
    assert len(seen) == 1


def test_the_present_name_wins_over_the_old_one():
    properties = {"hoodie.table.precombine.field": "a", "hoodie.table.ordering.fields": "b"}
    with pytest.warns(DeprecatedKeyWarning):
        assert keys.ORDERING_FIELDS.read(properties, V1_1) == ("b",)


@pytest.mark.parametrize("release", [V0_15, V1_0])
def test_a_release_knows_its_own_names_only_and_does_not_warn(release):
    properties = {"hoodie.table.precombine.field": "a", "hoodie.table.ordering.fields": "b"}
    assert keys.ORDERING_FIELDS.read(properties, release) == ("a",)


def test_no_name_belongs_to_two_keys():
    entries = (*keys.TABLE_ENTRIES, *keys.WRITER_ENTRIES)
    names = [name for entry in entries for name in (entry.key, *entry.aliases)]
    assert len(names) == len(set(names))
