"""Offsets of a system whose file has no texts, put on those of the gold standard: by ids, or one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evenhand.arrays import Ints
from evenhand.formats.json_spans import Quoted, convention_of, misquoted, on_texts, spans_of
from evenhand.problems import InputError
from evenhand.settings import Convention
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.extractions import OFFSET_LISTS, OffsetLists
from evenhand.text.labels import Vocabulary

_SEARCHED = "mend the offsets, or search for the strings instead with --format system:extractions"


def on_gold_texts(system: Annotation, gold: Iterator[Annotation], vocabulary: Vocabulary) -> Iterator[Annotation]:
    """The lists of a system as spans of the gold standard's texts, which are those of its sentences.

    A text is a record of the gold standard or, where this has tokens, a sentence with blanks between them. What spans
    quote must be there, and shows how offsets count.
    """
    lists = system.layers[OFFSET_LISTS]
    assert isinstance(lists, OffsetLists)
    batches = [batch.corpus for batch in gold]
    texts = [corpus.text(at) for corpus in batches for at in range(corpus.sentences)]
    order = _order(system.corpus, batches, len(texts))
    rows = [(text, lists.quotes[row], lists.spans[row]) for row, text in zip(order, texts, strict=True)]
    convention = convention_of(lists.counting, [Quoted.of(*each) for each in rows])
    for row, text in zip(order, texts, strict=True):
        fault = misquoted(text, lists.quotes[row], convention)
        if fault is not None:
            line = system.corpus.line(row)
            remedy = fault[1] if "--offsets" in fault[1] else _SEARCHED
            raise InputError(system.corpus.source, line, fault[0], remedy, "text")

    def report(at: int, finding: str, remedy: str) -> None:
        raise InputError(system.corpus.source, system.corpus.line(order[at]), finding, remedy, "text")

    atoms, ground = on_texts(texts, convention)
    spans = spans_of([lists.spans[row] for row in order], ground, vocabulary, report)
    is_shown = lists.counting is None and convention != Convention()
    reading = replace(system.readings["spans"], offsets=str(convention), quotes_show=is_shown)
    corpus = replace(atoms.corpus(system.corpus.source), documents=_documents(batches))
    yield Annotation(corpus, {"spans": spans}, {"spans": reading}, system.name)


def _documents(batches: Sequence[Corpus]) -> Ints:
    return Corpus.concatenate(batches).documents


def _order(system: Corpus, gold: Sequence[Corpus], texts: int) -> list[int]:
    """The list of a system for each text of the gold standard."""
    mine = [] if system.ids is None else system.ids.texts(0, system.sentences)
    theirs = [each for corpus in gold if corpus.ids is not None for each in corpus.ids.texts(0, corpus.sentences)]
    if not set(mine).isdisjoint(theirs) and len(set(mine)) == len(mine) and len(theirs) == texts:
        known, missing = {name: at for at, name in enumerate(mine)}, set(theirs) ^ set(mine)
        if missing:
            finding = f"the ids of texts differ from those of the gold standard: {sorted(missing)[0]!r}"
            raise InputError(system.source, None, finding, "give one list for each text", "document")
        return [known[name] for name in theirs]
    if system.sentences != texts:
        documents = sum(len(corpus.documents) for corpus in gold)
        finding = f"found lists of spans for {system.sentences:,} texts, where the gold standard has {texts:,}"
        more = f" in {documents:,} documents" if documents < texts else ""
        raise InputError(system.source, None, f"{finding}{more}", "give one list for each text", "document")
    return list(range(texts))
