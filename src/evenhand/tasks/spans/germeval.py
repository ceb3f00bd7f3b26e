"""GermEval 2014: entities on two levels, of which the inner ones are nested in or equal to the outer ones.

An entity is correct if the other side has one with the same tokens and label on the same level. The first level
has the outer entities, deeper levels the inner ones.

- `germeval-strict` (metric 1, which ranks systems): both levels, all labels
- `germeval-loose` (metric 2): both levels, with the suffixes deriv and part cut off the labels
- `germeval-outer`, `germeval-inner` (metric 3): as strict, on one level
- accuracy (metric 4, in the report of `evenhand germeval`): tokens with the same tag / tokens; of the metrics on both
  levels, the mean of the two levels

precision = correct / found, recall = correct / gold, F1 = 2 correct / (found + gold). Any 0/0 is 0.

Sources: Benikova et al. 2014; GermEval 2014, the evaluation plan of the task.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.data.layers import Spans, by_level
from evenhand.scoring.tally import Tally
from evenhand.tasks.spans.fair import exact
from evenhand.tasks.spans.matching import SpanMatches, SpanPair, equal_spans, tally_pairs
from evenhand.tasks.spans.measures import FN, FP, GERMEVAL_LEVELS, TP
from evenhand.tasks.unit_rows import UnitRows

CLASSES = ("LOC", "ORG", "OTH", "PER")
SUFFIXES = ("", "deriv", "part")
LABELS = tuple(f"{name}{suffix}" for name in CLASSES for suffix in SUFFIXES)
TAGS = ("O", *(f"{prefix}-{label}" for prefix in "BI" for label in LABELS))
LEVEL_KINDS = tuple(f"{level}.{kind}" for level in GERMEVAL_LEVELS for kind in ("TP", "FP", "FN"))
_OUTSIDE = len(LABELS)
"""The code of a token outside entities, after the codes of `LABELS`."""
_CLASS_OF = ints([*(code // len(SUFFIXES) for code in range(len(LABELS))), len(CLASSES)])


def count_strict(pair: SpanPair) -> Tally:
    return tally_levels(*pair.original, pair.groups)


def count_loose(pair: SpanPair) -> Tally:
    gold, system = map(without_suffixes, pair.original)
    return tally_levels(gold, system, pair.groups)


def strict_units(pair: SpanPair) -> UnitRows:
    return UnitRows.of_pairs(LEVEL_KINDS, *_by_level(*pair.original), *pair.original)


def loose_units(pair: SpanPair) -> UnitRows:
    gold, system = map(without_suffixes, pair.original)
    return UnitRows.of_pairs(LEVEL_KINDS, *_by_level(gold, system), *pair.original)


def tally_levels(gold: Spans, system: Spans, groups: Ints | None = None) -> Tally:
    """Count exact matches within levels."""
    return tally_pairs(LEVEL_KINDS, *_by_level(gold, system), gold, system, groups)


def _by_level(gold: Spans, system: Spans) -> tuple[Ints, Ints, Ints]:
    """The kind and the rows of every unit."""
    matches = _matches(gold, system)
    inner = np.where(
        matches.gold >= 0, np.append(gold.level, 0)[matches.gold], np.append(system.level, 0)[matches.system]
    )
    kind = np.select([matches.kind == TP, matches.kind == FP, matches.kind == FN], [0, 1, 2]) + 3 * (inner > 0)
    return kind, matches.gold, matches.system


def _matches(gold: Spans, system: Spans) -> SpanMatches:
    levels = max(int(side.level.max(initial=0)) for side in (gold, system)) + 1
    return exact(by_level(gold, levels), by_level(system, levels))


def without_suffixes(spans: Spans) -> Spans:
    """The spans with the classes of their labels: LOC for LOCderiv and LOCpart."""
    labels = spans.vocabulary.labels
    return spans.relabel(labels.codes([_class(name) for name in tuple(labels.values)]))


def _class(label: str) -> str:
    suffix = next((suffix for suffix in SUFFIXES if suffix and label.endswith(suffix)), "")
    return label.removesuffix(suffix) or label


def count_on_other_level(gold: Spans, system: Spans) -> int:
    """The number of wrong predictions that would be correct on the other level."""
    matches = _matches(gold, system)
    missed = gold.take(np.flatnonzero(matches.kind[: len(gold)] == FN))
    wrong = system.take(matches.system[matches.kind == FP])
    moved = replace(wrong, level=np.where(wrong.level > 0, 0, 1))
    return len(equal_spans(by_level(missed, 2), by_level(moved, 2))[0])


def count_as_script(tags: Ints, sentence_starts: Ints) -> tuple[Ints, Ints, Counter[str]]:
    """The counts of the official script of GermEval 2014 (version of 19 May 2014), which differ from the definition.

    The script reads the tags of a level from the first line of the file to the last, as if it were one sentence:

    - an entity begins at B-, and at I- after O; it ends before B- and before O. Neither a blank line nor another label
      on I- ends it. It counts, as gold or as predicted, for the label of its first token.
    - it is correct if both sides begin and end it at the same tokens and have the same label at every token of it; it
      then counts for the label of its last token. Loose: the same, with the suffixes deriv and part cut off.
    - an entity on the last token of the file, which no tag follows, is never correct.

    Sources: the script's behaviour; GermEval 2014, the evaluation plan of the task.
    """
    # `tags` are codes of `TAGS` on one level in the whole file, one row per side. The result has the gold, found and
    # correct entities of each label and of each class, and the number of entities to which each rule was applied.
    tags = np.pad(tags, ((0, 0), (1, 1)))
    label = np.where(tags > 0, (tags - 1) % len(LABELS), _OUTSIDE)
    continues = (tags > len(LABELS)) & (np.roll(tags, 1, axis=1) > 0)
    has_other_label = label != np.roll(label, 1, axis=1)
    begins = ~continues & (tags > 0)
    is_first = np.zeros(tags.shape[1], dtype=np.bool_)
    is_first[sentence_starts + 1] = True
    # An entity is on both sides if both begin at one token, both end before another, and neither does in between.
    cuts = np.flatnonzero((~continues).any(axis=0))
    is_common: Bools = np.all(~continues[:, cuts], axis=0)
    rows = np.flatnonzero(is_common[:-1] & is_common[1:] & begins[0, cuts[:-1]])
    begin, end = cuts[rows], cuts[rows + 1]
    ends_file = end == tags.shape[1] - 1
    counts = []
    for codes, size in ((label, len(LABELS)), (_CLASS_OF[label], len(CLASSES))):
        differing = np.append(0, np.cumsum(codes[0] != codes[1]))
        is_equal = differing[begin] == differing[end]
        sides = codes[0, begins[0]], codes[1, begins[1]], codes[0, end[is_equal & ~ends_file] - 1]
        counts.append(np.stack([np.bincount(side, minlength=size) for side in sides], axis=1))
    applied = {
        "other label": (continues & has_other_label & ~is_first).sum(),
        "sentence end": (continues & is_first).sum(),
        "file end": (is_equal & ends_file).sum(),  # loosely correct
    }
    return counts[0], counts[1], Counter({rule: int(number) for rule, number in applied.items()})
