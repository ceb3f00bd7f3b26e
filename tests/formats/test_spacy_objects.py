"""spaCy's documents in memory, wherever a side is given: Doc, DocBin, Example, and lists of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.formats.format import type_names, wrap_object

tokens = pytest.importorskip("spacy.tokens")
VOCAB = pytest.importorskip("spacy.vocab").Vocab()
Example = pytest.importorskip("spacy.training").Example
WORDS = ["Ada", "Lovelace", "lived", "in", "London", "."]


def doc(
    *ents: tuple[str, int, int], words: list[str] = WORDS, group: str | None = None, sentences: list[bool] | None = None
) -> Any:
    """A document with entities, or with spans in a group."""
    made = tokens.Doc(VOCAB, words=words, sent_starts=sentences)
    spans = [tokens.Span(made, start, end, label=label) for label, start, end in ents]
    if group is None:
        made.set_ents(spans)
    else:
        made.spans[group] = spans
    return made


GOLD = doc(("PER", 0, 2), ("LOC", 4, 5))
SYSTEM = doc(("PER", 0, 1), ("LOC", 4, 5))
"""The first entity is too short, so that fair F1 is 2/3."""


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        (GOLD, SYSTEM),
        ([GOLD], [SYSTEM]),
        ((GOLD,), (SYSTEM,)),
        (tokens.DocBin(docs=[GOLD]), tokens.DocBin(docs=[SYSTEM])),
        (GOLD, tokens.DocBin(docs=[SYSTEM])),
        (Example(SYSTEM, GOLD), [Example(SYSTEM, GOLD)]),
        ([Example(SYSTEM, GOLD)], [SYSTEM]),
        (eh.docs(GOLD), eh.docs(iter([SYSTEM]))),
        (GOLD, eh.tags([["B-PER", "O", "O", "O", "B-LOC", "O"]])),
    ],
    ids=["doc", "list", "tuple", "bin", "doc and bin", "examples", "examples and docs", "eh.docs", "tags"],
)
def test_either_side_may_be_any_of_them(gold: Any, system: Any) -> None:
    result = eh.score(gold, system)
    assert isinstance(result, eh.Result)
    assert result["fair"].overall["BES"] == 1
    assert result["fair"].f1 == pytest.approx(2 / 3)


def test_examples_hold_both_sides() -> None:
    result = eh.score([Example(SYSTEM, GOLD), Example(GOLD, GOLD)])
    assert (result.gold.units, result["exact"].overall["TP"], result["exact"].overall["FN"]) == (4, 3, 1)
    assert result.signature == eh.score([GOLD, GOLD], [SYSTEM, GOLD]).signature


def test_the_figures_are_those_of_a_file(tmp_path: Path) -> None:
    starts = [True, False, False, True, False, False]
    docs = [doc(("PER", 0, 2), sentences=starts), SYSTEM]
    tokens.DocBin(docs=docs).to_disk(tmp_path / "gold.spacy")
    in_file, in_memory = eh.read(tmp_path / "gold.spacy"), eh.docs(docs)
    assert in_memory.spans().rows() == in_file.spans().rows()
    assert in_memory.corpus.bounds.tolist() == in_file.corpus.bounds.tolist() == [0, 3, 6, 12]
    assert in_memory.corpus.documents.tolist() == [0, 2]


def test_systems_are_mappings_or_lists_of_lists() -> None:
    named = eh.score([GOLD], {"short": [SYSTEM], "right": GOLD})
    assert list(named) == ["short", "right"]
    assert named["right"]["exact"].f1 == 1
    assert list(eh.score([GOLD], [[SYSTEM], [GOLD]])) == ["docs", "docs (2)"]
    assert list(eh.score([GOLD], [tokens.DocBin(docs=[SYSTEM])])) == ["docs"]


def test_every_question_takes_them(tmp_path: Path) -> None:
    gold, before, after = [GOLD, GOLD], [SYSTEM, SYSTEM], [GOLD, SYSTEM]
    comparison = eh.compare(gold, {"before": before, "after": after})
    assert [each.words for each in comparison.pair("before", "after").corrections.units()] == ["Ada Lovelace"]
    assert eh.rank(gold, {"before": before, "after": after})["exact"]["after"].rank == 1
    assert eh.gate(gold, before, after, max_drop=0).passed
    assert not eh.gate(gold, after, before, max_drop=0).passed
    report = eh.report(gold, {"before": before})
    report.to_html(tmp_path / "page.html")
    assert report.title == "before on docs"
    assert report.results["before"]["fair"].overall["BES"] == 2


def test_several_processes_give_the_same() -> None:
    assert str(eh.score(GOLD, SYSTEM, jobs=2)) == str(eh.score(GOLD, SYSTEM))


def test_verdicts_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    eh.score(GOLD, SYSTEM, engine=eh.engines.recording(tmp_path / "verdicts.parquet"))
    assert (tmp_path / "verdicts.parquet").is_file()


def test_a_comparison_of_documents_can_be_pickled() -> None:
    comparison = eh.compare(GOLD, {"a": SYSTEM, "b": GOLD})
    again = pickle.loads(pickle.dumps(comparison))
    assert [each.words for each in again.pair("a", "b").corrections.units()] == ["Ada Lovelace"]


def test_span_groups() -> None:
    nested = doc(("PER", 0, 1), ("PER", 0, 2), group="sc")
    assert eh.docs(nested).reading.column == "spans:sc"
    assert eh.docs(nested, group="sc").spans().rows() == [("PER", 0, 0, 1), ("PER", 0, 0, 2)]
    assert eh.docs(nested, layer="spans:sc").spans().rows() == eh.docs(nested, group="sc").spans().rows()
    result = eh.score(nested, doc(("PER", 0, 2)), column={"gold": "sc", "system": "ents"})  # both are named
    assert (result["exact"].overall["TP"], result["exact"].overall["FN"]) == (1, 1)
    nested.spans["ruler"] = []
    with pytest.raises(
        eh.InputError, match=r"it has the layers spans:ruler and spans:sc; specify one of them with layer=…"
    ):
        eh.docs(nested)


def grouped(made: Any, **groups: list[tuple[str, int, int]]) -> Any:
    """A copy of a document with span groups."""
    made = made.copy()
    for name, spans in groups.items():
        made.spans[name] = [tokens.Span(made, start, end, label=label) for label, start, end in spans]
    return made


def test_the_layer_is_chosen_once_for_both_sides() -> None:
    gold = grouped(doc(("PER", 0, 2), ("LOC", 4, 5)), sc=[("PER", 0, 2), ("PER", 0, 1), ("LOC", 4, 5)])
    system = doc(("PER", 0, 2), ("PER", 4, 5))
    assert eh.score(gold, system)["exact"].f1 == 0.5
    assert eh.score(system, gold)["exact"].f1 == 0.5
    assert eh.score(gold, system).notes[0] == "gold docs: skipped spans of the span group 'sc' (3)."
    both = grouped(system, sc=[("PER", 0, 1)], ruler=[])
    assert eh.score(gold, both)["exact"].f1 == 0.5
    assert eh.score(gold, both, column="sc")["exact"].f1 == 0.5
    assert eh.score(gold, both, column="ents")["exact"].f1 == 0.5
    assert eh.score(doc(("PER", 0, 1), group="sc"), doc(("PER", 0, 1), group="sc"))["exact"].f1 == 1


NONE = tokens.Doc(VOCAB, words=WORDS)
"""A fresh document, which has no layer."""


@pytest.mark.parametrize(
    ("gold", "system", "options", "message"),
    [
        (
            *(doc(("PER", 0, 1), group="sc"), SYSTEM, {}),
            "The two sides have no layer in common. The gold standard has spans:sc. The system has ents. Compare two "
            'layers with layer={"gold": …, "system": …}.',
        ),
        (SYSTEM, {"a": SYSTEM, "b": doc(group="sc")}, {}, "The system a has ents. The system b has spans:sc. Compare"),
        (
            doc(group="sc"),
            doc(group="ruler"),
            {},
            "The gold standard has spans:sc. The system has spans:ruler. Compare",
        ),
        (
            *(doc(group="sc"), grouped(GOLD, ruler=[]), {"layer": "spans:sc"}),
            "The system has no span group 'sc', only 'ruler' and ents. Choose a layer with layer=….",
        ),
        (doc(group="sc"), SYSTEM, {"column": "sc"}, "The system has no span group 'sc', only ents. Choose a layer"),
        (GOLD, SYSTEM, {"layer": "tag"}, "The gold standard has no layer tag, only ents. Choose a layer with layer=…."),
        (GOLD, SYSTEM, {"task": "trees"}, "The gold standard has no layer of trees, only ents. Choose a layer with"),
        (GOLD, SYSTEM, {"layer": "ents", "task": "tags"}, "The layer ents is scored as spans, not as tags; remove"),
        (GOLD, SYSTEM, {"layer": "ents", "column": "ents"}, "layer and column specify the same thing; use only one."),
        (GOLD, SYSTEM, {"layer": "ents,sents"}, "layer is ents, sents; name one layer."),
        (GOLD, SYSTEM, {"layer": "all", "match": "exact"}, "remove match and column."),
        (eh.docs(grouped(GOLD, sc=[]), group="sc"), SYSTEM, {}, "docs: it has no span group 'sc', only ents; a fresh"),
        (GOLD, NONE, {}, "The gold standard has ents. The system has no layer. A fresh Doc has no entities, doc.ents"),
        (NONE, GOLD, {}, "The gold standard has no layer. The system has ents. A fresh Doc has no entities, doc.ents"),
    ],
)
def test_a_layer_that_one_side_lacks_is_refused(gold: Any, system: Any, options: Any, message: str) -> None:
    with pytest.raises(eh.EvenhandError) as raised:
        eh.score(gold, system, **options)
    assert message in str(raised.value)


def test_a_document_without_entities_is_not_a_document_that_lacks_them() -> None:
    assert eh.score([GOLD], [doc()])["exact"].overall["FN"] == 2
    assert eh.score([GOLD, GOLD], [GOLD, tokens.Doc(VOCAB, words=WORDS)])["exact"].overall["FN"] == 2
    empty = tokens.Doc(VOCAB, words=[])
    assert eh.score([empty, GOLD], [empty, GOLD])["exact"].f1 == 1
    assert eh.score([empty], [empty]).gold.units == 0


def test_tokens_may_differ() -> None:
    joined = doc(("PER", 0, 1), words=["AdaLovelace", "lived", "in", "London", "."])
    assert eh.score(GOLD, joined)["exact"].overall["TP"] == 1
    assert "align:characters" in eh.score(GOLD, joined).signature
    assert "align:strict" in eh.score(GOLD, SYSTEM).signature
    with pytest.raises(eh.InputError, match="tokens"):
        eh.score(GOLD, joined, align="strict")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eh.score(GOLD), "docs (spacy) contains only one annotation; add the system's file."),
        (lambda: eh.score(GOLD, (each for each in [SYSTEM])), "one by one; make a list of them: list(…)."),
        (
            lambda: eh.score([GOLD], [SYSTEM, 3]),
            "docs:2: expected a Doc, got 3; pass a list of documents only.",
        ),
        (lambda: eh.score([GOLD], {"crf": [SYSTEM, 3]}), "crf:2: expected a Doc, got 3"),
        (lambda: eh.score(GOLD, SYSTEM, format="conll"), "docs: is read as spacy, not as conll; remove the format"),
        (
            lambda: eh.score(GOLD, SYSTEM, task="trees"),
            "The gold standard has no layer of trees, only ents. Choose a layer with layer=….",
        ),
        (lambda: eh.score(GOLD, SYSTEM, column="sc"), "The gold standard has no span group 'sc', only ents."),
        (lambda: eh.score(GOLD, tokens.DocBin()), "docs: the DocBin has no documents; check how it was written."),
        (
            lambda: eh.score(tokens.DocBin(attrs=["SENT_START"], docs=[GOLD]), SYSTEM),
            "The gold standard has no layer. The system has ents. A fresh Doc has no entities, doc.ents = [] marks that",
        ),
        (lambda: eh.docs([Example(SYSTEM, GOLD)]), "docs:1: an Example has two documents; give eh.docs the references"),
        (lambda: eh.docs([]), "[] has no documents of spaCy's; give a Doc, a list of these, or a DocBin."),
        (lambda: eh.docs(3), "3 has no documents of spaCy's"),
        (lambda: eh.docs("gold.spacy"), "'gold.spacy' is a path; read the file: eh.read('gold.spacy')."),
        (lambda: eh.docs(GOLD, group=3), "group is 3; it must be a string, or None."),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(eh.EvenhandError) as raised:
        call()
    assert message in str(raised.value)


# Objects are told by their types


def test_types_are_told_by_package_and_name() -> None:
    class Own(tokens.Doc):  # type: ignore[misc, name-defined]
        pass

    assert "spacy.Doc" in type_names(Own(VOCAB, words=["a"]))
    assert eh.docs(Own(VOCAB, words=["a"])).corpus.token_count == 1


@pytest.mark.parametrize("value", [3, None, [], {}, [3], "gold.conll", {"a": GOLD}, [[GOLD]], {GOLD}])
def test_other_objects_are_not_adopted(value: Any) -> None:
    assert wrap_object(value) is None


def test_a_type_of_another_package_with_the_same_name_is_not_adopted() -> None:
    class Doc:
        pass

    assert wrap_object(Doc()) is None
    with pytest.raises(eh.SettingError, match="is neither a file nor an annotation"):
        eh.score(Doc(), SYSTEM)  # type: ignore[arg-type]
