"""The spans of a sentence, as a page draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from build import Row, pairs, rows
from divided import small_blocks
from evenhand.formats.format import FORMATS
from evenhand.tasks.registry import TASKS
from evenhand.tasks.spans.comparison import drawn_spans
from evenhand.tasks.units import SentenceView
from foreign import TOPICS


def drawn(row: Row) -> tuple[int, ...]:
    """Label, start and end behind the last token, then the tokens that are left out."""
    label, first, last, *tokens = row
    inside = tokens[0] if tokens else range(first, last + 1)
    return "ABC".index(label), first - 1, last, *(token - 1 for token in range(first, last + 1) if token not in inside)


@given(st.lists(st.tuples(rows(), rows()), min_size=1, max_size=6))
def test_the_rows_of_every_sentence_and_side(sentences: list[tuple[list[Row], list[Row]]]) -> None:
    labels = [[("A", 1, 1), ("B", 1, 1), ("C", 1, 1)]]
    gold, system = pairs(*([*labels, *(each[side] for each in sentences), *labels] for side in (0, 1)))
    view = SentenceView([drawn_spans(gold), drawn_spans(system)])
    for number, sides in enumerate(sentences, 1):
        assert view.sides(number) == [tuple(map(drawn, side)) for side in sides]


def test_equal_rows_are_one_object() -> None:
    gold, _ = pairs([[("A", 1, 2), ("B", 4, 4)]] * 40, [[]])
    rows_of = drawn_spans(gold)
    assert rows_of(0)[0] is rows_of(39)[0]


# Tasks whose units both sides have, with one label each: here, the topics of sentences


@pytest.fixture(autouse=True)
def topics() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TASKS.__dict__, "_plugins", {"topics": TOPICS})
        yield


def score(gold: str, system: str, **options: str) -> eh.Result:
    """The scores of sentences of one token, each with a topic."""
    sides = (eh.tags([[f"B-{topic}"] for topic in side.split()]) for side in (gold, system))
    return eh.score(*sides, task="topics", **options)


def counts(result: eh.Result) -> dict[str, int]:
    """The verdicts, and how often each occurs; one on two labels is counted for both."""
    all_counts: dict[str, int] = {}
    for (_, _, _, kind), count in result.tallies["labels"].cells().items():
        all_counts[kind] = all_counts.get(kind, 0) + count
    return all_counts


def test_a_label_that_is_not_chosen_is_wrong_and_not_missing() -> None:
    """`--labels` and `--exclude` choose units by the label in the gold standard, as they choose words."""
    chosen = score("A A B", "A B A", labels="A")
    assert counts(chosen) == {"right": 1, "gold.wrong": 1, "system.wrong": 1}
    assert chosen["accuracy"].overall.counts == {"correct": 1, "gold": 2, "system": 2}
    assert chosen["accuracy"].confusion == {"A": {"B": 1}}
    assert not any("no word for" in note for note in chosen.notes)
    others = score("A A B", "A B A", exclude="A")
    assert counts(others) == {"gold.wrong": 1, "system.wrong": 1}
    assert others["accuracy"].overall.counts == {"correct": 0, "gold": 1, "system": 1}


def test_labels_are_chosen_by_their_new_names() -> None:
    assert counts(score("A B C", "A C C", map="B=A", labels="A")) == {"right": 1, "gold.wrong": 1, "system.wrong": 1}


def test_a_comparison_keeps_units_whose_other_label_is_not_chosen() -> None:
    gold, one, two = (eh.tags([[f"B-{topic}"] for topic in side]) for side in ("AAB", "ABB", "AAA"))
    comparison = eh.compare(gold, {"one": one, "two": two}, task="topics", labels="A", trials=10)
    assert comparison.pair("one", "two").corrections.count == 1


def test_no_figure_depends_on_parts(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS["conll"].readers, "topics", FORMATS["conll"].readers["spans"])
    sides = example / "gold.conll", [example / "crf.conll", example / "tagger.conll"]
    options = {"task": "topics", "format": "conll"}
    commands: list[Callable[[], Any]] = [
        partial(eh.score, *sides, **options, labels="LOC,PER"),
        partial(eh.compare, *sides, **options, trials=20, resamples=20),
        partial(eh.report, *sides, **options, trials=0, resamples=0),
    ]
    for command in commands:
        whole = command()
        with small_blocks(200):
            assert command().to_json() == whole.to_json()
