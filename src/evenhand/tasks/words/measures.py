"""Measures of words, shared by tags and trees: error types, arithmetic, punctuation, details and notes.

Declarations import this file, so it loads no arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import CommandLine, Parameter, ParameterConversion
from evenhand.scoring.measure import Formula, PrecisionRecall, Scorer, WeightedCounts
from evenhand.settings import UNIVERSAL_LAYERS, ReadSettings, ScoreSettings

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.results.result import GoldSummary
    from evenhand.scoring.scores import MeasureScore
    from evenhand.scoring.tally import Tally
    from evenhand.tasks.evaluation import SideSummary

MISSING, EXTRA, ABSENT = "missing", "extra", "absent"
"""A unit of the gold standard that the system lacks, one that only the system has, and one that only others have."""
TAG_KINDS = ("right", "wrong")
TREE_KINDS = ("right", "wrong_head", "wrong_relation", "both")
TAG_ERRORS = {"wrong": "wrong tag", MISSING: "missing"}
TREE_ERRORS = {
    "wrong_head": "wrong head",
    "wrong_relation": "wrong relation",
    "both": "wrong head and relation",
    MISSING: "missing",
    EXTRA: "extra",
}
REPEATED = "repeated_head"
"""A further relation of an arc that already counts: several of the system's words are in one gold word."""
SPACY_PUNCTUATION = ("p", "punct")
"""The relations that spaCy's scorer leaves out."""
ENHANCED = ("elas", "eulas")
"""Scores of enhanced dependencies, whose units are edges of words."""
RIGHT = {
    "uas": ("right", "wrong_relation"),
    "ls": ("right", "wrong_head"),
    "las": ("right",),
    "elas": ("right", ABSENT),
    "eulas": ("right", ABSENT),
}
"""The types that are correct under each score."""
LABELS = Scorer("labels")
"""The scorer of units with one label each (`tasks.labeled_units`)."""


def by_label(
    name: str, judge: str, kinds: Iterable[str], right: Iterable[str], settings: ScoreSettings, *, confuses: bool
) -> Formula:
    """Accuracy with some error types of a scorer as correct; differing labels count once on either side.

    `confuses` tells whether only labels decide, so a confusion matrix makes sense.
    """

    def on(side: str, chosen: Iterable[str]) -> WeightedCounts:
        return {f"{prefix}{kind}": 1.0 for prefix in ("", side) for kind in chosen}

    matched, correct = on("gold.", right), on("system.", right)
    expected, predicted = {**on("gold.", kinds), MISSING: 1.0}, {**on("system.", kinds), EXTRA: 1.0}
    counts = {"correct": matched, "gold": expected, "system": predicted}
    divided = PrecisionRecall(correct, predicted, matched, expected)
    extra_scores = with_confusion if confuses else with_sentences
    types = {kind: kind for kind in (*kinds, MISSING, EXTRA)}
    return Formula(name, judge, counts, divided, "accuracy", settings.beta, extra_scores=extra_scores, types=types)


def as_sets(formula: Formula) -> Formula:
    """The formula where sides may have different numbers of words that count: F1 comes first, as in spaCy."""
    return replace(formula, headline="overall")


def label_accuracy(name: str, settings: ScoreSettings) -> Formula:
    """The share of units with the right label, and the confusion of labels; for the scorer `LABELS`."""
    return by_label(name, LABELS.name, TAG_KINDS, ("right",), settings, confuses=True)


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add sentences, distances and the confusion of labels; missing words are under ""."""
    return replace(with_sentences(score, tallies), confusion=tallies[score.model.scorer].confusion(is_confused))


def is_confused(kind: str) -> bool:
    """Whether a confusion matrix counts this count type; each wrong label once, by its gold label."""
    return kind.startswith("gold.") or kind in (MISSING, EXTRA)


def with_sentences(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """Add the fully correct sentences and, if distances were counted, the scores by distance."""
    from evenhand.scoring.scores import SentenceCounts, score_row

    sentences, distances = None, {}
    tally = tallies.get("sentences")
    if tally is not None and score.name in tally.kinds:
        counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
        sentences = SentenceCounts(int(counts[score.name]), int(counts["sentences"]))
    if "distances" in tallies:
        tally = tallies["distances"]
        rows = tally.by_label().rows
        distances = {name: score_row(score.model, tally, rows[name]) for name in tally.labels if name in rows}
    return replace(score, sentences=sentences, distances=distances)


def without_subtype(relation: str) -> str:
    """`nmod:poss` as `nmod`."""
    return relation.partition(":")[0]


def feature_set(features: str) -> str:
    """All features, each once, in the alphabetical order of Universal Dependencies."""
    return "|".join(sorted(set(filter(None, features.split("|"))), key=feature_order))


def feature_order(feature: str) -> tuple[str, str]:
    """Sort key of `Case=Nom`."""
    return feature.partition("=")[0].lower(), feature


@dataclass(frozen=True)
class Punctuation:
    """Which words are left out as punctuation: none, or by relation, form or tag."""

    by: Literal["keep", "relation", "form", "pos", "spacy"] = "keep"
    tags: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> Punctuation:
        """`keep`, `relation`, `form`, `spacy`, or `pos:TAG,TAG`; tags with a comma are separated by spaces."""
        by, _, remainder = text.partition(":")
        words = remainder.split()
        with_spaces = "," in words or "," not in remainder
        tags = tuple(words if with_spaces else (tag.strip() for tag in remainder.split(",") if tag.strip()))
        if by == "pos" and tags:
            return Punctuation("pos", tags)
        if text in ("keep", "relation", "form", "spacy"):
            return Punctuation(text)  # type: ignore[arg-type]  # one of the four
        raise SettingError(f"punctuation is {text!r}; choose keep, relation, form, spacy, or list tags: pos:PUNCT,SYM.")

    def __str__(self) -> str:
        return f"pos:{'+'.join(self.tags)}" if self.tags else self.by


PUNCTUATION = Parameter(
    "punctuation",
    "text",
    Punctuation(),
    "Words to leave out as punctuation: none (keep), those with the relation punct (relation), those without letters "
    "and digits (form), those with these tags (pos:PUNCT,SYM), or on each side those with its relation p or punct "
    "(spacy) [keep; trees in files of spaCy: spacy].",
    conversion=ParameterConversion(parse=Punctuation.parse, stored=Punctuation),
    cli=CommandLine(metavar="POLICY"),
)


def traits_of_words(annotation: Annotation) -> frozenset[str]:
    """`universal` if words have all columns of Universal Dependencies."""
    return frozenset({"universal"} if all(layer in annotation.layers for layer in UNIVERSAL_LAYERS) else ())


def traits_of_trees(annotation: Annotation) -> frozenset[str]:
    """Traits of words, and `enhanced` if most words have enhanced dependencies."""
    from evenhand.data.layers import DEPS, has_edges

    return traits_of_words(annotation) | ({"enhanced"} if has_edges(annotation.layers.get(DEPS)) else set())


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on repairs, missing words and labels."""
    from evenhand.tasks.tables import file_notes, identical_note, label_notes

    notes = file_notes(gold, name, side, "begin")
    if side.missing:
        notes.append(
            f"system {name}: has no word for {side.missing:,} of the {gold.tokens or 0:,} words of the gold standard, "
            "as its tokens differ; these count as wrong."
        )
    if not gold.units:
        notes.append(f"gold {gold.name}: has no word that counts.")
    elif identical:
        notes.append(identical_note(name, "label"))
    return (*notes, *label_notes(gold, name, side.labels, "word"))
