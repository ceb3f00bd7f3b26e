"""The official metrics of the CoNLL 2018 shared task: thirteen scores of parsers that start from raw text.

| metric     | a unit is correct if                                                                  |
| ---------- | ------------------------------------------------------------------------------------- |
| Tokens     | a token covers the same characters (a multi-word token is one)                        |
| Sentences  | a sentence does                                                                       |
| Words      | a word is aligned                                                                     |
| UPOS, XPOS | a word has the same tag                                                               |
| UFeats     | it has the same universal features: 21 of them, in any order; others do not count     |
| AllTags    | it has the same UPOS, XPOS and UFeats                                                 |
| Lemmas     | it has the same lemma, or its gold lemma is `_`                                       |
| UAS        | it has the same head: the aligned word, or the root                                   |
| LAS        | it has the same head and relation, subtypes aside                                     |
| CLAS       | the same, for words with a content relation                                           |
| MLAS       | CLAS, and it has the same UPOS, UFeats and functional children (see below)            |
| BLEX       | CLAS, and it has the same lemma, or its gold lemma is `_`                             |

Functional children are the dependents with functional relations. They are the same if both sides have the same number,
aligned to each other, with the same relations, UPOS and UFeats.

Precision = correct / units of the system, recall = correct / units of the gold standard, F1 = 2 correct / (gold +
system), aligned accuracy = correct / aligned words. Units are tokens, sentences, words or, for CLAS, MLAS and BLEX,
words with a content relation: of each side for precision and recall, aligned words with a gold one for the aligned
accuracy. Tokens, Sentences and Words have no aligned accuracy. Punctuation is scored, and `--labels`, `--exclude`,
`--punctuation` and `--subtypes` change nothing.

Source: Zeman et al. 2018, and the evaluation script of the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evenhand.alignment.words import Aligned
from evenhand.arrays import Bools, Ints, complement
from evenhand.data.layers import TagColumn, Tags, is_underscore
from evenhand.data.tokens import equal
from evenhand.data.vocabulary import StringCoder
from evenhand.dataclass import dataclass
from evenhand.tasks.trees.task import OF_CONTENT, OF_WORDS
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.words.matching import Heads, UnitMatches, gold_sentences
from evenhand.tasks.words.measures import EXTRA, MISSING, TAG_KINDS, feature_order

KINDS = (
    *(f"{unit}.{side}" for unit in ("tokens", "sentences", "words", "content") for side in ("gold", "system")),
    *(f"{metric}.correct" for metric in ("tokens", "sentences", "words", *OF_WORDS, *OF_CONTENT)),
    "content.aligned",
)
UNIT_TYPES = (*TAG_KINDS, MISSING, EXTRA)
# fmt: off
CONTENT = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})
"""Relations of content words; punct and unknown relations are neither content nor functional."""
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})
# fmt: on


def universal_features(features: str) -> str:
    """The features that are compared, in alphabetical order."""
    compared = (feature for feature in features.split("|") if feature.partition("=")[0] in FEATURES)
    return "|".join(sorted(compared, key=feature_order))


@dataclass(frozen=True)
class Analysis:
    """The columns of one side's words, in codes that both sides share."""

    relation: Ints
    upos: Ints
    features: Ints
    xpos: Tags
    lemma: Tags


@dataclass(frozen=True)
class WordComparison:
    """The words of both sides: the aligned ones that are correct, by metric, and those with a content relation."""

    correct: Mapping[str, Bools]
    gold_content: Bools
    system_content: Bools


def compare(heads: Heads, gold: Analysis, system: Analysis, relations: Sequence[str]) -> WordComparison:
    """Which aligned words are correct under each metric of words."""
    same_head = heads.are_same
    gold_rows, system_rows = heads.aligned.rows
    is_content, is_functional = (
        np.array([name in members for name in relations], dtype=np.bool_) for members in (CONTENT, FUNCTIONAL)
    )
    relation = gold.relation[gold_rows]
    same_upos = gold.upos[gold_rows] == system.upos[system_rows]
    same_xpos = equal_texts(gold.xpos, system.xpos, gold_rows, system_rows)
    same_features = gold.features[gold_rows] == system.features[system_rows]
    same_lemma = equal_texts(gold.lemma, system.lemma, gold_rows, system_rows) | is_underscore(gold.lemma)[gold_rows]
    same_relation = relation == system.relation[system_rows]
    attached = same_head & same_relation
    content = attached & is_content[relation]
    is_child = same_relation & same_upos & same_features & same_head & is_functional[relation]
    correct = {
        "words": np.ones(len(gold_rows), dtype=np.bool_),
        "upos": same_upos,
        "xpos": same_xpos,
        "ufeats": same_features,
        "alltags": same_upos & same_xpos & same_features,
        "lemmas": same_lemma,
        "uas": same_head,
        "las": attached,
        "clas": content,
        "mlas": content & same_upos & same_features & _same_children(heads, gold, system, is_functional, is_child),
        "blex": content & same_lemma,
    }
    return WordComparison(correct, is_content[gold.relation], is_content[system.relation])


def count_conll18(aligned: Aligned, compared: WordComparison) -> Ints:
    """The counts of `KINDS` for every sentence of the gold standard.

    Units of the system count for the sentence in which they begin.
    """
    gold_rows = aligned.rows[0]
    sentence, system_sentence = aligned.gold.sentence, gold_sentences(aligned)
    counted = _segmentation(aligned, sentence, system_sentence) | {
        "words.gold": sentence,
        "words.system": system_sentence,
        "content.gold": sentence[compared.gold_content],
        "content.system": system_sentence[compared.system_content],
        "content.aligned": sentence[gold_rows[compared.gold_content[gold_rows]]],
        **{f"{metric}.correct": sentence[gold_rows[correct]] for metric, correct in compared.correct.items()},
    }
    sentences = aligned.gold.corpus.sentences
    return np.stack([np.bincount(counted[kind], minlength=sentences) for kind in KINDS], axis=1)


def list_conll18(
    aligned: Aligned, compared: WordComparison, labels: Callable[[str], tuple[Ints, Ints]], name: str
) -> UnitRows:
    """The units of one metric; `labels` returns the labels of all words of both sides under a metric.

    A word that only one side has, or that is a content word on one side only, is `missing` or `extra`.
    """
    metric = name.removeprefix("conll18-")
    if metric in ("tokens", "sentences"):
        return _list_segments(aligned, metric)
    gold_rows, system_rows = aligned.rows
    counted = [np.ones(len(side), dtype=np.bool_) for side in (aligned.gold, aligned.system)]
    if metric in OF_CONTENT:
        counted = [compared.gold_content, compared.system_content]
    both = np.flatnonzero(counted[0][gold_rows] & counted[1][system_rows])
    gold_rows, system_rows = gold_rows[both], system_rows[both]
    missing, extra = (
        rows[is_counted[rows]]
        for is_counted, rows in zip(
            counted, (complement(len(counted[0]), gold_rows), complement(len(counted[1]), system_rows)), strict=True
        )
    )
    rows = np.concatenate((gold_rows, missing, np.full(len(extra), -1)))
    others = np.concatenate((system_rows, np.full(len(missing), -1), extra))
    kind = np.where(compared.correct[metric][both], 0, 1)
    kind = np.concatenate((kind, np.full(len(missing), 2), np.full(len(extra), 3)))
    sentence = np.where(
        rows >= 0, np.append(aligned.gold.sentence, 0)[rows], np.append(gold_sentences(aligned), 0)[others]
    )
    gold_label, system_label = labels(metric)
    codes = np.append(gold_label, -1)[rows], np.append(system_label, -1)[others]
    matches = UnitMatches(UNIT_TYPES, kind, rows, others, *codes, sentence)
    units = matches.rows(aligned, [np.arange(len(side)) for side in (aligned.gold, aligned.system)])
    return replace(units, is_error=kind > 0)


def _list_segments(aligned: Aligned, metric: str) -> UnitRows:
    """Tokens or sentences: right, missing, or extra, which have no position in the gold standard."""
    sides = []
    for words in (aligned.gold, aligned.system):
        if metric == "sentences":
            first, start, end = words.bounds[:-1], words.sentence_start, words.sentence_end
            stop = words.bounds[1:]
        else:
            first = np.flatnonzero(words.begins_token)
            start, end, stop = words.start[first], words.end[first], np.append(first[1:], len(words))
        sides.append((first, stop, start, end))
    (first, stop, start, end), (other_first, _, other_start, other_end) = sides
    is_right = _is_span_of(start, end, other_start, other_end)
    extra = np.flatnonzero(~_is_span_of(other_start, other_end, start, end))
    sentence = aligned.gold.sentence[first]
    begin, nowhere = first - aligned.gold.bounds[sentence], np.full(len(extra), -1)
    stop = np.minimum(stop, aligned.gold.bounds[sentence + 1]) - aligned.gold.bounds[sentence]
    position = Places.of(
        np.append(sentence, gold_sentences(aligned)[other_first[extra]]),
        np.append(begin, nowhere),
        np.append(stop, nowhere),
    )
    tokens, words = aligned.system.corpus.tokens, other_first[extra].tolist()
    strings = {} if tokens is None else {len(first) + row: tokens[word] for row, word in enumerate(words)}
    kind = np.append(np.where(is_right, 0, 2), np.full(len(extra), 3))
    rows = UnitRows.of(UNIT_TYPES, kind, position, is_extra=kind == 3, strings=strings)
    return replace(rows, is_error=kind > 0)


def _segmentation(aligned: Aligned, sentence: Ints, system_sentence: Ints) -> dict[str, Ints]:
    """The sentence of each token and each sentence: of both sides, and of those with the same characters."""
    gold, system = aligned.gold, aligned.system
    tokens, system_tokens = np.flatnonzero(gold.begins_token), np.flatnonzero(system.begins_token)
    first, system_first = gold.bounds[:-1], system.bounds[:-1]
    same_token = _is_span_of(
        gold.start[tokens], gold.end[tokens], system.start[system_tokens], system.end[system_tokens]
    )
    same_sentence = _is_span_of(gold.sentence_start, gold.sentence_end, system.sentence_start, system.sentence_end)
    return {
        "tokens.gold": sentence[tokens],
        "tokens.system": system_sentence[system_tokens],
        "tokens.correct": sentence[tokens[same_token]],
        "sentences.gold": sentence[first],
        "sentences.system": system_sentence[system_first],
        "sentences.correct": sentence[first[same_sentence]],
    }


def _is_span_of(start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> Bools:
    """Which of the first spans are among the others; both are sorted and do not overlap."""
    index = np.minimum(np.searchsorted(other_start, start), len(other_start) - 1)
    same: Bools = (other_start[index] == start) & (other_end[index] == end)
    return same


def _same_children(heads: Heads, gold: Analysis, system: Analysis, is_functional: Bools, is_child: Bools) -> Bools:
    """Which aligned words have the same functional children; `is_child` marks aligned words that are such children.

    Alignment keeps the order of words, so children are the same if all of them are aligned.
    """
    gold_rows, system_rows = heads.aligned.rows
    aligned = _children(heads.gold, gold_rows[is_child])[gold_rows]
    in_gold = _children(heads.gold, np.flatnonzero(is_functional[gold.relation]))[gold_rows]
    in_system = _children(heads.system, np.flatnonzero(is_functional[system.relation]))[system_rows]
    same: Bools = (aligned == in_gold) & (aligned == in_system)
    return same


def _children(head: Ints, children: Ints) -> Ints:
    """The number of these children of each word; children of the root (-1) are not counted."""
    return np.bincount(head[children] + 1, minlength=len(head) + 1)[1:]


def equal_texts(gold: Tags, system: Tags, gold_rows: Ints, system_rows: Ints) -> Bools:
    """Which pairs of words have the same string in a column: by bytes if both come from files, else by codes."""
    if isinstance(gold, TagColumn) and isinstance(system, TagColumn):
        return equal(gold.cells.take(gold_rows), system.cells.take(system_rows))
    coder = StringCoder()
    same: Bools = gold.coded(coder)[gold_rows] == system.coded(coder)[system_rows]
    return same
