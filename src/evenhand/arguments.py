"""Arguments of the public functions: which keywords there are and what kinds of values they take.

They are checked before anything is done with them, so that what is wrong gets a sentence of our own.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.suggestion import unknown

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Kind:
    """What fits, and how messages call it."""

    expected: str
    fits: Callable[[Any], bool]

    def __or__(self, other: Kind) -> Kind:
        return Kind(f"{self.expected}, or {other.expected}", lambda value: self.fits(value) or other.fits(value))


def shown(value: object) -> str:
    """A value of any type in one line of a message."""
    try:
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # Python spells no integers with thousands of digits
        return f"a value of type {type(value).__name__} that is too long to be shown"


def briefly(value: object) -> str:
    """The same for data that may be confidential: one member of a list, and few characters of a text."""
    brief = reprlib.Repr()
    brief.maxstring = brief.maxother = _MOST_QUOTED
    brief.maxlist = brief.maxtuple = brief.maxdict = brief.maxset = brief.maxfrozenset = brief.maxdeque = 1
    return " ".join(brief.repr(value).split())


def _is_flag(value: Any) -> bool:
    """Whether it is true or false; 1 and 0 are these as well, also those of arrays."""
    return (isinstance(value, Integral) or type(value).__name__ in ("bool", "bool_")) and value in (0, 1)


def _is_file(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, os.PathLike) and isinstance(os.fspath(value), str))


def _is_column(value: Any) -> bool:
    return isinstance(value, str | Integral) and not isinstance(value, bool)


def _all(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether it has several values of a kind. Those that come one by one are looked at when they are taken."""

    def fit(value: Any) -> bool:
        if isinstance(value, Iterator):
            return True
        return isinstance(value, Collection) and not isinstance(value, bytes | Mapping) and all(map(fits, value))

    return fit


def _by_side(kind: Kind) -> Kind:
    """One value, or one for each side."""

    def fit(value: Any) -> bool:
        return isinstance(value, Mapping) and all(map(kind.fits, value.values()))

    return kind | Kind('a mapping with the keys "gold" and "system"', fit)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, (*value, *value.values())))


def _is_limits(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value)) and all(map(_is_limit, value.values()))


def _is_limit(value: Any) -> bool:
    return isinstance(with_unit(value, 1), Real)


_UNIT = re.compile(r"\s*([+-]?[0-9]*\.?[0-9]+)\s*(%|pp)\s*")


def with_unit(value: object, whole: float) -> object:
    """A text with a unit ("85%", "1pp") as a number on a scale up to `whole`; anything else unchanged."""
    found = _UNIT.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else float(found[1]) * whole / 100


SIDES = ("gold", "system")
_SIDED = ("format", "column", "encoding", "offsets", "annotator")
"""The keywords that may have another value for each side."""
TEXT = Kind("a text", _is_text)
NAMES = Kind("a text or a list of texts", _all(_is_text))
FLAG = Kind("True or False", _is_flag)
NUMBER = Kind("a number", lambda value: isinstance(value, Real))
WHOLE = Kind("a whole number", lambda value: isinstance(value, Integral))
FILE = Kind("the path of a file", _is_file)
COLUMNS = Kind(
    "the number or name of a column or a list of these", lambda value: _is_column(value) or _all(_is_column)(value)
)
COLUMN = Kind("the number or name of a column", _is_column)
PERCENT = Kind(
    "a whole number or 'off'", lambda value: isinstance(value, str | Integral) and not isinstance(value, bool)
)
LIMITS = Kind("a mapping from names of scores to numbers", _is_limits)
NOTHING = Kind("None", lambda value: value is None)
KINDS = {
    **dict.fromkeys(("labels", "exclude", "slices"), NAMES),
    "match": NAMES | NOTHING,
    **dict.fromkeys(("repair", "groups", "interval"), TEXT),
    **dict.fromkeys(("task", "align", "by", "baseline", "show", "sort", "title", "delimiter", "group"), TEXT | NOTHING),
    **dict.fromkeys(("functions", "sequence", "alpha_u", "gamma", "only"), FLAG),
    "beta": NUMBER,
    **dict.fromkeys(("floor", "ceiling"), LIMITS | NOTHING),
    "jobs": WHOLE | NOTHING,
    **dict.fromkeys(("format", "encoding", "offsets", "annotator"), _by_side(TEXT) | NOTHING),
    "column": _by_side(COLUMNS | NOTHING) | NOTHING,
    "map": replace(NAMES, expected="a list of texts such as OLD=NEW") | Kind("a mapping from texts to texts", _is_map),
    "vocabulary": FILE | Kind("a list of words", _all(_is_text)) | NOTHING,
    "engine": Kind("an engine of evenhand.engines", callable) | NOTHING,
}
"""The kinds of keywords, by name; one name is one kind in all functions. Those with a range are checked by these."""


def checked_arguments(
    also: Callable[[], Iterable[str]] = tuple, *, inputs: Collection[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function refuse keywords of the wrong kind, and those that are none of its own, nor among `also`.

    `also` gives the keywords that it hands on. `inputs` are files or annotations, which whoever opens them checks.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        code = function.__code__  # `inspect`, which knows as much, takes long to load
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

        @wraps(function)
        def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
            for name, value in keywords.items():
                if name not in own and name not in (known := {*own, *also()}):
                    raise SettingError(_unknown_option(function.__name__, name, known))
                if name not in inputs:
                    check_kind(name, value)
            return function(*arguments, **keywords)

        return checked

    return decorated


def check_kind(name: str, value: object) -> None:
    """Raise an error if a keyword has a value of another kind than its own, or for a side that there is not."""
    if name in _SIDED and name != "format" and isinstance(value, Mapping):  # systems may have formats of their own
        unknown = [side for side in value if side not in SIDES]
        if unknown:
            raise SettingError(f"{name} has no side {shown(unknown[0])}; the sides are {' and '.join(SIDES)}.")
    if name in KINDS and not KINDS[name].fits(value):
        raise SettingError(f"{name} is {shown(value)}; give {KINDS[name].expected}.")


def _unknown_option(function: str, name: str, known: Iterable[str]) -> str:
    """The sentence about a keyword that a function does not have."""
    return unknown(f"{function} has no option {shown(name)}", name, sorted(known), f"see help(evenhand.{function})")


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """A value as an integer; refused where it is no whole number, or out of range."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        limits = f"{least} or more" if most is None else f"from {least} to {most:,}"
        raise SettingError(f"{name} is {shown(value)}; it must be a whole number, {limits}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def number_that(name: str, value: object, fits: Callable[[float], bool], expected: str) -> float:
    """A value as a number; refused if it is not one, does not fit, or is too large for a float."""
    try:
        if isinstance(value, Real) and not isinstance(value, bool) and fits(float(value)):
            return float(value)
    except OverflowError:
        pass
    raise SettingError(f"{name} is {shown(value)}; it must be {expected}.")


_MOST_QUOTED = 20
"""How many characters of a text a message quotes: it may be a patient's record, and messages go to logs."""
_SUFFIX = re.compile(r"\.[A-Za-z0-9_-]{1,12}")
_KNOWN_SUFFIX = re.compile(
    r"(?i)\.(conll\w*|bio\w*|iob\w*|tsv|csv|tab|txt|text|dat|data|json\w*|ndjson|xml|html?|md|ann|a[12]|mrg|psd|prm|"
    r"parquet|arrow|feather|spacy|xlsx?|toml|ya?ml|gz|bz2|xz|zst|zip|gold|pred|out|tags|ner|key|response)"
)


def check_path(text: str) -> None:
    """Refuse a text that is not the path of a file, and quote only its beginning.

    A path exists, or its folder does, or it looks like one: with blanks it has a common ending; without, it is short,
    or has an ending, or consists of ASCII characters.
    """
    if not _is_path(text):
        begin = text[:_MOST_QUOTED] + ("…" if len(text) > _MOST_QUOTED else "")
        finding = f"Expected the path of a file, got a text of {len(text):,} characters ({begin!r})"
        raise SettingError(f"{finding}; give a path, or make an annotation of the data, as eh.tags and eh.spans do.")


def _is_path(text: str) -> bool:
    if re.search("[\r\n]", text):
        return False
    folder, name = os.path.split(text)
    if "\0" not in text and (os.path.lexists(text) or (folder.strip("/") and os.path.isdir(folder))):
        return True
    suffix = os.path.splitext(name)[1]
    if re.search(r"\s", text):
        return _KNOWN_SUFFIX.fullmatch(suffix) is not None
    # Prose without blanks is in a script other than Latin.
    return len(text) <= _MOST_QUOTED or text.isascii() or _SUFFIX.fullmatch(suffix) is not None


def check_file(value: object) -> None:
    """Raise an error if something is no path of a file."""
    if not _is_file(value):
        raise SettingError(f"{briefly(value)} is not a file; give a path or an address as a text, or a pathlib.Path.")
    if not os.fspath(value):  # type: ignore[call-overload]
        raise SettingError("The path of a file is empty; name a file.")
