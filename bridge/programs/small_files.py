"""The small-file rule: whether new rows go to files that a partition has.

Source: UpsertPartitioner and SparkUpsertDeltaCommitPartitioner, all releases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.plan import MergePlan


def small_file_candidates(props: Mapping[str, str]) -> int:
    """Return how many small files of a partition a batch may rewrite; 0 if the rule is off.

    The limit counts only where it is set: a plan says nothing about file sizes otherwise.
    """
    return int(props.get(keys.SMALL_FILE_CANDIDATES, "1")) if int(props.get(keys.SMALL_FILE_LIMIT, "0")) > 0 else 0


def inserts_into_files(props: Mapping[str, str]) -> bool:
    """Whether a setting says that new rows go to the small file that a partition has, not to a new one."""
    return int(props.get(keys.SMALL_FILE_LIMIT, "0")) > 0


def fills_small_files(plan: MergePlan) -> bool:
    """Whether the operation insert goes to a small file that the partition has.

    So it does by Hudi's own limit of 100 MiB, until a setting turns it off. A file of a merge-on-read table that has a
    log is none.
    """
    return int(plan.props.get(keys.SMALL_FILE_LIMIT, "104857600")) > 0


def updates_by_insert(plan: MergePlan) -> bool:
    """Whether an insert of a key that the small file has updates its row (HoodieMergeHandle, not HoodieConcatHandle).

    Source: HoodieMergeHandleFactory and HoodieWriteConfig.allowDuplicateInserts, all releases.
    """
    return fills_small_files(plan) and not keys.DUPLICATE_INSERTS.read(plan.props, plan.release)
