"""Comparisons from lists and files: which pairs, on which words, and what is refused."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT

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
    found = eh.compare(GOLD, FOUR, task="tags", **NONE)  # type: ignore[arg-type]
    assert list(found.pairs) == list(combinations("abcd", 2))
    assert found.systems == ("a", "b", "c", "d")
    assert found.scores == {"a": 0, "b": 0.5, "c": 0.5, "d": 1}


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
    assert found.systems == ("old/hmm", "tags/hmm")


# What is refused


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"baseline": "z"}, "There is no system 'z'; choose one of a, b, c, d"),
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
    with pytest.raises(eh.SettingError, match="A comparison takes two systems at least"):
        eh.compare(GOLD, systems, task="tags")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "option",
    [
        {"weights": "fair"},
        {"supertag": "ENTITY"},
        {"baselines": True},
        {"match": "exact"},
        {"groups": "sentence"},
        {"iou": 0.3},
        {"spurious": 2},
        {"missing": 2},
        {"separator_weight": 2.0},
    ],
    ids=lambda option: next(iter(option)),
)
def test_options_that_would_do_nothing(option: dict) -> None:
    with pytest.raises(eh.SettingError, match="does nothing in a comparison; leave it out"):
        eh.compare(SPANS[0], SPANS[1:], **option)


@pytest.mark.parametrize("option", [{"limit": 3}, {"vocabulary": ["the"]}], ids=["limit", "vocabulary"])
def test_options_that_miss_what_they_belong_to(option: dict) -> None:
    """A limit without --show, a word list without the slice."""
    with pytest.raises(eh.SettingError):
        eh.compare(GOLD, FOUR, task="tags", **option)


def test_all_systems_must_have_the_same_text() -> None:
    with pytest.raises(eh.InputError, match="sentence 1 has 2 words in the gold standard, 3 in the prediction"):
        eh.compare(GOLD, {"a": words("A C"), "b": words("A C C")}, task="tags")
    with pytest.raises(eh.InputError, match="where"):
        eh.compare(SPANS[0], {"a": SPANS[1], "b": TAGS[1]})


def test_all_systems_of_a_shared_task(data: Path) -> None:
    """CoNLL 2003: the scores are those of `score`, the pairs 120, the bound above all of them."""
    folder = data / "conll2003"
    systems = sorted((folder / "systems").iterdir())
    found = eh.compare(folder / "gold.testb.tags", systems, trials=20, resamples=20)
    scores = eh.score(folder / "gold.testb.tags", systems, match="fair")
    assert (len(found.systems), len(found.pairs), found.gold.units) == (16, 120, 5648)
    assert found.scores == pytest.approx({name: result["fair"].f1 for name, result in scores.items()})
    assert {label: bound.units for label, bound in found.oracle.labels.items()} == {
        "LOC": 1668,
        "ORG": 1661,
        "PER": 1617,
        "MISC": 702,
    }
    for bound in found.oracle.labels.values():
        assert bound.upper_bound > max(bound.scores)
    for name, right in zip(found.systems, found.oracle.overall.right, strict=True):
        assert right == scores[name]["fair"].overall["TP"]
    errors = {
        name: sum(result["fair"].overall[kind] for kind in ("LE", "BES", "BEL", "BEO", "LBE", "FN", "FP"))
        for name, result in scores.items()
    }
    for (a, b), pair in found.pairs.items():
        assert pair.corrections.count - pair.new_errors.count == errors[a] - errors[b]


# Hard cases


def test_one_system_that_is_right_everywhere(tmp_path: Path) -> None:
    copy = tmp_path / "copy.conll"
    copy.write_bytes(Path(SPANS[0]).read_bytes())
    found = eh.compare(SPANS[0], {"gold": copy, "crf": SPANS[2]}, trials=50, resamples=50)
    pair = found.pair("gold", "crf")
    assert (found.scores["gold"], pair.corrections.count, pair.changed_errors.count) == (1, 0, 0)
    assert pair.new_errors.count == pair.different > 0
    assert found.oracle.overall.gain(found.oracle.best) == 0
    assert found.oracle.exact == {"precision": 1, "recall": 1, "f1": 1}


def test_a_gold_standard_without_any_span() -> None:
    nothing, something = spans([], []), spans([("A", 0, 1)], [("A", 2, 3)])
    found = eh.compare(nothing, {"a": nothing, "b": something}, trials=50, resamples=50)
    pair = found.pair("a", "b")
    assert (found.gold.units, found.oracle.labels) == (0, {})
    assert all(map(isnan, (*found.scores.values(), pair.delta))), "undefined"
    assert (pair.size, pair.new_errors.count) == (2, 2)
    assert found.difficulty == {0: 0, 1: 2, 2: 0}
    silent = eh.compare(nothing, {"a": nothing, "b": nothing}, trials=50, resamples=50)
    assert (silent.pair("a", "b").size, silent.pair("a", "b").difference) == (0, 0)
    assert silent.pair("a", "b").interval is None
    for each in (found, silent):
        assert "0 spans" in str(each)


def test_a_system_without_any_span() -> None:
    gold = spans([("A", 0, 1)], [("A", 2, 3)])
    found = eh.compare(gold, {"a": gold, "b": spans([], [])}, trials=50, resamples=50)
    pair = found.pair("a", "b")
    assert found.scores == {"a": 1, "b": 0}
    assert [(each.before, each.after, each.count) for each in pair.new_errors.transitions] == [("TP A", "FN", 2)]
    assert found.labels["A"].scores == {"a": 1, "b": 0}


def test_a_label_that_only_a_system_has_is_among_the_labels() -> None:
    gold, other = spans([("A", 0, 1)]), spans([("A", 0, 1), ("Z", 5, 6)])
    found = eh.compare(gold, {"a": gold, "b": other}, **NONE)  # type: ignore[arg-type]
    assert list(found.labels) == ["A", "Z"]
    assert (found.labels["Z"].units, found.labels["Z"].scores) == (0, {"a": 0, "b": 0})
    assert list(found.oracle.labels) == ["A"]


def test_scores_and_labels_are_those_of_score() -> None:
    for files, by, options in (
        (SPANS, "fair", {}),
        (SPANS, "exact", {}),
        (SPANS, "fair", {"beta": 2.0}),
        (SPANS, "fair", {"exclude": "MISC"}),
        (TAGS, "accuracy", {"task": "tags"}),
    ):
        found = eh.compare(files[0], files[1:], by=by, **NONE, **options)  # type: ignore[arg-type]
        for name, result in eh.score(files[0], files[1:], match=by, **options).items():  # type: ignore[arg-type]
            assert found.scores[name] == pytest.approx(result[by].headline)
            for label, row in result[by].labels.items():
                wanted = row.recall if by == "accuracy" else row.f_beta
                if label in found.gold.labels:
                    assert found.labels[label].scores[name] == pytest.approx(wanted)


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
    found = eh.compare("gold.conll", ["a.conll", "b.conll"], align="characters", show="solved_once", **NONE)  # type: ignore[arg-type]
    assert found.scores == {"a": pytest.approx(2 / 3), "b": pytest.approx(2 / 3)}
    assert [(unit.place, unit.words, unit.text) for unit in found.shown_units] == [
        ("gold.conll:1", "New York", "New York welcomes Ada"),
        ("gold.conll:4", "Ada", "New York welcomes Ada"),
    ]
    assert found.to_dict()["gold"]["tokens"] in (None, 4)
