"""The errors of reading a table on storage: each names the file, what is wrong with it and what to do."""

from __future__ import annotations

from payloads.errors import PayloadBridgeError


class HudiTableError(PayloadBridgeError, ValueError):
    """A table, or one of its files, can't be read.

    Added in 0.1.0.
    """


class DamagedFileError(HudiTableError):
    """A file is not what its place and name say that it is."""


class UnreadableTableError(HudiTableError):
    """The table uses a layout that is not read here, or that the release's own reader refuses."""
