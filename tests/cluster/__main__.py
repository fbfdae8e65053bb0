"""The command: `python -m tests.cluster`, of `.ci/run`; jars come from Maven Central.

Spark's master and two workers are processes with folders of their own, whose Python lacks this project. Batches, output
and report are on S3. A driver is killed while it writes. The merge points run through Spark Connect, too.
"""

from __future__ import annotations

import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from tests.cluster import killed, on_cluster, over_connect
from tests.cluster.servers import servers


@click.command()
def main() -> None:
    """Run all; an error ends the command."""
    start = time.monotonic()

    def done(part: str) -> None:
        click.echo(f"{part}: passed, {time.monotonic() - start:.0f} s after the start")

    with tempfile.TemporaryDirectory() as temporary, servers(Path(temporary)) as running:
        (running.folder / "their_payloads.py").write_text(over_connect.THEIRS)
        sys.path.insert(0, str(running.folder))
        done("five servers")
        with ThreadPoolExecutor(1) as beside:
            connected = beside.submit(over_connect.run, running)
            spark = on_cluster.session_by_command(running)
            try:
                for part in on_cluster.PARTS:
                    part(running, spark)
                    done(part.__name__)
                killed.run(running, spark)
                done("killed")
            finally:
                spark.stop()
            connected.result()
            done("over_connect")


if __name__ == "__main__":
    main()
