"""Coreference as JSON lines, and the writers of CoNLL-2012 and CorefUD.

JSON lines have one document per line, with its `sentences` (or `tokens`) and `clusters` of mentions: lists of first and
last token, counted from 0 in the document. CoNLL-2012 writes chains as brackets in its last column, CorefUD in the MISC
column of CoNLL-U. Brackets cannot represent all chains; the functions at the end count what would be lost.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import chain as chained
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import TagColumn, Tags
from evenhand.data.structures import Chains, Mention
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import SettingError, counted
from evenhand.formats.conll2012 import BEGIN, DECLARATION, END, SAMPLE, DocumentNames, MentionParts, Ranges, word_column
from evenhand.formats.conllu import check_cells
from evenhand.formats.jsonl import COREFERENCE
from evenhand.formats.parsing.json_records import PROBLEM, UNREADABLE, decoded_lines
from evenhand.formats.source import Block, Source
from evenhand.settings import Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

CLUSTERS = ("clusters", "predicted_clusters")
_BLOCKS = 4
Clusters = list[list[tuple[int, int]]]
_WITH_PART = re.compile(r"(?P<name>.+)_(?P<part>0|[1-9]\d*)")
_NO_NAME = "-"
"""Name of the only document of a file without names."""
Part = tuple[int, int, str, str, int]
"""First and last token, the name in the brackets, the fields after it in the opening bracket, and the chain."""


class CorefDocument(msgspec.Struct, gc=False):
    """One line; other keys are ignored."""

    doc_key: str | None = None
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    pos: list[list[str] | str] | None = None
    clusters: Clusters | None = None
    predicted_clusters: Clusters | None = None


_DECODER = msgspec.json.Decoder(CorefDocument)


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    first = next(_decoded(source, source.sample(settings.block_size), settings), None)
    return frozenset({"pos"} if first is not None and first[1].pos is not None else ())


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole documents."""
    names = DocumentNames(source, vocabulary)
    tagged: set[bool] = set()
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="line"):
        documents = list(_decoded(source, block, settings))
        for number, document in documents:
            tagged.add(document.pos is not None)
            if len(tagged) > 1:
                raise source.error(number, "some documents have pos, and others do not", "add it to all")
        if documents:
            reading = ReadInfo(COREFERENCE.name, column=_chosen(settings))
            yield _annotation(source, documents, names, vocabulary, reading)


def kind_of(line: bytes) -> bool | None:
    """Return whether the document in a line has POS, which must be the same for all; None if it cannot be read."""
    try:
        return _DECODER.decode(line).pos is not None
    except UNREADABLE:
        return None


def _decoded(source: Source, block: Block, settings: ReadSettings) -> Iterator[tuple[int, CorefDocument]]:
    """The line numbers and documents of a block; unreadable ones are reported."""
    chosen = _chosen(settings)
    for number, document in decoded_lines(source, block, _DECODER.decode):
        fault = _normalise(document, chosen)
        if fault is None:
            yield number, document
        else:
            source.report(number, *fault, PROBLEM)


def _chosen(settings: ReadSettings) -> str | None:
    for column in settings.columns:
        if column not in CLUSTERS:
            raise SettingError(f"{column!r} does not contain clusters; choose one of {', '.join(CLUSTERS)}.")
    return next(map(str, settings.columns), None)


def _normalise(document: CorefDocument, chosen: str | None) -> tuple[str, str] | None:
    """Set `clusters` to the chosen ones and put words in sentences; return finding and remedy of a problem."""
    keys = [name for name in CLUSTERS if getattr(document, name) is not None]
    if chosen is None and len(keys) > 1:
        return "the document has clusters and predicted_clusters", "specify one of them with --column"
    if not keys or (chosen is not None and chosen not in keys):
        return f"the document has no {chosen or 'clusters'}", "add its clusters, or an empty list"
    document.clusters = getattr(document, chosen or keys[0])
    if document.sentences is None:
        if document.tokens is None:
            return "the document has no sentences or tokens", "add its words"
        document.sentences = [document.tokens] if document.tokens else []
    sentences = document.sentences
    if document.pos is not None:
        if document.pos and all(isinstance(tag, str) for tag in document.pos):
            document.pos = [list(map(str, document.pos))]
        if [len(tags) if isinstance(tags, list) else -1 for tags in document.pos] != list(map(len, sentences)):
            return "pos does not have the shape of sentences", "use one POS per word"
    size = sum(map(len, sentences))
    for start, end in chained.from_iterable(document.clusters or ()):
        if not 0 <= start <= end < size:
            finding = f"the mention [{start}, {end}] is outside the document, which has {counted(size, 'token')}"
            return finding, "use the first and the last token of each mention, counted from 0"
    return None


def _annotation(
    source: Source,
    numbered: list[tuple[int, CorefDocument]],
    names: DocumentNames,
    vocabulary: Vocabulary,
    reading: ReadInfo,
) -> Annotation:
    documents = [document for _, document in numbered]
    sentences = [sentence for document in documents for sentence in document.sentences or ()]
    bounds = np.append(0, np.cumsum(ints([len(sentence) for sentence in sentences])))
    counts = ints([len(document.sentences or ()) for document in documents])
    first = np.cumsum(counts) - counts
    lengths = np.diff(np.append(bounds[first], bounds[-1]))
    lines = ints([number for number, _ in numbered])
    corpus = Corpus(
        source.display_name,
        len(sentences),
        bounds,
        Tokens.of(list(chained.from_iterable(sentences))),
        np.repeat(lines, lengths),
        documents=first,
        names=tuple(names.once(document.doc_key, number) for number, document in numbered),
        unnamed=not any(document.doc_key for document in documents),
        marks=lines,
    )
    layers: dict[str, Layer] = {"chains": _chains(documents, vocabulary)}
    if all(document.pos is not None for document in documents):
        tags = [tag for document in documents for sentence in document.pos or () for tag in sentence]
        layers["pos"] = TagColumn(Tokens.of(tags), vocabulary.columns["pos"])
    return Annotation(corpus, layers, {"chains": reading}, source.name)


def _chains(documents: Sequence[CorefDocument], vocabulary: Vocabulary) -> Chains:
    clusters = [(number, cluster) for number, document in enumerate(documents) for cluster in document.clusters or ()]
    rows = [
        (number, first, last + 1, chain) for chain, (number, cluster) in enumerate(clusters) for first, last in cluster
    ]
    return Chains.of(vocabulary, *ints(rows).reshape(-1, 4).T)


def chain_records(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[dict[str, object]]:
    """JSON records: one per document."""
    for annotation in batches:
        corpus, pos = annotation.corpus, annotation.layers.get("pos")
        assert corpus.tokens is not None
        words = corpus.tokens.texts(0, len(corpus.tokens))
        tags = pos.to_list() if isinstance(pos, Tags) else None
        clusters = annotation.chains().clusters(len(corpus.names))
        for number, (name, sentences) in enumerate(zip(corpus.names, _sentences(corpus), strict=True)):
            record: dict[str, object] = {"doc_key": name, "sentences": [words[begin:end] for begin, end in sentences]}
            if tags is not None:
                record["pos"] = [tags[begin:end] for begin, end in sentences]
            record["clusters"] = [[[start, end - 1] for start, end in cluster] for cluster in clusters[number]]
            yield record


def _sentences(corpus: Corpus) -> list[list[tuple[int, int]]]:
    assert corpus.bounds is not None
    sentences = list(pairwise(corpus.bounds.tolist()))
    return [sentences[first:last] for first, last in pairwise([*corpus.documents.tolist(), corpus.sentences])]


class _Brackets:
    """Prepares batches for brackets; documents and chains are numbered over the whole file."""

    def __init__(self, conversion: Conversion, *, single_first: bool) -> None:
        """`single_first`: among the brackets of a token, readers take mentions of one token first."""
        self._conversion, self._single_first = conversion, single_first
        self.documents, self._chains = 0, 0
        self.unnamed: int | None = None
        """The document without a name."""

    def fit(self, batch: Annotation) -> Annotation:
        chains, lose = batch.chains(), self._conversion.lose
        if "" in batch.corpus.names:
            self.unnamed = self.documents + batch.corpus.names.index("")
        self.documents += len(batch.corpus.names)
        lose(int(np.count_nonzero(batch.corpus.lengths == 0)), "sentences without words")
        lose(count_crossing(chains), "mentions crossing others of their chain, which would change bounds")
        lose(_count_mixed_parts(chains), "mentions with gaps that would get parts of others of their chain")
        moved = _count_moved_spans(chains, single_first=self._single_first)
        lose(moved, "spans of several chains that would count for another chain")
        chains = replace(chains, chain=self._chains + chains.in_order())
        self._chains = int(chains.chain.max(initial=self._chains - 1)) + 1
        return replace(batch, layers={**batch.layers, "chains": chains})

    def check_names(self, *, can_stay: bool) -> None:
        """Raise an error if a document without a name would become part of another one."""
        if self.unnamed is not None and not can_stay:
            finding = f"A document has no name, but {self._conversion.target.name} needs one if there are several"
            raise SettingError(f"{finding}; add one.")


def write_conll2012(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Write twelve columns with tabs between; columns without annotation have hyphens or asterisks."""
    brackets = _Brackets(conversion, single_first=True)
    for batch in batches:
        if not brackets.documents and not _has_plain_words(batch):
            raise SettingError("The words are numbers, which conll2012 reads as positions; convert to another format.")
        fitted = brackets.fit(batch)
        brackets.check_names(can_stay=brackets.documents == 1)
        yield from _conll2012(fitted)
    if brackets.unnamed is not None:
        conversion.notes.append(f"The document has no name, and is called {_NO_NAME} in conll2012.")


def _conll2012(annotation: Annotation) -> Iterator[str]:
    words, tags = _words(annotation.corpus), _pos(annotation)
    for name, sentences, mentions in _documents(annotation):
        match = _WITH_PART.fullmatch(name)
        title, part = (match["name"], match["part"]) if match else (name or _NO_NAME, None)
        if name.startswith("#"):
            raise SettingError(f"conll2012 reads {name!r} as a comment; rename the document.")
        yield f"{BEGIN} ({title}); part {int(part):03}\n" if part else f"{BEGIN} ({title});\n"
        first = sentences[0][0] if sentences else 0
        first_chain = mentions[0][1] if mentions else 0
        cells = _cells([(start, end - 1, str(chain - first_chain), "", chain) for _, chain, start, end, _ in mentions])
        for begin, end in sentences:
            for token in range(begin, end):
                row = [title, part or "0", str(token - begin), words[token], tags[token] if tags else "-"]
                opened, closed = cells.get(token - first, ((), ()))
                yield "\t".join([*row, "-", "-", "-", "-", "-", "*", "|".join([*opened, *closed]) or "-"]) + "\n"
            yield "\n"
        yield f"{END}\n"


def _has_plain_words(annotation: Annotation) -> bool:
    """Whether a reader would detect the column of words, which may be numbers."""
    rows = [line.split("\t") for line in islice(_conll2012(annotation), SAMPLE) if "\t" in line]
    return not rows or word_column(rows, len(rows[0])) == 3


def write_corefud(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Write words, empty nodes, their POS, and entities in the last column; other columns have underscores.

    The name of an entity is the number of its chain, so documents do not share entities. Its type is left empty. The
    head of a mention, which other tools need, is from its file or else the first overt word: `(e1--1`.
    """
    brackets, across = _Brackets(conversion, single_first=False), 0
    for batch in batches:
        conversion.lose(int(np.count_nonzero(np.diff(batch.corpus.document_bounds) == 0)), "documents without words")
        chains = batch.chains()
        first, last = (batch.corpus.in_sentences(chains.document, row)[0] for row in (chains.start, chains.end - 1))
        across += int(np.count_nonzero(first != last))
        fitted = brackets.fit(batch)
        brackets.check_names(can_stay=brackets.unnamed == 0)
        yield from _corefud(fitted)
    if across:
        mentions = f"{counted(across, 'mention')} {'reaches' if across == 1 else 'reach'}"
        refused = "across sentences, which corefud can represent, but udapi and its scorer refuse"
        conversion.notes.append(f"{mentions} {refused}.")


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
                row = [str(word) if decimals[token] < 0 else f"{word}.{decimals[token]}", words[token], *"________"]
                if tags:
                    row[of_word] = tags[token]
                row[-1] = cells.get(token - first, "_")
                yield "\t".join(row) + "\n"
            yield "\n"


def _heads(chains: Chains) -> list[int] | None:
    """The position of each head among the words of its mention, from 1; None if heads are unknown."""
    words = chains.words
    if words is None:
        return None
    row, word = words.flat()
    return list((words.size - np.bincount(row[word > words.head[row]], minlength=len(words))).tolist())


def _entity_cells(mentions: Sequence[Mention], heads: Sequence[int] | None, is_word: Sequence[bool]) -> dict[int, str]:
    """The MISC cells by token: mentions of one token come after opening brackets or, without any, before closing ones.

    If spans repeat, opening brackets keep the order of their chains, because the first chain keeps a span.
    """
    parts = list(_parts(mentions, heads, is_word))
    spans = [(start, end) for _, _, start, end, _ in mentions]
    keeps_order = len(set(spans)) < len(spans)
    cells = {}
    for token, (opened, closed) in _cells(parts).items():
        single = [bracket for bracket in opened if bracket.endswith(")") and not keeps_order]
        others = [bracket for bracket in opened if not bracket.endswith(")") or keeps_order]
        cells[token] = "Entity=" + "".join([*closed, *others, *single] if others else [*single, *closed])
    return cells


def _cells(parts: Sequence[Part]) -> dict[int, tuple[list[str], list[str]]]:
    """Opening brackets (with mentions of one token) and closing ones by token; chains close last in, first out."""
    cells: defaultdict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    rank: dict[tuple[int, int], int] = {}
    for row, (start, _, _, _, chain) in enumerate(parts):
        rank.setdefault((start, chain), row)
    for start, last, name, fields, _ in sorted(parts, key=lambda part: (rank[part[0], part[4]], -part[1])):
        cells[start][0].append(f"({name}{fields})" if start == last else f"({name}{fields}")
    for start, last, name, _, _ in sorted(parts, key=lambda part: -part[0]):
        if start < last:
            cells[last][1].append(f"{name})")
    return cells


def _parts(mentions: Sequence[Mention], heads: Sequence[int] | None, is_word: Sequence[bool]) -> Iterator[Part]:
    for row, (_, chain, start, end, gaps) in enumerate(mentions):
        parts = list(parts_of(start, end, gaps))
        tokens = (token for begin, last in parts for token in range(begin, last + 1))
        overt = (position for position, token in enumerate(tokens, 1) if is_word[token])
        head = next(overt, 1) if heads is None else heads[row]
        for number, (begin, last) in enumerate(parts, 1):
            part = "" if len(parts) == 1 else f"[{number}/{len(parts)}]"
            yield begin, last, f"e{chain + 1}{part}", f"--{head}", chain


def _documents(annotation: Annotation) -> Iterator[tuple[str, list[tuple[int, int]], list[Mention]]]:
    """The name, the bounds of sentences, and the mentions of each document."""
    corpus, chains = annotation.corpus, annotation.chains()
    for number, (name, sentences) in enumerate(zip(corpus.names, _sentences(corpus), strict=True)):
        if name != name.strip() or any(char in name for char in "\n\r"):
            raise SettingError(f"{name!r} cannot be the name of a document in a column file; rename it first.")
        yield name, sentences, chains.documents(ints([number])).rows()


def _words(corpus: Corpus) -> list[str]:
    assert corpus.tokens is not None
    return check_cells(corpus.tokens.texts(0, len(corpus.tokens)))


def _pos(annotation: Annotation) -> list[str] | None:
    pos = annotation.layers.get("pos")
    return check_cells(pos.to_list()) if isinstance(pos, Tags) else None


def count_crossing(chains: Chains) -> int:
    """Count mentions with a part that crosses a part of another mention of their chain.

    Brackets of one chain close last in, first out, so such parts would get other bounds.
    """
    crossing: set[int] = set()
    open_ends: list[int] = []
    last_chain = -1
    parts = (
        (chain, begin, -last, row)
        for row, (_, chain, start, end, gaps) in enumerate(chains.rows())
        for begin, last in parts_of(start, end, gaps)
    )
    for chain, begin, negative_last, mention in sorted(parts):
        if chain != last_chain:
            open_ends, last_chain = [], chain
        while open_ends and open_ends[0] < begin:
            heappop(open_ends)
        if open_ends and open_ends[0] < -negative_last:
            crossing.add(mention)
        heappush(open_ends, -negative_last)
    return len(crossing)


def _count_mixed_parts(chains: Chains) -> int:
    """The number of mentions with gaps that would get parts of others: a part joins the last mention that lacks it."""
    by_chain: defaultdict[int, list[Ranges]] = defaultdict(list)
    for _, chain, start, end, gaps in chains.take(chains.shape > 0).rows():
        by_chain[chain].append(list(parts_of(start, end, gaps)))
    count = 0
    for mentions in by_chain.values():
        if len(mentions) < 2:
            continue
        parts = [(part, number, ranges) for ranges in mentions for number, part in enumerate(ranges, 1)]
        read_back = MentionParts()
        # In the order of their brackets in the file.
        for part, number, ranges in sorted(parts, key=lambda row: (row[0][0], -row[0][1])):
            read_back.add(len(ranges), number, part)
        count += (Counter(map(tuple, mentions)) - Counter(map(tuple, read_back.mentions))).total()
    return count


def parts_of(start: int, end: int, gaps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield first and last token of the parts between gaps, which are sorted, and neither first nor last."""
    begin = start
    for gap in gaps:
        if start + gap > begin:
            yield begin, start + gap - 1
        begin = start + gap + 1
    yield begin, end - 1


def _count_moved_spans(chains: Chains, *, single_first: bool) -> int:
    """The number of repeated spans that another chain would keep, because the first bracket determines the first chain.

    With `single_first`, mentions of one token come first among mentions that begin at the same token.
    """
    by_span: defaultdict[tuple[object, ...], set[int]] = defaultdict(set)
    first_row: dict[int, int] = {}
    first_bracket: dict[int, tuple[int, bool, int]] = {}
    for row, (document, chain, start, end, gaps) in enumerate(chains.rows()):
        by_span[document, start, end, gaps].add(chain)
        first_row.setdefault(chain, row)
        bracket = (start, single_first and end > start + 1, row)
        first_bracket[chain] = min(first_bracket.get(chain, bracket), bracket)
    shared = [numbers for numbers in by_span.values() if len(numbers) > 1]
    return sum(
        min(numbers, key=first_row.__getitem__) != min(numbers, key=first_bracket.__getitem__) for numbers in shared
    )
