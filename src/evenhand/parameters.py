"""Parameters: what a user can set of a task or a match model, declared once.

The keywords of Python, the options of the command line with their help, the checks of values, the signature and the
saved settings all come from the declaration.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown

_OTHER_NAMES = {"bio": "iob2", "bio2": "iob2", "iobes": "bioes"}
"""What else encodings are called, for suggestions."""


def choose(what: str, value: str | None, choices: Sequence[str], *, optional: bool = False) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices and not (optional and value is None):
        names = {name: name for name in choices} | {name: own for name, own in _OTHER_NAMES.items() if own in choices}
        raise SettingError(unknown(f"{what} is {value!r}", str(value), names, f"choose one of {', '.join(choices)}"))


# == arguments.py: Arguments of the public functions: which keywords there are


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


# == parameters.py (primary)


_KINDS: Mapping[str, Kind] = {
    "number": NUMBER,
    "whole": WHOLE,
    "flag": FLAG,
    "text": TEXT,
    "names": NAMES,
    "column": COLUMN,
    "percent": PERCENT,
    "file": FILE,
}


@dataclass(frozen=True)
class Parameter:
    """Something that a user can set.

    `parse` turns what a user gives into the value, `spell` writes the value in the signature, where its key is `key`.
    """

    name: str
    """The keyword in Python; the command line writes it with hyphens."""
    kind: str
    """`number`, `whole`, `flag`, `text`, `names`, `column`, `percent` or `file`."""
    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    """A number that the value must exceed."""
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    former: tuple[str, ...] = ()
    """Names that it had before, which are still taken."""
    parse: Callable[[Any], Any] | None = None
    stored: Any = None
    """The type of a parsed value, by which saved results are read, or the address of a type that takes long to load."""
    spell: Callable[[Any], str] = str
    key: str | None = None
    """What the signature calls it; the name with hyphens unless another one is given."""
    is_repeated: bool = False
    """Whether the option may be given several times."""
    optional: bool = False
    """Whether None is a value, which stands for the default."""
    compares: bool = True
    """Whether it can change what `compare` looks at."""
    labels: Callable[[Any], Sequence[str]] = lambda value: ()
    """The labels that a value names, which some file should have."""
    adds_model: bool = False
    """Whether giving it asks for its match model."""
    effect: str = "scores"
    """What it can change: `scores`, only those of `labels`, which further `rows` a table of scores has, or `gold`, what
    the gold standard is."""
    reads: bool = False
    """Whether readers of files look at it, so that commands that only read a file take it, too."""
    trait: str | None = None
    """What the format of a system must have (`own_traits`) for this to have an effect, where it does not always."""
    has_opposite: bool = False
    """Whether a flag can be given as `--no-…`, too; one whose default is True always can."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Options of other tools that users may try, and what to write instead."""
    file_of: str | None = None
    """What a file holds whose name the command line takes in place of the value."""

    @property
    def option(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def shown_default(self) -> str | None:
        """The default as help shows it; None where there is none, or the help says it in words."""
        if self.parse is not None or self.kind == "flag" or self.default in (None, ()):
            return None
        return f"{self.default:g}" if self.kind == "number" else str(self.default)

    @property
    def signature_key(self) -> str:
        return self.name.replace("_", "-") if self.key is None else self.key

    def value(self, given: Any) -> Any:
        """The value for what a user gives, or an error if it is none."""
        kind = _KINDS[self.kind]
        kind = kind | NOTHING if self.optional else kind
        if not kind.fits(given):
            raise SettingError(f"{self.name} is {shown(given)}; give {kind.expected}.")
        if given is None:
            return self.default
        if self.choices:
            choose(self.name, given, self.choices)
        if self.kind in ("number", "whole") and not self._is_within(given):
            raise SettingError(f"{self.name} is {given}; it must be {self._bounds()}.")
        parse = names if self.parse is None and self.kind == "names" else self.parse
        return given if parse is None else parse(given)

    def _is_within(self, value: float) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and value < float("inf")
        )

    def _bounds(self) -> str:
        low = [f"above {self.above:g}"] if self.above is not None else []
        low += [f"{self.least:g} or more"] if self.least is not None else []
        high = [f"at most {self.most:g}"] if self.most is not None else []
        return " and ".join(low + high) or "a finite number"


def names(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: a sequence, or a text with commas."""
    parts = given.split(",") if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise SettingError(f"{shown(given)} is no list of names; write a text with commas, or a list of texts.")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def values(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every parameter: what is given, under its name or a former one, or the default."""
    values = {}
    for parameter in parameters:
        names = [name for name in (parameter.name, *parameter.former) if name in given]
        if len(names) > 1:
            raise SettingError(f"{names[0]} and {names[1]} are the same option; give one of them.")
        values[parameter.name] = parameter.value(given[names[0]]) if names else parameter.default
    return values
