"""Known reports of Apache Hudi on what orders versions, and on how rows are written: operations, indexes, options."""

from __future__ import annotations

from typing import Final

from bridge.config import DELETE_KEY, DELETE_MARKER, keys
from bridge.demo.issue import Issue, LawExample
from bridge.programs import ClauseAction, MergeClause, WriteOperation

_DEFAULT: Final = "DefaultHoodieRecordPayload"
_OVERWRITE: Final = "OverwriteWithLatestAvroPayload"
_INSERT: Final = WriteOperation.INSERT
_MERGE: Final = {2: WriteOperation.SQL_MERGE}
_ON: Final = "MERGE INTO t USING s ON t.id = s.id"


def _star(*columns: str) -> tuple[MergeClause, ...]:
    """Return the clauses UPDATE SET * and INSERT * of a table."""
    values = dict.fromkeys(columns, "")
    return (
        MergeClause(True, ClauseAction.UPDATE, values=values),
        MergeClause(False, ClauseAction.INSERT, values=values),
    )


def _binlog(key: str, status: str, position: int) -> dict[str, str | int]:
    file = "mysql-bin.000001"
    seq = f"000001.{position}"
    return {"id": key, "status": status, "_event_seq": seq, "_event_bin_file": file, "_event_pos": position}


WRITE_ISSUES: Final = (
    Issue(
        number=2075,
        title="hoodie.datasource.write.precombine.field not working as expected",
        reported=(
            "One batch has versions of a row that are numbered 1 to 10, and the table keeps version 9. With fewer than "
            "ten versions it keeps the last one."
        ),
        shown=(
            "The ordering column is text, and text is compared letter by letter: '10' < '9', and '11' < '9', in every "
            "release. OverwriteWithLatestAvroPayload compares only within a batch, so the next batch wins. Cast the "
            "column to a number."
        ),
        payloads=(_DEFAULT, _OVERWRITE),
        fields={"id": "string", "version": "string", "by": "string"},
        ordering="version",
        batches=(
            tuple({"id": "T009S50", "version": str(number), "by": f"USER{number:03}"} for number in range(1, 11)),
            ({"id": "T009S50", "version": "11", "by": "USER011"},),
        ),
    ),
    Issue(
        number=9475,
        title="Fixing mysql debezium data loss",
        reported=(
            "An update of MySQL Debezium at a later position of the same binlog file is ignored: the stored row has "
            "_event_seq 00000.23, the update 00000.123."
        ),
        shown=(
            "Until 0.13 MySqlDebeziumAvroPayload compares _event_seq with the stored row as text, in which 130 comes "
            "before 90. From 0.14 on it compares file and position as numbers. From 1.1 on the table stores "
            "_event_bin_file and _event_pos as its ordering fields, and the second batch of a writer that passes "
            "_event_seq is refused; after an upgrade, the second batch of the new release."
        ),
        payloads=("MySqlDebeziumAvroPayload",),
        fields={
            "id": "string",
            "status": "string",
            "_event_seq": "string",
            "_event_bin_file": "string",
            "_event_pos": "long",
        },
        ordering="_event_seq",
        batches=((_binlog("a", "open", 90),), (_binlog("a", "paid", 130),)),
    ),
    Issue(
        number=3709,
        title="insert operation does not consistently insert duplicate records",
        reported="An insert of an existing key updates the stored row in one case, and adds a row in another.",
        shown=(
            "Until 0.14 an insert into the small file of a partition updates the row of the same key in that file "
            "(hoodie.merge.allow.duplicate.on.inserts is false); from 0.15 on it adds a row."
        ),
        payloads=(_OVERWRITE, _DEFAULT),
        fields={"id": "int", "v": "string", "ts": "long"},
        ordering="ts",
        batches=(
            ({"id": 1, "v": "a", "ts": 2}, {"id": 2, "v": "a", "ts": 2}),
            ({"id": 1, "v": "b", "ts": 1}, {"id": 3, "v": "b", "ts": 1}),
        ),
        operations={1: _INSERT, 2: _INSERT},
    ),
    Issue(
        number=8490,
        title="Fix global index duplicate and handle custom payload when update partition",
        reported=(
            "A row that a global index moves to another partition is not merged by the payload. If it moves once more "
            "before a compaction, it is stored twice."
        ),
        shown=(
            "Before 0.14 a late version in another partition replaces the stored row without a call of the payload. "
            "From 0.14 on the payload merges both first, and the stored row, which is later, stays in its partition."
        ),
        payloads=(_DEFAULT,),
        fields={"id": "string", "part": "string", "city": "string", "ts": "long"},
        ordering="ts",
        batches=(
            ({"id": "a", "part": "p0", "city": "Oslo", "ts": 5},),
            ({"id": "a", "part": "p1", "city": "Rome", "ts": 3},),
        ),
        props={keys.INDEX_TYPE: "GLOBAL_SIMPLE"},
        partition=("part",),
    ),
    Issue(
        number=10150,
        title=(
            "Fixing DefaultHoodieRecordPayload to honor deletion based on meta field as well as custome delete marker"
        ),
        reported=(
            "With hoodie.payload.delete.field and hoodie.payload.delete.marker, a write that deletes an unknown key "
            "fails with 'No value present in Option'."
        ),
        shown=(
            "Until 0.13 the two options have no effect, and the rows are stored. 0.14.0 fails as reported. Here 0.14 "
            "is 0.14.1, which ignores deletes of unknown keys and deletes stored rows, as do all later releases."
        ),
        payloads=(_DEFAULT,),
        fields={"id": "int", "v": "string", "ts": "long", "op": "string"},
        ordering="ts",
        batches=(
            ({"id": 0, "v": "a", "ts": 1, "op": "i"},),
            ({"id": 5, "v": "b", "ts": 2, "op": "d"},),
            ({"id": 0, "v": "a", "ts": 3, "op": "d"},),
        ),
        props={DELETE_KEY.key: "op", DELETE_MARKER.key: "d"},
    ),
    Issue(
        number=3394,
        title="Question on hudi's default behaviour for UPSERT",
        reported=(
            "Which field decides which record wins, hoodie.payload.ordering.field or "
            "hoodie.datasource.write.precombine.field?"
        ),
        shown=(
            "Only the precombine field decides, in every release: Spark's writer replaces "
            "hoodie.payload.ordering.field with it. By seq the second version would win; by ts the first one stays "
            "until the third arrives."
        ),
        payloads=(_DEFAULT,),
        fields={"id": "int", "v": "string", "ts": "long", "seq": "long"},
        ordering="ts",
        batches=(
            ({"id": 1, "v": "a", "ts": 10, "seq": 1},),
            ({"id": 1, "v": "b", "ts": 5, "seq": 2},),
            ({"id": 1, "v": "c", "ts": 20, "seq": 0},),
        ),
        props={keys.PAYLOAD_ORDERING.key: "seq"},
    ),
    Issue(
        number=11421,
        title="hoodie.datasource.write.precombine.field is invalid",
        reported=(
            "In a merge-on-read table without a payload class, a later write with a smaller precombine value replaces "
            "the stored row."
        ),
        shown=(
            "Without a class a writer of 0.x merges by OverwriteWithLatestAvroPayload, which takes the row that "
            "arrives last, whatever its precombine value is. DefaultHoodieRecordPayload compares the values."
        ),
        payloads=(_OVERWRITE, _DEFAULT),
        fields={"id": "int", "value": "string", "timestamp": "int"},
        ordering="timestamp",
        batches=(({"id": 1, "value": "a108", "timestamp": 99},), ({"id": 1, "value": "a109", "timestamp": 96},)),
        example=LawExample(
            "action",
            {"id": 1, "value": "a", "timestamp": 5},
            ({"id": 1, "value": "b", "timestamp": 4}, {"id": 1, "value": "c", "timestamp": 3}),
        ),
    ),
    Issue(
        number=1803,
        title="hoodie.datasource.write.precombine.field is ignored",
        reported="Three versions of a row in one batch have the same precombine value, and the table keeps the first.",
        shown=(
            "If ordering values tie within a batch, these classes keep the version that arrives last, in every release "
            "shown here. The order of arrival is the order of the rows in the batch. Between two batches "
            "DefaultHoodieRecordPayload also keeps the later one."
        ),
        payloads=("AWSDmsAvroPayload", _DEFAULT),
        fields={"id": "string", "ts": "long", "items": "int", "Op": "string"},
        ordering="ts",
        batches=(
            ({"id": "a", "ts": 47, "items": 61, "Op": "U"}, {"id": "a", "ts": 48, "items": 62, "Op": "U"}),
            tuple({"id": "a", "ts": 52, "items": items, "Op": "U"} for items in (63, 64, 65)),
        ),
    ),
    Issue(
        number=6285,
        title="Cow non-partition table upsert action effect when preCombineField field value change to Smaller",
        reported="INSERT INTO and UPDATE with a smaller precombine value take effect, MERGE INTO does not.",
        shown=(
            "INSERT INTO a table with key and precombine field is an upsert by OverwriteWithLatestAvroPayload, which "
            "takes the row that arrives last. In 0.14.0 and 0.15.0, MERGE INTO merges copy-on-write tables by "
            "ExpressionPayload, which extends DefaultHoodieRecordPayload, so the stored row stays. Merge-on-read "
            "tables, and all tables from 1.0.1 on, are merged by the class of the table."
        ),
        payloads=(_OVERWRITE, _DEFAULT),
        fields={"id": "long", "name": "string", "ts": "long"},
        ordering="ts",
        batches=(({"id": 1, "name": "a0", "ts": 1000},), ({"id": 1, "name": "a1", "ts": 20},)),
    ),
    Issue(
        number=19978,
        title="MERGE INTO ... WHEN MATCHED THEN DELETE behaves differently on COW and MOR under event time ordering",
        reported=(
            "A MERGE INTO deletes a row by a source row with a smaller ordering value. The row is deleted in a "
            "copy-on-write table, but not in a merge-on-read table."
        ),
        shown=(
            "In every release a copy-on-write table deletes the row, whatever the ordering values are. In a "
            "merge-on-read table the delete is logged with the ordering value of the source, and dropped if the log "
            "has a later version; a row of a base file is deleted only until 0.15. To delete in both, give the source "
            "the current ordering value, or use DELETE FROM."
        ),
        payloads=(_DEFAULT, _OVERWRITE),
        fields={"id": "long", "name": "string", "ts": "long"},
        ordering="ts",
        operations={3: WriteOperation.SQL_MERGE},
        statement=f"{_ON} WHEN MATCHED THEN DELETE",
        clauses=(MergeClause(True, ClauseAction.DELETE),),
        batches=(
            ({"id": 1, "name": "A", "ts": 100}, {"id": 2, "name": "A", "ts": 90}),
            ({"id": 2, "name": "B", "ts": 100},),
            ({"id": 1, "name": "C", "ts": 99}, {"id": 2, "name": "C", "ts": 99}),
        ),
    ),
    Issue(
        number=11138,
        title=(
            "Merge into command fails when trying to use only few columns in source data while using partial data "
            "payload"
        ),
        reported=(
            "PartialUpdateAvroPayload keeps a column that is null in the new row, so several sources can write their "
            "own columns of one table. This works with a DataFrame, but fails with a MERGE INTO that sets only these "
            "columns."
        ),
        shown=(
            "A copy-on-write table keeps the other columns in every release, whatever its class. For a merge-on-read "
            "table Hudi refuses the statement until 0.15. From 1.0 on it logs only these columns, unless the class "
            "merges by partial updates, as PartialUpdateAvroPayload does. For such a table set every column, with null "
            "for those that the source lacks: the class then keeps the stored values."
        ),
        payloads=("PartialUpdateAvroPayload", _DEFAULT),
        fields={"id": "long", "ts": "long", "rider": "string", "fare": "long"},
        ordering="ts",
        operations=_MERGE,
        statement=f"{_ON} WHEN MATCHED THEN UPDATE SET ts = s.ts, fare = s.fare",
        clauses=(MergeClause(True, ClauseAction.UPDATE, values=dict.fromkeys(("ts", "fare"), "")),),
        batches=(({"id": 1, "ts": 10, "rider": "A", "fare": 19},), ({"id": 1, "ts": 11, "rider": None, "fare": 25},)),
    ),
    Issue(
        number=12726,
        title="[HUDI-8468] use payload to do merging inside the expression payload",
        reported=(
            "A MERGE INTO of a table with OverwriteWithLatestAvroPayload compares ordering values, although this "
            "class does not; from 1.0.1 on the class of the table is used."
        ),
        shown=(
            "Until 0.15 the update with the smaller ordering value is ignored in a copy-on-write table and applied in "
            "a merge-on-read table; from 1.0.1 on both apply it."
        ),
        payloads=(_OVERWRITE, _DEFAULT),
        fields={"id": "long", "name": "string", "ts": "long"},
        ordering="ts",
        operations=_MERGE,
        statement=f"{_ON} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        clauses=_star("id", "name", "ts"),
        batches=(({"id": 1, "name": "stored", "ts": 1000},), ({"id": 1, "name": "merged", "ts": 30},)),
    ),
    Issue(
        number=10626,
        title="Inconsistency in Hudi Table Configuration between Initial Insert and Subsequent Merges",
        reported=(
            "dbt writes the first run of an incremental model by INSERT INTO and all others by MERGE INTO, which names "
            "ExpressionPayload in place of the table's class."
        ),
        shown=(
            "A table with DefaultHoodieRecordPayload merges every run alike, in all releases and both types: the row "
            "with the greater ordering value stays, and of equal ones the later. One with "
            "OverwriteWithLatestAvroPayload, the default until 0.15, does not in these releases: name the class in the "
            "options of the model."
        ),
        payloads=(_DEFAULT, _OVERWRITE),
        fields={"id": "long", "name": "string", "ts": "long"},
        ordering="ts",
        operations={2: WriteOperation.SQL_MERGE, 3: WriteOperation.SQL_MERGE},
        statement=f"{_ON} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        clauses=_star("id", "name", "ts"),
        batches=(
            ({"id": 1, "name": "run 1", "ts": 10}, {"id": 2, "name": "run 1", "ts": 10}),
            (
                {"id": 1, "name": "run 2", "ts": 9},
                {"id": 2, "name": "run 2", "ts": 11},
                {"id": 3, "name": "run 2", "ts": 5},
            ),
            ({"id": 2, "name": "run 3", "ts": 11}, {"id": 3, "name": "run 3", "ts": 4}),
        ),
    ),
)
"""The scenarios."""
