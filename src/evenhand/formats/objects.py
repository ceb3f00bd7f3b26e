"""Objects of other packages where a file could be: each is told by its type, and read by the format that adopts it.

Nothing is imported for that: whoever has such an object has loaded its package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.formats.format import Format, ObjectSupport
from evenhand.formats.registry import FORMATS
from evenhand.formats.source import Source


@dataclass(frozen=True, eq=False)
class WrappedObject:
    """An object of another package, and the format that adopts it."""

    value: Any
    format_name: str
    name: str
    is_pair: bool
    """Whether it holds a gold standard and a prediction."""

    @property
    def format(self) -> Format:
        return FORMATS[self.format_name]

    @property
    def source(self) -> Source:
        """What messages call it."""
        return Source(Path(self.name), alias=self.name)


def adopted(value: object, name: str | None = None) -> WrappedObject | None:
    """The object, if a format adopts it; None if none does. `name` is what a user calls it."""
    types = type_names(value[0]) if (is_list := isinstance(value, list | tuple)) and value else type_names(value)
    for each in FORMATS.values():
        if (adoption := each.objects) is not None and not types.isdisjoint(_taken(adoption, is_list=is_list)):
            return WrappedObject(value, each.name, name or adoption.name, not types.isdisjoint(adoption.pairs))
    return None


def _taken(adoption: ObjectSupport, *, is_list: bool) -> tuple[str, ...]:
    return adoption.members if is_list else adoption.types


def type_names(value: object) -> frozenset[str]:
    """The type of an object and those that it is derived from, each as `package.Type`."""
    return frozenset(f"{each.__module__.partition('.')[0]}.{each.__name__}" for each in type(value).__mro__)
