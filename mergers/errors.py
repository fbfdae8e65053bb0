"""The errors of the merger layer; their root is the payload layer's `PayloadBridgeError`."""

from __future__ import annotations

from payloads.errors import PayloadBridgeError


class UnsupportedRecordOperationError(PayloadBridgeError, RuntimeError):
    """A record type does not support this call (UnsupportedOperationException of HoodieRecord)."""

    @classmethod
    def from_call(cls, carrier: type, call: str, instead: str) -> UnsupportedRecordOperationError:
        """Build the error for a call of a record type; `instead` says what to do."""
        return cls(f"{carrier.__name__} does not support {call}; {instead}")


class MergerConfigError(PayloadBridgeError, ValueError):
    """A merger, its strategy or its implementations are configured in a way that can't work."""


class MergerNotFoundError(PayloadBridgeError, LookupError):
    """No implementation has the strategy and the record type that were requested, or a name does not exist."""
