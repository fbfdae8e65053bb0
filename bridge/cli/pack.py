"""`payload-bridge pack`: this Python for executors that have a different one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bridge.cli.parameters import derived_option
from bridge.cli.verb import Verb
from bridge.cli.writing import may_replace, stop_if_dry
from bridge.report import Report
from bridge.spark import pack


@click.command("pack", cls=Verb, short_help="Pack this Python for executors that have a different one.")
@derived_option(pack, "out", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE.tar.gz")
@derived_option(pack, "names", "--with", type=str, multiple=True, metavar="NAME")
def pack_command(out: Path, names: tuple[str, ...]) -> Report:
    """Pack this Python, with everything that merges need, for a cluster that has a different one.

    The archive runs on machines of this operating system and processor. Executors unpack it by spark.archives, and
    start their workers with env/bin/python.
    """
    may_replace(out, "--out")
    if not out.absolute().parent.is_dir():
        msg = f"--out {out} is in a folder that does not exist; make it, or name another"
        raise click.UsageError(msg, click.get_current_context())
    stop_if_dry()
    packed = pack(out, names)
    version = ".".join(map(str, sys.version_info[:3]))
    size = out.stat().st_size
    report = Report("pack", "", plan={"python": version, "out": str(out), "bytes": str(size)})
    report.results = [dict(zip(("name", "version"), one.split(" "), strict=True)) for one in packed]
    report.verdict = (
        f"{out} has Python {version} and {', '.join(packed)} ({size >> 20} MiB); run other verbs with "
        f"PYSPARK_PYTHON=env/bin/python and --conf spark.archives={out}#env"
    )
    return report
