"""Writing chains as brackets: in the columns of CoNLL-2012, or in the MISC column of CoNLL-U (CorefUD)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import ints
from evenhand.formats.chain_formats import BEGIN, DECLARATION, END
from evenhand.formats.chain_losses import crossing_in_chain, mixed_parts, other_first_chains, parts_of
from evenhand.formats.conll2012_layout import SAMPLE, word_column
from evenhand.formats.conllu_write import checked
from evenhand.problems import SettingError, counted
from evenhand.text.annotation import Annotation
from evenhand.text.chains import Chains, Mention
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Tags

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_WITH_PART = re.compile(r"(?P<name>.+)_(?P<part>0|[1-9]\d*)")
_WORD = 3
"""The column of words in CoNLL-2012."""
NO_NAME = "-"
"""What the one document of a file without names is called."""
Part = tuple[int, int, str, str, int]
"""First and last token, the name in the brackets, what stands behind it where they open, and the chain."""


class _Brackets:
    """Brings batches to what brackets can say: names of documents and numbers of chains count over the whole file."""

    def __init__(self, conversion: Conversion, *, single_first: bool) -> None:
        """`single_first`: among brackets at a token, readers take those of single tokens first."""
        self._conversion, self._single_first = conversion, single_first
        self.documents, self._chains = 0, 0
        self.unnamed: int | None = None
        """Which document has no name."""

    def fit(self, batch: Annotation) -> Annotation:
        chains, lose = batch.chains(), self._conversion.lose
        if "" in batch.corpus.names:
            self.unnamed = self.documents + batch.corpus.names.index("")
        self.documents += len(batch.corpus.names)
        lose(int(np.count_nonzero(batch.corpus.lengths == 0)), "sentences without words")
        lose(crossing_in_chain(chains), "mentions crossing others of their chain, which would change bounds")
        lose(mixed_parts(chains), "mentions with gaps that would get parts of others of their chain")
        moved = other_first_chains(chains, single_first=self._single_first)
        lose(moved, "spans of several chains that would count for another chain")
        chains = replace(chains, chain=self._chains + chains.in_order())
        self._chains = int(chains.chain.max(initial=self._chains - 1)) + 1
        return replace(batch, layers={**batch.layers, "chains": chains})

    def check_names(self, *, can_stay: bool) -> None:
        """Raise an error where a document without a name would become part of another one."""
        if self.unnamed is not None and not can_stay:
            finding = f"A document has no name, which {self._conversion.target.name} needs where there are several"
            raise SettingError(f"{finding}; give it one.")


def write_conll2012(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Twelve columns with tabs between; those that an annotation does not have hold hyphens or asterisks."""
    brackets = _Brackets(conversion, single_first=True)
    for batch in batches:
        if not brackets.documents and not _has_plain_words(batch):
            raise SettingError("The words are numbers, which conll2012 takes for positions; convert to another format.")
        fitted = brackets.fit(batch)
        brackets.check_names(can_stay=brackets.documents == 1)
        yield from _conll2012(fitted)
    if brackets.unnamed is not None:
        conversion.notes.append(f"The document has no name, and is called {NO_NAME} in conll2012.")


def _conll2012(annotation: Annotation) -> Iterator[str]:
    words, tags = _words(annotation.corpus), _pos(annotation)
    for name, sentences, mentions in _documents(annotation):
        found = _WITH_PART.fullmatch(name)
        title, part = (found["name"], found["part"]) if found else (name or NO_NAME, None)
        if name.startswith("#"):
            raise SettingError(f"conll2012 takes {name!r} for a comment; give the document another name.")
        yield f"{BEGIN} ({title}); part {int(part):03}\n" if part else f"{BEGIN} ({title});\n"
        first = sentences[0][0] if sentences else 0
        first_chain = mentions[0][1] if mentions else 0
        cells = _cells([(start, end - 1, str(chain - first_chain), "", chain) for _, chain, start, end, _ in mentions])
        for begin, end in sentences:
            for token in range(begin, end):
                place = [title, part or "0", str(token - begin), words[token], tags[token] if tags else "-"]
                opened, closed = cells.get(token - first, ((), ()))
                coreference = "|".join([*opened, *closed]) or "-"
                yield "\t".join([*place, "-", "-", "-", "-", "-", "*", coreference]) + "\n"
            yield "\n"
        yield f"{END}\n"


def _has_plain_words(annotation: Annotation) -> bool:
    """Whether a reader of what is written first would find the words, which may be numbers."""
    rows = [line.split("\t") for line in islice(_conll2012(annotation), SAMPLE) if "\t" in line]
    return not rows or word_column(rows, len(rows[0])) == _WORD


def write_corefud(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Words, empty nodes, their POS, and entities in the last column; the others hold underscores.

    An entity is called by the number of its chain, so that no two documents share one. Its type is left empty. The head
    of a mention, which other tools ask for, is that of its file or, without one there, the first overt word: `(e1--1`.
    """
    brackets, across = _Brackets(conversion, single_first=False), 0
    for batch in batches:
        conversion.lose(int(np.count_nonzero(np.diff(batch.corpus.document_bounds) == 0)), "documents without words")
        across += _across_sentences(batch)
        fitted = brackets.fit(batch)
        brackets.check_names(can_stay=brackets.unnamed == 0)
        yield from _corefud(fitted)
    if across:
        mentions = f"{counted(across, 'mention')} {'reaches' if across == 1 else 'reach'}"
        refused = "across sentences, which corefud can hold, but udapi and its scorer refuse"
        conversion.notes.append(f"{mentions} {refused}.")


def _across_sentences(batch: Annotation) -> int:
    """How many mentions end in another sentence than they begin in."""
    chains = batch.chains()
    edges = [batch.corpus.in_sentences(chains.document, token)[0] for token in (chains.start, chains.end - 1)]
    return int(np.count_nonzero(edges[0] != edges[1]))


def _corefud(annotation: Annotation) -> Iterator[str]:
    corpus, words, tags = annotation.corpus, _words(annotation.corpus), _pos(annotation) or ()
    decimals = [-1] * len(words) if corpus.decimals is None else corpus.decimals.tolist()
    reading = annotation.reading
    of_word = 3 if reading.format == "corefud" and reading.column != "pos=xpos" else 4
    for number, (name, sentences, mentions) in enumerate(_documents(annotation)):
        if not sentences or sentences[0][0] == sentences[-1][1]:
            continue
        yield f"# newdoc id = {name}\n" if name else ""
        yield f"{DECLARATION} eid-etype-head-other\n"
        first = sentences[0][0]
        heads = _heads(annotation.chains().documents(ints([number])))
        cells = _entity_cells(mentions, heads, [decimal < 0 for decimal in decimals[first : sentences[-1][1]]])
        for begin, end in sentences:
            word = 0
            for token in range(begin, end):
                word += decimals[token] < 0
                identifier = str(word) if decimals[token] < 0 else f"{word}.{decimals[token]}"
                row = [identifier, words[token], *"________"]
                if tags:
                    row[of_word] = tags[token]
                row[-1] = cells.get(token - first, "_")
                yield "\t".join(row) + "\n"
            yield "\n"


def _heads(chains: Chains) -> list[int] | None:
    """The place of each head among the words of its mention, from 1; None where heads are not known."""
    words = chains.words
    if words is None:
        return None
    row, word = words.flat()
    behind = np.bincount(row[word > words.head[row]], minlength=len(words))
    return list((words.size - behind).tolist())


def _entity_cells(mentions: Sequence[Mention], heads: Sequence[int] | None, is_word: Sequence[bool]) -> dict[int, str]:
    """By token, what MISC has: brackets of one token stand behind all that open or, without any, before all that close.

    Where spans repeat, all that open mentions stay in the order of their chains, of which the first keeps a span.
    """
    parts = list(_parts(mentions, heads, is_word))
    spans = [(start, end) for _, _, start, end, _ in mentions]
    keeps_order = len(set(spans)) < len(spans)
    found = {}
    for token, (opened, closed) in _cells(parts).items():
        single = [each for each in opened if each.endswith(")") and not keeps_order]
        others = [each for each in opened if not each.endswith(")") or keeps_order]
        pieces = [*closed, *others, *single] if others else [*single, *closed]
        found[token] = "Entity=" + "".join(pieces)
    return found


def _cells(parts: Sequence[Part]) -> dict[int, tuple[list[str], list[str]]]:
    """By token, the brackets that open mentions (or are whole ones) and those that close some.

    Mentions of one chain close last in, first out.
    """
    found: defaultdict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    rank: dict[tuple[int, int], int] = {}
    for row, (start, _, _, _, chain) in enumerate(parts):
        rank.setdefault((start, chain), row)
    for start, last, name, fields, _ in sorted(parts, key=lambda part: (rank[part[0], part[4]], -part[1])):
        found[start][0].append(f"({name}{fields})" if start == last else f"({name}{fields}")
    for start, last, name, _, _ in sorted(parts, key=lambda part: -part[0]):
        if start < last:
            found[last][1].append(f"{name})")
    return found


def _parts(mentions: Sequence[Mention], heads: Sequence[int] | None, is_word: Sequence[bool]) -> Iterator[Part]:
    """The parts of mentions, of which most have one."""
    for row, (_, chain, start, end, gaps) in enumerate(mentions):
        parts = list(parts_of(start, end, gaps))
        tokens = (token for begin, last in parts for token in range(begin, last + 1))
        overt = (place for place, token in enumerate(tokens, 1) if is_word[token])
        head = next(overt, 1) if heads is None else heads[row]
        for number, (begin, last) in enumerate(parts, 1):
            part = "" if len(parts) == 1 else f"[{number}/{len(parts)}]"
            yield begin, last, f"e{chain + 1}{part}", f"--{head}", chain


def _documents(annotation: Annotation) -> Iterator[tuple[str, list[tuple[int, int]], list[Mention]]]:
    """The name of each document, where its sentences begin and end, and its mentions."""
    corpus, chains = annotation.corpus, annotation.chains()
    assert corpus.bounds is not None
    bounds, edges = corpus.bounds.tolist(), np.append(corpus.documents, corpus.sentences).tolist()
    for number, name in enumerate(corpus.names):
        if name != name.strip() or any(char in name for char in "\n\r"):
            raise SettingError(f"{name!r} cannot be the name of a document in a file of columns; mend it first.")
        sentences = [(bounds[at], bounds[at + 1]) for at in range(*edges[number : number + 2])]
        yield name, sentences, chains.documents(ints([number])).rows()


def _words(corpus: Corpus) -> list[str]:
    assert corpus.tokens is not None
    return checked(corpus.tokens.texts(0, len(corpus.tokens)))


def _pos(annotation: Annotation) -> list[str] | None:
    pos = annotation.layers.get("pos")
    return checked(pos.to_list()) if isinstance(pos, Tags) else None
