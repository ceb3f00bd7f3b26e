"""Declared parameters of tasks and measures, and checks of the arguments of public functions.

One declaration of a parameter provides the Python keyword, the command line option with its help, the check of values,
the key in the signature, and the field in saved results.
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

from evenhand import __version__, versions
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown

P = ParamSpec("P")
R = TypeVar("R")

SIDES = ("gold", "system")
TRAIN = "train"
"""The side of training data in options and label maps."""
FUNCTIONS = "match_functions"
"""The keyword under which functions in `match` and `by` are passed on, by their names."""
HINTS = {
    "average": "results have all averages: .f1 of a measure is the micro average, .macro.f1 the macro average",
    "scheme": "specify the tag encoding with encoding, such as 'iob2' or 'bilou'",
    "mode": "for seqeval's strict mode use encoding and repair='discard'; match chooses the measures",
    "zero_division": "scores of the form 0/0 are 0, or undefined if the gold standard has no units",
    "suffix": "write prefixes before labels (B-PER), or use evenhand.integrations.seqeval, which accepts PER-B",
    "digits": "scores have full precision, and tables take decimals: result.to_latex(decimals=1)",
    "sample_weight": "all units have the same weight; token_weight names a column of weights for ts and t",
}
"""What replaces options of other tools, by their names."""
COLUMN_ROLES = ("document", "sentence", "token", "tag", "start", "end", "label", "text", "quote")
"""Roles of columns in data frames: `column={"token": "word", "tag": "ner"}`."""
_BY_SIDE = ("column", "encoding", "offsets", "annotator")
"""Keywords that accept a mapping with one value per side. `format` does too, but also accepts names of systems."""
_MAX_QUOTED = 20
"""Maximum number of characters quoted from a text, which may be a patient's record: messages go to logs."""
_UNIT = re.compile(r"\s*([+-]?[0-9]*\.?[0-9]+)\s*(%|pp)\s*")
_SUFFIX = re.compile(r"\.[A-Za-z0-9_-]{1,12}")
_KNOWN_SUFFIX = re.compile(
    r"(?i)\.(conll\w*|bio\w*|iob\w*|tsv|csv|tab|txt|text|dat|data|json\w*|ndjson|xml|html?|md|ann|a[12]|mrg|psd|prm|"
    r"parquet|arrow|feather|spacy|xlsx?|toml|ya?ml|gz|bz2|xz|zst|zip|gold|pred|out|tags|ner|key|response)"
)


# Kinds of values


@dataclass(frozen=True)
class Kind:
    """A set of valid values and its description for messages."""

    expected: str
    fits: Callable[[Any], bool]

    def __or__(self, other: Kind) -> Kind:
        return Kind(f"{self.expected}, or {other.expected}", lambda value: self.fits(value) or other.fits(value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    """Accept True and False, 1 and 0, and NumPy's versions of them."""
    return (isinstance(value, Integral) or type(value).__name__ in ("bool", "bool_")) and value in (0, 1)


def _is_file(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, os.PathLike) and isinstance(os.fspath(value), str))


def _is_column(value: Any) -> bool:
    return isinstance(value, str | Integral) and not isinstance(value, bool)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, (*value, *value.values())))


def _are_limits(value: Any) -> bool:
    is_map = isinstance(value, Mapping) and all(map(_is_text, value))
    return is_map and all(isinstance(parse_unit(limit, 1), Real) for limit in value.values())


def _all(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Accept collections whose members all fit. Members of an iterator are checked when they are used."""

    def fit(value: Any) -> bool:
        if isinstance(value, Iterator):
            return True
        return isinstance(value, Collection) and not isinstance(value, bytes | Mapping) and all(map(fits, value))

    return fit


def _is_match(value: Any) -> bool:
    return callable(value) or _all(lambda member: _is_text(member) or callable(member))(value)


def _by_side(kind: Kind) -> Kind:
    """Accept one value, or a mapping with one value per side."""

    def fit(value: Any) -> bool:
        return isinstance(value, Mapping) and all(map(kind.fits, value.values()))

    return kind | Kind('a mapping with the keys "gold" and "system"', fit)


TEXT = Kind("a string", _is_text)
NAMES = Kind("a string or a list of strings", _all(_is_text))
FLAG = Kind("True or False", _is_flag)
NUMBER = Kind("a number", lambda value: isinstance(value, Real))
WHOLE = Kind("a whole number", lambda value: isinstance(value, Integral))
FILE = Kind("the path of a file", _is_file)
COLUMN = Kind("the number or name of a column", _is_column)
COLUMNS = Kind(
    "the number or name of a column or a list of these", lambda value: _is_column(value) or _all(_is_column)(value)
)
ROLES = Kind(
    "a mapping from roles to columns",
    lambda value: isinstance(value, Mapping) and {*value} <= {*COLUMN_ROLES} and all(map(_is_column, value.values())),
)
PERCENT = Kind("a whole number or 'off'", _is_column)
LIMITS = Kind("a mapping from names of scores to numbers", _are_limits)
NOTHING = Kind("None", lambda value: value is None)
FUNCTION = Kind("a function of a gold span and a system span", callable)
KINDS = {
    **dict.fromkeys(("labels", "exclude"), NAMES),
    "match": Kind("names of measures, functions, or a list of these", _is_match) | NOTHING,
    "by": TEXT | FUNCTION | NOTHING,
    **dict.fromkeys(("repair", "groups", "interval"), TEXT),
    **dict.fromkeys(("task", "align", "baseline", "show", "sort", "title", "delimiter", "group"), TEXT | NOTHING),
    **dict.fromkeys(("functions", "sequence", "alpha_u", "gamma", "only"), FLAG),
    "beta": NUMBER,
    **dict.fromkeys(("floor", "ceiling"), LIMITS | NOTHING),
    **dict.fromkeys(("jobs", "numbers"), WHOLE | NOTHING),
    **dict.fromkeys(("format", "encoding", "offsets", "annotator"), _by_side(TEXT) | NOTHING),
    "column": _by_side(COLUMNS | NOTHING | ROLES) | NOTHING,
    "map": replace(NAMES, expected="a list of strings such as OLD=NEW")
    | Kind("a mapping from strings to strings", _is_map),
    "vocabulary": FILE | Kind("a list of words", _all(_is_text)) | NOTHING,
    "engine": Kind("an engine of evenhand.engines", callable) | NOTHING,
}
"""Kinds of keywords by name; a name has the same kind in all functions. Ranges are checked by the functions."""


# Values in messages


def quote(value: object) -> str:
    """Return a value of any type as one line for a message."""
    try:
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # Python refuses to print integers with thousands of digits
        return f"a value of type {type(value).__name__} that is too long to be shown"


def quote_briefly(value: object) -> str:
    """Return possibly confidential data for a message: one member of a list, a few characters of a text."""
    brief = reprlib.Repr()
    brief.maxstring = brief.maxother = _MAX_QUOTED
    brief.maxlist = brief.maxtuple = brief.maxdict = brief.maxset = brief.maxfrozenset = brief.maxdeque = 1
    return " ".join(brief.repr(value).split())


# Checks and conversions of single arguments


def check_choice(what: str, value: str | None, choices: Sequence[str], *, optional: bool = False) -> None:
    """Raise `SettingError` unless the value is one of the choices."""
    if value not in choices and not (optional and value is None):
        raise SettingError(unknown(f"{what} is {value!r}", str(value), choices, f"choose one of {', '.join(choices)}"))


def check_whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a value as an integer; raise `SettingError` unless it is a whole number in this range."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        limits = f"{least} or more" if most is None else f"from {least} to {most:,}"
        raise SettingError(f"{name} is {quote(value)}; it must be a whole number, {limits}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_numbers(wanted: int | None) -> None:
    """Raise `SettingError` if this Evenhand does not compute the numbers version that the user wants."""
    if wanted is None or check_whole_number("numbers", wanted, 1) == versions.NUMBERS:
        return
    remedy = "install a newer Evenhand"
    if wanted < versions.NUMBERS:
        first, later = (versions.FIRST_RELEASES[number] for number in (wanted, wanted + 1))
        remedy = f"install evenhand>={first},<{later}"
    finding = f"numbers is {wanted}, but Evenhand {__version__} computes numbers version {versions.NUMBERS}"
    raise SettingError(f"{finding}; {remedy}, or remove numbers.")


def check_number(name: str, value: object, fits: Callable[[float], bool], expected: str) -> float:
    """Return a value as a float; raise `SettingError` unless it is a number that fits."""
    try:
        if isinstance(value, Real) and not isinstance(value, bool) and fits(float(value)):
            return float(value)
    except OverflowError:
        pass
    raise SettingError(f"{name} is {quote(value)}; it must be {expected}.")


def check_kind(name: str, value: object) -> None:
    """Raise `SettingError` if a keyword has a value of the wrong kind or for an unknown side."""
    if name in _BY_SIDE and isinstance(value, Mapping):
        roles = COLUMN_ROLES if name == "column" else ()
        other = [side for side in value if side not in (*SIDES, TRAIN, *roles)]
        if other:
            known = f"the sides are {' and '.join(SIDES)}"
            known += f", and the roles of columns in data frames {', '.join(roles)}" if roles else ""
            raise SettingError(f"{name} has no side {quote(other[0])}; {known}.")
    if name in KINDS and not KINDS[name].fits(value):
        raise SettingError(f"{name} is {quote(value)}; it must be {KINDS[name].expected}.")


def check_file(value: object) -> None:
    """Raise `SettingError` unless this is the path of a file."""
    if not _is_file(value):
        raise SettingError(f"{quote_briefly(value)} is not a file; pass a path or URL as a string, or a pathlib.Path.")
    if not os.fspath(value):  # type: ignore[call-overload]
        raise SettingError("The path of a file is empty; specify a file.")


def check_path(text: str) -> None:
    """Raise `SettingError` for a text that is not the path of a file, quoting only its beginning.

    A path exists, or its folder exists, or it looks like a path: with blanks, it has a common suffix; without blanks,
    it is short, has a suffix, or consists of ASCII characters.
    """
    if not _is_path(text):
        begin = text[:_MAX_QUOTED] + ("…" if len(text) > _MAX_QUOTED else "")
        finding = f"Expected the path of a file, got a string of {len(text):,} characters ({begin!r})"
        raise SettingError(f"{finding}; pass a path, or make an annotation of the data, as eh.tags and eh.spans do.")


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
    return len(text) <= _MAX_QUOTED or text.isascii() or _SUFFIX.fullmatch(suffix) is not None


def parse_unit(value: object, whole: float) -> object:
    """Convert a text with a unit ("85%", "1pp") to a number on a scale up to `whole`; return other values unchanged."""
    match = _UNIT.fullmatch(value) if isinstance(value, str) else None
    return value if match is None else float(match[1]) * whole / 100


def split_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return distinct names from a sequence or a comma-separated text."""
    parts = names.split(",") if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise SettingError(f"{quote(names)} is not a list of names; pass a list of strings, or one string with commas.")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def checked_arguments(
    also: Callable[[], Iterable[str]] = tuple, *, inputs: Collection[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function to refuse unknown keywords, keywords of the wrong kind, and other `numbers` than computed.

    `also` returns the keywords that the function passes on. `inputs` are files or annotations, which are checked when
    they are opened.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        code = function.__code__  # `inspect` is slow to load
        declared = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

        @wraps(function)
        def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
            for name, value in keywords.items():
                if name not in declared and name != FUNCTIONS and name not in (known := {*declared, *also()}):
                    finding = f"{function.__name__} has no option {quote(name)}"
                    if name in HINTS:
                        raise SettingError(f"{finding}; {HINTS[name]}.")
                    raise SettingError(unknown(finding, name, sorted(known), f"see help(evenhand.{function.__name__})"))
                if name not in inputs:
                    check_kind(name, value)
            check_numbers(keywords.get("numbers"))  # type: ignore[arg-type]  # its kind was checked
            return function(*arguments, **_with_function_names(keywords))

        return checked

    return decorate


def _with_function_names(keywords: Any) -> Any:
    """Replace functions in `match` and `by` by their names, and add the functions as the keyword `FUNCTIONS`."""
    functions: dict[str, Any] = {}

    def name(member: Any) -> Any:
        if not callable(member):
            return member
        spelled = getattr(member, "__name__", type(member).__name__)
        if not spelled.isidentifier():
            raise SettingError("match is a function without a name; define it with def, or set its __name__.")
        if functions.setdefault(spelled, member) is not member:
            raise SettingError(f"Two functions in match have the name {spelled}; give them different names.")
        return spelled

    named = {}
    for option in ("match", "by"):
        value = keywords.get(option)
        if callable(value):
            named[option] = name(value)
        elif isinstance(value, Collection) and any(map(callable, value)):
            named[option] = [name(member) for member in value]
    return {**keywords, **named, FUNCTIONS: functions} if functions else keywords


# Declared parameters

_KINDS: Mapping[str, Kind] = {
    "number": NUMBER,
    "whole": WHOLE,
    "flag": FLAG,
    "text": TEXT,
    "names": NAMES,
    "column": COLUMN,
    "percent": PERCENT,
    "file": FILE,
    "thresholds": NUMBER
    | NAMES
    | Kind(
        "a mapping from systems or labels to numbers",
        lambda value: (
            (isinstance(value, Mapping) and all(map(_is_text, value)))
            or (isinstance(value, list | tuple) and all(isinstance(member, Real | str) for member in value))
        ),
    ),
    "fields": NAMES | Kind("a mapping from fields to options", lambda value: isinstance(value, Mapping)),
    "schema": FILE | Kind("a mapping, or a pydantic model", lambda value: isinstance(value, Mapping | type)),
}


@dataclass(frozen=True)
class Allowed:
    """The values of its kind that a parameter accepts."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    """Exclusive lower bound."""
    choices: tuple[str, ...] = ()
    optional: bool = False
    """Whether None is accepted and means the default."""

    def check(self, name: str, value: Any, *, is_number: bool) -> None:
        if self.choices:
            check_choice(name, value, self.choices)
        if is_number and not self._is_within(value):
            low = [f"above {self.above:g}"] if self.above is not None else []
            low += [f"{self.least:g} or more"] if self.least is not None else []
            high = [f"at most {self.most:g}"] if self.most is not None else []
            raise SettingError(f"{name} is {value}; it must be {' and '.join(low + high) or 'a finite number'}.")

    def _is_within(self, value: float) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and value < float("inf")
        )


@dataclass(frozen=True)
class ParameterConversion:
    """How a value is parsed, saved and written in the signature."""

    parse: Callable[[Any], Any] | None = None
    """Converts an argument to the value; None: the argument is the value."""
    stored: Any = None
    """The type of a parsed value in saved results, or the address of a type that is slow to load."""
    spell: Callable[[Any], str] = str
    """Converts the value to its text in the signature."""
    key: str | None = None
    """The key in the signature, "" for none. None: the name with hyphens."""


@dataclass(frozen=True)
class CommandLine:
    """How the command line shows a parameter."""

    metavar: str | None = None
    option: str | None = None
    """The name of the option without hyphens before it, if it is not the keyword's."""
    repeatable: bool = False
    negatable: bool = False
    """Whether a flag also has the form `--no-…`. Flags with the default True always have it."""
    file_of: str | None = None
    """The content of a file that may be named in place of the value."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Options of other tools that users may try, and what to write instead."""


@dataclass(frozen=True)
class Effect:
    """What a parameter changes."""

    on: str = "scores"
    """`scores`, only `labels`, additional `rows` of a table, what `errors` are listed, the `gold` standard, or which
    units of `systems` count."""
    compares: bool = True
    """Whether it can change the results of `compare`."""
    labels: Callable[[Any], Sequence[str]] = lambda value: ()
    """Returns the labels that a value names; a file should have them."""
    adds_measure: bool = False
    """Whether setting it adds its measure."""
    reads: bool = False
    """Whether readers of files use it. Commands that only read a file then have it, too."""
    trait: str | None = None
    """Format trait required for the parameter to have an effect (`Contents.traits` of the system's format)."""


@dataclass(frozen=True)
class Parameter:
    """A user-settable option of a task or a measure."""

    name: str
    """The keyword in Python; the command line writes it with hyphens."""
    kind: str
    """`number`, `whole`, `flag`, `text`, `names`, `column`, `percent`, `file`, `thresholds`, `fields` or `schema`."""
    default: Any
    help: str
    former: tuple[str, ...] = ()
    """Earlier names, which are still accepted."""
    allowed: Allowed = Allowed()
    conversion: ParameterConversion = ParameterConversion()
    cli: CommandLine = CommandLine()
    effect: Effect = Effect()

    @property
    def names(self) -> tuple[str, ...]:
        """All accepted names, the current one first."""
        return self.name, *self.former

    @property
    def option(self) -> str:
        return f"--{self.cli.option or self.name.replace('_', '-')}"

    @property
    def shown_default(self) -> str | None:
        """The default in the help; None if there is none or the help text describes it."""
        if self.conversion.parse is not None or self.kind == "flag" or self.default in (None, ()):
            return None
        return f"{self.default:g}" if self.kind == "number" else str(self.default)

    @property
    def signature_key(self) -> str:
        return self.name.replace("_", "-") if self.conversion.key is None else self.conversion.key

    def value(self, argument: Any) -> Any:
        """Return the value for a user's argument, or raise `SettingError`."""
        kind = _KINDS[self.kind]
        kind = kind | NOTHING if self.allowed.optional else kind
        if not kind.fits(argument):
            raise SettingError(f"{self.name} is {quote(argument)}; it must be {kind.expected}.")
        if argument is None:
            return self.default
        self.allowed.check(self.name, argument, is_number=self.kind in ("number", "whole"))
        parse = self.conversion.parse or (split_names if self.kind == "names" else None)
        return argument if parse is None else parse(argument)


def parameter_values(parameters: Iterable[Parameter], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter: from the option of its current or a former name, or the default."""
    values = {}
    for parameter in parameters:
        names = [name for name in parameter.names if name in options]
        if len(names) > 1:
            raise SettingError(f"{names[0]} and {names[1]} are the same option; use only one of them.")
        values[parameter.name] = parameter.value(options[names[0]]) if names else parameter.default
    return values
