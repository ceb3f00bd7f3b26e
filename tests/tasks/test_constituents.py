"""Constituents: every rule by hand, and random trees against the slow definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
import slow_constituents as slow
from conftest import ROOT
from divided import small_blocks

TREE = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat))))))"


def score(gold: list[str], system: list[str], **options: Any) -> eh.Result:
    return eh.score(eh.constituents(gold, name="gold"), eh.constituents(system, name="system"), **options)


def counts(result: eh.Result, model: str = "labeled") -> dict[str, float | None]:
    return {kind: count for kind, count in result[model].overall.counts.items() if count}


def test_the_same_tree_is_all_right() -> None:
    result = score([TREE], [TREE])
    assert counts(result) == {"TP": 5}
    assert result["labeled"].f1 == result["complete"].headline == result["tagging"].headline == 1


def test_a_wrong_label_is_right_under_unlabeled() -> None:
    result = score([TREE], [TREE.replace("(PP", "(ADVP")])
    assert counts(result) == {"TP": 4, "LE": 1}
    assert result["unlabeled"].f1 == 1
    assert result["labeled"].confusion == {"PP": {"ADVP": 1}}
    assert result["labeled"].labels["PP"].recall == 0
    assert result["labeled"].labels["ADVP"].precision == 0


def test_a_phrase_attached_too_high_is_a_bracket_too_narrow() -> None:
    gold = "(S (NP (N we)) (VP (V saw) (NP (NP (N men)) (PP (P with) (NP (N hats))))))"
    flat = "(S (NP (N we)) (VP (V saw) (NP (N men)) (PP (P with) (NP (N hats)))))"
    assert counts(score([gold], [flat])) == {"TP": 6, "FN": 1}
    wide = "(S (NP (N we)) (VP (V saw) (NP (N men) (P with) (NP (N hats)))))"
    assert counts(score([gold], [wide])) == {"TP": 5, "FN": 2}
    early = "(S (NP (N we)) (VP (V saw) (NP (N men))) (PP (P with) (NP (N hats))))"
    assert counts(score([gold], [early])) == {"TP": 5, "BES": 1, "FN": 1}
    assert counts(score([early], [gold])) == {"TP": 5, "BEL": 1, "FP": 1}


def test_repeated_unary_brackets_count_as_often_as_both_have_them() -> None:
    result = score(["(S (A (A (A (N x)))))"], ["(S (A (A (N x))) )"])
    assert counts(result) == {"TP": 3, "FN": 1}


def test_punctuation_and_traces_move_no_bracket_under_collins() -> None:
    gold = "(TOP (S (NP-SBJ (-NONE- *)) (NP (N rain)) (VP (V fell)) (. .)))"
    system = "(TOP (S (NP (N rain) (. .)) (VP (V fell))))"
    assert counts(score([gold], [system])) == {"TP": 3}
    assert counts(score([gold], [system], prm="none"), "complete") == {"error": 1}


def test_functions_are_cut_unless_they_are_kept() -> None:
    assert counts(score(["(S (NP-SBJ=2 (N x)))"], ["(S (NP (N x)))"])) == {"TP": 2}
    gold, system = (eh.constituents([tree], functions=True) for tree in ("(S (NP-SBJ (N x)))", "(S (NP (N x)))"))
    assert counts(eh.score(gold, system)) == {"TP": 1, "LE": 1}


def test_a_bracket_without_a_label_counts() -> None:
    assert counts(score(["( (S (N x)))"], ["(S (N x))"])) == {"TP": 1, "FN": 1}
    assert counts(score(["( (S (N x)))"], ["(-NONE- (S (N x)))"])) == {"TP": 2}


def test_crossing_brackets_count_once_each() -> None:
    result = score(["(S (A (N a) (N b)) (B (N c) (N d)))"], ["(S (N a) (X (Y (N b) (N c))) (N d))"])
    assert result["crossing"].overall["crossings"] == 2
    assert counts(result, "crossing") == {"valid": 1, "crossings": 2, "two_or_less": 1}


def test_equal_labels_and_words_of_a_parameter_file(tmp_path: Path) -> None:
    prm = tmp_path / "own.prm"
    prm.write_text("## ours\nEQ_LABEL A B\r\nEQ_LABEL B C\nEQ_WORD This this\nLABELED 1\nDEBUG 0\n")
    result = score(["(S (A (N This)) (X (B b)))"], ["(S (C (N this)) (X (A b)))"], prm=str(prm))
    assert counts(result) == {"TP": 3}
    assert result["tagging"].headline == 1
    assert re.search(r"\|prm:own.prm#[0-9a-f]{8}\|", result.signature)


def test_quotes_are_mended(tmp_path: Path) -> None:
    prm = tmp_path / "quotes.prm"
    prm.write_text("DELETE_LABEL ''\nQUOTE_LABEL ''\nQUOTE_LABEL POS\n")
    gold, system = "(S (NP (N dogs) ('' ')) (VP (V bark)))", "(S (NP (N dogs) (POS ')) (VP (V bark)))"
    mended = score([gold], [system], prm=str(prm))
    assert counts(mended, "tagging") == {"words": 3, "right": 2}
    assert counts(mended) == {"TP": 3}
    assert "system system: in 1 sentence, quotes were repaired (QUOTE_LABEL)." in mended.notes
    prm.write_text("DELETE_LABEL ''\n")
    assert counts(score([gold], [system], prm=str(prm)), "complete") == {"error": 1}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("DELETE_LABEL TOP\nDELETE_TAG .\n", ":2: 'DELETE_TAG' is not a key of EVALB; choose from LABELED, "),
        ("CUTOFF_LEN forty\n", ":1: CUTOFF_LEN is 'forty'; write a whole number."),
        ("EQ_LABEL A\n", ":1: EQ_LABEL has 1 values; write at least 2."),
    ],
)
def test_a_parameter_file_that_cannot_be_read(tmp_path: Path, lines: str, message: str) -> None:
    prm = tmp_path / "bad.prm"
    prm.write_text(lines)
    with pytest.raises(eh.InputError, match=re.escape(message)):
        score([TREE], [TREE], prm=str(prm))


def test_unlabeled_by_parameter_file(tmp_path: Path) -> None:
    prm = tmp_path / "flat.prm"
    prm.write_text("LABELED 0\n")
    result = score([TREE], [TREE.replace("(PP", "(ADVP")], prm=str(prm))
    assert result["labeled"].f1 == result["complete"].headline == 1
    assert "flat.prm has LABELED 0: labels do not count in labeled and complete." in result.notes


def test_five_errors_of_five_leave_the_scores_undefined() -> None:
    """EVALB's own example prints nan here; no figure may look like a bad parser."""
    result = score([TREE] * 5, [TREE.replace("mat", "hat")] * 5)
    overall = result["labeled"].overall
    assert all(map(isnan, (overall.precision, overall.recall, overall.f1, result["complete"].headline)))
    note = "no sentence can be scored (5 with errors, 0 skipped), so precision, recall and F1 of labeled and the like"
    assert any(note in each for each in result.notes)
    saved = result.to_dict()["systems"][0]["scores"]["labeled"]
    assert result.to_json().count('"f1": null') >= 2
    assert saved["overall"]["f1"] is None
    assert "–" in str(result)
    assert (result["labeled-all"].f1, result["complete-all"].headline, result["tagging-all"].headline) == (0, 0, 0)


def test_saved_results_keep_sentences_left_out_and_undefined_scores(tmp_path: Path) -> None:
    result = score([TREE, TREE], ["", TREE.replace("mat", "hat")])
    file = tmp_path / "result.json"
    file.write_text(result.to_json())
    loaded = eh.Result.from_json(file)
    assert loaded["complete"].further["left_out"] == {
        "sentence 1": "skip: the system has no words",
        "sentence 2": "error: the system has the word 'hat', the gold standard 'mat'",
    }
    assert isnan(loaded["labeled"].f1)


def test_systems_are_compared_in_sentences_that_are_valid_under_all() -> None:
    gold = eh.constituents([TREE, TREE], name="gold")
    wrong = TREE.replace("(PP", "(ADVP")
    systems = {"one": eh.constituents([TREE, ""]), "two": eh.constituents([wrong, wrong])}
    comparison = eh.compare(gold, systems, trials=20, resamples=20, errors="skip")
    pair = comparison.pair("one", "two")
    assert (comparison.by, pair.different, comparison.left_out) == ("labeled", 1, 5)
    note = "5 brackets of the gold standard are not compared because not all systems are scored on their sentences."
    assert note in comparison.notes


def test_sentences_with_errors_are_wrong_in_comparisons() -> None:
    """Of ten gold brackets, one has 5 right and 5 missing; two has 8 right and 2 with another label."""
    gold = eh.constituents([TREE, TREE], name="gold")
    wrong = TREE.replace("(PP", "(ADVP")
    systems = {"one": eh.constituents([TREE, ""]), "two": eh.constituents([wrong, wrong])}
    comparison = eh.compare(gold, systems, trials=20, resamples=20)
    pair = comparison.pair("one", "two")
    assert (comparison.by, pair.size, pair.different, comparison.left_out) == ("labeled-all", 10, 6, 0)
    assert comparison.scores == {"one": pytest.approx(2 * 5 / 15), "two": pytest.approx(0.8)}
    assert comparison.further_scores == {
        "one": {"labeled-all": pytest.approx(2 * 5 / 15), "labeled": 1},
        "two": {"labeled-all": pytest.approx(0.8), "labeled": pytest.approx(0.8)},
    }
    assert pair.delta == pytest.approx(0.8 - 2 * 5 / 15)


def one_good_tree(sentences: int = 24) -> dict[str, eh.Annotation]:
    """The gold standard; a file with its first tree and junk; one that fails on one sentence, in one way each."""
    trees = [TREE] * sentences
    return {
        "gold": eh.constituents(trees, name="gold"),
        "junk": eh.constituents([TREE, *["(X (Y junk))"] * (sentences - 1)], name="junk"),
        "empty": eh.constituents([TREE, *[""] * (sentences - 1)], name="empty"),
        "fair": eh.constituents([TREE.replace("(PP", "(ADVP"), *trees[1:]], name="fair"),
    }


def test_junk_gains_nothing() -> None:
    """EVALB's F1 is 1; counted as wrong, 5 of 120 gold brackets are right, and 23 brackets of junk are spurious."""
    sides = one_good_tree()
    result = eh.score(sides["gold"], sides["junk"])
    assert result["labeled"].f1 == result["complete"].headline == result["tagging"].headline == 1
    assert result["labeled-all"].f1 == pytest.approx(2 * 5 / (120 + 28))
    assert result["unlabeled-all"].recall == pytest.approx(5 / 120)
    assert (result["complete-all"].headline, result["crossing-all"].headline) == (1 / 24, 1 / 24)
    assert result["tagging-all"].headline == pytest.approx(1 / 24)
    assert result["complete"].overall["valid_share"] == 1 / 24
    assert "all sentences, errors wrong" in str(result)
    assert "errors wrong" not in str(eh.score(sides["gold"], sides["fair"]))
    assert "errors wrong" not in str(eh.score(sides["gold"], sides["junk"], errors="skip"))


@pytest.mark.parametrize("bad", ["junk", "empty"])
def test_commands_agree_on_sentences_with_errors(bad: str) -> None:
    """The same names have the same figures in score, rank, compare, gate and report."""
    sides = one_good_tree()
    gold, systems = sides["gold"], {name: sides[name] for name in ("fair", bad)}
    scores = {name: eh.score(gold, side)["labeled-all"].f1 for name, side in systems.items()}
    ranking = eh.rank(gold, systems, resamples=20, trials=20)
    assert ranking.models[:2] == ("labeled-all", "labeled")
    assert {name: item.score for name, item in ranking["labeled-all"].items()} == scores
    assert (ranking["labeled-all"]["fair"].rank, ranking["labeled"][bad].rank) == (1, 1)
    compared = eh.compare(gold, systems, trials=20, resamples=20)
    assert (compared.by, compared.scores) == ("labeled-all", scores)
    page = eh.report(gold, systems, trials=20, resamples=20)
    assert (page.by, page.comparison.scores if page.comparison else None) == ("labeled-all", scores)
    assert page.ranking.shown_models[:3] == ("labeled-all", "labeled", "unlabeled-all")
    gate = eh.gate(gold, candidate=sides[bad], floor={"labeled": 0.95, "NP:labeled.recall": 0.5, "complete-short": 0.5})
    assert [item.passed for item in gate.criteria] == [False] * 3
    assert gate.criteria[0].value == scores[bad]
    assert gate.criteria[0].sentence.startswith("labeled-all is 0.0")
    assert gate.to_dict()["candidate"] == {"name": bad, "labeled-all": scores[bad], "labeled": 1}
    assert not eh.gate(gold, sides["fair"], sides[bad], trials=50).passed
    skipping = eh.gate(gold, candidate=sides[bad], floor={"labeled": 0.95}, errors="skip")
    assert (skipping.passed, skipping.by, skipping.criteria[0].value) == (True, "labeled", 1)
    assert eh.rank(gold, systems, resamples=0, errors="skip").models[0] == "labeled"


def test_both_figures_are_shown_only_if_they_differ() -> None:
    sides = one_good_tree()
    ranking = eh.rank(sides["gold"], [sides["fair"], sides["gold"]], resamples=0)
    assert ranking.models[:2] == ("labeled-all", "labeled")
    assert ranking.shown_models[:2] == ("labeled-all", "unlabeled-all")
    assert " labeled " not in str(ranking)
    compared = eh.compare(sides["gold"], [sides["fair"], sides["gold"]], trials=0, resamples=0)
    assert not compared.further_scores
    gate = eh.gate(sides["gold"], candidate=sides["fair"], floor={"labeled": 0.9})
    assert gate.beside is None


def test_broken_trees_of_the_gold_standard_are_nobodys_errors() -> None:
    result = score([TREE, "(S (N x)"], [TREE, TREE])
    assert (result["complete"].overall["error"], result["complete-all"].overall["failed"]) == (1, 0)
    assert result["labeled-all"].f1 == result["labeled"].f1 == 1


def test_other_numbers_of_sentences_are_refused() -> None:
    with pytest.raises(eh.InputError, match="ends after 1 sentence, but the gold standard continues"):
        score([TREE, TREE], [TREE])
    with pytest.raises(eh.InputError, match="the gold standard ends after 1 sentence"):
        score([TREE], [TREE, TREE])
    assert score([TREE], [TREE, ""])["labeled"].f1 == 1


EXAMPLES = ROOT / "src" / "evenhand" / "examples" / "constituents"


def test_no_figure_depends_on_parts() -> None:
    gold, *systems = (EXAMPLES / f"{name}.mrg" for name in ("gold", "pcfg", "chunks", "neural"))
    commands: list[Callable[[], Any]] = [
        partial(eh.score, gold, systems),
        partial(eh.compare, gold, systems, trials=20, resamples=20),
        partial(eh.report, gold, systems, trials=0, resamples=0),
    ]
    for command in commands:
        whole = command()
        with small_blocks(200):
            assert command().to_json() == whole.to_json()


def test_sentences_left_out_are_numbered_through_all_parts(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.mrg", tmp_path / "system.mrg"
    gold.write_text(f"{TREE}\n" * 9)
    system.write_text(f"{TREE}\n" * 8 + TREE.replace("mat", "hat") + "\n")
    with small_blocks(200):
        result = eh.score(gold, system)
        lists = eh.score(eh.read(gold), eh.constituents(system.read_text().splitlines()))
    message = "error: the system has the word 'hat', the gold standard 'mat'"
    assert result["complete"].further["left_out"] == {f"{system}:9": message}
    assert lists["complete"].further["left_out"] == {"sentence 9": message}
    system.write_text(f"{TREE}\n" * 8)
    with (
        small_blocks(200),
        pytest.raises(eh.InputError, match="ends after 8 sentences, but the gold standard continues"),
    ):
        eh.score(gold, system)


# Random trees

LABELS, TAGS, WORDS = ("S", "NP", "NP-SBJ", "PRT", "ADVP", "TOP", "-X"), ("N", "V", ",", "''", "POS"), ("a", "b", "'")
words = st.tuples(st.sampled_from(TAGS), st.sampled_from(WORDS)).map(lambda pair: f"({pair[0]} {pair[1]})")
trees = st.recursive(
    words | st.just("(-NONE- *)"),
    lambda inner: st.tuples(st.sampled_from(LABELS) | st.just(""), st.lists(inner, max_size=4)).map(
        lambda node: f"({node[0]} {' '.join(node[1])})"
    ),
    max_leaves=12,
)
PRM = """CUTOFF_LEN 4
DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL ,
DELETE_LABEL ''
DELETE_LABEL_FOR_LENGTH -NONE-
QUOTE_LABEL ''
QUOTE_LABEL POS
EQ_LABEL ADVP PRT
EQ_WORD a b
"""


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two lines: unlike trees, or a tree and the same words under other brackets; some are broken."""
    gold = draw(trees)
    if draw(st.booleans()):
        return gold, draw(trees)
    leaves = re.findall(r"\([^\s()]+ [^\s()]+\)", gold)
    bounds = st.tuples(st.integers(0, len(leaves)), st.integers(0, len(leaves))).map(sorted)
    spans = draw(st.lists(st.tuples(bounds, st.sampled_from(LABELS)), max_size=5))
    kept: list[tuple[int, int, str]] = []
    for (start, end), label in spans:
        if all(end <= a or start >= b or (a <= start and end <= b) or (start <= a and b <= end) for a, b, _ in kept):
            kept.append((start, end, label))
    line = " ".join(leaves)
    for start, end, label in sorted(kept, key=lambda span: span[1] - span[0]):
        leaves[start:end] = (
            [f"({label} {' '.join(leaves[start:end])})", *[""] * (end - start - 1)] if end > start else []
        )
    line = " ".join(leaves)
    return gold, draw(st.sampled_from([line, line, line, line[:-1], f"{line} x", f"{line})"]))


@given(st.lists(pairs(), min_size=1, max_size=6), st.booleans())
def test_random_trees_agree_with_the_slow_definition(tmp_path_factory: Any, lines: Any, labeled: bool) -> None:
    text = PRM + f"LABELED {int(labeled)}\n"
    prm = tmp_path_factory.mktemp("prm") / "own.prm"
    prm.write_text(text)
    rules = slow.rules_of(text)
    wanted = [slow.sentence(*pair, rules) for pair in lines]
    result = score(*map(list, zip(*lines, strict=True)), prm=str(prm))
    for end, some in (("", wanted), ("-short", [each for each in wanted if each.length <= rules.cutoff])):
        agree(result, end, some)


def agree(result: eh.Result, end: str, some: list[slow.Sentence]) -> None:
    found, valid = slow.summary(some), [item for item in some if item.status == "valid"]
    complete, crossing = (result[f"{name}{end}"].overall for name in ("complete", "crossing"))
    assert [complete[name] for name in ("valid", "error", "skip")] == [found[n] for n in ("valid", "error", "skip")]
    assert complete["complete"] == sum(item.is_complete for item in valid)
    assert crossing["crossings"] == sum(item.crossing for item in valid)
    assert crossing["two_or_less"] == sum(item.crossing <= 2 for item in valid)
    labeled = result[f"labeled{end}"].overall
    assert labeled["TP"] == sum(item.matched for item in valid)
    gold = sum(labeled[kind] for kind in ("TP", "LE", "BES", "BEL", "FN"))
    assert gold == sum(item.gold for item in valid)
    assert gold - labeled["FN"] + labeled["FP"] == sum(item.test for item in valid)
    tagging = result[f"tagging{end}"].overall
    assert (tagging["right"], tagging["words"]) == (sum(e.tags for e in valid), sum(e.words for e in valid))


@given(st.lists(pairs(), min_size=1, max_size=4))
def test_swapped_sides_swap_precision_and_recall(lines: Any) -> None:
    gold, system = map(list, zip(*lines, strict=True))
    one, other = score(gold, system), score(system, gold)
    if one["complete"].overall["error"] == other["complete"].overall["error"]:
        for model in ("labeled", "unlabeled"):
            mine, theirs = one[model].overall, other[model].overall
            assert mine["TP"] == theirs["TP"]
            if not isnan(mine.f1) and not isnan(theirs.f1):  # a gold standard without brackets
                assert (mine.precision, mine.recall) == (theirs.recall, theirs.precision)


@given(st.lists(st.tuples(*[st.sampled_from(("''", "POS", ",", "N", "")) for _ in range(2)]), max_size=12))
def test_random_quotes_are_mended_as_slowly(tmp_path_factory: Any, tags: list[tuple[str, str]]) -> None:
    """Quotation marks whose tags differ, or which a side lacks."""
    lines = tuple(
        " ".join(f"({tag} ')" for tag in side if tag) + " (V go)"
        for side in ([a for a, _ in tags], [b for _, b in tags])
    )
    prm = tmp_path_factory.mktemp("prm") / "own.prm"
    prm.write_text(PRM)
    gold, system = (f"(S (X {line}))" for line in lines)
    agree(score([gold], [system], prm=str(prm)), "", [slow.sentence(gold, system, slow.rules_of(PRM))])
