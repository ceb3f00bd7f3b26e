"""Forms of a text keep the range of every character in the original."""

from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.search import UNFOLDING, Form, Forms, plain_spaces, spaced, spell

ODD = "aé\u0301e\u0301ßİ…“’–`\u200b\u00ad \t\n\u00a0.,_張カ\u3099ก\u0e35각\u1100\u1161\u11a8½ﬁ\ufe0f😀\u2126"
texts = st.text(st.sampled_from(ODD) | st.characters(codec="utf-8"), max_size=30)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("the “Great  Wall”", 'the "Great Wall"'),
        ("‘a’ ‚b‛ ′ ʼ ` ´", "'a' 'b' ' ' ' '"),
        ("«a» „b‟ ″", '"a" "b" "'),
        ("1–2—3‐4‑5‒6―7−8", "1-2-3-4-5-6-7-8"),
        ("so…", "so..."),
        ("\u200bsoft\u00adhyphen \u200b and\ufeff ", "softhyphen and"),
        ("\t a\u00a0\n b ", "a b"),
        ("e\u0301", "é"),
        ("\u1112\u1161\u11ab", "한"),
        ("e\u200d\u0301", "e\u0301"),
    ],
)
def test_spaces(text: str, form: str) -> None:
    assert Forms(text).spaces.text == spell(text).spaces == form


def test_case_tokens_and_punctuation_come_from_each_other() -> None:
    forms = Forms("Die  „Große Straße“ (N\u0303) _½")
    assert forms.case.text == 'die "grosse strasse" (ñ) _½'
    assert forms.tokens.text == 'die"grossestrasse"(ñ)_½'
    assert forms.punctuation.text == "diegrossestrasseñ½"


def test_punctuation_keeps_marks() -> None:
    assert spell("हिन्दी, กี่!").punctuation == "हिन्दीกี่"


def original(text: str, form: Form) -> list[str]:
    return [text[slice(*form.span(at, at + 1))] for at in range(len(form.text))]


def test_characters_keep_their_ranges() -> None:
    text = " a\t b e\u0301…ß"
    assert original(text, Forms(text).spaces) == ["a", "\t ", "b", " ", "e\u0301", "…", "…", "…", "ß"]
    assert original(text, Forms(text).tokens) == ["a", "b", "e\u0301", "…", "…", "…", "ß", "ß"]


def all_forms(text: str) -> list[Form]:
    forms = Forms(text)
    return [forms.exact, forms.spaces, forms.case, forms.tokens, forms.punctuation]


@given(texts)
def test_ranges_are_monotone_and_lie_in_the_text(text: str) -> None:
    for form in all_forms(text):
        spans = [form.span(at, at + 1) for at in range(len(form.text))]
        assert len(form.starts) == len(form.text)
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(one == other or one[1] <= other[0] for one, other in itertools.pairwise(spans))


@given(texts)
def test_strings_are_spelt_as_texts_are(text: str) -> None:
    spelling = spell(text)
    assert [form.text for form in all_forms(text)] == [
        *(spelling.exact, spelling.spaces, spelling.case, spelling.tokens, spelling.punctuation)
    ]


@given(st.text(st.sampled_from("aß “–`.é張\n…"), max_size=12))
def test_the_short_way_to_spaces_equals_the_general_one(text: str) -> None:
    plain = plain_spaces(text)
    if plain is not None:
        general = spaced(text)
        assert plain == general.text
        assert [*general.starts] == [*range(len(text))]
        assert general.ends == [*range(1, len(text) + 1)]


def test_characters_that_fold_to_several_are_known() -> None:
    several = [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).casefold()) != 1]
    assert len(several) > 100
    assert all(UNFOLDING.match(character) for character in several)
