"""Registries of declarations: what is built in, and what installed packages add through entry points.

A built-in declaration is named by its address ("evenhand.tasks.spans.task:TASK") and imported on first use, so that
listing names costs nothing. A package adds one with an entry point of the registry's group:

    [project.entry-points."evenhand.formats"]
    our-json = "our_package.our_json:FORMAT"

A plug-in that cannot be loaded is left out with a `PluginWarning`; everything else goes on working.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class PluginWarning(UserWarning):
    """A plug-in is left out, and why."""


def load(address: str) -> Any:
    """The object at `module:name`."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


def late(address: str) -> Callable[..., Any]:
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

        found: dict[str, T] = {}
        for point in sorted(entry_points(group=self._group), key=lambda point: point.name):
            problem = None
            if point.name in self._built_in:
                problem = "Evenhand has one of that name"
            elif point.name in found:
                problem = "another plug-in has that name"
            else:
                try:
                    found[point.name] = self._checked(point)
                except Exception as error:
                    problem = f"{type(error).__name__}: {error}"
            if problem is not None:
                origin = f" of {point.dist.name}" if point.dist is not None else ""
                message = f"The plug-in {point.name!r}{origin} ({self._group}) is left out: {problem}."
                warnings.warn(message, PluginWarning, stacklevel=2)
        return found

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
    found = []
    for folder in sys.path:
        if os.path.isfile(folder):
            return None
        for name in _names(folder or os.curdir):
            if name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                    found.append(file.read())
    return found


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
