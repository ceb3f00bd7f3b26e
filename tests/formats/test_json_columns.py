"""Records that are spelled alike: read as columns, they are what the decoder reads, to the last error message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import windows
from evenhand.data.annotation import Annotation
from evenhand.data.tokens import PADDING
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, Problem
from evenhand.formats import json_reader
from evenhand.formats.parsing.cells import leading_numbers, lengths_to
from evenhand.formats.parsing.json_columns import ColumnReader, learn, with_letters
from evenhand.formats.source import Block, Source
from evenhand.settings import Offsets, ReadSettings

SHAPES: dict[str, Callable[[str, list[tuple[int, int, str]], str], dict[str, Any]]] = {
    "prodigy": lambda text, spans, answer: {
        "text": text,
        "_input_hash": -len(text) * 104729,
        "meta": {"source": "x", "score": 0.5},
        "spans": [{"start": s, "end": e, "token_start": s, "label": label} for s, e, label in spans],
        "answer": answer,
    },
    "plain": lambda text, spans, _: {
        "spans": [{"label": label, "level": 1, "end": e, "start": s} for s, e, label in spans],
        "text": text,
    },
    "quoted": lambda text, spans, _: {
        "text": text,
        "spans": [{"begin": s, "end": e, "text": text[s:e], "type": label} for s, e, label in spans],
    },
    "misquoted": lambda text, spans, _: {
        "text": text,
        "spans": [{"start": s, "end": e, "word": text[s : e + 1], "label": label} for s, e, label in spans],
    },
    "doccano": lambda text, spans, _: {"id": len(text), "data": text, "label": [list(span) for span in spans]},
    "entities": lambda text, spans, _: {
        "text": text,
        "Comments": [],
        "entities": [{"id": 7, "start_offset": s, "end_offset": e, "label": label} for s, e, label in spans],
    },
}
NOTES = st.sampled_from([None, 0.5, True, -1, [], {}, {"a": ["b", {"c": "d"}]}, 'x": [', [1, "2"], "é😀"])
LETTERS = st.text(st.sampled_from('ab {}[]"\\\n\t,:é😀\u3000'), max_size=12)
LABELS = st.sampled_from(["PER", "LOC", "a long label", "Ü"])


@st.composite
def varied(draw: st.DrawFn, record: dict[str, Any]) -> dict[str, Any]:
    """A record as it is, with a note that nobody reads, or with its keys in another order."""
    note = draw(st.sampled_from([{}, {}, {"note": draw(NOTES)}]))
    keys = [*note, *record]
    keys = draw(st.sampled_from([keys, keys, keys[::-1]]))
    return {key: {**note, **record}[key] for key in keys}


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Some records of one shape, and one way to write them; now and then, a byte is another one."""
    shape = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    ways: list[dict[str, Any]] = [{}, {"ensure_ascii": False}, {"separators": (",", ":"), "ensure_ascii": False}]
    lines = []
    way, ending = draw(st.sampled_from(ways)), draw(st.sampled_from(["\n", "\r\n"]))
    for _ in range(draw(st.integers(1, 5))):
        text = "x" + draw(LETTERS)
        places = st.integers(0, len(text) + draw(st.sampled_from([0, 0, 0, 1])))
        edges = st.tuples(places, places).map(sorted)
        spans = draw(st.lists(st.tuples(edges, LABELS).map(lambda span: (*span[0], span[1])), max_size=3))
        record = shape(text, spans, draw(st.sampled_from(["accept", "accept", "reject"])))
        lines.append(json.dumps(draw(varied(record)), **way))
    data = bytearray((ending.join(lines) + ending).encode())
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(data) - 1))
        data[place : place + draw(st.integers(0, 2))] = draw(
            st.sampled_from([b'"', b"0", b" ", b"\\", b"}", b"", b"\t"])
        )
    return bytes(data)


def outcome(path: Path, offsets: Offsets) -> object:
    """All that a file says, or the message that it gets."""
    try:
        settings = ReadSettings(offsets=offsets)
        read = Annotation.concatenate(list(json_reader.read_json_lines(Source(path), settings, Vocabulary(), {})))
    except InputError as error:
        return str(error)
    assert read.corpus.bounds is not None
    assert read.corpus.tokens is not None
    texts = [read.corpus.text(at) for at in range(read.corpus.sentences)]
    atoms = [read.corpus.tokens[at] for at in range(len(read.corpus.tokens))]
    spans, corpus = read.spans(), read.corpus
    return (
        spans.rows(),
        spans.level.tolist(),
        texts,
        atoms,
        corpus.bounds.tolist(),
        corpus.lines.tolist(),
        read.readings,
    )


@given(files(), st.sampled_from(["codepoints", "utf16"]))
def test_columns_are_what_the_decoder_reads(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, offsets: Offsets
) -> None:
    path = tmp_path_factory.mktemp("files") / "file.jsonl"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ColumnReader, "read", lambda *_: None)
        expected = outcome(path, offsets)
    assert outcome(path, offsets) == expected


TOKEN_SHAPES: dict[str, Callable[[list[str], list[tuple[int, int, str]], list[str]], dict[str, Any]]] = {
    "tags": lambda tokens, spans, tags: {"id": str(len(tokens)), "tokens": tokens, "tags": tags},
    "ner_tags": lambda tokens, spans, tags: {"ner_tags": tags, "words": tokens, "meta": {"source": "x", "of": [1]}},
    "spans": lambda tokens, spans, tags: {
        "tokens": tokens,
        "spans": [{"start": s, "end": e, "label": label} for s, e, label in spans],
        "id": len(tokens),
    },
}
WORDS = st.one_of(st.sampled_from(['{"', '"', "]", "], ", '", "', "\\", "{", "O", "", "\0"]), LETTERS)
TAGS = st.sampled_from(["O", "O", "B-PER", "I-PER", "B-a long label", "B-Ü", 'I-"', "x", ""])


@st.composite
def token_files(draw: st.DrawFn) -> bytes:
    """The same for records with tokens."""
    shape = TOKEN_SHAPES[draw(st.sampled_from(sorted(TOKEN_SHAPES)))]
    ways: list[dict[str, Any]] = [{}, {"ensure_ascii": False}, {"separators": (",", ":"), "ensure_ascii": False}]
    way, ending, lines = draw(st.sampled_from(ways)), draw(st.sampled_from(["\n", "\r\n"])), []
    for _ in range(draw(st.integers(1, 5))):
        tokens = draw(st.lists(WORDS, min_size=draw(st.sampled_from([0, 1, 1, 1])), max_size=4))
        size = len(tokens) + draw(st.sampled_from([0] * 9 + [1]))
        places = st.tuples(st.integers(0, size), st.integers(0, size)).map(sorted)
        spans = draw(st.lists(st.tuples(places, LABELS).map(lambda span: (*span[0], span[1])), max_size=2))
        tags = draw(st.lists(TAGS, min_size=size, max_size=size))
        lines.append(json.dumps(draw(varied(shape(tokens, spans, tags))), **way))
    return (
        (ending.join(lines) + ending).encode().replace(*draw(st.sampled_from([(b"", b""), (b"]", b" ]"), (b"O", b"")])))
    )


@given(token_files(), st.sampled_from([json_reader.SAMPLE, 200, 50]))
def test_lists_of_tokens_are_what_the_decoder_reads(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, sample: int
) -> None:
    """Also the encoding that the first tags show, whether these are a part of the file or all of it."""
    path = tmp_path_factory.mktemp("files") / "file.jsonl"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_reader, "SAMPLE", sample)
        found = outcome(path, "codepoints")
        patch.setattr(ColumnReader, "read", lambda *_: None)
        assert outcome(path, "codepoints") == found


@pytest.mark.parametrize("shape", sorted(TOKEN_SHAPES))
@pytest.mark.parametrize(
    "way", [{}, {"ensure_ascii": False}, {"separators": (",", ":")}], ids=["spaced", "raw", "tight"]
)
def test_usual_tokens_need_no_decoder(shape: str, way: dict[str, Any]) -> None:
    tokens = [["Ada", '"', "wrote", "{", "\\"], ["Zoë", "😀", "slept", '\\"', "]"]]
    spans = [[], [(0, 1, "PER"), (2, 4, "LOC")]]
    tags = [["O"] * 5, ["B-PER", "O", "B-LOC", "I-LOC", "O"]]
    records = [TOKEN_SHAPES[shape](*row) for row in zip(tokens * 5, spans * 5, tags * 5, strict=True)]
    annotation = ColumnReader("", Vocabulary(), "codepoints").read(block(*records, **way))
    assert annotation is not None
    assert annotation.corpus.tokens is not None
    assert annotation.corpus.tokens.texts(0, 10) == tokens[0] + tokens[1]
    assert annotation.corpus.lengths is not None
    assert annotation.corpus.lengths.tolist() == [5] * 10
    if annotation.spans is not None:
        assert annotation.spans.rows()[:2] == [("PER", 1, 0, 1), ("LOC", 1, 2, 4)]
    else:
        assert annotation.tags is not None
        assert [annotation.names[code] for code in annotation.tags.column().tolist()] == 5 * (tags[0] + tags[1])


def block(*records: Any, **way: Any) -> Block:
    data = "".join(json.dumps(record, **way) + "\n" for record in records).encode()
    return Block(data + PADDING, len(data), 1)


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize(
    "way", [{}, {"ensure_ascii": False}, {"separators": (",", ":")}], ids=["spaced", "raw", "tight"]
)
def test_usual_files_need_no_decoder(shape: str, way: dict[str, Any]) -> None:
    texts = ["", 'Ada "the {first}" wrote [1], [2]\n', "Zoë 😀 slept. " * 20]
    spans = [[], [(0, 3, "PER"), (5, 8, "LOC")], [(0, 3, "PER")]]
    records = [SHAPES[shape](*row, "accept") for row in zip(texts * 5, spans * 5, strict=True)]
    annotation = ColumnReader("", Vocabulary(), "codepoints").read(block(*records, **way))
    assert annotation is not None
    assert annotation.corpus.sentences == 15
    assert annotation.spans is not None
    assert len(annotation.spans) == 15


@pytest.mark.parametrize("way", [{}, {"ensure_ascii": False}, {"separators": (",", ":")}], ids=["a", "b", "c"])
@pytest.mark.parametrize("shape", ["text", "tokens", "tags"])
def test_notes_that_differ_need_no_decoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, way: dict[str, Any]
) -> None:
    notes = [{}, {"note": 0.5}, {"note": "x", "of": [1]}, {"meta": {"source": "Zoë", "is_new": True}}]
    words, spans = ["Zoë", '"', "slept"], [{"start": 0, "end": 2, "label": "PER"}]
    kinds: dict[str, dict[str, Any]] = {
        "text": {"text": " ".join(words), "spans": spans},
        "tokens": {"tokens": words, "spans": spans},
        "tags": {"tokens": words, "tags": ["B-PER", "I-PER", "O"]},
    }
    path = tmp_path / "file.jsonl"
    path.write_bytes(block(*({**note, **kinds[shape]} for note in notes * 2), **way).data[: -len(PADDING)])
    monkeypatch.setattr(json_reader, "decode", None)
    (read,) = json_reader.read_json_lines(Source(path), ReadSettings(), Vocabulary(), {})
    assert read.spans().rows() == [("PER", record, 0, 2) for record in range(8)]
    assert read.corpus.text(7) == 'Zoë " slept'


@given(st.lists(st.text(st.sampled_from('ab"\\\n\0é😀\u2028uU0'), max_size=9), min_size=1))
def test_letters_say_what_their_escapes_said(texts: list[str]) -> None:
    found = with_letters(block(*texts))
    assert [json.loads(line) for line in found.data[: found.size].decode().split("\n")[:-1]] == texts


@pytest.mark.parametrize("written", [rb"\u00e9 \ud83d", rb"\u00e9 \u0022", rb"\u00g9", "\\u00e9é".encode()])
def test_escapes_that_stand_for_no_letters_stay(written: bytes) -> None:
    data = b'{"text": "' + written + b'"}\n'
    given = Block(data + PADDING, len(data), 1)
    assert with_letters(given) is given


@pytest.mark.parametrize(
    "record",
    [
        {"text": "x", "spans": [{"start": 0, "end": 1, "label": "X", "parts": [[0, 1]]}]},
        {"text": "x", "spans": [{"start": 0, "end": 1, "label": "X"}], "tokens": []},
        {"text": "x", "spans": [{"start": 0, "end": 1, "label": "X"}], "label": []},
        {"text": "x", "spans": [{"start": 0, "end": 1}]},
        {"text": "x", "spans": [{"start": "0", "end": 1, "label": "X"}]},
        {"text": "x", "spans": [{"start": 0, "end": 1, "label": "X"}], "answer": 1},
        {"text": None, "spans": [{"start": 0, "end": 1, "label": "X"}]},
        {"text": "x", "label": [[0, 1, "X", None, 1]]},
        {"text": "x", "spans": []},
        [1],
    ],
)
def test_other_kinds_of_records_are_left_to_the_decoder(record: Any) -> None:
    assert learn(block(record)) is None


def test_numbers_in_windows() -> None:
    cells = [b"0", b"7,", b"12]", b"999 ", b"4321x", b"1234567}", b"12345678", b"123456789", b"", b"/1", b":1", b"-3"]
    data = b"".join(cell.ljust(9, b" ") for cell in cells) + PADDING
    at = np.arange(len(cells)) * 9
    value, length = leading_numbers(windows(data)[at])
    assert value.tolist() == [0, 7, 12, 999, 4321, 1234567, 12345678, 12345678, 0, 0, 0, 0]
    assert length.tolist() == [1, 1, 2, 3, 4, 7, 8, 8, 0, 0, 0, 0]
    assert [each.tolist() for each in leading_numbers(windows(data)[at[:4]])] == [[0, 7, 12, 999], [1, 1, 2, 3]]


def test_quotes_in_windows() -> None:
    data = b'"abc"d!#abcdefgh"' + PADDING
    assert lengths_to(ord('"'), windows(data)[[0, 1, 5, 9]]).tolist() == [0, 3, 8, 7]


def test_behind_an_empty_label_others_are_read_as_they_are(tmp_path: Path) -> None:
    """Checks go on behind a problem: the next blocks have the labels that stood beside it."""
    path = tmp_path / "file.jsonl"
    lines = [SHAPES["plain"]("xy", [(0, 1, label)], "") for label in ("A", "", "B", "A", "B", "")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    problems: list[Problem] = []
    source, size = Source(path, problems), len(json.dumps(lines[0])) * 3
    read = list(json_reader.read_json_lines(source, ReadSettings(block_size=size // 4), Vocabulary(), {}))
    assert [label for batch in read for label, *_ in batch.spans().rows()] == ["A", "", "B", "A", "B", ""]
    assert [problem.line for problem in problems] == [2, 6]
