"""Records in other schemas: what the carriers share that hold a whole version as data of one schema."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

from mergers.record.base import HoodieRecord
from mergers.record.metadata import MetadataValues
from payloads.avro import project_record, rewrite_record_with_new_schema
from payloads.errors import SchemaError
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from payloads.api import Props
    from payloads.avro import AvroSchema, Record


class RewritableRecord(HoodieRecord):
    """A version whose data can be read as an Avro record, and replaced by another one."""

    __slots__ = ()

    @abc.abstractmethod
    def _read(self, call: str, schema: AvroSchema) -> Record:
        """Return the data, which `call` requires."""

    @abc.abstractmethod
    def _with(self, record: Record, schema: AvroSchema) -> Self:
        """Return the version with other data."""

    def _without_data(self, call: str) -> SchemaError:
        """Return the error of a call that needs data, on a version without."""
        msg = f"{call} needs data, and the version with the key {self.record_key!r} has none; check is_delete first"
        return SchemaError(msg)

    def rewrite_record(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        target_schema: AvroSchema,
        metadata_values: MetadataValues | None = None,
    ) -> Self:
        """Return the version in `target_schema`, copied by name, with the meta columns filled.

        A target with as many fields as `record_schema` has nothing to prepend: the data stays as it is.

        Raises:
            SchemaError: a value is given for a meta column that the target lacks, or the version carries no data.
        """
        widened = project_record(self._read("rewrite_record", record_schema), record_schema, target_schema)
        return self._with((metadata_values or MetadataValues()).applied_to(widened, target_schema), target_schema)

    def rewrite_record_with_new_schema(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        new_schema: AvroSchema,
        renames: Mapping[str, str] | None = None,
        *,
        release: HudiRelease = HudiRelease.latest(),
    ) -> Self:
        """Return the version in `new_schema`: fields by name or rename, values promoted, defaults filled in.

        Raises:
            SchemaError: a new field can be neither filled nor null, a value can't be promoted, or the version carries
                no data.
        """
        data = self._read("rewrite_record_with_new_schema", record_schema)
        return self._with(rewrite_record_with_new_schema(data, record_schema, new_schema, release, renames), new_schema)

    def update_metadata_values(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        metadata_values: MetadataValues,
    ) -> Self:
        """Return the version with other values in its meta columns.

        Raises:
            SchemaError: `record_schema` lacks one of the meta columns, or the version carries no data.
        """
        data = self._read("update_metadata_values", record_schema)
        return self._with(metadata_values.applied_to(data, record_schema), record_schema)
