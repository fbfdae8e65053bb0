"""Which tests a run has: the suite, which `pytest` alone runs, or a lane, a part that `.ci/run` runs beside it.

A lane is a marker of all tests in some files, so that the others need not be collected. What takes long and tells
little that others don't is marked `long` and belongs to no lane: `python -m tests.deep` runs it.

| on the command line | what runs |
|---|---|
| nothing | the suite: every file of no lane |
| `-m tables`, a lane | its files |
| `-m` without the name of a lane or of `long` | what it selects of the suite |
| a path, `-k`, or `-m` with one of these names in it | what is asked for, whichever lane it belongs to |

None of these has a test marked `long` unless `-m` names that marker or that test itself is named (`file.py::test`).
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

LANES: Final = {
    "compiled": ("jvm",),
    "laws": (
        *(
            f"mergers/laws/test_{name}.py"
            for name in (
                *("check", "coupled", "determinism", "defects", "matrix", "paths", "reach", "tables", "verify"),
                *("counterexamples", "from_rules", "gathers", "misbehaving", "rulings", "users_rules"),
            )
        ),
        "mergers/laws/infer",
        "mergers/rules/test_agreement.py",
        "bridge/cli/test_found_rules.py",
        "bridge/engines/test_arrow_rules.py",
        "bridge/merge/test_rule_columns.py",
        "bridge/migration/test_generated.py",
    ),
    "tables": (
        "hudi",
        *(f"test_conformance_{name}.py" for name in ("histories", "record", "replays", "spark", "vectors")),
        "bridge/explain/test_recorded_traces.py",
        "bridge/config/test_table_types.py",
        "payloads/test_purity.py",
    ),
    "native": (
        "reliability/test_inputs.py",
        "reliability/test_inputs_on_spark.py",
        "reliability/test_secrets.py",
        "reliability/test_invariance.py",
        *(
            f"bridge/engines/test_{name}.py"
            for name in (
                "native_engine",
                "native_histories",
                "native_logs",
                "small_inputs",
                "agreement",
                "rules_natively",
                "rule_expressions",
            )
        ),
    ),
    "python": tuple(
        f"bridge/engines/test_{name}.py"
        for name in ("python_engine", "fast_path", "stated_in_columns", "misbehaving", "quarantine")
    ),
    "docs": (
        "test_guide.py",
        "test_typed_guide.py",
        "test_cluster_guide.py",
        "test_notebook.py",
        "test_contributing.py",
        *(
            f"test_{name}.py"
            for name in ("api_pages", "generated_pages", "architecture", "imports", "ci", "deep", "in_ci")
        ),
    ),
    "write": ("bridge/write",),
    "browser": (
        *(f"bridge/report/test_{name}.py" for name in ("pages", "path_pages", "printing")),
        "bridge/cli/test_completion.py",
    ),
}
"""The lanes, with their files and folders; `.ci/run` starts them in this order."""

LONG: Final = "long"
_TESTS: Final = Path(__file__).parents[1]
_LANE_OF: Final = {Path(part): lane for lane, parts in LANES.items() for part in parts}
_SUITE: Final = "suite"
_ALL: Final = "all"
_CHOSEN: Final = "payload_bridge_lane"


def chosen(config: pytest.Config) -> str:
    """Return the lane whose files a run collects, `suite` for those of no lane, or `all`."""
    given = getattr(config, "workerinput", {}).get(_CHOSEN)
    if given is not None:
        return str(given)
    if config.args_source is not config.ArgsSource.TESTPATHS:
        return _ALL
    mark = config.option.markexpr.strip()
    if mark in LANES:
        return str(mark)
    named = set(re.findall(r"\w+", mark)) & {*LANES, LONG}
    return _ALL if named or config.option.keyword else _SUITE


def tell(node: Any) -> None:
    """Say to a process that starts what the run has: it gets the options of the command line alone."""
    node.workerinput[_CHOSEN] = chosen(node.config)


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Whether a run collects nothing of a file or folder."""
    lane = chosen(config)
    if lane == _ALL or not path.is_relative_to(_TESTS):
        return False
    own = path.relative_to(_TESTS)
    if lane == _SUITE:
        return lane_of(own) is not None
    return not any(own.is_relative_to(one) or Path(one).is_relative_to(own) for one in LANES[lane])


def lane_of(path: Path) -> str | None:
    """Return the lane of a file or folder, relative to `tests`; None for the suite's."""
    return next((_LANE_OF[one] for one in (path, *path.parents) if one in _LANE_OF), None)


def mark(items: Sequence[pytest.Item]) -> None:
    """Give tests the marker of their lane."""
    for path, own in itertools.groupby(items, lambda item: item.path):
        if path.is_relative_to(_TESTS) and (lane := lane_of(path.relative_to(_TESTS))):
            for item in own:
                item.add_marker(lane)


def without_long(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what is marked `long`, unless it was asked for by marker or by name."""
    if re.search(rf"\b{LONG}\b", config.option.markexpr):
        return
    named = [_node_id(word, config) for word in config.args if "::" in word]
    long = [item for item in items if item.get_closest_marker(LONG) and not _is_one_of(item.nodeid, named)]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def _node_id(word: str, config: pytest.Config) -> str:
    """Return the node id of what is named on the command line: its path is relative to the root."""
    path, _, name = word.partition("::")
    return f"{Path(os.path.relpath(config.invocation_params.dir / path, config.rootpath)).as_posix()}::{name}"


def _is_one_of(node: str, named: Sequence[str]) -> bool:
    """Whether a test, its class, or the test that it is a case of is among those named."""
    return any(node == name or node.startswith((f"{name}[", f"{name}::")) for name in named)
