"""What `.ci/run` relies on: the lines of the README that it runs, and that a skipped test fails there."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import lanes, parallel

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("extras", ["java", "java,test"])
def test_the_readme_has_each_line_that_is_run(extras: str) -> None:
    patterns = re.findall(r"grep -m 1 -E '([^']+)' README\.md", SCRIPT)
    assert len(patterns) == 2
    lines = [[line for line in README if re.search(pattern, line)] for pattern in patterns]
    assert sum(f"pip install -q '.[{extras}]'" in line for found in lines for line in found) == 1
    assert [len(found) for found in lines] == [1, 1]


def test_the_groups_of_a_parallel_run_are_there() -> None:
    """A file that was renamed would start late, and in a process of its own."""
    named = {*parallel._TOGETHER, *parallel._FIRST} - {*parallel._TOGETHER.values()}
    assert [name for name in sorted(named) if not (ROOT / "tests" / name).exists()] == []


def test_the_script_runs_every_lane() -> None:
    (named,) = re.findall(r"^for lane in (.+); do$", SCRIPT, re.MULTILINE)
    assert named.split() == list(lanes.LANES)
    parts = [ROOT / "tests" / part for lane in lanes.LANES.values() for part in lane]
    assert [part for part in parts if not part.exists()] == []


# Small ones of the suite, of two lanes, and of one folder with both.
FILES = ("test_site.py", "hudi/test_selection.py", "bridge/write", "bridge/report/test_pages.py", "bridge/report")


@pytest.mark.parametrize(
    ("source", "mark", "keyword", "collected"),
    [
        ("TESTPATHS", "", "", ["test_site.py", "bridge/report"]),
        ("TESTPATHS", "tables", "", ["hudi/test_selection.py"]),
        ("TESTPATHS", "browser", "", ["bridge/report/test_pages.py", "bridge/report"]),
        ("TESTPATHS", "write", "", ["bridge/write"]),
        ("TESTPATHS", "not spark and not java", "", ["test_site.py", "bridge/report"]),
        ("TESTPATHS", "hypothesis or long", "", list(FILES)),
        ("TESTPATHS", "tables or native", "", list(FILES)),
        ("ARGS", "not spark and not java", "", list(FILES)),
        ("TESTPATHS", "", "scope", list(FILES)),
        ("ARGS", "", "", list(FILES)),
    ],
)
def test_a_run_has_what_was_asked_for(source: str, mark: str, keyword: str, collected: list[str]) -> None:
    sources = pytest.Config.ArgsSource
    option = SimpleNamespace(markexpr=mark, keyword=keyword)
    first: Any = SimpleNamespace(args_source=sources[source], ArgsSource=sources, option=option)
    node = SimpleNamespace(workerinput={}, config=first)
    lanes.tell(node)
    another: Any = SimpleNamespace(args_source=sources.ARGS, ArgsSource=sources, workerinput=node.workerinput)
    for config in (first, another):
        assert [name for name in FILES if not lanes.is_left_out(ROOT / "tests" / name, config)] == collected


@pytest.mark.parametrize(
    ("mark", "words", "kept"),
    [
        ("", ["tests"], 1),
        ("not spark", ["tests/hudi"], 1),
        ("hypothesis or long", ["tests"], 4),
        ("", ["tests/hudi/test_tables.py::test_one"], 3),
        ("", ["tests/hudi", "tests/hudi/test_tables.py::test_one[a]"], 2),
        ("", [f"{ROOT}/tests/hudi/test_tables.py::test_one", "tests/hudi"], 3),
        ("", ["tests/hudi/test_tables.py::test_on", "tests"], 1),
        ("", ["tests/hudi/test_logs.py::test_two", "tests"], 2),
    ],
)
def test_what_is_long_runs_where_it_is_named(mark: str, words: list[str], kept: int) -> None:
    tables, logs = "tests/hudi/test_tables.py", "tests/hudi/test_logs.py"
    marks = {f"{tables}::test_one[a]": "long", f"{tables}::test_one[b]": "long", f"{logs}::test_two": "long"}
    marks[f"{tables}::test_three"] = "slow"
    found: Any = [SimpleNamespace(nodeid=name, get_closest_marker=one.__eq__) for name, one in marks.items()]
    hook = SimpleNamespace(pytest_deselected=lambda **_: None)
    typed = SimpleNamespace(dir=ROOT)
    config: Any = SimpleNamespace(
        args=words, option=SimpleNamespace(markexpr=mark), hook=hook, invocation_params=typed, rootpath=ROOT
    )
    lanes.without_long(config, found)
    assert len(found) == kept


def test_one_lane_is_collected_alone() -> None:
    words = ["--collect-only", "-q", "-p", "no:cacheprovider", "-m", "native"]
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line} == {
        f"tests/{part}" for part in lanes.LANES["native"]
    }


@pytest.mark.parametrize("is_marked", [False, pytest.param(True, marks=pytest.mark.java)])
@pytest.mark.parametrize("words", [str, lambda program: [program, "-version"]])
def test_only_a_marked_test_starts_java(tmp_path: Path, words: Callable[[Path], Any], *, is_marked: bool) -> None:
    """Which is no program here."""
    program = tmp_path / "java"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    fails = (OSError, "Exec format error") if is_marked else (pytest.fail.Exception, "starts Java; mark it")
    with pytest.raises(fails[0], match=fails[1]):
        subprocess.run(words(program), check=True)


SKIPS = {
    "a test": "import pytest\ndef test_one(): pytest.importorskip('nowhere_to_be_found')\n",
    "a module": "import pytest\npytest.importorskip('nowhere_to_be_found')\ndef test_one(): pass\n",
}


@pytest.mark.parametrize("ci", ["true", "false"])
def test_what_is_skipped_fails_where_ci_is_true(tmp_path: Path, ci: str) -> None:
    for name, text in SKIPS.items():
        (tmp_path / f"test_{name.replace(' ', '_')}.py").write_text(text)
    words = ["-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--rootdir", tmp_path, tmp_path],
        cwd=ROOT,
        env=os.environ | {"CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("1 failed, 1 error" if ci == "true" else "2 skipped") in done.stdout
    assert done.stdout.count("a failure where CI is true") == (4 if ci == "true" else 0)  # with the summary


FIRST = "python3 -m venv --help >/dev/null && {} && : payload-bridge demo"
SECOND = "python3 -m venv --help >/dev/null && mkdir -p .venv/bin && cd .venv/bin && {} && : pytest -q"
TRUE = "for name in python ruff mypy lint-imports; do printf '#!/bin/sh\\n' >$name; chmod +x $name; done"
VERDICT = 'echo "All 20 answers are real Hudi\'s, row by row."'


TOOLS = ("bash", "cat", "chmod", "dirname", "env", "grep", "mkdir", "mktemp", "rm", "sh", "sleep", "tar", "tee")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put what the script calls on the PATH, and a Java; nothing else."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(str(shutil.which(name)))
    (folder / "python3").symlink_to(sys.executable)
    for name in ("java", "chromium", "chromedriver", "zsh", "fish"):
        (folder / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("JAVA_HOME", "anywhere")
    return folder


@pytest.fixture
def run(tools: Path, tmp_path: Path) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """Run the script on a small checkout, whose README says what the two lines do."""

    def script(first: str, second: str) -> subprocess.CompletedProcess[str]:
        checkout = tmp_path / "checkout"
        for name in (".ci/run", "tests/__init__.py", "tests/environment.py"):
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)
        (checkout / "README.md").write_text(f"{FIRST.format(first)}\n{SECOND.format(second)}\n")
        command = [checkout / ".ci" / "run"]
        return subprocess.run(command, env=os.environ | {"CI": ""}, capture_output=True, text=True, check=False)

    return script


def test_the_script_hides_java_only_from_the_first_line_and_times_each_part(
    run: Callable[[str, str], subprocess.CompletedProcess[str]],
) -> None:
    hidden = 'test -z "${JAVA_HOME:-}" && ! command -v java && command -v tar'
    done = run(f"{hidden} && {VERDICT}", f'test "$CI $JAVA_HOME" = "true anywhere" && command -v java && {TRUE}')
    assert done.returncode == 0, done.stdout + done.stderr
    timed = re.findall(r"^\.ci/run: (.+) took \d+ s$", done.stdout, re.MULTILINE)
    assert sorted(timed) == sorted(
        [
            "a browser and shells for the tests",
            "README's first line without Java",
            "README's second line",
            *(f"the lane {name}" for name in lanes.LANES),
            "lines of PySpark",
            "users' classes beside real Hudi",
            "wheel and sdist",
            "the guide as a site",
            "a cluster, Spark Connect and S3",
            "ruff check",
            "ruff format --check",
            "mypy",
            "lint-imports",
        ]
    )


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (f"{VERDICT} && false", TRUE, "README's first line without Java failed"),
        (f"{VERDICT} >&2", TRUE, "README's first line without Java failed"),
        (VERDICT, f"{TRUE} && false", "README's second line failed"),
        (VERDICT, TRUE.replace("python", ""), "a cluster, Spark Connect and S3 failed"),
        (VERDICT, TRUE.replace("mypy", ""), "mypy failed"),
    ],
    ids=["exit code", "no verdict", "tests", "package", "linter"],
)
def test_the_script_fails_where_a_part_fails(
    run: Callable[[str, str], subprocess.CompletedProcess[str]], first: str, second: str, says: str
) -> None:
    done = run(first, second)
    assert done.returncode == 1
    assert re.match(rf"\.ci/run: {says} after", done.stderr.splitlines()[-1])


def test_the_output_of_a_part_stays_together_and_comes_before_its_time(
    run: Callable[[str, str], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """The first line starts first, and ends once the second has written a line."""
    there = tmp_path / "there"
    first = f"echo one && until test -e {there}; do sleep 0.1; done && sleep 0.5 && echo two && {VERDICT}"
    done = run(first, f"echo three && : >{there} && sleep 1.5 && echo four && {TRUE}")
    told = [line for line in done.stdout.splitlines() if not line.startswith("+ ")]
    assert told[1:4] == ["one", "two", VERDICT.partition('"')[2].rstrip('"')]
    assert told[4].startswith(".ci/run: README's first line without Java took")
    assert told[5:7] == ["three", "four"]


def test_the_first_part_that_fails_ends_what_the_others_started(
    run: Callable[[str, str], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    process = tmp_path / "process"
    done = run(f"bash -c 'echo $$ >{process}; exec sleep 600'", f"until test -s {process}; do sleep 0.1; done; false")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(".ci/run: README's second line failed after")
    status = Path("/proc", process.read_text().strip(), "stat")
    for _ in range(100):
        if not status.exists() or status.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    os.kill(int(process.read_text()), signal.SIGKILL)
    pytest.fail("a process of the first line goes on")
