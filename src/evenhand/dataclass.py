"""A faster-loading drop-in for `dataclasses.dataclass`.

The standard decorator generates and compiles six methods per class. Here all classes share their methods, except
`__init__`, which must be fast and is generated when the first object is made. Type checkers see the standard decorator.

Measured on a small `score`, which loads 196 data classes and makes objects of 70 (CPU time, minimum of 15 runs, Python
3.11; standard decorator / this one): `--help` 102 / 85 ms, `score --help` 141 / 125 ms, `score` 652 / 554 ms, `compare`
672 / 589 ms. `msgspec.Struct` defines 400 classes in 6 ms (standard decorator: 230 ms; this one: 41 ms, and 29 ms for
the first objects). But subclasses override fields with cached properties, `replace` and `fields` of `dataclasses` are
used throughout, and `--help` would have to import msgspec (about 35 ms).
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
        """Decorate a class; with the options of the standard library."""
        return _with_methods(cls, **options) if cls is not None else lambda cls: _with_methods(cls, **options)


def _with_methods(
    cls: type, *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False, **rare: bool
) -> type:
    if rare:
        return dataclasses.dataclass(cls, frozen=frozen, eq=eq, repr=repr, kw_only=kw_only, **rare)
    declared = dict(vars(cls))
    dataclasses.dataclass(cls, init=False, repr=False, eq=False, kw_only=kw_only)
    methods: dict[str, object] = {"__init__": _LateInit(cls, frozen)}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods |= {"__eq__": _is_equal, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _set, "__delattr__": _delete}
    for name, method in methods.items():
        if declared.get(name) is None:  # a class that defines only `__eq__` has None for `__hash__`
            setattr(cls, name, method)
    return cls


class _LateInit:
    """Placeholder for the `__init__` of a class until it is called or its signature is read."""

    def __init__(self, cls: type, is_frozen: bool) -> None:
        self.cls, self.is_frozen = cls, is_frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        init = _make_init(self.cls, self.is_frozen)
        setattr(self.cls, "__init__", init)  # noqa: B010
        return init.__get__(instance, owner)


def _make_init(cls: type, is_frozen: bool) -> Callable[..., None]:
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
    init: Callable[..., None] = names["__init__"]
    init.__module__, init.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields(cls) if field.init} | {"return": None}
    return init


def _parameter(field: Field[Any], names: dict[str, Any]) -> tuple[str, str]:
    """Return the parameter of `__init__` for a field and the expression of its value; add the names they use."""
    name, default, make = field.name, f"default_{field.name}_", f"make_{field.name}_"
    if field.default is not MISSING:
        names[default] = field.default
        return f"{name}={default}", name if field.init else default
    if field.default_factory is not MISSING:
        names[make] = field.default_factory
        return f"{name}=MISSING_", f"{make}() if {name} is MISSING_ else {name}" if field.init else f"{make}()"
    return name, name if field.init else ""


@recursive_repr()
def _repr(self: Any) -> str:
    values = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({values})"


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
    """Raise unless the attribute was added by a subclass that is not a data class."""
    if "__dataclass_fields__" in vars(type(self)) or name in {field.name for field in fields(self)}:
        raise FrozenInstanceError(f"cannot {change} field {name!r}")
