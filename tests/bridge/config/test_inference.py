"""Inference of merge settings: the decision table of real Hudi 1.2.0, refusals included."""

from __future__ import annotations

import re

import pytest

from bridge.config.inference import MergeSettings, infer, infer_for_creation, infer_for_writes, mode_of_payload
from bridge.config.refusals import MergeConfigError
from mergers import RecordMergeMode
from payloads.release import HudiRelease
from tests.bridge.config.recorded import lines_of

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2

# What Hudi says, and what ours says for the same reason.
REFUSALS = {
    "conflict with each other": "imply different merge modes",
    "is inconsistent with payload class": "does not fit",
    "must be configured in CUSTOM merge mode": "CUSTOM needs a payload class",
    "payload class name is required to be set": "the payload-based merge strategy needs a payload class",
}

HEADER, *ROWS = [line.split("\t") for line in lines_of("config-inference-1.2.0.tsv.gz")]


def _ask(row, release):
    version, mode, payload, strategy, ordering = (None if text == "null" else text for text in row[:5])
    settings = MergeSettings(RecordMergeMode[mode] if mode else None, payload, strategy)
    fields = tuple(ordering.split(",")) if ordering else ()
    number = int(version.removeprefix("v"))
    if number == 9:
        stored = infer_for_creation(settings, fields, number, release)
        return "{" + ", ".join(f"{key}={stored[key]}" for key in sorted(stored)) + "}"
    inferred = infer(settings, fields, number, release)
    return f"{inferred.mode.name} | {inferred.payload} | {inferred.strategy}"


@pytest.mark.parametrize("release", [V1_1, V1_2], ids=str)
@pytest.mark.parametrize("version", ["v6", "v8", "v9"])
def test_every_row_of_the_decision_table_holds(version, release):
    rows = [row for row in ROWS if row[0] == version]
    assert len(rows) == 672
    for row in rows:
        expected = row[5]
        if not expected.startswith("ERR"):
            assert _ask(row, release) == expected, row
            continue
        reason = next(ours for theirs, ours in REFUSALS.items() if theirs in expected)
        with pytest.raises(MergeConfigError, match=re.escape(reason)):
            _ask(row, release)


def test_1_0_differs_only_for_event_time():
    differing = set()
    for row in ROWS:
        if row[0] == "v9":
            continue
        answers = []
        for release in (V1_0, V1_2):
            try:
                answers.append(_ask(row, release))
            except MergeConfigError as error:
                answers.append(str(error))
        if answers[0] != answers[1]:
            differing.add(row[2].rpartition(".")[2])
    assert differing == {"EventTimeAvroPayload"}


def test_a_writer_of_version_9_gets_what_creation_stores():
    dms = "org.apache.hudi.common.model.AWSDmsAvroPayload"
    assert infer_for_writes(MergeSettings(payload=dms), (), 9, V1_2) == (
        RecordMergeMode.COMMIT_TIME_ORDERING,
        None,
        None,
    )
    assert infer_for_writes(MergeSettings(payload="com.acme.X"), (), 9, V1_2)[:2] == (
        RecordMergeMode.CUSTOM,
        "com.acme.X",
    )


def test_creation_of_an_older_version_is_refused():
    with pytest.raises(MergeConfigError, match="table version 8"):
        infer_for_creation(MergeSettings(), (), 8, V1_2)


def test_a_class_that_contains_the_name_of_event_time_implies_event_time():
    nested = "org.apache.hudi.common.model.EventTimeAvroPayload$Mine"
    settings = MergeSettings(strategy="eeb8d96f-b1e4-49fd-bbf8-28ac514178e5", payload=nested)
    assert mode_of_payload(nested, V1_2) is RecordMergeMode.CUSTOM
    with pytest.raises(MergeConfigError):
        infer(settings, (), 8, V1_2)


def test_refusals_say_what_to_change():
    with pytest.raises(MergeConfigError, match=r"set the mode to COMMIT_TIME_ORDERING, or leave out payload class"):
        infer(
            MergeSettings(
                RecordMergeMode.EVENT_TIME_ORDERING, "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
            ),
            (),
            8,
            V1_2,
        )
