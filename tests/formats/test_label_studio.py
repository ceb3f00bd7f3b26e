"""Label Studio: which results count, offsets, what is refused, and writing."""

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

import evenhand as eh
from evenhand.data import from_lists as lists
from evenhand.data.annotation import Annotation
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, Problem, SettingError
from evenhand.formats import label_studio
from evenhand.formats.convert import Conversion
from evenhand.formats.jsonl import LABEL_STUDIO, is_label_studio
from evenhand.formats.read import _MIN_CONFIDENCE as SURE
from evenhand.formats.source import Block, Source
from evenhand.settings import ReadSettings

File = Callable[[Any], Path]
TEXT = "Ada lived in London."
COUNT = "count from 0, with exclusive ends"
OFFSETS = "use offsets into a plain text and a list of labels"
EXPORT = "export the project from Label Studio as JSON"


def write(annotation: Annotation) -> Iterator[str]:
    """What the format's own writer makes of an annotation."""
    text = LABEL_STUDIO.writers["spans"].text
    assert text is not None
    return text(iter([annotation]), Conversion(LABEL_STUDIO, "spans"))


@pytest.fixture
def file(tmp_path: Path) -> File:
    def save(tasks: Any) -> Path:
        """A string is the content as it is."""
        path = tmp_path / "tasks.json"
        path.write_text(tasks if isinstance(tasks, str) else json.dumps(tasks, indent=1))
        return path

    return save


def result(start: Any, end: Any, *labels: str, **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": list(labels), **more}
    return {"id": "x", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def task(*results: Any, text: str = TEXT, key: str = "annotations", **more: Any) -> dict[str, Any]:
    return {"id": 1, "data": {"text": text}, key: [{"id": 2, "result": list(results), **more}]}


def read(path: Path, **settings: Any) -> Annotation:
    (found,) = label_studio.read(Source(path), ReadSettings(**settings), Vocabulary(), {})
    return found


def words(annotation: Annotation) -> list[tuple[str, str]]:
    """Label and covered characters of each span."""
    spans, corpus = annotation.spans(), annotation.corpus
    sets = zip(spans.rows(), spans.token_sets(), strict=True)
    return [
        (label, "".join(corpus.tokens[int(corpus.bounds[scope]) + at] for at in sorted(atoms)))
        for (label, scope, _, _), atoms in sets
    ]


def texts(annotation: Annotation) -> list[str]:
    return [annotation.corpus.text(at) for at in range(annotation.corpus.sentences)]


def skipped(annotation: Annotation) -> dict[str, int]:
    return dict(annotation.readings["spans"].skipped)


def refusal(path: Path, **settings: Any) -> str:
    with pytest.raises(InputError) as error:
        read(path, **settings)
    return str(error.value).removeprefix(str(path.parent) + "/")


def test_tasks_are_documents(file: File) -> None:
    annotation = read(file([task(result(0, 3, "PER", text="Ada")), task(result(13, 19, "LOC"))]))
    assert words(annotation) == [("PER", "Ada"), ("LOC", "London")]
    assert annotation.spans().rows() == [("PER", 0, 0, 3), ("LOC", 1, 10, 16)]
    assert annotation.corpus.atoms == "characters"
    assert annotation.corpus.documents.tolist() == [0, 1]
    assert annotation.corpus.line(0) is None
    assert texts(annotation) == [TEXT, TEXT]
    assert annotation.readings["spans"].format == "label-studio"
    assert skipped(annotation) == {}


def test_predictions_count_where_there_are_no_annotations(file: File) -> None:
    both = {**task(result(0, 3, "PER")), "predictions": [{"result": [result(13, 19, "LOC")]}]}
    only = {**task(result(13, 19, "LOC"), key="predictions"), "annotations": []}
    assert words(read(file([both, only]))) == [("PER", "Ada"), ("LOC", "London")]


def test_the_text_may_be_the_only_string(file: File) -> None:
    other = {"data": {"number": 1, "sentence": TEXT}, "annotations": [{"result": [result(0, 3, "PER")]}]}
    assert words(read(file([other]))) == [("PER", "Ada")]
    named = {"data": {"source": "a book", "text": TEXT}, "annotations": [{"result": [result(0, 3, "PER")]}]}
    assert words(read(file([named]))) == [("PER", "Ada")]


@pytest.mark.parametrize("key", ["was_cancelled", "cancelled"])
def test_cancelled_annotations_are_skipped_and_their_tasks_too_if_there_is_no_other(file: File, key: str) -> None:
    cancelled = {"result": [result(13, 19, "LOC")], key: True}
    kept = {"result": [result(0, 3, "PER")], key: False}
    tasks = [{"data": {"text": TEXT}, "annotations": each} for each in ([cancelled, kept], [cancelled], [kept])]
    annotation = read(file(tasks))
    assert annotation.spans().rows() == [("PER", 0, 0, 3), ("PER", 1, 0, 3)]
    assert annotation.corpus.sentences == 2
    assert skipped(annotation) == {"cancelled annotations": 2}


def test_the_first_annotation_counts(file: File) -> None:
    tasks = [{"data": {"text": TEXT}, "annotations": [{"result": [result(0, 3, f"L{at}")]} for at in range(3)]}]
    annotation = read(file(tasks))
    assert words(annotation) == [("L0", "Ada")]
    assert skipped(annotation) == {"further annotations of a task": 2}


def test_tasks_without_annotations_are_skipped(file: File) -> None:
    annotation = read(file([task(result(0, 3, "PER")), {"data": {"text": TEXT}}, {"data": {}, "annotations": []}]))
    assert annotation.corpus.sentences == 1
    assert skipped(annotation) == {"tasks without annotations": 2}


def test_an_annotation_without_results_is_a_text_without_spans(file: File) -> None:
    annotation = read(file([task()]))
    assert (annotation.corpus.sentences, len(annotation.spans())) == (1, 0)


def test_results_that_are_no_spans_are_skipped(file: File) -> None:
    choice = {"type": "choices", "value": {"choices": ["good"]}}
    relation = {"type": "relation", "from_id": "x", "to_id": "y"}
    annotation = read(file([task(choice, result(0, 3, "PER"), relation)]))
    assert words(annotation) == [("PER", "Ada")]
    assert skipped(annotation) == {"results that are not spans": 2}


def test_several_labels_are_several_spans(file: File) -> None:
    assert words(read(file([task(result(0, 3, "PER", "FEMALE"))]))) == [("PER", "Ada"), ("FEMALE", "Ada")]


def test_offsets_count_code_points_or_utf16_units(file: File) -> None:
    text = "😀 Ada"
    assert words(read(file([task(result(2, 5, "PER", text="Ada"), text=text)]))) == [("PER", "Ada")]
    units = file([task(result(3, 6, "PER", text="Ada"), text=text)])
    assert words(read(units, offsets="utf16")) == [("PER", "Ada")]
    found = read(units)
    assert words(found) == [("PER", "Ada")]
    assert (found.reading.offsets, found.reading.quotes_show) == ("utf16", True)
    assert refusal(units, offsets="codepoints") == (
        "tasks.json: in task 1, 'Ada' is quoted at [3, 6], where the text has 'da'; choose --offsets utf16, which fits."
    )


def test_spaces_of_a_quoted_text_do_not_count(file: File) -> None:
    quoted = result(0, 6, "X", text="Ada\\n L.")
    assert words(read(file([task(quoted, text="Ada\nL.")]))) == [("X", "AdaL.")]


@pytest.mark.parametrize("size", [1, 100, 100_000])
def test_blocks_of_any_size_read_the_same(file: File, size: int) -> None:
    path = file([task(result(0, 3, "PER"), text="Adé 😀"), task(result(13, 19, "LOC"))])
    assert words(read(path, block_size=size)) == [("PER", "Adé"), ("LOC", "London")]


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (task(result("/p[1]/text()[1]", 3, "X")), f"expected a whole number for start, got a string; {OFFSETS}"),
        (task(result(0.5, 3, "X")), f"expected a whole number for start, got a decimal number; {OFFSETS}"),
        (task(result(0, 3, "X", labels="X")), f"expected a list for labels, got a string; {OFFSETS}"),
        (task(result(0, 3)), "the span [0, 3] has no label; add its label"),
        (task(result(0, 3, "")), "the span [0, 3] '' has an empty label; add its label"),
        (task(result(0, 21, "X")), f"the span [0, 21] 'X' ends after its text, which has 20 characters; {COUNT}"),
        (task(result(3, 3, "X")), f"the span [3, 3] 'X' covers nothing; {COUNT}"),
        (task(result(3, 4, "X")), "the span [3, 4] 'X' covers only spaces; fix its offsets, or remove it"),
        (task(result(2, 5, "X", text="Ada")), "'Ada' is quoted at [2, 5], where the text has 'a l'; fix the offsets"),
        (
            {"data": {"a": "b", "c": "d"}, "annotations": [{"result": []}]},
            "data has no text, and 2 other strings that could be it; put the text under the key text",
        ),
        (
            {"data": {"a": 1}, "annotations": [{"result": []}]},
            "data has no text, and no other strings that could be it; put the text under the key text",
        ),
        ({"text": TEXT, "label": []}, f"the task has no 'data'; {EXPORT}"),
        ({"data": {}, "annotations": {}}, f"expected a list for annotations, got an object; {EXPORT}"),
        ({"data": {}, "annotations": [{"id": 1}]}, f"annotations[0] has no 'result'; {EXPORT}"),
    ],
)
def test_tasks_that_cannot_be_read(file: File, bad: Any, sentence: str) -> None:
    assert refusal(file([task(), task(key="none"), bad])) == f"tasks.json: in task 3, {sentence}."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"data": {}', f"the file is not a JSON list of tasks (input data was truncated); {EXPORT}"),
        ('{"data": {}}', f"the file is not a JSON list of tasks (it is an object); {EXPORT}"),
        ("[]", f"the file has no annotated tasks; {EXPORT}"),
        ("", "the file is empty; check how it was written"),
    ],
)
def test_files_that_cannot_be_read(file: File, content: str, sentence: str) -> None:
    assert refusal(file(content)) == f"tasks.json: {sentence}."


def test_a_check_collects_every_problem(file: File) -> None:
    problems: list[Problem] = []
    path = file([task(result(0, 99, "X"), result("a", 1, "X")), task(result(0, 3, "PER"), result(3, 3, "X"))])
    (found,) = label_studio.read(Source(path, problems), ReadSettings(), Vocabulary(), {})
    assert len(problems) == 3
    assert words(found) == [("PER", "Ada")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"id": 1, "annotations": [{"id": 2, "result": [', True),
        ('\n[\n {\n  "data": {"text": "a"}}]\n', True),
        ('[{"data": {}, "predictions": []}]', True),
        ('{"data": "a", "label": []}\n', False),
        ('[["data"]]\n', False),
        ('[{"text": "a"}]\n', False),
        ("[\tO\n{\tO\n", False),
    ],
)
def test_recognised_by_its_beginning(text: str, expected: bool) -> None:
    data = text.encode()
    assert (is_label_studio(Block(data + bytes(8), len(data), 1)) >= SURE) is expected


def test_written_tasks(file: File) -> None:
    annotation = read(file([task(result(13, 19, "LOC")), task(text="é")]))
    assert json.loads("".join(write(annotation))) == [
        {
            "data": {"text": TEXT},
            "annotations": [
                {
                    "result": [
                        {
                            "from_name": "label",
                            "to_name": "text",
                            "type": "labels",
                            "value": {"start": 13, "end": 19, "text": "London", "labels": ["LOC"]},
                        }
                    ]
                }
            ],
        },
        {"data": {"text": "é"}, "annotations": [{"result": []}]},
    ]


def test_tokens_are_written_as_a_text_with_spaces(file: File) -> None:
    annotation = lists.tags([["B-PER", "I-PER", "O"]], tokens=[["Ada", "Lovelace", "ran"]])
    again = read(file("".join(write(annotation))))
    assert texts(again) == ["Ada Lovelace ran"]
    assert words(again) == [("PER", "AdaLovelace")]


def test_nothing_is_written_without_a_text() -> None:
    with pytest.raises(SettingError) as error:
        list(Conversion(LABEL_STUDIO, "spans").texts(iter([eh.spans([[("PER", 0, 1)]])])))
    assert str(error.value) == "spans has no text, which label-studio needs; convert to spans instead."


TEXTS = st.lists(st.text(st.sampled_from('ab é\n"\\n😀漢\u3000'), max_size=12), min_size=1, max_size=4)


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    """Texts with any spans, also with gaps and on levels, in any order."""
    atoms = Texts.of(draw(TEXTS))
    vocabulary, rows = Vocabulary(), []
    for scope, (first, behind) in enumerate(pairwise(atoms.bounds.tolist())):
        for _ in range(draw(st.integers(0, 3)) if behind > first else 0):
            covered = sorted(draw(st.sets(st.integers(0, behind - first - 1), min_size=1)))
            gaps = tuple(at - covered[0] for at in range(covered[0], covered[-1]) if at not in covered)
            label = vocabulary.labels.code(draw(st.sampled_from(["PER", "a b", "Ä"])))
            shape, level = vocabulary.shapes.code(gaps), draw(st.integers(0, 2))
            rows.append((scope, covered[0], covered[-1] + 1, label, level, shape))
    spans = Spans(vocabulary, *np.array(rows, dtype=np.int64).reshape(-1, 6).T)
    corpus = Corpus("texts", len(atoms.raw) - 1, atoms.bounds, atoms.tokens, atoms="characters", raw=atoms.raw)
    return Annotation(corpus, {"spans": spans})


@given(annotations())
def test_what_is_written_reads_the_same(tmp_path_factory: pytest.TempPathFactory, annotation: Annotation) -> None:
    path = tmp_path_factory.mktemp("written") / "tasks.json"
    path.write_bytes("".join(write(annotation)).encode())
    again = read(path)
    assert texts(again) == texts(annotation)
    assert again.spans().rows() == annotation.spans().rows()
    assert again.spans().token_sets() == annotation.spans().token_sets()
    assert again.spans().level.tolist() == annotation.spans().level.tolist()
