"""Encodings: what tags spell, the way back, what is ill-formed, and which encoding a file is in."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from build import tagged
from evenhand.data.encodings import encode, parse
from evenhand.settings import ENCODINGS

FAITHFUL = [encoding for encoding in ENCODINGS if encoding not in ("io", "plain")]
"""Encodings that can say everything about flat spans; the others join neighbours of one label."""


def spans(tags: list[str], **options: str) -> list[tuple[str, int, int]]:
    found = eh.tags([tags], **options).spans()  # type: ignore[arg-type]
    return [(label, start, end) for label, _, start, end in found.rows()]


THREE = [("PER", 0, 2), ("PER", 2, 3), ("LOC", 4, 5)]
SPELLINGS = {
    "iob1": "I-PER I-PER B-PER O I-LOC",
    "iob2": "B-PER I-PER B-PER O B-LOC",
    "ioe1": "I-PER E-PER I-PER O I-LOC",
    "ioe2": "I-PER E-PER E-PER O E-LOC",
    "bioes": "B-PER E-PER S-PER O S-LOC",
    "bilou": "B-PER L-PER U-PER O U-LOC",
    "bmes": "B-PER E-PER S-PER O S-LOC",
}


@pytest.mark.parametrize("encoding", SPELLINGS)
def test_the_same_spans_in_every_encoding(encoding: str) -> None:
    tags = SPELLINGS[encoding].split()
    assert spans(tags) == spans(tags, encoding=encoding) == THREE


@pytest.mark.parametrize("encoding", SPELLINGS)
def test_writing_each_encoding(encoding: str) -> None:
    labels = {"PER": 0, "LOC": 1}
    start, end, label = np.array([(s, e, labels[name]) for name, s, e in THREE]).T
    written = encode(encoding, start, end, label, list(labels), 5, np.array([0]))
    assert " ".join(written.to_list()) == SPELLINGS[encoding]


def test_io_and_plain_join_neighbours_of_one_label() -> None:
    joined = [("PER", 0, 3), ("LOC", 4, 5)]
    assert spans(["I-PER", "I-PER", "I-PER", "O", "I-LOC"], encoding="io") == joined
    assert spans(["PER", "PER", "PER", "O", "LOC"]) == joined


def in_tags(text: tuple[list[int], list[tuple[str, int, int]]], encoding: str) -> tuple[np.ndarray, list[list[str]]]:
    """Where the sentences of a text with flat spans begin, and their tags."""
    lengths, rows = text
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    names = ["PER", "LOC"]
    columns = np.array([(s, e, names.index(label)) for label, s, e in rows], dtype=np.int64).reshape(-1, 3).T
    tags = encode(encoding, *columns, names, int(bounds[-1]), bounds[:-1]).to_list()
    return bounds, [tags[a:b] for a, b in pairwise(bounds)]


@given(tagged(), st.sampled_from(FAITHFUL))
def test_round_trip(text: tuple[list[int], list[tuple[str, int, int]]], encoding: str) -> None:
    """Spans to tags and back, without anything to repair."""
    bounds, sentences = in_tags(text, encoding)
    annotation = eh.tags(sentences, encoding=encoding, repair="error")
    found = [(label, bounds[s] + start, bounds[s] + end) for label, s, start, end in annotation.spans().rows()]
    assert found == text[1]


@given(tagged(), st.sampled_from(FAITHFUL))
def test_the_encoding_need_not_be_named(text: tuple[list[int], list[tuple[str, int, int]]], encoding: str) -> None:
    _, sentences = in_tags(text, encoding)
    assert eh.tags(sentences).spans().rows() == eh.tags(sentences, encoding=encoding).spans().rows()


def test_a_span_never_crosses_a_sentence() -> None:
    found = eh.tags([["O", "B-PER"], ["I-PER", "O"]]).spans()
    assert found.rows() == [("PER", 0, 1, 2), ("PER", 1, 0, 1)]


def test_overlapping_spans_do_not_fit_into_one_column() -> None:
    with pytest.raises(eh.SettingError, match="overlap"):
        encode("iob2", np.array([0, 1]), np.array([3, 2]), np.array([0, 0]), ["A"], 3, np.array([0]))


@pytest.mark.parametrize(
    ("tag", "parts"),
    [
        ("B-PER", (1, "PER")),
        ("I_PER", (2, "PER")),
        ("b-per", (1, "per")),
        ("B-creative-work", (1, "creative-work")),
        ("U-a_b", (4, "a_b")),
        ("B", (1, "_")),
        ("B-", None),
        ("PER", None),
        ("X-PER", None),
    ],
)
def test_prefix_and_label(tag: str, parts: tuple[int, str] | None) -> None:
    assert parse(tag) == parts


REPAIRS = [
    # encoding, tags, spans under begin, spans under discard, ill-formed spans
    ("iob2", "I-PER I-PER O", [("PER", 0, 2)], [], 1),
    ("iob2", "B-PER I-LOC I-LOC", [("PER", 0, 1), ("LOC", 1, 3)], [("PER", 0, 1)], 1),
    ("iob2", "B-PER I-LOC I-PER", [("PER", 0, 1), ("LOC", 1, 2), ("PER", 2, 3)], [("PER", 0, 1)], 2),
    ("iob1", "B-PER I-PER O", [("PER", 0, 2)], [("PER", 0, 2)], 1),
    ("ioe2", "I-PER I-PER O", [("PER", 0, 2)], [], 1),
    ("ioe1", "I-PER E-PER O", [("PER", 0, 2)], [("PER", 0, 2)], 1),
    ("bioes", "B-PER I-PER O", [("PER", 0, 2)], [], 1),
    ("bioes", "B-PER O S-LOC", [("PER", 0, 1), ("LOC", 2, 3)], [("LOC", 2, 3)], 1),
    ("bioes", "I-PER E-PER S-PER", [("PER", 0, 2), ("PER", 2, 3)], [("PER", 2, 3)], 1),
    ("bilou", "B-PER L-PER L-PER", [("PER", 0, 2), ("PER", 2, 3)], [("PER", 0, 2)], 1),
]


@pytest.mark.parametrize(("encoding", "tags", "begun", "discarded", "ill_formed"), REPAIRS)
def test_repair_policies(encoding: str, tags: str, begun: list, discarded: list, ill_formed: int) -> None:
    assert spans(tags.split(), encoding=encoding) == begun
    assert spans(tags.split(), encoding=encoding, repair="discard") == discarded
    assert eh.tags([tags.split()], encoding=encoding).readings["spans"].repaired == ill_formed
    with pytest.raises(eh.InputError, match="ill-formed"):
        eh.tags([tags.split()], encoding=encoding, repair="error")


@pytest.mark.parametrize(
    ("tags", "encoding"),
    [
        ("I-PER I-PER O I-LOC", "iob1"),
        ("I-PER B-PER O I-LOC", "iob1"),
        ("B-PER I-PER O B-LOC", "iob2"),
        ("B-PER I-PER O I-LOC B-LOC B-ORG", "iob2"),
        ("I-PER E-PER O E-LOC", "ioe2"),
        ("I-PER E-PER I-PER O I-LOC", "ioe1"),
        ("B-PER E-PER O S-LOC", "bioes"),
        ("U-PER O", "bioes"),
        ("PER PER O geo-loc", "plain"),
        ("O O", "iob2"),
    ],
)
def test_recognition(tags: str, encoding: str) -> None:
    assert eh.tags([tags.split()]).readings["spans"].encoding == encoding


def test_stacked_tags_are_levels() -> None:
    annotation = eh.tags([["B-ORG", "I-ORG|B-LOC", "O|I-LOC", "O"]])
    assert annotation.spans().rows() == [("ORG", 0, 0, 2), ("LOC", 0, 1, 3)]
    assert annotation.spans().level.tolist() == [0, 1]
    assert annotation.readings["spans"].repaired == 0


def test_a_label_of_one_letter_is_not_cut_off() -> None:
    """seqeval reads the label N as a prefix; here labels without any prefix stay whole."""
    assert spans(["NOUN", "VERB", "NOUN"]) == [("NOUN", 0, 1), ("VERB", 1, 2), ("NOUN", 2, 3)]


def test_a_mixture_of_tags_with_and_without_prefix_is_an_error() -> None:
    with pytest.raises(eh.InputError, match="'LOC' is not a prefix"):
        eh.tags([["B-PER", "LOC"]])


def test_a_tag_outside_the_named_encoding_is_an_error() -> None:
    with pytest.raises(eh.InputError, match="do not occur in IOB2"):
        eh.tags([["B-PER", "E-PER"]], encoding="iob2")
