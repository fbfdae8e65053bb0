"""A path that is not there is named with what is spelt like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge.cli import main

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
