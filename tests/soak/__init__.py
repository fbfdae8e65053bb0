"""Random tables for as long as wanted, in one process with one session: `python -m tests.soak --help`."""
