"""Hudi's own classes are told by their bytes: names, jars and packages say nothing."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from mergers.registry import BUILT_IN_NAMES, MergerRef
from payloads import PayloadRef, builtin_payloads
from payloads.released import DIGESTS, digest_of, digests, files_of, replaced_in, replaced_text

if TYPE_CHECKING:
    from pathlib import Path

PARTIAL = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
FILE = f"{PARTIAL.replace('.', '/')}.class"


@pytest.fixture
def jar(tmp_path):
    def make(**entries: bytes) -> Path:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jar"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in entries.items():
                archive.writestr(name, data)
        return path

    return make


def test_the_table_has_every_payload_and_merger_of_the_releases_that_have_a_bundle():
    lines = [line.split() for line in DIGESTS.read_text("ascii").splitlines()]
    for release in ("0.14.0", "0.15.0", "1.0.2", "1.1.1", "1.2.0"):
        listed = {name for line, name, _ in lines if line == release}
        shipped = {found.java_name for found in builtin_payloads(".".join(release.split(".")[:2]))}
        assert shipped <= listed, release
        assert {"org.apache.hudi.common.model.BaseAvroPayload", "org.apache.hudi.avro.HoodieAvroUtils"} <= listed
    # What one release alone calls: a jar may have a copy of any release.
    called = "org.apache.hudi.common.table.HoodieTableConfig"
    assert {release for release, name, _ in lines if name == called} == {release for release, _, _ in lines}
    assert {name for name in BUILT_IN_NAMES if ".client." not in name} <= set(digests())
    assert lines == sorted(lines)


def test_a_changed_class_is_found_whatever_its_name(jar):
    changed = jar(**{FILE: b"changed", "com/acme/X.class": b"own"})
    assert replaced_in(changed) == (PARTIAL,)
    assert replaced_in(jar(**{"com/acme/X.class": b"own"})) == ()
    assert replaced_in("no such.jar") == ()


def test_a_copy_of_any_release_is_no_change(jar, monkeypatch):
    monkeypatch.setattr("payloads.released.digests", lambda: {PARTIAL: frozenset({digest_of(b"as released")})})
    assert replaced_in(jar(**{FILE: b"as released"})) == ()


def test_a_port_stands_for_the_released_class_alone(jar):
    plain, changed = jar(**{"com/acme/X.class": b"own"}), jar(**{FILE: b"changed"})
    assert PayloadRef(PARTIAL, str(plain)).has_port("0.15")
    assert not PayloadRef(PARTIAL, str(changed)).has_port("0.15")
    assert not PayloadRef("PartialUpdateAvroPayload", str(changed)).has_port("0.15")
    assert PayloadRef("PartialUpdateAvroPayload", str(changed)).java_name("0.15") == PARTIAL
    bundle = "org.apache.hudi:hudi-spark3.5-bundle_2.12:0.15.0"
    assert PayloadRef(PARTIAL, package=(bundle,)).has_port("0.15")
    assert not PayloadRef(PARTIAL, package=(f"{bundle}-acme",)).has_port("0.15")
    assert not PayloadRef(PARTIAL, package=("com.acme:hudi-fork:0.15.0",)).has_port("0.15")
    assert PayloadRef("tests.support.user_payloads:Counts", str(changed)).has_port("0.15")


def test_neither_does_a_merger(jar):
    name = "org.apache.hudi.common.model.OverwriteWithLatestMerger"
    assert MergerRef(name, str(jar(**{"com/acme/X.class": b"own"}))).has_port
    assert not MergerRef(name, str(jar(**{FILE: b"changed"}))).has_port


def test_nested_classes_go_with_their_class(jar):
    nested = FILE.replace(".class", "$1.class")
    with zipfile.ZipFile(jar(**{FILE: b"a", nested: b"b", FILE.replace("Payload", "Payloads"): b"c"})) as archive:
        assert files_of(PARTIAL, archive) == [FILE, nested]


def test_the_warning_names_jar_and_classes():
    said = replaced_text("com.acme.X", "fat.jar", ["a.A", "b.B", "c.C", "d.D"])
    assert said.startswith("fat.jar has changed classes of Hudi (A, B, C and 1 more), which no release ships;")
    assert "com.acme.X runs with them" in said
