"""What the walk through the code of a class comes to, on classes that are stated here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bridge.linkage import TABULATED
from bridge.linkage.class_file import CONSTRUCTOR, INITIALISER, OBJECT, ClassFile, ClassMethod, Flag, Op, Use
from bridge.linkage.class_path import ClassPath, UserJars
from bridge.linkage.code_walk import CodeWalk
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.linkage import Linkage

MODEL = "org.apache.hudi.common.model."
OVERWRITE, DEFAULT = f"{MODEL}OverwriteWithLatestAvroPayload", f"{MODEL}DefaultHoodieRecordPayload"
MINE, RULE, HELPER = "com.acme.Mine", "com.acme.Rule", "com.acme.Helper"
INDEXED, SCHEMA, PROPS = "Lorg/apache/avro/generic/IndexedRecord;", "Lorg/apache/avro/Schema;", "Ljava/util/Properties;"
OPTION = "Lorg/apache/hudi/common/util/Option;"
BUILT = tuple(
    ClassMethod(CONSTRUCTOR, descriptor, Flag.PUBLIC)
    for descriptor in ("(Lorg/apache/avro/generic/GenericRecord;Ljava/lang/Comparable;)V", f"({OPTION})V")
)
BYTES = Use(Op.GET_FIELD, MINE, "recordBytes", "[B", line=7)
INSERT = ("getInsertValue", f"({SCHEMA}){OPTION}")
HOOK = "needUpdatingPersistedRecord"
OLD_HOOK = (HOOK, f"({INDEXED}{INDEXED}{PROPS})Z")
NEW_HOOK = (HOOK, f"({INDEXED}{OPTION}{PROPS})Z")


def method(named: tuple[str, str], *uses: Use, access: Flag = Flag.PUBLIC) -> ClassMethod:
    return ClassMethod(*named, access, uses)


def payload(*methods: ClassMethod, parent: str = OVERWRITE) -> ClassFile:
    return ClassFile(MINE, Flag.PUBLIC, parent, (), (), (*BUILT, *methods))


def helper(*methods: ClassMethod, interfaces: tuple[str, ...] = ()) -> ClassFile:
    return ClassFile(HELPER, Flag.PUBLIC, OBJECT, interfaces, (), methods)


class Stated(UserJars):
    """Jars of these classes."""

    def __init__(self, *classes: ClassFile) -> None:
        super().__init__([])
        self._classes = {one.name: one for one in classes}

    def get(self, name: str) -> ClassFile | None:
        return self._classes.get(name)


def linkage(*classes: ClassFile, release: str = "1.2") -> Linkage:
    user = Stated(*classes)
    paths = [ClassPath(one, user) for one in TABULATED]
    return CodeWalk(classes[0].name, ClassPath(HudiRelease.parse(release), user), paths).linkage()


def test_what_hudi_calls_is_reached_and_what_nothing_calls_is_told() -> None:
    found = linkage(payload(method(INSERT, BYTES)))
    (fault,) = found.breaking
    assert (fault.error, fault.method, fault.lines) == ("IllegalAccessError", "getInsertValue(Schema)", (7,))
    found = linkage(payload(method(("helper", "()V"), BYTES)))
    assert found.links
    assert [one.is_reached for one in found.faults] == [False]
    assert "which no merge reaches" in found.warnings[0]


@pytest.mark.parametrize(
    "called",
    [
        method(INSERT, Use(Op.INVOKE_VIRTUAL, MINE, "helper", "()V")),
        method(("toString", "()Ljava/lang/String;"), Use(Op.INVOKE_SPECIAL, MINE, "helper", "()V")),
        method((INITIALISER, "()V"), Use(Op.INVOKE_VIRTUAL, MINE, "helper", "()V"), access=Flag.STATIC),
        method(("readObject", "(Ljava/io/ObjectInputStream;)V"), Use(Op.INVOKE_VIRTUAL, MINE, "helper", "()V")),
    ],
    ids=lambda one: one.name,
)
def test_calls_are_followed(called: ClassMethod) -> None:
    assert not linkage(payload(called, method(("helper", "()V"), BYTES))).links


def test_lines_of_one_method_are_one_fault() -> None:
    (fault,) = linkage(payload(method(INSERT, BYTES._replace(line=9), BYTES, BYTES))).faults
    assert fault.lines == (7, 9)
    assert fault.where == "Mine.getInsertValue(Schema), lines 7 and 9"


@pytest.mark.parametrize(
    ("caught", "breaks"),
    [
        ("java.lang.IllegalAccessError", False),
        ("java.lang.IncompatibleClassChangeError", False),
        ("java.lang.LinkageError", False),
        ("java.lang.Throwable", False),
        ("java.lang.NoSuchFieldError", True),
        ("java.lang.Exception", True),
    ],
)
def test_a_handler_counts_if_it_catches_the_error(caught: str, breaks: bool) -> None:  # noqa: FBT001 (a parameter)
    found = linkage(payload(method(INSERT, BYTES._replace(caught=frozenset({caught})))))
    assert found.links != breaks


RULE_CLASS = ClassFile(
    RULE,
    Flag.PUBLIC | Flag.INTERFACE | Flag.ABSTRACT,
    OBJECT,
    (),
    (),
    (ClassMethod("of", "()V", Flag.PUBLIC | Flag.ABSTRACT),),
)
ASKS = Use(Op.INVOKE_INTERFACE, RULE, "of", "()V", of_interface=True)
GONE = Use(Op.INVOKE_STATIC, "org.apache.hudi.avro.HoodieAvroUtils", "recordToBytes", "()V")
OF = method(("of", "()V"), GONE)


@pytest.mark.parametrize(
    ("uses", "links"),
    [
        ((ASKS,), True),
        ((Use(Op.NEW, HELPER), ASKS), False),
        ((ASKS, Use(Op.NEW, HELPER)), False),
        ((ASKS, Use(Op.INVOKE_SPECIAL, HELPER, CONSTRUCTOR, "()V")), False),  # Helper::new
        ((Use(Op.NEW, HELPER),), True),
    ],
)
def test_an_interface_calls_the_classes_that_are_made(uses: tuple[Use, ...], links: bool) -> None:  # noqa: FBT001
    made = helper(ClassMethod(CONSTRUCTOR, "()V", Flag.PUBLIC), OF, interfaces=(RULE,))
    assert linkage(payload(method(INSERT, *uses)), RULE_CLASS, made).links == links


def test_an_override_of_another_release_is_dead_unless_that_of_this_one_is_there() -> None:
    hook = method(OLD_HOOK, access=Flag.PROTECTED)
    (dead,) = linkage(payload(hook, parent=DEFAULT)).dead
    assert dead.method == f"{HOOK}(IndexedRecord, IndexedRecord, Properties)"
    assert [str(one) for one in dead.alive] == ["0.14", "0.15", "1.0"]
    assert dead.called == (f"{HOOK}(IndexedRecord, Option, Properties)",)
    assert not linkage(payload(hook, parent=DEFAULT), release="1.0").dead
    assert not linkage(payload(hook, method(NEW_HOOK), parent=DEFAULT)).dead
    # A method that is nobody's override is the user's own business.
    assert not linkage(payload(method((HOOK, "()Z")), parent=DEFAULT)).dead


def test_code_of_a_dead_override_fails_nothing() -> None:
    hook = method(OLD_HOOK, BYTES)
    assert linkage(payload(hook, parent=DEFAULT)).links
    (fault,) = linkage(payload(hook, parent=DEFAULT)).faults
    assert not fault.is_reached


def test_the_short_form_of_a_merge_is_called_where_the_class_of_hudi_does() -> None:
    short = ("combineAndGetUpdateValue", f"({INDEXED}{SCHEMA}){OPTION}")
    assert linkage(payload(method(short, BYTES), parent=DEFAULT)).links
    assert not linkage(payload(method(short, BYTES))).links
    long = method((short[0], f"({INDEXED}{SCHEMA}{PROPS}){OPTION}"), Use(Op.INVOKE_VIRTUAL, MINE, *short))
    assert not linkage(payload(method(short, BYTES), long, parent=DEFAULT)).links


def test_a_class_that_is_nowhere_is_named_with_the_one_that_needs_it() -> None:
    needs = method(INSERT, Use(Op.INVOKE_STATIC, "dep.Rules", "apply", "()V"))
    found = linkage(payload(needs))
    assert found.refusal == f"dep.Rules, which {MINE} needs, is in none of the jars; add another --jar"
    assert found.breaking[0].missing_class == "dep.Rules"


def test_a_copy_of_hudi_in_the_jar_is_not_looked_at() -> None:
    copy = ClassFile(DEFAULT, Flag.PUBLIC, OBJECT, (), (), (method(OLD_HOOK, access=Flag.PROTECTED),))
    asks = method(INSERT, Use(Op.INVOKE_SPECIAL, DEFAULT, *OLD_HOOK))
    assert not linkage(payload(asks, parent=DEFAULT), copy).links
    assert not linkage(payload(method(NEW_HOOK, BYTES), parent=DEFAULT), copy).links


def test_a_parent_that_is_gone_is_one_fault() -> None:
    (fault,) = linkage(payload(parent="org.apache.hudi.payload.AWSDmsAvroPayload")).faults
    assert fault.error == "NoClassDefFoundError"
    assert fault.instead == f"Hudi 1.2 has {MODEL}AWSDmsAvroPayload"


def test_what_a_class_has_to_be() -> None:
    def errors(one: ClassFile) -> set[str]:
        return {fault.error for fault in linkage(one).breaking}

    good = payload()
    assert errors(good) == set()
    assert errors(good._replace(methods=BUILT[1:])) == {"NoSuchMethodException"}
    assert errors(good._replace(access=Flag(0))) == {"IllegalAccessException"}
    assert errors(good._replace(access=Flag.PUBLIC | Flag.ABSTRACT)) == {"InstantiationException"}
    assert errors(good._replace(parent=OBJECT)) == {"ClassCastException"}
    assert "IncompatibleClassChangeError" in errors(good._replace(parent=f"{MODEL}HoodieRecordPayload"))
    alone = good._replace(parent=OBJECT, interfaces=(f"{MODEL}HoodieRecordPayload",))
    assert errors(alone) == {"AbstractMethodError"}
    assert len(linkage(alone).breaking) == 3
    assert linkage(good._replace(methods=BUILT[:1])).advice[0].endswith("to build it for a null ordering value")


def test_a_merger_needs_the_interface_of_the_release() -> None:
    merge = "(Lorg/apache/hudi/common/model/HoodieRecord;{0}Lorg/apache/hudi/common/model/HoodieRecord;{0}{1}){2}"
    old = merge.format(SCHEMA, "Lorg/apache/hudi/common/config/TypedProperties;", OPTION)
    merger = ClassFile(
        MINE,
        Flag.PUBLIC,
        OBJECT,
        (f"{MODEL}HoodieRecordMerger",),
        (),
        (
            ClassMethod(CONSTRUCTOR, "()V", Flag.PUBLIC),
            method(("merge", old)),
            method(("getRecordType", "()Lorg/apache/hudi/common/model/HoodieRecord$HoodieRecordType;")),
            method(("getMergingStrategy", "()Ljava/lang/String;")),
        ),
    )
    assert linkage(merger, release="1.0").links
    found = linkage(merger)
    assert [one.error for one in found.breaking] == ["AbstractMethodError"]
    assert "merge(BufferedRecord, BufferedRecord, RecordContext, TypedProperties)" in str(found.refusal)
    assert [one.method.partition("(")[0] for one in found.dead] == ["merge"]
