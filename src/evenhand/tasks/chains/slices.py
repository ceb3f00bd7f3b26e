"""Slices of mentions."""

from __future__ import annotations

from evenhand.arrays import Ints, ints
from evenhand.problems import SettingError
from evenhand.tasks.answers import Answers
from evenhand.tasks.chains.kinds import NOUNS
from evenhand.tasks.places import Places
from evenhand.text.labels import Codes


def by_pronoun(answers: Answers, places: Places, names: Codes[str], labels: Codes[str]) -> Ints:
    """Mentions that are not nominal by their word, in small letters; `labels` are the types of mentions."""
    if answers.gold_antecedent is None or labels.find(NOUNS) is None:
        raise SettingError("The slice 'pronoun' is for mentions, and takes the POS of words; leave it out.")
    noun, nouns = labels.find(NOUNS), names.code(NOUNS)
    rows = zip(*(column.tolist() for column in (answers.label, answers.sentence, answers.start)), strict=True)
    return ints(
        [
            nouns if label == noun else names.code((places.words(sentence, start, start + 1) or "").lower())
            for label, sentence, start in rows
        ]
    )
