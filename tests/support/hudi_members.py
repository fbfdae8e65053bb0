"""The table of the classes and members of Hudi's bundles: `python -m tests.support.hudi_members` writes it anew.

The bundles are those of the local Maven repository; MAVEN_REPOSITORY names another.
"""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.linkage.class_file import ClassFile, ClassMethod, Flag
from bridge.linkage.class_reader import read_class
from bridge.linkage.hudi_classes import TABLE, packed

if TYPE_CHECKING:
    from collections.abc import Iterator

BUNDLES: Final = (
    "hudi-spark3.4-bundle_2.12/0.14.0",
    "hudi-spark3.5-bundle_2.12/0.15.0",
    "hudi-spark3.5-bundle_2.12/1.0.2",
    "hudi-spark3.5-bundle_2.12/1.1.1",
    "hudi-spark3.5-bundle_2.12/1.2.0",
)
"""The bundle of each release of `TABULATED`."""
_OWN: Final = re.compile(r"org/apache/hudi/(?!org/|com/|javax/)")
"""Hudi's own classes, without those of others that it carries under other names."""
_PAYLOAD: Final = re.compile(r"org/apache/hudi/(common/model|payload)/.*Payload$")
"""The classes of which it is noted which methods call another one of their name."""
GENERATED: Final = re.compile(r"lambda\$|access\$|\$deserializeLambda\$")
_OF_CLASS: Final = Flag.PUBLIC | Flag.FINAL | Flag.INTERFACE | Flag.ABSTRACT
_OF_MEMBER: Final = Flag.PUBLIC | Flag.PRIVATE | Flag.PROTECTED | Flag.STATIC | Flag.FINAL | Flag.ABSTRACT | Flag.BRIDGE


def jar_of(bundle: str) -> Path:
    """Return the jar of a bundle in the local Maven repository."""
    repository = Path(os.environ.get("MAVEN_REPOSITORY", Path.home() / ".m2" / "repository"))
    return repository / "org/apache/hudi" / bundle / f"{bundle.replace('/', '-')}.jar"


def classes_of(jar: Path) -> Iterator[ClassFile | str]:
    """Yield the classes of a bundle: Hudi's own, and the names of the others."""
    with zipfile.ZipFile(jar) as archive:
        for path in archive.namelist():
            if not path.endswith(".class") or path.startswith("META-INF/"):
                continue
            name = path.removesuffix(".class")
            if _OWN.match(path):
                yield plain_class(name, archive.read(path))
            else:
                yield name.replace("/", ".")


def plain_class(name: str, data: bytes) -> ClassFile:
    """Return what others can use of a class; `name` is its path without the suffix."""
    one = read_class(data, code=_PAYLOAD.match(name) is not None)
    methods = [own for own in one.methods if not GENERATED.match(own.name)]
    return one._replace(
        literals=(),
        references=(),
        access=one.access & _OF_CLASS,
        fields=tuple(own._replace(access=own.access & _OF_MEMBER) for own in one.fields),
        methods=tuple(own._replace(access=(own.access & _OF_MEMBER) | _delegation(own), uses=()) for own in methods),
    )


def _delegation(method: ClassMethod) -> Flag:
    others = (use for use in method.uses if use.name == method.name and use.descriptor != method.descriptor)
    is_bridge = Flag.BRIDGE in method.access
    return Flag.DELEGATES if not is_bridge and any(True for _ in others) else Flag(0)


if __name__ == "__main__":
    TABLE.write_bytes(packed(classes_of(jar_of(bundle)) for bundle in BUNDLES))
    print(f"{TABLE}: {TABLE.stat().st_size} bytes")  # noqa: T201
