"""Parameters: what a user can set of a task or a match model, declared once.

The keywords of Python, the options of the command line with their help, the checks of values, the signature and the
saved settings all come from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from evenhand.arguments import COLUMN, FILE, FLAG, NAMES, NOTHING, NUMBER, PERCENT, TEXT, WHOLE, Kind, shown
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.settings import choose

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
    """The type of a parsed value, by which saved results are read."""
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
    found = {}
    for parameter in parameters:
        names = [name for name in (parameter.name, *parameter.former) if name in given]
        if len(names) > 1:
            raise SettingError(f"{names[0]} and {names[1]} are the same option; give one of them.")
        found[parameter.name] = parameter.value(given[names[0]]) if names else parameter.default
    return found
