"""Plans as users write them: what is accepted, and what is refused before a job starts."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from bridge import MergePlan, migrate, simulate
from bridge.errors import PlanError
from bridge.plan import TableType
from mergers.errors import MergerNotFoundError
from payloads import DefaultHoodieRecordPayload, HoodieRecordPayload, HudiRelease, PayloadRef
from payloads.errors import ArgumentError, PayloadConfigError, PayloadNotFoundError
from payloads.references import SentPayloadRef
from payloads.sent import class_of
from tests.payloads.user import classes

PLAN = {"payload": "DefaultHoodieRecordPayload", "key": "id", "ordering": "ts"}


@pytest.mark.parametrize("given", ["mor", "MERGE_ON_READ", "merge_on_read", TableType.MERGE_ON_READ])
def test_a_table_type_is_written_as_here_or_as_in_hudi(given):
    assert MergePlan(**PLAN, table_type=given).table_type is TableType.MERGE_ON_READ


@pytest.mark.parametrize("given", ["id,part", ["id", "part"], ("id", "part")])
def test_columns_are_a_text_or_a_list(given):
    assert MergePlan(**{**PLAN, "key": given}).key == ("id", "part")


def test_a_class_stands_for_its_name():
    own = next(one for one in vars(classes).values() if isinstance(one, type) and issubclass(one, HoodieRecordPayload))
    assert MergePlan(**{**PLAN, "payload": DefaultHoodieRecordPayload}).payload == PayloadRef(PLAN["payload"])
    plan = MergePlan(**{**PLAN, "payload": own})
    assert plan.payload.resolve(HudiRelease.V1_0).__name__ == own.__name__


def test_migrate_says_that_the_plan_comes_before_the_batches():
    with pytest.raises(ArgumentError, match=r"^migrate: plan is a MergePlan, not \[\]"):
        migrate([], MergePlan(**PLAN))


@pytest.mark.parametrize(
    ("setting", "name", "meant"),
    [
        ("payload", "DefaultHodieRecordPayload", "DefaultHoodieRecordPayload"),
        ("payload", "org.apache.hudi.common.model.AWSDmsAvroPaylod", "AWSDmsAvroPayload"),
        ("payload", PayloadRef("PartialUpdateAvroPayloads"), "PartialUpdateAvroPayload"),
        ("merger", "EVENT_TIME_ORDERNG", "EVENT_TIME_ORDERING"),
        ("merger", "OverwriteWithLatestMergr", "OverwriteWithLatestMerger"),
    ],
)
def test_a_misspelt_name_of_hudi_is_refused_before_a_job_starts(setting, name, meant):
    with pytest.raises(
        PayloadNotFoundError if setting == "payload" else MergerNotFoundError, match=f"did you mean.*{meant}"
    ):
        MergePlan(key="id", **{setting: name})


@pytest.mark.parametrize(
    "name",
    [
        "com.uber.hoodie.common.model.OverwriteWithLatestAvroPayload",  # the old prefix
        "FirstValueAvroPayload",  # not shipped by the newest release, which the replay says
        "ExpressionPayload",  # refused where it runs, with what to name
        "com.acme.OrderPayload",
        "acme.orders:Latest",
        PayloadRef("org.apache.hudi.acme.Own", jar="own.jar"),
    ],
)
def test_other_names_are_looked_up_where_they_run(name):
    assert MergePlan(key="id", payload=name, release="0.15").payload is not None


def test_a_class_that_workers_can_not_import_is_refused():
    class Local(HoodieRecordPayload):
        pass

    with pytest.raises(PlanError, match=r"can't import the class .*Local.*payload='module:Local'"):
        MergePlan(**{**PLAN, "payload": Local})


CELL = """
from mergers import HoodieAvroIndexedRecord

FEE = 100

def with_fee(amount):
    return amount + FEE

class Adds:
    def __init__(self, record, ordering_value=None):
        self.record = record

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema):
        return {**self.record, "n": with_fee(current["n"] + self.record["n"])}

    def get_insert_value(self, schema):
        return self.record

class Sums:
    merging_strategy = "6f1a2f0e-6a3c-4e0b-9f35-2d7c1f9a4b10"
    record_type = "AVRO"

    def merge(self, older, newer, schema, props):
        row = {**newer.record, "n": with_fee(older.record["n"] + newer.record["n"])}
        return HoodieAvroIndexedRecord(newer.key, row, newer.schema, ordering_value=newer.ordering_value)
"""


@pytest.fixture
def cell():
    names = {"__name__": "__main__"}
    exec(compile(CELL, "<cell>", "exec"), names)  # noqa: S102 (as a notebook does)
    return names


@pytest.mark.parametrize(("setting", "release"), [("payload", "0.15"), ("merger", "1.2")])
def test_a_class_of_a_notebooks_cell_is_sent_with_what_it_uses(setting, release, cell, spark):
    found = cell["Adds" if setting == "payload" else "Sums"]
    plan = MergePlan(key="id", ordering="ts", release=release, **{setting: found})
    batches = [spark.createDataFrame([("a", 1, n)], "id string, ts long, n long") for n in (1, 10)]
    assert [row["n"] for row in simulate(batches, plan).snapshots.orderBy("_pb_commit").collect()] == [1, 111]
    with pytest.raises(PlanError, match=r"__main__:(Adds|Sums), which no module has; move it to one"):
        migrate(plan, "1.2")


def test_a_class_of_a_cell_is_that_of_the_plan_and_what_workers_lack_is_said(cell):
    plan = MergePlan(**{**PLAN, "payload": cell["Adds"]})
    assert class_of(plan.payload.code, "Adds") is cell["Adds"]
    assert plan.payload.resolve("0.15").__name__ == "Adds"
    with pytest.raises(PayloadNotFoundError, match=r"__main__:Adds: its code was sent to this worker"):
        SentPayloadRef("__main__:Adds", code=b"cut").resolve("0.15")


def test_a_class_that_uses_the_session_can_not_be_sent():
    names = {"__name__": "__main__", "lock": threading.Lock()}
    exec("class Locked:\n    def get_insert_value(self, schema):\n        return lock", names)  # noqa: S102
    with pytest.raises(PlanError, match=r"the class Locked can't be sent to Spark's workers \(TypeError: .*; move it"):
        MergePlan(**{**PLAN, "payload": names["Locked"]})


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("key", None, "key is the names of columns, as text or a list of texts, not None"),
        ("key", ["id", 3], "key is the names of columns"),
        ("ordering", 3, "ordering is the names of columns"),
        ("ordering", {"ts", "seq"}, "ordering is the names of columns"),
        ("key", {"id": "string"}, "key is the names of columns"),
        ("partition", True, "partition is the names of columns"),
        ("props", {"a": 1}, r"props\['a'\] is 1; options of Hudi are text, so write 'a': '1'"),
        ("props", {"a": True}, "so write 'a': 'true'"),
        ("props", "a=b", "props is a dictionary of Hudi's options, not 'a=b'"),
        ("payload", 5, "payload is a class, its name or a PayloadRef, not 5"),
        ("merger", DefaultHoodieRecordPayload(None), "merger is a class, its name or a MergerRef"),
        ("schema", "x", r"schema is an Avro schema, as payloads.parse_schema returns it, not 'x'"),
        ("table_version", "8", "table_version is a number, such as 8, not '8'"),
        ("table_version", True, "table_version is a number, such as 8, not True"),
        ("table_type", "table", "unknown table type 'table'; choose cow or mor"),
        ("call_timeout", "a", "call_timeout is a number of seconds, or 0 for any time, not 'a'"),
        ("plain", "yes", "plain is True or False, not 'yes'"),
        ("call_timeout", float("nan"), "call_timeout is a number of seconds, or 0 for any time, not nan"),
        ("fidelity", "exact", "fidelity is 'hudi' or 'intended', not 'exact'"),
        ("implementation", {}, "unknown implementation {}; choose one of python, java"),
        ("props", {"hoodie.parquet.small.file.limit": "1k"}, r"small.file.limit='1k' is not a whole number"),
        ("engine", 3, "unknown engine 3; choose one of auto, native, jvm, python"),
    ],
)
def test_a_value_of_another_type_is_refused_with_what_to_write(setting, value, message):
    with pytest.raises(PlanError, match=message):
        MergePlan(**{**PLAN, setting: value})


def test_a_whole_number_of_numpy_is_one():
    plan = MergePlan(**PLAN, release="1.2", table_version=np.int64(9), call_timeout=np.int32(5))
    assert [type(one) for one in (plan.table_version, plan.call_timeout)] == [int, int]


def test_a_release_is_text():
    with pytest.raises(PayloadConfigError, match=r"a Hudi release is written as text: '0\.15', not 0\.15"):
        MergePlan(**PLAN, release=0.15)
