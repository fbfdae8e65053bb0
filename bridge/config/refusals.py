"""Merge settings that Hudi rejects, as errors that say what to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers import RecordMergeMode


class MergeConfigError(PayloadConfigError):
    """Merge settings contradict each other; Hudi rejects them, too."""

    @classmethod
    def from_old_version(cls, version: int, oldest: int) -> MergeConfigError:
        """Build the error for a table that releases from 1.0 on don't write, as it is older than version `oldest`."""
        return cls(
            f"Hudi 1.x release only supports table version greater than version {oldest} or above. Please upgrade "
            f"table from version {version} to {oldest} using a Hudi release prior to 1.0.0, such as 0.15"
        )

    @classmethod
    def from_payload_and_strategy(cls, payload: str, strategy: str) -> MergeConfigError:
        """Build the error for a payload class and a strategy id that imply different merge modes."""
        return cls(
            f"the payload class {payload} and the merge strategy {strategy} imply different merge modes; "
            "set only one of them"
        )

    @classmethod
    def from_mode(
        cls, mode: RecordMergeMode, inferred: RecordMergeMode, payload: str | None, strategy: str | None
    ) -> MergeConfigError:
        """Build the error for a merge mode that is not the one of the payload class and the strategy id."""
        given = [f"payload class {payload}"] * bool(payload) + [f"merge strategy {strategy}"] * bool(strategy)
        return cls(
            f"the merge mode {mode.name} does not fit {' and '.join(given)}, for which it is {inferred.name}; "
            f"set the mode to {inferred.name}, or leave out {' and '.join(given)}"
        )

    @classmethod
    def from_empty_custom(cls) -> MergeConfigError:
        """Build the error for mode CUSTOM with nothing that says how to merge."""
        return cls(
            "the merge mode CUSTOM needs a payload class (hoodie.datasource.write.payload.class) or a merge strategy "
            "(hoodie.write.record.merge.strategy.id); set one of them, or choose another mode"
        )

    @classmethod
    def from_missing_payload(cls) -> MergeConfigError:
        """Build the error for the payload-based strategy without a payload class."""
        return cls("the payload-based merge strategy needs a payload class; set hoodie.datasource.write.payload.class")

    @classmethod
    def from_table_version(cls, version: int) -> MergeConfigError:
        """Build the error for settings of version 9 in an older table version."""
        return cls(
            f"table version {version} does not store merge settings in the form of version 9; "
            "infer them by the rules of its own version, or choose table version 9"
        )

    @classmethod
    def from_initial_version(cls, version: int, newest: int) -> MergeConfigError:
        """Build the error for a downgraded table that the older release still can't write."""
        return cls(
            f"the table was created at version {version}, which hoodie.table.initial.version keeps after a "
            f"downgrade; this release knows versions up to {newest}, so it reads but does not write the table: write "
            "a new one"
        )

    @classmethod
    def from_conflicts(cls, conflicts: Iterable[tuple[str, str, str]], what: str = "") -> MergeConfigError:
        """Build the error for options (name, passed, stored) of a writer that differ from what the table stores.

        `what` is refused, as the beginning of the sentence.
        """
        lines = "; ".join(f"{name}: passed {passed}, stored {stored}" for name, passed, stored in conflicts)
        return cls(
            f"{what}the writer's options conflict with the table ({lines}); leave them out, or pass what is stored"
        )
