"""Tags of words: accuracy, tables by tag, confusion, correct sentences, and words that one side does not have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import evenhand as eh

Score = Callable[..., eh.Result]

GOLD = """
    I PRON PRP
    can AUX MD
    fish VERB VB
    now ADV RB

    Fish NOUN NNS
    swim VERB VBP
"""
SYSTEM = """
    I PRON PRP
    can VERB VB
    fish NOUN NN
    now ADV RB

    Fish NOUN NNP
    swim VERB VBP
"""
"""UPOS: `can` and `fish` are wrong, so that the second sentence is right; XPOS: `Fish` is wrong too."""


def conllu(text: str) -> str:
    """CoNLL-U without trees, from rows `form upos xpos`."""
    lines, number = [], 0
    for row in text.strip().splitlines():
        number = number + 1 if row.strip() else 0
        form, upos, xpos = [*row.split(), *"___"][:3]
        lines.append("\t".join([str(number), form, "_", upos, xpos, *"_____"]) if number else "")
    return "\n".join(lines) + "\n"


@pytest.fixture
def score(tmp_path: Path) -> Score:
    def scored(gold: str, system: str, **options: object) -> eh.Result:
        (tmp_path / "gold.conllu").write_text(conllu(gold))
        (tmp_path / "system.conllu").write_text(conllu(system))
        options = {"task": "tags", **options}
        return eh.score(tmp_path / "gold.conllu", tmp_path / "system.conllu", **options)  # type: ignore[typeddict-item]

    return scored


def test_accuracy_is_the_share_of_words_with_the_right_tag(score: Score) -> None:
    found = score(GOLD, SYSTEM)["accuracy"]
    assert found.headline == 4 / 6
    assert found.overall.counts == {"correct": 4, "gold": 6, "system": 6}


def test_the_column_of_tags_is_upos_unless_another_is_named(score: Score) -> None:
    assert score(GOLD, SYSTEM, column="upos")["accuracy"].headline == 4 / 6
    assert score(GOLD, SYSTEM, column="xpos")["accuracy"].headline == 3 / 6
    assert score(GOLD, SYSTEM, column=5)["accuracy"].headline == 3 / 6
    assert score(GOLD, SYSTEM, column={"gold": "upos", "system": "xpos"})["accuracy"].headline == 0


def test_by_tag_recall_is_over_gold_words_and_precision_over_system_words(score: Score) -> None:
    """VERB: two in the gold standard (fish, swim), two of the system (can, swim); NOUN: one, and two."""
    labels = score(GOLD, SYSTEM)["accuracy"].labels
    assert (labels["VERB"].precision, labels["VERB"].recall, labels["VERB"].f1) == (1 / 2, 1 / 2, 1 / 2)
    assert (labels["NOUN"].precision, labels["NOUN"].recall, labels["NOUN"].f1) == (1 / 2, 1, 2 / 3)
    assert (labels["AUX"].precision, labels["AUX"].recall, labels["AUX"].f1) == (0, 0, 0)
    assert labels["NOUN"].counts == {"correct": 1, "gold": 1, "system": 2}
    assert list(labels) == ["ADV", "AUX", "NOUN", "PRON", "VERB"]


def test_tags_that_are_confused(score: Score) -> None:
    assert score(GOLD, SYSTEM)["accuracy"].confusion == {"AUX": {"VERB": 1}, "VERB": {"NOUN": 1}}


def test_a_sentence_is_correct_if_all_its_tags_are(score: Score) -> None:
    sentences = score(GOLD, SYSTEM)["accuracy"].sentences
    assert (sentences.correct, sentences.total, sentences.share) == (1, 2, 1 / 2)
    assert score(GOLD, SYSTEM, column="xpos")["accuracy"].sentences.correct == 0
    assert score(GOLD, GOLD)["accuracy"].sentences.correct == 2


def test_labels_and_exclude_choose_by_the_tag_in_the_gold_standard(score: Score) -> None:
    """The verbs are `fish`, which is wrong, and `swim`; the nouns are `Fish` alone."""
    verbs = score(GOLD, SYSTEM, labels="VERB")["accuracy"]
    assert (verbs.headline, verbs.overall["gold"], verbs.overall["system"]) == (1 / 2, 2, 2)
    assert (verbs.sentences.correct, verbs.sentences.total) == (1, 2)
    nouns = score(GOLD, SYSTEM, labels="NOUN")["accuracy"]
    assert (nouns.headline, nouns.sentences.total) == (1, 1)
    assert score(GOLD, SYSTEM, exclude="VERB,AUX")["accuracy"].headline == 1


def test_tags_can_be_mapped(score: Score) -> None:
    assert score(GOLD, SYSTEM, map={"AUX": "VERB"})["accuracy"].headline == 5 / 6
    assert score(GOLD, SYSTEM, map={"system:NOUN": "VERB"})["accuracy"].headline == 4 / 6


def test_a_colon_in_a_tag_begins_no_subtype(score: Score) -> None:
    assert score("a N:sg", "a N:pl")["accuracy"].headline == 0


def test_punctuation_is_told_by_form_or_tag(score: Score) -> None:
    gold, system = "a X X\n . PUNCT .\n $ SYM $\n", "a X X\n . X X\n $ X X\n"
    assert score(gold, system)["accuracy"].headline == 1 / 3
    assert score(gold, system, punctuation="form")["accuracy"].headline == 1 / 2
    assert score(gold, system, punctuation="pos:PUNCT,SYM")["accuracy"].headline == 1
    with pytest.raises(eh.SettingError, match="Tags have no relations; choose punctuation by its form, or by tags"):
        score(gold, system, punctuation="relation")


CAN_NOT = "we PRON\n can AUX\n not PART\n go VERB"
CANNOT = "we PRON\n cannot AUX\n go NOUN"


def test_a_word_that_the_system_does_not_have_is_wrong(score: Score) -> None:
    """Of we can not go, only we and go are there; go is wrong."""
    result = score(CAN_NOT, CANNOT)
    assert result["accuracy"].headline == 1 / 4
    assert result["accuracy"].labels["PART"].counts == {"correct": 0, "gold": 1, "system": 0}
    assert result["accuracy"].confusion == {"AUX": {"": 1}, "PART": {"": 1}, "VERB": {"NOUN": 1}, "": {"AUX": 1}}
    assert "system system: has no word for 2 of the 4 words of the gold standard" in result.notes[0]


def test_a_word_that_only_the_system_has_counts_for_the_precision_of_its_tag(score: Score) -> None:
    """`can` and `not` are extra: an AUX and a PART more."""
    result = score(CANNOT, CAN_NOT)["accuracy"]
    assert result.headline == 1 / 3
    assert result.overall.counts == {"correct": 1, "gold": 3, "system": 4}
    assert (result.precision, result.recall) == (1 / 4, 1 / 3)
    assert result.labels["PART"].counts == {"correct": 0, "gold": 0, "system": 1}


def test_an_extra_word_counts_in_the_sentence_in_which_it_begins(tmp_path: Path) -> None:
    """The system's only sentence has both of the gold standard's; its `b` and `c` begin in the second."""
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(conllu("a X\n\n bc Y"))
    system.write_text(conllu("a X\n b Y\n c Z"))
    tally = eh.score(gold, system, task="tags", groups="sentence").tallies["tags"]
    assert tally.cells() == {
        (0, "X", "X", "right"): 1,
        (1, "Y", "", "missing"): 1,
        (1, "", "Y", "extra"): 1,
        (1, "", "Z", "extra"): 1,
    }


def test_tags_of_column_files_are_compared_as_they_stand(tmp_path: Path) -> None:
    """Two columns, word and tag, in files that are no CoNLL-U."""
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text("a\tDT\nb\tNN\n\nc\tVB\n")
    system.write_text("a\tDT\nb\tVB\n\nc\tVB\n")
    found = eh.score(gold, system, task="tags")["accuracy"]
    assert found.headline == 2 / 3
    assert (found.sentences.correct, found.sentences.total) == (1, 2)


@pytest.mark.parametrize("option", [{"subtypes": True}, {"levels": "separate"}, {"baselines": True}])
def test_options_that_would_change_nothing_are_refused(score: Score, option: dict[str, object]) -> None:
    with pytest.raises(eh.SettingError, match=f"{next(iter(option))} has no effect on tags; remove it"):
        score(GOLD, SYSTEM, **option)
