"""Repeated mentions and singletons: which mentions of key and response count (`--repeats`, `--no-singletons`).

**The first chain has it** (`first`). The same span twice in the key: the first chain keeps it, which is the one whose
first mention begins first in the file; in a cell of CoNLL-2012, mentions of one token, `(5)`, come before those that
open there, as the official scorer has it. In the response: of a span that occurs in the key, the first chain keeps one
mention, the others are dropped, and chains that are empty then vanish; repeats of a span that is not in the key stay,
as distinct mentions. ARCS keeps the first only, in the key or not.

**The last chain owns it** (`last`, for CorefUD). A mention that its own chain repeats counts once. A mention of several
chains stays in all of them, and all of its copies count in numerators and denominators. Where the other side meets it,
`muc`, `b_cubed`, `blanc` and `lea` look at the last of its chains alone, while CEAF looks at all of them; `mentions`
counts it once. The common links of `blanc` are those of the key's copies, for precision, too. The order of chains is
that of their first mentions: by first word, longer ones first, last word, and the name of the entity.

In either case, repeats go before singletons do, which are chains of one mention.

Sources: the official scorer of CoNLL 2012, version 8.01 (Pradhan et al. 2014), for repeats in the response of `first`;
the scorer of CorefUD, version 1.2, for `last`.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.text.chains import Chains, spans_of


def repeats(chains: Chains, span: Ints) -> Bools:
    """Which mentions have a span (these are numbers of theirs) that an earlier chain, or mention of theirs, has."""
    found = np.zeros(len(chains), dtype=np.bool_)
    ordered = np.sort(span)
    if (ordered[1:] != ordered[:-1]).all():
        return found
    order = np.lexsort((chains.in_order(), span))  # stable: mentions of one chain stay in their order
    found[order[1:]] = span[order[1:]] == span[order[:-1]]
    return found


def first_only(chains: Chains) -> Chains:
    """The mentions without repeats."""
    (span,) = spans_of(chains)
    again = repeats(chains, span)
    return chains.take(~again) if again.any() else chains


def without_repeats(key: Chains, response: Chains) -> Chains:
    """The response without its repeats of spans of the key."""
    key_span, span = spans_of(key, response)
    again = repeats(response, span)
    if not again.any():
        return response
    return response.take(~(again & np.isin(span, key_span)))


def in_longer_chains(chains: Chains) -> Bools:
    """Which mentions are not alone in their chain."""
    found: Bools = np.bincount(chains.chain)[chains.chain] > 1
    return found


def without_singletons(chains: Chains) -> Chains:
    kept = in_longer_chains(chains)
    return chains if kept.all() else chains.take(kept)
