"""Registries of declarations: what is built in, and what installed packages add through entry points.

A built-in declaration is named by its address ("evenhand.tasks.spans.task:TASK") and imported on first use, so that
listing names costs nothing. A package adds one with an entry point of the registry's group:

    [project.entry-points."evenhand.formats"]
    our-json = "our_package.our_json:FORMAT"

A plug-in that cannot be loaded is left out with a `PluginWarning`; everything else goes on working.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evenhand.dataclass import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# == names.py: Packages with names that are loaded on first use (PEP 562),


_HOMES = "_homes"


class _Package(ModuleType):
    """Public names stay what they are: `evenhand.report` is the function, though a folder has the same name."""

    def __getattr__(self, name: str) -> object:
        homes = self.__dict__[_HOMES]
        if name not in homes:
            raise AttributeError(f"{self.__name__} has no {name!r}")
        home = import_module(homes[name])
        value: object = getattr(home, name, home)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dict__[_HOMES] or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self.__dict__[_HOMES])


def load_late(package: str, homes: Mapping[str, str]) -> None:
    """Let a package have public names: each is what the module at its home calls so, or else that module itself."""
    module = sys.modules[package]
    module.__dict__.update({_HOMES: homes, "__all__": sorted(homes)})
    module.__class__ = _Package


# == references.py: The literature behind the numbers: `references.bib`, which d


_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)


@dataclass(frozen=True)
class Reference:
    """One entry of the bibliography."""

    key: str
    fields: Mapping[str, str]
    bibtex: str
    """The entry as it stands in the file."""

    @property
    def authors(self) -> list[str]:
        """As the entry has them: last names first."""
        return [name.strip("{}") for name in self.fields["author"].split(" and ")]

    @property
    def label(self) -> str:
        """What definitions call it: "Ortmann 2022", "Efron and Tibshirani 1993", "Vilain et al. 1995"."""
        names = self._names
        return f"{names[0]} et al. {self.year}" if len(names) > 2 else self.full_label

    @property
    def full_label(self) -> str:
        """The same with all authors."""
        *others, last = self._names
        return f"{', '.join(others)} and {last} {self.year}" if others else f"{last} {self.year}"

    @property
    def year(self) -> str:
        return self.fields["year"]

    @property
    def _names(self) -> list[str]:
        return [name.partition(",")[0] for name in self.authors]

    @property
    def line(self) -> str:
        """The entry as a list of references shows it."""
        *others, last = self.authors
        authors = f"{', '.join(others)} and {last}" if others else last
        title = self.fields["title"] + ("" if self.fields["title"].endswith(("?", "!")) else ".")
        parts = [f"{authors} ({self.year}).", title, f"{where}." if (where := self._place()) else ""]
        return re.sub(r"[{}\\]", "", " ".join(filter(None, parts)).replace("--", "-"))

    def _place(self) -> str:
        """Where it was published."""
        fields = self.fields
        number = f"({fields['number']})" if "number" in fields else ""
        volume = f" {fields['volume']}{number}" if "volume" in fields else ""
        edition = f"{fields['edition']} edition, " if "edition" in fields else ""
        name = next((fields[key] for key in ("journal", "booktitle", "publisher", "howpublished") if key in fields), "")
        pages = f", {fields['pages']}" if "pages" in fields else ""
        note = f". {fields['note']}" if "note" in fields else ""
        return f"{edition}{name}{volume}{pages}{note}"


@cache
def references() -> tuple[Reference, ...]:
    """All entries, in alphabetical order."""
    from importlib.resources import files  # loads tempfile

    text = files("evenhand").joinpath("references.bib").read_text(encoding="utf-8")
    return tuple(_reference(entry) for entry in text.strip().split("\n\n"))


def _reference(entry: str) -> Reference:
    return Reference(entry.partition("{")[2].partition(",")[0], dict(_FIELD.findall(entry)), entry)


def named_in(text: str) -> list[Reference]:
    """The entries that a text names, in alphabetical order."""
    plain, found = " ".join(text.split()), set()
    labels = {label: reference.key for reference in references() for label in (reference.label, reference.full_label)}
    for label in sorted(labels, key=len, reverse=True):  # "Sekine and Collins 1997" does not name "Collins 1997"
        plain, count = re.subn(rf"(?<!\w){re.escape(label)}(?!\d)", "", plain)
        found |= {labels[label]} if count else set()
    return [reference for reference in references() if reference.key in found]


# == registry.py (primary)


T = TypeVar("T")


class PluginWarning(UserWarning):
    """A plug-in is left out, and why."""


def load(address: str) -> Any:
    """The object at `module:name`."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


def lazy(address: str) -> Callable[..., Any]:
    """The function at `module:name`, which is imported when it is first called."""
    return _Late(address)


class _Late:
    def __init__(self, address: str) -> None:
        self._address = address

    @cached_property
    def _function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = load(self._address)
        return function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._function(*arguments, **keywords)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Late) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __reduce__(self) -> tuple[Callable[[str], _Late], tuple[str]]:
        return _Late, (self._address,)


class Registry(Generic[T]):
    """Declarations of one kind by their names: the built-in ones first, then plug-ins by name."""

    def __init__(self, group: str, kind: type[T] | str, built_in: Mapping[str, str]) -> None:
        """`kind` is the class of a declaration, or its address."""
        self._group, self._kind, self._built_in = group, kind, dict(built_in)
        self._loaded: dict[str, T] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter((*self._built_in, *self._plugins))

    def __getitem__(self, name: str) -> T:
        if name in self._built_in and name not in self._loaded:
            self._loaded[name] = load(self._built_in[name])
        return self._loaded[name] if name in self._loaded else self._plugins[name]

    def values(self) -> list[T]:
        return [self[name] for name in self]

    @cached_property
    def _plugins(self) -> dict[str, T]:
        """What installed packages add, by name."""
        if not _may_have(self._group):
            return {}
        from importlib.metadata import entry_points  # takes a while to load

        plugins: dict[str, T] = {}
        for point in sorted(entry_points(group=self._group), key=lambda point: point.name):
            problem = None
            if point.name in self._built_in:
                problem = "Evenhand has one of that name"
            elif point.name in plugins:
                problem = "another plug-in has that name"
            else:
                try:
                    plugins[point.name] = self._checked(point)
                except Exception as error:
                    problem = f"{type(error).__name__}: {error}"
            if problem is not None:
                origin = f" of {point.dist.name}" if point.dist is not None else ""
                message = f"The plug-in {point.name!r}{origin} ({self._group}) is left out: {problem}."
                warnings.warn(message, PluginWarning, stacklevel=2)
        return plugins

    def _checked(self, point: EntryPoint) -> T:
        kind: type[T] = load(self._kind) if isinstance(self._kind, str) else self._kind
        declared = point.load()
        if not isinstance(declared, kind):
            raise TypeError(f"{point.value} is no {kind.__name__}")
        name = getattr(declared, "name", point.name)
        if name != point.name:
            raise ValueError(f"its declaration is called {name!r}")
        return declared


def _may_have(group: str) -> bool:
    """Whether an installed package may add something; found without `importlib.metadata`, which takes long to load."""
    found = _entry_points()
    return found is None or any(f"[{group}]".encode() in each for each in found)


@cache
def _entry_points() -> list[bytes] | None:
    """The files with entry points of all packages; None if there is an archive, whose packages others must look for."""
    points = []
    for folder in sys.path:
        if os.path.isfile(folder):
            return None
        for name in _names(folder or os.curdir):
            if name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                    points.append(file.read())
    return points


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
