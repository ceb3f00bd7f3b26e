"""All that scores of chains divide, by document.

- `mentions`: recall = common mentions / mentions of the key, precision = common mentions / mentions of the response.
- `mela`: the mean of the F1 of `muc`, `b_cubed` and `ceaf_e`, which is the score of the CoNLL shared tasks; its
  precision and recall are the means of theirs.

A document that the response does not have counts as one without mentions. Any 0/0 is 0.

Sources: Pradhan et al. 2011 and 2012 for MELA.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from evenhand.arrays import Values
from evenhand.tasks.chains.b_cubed import count_b_cubed
from evenhand.tasks.chains.ceaf import count_ceaf_e, count_ceaf_m
from evenhand.tasks.chains.kinds import MELA
from evenhand.tasks.chains.links import Table, count_blanc, count_lea, count_muc
from evenhand.tasks.chains.overlap import Overlap, overlap_of
from evenhand.tasks.chains.repeats import without_repeats, without_singletons
from evenhand.text.chains import Chains

_COUNTED: dict[str, Callable[[Overlap], Table]] = {
    "muc": count_muc,
    "b_cubed": count_b_cubed,
    "ceaf_m": count_ceaf_m,
    "ceaf_e": count_ceaf_e,
    "blanc": count_blanc,
    "lea": count_lea,
}


def count_chains(
    key: Chains, response: Chains, documents: int, scores: Collection[str], *, singletons: bool
) -> tuple[tuple[str, ...], Values]:
    """The kinds of counts that these scores need, and their numbers, a row a document; the key has no repeats."""
    response = without_repeats(key, response)
    if not singletons:
        key, response = without_singletons(key), without_singletons(response)
    found = overlap_of(key, response, documents)
    table = _count_mentions(found)
    wanted = {*scores, *(MELA if "mela" in scores else ())}
    for name, count in _COUNTED.items():
        if name in wanted:
            table |= count(found)
    return tuple(table), np.stack(list(table.values()), axis=1)


def _count_mentions(found: Overlap) -> Table:
    """Mentions and chains of both sides, which most scores divide by, and the mentions that are common."""
    table = {"mentions.common": found.by_document(found.document, found.common)}
    for name, side in (("key", found.key), ("response", found.response)):
        table[f"mentions.{name}"] = found.by_document(side.document, side.size)
        table[f"chains.{name}"] = found.by_document(side.document)
    return table
