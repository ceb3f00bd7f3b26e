"""Spans of a system that go on behind the end of a portion: tokens count where they are, wherever portions end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from declared import run_of, score_settings
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary

WORDS = [["a", "b", "c"], ["d", "e"], ["f", "g", "h"], ["i"]]
ALL = [[word for sentence in WORDS for word in sentence]]
TAGS = ["O", "B-X", "I-X", "B-Y", "I-Y"]
MODELS = ("exact", "fair", "ts", "t", "overlap", "accuracy")


def tallies(
    gold: list[list[str]], system: list[str], monkeypatch: pytest.MonkeyPatch, portion: int, **options: object
) -> dict[str, object]:
    """The counts of all judges; the gold standard comes a sentence at a time, the system as one sentence."""
    monkeypatch.setattr(import_module("evenhand.tasks.spans.evaluation"), "PORTION", portion)
    golds = [eh.tags([tags], tokens=[words], encoding="iob2") for tags, words in zip(gold, WORDS, strict=True)]
    bioes = eh.tags([system], tokens=ALL, encoding="iob2")
    batch = Annotation(bioes.corpus, {"spans": bioes.spans()}, bioes.readings)
    vocabulary = Vocabulary()
    systems = {"s": lambda reference: iter([batch])}
    run = run_of(lambda: _read(golds, vocabulary), systems, score_settings("spans", MODELS, **options), vocabulary)
    return {
        judge: {
            kind: count for kind, count in zip(tally.kinds, tally.by_label().overall.tolist(), strict=True) if count
        }
        for judge, tally in run.tallies["s"].items()
    }


def _read(golds: list[Annotation], vocabulary: Vocabulary) -> Iterator[Annotation]:
    for gold in golds:
        yield Annotation(gold.corpus, {"spans": gold.spans().into(vocabulary)}, gold.readings)


@given(st.lists(st.sampled_from(TAGS), min_size=9, max_size=9), st.lists(st.sampled_from(TAGS), min_size=9, max_size=9))
def test_counts_do_not_depend_on_portions(gold: list[str], system: list[str]) -> None:
    rest = iter(gold)
    sentences = [[next(rest) for _ in words] for words in WORDS]
    with pytest.MonkeyPatch.context() as patch:
        assert tallies(sentences, system, patch, 0) == tallies(sentences, system, patch, 1000)


@given(st.lists(st.sampled_from(TAGS), min_size=9, max_size=9), st.lists(st.sampled_from(TAGS), min_size=9, max_size=9))
def test_counts_with_unclear_spans_do_not_depend_on_portions(gold: list[str], system: list[str]) -> None:
    """A system span that is left out has no tokens in later portions either."""
    rest = iter(gold)
    sentences = [[next(rest) for _ in words] for words in WORDS]
    rows = eh.tags(sentences, encoding="iob2").spans().rows()
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        path = Path(folder, "overrides.jsonl")
        lines = [
            {"sentence": scope + 1, "start": start, "end": end, "label": label, "verdict": "unclear"}
            for label, scope, start, end in rows[::2]
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        small, large = (tallies(sentences, system, patch, portion, overrides=path) for portion in (0, 1000))
    assert small == large


def test_a_span_over_three_portions() -> None:
    sentences = [["O"] * len(words) for words in WORDS]
    with pytest.MonkeyPatch.context() as patch:
        found = tallies(sentences, ["O", "O", "B-X", "I-X", "I-X", "I-X", "O", "O", "O"], patch, 0)
    assert found["units"] == {"token.FP": 4, "separator.FP": 3}


def test_a_text_that_is_longer_under_alignment_by_characters(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada\tB-PER\nin\tO\nLondon\tB-LOC\n")
    (tmp_path / "system.conll").write_text("Ada\tB-PER\nin\tO\nLondonLondon\tB-LOC\n")
    with pytest.raises(
        eh.InputError, match=r"system\.conll:3: found the character 'L' behind the end of the gold standard"
    ):
        eh.score(tmp_path / "gold.conll", tmp_path / "system.conll", align="characters", match="ts,t")
