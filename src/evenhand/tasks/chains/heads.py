"""Heads and types of mentions, for errors by entity.

The **head** of a mention is the first of these that the key has: the head that CorefUD states; the token whose parent
in the dependency tree is outside of the mention, the first one if there are several; with a column of parse bits, the
head of the lowest node with the bounds of the mention, by Collins' table; its last token. In the table, a child fits if
its label or the tag of its head is listed; functions (NP-SBJ) are removed.

The **type** follows from words and tags of the key. With Penn tags, a mention is a *pronoun* if it is one token whose
tag is PRP, PRP$, WP, WP$, WDT, WRB or DT, or whose word is a pronoun of English (`PRONOUNS`); otherwise it is a *name*
if the tag of its head is NNP or NNPS; otherwise it is *nominal*. With universal tags, one token is a pronoun if its tag
is PRON, or DET with a PronType other than Art, or if it is an empty node, and a name if its head is PROPN. Without
tags, all mentions are nominal.

Sources: Collins 1999, appendix A, for the table; Kummerfeld and Klein 2013, whose analyser has the lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from evenhand.arrays import Bools, Ints, complement, equal_pairs, ints
from evenhand.data.annotation import Annotation, extra_layer
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Tags
from evenhand.data.structures import NO_HEAD, Chains, MentionWords, mention_spans, word_numbers
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.entity_errors import (
    NAME,
    NOMINAL,
    PRONOUN,
    EntityErrors,
    EntityMentions,
    cores,
    is_stripped,
    without_single,
)
from evenhand.tasks.chains.mentions import MentionMatch, first_only, without_repeats

PARSE, FEATS, HEAD = "parse", "feats", "head"
"""The columns of the key that are read besides words and tags, if it has them."""
COLUMNS = (PARSE, FEATS, HEAD)
_ENGLISH = """
    'em all anybody anyone em everybody everyone everything few he her hers herself him himself his how i it its itself
    many me mine most my myself nobody none noone nothing one our ours ourselves several she some somebody someone
    something that their theirs them themselves these they this those thyself us we what whatever when where which who
    whoever whom whomever whose ya you your yours yourself yourselves
"""
PRONOUNS = frozenset(_ENGLISH.split())
"""The pronouns of English."""
_PRONOUN_TAGS = ("PRP", "PRP$", "WP", "WP$", "WDT", "WRB", "DT")
_NAME_TAGS = ("NNP", "NNPS", "PROPN")
_UNIVERSAL = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"),
        *("SCONJ", "SYM", "VERB", "X", "_"),
    )
)
_PRON_TYPE = re.compile(r"(?:^|\|)PronType=([^|]*)")
_NOUN_LIKE = ("right", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW")
_COLLINS: Mapping[str, tuple[str, Sequence[str]]] = {
    label: (side, listed.split())
    for label, (side, listed) in {
        "ADJP": ("right", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
        "ADVP": ("left", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
        "CONJP": ("left", "CC RB IN"),
        "FRAG": ("left", ""),
        "INTJ": ("right", ""),
        "LST": ("left", "LS :"),
        "META": ("right", ""),
        "NAC": _NOUN_LIKE,
        "NX": _NOUN_LIKE,
        "PP": ("left", "IN TO VBG VBN RP FW"),
        "PRN": ("right", ""),
        "PRT": ("left", "RP"),
        "QP": ("right", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
        "RRC": ("left", "VP NP ADVP ADJP PP"),
        "S": ("right", "TO IN VP S SBAR ADJP UCP NP"),
        "SBAR": ("right", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
        "SBARQ": ("right", "SQ S SINV SBARQ FRAG"),
        "SINV": ("right", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
        "SQ": ("right", "VBZ VBD VBP VB MD VP SQ"),
        "UCP": ("left", ""),
        "VP": ("right", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
        "WHADJP": ("right", "CC WRB JJ ADJP"),
        "WHADVP": ("left", "CC WRB"),
        "WHNP": ("right", "WDT WP WP$ WHADJP WHPP WHNP"),
        "WHPP": ("left", "IN TO FW"),
        "X": _NOUN_LIKE,
    }.items()
}
"""By label: the side at which the search begins, and the labels of the head, the best first."""
_NP_STEPS = (
    ("right", {"JJR", "NN", "NNP", "NNPS", "NNS", "NX", "POS"}),
    ("left", {"NML", "NP"}),
    ("right", {"$", "ADJP", "PRN"}),
    ("right", {"CD"}),
    ("right", {"JJ", "JJS", "QP", "RB"}),
)
"""The steps for noun phrases: any of these labels, from this side."""
_NOUN_PHRASES = ("NP", "NML")
_OPENING = re.compile(r"\(([^()*\s]+)")
Child = tuple[str, int]
"""Label of a node or tag of a token, and its head token."""


def head_child(label: str, children: Sequence[Child], tags: Sequence[str]) -> int:
    """The head token of a node, by the labels of its children and the tags of their heads."""
    if label in _NOUN_PHRASES:
        for side, listed in _NP_STEPS:
            for child, head in children if side == "left" else reversed(children):
                if child in listed or tags[head] in listed:
                    return head
        return children[-1][1]
    side, wanted = _COLLINS.get(label, ("right", ()))
    ordered = children if side == "left" else children[::-1]
    for name in wanted:
        for child, head in ordered:
            if name in (child, tags[head]):
                return head
    return ordered[0][1]


def node_heads(bits: Sequence[str], tags: Sequence[str]) -> dict[tuple[int, int], int]:
    """The head token of the lowest node with each bounds, in a sentence with these parse bits, such as `(NP*)`."""
    heads: dict[tuple[int, int], int] = {}
    stack: list[tuple[str, int, list[Child]]] = []
    for token, bit in enumerate(bits):
        categories, closed = _brackets(bit)
        stack += [(category, token, []) for category in categories]
        if stack:
            stack[-1][2].append((tags[token], token))
        for _ in range(min(closed, len(stack))):
            label, begin, children = stack.pop()
            head = head_child(label, children, tags)
            heads.setdefault((begin, token + 1), head)
            if stack:
                stack[-1][2].append((label, head))
    return heads


@lru_cache(maxsize=4096)
def _brackets(bit: str) -> tuple[tuple[str, ...], int]:
    """The categories that a parse bit opens, and how many it closes."""
    opening, _, closing = bit.partition("*")
    return tuple(map(_category, _OPENING.findall(opening))), closing.count(")")


def _category(label: str) -> str:
    """A label without functions; -LRB- and the like have none."""
    return label if label.startswith("-") else re.split("[-=]", label, maxsplit=1)[0]


@dataclass(frozen=True)
class MentionDetails:
    """What the key says about the tokens of mentions: all that errors by entity need besides chains.

    The details of one key serve all systems, so sentences are parsed once.
    """

    annotation: Annotation

    @property
    def _corpus(self) -> Corpus:
        return self.annotation.corpus

    def _column(self, name: str) -> Sequence[str] | None:
        layer = self.annotation.layers.get(name)
        if not isinstance(layer, Tags):
            return None
        codes = layer.code.tolist()  # before the names, which are collected in coding
        names = layer.names
        return [names[code] for code in codes]

    @cached_property
    def tags(self) -> Sequence[str] | None:
        return self._column("pos")

    @cached_property
    def _bits(self) -> Sequence[str] | None:
        return self._column(extra_layer(PARSE))

    @cached_property
    def _known_nodes(self) -> dict[int, dict[tuple[int, int], int]]:
        return {}

    def _nodes(self, sentence: int, begin: int, stop: int) -> dict[tuple[int, int], int]:
        """The heads of the nodes of a sentence, by their bounds in it."""
        if sentence not in self._known_nodes:
            assert self._bits is not None
            bits = self._bits[begin:stop]
            self._known_nodes[sentence] = node_heads(bits, bits if self.tags is None else self.tags[begin:stop])
        return self._known_nodes[sentence]

    @cached_property
    def _stripped(self) -> tuple[Bools, Bools]:
        """Which tokens are removed from the beginning and from the end of spans."""
        tokens = self._corpus.tokens
        assert tokens is not None
        left, right = np.zeros(len(tokens), dtype=np.bool_), np.zeros(len(tokens), dtype=np.bool_)
        for token in np.flatnonzero(tokens.end - tokens.start <= 4).tolist():  # bytes of one character, at most
            word = tokens[token]
            left[token], right[token] = is_stripped(word, "the"), is_stripped(word, "'s")
        return left, right

    def of(self, mentions: Chains, key: Ints, response: Ints) -> EntityMentions:
        """The mentions of both sides with heads, types and cores, given the chain of each in key and response."""
        corpus, tags = self._corpus, self.tags
        begins = np.zeros_like(mentions.document)
        if corpus.bounds is not None:
            begins = corpus.document_bounds[mentions.document]
        start, end = mentions.start + begins, mentions.end + begins
        sentence, _ = corpus.in_sentences(mentions.document, mentions.start)
        head = self._heads(mentions, start, end, sentence)
        core = self._cores(start, end)
        spans = mentions.document, sentence, mentions.start, mentions.end
        types = self._types(mentions, start, end, head, tags)
        return EntityMentions.of(spans, key, response, head - begins, types, (core[0] - begins, core[1] - begins))

    def errors(self, key: Chains, response: Chains, way: MentionMatch) -> EntityErrors:
        """The errors of a response."""
        mentions, of_key, of_response = paired(key, response, way)
        found = self.of(mentions, of_key, of_response)
        return EntityErrors(found, len(self._corpus.names), _singletons(of_key, of_response))

    def _cores(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The cores of spans, whose positions count from the first token of the text."""
        return (start, end) if self._corpus.tokens is None else cores(start, end, *self._stripped)

    def _heads(self, mentions: Chains, start: Ints, end: Ints, sentence: Ints) -> Ints:
        parents = self._column(extra_layer(HEAD))
        last = end - 1
        if self._corpus.bounds is None:
            return last
        if mentions.words is not None and parents is None:
            return self._stated(mentions, end)
        if parents is not None:
            return self._tops(start, end, parents)
        if self._bits is None:
            return last
        bounds, head = self._corpus.bounds.tolist(), last.copy()
        by_sentence: dict[int, list[int]] = {}
        for row in np.flatnonzero(end - start > 1).tolist():
            by_sentence.setdefault(int(sentence[row]), []).append(row)
        for number, rows in by_sentence.items():
            begin, stop = bounds[number : number + 2]
            nodes = self._nodes(number, begin, stop)
            for row in rows:
                node = nodes.get((int(start[row]) - begin, int(end[row]) - begin))
                if node is not None:
                    head[row] = begin + node
        return head

    def _stated(self, mentions: Chains, end: Ints) -> Ints:
        """The heads that CorefUD states, as tokens; the last token if the key does not have it."""
        assert mentions.words is not None
        head, numbers = end - 1, word_numbers(self._corpus)
        bounds = self._corpus.document_bounds
        for row, number in enumerate(mentions.words.head.tolist()):
            if number == NO_HEAD:
                continue
            first, stop = bounds[mentions.document[row]], bounds[mentions.document[row] + 1]
            token = int(first + np.searchsorted(numbers[first:stop], number))
            if token < stop and numbers[token] == number:
                head[row] = token
        return head

    def _tops(self, start: Ints, end: Ints, parents: Sequence[str]) -> Ints:
        """The first token of each mention whose parent is outside of it."""
        bounds, decimals = self._corpus.bounds, self._corpus.decimals
        assert bounds is not None
        heads = []
        for begin, stop in zip(start.tolist(), end.tolist(), strict=True):
            first = int(bounds[np.searchsorted(bounds, begin, side="right") - 1])
            words = np.arange(first, int(bounds[np.searchsorted(bounds, begin, side="right")]))
            words = words if decimals is None else words[decimals[words] < 0]
            top = stop - 1
            for token in range(begin, stop):
                parent = parents[token]
                number = int(parent) if parent.isdecimal() else 0
                place = int(words[number - 1]) if 0 < number <= len(words) else -1
                if not begin <= place < stop:
                    top = token
                    break
            heads.append(top)
        return ints(heads)

    def _types(self, mentions: Chains, start: Ints, end: Ints, head: Ints, tags: Sequence[str] | None) -> Ints:
        if tags is None:
            return np.full(len(start), NOMINAL)
        tokens, decimals, feats = self._corpus.tokens, self._corpus.decimals, self._column(extra_layer(FEATS))
        is_universal = _UNIVERSAL.issuperset(tags)
        types = []
        for begin, stop, top in zip(start.tolist(), end.tolist(), head.tolist(), strict=True):
            tag, is_pronoun = tags[begin], False
            if stop - begin == 1 and is_universal:
                kind = _PRON_TYPE.search(feats[begin]) if feats is not None else None
                is_pronoun = tag == "PRON" or (tag == "DET" and kind is not None and kind[1] != "Art")
                is_pronoun |= decimals is not None and bool(decimals[begin] >= 0)
            elif stop - begin == 1:
                is_pronoun = tag in _PRONOUN_TAGS or (tokens is not None and tokens[begin].lower() in PRONOUNS)
            types.append(PRONOUN if is_pronoun else NAME if tags[top] in _NAME_TAGS else NOMINAL)
        return ints(types)


def paired(key: Chains, response: Chains, way: MentionMatch) -> tuple[Chains, Ints, Ints]:
    """The mentions of both sides, and the chain of each in the key and in the response, or -1.

    The first chain keeps a repeated mention; repeats of the response that are not in the key stay, unless mentions are
    matched by heads or parts.
    """
    key = first_only(key)
    if way.is_plain:
        response = without_repeats(key, response)
        own, other = mention_spans(key, response)
        one, two = equal_pairs(own, other)
        counterpart = np.full(len(key), -1)
        counterpart[one] = two
    else:
        response = first_only(response)
        counterpart = way.counterparts(key, response, way.identities(key, response))
    alone = complement(len(response), counterpart[counterpart >= 0])
    mentions = Chains.concatenate([replace(key, words=None), replace(response.take(alone), words=None)], [0, 0])
    if key.words is not None and response.words is not None:
        words = MentionWords.concatenate([key.words, response.words.take(alone)])
        mentions = replace(mentions, words=words)
    of_key = np.append(key.chain, np.full(len(alone), -1))
    of_response = np.append(
        np.where(counterpart >= 0, np.append(response.chain, -1)[counterpart], -1), response.chain[alone]
    )
    return mentions, of_key, of_response


def _singletons(key: Ints, response: Ints) -> dict[str, int]:
    """The chains of one mention on each side, and what the response makes of those of the key."""
    alone, other = ((chain >= 0) & (without_single(chain) < 0) for chain in (key, response))
    kinds = {
        "key": alone,
        "singletons_in_both": alone & other,
        "in_chains": alone & (response >= 0) & ~other,
        "absent": alone & (response < 0),
        "response": other,
    }
    return {name: int(np.count_nonzero(rows)) for name, rows in kinds.items()}
