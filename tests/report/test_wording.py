"""The texts of pages."""

from __future__ import annotations

import pytest

from evenhand.report.html.sections import short_names, shortened, with_minus, without_options


def test_long_names_lose_common_parts() -> None:
    names = [f"experiment-2024-05-{day}-roberta-large-finetuned-on-news-and-blogs" for day in (11, 12)]
    assert list(short_names(names).values()) == ["11", "12"]
    assert list(short_names(["crf", "bert-base-cased"]).values()) == ["crf", "bert-base-cased"]


def test_long_names_lose_their_middle_and_remain_distinct() -> None:
    names = ["crf", *(f"bert-base-multilingual-{seed}-finetuned-on-news" for seed in range(3))]
    short = short_names(names)
    assert short["crf"] == "crf"
    assert all("…" in short[name] for name in names[1:])
    assert len(set(short.values())) == 4
    assert max(map(len, short.values())) < 29


def test_names_in_sentences_have_titles() -> None:
    name = "a" * 30 + "<b>"
    sentence = shortened(f"{name} leads b & c.", {name: "a…a<b>", "b": "b"})
    assert sentence == f'<span title="{"a" * 30}&lt;b&gt;">a…a&lt;b&gt;</span> leads b &amp; c.'


@pytest.mark.parametrize(
    ("note", "without"),
    [
        ("3 pairs of 120; --as csv has them all.", "3 pairs of 120."),
        ("2 words differ (the first one: a.conll:3; --align strict rejects them).", "2 words differ (the first one: a.conll:3)."),
        ("its tags look like BIO but are judged as IOB1 (--encoding system:bio overrides).", "its tags look like BIO but are judged as IOB1."),
        ("200 trials allow no p-value below 5 %; set --trials to 10000 or compare with one --baseline.", "200 trials allow no p-value below 5 %."),
        ("First. Use --errors skip. Last.", "First. Last."),
        ("only these labels count (--labels): PER, LOC.", "only these labels count: PER, LOC."),
        ("nothing to remove; really.", "nothing to remove; really."),
    ],
)  # fmt: skip
def test_pages_have_no_options_of_commands(note: str, without: str) -> None:
    assert without_options(note) == without


def test_one_minus_sign() -> None:
    assert with_minus("-0.14 – +0.93") == "−0.14 – +0.93"
    assert with_minus("-.5 2024-05-01 a-1 x - 3") == "−.5 2024-05-01 a-1 x - 3"
