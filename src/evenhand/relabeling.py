"""Labels by other names: one that takes another's place, or several taken as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.dataclass import dataclass
from evenhand.problems import SettingError

_SIDES = ("gold", "system")


@dataclass(frozen=True)
class Supertag:
    """Several labels taken as one, beside them: those named or, without any, all.

    Their spans get the name of the supertag and are matched and counted anew, under every match model but `accuracy`.
    The scores stand beside those of the labels and enter no average.

    Source: Esuli and Sebastiani 2010, section 4.1.
    """

    name: str
    labels: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> Supertag:
        """`NAME` for all labels, `NAME=LABEL,LABEL` for some."""
        name, equals, rest = text.partition("=")
        labels = tuple(part.strip() for part in rest.split(",") if part.strip())
        if not name.strip() or (equals and not labels):
            raise SettingError(f"{text!r} is no supertag; write NAME, or NAME=LABEL,LABEL.")
        return Supertag(name.strip(), labels)

    def __str__(self) -> str:
        return f"{self.name}={'+'.join(self.labels)}" if self.labels else self.name


@dataclass(frozen=True)
class LabelMap:
    """`old` becomes `new`: on both sides, or on the side that `only` names (`gold`, `system`, or one system)."""

    old: str
    new: str
    only: str | None = None

    @staticmethod
    def parse(text: str, systems: Sequence[str]) -> LabelMap:
        """`OLD=NEW`, `system:OLD=NEW`, `gold:OLD=NEW` or `NAME:OLD=NEW`; other colons belong to the label."""
        old, _, new = text.partition("=")
        if not (old and new):
            raise SettingError(f"{text!r} is no label map; write OLD=NEW, or system:OLD=NEW for one side only.")
        return LabelMap.of(old, new, systems)

    @staticmethod
    def of(old: str, new: str, systems: Sequence[str]) -> LabelMap:
        """The old label may have a side before it, as in `parse`; both may hold equals signs, as features do."""
        if not all(isinstance(label, str) and label for label in (old, new)):
            raise SettingError(f"{old!r} to {new!r} is no label map; give a text for each label.")
        side, colon, rest = old.partition(":")
        if colon and rest and side in (*_SIDES, *systems):
            return LabelMap(rest, new, side)
        return LabelMap(old, new)

    def applies_to(self, side: str, name: str) -> bool:
        """Whether it applies to this side (`gold` or `system`), whose file is called `name`.

        `gold` and `system` always refer to the side, even if a system has this name.
        """
        return self.only is None or self.only == side or (side == "system" and self.only == name and name not in _SIDES)

    def __str__(self) -> str:
        return f"{self.only}:{self.old}={self.new}" if self.only else f"{self.old}={self.new}"


def label_maps(given: Mapping[str, str] | Sequence[str], systems: Sequence[str]) -> tuple[LabelMap, ...]:
    """Label maps as a user gives them: a mapping from old to new, or texts `OLD=NEW`."""
    if isinstance(given, Mapping):
        return tuple(LabelMap.of(old, new, systems) for old, new in given.items())
    return tuple(LabelMap.parse(text, systems) for text in ([given] if isinstance(given, str) else given))
