"""Tests of many pairs: how many trials they take, so that corrected p-values can be small."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE
from evenhand.api.compare import default_trials
from evenhand.statistics.significance import trials_for


def systems(count: int, sentences: int) -> tuple[eh.Annotation, dict[str, eh.Annotation]]:
    """The first system has all words of 40 sentences right, the second none, and the others all but one."""
    gold = [["A"]] * sentences
    others = {f"s{n}": eh.tags([*gold[:n], ["X"], *gold[n + 1 :]]) for n in range(count - 2)}
    return eh.tags(gold), {"best": eh.tags(gold), "worst": eh.tags([["X"]] * sentences), **others}


def holm(found: eh.Comparison) -> float:
    test = found.pair("best", "worst").significance
    assert test is not None
    return test.p_holm


def test_the_rule() -> None:
    """10,000 for up to 125 pairs, then 80 a pair, 100,000 at most."""
    assert [default_trials(pairs) for pairs in (1, 120, 125, 126, 528, 1250, 4950)] == [
        *(10_000, 10_000, 10_000, 10_080, 42_240, 100_000, 100_000)
    ]
    assert trials_for(4950) == 396_000
    assert trials_for(1, alpha=0.0001) == 40_000


def test_33_systems_can_differ_significantly() -> None:
    """No trial of 42,240 is as extreme: p = 1 / 42,241, and 528 times as much is 0.0125."""
    gold, sides = systems(33, 40)
    found = eh.compare(gold, sides, task="tags", resamples=0)
    assert len(found.pairs) == 528
    assert found.resampling["trials"] == found.to_dict()["resampling"]["trials"] == 42_240
    assert "|trials:42240|" in found.signature
    assert holm(found) == pytest.approx(528 / 42_241)
    assert not [note for note in found.notes if "Holm" in note]


def test_too_few_trials_are_noted() -> None:
    gold, sides = systems(33, 40)
    found = eh.compare(gold, sides, task="tags", resamples=0, trials=10_000)
    assert holm(found) == pytest.approx(528 / 10_001)
    note = "corrected for 528 pairs (Holm), 10,000 trials allow no p-value below 5 %; set --trials to 42240 or compare with one --baseline."
    assert note in found.notes
    along = eh.compare(gold, sides, task="tags", resamples=0, trials=600, sequence=True)
    note = "corrected for 32 pairs (Holm), 600 trials allow no p-value below 5 %; set --trials to 10000."
    assert note in along.notes


def test_too_few_documents_for_many_pairs_are_noted(tmp_path: Path) -> None:
    """Six documents allow p = 2 / 2⁶, and 0.094 for three pairs."""
    for name, tags in (("gold", "AAA"), ("one", "XAA"), ("two", "AXX"), ("three", "XXX")):
        text = "".join(f"-DOCSTART-\tO\n\nw\t{tags[0]}\n\nw\t{tags[1]}\n\nw\t{tags[2]}\n\n" for _ in range(6))
        (tmp_path / f"{name}.tsv").write_text(text)
    gold, *files = (tmp_path / f"{name}.tsv" for name in ("gold", "one", "two", "three"))
    found = eh.compare(gold, files, task="tags", resamples=0, of="documents")
    assert found.pair("one", "two").significance.p == 2 / 2**6  # type: ignore[union-attr]
    note = "corrected for 3 pairs (Holm), so few documents allow no p-value below 5 %; use --of sentences or compare with one --baseline."
    assert note in found.notes
    for of, few in (("sentences", None), (None, 6)):
        found = eh.compare(gold, files, task="tags", resamples=0, of=of)
        assert (found.resampling["of"], found.resampling["few_documents"]) == ("sentences", few)
        assert not [note for note in found.notes if "Holm" in note]


def test_one_pair_with_too_few_trials() -> None:
    files = [EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger")]
    found = eh.compare(files[0], files[1:], trials=10, of="sentences", resamples=0)
    assert "10 trials allow no p-value below 5 %; set --trials to 10000." in found.notes


def test_a_small_alpha_of_a_gate_has_trials_enough() -> None:
    files = [EXAMPLE / f"{name}.conll" for name in ("gold", "tagger", "crf")]
    gate = eh.gate(*files, alpha=0.00005)
    assert gate.to_dict()["test"]["trials"] == 80_000
    assert not gate.passed
