"""seqeval's names: signatures, entities, warnings and errors; the values are in tests/conformance."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

from evenhand.integrations import seqeval
from evenhand.integrations.seqeval import (
    IOB2,
    IOBES,
    UndefinedMetricWarning,
    accuracy_score,
    classification_report,
    f1_score,
    get_entities,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)

TRUE = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"]]
PREDICTED = [["B-PER", "I-PER", "O", "B-ORG"], ["O", "B-ORG"]]


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        (["B-PER", "I-PER", "O", "B-LOC"], [("PER", 0, 1), ("LOC", 3, 3)]),
        ([["B-PER"], ["I-PER", "O"]], [("PER", 0, 0), ("PER", 2, 2)]),
        (["I-PER", "I-LOC", "B-LOC"], [("PER", 0, 0), ("LOC", 1, 1), ("LOC", 2, 2)]),
        (["B", "I", "O"], [("_", 0, 1)]),
        (["B-creative-work", "I-creative-work"], [("creative-work", 0, 1)]),
        ([], []),
    ],
)
def test_entities(tags: list[Any], found: list[tuple[str, int, int]]) -> None:
    """A list of sentences is counted through, with one place more behind each, as seqeval does."""
    assert get_entities(tags) == found


def test_suffixes() -> None:
    assert get_entities(["PER-B", "PER-I", "O", "A-B-B"], suffix=True) == [("PER", 0, 1), ("A-B", 3, 3)]


@pytest.mark.filterwarnings("ignore")
def test_a_chunk_that_began_nowhere_begins_at_the_first_token() -> None:
    """L is an unknown letter without mode="strict": behind O it begins nothing, and yet it ends."""
    assert get_entities(["O", "L", "B-X"]) == [("_", 0, 1), ("X", 2, 2)]


def test_a_scheme_counts_in_strict_mode_only() -> None:
    true, predicted = [["B-PER", "I-PER"]], [["I-PER", "I-PER"]]
    assert f1_score(true, predicted, scheme=IOB2) == 1.0
    assert f1_score(true, predicted, mode="strict", scheme=IOB2, zero_division=0) == 0.0
    assert f1_score(true, predicted, mode="strict", zero_division=0) == 1.0


def test_a_report_in_strict_mode_recognises_the_scheme() -> None:
    report = classification_report([["S-PER"]], [["S-PER"]], mode="strict", output_dict=True)
    assert report == classification_report([["S-PER"]], [["S-PER"]], mode="strict", scheme=IOBES, output_dict=True)
    with pytest.raises(ValueError, match="has the prefixes 'I', 'O'; specify one with scheme="):
        classification_report([["I-PER", "O"]], [["I-PER", "O"]], mode="strict")
    with pytest.raises(ValueError, match="has the prefixes '3'; specify one with scheme="):
        classification_report([[3]], [[3]], mode="strict")  # type: ignore[list-item]


def test_the_table() -> None:
    assert classification_report(TRUE, PREDICTED, zero_division=0) == (
        "              precision    recall  f1-score   support\n"
        "\n"
        "         LOC       0.00      0.00      0.00         1\n"
        "         ORG       0.50      1.00      0.67         1\n"
        "         PER       1.00      1.00      1.00         1\n"
        "\n"
        "   micro avg       0.67      0.67      0.67         3\n"
        "   macro avg       0.50      0.67      0.56         3\n"
        "weighted avg       0.50      0.67      0.56         3\n"
    )


def test_f_beta() -> None:
    precision, recall, f_half, support = precision_recall_fscore_support(TRUE, PREDICTED, average="micro", beta=0.5)
    assert (precision, recall, support) == (2 / 3, 2 / 3, 3)
    assert f_half == pytest.approx(2 / 3)
    *_, f_infinite, _ = precision_recall_fscore_support(
        [["B-X", "B-X"]], [["B-X", "O"]], average="micro", beta=float("inf")
    )
    assert f_infinite == 0.5


@pytest.mark.parametrize("function", [f1_score, precision_score, recall_score])
def test_arguments_are_seqeval_s(function: Any) -> None:
    names = ["y_true", "y_pred", "average", "suffix", "mode", "sample_weight", "zero_division", "scheme"]
    assert list(inspect.signature(function).parameters) == names
    assert function.__name__ in seqeval.__all__
    assert function.__doc__


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (precision_score, r"Precision is 0/0 without predicted entities and set to 0; set zero_division to 0 or 1"),
        (recall_score, None),
        (f1_score, None),
        (classification_report, "Precision and F-score are 0/0 without predicted entities"),
    ],
)
def test_what_cannot_be_divided_is_a_warning(function: Any, message: str | None) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function([["B-X"]], [["O"]])
    assert {each.category for each in caught} == ({UndefinedMetricWarning} if message else set())
    assert all(str(each.message).startswith(message or "") for each in caught)
    assert all(each.filename == __file__ for each in caught)


def test_f1_warns_where_both_are_undefined() -> None:
    with pytest.warns(UndefinedMetricWarning, match="F-score is 0/0 without any entities"):
        assert f1_score([["O"]], [["O"]]) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f1_score([["O"]], [["O"]], zero_division=1) == 1.0


def test_a_tag_that_looks_like_none_is_a_warning_once() -> None:
    with pytest.warns(UserWarning, match="PER") as caught:
        get_entities(["PER", "PER", "O", "B", "S-X"])
    assert [str(each.message) for each in caught] == ["'PER' does not look like a tag of an entity."]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("true", "predicted", "options", "error", "sentence"),
    [
        ([["O"]], [["O"], ["O"]], {}, ValueError, "Got 1 sentence in y_true, 2 in y_pred."),
        ([["O"], ["O"]], [["O"], []], {}, ValueError, "Sentence 2 has 1 tag in y_true, 0 in y_pred."),
        (["O"], ["O"], {}, TypeError, "must be lists with a list of tags for each sentence"),
        ([("O",)], [("O",)], {}, TypeError, "must be lists with a list of tags for each sentence"),
        ([], [], {}, TypeError, "must be lists with a list of tags for each sentence"),
        ([[""]], [["O"]], {}, ValueError, "Expected a tag such as 'B-PER' or 'O', got ''"),
        ([[3]], [["O"]], {}, ValueError, "Expected a tag such as 'B-PER' or 'O', got 3"),
        (
            [["X-PER"]],
            [["O"]],
            {"mode": "strict", "scheme": IOB2},
            ValueError,
            "not in IOB2, whose prefixes are I, O, B",
        ),
        ([["O"]], [["O"]], {"average": "samples"}, ValueError, "average is 'samples'; choose one of None, 'micro'"),
        ([["O"]], [["O"]], {"sample_weight": [1]}, ValueError, "sample_weight has no effect on scores of entities"),
    ],
)
def test_errors(true: Any, predicted: Any, options: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        f1_score(true, predicted, **options)


def test_weights_are_refused_in_reports() -> None:
    with pytest.raises(ValueError, match="sample_weight has no effect"):
        classification_report(TRUE, PREDICTED, sample_weight=[1, 2])  # type: ignore[arg-type]


def test_negative_beta() -> None:
    with pytest.raises(ValueError, match="beta is -1"):
        precision_recall_fscore_support(TRUE, PREDICTED, beta=-1)


def test_accuracy_of_one_sentence_and_of_many() -> None:
    assert accuracy_score(TRUE, PREDICTED) == 5 / 6
    assert accuracy_score(TRUE[0], PREDICTED[0]) == 3 / 4


def test_many_different_tags() -> None:
    """More tags than have codes of one byte."""
    true = [[f"B-{number}" for number in range(300)], ["B-1", "I-1", "O"]]
    predicted = [list(true[0]), ["B-1", "O", "O"]]
    assert f1_score(true, predicted) == pytest.approx(2 * 300 / (301 + 301))
