"""A path that is not there is named with what is spelt like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.java_options import compiled_of, java_options

if TYPE_CHECKING:
    from pathlib import Path

PLAN = ("--payload", "DefaultHoodieRecordPayload", "--key", "id", "--release", "0.15")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("simulate", *PLAN, "--batches", "dayz"), "'dayz' does not exist; did you mean days?"),
        (
            ("simulate", *PLAN, "--batches", "days", "--schema", "row.ddl"),
            "'row.ddl' does not exist; did you mean rows.ddl?",
        ),
        (("merge", "upsert", *PLAN, "--stored", "stord", "--incoming", "days"), "'stord' does not exist; did you mean"),
        (("snapshot", "ordres"), "ordres does not exist; name the base path of a Hudi table"),
        (("snapshot", "ordres"), "did you mean orders?"),
        (("snapshot", "nothing-like-it"), "nothing-like-it does not exist; name the base path of a Hudi table, or a"),
    ],
)
def test_what_is_spelt_like_it_is_named(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("days", "orders", "stored"):
        (tmp_path / name).mkdir()
    (tmp_path / "rows.ddl").touch()
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 2
    assert message in " ".join(found.stderr.split())
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["days", "orders", "rows.ddl", "stored"]


@pytest.mark.parametrize(
    ("words", "jars"),
    [
        ((), ()),
        (("--jar", "a.jar"), ("a.jar",)),
        (("--jar", "a.jar", "--jar", "b.jar"), ("a.jar", "b.jar")),
        (("--jar", "b.jar, a.jar", "--jar", "b.jar"), ("b.jar", "a.jar")),
        (("--jar", "with,comma.jar,", "--jar", "with,comma.jar"), "File 'with' does not exist"),
        (("--jar", "with,comma.jar"), ("with,comma.jar",)),
        (("--jar", "a.jar,bb.jar"), "File 'bb.jar' does not exist; did you mean"),
    ],
)
def test_every_jar_counts(
    words: tuple[str, ...], jars: tuple[str, ...] | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.jar", "b.jar", "with,comma.jar"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    verb = click.command(java_options(lambda **options: click.echo(repr(compiled_of(options)))))
    found = CliRunner().invoke(verb, (*words, "--package", "a:b:1", "--package", "org.apache.hadoop:hadoop-aws:3.3.4"))
    if isinstance(jars, str):
        assert (found.exit_code, jars in found.stderr) == (2, True)
    else:
        assert found.stdout.strip() == repr({"jar": jars, "package": ("a:b:1",)})
