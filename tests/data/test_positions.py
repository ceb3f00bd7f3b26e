"""Positions that leave Evenhand are character offsets into the input text: `text[start:end]` is the quoted string."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.api.ground import ground_file
from evenhand.comparison.units import SHOWN
from evenhand.formats.parsing import json_spans

Span = tuple[str, int, int]
Side = list[list[Span]]
"""The spans of each text, in characters."""
_LINE_END = re.compile(r"[\r\n]")
QUICK = {"trials": 0, "resamples": 0}
PIECES = ("Ada", "Zoë", "e\u0301", "😀", "👩\u200d🚀", "x", "(", ").", "人", "U.S", "-")
SPACES = ("", " ", "  ", "\n", "\t", "\r\n", " \n ", "\u00a0", "\u3000", "\n\n")
TEXT = st.lists(st.tuples(st.sampled_from(SPACES), st.sampled_from(PIECES)), min_size=1, max_size=7).map(
    lambda pieces: "".join(space + piece for space, piece in pieces)
)
TEXTS = st.lists(st.builds(str.__add__, TEXT, st.sampled_from(SPACES)), min_size=1, max_size=3, unique=True)


@st.composite
def annotated(draw: st.DrawFn) -> tuple[list[str], list[Side]]:
    """Some texts, and three sides with spans that neither begin nor end with a space."""
    texts = draw(TEXTS)
    sides = []
    for _ in range(3):
        side = []
        for text in texts:
            places = [at for at, character in enumerate(text) if not character.isspace()]
            bounds = draw(st.sets(st.tuples(st.sampled_from(places), st.sampled_from(places)), max_size=3))
            spans = {(min(pair), max(pair) + 1) for pair in bounds}
            side.append([(draw(st.sampled_from(("PER", "LOC"))), *span) for span in sorted(spans)])
        sides.append(side)
    return texts, sides


def lists(texts: Sequence[str], side: Side, folder: Path) -> Any:
    return eh.spans(side, text=texts)


def records(make: Callable[[str, list[Span], int], Any]) -> Callable[[Sequence[str], Side, Path], Path]:
    def write(texts: Sequence[str], side: Side, folder: Path) -> Path:
        path = folder.with_suffix(".jsonl")
        rows = [make(text, spans, number) for number, (text, spans) in enumerate(zip(texts, side, strict=True))]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


def objects(spans: list[Span]) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "label": label} for label, start, end in spans]


def label_studio(texts: Sequence[str], side: Side, folder: Path) -> Path:
    path = folder.with_suffix(".json")
    tasks = [
        {"data": {"text": text}, "annotations": [{"result": [{"value": value} for value in values]}]}
        for text, values in (
            (text, [{"start": start, "end": end, "labels": [label]} for label, start, end in spans])
            for text, spans in zip(texts, side, strict=True)
        )
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def brat(texts: Sequence[str], side: Side, folder: Path) -> Path:
    folder.mkdir()
    for number, (text, spans) in enumerate(zip(texts, side, strict=True)):
        (folder / f"d{number}.txt").write_bytes(text.encode())
        lines = [
            f"T{at}\t{label} {start} {end}\t{_LINE_END.sub(' ', text[start:end])}\n"
            for at, (label, start, end) in enumerate(spans, 1)
        ]
        (folder / f"d{number}.ann").write_bytes("".join(lines).encode())
    return folder


FORMATS: dict[str, Callable[[Sequence[str], Side, Path], Any]] = {
    "lists": lists,
    "prodigy": records(lambda text, spans, number: {"text": text, "spans": objects(spans)}),
    "ids": records(lambda text, spans, number: {"id": f"d{number}", "text": text, "spans": objects(spans)}),
    "doccano": records(lambda text, spans, number: {"text": text, "label": [[s, e, label] for label, s, e in spans]}),
    "label studio": label_studio,
    "brat": brat,
}


def written(form: str, texts: Sequence[str], sides: list[Side], folder: str) -> list[Any]:
    names = ("gold", "a", "b")
    return [FORMATS[form](texts, side, Path(folder, name)) for side, name in zip(sides, names, strict=True)]


def units(gold: Any, systems: dict[str, Any], **options: Any) -> Iterator[eh.comparison.units.Unit]:
    """All units that a comparison can show, as they are loaded from JSON."""
    for kind in SHOWN:
        found = eh.compare(gold, systems, show=kind, **QUICK, **options)
        assert eh.Comparison.from_json(found.to_json()).shown_units == found.shown_units
        yield from found.shown_units


def check(texts: Sequence[str], number: int, start: int | None, end: int | None, quoted: str | None) -> None:
    assert start is not None
    assert quoted == texts[number - 1][start:end]
    assert quoted == quoted.strip()


CASE = (
    [" Ada\tmet\r\nCharles  Babbage 😀, e\u0301 in Rome ", "\n\nRome.\n"],
    [
        [[("PER", 1, 4), ("PER", 10, 26), ("LOC", 36, 40)], [("LOC", 2, 6)]],
        [[("PER", 1, 4), ("PER", 10, 17)], [("PER", 2, 6)]],
        [[("LOC", 27, 28), ("LOC", 30, 32)], [("LOC", 2, 7)]],
    ],
)


@pytest.mark.parametrize("form", FORMATS)
@example(given_=CASE)
@given(given_=annotated())
@settings(max_examples=8)
def test_units_leaks_and_conflicts_quote_their_text(form: str, given_: tuple[list[str], list[Side]]) -> None:
    texts, sides = given_
    with TemporaryDirectory() as folder:
        gold, a, b = written(form, texts, sides, folder)
        for unit in units(gold, {"a": a, "b": b}):
            check(texts, unit.sentence, unit.start, unit.end, unit.words)
            assert (unit.positions, unit.token_start, unit.text) == ("characters", None, texts[unit.sentence - 1])
            names = {"ids": f"d{unit.sentence - 1}", "brat": str(Path(folder, f"gold/d{unit.sentence - 1}"))}
            assert unit.document_name == names.get(form)
        leaks = eh.score(gold, a, match="leak", show="leaked")["leak"].further["leaked"]["spans"]
        for leak in leaks:
            check(texts, leak["sentence"], leak["start"], leak["end"], leak["words"])
            assert leak["positions"] == "characters"
        for conflict in eh.agree({"gold": gold, "a": a, "b": b}, resamples=0).conflicts():
            named = {
                **{f"d{at}": at + 1 for at in range(len(texts))},
                **{text: at + 1 for at, text in enumerate(texts)},
            }
            number = named.get(conflict.document, conflict.sentence)
            check(texts, number, conflict.start, conflict.end, conflict.text)
            given_spans = {(label, start, end) for side in sides for label, start, end in side[number - 1]}
            assert {(each[2], *each[:2]) for found in conflict.answers.values() for each in found} <= given_spans


@pytest.mark.parametrize("form", FORMATS)
@example(given_=CASE)
@given(given_=annotated())
@settings(max_examples=8)
def test_verdicts_quote_their_text(form: str, given_: tuple[list[str], list[Side]]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    texts, sides = given_
    with TemporaryDirectory() as folder:
        gold, a, _ = written(form, texts, sides, folder)
        path = Path(folder, "v.parquet")
        eh.score(gold, a, engine=eh.engines.recording(path))
        for row in parquet.read_table(path).to_pylist():
            check(texts, row["sentence"], row["start"], row["end"], row["text"])
            assert (row["positions"], row["token_start"], row["parts"]) == ("characters", None, None)
            if row["matched_start"] is not None:
                other = sides[1 if row["side"] == "gold" else 0][row["sentence"] - 1]
                assert (row["matched_start"], row["matched_end"]) in {span[1:] for span in other}


def tokens_of(texts: Sequence[str], side: Side) -> tuple[list[list[str]], Side]:
    """The words of texts, and the words that each span touches."""
    words = [[(word.start(), word.end()) for word in re.finditer(r"\S+", text)] for text in texts]
    touched_words = [
        sorted(
            {
                (label, *(min(touched), max(touched) + 1))
                for label, start, end in spans
                if (touched := [at for at, (one, other) in enumerate(edges) if one < end and other > start])
            }
        )
        for edges, spans in zip(words, side, strict=True)
    ]
    return [[text[one:other] for one, other in edges] for text, edges in zip(texts, words, strict=True)], touched_words


@example(given_=CASE)
@given(given_=annotated())
@settings(max_examples=10)
def test_one_side_has_tokens(given_: tuple[list[str], list[Side]]) -> None:
    """Offsets count in the text of the side that has one; tokens of the gold standard are beside them."""
    texts, (gold, *systems) = given_
    words, spans = tokens_of(texts, gold)
    in_tokens, in_text = eh.spans(spans, tokens=words), eh.spans(gold, text=texts)
    a, b = (eh.spans(side, text=texts, name=name) for side, name in zip(systems, "ab", strict=True))
    for unit in units(in_tokens, {"a": a, "b": b}):
        check(texts, unit.sentence, unit.start, unit.end, unit.words)
        assert (unit.positions, unit.text_place) == ("characters", "a")
        assert unit.token_start is not None
        covered = "".join(words[unit.sentence - 1][unit.token_start : unit.token_end])
        assert "".join((unit.words or "").split()) in covered
    system_words, system_spans = tokens_of(texts, systems[0])
    for align in ("strict", "characters"):
        for unit in units(in_text, {"a": eh.spans(system_spans, tokens=system_words), "b": b}, align=align):
            check(texts, unit.sentence, unit.start, unit.end, unit.words)


@given(given_=annotated())
@settings(max_examples=10)
def test_tokens_aligned_by_characters_count_in_the_sentence_as_it_is_shown(
    given_: tuple[list[str], list[Side]],
) -> None:
    texts, sides = given_
    gold, a, b = (eh.spans(spans, tokens=words) for words, spans in (tokens_of(texts, side) for side in sides))
    for unit in units(gold, {"a": a, "b": b}, align="characters"):
        assert unit.text is not None
        assert unit.words == unit.text[unit.start : unit.end]
        assert unit.text == " ".join(texts[unit.sentence - 1].split())
    for unit in units(gold, {"a": a, "b": b}):
        assert (unit.positions, unit.start, unit.end) == ("tokens", unit.token_start, unit.token_end)


@example(given_=CASE)
@given(given_=annotated())
@settings(max_examples=10)
def test_documents_of_spacy_count_in_their_text(given_: tuple[list[str], list[Side]]) -> None:
    """Sentences are cut out of documents, whose text offsets count in."""
    spacy = pytest.importorskip("spacy")
    texts, sides = given_
    tokens = spacy.tokens
    vocab = spacy.vocab.Vocab()

    def docs(side: Side) -> Any:
        all_docs = []
        for text, spans in zip(texts, side, strict=True):
            pieces = re.findall(r"\S+|\s+", text)
            # A single space belongs to the token before it; at the beginning of the text it is a token.
            following = zip(pieces, [*pieces[1:], ""], strict=True)
            kept = [(one, other == " ") for at, (one, other) in enumerate(following) if one != " " or not at]
            words, spaces = [word for word, _ in kept] or ["x"], [has_space for _, has_space in kept]
            doc = tokens.Doc(
                vocab, words=words, spaces=spaces, sent_starts=[True, *[False, True, False] * len(words)][: len(words)]
            )
            bounds = [doc.char_span(start, end, label, alignment_mode="expand") for label, start, end in spans]
            doc.spans["sc"] = [item for item in bounds if item is not None]
            all_docs.append(doc)
        return all_docs

    made = [docs(side) for side in sides]
    gold, a, b = (eh.docs(item, group="sc") for item in made)
    in_text = eh.spans(sides[1], text=[doc.text for doc in made[1]])
    for systems in ({"a": a, "b": b}, {"a": in_text, "b": b}):
        for unit in units(gold, systems):
            assert unit.start is not None
            doc = made[0][unit.document - 1]
            assert unit.words == doc.text[unit.start : unit.end]
            assert unit.positions == "characters"
            assert unit.token_start is not None
            assert unit.text is not None
            assert unit.text in doc.text


@example(given_=CASE)
@given(given_=annotated())
@settings(max_examples=8)
def test_answers_of_language_models_are_placed_in_the_text(given_: tuple[list[str], list[Side]]) -> None:
    texts, (gold, system, _) = given_
    answers = [
        [{"text": text[start:end], "label": label} for label, start, end in spans]
        for text, spans in zip(texts, system, strict=True)
    ]
    sides = eh.spans(gold, text=texts), eh.extractions([[*each, {"text": "Qq", "label": "PER"}] for each in answers])
    for document, text in zip(ground_file(*sides), texts, strict=True):
        assert document.text == text
        assert all(item.text == text[item.start : item.end] for item in document.items if item.status == "exact")
    for unit in units(sides[0], {"a": sides[1], "b": sides[1]}):
        assert unit.words != "Qq" or unit.start is None
        if unit.start is None:
            assert unit.end is None
        else:
            check(texts, unit.sentence, unit.start, unit.end, unit.words)


def test_answers_are_placed_in_the_text_of_documents_of_spacy() -> None:
    """The spaces of the document count, also those between its sentences."""
    tokens, vocab = pytest.importorskip("spacy.tokens"), pytest.importorskip("spacy.vocab").Vocab()
    words, spaces = ["  ", "Ada", ",", "O.K.", "\n\n", "Zoë", "left"], [False, False, True, True, False, True, False]
    doc = tokens.Doc(vocab, words=words, spaces=spaces, sent_starts=[True, False, False, False, False, True, False])
    answers = eh.extractions([[{"text": text, "label": "PER"} for text in ("Ada,", "Zoë left")]])
    (found,) = ground_file(eh.docs([doc]), answers)
    assert found.text == doc.text == "  Ada, O.K. \n\nZoë left"
    assert [(item.start, item.end) for item in found.items] == [(2, 6), (14, 22)]


def test_adjudicated_texts_keep_their_spaces() -> None:
    """Also where the first annotator has tokens, which are then aligned by characters."""
    tokens, text = eh.spans([[("A", 0, 2)]], tokens=[["Ada", "Byron", "left", "."]]), ["Ada Byron left."]
    other = eh.spans([[("A", 0, 9)]], text=text)
    for first, found in ((tokens, "Ada Byron left."), (other, "Ada Byron left.")):
        ((spelled, spans),) = json_spans.records(eh.agree({"x": first, "y": other}, resamples=0).adjudicated)
        assert (spelled, [spelled[span.start : span.end] for span in spans]) == (found, ["Ada Byron"])


def test_parts_of_a_mention_with_gaps_are_listed(tmp_path: Path) -> None:
    text = "  left and  right lung,\nkidney pain"
    parts = [(2, 6), (18, 22)]
    for name, line in (
        ("gold", "T1\tORGAN 2 6;18 22\tleft lung\n"),
        ("a", ""),
        ("b", "T1\tORGAN 2 6;18 22\tleft lung\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.txt").write_text(text)
        (tmp_path / name / "d.ann").write_text(line)
    gold, a, b = (tmp_path / name for name in ("gold", "a", "b"))
    (unit,) = eh.compare(gold, {"a": a, "b": b}, show="correction", **QUICK).shown_units
    assert (unit.start, unit.end, unit.words, unit.parts) == (2, 22, "left lung", tuple(parts))
    (leak,) = eh.score(gold, a, match="leak", show="leaked")["leak"].further["leaked"]["spans"]
    assert (leak["words"], leak["visible"], leak["parts"]) == ("left lung", "left lung", parts)
    (place,) = eh.agree({"gold": gold, "a": a}, resamples=0).conflicts()
    assert place.answers == {"gold": [(2, 22, "ORGAN", tuple(parts))], "a": []}
    parquet = pytest.importorskip("pyarrow.parquet")
    eh.score(gold, a, engine=eh.engines.recording(tmp_path / "v.parquet"))
    (row,) = parquet.read_table(tmp_path / "v.parquet").to_pylist()
    assert (row["text"], row["parts"]) == ("left lung", [list(part) for part in parts])


def test_lines_of_brat_count_in_their_file(tmp_path: Path) -> None:
    """Lines are scopes of relations, but offsets count in the file, also where the tail is in another line."""
    text = "\n  Ada met\nZoë 😀.\n\nin Rome.\n"
    spans = [("PER", 3, 6), ("PER", 11, 14), ("LOC", 22, 26)]
    assert [text[start:end] for _, start, end in spans] == ["Ada", "Zoë", "Rome"]
    for name, ends in (("gold", [(1, 2), (2, 3), (3, 3)]), ("a", []), ("b", [(1, 2), (2, 3), (3, 3)])):
        brat([text], [spans], tmp_path / name)
        with (tmp_path / name / "d0.ann").open("a") as file:
            file.writelines(f"R{at}\tin Arg1:T{head} Arg2:T{tail}\n" for at, (head, tail) in enumerate(ends, 1))
    sides = {name: tmp_path / name for name in "ab"}
    options: Any = {"task": "relations", "sentences": "lines"}
    found = eh.compare(tmp_path / "gold", sides, show="correction", **options, **QUICK).shown_units
    assert [(unit.sentence, unit.words, text[unit.start : unit.end]) for unit in found] == [
        (1, "Ada", "Ada"),
        (2, "Zoë", "Zoë"),
        (3, "Rome", "Rome"),
    ]
    parquet = pytest.importorskip("pyarrow.parquet")
    eh.score(tmp_path / "gold", sides["b"], engine=eh.engines.recording(tmp_path / "v.parquet"), **options)
    rows = parquet.read_table(tmp_path / "v.parquet").to_pylist()
    assert [[text[row[f"{end}_start"] : row[f"{end}_end"]] for end in ("head", "tail")] for row in rows] == [
        ["Ada", "Zoë"],
        ["Zoë", "Rome"],
        ["Rome", "Rome"],
    ]
    assert [(row["sentence"], row["tail_sentence"]) for row in rows] == [(1, 2), (2, 3), (3, 3)]


def related(text: str, spans: list[Span]) -> dict[str, Any]:
    """A text with a relation from the first span to the last one."""
    ends = [{"head": 1, "tail": len(spans), "label": "in"}] if len(spans) > 1 else []
    return {
        "text": text,
        "spans": [{"id": at, **span} for at, span in enumerate(objects(spans), 1)],
        "relations": ends,
    }


@example(given_=CASE)
@given(given_=annotated())
@settings(max_examples=10)
def test_relations_and_links_quote_their_text(given_: tuple[list[str], list[Side]]) -> None:
    texts, sides = given_
    links: Any = lambda text, spans, number: {  # noqa: E731
        "id": f"d{number}",
        "text": text,
        "spans": [{**span, "links": [f"Q{number}"]} for span in objects(spans)],
    }
    relations: Any = lambda text, spans, number: related(text, spans)  # noqa: E731
    for task, make in (("relations", relations), ("links", links)):
        with TemporaryDirectory() as folder:
            gold, a, b = (
                records(make)(texts, side, Path(folder, name))
                for side, name in zip(sides, ("gold", "a", "b"), strict=True)
            )
            for unit in units(gold, {"a": a, "b": b}, task=task):
                check(texts, unit.document, unit.start, unit.end, unit.words)
            path = Path(folder, "v.parquet")
            parquet = pytest.importorskip("pyarrow.parquet")
            eh.score(gold, a, task=task, engine=eh.engines.recording(path))
            for row in parquet.read_table(path).to_pylist():
                check(texts, row["document"], row["start"], row["end"], row["text"])
                for end in ("head", "tail") if task == "relations" else ():
                    bounds = (row[f"{end}_start"], row[f"{end}_end"])
                    assert bounds in {span[1:] for side in sides for span in side[row["document"] - 1]}
