"""Entity links in tables of neleval, brat, JSON lines and ELEVANT: what is read, and what is wrong with files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.structures import links_of

TEXT = "Paris praised Rome."


def rows(annotation: Annotation) -> list[tuple[str, int, int, int, tuple[str, ...]]]:
    spans = annotation.spans("links")
    return [
        (*row, () if link is None else link.candidates) for row, link in zip(spans.rows(), links_of(spans), strict=True)
    ]


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def brat(folder: Path, lines: str) -> Path:
    written(folder / "doc.txt", TEXT)
    return written(folder / "doc.ann", lines)


def lines(path: Path, *records: Any) -> Path:
    return written(path, "".join(json.dumps(record) + "\n" for record in records))


# Tables of neleval


def test_candidates_of_neleval_are_ranked_by_their_scores(tmp_path: Path) -> None:
    table = "d1\t0\t4\tQ1\t0.2\tLOC\tQ2\t0.7\tORG\tQ3\t0.7\tPER\nd2\t5\t5\tQ9\nd1\t8\t9\tQ7\t0.5\nd2\t1\t2\n\n"
    annotation = eh.read(written(tmp_path / "links.tsv", table), format="neleval")
    assert rows(annotation) == [
        ("ORG", 0, 0, 5, ("Q2", "Q3", "Q1")),
        ("_", 0, 8, 10, ("Q7",)),
        ("_", 1, 5, 6, ("Q9",)),
        ("_", 1, 1, 3, ("NIL",)),
    ]
    assert annotation.corpus.names == ("d1", "d2")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("d\t0", "'d 0' has no document with start and end"),
        ("d\t0\tx\tQ1\t1\tLOC", "has no document with start and end"),
        ("\t0\t3\tQ1\t1\tLOC", "has no document with start and end"),
        ("d\t5\t3\tQ1\t1\tLOC", "the link from 5 to 3 ends before it begins"),
        ("d\t0\t3\tQ1\t1\tLOC\tQ2", "expected three cells per candidate, got 4 after the end"),
        ("d\t0\t3\tQ1\tbest\tLOC", "found a score that is not a number in 'Q1 best LOC'"),
        ("d\t0\t3\t\t1\tLOC", "a candidate has no identifier"),
    ],
)
def test_bad_lines_of_neleval(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "links.tsv", f"d\t0\t4\tQ1\t1\tLOC\n{line}\n")
    with pytest.raises(eh.InputError, match=f"links.tsv:2: .*{message}"):
        eh.read(path, format="neleval")


def test_links_in_documents_that_a_table_of_neleval_lacks_are_wrong(tmp_path: Path) -> None:
    """neleval takes the documents of both sides."""
    gold = written(tmp_path / "gold.tsv", "a\t0\t4\tQ1\t1\tLOC\n")
    system = written(tmp_path / "system.tsv", "b\t0\t4\tQ2\t1\tLOC\na\t0\t4\tQ1\t1\tLOC\nc\t0\t1\tQ2\t1\tLOC\n")
    result = eh.score(gold, system, match="links")
    assert [result["links"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 2, 0]
    assert result["links"].further["documents"]["precision"]["mean"] == 1.0
    assert result.notes == ()


def test_offsets_without_a_text_do_not_go_with_a_text(tmp_path: Path) -> None:
    table = written(tmp_path / "links.tsv", "doc\t0\t4\tQ1\t1\tLOC\n")
    gold = brat(tmp_path, "T1\tLOC 0 5\tParis\nN1\tReference T1 Q1\tParis\n")
    message = "links.tsv: one side has a text, and the other has offsets without a text; use a text on both sides"
    with pytest.raises(eh.InputError, match=message):
        eh.score(gold, table, task="links")


# brat


def test_links_of_brat(tmp_path: Path) -> None:
    path = brat(
        tmp_path,
        "N2\tReference T1 Wikidata:Q2 b\tParis\nT1\tLOC 0 5\tParis\nT2\tLOC 14 18\tRome\n"
        "N1\tReference T1 Wikidata:NIL\nR1\tIn Arg1:T1 Arg2:T2\n",
    )
    annotation = eh.read(path, task="links")
    assert rows(annotation) == [("LOC", 0, 0, 5, ("Wikidata:Q2 b", "Wikidata:NIL")), ("LOC", 0, 12, 16, ())]
    assert annotation.reading.skipped == {"relations": 1}
    assert eh.read(path).reading.skipped == {"normalizations": 2, "relations": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("N1\tReference T9 Q1\tParis", "no line defines T9; add a line that starts with it, or fix the link"),
        ("N1\tReference T1\tParis", "is not a link of a span to an identifier; write identifier, tab, Reference"),
        ("N1\tReference T1  \tParis", "is not a link of a span to an identifier"),
    ],
)
def test_bad_links_of_brat(tmp_path: Path, line: str, message: str) -> None:
    path = brat(tmp_path, f"T1\tLOC 0 5\tParis\n{line}\n")
    with pytest.raises(eh.InputError, match=f"doc.ann:2: .*{message}"):
        eh.read(path, task="links")


# JSON lines


def test_own_lines(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "links.jsonl",
        {"id": 7, "text": TEXT, "spans": [{"start": 0, "end": 5, "label": "LOC", "links": ["Q90", "Q1"]}]},
        {"id": "b", "text": "Rome", "spans": [{"start": 0, "end": 4}]},
    )
    annotation = eh.read(path)
    assert rows(annotation) == [("LOC", 0, 0, 5, ("Q90", "Q1")), ("_", 1, 0, 4, ())]
    assert annotation.corpus.ids is not None
    assert annotation.corpus.ids.texts(0, 2) == ["7", "b"]


def test_own_lines_with_tokens(tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 3, "label": "X", "links": ["Q1"], "parts": [[0, 1], [2, 3]]}]
    annotation = eh.read(lines(tmp_path / "links.jsonl", {"tokens": ["a", "b", "c"], "spans": spans}), task="links")
    assert annotation.spans("links").token_sets() == [{0, 2}]


def test_lines_without_links_are_spans(tmp_path: Path) -> None:
    path = lines(tmp_path / "spans.jsonl", {"text": TEXT, "spans": [{"start": 0, "end": 5, "label": "LOC"}]})
    assert list(eh.read(path).layers) == ["spans"]
    assert rows(eh.read(path, task="links")) == [("LOC", 0, 0, 5, ())]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "ab"}, "it has no 'spans'"),
        ({"text": "ab", "spans": [{"start": 0, "end": 1, "links": "Q1"}]}, "expected a list for spans"),
        (
            {"text": "ab", "spans": [{"start": 0, "end": 9, "links": ["Q1"]}]},
            r"the span \[0, 9\] '_' ends after its text",
        ),
        ({"text": "ab", "spans": [{"start": 0, "end": 1, "links": [""]}]}, "a span has an empty identifier"),
        ({"tokens": ["ab"], "spans": []}, "the record has tokens, but the file began with a text"),
        ("text", "the line is not a JSON object"),
    ],
)
def test_bad_own_lines(tmp_path: Path, record: Any, message: str) -> None:
    path = lines(tmp_path / "links.jsonl", {"text": TEXT, "spans": []}, record)
    with pytest.raises(eh.InputError, match=f"links.jsonl:2: .*{message}"):
        eh.read(path, task="links")


def test_texts_must_be_the_same(tmp_path: Path) -> None:
    gold = lines(tmp_path / "gold.jsonl", {"text": TEXT, "spans": [{"start": 0, "end": 5, "links": ["Q1"]}]})
    system = lines(tmp_path / "system.jsonl", {"text": TEXT.replace("Rome", "Bern"), "spans": []})
    with pytest.raises(
        eh.InputError, match=r"system.jsonl:1: found 'B' where the gold standard has 'R'; use the same text"
    ):
        eh.score(gold, system)
    other = lines(tmp_path / "other.jsonl", {"text": "Paris", "spans": []})
    message = "other.jsonl:1: the document number 1 has 5 characters apart from spaces, in the gold standard 17"
    with pytest.raises(eh.InputError, match=message):
        eh.score(gold, other)


# ELEVANT


def test_lines_of_elevant(tmp_path: Path) -> None:
    labels = [{"span": [0, 5], "entity_id": "Q90"}, {"span": [14, 18], "entity_id": "Unknown1"}]
    mentions = [
        {"span": [0, 5], "id": "Q1", "candidates": ["Q1", "Q90"]},
        {"span": [14, 18], "id": None, "candidates": [{"entity_id": "Q220"}]},
    ]
    gold = lines(tmp_path / "gold.jsonl", {"id": 1, "title": "t", "text": TEXT, "labels": labels})
    system = lines(tmp_path / "system.jsonl", {"id": 1, "text": TEXT, "entity_mentions": mentions})
    assert eh.read(gold).reading.format == "elevant"
    assert rows(eh.read(gold)) == [("_", 0, 0, 5, ("Q90",)), ("_", 0, 12, 16, ("NIL",))]
    assert rows(eh.read(system)) == [("_", 0, 0, 5, ("Q1", "Q90")), ("_", 0, 12, 16, ("NIL", "Q220"))]
    found = eh.score(gold, system, match=["links", "links@2", "all"])
    assert [found[model].overall["TP"] for model in found.scores] == [0, 1, 1]


def test_lines_of_elevant_without_labels(tmp_path: Path) -> None:
    path = lines(tmp_path / "gold.jsonl", {"text": TEXT, "labels": [{"span": [0, 5]}]}, {"text": TEXT})
    with pytest.raises(eh.InputError, match=r"gold.jsonl:2: .* has no 'labels'"):
        eh.read(path)
