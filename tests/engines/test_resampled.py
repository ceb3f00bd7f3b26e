"""What is resampled: documents or sentences, as a user chooses, in `compare`, `rank` and `report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.cli import main

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger")]
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "neural")]
CHAINS = [EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "neural")]
ONE_DOCUMENT = "of is 'documents', but the gold standard has only one document; resample sentences."
OF_CHAINS = "Scores of chains are no sums over sentences; resample documents."


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
    found = {of: eh.compare(gold, systems, task="tags", of=of) for of in (None, "documents", "sentences")}
    tests = {of: each.pair("old", "new").significance for of, each in found.items()}
    assert {of: (test.p, test.groups) for of, test in tests.items()} == {
        None: (2 / 2**6, 6),
        "documents": (0.5, 2),
        "sentences": (2 / 2**6, 6),
    }
    assert {of: each.to_dict()["resampling"]["of"] for of, each in found.items()} == {
        None: "sentences",
        "documents": "documents",
        "sentences": "sentences",
    }
    assert "|of:sentences|" in found["sentences"].signature
    assert found["sentences"].scores == found["documents"].scores
    few = {of: each.to_dict()["resampling"]["few_documents"] for of, each in found.items()}
    assert few == {None: 2, "documents": None, "sentences": None}
    assert found[None].signature == found["sentences"].signature
    assert found[None].to_dict()["pairs"] == found["sentences"].to_dict()["pairs"]


def test_a_note_says_that_sentences_are_more(two_documents: list[Path]) -> None:
    gold, *systems = two_documents
    note = "some systems differ in so few documents that no p-value can be below 5 %; use --of sentences."
    assert note in eh.compare(gold, systems, task="tags", of="documents").notes
    for of in (None, "sentences"):
        assert not [each for each in eh.compare(gold, systems, task="tags", of=of).notes if "p-value" in each]


@pytest.mark.parametrize(("files", "default"), [(SPANS, "documents"), (TREES, "sentences")])
def test_rank_by_sentences(files: list[Path], default: str) -> None:
    """Scores and ranks stay; intervals are others. The example of trees has too few documents to resample them."""
    by_document, by_sentence = (eh.rank(files[0], files[1:], of=of) for of in ("documents", "sentences"))
    expected, found = {"documents": by_document, "sentences": by_sentence}[default], eh.rank(files[0], files[1:])
    assert found.few_documents == (5 if default == "sentences" else None)
    assert (found.signature, found.groups) == (expected.signature, default)
    assert [found[model] for model in found.models] == [expected[model] for model in expected.models]
    for model in by_document.models:
        for system in by_document.systems:
            one, other = by_document[model][system], by_sentence[model][system]
            assert (one.score, one.rank) == (other.score, other.rank)
            assert one.interval != other.interval
    assert (by_document.groups, by_sentence.groups) == ("documents", "sentences")
    assert "|of:sentences|" in by_sentence.signature
    assert by_sentence.to_dict()["resampling"]["of"] == "sentences"


def test_rank_by_sentences_on_the_command_line() -> None:
    found = json.loads(run("rank", *SPANS, "--of", "sentences", "--as", "json").stdout)
    assert found["resampling"] == {
        "resamples": 1000,
        "of": "sentences",
        "few_documents": None,
        "level": 0.95,
        "seed": 0,
    }


def test_a_suite_by_sentences(tmp_path: Path) -> None:
    gold, old, new = SPANS
    suite = tmp_path / "suite.toml"
    suite.write_text(f"[[data]]\ngold = '{gold}'\nsystems = {{ old = '{old}', new = '{new}' }}\n")
    assert eh.rank_suite(suite, of="sentences").groups == "sentences"


def test_a_report_resamples_the_same_in_all_its_parts() -> None:
    found = eh.report(SPANS[0], SPANS[1:], of="sentences", trials=100, resamples=50)
    assert found.comparison is not None
    assert (found.ranking.groups, found.comparison.resampling["of"]) == ("sentences", "sentences")


def test_the_command_line_of_compare() -> None:
    found = json.loads(run("compare", *TREES, "--of", "sentences", "--as", "json").stdout)
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
        function(SPANS[0], SPANS[1:], of="words")
