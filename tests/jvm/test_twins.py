"""A class in Java against the same class in Python, through both engines, on random rows, at every merge point."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from bridge import MergePlan, TableType
from bridge.config import TableMergeConfig
from bridge.merge import merge_config
from mergers import RecordMergeMode
from payloads import PayloadRef
from tests.conformance.record_cases import TABLE_TYPES
from tests.jvm.both_engines import IN_PYTHON
from tests.jvm.versions import tables
from tests.support.pairwise import in_pairs

STEP = {"acme.step": "7"}
MARKER = {"hoodie.payload.delete.field": "v", "hoodie.payload.delete.marker": "x"}
SETTINGS = [
    pytest.param({"ordering": "ts", "props": STEP}, id="bigint"),
    pytest.param({"ordering": "name", "props": {**STEP, **MARKER}}, id="text-and-marker"),
    pytest.param({"props": STEP}, id="no-ordering"),
    pytest.param({"ordering": ("ts", "name"), "props": STEP}, id="list"),
]
UNCOMBINED = pytest.param({"ordering": "ts", "props": STEP, "combine_before_upsert": False}, id="uncombined")
TO_LOG = pytest.param(
    {"ordering": "ts", "props": STEP, "inserts_to": "log", "table_type": TableType.MERGE_ON_READ}, id="to-log"
)
_IN_ALL = ("0.15", "1.0", "1.1", "1.2")
# Until 1.0 a payload itself decides whether its ordering value may be null, each in its way.
_CHOSEN = [
    *(
        (name, settings, gaps, _IN_ALL[2:] if gaps or settings is SETTINGS[3] else _IN_ALL)
        for gaps in ((), (None,))
        for settings in SETTINGS
        for name in ("Latest", "Sum", "Tags")
    ),
    *(
        (name, settings, (), _IN_ALL)
        for name, several in {
            "Sum": (UNCOMBINED, TO_LOG),
            "Rewrites": (SETTINGS[0], TO_LOG),
            "Fails": (SETTINGS[0], UNCOMBINED),
        }.items()
        for settings in several
    ),
]
_ALL = [(name, release, settings, gaps) for name, settings, gaps, releases in _CHOSEN for release in releases]
CASES = [
    pytest.param(
        (name, release, *settings.values),
        gaps,
        id=f"{name}-{release}-{settings.id}-{'gaps' if gaps else 'full'}",
        marks=marks,
    )
    for (name, release, settings, gaps), marks in in_pairs(_ALL, lambda case: (*case[:2], case[2].id, case[3]))
]


@pytest.fixture(scope="session")
def versions(request, spark):
    """Return versions whose ordering values may be null, or not."""
    return tables(spark, 20, request.param)


@pytest.mark.parametrize(("case", "versions"), CASES, indirect=["versions"])
def test_both_engines_answer_alike(both_engines, jar, versions, case):
    name, release, settings = case
    java = MergePlan(payload=PayloadRef(f"com.acme.Twins${name}", jar=str(jar)), release=release, key="id", **settings)
    python = dataclasses.replace(java, payload=PayloadRef(f"tests.jvm.twins:{name}"))
    compared = both_engines.compared(java, python, versions)
    assert compared.differences == []
    assert compared.merged > (0 if name == "Fails" else 1 / 3)  # most rows merge; the others fail in both


@pytest.mark.parametrize("versions", [()], ids=["full"], indirect=True)
@pytest.mark.parametrize(
    "of",
    [
        pytest.param(case, id="-".join(case), marks=marks)
        for case, marks in in_pairs(
            [*itertools.product(["Latest", "Tags", "Fails"], ["0.15", "1.0", "1.1"], ["cow", "mor"])]
        )
    ],
)
def test_both_engines_upgrade_alike(both_engines, jar, versions, of):
    name, release, table_type = of
    settings = {"release": release, "table_type": table_type, "key": "id", "ordering": "ts"}
    java = MergePlan(payload=PayloadRef(f"com.acme.Twins${name}", jar=str(jar)), **settings)
    python = dataclasses.replace(java, payload=PayloadRef(f"tests.jvm.twins:{name}"))
    compared = both_engines.compared(java, python, versions, {"simulate_upgrade"})
    assert compared.differences == []
    assert compared.merged > (0 if name == "Fails" else 1 / 3)


@pytest.mark.parametrize("versions", [()], ids=["full"], indirect=True)
@pytest.mark.parametrize(
    "of",
    [
        pytest.param(case, id="-".join(case), marks=marks)
        for case, marks in in_pairs(
            [
                *itertools.product(["key"], ["Latest", "Sum", "Fails"], ["0.15", "1.2"]),
                *itertools.product(["global"], ["Latest", "Rewrites"], _IN_ALL),
                *itertools.product(["global"], ["Sum", "Tags", "Fails"], ["0.15", "1.1"]),
            ]
        )
    ],
)
def test_programs_that_java_lacks_call_the_class_alike(both_engines, jar, versions, of):
    index, name, release = of
    settings = {"release": release, "key": "id", "ordering": "ts", "props": STEP}
    settings |= {"table_type": "cow" if release in {"0.15", "1.1"} else "mor"}
    if index == "global":
        settings |= {"global_index": True, "partition": "name"}
    java = MergePlan(payload=PayloadRef(f"com.acme.Twins${name}", jar=str(jar)), **settings)
    python = dataclasses.replace(java, payload=PayloadRef(f"tests.jvm.twins:{name}"))
    compared = both_engines.compared(java, python, versions, IN_PYTHON)
    assert compared.differences == []
    assert compared.merged > (0 if name == "Fails" else 1 / 3)


PARTIAL = {
    "IGNORE_DEFAULTS": ("COMMIT_TIME_ORDERING", {}),
    "FILL_UNAVAILABLE": (
        "EVENT_TIME_ORDERING",
        {"hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value": "x"},
    ),
}


@pytest.mark.parametrize("versions", [()], ids=["full"], indirect=True)
@pytest.mark.parametrize(
    "of",
    [
        ("IGNORE_DEFAULTS", "Sum", "1.1", "mor"),
        ("IGNORE_DEFAULTS", "Latest", "1.2", "cow"),
        ("FILL_UNAVAILABLE", "Latest", "1.1", "mor"),
        ("FILL_UNAVAILABLE", "Sum", "1.2", "cow"),
    ],
    ids="-".join,
)
def test_a_writers_class_beside_a_partial_update_mode_of_the_table(both_engines, jar, versions, of):
    """The writer's class merges batches and base files (mode CUSTOM), the table's mode what queries read."""
    partial, name, release, table_type = of
    mode, more = PARTIAL[partial]
    stored = {"hoodie.table.version": "9", "hoodie.table.type": TABLE_TYPES[table_type], **more}
    stored |= {"hoodie.record.merge.mode": mode, "hoodie.table.partial.update.mode": partial}
    stored |= {"hoodie.table.ordering.fields": "ts"}
    settings = {"release": release, "key": "id", "ordering": "ts", "table_type": table_type, "props": STEP}
    settings["table"] = TableMergeConfig.from_properties(stored, release)
    java = MergePlan(payload=PayloadRef(f"com.acme.Twins${name}", jar=str(jar)), **settings)
    python = dataclasses.replace(java, payload=PayloadRef(f"tests.jvm.twins:{name}"))
    config = merge_config(java)
    assert (config.merge.mode, config.read.mode.name) == (RecordMergeMode.CUSTOM, mode)
    assert config.partial_update_mode == partial
    compared = both_engines.compared(java, python, versions, {"upsert", "append", "snapshot", "compact", "simulate"})
    assert compared.differences == []
    assert compared.merged > 1 / 3
