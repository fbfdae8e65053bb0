"""What Java says to each use of a member of Hudi's classes, by the rules of its specification."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from bridge.linkage.advice import instead_of
from bridge.linkage.class_file import ClassFile, ClassMethod, Flag, Op, Use, types_of, written, written_type
from bridge.linkage.class_path import ClassPath, UserJars
from bridge.linkage.resolution import overridden, resolved
from payloads import HudiRelease

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "org.apache.hudi.common.model."
BASE, OVERWRITE, DEFAULT = (
    f"{MODEL}{name}" for name in ("BaseAvroPayload", "OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload")
)
UTILS = "org.apache.hudi.avro.HoodieAvroUtils"
RECORD, OF_RECORD = f"{MODEL}HoodieRecord", "()Lorg/apache/hudi/common/model/HoodieRecord;"
PAYLOAD = f"{MODEL}HoodieRecordPayload"
COMPARABLE, VALUE = "Ljava/lang/Comparable;", "()Ljava/lang/Object;"
CHANGED = "IncompatibleClassChangeError"
SCHEMA = "Lorg/apache/avro/Schema;"
OPTION = "Lorg/apache/hudi/common/util/Option;"
TO_BYTES = "(Lorg/apache/avro/generic/GenericRecord;)[B"
NONE, FIELD = "", "org.apache.avro.Schema$Field"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("com.acme.OrderPaylod", "; did you mean com.acme.OrderPayload?"),
        ("OrderPayload", "; did you mean com.acme.OrderPayload?"),
        ("org.other.Thing", ""),
    ],
)
def test_a_class_that_jars_lack_is_told_with_the_one_that_may_be_meant(tmp_path: Path, name: str, near: str) -> None:
    with zipfile.ZipFile(tmp_path / "acme.jar", "w") as jar:
        jar.writestr("com/acme/OrderPayload.class", b"")
    told = UserJars([tmp_path / "acme.jar"]).lacks(name, "acme.jar")
    assert told == f"there is no class {name} in acme.jar; write its full name, a nested class as Outer$Inner{near}"


def path(release: str) -> ClassPath:
    return ClassPath(HudiRelease.parse(release), UserJars([]))


def user(parent: str = OVERWRITE, name: str = "com.acme.Mine", *methods: ClassMethod) -> ClassFile:
    return ClassFile(name, Flag.PUBLIC, parent, (), (), methods)


NEAR = f"{MODEL}Mine"
CASES = [
    # Fields: private since 1.1; protected for heirs alone, and for the package.
    ("1.0", user(), Use(Op.GET_FIELD, OVERWRITE, "recordBytes", "[B"), NONE),
    ("1.1", user(), Use(Op.GET_FIELD, OVERWRITE, "recordBytes", "[B"), "IllegalAccessError"),
    ("1.1", user(OVERWRITE, f"{MODEL}Forked"), Use(Op.GET_FIELD, BASE, "recordBytes", "[B"), "IllegalAccessError"),
    ("1.2", user(), Use(Op.GET_FIELD, OVERWRITE, "orderingVal", COMPARABLE), NONE),
    ("1.2", user("java.lang.Object"), Use(Op.GET_FIELD, BASE, "orderingVal", COMPARABLE), "IllegalAccessError"),
    ("1.2", user("java.lang.Object", NEAR), Use(Op.GET_FIELD, BASE, "orderingVal", COMPARABLE), NONE),
    ("1.2", user(), Use(Op.GET_FIELD, BASE, "orderingVal", "J"), "NoSuchFieldError"),
    ("1.2", user(), Use(Op.GET_FIELD, BASE, "nothing", "J"), "NoSuchFieldError"),
    ("1.2", user(), Use(Op.GET_STATIC, BASE, "orderingVal", COMPARABLE), CHANGED),
    # It was final until 1.0.
    ("1.0", user(), Use(Op.PUT_FIELD, BASE, "orderingVal", COMPARABLE), "IllegalAccessError"),
    ("1.1", user(), Use(Op.PUT_FIELD, BASE, "orderingVal", COMPARABLE), NONE),
    # Methods: by parameters, by result, static or not, through interfaces.
    ("0.15", user(), Use(Op.INVOKE_STATIC, UTILS, "avroToBytes", TO_BYTES), NONE),
    ("1.0", user(), Use(Op.INVOKE_STATIC, UTILS, "avroToBytes", TO_BYTES), "NoSuchMethodError"),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, OVERWRITE, "getRecordBytes", "()[B"), NONE),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, OVERWRITE, "getRecordBytes", "()V"), "NoSuchMethodError"),
    ("1.2", user(), Use(Op.INVOKE_STATIC, OVERWRITE, "getRecordBytes", "()[B"), CHANGED),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, OVERWRITE, "getMetadata", f"(){OPTION}"), NONE),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, OVERWRITE, "hashCode", "()I"), NONE),
    ("1.2", user(), Use(Op.INVOKE_INTERFACE, PAYLOAD, "hashCode", "()I", of_interface=True), NONE),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, PAYLOAD, "hashCode", "()I"), CHANGED),
    ("1.2", user(), Use(Op.INVOKE_INTERFACE, OVERWRITE, "hashCode", "()I", of_interface=True), CHANGED),
    ("1.2", user(), Use(Op.INVOKE_SPECIAL, RECORD, "getData", VALUE), NONE),
    ("1.2", user(RECORD), Use(Op.INVOKE_SPECIAL, RECORD, "newInstance", OF_RECORD), "AbstractMethodError"),
    # Classes.
    ("1.2", user(), Use(Op.NEW, RECORD), "InstantiationError"),
    ("1.2", user(), Use(Op.NEW, PAYLOAD), "InstantiationError"),
    ("1.2", user(), Use(Op.CLASS, f"{MODEL}FirstValueAvroPayload"), "NoClassDefFoundError"),
    ("1.2", user(), Use(Op.CLASS, "com.acme.Nope"), "NoClassDefFoundError"),
    ("1.2", user(), Use(Op.CLASS, "java.util.HashMap"), NONE),
    ("1.2", user(), Use(Op.CLASS, "org.apache.avro.generic.GenericRecord"), NONE),
    ("1.2", user(), Use(Op.CLASS, "B"), NONE),
    # Spark's own Avro is read, too.
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, FIELD, "defaultVal", VALUE), NONE),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, FIELD, "defaultValue", VALUE), "NoSuchMethodError"),
    ("1.2", user(), Use(Op.INVOKE_VIRTUAL, "java.util.HashMap", "whatever", "()V"), NONE),
]  # fmt: skip


@pytest.mark.parametrize(("release", "one", "use", "error"), CASES)
def test_a_use_is_resolved_as_java_does(release: str, one: ClassFile, use: Use, error: str) -> None:
    found = resolved(use, one, path(release))
    assert (NONE if found.problem is None else found.problem.error) == error
    is_near = one.name == NEAR
    assert found.needs_one_loader == is_near


def test_what_java_may_have_stays_in_doubt() -> None:
    """An enum extends a class of Java; that a release lacks a constant is known by another release that has it."""
    use = Use(Op.GET_STATIC, f"{MODEL}WriteOperationType", "NOPE", "Lorg/apache/hudi/common/model/WriteOperationType;")
    found = resolved(use, user(), path("1.2"))
    assert found.problem is None
    assert found.doubt is not None
    assert found.doubt.error == "NoSuchFieldError"


def test_a_private_or_static_method_overrides_nothing() -> None:
    public = ClassMethod("getInsertValue", f"({SCHEMA}){OPTION}", Flag.PUBLIC)
    one = user(OVERWRITE, "com.acme.Mine", public)
    assert [base.name for base, _ in overridden(public, one, path("1.2"))][:1] == [OVERWRITE]
    for flags in (Flag.PRIVATE, Flag.PUBLIC | Flag.STATIC):
        assert not [*overridden(public._replace(access=flags), one, path("1.2"))]


@pytest.mark.parametrize(
    ("use", "advice"),
    [
        (Use(Op.GET_FIELD, OVERWRITE, "recordBytes", "[B"), "write `getRecordBytes()` in place of `recordBytes`"),
        (
            Use(Op.INVOKE_STATIC, UTILS, "avroToBytes", TO_BYTES),
            "compile the class against Hudi 1.2, which has `avroToBytes(IndexedRecord)`",
        ),
        (
            Use(Op.INVOKE_STATIC, UTILS, "unwrapAvroValueWrapper", "(Ljava/lang/Object;)Ljava/lang/Object;"),
            "Hudi 1.2 has `HoodieAvroWrapperUtils.unwrapAvroValueWrapper(Object)`",
        ),
        (
            Use(Op.INVOKE_STATIC, UTILS, "addMetadataFields", f"({SCHEMA}){SCHEMA}"),
            "Hudi 1.2 has `HoodieSchemaUtils.addMetadataFields(HoodieSchema)`",
        ),
        (
            Use(
                Op.INVOKE_VIRTUAL,
                DEFAULT,
                "needUpdatingPersistedRecord",
                "(Lorg/apache/avro/generic/IndexedRecord;Lorg/apache/avro/generic/IndexedRecord;Ljava/util/Properties;)Z",
            ),
            "Hudi 1.2 has `needUpdatingPersistedRecord(IndexedRecord, Option, Properties)`",
        ),
        (
            Use(Op.CLASS, "org.apache.hudi.payload.AWSDmsAvroPayload"),
            f"Hudi 1.2 has {MODEL}AWSDmsAvroPayload",
        ),
        (Use(Op.INVOKE_STATIC, UTILS, "neverThere", "()V"), ""),
        (Use(Op.PUT_FIELD, OVERWRITE, "recordBytes", "[B"), ""),
    ],
)
def test_what_to_write_instead(use: Use, advice: str) -> None:
    assert instead_of(use, path("1.2")) == advice


def test_what_an_older_release_has_instead() -> None:
    use = Use(Op.INVOKE_VIRTUAL, OVERWRITE, "getRecordBytes", "()[B")
    assert instead_of(use, path("0.15")) == "write `recordBytes` in place of `getRecordBytes()`"


def test_descriptors_are_written_as_in_a_source() -> None:
    descriptor = f"([[I{SCHEMA}[Ljava/util/Map$Entry;J)V"
    assert types_of(descriptor) == ("[[I", SCHEMA, "[Ljava/util/Map$Entry;", "J", "V")
    assert written("of", descriptor) == "of(int[][], Schema, Map.Entry[], long)"
    assert written_type("Z") == "boolean"
