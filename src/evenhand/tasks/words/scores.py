"""What only scores of words have: sentences that are fully correct, tables by distance, which labels are confused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.layers import DEPS, has_edges
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import MeasureScore, Row, Sentences, score_row
from evenhand.scoring.tally import Tally
from evenhand.settings import UNIVERSAL_LAYERS, ReadSettings
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.tables import label_notes, reading_notes
from evenhand.tasks.words.measures import EXTRA, MISSING

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary

# == tasks/words/traits.py: What an annotation in memory has beside the layer that is sc


def traits_of_words(annotation: Annotation) -> frozenset[str]:
    """`universal` where words have all columns of Universal Dependencies."""
    return frozenset({"universal"} if all(layer in annotation.layers for layer in UNIVERSAL_LAYERS) else ())


def traits_of_trees(annotation: Annotation) -> frozenset[str]:
    """The same, and `enhanced` where most words have enhanced dependencies."""
    return traits_of_words(annotation) | ({"enhanced"} if has_edges(annotation.layers.get(DEPS)) else set())


# == tasks/words/notes.py: What a reader of scores of words should know about the files


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """One sentence for everything that is worth a look."""
    found = reading_notes("gold", gold.name, gold.reading, "begin")
    found += reading_notes("system", name, side.reading or ReadInfo(), "begin")
    if side.missing:
        found.append(
            f"system {name}: has no word for {side.missing:,} of the {gold.tokens or 0:,} words of the gold standard, "
            "as its tokens differ; these count as wrong."
        )
    if not gold.units:
        found.append(f"gold {gold.name}: has no word that counts.")
    elif identical:
        found.append(f"system {name}: its words are labeled just as those of the gold standard; is it the right file?")
    return (*found, *label_notes(gold, name, side.labels, "word"))


# == tasks/words/universal.py: Universal Dependencies as the CoNLL 2018 shared task sees th


# fmt: off
CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})
"""The relations of content words; punct and unknown relations are neither content nor functional."""
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})
"""The features that are compared."""
# fmt: on


def universal_features(features: str) -> str:
    """The features that are compared, in alphabetical order."""
    return _in_order(each for each in features.split("|") if each.partition("=")[0] in FEATURES)


def feature_set(features: str) -> str:
    """All features, each once, in alphabetical order, as Universal Dependencies wants them written."""
    return _in_order(set(filter(None, features.split("|"))))


def _in_order(features: Iterable[str]) -> str:
    return "|".join(sorted(features, key=lambda each: (each.partition("=")[0].lower(), each)))


def without_subtype(relation: str) -> str:
    return relation.partition(":")[0]


# == tasks/words/scores.py (primary)


def with_confusion(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score that looks at labels, with sentences, distances and wrong labels; missing words are under ""."""
    confusion = tallies[score.model.judge].confusion(_is_confused)
    return replace(with_sentences(score, tallies), confusion=confusion)


def _is_confused(kind: str) -> bool:
    return kind.startswith("gold.") or kind in (MISSING, EXTRA)


def with_sentences(score: MeasureScore, tallies: Mapping[str, Tally]) -> MeasureScore:
    """A score with the sentences that are fully correct, and by distance where distances were counted."""
    distances = _distances(score.model, tallies["distances"]) if "distances" in tallies else {}
    whole = tallies.get("sentences")
    sentences = None if whole is None or score.name not in whole.kinds else _sentences(score.model, whole)
    return replace(score, sentences=sentences, distances=distances)


def _sentences(model: Formula, tally: Tally) -> Sentences:
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    return Sentences(int(counts[model.name]), int(counts["sentences"]))


def _distances(model: Formula, tally: Tally) -> dict[str, Row]:
    rows = tally.by_label().rows
    return {name: score_row(model, tally, rows[name]) for name in tally.labels if name in rows}
