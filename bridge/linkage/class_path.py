"""The class path of a user's class under a release: Hudi's bundle, the user's jars, Spark and Java."""

from __future__ import annotations

import functools
import importlib.util
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.linkage.class_file import CONSTRUCTOR, OBJECT, ClassFile, ClassMethod, Flag
from bridge.linkage.class_reader import read_class
from bridge.linkage.hudi_classes import hudi_classes
from payloads import PayloadNotFoundError
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from payloads import HudiRelease

_CLASS: Final = ".class"
JAVA: Final = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "org.w3c.dom.", "org.xml.sax.", "org.ietf.jgss.")
"""Java's own packages, which are taken to be complete."""
_SHARED: Final = {
    "scala.": "scala-library*.jar",
    "org.apache.spark.": "spark-*.jar",
    "org.apache.hadoop.": "hadoop-*.jar",
    "org.apache.avro.": "avro*.jar",
    "org.slf4j.": "*slf4j*.jar",
    "org.apache.logging.": "log4j-*.jar",
    "org.apache.log4j.": "log4j-*.jar",
    "com.fasterxml.jackson.core.": "jackson-*.jar",
    "com.fasterxml.jackson.databind.": "jackson-*.jar",
    "com.fasterxml.jackson.annotation.": "jackson-*.jar",
}
"""Packages that come from Spark, whatever the jars hold, and the files of Spark that have them."""
_ELSEWHERE: Final = {"com.esotericsoftware.kryo.": "kryo-*.jar", "org.apache.parquet.": "parquet-*.jar"}
"""Other files of Spark that are looked in before all are."""
_WITHOUT_MEMBERS: Final = frozenset({"java.io.Serializable", "java.lang.Cloneable"})
_HUDI: Final = "org.apache.hudi."
_OBJECT: Final = ClassFile(
    OBJECT,
    Flag.PUBLIC,
    None,
    (),
    (),
    tuple(
        ClassMethod(name, descriptor, access)
        for name, descriptor, access in (
            (CONSTRUCTOR, "()V", Flag.PUBLIC),
            ("getClass", "()Ljava/lang/Class;", Flag.PUBLIC | Flag.FINAL),
            ("hashCode", "()I", Flag.PUBLIC),
            ("equals", "(Ljava/lang/Object;)Z", Flag.PUBLIC),
            ("clone", "()Ljava/lang/Object;", Flag.PROTECTED),
            ("toString", "()Ljava/lang/String;", Flag.PUBLIC),
            ("notify", "()V", Flag.PUBLIC | Flag.FINAL),
            ("notifyAll", "()V", Flag.PUBLIC | Flag.FINAL),
            ("wait", "()V", Flag.PUBLIC | Flag.FINAL),
            ("wait", "(J)V", Flag.PUBLIC | Flag.FINAL),
            ("wait", "(JI)V", Flag.PUBLIC | Flag.FINAL),
            ("finalize", "()V", Flag.PROTECTED),
        )
    ),
)


class UserJars:
    """The classes of a user's jars; of two with one name, that of the first jar.

    Attributes:
        paths: the jars.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        """Open the jars.

        Raises:
            PayloadNotFoundError: one of them can't be read.
        """
        self.paths = tuple(map(str, paths))
        self._files: dict[str, zipfile.ZipFile] = {}
        self._read: dict[str, ClassFile | None] = {}
        for path in paths:
            try:
                archive = zipfile.ZipFile(path)
            except (OSError, zipfile.BadZipFile) as error:
                msg = f"the jar {path} can't be read ({error}); name a file with compiled classes"
                raise PayloadNotFoundError(msg) from error
            for name in archive.namelist():
                self._files.setdefault(name, archive)

    def lacks(self, name: str, where: str) -> str:
        """Say that the jars, which a message calls `where`, have no such class, and which of theirs may be meant."""
        own = [path[: -len(_CLASS)].replace("/", ".") for path in self._files if path.endswith(_CLASS)]
        short = name.rpartition(".")[2]
        same = [one for one in own if one.rpartition(".")[2] == short]
        near = f"; did you mean {same[0]}?" if same else did_you_mean(name, own, 0.75)
        return f"there is no class {name} in {where}; write its full name, a nested class as Outer$Inner{near}"

    def get(self, name: str) -> ClassFile | None:
        """Return a class by its full name; None if no jar has it.

        Raises:
            PayloadNotFoundError: the file of the class is damaged.
        """
        if name not in self._read:
            path = name.replace(".", "/") + _CLASS
            self._read[name] = self._class_at(path, name) if path in self._files else None
        return self._read[name]

    def _class_at(self, path: str, name: str) -> ClassFile:
        try:
            return read_class(self._files[path].read(path))
        except (ValueError, OSError, zipfile.BadZipFile) as error:
            msg = f"the class {name} in {self._files[path].filename} can't be read ({error}); rebuild the jar"
            raise PayloadNotFoundError(msg) from error


class ClassPath:
    """Finds classes as a release on Spark does.

    Attributes:
        release: the release.
        hudi: the classes of its bundle.
        user: those of the user's jars.
    """

    def __init__(self, release: HudiRelease, user: UserJars) -> None:
        self.release = release
        self.hudi = hudi_classes(release)
        self.user = user

    def is_users(self, name: str) -> bool:
        """Whether a class comes from the user's jars: what Hudi, Spark or Java has, too, comes from there."""
        return name not in self.hudi and not name.startswith((*JAVA, *_SHARED)) and self.user.get(name) is not None

    def has(self, name: str) -> bool:
        """Whether there is a class of this name; without Spark's jars, whatever is not Hudi's counts as Spark's."""
        if name.startswith(JAVA) or name in self.hudi or self.is_users(name):
            return True
        return not name.startswith(_HUDI) and (_spark_class_file(name) is not None or _spark_jars() is None)

    def get(self, name: str) -> ClassFile | None:
        """Return a class with its members; None if there is none, or if its members are not known; see `has`."""
        if name == OBJECT:
            return _OBJECT
        if name in _WITHOUT_MEMBERS:
            return ClassFile(name, Flag.PUBLIC | Flag.INTERFACE | Flag.ABSTRACT, OBJECT, (), (), ())
        if name in self.hudi:
            return self.hudi.get(name)
        if self.is_users(name):
            return self.user.get(name)
        return None if name.startswith(_HUDI) else _spark_class(name)


# -- Spark


@functools.cache
def _spark_jars() -> Path | None:
    """Return the folder of the jars that come with PySpark; None for a client without them."""
    found = importlib.util.find_spec("pyspark")
    folder = None if found is None or found.origin is None else Path(found.origin).parent / "jars"
    return folder if folder is not None and folder.is_dir() else None


@functools.cache
def _classes_like(pattern: str) -> Mapping[str, Path]:
    """Return the classes of some of Spark's jars, with their jar."""
    folder = _spark_jars()
    found: dict[str, Path] = {}
    for path in () if folder is None else sorted(folder.glob(pattern)):
        with zipfile.ZipFile(path) as jar:
            found |= dict.fromkeys(jar.namelist(), path)
    return found


def _spark_class_file(name: str) -> Path | None:
    """Return the jar of Spark that has a class."""
    known = (_SHARED | _ELSEWHERE).items()
    pattern = next((pattern for prefix, pattern in known if name.startswith(prefix)), "*.jar")
    path = name.replace(".", "/") + _CLASS
    return _classes_like(pattern).get(path) or _classes_like("*.jar").get(path)


@functools.cache
def _spark_class(name: str) -> ClassFile | None:
    jar = None if name.startswith(JAVA) else _spark_class_file(name)
    if jar is None:
        return None
    with zipfile.ZipFile(jar) as archive:
        return read_class(archive.read(name.replace(".", "/") + _CLASS))
