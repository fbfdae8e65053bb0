"""The tables of `migration_guide/your_class.md` say what the released bundles have."""

from __future__ import annotations

import re

import pytest

from bridge.linkage import TABULATED
from bridge.linkage.class_file import Flag, written
from bridge.linkage.hudi_classes import hudi_classes
from payloads import HudiRelease
from tests.support.folders import GUIDE

PAGE = (GUIDE / "your_class.md").read_text("utf-8")
MEMBER = re.compile(r"\| `(\w+)\.([\w]+(?:\([^)]*\))?)` \| ([\d.]+) \| (.*) \|")
CLASS = re.compile(r"\| `(org\.apache\.hudi\.[\w.]+)` \| ([\d.]+) \| (.*) \|")
PLACES = ("avro", "common.model", "common.schema", "common.table", "common.util")
OPEN = Flag.PUBLIC | Flag.PROTECTED


def has(release: HudiRelease, owner: str, member: str) -> bool:
    """Whether a class of a release, or one that it extends, declares a member that others can use."""
    classes = hudi_classes(release)
    found = next((one for place in PLACES if (one := classes.get(f"org.apache.hudi.{place}.{owner}"))), None)
    while found is not None:
        for own in (*found.fields, *found.methods):
            if own.access & OPEN and written(own.name, own.descriptor) == member:
                return True
        found = classes.get(found.parent or "")
    return False


MEMBERS = [found.groups() for found in MEMBER.finditer(PAGE)]


def test_the_page_has_all_its_rows() -> None:
    assert len(MEMBERS) == 20
    assert len(CLASS.findall(PAGE)) == 2


@pytest.mark.parametrize(("owner", "member", "gone", "instead"), MEMBERS)
def test_a_member_is_there_until_it_is_gone(owner: str, member: str, gone: str, instead: str) -> None:
    since = HudiRelease.parse(gone)
    there = [release for release in TABULATED if has(release, owner, member)]
    assert there == [release for release in TABULATED if release < since]
    named = re.match(r"`(?:(\w+)\.)?([\w]+\([^)]*\))`", instead)
    if named is not None:
        assert has(since, named[1] or owner, named[2])


@pytest.mark.parametrize(("name", "gone", "instead"), CLASS.findall(PAGE))
def test_a_class_is_there_until_it_is_gone(name: str, gone: str, instead: str) -> None:
    since = HudiRelease.parse(gone)
    assert name in hudi_classes(HudiRelease.V0_15)
    assert not any(name in hudi_classes(release) for release in TABULATED if release >= since)
    if named := re.match(r"`([\w.]+)`", instead):
        assert all(named[1] in hudi_classes(release) for release in TABULATED)
