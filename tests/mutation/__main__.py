"""Mutation testing, for hours and in steps: python -m tests.mutation FOLDER; a run that was stopped goes on.

FOLDER gets a copy of the checkout, the recorded coverage, and one line a mutant in trials.jsonl.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tests.mutation import trial
from tests.mutation.covering import Covering, Timed, record
from tests.mutation.mutants import Mutant, sample
from tests.mutation.trial import Outcome, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).parents[2]

PACKAGES: Final = (
    "payloads",
    "mergers/strategies",
    "bridge/config",
    "bridge/engines/python",
    "bridge/merge",
    "bridge/programs",
)

GOAL: Final = 0.95

_NOT_CAUGHT: Final = frozenset({Outcome.SURVIVED, Outcome.UNCOVERED})

_CODE: Final = ("payloads", "mergers", "bridge")
_COPIED: Final = (*_CODE, "tests", "migration_guide", ".ci", "pyproject.toml", "README.md", "LICENSE")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--sample", "size", default=300, show_default=True, help="Mutants, at most one a line.")
@click.option("--seed", default=1, show_default=True, help="Which ones; the same for the same code.")
@click.option("--package", "packages", multiple=True, default=PACKAGES, show_default=True, help="Folders to mutate.")
@click.option("--budget", default=60.0, show_default=True, help="Recorded seconds of tests a mutant; fastest first.")
@click.option("--survivors", is_flag=True, help="Try again what survived, with the tests of today.")
@click.option("--with", "files", multiple=True, help="A test file that --survivors runs first; may be repeated.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    folder: Path,
    size: int,
    seed: int,
    packages: tuple[str, ...],
    budget: float,
    survivors: bool,
    files: tuple[str, ...],
) -> None:
    """Mutate lines of a copy of the code in FOLDER, and run the tests that cover each; one process at a time."""
    folder = folder.resolve()
    tree, trials = folder / "tree", folder / "trials.jsonl"
    if tree != ROOT:
        trial.restore(tree)
        if survivors and (changed := _changed(tree)):
            msg = f"{changed[0]} is not what was sampled, and tests of other code prove nothing; name a new FOLDER"
            raise click.ClickException(msg)
        _copy(tree, afresh=("tests",) if survivors else ())
        _start_in(tree, folder)
    if not (folder / "seconds.json").exists():
        record(folder, tree, _CODE)
        _start_in(tree, folder)  # without the modules that the tests imported
    trial.restore(tree)
    covering = Covering(folder, tree)
    mutants = sample(tree, packages, size, seed)
    done = _read(trials)
    if survivors:
        left = [mutant for mutant in mutants if done.get(mutant.id, {}).get("outcome") in _NOT_CAUGHT]
    else:
        left = [mutant for mutant in mutants if mutant.id not in done]
    trial.load_libraries()
    for mutant in left:
        tests = [Timed(file, 0) for file in files] + _tests(covering, mutant, budget)
        result = trial.run(tree, mutant, tests, folder / "output.txt")
        _write(trials, mutant, result, tree)
    _print(mutants, _read(trials))


def _copy(tree: Path, afresh: Iterable[str]) -> None:
    """Copy the checkout where there is no copy yet, and what is wanted afresh."""
    for name in _COPIED:
        source, target = ROOT / name, tree / name
        if name in afresh:
            shutil.rmtree(target, ignore_errors=True)
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def _changed(tree: Path) -> list[str]:
    """Return the modules of the checkout that the copy does not have, or has otherwise."""
    modules = sorted(path.relative_to(ROOT) for name in _CODE for path in (ROOT / name).rglob("*.py"))
    return [str(path) for path in modules if not _are_equal(ROOT / path, tree / path)]


def _are_equal(one: Path, other: Path) -> bool:
    return other.exists() and one.read_bytes() == other.read_bytes()


def _start_in(tree: Path, folder: Path) -> None:
    """Start this command again in the copy, so that nothing is imported from elsewhere."""
    words = [str(folder) if Path(word).resolve() == folder else word for word in sys.argv[1:]]
    os.chdir(tree)
    os.environ |= {"PYTHONPATH": str(tree), "HYPOTHESIS_PROFILE": "ci", "HYPOTHESIS_STORAGE_DIRECTORY": str(folder)}
    os.execv(sys.executable, [sys.executable, "-m", "tests.mutation", *words])  # noqa: S606


def _tests(covering: Covering, mutant: Mutant, budget: float) -> list[Timed]:
    """Return the tests of the line, then those of its file: what is computed once, the first test alone runs."""
    of_line = covering.of_lines(mutant.file, mutant.first, mutant.last)
    of_file = covering.of_file(mutant.file) or covering.of_folder(f"tests/{Path(mutant.file).parent.as_posix()}")
    chosen: list[Timed] = []
    for timed in dict.fromkeys((*of_line, *of_file)):
        if timed.seconds <= budget:
            chosen.append(timed)
            budget -= timed.seconds
    return _file_by_file(chosen, f"tests/{Path(mutant.file).parent.as_posix()}/")


def _file_by_file(tests: list[Timed], folder: str) -> list[Timed]:
    """Keep the tests of a file together; first the files in the folder of the mutant's own tests, then the fastest."""
    by_file: dict[str, list[Timed]] = {}
    for timed in tests:
        by_file.setdefault(timed.test.partition("::")[0], []).append(timed)
    files = sorted(by_file, key=lambda file: (not file.startswith(folder), sum(one.seconds for one in by_file[file])))
    return [timed for file in files for timed in by_file[file]]


def _read(trials: Path) -> dict[str, dict[str, Any]]:
    """Return the trials by mutant; the last one of a mutant counts."""
    lines = trials.read_text("utf-8").splitlines() if trials.exists() else []
    return {entry["id"]: entry for entry in map(json.loads, lines)}


def _write(trials: Path, mutant: Mutant, result: Trial, tree: Path) -> None:
    line = (tree / mutant.file).read_text("utf-8").splitlines()[mutant.line - 1].strip()
    entry = mutant.as_json() | {"code": line} | result._asdict()
    with trials.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    click.echo(f"{result.outcome:10} {result.seconds:6.1f} s  {mutant.id}  {result.test}")


def _print(mutants: Iterable[Mutant], done: dict[str, dict[str, Any]]) -> None:
    entries = [done[mutant.id] for mutant in mutants if mutant.id in done]
    missed = [entry for entry in entries if entry["outcome"] in _NOT_CAUGHT]
    for entry in missed:
        click.echo(f"{entry['outcome']}: {entry['id']}: {entry['code']}")
    caught = len(entries) - len(missed)
    click.echo(f"{len(entries)} mutants, {caught} caught ({caught / len(entries):.1%}), {len(missed)} not")
    sys.exit(caught / len(entries) < GOAL)


if __name__ == "__main__":
    main()
