"""Settings of a run: how files are read, what is scored, and which labels are renamed or selected.

Tasks and measures declare additional parameters (see `parameters.py`). The names of layers and special labels are here,
too: declarations of tasks use them and must not load NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, get_args

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import COLUMN_ROLES, SIDES, TRAIN, check_choice, quote

MAX_BETA = 1_000_000
ENCODINGS = ("io", "iob1", "iob2", "ioe1", "ioe2", "bioes", "bilou", "bmes", "plain")
ENCODING_ALIASES = {"bio": "iob2", "bio2": "iob2", "iobes": "bioes", "bioul": "bilou", "biluo": "bilou"}
"""Other names of encodings."""
UNIVERSAL_LAYERS = ("upos", "xpos", "feats", "lemma")
"""The columns of Universal Dependencies other than the trees."""
LINKS = "links"
"""Spans with links to a knowledge base."""
MISSING = "missing"
"""Tokens that a gold standard leaves unannotated, as spans; they are left out of the score."""
RELATIONS = "relations"
"""Relations between the spans of the layer `spans`."""
CONSTITUENTS = "constituents"
POS_TAGS = "pos"
"""The tags of the words of constituent trees."""
EXTRACTIONS = "extractions"
"""Answers of language models; also the name of their format."""
RECORDS = "records"
"""One JSON value per document; also the name of its format."""
OFFSET_LISTS = "offset lists"
"""Spans with offsets into texts that only the other side has."""
NO_LABEL = "()"
"""The label of a bracket without one."""
NO_TYPE = "_"
"""The label of a linked span without one."""
NIL = "NIL"
BLANK_LINKS = "blank-links"
"""Trait of gold standards whose links may be the empty string, which is the lack of a link or an identifier."""
RESPELLED = "respelled"
"""Trait of gold standards whose systems may spell tokens differently."""
Task = str
Repair = Literal["begin", "discard", "error"]
Groups = Literal["total", "document", "sentence", "finest"]
Resampled = Literal["documents", "sentences"]
Swapped = Literal["documents", "sentences", "groups"]
"""What tests of two systems swap; groups are parts of one document."""
Align = Literal["strict", "position", "characters", "overlap"]
Atoms = Literal["tokens", "characters"]
Offsets = Literal["codepoints", "utf16"]
"""The units of offsets that all text formats support."""
UNITS = ("codepoints", "utf16", "bytes")
IN_TOKENS = "tokens"
"""The unit of offsets that count the tokens of the other side, which tables of spans may have."""
ColumnName = int | str
"""A column by its number (1 is the first, -1 the last) or by its name in the header."""
Columns = Mapping[str, tuple[ColumnName, ...]]
"""The columns of each layer of spans: `spans`, or `gold` and `system` if one file holds both."""
CUSTOM = "custom:"
"""Prefix of measures that are functions of the user, in the signature and in saved results."""
_FROM_ONE, _INCLUSIVE = "1-based", "inclusive"
_NUMBER = re.compile(r"-?\d{1,18}")


def is_nil(identifier: str) -> bool:
    """Whether an identifier means that the knowledge base lacks the entity."""
    return identifier.rpartition(":")[2].startswith(NIL)


@dataclass(frozen=True)
class LabelGroup:
    """A supertag: several labels, or all of them, scored as one in addition to the labels themselves.

    The group's spans get its name and are matched and counted again, under every measure except `accuracy`. Its scores
    are reported with the labels and do not enter any average.

    Source: Esuli and Sebastiani 2010, section 4.1.
    """

    name: str
    labels: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> LabelGroup:
        """Parse `NAME` (all labels) or `NAME=LABEL,LABEL`."""
        name, equals, listed = text.partition("=")
        labels = tuple(part.strip() for part in listed.split(",") if part.strip())
        if not name.strip() or (equals and not labels):
            raise SettingError(f"{text!r} is not a supertag; write NAME, or NAME=LABEL,LABEL.")
        return LabelGroup(name.strip(), labels)

    def __str__(self) -> str:
        return f"{self.name}={'+'.join(self.labels)}" if self.labels else self.name


@dataclass(frozen=True)
class LabelMap:
    """Renames the label `old` to `new`, on both sides or only on one: `gold`, `system`, or the name of a system."""

    old: str
    new: str
    only: str | None = None

    @staticmethod
    def parse(text: str, systems: Sequence[str]) -> LabelMap:
        """Parse `OLD=NEW`, `system:OLD=NEW`, `gold:OLD=NEW` or `NAME:OLD=NEW`; other colons belong to the label."""
        old, _, new = text.partition("=")
        if not (old and new):
            raise SettingError(f"{text!r} is not a label map; write OLD=NEW, or system:OLD=NEW for one side only.")
        return LabelMap.of(old, new, systems)

    @staticmethod
    def of(old: str, new: str, systems: Sequence[str]) -> LabelMap:
        """Return the map of two labels. A side may precede the old one; both may contain equals signs, like FEATS."""
        if not all(isinstance(label, str) and label for label in (old, new)):
            raise SettingError(f"{old!r} to {new!r} is not a label map; use a string for each label.")
        side, _, label = old.partition(":")
        return LabelMap(label, new, side) if label and side in (*SIDES, *systems) else LabelMap(old, new)

    def applies_to(self, side: str, name: str) -> bool:
        """Whether it applies to this side (`gold` or `system`) and the system of this name.

        `gold` and `system` always refer to the side, even if a system has this name.
        """
        return self.only is None or self.only == side or (side == "system" and self.only == name and name not in SIDES)

    def __str__(self) -> str:
        return f"{self.only}:{self.old}={self.new}" if self.only else f"{self.old}={self.new}"


def label_maps(maps: Mapping[str, str] | Sequence[str], systems: Sequence[str]) -> tuple[LabelMap, ...]:
    """Return label maps from a mapping from old to new labels, or from texts `OLD=NEW`."""
    if isinstance(maps, Mapping):
        return tuple(LabelMap.of(old, new, systems) for old, new in maps.items())
    return tuple(LabelMap.parse(text, systems) for text in ([maps] if isinstance(maps, str) else maps))


@dataclass(frozen=True)
class MinScore:
    """The least score of the units that are scored: of all units, of one system's, or of one label's."""

    threshold: float
    name: str = ""
    """A system or a label; empty for all units."""

    @staticmethod
    def of(name: str, threshold: object) -> MinScore:
        try:
            number = float(threshold)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = float("nan")
        if isinstance(threshold, bool) or number != number:
            raise SettingError(f"min_score is {quote(threshold)}; use a number, or NAME:NUMBER for a system or label.")
        return MinScore(number, name.strip())

    def __str__(self) -> str:
        return f"{self.name}:{self.threshold:g}" if self.name else f"{self.threshold:g}"


def min_scores(value: object) -> tuple[MinScore, ...]:
    """Return thresholds from a number, a mapping of systems and labels to numbers, or texts `[NAME:]NUMBER`."""
    if isinstance(value, Mapping):
        return tuple(MinScore.of(str(name), threshold) for name, threshold in value.items())
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, Sequence) else [value]
    scores = []
    for part in parts:
        name, _, threshold = part.rpartition(":") if isinstance(part, str) else ("", "", part)
        scores.append(MinScore.of(name, threshold))
    repeated = next(
        (score.name for at, score in enumerate(scores) if score.name in [s.name for s in scores[:at]]), None
    )
    if repeated is not None:
        raise SettingError(f"min_score has two numbers for {repeated or 'all units'}; keep only one.")
    return tuple(scores)


@dataclass(frozen=True)
class Convention:
    """How offsets count: the unit, from 0 or from 1, and whether the end of a span is inclusive."""

    unit: str = "codepoints"
    first: int = 0
    inclusive: bool = False

    @staticmethod
    def of(text: str) -> Convention:
        """Parse a unit, `1-based` and `inclusive`, separated by commas."""
        parts = [part.strip() for part in text.split(",")]
        known = (*UNITS, IN_TOKENS)
        units = [part for part in parts if part in known]
        others = [part for part in parts if part not in known]
        for part in others:
            check_choice("offsets", part, (*known, _FROM_ONE, _INCLUSIVE))
        if len(units) > 1 or len(set(parts)) < len(parts):
            raise SettingError(f"offsets is {text!r}; use one unit, and {_FROM_ONE} or {_INCLUSIVE} once.")
        return Convention(units[0] if units else UNITS[0], int(_FROM_ONE in others), _INCLUSIVE in others)

    def __str__(self) -> str:
        parts = [self.unit] if self.unit != UNITS[0] or not (self.first or self.inclusive) else []
        return ",".join([*parts, *[_FROM_ONE] * self.first, *[_INCLUSIVE] * self.inclusive])


@dataclass(frozen=True)
class PickedAnnotator:
    """The annotator whose records are read, and the field that holds the names of annotators, if known."""

    field: str | None
    name: str

    @staticmethod
    def of(text: str | None) -> PickedAnnotator | None:
        """Parse FIELD=NAME."""
        if text is None:
            return None
        field, _, name = text.partition("=")
        if not field or not name:
            raise SettingError(f"annotator is {text!r}; write FIELD=NAME, such as annotator=ana.")
        return PickedAnnotator(field, name)


@dataclass(frozen=True)
class ReadSettings:
    """How files are read. None: detect it from the content."""

    format: str | None = None
    columns: tuple[ColumnName, ...] = ()
    """Columns of tags, by number or name; several are levels of nesting. Default: the format decides."""
    encoding: str | None = None
    repair: Repair = "begin"
    offsets: str | None = None
    """How offsets count (see `Convention`). None: in code points, unless quotations show another convention."""
    functions: bool = False
    """Whether the labels of bracketed trees keep their functions (NP-SBJ)."""
    weight: ColumnName | None = None
    task: str | None = None
    """The task whose layers are read; None: all layers."""
    extra: tuple[ColumnName, ...] = ()
    """Additional columns, which become layers with these names."""
    reference: str | None = None
    """The encoding of the gold standard, by which ill-formed tags of a system are detected if not repaired."""
    side: Literal["gold", "system"] | None = None
    """The side of the file, if known; one file may hold both sides."""
    system_encoding: str | None = None
    """The encoding of the prediction, if one file holds both sides."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Declared parameters that readers use (`Effect.reads`), by name."""
    annotator: PickedAnnotator | None = None
    needs_scores: bool = False
    """Whether the confidences of units are used: then a bad one is an error; otherwise it counts as missing."""
    block_size: int = 1 << 19
    """Number of bytes read at a time; no result depends on it."""

    @property
    def convention(self) -> Convention:
        """How offsets count unless quotations show it."""
        return Convention() if self.offsets is None else Convention.of(self.offsets)

    @property
    def unit(self) -> Offsets:
        """The unit of offsets, for formats that always count from 0 with exclusive ends."""
        convention = self.convention
        if convention != Convention(convention.unit) or convention.unit not in get_args(Offsets):
            raise SettingError(
                f"offsets is {self.offsets!r}; for this format, choose one of {', '.join(get_args(Offsets))}."
            )
        return "utf16" if convention.unit == "utf16" else "codepoints"

    def judged_by(self, encoding: str | None) -> ReadSettings:
        """Return the settings of a system whose gold standard has this encoding."""
        return self if self.repair == "begin" else replace(self, reference=encoding)

    def of_layer(self, layer: str, gold_encoding: str | None) -> ReadSettings:
        """Return the settings of a layer in a file that may hold gold standard and prediction."""
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
    """What is scored and how. Every field can change a figure and is part of the signature."""

    match: tuple[str, ...]
    task: str
    labels: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    maps: tuple[LabelMap, ...] = ()
    align: Align = "strict"
    """strict: identical tokens; position: same number of tokens; characters: same text, any tokenisation; overlap: same
    text but for case and spaces, and a system's token belongs to the gold tokens with which it shares a character."""
    beta: float = 1.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the task and of its measures, by name."""
    functions: Mapping[str, Any] = field(default_factory=dict)
    """Functions of the user that are measures, by name; None for one that a saved result used."""
    train: tuple[str, ...] = ()
    """The names of the training data."""
    drop_leaked: bool = False
    """Whether sentences that occur in the training data are left out."""

    @property
    def spelled_match(self) -> tuple[str, ...]:
        """The measures as the signature names them."""
        return tuple(self.spelled(name) for name in self.match)

    def spelled(self, measure: str) -> str:
        return f"{CUSTOM}{measure}" if measure in self.functions else measure

    def __getitem__(self, parameter: str) -> Any:
        return self.parameters[parameter]

    @property
    def keeps_labels(self) -> bool:
        """Whether no label is renamed or left out."""
        return not (self.maps or self.labels or self.exclude)

    def new_names(self, side: str, name: str) -> dict[str, str]:
        """Return the new names of labels on one side (`gold` or `system`), for the system of this name."""
        return {label_map.old: label_map.new for label_map in self.maps if label_map.applies_to(side, name)}

    def chooses(self, label: str) -> bool:
        """Whether a label, given by its new name, is scored."""
        return (not self.labels or label in self.labels) and label not in self.exclude

    def __post_init__(self) -> None:
        check_choice("align", self.align, get_args(Align))
        if not 1 / MAX_BETA <= self.beta <= MAX_BETA:  # its square, multiplied by counts, must not overflow
            allowed = f"above 0, from {1 / MAX_BETA:f} to {MAX_BETA:,} (at 1, precision and recall weigh alike)"
            raise SettingError(f"beta is {quote(self.beta)}; it must be {allowed}.")


def encoding_named(text: str | None) -> str | None:
    """Return the encoding that a user names, in any case or by another name; None if none is named."""
    if text is None:
        return None
    name = ENCODING_ALIASES.get(text.lower(), text.lower())
    check_choice("encoding", name if name in ENCODINGS else text, ENCODINGS)
    return name


def own_key(name: str) -> str:
    """Return the key of one system's read settings. `gold` and `system` are keys, too, but also valid system names."""
    return f"system {name}"


def system_settings(read_as: Mapping[str, ReadSettings], name: str) -> ReadSettings:
    """Return the read settings of a system, or of all systems if it has no own settings."""
    return read_as.get(own_key(name), read_as["system"])


def columns_of_side(choice: Any, side: str) -> tuple[ColumnName, ...]:
    """Return the columns of one side. Columns that a mapping names by role, not by side, apply to both sides."""
    if not isinstance(choice, Mapping):
        return column_names(choice)
    of_all = {role: column for role, column in choice.items() if role in COLUMN_ROLES}
    is_of_both = choice.get("gold") == choice.get("system")
    if side == TRAIN:
        named = choice.get(TRAIN, choice.get("gold") if is_of_both else None)
    else:
        named = choice.get(side, None if side == "gold" else choice.get("system"))
    return column_names(named) + column_names(of_all)


def column_names(
    columns: ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName] | None,
) -> tuple[ColumnName, ...]:
    """Return columns from one column, a sequence, a comma-separated text, or a mapping from roles (`token=word`)."""
    if columns is None:
        return ()
    if isinstance(columns, Mapping):
        return tuple(f"{role}={column}" for role, column in columns.items())
    parts = columns.split(",") if isinstance(columns, str) else [columns] if isinstance(columns, int) else columns
    names = (part if isinstance(part, int) else str(part).strip() for part in parts)
    return tuple(int(name) if isinstance(name, int) or _NUMBER.fullmatch(name) else name for name in names)
