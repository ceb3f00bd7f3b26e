"""What both sides of a text must have in common, and the sentences for what differs."""

from __future__ import annotations

import numpy as np

from evenhand.problems import InputError, counted
from evenhand.text.coded_tokens import have_same_codes
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans
from evenhand.text.listed_tokens import have_same_lists
from evenhand.text.tokens import Tokens, first_difference

SAME_TOKENS = (
    "both sides must have the same tokens in the same order, unless you choose --align position (other spellings) or "
    "--align characters (other tokens of the same text)"
)
SAME_TEXT = "both sides must have the same text, spaces aside"
SAME_SENTENCES = "both sides must have the same sentences in the same order"


def check_tokens(gold: Corpus, system: Corpus, begin: int) -> None:
    """Raise an error at the first token of `system` that differs from the gold standard's from `begin` on."""
    if gold.tokens is None or system.tokens is None:
        return
    mine = gold.tokens.slice(begin, begin + len(system.tokens))
    theirs = system.tokens
    if have_same_codes(mine, theirs) or have_same_lists(mine, theirs):
        return
    place = first_difference(mine, theirs)
    if place is None:
        return
    if gold.atoms == "characters":
        found, wanted = _around(system.tokens, place), _around(mine, place)
        finding = f"found the text {found!r} where {gold.place(begin + place)} has {wanted!r}"
    else:
        found, wanted = system.tokens[place], mine[place]
        finding = f"found the token {found!r} where {gold.place(begin + place)} has {wanted!r}"
    raise InputError(system.source, system.line(place), finding, remedy_for(gold), "text")


def _around(characters: Tokens, place: int, width: int = 10) -> str:
    """The characters before and behind a place, as their file has them, with spaces."""
    first, last = max(place - width, 0), min(place + width, len(characters)) - 1
    return characters.data[characters.start[first] : characters.end[last]].decode()


def remedy_for(corpus: Corpus, *, by_position: bool = False) -> str:
    """What both sides must have."""
    if corpus.tokens is None or by_position:
        return SAME_SENTENCES
    remedy = SAME_TEXT if corpus.atoms == "characters" else SAME_TOKENS
    return f"{remedy}; {corpus.advice}" if corpus.advice else remedy


def check_ends(gold: Corpus, system: Corpus, spans: Spans) -> None:
    """Raise an error if a span of a table reaches beyond its sentence, where the gold standard knows its length."""
    if gold.lengths is None:
        return
    beyond = np.flatnonzero(spans.end > gold.lengths[spans.scope])
    if len(beyond):
        sentence, end = int(spans.scope[beyond[0]]), int(spans.end[beyond[0]])
        held = counted(int(gold.lengths[sentence]), "token")
        finding = f"a span of this sentence ends at token {end}, but the sentence has {held}"
        raise InputError(system.source, system.line(sentence), finding, SAME_SENTENCES, "text")
