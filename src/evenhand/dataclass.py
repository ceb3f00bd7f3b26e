"""The decorator `dataclass`: as that of the standard library, and quick to load.

A command loads a hundred data classes. The standard library writes and compiles six methods for each of them, which
takes longer than all else that modules do when they are loaded. Here the classes share their methods, and `__init__`,
which has to be fast, is written when the first object is made. Type checkers see the decorator of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """The decorator; options are those of the standard library."""
        return _with_methods(cls, **options) if cls is not None else lambda cls: _with_methods(cls, **options)


def _with_methods(
    cls: type, *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False, **rare: bool
) -> type:
    if rare:
        return dataclasses.dataclass(cls, frozen=frozen, eq=eq, repr=repr, kw_only=kw_only, **rare)
    own = dict(vars(cls))
    dataclasses.dataclass(cls, init=False, repr=False, eq=False, kw_only=kw_only)
    methods: dict[str, object] = {"__init__": _LateInit(cls, frozen)}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods |= {"__eq__": _is_equal, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _set, "__delattr__": _delete}
    for name, method in methods.items():
        if own.get(name) is None:  # a class with `__eq__` alone has None for `__hash__`
            setattr(cls, name, method)
    return cls


class _LateInit:
    """Stands for the `__init__` of a class until somebody calls it or asks for its signature."""

    def __init__(self, cls: type, is_frozen: bool) -> None:
        self.cls, self.is_frozen = cls, is_frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        written = _written_init(self.cls, self.is_frozen)
        setattr(self.cls, "__init__", written)  # noqa: B010
        return written.__get__(instance, owner)


def _written_init(cls: type, is_frozen: bool) -> Callable[..., None]:
    """The function that gives an object its fields."""
    names: dict[str, Any] = {"MISSING_": MISSING, "set_": object.__setattr__}
    positional, named, body = ["self"], ["*"], []
    for field in fields(cls):
        parameter, value = _parameter(field, names)
        if field.init:
            (named if field.kw_only else positional).append(parameter)
        if value:
            body.append(f"set_(self, {field.name!r}, {value})" if is_frozen else f"self.{field.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = positional + named if len(named) > 1 else positional
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), names)
    written: Callable[..., None] = names["__init__"]
    written.__module__, written.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    written.__annotations__ = {each.name: each.type for each in fields(cls) if each.init} | {"return": None}
    return written


def _parameter(each: Field[Any], names: dict[str, Any]) -> tuple[str, str]:
    """How `__init__` takes a field, and the expression for its value; the names of both are added."""
    name, default, make = each.name, f"default_{each.name}_", f"make_{each.name}_"
    if each.default is not MISSING:
        names[default] = each.default
        return f"{name}={default}", name if each.init else default
    if each.default_factory is not MISSING:
        names[make] = each.default_factory
        return f"{name}=MISSING_", f"{make}() if {name} is MISSING_ else {name}" if each.init else f"{make}()"
    return name, name if each.init else ""


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({shown})"


def _is_equal(self: Any, other: Any) -> Any:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _values(self: Any) -> tuple[object, ...]:
    return tuple([getattr(self, field.name) for field in fields(self) if field.compare])


def _set(self: object, name: str, value: object) -> None:
    _refuse_change(self, name, "assign to")
    object.__setattr__(self, name, value)


def _delete(self: object, name: str) -> None:
    _refuse_change(self, name, "delete")
    object.__delattr__(self, name)


def _refuse_change(self: Any, name: str, change: str) -> None:
    """Refuse to change a frozen object, but for what a subclass that is no data class adds."""
    if "__dataclass_fields__" in vars(type(self)) or name in {field.name for field in fields(self)}:
        raise FrozenInstanceError(f"cannot {change} field {name!r}")
