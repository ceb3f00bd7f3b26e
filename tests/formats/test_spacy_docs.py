"""spaCy's DocBin files: tokens, sentences, entities and span groups, read and written."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError
from evenhand.formats import spacy as spacy_docs
from evenhand.formats.convert import Conversion
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

WORDS = ["Ada", "Lovelace", "lived", "in", "“London”", "."]
SENTENCES = [True, False, False, True, False, False]
"""The last three words begin another sentence, so that spans can cross its begin."""


def write(annotation: Annotation, path: Path) -> None:
    spacy_docs.write(path, lambda: iter([annotation]), Conversion(spacy_docs.FORMAT, "spans"))


def doc(
    words: list[str] = WORDS,
    ents: list[tuple[str, int, int]] | None = None,
    groups: dict[str, list[tuple[str, int, int]]] | None = None,
    sentences: list[bool] | None = None,
) -> Any:
    """A document of spaCy's; spans are (label, start, end)."""
    tokens = pytest.importorskip("spacy.tokens")
    made = tokens.Doc(pytest.importorskip("spacy.vocab").Vocab(), words=words, sent_starts=sentences)
    if ents is not None:
        made.set_ents([tokens.Span(made, start, end, label=label) for label, start, end in ents])
    for name, spans in (groups or {}).items():
        made.spans[name] = [tokens.Span(made, start, end, label=label) for label, start, end in spans]
    return made


def save(folder: Path, *docs: Any, **options: Any) -> Path:
    path = folder / "docs.spacy"
    pytest.importorskip("spacy.tokens").DocBin(docs=docs, **options).to_disk(path)
    return path


def parts(path: Path, columns: dict[str, Any] | None = None) -> list[Annotation]:
    return list(spacy_docs.read(Source(path), ReadSettings(), Vocabulary(), columns or {"spans": ()}))


def read(path: Path, columns: dict[str, Any] | None = None) -> Annotation:
    return Annotation.concatenate(parts(path, columns))


def error(path: Path, columns: dict[str, Any] | None = None) -> str:
    with pytest.raises(InputError) as raised:
        parts(path, columns)
    return str(raised.value).removeprefix(str(path))


def test_entities_in_the_sentences_of_their_documents(tmp_path: Path) -> None:
    ents = [("PER", 0, 2), ("LOC", 4, 5)]
    path = save(tmp_path, doc(ents=ents, sentences=SENTENCES), doc(["Paris"], [("LOC", 0, 1)]))
    annotation = read(path)
    assert annotation.name == "docs"
    assert annotation.spans().rows() == [("PER", 0, 0, 2), ("LOC", 1, 1, 2), ("LOC", 2, 0, 1)]
    assert annotation.corpus.bounds.tolist() == [0, 3, 6, 7]
    assert annotation.corpus.documents.tolist() == [0, 2]
    assert [annotation.corpus.text(i) for i in range(3)] == ["Ada Lovelace lived", "in “London” .", "Paris"]
    assert [annotation.corpus.line(token) for token in (0, 5, 6)] == [1, 1, 2]
    reading = annotation.readings["spans"]
    assert (reading.format, reading.column, reading.skipped) == ("spacy", "ents", {})


def test_a_document_without_sentence_boundaries_is_one_scope(tmp_path: Path) -> None:
    annotation = read(save(tmp_path, doc(ents=[("LOC", 4, 5)]), doc(sentences=SENTENCES)))
    assert annotation.corpus.bounds.tolist() == [0, 6, 9, 12]
    assert annotation.spans().rows() == [("LOC", 0, 4, 5)]


def test_a_span_that_crosses_a_sentence_boundary_belongs_where_it_begins(tmp_path: Path) -> None:
    annotation = read(save(tmp_path, doc(ents=[("LOC", 2, 5)], sentences=SENTENCES)))
    assert annotation.spans().rows() == [("LOC", 0, 2, 5)]


def test_empty_documents_and_documents_without_annotation(tmp_path: Path) -> None:
    annotation = read(save(tmp_path, doc([]), doc(), doc([]), doc(ents=[("PER", 0, 1)])))
    assert annotation.corpus.bounds.tolist() == [0, 0, 6, 6, 12]
    assert annotation.corpus.documents.tolist() == [0, 1, 2, 3]
    assert annotation.spans().rows() == [("PER", 3, 0, 1)]


def test_the_only_span_group_is_read_with_overlaps_and_in_its_order(tmp_path: Path) -> None:
    group = {"sc": [("LOC", 4, 5), ("PER", 0, 2), ("", 0, 1), ("PER", 0, 2)]}
    path = save(tmp_path, doc(), doc(groups=group), doc([]), doc(groups={"sc": []}))
    annotation = read(path)
    assert annotation.spans().rows() == [("LOC", 1, 4, 5), ("PER", 1, 0, 2), ("_", 1, 0, 1)]
    reading = annotation.readings["spans"]
    assert (reading.column, reading.layers) == ("spans:sc", ("spans:sc",))
    assert reading.skipped == {"repeated spans": 1, "unannotated documents of the layer spans:sc": 1}


def test_entities_are_read_unless_a_group_is_named(tmp_path: Path) -> None:
    groups = {"sc": [("LOC", 4, 5)], "heads": [("PER", 1, 2), ("LOC", 4, 5)]}
    path = save(tmp_path, doc(groups={"sc": []}), doc(ents=[("ORG", 1, 2), ("ORG", 3, 4)], groups=groups))
    annotation = read(path)
    assert annotation.spans().rows() == [("ORG", 1, 1, 2), ("ORG", 1, 3, 4)]
    reading = annotation.readings["spans"]
    assert (reading.column, reading.layers) == ("ents", ("ents", "spans:heads", "spans:sc"))
    assert reading.skipped == {
        "spans of the span group 'sc'": 1,
        "spans of the span group 'heads'": 2,
        "unannotated documents of the layer ents": 1,
    }
    named = read(path, {"spans": ("sc",)}).readings["spans"]
    assert named.skipped == {"entities beside the span group 'sc'": 2, "spans of the span group 'heads'": 2}
    assert named.is_layer_named
    annotated_as_empty = save(tmp_path, doc(ents=[], groups=groups))
    assert read(annotated_as_empty).readings["spans"].column == "ents"


def test_several_span_groups_need_a_choice(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        doc(groups={"sc": [("LOC", 4, 5)]}),
        doc(groups={"heads": [("PER", 1, 2)]}),
    )
    assert error(path) == (": it has the layers spans:heads and spans:sc; specify one of them with --column.")
    assert read(path, {"spans": ("heads",)}).spans().rows() == [("PER", 1, 1, 2)]
    assert read(path, {"spans": ("spans:heads",)}).spans().rows() == [("PER", 1, 1, 2)]
    assert error(path, {"spans": ("tails",)}).startswith(
        ": it has no span group 'tails', only 'heads' and 'sc'; a fresh"
    )
    assert error(path, {"spans": ("ents",)}).startswith(
        ": it has no layer ents, only spans:heads and spans:sc; a fresh"
    )


def test_batches_of_any_size_read_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path, *(doc(ents=[("PER", 0, 2)], sentences=SENTENCES) for _ in range(5)))
    whole = read(path)
    monkeypatch.setattr(spacy_docs, "_BATCH", 2)
    assert len(parts(path)) == 3
    assert read(path).spans().rows() == whole.spans().rows()
    assert read(path).corpus.documents.tolist() == whole.corpus.documents.tolist() == [0, 2, 4, 6, 8]
    assert [read(path).corpus.line(token) for token in (0, 12, 29)] == [1, 3, 5]


def test_a_span_without_tokens(tmp_path: Path) -> None:
    path = save(tmp_path, doc(), doc(groups={"sc": [("PER", 3, 3)]}))
    assert error(path) == ":2: the span 'PER' at token 3 covers no tokens; write the file again without it."


def test_a_file_that_was_written_without_entities(tmp_path: Path) -> None:
    lemmas = doc(ents=[("PER", 0, 2)])
    lemmas[0].lemma_ = "Ada"
    assert error(save(tmp_path, lemmas, attrs=["LEMMA"]), {"spans": ("ents",)}) == (
        ": it has no layer ents, only lemma; a fresh Doc has no entities, doc.ents = [] marks that there are none, and a "
        "DocBin stores what its attrs name."
    )


def test_a_file_without_documents(tmp_path: Path) -> None:
    assert error(save(tmp_path)) == ": the file has no documents; check how it was written."


@pytest.mark.parametrize(
    "how", ["empty", "text", "cut off", "other content", "documents that do not fit", "a label without its name"]
)
def test_broken_files(tmp_path: Path, how: str) -> None:
    path = save(tmp_path, doc(groups={"sc": [("PER", 0, 2)]}))
    packing = pytest.importorskip("srsly")
    content = packing.msgpack_loads(zlib.decompress(path.read_bytes()))
    path.write_bytes(
        {
            "empty": b"",
            "text": b"Ada B-PER\n",
            "cut off": path.read_bytes()[:-9],
            "other content": zlib.compress(packing.msgpack_dumps({"attrs": [65]})),
            "documents that do not fit": zlib.compress(packing.msgpack_dumps({**content, "flags": []})),
            "a label without its name": zlib.compress(packing.msgpack_dumps({**content, "strings": WORDS})),
        }[how]
    )
    assert error(path) == ": the file is not a DocBin, or is broken; write it with spaCy's DocBin.to_disk."


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    assert error(tmp_path / "nothing.spacy") == ": there is no such file; check the path."


def test_files_are_recognised_by_their_names() -> None:
    assert spacy_docs.is_doc_bin(Source(Path("corpus/train.spacy")), None)
    assert not spacy_docs.is_doc_bin(Source(Path("corpus/train.conll")), None)


def test_spacy_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.delitem(sys.modules, "spacy.tokens", raising=False)
    sentence = ": files of this format need spaCy, which is not installed; run: pip install evenhand[spacy]."
    path = tmp_path / "docs.spacy"
    path.touch()
    assert error(path) == sentence
    with pytest.raises(InputError) as raised:
        write(eh.tags([["O"]], tokens=[["Ada"]]), path)
    assert str(raised.value) == f"{path}{sentence}"


def written(path: Path) -> list[Any]:
    tokens, vocab = pytest.importorskip("spacy.tokens"), pytest.importorskip("spacy.vocab")
    return list(tokens.DocBin().from_disk(path).get_docs(vocab.Vocab()))


def test_flat_spans_are_written_as_entities(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    tags = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "B-LOC"]]
    write(eh.tags(tags, tokens=[WORDS[:3], WORDS[3:]]), tmp_path / "out.spacy")
    (made,) = written(tmp_path / "out.spacy")
    assert [token.text for token in made] == WORDS
    assert [sentence.start for sentence in made.sents] == [0, 3]
    assert [(span.label_, span.start, span.end) for span in made.ents] == [("PER", 0, 2), ("LOC", 4, 5), ("LOC", 5, 6)]
    assert dict(made.spans) == {}


def test_where_one_document_has_overlaps_all_are_written_as_span_groups(tmp_path: Path) -> None:
    group = {"sc": [("PER", 0, 2), ("PER", 1, 2)]}
    path = save(tmp_path, doc(groups=group, sentences=SENTENCES), doc(groups={"sc": [("LOC", 4, 5)]}), doc([]))
    write(read(path), tmp_path / "out.spacy")
    docs = written(tmp_path / "out.spacy")
    assert [list(made.spans) for made in docs] == [["spans"], ["spans"], ["spans"]]
    assert [len(made.ents) for made in docs] == [0, 0, 0]
    assert read(tmp_path / "out.spacy").spans().rows() == read(path).spans().rows()


@st.composite
def documents(draw: st.DrawFn) -> list[tuple[list[bool], list[tuple[str, int, int]]]]:
    """Sentence starts and spans of a few documents; spans may overlap and cross sentences."""
    all_documents = []
    for _ in range(draw(st.integers(1, 3))):
        starts = [True, *draw(st.lists(st.booleans(), max_size=5))]
        place = st.integers(0, len(starts) - 1)
        pairs = draw(st.lists(st.tuples(st.sampled_from(["PER", "LOC"]), place, place), max_size=4))
        all_documents.append((starts, [(label, min(a, b), max(a, b) + 1) for label, a, b in pairs]))
    return all_documents


@given(documents())
def test_what_is_written_reads_the_same(tmp_path_factory: pytest.TempPathFactory, listed: Any) -> None:
    folder = tmp_path_factory.mktemp("docs")
    docs = [doc([f"w{i}" for i in range(len(starts))], None, {"sc": spans}, starts) for starts, spans in listed]
    annotation = read(save(folder, *docs))
    write(annotation, folder / "out.spacy")
    again = read(folder / "out.spacy")
    assert sorted(again.spans().rows()) == sorted(annotation.spans().rows())
    assert again.corpus.bounds.tolist() == annotation.corpus.bounds.tolist()
    assert again.corpus.documents.tolist() == annotation.corpus.documents.tolist()


@pytest.mark.parametrize(
    ("annotation", "sentence"),
    [
        (
            eh.tags([["B-PER"]], name="tags"),
            "tags: it has no tokens, which spaCy needs; use a file with tokens.",
        ),
        (
            eh.tags([["O", "O"]], tokens=[["Ada", ""]], name="tags"),
            "tags: a token is empty, which spaCy does not allow; fix it, or choose another format.",
        ),
        (
            eh.tags([["O"], [], ["O"]], tokens=[["Ada"], [], ["lived"]], name="tags"),
            "tags: a sentence is empty, which spaCy does not allow; fix it, or choose another format.",
        ),
    ],
)
def test_what_a_file_of_spacy_cannot_say(tmp_path: Path, annotation: Annotation, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        write(annotation, tmp_path / "out.spacy")
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (("PER", 0, 3, [0, 2]), "tags: a span leaves tokens out, which spaCy's spans cannot"),
        (("PER", 1, 4), "tags: a span ends after its document, which spaCy does not allow"),
    ],
)
def test_spans_that_spacy_does_not_have(tmp_path: Path, row: Any, sentence: str) -> None:
    corpus = eh.tags([["O"] * 3], tokens=[WORDS[:3]], name="tags").corpus
    annotation = Annotation(corpus, eh.spans([[row]]).layers)
    with pytest.raises(InputError) as raised:
        write(annotation, tmp_path / "out.spacy")
    assert str(raised.value) == f"{sentence}; fix it, or choose another format."


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    path = tmp_path / "nowhere" / "out.spacy"
    with pytest.raises(InputError) as raised:
        write(eh.tags([["O"]], tokens=[["Ada"]]), path)
    assert str(raised.value) == f"{path}: cannot be written (no such file or directory); check the folder."
