"""A public function says which argument has a wrong type, and what to give."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import bridge
from bridge import Batches, MergePlan, TableMergeConfig
from mergers import buffered_merger, check_laws, resolve_merger
from payloads import ArgumentError, PayloadBridgeError, SchemaError, parse_schema, resolve_payload
from payloads.arguments import checked

PLAN = MergePlan(merger="COMMIT_TIME_ORDERING", key="id")
CLASS = "OverwriteWithLatestAvroPayload"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: bridge.upsert(None, None, PLAN), "upsert: stored is a DataFrame, not None"),
        (lambda: bridge.combine_input([], plan={}), "combine_input: incoming is a DataFrame, not []"),
        (
            lambda: bridge.replay([], "plan", "1.2"),
            "replay: plan is a MergePlan or None, not 'plan'",
        ),
        (
            lambda: bridge.replay([], PLAN, 1.2),
            "replay: to is text or a HudiRelease or a RecordMergeMode or a MergePlan or None, not 1.2; write '1.2'",
        ),
        (lambda: bridge.replay([], PLAN, "1.2", plain=1), "replay: plain is True or False, not 1"),
        (
            lambda: bridge.verify(CLASS, release="1.2", key=3),
            "verify: key is text or a list, each item text, not 3; write '3'",
        ),
        (
            lambda: bridge.verify(CLASS, release="1.2", props={"a": 1}),
            "verify: props is a dictionary of text to text or None, not {'a': 1}",
        ),
        (lambda: bridge.find_damage(3), "find_damage: path is text, not 3; write '3'"),
        (
            lambda: bridge.inspect_tables("root", object()),
            "inspect_tables: release is text or a HudiRelease, not a value of the type object",
        ),
        (
            lambda: Batches.of([None]),
            "Batches.of: frames is a list, each item a DataFrame or a Batch, not [None]",
        ),
        (
            lambda: TableMergeConfig.from_properties({"hoodie.table": 6}),
            "TableMergeConfig.from_properties: properties is a dictionary of text to text, not {'hoodie.table': 6}",
        ),
        (lambda: resolve_payload(True), "resolve_payload: name is text, not True"),
        (lambda: check_laws(CLASS, examples="5"), "check_laws: examples is a whole number, not '5'"),
        (
            lambda: resolve_merger(None),
            "resolve_merger: merger is text or a MergerRef or a class or a HoodieRecordMerger, not None",
        ),
    ],
)
def test_a_wrong_type_is_named_with_what_to_give(call, sentence):
    with pytest.raises(ArgumentError) as raised:
        call()
    assert str(raised.value) == sentence
    assert isinstance(raised.value, PayloadBridgeError)


def test_a_long_value_is_cut_and_control_characters_are_escaped():
    with pytest.raises(ArgumentError) as raised:
        bridge.replay([], "\x1b[31m\nerror: forged" + "x" * 500, "1.2")
    assert (
        str(raised.value) == "replay: plan is a MergePlan or None, not '\\x1b[31m\\nerror: forged" + "x" * 36 + "\u2026"
    )


@pytest.mark.parametrize("read", [bridge.inspect, bridge.find_damage, bridge.inspect_tables])
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("a\0b", "a zero character"),
        ("\ud800", r"a character that is not UTF-8 ('\ud800')"),
        ("/x\udcff", r"a character that is not UTF-8 ('\udcff')"),
    ],
)
def test_a_path_that_no_system_takes_is_refused_before_it_is_read(read, path, told):
    with pytest.raises(ArgumentError, match=f"^{read.__name__}: [a-z]+ contains {re.escape(told)}, which Spark"):
        read(path)


def test_a_fidelity_that_is_none_is_refused_in_every_mode():
    schema = parse_schema({"type": "record", "name": "row", "fields": [{"name": "id", "type": "string"}]})
    for mode in (None, "IGNORE_DEFAULTS"):
        for fidelity in ("Hudi", ["hudi"], object()):
            with pytest.raises(PayloadBridgeError, match=r"unknown fidelity .*; use 'hudi' or 'intended'"):
                buffered_merger("EVENT_TIME_ORDERING", schema, {}, partial_update_mode=mode, fidelity=fidelity)


def test_a_missing_argument_is_what_python_says():
    with pytest.raises(TypeError, match=r"upsert\(\) missing 2 required positional arguments"):
        bridge.upsert(None)


def test_a_release_may_be_text_wherever_a_user_names_one():
    assert TableMergeConfig.from_properties({}, "0.15").version == 6
    assert bridge.verify(CLASS, release="1.2", laws=["idempotence"], examples=1).report.seed == 0


def test_what_is_read_once_may_be_read_again_and_its_items_are_checked():
    @checked
    def ends(numbers: Iterable[int], more: Any = None) -> int:  # noqa: F821 (the name alone counts)
        return min(numbers), max(numbers), more

    some = object()
    assert ends(iter([1, 2]), more=some) == (1, 2, some)
    with pytest.raises(ArgumentError, match="numbers is a list, each item a whole number, not 'ab'"):
        ends("ab")
    with pytest.raises(ArgumentError, match="numbers is a list, each item a whole number, not a value of the type"):
        ends(iter(["a"]))


def test_paths_of_a_generator_of_table_types_are_those_of_a_list():
    schema = parse_schema({"type": "record", "name": "row", "fields": [{"name": "id", "type": "string"}]})
    given = [(1, {"id": "a"})], MergePlan(payload=CLASS, key="id"), schema
    expected = [str(one.path) for one in bridge.key_paths(*given, bridge.TableType).answers]
    assert [str(one.path) for one in bridge.key_paths(*given, iter(bridge.TableType)).answers] == expected != []
    with pytest.raises(ArgumentError, match="table_types is a list, each item a TableType"):
        bridge.key_paths(*given, iter(["cow", "mor"]))


def test_a_whole_number_of_another_library_counts():
    found = bridge.verify(CLASS, release="1.2", laws=["idempotence"], examples=np.int64(1), seed=np.int32(3))
    assert type(found.report.seed) is int


@pytest.mark.parametrize(
    ("given", "says"),
    [({"exhaustive": np.True_}, "exhaustive is True or False"), ({"examples": True}, "examples is a whole number")],
)
def test_a_type_is_not_known_by_its_name_where_another_library_has_one_of_that_name(given, says):
    for _ in range(2):  # what a class is taken for is remembered
        with pytest.raises(ArgumentError, match=says):
            bridge.verify(CLASS, release="1.2", **given)


@pytest.mark.parametrize("source", [{1: object()}, {"type"}, object(), "[" * 5000])
def test_what_is_no_json_is_no_schema(source):
    with pytest.raises(SchemaError):
        parse_schema(source)


def test_every_function_of_the_package_checks_its_arguments():
    functions = [getattr(bridge, name) for name in bridge.__all__ if inspect.isfunction(getattr(bridge, name))]
    assert len(functions) > 30
    assert all(hasattr(one, "__wrapped__") for one in functions)
