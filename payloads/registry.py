"""Finding a payload class by its name: built-in, entry point or Python path, and the error where none is found."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import operator
import os
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import payloads.builtin
from payloads.arguments import checked
from payloads.backports import is_class
from payloads.builtin import ALL_RELEASES, BuiltinPayload
from payloads.errors import (
    PayloadConfigError,
    PayloadConstructorError,
    PayloadNotFoundError,
    did_you_mean,
)
from payloads.release import HudiRelease, releases
from payloads.user import adapt

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

    from payloads.api import HoodieRecordPayload

ENTRY_POINT_GROUP: Final = "hudi_payload_bridge.payloads"

OLD_PREFIX, NEW_PREFIX = "com.uber.hoodie", "org.apache.hudi"
"""The packages of Hudi's classes: before it came to Apache, and since."""


class _Refused(NamedTuple):
    """A Hudi class that is not meant to be a table's payload."""

    releases: tuple[HudiRelease, ...]
    reason: str


_REFUSED = {
    "org.apache.spark.sql.hudi.command.payload.ExpressionPayload": _Refused(
        ALL_RELEASES,
        "Spark SQL's MERGE INTO uses it for a single statement and passes it compiled expressions; name the table's "
        "class, and run the statement (--operation N=sql_merge:FILE.sql). It merges as DefaultHoodieRecordPayload, "
        "which it extends, if the table is copy-on-write and Hudi is 0.15 or older, and by the table's own class if it "
        "is merge-on-read or Hudi is 1.0.1 or later (apache/hudi#12726)",
    ),
    "org.apache.spark.sql.hudi.command.ValidateDuplicateKeyPayload": _Refused(
        releases(until="0.15"),
        "Spark SQL's INSERT INTO uses it to fail on existing keys and never merges; name DefaultHoodieRecordPayload, "
        "which it extends",
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
    "OracleDebeziumAvroPayload": "use release 1.3, a preview whose rules are taken from sources (apache/hudi#19322), "
    "or, if you have its jar, name the class in full with the jar (--jar FILE)",
    "ReverseOrderHoodieRecordPayload": "use release 1.2, or a class of your own that prefers the lower ordering value",
}


@checked
def resolve_payload(name: str, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
    """Return the payload class named `name`, bound to `release`.

    The order is fixed: a built-in by its full or short Java name (`com.uber.hoodie`, the old prefix, included), an
    entry point of the group `hudi_payload_bridge.payloads` by its name, a Python path `package.module:Class`.

    Raises:
        PayloadNotFoundError: nothing has this name, the release does not ship the class, or importing it failed.
        PayloadConstructorError: what it names is not a payload.
    """
    name, line = name.strip(), HudiRelease.parse(release)
    return _builtin(name, line) or _entry_point(name, line) or _python_path(name, line) or _not_found(name, line)


def check_spelling(name: str, release: HudiRelease) -> None:
    """Check that a name that can only be one of Hudi's, or of an entry point, is one; nothing is imported.

    Raises:
        PayloadNotFoundError: it is none of them, in no release.
    """
    name = name.strip()
    full = name.replace(OLD_PREFIX, NEW_PREFIX)
    is_hudis = "." not in name or full.startswith(f"{NEW_PREFIX}.")
    if ":" in name or not is_hudis or known_class(full) is not None:
        return
    if _refused(full) is None and all(entry.name != name for entry in _offered()):
        _not_found(name, release)


def adapted_payload(found: type, release: HudiRelease) -> type[HoodieRecordPayload]:
    """Return a class that is at hand as a payload class, bound to `release`.

    Raises:
        PayloadConstructorError: it is not a payload.
    """
    return _adapted(found, release)


def resolve_stored_payload(name: str, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
    """Return the payload class that a table or a settings file names, bound to `release`; imports no Python path.

    A blank belongs to the name, as in Java.

    Raises:
        PayloadNotFoundError: nothing has this name, or it is a Python path.
        PayloadConstructorError: what it names is not a payload.
    """
    line = HudiRelease.parse(release)
    if line.is_preview and (known := known_class(name)) is not None and line not in known[1]:
        line = (
            HudiRelease.latest()
        )  # what a preview does not add surrounds its merges, and is that of the release before
    found = _builtin(name, line) or _entry_point(name, line)
    if found is None and ":" in name:
        msg = (
            f"the payload {name!r} is named by a table's properties or a settings file, which never load code; if "
            "you trust the class, name it yourself (--payload, payload=)"
        )
        raise PayloadNotFoundError(msg)
    return found or _not_found(name, line)


@checked
def builtin_payloads(release: str | HudiRelease | None = None) -> tuple[type[BuiltinPayload], ...]:
    """Return the classes that Hudi ships, by name: those of `release`, bound to it, or all of them unbound."""
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


def known_class(full: str) -> tuple[type[BuiltinPayload], tuple[HudiRelease, ...]] | None:
    """Return the class of Hudi that a full or short Java name denotes, and the releases that know it by this name."""
    names = _java_names()
    return names.get(full) or next(
        (names[c.java_name] for c in _builtin_classes() if _short(c.java_name) == full), None
    )


def _builtin(name: str, release: HudiRelease) -> type[HoodieRecordPayload] | None:
    full = name.replace(OLD_PREFIX, NEW_PREFIX)
    known = known_class(full)
    if known is not None:
        found, releases = known
        if release in releases:
            return found.for_release(release)
        raise PayloadNotFoundError(_not_shipped(full, found, releases, release))
    refused = _refused(full)
    if refused is not None:
        releases, reason = _REFUSED[refused]
        msg = f"{_short(refused)} (Hudi {_listed(releases)}) is internal to Hudi's writers: {reason}"
        raise PayloadNotFoundError(msg)
    return None


def _refused(full: str) -> str | None:
    return next((java_name for java_name in _REFUSED if full in {java_name, _short(java_name)}), None)


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
        return os.stat(folder or ".").st_mtime_ns  # noqa: PTH116 (a Path takes most of the time, several times a writer)
    except OSError:
        return 0


def _entry_point(name: str, release: HudiRelease) -> type[HoodieRecordPayload] | None:
    found = {entry.value: entry for entry in _offered() if entry.name == name}
    if len(found) > 1:
        msg = (
            f"several distributions provide a payload {name!r}: {', '.join(sorted(found))}; name one by its Python path"
        )
        raise PayloadConfigError(msg)
    for value, entry in found.items():
        try:
            loaded = entry.load()
        except Exception as error:
            msg = (
                f"the entry point {name!r} = {value} can't be loaded ({type(error).__name__}: {error}); fix or "
                "remove the distribution that provides it"
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
        if not is_class(found):
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
            msg = f"{name}: importing {module_name} failed because the module {error.name} is missing; install it"
        raise PayloadNotFoundError(msg) from error
    except Exception as error:
        msg = f"{name}: importing {module_name} failed with {type(error).__name__}: {error}; fix the module"
        raise PayloadNotFoundError(msg) from error


def _adapted(found: Any, release: HudiRelease) -> type[HoodieRecordPayload]:
    # A class of Hudi is subject to what the release ships, however it was named.
    is_hudis = found in _builtin_classes()
    return (_builtin(found.java_name, release) if is_hudis else None) or adapt(found, release)


def _class_names(owner: object) -> list[str]:
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
