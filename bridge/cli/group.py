"""The click group `payload-bridge`, with a line on what each verb is for."""

from __future__ import annotations

import click

from bridge.cli.check_cluster import check_cluster
from bridge.cli.compare_readers import compare_readers_command
from bridge.cli.demo import demo
from bridge.cli.diff import diff_command
from bridge.cli.explain import explain_command
from bridge.cli.history import history
from bridge.cli.inspect import inspect
from bridge.cli.merge import merge
from bridge.cli.merge_into import merge_into_command
from bridge.cli.migrate import migrate_command
from bridge.cli.pack import pack_command
from bridge.cli.payloads import payloads
from bridge.cli.plan import plan
from bridge.cli.rehearse import rehearse_command
from bridge.cli.replay import replay_command
from bridge.cli.simulate import simulate
from bridge.cli.snapshot import snapshot
from bridge.cli.verb import Verbs
from bridge.cli.verify import verify_command
from bridge.cli.version import version


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=version, help="Show versions and exit."
)
def main() -> None:
    """Run Apache Hudi's record payloads on PySpark, with exactly the results of a Hudi release.

    A payload is the class that decides which version of a record wins. Hudi calls it at its merge points; `merge` runs
    one write or read on files, `simulate` writes a series of batches to a new table.

    Results go to standard output, everything else to standard error. Exit codes: 0 success, 1 a difference, violation
    or refusal, 2 a usage error, 3 a data or environment error, or something that could not be checked.

    In bash, eval "$(_PAYLOAD_BRIDGE_COMPLETE=bash_source payload-bridge)" completes verbs, options and names; in zsh
    and fish write zsh_source and fish_source.

    Example: payload-bridge demo
    """


for verb in (
    check_cluster,
    compare_readers_command,
    demo,
    diff_command,
    explain_command,
    history,
    inspect,
    merge,
    merge_into_command,
    migrate_command,
    pack_command,
    payloads,
    plan,
    rehearse_command,
    replay_command,
    simulate,
    snapshot,
    verify_command,
):
    main.add_command(verb)
