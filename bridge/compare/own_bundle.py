"""A Spark bundle of Hudi that the user names, such as a platform's own build, in place of the released one."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.compare.other_programs import program_version
from bridge.compare.readers_report import released
from bridge.compare.released_process import is_jar
from bridge.errors import PlanError
from payloads import HudiRelease, PayloadConfigError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SOURCE: Final = "org/apache/hudi/DefaultSource.class"
_MANIFEST: Final = "META-INF/MANIFEST.MF"
_VERSION: Final = "Implementation-Version:"
_PARTS_OF_A_COORDINATE: Final = 3


def bundle_of(release: HudiRelease, spark: SparkSession, named: str | Path | None = None) -> str:
    """Return the bundle that runs: the path of a jar, or a Maven coordinate.

    Args:
        release: the release whose rules the bundle is compared with.
        spark: the session, whose Spark decides which released bundle fits.
        named: a jar on this machine, or a Maven coordinate; None for the released bundle.

    Raises:
        PlanError: it is neither, no Spark bundle of Hudi, or of another release.
        NotRunError: no released bundle fits this Spark.
    """
    if named is None:
        return program_version(released(release), spark)
    text = str(named)
    if not is_jar(text):
        parts = text.split(":")
        if len(parts) != _PARTS_OF_A_COORDINATE or not all(parts):
            msg = f"{text} names no bundle; give a jar's path, or a Maven coordinate: group:artifact:version"
            raise PlanError(msg)
        _check_release(text, parts[-1], release)
        return text
    jar = Path(text)
    if not zipfile.is_zipfile(jar):
        reason = "is not a complete jar" if jar.is_file() else "was not found on this machine"
        msg = f"{text} {reason}; name the jar of a Spark bundle of Hudi, such as hudi-spark3.5-bundle_2.12-1.0.2.jar"
        raise PlanError(msg)
    with zipfile.ZipFile(jar) as entries:
        names = frozenset(entries.namelist())
        if _SOURCE not in names:
            msg = f"{text} has no Spark data source of Hudi; name the jar of a bundle, hudi-spark*-bundle_*.jar"
            raise PlanError(msg)
        manifest = entries.read(_MANIFEST).decode("utf-8", "replace") if _MANIFEST in names else ""
    lines = (line.partition(_VERSION) for line in manifest.splitlines() if line.startswith(_VERSION))
    for _, _, version in lines:
        _check_release(text, version.strip(), release)
    return str(jar.resolve())


def _check_release(named: str, version: str, release: HudiRelease) -> None:
    """Check that a version, such as 1.0.2-amzn-1, is one of a release; one without a number may be any.

    Raises:
        PlanError: it is another's.
    """
    try:
        own = HudiRelease.parse(version)
    except PayloadConfigError:
        return
    if own != release:
        msg = (
            f"{named} is Hudi {version}, but the prediction follows the rules of {release}; use a bundle of {release}, "
            f"or predict for {own}"
        )
        raise PlanError(msg)
