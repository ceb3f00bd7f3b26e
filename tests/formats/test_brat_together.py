"""Documents of brat that are read together are those that are read one by one, as are their errors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError
from evenhand.formats.brat import read, read_together
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

Document = tuple[str, str]
"""The contents of .txt and .ann."""
ADA: Document = ("Ada é\nwrote", "T1\tPER 0 3\tAda\nT2\tACT 6 11\twrote\n#1\tAnnotatorNotes T1\tx\n")
GAPS: Document = ("big 人 and old", "T7\tADJ 0 3;10 13\tbig old\n")
EMPTY: Document = ("", "")
MARKED: Document = ("\ufeffAda", "T1\tPER 1 4\tAda\n")
"""Offsets count the byte order mark."""
BARE: Document = ("no spans here", "")


def written(folder: Path, documents: list[Document]) -> list[Source]:
    for number, (text, lines) in enumerate(documents):
        (folder / f"{number}.txt").write_bytes(text.encode())
        (folder / f"{number}.ann").write_bytes(lines.encode())
    return [Source(folder / f"{number}.ann") for number in range(len(documents))]


def told(annotation: Annotation) -> object:
    """Everything about a document."""
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    assert corpus.raw is not None
    assert corpus.tokens is not None
    texts = [corpus.text(sentence) for sentence in range(corpus.sentences)]
    return (
        *(annotation.name, corpus.source, corpus.sentences, corpus.atoms, texts, corpus.bounds.tolist()),
        *(
            corpus.raw.tolist(),
            corpus.documents.tolist(),
            list(corpus.lines),
            corpus.names,
            corpus.tokens.texts(0, len(corpus.tokens)),
        ),
        *(spans.rows(), spans.token_sets(), spans.level.tolist(), annotation.readings),
    )


def outcome(annotations: Iterable[Annotation]) -> list[object]:
    """What each document is, up to the first error, and its sentence."""
    found: list[object] = []
    try:
        for each in annotations:
            found.append(told(each))  # noqa: PERF401 (what stands before an error counts)
    except InputError as error:
        found.append(str(error))
    return found


def both(documents: list[Document], settings: ReadSettings) -> tuple[list[object], list[object]]:
    with TemporaryDirectory() as folder:
        sources = written(Path(folder), documents)
        one_by_one = (each for source in sources for each in read(source, settings, Vocabulary(), {}))
        expected = outcome(one_by_one)
        return outcome(read_together(sources, settings, Vocabulary(), {})), expected


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A text and lines that mostly fit it."""
    text = draw(st.text(st.sampled_from("\ufeffab é人𝔸\n\r\t\u2028"), max_size=12))
    is_wrong = draw(st.integers(0, 9)) == 0
    lines = []
    for number in range(draw(st.integers(0, 3))):
        bounds = sorted(draw(st.sets(st.integers(0, len(text) + 2 * is_wrong), max_size=4)))
        parts = list(zip(bounds[0::2], bounds[1::2], strict=False))
        texts = [text[start:end] for start, end in parts]
        if is_wrong or (texts and any(each.strip() for each in texts)):
            quoted = "other" if is_wrong and draw(st.booleans()) else " ".join(" ".join(texts).split())
            lines.append(f"T{number + 1}\tX {';'.join(f'{start} {end}' for start, end in parts)}\t{quoted}")
    lines += draw(st.lists(st.sampled_from(["R1\tof Arg1:T1 Arg2:T2", "", "#1\tNote T1\tx"]), max_size=2))
    lines += draw(st.lists(st.just("no annotation"), max_size=1)) if is_wrong else []
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    return text, ending.join(lines) + draw(st.sampled_from(["", ending]))


@pytest.mark.property
@given(st.lists(documents(), max_size=5), st.sampled_from(["codepoints", "utf16"]))
def test_documents_are_the_same_one_by_one(given_documents: list[Document], offsets: str) -> None:
    found, expected = both(given_documents, ReadSettings(offsets=offsets))  # type: ignore[arg-type]
    assert found == expected


@pytest.mark.parametrize(
    "settings",
    [
        ReadSettings(),
        ReadSettings(offsets="utf16"),
        ReadSettings(parameters={"sentences": "lines"}),
        ReadSettings(parameters={"newlines": "one"}),
    ],
)
def test_some_documents(settings: ReadSettings) -> None:
    found, expected = both([ADA, EMPTY, GAPS, MARKED, BARE], settings)
    assert found == expected
    assert len(found) == 5


def test_what_is_skipped_is_counted_in_all(tmp_path: Path) -> None:
    written(tmp_path, [ADA, BARE, ADA])
    assert eh.read(tmp_path).readings["spans"].skipped == {"notes": 2}


def test_what_is_skipped_is_counted_where_it_is(tmp_path: Path) -> None:
    attributes = ("Ada", "T1\tPER 0 3\tAda\nA1\tOld T1\nM2\tFamous T1\n#1\tNote T1\tx")
    sources = written(tmp_path, [BARE, ADA, BARE, attributes])
    found = read_together(sources, ReadSettings(), Vocabulary(), {})
    skipped = [each.readings["spans"].skipped for each in found]
    assert skipped == [{}, {"notes": 1}, {}, {"attributes": 2, "notes": 1}]


def test_an_error_names_its_file_and_line(tmp_path: Path) -> None:
    wrong = ("Ada", "T1\tPER 0 3\tAda\nT2\tPER 0 3\tBob\n")
    written(tmp_path, [ADA, ADA, wrong, ADA])
    with pytest.raises(InputError, match=r"2\.ann:2: the text has 'Ada' at 0 3, but 'Bob' is quoted"):
        eh.read(tmp_path)


def test_documents_before_a_missing_text_are_read(tmp_path: Path) -> None:
    sources = written(tmp_path, [ADA, ADA, ADA])
    (tmp_path / "2.txt").unlink()
    found = outcome(read_together(sources, ReadSettings(), Vocabulary(), {}))
    assert len(found) == 3
    assert "2.txt cannot be found beside it" in str(found[2])


def test_large_documents_are_not_held_together(tmp_path: Path) -> None:
    """The first ones are given while the last one is not even there."""
    long = "a" * (1 << 20)
    sources = written(tmp_path, [(long, ""), (long, ""), ADA])
    (tmp_path / "2.txt").unlink()
    stream = read_together(sources, ReadSettings(), Vocabulary(), {})
    assert next(stream).corpus.token_count == len(long)
    (tmp_path / "2.txt").write_text(ADA[0])
    assert [each.name for each in stream] == ["1", "2"]
