"""Coreference as JSON lines: words, clusters, documents, and what is wrong with which line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.check import check
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

Read = Callable[..., Annotation]


def lines(*documents: object) -> str:
    """Objects as they are written, texts as they stand."""
    return "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in documents)


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    monkeypatch.chdir(tmp_path)

    def read(*documents: object, name: str = "file.jsonl", **options: object) -> Annotation:
        Path(name).write_bytes(lines(*documents).encode())
        return eh.read(name, **options)

    return read


def chains(annotation: Annotation) -> list[list[list[tuple[int, int]]]]:
    return annotation.chains().clusters(len(annotation.corpus.names))


def words(annotation: Annotation) -> list[str]:
    tokens = annotation.corpus.tokens
    assert tokens is not None
    return [tokens[place] for place in range(len(tokens))]


def pos(annotation: Annotation) -> list[str] | None:
    return annotation["pos"].to_list() if "pos" in annotation.layers else None  # type: ignore[union-attr]


ADA = {"doc_key": "a", "sentences": [["Ada", "Li", "left"], ["She", "slept"]], "clusters": [[[0, 1], [3, 3]]]}
NONE = {"doc_key": "b", "sentences": [["Rain"]], "clusters": []}


# What a document has


def test_a_document_is_a_line(read: Read) -> None:
    annotation = read(ADA, NONE)
    assert (annotation.reading.format, annotation.corpus.names) == ("coref-jsonl", ("a", "b"))
    assert words(annotation) == ["Ada", "Li", "left", "She", "slept", "Rain"]
    assert (annotation.corpus.bounds.tolist(), annotation.corpus.documents.tolist()) == ([0, 3, 5, 6], [0, 2])
    assert chains(annotation) == [[[(0, 2), (3, 4)]], []]
    assert [annotation.corpus.line(token) for token in range(6)] == [1, 1, 1, 1, 1, 2]
    assert pos(annotation) is None


def test_the_end_of_a_mention_is_its_last_token(read: Read) -> None:
    found = read({"sentences": [["a", "b"], ["c"]], "clusters": [[[0, 2], [0, 0]], [[1, 2]]]})
    assert chains(found) == [[[(0, 3), (0, 1)], [(1, 3)]]]


def test_clusters_and_mentions_stay_in_their_order(read: Read) -> None:
    """The first of them keeps a span that is repeated."""
    annotation = read({"sentences": [["a", "b", "c"]], "clusters": [[[2, 2], [0, 0], [2, 2]], [], [[0, 0], [1, 1]]]})
    assert chains(annotation) == [[[(2, 3), (0, 1), (2, 3)], [(0, 1), (1, 2)]]]
    key = read({"sentences": [["a", "b", "c"]], "clusters": [[[2, 2], [0, 0]], [[1, 1]]]}, name="key.jsonl")
    assert eh.score(key, annotation)["mela"].f1 == 1


def test_tokens_are_one_sentence(read: Read) -> None:
    found = read({"tokens": ["a", "b", "c"], "clusters": [[[0, 1]]]}, {"tokens": [], "clusters": []}, NONE)
    assert (found.corpus.bounds.tolist(), found.corpus.documents.tolist()) == ([0, 3, 4], [0, 1, 1])
    assert chains(found) == [[[(0, 2)]], [], []]


def test_documents_without_a_name_have_numbers(read: Read) -> None:
    bare = {"tokens": ["a"], "clusters": []}
    assert read(bare, NONE, bare).corpus.names == ("1", "b", "3")
    assert read({**bare, "doc_key": None}).corpus.names == ("1",)


def test_pos_have_the_shape_of_sentences(read: Read) -> None:
    tagged = {**ADA, "pos": [["NNP", "NNP", "VBD"], ["PRP", "VBD"]]}
    assert pos(read(tagged, {**NONE, "pos": [["NN"]]})) == ["NNP", "NNP", "VBD", "PRP", "VBD", "NN"]
    assert pos(read({"tokens": ["a", "b"], "pos": [["X", "Y"]], "clusters": []})) == ["X", "Y"]
    assert list(eh.score(tagged_file := Path("file.jsonl"), tagged_file).scores)[-1] == "arcs_nom"


def test_pos_of_tokens_may_be_a_list_as_these_are(read: Read) -> None:
    assert pos(read({"tokens": ["a", "b"], "pos": ["X", "Y"], "clusters": []})) == ["X", "Y"]


def test_other_fields_are_not_looked_at(read: Read) -> None:
    assert chains(read({**ADA, "speakers": [["x"] * 3, 5], "genre": None})) == [[[(0, 2), (3, 4)]]]


def test_empty_documents_and_sentences(read: Read) -> None:
    empty = {"sentences": [], "clusters": []}
    annotation = read(empty, {"sentences": [[], ["a"], []], "clusters": [[[0, 0]]]}, empty)
    assert (annotation.corpus.names, words(annotation)) == (("1", "2", "3"), ["a"])
    assert chains(annotation) == [[], [[(0, 1)]], []]
    result = eh.score(annotation, annotation, groups="document")
    assert (result.gold.documents, result["mentions"].f1, result["lea"].f1) == (3, 1, 1)


def test_blank_lines_are_skipped_and_counted(read: Read) -> None:
    found = read("", ADA, "  ", "", NONE, "")
    assert (found.corpus.names, found.corpus.line(0), found.corpus.line(5)) == (("a", "b"), 2, 5)


# Which clusters


def test_predicted_clusters(read: Read) -> None:
    predicted = {"tokens": ["a", "b"], "predicted_clusters": [[[1, 1]]]}
    assert chains(read(predicted)) == [[[(1, 2)]]]
    both = {**predicted, "clusters": [[[0, 0]]]}
    assert chains(read(both, column="predicted_clusters")) == [[[(1, 2)]]]
    assert chains(read(both, column="clusters")) == [[[(0, 1)]]]
    assert chains(read({**predicted, "clusters": None})) == [[[(1, 2)]]]
    columns = {"gold": "clusters", "system": "predicted_clusters"}
    Path("file.jsonl").write_text(lines(both))
    assert eh.score("file.jsonl", "file.jsonl", column=columns)["mentions"].f1 == 0


def test_both_kinds_of_clusters_want_a_choice(read: Read) -> None:
    both = {"tokens": ["a"], "predicted_clusters": [], "clusters": []}
    with pytest.raises(eh.InputError) as error:
        read(ADA, both)
    found = "file.jsonl:2: the document has clusters and predicted_clusters; specify one of them with --column."
    assert str(error.value) == found
    with pytest.raises(
        eh.SettingError, match="'gold' does not contain clusters; choose one of clusters, predicted_clusters"
    ):
        read(both, column="gold")


# What is wrong

OUTSIDE = "use the first and the last token of each mention, counted from 0"
PROBLEMS: dict[str, tuple[object, str]] = {
    "behind the end": (
        {"tokens": ["a", "b"], "clusters": [[[0, 0]], [[1, 2]]]},
        f"the mention [1, 2] is outside the document, which has 2 tokens; {OUTSIDE}",
    ),
    "before the begin": (
        {"tokens": ["a", "b"], "clusters": [[[-1, 0]]]},
        f"the mention [-1, 0] is outside the document, which has 2 tokens; {OUTSIDE}",
    ),
    "no token": (
        {"sentences": [], "clusters": [[[0, 0]]]},
        f"the mention [0, 0] is outside the document, which has 0 tokens; {OUTSIDE}",
    ),
    "no clusters": ({"tokens": ["a"]}, "the document has no clusters; add its clusters, or an empty list"),
    "null": (
        {"tokens": ["a"], "clusters": None},
        "the document has no clusters; add its clusters, or an empty list",
    ),
    "no words": ({"clusters": []}, "the document has no sentences or tokens; add its words"),
    "pos": (
        {"sentences": [["a"], ["b", "c"]], "pos": [["X", "Y"], ["Z"]], "clusters": []},
        "pos does not have the shape of sentences; use one POS per word",
    ),
    "a name twice": (ADA, "the document a already began in line 1; give every document a different name"),
    "a list": ([1], "the line is not a JSON object (it is a list); write one JSON object per line"),
    "cut off": (
        '{"tokens": ["a"], "clusters": [',
        "the line is not a JSON object (input data was truncated); write one JSON object per line",
    ),
    "sentences of strings": (
        {"sentences": ["a b"], "clusters": []},
        "expected a list for sentences[0], got a string; fix the record",
    ),
    "a number as a word": (
        {"tokens": ["a", 1], "clusters": []},
        "expected a string for tokens[1], got a whole number; fix the record",
    ),
    "flat clusters": (
        {"tokens": ["a"], "clusters": [[0, 0]]},
        "expected a list for clusters[0][0], got a whole number; fix the record",
    ),
    "three numbers": (
        {"tokens": ["a"], "clusters": [[[0, 0, 0]]]},
        "expected a list of length 2 for clusters[0][0]; fix the record",
    ),
    "a text as a place": (
        {"tokens": ["a"], "clusters": [[["0", 0]]]},
        "expected a whole number for clusters[0][0][0], got a string; fix the record",
    ),
    "a number as a name": (
        {"doc_key": 3, "tokens": ["a"], "clusters": []},
        "expected a string for doc_key, got a whole number; fix the record",
    ),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_are_raised_with_their_line(read: Read, case: str) -> None:
    line, problem = PROBLEMS[case]
    with pytest.raises(eh.InputError) as error:
        read(ADA, "", NONE, line)
    assert str(error.value) == f"file.jsonl:4: {problem}."


def test_a_mention_that_ends_before_it_begins(read: Read) -> None:
    with pytest.raises(eh.InputError, match=r"file.jsonl:1: the mention \[1, 0\]"):
        read({"tokens": ["a", "b"], "clusters": [[[1, 0]]]})


@pytest.mark.parametrize("tagged", [[True, False], [False, True]], ids=["the first one", "the second one"])
@pytest.mark.parametrize("size", [1, 1 << 18])
def test_all_documents_have_pos_or_none(read: Read, tagged: list[bool], size: int) -> None:
    """In whatever batches they are read."""
    documents = [
        {**NONE, "doc_key": name, **({"pos": [["NN"]]} if has else {})} for name, has in zip("ab", tagged, strict=True)
    ]
    Path("file.jsonl").write_text(lines(*documents))
    with pytest.raises(eh.InputError, match=r"file.jsonl:[12]: some documents have pos, and others do not"):
        list(batches(Path("file.jsonl"), ReadSettings(block_size=size), Vocabulary()))


def test_a_check_reports_all_problems(read: Read) -> None:
    cases = [line for name, (line, _) in PROBLEMS.items() if name != "a name twice"]
    Path("file.jsonl").write_text(lines(ADA, *cases, "", NONE, {**NONE, "clusters": [[[0, 0]]]}))
    checked = check(Path("file.jsonl"), ReadSettings())
    expected = [f"file.jsonl:{n}: {PROBLEMS[name][1]}." for n, name in enumerate(PROBLEMS, 2) if name != "a name twice"]
    shown = [str(problem) for problem in checked.problems]
    assert [each.partition(" ")[2] for each in shown[:-1]] == [each.partition(" ")[2] for each in expected]
    assert [problem.line for problem in checked.problems] == [*range(2, 2 + len(cases)), 4 + len(cases)]
    assert [problem.kind for problem in checked.problems] == [*["record"] * len(cases), "document"]
    assert (checked.sentences, checked.units, checked.unit) == (4, 3, "mentions")


def test_a_name_three_times(read: Read) -> None:
    Path("file.jsonl").write_text(lines(ADA, ADA, ADA))
    found = check(Path("file.jsonl"), ReadSettings())
    finding = "the document a already began in line 1"
    assert [(each.line, each.finding) for each in found.problems] == [(2, finding), (3, finding)]


# Which files are this, and how they are read


@pytest.mark.parametrize("name", ["file.jsonl", "file.jsonlines", "file.json", "file.txt"])
@pytest.mark.parametrize(
    "document",
    [
        {"sentences": [["word"] * 3000], "clusters": []},
        {"doc_key": "x" * 10_000, "clusters": [], "sentences": [["word"]]},
        {"speakers": [["nobody"] * 3000], "sentences": [["word"]], "clusters": []},
        {"tokens": ["word"] * 3000, "clusters": []},
        {"tokens": ["word"] * 3000, "predicted_clusters": []},
        {"sentences": [[], ["word"]], "predicted_clusters": []},
    ],
    ids=["sentences", "name", "speakers", "tokens", "predicted", "short"],
)
def test_files_are_recognised_even_by_long_lines(read: Read, document: dict, name: str) -> None:
    assert read(document, name=name).reading.format == "coref-jsonl"


def test_sentences_without_clusters_are_these_too(read: Read) -> None:
    with pytest.raises(eh.InputError, match=r"file.jsonl:1: the document has no clusters"):
        read({"sentences": [["a"]]})


def test_other_json_lines_are_not_these(read: Read) -> None:
    other = {"tokens": ["Ada"], "tags": ["B-PER"]}
    assert read(other).reading.format == "jsonl"
    assert read({"text": '"clusters": []', "spans": []}).reading.format == "jsonl"


@pytest.mark.parametrize("size", [1, 30, 100, 1 << 18])
def test_batches_of_any_size_read_the_same(read: Read, size: int) -> None:
    whole = read("", ADA, NONE, "", {"tokens": ["é"] * 40, "clusters": [[[0, 39]]]}, {"sentences": [], "clusters": []})
    found = list(batches(Path("file.jsonl"), ReadSettings(block_size=size), Vocabulary()))
    parts = Annotation.concatenate(found)
    assert (len(found) > 1) == (size < 200)
    assert parts.corpus.names == whole.corpus.names == ("a", "b", "3", "4")
    assert (words(parts), chains(parts)) == (words(whole), chains(whole))
    assert [parts.corpus.line(at) for at in range(46)] == [whole.corpus.line(at) for at in range(46)]
    assert whole.corpus.line(45) == 5
    Path("bad.jsonl").write_text(lines("", ADA, NONE, {**ADA, "doc_key": "z", "clusters": [[[0, 9]]]}, ADA))
    with pytest.raises(eh.InputError, match=r"bad.jsonl:4: the mention \[0, 9\]"):
        list(batches(Path("bad.jsonl"), ReadSettings(block_size=size), Vocabulary()))
