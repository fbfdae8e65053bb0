"""PartialUpdateFlinkRecordMerger: the later event on Flink's rows, each of its nulls filled from the earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.api import CUSTOM_MERGE_STRATEGY_UUID, EVENT_TIME_BASED_MERGE_STRATEGY_UUID, HoodieRecordType
from mergers.errors import MergerConfigError
from payloads.errors import NullOrderingError
from payloads.ordering import compare
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from mergers.record import HoodieRecord
    from payloads.api import Props
    from payloads.avro import AvroSchema, Value

_STRATEGY: Final = ByRelease[str | None](
    None, {"1.1": CUSTOM_MERGE_STRATEGY_UUID, "1.2": EVENT_TIME_BASED_MERGE_STRATEGY_UUID}
)


class PartialUpdateFlinkRecordMerger:
    """Keeps the Flink row with the greater ordering value, its nulls filled from the other; on a tie the newer one.

    As in org.apache.hudi.client.model.PartialUpdateFlinkRecordMerger of Hudi 1.1 and later: if either version is a
    delete, the one with the greater ordering value is kept unchanged.

    Its strategy id differs between sources of Hudi: sources of 2025, which merge HoodieRecords, have that of custom
    mergers; later ones, which merge BufferedRecords with a HoodieSchema, have that of event time. These sources lie
    between releases; no Flink jar of 1.1 or 1.2 was available to compare.

    Attributes:
        merging_strategy: that of event time for 1.2, of custom mergers for 1.1, unless another is given.
    """

    record_type: Final = HoodieRecordType.FLINK

    def __init__(self, release: str | HudiRelease = HudiRelease.latest(), strategy: str | None = None) -> None:
        """Take a release, and the strategy id that a table has if it is not what the release is taken to have.

        Raises:
            MergerConfigError: the release has no such merger.
        """
        line = HudiRelease.parse(release)
        known = _STRATEGY.at(line)
        if known is None:
            msg = f"Hudi {line} has no PartialUpdateFlinkRecordMerger; give release 1.1 or later, or a payload class"
            raise MergerConfigError(msg)
        self.merging_strategy = strategy or known
        self._release = line

    def merge(self, older: Value, newer: Value, schema: AvroSchema, props: Props) -> HoodieRecord:
        """Return a new row, or a version itself where either one is a delete.

        Raises:
            NullOrderingError: an ordering value is null.
            OrderingTypeError: the ordering values have different Java classes.
            SchemaError: a row does not fit `schema`.
        """
        left, right = (side.get_ordering_value(schema, props, release=self._release) for side in (older, newer))
        if left is None or right is None:
            msg = "the ordering value of a version is null; fill the ordering field"
            raise NullOrderingError(msg)
        high, low, ordering = (older, newer, left) if compare(left, right) > 0 else (newer, older, right)
        if any(side.marked_delete or side.is_delete(schema, props) for side in (older, newer)):
            return high  # type: ignore[no-any-return]
        return high.filled_from(low, ordering)  # type: ignore[no-any-return]
