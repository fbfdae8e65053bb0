"""What a check of a compiled class against a release finds: faults, and overrides that nothing calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from payloads import HudiRelease


_HUDI: Final = "org.apache.hudi."


class Fault(NamedTuple):
    """What a class needs and a release does not give.

    Attributes:
        error: the error that Java raises, without its package.
        text: what is wrong, in a clause.
        user_class: the full name of the class whose code needs it.
        method: its method, as a source writes it; empty where the class itself can't be loaded or built.
        lines: the lines of its source; empty if they are not known.
        instead: what to write instead; empty if that is not known.
        is_reached: whether what Hudi calls may come to it.
        is_caught: whether a handler catches the error.
        missing_class: the full name of a class that is nowhere; None for everything else.
    """

    error: str
    text: str
    user_class: str
    method: str = ""
    lines: tuple[int, ...] = ()
    instead: str = ""
    is_reached: bool = True
    is_caught: bool = False
    missing_class: str | None = None

    @property
    def breaks(self) -> bool:
        """Whether a merge may fail by it."""
        return self.is_reached and not self.is_caught

    @property
    def where(self) -> str:
        """The place in the source."""
        short = short_name(self.user_class)
        place = f"{short}.{self.method}" if self.method else short
        if not self.lines:
            return place
        *most, last = map(str, self.lines)
        return f"{place}, line {last}" if not most else f"{place}, lines {', '.join(most)} and {last}"

    def __str__(self) -> str:
        advice = f"; {self.instead}" if self.instead else ""
        return f"{self.text} ({self.error} in {self.where}){advice}"


class DeadOverride(NamedTuple):
    """A method that overrides one of Hudi's in another release alone.

    Attributes:
        user_class: the full name of the class that has it.
        method: the method, as a source writes it.
        alive: the releases in which Hudi calls it.
        called: what is called instead, of the same name.
    """

    user_class: str
    method: str
    alive: tuple[HudiRelease, ...]
    called: tuple[str, ...] = ()

    def __str__(self) -> str:
        instead = f"{' and '.join(self.called)} runs instead" if self.called else "nothing runs instead"
        return f"{short_name(self.user_class)}.{self.method} overrides nothing, so Hudi never calls it: {instead}"


class Linkage(NamedTuple):
    """How a class links to a release.

    Attributes:
        name: the full name of the class.
        release: the release.
        faults: what it needs and does not get, what breaks a merge first.
        dead: its overrides of which the release calls none.
        advice: what holds only under conditions, in sentences.
    """

    name: str
    release: HudiRelease
    faults: tuple[Fault, ...] = ()
    dead: tuple[DeadOverride, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def breaking(self) -> tuple[Fault, ...]:
        """The faults by which a merge may fail."""
        return tuple(fault for fault in self.faults if fault.breaks)

    @property
    def links(self) -> bool:
        """Whether nothing that Hudi calls comes to a fault."""
        return not self.breaking

    @property
    def refusal(self) -> str | None:
        """Why no merge should begin with the class, and what to do; None if nothing is in its way."""
        faults = self.breaking
        if not faults:
            return None
        first, *others = faults
        more = f"; {len(others)} more: payload-bridge payloads {self.name} --jar ..." if others else ""
        if first.missing_class is not None and not first.missing_class.startswith(_HUDI):
            needing = f"which {first.user_class} needs, is in none of the jars"
            return f"{first.missing_class}, {needing}; add another --jar{more}"
        return f"{self.name} does not link to Hudi {self.release}: {first}{more}"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What else the user should know: overrides that are dead, what fails outside merges, conditions."""
        under = f"under Hudi {self.release} "
        unreached = (f"{under}{fault}, which no merge reaches" for fault in self.faults if not fault.is_reached)
        caught = (f"{under}{fault}, and the class catches that" for fault in self.faults if fault.is_caught)
        return (*(f"{under}{one}" for one in self.dead), *unreached, *caught, *self.advice)


def short_name(name: str) -> str:
    """Return the name of a class as a source writes it, without its package."""
    return name.rpartition(".")[2].replace("$", ".")
