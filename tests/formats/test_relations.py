"""Relations in files: brat's R, * and E lines, SpERT's and DyGIE++'s JSON, JSON lines of our own; and between them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.data.structures import Relations
from evenhand.errors import InputError, SettingError
from evenhand.formats.brat import recognise
from evenhand.formats.convert import conversion_of
from evenhand.formats.source import Block

TEXT = "Ada left London\nfor Turin.\n"
ANN = "T1\tPER 0 3\tAda\nT2\tLOC 9 15\tLondon\nT3\tLOC 20 25\tTurin\n"
Write = Callable[[str, object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: object) -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), newline="")
        return path

    return written


def brat(write: Write, ann: str, text: str = TEXT) -> Path:
    write("doc.txt", text)
    return write("doc.ann", ann)


def facts(annotation: Annotation) -> list[tuple[str, tuple[Any, ...], tuple[Any, ...]]]:
    """Type, head and tail of each relation; spans as sentence, tokens and label."""
    spans, layer = annotation.spans(), annotation["relations"]
    assert isinstance(layer, Relations)
    sets = spans.token_sets()
    rows = spans.rows()
    ends = [(scope, tuple(sorted(tokens)), label) for (label, scope, *_), tokens in zip(rows, sets, strict=True)]
    return [(label, ends[head], ends[tail]) for label, head, tail in layer.rows()]


def words(annotation: Annotation) -> list[tuple[str, str, str]]:
    """Type of each relation, and the text of head and tail."""
    corpus = annotation.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    all_words = []
    for label, *ends in facts(annotation):
        texts = [
            "".join(corpus.tokens[int(corpus.bounds[scope]) + token] for token in tokens) for scope, tokens, _ in ends
        ]
        all_words.append((label, *texts))
    return all_words  # type: ignore[return-value]


# brat


def test_relations_of_brat(write: Write) -> None:
    lines = "R1\tleft Arg1:T1 Arg2:T2\nR2\tto From:T2 To:T3 \n"
    annotation = eh.read(brat(write, ANN + lines), task="relations")
    assert words(annotation) == [("left", "Ada", "London"), ("to", "London", "Turin")]
    assert annotation.readings["relations"].skipped == {}


def test_relations_without_numbers(write: Write) -> None:
    lines = "R1\tleft Arg1:T1 Arg2:T2\nR2\tto Arg1:T2 Arg2:T3\nR3\tto Arg1:T1 Arg2:T3\n"
    numbered = eh.read(brat(write, ANN + lines), task="relations")
    path = brat(write, ANN + re.sub("^R[0-9]", "R", lines, flags=re.MULTILINE))
    assert facts(eh.read(path, task="relations")) == facts(numbered)
    assert eh.read(path).readings["spans"].skipped == {"relations": 3}
    for options in (), ("--task", "relations"):
        checked = CliRunner().invoke(main, ["check", str(path), *options])
        assert (checked.exit_code, checked.stdout.count("no problems")) == (0, 1)
    converted = path.with_suffix(".jsonl")
    done = CliRunner().invoke(main, ["convert", str(path), str(converted), "--task", "relations"])
    assert done.exit_code == 0, done.stderr
    assert words(eh.read(converted, task="relations")) == words(numbered)


def test_lines_of_relations_without_numbers_are_recognised(write: Write) -> None:
    stream = ANN + "R\tleft Arg1:T1 Arg2:T2\n" * 5
    assert recognise(Block(stream.encode(), len(stream), 1)) == 1.0
    assert recognise(Block(b"R\tleft of\nX\tleft of\n", 20, 1)) == 0.0


def test_equivalences_are_symmetric_pairs_with_the_first_span(write: Write) -> None:
    annotation = eh.read(brat(write, ANN + "*\tsame-as T1 T2 T3\n"), task="relations")
    assert words(annotation) == [("same-as", "Ada", "London"), ("same-as", "Ada", "Turin")]
    layer = annotation["relations"]
    assert isinstance(layer, Relations)
    assert layer.symmetric == {"same-as"}


def test_events_are_relations_from_their_triggers(write: Write) -> None:
    lines = "E1\tMove:T2 Who:T1 To2:T3\nE2\tPlan:T1 What:E1\nR1\tof Arg1:E2 Arg2:E1\n"
    annotation = eh.read(brat(write, ANN + lines), task="relations")
    assert words(annotation) == [
        ("Who", "London", "Ada"),
        ("To", "London", "Turin"),
        ("What", "Ada", "London"),
        ("of", "Ada", "London"),
    ]


def test_lines_as_sentences(write: Write) -> None:
    path = brat(write, ANN + "R1\tto Arg1:T2 Arg2:T3\n", TEXT + "\n \nEnd.\n")
    annotation = eh.read(path, task="relations", sentences="lines")
    assert annotation.corpus.sentences == 3
    assert facts(annotation) == [("to", (0, tuple(range(7, 13)), "LOC"), (1, tuple(range(3, 8)), "LOC"))]
    assert [annotation.corpus.text(at).strip() for at in range(3)] == ["Ada left London", "for Turin.", "End."]


def test_crlf_that_counts_as_one_character(write: Write) -> None:
    path = brat(write, ANN, TEXT.replace("\n", "\r\n"))
    with pytest.raises(InputError, match="save the text with LF instead of CRLF"):
        eh.read(path, task="relations")
    assert len(eh.read(path, task="relations", newlines="one", sentences="lines").spans()) == 3


def test_wrong_quotations_are_errors_or_noted(write: Write) -> None:
    path = brat(write, ANN.replace("\tAda\n", "\tAdam\n") + "T4\tX 4 8;9 9\tleft\nR1\tleft Arg1:T1 Arg2:T4\n")
    with pytest.raises(InputError):
        eh.read(path, task="relations")
    annotation = eh.read(path, task="relations", quotes="note")
    assert annotation.readings["relations"].kept == {"wrong quotations": 1}
    result = eh.score(annotation, annotation, task="relations")
    assert "system doc: 1 span quotes a text that it does not cover; offsets count (--quotes note)." in result.notes


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("R1\tleft Arg1:T1 Arg2:T9", "no line defines T9; add a line that starts with it, or fix the argument"),
        ("R1\tleft Arg1:E7 Arg2:T1", "no line defines E7"),
        ("R1\tleft Arg1:T1", "'R1\\tleft Arg1:T1' is not a relation with a type and two arguments; write identifier"),
        ("R1\tleft Arg1:T1 Arg2:T2 Arg3:T3", "is not a relation with a type and two arguments"),
        ("R\tleft Arg1:T1", "'R\\tleft Arg1:T1' is not a relation with a type and two arguments"),
        ("R left Arg1:T1 Arg2:T2", "is not a relation with a type and two arguments"),
        ("T\tPER 0 3\tAda", "is not an annotation of brat"),
        ("R1\tArg1:T1 Arg2:T2", "is not a relation with a type and two arguments"),
        ("*\tsame-as T1", "'*\\tsame-as T1' is not an equivalence of several spans"),
        ("*\tsame-as T1 T9", "no line defines T9"),
        ("E1\tMove", "'E1\\tMove' is not an event with a trigger"),
        ("E1\tMove:T9 Who:T1", "no line defines T9"),
        ("E1\tMove:T1 Who:T9", "no line defines T9"),
        ("T1\tPER 0 3\tAda\nR1\tleft Arg1:T1 Arg2:T2", "the identifier T1 is also used in line 1"),
    ],
)
def test_bad_lines_of_brat(write: Write, line: str, sentence: str) -> None:
    path = brat(write, f"{ANN}{line}\n")
    outcome = CliRunner().invoke(main, ["score", str(path), str(path), "--task", "relations"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert outcome.stderr.startswith(f"evenhand: {path}:4: ")
    assert sentence in outcome.stderr


def test_spans_alone_skip_relations(write: Write) -> None:
    path = brat(write, ANN + "R1\tleft Arg1:T1\n*\tsame-as T1 T9\n")
    assert eh.read(path).readings["spans"].skipped == {"relations": 1, "equivalences": 1}


def test_a_span_over_two_lines(write: Write) -> None:
    path = brat(write, "T1\tX 9 19\tLondon for\n")
    with pytest.raises(InputError, match=r":1: the span at 9 19 extends past the end of its line; fix its offsets, or"):
        eh.read(path, task="relations", sentences="lines")


def test_parts_of_text_and_tokens_are_not_compared(write: Write) -> None:
    gold = brat(write, "T1\tPER 0 3\tAda\n", "Ada left New York")
    system = write("x.json", [RECORD])
    assert eh.score(gold, system, task="relations")["strict"].overall["TP"] == 0
    with pytest.raises(
        SettingError, match="ehealthkd compares the parts of entities as files list them; use files with text offsets"
    ):
        eh.score(gold, system, task="relations", match="ehealthkd")


# JSON

RECORD: dict[str, Any] = {
    "tokens": ["Ada", "left", "New", "York"],
    "entities": [{"type": "PER", "start": 0, "end": 1}, {"type": "LOC", "start": 2, "end": 4}],
    "relations": [{"type": "left", "head": 0, "tail": 1}],
}
LEFT = [("left", (0, (0,), "PER"), (0, (2, 3), "LOC"))]


@pytest.mark.parametrize(
    "content",
    [[RECORD], {"test": [RECORD]}, json.dumps(RECORD) + "\n", f" \n[\n{json.dumps(RECORD)}\n]\n"],
    ids=["list", "splits", "line", "lines of a list"],
)
def test_records_of_spert(write: Write, content: object) -> None:
    annotation = eh.read(write("x.json", content))
    assert annotation.readings["relations"].format == "spert"
    assert facts(annotation) == LEFT


def test_a_record_without_tokens_does_not_move_the_lines_of_others(write: Write) -> None:
    records = [{"tokens": tokens, "spans": [], "relations": []} for tokens in ([], ["Ada", "left"])]
    corpus = eh.read(write("x.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))).corpus
    assert [corpus.line(0), corpus.line(1)] == [2, 2]


def test_splits_of_spert_are_named(write: Write) -> None:
    path = write("x.json", {"train": [RECORD, RECORD], "test": [RECORD]})
    with pytest.raises(InputError, match="the file has the lists 'train', 'test'; specify one of them with --column"):
        eh.read(path)
    assert len(facts(eh.read(path, column="train"))) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"relations": [{"type": "r", "head": 2, "tail": 0}]}, "the head 2 of a relation 'r' is not an index of its"),
        (
            {"relations": [{"type": "r", "head": 0, "tail": -1}]},
            "the tail -1 of a relation 'r' is not an index of its",
        ),
        ({"entities": [{"type": "r", "start": 3, "end": 5}]}, "the span [3, 5] 'r' ends after the tokens"),
        ({"entities": [{"type": "r", "start": 3, "end": 3}]}, "the span [3, 3] 'r' covers nothing"),
        ({"entities": [{"start": 3, "end": 3}]}, "has no 'type'"),
        ({"tokens": "Ada left"}, "expected a list for tokens, got a string"),
    ],
)
def test_bad_records_of_spert(write: Write, change: dict[str, Any], sentence: str) -> None:
    path = write("x.json", f"[{json.dumps(RECORD)},\n{json.dumps(RECORD | {'relations': []} | change)}]")
    outcome = CliRunner().invoke(main, ["score", str(path), str(path), "--task", "relations", "--format", "spert"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert outcome.stderr.startswith(f"evenhand: {path}:2: ")
    assert sentence in outcome.stderr


DOCUMENT: dict[str, Any] = {
    "doc_key": "d",
    "sentences": [["Ada", "left", "New", "York"], ["She", "slept"]],
    "ner": [[[0, 0, "PER"], [2, 3, "LOC", 0.7]], [[4, 4, "PER"], [4, 4, "X"]]],
    "relations": [[[0, 0, 2, 3, "left", 1.5, 0.9]], [[4, 4, 5, 5, "does"]]],
}


def test_documents_of_dygie(write: Write) -> None:
    """An argument has the label of the first entity with its bounds, or `_`."""
    annotation = eh.read(write("x.jsonl", json.dumps(DOCUMENT) + "\n"))
    assert annotation.readings["relations"].format == "dygie"
    assert facts(annotation) == [*LEFT, ("does", (1, (0,), "PER"), (1, (1,), "_"))]
    assert annotation.corpus.names == ("d",)


def test_predictions_of_dygie_are_the_systems(write: Write) -> None:
    both = DOCUMENT | {"predicted_ner": [[[0, 0, "PER"]], []], "predicted_relations": [[], []]}
    path = write("x.jsonl", json.dumps(both) + "\n")
    result = eh.score(path, path, match="strict")
    assert [result["strict"].overall[kind] for kind in ("TP", "FP", "FN")] == [0, 0, 2]
    named = eh.score(path, path, match="strict", column="relations")
    assert named["strict"].f1 == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ner": [[]]}, "got 1 list of ner for 2 sentences; write one list per sentence"),
        ({"ner": [[[0, 0]], []]}, "[0, 0] is not an entry of ner; write entities as [first token, last token, label]"),
        (
            {"relations": [[[0, 0, 2, 9, "left"]], []]},
            "[0, 0, 2, 9, 'left'] is outside the document, which has 6 tokens",
        ),
        ({"relations": [[[0, 0, 2, "left"]], []]}, "[0, 0, 2, 'left'] is not an entry of relations"),
        ({"ner": [[[3, 4, "X"]], []]}, "the span [3, 4] extends past the end of its sentence; fix its tokens"),
        ({"ner": None, "relations": None}, "the document has neither ner nor relations"),
    ],
)
def test_bad_documents_of_dygie(write: Write, change: dict[str, Any], sentence: str) -> None:
    path = write("x.jsonl", "".join(json.dumps(each) + "\n" for each in (DOCUMENT, DOCUMENT | change)))
    found = CliRunner().invoke(main, ["score", str(path), str(path), "--task", "relations"])
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert found.stderr.startswith(f"evenhand: {path}:2: {sentence}")


def test_other_numbers_of_tokens_are_an_error(write: Write) -> None:
    gold = write("gold.json", [RECORD])
    system = write("system.json", [RECORD | {"tokens": ["Ada", "left", "New", "York", "."]}])
    with pytest.raises(InputError, match=r"system.json:1: found the token '\.' after the end of the gold standard"):
        eh.score(gold, system)


OWN: dict[str, Any] = {
    "tokens": ["Ada", "left", "New", "York"],
    "spans": [
        {"id": "a", "start": 0, "end": 1, "label": "PER"},
        {"id": 2, "start": 2, "end": 4, "label": "LOC"},
    ],
    "relations": [{"head": "a", "tail": 2, "label": "left"}],
}


def test_lines_of_our_own(write: Write) -> None:
    annotation = eh.read(write("x.jsonl", json.dumps(OWN) + "\n"))
    assert annotation.readings["relations"].format == "relation-jsonl"
    assert facts(annotation) == LEFT
    marked = OWN | {"relations": [{**OWN["relations"][0], "symmetric": True}]}
    layer = eh.read(write("y.jsonl", json.dumps(marked)))["relations"]
    assert isinstance(layer, Relations)
    assert layer.symmetric == {"left"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"relations": [{"head": "a", "tail": "b", "label": "left"}]},
            "a relation 'left' refers to the span 'b', which its record does not have",
        ),
        ({"text": "Ada"}, "the record has both of text and tokens; write one of them"),
        ({"tokens": None}, "the record has neither of text and tokens; write one of them"),
        ({"spans": [{**OWN["spans"][0], "id": 2}, OWN["spans"][1]]}, "two spans have the id 2"),
    ],
)
def test_bad_lines_of_our_own(write: Write, change: dict[str, Any], sentence: str) -> None:
    path = write("x.jsonl", "".join(json.dumps(each) + "\n" for each in (OWN, OWN | change)))
    with pytest.raises(InputError) as error:
        eh.read(path, task="relations")
    assert str(error.value).startswith(f"{path}:2: {sentence}")


def test_all_problems_of_a_file_are_listed(write: Write) -> None:
    wrong = OWN | {"relations": [{"head": 1, "tail": 3, "label": "r"}, {"head": "a", "tail": 9, "label": "r"}]}
    path = write("x.jsonl", "".join(json.dumps(each) + "\n" for each in (wrong, OWN, wrong)))
    outcome = CliRunner().invoke(main, ["check", str(path), "--task", "relations"])
    assert outcome.exit_code == 1
    assert outcome.stdout.count(": error: a relation 'r' refers to the span ") == 4
    assert outcome.stdout.endswith("relation-jsonl; 3 sentences, 1 relation; problems: record (4)\n")


def test_check_of_relations_against_spans_of_the_same_text(write: Write) -> None:
    """The other file has the text, but no relations whose labels could be compared."""
    relations = write("relations.jsonl", json.dumps(OWN) + "\n")
    for name, text in {
        "spans.jsonl": json.dumps({name: OWN[name] for name in ("tokens", "spans")}) + "\n",
        "tags.conll": "".join(f"{token}\tO\n" for token in OWN["tokens"]),
    }.items():
        found = CliRunner().invoke(main, ["check", str(relations), "--against", str(write(name, text))])
        assert (found.exit_code, found.exception) == (0, None), found.output
        assert found.stdout.endswith("1 sentence, 1 relation; no problems\n")


def test_check_of_lines_against_another_text(write: Write, tmp_path: Path) -> None:
    gold = brat(write, ANN + "R1\tto Arg1:T2 Arg2:T3\n")
    (tmp_path / "short").mkdir()
    (tmp_path / "short" / "doc.txt").write_text("for Turin.\nMore.\n")
    (tmp_path / "short" / "doc.ann").write_text("T1\tLOC 4 9\tTurin\n")
    options = ["--against", str(gold), "--task", "relations", "--sentences", "lines"]
    outcome = CliRunner().invoke(main, ["check", str(tmp_path / "short" / "doc.ann"), *options])
    assert outcome.exit_code == 0
    assert f"warning: the line 1 of {gold} is missing" in outcome.stdout
    assert f"warning: the line 2 is not in {gold}" in outcome.stdout


# Conversion


def converted(annotation: Annotation, name: str, folder: Path) -> Annotation:
    """An annotation that was written in a format, and read again."""
    target = folder / f"out.{name}"
    conversion_of(annotation, target, name, "relations").write(target, lambda: iter([annotation]))
    return eh.read(target, format=name, task="relations")


@pytest.mark.parametrize("name", ["spert", "dygie", "relation-jsonl"])
def test_what_is_written_reads_the_same(write: Write, tmp_path: Path, name: str) -> None:
    annotation = eh.read(write("x.jsonl", json.dumps(DOCUMENT) + "\n"))
    if name == "dygie":  # which cannot say which of two spans with equal bounds is meant, but here it is the first
        assert facts(converted(annotation, name, tmp_path)) == facts(annotation)
        return
    assert facts(converted(annotation, name, tmp_path)) == facts(annotation)


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    spans, links = [], []
    for size in sizes:
        bounds = st.tuples(st.integers(0, size - 1), st.integers(1, 3)).map(lambda each: (each[0], each[0] + each[1]))
        mine = draw(st.lists(bounds, max_size=4, unique=True))
        spans.append([(draw(st.sampled_from("AB")), start, min(end, size)) for start, end in mine if end <= size])
        ends = st.integers(0, max(len(spans[-1]) - 1, 0))
        links.append(draw(st.lists(st.tuples(st.sampled_from("rs"), ends, ends), max_size=3)) if spans[-1] else [])
    tokens = [[f"w{at}" for at in range(size)] for size in sizes]
    return eh.relations(spans, links, tokens=tokens, symmetric=draw(st.sampled_from([(), ("r",)])))


@pytest.mark.parametrize("name", ["spert", "dygie", "relation-jsonl"])
@given(annotation=annotations())
def test_round_trips(tmp_path_factory: pytest.TempPathFactory, annotation: Annotation, name: str) -> None:
    again = converted(annotation, name, tmp_path_factory.mktemp("json"))
    assert sorted(facts(again)) == sorted(facts(annotation))
    if name == "relation-jsonl":
        used = {label for label, *_ in facts(annotation)}
        layers = [each["relations"] for each in (again, annotation)]
        assert layers[0].symmetric == layers[1].symmetric & used  # type: ignore[union-attr]


@given(annotation=annotations())
def test_round_trip_of_brat(tmp_path_factory: pytest.TempPathFactory, annotation: Annotation) -> None:
    folder = tmp_path_factory.mktemp("brat") / "out"
    conversion_of(annotation, folder, "brat", "relations").write(folder, lambda: iter([annotation]))
    again = eh.score(annotation, eh.read(folder, task="relations"), match="strict", task="relations")
    assert again["strict"].overall["FP"] == again["strict"].overall["FN"] == 0


def test_what_other_formats_cannot_carry(write: Write) -> None:
    path = brat(write, "T1\tPER 0 2\tAd\nT2\tLOC 4 8;16 19\tleft for\n*\tsame-as T1 T2\n")
    run = CliRunner().invoke(
        main, ["convert", str(path), str(path.parent / "o.json"), "--to", "spert", "--task", "relations"]
    )
    assert run.exit_code == 2
    assert "spert cannot represent 1 span beginning or ending inside a token, which would grow" in run.stderr
    arguments = ["convert", str(path), str(path.parent / "o.json"), "--to", "spert", "--task", "relations", "--lossy"]
    lossy = CliRunner().invoke(main, arguments)
    assert lossy.exit_code == 0, lossy.stderr
    assert "Lost: 1 span with gaps, which would be filled." in lossy.stderr
    assert "which types are symmetric (specify them with --symmetric)" in lossy.stderr
    tags = CliRunner().invoke(main, ["convert", str(path), str(path.parent / "o.conll"), "--task", "relations"])
    assert "conll cannot represent relations; convert to" in tags.stderr
