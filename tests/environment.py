"""Environments of processes that tests start: without Java, and without what this process's Spark left there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_OF_SPARK = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "SPARK_HOME")


def clean_environment(**changes: str) -> dict[str, str]:
    """Return the environment of this process as it is before Spark starts, with changes."""
    return {name: value for name, value in os.environ.items() if name not in _OF_SPARK} | changes


def environment_without_java(folder: Path) -> dict[str, str]:
    """Return an environment without Java; all other tools stay on the PATH, by links in `folder`."""
    environment = clean_environment(PATH=path_without_java(folder))
    environment.pop("JAVA_HOME", None)
    return environment


def path_without_java(folder: Path) -> str:
    """Return the PATH; folders that hold `java` are replaced by folders of links to everything else in them."""
    kept = []
    for number, name in enumerate(os.get_exec_path()):
        tools = Path(name)
        if (tools / "java").exists():
            links = folder / str(number)
            links.mkdir(parents=True)
            for tool in tools.iterdir():
                if tool.name != "java":
                    (links / tool.name).symlink_to(tool)
            tools = links
        kept.append(str(tools))
    return os.pathsep.join(kept)


if __name__ == "__main__":
    print(path_without_java(Path(sys.argv[1]).absolute()))  # noqa: T201 (for scripts)
