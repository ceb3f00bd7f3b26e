"""Tests and intervals of a comparison: what is resampled, exact p-values, seeds, and Holm's correction."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.results.comparison import Pair, Significance

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")]
TAGS = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "lexicon", "hmm", "neural")]
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")]


def words(*sentences: str) -> eh.Annotation:
    return eh.tags([sentence.split() for sentence in sentences])


def compared(gold: list[str], a: list[str], b: list[str], **options: object) -> eh.Comparison:
    systems = {"a": words(*a), "b": words(*b)}
    return eh.compare(words(*gold), systems, task="tags", **{"resamples": 100, **options})  # type: ignore[arg-type]


def significance(pair: Pair) -> Significance:
    assert pair.significance is not None
    return pair.significance


def in_documents(*documents: str) -> str:
    """A file of tags, a document a text."""
    bodies = ["".join(f"w\t{tag}\n" for tag in document.split()) for document in documents]
    return "".join(f"-DOCSTART-\tO\n\n{body}\n" for body in bodies)


# The test


def test_five_sentences_that_are_all_better() -> None:
    """As extreme are this outcome and the one with all sentences swapped: p = 2 / 2⁵."""
    found = compared(["A A"] * 5, ["A X"] * 5, ["A A"] * 5)
    test = significance(found.pair("a", "b"))
    assert (test.p, test.least, test.groups, test.trials) == (0.0625, 0.0625, 5, 32)
    assert (test.test, test.exact, found.resampling["of"]) == ("permutation", True, "sentences")
    assert "some systems differ in so few sentences that no p-value can be below 5 %." in found.notes


def test_six_sentences_can_be_significant() -> None:
    found = compared(["A A"] * 6, ["A X"] * 6, ["A A"] * 6)
    assert significance(found.pair("a", "b")).p == 2 / 2**6
    assert not any("p-value" in note for note in found.notes)


def test_sentences_with_equal_counts_do_not_matter() -> None:
    """The systems differ in six of a hundred sentences."""
    found = compared(["A A"] * 100, ["A X"] * 6 + ["A A"] * 94, ["A A"] * 100)
    test = significance(found.pair("a", "b"))
    assert (test.groups, test.p, test.trials) == (6, 2 / 2**6, 64)


def test_more_ways_than_trials_are_drawn() -> None:
    """Of 2²⁰ ways, only two are as extreme: 99 trials find none, and p = 1 / 100."""
    found = compared(["A A"] * 20, ["A X"] * 20, ["A A"] * 20, trials=99)
    test = significance(found.pair("a", "b"))
    assert (test.p, test.trials, test.exact, test.test) == (0.01, 99, False, "approximate-randomization")
    assert test.least == 2**-19


def test_scores_that_are_equal() -> None:
    """One sentence better, one worse: any outcome is as extreme as none."""
    found = compared(["A A", "A A"], ["A X", "A A"], ["A A", "A X"])
    assert (found.pair("a", "b").delta, significance(found.pair("a", "b")).p) == (0, 1)


def test_a_pair_that_is_swapped_has_the_same_p() -> None:
    """Eight sentences better, five worse; the trials are the same, whoever is first."""
    gold, one, other = ["A A"] * 13, ["A X"] * 8 + ["A A"] * 5, ["A A"] * 8 + ["A X"] * 5
    ahead, back = compared(gold, one, other, trials=500), compared(gold, other, one, trials=500)
    assert ahead.pair("a", "b").delta == -back.pair("a", "b").delta == pytest.approx(3 / 26)
    p = significance(ahead.pair("a", "b")).p
    assert p == significance(back.pair("a", "b")).p
    assert p == pytest.approx(0.581, abs=0.1)  # 1 - P(6 or 7 of 13) = 1 - 2 · 1716 / 8192


def test_mcnemar_counts_words() -> None:
    """Six corrections, no new error: p = 2 / 2⁶; with one new error, p = 2 (1 + 7) / 2⁷."""
    assert compared(["A A"] * 6, ["A X"] * 6, ["A A"] * 6).pair("a", "b").mcnemar == pytest.approx(2 / 64)
    mixed = compared(["A A"] * 7, ["A X"] * 6 + ["A A"], ["A A"] * 6 + ["A X"])
    assert mixed.pair("a", "b").mcnemar == pytest.approx(16 / 128)


def test_spans_have_no_mcnemar() -> None:
    found = eh.compare(SPANS[0], SPANS[1:3], trials=50, resamples=0)
    assert found.pair("gazetteer", "crf").mcnemar is None
    assert "mcnemar" not in found.to_dict()["pairs"][0]


# Documents


def test_two_documents(tmp_path: Path) -> None:
    """Both are better: two of four ways are as extreme, and no p can be below 1/2."""
    for name, text in (("gold", "A A"), ("a", "A X"), ("b", "A A")):
        (tmp_path / f"{name}.conll").write_text(in_documents(text, text))
    systems = [tmp_path / "a.conll", tmp_path / "b.conll"]
    found = eh.compare(tmp_path / "gold.conll", systems, task="tags", resamples=100)
    test = significance(found.pair("a", "b"))
    assert (found.gold.documents, found.resampling["of"]) == (2, "documents")
    assert (test.p, test.least, test.groups, test.trials, test.exact) == (0.5, 0.5, 2, 4, True)
    assert (
        "some systems differ in so few documents that no p-value can be below 5 %; use --of sentences." in found.notes
    )
    assert "of:documents" in found.signature


def test_one_document_is_resampled_by_sentences(tmp_path: Path) -> None:
    for name, text in (("gold", "A A"), ("a", "A X"), ("b", "A A")):
        body = "".join("".join(f"w\t{tag}\n" for tag in text.split()) + "\n" for _ in range(6))
        (tmp_path / f"{name}.conll").write_text(f"-DOCSTART-\tO\n\n{body}")
    systems = [tmp_path / "a.conll", tmp_path / "b.conll"]
    found = eh.compare(tmp_path / "gold.conll", systems, task="tags", resamples=100)
    assert (found.gold.documents, found.resampling["of"]) == (1, "sentences")
    assert significance(found.pair("a", "b")).p == 2 / 2**6


def test_eight_documents_of_the_example() -> None:
    """The taggers differ in all of them, always in the same direction: p = 2 / 2⁸."""
    found = eh.compare(SPANS[0], SPANS[2:], resamples=0)
    test = significance(found.pair("crf", "tagger"))
    assert (found.gold.documents, test.groups, test.p) == (8, 8, 2 / 2**8)


# Intervals


def test_an_interval_of_sentences_that_are_all_alike() -> None:
    """One of two words is wrong in all sentences of the first system: no resample is another."""
    for kind in ("percentile", "bca"):
        found = compared(["A A"] * 10, ["A X"] * 10, ["A A"] * 10, interval=kind)
        assert found.pair("a", "b").interval == (0.5, 0.5)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("files", "options"),
    [(SPANS, {}), (SPANS, {"by": "exact"}), (TAGS, {"task": "tags"}), (TREES, {}), (TREES, {"by": "uas"})],
    ids=["fair", "exact", "tags", "las", "uas"],
)
def test_intervals_hold_the_differences(files: list[Path], options: dict, kind: str) -> None:
    found = eh.compare(files[0], files[1:], trials=100, interval=kind, **options)
    for pair in found.pairs.values():
        assert pair.interval is not None
        low, high = pair.interval
        assert low < pair.delta < high
        assert significance(pair).p_holm >= significance(pair).p >= significance(pair).least - 1e-12


def test_a_wider_level_gives_a_wider_interval() -> None:
    narrow, wide = (
        eh.compare(TAGS[0], TAGS[2:], task="tags", trials=0, level=level).pair("hmm", "neural").interval
        for level in (0.5, 0.99)
    )
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_without_trials_and_resamples() -> None:
    found = compared(["A A"], ["A X"], ["A A"], trials=0, resamples=0)
    pair = found.pair("a", "b")
    assert (pair.significance, pair.mcnemar, pair.interval) == (None, None, None)
    assert not {"significance", "mcnemar", "interval"} & set(found.to_dict()["pairs"][0])
    assert "–" in str(found)


# Seeds and several pairs


def figures(seed: int) -> list[tuple[object, ...]]:
    found = eh.compare(TAGS[0], TAGS[1:], task="tags", trials=500, resamples=100, seed=seed)
    return [(significance(pair).p, pair.interval) for pair in found.pairs.values()]


def test_a_seed_gives_the_same_figures_and_another_one_others() -> None:
    assert figures(3) == figures(3)
    assert figures(3) != figures(4)


def test_holm_corrects_for_the_number_of_pairs() -> None:
    """p = 2 / 2⁶ for the better system and 1 for the copy: twice the first, and 1."""
    gold, worse = words(*["A A"] * 6), words(*["A X"] * 6)
    systems = {"old": worse, "new": gold, "copy": worse}
    found = eh.compare(gold, systems, task="tags", baseline="old", resamples=0)
    tests = [significance(found.pair("old", name)) for name in ("new", "copy")]
    assert [test.p for test in tests] == [2 / 64, 1]
    assert [test.p_holm for test in tests] == [4 / 64, 1]
    alone = eh.compare(gold, {"old": worse, "new": gold}, task="tags", resamples=0).pair("old", "new")
    assert significance(alone).p_holm == 2 / 64


def test_the_signature_says_how_figures_came_about() -> None:
    found = compared(["A A"] * 2, ["A X"] * 2, ["A A"] * 2, trials=70, resamples=80, interval="bca", level=0.9, seed=5)
    assert found.signature.endswith("|by:accuracy|of:sentences|trials:70|resamples:80|interval:bca|level:0.9|seed:5")
