"""Documents with the mentions and errors of all systems, as a page draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise
from typing import Any

import numpy as np

from evenhand.arrays import ints
from evenhand.data.corpus import Corpus
from evenhand.dataclass import dataclass
from evenhand.tasks.chains.entities import chain_numbers, numbers_in_documents
from evenhand.tasks.chains.entity_errors import EntityErrors, members
from evenhand.tasks.chains.task import ENTITY_ERRORS

MAX_DRAWN = 200_000
"""The number of tokens after which a page draws no further documents."""
_CONTEXT = 4


@dataclass
class EntityDrawing:
    """The documents of the key with the mentions of all sides; only the first ones of a large corpus."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    """By document: its name `d`, the tokens `t` of its sentences, and by system its mentions and errors `s`.

    Mentions `m` are rows of sentence, first token, end, chain of the key, chain of the response (numbered from 1 in the
    document; 0: none), and the number of the mention that it is a corrected span of, or that is corrected to it (-1).
    Errors `e` are rows of the type, the mentions, the chain of the key and that of the response.
    """
    size: int = 0
    left_out: int = 0
    """The number of documents that are not drawn."""

    def add(self, corpus: Corpus, systems: Mapping[str, EntityErrors]) -> None:
        if corpus.bounds is None:  # mentions of a text that is not known
            self.left_out += len(corpus.names)
            return
        bounds, edges = corpus.bounds.tolist(), np.append(corpus.documents, corpus.sentences).tolist()
        sides = {name: _drawn_system(errors, corpus) for name, errors in systems.items()}
        for number, name in enumerate(corpus.names):
            first, end = edges[number : number + 2]
            tokens = bounds[end] - bounds[first]
            if self.size + tokens > MAX_DRAWN and self.documents:
                self.left_out += 1
                continue
            self.size += tokens
            texts = [_tokens(corpus, *bounds[sentence : sentence + 2]) for sentence in range(first, end)]
            drawn = {system: documents[number] for system, documents in sides.items()}
            self.documents.append({"d": name, "t": texts, "s": drawn})

    def examples(self, system: str, kind: str, most: int) -> list[dict[str, Any]]:
        """The first errors of a type with different words, in their contexts."""
        found: dict[str, dict[str, Any]] = {}
        for document in self.documents:
            side = document["s"][system]
            for error in side["e"]:
                if ENTITY_ERRORS[error[0]] != kind or len(found) == most:
                    continue
                sentence, start, end = side["m"][error[1][0]][:3]
                tokens = document["t"][sentence]
                words = " ".join(tokens[start : min(end, start + _CONTEXT)]) + (" …" if end > start + _CONTEXT else "")
                before, after = tokens[max(0, start - _CONTEXT) : start], tokens[end : end + _CONTEXT]
                found.setdefault(
                    words,
                    {"words": words, "parts": [(words, True)], "before": " ".join(before), "after": " ".join(after)},
                )
        return list(found.values())


def _tokens(corpus: Corpus, begin: int, end: int) -> list[str]:
    return ["·"] * (end - begin) if corpus.tokens is None else list(corpus.tokens.texts(begin, end))


def _drawn_system(errors: EntityErrors, corpus: Corpus) -> list[dict[str, Any]]:
    """The mentions and errors of a response by document."""
    mentions = errors.mentions
    sentence, start = corpus.in_sentences(mentions.document, mentions.start)
    sentence = sentence - corpus.documents[mentions.document]
    partner = np.full(len(mentions), -1)
    for own, correct in errors.spans:
        partner[own], partner[correct] = correct, own
    before = np.searchsorted(mentions.document, np.arange(len(corpus.names) + 1))
    first = before[mentions.document]
    chains = [
        np.append(ints(numbers_in_documents(mentions, members(chain))), 0)[chain]
        for chain in (mentions.key, mentions.response)
    ]
    end = start + mentions.end - mentions.start
    table = np.stack((sentence, start, end, *chains, np.where(partner < 0, -1, partner - first)), axis=1)
    drawn: list[dict[str, Any]] = [
        {"m": table[begin:stop].tolist(), "e": []} for begin, stop in pairwise(before.tolist())
    ]
    key, response = chain_numbers(errors, "key"), chain_numbers(errors, "response")
    for error, of_key, of_response in zip(errors.errors, key.tolist(), response.tolist(), strict=True):
        document = int(mentions.document[error.mentions[0]])
        rows = [row - int(before[document]) for row in error.mentions]
        drawn[document]["e"].append([ENTITY_ERRORS.index(error.type), rows, max(of_key, 0), max(of_response, 0)])
    return drawn
