"""Tests and intervals of a comparison: what is resampled, exact p-values, seeds, and Holm's correction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.cli import main
from evenhand.report.verdict import verdict
from evenhand.results.comparison import Pair, Significance

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")]
TAGS = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "lexicon", "hmm", "neural")]
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")]


def words(*sentences: str) -> eh.Annotation:
    return eh.tags([sentence.split() for sentence in sentences])


def compared(gold: list[str], a: list[str], b: list[str], **options: object) -> eh.Comparison:
    systems = {"a": words(*a), "b": words(*b)}
    return eh.compare(words(*gold), systems, task="tags", **{"resamples": 100, **options})  # type: ignore[arg-type]


def significance(pair: Pair) -> Significance:
    assert pair.significance is not None
    return pair.significance


def in_documents(*documents: str) -> str:
    """A file of tags, a document a text."""
    bodies = ["".join(f"w\t{tag}\n" for tag in document.split()) for document in documents]
    return "".join(f"-DOCSTART-\tO\n\n{body}\n" for body in bodies)


# The test


def test_five_sentences_that_are_all_better() -> None:
    """As extreme are this outcome and the one with all sentences swapped: p = 2 / 2⁵."""
    comparison = compared(["A A"] * 5, ["A X"] * 5, ["A A"] * 5)
    test = significance(comparison.pair("a", "b"))
    assert (test.p, test.least, test.groups, test.trials) == (0.0625, 0.0625, 5, 32)
    assert (test.test, test.exact, comparison.resampling["of"]) == ("permutation", True, "sentences")
    assert "some systems differ in so few sentences that no p-value can be below 5 %." in comparison.notes


def test_six_sentences_can_be_significant() -> None:
    found = compared(["A A"] * 6, ["A X"] * 6, ["A A"] * 6)
    assert significance(found.pair("a", "b")).p == 2 / 2**6
    assert not any("p-value" in note for note in found.notes)


def test_sentences_with_equal_counts_do_not_matter() -> None:
    """The systems differ in six of a hundred sentences."""
    found = compared(["A A"] * 100, ["A X"] * 6 + ["A A"] * 94, ["A A"] * 100)
    test = significance(found.pair("a", "b"))
    assert (test.groups, test.p, test.trials) == (6, 2 / 2**6, 64)


def test_more_ways_than_trials_are_drawn() -> None:
    """Of 2²⁰ ways, only two are as extreme: 99 trials find none, and p = 1 / 100."""
    found = compared(["A A"] * 20, ["A X"] * 20, ["A A"] * 20, trials=99)
    test = significance(found.pair("a", "b"))
    assert (test.p, test.trials, test.exact, test.test) == (0.01, 99, False, "approximate-randomization")
    assert test.least == 2**-19


def test_scores_that_are_equal() -> None:
    """One sentence better, one worse: any outcome is as extreme as none."""
    found = compared(["A A", "A A"], ["A X", "A A"], ["A A", "A X"])
    assert (found.pair("a", "b").delta, significance(found.pair("a", "b")).p) == (0, 1)


def test_a_pair_that_is_swapped_has_the_same_p() -> None:
    """Eight sentences better, five worse; the trials are the same, whoever is first."""
    gold, one, other = ["A A"] * 13, ["A X"] * 8 + ["A A"] * 5, ["A A"] * 8 + ["A X"] * 5
    ahead, back = compared(gold, one, other, trials=500), compared(gold, other, one, trials=500)
    assert ahead.pair("a", "b").delta == -back.pair("a", "b").delta == pytest.approx(3 / 26)
    p = significance(ahead.pair("a", "b")).p
    assert p == significance(back.pair("a", "b")).p
    assert p == pytest.approx(0.581, abs=0.1)  # 1 - P(6 or 7 of 13) = 1 - 2 · 1716 / 8192


def test_mcnemar_counts_words() -> None:
    """Six corrections, no new error: p = 2 / 2⁶; with one new error, p = 2 (1 + 7) / 2⁷."""
    assert compared(["A A"] * 6, ["A X"] * 6, ["A A"] * 6).pair("a", "b").mcnemar == pytest.approx(2 / 64)
    mixed = compared(["A A"] * 7, ["A X"] * 6 + ["A A"], ["A A"] * 6 + ["A X"])
    assert mixed.pair("a", "b").mcnemar == pytest.approx(16 / 128)


def test_spans_have_no_mcnemar() -> None:
    found = eh.compare(SPANS[0], SPANS[1:3], trials=50, resamples=0)
    assert found.pair("gazetteer", "crf").mcnemar is None
    assert "mcnemar" not in found.to_dict()["pairs"][0]


# Documents


def test_two_documents(tmp_path: Path) -> None:
    """Both are better: two of four ways are as extreme, and no p can be below 1/2."""
    for name, text in (("gold", "A A"), ("a", "A X"), ("b", "A A")):
        (tmp_path / f"{name}.conll").write_text(in_documents(text, text))
    systems = [tmp_path / "a.conll", tmp_path / "b.conll"]
    comparison = eh.compare(tmp_path / "gold.conll", systems, task="tags", resamples=100)
    test = significance(comparison.pair("a", "b"))
    assert (comparison.gold.documents, comparison.resampling["of"]) == (2, "documents")
    assert (test.p, test.least, test.groups, test.trials, test.exact) == (0.5, 0.5, 2, 4, True)
    assert (
        "some systems differ in so few documents that no p-value can be below 5 %; use --of sentences."
        in comparison.notes
    )
    assert "of:documents" in comparison.signature


def test_one_document_is_resampled_by_sentences(tmp_path: Path) -> None:
    for name, text in (("gold", "A A"), ("a", "A X"), ("b", "A A")):
        body = "".join("".join(f"w\t{tag}\n" for tag in text.split()) + "\n" for _ in range(6))
        (tmp_path / f"{name}.conll").write_text(f"-DOCSTART-\tO\n\n{body}")
    systems = [tmp_path / "a.conll", tmp_path / "b.conll"]
    found = eh.compare(tmp_path / "gold.conll", systems, task="tags", resamples=100)
    assert (found.gold.documents, found.resampling["of"]) == (1, "sentences")
    assert significance(found.pair("a", "b")).p == 2 / 2**6


def test_eight_documents_of_the_example() -> None:
    """The taggers differ in all of them, always in the same direction: p = 2 / 2⁸."""
    found = eh.compare(SPANS[0], SPANS[2:], resamples=0)
    test = significance(found.pair("crf", "tagger"))
    assert (found.gold.documents, test.groups, test.p) == (8, 8, 2 / 2**8)


# Intervals


def test_an_interval_of_sentences_that_are_all_alike() -> None:
    """One of two words is wrong in all sentences of the first system: no resample is another."""
    for kind in ("percentile", "bca"):
        found = compared(["A A"] * 10, ["A X"] * 10, ["A A"] * 10, interval=kind)
        assert found.pair("a", "b").interval == (0.5, 0.5)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("files", "options"),
    [(SPANS, {}), (SPANS, {"by": "exact"}), (TAGS, {"task": "tags"}), (TREES, {}), (TREES, {"by": "uas"})],
    ids=["fair", "exact", "tags", "las", "uas"],
)
def test_intervals_hold_the_differences(files: list[Path], options: dict, kind: str) -> None:
    found = eh.compare(files[0], files[1:], trials=100, interval=kind, **options)
    for pair in found.pairs.values():
        assert pair.interval is not None
        low, high = pair.interval
        assert low < pair.delta < high
        assert significance(pair).p_holm >= significance(pair).p >= significance(pair).least - 1e-12


def test_a_wider_level_gives_a_wider_interval() -> None:
    narrow, wide = (
        eh.compare(TAGS[0], TAGS[2:], task="tags", trials=0, level=level).pair("hmm", "neural").interval
        for level in (0.5, 0.99)
    )
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_without_trials_and_resamples() -> None:
    comparison = compared(["A A"], ["A X"], ["A A"], trials=0, resamples=0)
    pair = comparison.pair("a", "b")
    assert (pair.significance, pair.mcnemar, pair.interval) == (None, None, None)
    assert not {"significance", "mcnemar", "interval"} & set(comparison.to_dict()["pairs"][0])
    assert "–" in str(comparison)


# Seeds and several pairs


def figures(seed: int) -> list[tuple[object, ...]]:
    found = eh.compare(TAGS[0], TAGS[1:], task="tags", trials=500, resamples=100, seed=seed)
    return [(significance(pair).p, pair.interval) for pair in found.pairs.values()]


def test_a_seed_gives_the_same_figures_and_another_one_others() -> None:
    assert figures(3) == figures(3)
    assert figures(3) != figures(4)


def test_holm_corrects_for_the_number_of_pairs() -> None:
    """p = 2 / 2⁶ for the better system and 1 for the copy: twice the first, and 1."""
    gold, worse = words(*["A A"] * 6), words(*["A X"] * 6)
    systems = {"old": worse, "new": gold, "copy": worse}
    found = eh.compare(gold, systems, task="tags", baseline="old", resamples=0)
    tests = [significance(found.pair("old", name)) for name in ("new", "copy")]
    assert [test.p for test in tests] == [2 / 64, 1]
    assert [test.p_holm for test in tests] == [4 / 64, 1]
    alone = eh.compare(gold, {"old": worse, "new": gold}, task="tags", resamples=0).pair("old", "new")
    assert significance(alone).p_holm == 2 / 64


def test_the_signature_says_how_figures_came_about() -> None:
    found = compared(["A A"] * 2, ["A X"] * 2, ["A A"] * 2, trials=70, resamples=80, interval="bca", level=0.9, seed=5)
    assert found.signature.endswith("|by:accuracy|of:sentences|trials:70|resamples:80|interval:bca|level:0.9|seed:5")


# What is resampled: documents or sentences, as a user chooses, in `compare`, `rank` and `report`


SPANS_RESAMPLED = [EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger")]
TREES_RESAMPLED = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "neural")]
CHAINS = [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "neural")]
ONE_DOCUMENT = "of is 'documents', but the gold standard has only one document; resample sentences."
OF_CHAINS = "Scores of chains are not sums over sentences; resample documents."


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, [str(each) for each in arguments], prog_name="evenhand")


def document(*sentences: str) -> str:
    return "-DOCSTART-\tO\n\n" + "".join("".join(f"w\t{tag}\n" for tag in s.split()) + "\n" for s in sentences)


@pytest.fixture
def two_documents(tmp_path: Path) -> list[Path]:
    """Two documents of three sentences; the second system has one word more in each sentence."""
    for name, sentence in (("gold", "A A"), ("old", "A X"), ("new", "A A")):
        (tmp_path / f"{name}.tsv").write_text(2 * document(*[sentence] * 3))
    return [tmp_path / f"{name}.tsv" for name in ("gold", "old", "new")]


@pytest.fixture
def one_document(tmp_path: Path) -> list[Path]:
    for name, sentence in (("gold", "A A"), ("old", "A X"), ("new", "A A")):
        (tmp_path / f"{name}.tsv").write_text(document(*[sentence] * 3))
    return [tmp_path / f"{name}.tsv" for name in ("gold", "old", "new")]


def test_compare_by_documents_and_by_sentences(two_documents: list[Path]) -> None:
    """All groups are better: p = 2 / 2² of two documents, too few, so sentences are resampled: 2 / 2⁶ of six."""
    gold, *systems = two_documents
    by_name = {of: eh.compare(gold, systems, task="tags", of=of) for of in (None, "documents", "sentences")}
    tests = {of: item.pair("old", "new").significance for of, item in by_name.items()}
    assert {of: (test.p, test.groups) for of, test in tests.items()} == {
        None: (2 / 2**6, 6),
        "documents": (0.5, 2),
        "sentences": (2 / 2**6, 6),
    }
    assert {of: item.to_dict()["resampling"]["of"] for of, item in by_name.items()} == {
        None: "sentences",
        "documents": "documents",
        "sentences": "sentences",
    }
    assert "|of:sentences|" in by_name["sentences"].signature
    assert by_name["sentences"].scores == by_name["documents"].scores
    few = {of: item.to_dict()["resampling"]["few_documents"] for of, item in by_name.items()}
    assert few == {None: 2, "documents": None, "sentences": None}
    assert by_name[None].signature == by_name["sentences"].signature
    assert by_name[None].to_dict()["pairs"] == by_name["sentences"].to_dict()["pairs"]


def test_a_note_says_that_sentences_are_more(two_documents: list[Path]) -> None:
    gold, *systems = two_documents
    note = "some systems differ in so few documents that no p-value can be below 5 %; use --of sentences."
    assert note in eh.compare(gold, systems, task="tags", of="documents").notes
    for of in (None, "sentences"):
        assert not [each for each in eh.compare(gold, systems, task="tags", of=of).notes if "p-value" in each]


@pytest.mark.parametrize(("files", "default"), [(SPANS_RESAMPLED, "documents"), (TREES_RESAMPLED, "sentences")])
def test_rank_by_sentences(files: list[Path], default: str) -> None:
    """Scores and ranks stay; intervals are others. The example of trees has too few documents to resample them."""
    by_document, by_sentence = (eh.rank(files[0], files[1:], of=of) for of in ("documents", "sentences"))
    expected, actual = {"documents": by_document, "sentences": by_sentence}[default], eh.rank(files[0], files[1:])
    assert actual.few_documents == (5 if default == "sentences" else None)
    assert (actual.signature, actual.groups) == (expected.signature, default)
    assert [actual[model] for model in actual.models] == [expected[model] for model in expected.models]
    for model in by_document.models:
        for system in by_document.systems:
            one, other = by_document[model][system], by_sentence[model][system]
            assert (one.score, one.rank) == (other.score, other.rank)
            assert one.interval != other.interval
    assert (by_document.groups, by_sentence.groups) == ("documents", "sentences")
    assert "|of:sentences|" in by_sentence.signature
    assert by_sentence.to_dict()["resampling"]["of"] == "sentences"


def test_rank_by_sentences_on_the_command_line() -> None:
    found = json.loads(run("rank", *SPANS_RESAMPLED, "--of", "sentences", "--as", "json").stdout)
    assert found["resampling"] == {
        "resamples": 1000,
        "of": "sentences",
        "few_documents": None,
        "level": 0.95,
        "seed": 0,
    }


def test_a_suite_by_sentences(tmp_path: Path) -> None:
    gold, old, new = SPANS_RESAMPLED
    suite = tmp_path / "suite.toml"
    suite.write_text(f"[[data]]\ngold = '{gold}'\nsystems = {{ old = '{old}', new = '{new}' }}\n")
    assert eh.rank_suite(suite, of="sentences").groups == "sentences"


def test_a_report_resamples_the_same_in_all_its_parts() -> None:
    found = eh.report(SPANS_RESAMPLED[0], SPANS_RESAMPLED[1:], of="sentences", trials=100, resamples=50)
    assert found.comparison is not None
    assert (found.ranking.groups, found.comparison.resampling["of"]) == ("sentences", "sentences")


def test_the_command_line_of_compare() -> None:
    found = json.loads(run("compare", *TREES_RESAMPLED, "--of", "sentences", "--as", "json").stdout)
    assert found["resampling"]["of"] == "sentences"


@pytest.mark.parametrize("command", ["compare", "gate", "rank"])
def test_one_document_cannot_be_resampled_by_documents(one_document: list[Path], command: str) -> None:
    result = run(command, *one_document, "--task", "tags", "--of", "documents")
    assert (result.exit_code, result.stderr) == (2, f"evenhand: {ONE_DOCUMENT}\n")


@pytest.mark.parametrize("command", ["compare", "gate", "rank"])
def test_chains_cannot_be_resampled_by_sentences(command: str) -> None:
    result = run(command, *CHAINS, "--of", "sentences")
    assert (result.exit_code, result.stderr) == (2, f"evenhand: {OF_CHAINS}\n")
    assert run(command, *CHAINS, "--of", "documents").exit_code in (0, 1)


@pytest.mark.parametrize("function", [eh.compare, eh.rank, eh.report])
def test_other_words_are_refused(function: Any) -> None:
    with pytest.raises(eh.SettingError, match="of is 'words'; choose one of documents, sentences"):
        function(SPANS_RESAMPLED[0], SPANS_RESAMPLED[1:], of="words")


# What tests and intervals resample: nothing if there is one group, sentences if documents are too few to d


NOTHING = "nothing can be resampled because the gold standard has 1 {}: no intervals and no tests."


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
    report = eh.report(gold, systems)
    sentences = verdict(report)
    assert sentences[0] == "good leads bad by 63.49 points; no test was made."
    assert sentences[-1] == "N" + NOTHING.format("sentence")[1:]
    page = report.to_html()
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
    report = eh.report(gold, systems)
    comparison = report.comparison
    assert comparison is not None
    assert (comparison.resampling["of"], comparison.resampling["few_documents"]) == ("sentences", 5)
    assert "|of:sentences|" in comparison.signature
    assert (report.ranking.groups, report.ranking.few_documents) == ("sentences", 5)
    sentences = verdict(report)
    assert sentences[0].startswith("neural leads transition by ")
    assert sentences[0].endswith(": a significant difference.")
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
    report = eh.report(gold, systems, of="documents")
    assert report.comparison is not None
    assert (report.comparison.resampling["of"], report.ranking.groups) == ("documents", "documents")
    sentences = verdict(report)
    assert sentences[0].endswith("; they differ in 5 documents, too few for a test to decide.")
    assert "Some systems differ in so few documents that no p-value can be below 5 %; use --of sentences." in sentences
    page = report.to_html()
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
