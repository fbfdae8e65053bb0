"""References to payload classes: a name, and what is needed to find the class; plans carry them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from payloads.errors import PayloadBridgeError, PayloadConfigError, PayloadNotFoundError
from payloads.jars import JarPaths, MavenPackages, jar_paths
from payloads.registry import (
    NEW_PREFIX,
    OLD_PREFIX,
    adapted_payload,
    known_class,
    resolve_payload,
    resolve_stored_payload,
)
from payloads.release import HudiRelease
from payloads.released import may_replace
from payloads.sent import class_of

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload


@dataclass(frozen=True, slots=True, init=False)
class PayloadRef:
    """The name of a payload class and what is needed to find it; plans carry it, as classes can't always be pickled.

    Attributes:
        name: what `resolve_payload` takes, or the full name of a compiled Java class.
        jars: paths of the jars with the compiled class and what it needs, in the order of the class path.
        package: Maven coordinates (`group:artifact:version`) to load compiled classes from.
        built_for: the release that a compiled class was compiled for (for any other class a PayloadConfigError); under
            a later release the class runs as if it were recompiled.
    """

    name: str
    jars: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    built_for: HudiRelease | None = None

    def __init__(
        self,
        name: str,
        jar: JarPaths = None,
        package: MavenPackages = (),
        *,
        jars: JarPaths = (),
        built_for: str | HudiRelease | None = None,
    ) -> None:
        """Take the name, and where the class is.

        Args:
            name: see the attribute.
            jar: jars with your compiled class, which runs unchanged inside Spark, or with classes that it needs.
            package: Maven packages with compiled classes, as group:artifact:version.
            jars: more jars.
            built_for: the Hudi release that the compiled class was compiled for: under a later one it runs as if it
                were recompiled. None: it runs as it is.
        """
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "jars", jar_paths((*jar_paths(jar), *jar_paths(jars))))
        object.__setattr__(self, "package", jar_paths(package))
        object.__setattr__(self, "built_for", built_for and HudiRelease.parse(built_for))
        if built_for is not None and not self.is_compiled:
            msg = f"built_for={built_for!s} is only for compiled classes; name the jar or the package of {name}"
            raise PayloadConfigError(msg)

    def recompiled_for(self, release: HudiRelease) -> bool:
        """Whether the class was compiled for an older release than `release`, and runs as if recompiled for it."""
        return self.built_for is not None and self.built_for < release

    @property
    def jar(self) -> str | None:
        """The jars separated by commas, as `spark-submit --jars` takes them; None without one."""
        return ",".join(self.jars) or None

    @property
    def is_compiled(self) -> bool:
        """Whether a jar or a package comes with the name."""
        return bool(self.jars or self.package)

    @property
    def is_builtin(self) -> bool:
        """Whether some release of Hudi ships a class of this name."""
        return known_class(self.name.strip().replace(OLD_PREFIX, NEW_PREFIX)) is not None

    def java_name(self, release: str | HudiRelease = HudiRelease.latest()) -> str:
        """Return the full Java name of a built-in class, or of a port that has one; any other name as it is."""
        if self.is_compiled and not self.is_builtin and not self.has_port(release):
            return self.name
        return str(getattr(self.resolve(release), "java_name", self.name))

    def has_port(self, release: str | HudiRelease = HudiRelease.latest()) -> bool:
        """Whether there is a Python class of this name; one that can't be used counts, so that its error surfaces.

        A jar with a changed class of Hudi, and perhaps a package other than a release's bundle, has its own class of
        that name: the port doesn't replace it.
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
        """Return the Python class of this name, even if a jar has a compiled one.

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
    """A payload class name that comes from a table's properties or a settings file.

    The name must be that of a Hudi class or of an installed entry point; a Python path is refused and never imported.
    Otherwise anyone who can write a table could make its readers import any module. Blanks are part of the name, as in
    Java.
    """

    @property
    def is_builtin(self) -> bool:
        """Whether some release of Hudi ships a class of this name."""
        return known_class(self.name.replace(OLD_PREFIX, NEW_PREFIX)) is not None

    def _found(self, release: HudiRelease) -> type[HoodieRecordPayload]:
        return resolve_stored_payload(self.name, release)


@dataclass(frozen=True, slots=True)
class SentPayloadRef(PayloadRef):
    """A payload class that workers can't import, such as one of a notebook's cell.

    Attributes:
        code: the class, pickled by value.
    """

    code: bytes = field(kw_only=True, repr=False)

    def _found(self, release: HudiRelease) -> type[HoodieRecordPayload]:
        return adapted_payload(class_of(self.code, self.name), release)
