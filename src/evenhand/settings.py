"""What a user can set: the choices and their defaults, in one place for Python, the command line and the signature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from evenhand.problems import SettingError
from evenhand.relabeling import LabelMap, Supertag

_NUMBER = re.compile(r"-?\d{1,18}")

ENCODINGS = ("io", "iob1", "iob2", "ioe1", "ioe2", "bioes", "bilou", "bmes", "plain")
SEMEVAL = ("semeval-strict", "semeval-exact", "semeval-partial", "semeval-type")
SPAN_MODELS = (
    "exact",
    "fair",
    "weighted",
    "ts",
    "t",
    "overlap",
    "contain",
    "constrained",
    "iou",
    *SEMEVAL,
    "accuracy",
)
CONLL18 = tuple(
    f"conll18-{metric}"
    for metric in (
        *("tokens", "sentences", "words", "upos", "xpos", "ufeats", "alltags", "lemmas"),
        *("uas", "las", "clas", "mlas", "blex"),
    )
)
TREE_MODELS = ("uas", "ls", "las", *CONLL18)
ARCS = ("arcs_any", "arcs_nom")
CHAIN_MODELS = ("mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "mela", *ARCS)
MODELS_OF_TASK = {"spans": SPAN_MODELS, "tags": ("accuracy",), "trees": TREE_MODELS, "chains": CHAIN_MODELS}
MATCH_MODELS = (*SPAN_MODELS, *TREE_MODELS, *CHAIN_MODELS)
DEFAULT_MATCH = ("exact", "fair")
ATTACHMENT = ("uas", "ls", "las")
UNIVERSAL_LAYERS = ("upos", "xpos", "feats", "lemma")
"""What the metrics of CoNLL 2018 take beside the trees."""
COMPARED_BY: Mapping[str, tuple[str, ...]] = {
    "spans": ("fair", "exact"),
    "tags": ("accuracy",),
    "trees": ("las", "uas", "ls"),
    "chains": ARCS,
}
"""What systems can be compared by, for each task; the first is the default."""
TASKS = ("spans", "tags", "trees", "chains")
NOMINAL = ("NN", "NNS", "NNP", "NNPS", "NE", "NOUN", "PROPN")
"""The POS of nouns: of the Penn Treebank, of STTS and of Universal Dependencies."""

Task = Literal["spans", "tags", "trees", "chains"]
Repair = Literal["begin", "discard", "error"]
Focus = Literal["target", "system"]
Levels = Literal["pooled", "separate"]
Groups = Literal["total", "document", "sentence", "finest"]
Resampled = Literal["documents", "sentences"]
Align = Literal["strict", "position", "characters"]
Atoms = Literal["tokens", "characters"]
Offsets = Literal["codepoints", "utf16"]


ColumnName = int | str
"""A column by its number (1 is the first, -1 the last) or by its name in the header."""
Columns = Mapping[str, tuple[ColumnName, ...]]
"""The columns of each layer of spans that is read: `spans`, or `gold` and `system` where one file holds both."""


@dataclass(frozen=True)
class ReadSettings:
    """How files are read. None means: recognise it from the content."""

    format: str | None = None
    columns: tuple[ColumnName, ...] = ()
    """The columns of tags, by number or name; several are levels of nesting. Without any, the format decides."""
    encoding: str | None = None
    repair: Repair = "begin"
    offsets: Offsets = "codepoints"
    """What offsets in a text count: characters (code points), or the UTF-16 units of Java and JavaScript."""
    functions: bool = False
    """Whether the labels of bracketed trees keep their functions (NP-SBJ)."""
    weight: ColumnName | None = None
    """The column that says what each token weighs, if there is one."""
    task: Task | None = None
    """What is wanted of a file; None: all that it has."""
    extra: tuple[ColumnName, ...] = ()
    """Further columns, which become layers under these names."""
    reference: str | None = None
    """The encoding of the gold standard, by which a system's tags are judged where ill-formed ones are not repaired."""
    side: Literal["gold", "system"] | None = None
    """What the file is read as, where that is known: one file may hold both."""
    system_encoding: str | None = None
    """The encoding of the prediction, where the same file holds it beside the gold standard."""
    block_size: int = 1 << 19
    """How many bytes are read at a time; no number depends on it."""

    def judged_by(self, encoding: str | None) -> ReadSettings:
        """The settings of a system whose gold standard has this encoding: it counts where tags are not repaired."""
        return self if self.repair == "begin" else replace(self, reference=encoding)

    def of_layer(self, layer: str, gold_encoding: str | None) -> ReadSettings:
        """How a layer of a file is read that may hold gold standard and prediction."""
        if layer != "system":
            return self
        return replace(self, encoding=self.system_encoding).judged_by(gold_encoding)

    def __post_init__(self) -> None:
        choose("task", self.task, TASKS, optional=True)
        choose("encoding", self.encoding, ENCODINGS, optional=True)
        choose("repair", self.repair, get_args(Repair))
        choose("offsets", self.offsets, get_args(Offsets))
        if self.encoding is not None and self.task in ("tags", "trees", "chains"):
            raise SettingError(f"encoding does nothing for {self.task}; leave it out.")
        if 0 in self.columns:
            raise SettingError("There is no column 0; columns count from 1, or from -1 at the end.")


@dataclass(frozen=True)
class Punctuation:
    """Which words are left out as punctuation: none, or those told by their relation, form, or tags."""

    by: Literal["keep", "relation", "form", "pos"] = "keep"
    tags: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> Punctuation:
        """`keep`, `relation`, `form`, or `pos:TAG,TAG`; with spaces between tags where a comma is one of them."""
        by, _, rest = text.partition(":")
        words = rest.split()
        with_spaces = "," in words or "," not in rest
        tags = tuple(words if with_spaces else (tag.strip() for tag in rest.split(",") if tag.strip()))
        if by == "pos" and tags:
            return Punctuation("pos", tags)
        if text in ("keep", "relation", "form"):
            return Punctuation(text)  # type: ignore[arg-type]  # one of the three
        raise SettingError(f"punctuation is {text!r}; choose keep, relation, form, or list tags: pos:PUNCT,SYM.")

    def __str__(self) -> str:
        return f"pos:{'+'.join(self.tags)}" if self.tags else self.by


@dataclass(frozen=True)
class ScoreSettings:
    """What is scored and how. Every field can change a number and stands in the signature."""

    match: tuple[str, ...] = DEFAULT_MATCH
    task: Task = "spans"
    labels: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    maps: tuple[LabelMap, ...] = ()
    align: Align = "strict"
    """Tokens or words must be equal, or as many, or cover the same text."""
    levels: Levels = "pooled"
    focus: Focus = "target"
    beta: float = 1.0
    separator_weight: float = 1.0
    """What a separator weighs in the model `ts`, where a token weighs 1."""
    token_weight: ColumnName | None = None
    """The column of the gold file that says what each token weighs in the models `ts` and `t`."""
    supertags: tuple[Supertag, ...] = ()
    baselines: bool = False
    """Whether `ts` and `t` also say what trivial systems get."""
    spurious: int = 1
    """How many spurious tokens a span may have in the model `constrained`."""
    missing: int = 1
    iou: float = 0.5
    """How much of the union two spans must share in the model `iou`."""
    punctuation: Punctuation = Punctuation()
    subtypes: bool = False
    """Whether the relations of CoNLL-U are compared with their subtypes (`nmod:poss`)."""
    singletons: bool = True
    """Whether chains of one mention count."""
    nominal: tuple[str, ...] = NOMINAL
    """The POS of nouns, by which `arcs_nom` tells which antecedents are nominal."""

    @property
    def keeps_labels(self) -> bool:
        """Whether all labels stay what they are."""
        return not (self.maps or self.labels or self.exclude)

    def __post_init__(self) -> None:
        for model in self.match:
            choose("match", model, MODELS_OF_TASK[self.task])
        choose("align", self.align, get_args(Align))
        choose("levels", self.levels, get_args(Levels))
        choose("focus", self.focus, get_args(Focus))
        self._check_task()
        if not self.match:
            raise SettingError(f"No match model is named; choose from {', '.join(MODELS_OF_TASK[self.task])}.")
        if not 0 < self.beta < float("inf"):
            raise SettingError(f"beta is {self.beta}; it must be above 0 (at 1, precision and recall weigh alike).")
        if not 0 <= self.separator_weight < float("inf"):
            raise SettingError(f"the separator weight is {self.separator_weight}; it must be 0 or more.")
        if self.spurious < 0 or self.missing < 0:
            raise SettingError("The numbers of spurious and missing tokens must be 0 or more.")
        names = [tag.name for tag in self.supertags]
        if len(set(names)) < len(names):
            raise SettingError("Two supertags have the same name; give them names of their own.")
        if not 0 < self.iou <= 1:
            raise SettingError(f"iou is {self.iou}; it must be above 0 and at most 1.")

    def _check_task(self) -> None:
        """Refuse settings that would change nothing."""
        others = {
            "spans": (*_OF_TREES, *_OF_CHAINS, "punctuation"),
            "tags": (*_OF_SPANS, *_OF_TREES, *_OF_CHAINS),
            "trees": (*_OF_SPANS, *_OF_CHAINS),
            "chains": (*_OF_SPANS, *_OF_TREES, "punctuation", "labels", "exclude", "maps"),
        }
        for name in others[self.task]:
            if getattr(self, name) != getattr(ScoreSettings, name):
                raise SettingError(f"{name.replace('_', '-')} does nothing for {self.task}; leave it out.")
        if self.task == "tags" and self.punctuation.by == "relation":
            raise SettingError("Tags have no relations; tell punctuation by its form, or by tags: pos:PUNCT.")
        if self.task == "chains" and self.align == "characters":
            raise SettingError("Mentions are compared by their tokens; choose strict or position.")


_OF_SPANS = (
    *("levels", "focus", "separator_weight", "token_weight", "supertags", "baselines"),
    *("spurious", "missing", "iou"),
)
_OF_TREES = ("subtypes",)
_OF_CHAINS = ("singletons", "nominal")


def column_names(given: ColumnName | Sequence[ColumnName] | None) -> tuple[ColumnName, ...]:
    """Columns as a user gives them: one, a sequence, or a text with commas."""
    if given is None:
        return ()
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else given
    names = (part if isinstance(part, int) else str(part).strip() for part in parts)
    return tuple(int(name) if isinstance(name, int) or _NUMBER.fullmatch(name) else name for name in names)


def choose(what: str, value: str | None, choices: Sequence[str], *, optional: bool = False) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices and not (optional and value is None):
        raise SettingError(f"{what} is {value!r}; choose one of {', '.join(choices)}.")
