"""Values of options that are names of something: which there are, for messages and for the completion of shells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from evenhand.arguments import SIDES
from evenhand.settings import choose

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Known = Callable[[click.Context], Iterable[str]]


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of some names; for another one, the nearest is suggested."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        choose(max(param.opts, key=len) if param is not None else "the value", value, tuple(self.choices))
        return value


class Name(click.ParamType):  # type: ignore[type-arg]
    """A name of which shells know some. Whether it is right may depend on the files, so that others say it."""

    name = "name"

    def __init__(self, known: Known = lambda ctx: ()) -> None:
        """`known` may look at the options that stand before."""
        self._known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _items(dict.fromkeys(name for name in self._known(ctx) if name.startswith(incomplete)))


class Names(Name):
    """Names with commas between them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        parts = value.split(",") if isinstance(value, str) else value
        return tuple(part.strip() for part in parts if part.strip())

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The last name, behind those that are there."""
        before, comma, begun = incomplete.rpartition(",")
        given = before.split(",")
        names = (each.value for each in super().shell_complete(ctx, param, begun) if each.value not in given)
        return _items(f"{before}{comma}{name}" for name in names)


class Sided(click.ParamType):  # type: ignore[type-arg]
    """VALUE for all files, or gold:VALUE or system:VALUE for one side.

    Where it `has_names`, also NAME:VALUE for one system.
    """

    name = "sided"

    def __init__(self, of: Name | Choice | click.types.StringParamType, *, has_names: bool = False) -> None:
        self._of, self._has_names = of, has_names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):  # a value that is converted
            return value
        side, colon, rest = value.partition(":")
        is_sided = colon and (side in SIDES or self._has_names)
        return (side if is_sided else None, self._of.convert(rest if is_sided else value, param, ctx))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        side, colon, rest = incomplete.partition(":")
        if colon and side in SIDES:
            return _items(f"{side}:{each.value}" for each in self._of.shell_complete(ctx, param, rest))
        sides = (f"{each}:" for each in SIDES if each.startswith(incomplete))
        return [*self._of.shell_complete(ctx, param, incomplete), *_items(sides)]


def _items(values: Iterable[str]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem  # only shells that complete need it

    return list(map(CompletionItem, values))
