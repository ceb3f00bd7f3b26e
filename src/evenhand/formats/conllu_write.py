"""Writing words: CoNLL-U with all that the file had, CoNLL-X with words only, or a word and a tag a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        yield from _conllu(batch, first=not number)


def write_conllx(annotation: Annotation) -> Iterator[str]:
    """The words of sentences, in the same columns."""
    columns = _columns(annotation)
    for _, begin, end in _sentences(annotation.corpus):
        for word in range(begin, end):
            yield "\t".join([str(word - begin + 1), *(column[word] for column in columns)]) + "\n"
        yield "\n"


def _conllu(annotation: Annotation, *, first: bool) -> Iterator[str]:
    """`first` says whether the sentences begin the file."""
    columns, corpus = _columns(annotation), annotation.corpus
    asides = _asides(corpus)
    if asides is None:
        documents = corpus.documents[int(corpus.continues) :].tolist()
        asides = [(sentence, -1, "# newdoc") for sentence in documents if sentence or not first]
    place = 0
    for sentence, begin, end in _sentences(corpus):
        for word in range(begin, end + 1):
            while place < len(asides) and asides[place][0] == sentence and (asides[place][1] <= word or word == end):
                yield asides[place][2] + "\n"
                place += 1
            if word < end:
                yield "\t".join([str(word - begin + 1), *(column[word] for column in columns)]) + "\n"
        yield "\n"
    for _, _, line in asides[place:]:
        yield line + "\n"


def _sentences(corpus: Corpus) -> Iterator[tuple[int, int, int]]:
    assert corpus.bounds is not None
    bounds = corpus.bounds.tolist()
    return zip(range(corpus.sentences), bounds[:-1], bounds[1:], strict=True)


def _asides(corpus: Corpus) -> list[tuple[int, int, str]] | None:
    """Sentence, word and text of the lines beside words, in their order; None where the file has no such lines."""
    asides = corpus.asides
    if asides is None:
        return None
    texts = [asides.lines[row] for row in range(len(asides))]
    return list(zip(asides.sentence.tolist(), asides.word.tolist(), texts, strict=True))


def _columns(annotation: Annotation) -> list[Sequence[str]]:
    """All columns but the first, as texts; what the annotation does not have is an underscore."""
    corpus, trees = annotation.corpus, annotation.layers.get("trees")
    assert corpus.tokens is not None
    size = len(corpus.tokens)
    texts: dict[str, Sequence[str]] = {"form": [corpus.tokens[word] for word in range(size)]}
    texts |= {name: layer.to_list() for name, layer in annotation.layers.items() if isinstance(layer, Tags)}
    if isinstance(trees, Trees):
        texts |= {"head": list(map(str, trees.head.tolist())), "deprel": trees.relation.to_list()}
    if "tags" in texts and "upos" not in texts:
        texts["upos" if UNIVERSAL_TAGS.issuperset(texts["tags"]) else "xpos"] = texts["tags"]
    found = [texts.get(name, [_NOTHING] * size) for name in COLUMNS[1:]]
    for cell in {cell for column in found for cell in column}:
        if not cell.strip() or any(char in cell for char in "\t\n\r"):
            raise SettingError(f"{cell!r} cannot stand in a file of columns; mend it first.")
    return found
