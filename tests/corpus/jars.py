"""The jars of the corpus: all classes of a build in one, and the library that some of them use in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.corpus.shapes import SHAPES, source_of

if TYPE_CHECKING:
    from pathlib import Path

    from payloads import HudiRelease
    from tests.jvm.java_compiler import JavaCompiler


class ShapeJars(NamedTuple):
    """What a build compiles to.

    Attributes:
        classes: the jar of the classes.
        library: that of the library.
    """

    classes: Path
    library: Path


def jars_for(compiler: JavaCompiler, build: HudiRelease) -> ShapeJars:
    """Compile the corpus for one of `BUILDS`."""
    libraries = {shape.library for shape in SHAPES.values() if shape.library is not None}
    library = compiler.compiled({name: source_of(name, build) for name in libraries}, build)
    names = {f"{shape.java or shape.name}.java" for shape in SHAPES.values()}
    classes = compiler.compiled({name: source_of(name, build) for name in names}, build, [library])
    return ShapeJars(classes, library)
