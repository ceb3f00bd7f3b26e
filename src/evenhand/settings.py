"""The settings of a run: how files are read, and what is scored. Tasks and match models declare what they add."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, get_args

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import check_choice, quote

# == relabeling.py: Labels by other names: one that takes another's place, or se


_SIDES = ("gold", "system")


@dataclass(frozen=True)
class LabelGroup:
    """Several labels taken as one, beside them: those named or, without any, all.

    Their spans get the name of the supertag and are matched and counted anew, under every match model but `accuracy`.
    The scores stand beside those of the labels and enter no average.

    Source: Esuli and Sebastiani 2010, section 4.1.
    """

    name: str
    labels: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> LabelGroup:
        """`NAME` for all labels, `NAME=LABEL,LABEL` for some."""
        name, equals, rest = text.partition("=")
        labels = tuple(part.strip() for part in rest.split(",") if part.strip())
        if not name.strip() or (equals and not labels):
            raise SettingError(f"{text!r} is no supertag; write NAME, or NAME=LABEL,LABEL.")
        return LabelGroup(name.strip(), labels)

    def __str__(self) -> str:
        return f"{self.name}={'+'.join(self.labels)}" if self.labels else self.name


@dataclass(frozen=True)
class LabelMap:
    """`old` becomes `new`: on both sides, or on the side that `only` names (`gold`, `system`, or one system)."""

    old: str
    new: str
    only: str | None = None

    @staticmethod
    def parse(text: str, systems: Sequence[str]) -> LabelMap:
        """`OLD=NEW`, `system:OLD=NEW`, `gold:OLD=NEW` or `NAME:OLD=NEW`; other colons belong to the label."""
        old, _, new = text.partition("=")
        if not (old and new):
            raise SettingError(f"{text!r} is no label map; write OLD=NEW, or system:OLD=NEW for one side only.")
        return LabelMap.of(old, new, systems)

    @staticmethod
    def of(old: str, new: str, systems: Sequence[str]) -> LabelMap:
        """The old label may have a side before it, as in `parse`; both may hold equals signs, as features do."""
        if not all(isinstance(label, str) and label for label in (old, new)):
            raise SettingError(f"{old!r} to {new!r} is no label map; give a text for each label.")
        side, colon, rest = old.partition(":")
        if colon and rest and side in (*_SIDES, *systems):
            return LabelMap(rest, new, side)
        return LabelMap(old, new)

    def applies_to(self, side: str, name: str) -> bool:
        """Whether it applies to this side (`gold` or `system`), whose file is called `name`.

        `gold` and `system` always refer to the side, even if a system has this name.
        """
        return self.only is None or self.only == side or (side == "system" and self.only == name and name not in _SIDES)

    def __str__(self) -> str:
        return f"{self.only}:{self.old}={self.new}" if self.only else f"{self.old}={self.new}"


def label_maps(given: Mapping[str, str] | Sequence[str], systems: Sequence[str]) -> tuple[LabelMap, ...]:
    """Label maps as a user gives them: a mapping from old to new, or texts `OLD=NEW`."""
    if isinstance(given, Mapping):
        return tuple(LabelMap.of(old, new, systems) for old, new in given.items())
    return tuple(LabelMap.parse(text, systems) for text in ([given] if isinstance(given, str) else given))


# == settings.py (primary)


MOST_BETA = 1_000_000
_NUMBER = re.compile(r"-?\d{1,18}")

ENCODINGS = ("io", "iob1", "iob2", "ioe1", "ioe2", "bioes", "bilou", "bmes", "plain")
UNIVERSAL_LAYERS = ("upos", "xpos", "feats", "lemma")
"""The columns of Universal Dependencies beside the trees."""
Task = str
"""A task by its name."""
Repair = Literal["begin", "discard", "error"]
Groups = Literal["total", "document", "sentence", "finest"]
Resampled = Literal["documents", "sentences"]
Align = Literal["strict", "position", "characters"]
Atoms = Literal["tokens", "characters"]
Offsets = Literal["codepoints", "utf16"]
"""The units that all readers of texts can count in."""
UNITS = ("codepoints", "utf16", "bytes")
_FROM_ONE, _INCLUSIVE = "1-based", "inclusive"


@dataclass(frozen=True)
class Convention:
    """How offsets count: in which unit, from 0 or from 1, and whether a span includes the unit at its end."""

    unit: str = "codepoints"
    first: int = 0
    inclusive: bool = False

    @staticmethod
    def of(given: str) -> Convention:
        """From a unit, `1-based` and `inclusive`, separated by commas, as a user writes it."""
        parts = [part.strip() for part in given.split(",")]
        units = [part for part in parts if part in UNITS]
        others = [part for part in parts if part not in UNITS]
        for part in others:
            check_choice("offsets", part, (*UNITS, _FROM_ONE, _INCLUSIVE))
        if len(units) > 1 or len(set(parts)) < len(parts):
            raise SettingError(f"offsets is {given!r}; give one unit, and {_FROM_ONE} or {_INCLUSIVE} once.")
        return Convention(units[0] if units else UNITS[0], int(_FROM_ONE in others), _INCLUSIVE in others)

    def __str__(self) -> str:
        parts = [self.unit] if self.unit != UNITS[0] or not (self.first or self.inclusive) else []
        return ",".join([*parts, *[_FROM_ONE] * self.first, *[_INCLUSIVE] * self.inclusive])


ColumnName = int | str
"""A column by its number (1 is the first, -1 the last) or by its name in the header."""
Columns = Mapping[str, tuple[ColumnName, ...]]
"""The columns of each layer of spans that is read: `spans`, or `gold` and `system` where one file holds both."""


@dataclass(frozen=True)
class PickedAnnotator:
    """Whose answers are read of a file with several annotators: the field that names them, if known, and the name."""

    field: str | None
    name: str

    @staticmethod
    def of(given: str | None) -> PickedAnnotator | None:
        """From FIELD=NAME, as a user gives it."""
        if given is None:
            return None
        field, is_there, name = given.partition("=")
        if not field or not is_there or not name:
            raise SettingError(f"annotator is {given!r}; give FIELD=NAME, such as annotator=ana.")
        return PickedAnnotator(field, name)


@dataclass(frozen=True)
class ReadSettings:
    """How files are read. None means: recognise it from the content."""

    format: str | None = None
    columns: tuple[ColumnName, ...] = ()
    """The columns of tags, by number or name; several are levels of nesting. Without any, the format decides."""
    encoding: str | None = None
    repair: Repair = "begin"
    offsets: str | None = None
    """How offsets count, as `Convention` reads it. None: in code points, unless quotes show another convention."""
    functions: bool = False
    """Whether the labels of bracketed trees keep their functions (NP-SBJ)."""
    weight: ColumnName | None = None
    """The column that says what each token weighs, if there is one."""
    task: str | None = None
    """What is wanted of a file; None: all that it has."""
    extra: tuple[ColumnName, ...] = ()
    """Further columns, which become layers under these names."""
    reference: str | None = None
    """The encoding of the gold standard, by which a system's tags are judged where ill-formed ones are not repaired."""
    side: Literal["gold", "system"] | None = None
    """What the file is read as, where that is known: one file may hold both."""
    system_encoding: str | None = None
    """The encoding of the prediction, where the same file holds it beside the gold standard."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What tasks declare and readers look at, by name, where it is given."""
    annotator: PickedAnnotator | None = None
    """Who is read of a file with several annotators."""
    block_size: int = 1 << 19
    """How many bytes are read at a time; no number depends on it."""

    @property
    def convention(self) -> Convention:
        """How offsets count unless quotes show it."""
        return Convention() if self.offsets is None else Convention.of(self.offsets)

    @property
    def unit(self) -> Offsets:
        """The unit of offsets, for formats that always count from 0, with exclusive ends."""
        found = self.convention
        if found != Convention(found.unit) or found.unit not in get_args(Offsets):
            raise SettingError(
                f"offsets is {self.offsets!r}; for this format, choose one of {', '.join(get_args(Offsets))}."
            )
        return "utf16" if found.unit == "utf16" else "codepoints"

    def judged_by(self, encoding: str | None) -> ReadSettings:
        """The settings of a system whose gold standard has this encoding: it counts where tags are not repaired."""
        return self if self.repair == "begin" else replace(self, reference=encoding)

    def of_layer(self, layer: str, gold_encoding: str | None) -> ReadSettings:
        """How a layer of a file is read that may hold gold standard and prediction."""
        if layer != "system":
            return self
        return replace(self, encoding=self.system_encoding).judged_by(gold_encoding)

    def __post_init__(self) -> None:
        check_choice("encoding", self.encoding, ENCODINGS, optional=True)
        check_choice("repair", self.repair, get_args(Repair))
        if self.offsets is not None:
            Convention.of(self.offsets)
        if 0 in self.columns:
            raise SettingError("There is no column 0; columns count from 1, or from -1 at the end.")


@dataclass(frozen=True)
class ScoreSettings:
    """What is scored and how. Every field can change a number and stands in the signature."""

    match: tuple[str, ...]
    task: str
    labels: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    maps: tuple[LabelMap, ...] = ()
    align: Align = "strict"
    """strict: identical tokens; position: same number of tokens; characters: same text, any tokenisation."""
    beta: float = 1.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the task and of its match models, by name."""

    def __getitem__(self, parameter: str) -> Any:
        return self.parameters[parameter]

    @property
    def keeps_labels(self) -> bool:
        """Whether all labels stay what they are."""
        return not (self.maps or self.labels or self.exclude)

    def new_names(self, side: str, name: str) -> dict[str, str]:
        """What labels become on one side (`gold` or `system`), whose file is called `name`."""
        return {each.old: each.new for each in self.maps if each.applies_to(side, name)}

    def chooses(self, label: str) -> bool:
        """Whether a label is one of those that count, by its new name."""
        return (not self.labels or label in self.labels) and label not in self.exclude

    def __post_init__(self) -> None:
        check_choice("align", self.align, get_args(Align))
        if not 1 / MOST_BETA <= self.beta <= MOST_BETA:  # its square must not overflow beside counts
            shown_range = f"above 0, from {1 / MOST_BETA:f} to {MOST_BETA:,} (at 1, precision and recall weigh alike)"
            raise SettingError(f"beta is {quote(self.beta)}; it must be {shown_range}.")


def own_key(name: str) -> str:
    """Key of one system's read settings, next to `gold` and `system`, which are also possible names of systems."""
    return f"system {name}"


def system_settings(read_as: Mapping[str, ReadSettings], name: str) -> ReadSettings:
    """Read settings of a system: its own, if it has some, otherwise the settings of all systems."""
    return read_as.get(own_key(name), read_as["system"])


def column_names(given: ColumnName | Sequence[ColumnName] | None) -> tuple[ColumnName, ...]:
    """Columns as a user gives them: one, a sequence, or a text with commas."""
    if given is None:
        return ()
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else given
    names = (part if isinstance(part, int) else str(part).strip() for part in parts)
    return tuple(int(name) if isinstance(name, int) or _NUMBER.fullmatch(name) else name for name in names)
