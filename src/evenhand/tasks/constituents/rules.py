"""Parameter files of EVALB: deleted labels and words, and equivalent ones.

A line has a key and its values. Lines that begin with `#` are comments.

| key | meaning |
| --- | --- |
| `LABELED` | 0: brackets are right by their words alone |
| `CUTOFF_LEN` | the maximum length of short sentences, in words |
| `DELETE_LABEL` | a tag whose words, and a label whose brackets, are left out |
| `DELETE_LABEL_FOR_LENGTH` | a tag whose words do not count for the length of a sentence |
| `QUOTE_LABEL` | a tag under which a quotation mark may be mistaken for another sign |
| `EQ_LABEL` | equivalent labels, or tags |
| `EQ_WORD` | equivalent words |
| `MAX_ERROR` | the number of errors after which EVALB gives up; ignored |
| `DEBUG` | the output of EVALB; ignored |

Sources: Sekine and Collins 1997, README and COLLINS.prm; Collins 1997, section 3, for the labels of COLLINS.prm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.errors import InputError

_NUMBERS = {"LABELED": "labeled", "CUTOFF_LEN": "cutoff", "MAX_ERROR": "max_error"}
_NAMES = {"DELETE_LABEL": "deleted", "DELETE_LABEL_FOR_LENGTH": "uncounted", "QUOTE_LABEL": "quotes"}
_CLASSES = {"EQ_LABEL": "same_labels", "EQ_WORD": "same_words"}
_IGNORED = ("DEBUG",)
KEYS = (*_NUMBERS, *_NAMES, *_CLASSES, *_IGNORED)
Classes = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Rules:
    """The content of a parameter file. By default, nothing is left out."""

    name: str = "none"
    labeled: int = 1
    cutoff: int = 40
    deleted: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    same_labels: Classes = ()
    same_words: Classes = ()
    max_error: int = 10

    def __str__(self) -> str:
        """The name and, for a file, a digest of the values that affect figures."""
        if self in BUILT_IN.values():
            return self.name
        from hashlib import sha256  # slow to load

        values = repr(replace(self, name="", max_error=0))
        return f"{self.name}#{sha256(values.encode()).hexdigest()[:8]}"

    def label_class(self) -> Callable[[str], str]:
        """A function that maps a label or tag to the representative of its equivalence class."""
        return _representative(self.same_labels)

    def word_class(self) -> Callable[[str], str]:
        return _representative(self.same_words)


COLLINS = Rules(
    "collins",
    deleted=("TOP", "-NONE-", ",", ":", "``", "''", "."),
    uncounted=("-NONE-",),
    same_labels=(("ADVP", "PRT"),),
)
BUILT_IN = {"collins": COLLINS, "none": Rules()}


def _representative(classes: Classes) -> Callable[[str], str]:
    """Map names to representatives; classes that share a name are merged."""
    first: dict[str, str] = {}
    for names in classes:
        known = {first[name] for name in names if name in first}
        target = min((*known, names[0]), key=lambda name: (name not in known, name))
        first |= {name: target for name, old in first.items() if old in known} | dict.fromkeys(names, target)
    return lambda name: first.get(name, name)


def parse(text: str) -> Rules:
    """`collins`, `none`, or the path of a parameter file of EVALB."""
    if text.lower() in BUILT_IN:
        return BUILT_IN[text.lower()]
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    source = Source(to_path(text))
    name = text.replace("\\", "/").rpartition("/")[2]
    return rules_of(source.read_whole().decode(errors="replace").splitlines(), name, source.display_name)


def rules_of(lines: Iterable[str], name: str, display_name: str) -> Rules:
    """Parse the lines of a parameter file; `display_name` is its name in messages."""
    numbers: dict[str, Any] = {}
    names: dict[str, list[str]] = {key: [] for key in _NAMES}
    classes: dict[str, list[tuple[str, ...]]] = {key: [] for key in _CLASSES}
    for number, line in enumerate(lines, 1):
        key, *values = line.split() or ["#"]
        if key.startswith("#") or key in _IGNORED:
            continue
        finding = _problem(key, values)
        if finding is not None:
            raise InputError(display_name, number, *finding)
        if key in _NUMBERS:
            numbers[key] = int(values[0])
        elif key in _NAMES:
            names[key].append(values[0])
        else:
            classes[key].append(tuple(values))
    fields = {_NUMBERS[key]: value for key, value in numbers.items()}
    fields |= {_NAMES[key]: tuple(values) for key, values in names.items()}
    fields |= {_CLASSES[key]: tuple(values) for key, values in classes.items()}
    from msgspec import convert  # help loads this module, and should load little

    return convert({"name": name, **fields}, Rules)


def _problem(key: str, values: Sequence[str]) -> tuple[str, str] | None:
    """The problem with a line and its remedy."""
    if key not in KEYS:
        return f"{key!r} is not a key of EVALB", f"choose from {', '.join(KEYS)}"
    minimum = 2 if key in _CLASSES else 1
    if len(values) < minimum:
        return f"{key} has {len(values)} values", f"give {minimum} at least"
    if key in _NUMBERS and not (values[0].isdecimal() and values[0].isascii() and len(values[0]) < 10):
        return f"{key} is {values[0]!r}", "give a whole number"
    return None
