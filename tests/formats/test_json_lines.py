"""JSON lines: the shapes of records, offsets, what is refused, and writing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data import from_lists as lists
from evenhand.data import from_lists as span_lists
from evenhand.data.annotation import Annotation
from evenhand.data.characters import Texts, to_characters
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, Problem, SettingError
from evenhand.formats import json_reader
from evenhand.formats.convert import Conversion
from evenhand.formats.jsonl import JSON_LINES, is_json_lines
from evenhand.formats.read import _MIN_CONFIDENCE as SURE
from evenhand.formats.source import Block, Source
from evenhand.settings import Convention, ReadSettings

File = Callable[..., Path]
TEXT = "Ada lived in London."
ADA, LONDON = {"start": 0, "end": 3, "label": "PER"}, {"start": 13, "end": 19, "label": "LOC"}
TOKENS = ["Ada", "Lovelace", "lived", "in", "London"]
COUNT = "count from 0, with exclusive ends"


def write(annotation: Annotation) -> Iterator[str]:
    """What the format's own writer makes of an annotation."""
    text = JSON_LINES.writers["spans"].text
    assert text is not None
    return text(iter([annotation]), Conversion(JSON_LINES, "spans"))


@pytest.fixture
def file(tmp_path: Path) -> File:
    def save(*records: Any) -> Path:
        """One line a record; a string is a line as it is."""
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        path = tmp_path / "file.jsonl"
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return path

    return save


def parts_of(path: Path, **settings: Any) -> list[Annotation]:
    return list(json_reader.read_json_lines(Source(path), ReadSettings(**settings), Vocabulary(), {}))


def read(path: Path, **settings: Any) -> Annotation:
    return Annotation.concatenate(parts_of(path, **settings))


def words(annotation: Annotation) -> list[tuple[str, str]]:
    """Label and covered text of each span, atoms side by side."""
    spans, corpus = annotation.spans(), annotation.corpus
    sets = zip(spans.rows(), spans.token_sets(), strict=True)
    return [
        (label, "".join(corpus.tokens[int(corpus.bounds[scope]) + at] for at in sorted(atoms)))
        for (label, scope, _, _), atoms in sets
    ]


def texts(*parts: Annotation) -> list[str]:
    return [part.corpus.text(at) for part in parts for at in range(part.corpus.sentences)]


def refusal(path: Path, **settings: Any) -> str:
    with pytest.raises(InputError) as error:
        read(path, **settings)
    return str(error.value).removeprefix(str(path.parent) + "/")


def test_prodigy(file: File) -> None:
    tokens = [{"text": "Ada", "start": 0, "end": 3, "id": 0}, {"text": "lived", "start": 4, "end": 9, "id": 1}]
    spans = [{**ADA, "token_start": 0, "token_end": 0}, {**LONDON, "token_start": 3, "token_end": 3}]
    record = {"text": TEXT, "_input_hash": 1, "tokens": tokens, "spans": spans, "answer": "accept", "meta": {"a": [1]}}
    annotation = read(file(record))
    assert words(annotation) == [("PER", "Ada"), ("LOC", "London")]
    assert annotation.spans().rows() == [("PER", 0, 0, 3), ("LOC", 0, 10, 16)]
    assert annotation.corpus.atoms == "characters"
    assert texts(annotation) == [TEXT]
    assert annotation.readings["spans"].format == "jsonl"
    assert annotation.readings["spans"].skipped == {}


def test_answers_that_were_not_accepted_are_skipped_and_counted(file: File) -> None:
    answers = ["accept", "reject", "ignore", "accept"]
    annotation = read(file(*({"text": TEXT, "spans": [ADA], "answer": answer} for answer in answers)))
    assert len(annotation.spans()) == 2
    assert annotation.readings["spans"].skipped == {"rejected answers": 2}
    assert [annotation.corpus.line(at) for at in (0, 17)] == [1, 4]


def test_an_accepted_answer_without_spans_has_none(file: File) -> None:
    annotation = read(file({"text": TEXT, "answer": "accept"}, {"text": TEXT, "spans": [ADA], "answer": "accept"}))
    assert annotation.spans().rows() == [("PER", 1, 0, 3)]


@pytest.mark.parametrize(
    "record",
    [
        {"text": TEXT, "label": [[0, 3, "PER"], [13, 19, "LOC"]]},
        {"id": 4, "data": TEXT, "labels": [[0, 3, "PER"], [13, 19, "LOC"]]},
        {
            "text": TEXT,
            "entities": [
                {"id": 1, "start_offset": 0, "end_offset": 3, "label": "PER"},
                {"id": 2, "start_offset": 13, "end_offset": 19, "label": "LOC"},
            ],
            "relations": [],
        },
        {"text": TEXT, "label": "a label of the whole text", "spans": [ADA, LONDON]},
    ],
)
def test_doccano(file: File, record: dict[str, Any]) -> None:
    assert words(read(file(record, {"text": "", "label": []}))) == [("PER", "Ada"), ("LOC", "London")]


def test_tokens_with_spans(file: File) -> None:
    spans = [{"start": 0, "end": 2, "label": "PER"}, {"start": 4, "end": 5, "label": "LOC"}]
    annotation = read(file({"tokens": TOKENS, "spans": spans}, {"tokens": [], "spans": []}))
    assert annotation.corpus.atoms == "tokens"
    assert annotation.spans().rows() == [("PER", 0, 0, 2), ("LOC", 0, 4, 5)]
    assert [annotation.corpus.tokens[at] for at in range(5)] == TOKENS


@pytest.mark.parametrize("key", ["tags", "ner_tags"])
def test_tokens_with_tags(file: File, key: str) -> None:
    annotation = read(file({"tokens": TOKENS, key: ["B-PER", "I-PER", "O", "O", "B-LOC"]}))
    assert annotation.spans().rows() == [("PER", 0, 0, 2), ("LOC", 0, 4, 5)]
    assert annotation.readings["spans"].encoding == "iob2"
    tags = annotation["tags"]
    assert isinstance(tags, Tags)
    assert tags.to_list() == ["B-PER", "I-PER", "O", "O", "B-LOC"]


def test_tags_go_before_a_text_without_spans(file: File) -> None:
    record = {"text": TEXT, "tokens": ["Ada", "lived"], "ner_tags": ["B-PER", "O"]}
    annotation = read(file(record))
    assert annotation.corpus.atoms == "tokens"
    assert words(annotation) == [("PER", "Ada")]


@pytest.mark.parametrize(
    ("tags", "encoding", "rows"),
    [
        (["B-PER", "E-PER", "O", "O", "S-LOC"], "bioes", [("PER", 0, 0, 2), ("LOC", 0, 4, 5)]),
        (["PER", "PER", "O", "O", "LOC"], "plain", [("PER", 0, 0, 2), ("LOC", 0, 4, 5)]),
        (["I-PER", "I-PER", "O", "O", "O"], "iob1", [("PER", 0, 0, 2)]),
    ],
)
def test_the_encoding_of_tags_is_recognised(file: File, tags: list[str], encoding: str, rows: list[Any]) -> None:
    annotation = read(file({"tokens": TOKENS, "tags": ["O"] * 5}, {"tokens": TOKENS, "tags": tags}))
    assert annotation.readings["spans"].encoding == encoding
    assert annotation.spans().rows() == [(label, 1, start, end) for label, _, start, end in rows]


def test_the_first_span_of_a_long_list_shows_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps([{"tokens": ["a"], "tags": ["O"]}] * 9000 + [{"tokens": ["a"], "tags": ["S-PER"]}]))
    batches = list(json_reader.read_json(Source(path), ReadSettings(), Vocabulary(), {}))
    assert {batch.readings["spans"].encoding for batch in batches} == {"bioes"}


def test_ill_formed_tags_are_repaired_as_asked(file: File) -> None:
    path = file({"tokens": TOKENS, "tags": ["B-PER", "I-PER", "O", "O", "I-LOC"]})
    begun = read(path, encoding="iob2")
    assert begun.spans().rows() == [("PER", 0, 0, 2), ("LOC", 0, 4, 5)]
    assert (begun.readings["spans"].repaired, begun.readings["spans"].first_repair) == (1, "line 1, 'I-LOC'")
    assert read(path, encoding="iob2", repair="discard").spans().rows() == [("PER", 0, 0, 2)]
    assert refusal(path, encoding="iob2", repair="error") == (
        "file.jsonl:1: the span that begins here with 'I-LOC' is ill-formed in IOB2; "
        "fix it, or choose --repair begin or discard."
    )


def test_each_record_is_a_document_and_has_its_line(file: File) -> None:
    annotation = read(file("", {"text": "a b", "spans": []}, "  ", {"text": "c", "spans": []}, ""))
    corpus = annotation.corpus
    assert corpus.sentences == 2
    assert corpus.documents.tolist() == [0, 1]
    assert [corpus.line(at) for at in range(3)] == [2, 2, 4]


@pytest.mark.parametrize("size", [1, 1 << 19])
def test_tokens_have_the_lines_of_their_records(file: File, size: int) -> None:
    """Records without tokens have none, wherever blocks end."""
    sentences = [["a", "b"], ["c"], [], ["d", "e", "f"], ["g"]]
    corpus = read(file(*({"tokens": each, "spans": []} for each in sentences)), block_size=size).corpus
    assert [corpus.line(at) for at in range(7)] == [1, 1, 2, 4, 4, 4, 5]


def test_spaces_around_a_span_do_not_count(file: File) -> None:
    assert words(read(file({"text": TEXT, "spans": [{"start": 3, "end": 10, "label": "X"}]}))) == [("X", "lived")]


def test_offsets_count_code_points_or_utf16_units(file: File) -> None:
    text = "😀 Ada 😀 London"
    points = [{"start": 2, "end": 5, "label": "PER"}, {"start": 8, "end": 14, "label": "LOC"}]
    units = [{"start": 3, "end": 6, "label": "PER"}, {"start": 10, "end": 16, "label": "LOC"}]
    expected = [("PER", "Ada"), ("LOC", "London")]
    assert words(read(file({"text": text, "spans": points}))) == expected
    assert words(read(file({"text": text, "spans": units}), offsets="utf16")) == expected


def test_tokens_are_checked_in_utf16_units_too(file: File) -> None:
    tokens = [{"text": "😀", "start": 0, "end": 2}, {"text": "Ada", "start": 3, "end": 6}]
    record = {"text": "😀 Ada", "tokens": tokens, "spans": [{"start": 3, "end": 6, "label": "PER"}]}
    assert words(read(file(record), offsets="utf16")) == [("PER", "Ada")]


UNIT_SIZES = {
    "codepoints": len,
    "utf16": lambda text: len(text.encode("utf-16-le")) // 2,
    "bytes": lambda text: len(text.encode()),
}


@given(
    st.text(st.sampled_from("ab é😀"), max_size=8),
    st.sampled_from(["codepoints", "utf16", "bytes"]),
    st.integers(0, 1),
    st.booleans(),
)
def test_any_convention_that_is_named_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, before: str, unit: str, first: int, inclusive: bool
) -> None:
    text, size = f"{before}Ada lived in London.", UNIT_SIZES[unit]
    convention = Convention(unit, first, inclusive)
    assert Convention.of(str(convention)) == convention
    spans = []
    for name, label in (("Ada", "PER"), ("London", "LOC")):
        start = size(text[: text.index(name)]) + first
        spans.append({"start": start, "end": start + len(name) - inclusive, "label": label, "text": name})
    path = tmp_path_factory.mktemp("counted") / "file.jsonl"
    path.write_text(json.dumps({"text": text, "spans": spans}) + "\n")
    assert words(read(path, offsets=str(convention))) == [("PER", "Ada"), ("LOC", "London")]


def test_quotes_show_the_convention_and_later_ones_must_fit(file: File) -> None:
    def record(text: str, start: int) -> dict[str, Any]:
        return {"text": text, "spans": [{"start": start, "end": start + 3, "label": "PER", "mention": "Ada"}]}

    found = read(file(record("😀😀 Ada", 5), record("Ada", 0)))
    assert words(found) == [("PER", "Ada")] * 2
    assert str(found.reading) == "jsonl, offsets in utf16"
    assert refusal(file(record("😀😀 Ada", 5), record("😀😀 Ada", 3))) == (
        "file.jsonl:1: 'Ada' is quoted at [5, 8], where the text has 'a'; choose --offsets utf16, which fits."
    )
    long = [record(f"Ada {'x' * 100}", 0)] * 300
    assert refusal(file(*long, record("😀😀 Ada", 5)), block_size=1 << 12) == (
        "file.jsonl:301: 'Ada' is quoted at [5, 8], where the text has 'a'; choose --offsets utf16, which fits."
    )


def test_parts_and_levels(file: File) -> None:
    span = {"start": 0, "end": 9, "label": "X", "parts": [[0, 3], [8, 9]], "level": 2}
    annotation = read(file({"text": TEXT, "spans": [ADA, span]}))
    assert words(annotation) == [("PER", "Ada"), ("X", "Adad")]
    assert annotation.spans().level.tolist() == [0, 2]
    assert annotation.spans().shape[0] == 0


def test_parts_with_spaces_between_leave_nothing_out(file: File) -> None:
    span = {"start": 0, "end": 9, "label": "X", "parts": [[0, 3], [4, 9]]}
    assert read(file({"text": TEXT, "spans": [span]})).spans().shape.tolist() == [0]


@pytest.mark.parametrize("size", [1, 50, 200, 100_000])
@pytest.mark.parametrize(
    "records",
    [
        [{"text": TEXT, "spans": [ADA]}, {"text": "", "label": []}, {"data": "é 😀", "labels": [[2, 3, "X"]]}] * 3,
        [{"text": TEXT, "spans": [ADA], "answer": answer} for answer in ("reject", "accept", "ignore", "accept")],
        [{"text": TEXT, "spans": [LONDON]}, "", {"text": TEXT, "spans": [], "answer": "reject"}],
        [{"tokens": TOKENS, "spans": [{"start": at, "end": at + 1, "label": "X"}]} for at in range(5)],
        [{"tokens": TOKENS, "tags": ["O"] * 5}, {"tokens": TOKENS, "tags": ["S-X", "O", "B-X", "I-X", "E-X"]}],
    ],
)
def test_batches_of_any_size_read_the_same(file: File, records: list[Any], size: int) -> None:
    path = file(*records)
    whole, parts = read(path), read(path, block_size=size)
    assert parts.spans().rows() == whole.spans().rows()
    assert texts(*parts_of(path, block_size=size)) == texts(whole)
    assert parts.readings == whole.readings
    for name in ("bounds", "documents"):
        assert getattr(parts.corpus, name).tolist() == getattr(whole.corpus, name).tolist()
    atoms = range(whole.corpus.token_count or 0)
    assert [parts.corpus.line(at) for at in atoms] == [whole.corpus.line(at) for at in atoms]


def spanning(*spans: dict[str, Any], text: str = TEXT) -> dict[str, Any]:
    return {"text": text, "spans": list(spans)}


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ('{"text": "a"', "the line is not a JSON object (input data was truncated); write one JSON object per line"),
        (
            '{"meta": ' + "[" * 100_000,
            "the line is not a JSON object (it is nested too deeply); write one JSON object per line",
        ),
        ("[1]", "expected a record, got a list; write one JSON object per line"),
        (
            '{"text": "a", "spans": []} {"text": "a", "spans": []}',
            "the line is not a JSON object (trailing characters (byte 28)); write one JSON object per line",
        ),
        ({"text": 1, "spans": []}, "expected a string for text, got a whole number; fix the record"),
        ({"text": "a", "spans": {}}, "expected a list for spans, got an object; fix the record"),
        (
            spanning({**ADA, "start": "0"}),
            "expected a whole number for spans[0].start, got a string; fix the record",
        ),
        (spanning({**ADA, "start": -1}), "expected a whole number >= 0 for spans[0].start; fix the record"),
        (
            spanning({**ADA, "end": 10**30}),
            "expected a whole number <= 9007199254740992 for spans[0].end; fix the record",
        ),
        (spanning(ADA, {"start": 0, "end": 3}), "spans[1] has no 'label'; fix the record"),
        (spanning({**ADA, "label": None}), "expected a string for spans[0].label, got null; fix the record"),
        (spanning({**ADA, "label": ""}), "the span [0, 3] '' has an empty label; add its label"),
        (
            {"text": TEXT, "label": ["PER"]},
            "the record has a text but no spans, entities, label or labels; list its spans under one of these keys",
        ),
        (
            {"text": TEXT, "entities": [{"start_offset": 0, "label": "X"}]},
            "entities[0] has no 'end_offset'; fix the record",
        ),
        (
            {"id": 1},
            "the record has no text, data, tokens or words; write a text and spans, or tokens with spans or tags",
        ),
        (
            {"text": TEXT, "predictions": [ADA]},
            "the record has only 'predictions', which is the layer of a system; specify it with --column predictions",
        ),
        (
            {"tokens": TOKENS},
            "the record has tokens but no spans, tags or ner_tags; list its spans or tags under one of these keys",
        ),
        (
            {"tokens": [{"text": "Ada", "start": 0, "end": 3}], "spans": []},
            "the record has tokens with offsets but no text; add its text",
        ),
        (
            {"tokens": TOKENS, "spans": []},
            "the record has tokens and spans, but the file began with a text; put the two into separate files",
        ),
        (
            spanning({**LONDON, "end": 21}),
            f"the span [13, 21] 'LOC' ends after its text, which has 20 characters; {COUNT}",
        ),
        (spanning({**ADA, "end": 0}), f"the span [0, 0] 'PER' covers nothing; {COUNT}"),
        (spanning({**ADA, "start": 5}), f"the span [5, 3] 'PER' covers nothing; {COUNT}"),
        (
            spanning({"start": 3, "end": 4, "label": "X"}),
            "the span [3, 4] 'X' covers only spaces; fix its offsets, or remove it",
        ),
        (
            spanning({"start": 2, "end": 6, "label": "X"}, text="😀😀 ab"),
            f"the span [2, 6] 'X' ends after its text, which has 5 characters; {COUNT}, "
            "or choose --offsets utf16 if its tool counts UTF-16 units",
        ),
        (
            spanning({**ADA, "parts": [[0, 1], [1, 2]]}),
            "the parts of the span [0, 3] 'PER' do not run through it from start to end; "
            "list them as [start, end], in ascending order",
        ),
        (spanning({**ADA, "level": 10**30}), "expected a level of 0 or more for spans[0], got 1e+30; fix the record"),
        (
            spanning({**ADA, "parts": [[0, 1], [10**30, 3]]}),
            "the parts of the span [0, 3] 'PER' do not run through it from start to end; "
            "list them as [start, end], in ascending order",
        ),
        (
            spanning({**ADA, "parts": [[0, 2], [1, 3]]}),
            "the parts of the span [0, 3] 'PER' do not run through it from start to end; "
            "list them as [start, end], in ascending order",
        ),
        (
            {"text": TEXT, "tokens": [{"text": "lived", "start": 5, "end": 10}], "spans": []},
            "'lived' is quoted at [5, 10], where the text has 'ived '; choose --offsets 1-based, which fits",
        ),
        (
            {"text": TEXT, "tokens": [{"text": "lived", "start": 7, "end": 12}], "spans": []},
            "'lived' is quoted at [7, 12], where the text has 'ed in'; fix the offsets",
        ),
    ],
)
def test_records_that_cannot_be_read(file: File, record: Any, sentence: str) -> None:
    path = file({"text": TEXT, "spans": [ADA]}, "", record)
    assert refusal(path) == f"file.jsonl:3: {sentence}."
    assert refusal(path, block_size=1) == f"file.jsonl:3: {sentence}."


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (
            {"tokens": TOKENS, "spans": [{"start": 3, "end": 6, "label": "X"}]},
            f"the span [3, 6] 'X' ends after the tokens of its record, which has 5; {COUNT}",
        ),
        (
            {"tokens": TOKENS, "spans": [{"start": 3, "end": 3, "label": "X"}]},
            f"the span [3, 3] 'X' covers nothing; {COUNT}",
        ),
        (
            {"tokens": TOKENS, "ner_tags": [1, 2, 0, 0, 5]},
            "the tags are numbers, and their names are not in the file; "
            "write their names, such as B-PER, instead of the numbers",
        ),
        (
            {"tokens": TOKENS, "tags": ["O", None, "O", "O", "O"]},
            "some tags are not strings; write a tag such as B-PER or O for each token",
        ),
        ({"tokens": TOKENS, "tags": ["O"]}, "got 1 tag for 5 tokens; write one tag for every token"),
        (
            {"tokens": TOKENS, "tags": ["B-PER", "X", "O", "O", "O"]},
            "the tag 'X' is not a prefix such as B- or I- with a label after it; "
            "fix it, or specify the encoding (--encoding plain for labels without prefixes)",
        ),
    ],
)
def test_tokens_that_cannot_be_read(file: File, record: Any, sentence: str) -> None:
    assert refusal(file("", record)) == f"file.jsonl:2: {sentence}."


def test_a_tag_must_occur_in_the_encoding(file: File) -> None:
    path = file({"tokens": ["a"], "tags": ["B-X"]}, {"tokens": ["a"], "tags": ["S-X"]})
    assert refusal(path, encoding="iob2") == (
        "file.jsonl:2: the tag 'S-X' does not occur in IOB2, the encoding named; "
        "specify the file's encoding with --encoding."
    )


def test_units_that_cut_a_character(file: File) -> None:
    assert refusal(file(spanning({"start": 1, "end": 3, "label": "X"}, text="😀a")), offsets="utf16") == (
        "file.jsonl:1: the span [1, 3] 'X' begins or ends within a character; "
        "fix its offsets, or choose --offsets codepoints."
    )


def test_code_points_where_utf16_was_chosen(file: File) -> None:
    record = {"text": "😀 Ada", "tokens": [{"text": "Ada", "start": 2, "end": 5}], "spans": []}
    assert refusal(file(record), offsets="utf16") == (
        "file.jsonl:1: 'Ada' is quoted at [2, 5], where the text has ' Ad'; choose --offsets codepoints, which fits."
    )


def test_files_without_records(file: File) -> None:
    assert refusal(file("", " ")) == "file.jsonl: the file has no records that can be read; check how it was written."
    assert refusal(file({"text": TEXT, "spans": [], "answer": "reject"})) == (
        "file.jsonl: the file has no answers that were accepted; check how it was written."
    )


def test_a_check_collects_every_problem(file: File) -> None:
    problems: list[Problem] = []
    bad = spanning({**ADA, "end": 99}, ADA, {**ADA, "start": 3})
    path = file({"text": TEXT, "spans": [ADA]}, "{", {"id": 1}, bad, {"text": TEXT, "spans": [LONDON]})
    joined = Annotation.concatenate(
        list(json_reader.read_json_lines(Source(path, problems), ReadSettings(), Vocabulary(), {}))
    )
    assert [problem.line for problem in problems] == [2, 3, 4, 4]
    assert words(joined) == [("PER", "Ada"), ("PER", "Ada"), ("LOC", "London")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"text": "a", "spans": []}\n', True),
        ('\n \n{"id": 1, "data": "a", "label": []}\nnot JSON\n', True),
        ('{"tokens": ["a"]}\n', True),
        ('{"id": 1, "text": "cut o\n', True),
        ('{"id": "cut o\n', False),
        ('{"doc_key": "a", "sentences": []}\n', True),
        ('[{"text": "a"}]\n', False),
        ("{\n", False),
        ("Ada\tB-PER\n", False),
        ("\n", False),
    ],
)
def test_recognised_by_the_first_line(text: str, expected: bool) -> None:
    data = text.encode()
    assert (is_json_lines(Block(data + bytes(8), len(data), 1)) >= SURE) is expected


def test_written_lines(file: File) -> None:
    spans = [LONDON, {"start": 0, "end": 9, "label": "X", "parts": [[0, 3], [8, 9]], "level": 1}]
    assert list(write(read(file({"text": TEXT, "spans": spans}, {"text": "é", "spans": []})))) == [
        '{"text":"Ada lived in London.","spans":[{"start":13,"end":19,"label":"LOC"},'
        '{"start":0,"end":9,"label":"X","parts":[[0,3],[8,9]],"level":1}]}\n',
        '{"text":"é","spans":[]}\n',
    ]


def test_tokens_are_written_as_tokens(file: File) -> None:
    tags = ["B-PER|O", "I-PER|B-X", "O|I-X", "O", "B-LOC"]
    annotation = read(file({"tokens": TOKENS, "tags": tags}))
    written = list(write(annotation))
    assert written == [
        '{"tokens":["Ada","Lovelace","lived","in","London"],"spans":[{"start":0,"end":2,"label":"PER"},'
        '{"start":1,"end":3,"label":"X","level":1},{"start":4,"end":5,"label":"LOC"}]}\n'
    ]
    again = read(file(*(line.rstrip("\n") for line in written)))
    assert again.spans().rows() == annotation.spans().rows()
    assert again.spans().level.tolist() == annotation.spans().level.tolist()


@pytest.mark.parametrize("key", ["ner_tags", "tags", "bio_tags"])
@pytest.mark.parametrize("is_first", [False, True])
def test_records_without_tokens_among_tags(file: File, key: str, is_first: bool) -> None:
    records = [{"tokens": ["Ada", "slept"], key: ["B-PER", "O"]}, {"tokens": [], key: []}]
    found = read(file(*(reversed(records) if is_first else records)))
    assert found.spans().rows() == [("PER", int(is_first), 0, 1)]
    assert found.corpus.sentences == 2


def test_tokens_with_an_empty_list_of_tags(file: File) -> None:
    with pytest.raises(InputError, match="got 0 tags for 2 tokens; write one tag for every token"):
        read(file({"tokens": ["Ada", "slept"], "ner_tags": []}))


def test_characters_without_a_raw_text_are_written_with_blanks_between_tokens() -> None:
    tokens = to_characters(lists.tags([["B-PER", "I-PER", "O"]], tokens=[["Ada", "L.", "ran"]]))
    assert list(write(tokens)) == ['{"text":"Ada L. ran","spans":[{"start":0,"end":6,"label":"PER"}]}\n']


def test_nothing_is_written_without_a_text() -> None:
    with pytest.raises(SettingError) as error:
        list(Conversion(JSON_LINES, "spans").texts(iter([span_lists.spans([[("PER", 0, 1)]])])))
    assert str(error.value) == "spans has no text, which jsonl needs; convert to spans instead."


LABELS = st.sampled_from(["PER", "creative-work", "a b", "Ä"])
TEXTS = st.lists(st.text(st.sampled_from('ab é\n\t"\\😀漢\u3000\u2028'), max_size=12), min_size=1, max_size=4)


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    """Texts with any spans, also with gaps and on levels, in any order."""
    atoms = Texts.of(draw(TEXTS))
    vocabulary, rows = Vocabulary(), []
    for scope, (first, behind) in enumerate(pairwise(atoms.bounds.tolist())):
        for _ in range(draw(st.integers(0, 3)) if behind > first else 0):
            covered = sorted(draw(st.sets(st.integers(0, behind - first - 1), min_size=1)))
            gaps = tuple(at - covered[0] for at in range(covered[0], covered[-1]) if at not in covered)
            label, shape = vocabulary.labels.code(draw(LABELS)), vocabulary.shapes.code(gaps)
            rows.append((scope, covered[0], covered[-1] + 1, label, draw(st.integers(0, 2)), shape))
    spans = Spans(vocabulary, *np.array(rows, dtype=np.int64).reshape(-1, 6).T)
    corpus = Corpus("texts", len(atoms.raw) - 1, atoms.bounds, atoms.tokens, atoms="characters", raw=atoms.raw)
    return Annotation(corpus, {"spans": spans})


@given(annotations(), st.integers(1, 300))
def test_what_is_written_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, annotation: Annotation, size: int
) -> None:
    path = tmp_path_factory.mktemp("written") / "file.jsonl"
    path.write_bytes("".join(write(annotation)).encode())
    again = read(path, block_size=size)
    assert texts(*parts_of(path, block_size=size)) == texts(annotation)
    assert again.spans().rows() == annotation.spans().rows()
    assert again.spans().token_sets() == annotation.spans().token_sets()
    assert again.spans().level.tolist() == annotation.spans().level.tolist()
