"""Code as users write it, which mypy checks from outside: it is not run."""
