"""Parameter files of EVALB: which labels and words are not looked at, and which are the same.

A line has a key and its values. Lines that begin with `#` are comments.

| key | what it says |
| --- | --- |
| `LABELED` | 0: brackets are right by their words alone |
| `CUTOFF_LEN` | up to how many words a sentence is short |
| `DELETE_LABEL` | a tag whose words are left out, and a label whose brackets are |
| `DELETE_LABEL_FOR_LENGTH` | a tag whose words do not count for the length of a sentence |
| `QUOTE_LABEL` | a tag under which a quotation mark may be mistaken for another sign |
| `EQ_LABEL` | labels, or tags, that are the same |
| `EQ_WORD` | words that are the same |
| `MAX_ERROR` | after how many errors EVALB gives up, which Evenhand does not |
| `DEBUG` | what EVALB prints, which changes no figure |

Sources: Sekine and Collins 1997, README and COLLINS.prm; Collins 1997, section 3, for the labels of COLLINS.prm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

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
    """What a parameter file says. Without one, nothing is left out."""

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
        """The name and, for a file, the begin of a digest of what changes figures."""
        if self in BUILT_IN.values():
            return self.name
        told = repr(replace(self, name="", max_error=0))
        from hashlib import sha256  # slow to load

        return f"{self.name}#{sha256(told.encode()).hexdigest()[:8]}"

    def label_class(self) -> Callable[[str], str]:
        """What stands for a label or a tag: of labels that are the same, the first one."""
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
    """Classes that share a name are one."""
    first: dict[str, str] = {}
    for names in classes:
        known = {first[name] for name in names if name in first}
        target = min((*known, names[0]), key=lambda name: (name not in known, name))
        first |= {name: target for name, old in first.items() if old in known} | dict.fromkeys(names, target)
    return lambda name: first.get(name, name)


def parse(given: str) -> Rules:
    """`collins`, `none`, or the path of a parameter file of EVALB."""
    if given.lower() in BUILT_IN:
        return BUILT_IN[given.lower()]
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    source = Source(to_path(given))
    name = given.replace("\\", "/").rpartition("/")[2]
    return rules_of(source.read_whole().decode(errors="replace").splitlines(), name, source.display_name)


def rules_of(lines: Iterable[str], name: str, shown: str) -> Rules:
    """What the lines of a parameter file say."""
    numbers: dict[str, int] = {}
    names: dict[str, list[str]] = {key: [] for key in _NAMES}
    classes: dict[str, list[tuple[str, ...]]] = {key: [] for key in _CLASSES}
    for number, line in enumerate(lines, 1):
        key, *values = line.split() or ["#"]
        if key.startswith("#") or key in _IGNORED:
            continue
        finding = _problem(key, values)
        if finding is not None:
            raise InputError(shown, number, *finding)
        if key in _NUMBERS:
            numbers[key] = int(values[0])
        elif key in _NAMES:
            names[key].append(values[0])
        else:
            classes[key].append(tuple(values))
    given = {_NUMBERS[key]: value for key, value in numbers.items()}
    lists = {
        field: tuple(found[key])
        for found, fields in ((names, _NAMES), (classes, _CLASSES))
        for key, field in fields.items()
    }
    from msgspec import convert  # help shows this module, and loads little

    return convert({"name": name, **given, **lists}, Rules)


def _problem(key: str, values: Sequence[str]) -> tuple[str, str] | None:
    """What is wrong with a line, and what to do."""
    if key not in KEYS:
        return f"{key!r} is no key of EVALB", f"choose from {', '.join(KEYS)}"
    least = 2 if key in _CLASSES else 1
    if len(values) < least:
        return f"{key} has {len(values)} values", f"give {least} at least"
    if key in _NUMBERS and not (values[0].isdecimal() and values[0].isascii() and len(values[0]) < 10):
        return f"{key} is {values[0]!r}", "give a whole number"
    return None
