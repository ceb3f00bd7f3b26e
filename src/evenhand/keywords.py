"""Keywords of public functions: one that does not exist, or whose value is of the wrong type, gets a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral, Real
from reprlib import repr as short
from typing import ParamSpec, TypeVar

from evenhand.problems import SettingError

P = ParamSpec("P")
R = TypeVar("R")


def known_keywords(also: Iterable[str] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function refuse keywords that are none of its own, nor among `also`: those that it hands on."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        code = function.__code__  # `inspect`, which knows as much, takes long to load
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = {*own, *also}

        @wraps(function)
        def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
            for name in keywords:
                if name not in known:
                    raise SettingError(_unknown(function.__name__, name, sorted(known)))
            return function(*arguments, **keywords)

        return checked

    return decorated


def _unknown(function: str, name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # takes long to load

    nearest = get_close_matches(name, known, n=1)
    remedy = f"did you mean {nearest[0]}?" if nearest else f"help(evenhand.{function}) lists them."
    return f"{function} has no option {short(name)}; {remedy}"


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """A value as an integer; refused where it is no whole number, or out of range."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        limits = f"{least} or more" if most is None else f"from {least} to {most:,}"
        raise SettingError(f"{name} is {short(value)}; it must be a whole number, {limits}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def number_that(name: str, value: object, fits: Callable[[float], bool], expected: str) -> float:
    """A value as a number; refused where it is none, or does not fit."""
    if not isinstance(value, Real) or isinstance(value, bool) or not fits(value):  # type: ignore[arg-type]
        raise SettingError(f"{name} is {short(value)}; it must be {expected}.")
    return float(value)
