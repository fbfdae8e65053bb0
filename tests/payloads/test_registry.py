from __future__ import annotations

import dataclasses
import importlib.metadata
import pickle
import sys
from pathlib import Path

import pytest

import payloads
from mergers import MergerRef
from payloads import HudiRelease, PayloadRef, builtin_payloads, registry, resolve_payload
from payloads.errors import PayloadConfigError, PayloadConstructorError, PayloadNotFoundError
from payloads.registry import ENTRY_POINT_GROUP
from payloads.release import releases

MODEL = "org.apache.hudi.common.model"
RELEASES = [release.value for release in HudiRelease]
UNTIL_1_0 = [release.value for release in releases(until="1.0")]

USER_MODULE = """
NOT_A_CLASS = 3

class KeepMax:
    class Inner:
        def pre_combine(self, older): return self
        def combine_and_get_update_value(self, current, schema): return current
        def get_insert_value(self, schema): return None

    def __init__(self, record, ordering_value): self.record = record
    def preCombine(self, older): return self
    def combineAndGetUpdateValue(self, current, schema): return self.record
    def getInsertValue(self, schema): return self.record
"""


@pytest.fixture
def user_module(tmp_path, monkeypatch):
    (tmp_path / "pb_user_module.py").write_text(USER_MODULE)
    (tmp_path / "pb_needs_missing.py").write_text("import pb_module_that_is_missing\n")
    (tmp_path / "pb_raises.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "pb_user_module"
    sys.modules.pop("pb_user_module", None)


@pytest.fixture
def offer(monkeypatch):
    def offer(**values):
        entries = [
            importlib.metadata.EntryPoint(name.rstrip("_"), value, "hudi_payload_bridge.payloads")
            for name, value in values.items()
        ]

        def entry_points(*, group):
            return [entry for entry in entries if entry.group == group]

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
        registry._entry_points.cache_clear()

    yield offer
    registry._entry_points.cache_clear()


# -- built-in


@pytest.mark.parametrize("release", RELEASES)
def test_every_shipped_class_has_its_full_short_and_old_name(release):
    for found in builtin_payloads(release):
        short = found.java_name.rpartition(".")[2]
        old = found.java_name.replace("org.apache.hudi", "com.uber.hoodie")
        for name in (found.java_name, short, old, f"  {short} "):
            assert resolve_payload(name, release) is found
        assert found.release.value == release


def test_the_default_release_is_the_newest():
    assert resolve_payload("AWSDmsAvroPayload") is payloads.AWSDmsAvroPayload.for_release("1.2")


def test_builtins_without_a_release_are_all_and_unbound():
    every = builtin_payloads()
    assert payloads.FirstValueAvroPayload in every
    assert payloads.ReverseOrderHoodieRecordPayload in every
    assert len(set(every)) == len(every)


@pytest.mark.parametrize(
    ("name", "shipped", "instead"),
    [
        (f"{MODEL}.FirstValueAvroPayload", ["0.15", "1.0"], "DefaultHoodieRecordPayload"),
        ("FirstValueAvroPayload", ["0.15", "1.0"], "update.on.same.ordering.field=false"),
        ("ReverseOrderHoodieRecordPayload", ["1.2"], "release 1.2"),
        (
            "org.apache.hudi.payload.AWSDmsAvroPayload",
            UNTIL_1_0,
            f"{MODEL}.AWSDmsAvroPayload",
        ),
        (
            "com.uber.hoodie.payload.AWSDmsAvroPayload",
            UNTIL_1_0,
            f"{MODEL}.AWSDmsAvroPayload",
        ),
    ],
)
def test_a_class_is_had_in_the_releases_that_ship_it(name, shipped, instead):
    for release in RELEASES:
        if release in shipped:
            assert resolve_payload(name, release).release.value == release
            continue
        with pytest.raises(PayloadNotFoundError) as caught:
            resolve_payload(name, release)
        message = str(caught.value)
        assert f"Hudi {release} does not ship" in message
        assert ("came with" if release < shipped[0] else "was removed after") in message
        assert f"shipped by {', '.join(shipped)}" in message
        assert instead in message


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "org.apache.spark.sql.hudi.command.payload.ExpressionPayload",
            "MERGE INTO.*FILE.sql.*DefaultHoodie",
        ),
        ("ValidateDuplicateKeyPayload", "INSERT INTO"),
        ("org.apache.hudi.metadata.HoodieMetadataPayload", "metadata table"),
        ("com.uber.hoodie.metadata.HoodieMetadataPayload", "metadata table"),
        ("org.apache.hudi.client.bootstrap.BootstrapRecordPayload", "bootstrap"),
        ("EmptyHoodieRecordPayloadWithPartition", "partition path"),
    ],
)
def test_classes_inside_a_writer_are_refused_with_their_reason(name, reason):
    for release in RELEASES:
        with pytest.raises(PayloadNotFoundError, match=f"internal to Hudi's writers.*{reason}"):
            resolve_payload(name, release)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DefaultHoodiePayload", "DefaultHoodieRecordPayload"),
        ("org.apache.hudi.common.model.OverwriteWithLatestPayload", "OverwriteWithLatestAvroPayload"),
        ("awsdmsavropayload", "AWSDmsAvroPayload"),
    ],
)
def test_an_unknown_name_suggests_what_was_meant(name, meant):
    with pytest.raises(PayloadNotFoundError, match=f"did you mean .*{meant}") as caught:
        resolve_payload(name)
    assert "package.module:Class" in str(caught.value)
    assert "--jar FILE" in str(caught.value)


def test_a_name_like_nothing_gets_no_suggestion():
    with pytest.raises(PayloadNotFoundError) as caught:
        resolve_payload("zzzzzz")
    assert "did you mean" not in str(caught.value)


def test_an_unknown_release():
    with pytest.raises(PayloadConfigError, match="unknown Hudi release"):
        resolve_payload("DefaultHoodieRecordPayload", "9.9")


# -- entry points


def test_an_entry_point_is_found_by_its_name(user_module, offer):
    offer(keep_max=f"{user_module}:KeepMax")
    assert resolve_payload("keep_max") is resolve_payload(f"{user_module}:KeepMax")


def test_a_class_of_hudi_comes_before_an_entry_point(user_module, offer):
    offer(AWSDmsAvroPayload=f"{user_module}:KeepMax")
    assert resolve_payload("AWSDmsAvroPayload") is payloads.AWSDmsAvroPayload.for_release("1.2")


def test_two_entry_points_of_one_name_are_refused(user_module, offer):
    offer(keep_max=f"{user_module}:KeepMax", keep_max_=f"{user_module}:Other")
    with pytest.raises(PayloadConfigError, match="several distributions provide a payload 'keep_max'"):
        resolve_payload("keep_max")


def test_an_entry_point_that_does_not_load(offer):
    offer(broken="pb_module_that_is_missing:KeepMax")
    with pytest.raises(PayloadNotFoundError, match="entry point 'broken'") as caught:
        resolve_payload("broken")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_an_entry_point_is_suggested(user_module, offer):
    offer(keep_max=f"{user_module}:KeepMax")
    with pytest.raises(PayloadNotFoundError, match="did you mean keep_max"):
        resolve_payload("keepmax")


def test_a_distribution_installed_later_is_found(user_module, tmp_path):
    with pytest.raises(PayloadNotFoundError, match="unknown payload 'keep_max'"):
        resolve_payload("keep_max")
    (found := tmp_path / "acme-1.dist-info").mkdir()
    (found / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (found / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nkeep_max = {user_module}:KeepMax\n")
    assert resolve_payload("keep_max") is resolve_payload(f"{user_module}:KeepMax")


# -- Python paths


def test_a_python_path_gives_the_adapted_class(user_module):
    found = resolve_payload(f"{user_module}:KeepMax", "1.0")
    assert found.release is HudiRelease.V1_0
    assert found({"a": 1}).get_insert_value(payloads.parse_schema('"string"')) == {"a": 1}
    assert resolve_payload(f"{user_module}:KeepMax.Inner").__name__ == "Inner"


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("pb_module_that_is_missing:KeepMax", PayloadNotFoundError, "no module pb_module_that_is_missing; install it"),
        ("pb_user_module.sub:KeepMax", PayloadNotFoundError, "importing pb_user_module.sub failed|no module"),
        ("pb_needs_missing:KeepMax", PayloadNotFoundError, "the module pb_module_that_is_missing is missing"),
        ("pb_raises:KeepMax", PayloadNotFoundError, "importing pb_raises failed with ZeroDivisionError"),
        ("pb_user_module:KeepMux", PayloadNotFoundError, "pb_user_module has no KeepMux; did you mean KeepMax"),
        ("pb_user_module:KeepMax.Outer", PayloadNotFoundError, "KeepMax has no Outer"),
        ("pb_user_module:NOT_A_CLASS", PayloadConstructorError, "NOT_A_CLASS is a int, not a class"),
        ("payloads:Record", PayloadConstructorError, "Record is a GenericAlias, not a class"),
        ("pb_user_module:", PayloadNotFoundError, "package.module:Class"),
        (":KeepMax", PayloadNotFoundError, "package.module:Class"),
        ("builtins:dict", PayloadConstructorError, "dict is not a payload: it lacks pre_combine"),
    ],
)
def test_each_way_to_miss_a_python_path_says_which(user_module, path, error, message):
    with pytest.raises(error, match=message):
        resolve_payload(path)


def test_a_python_path_does_not_lead_around_what_a_release_ships():
    assert resolve_payload("payloads:AWSDmsAvroPayload", "1.0") is resolve_payload("AWSDmsAvroPayload", "1.0")
    with pytest.raises(PayloadNotFoundError, match=r"was removed after 1\.0"):
        resolve_payload("payloads.builtin:FirstValueAvroPayload")


# -- references


def test_a_reference_travels_and_resolves(user_module):
    ref = pickle.loads(pickle.dumps(PayloadRef(f"{user_module}:KeepMax")))  # noqa: S301 (made here)
    assert ref == PayloadRef(f"{user_module}:KeepMax")
    assert ref.resolve("1.0") is resolve_payload(f"{user_module}:KeepMax", "1.0")
    assert not ref.is_compiled


def test_a_compiled_class_is_left_to_its_engine():
    with pytest.raises(PayloadNotFoundError, match=r"run the compiled class of acme\.jar with the jvm engine"):
        PayloadRef("com.acme.KeepMax", jar="acme.jar").resolve()
    bundle = PayloadRef("DefaultHoodieRecordPayload", package=("org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0",))
    assert bundle.is_compiled
    assert bundle.resolve() is resolve_payload("DefaultHoodieRecordPayload")


@pytest.mark.parametrize("reference", [PayloadRef, MergerRef])
@pytest.mark.parametrize(
    ("given", "jars"),
    [
        ({"jar": "a.jar"}, ("a.jar",)),
        ({"jar": "a.jar,b.jar"}, ("a.jar", "b.jar")),
        ({"jar": ["a,b.jar", Path("c.jar")]}, ("a,b.jar", "c.jar")),
        ({"jar": "a.jar", "jars": ("b.jar", "a.jar")}, ("a.jar", "b.jar")),
        ({"jar": None}, ()),
    ],
)
def test_a_reference_names_one_jar_or_several(reference, given, jars):
    ref = reference("com.acme.KeepMax", **given)
    assert ref.jars == jars
    assert ref.is_compiled == bool(jars)
    assert dataclasses.replace(ref, name="com.acme.Other").jars == jars
    assert pickle.loads(pickle.dumps(ref)) == ref  # noqa: S301 (made here)


def test_a_reference_without_a_jar_keeps_the_plain_error():
    with pytest.raises(PayloadNotFoundError, match=r"unknown payload 'com\.acme\.KeepMax'"):
        PayloadRef("com.acme.KeepMax").resolve()
