"""Finding a payload class by its name: built-in, entry point or Python path, and the error where none is found."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import operator
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import payloads.builtin
from payloads.builtin import ALL_RELEASES, BuiltinPayload
from payloads.errors import (
    PayloadBridgeError,
    PayloadConfigError,
    PayloadConstructorError,
    PayloadNotFoundError,
    did_you_mean,
)
from payloads.jars import JarPaths, jar_paths
from payloads.release import HudiRelease, releases
from payloads.released import may_replace
from payloads.user import adapt

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

    from payloads.api import HoodieRecordPayload

ENTRY_POINT_GROUP: Final = "hudi_payload_bridge.payloads"

_Line = str | HudiRelease | None
_OLD_PREFIX, _NEW_PREFIX = "com.uber.hoodie", "org.apache.hudi"


class _Refused(NamedTuple):
    """A Hudi class that is not meant to be a table's payload."""

    releases: tuple[HudiRelease, ...]
    reason: str


_REFUSED = {
    "org.apache.spark.sql.hudi.command.payload.ExpressionPayload": _Refused(
        ALL_RELEASES,
        "MERGE INTO of Spark SQL uses it for one statement and hands it compiled expressions; "
        "name the payload class that the table itself is configured with",
    ),
    "org.apache.spark.sql.hudi.command.ValidateDuplicateKeyPayload": _Refused(
        releases(until="0.15"),
        "INSERT INTO of Spark SQL uses it to fail on a key that exists and never merges; "
        "name DefaultHoodieRecordPayload, which it extends",
    ),
    "org.apache.hudi.metadata.HoodieMetadataPayload": _Refused(
        ALL_RELEASES,
        "it merges rows of Hudi's own metadata table, which Hudi rebuilds by itself; "
        "name the payload class of the data table",
    ),
    "org.apache.hudi.metadata.EmptyHoodieRecordPayloadWithPartition": _Refused(
        releases(since="1.1"),
        "it carries a partition path inside a writer and is never stored; name EmptyHoodieRecordPayload",
    ),
    "org.apache.hudi.client.bootstrap.BootstrapRecordPayload": _Refused(
        releases(until="1.0"),
        "the bootstrap operation uses it to write rows that have no second version; "
        "name the payload class that the bootstrapped table is configured with",
    ),
}

# What to use if a release lacks the class.
_INSTEAD = {
    "FirstValueAvroPayload": "use DefaultHoodieRecordPayload; in 1.2 with "
    "hoodie.payload.update.on.same.ordering.field=false a tie keeps the stored row, "
    "but a tie within a batch still goes to the later version",
    "ReverseOrderHoodieRecordPayload": "use release 1.2, or a class of your own that prefers the lower ordering value",
}


@dataclass(frozen=True, slots=True, init=False)
class PayloadRef:
    """The name of a payload class and what is needed to find it; plans carry it, as classes can't always be pickled.

    Attributes:
        name: what `resolve_payload` takes, or the full name of a compiled Java class.
        jars: paths of the jars with the compiled class and what it needs, in the order of the class path.
        package: Maven coordinates (`group:artifact:version`) to load compiled classes from.
        built_for: the release that a compiled class, and no other (PayloadConfigError), was compiled for; under a later
            one it runs as if it were recompiled.

    Added in 0.1.0.
    """

    name: str
    jars: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    built_for: HudiRelease | None = None

    def __init__(
        self, name: str, jar: JarPaths = None, package: JarPaths = (), *, jars: JarPaths = (), built_for: _Line = None
    ) -> None:
        """Take the name, and where the class is: `jar` is one path, several with commas between them, or a list."""
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "jars", jar_paths((*jar_paths(jar), *jar_paths(jars))))
        object.__setattr__(self, "package", jar_paths(package))
        object.__setattr__(self, "built_for", built_for and HudiRelease.parse(built_for))
        if built_for is not None and not self.is_compiled:
            msg = f"built_for={built_for!s} is about a compiled class; name the jar or the package of {name}"
            raise PayloadConfigError(msg)

    def recompiled_for(self, release: HudiRelease) -> bool:
        """Whether the class was compiled for an older release than `release`, and runs as if recompiled for it."""
        return self.built_for is not None and self.built_for < release

    @property
    def jar(self) -> str | None:
        """The jars as `spark-submit --jars` takes them, with commas between them; None without one."""
        return ",".join(self.jars) or None

    @property
    def is_compiled(self) -> bool:
        """Whether a jar or a package comes with the name."""
        return bool(self.jars or self.package)

    @property
    def is_builtin(self) -> bool:
        """Whether some release of Hudi ships a class of this name."""
        return _known(self.name.strip().replace(_OLD_PREFIX, _NEW_PREFIX)) is not None

    def java_name(self, release: str | HudiRelease = HudiRelease.latest()) -> str:
        """Return the full Java name of a built-in class, or of a port that has one; any other name as it is."""
        if self.is_compiled and not self.is_builtin and not self.has_port(release):
            return self.name
        return str(getattr(self.resolve(release), "java_name", self.name))

    def has_port(self, release: str | HudiRelease = HudiRelease.latest()) -> bool:
        """Whether there is a Python class of this name; one that can't be used counts, so that its error surfaces.

        A jar with a changed class of Hudi has its own class of a name of Hudi's, and a package that is no bundle of a
        release may have one: the port does not stand for it.
        """
        if self.is_builtin and may_replace(self.jars, self.package):
            return False
        try:
            self._found(HudiRelease.parse(release))
        except PayloadNotFoundError:
            return False
        except PayloadBridgeError:
            return True
        return True

    def resolve(self, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
        """Return the Python class of this name, even if a jar offers a compiled one.

        Raises:
            PayloadNotFoundError: there is none; a class that exists only in a jar needs the jvm engine.
        """
        try:
            return self._found(HudiRelease.parse(release))
        except PayloadNotFoundError as error:
            if not self.is_compiled:
                raise
            source = ", ".join(self.jars or self.package)
            msg = f"{self.name} has no Python class ({error}); run the compiled class of {source} with the jvm engine"
            raise PayloadNotFoundError(msg) from error

    def _found(self, release: HudiRelease) -> type[HoodieRecordPayload]:
        return resolve_payload(self.name, release)


@dataclass(frozen=True, slots=True, init=False)
class StoredPayloadRef(PayloadRef):
    """The name of a payload class that a table's properties or a settings file states.

    Whoever can write a table could otherwise have its readers import any module. So the name is that of a class of
    Hudi or of an installed entry point; a Python path is refused and never imported.

    Added in 0.1.0.
    """

    def _found(self, release: HudiRelease) -> type[HoodieRecordPayload]:
        return resolve_stored_payload(self.name, release)


def resolve_payload(name: str, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
    """Return the payload class named `name`, bound to `release`.

    The order is fixed: a built-in by its full or short Java name (`com.uber.hoodie`, the old prefix, included), an
    entry point of the group `hudi_payload_bridge.payloads` by its name, a Python path `package.module:Class`.

    Raises:
        PayloadNotFoundError: nothing has this name, the release does not ship the class, or importing it failed.
        PayloadConstructorError: what it names is not a payload.

    Added in 0.1.0.
    """
    name, line = name.strip(), HudiRelease.parse(release)
    return _builtin(name, line) or _entry_point(name, line) or _python_path(name, line) or _not_found(name, line)


def resolve_stored_payload(name: str, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
    """Return the payload class that a table or a settings file names, bound to `release`; imports no Python path.

    Raises:
        PayloadNotFoundError: nothing has this name, or it is a Python path.
        PayloadConstructorError: what it names is not a payload.
    """
    name, line = name.strip(), HudiRelease.parse(release)
    found = _builtin(name, line) or _entry_point(name, line)
    if found is None and ":" in name:
        msg = (
            f"a table's properties or a settings file name the payload {name!r}, and such a name loads no code; if you "
            "trust the class, name it yourself (--payload, payload=)"
        )
        raise PayloadNotFoundError(msg)
    return found or _not_found(name, line)


def builtin_payloads(release: str | HudiRelease | None = None) -> tuple[type[BuiltinPayload], ...]:
    """Return the classes that Hudi ships, by name: those of `release`, bound to it, or all of them unbound.

    Added in 0.1.0.
    """
    classes = sorted(_builtin_classes(), key=operator.attrgetter("__name__"))
    if release is None:
        return tuple(classes)
    line = HudiRelease.parse(release)
    return tuple(c.for_release(line) for c in classes if line in c.shipped)


@functools.cache
def _builtin_classes() -> tuple[type[BuiltinPayload], ...]:
    offered = [getattr(payloads.builtin, name) for name in payloads.builtin.__all__]
    classes = [found for found in offered if isinstance(found, type) and issubclass(found, BuiltinPayload)]
    return tuple(found for found in classes if "java_name" in vars(found))  # the bases have none of their own


def _short(name: str) -> str:
    return name.rpartition(".")[2]


# -- built-in


@functools.cache
def _java_names() -> dict[str, tuple[type[BuiltinPayload], tuple[HudiRelease, ...]]]:
    """Return each full Java name with its class and the releases that know it by this name."""
    names: dict[str, tuple[type[BuiltinPayload], tuple[HudiRelease, ...]]] = {}
    for found in _builtin_classes():
        names[found.java_name] = found, found.shipped
        for release in found.shipped:
            for alias in found.for_release(release).aliases:
                names[alias] = found, (*names.get(alias, (found, ()))[1], release)
    return names


def _known(full: str) -> tuple[type[BuiltinPayload], tuple[HudiRelease, ...]] | None:
    names = _java_names()
    return names.get(full) or next(
        (names[c.java_name] for c in _builtin_classes() if _short(c.java_name) == full), None
    )


def _builtin(name: str, release: HudiRelease) -> type[HoodieRecordPayload] | None:
    full = name.replace(_OLD_PREFIX, _NEW_PREFIX)
    known = _known(full)
    if known is not None:
        found, releases = known
        if release in releases:
            return found.for_release(release)
        raise PayloadNotFoundError(_not_shipped(full, found, releases, release))
    refused = next((java_name for java_name in _REFUSED if full in {java_name, _short(java_name)}), None)
    if refused is not None:
        releases, reason = _REFUSED[refused]
        msg = f"{_short(refused)} (Hudi {_listed(releases)}) is internal to Hudi's writers: {reason}"
        raise PayloadNotFoundError(msg)
    return None


def _not_shipped(name: str, found: type[BuiltinPayload], releases: Iterable[HudiRelease], release: HudiRelease) -> str:
    if name not in {found.java_name, _short(found.java_name)}:
        instead = f"use {found.java_name}, the same class"
    else:
        instead = _INSTEAD.get(_short(found.java_name), "choose a release that has it, or another class")
    why = f"came with {min(releases)}" if release < min(releases) else f"was removed after {max(releases)}"
    return f"Hudi {release} does not ship {name}, which {why} (shipped by {_listed(releases)}); {instead}"


def _listed(releases: Iterable[HudiRelease]) -> str:
    return ", ".join(map(str, releases))


# -- entry points


def _offered() -> tuple[EntryPoint, ...]:
    """Return the entry points of the group, read again only where the path or one of its folders has changed."""
    return _entry_points(tuple((folder, _changed(folder)) for folder in sys.path))


@functools.lru_cache(maxsize=1)
def _entry_points(path: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 (the key of the cache)
    # This opens a file of every installed distribution, and each writer and reader resolves its classes several times.
    return tuple(importlib.metadata.entry_points(group=ENTRY_POINT_GROUP))


def _changed(folder: str) -> int:
    """Return when an entry of a folder was last added or removed; 0 where there is no such folder."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def _entry_point(name: str, release: HudiRelease) -> type[HoodieRecordPayload] | None:
    found = {entry.value: entry for entry in _offered() if entry.name == name}
    if len(found) > 1:
        msg = f"several distributions offer a payload {name!r}: {', '.join(sorted(found))}; name one by its Python path"
        raise PayloadConfigError(msg)
    for value, entry in found.items():
        try:
            loaded = entry.load()
        except Exception as error:
            msg = (
                f"the entry point {name!r} = {value} can't be loaded ({type(error).__name__}: {error}); "
                "fix or remove the distribution that offers it"
            )
            raise PayloadNotFoundError(msg) from error
        return _adapted(loaded, release)
    return None


# -- Python paths


def _python_path(name: str, release: HudiRelease) -> type[HoodieRecordPayload] | None:
    module_name, colon, path = name.partition(":")
    if not colon:
        return None
    if not all(part.isidentifier() for part in (*module_name.split("."), *path.split("."))):
        msg = f"{name!r} is not a Python path; write it as package.module:Class"
        raise PayloadNotFoundError(msg)
    found: Any = _import(module_name, name)
    for part in path.split("."):
        if not hasattr(found, part):
            msg = f"{name}: {found.__name__} has no {part}{did_you_mean(part, _class_names(found), 0.5)}"
            raise PayloadNotFoundError(msg)
        found = getattr(found, part)
        if not isinstance(found, type):
            msg = f"{name}: {part} is a {type(found).__name__}, not a class; name a payload class"
            raise PayloadConstructorError(msg)
    return _adapted(found, release)


def _import(module_name: str, name: str) -> Any:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            msg = f"{name}: there is no module {error.name}; install it, or put its folder on PYTHONPATH"
        else:
            msg = f"{name}: importing {module_name} failed, as it needs the module {error.name}; install that"
        raise PayloadNotFoundError(msg) from error
    except Exception as error:
        msg = f"{name}: importing {module_name} failed with {type(error).__name__}: {error}; fix the module"
        raise PayloadNotFoundError(msg) from error


def _adapted(found: Any, release: HudiRelease) -> type[HoodieRecordPayload] | None:
    # A class of Hudi is subject to what the release ships, however it was named.
    return _builtin(found.java_name, release) if found in _builtin_classes() else adapt(found, release)


def _class_names(owner: Any) -> list[str]:
    return [name for name, value in vars(owner).items() if isinstance(value, type)]


# -- nothing found


def _not_found(name: str, release: HudiRelease) -> type[HoodieRecordPayload]:
    offered = [entry.name for entry in _offered()]
    shipped = [_short(found.java_name) for found in builtin_payloads(release)]
    hint = did_you_mean(_short(name), [*shipped, *offered], 0.5)
    msg = (
        f"unknown payload {name!r}{hint or '.'} A Python class is named package.module:Class; "
        "a compiled Java class by its full name and its jar (--jar FILE or --package COORDINATE)"
    )
    raise PayloadNotFoundError(msg)
