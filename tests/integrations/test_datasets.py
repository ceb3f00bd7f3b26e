"""Hugging Face datasets in memory, with the package itself: wherever a side is given, as `save_to_disk` keeps them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

datasets = pytest.importorskip("datasets")

pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("default")]
NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TOKENS = [["Ada", "Lovelace", "lived"], ["in", "London"], ["Paris"]]
GOLD = [[1, 2, 0], [0, 3], [3]]
PREDICTED = [[1, 0, 0], [0, 3], [0]]


def dataset(**columns: list[list[int]]) -> Any:
    """Tokens and columns of tags that have names."""
    tags = datasets.Sequence(datasets.ClassLabel(names=NAMES))
    features = {"tokens": datasets.Sequence(datasets.Value("string")), **dict.fromkeys(columns, tags)}
    return datasets.Dataset.from_dict({"tokens": TOKENS, **columns}, features=datasets.Features(features))


def test_both_sides_are_datasets() -> None:
    result = eh.score(dataset(ner_tags=GOLD), dataset(ner_tags=PREDICTED))
    assert {kind: result["fair"].overall[kind] for kind in ("TP", "BES", "FN", "FP")} == {
        "TP": 1,
        "BES": 1,
        "FN": 1,
        "FP": 0,
    }
    assert (result.name, result.gold.documents, result.gold.labels) == ("dataset", 3, {"LOC": 2, "PER": 1})


def test_one_side_is_a_dataset() -> None:
    predictions = [[NAMES[tag] for tag in tags] for tags in PREDICTED]
    assert eh.score(dataset(ner_tags=GOLD), eh.tags(predictions))["exact"].overall["TP"] == 1


def test_columns_are_chosen_by_name() -> None:
    both = dataset(ner_tags=GOLD, predicted=PREDICTED)
    columns = {"gold": "ner_tags", "system": "predicted"}
    in_one = eh.score(both, column=columns)
    assert in_one["exact"].overall["TP"] == 1
    assert in_one.to_dict()["systems"] == eh.score(both, {"dataset": both}, column=columns).to_dict()["systems"]
    compared = eh.compare(both, {"system": both, "gold": dataset(predicted=GOLD)}, column=columns)
    assert compared.pair("system", "gold").corrections.count == 2


def test_a_split_is_a_dataset() -> None:
    splits = datasets.DatasetDict(train=dataset(ner_tags=PREDICTED), test=dataset(ner_tags=GOLD))
    assert eh.score(splits["test"], splits["train"])["exact"].overall["TP"] == 1


def test_rows_are_those_that_were_chosen_in_their_order() -> None:
    chosen = dataset(ner_tags=GOLD).select([2, 0]).with_format("numpy")
    result = eh.score(chosen, eh.tags([["B-LOC"], ["B-PER", "I-PER", "O"]]))
    assert (result["exact"].overall["TP"], result["exact"].overall["FN"]) == (2, 0)
    filtered = dataset(ner_tags=GOLD).filter(lambda row: "Paris" not in row["tokens"])
    assert eh.score(filtered, filtered).gold.units == 2


def test_the_figures_are_those_of_the_folder(tmp_path: Path) -> None:
    dataset(ner_tags=GOLD).save_to_disk(tmp_path / "gold")
    dataset(ner_tags=PREDICTED).save_to_disk(tmp_path / "dataset")
    on_disk = eh.score(tmp_path / "gold", tmp_path / "dataset")
    in_memory = eh.score(dataset(ner_tags=GOLD), dataset(ner_tags=PREDICTED))
    assert in_memory.signature == on_disk.signature
    assert in_memory.to_dict()["systems"] == on_disk.to_dict()["systems"]


def test_many_rows_are_read_in_batches() -> None:
    rows = {"tokens": TOKENS * 5_000, "ner_tags": GOLD * 5_000}
    many = datasets.Dataset.from_dict(rows, features=dataset(ner_tags=GOLD).features)
    assert eh.score(many, many).gold.units == 15_000
    shuffled = many.shuffle(seed=1)
    assert eh.score(shuffled, shuffled)["exact"].f1 == 1
    with pytest.raises(eh.InputError, match="the token"):
        eh.score(many, shuffled)


def test_tags_that_spell_no_spans() -> None:
    assert eh.score(dataset(ner_tags=GOLD), dataset(ner_tags=PREDICTED), task="tags")["accuracy"].headline == 4 / 6


def test_spans_of_texts() -> None:
    rows = [{"text": "Ada lived in Paris", "entities": [{"start": 13, "end": 18, "label": "LOC"}]}]
    gold = datasets.Dataset.from_list(rows)
    assert eh.score(gold, gold)["exact"].labels["LOC"].f1 == 1


def test_a_comparison_of_datasets_can_be_pickled() -> None:
    comparison = eh.compare(dataset(ner_tags=GOLD), {"a": dataset(ner_tags=PREDICTED), "b": dataset(ner_tags=GOLD)})
    again = pickle.loads(pickle.dumps(comparison))
    assert [each.words for each in again.pair("a", "b").corrections.units()] == ["Ada Lovelace", "Paris"]


def unnamed() -> Any:
    return datasets.Dataset.from_dict({"tokens": TOKENS, "ner_tags": GOLD})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda gold: eh.score(datasets.DatasetDict(train=gold, test=gold), gold),
            "dataset: has splits (train, test); pass one of them: dataset['train'].",
        ),
        (lambda gold: eh.score(gold, datasets.DatasetDict(test=gold)), "dataset: has splits (test); pass one of them"),
        (
            lambda gold: eh.score(gold.to_iterable_dataset(), gold),
            "dataset: is a stream, which can be read only once; load it without streaming=True.",
        ),
        (lambda gold: eh.score(gold, {"crf": gold.select([])}), "crf: the dataset has no rows"),
        (lambda gold: eh.score(gold, gold, column="pos"), "dataset: no column 'pos' with lists of numbers or strings"),
        (eh.score, "dataset: gold and prediction may be any two of its columns; specify them"),
        (
            lambda gold: eh.score(gold, unnamed()),
            "dataset: the column 'ner_tags' has numbers, and its feature has no names for them; cast it to a list of",
        ),
        (lambda gold: eh.score(gold, dataset(ner_tags=[[1], [0, 0], [0]])), "dataset:1: the number of tokens in this"),
        (eh.docs, "has no documents of spaCy's; give a Doc"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(eh.EvenhandError) as raised:
        call(dataset(ner_tags=GOLD))
    assert message in str(raised.value)
