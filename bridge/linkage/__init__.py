"""What compiled classes need of Hudi, held against the classes of its releases; without Spark, and without loading."""

from __future__ import annotations

from bridge.linkage.class_literals import extends, literals_of
from bridge.linkage.class_path import UserJars
from bridge.linkage.code_walk import MERGER, PAYLOAD
from bridge.linkage.hudi_classes import TABULATED
from bridge.linkage.linkage import DeadOverride, Fault, Linkage
from bridge.linkage.links_to import check_class, linkage_of, links_to

__all__ = [
    "MERGER",
    "PAYLOAD",
    "TABULATED",
    "DeadOverride",
    "Fault",
    "Linkage",
    "UserJars",
    "check_class",
    "extends",
    "linkage_of",
    "links_to",
    "literals_of",
]
