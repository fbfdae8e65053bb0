"""How one row came about: every merge call of its key, and what decided it."""
