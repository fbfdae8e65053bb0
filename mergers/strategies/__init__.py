"""Merge rules that need no payload: one module a strategy, its implementations side by side under one UUID."""
