"""migrate --apply-to-copy: the script of a migration runs on a copy of a table; the table itself stays as it is."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.compare import reason_of, run_released
from bridge.config import read_table
from bridge.engines import bundle_for
from bridge.errors import InputError
from bridge.hudi import check_whole
from bridge.migration.script import migration_script, worker_of
from bridge.migration.steps import changes_between, merge_properties
from bridge.migration.table_copy import check_copy, copy_table, replaced
from bridge.redaction import shown_message
from bridge.spark import local_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.hudi import HudiTable
    from bridge.migration.plan_report import MigrationPlan
    from bridge.migration.steps import PropertyChange
    from bridge.migration.table_copy import CopiedTable

_VERBS: Final = ("apply", "apply")
"""The second run shows that nothing is done twice."""
_CHUNK: Final = 1 << 20


class AppliedPlan(NamedTuple):
    """What a plan did to a copy of a table.

    Attributes:
        copied: where the copy is.
        said: what the script printed, run by run.
        failed: why a run ended early; None where none did.
        off: the merge properties of the copy that are not as planned; empty where it failed.
        checksum: of the files of the table itself, with their names: the same before and after.
    """

    copied: CopiedTable
    said: tuple[str, ...]
    failed: str | None
    off: tuple[PropertyChange, ...]
    checksum: str

    @property
    def success(self) -> bool:
        """Whether the copy is as planned."""
        return self.failed is None and not self.off

    def lines(self) -> list[str]:
        """Return what was done, for a report."""
        failed = self.failed and shown_message(self.failed)
        end = "The copy is as planned" if self.success else f"The copy is not as planned: {failed or 'see below'}"
        wrong = [
            f"{one.key} is {one.after or 'not set'}, but {one.before or 'not set'} was planned" for one in self.off
        ]
        done = [line for said in self.said for line in said.splitlines()]
        same = f"No byte of the table changed: SHA-256 of its files {self.checksum[:16]} before and after"
        return [f"{end}: {self.copied.path}.", *done, *wrong, f"{same}."]


def apply_to_copy(
    table: HudiTable, made: MigrationPlan, copy: str | Path, *, overwrite: bool = False, verbs: Sequence[str] = _VERBS
) -> AppliedPlan:
    """Copy a table, and carry out a plan on the copy: the script that `migration_script` writes, with the real bundle.

    The bundle comes from Maven Central or the Ivy cache and runs in a process of its own. The copy stays.

    Args:
        table: a table on this machine.
        made: the plan of its migration.
        copy: the folder that gets the copy.
        overwrite: whether a copy that is there is replaced; never another table.
        verbs: what the script is asked to do, one after the other.

    Raises:
        PlanError: a script can't carry out the plan.
        InputError: the table can't be copied, or was changed meanwhile.
        NotRunError: the bundle can't run here.
        AlteredTableError: files of completed commits are missing, or not as they were written.
    """
    text = migration_script(made, f"Tried on a copy of {table.path}.")
    check_copy(table.path, copy, overwrite=overwrite)
    check_whole(table)
    before = checksum_of(table)
    with tempfile.TemporaryDirectory(prefix="payload-bridge-") as folder, replaced(copy):
        copied = copy_table(table, copy)
        script = Path(folder) / "migration.py"
        script.write_text(text, "utf-8")
        task = {"script": str(script), "table": str(copied.path), "verbs": list(verbs)}
        runner = Path(__file__).with_name("applied_script.py")
        coordinate = bundle_for(table.spark, worker_of(made))
        way_out = "apply to a copy of fewer partitions"
        answers = run_released(table.spark, coordinate, runner, task, way_out=way_out, zone=None)
        if checksum_of(table) != before:
            msg = f"{table.path} changed while its copy was migrated; stop its writers, and run it again"
            raise InputError(msg)
    failed = next((str(one["failed"]) for one in answers if one["failed"] is not None), None)
    planned = made.after_undo if verbs[-1] == "undo" else made.after
    off = () if failed else changes_between(planned, merge_properties(read_table(copied.path)))
    reason = None if failed is None else reason_of(failed)
    return AppliedPlan(copied, tuple(str(one["said"]) for one in answers), reason, off, before)


def checksum_of(table: HudiTable) -> str:
    """Return the SHA-256 of the names and contents of all files of a table on this machine."""
    root = Path(local_path(table.path))
    found = hashlib.sha256()
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        found.update(f"{path.relative_to(root)}\n{_digest(path)}\n".encode())
    return found.hexdigest()


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            found.update(data)
    return found.hexdigest()
