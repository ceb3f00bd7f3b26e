"""Lazy loading, registries with entry points, and the bibliography.

A registry names built-in declarations by address ("evenhand.tasks.spans.task:TASK") and imports them on first use, so
listing names costs nothing. A package adds a declaration with an entry point of the registry's group:

    [project.entry-points."evenhand.formats"]
    our-json = "our_package.our_json:FORMAT"

A plug-in that cannot be loaded is left out with a `PluginWarning`.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evenhand.dataclass import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
_ADDRESSES = "_addresses"
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)


class _Package(ModuleType):
    """A package with lazy attributes (PEP 562). A function may have the name of a subpackage: `evenhand.report`."""

    def __getattr__(self, name: str) -> object:
        addresses = self.__dict__[_ADDRESSES]
        if name not in addresses:
            raise AttributeError(f"{self.__name__} has no {name!r}")
        path, _, attribute = addresses[name].partition(":")
        module = import_module(path)
        value = self.__dict__[name] = getattr(module, attribute, module)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dict__[_ADDRESSES] or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self.__dict__[_ADDRESSES])


def set_lazy_attributes(package: str, names: Mapping[str, Sequence[str]], **renamed: str) -> None:
    """Give a module public names, listed by the modules from which they are imported on first use.

    A module may be the value itself. `renamed` has the addresses (`module:name`) of objects with other names.
    """
    module, addresses = sys.modules[package], {name: f"{path}:{name}" for path in names for name in names[path]}
    addresses |= renamed
    module.__dict__.update({_ADDRESSES: addresses, "__all__": sorted(addresses)})
    module.__class__ = _Package


def load(address: str) -> Any:
    """Import the object at `module:name`."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


def lazy(address: str) -> Callable[..., Any]:
    """Return the function at `module:name`, imported when it is first called."""
    return _LazyFunction(address)


class _LazyFunction:
    def __init__(self, address: str) -> None:
        self._address = address

    @cached_property
    def _function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = load(self._address)
        return function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._function(*arguments, **keywords)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _LazyFunction) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)

    def __reduce__(self) -> tuple[Callable[[str], _LazyFunction], tuple[str]]:
        return _LazyFunction, (self._address,)


class PluginWarning(UserWarning):
    """A plug-in that was left out, with the reason."""


class Registry(Generic[T]):
    """Declarations of one kind by name: the built-in ones first, then plug-ins by name."""

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

    def plugins_first(self) -> Iterator[T]:
        """Yield plug-ins, then the built-in declarations. Each is loaded when it is reached."""
        return (self[name] for name in (*self._plugins, *self._built_in))

    @cached_property
    def _plugins(self) -> dict[str, T]:
        points = _entry_points()
        if points is not None and not any(f"[{self._group}]".encode() in text for text in points):
            return {}
        from importlib.metadata import entry_points  # slow to load

        plugins: dict[str, T] = {}
        for point in sorted(entry_points(group=self._group), key=lambda point: point.name):
            problem = None
            if point.name in self._built_in:
                problem = "Evenhand has one of that name"
            elif point.name in plugins:
                problem = "another plug-in has that name"
            else:
                try:
                    plugins[point.name] = self._load_plugin(point)
                except Exception as error:
                    problem = f"{type(error).__name__}: {error}"
            if problem is not None:
                origin = f" of {point.dist.name}" if point.dist is not None else ""
                message = f"The plug-in {point.name!r}{origin} ({self._group}) is left out: {problem}."
                warnings.warn(message, PluginWarning, stacklevel=2)
        return plugins

    def _load_plugin(self, point: EntryPoint) -> T:
        kind: type[T] = load(self._kind) if isinstance(self._kind, str) else self._kind
        declared = point.load()
        if not isinstance(declared, kind):
            raise TypeError(f"{point.value} is not a {kind.__name__}")
        name = getattr(declared, "name", point.name)
        if name != point.name:
            raise ValueError(f"its declaration is called {name!r}")
        return declared


@cache
def _entry_points() -> list[bytes] | None:
    """Return the content of all `entry_points.txt` files; None if the path has an archive, which is not searched.

    `importlib.metadata` is slow to load and only needed if one of them has the registry's group.
    """
    points = []
    for folder in sys.path:
        if os.path.isfile(folder):
            return None
        with suppress(OSError):
            for name in os.listdir(folder or os.curdir):
                if name.endswith((".dist-info", ".egg-info")):
                    with suppress(OSError), open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                        points.append(file.read())
    return points


@dataclass(frozen=True)
class BibliographyEntry:
    """One entry of the bibliography, `references.bib`."""

    key: str
    fields: Mapping[str, str]
    bibtex: str
    """The unchanged text of the entry."""

    @property
    def authors(self) -> list[str]:
        """The authors with last names first."""
        return [name.strip("{}") for name in self.fields["author"].split(" and ")]

    @property
    def label(self) -> str:
        """The citation in definitions: "Ortmann 2022", "Efron and Tibshirani 1993", "Vilain et al. 1995"."""
        names = self._last_names
        return f"{names[0]} et al. {self.year}" if len(names) > 2 else self.full_label

    @property
    def full_label(self) -> str:
        return f"{_join_names(self._last_names)} {self.year}"

    @property
    def year(self) -> str:
        return self.fields["year"]

    @property
    def _last_names(self) -> list[str]:
        return [name.partition(",")[0] for name in self.authors]

    @property
    def line(self) -> str:
        """The entry in a list of references."""
        title = self.fields["title"] + ("" if self.fields["title"].endswith(("?", "!")) else ".")
        publication = self._publication()
        parts = [f"{_join_names(self.authors)} ({self.year}).", title, f"{publication}." if publication else ""]
        return re.sub(r"[{}\\]", "", " ".join(filter(None, parts)).replace("--", "-"))

    def _publication(self) -> str:
        fields = self.fields
        number = f"({fields['number']})" if "number" in fields else ""
        volume = f" {fields['volume']}{number}" if "volume" in fields else ""
        edition = f"{fields['edition']} edition, " if "edition" in fields else ""
        name = next((fields[key] for key in ("journal", "booktitle", "publisher", "howpublished") if key in fields), "")
        pages = f", {fields['pages']}" if "pages" in fields else ""
        note = f". {fields['note']}" if "note" in fields else ""
        return f"{edition}{name}{volume}{pages}{note}"


def _join_names(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


@cache
def references() -> tuple[BibliographyEntry, ...]:
    """Return all entries in alphabetical order."""
    from importlib.resources import files  # loads tempfile

    entries = files("evenhand").joinpath("references.bib").read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(
        BibliographyEntry(entry.split("{")[1].split(",")[0], dict(_FIELD.findall(entry)), entry) for entry in entries
    )


def named_in(text: str) -> list[BibliographyEntry]:
    """Return the entries that a text cites, in alphabetical order."""
    plain, keys = " ".join(text.split()), set()
    labels = {label: reference.key for reference in references() for label in (reference.label, reference.full_label)}
    for label in sorted(labels, key=len, reverse=True):  # "Sekine and Collins 1997" does not cite "Collins 1997"
        plain, count = re.subn(rf"(?<!\w){re.escape(label)}(?!\d)", "", plain)
        keys |= {labels[label]} if count else set()
    return [reference for reference in references() if reference.key in keys]
