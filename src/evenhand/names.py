"""Packages with names that are loaded on first use (PEP 562), so that importing them costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

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
