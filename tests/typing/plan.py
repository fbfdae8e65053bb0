"""Plans in every form that the documentation shows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge import MergePlan, combine_input, upsert
from bridge.plan import TableType
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def merged(stored: DataFrame, incoming: DataFrame) -> DataFrame:
    """Return the rows of a table after a batch."""
    plan = MergePlan(key="id", release="0.15", payload="DefaultHoodieRecordPayload", ordering="ts")
    return upsert(stored, combine_input(incoming, plan), plan)


PLANS = [
    MergePlan(key="id,part", payload=PayloadRef("AWSDmsAvroPayload"), release=HudiRelease.V1_0, table_type="mor"),
    MergePlan(key=["id"], partition=("part",), merger="EVENT_TIME_ORDERING", table_type=TableType.MERGE_ON_READ),
    dataclasses.replace(MergePlan(key="id", payload="AWSDmsAvroPayload"), props={"a": "b"}),
]
KEYS: tuple[str, ...] = PLANS[0].key
