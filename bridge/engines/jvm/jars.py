"""The jars of a compiled payload: resolving, checking and distributing them to Spark's executors.

Every list of jars has a class loader of its own, so that two releases of Hudi, or two jars with one class name, don't
clash in a session. Spark itself only learns a small class that finds the right loader.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import secrets
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyspark
from py4j.protocol import Py4JError

from bridge.config import capabilities
from bridge.engines.jvm import constants
from bridge.engines.jvm.connection import Address
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.replaced import replacing_jar
from bridge.errors import EngineError, PlanError
from bridge.linkage import UserJars, check_class
from payloads import HudiRelease, PayloadConstructorError, PayloadNotFoundError
from payloads.released import DIGESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from payloads import PayloadRef

SOURCES: Final = Path(__file__).parents[1] / "java"
_SCALA = re.compile(r"_(2\.1\d)\b")
SPARK_4: Final = "4.0"
"""The Spark 4 on which compiled classes have run."""
_COPIED = re.compile(r"-[0-9a-f]{12}\.jar$")
"""The end of the name of a jar of the user as it is sent."""
_COORDINATE = re.compile(r"[\w.-]+:[\w.-]+:[\w.-]+")


@dataclass(frozen=True)
class Jars:
    """Jars that are known to the driver and sent to the executors.

    Attributes:
        names: their names in `SparkFiles`, in the order of the class path.
        paths: their paths on the driver, in the same order.
    """

    names: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def searched(self) -> str:
        """The names of the jars that a user's class may be in."""
        return ", ".join(_COPIED.sub(".jar", one) for one in self.names[1:] if not one.startswith(constants.BUILT_FOR))


class _Application:
    """What was already sent to a Spark application."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="payload-bridge-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.helper: Path | None = None
        self.sent: set[str] = set()
        self.packages: dict[str, list[Path]] = {}
        self.secret = secrets.token_hex(16)
        self.checked: dict[tuple[object, ...], Jars] = {}


_applications: dict[str, _Application] = {}


def jars_of(
    spark: SparkSession, payload: PayloadRef, release: HudiRelease, classes: tuple[str, ...] | None = None
) -> Jars:
    """Make the jars of a payload known to Spark (ours, Hudi's, the user's), and check that the class is there.

    `classes` are the full names of the classes that are needed from them; None for the payload's own.

    Raises:
        EngineError: a jar can't be found, or the session has no gateway.
        PlanError: a bundle of another release or Scala version.
        PayloadNotFoundError: the class is in none of the jars.
        PayloadConstructorError: the class is not a payload, or lacks the constructor.
        ClassLinkError: the class needs what the release does not have.
    """
    driver = Driver(spark)
    application = _application_of(spark)
    names = classes or (java_name_of(payload, release),)
    older = payload.built_for if payload.recompiled_for(release) else None
    request = (names, release, payload.jars, payload.package, older)
    if request not in application.checked:
        bundle, *packages = bundles_of(spark, payload, release)
        own = [_user_jar(application, jar) for jar in payload.jars]
        for name in names:
            check_class(name, [*packages, *own], older or release)
        replacing = replacing_jar(application.folder, [*packages, *own], names)
        if replacing and older is not None:
            msg = (
                f"{names[0]}: a jar has changed classes of Hudi {older}, which can't replace those of Hudi "
                f"{release}; remove them from the jar, or let the class run as it is"
            )
            raise EngineError(msg)
        files = [bundle, *packages, *own]
        helper = _helper_of(driver, application, files)
        jars = _sent(driver, application, [helper, *replacing, *files])
        if older is not None:
            jars = _with_older(jars, _sent(driver, application, resolve(spark, any_bundle(older))))
        for name in names:
            _check(driver, name, jars)
        application.checked[request] = jars
    return application.checked[request]


def secret_of(spark: SparkSession) -> str:
    """Return what Python has to know to call classes in the JVMs of a Spark application."""
    return _application_of(spark).secret


def address_of(spark: SparkSession) -> Address:
    """Return where the driver's JVM runs calls for Python; `jars_of` has to come first."""
    driver, secret = Driver(spark), secret_of(spark)
    port = driver.call(driver.session_class("bridge.jvm.CallServer"), "portFor", secret)
    return Address(int(port), secret)


def _application_of(spark: SparkSession) -> _Application:
    name = spark.sparkContext.applicationId
    if name not in _applications:
        _applications[name] = _Application()
    return _applications[name]


def java_name_of(payload: PayloadRef, release: HudiRelease) -> str:
    """Return the full Java name of a payload; Hudi's own may be given by their short names."""
    try:
        return str(getattr(payload.resolve(release), "java_name", payload.name))
    except PayloadNotFoundError:
        return payload.name


# -- finding jars


def bundles_of(spark: SparkSession, payload: PayloadRef, release: HudiRelease) -> list[Path]:
    """Resolve the packages of a payload; the release's bundle is the first, named or not.

    Raises:
        EngineError: a package can't be resolved.
        PlanError: a bundle of another release or Scala version, or none fits this Spark.
    """
    check_spark(release)
    packages = list(payload.package)
    if not any(map(_is_bundle, packages)):
        packages.insert(0, bundle_for(spark, release))
    for coordinate in sorted(packages, key=_is_bundle):
        if _is_bundle(coordinate):
            found = HudiRelease.parse(coordinate.split(":")[2])
            if found != release:
                msg = f"the plan is for Hudi {release}, but {coordinate} is {found}; use one release for both"
                raise PlanError(msg)
        _check_scala(spark, coordinate)
    packages.sort(key=_is_bundle, reverse=True)
    return [path for coordinate in packages for path in resolve(spark, coordinate)]


def bundle_for(spark: SparkSession, release: HudiRelease) -> str:
    """Return the Maven coordinate of a release's bundle for the session's Spark and Scala.

    Raises:
        PlanError: the release has no bundle for this Spark.
    """
    check_spark(release)
    can = capabilities(release)
    if not _own_spark().startswith("3.") and can.on_spark_4 is not None:
        return can.on_spark_4
    return f"org.apache.hudi:hudi-spark{_own_spark()}-bundle_{_scala_of(spark)}:{can.bundle}"


def any_bundle(release: HudiRelease) -> str:
    """Return the Maven coordinate of a release's bundle for any Spark: one to read classes from, not to run."""
    can = capabilities(release)
    return f"org.apache.hudi:hudi-spark{can.newest_spark}-bundle_2.12:{can.bundle}"


def check_spark(release: HudiRelease, spark_version: str | None = None) -> None:
    """Refuse a release that has no bundle for this Spark, whatever bundle is named.

    Raises:
        PlanError: naming the newest Spark that the release has a bundle for; `spark_version` is PySpark's by default.
    """
    if release.is_preview:
        msg = f"Hudi {release} is not released, so there is no bundle of it to run; name a release that has one"
        raise PlanError(msg)
    own, can = spark_version or _own_spark(), capabilities(release)
    newest = can.newest_spark
    if not own.startswith("3."):
        if own != SPARK_4 or can.on_spark_4 is None:
            known = " and ".join(str(one) for one in HudiRelease if capabilities(one).on_spark_4 is not None)
            msg = (
                f"Hudi {release} has not run on Spark {own}: on Spark {SPARK_4} compiled classes have run only under "
                f"{known}, with a bundle for Scala 2.13; use PySpark 3.5, or a Python payload"
            )
            raise PlanError(msg)
    elif own > newest:
        msg = f"Hudi {release} has no bundle for Spark {own}, only up to {newest}; use a Python payload"
        raise PlanError(msg)


def _own_spark() -> str:
    return ".".join(pyspark.__version__.split(".")[:2])


def resolve(spark: SparkSession, coordinate: str) -> list[Path]:
    """Fetch a package as `ADD JAR ivy://...` does, from the session's repositories by way of their cache.

    The package alone, without its dependencies: a bundle is self-contained.

    Raises:
        EngineError: it can't be resolved.
    """
    if not _COORDINATE.fullmatch(coordinate):
        msg = f"{coordinate!r} is not a Maven coordinate; write group:artifact:version"
        raise PlanError(msg)
    driver, packages = Driver(spark), _application_of(spark).packages
    try:
        if coordinate not in packages:
            packages[coordinate] = [Path(path) for path in driver.resolve(coordinate)]
        return packages[coordinate]
    except Py4JError as error:
        msg = (
            f"the package {coordinate} can't be resolved ({_first_line(error)}); check the name and the network, name "
            "another build, or set spark.jars.repositories or spark.jars.ivySettings"
        )
        raise EngineError(msg) from error


def _is_bundle(coordinate: str) -> bool:
    return coordinate.startswith("org.apache.hudi:hudi-") and "-bundle" in coordinate


def _scala_of(spark: SparkSession) -> str:
    version: str = Driver(spark).jvm.scala.util.Properties.versionNumberString()
    return ".".join(version.split(".")[:2])


def _check_scala(spark: SparkSession, name: str) -> None:
    built_for = _SCALA.search(name)
    own = _scala_of(spark)
    if built_for and built_for[1] != own:
        msg = f"{name} is built for Scala {built_for[1]}, and this Spark runs on {own}; name its _{own} build"
        raise PlanError(msg)


def _user_jar(application: _Application, jar: str) -> Path:
    """Copy a jar of the user to a name derived from its content: Spark sends only one file of a name."""
    path = Path(jar)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    except OSError as error:
        msg = f"the jar {jar} can't be read ({error.strerror}); name an existing file"
        raise EngineError(msg) from error
    if not zipfile.is_zipfile(path):
        msg = f"{jar} is not a jar; name a file with compiled classes"
        raise EngineError(msg)
    copy = application.folder / f"{path.stem}-{digest}.jar"
    if not copy.exists():
        shutil.copyfile(path, copy)
    return copy


# -- our own classes


def _helper_of(driver: Driver, application: _Application, files: list[Path]) -> Path:
    """Compile our Java source against the jars, once per application: one compilation serves the four releases."""
    if application.helper is None:
        sources = {path.name: path.read_text("utf-8") for path in sorted(SOURCES.glob("*.java"))}
        sources[constants.FILE] = constants.constants_java()
        classes = driver.compile(sources, files)
        classes[f"bridge/jvm/{DIGESTS.name}"] = DIGESTS.read_bytes()
        digest = hashlib.sha256(b"".join(classes[name] for name in sorted(classes))).hexdigest()[:12]
        path = application.folder / f"payload-bridge-{digest}.jar"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in classes.items():
                archive.writestr(name, data)
        driver.add_jar(path)
        application.helper = path
    return application.helper


def _with_older(jars: Jars, older: Jars) -> Jars:
    """Return jars with the bundle that the user's classes were compiled for, marked as such."""
    marked = (tuple(constants.BUILT_FOR + one for one in ones) for ones in (older.names, older.paths))
    return Jars(*(own + more for own, more in zip((jars.names, jars.paths), marked, strict=True)))


def _sent(driver: Driver, application: _Application, files: list[Path]) -> Jars:
    for path in files:
        if path.name not in application.sent:
            driver.send(path)
            application.sent.add(path.name)
    return Jars(tuple(path.name for path in files), tuple(str(path) for path in files))


# -- checking the class


def _check(driver: Driver, name: str, jars: Jars) -> None:
    refused = driver.call(driver.class_in(jars.paths, "bridge.jvm.Checks"), "refused", name)
    if refused is None:
        return
    reason, detail = refused
    match reason:
        case "missing":
            raise PayloadNotFoundError(UserJars(jars.paths[2:]).lacks(name, jars.searched))
        case "broken":
            msg = f"{name} can't be loaded: {detail}"
            raise PayloadNotFoundError(msg)
        case "unrelated":
            msg = f"{name} is not a payload: it does not implement org.apache.hudi.common.model.HoodieRecordPayload"
        case "abstract":
            msg = f"{name} is abstract; name a class that extends it"
        case "hidden":
            msg = f"{name} is not public, so Hudi can't instantiate it; make the class public"
        case _:
            msg = (
                f"{name} has no public constructor (GenericRecord, Comparable), which Hudi uses to build a payload; "
                f"it has {detail or 'none that is public'}"
            )
    raise PayloadConstructorError(msg)


def _first_line(error: Exception) -> str:
    cause = getattr(error, "java_exception", None)
    text = str(cause if cause is not None else error)
    return text.strip().splitlines()[0]
