"""The methods paragraph of a paper, and the BibTeX entries that it cites."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main
from evenhand.report.methods import paragraph

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
GOLD, CRF, TAGGER = (EXAMPLES / "ner" / f"{name}.conll" for name in ("gold", "crf", "tagger"))
FEW = {"trials": 100, "resamples": 50}


def cited(text: str) -> set[str]:
    return {key for keys in re.findall(r"\\cite\{(.*?)\}", text) for key in keys.split(",")}


def entries(text: str) -> set[str]:
    return set(re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE))


def test_a_comparison_cites_its_measure_test_and_intervals() -> None:
    text = eh.compare(GOLD, [CRF, TAGGER, EXAMPLES / "ner" / "gazetteer.conll"], **FEW).methods()
    first, *_ = text.split("\n\n")
    assert first.startswith(
        "We scored 3 systems against the gold standard (285 spans in 8 documents) with Evenhand "
        rf"{eh.__version__}~\cite{{evenhand}}. The measure is fair~\cite{{ortmann2022}}."
    )
    assert "with 100 trials, or all permutations if these are fewer, corrected for 3 pairs by Holm's method" in first
    assert "from 50 resamples of documents" in first
    statistics = {"efron1993", "koehn2004", "noreen1989", "yeh2000", "holm1979"}
    assert cited(first) == entries(text) == {"evenhand", "ortmann2022", *statistics}


def test_one_system_has_neither_tests_nor_intervals() -> None:
    text = eh.score(GOLD, CRF, match="exact").methods()
    assert "one system" in text
    assert not {"yeh2000", "efron1993", "holm1979"} & entries(text)
    assert cited(text) == entries(text)


def test_words_are_also_compared_by_mcnemar() -> None:
    files = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("hmm", "neural")]
    text = eh.compare(EXAMPLES / "tags" / "gold.tsv", files, task="tags", interval="bca", **FEW).methods()
    assert {"mcnemar1947", "fagerland2013", "efron1987"} <= entries(text) == cited(text)
    assert "holm1979" not in entries(text), "one pair needs no correction"


def test_rankings_summaries_and_agreements_have_methods() -> None:
    ranking = eh.rank(GOLD, [CRF, TAGGER], resamples=50, trials=100).methods()
    assert {"esuli2010", "freitag2023", "noreen1989"} <= entries(ranking) == cited(ranking)
    summary = eh.summarize(GOLD, [CRF, TAGGER], **FEW).methods()
    assert {"noreen1989", "efron1993"} <= entries(summary) == cited(summary)
    letters = [EXAMPLES / "letters" / f"{name}.jsonl" for name in ("rules", "model")]
    agreement = eh.agree(letters, resamples=10).methods()
    assert {"cohen1960", "krippendorff1980", "hripcsak2005"} <= entries(agreement) == cited(agreement)


def test_a_page_gets_plain_text() -> None:
    comparison = eh.compare(GOLD, [CRF, TAGGER], **FEW)
    text = paragraph(comparison.to_dict())
    assert "The measure is fair (Ortmann 2022)." in text
    assert text.endswith(comparison.signature)
    assert "\\" not in text


def test_the_command_reads_saved_results(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    for result in (eh.compare(GOLD, [CRF, TAGGER], **FEW), eh.summarize(GOLD, [CRF, TAGGER], **FEW)):
        result.to_json(saved)
        done = CliRunner().invoke(main, ["cite", "--methods", str(saved)])
        assert (done.exit_code, done.stdout) == (0, result.methods())


@pytest.mark.parametrize(
    ("content", "finding"),
    [("no JSON", "is not a saved result"), ("{}", "is not a saved result"), ('{"command": "gate"}', "evenhand gate")],
)
def test_other_files_are_refused(content: str, finding: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    done = CliRunner().invoke(main, ["cite", "--methods", str(file)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert finding in done.stderr


def test_measures_of_others_are_named_without_a_source() -> None:
    saved = json.loads(eh.score(GOLD, CRF, match="exact").to_json())
    saved["signature"] = saved["signature"].replace("match:exact", "match:custom:mine")
    assert "The measure is custom:mine." in paragraph(saved)
