"""Strings in place of spans: what papers on language models report, without a look at positions.

In every text (a document where the gold standard has several, else a sentence), both sides have labeled strings: of a
gold standard and of a tagger the words of their spans with blanks between them, of a language model what it wrote.
P = TP / strings of the system, R = TP / strings of the gold standard; every other string is an FP or an FN.

- `string-set`: both sides are sets of (label, N(string)), and TP is the size of what they share. N makes small letters,
  deletes ASCII punctuation, puts a blank for the words a, an and the, and makes runs of white space one blank. So
  repeats count once; a string of which nothing is left still counts.
- `string-multiset`: both sides are multisets of (label, string) as they stand, and TP is the sum of min(times in the
  system, times in the gold standard).

Sources: `string-set` is the score of UniversalNER (Zhou et al. 2024), as its evaluate.py computes it;
`string-multiset` is string-ent-F1 of UIE (Lu et al. 2022).
"""

from __future__ import annotations

import re
import string

import numpy as np

from evenhand.arrays import pack
from evenhand.text.layers import Spans

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """In small letters, without ASCII punctuation and English articles, with single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def once(spans: Spans) -> Spans:
    """Each span once a scope and label: the first of those that are equal."""
    key, _ = pack(*((column, column) for column in (spans.scope, spans.start, spans.label)))
    return spans.take(np.sort(np.unique(key, return_index=True)[1]))
