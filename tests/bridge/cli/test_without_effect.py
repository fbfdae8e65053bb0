"""An option without effect beside the others is refused, in one sentence that names it, before Spark starts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.decorators import VerbOption

if TYPE_CHECKING:
    from pathlib import Path

PLAN = "--payload DefaultHoodieRecordPayload --key id"
TABLE = "t/hoodie.properties"
REFUSED = {
    f"rehearse t --to 1.2 --copy copy --schema {TABLE}": "--schema is for batches; add --batches or --incoming",
    f"rehearse t --to 1.2 --copy copy --jar {TABLE}": "--jar has the table's own compiled class; name",
    f"rehearse t --to 1.2 --copy copy --payload AWSDmsAvroPayload --jar {TABLE}": "--jar is for a compiled class",
    f"migrate {PLAN} --since 1": "--since is for rows; add --batches",
    f"migrate {PLAN} --operation 1=delete": "--operation is for rows; add --batches",
    f"migrate {PLAN} --all-paths": "--all-paths is for batches on which candidates are tried; add --batches",
    f"migrate {PLAN} --sample 3": "--sample is for batches",
    f"migrate {PLAN} --compact-every 2": "--compact-every is for batches",
    f"migrate {PLAN} --batches days --sample 3": "--sample is for the keys that differ, which",
    f"migrate {PLAN} --batches days --compact-every 1": "only merge-on-read tables compact; set --table-type to mor",
    f"migrate {PLAN} --batches days --upgrade-after 1 --all-paths": "--all-paths follows one writer",
    f"migrate {PLAN} --merger M --to COMMIT_TIME_ORDERING": "--merger is tried after what a release gives, but --to",
    f"migrate --table {TABLE} {PLAN} --table-type mor": "--table-type mor: the table is cow; leave it out",
    f"merge upsert --stored days --incoming days {PLAN} --trust-sample 9": "--trust-sample is for --trust-rule",
    f"merge upsert --stored days --incoming days {PLAN} --out out --sample 3": "--sample is for rows that are printed",
    f"merge upsert --stored days --incoming days {PLAN} --jar {TABLE}": "--jar is not needed: DefaultHoodie",
    f"merge upsert --stored days --incoming days --mode COMMIT_TIME_ORDERING --key id --jar {TABLE}": "--jar is for a",
    "simulate --batches days --mode COMMIT_TIME_ORDERING --key id --implementation python": "--implementation is for a",
    "simulate --batches days --mode COMMIT_TIME_ORDERING --key id --package a:b:1": "--package is for a class that",
    f"merge upsert --stored days --incoming days {PLAN} --out out --out-table-format hudi --out-format orc": (
        "--out-format is for plain rows"
    ),
    f"merge-into t --incoming days/1.jsonl {PLAN} --sample 3": "--sample is for rows in quarantine; add --on-error",
    "snapshot t --out out --sample 3": "--sample is for rows that are printed",
    "snapshot t --read-optimized --payload AWSDmsAvroPayload": "--payload is for a class that merges",
    "snapshot t --read-optimized --call-timeout 5": "--call-timeout is for a class that merges",
    f"snapshot t --read-optimized --jar {TABLE}": "--jar is for a class that merges",
    "snapshot t --read-optimized --package a:b:1": "--package is for a class that merges",
    f"snapshot t --jar {TABLE}": "--jar applies to the class of --payload",
    "snapshot t --read-optimized --engine native": "--engine: --read-optimized merges nothing",
    "snapshot t --read-optimized --on-error quarantine": "--on-error quarantine: --read-optimized merges nothing",
    "explain --table t --row a --from 0.15 --to 1.2 --release 1.0": "--release and --from are one option; give one",
    f"explain --batches days --row a {PLAN} --to 1.2": "--to is compared with the release of --from; add --from",
    f"replay --batches days {PLAN} --from 1.0 --to 1.2 --mode COMMIT_TIME_ORDERING": "give exactly one of --payload",
    "replay --batches days --merger m:C --mode COMMIT_TIME_ORDERING --from 1.0 --to 1.2 --key id": "--merger and",
    f"replay --batches days {PLAN} --from 1.0 --to 1.2 --upgrade-after 1 --downgrade-after 1": "--upgrade-after and",
    "simulate --batches days --mode CUSTOM --key id": "CUSTOM runs a payload or a merger; name that one",
    "simulate --batches days --mode EVENT_TIME --key id": "unknown merger or merge mode 'EVENT_TIME'; did",
    "simulate --batches days --mode X --key id": "unknown merger or merge mode 'X'; name one of COMMIT_TIME_ORDERING",
    "explain --table t --row a --batches days": "--batches is for a table that batches make",
    "explain --table t --row a --operation 1=delete": "--operation is for a table that batches make",
    "explain --table t --row a --config t/hoodie.properties": "--config is for a table that batches make",
    "simulate --table t --table-type mor": "--table-type is for a table that batches make",
    "replay --table t --to 1.2 --history --batches days": "--history replays the table's own commits; leave",
    "replay --table t --to 1.2 --history --schema days": "--schema is for --batches; add them",
    "explain --table t --row a --since 1": "--since chooses keys, and --row names one",
    "verify AWSDmsAvroPayload --exhaustive --examples 7": "--examples is for random examples, and --exhaustive tries",
    "payloads AWSDmsAvroPayload --key id": "--key is for calls of a class; add --schema",
    f"inspect {TABLE} --slices 3": "--slices is for rows, but a table's properties have none; name its base path",
    f"inspect {TABLE} --bootstrap days": "--bootstrap is for rows",
    f"inspect {TABLE} --rows": "--rows is for --root and --database",
    "inspect --root t --slices 3": "--slices is for one TABLE",
    "inspect --root t --package a:b:1": "--package is for the compiled classes of one TABLE",
    "inspect --root t --from 0.15": "--from is for one TABLE",
    f"plan {TABLE} --to 1.2 --slices all": "--slices is for rows",
    f"plan {TABLE} --to 1.2 --bootstrap days": "--bootstrap is for rows",
    f"replay --batches days {PLAN} --from 0.15 --to 1.2 --plain": "--plain applies to the writer after an upgrade",
    f"replay --batches days {PLAN} --from 0.15 --to 1.2 --via 1=1.0": "--via is a step on the way to --to",
    "replay --table t --to 1.2 --schema days": "--schema is for --batches; add them",
    "replay --table t --to 1.2 --prop a=b": "--prop applies to writes",
    "replay --table t --to 1.2 --compact-after 1": "--compact-after is for a table that batches make",
    "replay --table t --to 1.2 --on-error quarantine": "--on-error quarantine: replay doesn't quarantine keys",
    "simulate --table t --engine native": "--engine is for a table that batches make",
    "simulate --table t --trust-rule": "--trust-rule is for batches: rows of a real --table have meta columns",
    "replay --table t --to 1.2 --trust-rule": "--trust-rule is for batches: rows of a real --table have meta columns",
    "replay --table t --to 1.2 --history --engine native": "--engine is for queries of a real --table",
    "replay --table t --to 1.2 --batches days --engine jvm": "--engine is for queries of a real --table",
    f"simulate --batches days {PLAN} --all-paths --compact-after 1": "--compact-after contradicts --all-paths",
}
"""Command lines, and what is said about them."""


def run(words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, shlex.split(words))
    return result.exit_code, result.stderr.rpartition("Error: ")[2].strip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("t", "days"):
        (tmp_path / name).mkdir()
    (tmp_path / "days" / "1.jsonl").write_text('{"id": "a"}\n')
    (tmp_path / TABLE).write_text("hoodie.table.version=6\nhoodie.table.type=COPY_ON_WRITE\n")


@pytest.mark.parametrize("words", REFUSED)
@pytest.mark.usefixtures("folder")
def test_it_is_refused(words: str) -> None:
    code, told = run(words)
    assert (code, told.count("\n")) == (2, 0), told
    assert told.startswith(REFUSED[words])


def needing() -> list[tuple[str, str]]:
    """Return the verbs with the options that need another one there."""
    found = []
    for verb, command in main.commands.items():
        options = {one.name: one for one in command.params if isinstance(one, VerbOption)}
        found += [(verb, str(name)) for name, one in options.items() if options.keys() & {*one.needs}]
    return found


VALUES = {"out_format": "orc", "table_version": "8", "write_options": "a=b"}


@pytest.mark.parametrize(("verb", "name"), needing())
@pytest.mark.usefixtures("folder")
def test_an_option_needs_another(verb: str, name: str) -> None:
    option = next(one for one in main.commands[verb].params if one.name == name)
    assert isinstance(option, click.Option)
    least = {
        "compare-readers": "t",
        "diff": "t",
        "explain": f"{PLAN} --row a",
        "merge": f"upsert {PLAN}",
        "merge-into": f"t --incoming days/1.jsonl {PLAN}",
        "migrate": PLAN,
        "rehearse": "t --to 1.2 --copy copy",
        "replay": f"{PLAN} --to 1.2",
        "simulate": PLAN,
        "snapshot": "t",
        "verify": "AWSDmsAvroPayload",
    }
    words = f"{verb} {least.get(verb, '')} {option.opts[0]} {'' if option.is_flag else VALUES.get(name, 'x')}"
    code, told = run(words)
    assert code == 2, told
    assert told.startswith(f"{option.opts[0]} is for --"), told


def test_what_is_needed_is_an_option_of_a_verb() -> None:
    known = {one.name for command in main.commands.values() for one in command.params}
    options = (one for command in main.commands.values() for one in command.params if isinstance(one, VerbOption))
    assert known >= {name for one in options for name in one.needs}
    assert {"batch_column", "bundle", "history", "strict", "table_version"} <= {name for _, name in needing()}
