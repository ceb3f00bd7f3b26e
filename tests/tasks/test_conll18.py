"""The thirteen metrics of the CoNLL 2018 shared task, on sentences small enough to count by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh

Counts = dict[str, list[float | None]]
Score = Callable[..., Counts]

GOLD = """
    The the DET DT Definite=Def|PronType=Art 2 det
    dogs dog NOUN NNS Number=Plur 3 nsubj
    sleep sleep VERB VBP Mood=Ind 0 root
    . . PUNCT . _ 3 punct
"""
"""Four words; two have content relations (nsubj, root), one a functional one (det), one neither (punct)."""


def conllu(text: str) -> str:
    """CoNLL-U from rows `form lemma upos xpos feats head relation`, or `1-2 form` for a token of two words."""
    lines, number = [], 0
    for row in text.strip().splitlines():
        cells = row.split()
        if len(cells) == 7:
            number += 1
            lines.append("\t".join([str(number), *cells, "_", "_"]))
        else:
            number = number if cells else 0
            lines.append("\t".join([*cells, *"_" * 8]) if cells else "")
    return "\n".join(lines) + "\n\n"


@pytest.fixture
def score(tmp_path: Path) -> Score:
    """What each metric counts: correct, gold, system and, where it has an aligned accuracy, aligned."""

    def scored(gold: str, system: str, **options: object) -> Counts:
        (tmp_path / "gold.conllu").write_text(conllu(gold))
        (tmp_path / "system.conllu").write_text(conllu(system))
        found = eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", match="conll18", **options)  # type: ignore[typeddict-item]
        return {name.removeprefix("conll18-"): list(found[name].overall.counts.values()) for name in found.scores}

    return scored


def changed(*pairs: tuple[str, str]) -> str:
    """The gold sentence with some texts replaced by others."""
    text = GOLD
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


IM_HAUS = """
    1-2 im
    in in ADP IN _ 3 case
    dem der DET DT _ 3 det
    Haus Haus NOUN NN _ 0 root
"""
TWO_SENTENCES = """
    Go go VERB VB _ 0 root
    ! ! PUNCT . _ 1 punct

    Stop stop VERB VB _ 0 root
    ! ! PUNCT . _ 1 punct
"""
ONE_SENTENCE = """
    Go go VERB VB _ 0 root
    ! ! PUNCT . _ 1 punct
    Stop stop VERB VB _ 1 parataxis
    ! ! PUNCT . _ 3 punct
"""


def test_a_multi_word_token_is_one_token_and_as_many_words_as_it_has(score: Score) -> None:
    counts = score(IM_HAUS, IM_HAUS)
    assert counts["tokens"] == [2, 2, 2]
    assert counts["words"] == [3, 3, 3]


def test_a_multi_word_token_and_a_plain_word_with_its_characters_are_the_same_token(score: Score) -> None:
    counts = score(IM_HAUS, "im im ADP IN _ 2 case\n Haus Haus NOUN NN _ 0 root")
    assert counts["tokens"] == [2, 2, 2]
    assert counts["words"] == [1, 3, 2]


def test_tokens_match_on_the_same_characters(score: Score) -> None:
    """Ca|n't against Can|'t: of the tokens only the last one, go, is the same."""
    gold = "Ca can AUX MD _ 3 aux\n n't not PART RB _ 3 advmod\n go go VERB VB _ 0 root"
    system = "Can can AUX MD _ 3 aux\n 't not PART RB _ 3 advmod\n go go VERB VB _ 0 root"
    assert score(gold, system)["tokens"] == [1, 3, 3]


def test_sentences_match_on_the_same_characters(score: Score) -> None:
    assert score(TWO_SENTENCES, ONE_SENTENCE)["sentences"] == [0, 2, 1]
    assert score(TWO_SENTENCES, TWO_SENTENCES)["sentences"] == [2, 2, 2]
    split = "Go go VERB VB _ 0 root\n ! ! PUNCT . _ 1 punct\n\n Stop stop VERB VB _ 0 root\n\n ! ! PUNCT . _ 0 root"
    assert score(TWO_SENTENCES, split)["sentences"] == [1, 2, 3]


def test_words_are_all_that_are_aligned(score: Score) -> None:
    """`do n't` against `don't`: of We do n't know, We and know are aligned."""
    gold = "We we PRON _ _ 4 nsubj\n do do AUX _ _ 4 aux\n n't not PART _ _ 4 advmod\n know know VERB _ _ 0 root"
    system = "We we PRON _ _ 3 nsubj\n don't do AUX _ _ 3 aux\n know know VERB _ _ 0 root"
    assert score(gold, system)["words"] == [2, 4, 3]


def test_upos_xpos_and_alltags(score: Score) -> None:
    """One wrong UPOS (dogs), two wrong XPOS (The, dogs), one wrong feature (sleep): one word has all right."""
    system = changed(("DET DT", "DET D"), ("NOUN NNS", "VERB N"), ("Mood=Ind", "Mood=Sub"))
    counts = score(GOLD, system)
    assert counts["upos"] == [3, 4, 4, 4]
    assert counts["xpos"] == [2, 4, 4, 4]
    assert counts["ufeats"] == [3, 4, 4, 4]
    assert counts["alltags"] == [1, 4, 4, 4]


def test_the_order_of_features_does_not_count(score: Score) -> None:
    system = changed(("Definite=Def|PronType=Art", "PronType=Art|Definite=Def"))
    assert score(GOLD, system)["ufeats"] == [4, 4, 4, 4]


def test_a_missing_and_an_additional_feature_are_wrong(score: Score) -> None:
    system = changed(("Definite=Def|PronType=Art", "Definite=Def"), ("Number=Plur", "Case=Nom|Number=Plur"))
    assert score(GOLD, system)["ufeats"] == [2, 4, 4, 4]


# fmt: off
FEATURES = (
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
)
CONTENT = (
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "dep",
)
# fmt: on


@pytest.mark.parametrize("feature", FEATURES)
def test_the_twenty_one_features_count(score: Score, feature: str) -> None:
    sides = (f"a a X _ {feature}={value} 0 root" for value in ("One", "Two"))
    assert score(*sides)["ufeats"] == [0, 1, 1, 1]


@pytest.mark.parametrize("feature", ["Typo", "Number[psor]", "ExtPos", "case"])
def test_other_features_do_not_count(score: Score, feature: str) -> None:
    sides = (f"a a X _ Case=Nom|{feature}={value} 0 root" for value in ("One", "Two"))
    assert score(*sides)["ufeats"] == [1, 1, 1, 1]


def test_a_gold_lemma_that_is_an_underscore_is_always_right(score: Score) -> None:
    gold = changed(("dogs dog", "dogs _"), ("sleep sleep", "sleep slept"))
    counts = score(gold, GOLD)
    assert counts["lemmas"] == [3, 4, 4, 4]
    assert counts["blex"] == [1, 2, 2, 2]


def test_a_system_lemma_that_is_an_underscore_is_not(score: Score) -> None:
    counts = score(GOLD, changed(("dogs dog", "dogs _")))
    assert counts["lemmas"] == [3, 4, 4, 4]
    assert counts["blex"] == [1, 2, 2, 2]


def test_uas_takes_heads_and_las_relations_too(score: Score) -> None:
    """The wrong head of `The` costs both, the wrong relation of `dogs` costs LAS."""
    counts = score(GOLD, changed(("Art 2 det", "Art 3 det"), ("nsubj", "obj")))
    assert counts["uas"] == [3, 4, 4, 4]
    assert counts["las"] == [2, 4, 4, 4]


def test_subtypes_do_not_count(score: Score) -> None:
    counts = score(changed(("nsubj", "nsubj:pass")), changed(("nsubj", "nsubj:outer"), ("root", "root:x")))
    assert counts["las"] == [4, 4, 4, 4]
    assert counts["mlas"] == counts["clas"] == [2, 2, 2, 2]


def test_a_root_is_the_head_of_roots_only(score: Score) -> None:
    """In one sentence of two, the second root hangs on the first word; the heads of all others are the same."""
    counts = score(TWO_SENTENCES, ONE_SENTENCE)
    assert counts["uas"] == [3, 4, 4, 4]
    assert score(ONE_SENTENCE, TWO_SENTENCES)["uas"] == [3, 4, 4, 4]


def test_a_head_without_a_counterpart_is_wrong(score: Score) -> None:
    """`We` is aligned and hangs on a verb on both sides, but these verbs cover other characters."""
    gold = "We we PRON _ _ 2 nsubj\n do do VERB _ _ 0 root\n n't not PART _ _ 2 advmod"
    counts = score(gold, "We we PRON _ _ 2 nsubj\n don't do VERB _ _ 0 root")
    assert counts["uas"] == [0, 3, 2, 1]
    assert counts["clas"] == [0, 3, 2, 1]


def test_a_head_without_a_counterpart_is_not_the_root(score: Score) -> None:
    gold = "We we PRON _ _ 0 root\n do do VERB _ _ 1 x\n n't not PART _ _ 1 x"
    assert score(gold, "We we PRON _ _ 2 nsubj\n don't do VERB _ _ 0 root")["uas"] == [0, 3, 2, 1]


def test_heads_are_compared_through_the_alignment(score: Score) -> None:
    """A split first word moves all numbers; dogs, sleep and the full stop keep their heads."""
    split = "Th th X _ _ 3 det\n e e X _ _ 3 det\n dogs dog NOUN NNS Number=Plur 4 nsubj\n"
    split += "sleep sleep VERB VBP Mood=Ind 0 root\n . . PUNCT . _ 4 punct"
    assert score(GOLD, split)["las"] == [3, 4, 5, 3]


def test_clas_has_a_denominator_of_its_own_on_each_side(score: Score) -> None:
    """The system calls `The` an amod: it has three content words, the gold standard two."""
    gold, system = GOLD, changed(("Art 2 det", "Art 2 amod"))
    assert score(gold, system)["clas"] == [2, 2, 3, 2]
    assert score(system, gold)["clas"] == [2, 3, 2, 3]


@pytest.mark.parametrize("relation", CONTENT)
def test_content_relations(score: Score, relation: str) -> None:
    text = f"a a X _ _ 0 root\n b b X _ _ 1 {relation}"
    assert score(text, text)["clas"] == [2, 2, 2, 2]


@pytest.mark.parametrize("relation", ["aux", "cop", "mark", "det", "clf", "case", "cc"])
def test_functional_relations(score: Score, relation: str) -> None:
    """They are no content, and the word above is wrong in MLAS if their UPOS is."""
    sides = [f"a a X _ _ 0 root\n b b {upos} _ _ 1 {relation}" for upos in ("X", "Y")]
    assert score(*sides)["clas"] == [1, 1, 1, 1]
    assert score(*sides)["mlas"] == [0, 1, 1, 1]


@pytest.mark.parametrize("relation", ["punct", "unknown", "_", "Det"])
def test_other_relations_are_neither_content_nor_functional(score: Score, relation: str) -> None:
    sides = [f"a a X _ _ 0 root\n b b {upos} _ _ 1 {relation}" for upos in ("X", "Y")]
    assert score(*sides)["clas"] == [1, 1, 1, 1]
    assert score(*sides)["mlas"] == [1, 1, 1, 1]
    assert score(*sides)["las"] == [2, 2, 2, 2]


MLAS_CASES = {
    "all the same": ((), [2, 2, 2, 2]),
    "wrong UPOS": ((("NOUN", "VERB"),), [1, 2, 2, 2]),
    "wrong feature": ((("Number=Plur", "Number=Sing"),), [1, 2, 2, 2]),
    "other lemma and XPOS": ((("dog NOUN NNS", "x NOUN x"), ("the DET DT", "x DET x")), [2, 2, 2, 2]),
    "child that is no functional one": ((("Art 2 det", "Art 2 punct"),), [1, 2, 2, 2]),
    "additional child": (((". _ 3 punct", ". _ 3 cc"),), [1, 2, 2, 2]),
    "child attached elsewhere": ((("Art 2 det", "Art 3 det"),), [0, 2, 2, 2]),
    "child with another relation": ((("Art 2 det", "Art 2 case"),), [1, 2, 2, 2]),
    "child with another subtype": ((("Art 2 det", "Art 2 det:predet"),), [2, 2, 2, 2]),
    "child with another UPOS": ((("DET", "PRON"),), [1, 2, 2, 2]),
    "child with another feature": ((("Definite=Def|", ""),), [1, 2, 2, 2]),
    "child with another feature that does not count": ((("=Art", "=Art|Typo=Yes"),), [2, 2, 2, 2]),
    "another word as the only child": ((("2 det", "2 punct"), ("3 punct", "2 det")), [1, 2, 2, 2]),
}


@pytest.mark.parametrize("case", MLAS_CASES)
def test_mlas(score: Score, case: str) -> None:
    """Of the content words `dogs`, with the child `The`, and `sleep`, without any."""
    changes, expected = MLAS_CASES[case]
    assert score(GOLD, changed(*changes))["mlas"] == expected


def test_a_functional_child_without_a_counterpart_is_missing(score: Score) -> None:
    """`in dem` against a plain `im`: both sides of Haus have functional children, of which none is aligned."""
    plain = "im im ADP IN _ 2 case\n Haus Haus NOUN NN _ 0 root"
    assert score(IM_HAUS, plain)["mlas"] == [0, 1, 1, 1]
    assert score(IM_HAUS, plain)["clas"] == [1, 1, 1, 1]


def test_blex_takes_the_lemma_and_no_tags(score: Score) -> None:
    assert score(GOLD, changed(("dog NOUN NNS Number=Plur", "dog X X _")))["blex"] == [2, 2, 2, 2]
    assert score(GOLD, changed(("dogs dog", "dogs dogs")))["blex"] == [1, 2, 2, 2]


def test_scores_from_counts(tmp_path: Path) -> None:
    """CLAS: 2 correct of 2 gold, 3 system and 2 aligned words, and F1 = 4 / 5."""
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(conllu(GOLD))
    system.write_text(conllu(changed(("Art 2 det", "Art 2 amod"))))
    found = eh.score(gold, system)["conll18-clas"]
    assert (found.precision, found.recall, found.f1) == (pytest.approx(2 / 3), 1, pytest.approx(4 / 5))
    assert found.overall.more == {"aligned_accuracy": 1}


@pytest.mark.parametrize(
    "options", [{"labels": "nsubj"}, {"exclude": "nsubj"}, {"punctuation": "relation"}, {"subtypes": True}]
)
def test_what_chooses_words_changes_nothing(score: Score, options: dict[str, object]) -> None:
    gold, system = changed(("nsubj", "nsubj:pass")), changed(("nsubj", "nsubj:outer"), ("Art 2 det", "Art 3 det"))
    assert score(gold, system, **options) == score(gold, system)
