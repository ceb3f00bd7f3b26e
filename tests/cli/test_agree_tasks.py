"""`evenhand agree` on tags and on chains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TAGGED = ("lexicon", "hmm", "neural")
CHAINED = ("mentions", "muc", "b_cubed", "ceaf_e", "lea", "mela")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def tagged(**tags: str) -> dict[str, eh.Annotation]:
    """Annotators of one sentence, a letter a tag."""
    return {name: eh.tags([list(each)], name=name, encoding="plain") for name, each in tags.items()}


def test_codes_of_tags_are_tags() -> None:
    """By hand: 3 of 4 words agree, and p_e = (3 * 2 + 1 * 2) / 16."""
    found = eh.agree(tagged(ana="NNVN", ben="NNVV"), task="tags")
    assert found.observed == found.f1["accuracy"].mean == 0.75
    assert found.kappa == pytest.approx((0.75 - 0.5) / 0.5)
    assert list(found.codes) == ["all"]
    assert found.pairs["ana", "ben"].confusion == {"N": {"N": 2, "V": 1}, "V": {"V": 1}}
    assert found.pairs["ana", "ben"].labels == {"N": pytest.approx(0.8), "V": pytest.approx(2 / 3)}
    assert found.labels["N"].f1.mean == pytest.approx(0.8)


def test_words_of_other_tags_do_not_count() -> None:
    found = eh.agree(tagged(ana="NNVXX", ben="NVVXX"), task="tags", labels="N")
    assert found.codes["all"].atoms == 2
    assert found.observed == 0.5
    assert found.pairs["ana", "ben"].confusion == {"N": {"": 1, "N": 1}}


def test_the_accuracy_of_pairs_is_that_of_score() -> None:
    files = {name: EXAMPLES / "tags" / f"{name}.tsv" for name in TAGGED}
    found = eh.agree(files, task="tags", resamples=0)
    for (a, b), pair in found.pairs.items():
        assert pair.f1["accuracy"] == pytest.approx(eh.score(files[a], files[b], task="tags")["accuracy"].f1)


def test_votes_on_tags_fall_to_the_first_annotator() -> None:
    found = eh.agree(tagged(ana="NNVA", ben="NVVB", cyd="NVVC"), task="tags")
    conflicts = found.conflicts()
    assert [(each.start, each.accepted, each.decided) for each in conflicts] == [
        (1, [(1, 2, "V")], True),
        (3, [(3, 4, "A")], False),
    ]
    assert found.adjudicated.word_tags().to_list() == list("NVVA")
    assert found.adjudicate("unanimous").word_tags().to_list() == list("NNVA")


def test_adjudicated_tags_are_written_and_scored(tmp_path: Path) -> None:
    files, target = [EXAMPLES / "tags" / f"{name}.tsv" for name in TAGGED], tmp_path / "gold.conll"
    result = run("agree", *files, "--task", "tags", "--adjudicate", target, "--as", "json")
    assert result.exit_code == 0
    for file in files:
        assert eh.score(target, file, task="tags")["accuracy"].f1 > 0.85


def test_chains_are_scored_in_both_directions() -> None:
    files = {name: EXAMPLES / "chains" / f"{name}.conll" for name in ("rules", "pairs", "neural")}
    found = eh.agree(files, resamples=0)
    assert tuple(found.f1) == CHAINED
    for (a, b), pair in found.pairs.items():
        ways = [eh.score(files[one], files[other]) for one, other in ((a, b), (b, a))]
        for name, value in pair.f1.items():
            assert value == pytest.approx(sum(way[name].f1 for way in ways) / 2)
    assert found.codes == {}
    assert found.alpha is None
    assert found.annotators == ("rules", "pairs", "neural")


def document(name: str, *tags: str) -> str:
    words = "".join(f"{name}\t0\t{at}\tw{at}\t{tag}\n" for at, tag in enumerate(tags))
    return f"#begin document ({name});\n{words}\n#end document\n"


@pytest.fixture
def chains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ana and ben share one of three documents, cyd has another one alone."""
    same, other = ("(0)", "(0)", "-"), ("(0)", "-", "(0)")
    texts = {
        "ana": document("a", *same) + document("b", *same),
        "ben": document("b", *other) + document("c", *same),
        "cyd": document("d", *same),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("chains")
def test_documents_of_chains_that_one_side_lacks_do_not_count() -> None:
    found = eh.agree(["ana.conll", "ben.conll", "cyd.conll"])
    assert found.coverage.by_number == {"1": 3, "2": 1, "3": 0}
    pair = found.pairs["ana", "ben"]
    assert (pair.documents, pair.f1["mentions"], pair.f1["muc"]) == (1, 0.5, 0)
    assert found.pairs["ana", "cyd"].f1["mela"] is None
    assert found.undefined["pairs.ana.cyd.f1.mela"] == "the two have no document in common"
    assert found.f1["mentions"].mean == 0.5


@pytest.mark.usefixtures("chains")
@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex", "html"])
def test_forms_of_chains(form: str) -> None:
    result = run("agree", "ana.conll", "ben.conll", "--by", "document", "--as", form)
    assert result.exit_code == 0
    assert "alpha_U" not in result.stdout
    assert "gold" not in result.stdout


@pytest.mark.usefixtures("chains")
def test_an_agreement_on_chains_is_saved_and_loaded() -> None:
    result = run("agree", "ana.conll", "ben.conll", "--as", "json")
    found = json.loads(result.stdout)
    assert (found["task"], found["coding"], found["codes"]) == ("chains", None, {})
    assert eh.Agreement.from_json(result.stdout) == eh.agree(["ana.conll", "ben.conll"])


@pytest.mark.parametrize("asked", [{"coding": "iob2"}, {"alpha_u": True}, {"gamma": True}])
def test_figures_of_spans_are_refused_for_tags(asked: dict[str, object]) -> None:
    with pytest.raises(eh.SettingError, match="is for spans, and does nothing for tags; leave it out"):
        eh.agree(tagged(ana="NV", ben="NN"), task="tags", **asked)


@pytest.mark.usefixtures("chains")
def test_words_of_chains_that_differ_are_annotators() -> None:
    Path("long.conll").write_text(document("b", "-", "-", "-", "-"))
    with pytest.raises(eh.InputError, match="the document b has 4 tokens, in the first annotator 3"):
        eh.agree(["ana.conll", "long.conll"])


def test_documents_of_chains_without_names_go_together_by_their_order() -> None:
    documents = [[[(0, 1), (1, 2)]], [[(0, 1), (2, 3)]]]
    named, unnamed = eh.chains(documents, names=["a", "b"], name="ana"), eh.chains(documents, name="ben")
    found = eh.agree([named, unnamed], resamples=0)
    assert found.f1["muc"].mean == 1
    assert found.coverage.by_number == {"1": 0, "2": 2}


@pytest.mark.usefixtures("chains")
def test_chains_have_no_places_of_disagreement() -> None:
    result = run("agree", "ana.conll", "ben.conll", "--show", "disagreement")
    assert result.exit_code == 2
    assert "Annotators vote on spans or tags, and not on chains." in result.stderr
    outputs = {"--page": "page.html", "--conflicts": "conflicts.jsonl", "--adjudicate": "adjudicated.conll"}
    for option, name in outputs.items():
        result = run("agree", "ana.conll", "ben.conll", option, name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "Annotators vote on spans or tags, and not on chains." in result.stderr
        assert not Path(name).exists()
