"""Completion in a shell: verbs, options and names, as the guide says to switch it on, in each shell that is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete

from bridge.cli import main
from payloads import HudiRelease
from tests.support import GUIDE, ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = GUIDE / "quickstart.md"
PROGRAM = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(ROOT)!r})
from bridge.cli import main
main()
"""
CASES = [
    ("rep", {"replay"}),
    ("payloads AWS", {"AWSDmsAvroPayload"}),
    ("simulate --all", {"--all-paths"}),
    ("simulate --payload MySql", {"MySqlDebeziumAvroPayload"}),
    ("replay --to 1.", {"1.0", "1.1", "1.2", "1.3"}),
    ("replay --from 0.1", {"0.12", "0.13", "0.14", "0.15"}),
    ("replay --to EVENT", {"EVENT_TIME_ORDERING"}),
    ("verify COMMIT", {"COMMIT_TIME_ORDERING"}),
    ("simulate --mode EVENT", {"EVENT_TIME_ORDERING"}),
    ("merge --merger COMMIT", {"COMMIT_TIME_ORDERING"}),
    ("snapshot --payload AWS", {"AWSDmsAvroPayload"}),
    ("replay --built-for 1.", {"1.0", "1.1", "1.2", "1.3"}),
    ("simulate --table-type ", {"cow", "mor", "both"}),
]
"""What is typed, and all that completes it."""
SHELLS = {
    "bash": """
        {enabled}
        COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _payload_bridge_completion payload-bridge
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """,
    # The completion system of zsh needs a terminal: what it is told is printed.
    "zsh": """
        compdef() {{ : }}
        compadd() {{ print -l -- "${{(@P)@[-1]}}" }}
        _describe() {{ print -l -- "${{(@P)3}}" }}
        {enabled}
        words=({words}); CURRENT=${{#words}}
        _payload_bridge_completion
    """,
    "fish": "{enabled}\ncomplete --do-complete '{words}'",
}


@pytest.mark.parametrize(("typed", "names"), CASES)
def test_words_are_completed(typed: str, names: set[str]) -> None:
    *words, start = typed.split(" ")
    found = ShellComplete(main, {}, "payload-bridge", "_PAYLOAD_BRIDGE_COMPLETE").get_completions(words, start)
    assert {one.value for one in found} == names


def test_all_releases_are_known() -> None:
    found = ShellComplete(main, {}, "payload-bridge", "_PAYLOAD_BRIDGE_COMPLETE").get_completions(["plan", "--to"], "")
    assert {one.value for one in found} >= set(map(str, HudiRelease))


def enabled_by(shell: str) -> str:
    """Return the line of the guide that switches completion on."""
    lines = re.findall(r"^.*_PAYLOAD_BRIDGE_COMPLETE=(\w+)_source.*$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(lines) == sorted(SHELLS)
    (line,) = re.findall(rf"^(.*_PAYLOAD_BRIDGE_COMPLETE={shell}_source.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    return str(line)


@pytest.mark.parametrize(("typed", "names"), [CASES[0], CASES[3], CASES[4]])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_as_the_guide_says(shell: str, typed: str, names: set[str], tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed (Debian's package {shell})")
    program = tmp_path / "payload-bridge"
    program.write_text(PROGRAM, "utf-8")
    program.chmod(0o755)
    words = f"payload-bridge {typed}"
    script = SHELLS[shell].format(enabled=enabled_by(shell), words=words, typed=words, blank="", empty="")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True, check=False)
    found = {re.split(r"[:\t,]", line)[0] for line in done.stdout.split("\n") if line.strip()}
    assert found == names, done.stderr
