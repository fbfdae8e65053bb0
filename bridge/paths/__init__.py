"""Every way that the versions of a key can take through a table, and whether it matters."""
