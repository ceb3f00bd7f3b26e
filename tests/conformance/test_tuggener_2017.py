"""Tuggener 2017: the overlap of answers (Tables 1 and 2), the classes of differences (Algorithm 1), the oracle."""

from __future__ import annotations

import pytest

import evenhand as eh


def tags(*sentences: str) -> eh.Annotation:
    return eh.tags([sentence.split() for sentence in sentences], encoding="plain")


def compared(gold: str, **systems: str) -> eh.Comparison:
    named = {name: tags(answers) for name, answers in systems.items()}
    return eh.compare(tags(gold), named, task="tags", trials=0, resamples=0)


def three() -> eh.Comparison:
    """The responses of Table 2: S2 and S3 share the error Z, S1 and S2 share none."""
    return compared("A B C D E", S1="A B C X Y", S2="Z B C D V", S3="Z W C D E")


def test_equal_accuracy_and_nothing_in_common() -> None:
    """Section 1.1: one solves A and B, the other C and D."""
    comparison = compared("A B C D", S1="A B X X", S2="Y Y C D")
    assert comparison.scores == {"S1": 0.5, "S2": 0.5}
    assert comparison.pair("S1", "S2").difference == 1
    assert (comparison.all_answers[0, 1], comparison.correct_answers[0, 1]) == (0, 0)


def test_table_1_overlap_of_correct_answers() -> None:
    systems = three()
    assert systems.scores == {"S1": 0.6, "S2": 0.6, "S3": 0.6}
    s1, s2, s3 = range(3)
    assert systems.correct_answers[s1, s2] == pytest.approx(2 / 3)
    assert systems.correct_answers[s2, s3] == pytest.approx(2 / 3)
    assert systems.correct_answers[s1, s3] == pytest.approx(1 / 3)


def test_table_2_overlap_of_all_answers() -> None:
    s1, s2, s3 = range(3)
    overlap = three().all_answers
    assert (overlap[s1, s2], overlap[s2, s3], overlap[s1, s3]) == (0.4, 0.6, 0.2)
    assert (overlap == overlap.T).all()
    assert overlap.diagonal().tolist() == [1, 1, 1]


def test_equation_1_is_the_complement_of_the_overlap() -> None:
    """And of the accuracy of one response with the other as the key."""
    systems = three()
    assert systems.pair("S1", "S2").difference == pytest.approx(0.6)
    assert systems.pair("S2", "S3").difference == pytest.approx(0.4)
    assert systems.pair("S1", "S3").difference == pytest.approx(0.8)
    assert eh.score(tags("A B C X Y"), tags("Z B C D V"), task="tags")["accuracy"].headline == pytest.approx(1 - 0.6)


def test_the_smallest_difference_of_scores_may_be_the_largest_of_responses() -> None:
    """As in Table 7: the answers differ most where the scores do not differ at all."""
    found = compared("A B C D", S1="A B X X", S2="Y Y C D", S3="A X X X")
    assert (found.pair("S1", "S2").delta, found.pair("S1", "S2").difference) == (0, 1)
    assert (found.pair("S1", "S3").delta, found.pair("S1", "S3").difference) == (-0.25, 0.25)


GOLD, BEFORE, AFTER = "NN NE NE VV VV ADV ADJ NN", "NN NN NN VV ADJ ADV ADV NN", "NN NE NE NN ADV ADJ NN NN"


def test_algorithm_1() -> None:
    """Six of eight labels differ: two are corrections, two new errors, two changed errors."""
    pair = compared(GOLD, old=BEFORE, new=AFTER).pair("old", "new")
    assert (pair.size, pair.different, pair.difference) == (8, 6, 0.75)
    assert [each.count for each in pair.classes.values()] == [2, 2, 2]
    rows = {
        name: [(each.gold, each.before, each.after, each.count) for each in found.transitions]
        for name, found in pair.classes.items()
    }
    assert rows == {
        "correction": [("NE", "NN", "NE", 2)],
        "new_error": [("ADV", "ADV", "ADJ", 1), ("VV", "VV", "NN", 1)],
        "changed_error": [("ADJ", "ADV", "NN", 1), ("VV", "ADJ", "ADV", 1)],
    }


def test_shares_of_the_class_and_of_all_differences() -> None:
    """Table 4 gives the first, Table 8 the second."""
    pair = compared(GOLD, old=BEFORE, new=AFTER).pair("old", "new")
    (correction,), (error, _) = pair.corrections.transitions, pair.new_errors.transitions
    assert (correction.share_of_class, correction.share_of_differences) == (1, pytest.approx(2 / 6))
    assert (error.share_of_class, error.share_of_differences) == (0.5, pytest.approx(1 / 6))
    assert [each.share for each in pair.classes.values()] == pytest.approx([1 / 3, 1 / 3, 1 / 3])


def test_roles_that_are_inverted_swap_corrections_and_new_errors() -> None:
    """Footnote 8: the percentages stay what they are."""
    back = compared(GOLD, new=AFTER, old=BEFORE).pair("new", "old")
    assert (back.difference, back.corrections.count, back.new_errors.count) == (0.75, 2, 2)
    assert [(each.before, each.after) for each in back.new_errors.transitions] == [("NE", "NN")]
    assert [(each.before, each.after) for each in back.corrections.transitions] == [("ADJ", "ADV"), ("NN", "VV")]
    assert [(each.gold, each.before, each.after) for each in back.changed_errors.transitions] == [
        ("ADJ", "NN", "ADV"),
        ("VV", "ADV", "ADJ"),
    ]


def test_table_8_for_spans() -> None:
    """The same with verdicts: fn to tp and fp to tn are corrections, tp to fn and tn to fp new errors."""

    def spans(*found: tuple[str, int, int]) -> eh.Annotation:
        return eh.spans([found], end="exclusive", lengths=[10])

    gold = spans(("A", 0, 1), ("A", 2, 3))
    old, new = spans(("A", 2, 3), ("A", 4, 5)), spans(("A", 0, 1), ("A", 6, 7))
    pair = eh.compare(gold, {"old": old, "new": new}, trials=0, resamples=0).pair("old", "new")
    assert (pair.size, pair.different) == (4, 4)
    assert [(each.before, each.after) for each in pair.corrections.transitions] == [("FP A", "TN"), ("FN", "TP A")]
    assert [(each.before, each.after) for each in pair.new_errors.transitions] == [("TN", "FP A"), ("TP A", "FN")]


# The oracle


def answers(label: str, first: int, last: int, size: int = 10_000) -> list[str]:
    """A label that is right from one token to another."""
    return [label if first <= token < last else "X" for token in range(size)]


def taggers() -> eh.Comparison:
    """As many right answers in ten thousand as Table 9 has for NN and NE, with the unions that it has."""
    named = {
        "stanford": [answers("NN", 0, 9601), answers("NE", 782, 9517)],
        "tree": [answers("NN", 108, 9955), answers("NE", 0, 7746)],
        "clever": [answers("NN", 0, 9806), answers("NE", 0, 8531)],
    }
    gold = eh.tags([["NN"] * 10_000, ["NE"] * 10_000])
    systems = {name: eh.tags(sentences) for name, sentences in named.items()}
    return eh.compare(gold, systems, task="tags", trials=0, resamples=0)


def test_table_9_gains_are_over_the_system_that_is_best_overall() -> None:
    """NN: 99.55 - 98.06, though the TreeTagger has 98.47; NE: 95.17 - 85.31, though Stanford has 87.35."""
    oracle = taggers().oracle
    assert oracle.best == 2
    nouns, names = oracle.labels["NN"], oracle.labels["NE"]
    assert [round(100 * score, 2) for score in nouns.scores] == [96.01, 98.47, 98.06]
    assert [round(100 * score, 2) for score in names.scores] == [87.35, 77.46, 85.31]
    assert [round(100 * bound.upper_bound, 2) for bound in (nouns, names)] == [99.55, 95.17]
    assert [round(100 * bound.gain(oracle.best), 2) for bound in (nouns, names)] == [1.49, 9.86]


def test_gains_over_the_best_system_of_the_label_are_beside_them() -> None:
    """99.55 - 98.47 and 95.17 - 87.35."""
    comparison = taggers()
    bounds = comparison.to_dict()["oracle"]["labels"]
    assert round(100 * comparison.oracle.labels["NN"].gain_over_best, 2) == 1.08
    assert round(100 * comparison.oracle.labels["NE"].gain_over_best, 2) == 7.82
    assert [round(100 * bounds[label]["gain"], 2) for label in ("NN", "NE")] == [1.49, 9.86]
    assert [round(100 * bounds[label]["gain_over_best"], 2) for label in ("NN", "NE")] == [1.08, 7.82]


def test_the_overall_bound_is_over_all_labels() -> None:
    """(9,955 + 9,517) / 20,000, against (9,806 + 8,531) / 20,000 of the best tagger."""
    overall = taggers().oracle.overall
    assert (overall.units, overall.solved) == (20_000, 19_472)
    assert overall.gain(2) == pytest.approx(0.9736 - 0.91685)
    assert overall.gain_over_best == overall.gain(2)


def test_a_token_is_solved_if_one_system_at_least_is_right() -> None:
    """Section 3: more different outputs have a higher bound."""
    assert compared("A B C D", S1="A B X X", S2="Y Y C D").oracle.overall.upper_bound == 1
    assert compared("A B C D", S1="A B X X", S2="A B Y Y").oracle.overall.upper_bound == 0.5
    assert compared("A B C D", S1="A B X X", S2="A X C X").oracle.overall.upper_bound == 0.75
