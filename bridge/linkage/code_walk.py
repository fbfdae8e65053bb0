"""CodeWalk: what Java finds wrong with a class under one release, in the code that Hudi's calls may come to.

A linking error is raised where the code that names the member runs, not where the class is loaded. So the code is
followed from what Hudi calls: constructors, and the methods that override one of Hudi's or of Java's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.config import capabilities
from bridge.linkage.advice import instead_of, same_name
from bridge.linkage.class_file import (
    CONSTRUCTOR,
    INITIALISER,
    ClassFile,
    Flag,
    Op,
    Use,
    class_of,
    types_of,
    written,
)
from bridge.linkage.linkage import DeadOverride, Fault, Linkage, short_name
from bridge.linkage.resolution import Problem, ancestors, overridden, resolved, supers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.linkage.class_file import ClassMethod
    from bridge.linkage.class_path import ClassPath

PAYLOAD: Final = "org.apache.hudi.common.model.HoodieRecordPayload"
MERGER: Final = "org.apache.hudi.common.model.HoodieRecordMerger"
_BUILT_BY: Final = "(Lorg/apache/avro/generic/GenericRecord;Ljava/lang/Comparable;)V"
_BUILT_BY_OPTION: Final = "(Lorg/apache/hudi/common/util/Option;)V"
_BUILT_BY_NOTHING: Final = "()V"
_SERIAL: Final = frozenset({"readObject", "readObjectNoData", "readResolve", "writeObject", "writeReplace"})
"""What Java's serialisation calls, though it overrides nothing."""
_ALL: Final = frozenset({"java.lang.Throwable", "java.lang.Error", "java.lang.LinkageError"})
_HANDLED: Final = {
    "NoClassDefFoundError": _ALL | {"java.lang.NoClassDefFoundError"},
    "VerifyError": _ALL | {"java.lang.VerifyError"},
}
"""The classes of which a handler has to name one to catch an error; of other errors `_INCOMPATIBLE`."""
_INCOMPATIBLE: Final = _ALL | {"java.lang.IncompatibleClassChangeError"}
_MOST_CLASSES: Final = 5000
_COMBINE: Final = "combineAndGetUpdateValue"
_LAMBDA: Final = "lambda$"
"""The start of the names of methods that Java's compiler makes of lambdas."""


class CodeWalk:
    """Follows the code of a class under one release; `paths` are those of all releases."""

    def __init__(self, name: str, path: ClassPath, paths: Sequence[ClassPath]) -> None:
        self._name = name
        self._path = path
        self._paths = paths
        self._faults: dict[Fault, dict[int, None]] = {}
        self._advice: dict[str, None] = {}
        self._touched: dict[str, ClassFile] = {}
        self._live: dict[str, ClassFile] = {}
        self._called: set[tuple[str, str]] = set()
        self._methods: dict[tuple[str, str, str], bool] = {}
        self._queue: list[tuple[ClassFile, ClassMethod]] = []
        self._reaches = True

    def linkage(self) -> Linkage:
        """Return the result."""
        if not self._path.is_users(self._name):
            return self._of_hudi()
        root = self._path.user.get(self._name)
        assert root is not None  # noqa: S101 (as it is the user's)
        self._roles(root)
        self._build(root)
        for method in root.methods:
            if method.name == CONSTRUCTOR and method.descriptor in {_BUILT_BY, _BUILT_BY_OPTION, _BUILT_BY_NOTHING}:
                self._reach(root, method)
        self._follow()
        self._reaches = False  # what no call comes to fails nothing, and is still told
        for own in self._users_above(root):
            for method in own.methods:
                self._reach(own, method)
        self._follow()
        found = (fault._replace(lines=tuple(sorted(lines))) for fault, lines in self._faults.items())
        faults = sorted(found, key=lambda fault: (not fault.breaks, not fault.is_reached))
        return Linkage(self._name, self._path.release, tuple(faults), self._dead(), tuple(self._advice))

    def _of_hudi(self) -> Linkage:
        """Return the result for a class that the release ships, or has ceased to ship."""
        fault = Fault("NoClassDefFoundError", f"Hudi {self._path.release} has no class {self._name}", self._name)
        faults = () if self._name in self._path.hudi else (fault,)
        return Linkage(self._name, self._path.release, faults)

    # -- what Hudi asks of the class

    def _roles(self, root: ClassFile) -> None:
        above = {name for name, _ in ancestors(root, self._path)}
        is_merger = MERGER in above
        built = {own.descriptor for own in root.methods if own.name == CONSTRUCTOR and Flag.PUBLIC in own.access}
        if not is_merger and PAYLOAD not in above:
            if all(self._path.has(name) for name in above):
                self._add(Problem("ClassCastException", f"{root.name} is neither a payload nor a merger"), root.name)
            return
        if Flag.ABSTRACT in root.access:
            self._add(Problem("InstantiationException", f"{root.name} is abstract"), root.name)
        if Flag.PUBLIC not in root.access:
            self._add(Problem("IllegalAccessException", f"{root.name} is not public"), root.name)
        wanted = _BUILT_BY_NOTHING if is_merger else _BUILT_BY
        if wanted not in built:
            text = (
                f"there is no public constructor {written(short_name(root.name), wanted)}, which Hudi uses to build it"
            )
            self._add(Problem("NoSuchMethodException", text), root.name)
        if not is_merger and _BUILT_BY_OPTION not in built:
            when = (
                "for a null ordering value"
                if not capabilities(self._path.release).payload_writer
                else "for rows that a write does not combine (insert, bulk_insert)"
            )
            self._advise(
                f"{short_name(root.name)} has no public constructor (Option), which Hudi uses to build it {when}"
            )
        for descriptor in sorted(built):
            for one in map(class_of, types_of(descriptor)[:-1]):
                if one is not None and not self._path.has(one):
                    self._add(Problem("NoClassDefFoundError", f"there is no class {one}"), root.name, missing=one)

    # -- following the code

    def _build(self, one: ClassFile) -> None:
        """Note that objects of a class are made: what overrides a method of others may be called."""
        if one.name in self._live:
            return
        self._live[one.name] = one
        self._touch(one)
        seen = set()
        for own in self._users_above(one):
            for method in own.methods:
                signature = (method.name, method.descriptor)
                if signature in seen or method.name.startswith("<"):
                    continue
                seen.add(signature)
                is_called = signature in self._called or method.name in _SERIAL
                overrides = any(True for _ in overridden(method, one, self._path))
                if is_called or (overrides and not self._is_passed_over(method, one)):
                    self._reach(own, method)
        if not one.access & (Flag.ABSTRACT | Flag.INTERFACE):
            self._check_abstract(one)

    def _is_passed_over(self, method: ClassMethod, one: ClassFile) -> bool:
        """Whether Hudi calls the form with Properties, which a class of its own implements without a call of this one.

        This is asked of the merge with the stored row alone: no other method of Hudi's classes calls its short form.
        """
        if method.name != _COMBINE:
            return False
        parameters = types_of(method.descriptor)[:-1]
        for base in supers(one, self._path):
            for own in base.methods:
                longer = types_of(own.descriptor)[:-1]
                is_form = own.name == method.name and len(longer) > len(parameters)
                if is_form and longer[: len(parameters)] == parameters and not own.access & (Flag.STATIC | Flag.BRIDGE):
                    return base.name in self._path.hudi and Flag.DELEGATES not in own.access
        return False

    def _touch(self, one: ClassFile) -> None:
        """Note that a class is loaded."""
        if one.name in self._touched or len(self._touched) >= _MOST_CLASSES:
            return
        self._touched[one.name] = one
        self._check_bases(one)
        for name in one.bases:
            base = self._users(name)
            if base is not None:
                self._touch(base)
        for method in one.methods:
            if method.name == INITIALISER:
                self._reach(one, method)

    def _reach(self, one: ClassFile, method: ClassMethod) -> None:
        key = (one.name, method.name, method.descriptor)
        if key not in self._methods:
            self._methods[key] = self._reaches
            self._queue.append((one, method))

    def _follow(self) -> None:
        while self._queue:
            one, method = self._queue.pop()
            self._touch(one)
            for use in method.uses:
                self._use(one, method, use)

    def _use(self, one: ClassFile, method: ClassMethod, use: Use) -> None:
        found = resolved(use, one, self._path)
        problem = found.problem
        if found.doubt is not None and any(resolved(use, one, path).member for path in self._paths):
            problem = found.doubt  # another release has it, and of its own
        if problem is not None:
            self._fail(one, method, use, problem)
            return
        if found.needs_one_loader:
            what = f"{short_name(use.owner)}{'.' + use.name if use.name else ''}"
            self._advise(
                f"{short_name(one.name)} uses {what}, which is package-private: that works if one class loader has "
                "both the jar and Hudi's bundle (--jars or --packages for both), not if the bundle is among Spark's "
                "own jars"
            )
        owner = self._users(use.owner)
        if owner is not None:
            is_made = use.name == CONSTRUCTOR and owner.name not in {one.name, one.parent}  # by X::new
            if use.op is Op.NEW or is_made:
                self._build(owner)
            else:
                self._touch(owner)
        if use.op.is_field or use.op in {Op.NEW, Op.CLASS}:
            return
        declaring = None if found.owner is None else self._users(found.owner.name)
        if declaring is not None and found.member is not None:
            self._reach(declaring, found.member)  # type: ignore[arg-type]  # a call is of a method
        if use.op in {Op.INVOKE_VIRTUAL, Op.INVOKE_INTERFACE} and (use.name, use.descriptor) not in self._called:
            self._called.add((use.name, use.descriptor))
            for live in [*self._live.values()]:
                self._reach_in(live, use)

    def _reach_in(self, live: ClassFile, use: Use) -> None:
        """Note that a call may come to the method of a class of which objects are made."""
        for own in self._users_above(live):
            for method in own.methods:
                if (method.name, method.descriptor) == (use.name, use.descriptor):
                    self._reach(own, method)
                    return

    def _users(self, name: str) -> ClassFile | None:
        return self._path.user.get(name) if self._path.is_users(name) else None

    def _users_above(self, one: ClassFile) -> Iterator[ClassFile]:
        """Yield a class and the user's classes and interfaces above it."""
        yield one
        for name, found in ancestors(one, self._path):
            if found is not None and self._path.is_users(name):
                yield found

    # -- what is wrong

    def _fail(self, one: ClassFile, method: ClassMethod, use: Use, problem: Problem) -> None:
        is_missing = problem.error == "NoClassDefFoundError"
        if is_missing and any(use.owner == base for base in one.bases):
            return  # told of the class itself
        fault = Fault(
            problem.error,
            problem.text,
            one.name,
            _called(one, method),
            instead=instead_of(use, self._path),
            is_reached=self._methods[one.name, method.name, method.descriptor],
            is_caught=bool(use.caught & _HANDLED.get(problem.error, _INCOMPATIBLE | {f"java.lang.{problem.error}"})),
            missing_class=use.owner if is_missing else None,
        )
        self._faults.setdefault(fault, {}).update({} if use.line is None else {use.line: None})

    def _add(self, problem: Problem, user_class: str, missing: str | None = None) -> None:
        instead = "" if missing is None else instead_of(Use(Op.CLASS, missing), self._path)
        fault = Fault(*problem, user_class, instead=instead, is_reached=self._reaches, missing_class=missing)
        self._faults.setdefault(fault, {})

    def _advise(self, text: str) -> None:
        self._advice[text] = None

    def _check_bases(self, one: ClassFile) -> None:
        """Check what Java checks when it loads a class."""
        for name in one.bases:
            base = self._path.get(name)
            if base is None:
                if not self._path.has(name):
                    problem = Problem(
                        "NoClassDefFoundError", f"there is no class {name}, which {short_name(one.name)} extends"
                    )
                    self._add(problem, one.name, missing=name)
                continue
            is_interface = Flag.INTERFACE in base.access
            if is_interface == (name == one.parent):
                kind = "an interface" if is_interface else "no interface"
                self._add(Problem("IncompatibleClassChangeError", f"{name} is {kind}"), one.name)
            elif Flag.FINAL in base.access:
                self._add(Problem("VerifyError", f"{name} is final"), one.name)
            elif Flag.PUBLIC not in base.access and name.rpartition(".")[0] != one.name.rpartition(".")[0]:
                self._add(Problem("IllegalAccessError", f"the class {name} is not public"), one.name)
        for method in one.methods:
            for base, own in overridden(method, one, self._path):
                if Flag.FINAL in own.access:
                    text = f"{_called_in(one, method)} overrides {_called_in(base, own)}, which is final"
                    self._add(Problem("VerifyError", text), one.name)

    def _check_abstract(self, one: ClassFile) -> None:
        """Check that a class implements what Hudi leaves abstract."""
        above = [found for _, found in ancestors(one, self._path) if found is not None]
        solid = {
            (own.name, own.descriptor)
            for base in (one, *above)
            for own in base.methods
            if not own.access & (Flag.ABSTRACT | Flag.STATIC)
        }
        for base in above:
            for own in () if base.name not in self._path.hudi else base.methods:
                if Flag.ABSTRACT in own.access and (own.name, own.descriptor) not in solid:
                    text = f"{short_name(one.name)} does not implement {_called_in(base, own)}"
                    self._add(Problem("AbstractMethodError", text), one.name)

    def _dead(self) -> tuple[DeadOverride, ...]:
        """Return the methods that override one of another release alone."""
        found = []
        for one in self._live.values():
            if not all(self._path.has(name) for name, _ in ancestors(one, self._path)):
                continue
            signatures = {(own.name, own.descriptor) for own in one.methods}
            for method in one.methods:
                if Flag.SYNTHETIC in method.access or any(True for _ in overridden(method, one, self._path)):
                    continue
                alive = tuple(path.release for path in self._paths if any(True for _ in overridden(method, one, path)))
                others = [own for own in same_name(method, one, self._path) if Flag.FINAL not in own.access]
                if alive and not any((own.name, own.descriptor) in signatures for own in others):
                    called = tuple(dict.fromkeys(written(own.name, own.descriptor) for own in others))
                    found.append(DeadOverride(one.name, written(method.name, method.descriptor), alive, called))
        return tuple(found)


def _called(one: ClassFile, method: ClassMethod) -> str:
    """Return a method as a source calls it."""
    if method.name == CONSTRUCTOR:
        return written(short_name(one.name).rpartition(".")[2], method.descriptor)
    if method.name == INITIALISER:
        return "static {}"
    if method.name.startswith(_LAMBDA):
        return f"{method.name.removeprefix(_LAMBDA).rpartition('$')[0]}, in a lambda"
    return written(method.name, method.descriptor)


def _called_in(one: ClassFile, method: ClassMethod) -> str:
    return f"{short_name(one.name)}.{written(method.name, method.descriptor)}"
