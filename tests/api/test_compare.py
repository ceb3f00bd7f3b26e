"""Comparisons from lists and files: which pairs, on which words, and what is refused."""

from __future__ import annotations

from itertools import combinations, permutations
from math import isnan
from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.api.compare import default_trials
from evenhand.statistics.significance import trials_for

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")]
TAGS = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "lexicon", "hmm", "neural")]
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")]
NONE = {"trials": 0, "resamples": 0}


def words(*sentences: str) -> eh.Annotation:
    return eh.tags([sentence.split() for sentence in sentences])


def spans(*sentences: list[tuple[str, int, int]], name: str = "spans") -> eh.Annotation:
    return eh.spans(sentences, end="exclusive", lengths=[10] * len(sentences), name=name)


FOUR = {name: words(tags) for name, tags in (("a", "X X"), ("b", "A X"), ("c", "X C"), ("d", "A C"))}
GOLD = words("A C")


# Which pairs


def test_all_pairs_in_the_order_of_the_systems() -> None:
    comparison = eh.compare(GOLD, FOUR, task="tags", **NONE)  # type: ignore[arg-type]
    assert list(comparison.pairs) == list(combinations("abcd", 2))
    assert comparison.systems == ("a", "b", "c", "d")
    assert comparison.scores == {"a": 0, "b": 0.5, "c": 0.5, "d": 1}


def test_a_baseline_for_all_others() -> None:
    found = eh.compare(GOLD, FOUR, task="tags", baseline="c", **NONE)  # type: ignore[arg-type]
    assert list(found.pairs) == [("c", "a"), ("c", "b"), ("c", "d")]
    assert [pair.delta for pair in found.pairs.values()] == [-0.5, 0, 0.5]


def test_each_with_the_one_before() -> None:
    found = eh.compare(GOLD, FOUR, task="tags", sequence=True, **NONE)  # type: ignore[arg-type]
    assert list(found.pairs) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert found.difficulty == {0: 0, 1: 0, 2: 2, 3: 0, 4: 0}  # of all systems, whatever the pairs are


def test_a_pair_is_the_same_in_any_company() -> None:
    alone = eh.compare(SPANS[0], SPANS[1:3], **NONE).pair("gazetteer", "crf")  # type: ignore[arg-type]
    among = eh.compare(SPANS[0], SPANS[1:], **NONE).pair("gazetteer", "crf")  # type: ignore[arg-type]
    assert (alone.size, alone.different, alone.moved, alone.delta) == (
        among.size,
        among.different,
        among.moved,
        among.delta,
    )
    assert [list(each.transitions) for each in alone.classes.values()] == [
        list(each.transitions) for each in among.classes.values()
    ]


def test_names_are_those_of_files(tmp_path: Path) -> None:
    assert eh.compare(TAGS[0], TAGS[1:3], task="tags", **NONE).systems == ("lexicon", "hmm")  # type: ignore[arg-type]
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "hmm.tsv").write_bytes(TAGS[2].read_bytes())
    found = eh.compare(TAGS[0], [tmp_path / "old" / "hmm.tsv", TAGS[2]], task="tags", **NONE)  # type: ignore[arg-type]
    assert found.systems == ("old", "tags")


# What is refused


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"baseline": "z"}, "Unknown system 'z'; choose one of a, b, c, d"),
        ({"baseline": "a", "sequence": True}, "with a baseline or in a sequence, but not both"),
        ({"by": "las"}, "by is 'las'; choose one of accuracy for tags"),
        ({"by": "fair"}, "by is 'fair'; choose one of accuracy for tags"),
        ({"trials": -1}, "trials is -1; it must be a whole number, from 0 to 10,000,000"),
        ({"resamples": -1}, "resamples is -1; it must be a whole number, from 0 to 1,000,000"),
        ({"level": 1}, "level is 1; it must be a number between 0 and 1"),
        ({"seed": -1}, "seed is -1; it must be a whole number"),
        ({"interval": "normal"}, "interval is 'normal'; choose percentile or bca"),
        ({"limit": -1, "show": "unsolved"}, "limit"),
        ({"top": -1}, "top"),
    ],
)
def test_settings_that_are_refused(options: dict, what: str) -> None:
    with pytest.raises(eh.SettingError, match=what):
        eh.compare(GOLD, FOUR, task="tags", **options)


def test_by_is_one_of_the_task() -> None:
    with pytest.raises(eh.SettingError, match="by is 'accuracy'; choose one of fair, exact, leak for spans"):
        eh.compare(SPANS[0], SPANS[1:], by="accuracy")
    with pytest.raises(eh.SettingError, match="by is 'exact'; choose one of las, uas, ls, elas, eulas for trees"):
        eh.compare(TREES[0], TREES[1:], by="exact")


@pytest.mark.parametrize("systems", [{"a": words("A C")}, [words("A C")], words("A C")], ids=["name", "list", "alone"])
def test_one_system_is_no_comparison(systems: object) -> None:
    with pytest.raises(eh.SettingError, match="A comparison needs at least two systems"):
        eh.compare(GOLD, systems, task="tags")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "option",
    [
        {"weights": "fair"},
        {"supertag": "ENTITY"},
        {"baselines": True},
        {"groups": "sentence"},
        {"iou": 0.3},
        {"spurious": 2},
        {"missing": 2},
        {"separator_weight": 2.0},
    ],
    ids=lambda option: next(iter(option)),
)
def test_options_that_would_do_nothing(option: dict) -> None:
    with pytest.raises(eh.SettingError, match="has no effect in a comparison; remove it"):
        eh.compare(SPANS[0], SPANS[1:], **option)


@pytest.mark.parametrize("option", [{"limit": 3}, {"vocabulary": ["the"]}], ids=["limit", "vocabulary"])
def test_options_that_miss_what_they_belong_to(option: dict) -> None:
    """A limit without --show, a word list without the slice."""
    with pytest.raises(eh.SettingError):
        eh.compare(GOLD, FOUR, task="tags", **option)


def test_all_systems_must_have_the_same_text() -> None:
    with pytest.raises(eh.InputError, match="sentence 1 has 2 words in the gold standard, 3 in the prediction"):
        eh.compare(GOLD, {"a": words("A C"), "b": words("A C C")}, task="tags")
    with pytest.raises(
        eh.InputError, match="expected tags such as B-PER and O in column 2, got a label for every token"
    ):
        eh.compare(SPANS[0], {"a": SPANS[1], "b": TAGS[1]})


def test_all_systems_of_a_shared_task(data: Path) -> None:
    """CoNLL 2003: the scores are those of `score`, the pairs 120, the bound above all of them."""
    folder = data / "conll2003"
    systems = sorted((folder / "systems").iterdir())
    comparison = eh.compare(folder / "gold.testb.tags", systems, trials=20, resamples=20)
    scores = eh.score(folder / "gold.testb.tags", systems, match="fair")
    assert (len(comparison.systems), len(comparison.pairs), comparison.gold.units) == (16, 120, 5648)
    assert comparison.scores == pytest.approx({name: result["fair"].f1 for name, result in scores.items()})
    assert {label: bound.units for label, bound in comparison.oracle.labels.items()} == {
        "LOC": 1668,
        "ORG": 1661,
        "PER": 1617,
        "MISC": 702,
    }
    for bound in comparison.oracle.labels.values():
        assert bound.upper_bound > max(bound.scores)
    for name, right in zip(comparison.systems, comparison.oracle.overall.right, strict=True):
        assert right == scores[name]["fair"].overall["TP"]
    errors = {
        name: sum(result["fair"].overall[kind] for kind in ("LE", "BES", "BEL", "BEO", "LBE", "FN", "FP"))
        for name, result in scores.items()
    }
    for (a, b), pair in comparison.pairs.items():
        assert pair.corrections.count - pair.new_errors.count == errors[a] - errors[b]


# Hard cases


def test_one_system_that_is_right_everywhere(tmp_path: Path) -> None:
    copy = tmp_path / "copy.conll"
    copy.write_bytes(Path(SPANS[0]).read_bytes())
    comparison = eh.compare(SPANS[0], {"gold": copy, "crf": SPANS[2]}, trials=50, resamples=50)
    pair = comparison.pair("gold", "crf")
    assert (comparison.scores["gold"], pair.corrections.count, pair.changed_errors.count) == (1, 0, 0)
    assert pair.new_errors.count == pair.different > 0
    assert comparison.oracle.overall.gain(comparison.oracle.best) == 0
    assert comparison.oracle.exact == {"precision": 1, "recall": 1, "f1": 1}


def test_a_gold_standard_without_any_span() -> None:
    nothing, something = spans([], []), spans([("A", 0, 1)], [("A", 2, 3)])
    comparison = eh.compare(nothing, {"a": nothing, "b": something}, trials=50, resamples=50)
    pair = comparison.pair("a", "b")
    assert (comparison.gold.units, comparison.oracle.labels) == (0, {})
    assert all(map(isnan, (*comparison.scores.values(), pair.delta))), "undefined"
    assert (pair.size, pair.new_errors.count) == (2, 2)
    assert comparison.difficulty == {0: 0, 1: 2, 2: 0}
    silent = eh.compare(nothing, {"a": nothing, "b": nothing}, trials=50, resamples=50)
    assert (silent.pair("a", "b").size, silent.pair("a", "b").difference) == (0, 0)
    assert silent.pair("a", "b").interval is None
    for each in (comparison, silent):
        assert "0 spans" in str(each)


def test_a_system_without_any_span() -> None:
    gold = spans([("A", 0, 1)], [("A", 2, 3)])
    comparison = eh.compare(gold, {"a": gold, "b": spans([], [])}, trials=50, resamples=50)
    pair = comparison.pair("a", "b")
    assert comparison.scores == {"a": 1, "b": 0}
    assert [(each.before, each.after, each.count) for each in pair.new_errors.transitions] == [("TP A", "FN", 2)]
    assert comparison.labels["A"].scores == {"a": 1, "b": 0}


def test_a_label_that_only_a_system_has_is_among_the_labels() -> None:
    gold, other = spans([("A", 0, 1)]), spans([("A", 0, 1), ("Z", 5, 6)])
    comparison = eh.compare(gold, {"a": gold, "b": other}, **NONE)  # type: ignore[arg-type]
    assert list(comparison.labels) == ["A", "Z"]
    assert (comparison.labels["Z"].units, comparison.labels["Z"].scores) == (0, {"a": 0, "b": 0})
    assert list(comparison.oracle.labels) == ["A"]


def test_scores_and_labels_are_those_of_score() -> None:
    for files, by, options in (
        (SPANS, "fair", {}),
        (SPANS, "exact", {}),
        (SPANS, "fair", {"beta": 2.0}),
        (SPANS, "fair", {"exclude": "MISC"}),
        (TAGS, "accuracy", {"task": "tags"}),
    ):
        comparison = eh.compare(files[0], files[1:], by=by, **NONE, **options)  # type: ignore[arg-type]
        for name, result in eh.score(files[0], files[1:], match=by, **options).items():  # type: ignore[arg-type]
            assert comparison.scores[name] == pytest.approx(result[by].headline)
            for label, row in result[by].labels.items():
                wanted = row.recall if by == "accuracy" else row.f_beta
                if label in comparison.gold.labels:
                    assert comparison.labels[label].scores[name] == pytest.approx(wanted)


def test_what_counts_for_labels_changes_their_scores_only() -> None:
    """LE and LBE count for the gold label or for the system's."""
    target, system = (eh.compare(SPANS[0], SPANS[1:], focus=focus, **NONE) for focus in ("target", "system"))  # type: ignore[arg-type]
    assert target.scores == system.scores
    assert target.labels["PER"].scores != system.labels["PER"].scores


def test_annotations_compare_as_files_do() -> None:
    for files in (SPANS, TREES):
        read = {path.stem: eh.read(path) for path in files[1:]}
        by_file = eh.compare(files[0], files[1:], trials=50, resamples=50)
        assert eh.compare(eh.read(files[0]), read, trials=50, resamples=50).to_dict() == by_file.to_dict()


def test_texts_whose_tokens_differ_are_compared_by_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences and phrases are shown as they are written; there are four tokens, whatever is compared."""
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text("New\tB-LOC\nYork\tI-LOC\nwelcomes\tO\nAda\tB-PER\n")
    Path("a.conll").write_text("New\tB-LOC\nYo\tI-LOC\nrk\tI-LOC\nwelcomes\tO\nAda\tO\n")
    Path("b.conll").write_text("New\tO\nYork\tO\nwelcomes\tO\nAda\tB-PER\n")
    comparison = eh.compare("gold.conll", ["a.conll", "b.conll"], align="characters", show="solved_once", **NONE)  # type: ignore[arg-type]
    assert comparison.scores == {"a": pytest.approx(2 / 3), "b": pytest.approx(2 / 3)}
    assert [(unit.place, unit.words, unit.text) for unit in comparison.shown_units] == [
        ("gold.conll:1", "New York", "New York welcomes Ada"),
        ("gold.conll:4", "Ada", "New York welcomes Ada"),
    ]
    assert comparison.to_dict()["gold"]["tokens"] in (None, 4)


# Comparisons of systems whose words differ, and of a system with itself


def test_parsers_are_compared_on_all_words() -> None:
    comparison = eh.compare(TREES[0], TREES[1:], trials=100, resamples=100)
    assert (comparison.left_out, comparison.gold.units) == (0, 855)
    assert comparison.notes[0].startswith("las on the 836 words that all systems have: rules 69.74, ")
    assert (comparison.to_dict()["gold"]["left_out"], comparison.to_dict()["gold"]["units"]) == (0, 855)
    assert comparison.to_dict()["shared"]["units"] == 836
    assert {pair.size for pair in comparison.pairs.values()} == {855}
    assert comparison.oracle.overall.units == 855
    assert list(comparison.scores.values()) == pytest.approx(comparison.oracle.overall.scores)


def test_a_parser_with_the_tokens_of_the_gold_standard_leaves_out_nothing() -> None:
    found = eh.compare(TREES[0], {"gold": TREES[0], "copy": TREES[0]}, trials=0, resamples=0)
    assert (found.left_out, found.gold.units, found.scores) == (0, 855, {"gold": 1, "copy": 1})


@pytest.mark.parametrize("by", ["las", "uas", "ls"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_parser_never_differs_from_itself(number: int, by: str) -> None:
    """Even where its heads are words that the gold standard does not have."""
    third = TREES[1 + number % 3]
    comparison = eh.compare(
        TREES[0], {"a": TREES[number], "copy": TREES[number], "c": third}, by=by, trials=50, resamples=50
    )
    pair = comparison.pair("a", "copy")
    assert pair.significance is not None
    assert (pair.different, pair.moved, pair.delta) == (0, 0, 0)
    assert (pair.significance.p, pair.significance.p_holm, pair.mcnemar, pair.interval) == (1, 1, 1, (0, 0))
    first, second = comparison.pair("a", "c"), comparison.pair("copy", "c")
    assert (first.different, first.delta) == (second.different, second.delta)
    assert first.different > 0
    assert comparison.all_answers[0, 1] == 1


@pytest.mark.parametrize("files", [SPANS, TAGS], ids=["spans", "tags"])
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_no_system_differs_from_itself(files: list[Path], interval: str) -> None:
    gold, one, *_, third = files
    task = "tags" if files is TAGS else "spans"
    systems = {"a": one, "copy": one, "c": third}
    comparison = eh.compare(gold, systems, task=task, interval=interval, trials=50, resamples=50)  # type: ignore[arg-type]
    pair = comparison.pair("a", "copy")
    assert pair.significance is not None
    assert (pair.different, pair.moved, pair.delta, pair.significance.p, pair.interval) == (0, 0, 0, 1, (0, 0))
    assert "no difference at all: a and copy." in comparison.notes


def test_published_parsers(data: Path) -> None:
    folder = data / "ud_en_pud"
    systems = sorted((folder / "systems").iterdir())
    comparison = eh.compare(folder / "gold.conllu", systems, trials=50, resamples=50)
    assert len(comparison.pairs) == 10
    assert (comparison.left_out, comparison.gold.units) == (0, 21_176)
    assert comparison.shared is not None
    assert comparison.shared.units == 21_090
    assert {pair.size for pair in comparison.pairs.values()} == {21_176}
    for (a, b), pair in comparison.pairs.items():
        assert pair.delta == pytest.approx((pair.corrections.count - pair.new_errors.count) / 21_176)
        assert pair.delta == pytest.approx(comparison.scores[b] - comparison.scores[a])
    assert sum(comparison.difficulty.values()) == 21_176
    twice = eh.compare(
        folder / "gold.conllu", {"a": systems[0], "copy": systems[0], "c": systems[1]}, trials=50, resamples=50
    )
    assert (twice.pair("a", "copy").different, twice.pair("a", "copy").interval) == (0, (0, 0))


def test_a_word_that_a_system_lacks_is_wrong_for_that_system_only() -> None:
    """`can not` for `cannot` in the second system: its root is missing."""
    gold = eh.trees([[(2, "nsubj"), (0, "root"), (2, "obj")]], tokens=[["I", "cannot", "sing"]])
    same = eh.trees([[(2, "nsubj"), (0, "root"), (1, "obj")]], tokens=[["I", "cannot", "sing"]])
    cut = eh.trees([[(2, "nsubj"), (0, "root"), (2, "advmod"), (2, "obj")]], tokens=[["I", "can", "not", "sing"]])
    comparison = eh.compare(gold, {"same": same, "cut": cut}, align="characters", trials=0, resamples=0)
    pair = comparison.pair("same", "cut")
    assert (comparison.left_out, pair.size) == (0, 3)
    # `I` depends on `cannot` in the first; the `can` of the second is not a word of the gold standard.
    assert comparison.scores == {"same": 2 / 3, "cut": 0}
    assert comparison.shared is not None
    assert (comparison.shared.units, comparison.shared.scores) == (2, {"same": 0.5, "cut": 0})
    new = [(each.gold, each.after, each.change) for each in pair.new_errors.transitions]
    assert new == [("nsubj", "nsubj", "head"), ("root", "missing", "both")]
    assert [(each.gold, each.change) for each in pair.changed_errors.transitions] == [("obj", "head")]


def test_heads_that_the_gold_standard_does_not_have_are_told_apart() -> None:
    """Both systems cut `cannot`, and `sing` depends on its first half in one and on its second in the other."""
    gold = eh.trees([[(0, "root"), (1, "obj")]], tokens=[["cannot", "sing"]])
    first = eh.trees([[(0, "root"), (1, "advmod"), (1, "obj")]], tokens=[["can", "not", "sing"]])
    second = eh.trees([[(0, "root"), (1, "advmod"), (2, "obj")]], tokens=[["can", "not", "sing"]])
    found = eh.compare(gold, {"a": first, "b": second, "c": first}, align="characters", trials=0, resamples=0)
    assert [pair.different for pair in found.pairs.values()] == [1, 0, 1]
    assert [each.change for each in found.pair("a", "b").changed_errors.transitions] == ["head"]


# Tests of many pairs: how many trials they take, so that corrected p-values can be small


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
    comparison = eh.compare(gold, sides, task="tags", resamples=0)
    assert len(comparison.pairs) == 528
    assert comparison.resampling["trials"] == comparison.to_dict()["resampling"]["trials"] == 42_240
    assert "|trials:42240|" in comparison.signature
    assert holm(comparison) == pytest.approx(528 / 42_241)
    assert not [note for note in comparison.notes if "Holm" in note]


def test_too_few_trials_are_noted() -> None:
    gold, sides = systems(33, 40)
    comparison = eh.compare(gold, sides, task="tags", resamples=0, trials=10_000)
    assert holm(comparison) == pytest.approx(528 / 10_001)
    note = "corrected for 528 pairs (Holm), 10,000 trials allow no p-value below 5 %; set --trials to 42240 or compare with one --baseline."
    assert note in comparison.notes
    along = eh.compare(gold, sides, task="tags", resamples=0, trials=600, sequence=True)
    note = "corrected for 32 pairs (Holm), 600 trials allow no p-value below 5 %; set --trials to 10000."
    assert note in along.notes


def test_too_few_documents_for_many_pairs_are_noted(tmp_path: Path) -> None:
    """Six documents allow p = 2 / 2⁶, and 0.094 for three pairs."""
    for name, tags in (("gold", "AAA"), ("one", "XAA"), ("two", "AXX"), ("three", "XXX")):
        text = "".join(f"-DOCSTART-\tO\n\nw\t{tags[0]}\n\nw\t{tags[1]}\n\nw\t{tags[2]}\n\n" for _ in range(6))
        (tmp_path / f"{name}.tsv").write_text(text)
    gold, *files = (tmp_path / f"{name}.tsv" for name in ("gold", "one", "two", "three"))
    comparison = eh.compare(gold, files, task="tags", resamples=0, of="documents")
    assert comparison.pair("one", "two").significance.p == 2 / 2**6  # type: ignore[union-attr]
    note = "corrected for 3 pairs (Holm), so few documents allow no p-value below 5 %; use --of sentences or compare with one --baseline."
    assert note in comparison.notes
    for of, few in (("sentences", None), (None, 6)):
        comparison = eh.compare(gold, files, task="tags", resamples=0, of=of)
        assert (comparison.resampling["of"], comparison.resampling["few_documents"]) == ("sentences", few)
        assert not [note for note in comparison.notes if "Holm" in note]


def test_one_pair_with_too_few_trials() -> None:
    files = [EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger")]
    found = eh.compare(files[0], files[1:], trials=10, of="sentences", resamples=0)
    assert "10 trials allow no p-value below 5 %; set --trials to 10000." in found.notes


def test_a_small_alpha_of_a_gate_has_trials_enough() -> None:
    files = [EXAMPLE / f"{name}.conll" for name in ("gold", "tagger", "crf")]
    gate = eh.gate(*files, alpha=0.00005)
    assert gate.to_dict()["test"]["trials"] == 80_000
    assert not gate.passed


# Intervals of a pair do not depend on the order of systems: from b to a they are those from a to b, mirrored


FILES = {
    "spans": [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")],
    "tags": [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "lexicon", "hmm", "neural")],
    "trees": [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")],
    "chains": [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "pairs", "neural")],
}
Interval = tuple[float, float] | None


def intervals(files: list[Path], kind: str, **options: object) -> dict[tuple[str, str, str], Interval]:
    """The interval of every pair under every score."""
    gold, *systems = files
    comparison = eh.compare(gold, systems, interval=kind, trials=0, resamples=300, seed=3, **options)  # type: ignore[arg-type]
    of_score = {(before, after, comparison.by): pair.interval for (before, after), pair in comparison.pairs.items()}
    further = {
        (before, after, score): change.interval
        for (before, after), pair in comparison.pairs.items()
        for score, change in pair.further.items()
    }
    return of_score | further


def both_ways(all_ways: dict[tuple[str, str, str], Interval]) -> dict[tuple[str, str, str], Interval]:
    """With those of the pairs the other way round."""
    mirrored = {
        (after, before, score): None if each is None else (-each[1], -each[0])
        for (before, after, score), each in all_ways.items()
    }
    return all_ways | mirrored


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize("task", list(FILES))
def test_two_systems(task: str, kind: str) -> None:
    gold, one, _, other = FILES[task]
    ahead = intervals([gold, one, other], kind, task=task)
    back = intervals([gold, other, one], kind, task=task)
    assert all(each is not None for each in ahead.values())
    assert both_ways(ahead) == both_ways(back)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize("task", list(FILES))
def test_three_systems_in_any_order(task: str, kind: str) -> None:
    gold, *systems = FILES[task]
    first, *others = (
        both_ways(intervals([gold, *order], kind, task=task, of="documents" if task == "chains" else "sentences"))
        for order in permutations(systems)
    )
    assert len(first) >= 6
    assert all(other == first for other in others)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_names_do_not_matter(kind: str) -> None:
    gold, one, other, _ = FILES["spans"]
    ahead = eh.compare(gold, {"a": one, "b": other}, interval=kind, trials=0).pair("a", "b").interval
    back = eh.compare(gold, {"a": other, "b": one}, interval=kind, trials=0).pair("a", "b").interval
    assert ahead is not None
    assert back == (-ahead[1], -ahead[0])


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_equal_systems_have_an_interval_of_zero(kind: str) -> None:
    gold, one, _, _ = FILES["spans"]
    found = eh.compare(gold, {"a": one, "b": one}, interval=kind, trials=0).pair("a", "b")
    assert str(found.interval) == "(0.0, 0.0)"
