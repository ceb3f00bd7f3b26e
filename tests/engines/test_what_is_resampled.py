"""What tests and intervals resample: nothing if there is one group, sentences if documents are too few to decide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.report.verdict import verdict

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")]
NOTHING = "nothing can be resampled, as the gold standard has 1 {}: no intervals and no tests."


def spans(*sentences: list) -> eh.Annotation:
    return eh.spans(list(sentences), end="exclusive", tokens=[["t"] * 10 for _ in sentences])


def one_sentence() -> tuple[eh.Annotation, dict[str, eh.Annotation]]:
    gold = [("PER", place, place + 1) for place in range(8)]
    return spans(gold), {"good": spans(gold[:6]), "bad": spans(gold[:1])}


def tagged(documents: list[list[str]]) -> str:
    """CoNLL with one sentence per string of tags, documents apart."""
    return "".join(
        "-DOCSTART- O\n\n" + "".join("".join(f"w {tag}\n" for tag in sentence.split()) + "\n" for sentence in document)
        for document in documents
    )


# Nothing to resample


def test_one_sentence_has_a_sentence_instead_of_intervals_and_clusters() -> None:
    gold, systems = one_sentence()
    ranking = eh.rank(gold, systems)
    assert (ranking.resamples, ranking.groups, ranking.clusters) == (0, None, None)
    assert all(each.interval is None for model in ranking.models for each in ranking[model].values())
    assert ranking.notes[-1] == NOTHING.format("sentence")
    text = str(ranking)
    assert "resamples of" not in text
    assert text.count("nothing can be resampled") == 1
    assert "|resamples:0|of:none|" in ranking.signature
    saved = json.loads(ranking.to_json())
    assert saved["resampling"]["of"] is None
    assert saved["systems"][0]["standings"]["exact"]["interval"] is None
    assert eh.Ranking.from_json(ranking.to_json()).to_json() == ranking.to_json()


def test_a_comparison_of_one_sentence_has_no_test() -> None:
    gold, systems = one_sentence()
    comparison = eh.compare(gold, systems)
    pair = comparison.pair("good", "bad")
    assert (pair.significance, pair.interval) == (None, None)
    assert NOTHING.format("sentence") in comparison.notes
    assert "|of:none|trials:0|resamples:0|" in comparison.signature
    saved = json.loads(comparison.to_json())
    assert (saved["resampling"]["of"], saved["resampling"]["trials"]) == (None, 0)
    assert "significance" not in saved["pairs"][0]
    assert "Seed" not in str(comparison)
    assert eh.Comparison.from_json(comparison.to_json()).to_json() == comparison.to_json()


def test_a_page_of_one_sentence_tells_it_in_the_verdict() -> None:
    gold, systems = one_sentence()
    found = eh.report(gold, systems)
    sentences = verdict(found)
    assert sentences[0] == "good leads bad by 63.49 points; no test was made."
    assert sentences[-1] == "N" + NOTHING.format("sentence")[1:]
    page = found.to_html()
    assert page.count("othing can be resampled") == 2, "the verdict and the notes, but no caution"
    assert "95% interval <" not in page
    alone = eh.report(gold, systems["good"])
    assert verdict(alone)[-1] == sentences[-1]


def test_one_document_of_chains_has_nothing_to_resample() -> None:
    gold, system = eh.chains([[[(0, 1), (2, 3)]]]), eh.chains([[[(0, 1), (4, 5)]]])
    ranking = eh.rank(gold, {"a": system, "b": gold})
    assert ranking.notes[-1] == NOTHING.format("document")
    assert ranking.groups is None


@pytest.mark.parametrize(
    ("alpha", "passed", "sentence"),
    [
        (
            None,
            False,
            "The score falls by 63.49 points; the limit is 1 point. The gold standard has one sentence, so there is "
            "nothing to test.",
        ),
        (
            0.05,
            False,
            "The candidate is worse by 63.49 points. The gold standard has one sentence, so there is nothing to test; "
            "use --max-drop.",
        ),
    ],
)
def test_a_gate_on_one_sentence(alpha: float | None, passed: bool, sentence: str) -> None:
    gold, systems = one_sentence()
    gate = eh.gate(gold, systems["good"], systems["bad"], alpha=alpha)
    criterion = gate.criteria[-1]
    assert (criterion.passed, criterion.sentence) == (passed, sentence)
    assert gate.to_dict()["p"] is None
    assert eh.gate(gold, systems["bad"], systems["good"], alpha=alpha).passed


def test_figures_tell_that_nothing_was_resampled() -> None:
    pytest.importorskip("matplotlib")
    gold, systems = one_sentence()
    for found, kind in ((eh.rank(gold, systems), "ranks"), (eh.compare(gold, systems), "comparison")):
        texts = [text.get_text() for text in found.plot(kind).texts]
        assert any("Nothing can be resampled" in " ".join(text.split()) for text in texts)


# Too few documents


def test_the_example_of_trees_is_compared_by_sentence() -> None:
    """Five documents allow no p below 0.0625."""
    gold, *systems = TREES
    found = eh.report(gold, systems)
    comparison = found.comparison
    assert comparison is not None
    assert (comparison.resampling["of"], comparison.resampling["few_documents"]) == ("sentences", 5)
    assert "|of:sentences|" in comparison.signature
    assert (found.ranking.groups, found.ranking.few_documents) == ("sentences", 5)
    sentences = verdict(found)
    assert sentences[0].startswith("neural leads transition by ")
    assert sentences[0].endswith(": evidence of a difference.")
    assert sentences[-1] == (
        "Tests and intervals resample sentences: systems differ in at most 5 documents, too few for any p-value below "
        "0.05 (--of documents resamples these)."
    )
    assert sentences[-1] in str(comparison)
    saved = json.loads(comparison.to_json())
    assert saved["resampling"]["few_documents"] == 5
    assert eh.Comparison.from_json(comparison.to_json()).to_json() == comparison.to_json()


def test_compare_rank_report_and_gate_resample_the_same() -> None:
    gold, rules, _, neural = TREES
    compared = eh.compare(gold, [rules, neural])
    ranked = eh.rank(gold, [rules, neural], match="las")
    gate = eh.gate(gold, rules, neural)
    assert compared.resampling["of"] == ranked.groups == gate.to_dict()["test"]["of"] == "sentences"
    assert ranked.clusters is not None
    assert ranked.cluster("las", "rules") == "B"
    test = compared.pair("rules", "neural").significance
    assert test is not None
    assert gate.to_dict()["p"] == test.p
    assert gate.few_documents == compared.resampling["few_documents"] == ranked.few_documents == 5
    assert eh.Ranking.from_json(ranked.to_json()).to_json() == ranked.to_json()


def test_documents_can_be_forced_and_the_verdict_tells_that_they_cannot_decide() -> None:
    gold, *systems = TREES
    found = eh.report(gold, systems, of="documents")
    assert found.comparison is not None
    assert (found.comparison.resampling["of"], found.ranking.groups) == ("documents", "documents")
    sentences = verdict(found)
    assert sentences[0].endswith("; they differ in 5 documents, too few for a test to decide.")
    assert "Some systems differ in so few documents that no p-value can be below 5 %; use --of sentences." in sentences
    page = found.to_html()
    begin = page.index('<div id="cautions"') if '<div id="cautions"' in page else page.index("</header>")
    assert "so few documents" not in page[begin : page.index('<section id="units"')].partition("</p>")[2]
    ranked = eh.rank(gold, systems, of="documents")
    assert (ranked.groups, ranked.few_documents) == ("documents", None)


def test_enough_documents_stay(tmp_path: Path) -> None:
    """Six documents reach p = 1/32 for one pair, and not for three."""
    sentences = {"gold": ["A A", "A A"], "good": ["A A", "A A"], "bad": ["A X", "A A"], "worst": ["A X", "X A"]}
    for name, each in sentences.items():
        (tmp_path / f"{name}.conll").write_text(tagged([each] * 6))
    gold, good, bad, worst = (tmp_path / f"{name}.conll" for name in sentences)
    options: dict[str, Any] = {"task": "tags"}
    one_pair = eh.compare(gold, [good, bad], **options)
    assert (one_pair.resampling["of"], one_pair.resampling["few_documents"]) == ("documents", None)
    assert eh.rank(gold, [good, bad], **options).groups == "documents"
    three = eh.compare(gold, [good, bad, worst], **options)
    assert (three.resampling["of"], three.resampling["few_documents"]) == ("sentences", 6)
    assert eh.rank(gold, [good, bad, worst], **options).groups == "sentences"
    assert eh.rank(gold, [good], **options).groups == "documents", "nothing is tested"


def test_chains_stay_with_documents() -> None:
    chains = [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "neural")]
    comparison = eh.compare(chains[0], chains[1:], trials=100, resamples=20)
    assert (comparison.resampling["of"], comparison.resampling["few_documents"]) == ("documents", None)


@pytest.mark.parametrize("jobs", [1, 2])
def test_engines_keep_the_sentences(jobs: int) -> None:
    gold, rules, _, neural = TREES
    found = eh.rank(gold, [rules, neural], match="las", jobs=jobs)
    assert (found.groups, found.few_documents) == ("sentences", 5)
