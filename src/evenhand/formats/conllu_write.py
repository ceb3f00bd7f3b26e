"""Writing words: CoNLL-U with all that the file had, CoNLL-X with words only, or a word and a tag a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from evenhand.formats.conllu_layout import COLUMNS
from evenhand.problems import SettingError
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Tags, Trees

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

_NOTHING = "_"
# fmt: off
UNIVERSAL_TAGS = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X",
})
# fmt: on


def write_conllu(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Sentences with their comments, multi-word tokens and empty nodes."""
    for number, batch in enumerate(batches):
        yield from _lines(batch, _asides(batch.corpus, first=not number))


def write_conllx(annotation: Annotation) -> Iterator[str]:
    """The words of sentences, in the same columns."""
    return _lines(annotation, [])


def _lines(annotation: Annotation, asides: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """Sentences, and lines beside words: the sentence, word and text of each, in their order."""
    columns, bounds = _columns(annotation), annotation.corpus.bounds
    assert bounds is not None
    place = 0
    for sentence, (begin, end) in enumerate(pairwise(bounds.tolist())):
        for word in range(begin, end + 1):
            while place < len(asides) and asides[place][0] == sentence and (asides[place][1] <= word or word == end):
                yield asides[place][2] + "\n"
                place += 1
            if word < end:
                yield "\t".join([str(word - begin + 1), *(column[word] for column in columns)]) + "\n"
        yield "\n"
    for _, _, line in asides[place:]:
        yield line + "\n"


def _asides(corpus: Corpus, *, first: bool) -> list[tuple[int, int, str]]:
    """The lines beside words; where the file has no such lines, marks of documents but for the first of all."""
    asides = corpus.asides
    if asides is None:
        documents = corpus.documents[int(corpus.continues) :].tolist()
        return [(sentence, -1, "# newdoc") for sentence in documents if sentence or not first]
    columns = (asides.sentence.tolist(), asides.word.tolist(), asides.lines.texts(0, len(asides)))
    return list(zip(*columns, strict=True))


def _columns(annotation: Annotation) -> list[list[str]]:
    """All columns but the first, as texts; what the annotation does not have is an underscore."""
    corpus, trees = annotation.corpus, annotation.layers.get("trees")
    assert corpus.tokens is not None
    size = len(corpus.tokens)
    texts: dict[str, list[str]] = {"form": corpus.tokens.texts(0, size)}
    texts |= {name: layer.to_list() for name, layer in annotation.layers.items() if isinstance(layer, Tags)}
    if isinstance(trees, Trees):
        texts |= {"head": list(map(str, trees.head.tolist())), "deprel": trees.relation.to_list()}
    if "tags" in texts and "upos" not in texts:
        texts["upos" if UNIVERSAL_TAGS.issuperset(texts["tags"]) else "xpos"] = texts["tags"]
    return [checked(texts.get(name, [_NOTHING] * size)) for name in COLUMNS[1:]]


def checked(cells: list[str]) -> list[str]:
    """The cells of a column, if all of them can stand in a file."""
    for cell in set(cells):
        if not cell.strip() or any(char in cell for char in "\t\n\r\0"):
            raise SettingError(f"{cell!r} cannot stand in a file of columns; mend it first.")
    return cells
