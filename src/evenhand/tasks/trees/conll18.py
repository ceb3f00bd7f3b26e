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

Functional children are the words below it with functional relations. They are the same if there are as many on both
sides, aligned to each other, with the same relations, UPOS and UFeats.

Precision = correct / units of the system, recall = correct / units of the gold standard, F1 = 2 correct / (gold +
system), aligned accuracy = correct / aligned words. Units are tokens, sentences, words or, for CLAS, MLAS and BLEX,
words with a content relation: each side's own for precision and recall, aligned words with a gold one for the aligned
accuracy. Tokens, Sentences and Words have no aligned accuracy. Punctuation is scored, and `--labels`, `--exclude`,
`--punctuation` and `--subtypes` change nothing.

Source: Zeman et al. 2018, and the evaluation script of the task.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.alignment.words import Aligned
from evenhand.arrays import Bools, Ints
from evenhand.data.layers import TagColumn, Tags
from evenhand.data.tokens import equal
from evenhand.data.vocabulary import StringCoder
from evenhand.dataclass import dataclass
from evenhand.tasks.trees.task import OF_CONTENT, OF_WORDS
from evenhand.tasks.words.evaluation import Heads, sentence_of
from evenhand.tasks.words.scores import CONTENT, FUNCTIONAL

KINDS = (
    *(f"{unit}.{side}" for unit in ("tokens", "sentences", "words", "content") for side in ("gold", "system")),
    *(f"{metric}.correct" for metric in ("tokens", "sentences", "words", *OF_WORDS, *OF_CONTENT)),
    "content.aligned",
)


@dataclass(frozen=True)
class Analysis:
    """The columns of one side's words, in codes that both sides share."""

    relation: Ints
    upos: Ints
    features: Ints
    xpos: Tags
    lemma: Tags


def count_conll18(heads: Heads, gold: Analysis, system: Analysis, relations: Sequence[str]) -> Ints:
    """The counts of `KINDS` for every sentence of the gold standard; what the system has counts where it begins."""
    aligned, same_head = heads.aligned, heads.are_same
    mine, theirs = aligned.rows
    is_content, is_functional = (
        np.array([name in members for name in relations], dtype=np.bool_) for members in (CONTENT, FUNCTIONAL)
    )
    same_upos = gold.upos[mine] == system.upos[theirs]
    same_xpos = equal_texts(gold.xpos, system.xpos, mine, theirs)
    same_features = gold.features[mine] == system.features[theirs]
    same_lemma = equal_texts(gold.lemma, system.lemma, mine, theirs) | _is_underscore(gold.lemma)[mine]
    same_relation = gold.relation[mine] == system.relation[theirs]
    attached = same_head & same_relation
    content = attached & is_content[gold.relation[mine]]
    is_child = same_relation & same_upos & same_features & same_head & is_functional[gold.relation[mine]]
    same_children = _same_children(heads, gold, system, is_functional, is_child)
    correct = {
        "words": np.ones(len(mine), dtype=np.bool_),
        "upos": same_upos,
        "xpos": same_xpos,
        "ufeats": same_features,
        "alltags": same_upos & same_xpos & same_features,
        "lemmas": same_lemma,
        "uas": same_head,
        "las": attached,
        "clas": content,
        "mlas": content & same_upos & same_features & same_children,
        "blex": content & same_lemma,
    }
    sentence, other = aligned.gold.sentence, sentence_of(aligned)
    counted = _units(aligned, sentence, other)
    counted |= {
        "content.gold": sentence[is_content[gold.relation]],
        "content.system": other[is_content[system.relation]],
    }
    counted |= {f"{metric}.correct": sentence[mine[is_right]] for metric, is_right in correct.items()}
    counted["content.aligned"] = sentence[mine[is_content[gold.relation[mine]]]]
    sentences = aligned.gold.corpus.sentences
    return np.stack([np.bincount(counted[kind], minlength=sentences) for kind in KINDS], axis=1)


def _units(aligned: Aligned, sentence: Ints, other_sentence: Ints) -> dict[str, Ints]:
    """The tokens, sentences and words of each side, and tokens and sentences that are the same, by their sentences."""
    gold, system = aligned.gold, aligned.system
    tokens, others = np.flatnonzero(gold.begins_token), np.flatnonzero(system.begins_token)
    first, other_first = gold.bounds[:-1], system.bounds[:-1]
    same = _same_spans(gold.start[tokens], gold.end[tokens], system.start[others], system.end[others])
    whole = _same_spans(gold.sentence_start, gold.sentence_end, system.sentence_start, system.sentence_end)
    return {
        "tokens.gold": sentence[tokens],
        "tokens.system": other_sentence[others],
        "tokens.correct": sentence[tokens[same]],
        "sentences.gold": sentence[first],
        "sentences.system": other_sentence[other_first],
        "sentences.correct": sentence[first[whole]],
        "words.gold": sentence,
        "words.system": other_sentence,
    }


def _same_spans(start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> Bools:
    """Which of the first spans are among the others; both are in order and without overlap."""
    place = np.minimum(np.searchsorted(other_start, start), len(other_start) - 1)
    same: Bools = (other_start[place] == start) & (other_end[place] == end)
    return same


def _same_children(heads: Heads, gold: Analysis, system: Analysis, is_functional: Bools, is_child: Bools) -> Bools:
    """Which aligned words have the same functional children; `is_child` says which aligned words are such themselves.

    Alignment keeps the order of words, so that children are the same if each side has as many as are aligned.
    """
    mine, theirs = heads.aligned.rows
    same = _children(heads.gold, mine[is_child])[mine]
    wanted = _children(heads.gold, np.flatnonzero(is_functional[gold.relation]))[mine]
    found = _children(heads.system, np.flatnonzero(is_functional[system.relation]))[theirs]
    equally_many: Bools = (same == wanted) & (same == found)
    return equally_many


def _children(head: Ints, children: Ints) -> Ints:
    """How many of these words each word has below it; roots' heads, which are -1, count for nobody."""
    return np.bincount(head[children] + 1, minlength=len(head) + 1)[1:]


def equal_texts(gold: Tags, system: Tags, mine: Ints, theirs: Ints) -> Bools:
    """Which of some words have the same text in a column: by bytes, or by codes where it did not come from a file."""
    if isinstance(gold, TagColumn) and isinstance(system, TagColumn):
        return equal(gold.cells.take(mine), system.cells.take(theirs))
    coder = StringCoder()
    same: Bools = gold.coded(coder)[mine] == system.coded(coder)[theirs]
    return same


def _is_underscore(tags: Tags) -> Bools:
    if isinstance(tags, TagColumn):
        cells = tags.cells
        first = np.frombuffer(cells.data, dtype=np.uint8)[cells.start]
        found: Bools = (first == ord("_")) & (cells.end - cells.start == 1)
        return found
    return np.array([name == "_" for name in tags.names], dtype=np.bool_)[tags.code]
