"""Bracketed trees: constituents as spans, functions, traces, roots, errors, and writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.structures import Constituents
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, SettingError
from evenhand.formats import penn_trees as brackets
from evenhand.formats.convert import Conversion
from evenhand.formats.penn_trees import write_constituents
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

CAT = "(S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT a) (NN mat)))))"
MANY = f"""
( (S
    (NP-SBJ-1 (NNP Ada))
    (VP (VBD seemed)
      (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB write)))))
    (. .) ))

(ROOT (FRAG (NP (NN Größe)))) (TOP (X 😀))
{CAT} (NN alone)


(S (NP (-NONE- *pro*)))
( (NP=2 (-LRB- -LRB-) (NN x) (-RRB- -RRB-)))
"""

File = Callable[[str], Path]


@pytest.fixture
def file(tmp_path: Path) -> File:
    def write(text: str) -> Path:
        path = tmp_path / "trees.mrg"
        path.write_bytes(text.encode())
        return path

    return write


def write(annotation: Annotation) -> Iterator[str]:
    return Conversion(brackets.FORMAT, "spans").texts(iter([annotation]))


def batches(path: Path, **settings: int) -> list[Annotation]:
    return list(brackets.read_spans(Source(path), ReadSettings(**settings), Vocabulary(), {}))


def read(path: Path, **settings: int) -> Annotation:
    return Annotation.concatenate(batches(path, **settings))


def shown(annotation: Annotation) -> list[tuple[str, int, str, int]]:
    """Label, sentence, words and level of each span."""
    corpus, spans = annotation.corpus, annotation.spans()
    items = []
    for (label, scope, start, end), level in zip(spans.rows(), spans.level.tolist(), strict=True):
        first = int(corpus.bounds[scope])
        words = " ".join(corpus.tokens[token] for token in range(first + start, first + end))
        items.append((label, scope, words, level))
    return items


def tags(annotation: Annotation) -> list[str]:
    layer = annotation["pos"]
    assert isinstance(layer, Tags)
    return layer.to_list()


def test_constituents_are_nested_spans_by_first_word_and_depth(file: File) -> None:
    annotation = read(file(CAT))
    assert shown(annotation) == [
        ("S", 0, "the cat sat on a mat", 0),
        ("NP", 0, "the cat", 1),
        ("VP", 0, "sat on a mat", 1),
        ("PP", 0, "on a mat", 2),
        ("NP", 0, "a mat", 3),
    ]
    assert annotation.corpus.text(0) == "the cat sat on a mat"
    assert tags(annotation) == ["DT", "NN", "VBD", "IN", "DT", "NN"]
    assert annotation.readings["spans"].format == "brackets"
    assert annotation.readings["spans"].skipped == {}


def test_trees_on_several_lines_and_several_trees_on_a_line(file: File) -> None:
    annotation = read(file(MANY))
    corpus = annotation.corpus
    assert [corpus.text(sentence) for sentence in range(corpus.sentences)] == [
        "Ada seemed to write .",
        "Größe",
        "😀",
        "the cat sat on a mat",
        "alone",
        "",
        "-LRB- x -RRB-",
    ]
    assert [corpus.line(token) for token in range(15)] == [3, 4, 5, 5, 6, 8, 8, 9, 9, 9, 9, 9, 9, 9, 13]
    assert corpus.documents.tolist() == [0]


def test_functions_are_dropped_or_kept(file: File) -> None:
    path = file("( (S (NP-SBJ-1 (NN a)) (NP=2 (NN b)) (PRT|ADVP (RP c)) (-X-Y (NN d))))")
    assert [row[0] for row in read(path).spans().rows()] == ["S", "NP", "NP", "PRT|ADVP", "-X-Y"]
    kept = read(path, functions=True).spans().rows()
    assert [row[0] for row in kept] == ["S", "NP-SBJ-1", "NP=2", "PRT|ADVP", "-X-Y"]


def test_traces_are_dropped_with_what_covers_nothing_else(file: File) -> None:
    annotation = read(file("(S (NP (NP (-NONE- *T*)) (SBAR (-NONE- 0) (S (-NONE- *T*)))) (VP (VB go) (-NONE- *)))"))
    assert shown(annotation) == [("S", 0, "go", 0), ("VP", 0, "go", 1)]
    assert annotation.readings["spans"].skipped == {"traces": 4}


def test_a_tree_of_traces_is_an_empty_sentence(file: File) -> None:
    annotation = read(file("(S (NP (-NONE- *)))\n(S (VB go))\n"))
    assert annotation.corpus.bounds.tolist() == [0, 0, 1]
    assert shown(annotation) == [("S", 1, "go", 0)]


@pytest.mark.parametrize("tree", ["( (S (VB go)))", "(ROOT (S (VB go)))", "(TOP (S (VB go)))", "(S (VB go))"])
def test_roots_are_no_constituents(file: File, tree: str) -> None:
    assert shown(read(file(tree))) == [("S", 0, "go", 0)]


def test_only_the_outermost_bracket_is_a_root(file: File) -> None:
    assert shown(read(file("(TOP (TOP (ROOT (VB go))))"))) == [("TOP", 0, "go", 0), ("ROOT", 0, "go", 1)]


def test_unary_chains_are_spans_with_equal_bounds(file: File) -> None:
    assert shown(read(file("(S (VP (VP (VB go))))"))) == [("S", 0, "go", 0), ("VP", 0, "go", 1), ("VP", 0, "go", 2)]


@pytest.mark.parametrize("tree", ["(VB go)", "(TOP (VB go))", "( (VB go))"])
def test_tagged_words_are_no_constituents(file: File, tree: str) -> None:
    annotation = read(file(tree))
    assert (annotation.corpus.text(0), tags(annotation), len(annotation.spans())) == ("go", ["VB"], 0)


def test_spaces_do_not_matter(file: File) -> None:
    assert shown(read(file("\ufeff(  S\r\n(NP( DT\tthe )(NN\r\ncat) )\r\n)\r\n"))) == [
        ("S", 0, "the cat", 0),
        ("NP", 0, "the cat", 1),
    ]


@pytest.mark.parametrize("size", [1, 3, 10, 40, 100, 1000])
def test_batches_of_any_size_read_the_same(file: File, size: int) -> None:
    path = file(MANY)
    whole, parts = read(path), batches(path, block_size=size)
    joined = Annotation.concatenate(parts)
    assert shown(joined) == shown(whole)
    assert joined.corpus.bounds.tolist() == whole.corpus.bounds.tolist()
    assert joined.corpus.lines.tolist() == whole.corpus.lines.tolist()
    assert tags(joined) == tags(whole)
    assert joined.readings["spans"].skipped == {"traces": 2}
    assert [part.corpus.continues for part in parts] == [False, *[True] * (len(parts) - 1)]
    assert len(parts) > 1 or size == 1000


def test_a_tree_of_depth_100000_reads_and_writes(file: File) -> None:
    depth = 100_000
    annotation = read(file("(A\n" * depth + "(X a)" + ")" * depth), block_size=1000)
    assert annotation.spans().level.tolist() == list(range(depth))
    assert len("".join(write(annotation))) == len("(TOP" + " (A" * depth + " (X a)" + ")" * depth + ")\n")


@pytest.mark.parametrize("size", [1, 1 << 18])
@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (
            "(S (VB go))\n(S\n(NP (NN a))\n(VP (VB b)\n",
            2,
            "the tree that begins here is not closed; close its brackets (open at the end of the file: 2)",
        ),
        (
            "(S (VB go))\n\n(S (VB go)\n( (S (VB stay)))\n",
            3,
            "the tree that begins here is not closed; close its brackets (open at the end of the file: 1)",
        ),
        (
            "(S (VB go))\n\n(S (VB go)\n( (S (VB stay))))\n",
            4,
            "a bracket of the tree that begins in line 3 has no label; only the outermost bracket may be without",
        ),
        ("(S\n(VB go)))\n(S (VB go))\n", 2, "this bracket closes nothing; remove it, or open a bracket before"),
        (")\n", 1, "this bracket closes nothing; remove it, or open a bracket before"),
        ("(S (VB go))\nwords\n(S (VB go))\n", 2, "'words' is outside of a tree; put it into brackets, or remove it"),
        ("\n(S (VB go))\nat the end\n", 3, "'at' is outside of a tree; put it into brackets, or remove it"),
        ("some words\n", 1, "'some' is outside of a tree; put it into brackets, or remove it"),
        ("(S (VB go)\n())\n", 2, "the constituent '()' is empty; remove it, or put tagged words into it"),
        ("(S (VB go))\n(())\n", 2, "the constituent '()' is empty; remove it, or put tagged words into it"),
        ("(S (VB go)\n(NP))\n", 2, "the constituent '(NP)' is empty; remove it, or put tagged words into it"),
        ("(S\n(NP the cat))\n", 2, "'the' is not alone under a tag; write every word in brackets, as in (NN cat)"),
        ("(S\n(NP (DT the) cat))", 2, "'cat' is not alone under a tag; write every word in brackets, as in (NN cat)"),
        ("(S\n(NP cat (DT the)))", 2, "'cat' is not alone under a tag; write every word in brackets, as in (NN cat)"),
        ("\n \n\t\n", None, "the file has no trees; check how it was written"),
    ],
)
def test_bad_trees(file: File, text: str, line: int | None, sentence: str, size: int) -> None:
    path = file(text)
    with pytest.raises(InputError) as error:
        read(path, block_size=size)
    assert str(error.value) == f"{path}{'' if line is None else f':{line}'}: {sentence}."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CAT, True),
        (MANY, True),
        ("( (S (VB go)))", True),
        ("(())", True),
        ("(S (NP (DT the", True),
        ("(S (NP (DT the) cat))", True),
        ("(\tO\nAda\tB-PER\n)\tO\n", False),
        ("( O O\n) O O\n", False),
        ("( O\n) O\n", False),
        ("(some remark) and a text\n", False),
        ("Ada B-PER\n( O\n", False),
        ("(\n", False),
    ],
)
def test_recognition(file: File, text: str, expected: bool) -> None:
    assert brackets.recognise(Source(file(text)).sample(1 << 12)) == expected


def test_writing_trees_one_a_line(file: File) -> None:
    assert list(write(read(file(MANY)))) == [
        "(TOP (S (NP (NNP Ada)) (VP (VBD seemed) (S (VP (TO to) (VP (VB write))))) (. .)))\n",
        "(TOP (FRAG (NP (NN Größe))))\n",
        "(TOP (X 😀))\n",
        f"(TOP {CAT})\n",
        "(TOP (NN alone))\n",
        "(TOP (-NONE- *))\n",
        "(TOP (NP (-LRB- -LRB-) (NN x) (-RRB- -RRB-)))\n",
    ]


def test_words_without_known_tags_are_under_x(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text("the\tB-NP|B-S\ncat\tI-NP|I-S\n:)\tO|I-S\n\n(no\tO|O\n\n")
    assert list(write(eh.read(path))) == [
        "(TOP (S (NP (X the) (X cat)) (X :-RRB-)))\n",
        "(TOP (X -LRB-no))\n",
    ]


def annotated(words: list[str], spans: list[tuple[str, int, int]]) -> Annotation:
    """A sentence with spans, whose levels are their places in the list."""
    vocabulary = Vocabulary()
    rows = [(start, end, vocabulary.labels.code(label)) for label, start, end in spans]
    start, end, label = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    layer = Spans.of(vocabulary, np.zeros_like(start), start, end, label, level=np.arange(len(rows)))
    return Annotation(Corpus("words", 1, np.array([0, len(words)]), Tokens.of(words)), {"spans": layer})


def test_spans_that_cross_make_no_tree() -> None:
    with pytest.raises(SettingError) as error:
        list(write(annotated(["a", "b", "c"], [("NP", 0, 2), ("VP", 1, 3)])))
    assert str(error.value) == "The spans 'NP' and 'VP' of sentence 1 cross, so they are not a tree."


@pytest.mark.parametrize(
    ("words", "label", "text"), [(["New York"], "LOC", "New York"), ([""], "LOC", ""), (["a"], "a place", "a place")]
)
def test_words_and_labels_that_trees_cannot_have(words: list[str], label: str, text: str) -> None:
    with pytest.raises(SettingError) as error:
        list(write(annotated(words, [(label, 0, 1)])))
    sentence = f"Trees cannot have {text!r} of sentence 1: it is empty, or has spaces or brackets."
    assert str(error.value) == sentence


def test_gaps_and_missing_tokens_make_no_tree(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as error:
        list(write(eh.spans([[("NP", 0, 1)]])))
    assert str(error.value) == "spans has no text, which brackets needs; convert to spans instead."
    gaps = eh.spans([[("NP", 0, 3, [0, 2])]]).spans()
    corpus = Corpus("words", 1, np.array([0, 3]), Tokens.of(["a", "b", "c"]))
    with pytest.raises(SettingError) as no_tree:
        list(write(Annotation(corpus, {"spans": gaps})))
    finding = "brackets cannot represent 1 span with gaps, which would be filled"
    assert str(no_tree.value) == f"{finding}; use --lossy to convert anyway."


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, int, int]]]:
    """Words, and spans that do not cross, in any order."""
    words = draw(st.lists(st.text(st.sampled_from("ab-=é😀\u00a0*#"), min_size=1, max_size=4), max_size=8))
    spans: list[tuple[str, int, int]] = []
    for _ in range(draw(st.integers(0, 8)) if words else 0):
        start = draw(st.integers(0, len(words) - 1))
        end = draw(st.integers(start + 1, len(words)))
        if not any(a < start < b < end or start < a < end < b for _, a, b in spans):
            spans.append((draw(st.sampled_from(["S", "NP", "TOP", "-X-", "-NONE-"])), start, end))
    return words, spans


@given(sentences(), st.integers(1, 50))
def test_what_is_written_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, sentence: tuple[list[str], list[tuple[str, int, int]]], size: int
) -> None:
    words, spans = sentence
    path = tmp_path_factory.mktemp("trees") / "trees.mrg"
    path.write_bytes("".join(write(annotated(words, spans))).encode())
    again = read(path, block_size=size)
    expected = sorted(spans, key=lambda span: (span[1], -span[2]))
    assert [(label, start, end) for label, _, start, end in again.spans().rows()] == expected
    assert [again.corpus.tokens[token] for token in range(len(words))] == words
    assert "".join(write(again)).encode() == path.read_bytes()


# Bracketed trees for constituents: lines as sentences, trees over several lines, broken lines, writing


def layer(annotation: eh.Annotation) -> Constituents:
    found = annotation["constituents"]
    assert isinstance(found, Constituents)
    return found


def read_bracket_lines(tmp_path: Path, text: str, **options: bool) -> eh.Annotation:
    file = tmp_path / "trees.mrg"
    file.write_text(text)
    return eh.read(file, task="constituents", **options)


def test_a_line_is_a_sentence_with_all_that_is_in_it(tmp_path: Path) -> None:
    brackets = read_bracket_lines(tmp_path, "( (S-X (NP-SBJ (-NONE- *)) (VP (V go))))\r\n\r\n(A b) (C d)\r\n")
    assert brackets.corpus.bounds.tolist() == [0, 2, 2, 4]
    assert layer(brackets).brackets.rows() == [("()", 0, 0, 2), ("S", 0, 0, 2), ("NP", 0, 0, 1), ("VP", 0, 1, 2)]
    assert brackets["pos"].to_list() == ["-NONE-", "V", "A", "C"]
    assert layer(brackets).lines.tolist() == [1, 2, 3]
    kept = read_bracket_lines(tmp_path, "(S-X (NP-SBJ (N x)))\n", functions=True)
    assert [row[0] for row in layer(kept).brackets.rows()] == ["S-X", "NP-SBJ"]


def test_trees_over_several_lines(tmp_path: Path) -> None:
    text = "\n( (S \n    (NP (N rain))\n    (VP (V falls)) ))\n\n( (FRAG (N yes)))\n( (S\n\t(V go)))\n"
    brackets = read_bracket_lines(tmp_path, text)
    assert brackets.corpus.sentences == 3
    assert layer(brackets).lines.tolist() == [2, 6, 7]
    assert [row[:2] for row in layer(brackets).brackets.rows() if row[0] != "()"] == [
        *(("S", 0), ("NP", 0), ("VP", 0)),
        *(("FRAG", 1), ("S", 2)),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("(S (N x)", "not all brackets are closed"),
        ("(S (N x)))", "a bracket closes nothing"),
        (")S (N x)(", "a bracket closes nothing"),
        ("(S (N x) word)", "the word 'word' is not alone under a tag"),
        ("(S (N x y))", "the word 'x' is not alone under a tag"),
        ("word", "the word 'word' is not alone under a tag"),
    ],
)
def test_a_broken_line_is_a_sentence_without_a_tree(line: str, problem: str) -> None:
    found = layer(eh.constituents(["(S (N x))", line, "(S (N y))"]))
    assert found.problems == {1: problem}
    assert found.brackets.scope.tolist() == [0, 2]


def test_empty_brackets_are_read() -> None:
    assert layer(eh.constituents(["(S (NP ) () (N x))"])).brackets.rows() == [
        *(("S", 0, 0, 1), ("NP", 0, 0, 0), ("()", 0, 0, 0)),
    ]


@pytest.mark.parametrize("size", [16, 64, 1 << 19])
def test_blocks_of_any_size_give_the_same(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.settings import ReadSettings

    monkeypatch.setattr(ReadSettings, "block_size", size, raising=False)
    line = "(S (NP (N rain)) (VP (V falls)))"
    lines = [line, "", line, "(S", line] * 5
    found = layer(read_bracket_lines(tmp_path, "\n".join(lines) + "\n"))
    assert found.brackets.rows() == layer(eh.constituents(lines)).brackets.rows()
    assert list(found.problems) == [3, 8, 13, 18, 23]
    indented = read_bracket_lines(tmp_path, (line.replace(" (VP", "\n  (VP") + "\n") * 7)
    assert layer(indented).brackets.rows() == layer(eh.constituents([line] * 7)).brackets.rows()


def test_what_is_written_is_read_again() -> None:
    lines = [
        "( (S-X (NP (-NONE- *)) (VP (V go))))",
        "",
        "(A b) (C d)",
        "(S (NP (N y)) (N x)) (X (Y (Z z)))",
        "(S (NP ))",
    ]
    first = eh.constituents(lines, functions=True)
    written = list(write_constituents(first))
    assert written[:4] == [f"{line}\n" for line in lines[:4]]
    again = eh.constituents(written, functions=True)
    assert layer(again).brackets.rows() == layer(first).brackets.rows()
    with pytest.raises(eh.InputError, match="not all brackets are closed; fix the tree"):
        list(write_constituents(eh.constituents(["(S"])))


@pytest.mark.parametrize(
    ("given", "message"),
    [("(S (N x))", "is a string, not a list of trees"), ([["S"]], "which is not a string")],
)
def test_lists_that_are_no_trees(given: object, message: str) -> None:
    with pytest.raises(eh.InputError, match=message):
        eh.constituents(given)  # type: ignore[arg-type]
