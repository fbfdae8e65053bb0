"""Finding a merger by its name: built-in ones by Hudi's names, users' own by a Python path."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mergers.api import RecordMergeMode
from mergers.compat import adapt_merger
from mergers.errors import MergerNotFoundError
from mergers.strategies import (
    CommitTimeFlinkRecordMerger,
    EventTimeFlinkRecordMerger,
    OverwriteWithLatestMerger,
    PartialUpdateFlinkRecordMerger,
)
from payloads.arguments import checked
from payloads.errors import did_you_mean
from payloads.jars import JarPaths, jar_paths
from payloads.released import may_replace
from payloads.sent import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.api import HoodieRecordMerger

_BUILT_IN: dict[str, type] = {
    "org.apache.hudi.common.model.OverwriteWithLatestMerger": OverwriteWithLatestMerger,
    "org.apache.hudi.client.model.CommitTimeFlinkRecordMerger": CommitTimeFlinkRecordMerger,
    "org.apache.hudi.client.model.EventTimeFlinkRecordMerger": EventTimeFlinkRecordMerger,
    "org.apache.hudi.client.model.PartialUpdateFlinkRecordMerger": PartialUpdateFlinkRecordMerger,
}
_BRIDGES = {
    "org.apache.hudi.common.model.HoodieAvroRecordMerger": "combine",
    "org.apache.hudi.common.model.HoodiePreCombineAvroRecordMerger": "pre_combine",
}
BUILT_IN_NAMES: Final = (*_BUILT_IN, *_BRIDGES)
"""The full Java names of Hudi's mergers that are known here."""


@dataclass(frozen=True, slots=True, init=False)
class MergerRef:
    """The name of a merger and what is needed to find it; plans carry it, as objects can't always be pickled.

    Attributes:
        name: what `resolve_merger` takes, or the full name of a compiled Java class.
        jars: paths of the jars with the compiled class and what it needs, in the order of the class path.
        package: Maven coordinates (`group:artifact:version`) to load compiled classes from.
        strategy: the strategy id that a compiled merger returns, once it is known.
    """

    name: str
    jars: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    strategy: str | None = None

    def __init__(
        self,
        name: str,
        jar: JarPaths = None,
        package: Iterable[str] = (),
        strategy: str | None = None,
        *,
        jars: Iterable[str] = (),
    ) -> None:
        """Take the name, and where the class is: `jar` is one path, several with commas between them, or a list."""
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "jars", jar_paths((*jar_paths(jar), *jars)))
        object.__setattr__(self, "package", tuple(package))
        object.__setattr__(self, "strategy", strategy)

    @property
    def jar(self) -> str | None:
        """The jars as `spark-submit --jars` takes them, with commas between them; None without one."""
        return ",".join(self.jars) or None

    @property
    def is_compiled(self) -> bool:
        """Whether a jar or a package comes with the name."""
        return bool(self.jars or self.package)

    @property
    def has_port(self) -> bool:
        """Whether there is a Python merger of this name; one that can't be used counts, so that its error is seen.

        A jar with a changed class of Hudi's name has its own merger, and a package that is no bundle of a release may.
        """
        if ":" in self.name:
            return True
        is_known = any(self.name.strip() in _names(java_name) for java_name in BUILT_IN_NAMES)
        return is_known and not may_replace(self.jars, self.package)

    @property
    def merging_strategy(self) -> str:
        """The strategy id of the merger; errors are those of `resolve`."""
        return self.strategy or self.resolve().merging_strategy

    def resolve(self) -> HoodieRecordMerger:
        """Return the Python merger of this name, even if a jar has a compiled one.

        Raises:
            MergerNotFoundError: nothing has this name; a class that exists only in a jar needs the jvm engine.
            MergerConfigError: what it names is not a merger.
        """
        if self.is_compiled and not self.has_port:
            source = ", ".join(self.jars or self.package)
            msg = (
                f"{self.name} has no Python class, which is needed here; the compiled class of {source} runs in the "
                "jvm engine only"
            )
            raise MergerNotFoundError(msg)
        return _named(self.name.strip())


@checked
def resolve_merger(merger: str | MergerRef | type | HoodieRecordMerger) -> HoodieRecordMerger:
    """Return the merger that a name, a reference, a class or an object denotes, adapted if needed.

    A name is the full or short Java name of a built-in merger, or a Python path `package.module:Class`.

    Raises:
        MergerNotFoundError: nothing has this name.
        MergerConfigError: what is given or named is not a merger.
    """
    if isinstance(merger, str):
        return _named(merger.strip())
    return merger.resolve() if isinstance(merger, MergerRef) else adapt_merger(merger)


def _names(java_name: str) -> tuple[str, str]:
    return java_name, java_name.rpartition(".")[2]


def _named(name: str) -> HoodieRecordMerger:
    for java_name, merger_class in _BUILT_IN.items():
        if name in _names(java_name):
            return adapt_merger(merger_class)
    for java_name, mode in _BRIDGES.items():
        if name in _names(java_name):
            msg = f"{name} needs a payload; pass AvroRecordMerger(payload, release, {mode!r}) instead of a name"
            raise MergerNotFoundError(msg)
    module_name, colon, path = name.partition(":")
    if not colon:
        known = [java_name.rpartition(".")[2] for java_name in _BUILT_IN]
        hint = did_you_mean(name, [*RecordMergeMode.__members__, *known])
        modes = ", ".join(mode.name for mode in RecordMergeMode if mode is not RecordMergeMode.CUSTOM)
        msg = (
            f"unknown merger or merge mode {name!r}{hint or f'; name one of {modes}, {known[0]}.'} A Python class is "
            "named package.module:Class"
        )
        raise MergerNotFoundError(msg)
    return adapt_merger(_at(module_name, path, name))


def _at(module_name: str, path: str, name: str) -> Any:
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
        msg = f"{name}: importing {module_name!r} failed with {type(error).__name__}: {error}; fix it or the path"
        raise MergerNotFoundError(msg) from error
    for part in path.split("."):
        if not hasattr(found, part):
            msg = f"{name}: {getattr(found, '__name__', found)} has no {part!r}; check the spelling"
            raise MergerNotFoundError(msg)
        found = getattr(found, part)
    return found


@dataclass(frozen=True, slots=True)
class SentMergerRef(MergerRef):
    """A merger class that workers can't import, such as one of a notebook's cell.

    Attributes:
        code: the class, pickled by value.
    """

    code: bytes = field(kw_only=True, repr=False)

    def resolve(self) -> HoodieRecordMerger:
        """Return the merger; errors as in `class_of`, and of what is not a merger."""
        return adapt_merger(class_of(self.code, self.name))
