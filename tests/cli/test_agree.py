"""`evenhand agree` as a user calls it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


FILES = ("ana.conll", "ben.conll")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two annotators who share one of three spans, and records of three documents, one of which ben lacks."""
    files = {
        "ana.conll": "Ada B-PER\nKeller I-PER\nflew O\nto O\nOslo B-LOC\n. O\n",
        "ben.conll": "Ada B-PER\nKeller I-PER\nflew O\nto O\nOslo B-ORG\n. O\n",
        "other.conll": "Eva B-PER\nKeller I-PER\nflew O\nto O\nOslo B-ORG\n. O\n",
    }
    texts = {"a": "Ada flew", "b": "Bo sat", "c": "Cy ran"}
    ends = {"a": 3, "b": 2, "c": 2}
    for name, has in {"ana": "abc", "ben": "ca", "cyd": "b"}.items():
        records = [
            {"id": key, "text": texts[key], "spans": [{"start": 0, "end": ends[key], "label": "PER"}]} for key in has
        ]
        files[f"{name}.jsonl"] = "".join(json.dumps(record) + "\n" for record in records)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text(folder: Path) -> None:
    result = run("agree", *FILES)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["2", "annotators", "on", "1", "document"] in lines
    assert ["exact", "50.00", "0.00"] in lines
    # By hand: 5 of 6 codes agree, and p_e = (9 + 4) / 36.
    assert next(line for line in lines if line[:2] == ["all", "6"])[:4] == ["all", "6", "0.8333", "0.7391"]
    assert ["Atoms:", "rows", "ana,", "columns", "ben."] in lines
    assert "gold" not in result.stdout
    assert "system" not in result.stdout


def test_json_is_what_python_gives_and_loads(folder: Path) -> None:
    result = run("agree", *FILES, "--as", "json", "--coding", "iob2")
    agreement = eh.agree({"ana": "ana.conll", "ben": "ben.conll"}, coding="iob2")
    assert json.loads(result.stdout) == json.loads(agreement.to_json())
    assert eh.Agreement.from_json(result.stdout) == agreement
    assert agreement.pairs["ana", "ben"].confusion["B-LOC"] == {"B-ORG": 1}


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_other_forms(folder: Path, form: str) -> None:
    result = run("agree", *FILES, "--as", form)
    assert result.exit_code == 0
    assert "0.7391" in result.stdout


def test_csv_has_a_row_a_figure(folder: Path) -> None:
    rows = list(csv.DictReader(run("agree", *FILES, "--as", "csv").stdout.splitlines()))
    kappa = [row for row in rows if row["scope"] == "pair" and row["figure"] == "codes.all.kappa"]
    assert [(row["a"], row["b"], float(row["value"])) for row in kappa] == [("ana", "ben", pytest.approx(17 / 23))]


def test_documents_go_together_by_their_names_in_any_order(folder: Path) -> None:
    agreement = eh.agree(["ana.jsonl", "ben.jsonl", "cyd.jsonl"])
    assert agreement.coverage.by_annotator == {"ana": 3, "ben": 2, "cyd": 1}
    assert agreement.coverage.by_number == {"1": 0, "2": 3, "3": 0}
    assert agreement.f1["exact"].mean == 1
    assert agreement.pairs["ben", "cyd"].f1["exact"] is None
    assert agreement.undefined["pairs.ben.cyd.f1.exact"] == "the two have no document in common"
    assert agreement.undefined["pairs.ben.cyd.codes.all.alpha"] == "the two have no document in common"


def test_intervals_resample_documents_and_depend_on_the_seed_alone(folder: Path) -> None:
    first, again = (eh.agree(["ana.jsonl", "ben.jsonl"], seed=3) for _ in range(2))
    assert first == again
    assert first.intervals["codes.all.alpha"].low == first.intervals["codes.all.alpha"].high == 1
    assert not eh.agree(["ana.jsonl", "ben.jsonl"], resamples=0).intervals


def test_undefined_figures_are_shown_with_their_reason(folder: Path) -> None:
    result = run("agree", "ben.jsonl", "cyd.jsonl")
    assert result.exit_code == 0
    assert "–: no document is common to two annotators." in result.stdout
    assert "nan" not in result.stdout.lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ana.conll"], "Agreement needs at least two annotators."),
        (["ana.conll", "other.conll"], "found the token 'Eva' where ana.conll:1 has 'Ada'"),
        (["ana.conll", "ben.conll", "--level", "2"], "level is 2.0; it must be a number between 0 and 1."),
    ],
)
def test_what_cannot_be_is_one_sentence(folder: Path, arguments: list[str], message: str) -> None:
    result = run("agree", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "gold" not in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_tasks_without_agreement_are_refused(folder: Path) -> None:
    tree = "1\tAda\tAda\tPROPN\t_\t_\t0\troot\t_\t_\n\n"
    for name in ("one.conllu", "other.conllu"):
        (folder / name).write_text(tree)
    with pytest.raises(eh.SettingError, match="Agreement is measured on spans, tags, chains, not on trees"):
        eh.agree(["one.conllu", "other.conllu"])


def test_overlapping_spans_have_codes_but_no_iob2(folder: Path) -> None:
    sides = [eh.spans([[("A", 0, 2), ("B", 1, 3)]], lengths=[4]), eh.spans([[("A", 0, 2)]], lengths=[4])]
    found = eh.agree(dict(zip("ab", sides, strict=True)))
    assert found.pairs["a", "b"].confusion == {"A": {"A": 1}, "A|B": {"A": 1}, "B": {"O": 1}, "O": {"O": 1}}
    assert found.undefined["unitizing.u_alpha"] == "u-alpha needs spans that do not overlap; a has 2 that do"
    with pytest.raises(eh.SettingError, match="IOB2 cannot represent overlapping spans"):
        eh.agree(dict(zip("ab", sides, strict=True)), coding="iob2")


def test_conflicts_are_written_with_what_a_vote_accepts(folder: Path) -> None:
    result = run("agree", *FILES, "--conflicts", "conflicts.jsonl")
    assert result.exit_code == 0
    assert [json.loads(line) for line in Path("conflicts.jsonl").read_text().splitlines()] == [
        {
            "document": "1",
            "sentence": 1,
            "start": 4,
            "end": 5,
            "positions": "tokens",
            "token_start": 4,
            "token_end": 5,
            "place": "ana.conll:5",
            "text": "Oslo",
            "answers": {"ana": [[4, 5, "LOC"]], "ben": [[4, 5, "ORG"]]},
            "accepted": [],
            "decided": False,
        }
    ]
    run("agree", *FILES, "--conflicts", "conflicts.jsonl", "--vote", "1")
    (line,) = Path("conflicts.jsonl").read_text().splitlines()
    assert json.loads(line)["accepted"] == [[4, 5, "LOC"], [4, 5, "ORG"]]


@pytest.mark.parametrize(
    ("vote", "accepted"), [("majority", ["A"]), ("unanimous", []), (1, ["A", "B"]), (2, ["A"]), ("3", [])]
)
def test_votes(vote: str | int, accepted: list[str]) -> None:
    sides = {
        name: eh.spans([[(label, 0, 1)]], lengths=[2], name=name) for name, label in zip("xyz", "AAB", strict=True)
    }
    (conflict,) = eh.agree(sides).conflicts(vote)
    assert [label for _, _, label in conflict.accepted] == accepted
    assert conflict.decided


@pytest.mark.parametrize("vote", ["most", 0, True])
def test_votes_that_cannot_be_counted_are_refused(folder: Path, vote: Any) -> None:
    with pytest.raises(eh.SettingError, match="choose majority, unanimous, or a number from 1"):
        eh.agree(FILES).conflicts(vote)


def test_a_saved_agreement_has_no_conflicts(folder: Path) -> None:
    with pytest.raises(eh.SettingError, match="A saved agreement has no conflicts, as these are in the files"):
        eh.Agreement.from_json(eh.agree(FILES).to_json()).conflicts()


def test_a_vote_without_conflicts_is_refused(folder: Path) -> None:
    result = run("agree", *FILES, "--vote", "unanimous")
    assert result.exit_code == 2
    assert result.stderr.startswith("evenhand: --vote needs --show, --conflicts, --adjudicate or --page")


def test_alpha_u_is_shown_where_somebody_asks(folder: Path) -> None:
    assert "alpha_U" not in run("agree", *FILES).stdout
    assert "alpha_U" in run("agree", *FILES, "--alpha-u").stdout


def test_disagreements_are_listed(folder: Path) -> None:
    result = run("agree", *FILES, "--show", "disagreement")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["disagreement", "text", "ana", "ben", "accepted"] in lines
    assert ["1:1:4", "Oslo", "LOC", "4-5", "ORG", "4-5", "–"] in lines
    assert "1:1:4" not in run("agree", *FILES, "--show", "disagreement", "--limit", "0").stdout
    assert run("agree", *FILES, "--limit", "1").exit_code == 2
    assert run("agree", *FILES, "--show", "disagreement", "--limit", "-1").exit_code == 2


def test_a_page_is_written_with_places(folder: Path) -> None:
    result = run("agree", *FILES, "--page", "page.html", "--limit", "1")
    assert result.exit_code == 0
    page = Path("page.html").read_text()
    assert "1 of 2 places is in conflict." in page
    assert "none of the annotators is the gold standard." in page
    assert "The page has the first 1 of 2 places, conflicts first." in page
    with pytest.raises(eh.SettingError, match="A saved agreement has no places, as these are in the files"):
        eh.Agreement.from_json(eh.agree(FILES).to_json()).to_html()


def test_html_and_notebooks_have_tables(folder: Path) -> None:
    assert "<table" in run("agree", *FILES, "--as", "html").stdout
    assert "<table" in eh.agree(FILES)._repr_html_()


def test_attributes_of_an_agreement(folder: Path) -> None:
    agreement = eh.agree({"ana": "ana.conll", "ben": "ben.conll"})
    assert agreement.alpha == pytest.approx(1 - 11 * 2 / (144 - 36 - 16 - 1 - 1))
    assert list(agreement.pairs) == [("ana", "ben")]
    assert agreement.labels["PER"].kappa == 1
    assert [place.text for place in agreement.conflicts()] == ["Oslo"]
    assert agreement.adjudicated.spans().rows() == [("PER", 0, 0, 2)]


def test_texts_of_annotators_that_differ_are_theirs(folder: Path) -> None:
    (folder / "short.conll").write_text("Ada B-PER\nKeller I-PER\n")
    with pytest.raises(eh.InputError, match=r"short\.conll:2: this annotator ends here, but ana\.conll:3 has"):
        eh.agree(["ana.conll", "short.conll"])
    with pytest.raises(
        eh.InputError, match=r"found the token 'flew' after the end of the first annotator short\.conll"
    ):
        eh.agree(["short.conll", "ana.conll"])
    with pytest.raises(eh.InputError, match="the first annotator has 1 sentence, another annotator 2"):
        eh.agree({"x": eh.spans([[]], lengths=[1]), "y": eh.spans([[], []], lengths=[1, 1])})


def test_labels_are_renamed_for_one_annotator(folder: Path) -> None:
    found = eh.agree(FILES, map="ben:ORG=LOC")
    assert found.f1["exact"].mean == 1
    with pytest.raises(eh.SettingError, match="map has no annotator 'gold'; the annotators are ana, ben"):
        eh.agree(FILES, map="gold:ORG=LOC")
    assert "SIDE" not in run("agree", "--help-all").stdout


def test_options_without_effect_are_refused_in_python() -> None:
    with pytest.raises(eh.SettingError, match="beta has no effect when annotators are compared"):
        eh.agree(FILES, beta=2)


def test_codes_of_one_name_are_added_up() -> None:
    """A label may be called O, as atoms without a label are."""
    sides = eh.spans([[("O", 0, 1)]], lengths=[3]), eh.spans([[]], lengths=[3])
    assert eh.agree(dict(zip("xy", sides, strict=True))).pairs["x", "y"].confusion == {"O": {"O": 3}}


def test_standard_output_has_conflicts_alone(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("agree", *FILES, "--conflicts", "-").stdout == ""
    assert [json.loads(line)["text"] for line in capfd.readouterr().out.splitlines()] == ["Oslo"]


@pytest.mark.parametrize("annotators", [None, [], {}])
def test_nobody_cannot_agree(annotators: Any) -> None:
    with pytest.raises(eh.SettingError, match="Agreement needs at least two annotators"):
        eh.agree(annotators)


def test_a_format_that_cannot_hold_what_a_vote_accepts_is_refused(folder: Path) -> None:
    """There is no --lossy here, and messages name no such option."""
    spans = [{"start": 0, "end": 8, "label": "A"}, {"start": 4, "end": 8, "label": "B"}]
    for name in ("x.jsonl", "y.jsonl"):
        Path(name).write_text(json.dumps({"id": "d", "text": "Ada flew", "spans": spans}) + "\n")
    result = run("agree", "x.jsonl", "y.jsonl", "--adjudicate", "gold.conll")
    assert result.exit_code == 2
    assert result.stderr.endswith("; write another format, such as jsonl.\n")
    assert not Path("gold.conll").exists()


# `evenhand agree` on tags and on chains


EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TAGGED = ("lexicon", "hmm", "neural")
CHAINED = ("mentions", "muc", "b_cubed", "ceaf_e", "lea", "mela")


def tagged(**tags: str) -> dict[str, eh.Annotation]:
    """Annotators of one sentence, a letter a tag."""
    return {name: eh.tags([list(each)], name=name, encoding="plain") for name, each in tags.items()}


def test_codes_of_tags_are_tags() -> None:
    """By hand: 3 of 4 words agree, and p_e = (3 * 2 + 1 * 2) / 16."""
    agreement = eh.agree(tagged(ana="NNVN", ben="NNVV"), task="tags")
    assert agreement.observed == agreement.f1["accuracy"].mean == 0.75
    assert agreement.kappa == pytest.approx((0.75 - 0.5) / 0.5)
    assert list(agreement.codes) == ["all"]
    assert agreement.pairs["ana", "ben"].confusion == {"N": {"N": 2, "V": 1}, "V": {"V": 1}}
    assert agreement.pairs["ana", "ben"].labels == {"N": pytest.approx(0.8), "V": pytest.approx(2 / 3)}
    assert agreement.labels["N"].f1.mean == pytest.approx(0.8)


def test_words_of_other_tags_do_not_count() -> None:
    agreement = eh.agree(tagged(ana="NNVXX", ben="NVVXX"), task="tags", labels="N")
    assert agreement.codes["all"].atoms == 2
    assert agreement.observed == 0.5
    assert agreement.pairs["ana", "ben"].confusion == {"N": {"": 1, "N": 1}}


def test_the_accuracy_of_pairs_is_that_of_score() -> None:
    files = {name: EXAMPLES / "tags" / f"{name}.tsv" for name in TAGGED}
    found = eh.agree(files, task="tags", resamples=0)
    for (a, b), pair in found.pairs.items():
        assert pair.f1["accuracy"] == pytest.approx(eh.score(files[a], files[b], task="tags")["accuracy"].f1)


def test_votes_on_tags_fall_to_the_first_annotator() -> None:
    agreement = eh.agree(tagged(ana="NNVA", ben="NVVB", cyd="NVVC"), task="tags")
    conflicts = agreement.conflicts()
    assert [(each.start, each.accepted, each.decided) for each in conflicts] == [
        (1, [(1, 2, "V")], True),
        (3, [(3, 4, "A")], False),
    ]
    assert agreement.adjudicated.word_tags().to_list() == list("NVVA")
    assert agreement.adjudicate("unanimous").word_tags().to_list() == list("NNVA")


def test_adjudicated_tags_are_written_and_scored(tmp_path: Path) -> None:
    files, target = [EXAMPLES / "tags" / f"{name}.tsv" for name in TAGGED], tmp_path / "gold.conll"
    result = run("agree", *files, "--task", "tags", "--adjudicate", target, "--as", "json")
    assert result.exit_code == 0
    for file in files:
        assert eh.score(target, file, task="tags")["accuracy"].f1 > 0.85


def test_chains_are_scored_in_both_directions() -> None:
    files = {name: EXAMPLES / "chains" / f"{name}.conll" for name in ("rules", "pairs", "neural")}
    agreement = eh.agree(files, resamples=0)
    assert tuple(agreement.f1) == CHAINED
    for (a, b), pair in agreement.pairs.items():
        ways = [eh.score(files[one], files[other]) for one, other in ((a, b), (b, a))]
        for name, value in pair.f1.items():
            assert value == pytest.approx(sum(way[name].f1 for way in ways) / 2)
    assert agreement.codes == {}
    assert agreement.alpha is None
    assert agreement.annotators == ("rules", "pairs", "neural")


def test_pairs_have_no_scores_by_label_without_codes() -> None:
    """The labels of mentions are word classes; chains are not scored by them."""
    agreement = eh.agree([EXAMPLES / "chains" / f"{name}.conll" for name in ("rules", "pairs")], resamples=0)
    assert agreement.pairs["rules", "pairs"].labels == {}
    assert not any("labels" in path for path in agreement.undefined)


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
    agreement = eh.agree(["ana.conll", "ben.conll", "cyd.conll"])
    assert agreement.coverage.by_number == {"1": 3, "2": 1, "3": 0}
    pair = agreement.pairs["ana", "ben"]
    assert (pair.documents, pair.f1["mentions"], pair.f1["muc"]) == (1, 0.5, 0)
    assert agreement.pairs["ana", "cyd"].f1["mela"] is None
    assert agreement.undefined["pairs.ana.cyd.f1.mela"] == "the two have no document in common"
    assert agreement.f1["mentions"].mean == 0.5


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
    with pytest.raises(eh.SettingError, match="is for spans and has no effect on tags; remove it"):
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
    assert "Annotators vote on spans or tags, not on chains." in result.stderr
    outputs = {"--page": "page.html", "--conflicts": "conflicts.jsonl", "--adjudicate": "adjudicated.conll"}
    for option, name in outputs.items():
        result = run("agree", "ana.conll", "ben.conll", option, name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "Annotators vote on spans or tags, not on chains." in result.stderr
        assert not Path(name).exists()


@pytest.mark.usefixtures("chains")
@pytest.mark.parametrize("folder", [False, True])
def test_a_vote_on_chains_is_refused_before_files_are_read(folder: bool) -> None:
    Path("both").mkdir()
    Path("both/ana.conll").write_text(Path("ana.conll").read_text())
    Path("both/ben.conll").write_text(document("a", "-", "-", "-", "-"))
    files = ["both"] if folder else ["both/ana.conll", "both/ben.conll"]
    assert "the document a has 4 tokens" in run("agree", *files).stderr
    assert "Annotators vote on spans or tags" in run("agree", *files, "--page", "page.html").stderr


# `evenhand adjudicate`, and `--overrides` of other commands, as a user calls them


GOLD = "Ada I-PER\nmet O\nBob I-PER\nRay I-PER\n. O\n\nEve I-ORG\nleft O\n"
SPURIOUS = {"sentence": 1, "start": 0, "end": 1, "label": "PER", "verdict": "spurious", "by": "ana"}
LABEL = {"sentence": 2, "start": 0, "end": 1, "label": "ORG", "verdict": "label", "to": {"label": "PER"}, "note": "é"}


@pytest.fixture
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)
    return Path("gold.conll")


def write(name: str, *records: dict[str, Any]) -> Path:
    path = Path(name)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


def test_overrides_are_counted_by_label(gold: Path) -> None:
    result = run("adjudicate", gold, write("ana.jsonl", SPURIOUS, LABEL))
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "2 overrides of the gold standard gold (ana.jsonl)\n\n"
        "overrides  before  spurious  label  bounds  missing  unclear  right  after\n"
        "──────────────────────────────────────────────────────────────────────────\n"
        "ORG             1         0      1       0        0        0      0      0\n"
        "PER             2         1      0       0        0        0      0      2\n"
        "──────────────────────────────────────────────────────────────────────────\n"
        "overall         3         1      1       0        0        0      0      2\n"
    )


def test_the_corrected_gold_standard_keeps_its_encoding(gold: Path) -> None:
    assert run("adjudicate", gold, write("ana.jsonl", SPURIOUS, LABEL), "--apply", "better.conll").exit_code == 0
    assert Path("better.conll").read_text().split() == GOLD.replace("Ada I-PER", "Ada O").replace("ORG", "PER").split()
    other = ("--apply", "better.txt", "--to", "conll", "--to-encoding", "bioes", "-o", "out.json")
    assert run("adjudicate", gold, "ana.jsonl", *other).exit_code == 0
    assert "Ray\tE-PER" in Path("better.txt").read_text()
    assert json.loads(Path("out.json").read_text())["verdicts"]["label"] == 1


def test_corrected_documents_of_brat_keep_their_names(gold: Path) -> None:
    Path("brat/x").mkdir(parents=True)
    for name in ("one", "x/two"):
        Path("brat", f"{name}.txt").write_text("Ada met Bob.")
        Path("brat", f"{name}.ann").write_text("T1\tPER 0 3\tAda\n")
    added = {"document": "two", "verdict": "missing", "to": {"start": 6, "end": 9, "label": "PER"}}
    assert run("adjudicate", "brat", write("ana.jsonl", added), "--apply", "out", "--to", "brat").exit_code == 0
    assert Path("out/one.ann").read_text() == Path("brat/one.ann").read_text()
    assert "T2\tPER 8 11\tBob" in Path("out/x/two.ann").read_text()


def test_files_are_merged_in_the_order_of_the_text(gold: Path) -> None:
    """What two files say alike is there once, with all keys of the first."""
    ana, ben = write("ana.jsonl", LABEL, SPURIOUS), write("ben.jsonl", {**SPURIOUS, "by": "ben"})
    assert run("adjudicate", gold, ana, ben, "--merge", "all.jsonl").exit_code == 0
    assert [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()] == [
        {**SPURIOUS, "positions": "tokens"},
        {**LABEL, "positions": "tokens"},
    ]
    assert "é" in Path("all.jsonl").read_text()


def test_every_problem_is_listed_and_nothing_is_written(gold: Path) -> None:
    ana = write("ana.jsonl", SPURIOUS, {**LABEL, "sentence": 7})
    ben = write("ben.jsonl", {**SPURIOUS, "verdict": "right"}, {**LABEL, "end": 2})
    result = run("adjudicate", gold, ana, ben, "--merge", "all.jsonl", "--apply", "better.conll")
    assert result.exit_code == 1
    assert result.stdout == (
        "ben.jsonl:1: the span 'PER' from 0 to 1 of sentence 1 has another override in ana.jsonl:1; "
        "correct the line, or remove it.\n"
        "ben.jsonl:2: sentence 2 has no gold span 'ORG' from 0 to 2 (the nearest one is 'ORG' from 0 to 1); "
        "correct the line, or remove it.\n"
        "ana.jsonl:2: sentence 7 does not exist: the gold standard has 2; correct the line, or remove it.\n"
        "3 problems\n"
    )
    assert not Path("all.jsonl").exists()
    assert not Path("better.conll").exists()


def test_unclear_spans_are_said_to_be_left_out(gold: Path) -> None:
    result = run("adjudicate", gold, write("ana.jsonl", {**SPURIOUS, "verdict": "unclear"}))
    note = (
        "Note: 1 unclear span is not in the corrected gold standard; only with --overrides, system spans that overlap"
    )
    assert note in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "conll"], "--to and --to-encoding need --apply FILE"),
        (["--merge", "ana.jsonl"], "ana.jsonl: is one of the input files and would be overwritten"),
        (["--apply", "gold.conll"], "gold.conll: is one of the input files and would be overwritten"),
    ],
)
def test_wrong_usage_is_refused(gold: Path, arguments: list[str], sentence: str) -> None:
    result = run("adjudicate", gold, write("ana.jsonl", SPURIOUS), *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_format_that_cannot_hold_the_corrected_spans_is_refused(gold: Path) -> None:
    adjudication = eh.adjudicate(gold, write("ana.jsonl", {**SPURIOUS, "verdict": "bounds", "to": {"end": 4}}))
    with pytest.raises(eh.SettingError, match="write another format, such as jsonl"):
        adjudication.apply("corrected.conll")
    adjudication.apply("corrected.jsonl")
    assert len(eh.read("corrected.jsonl").spans()) == 3


def test_overrides_must_be_no_output(gold: Path) -> None:
    path = write("ana.jsonl", SPURIOUS)
    result = run("score", gold, gold, "--overrides", path, "-o", path)
    assert result.exit_code == 2
    assert json.loads(path.read_text()) == SPURIOUS


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "gold.conll", "gold.conll"),
        ("rank", "gold.conll", "gold.conll", "other.conll"),
        ("compare", "gold.conll", "gold.conll", "other.conll"),
        ("gate", "gold.conll", "gold.conll", "other.conll"),
    ],
)
def test_commands_say_which_overrides_there_are(gold: Path, arguments: tuple[str, ...]) -> None:
    Path("other.conll").write_text(GOLD.replace("ORG", "PER"))
    path = write("ana.jsonl", SPURIOUS, LABEL)
    result = run(*arguments, "--overrides", path)
    assert result.exit_code == 0
    assert "the gold standard has 2 overrides (ana.jsonl: 1 spurious, 1 label); it is corrected." in result.stdout
    assert f"|overrides:{eh.score(gold, gold, overrides=path).settings['overrides'].sha256}" in result.stdout


def test_an_adjudication_in_python(gold: Path) -> None:
    adjudication = eh.adjudicate(gold, [write("ana.jsonl", SPURIOUS), write("ben.jsonl", LABEL)])
    assert adjudication.verdicts == {"spurious": 1, "label": 1, "bounds": 0, "missing": 0, "unclear": 0, "right": 0}
    assert (adjudication.before, adjudication.after) == ({"ORG": 1, "PER": 2}, {"PER": 2})
    assert "overrides" in adjudication._repr_html_()
    broken = eh.adjudicate(gold, write("ana.jsonl", {**SPURIOUS, "start": 1, "end": 2}))
    assert len(broken.problems) == 1
    with pytest.raises(eh.InputError, match=r"ana\.jsonl:1: sentence 1 has no gold span"):
        broken.merge()


@pytest.mark.parametrize("overrides", [None, 5, [None]])
def test_overrides_that_are_no_files_are_refused(gold: Path, overrides: Any) -> None:
    with pytest.raises(eh.SettingError, match="it must be the path of a file, or a list of paths"):
        eh.adjudicate(gold, overrides)


@pytest.mark.parametrize("option", [{"match": "fair"}, {"task": "tags"}, {"labels": "PER"}, {"jobs": 2}])
def test_options_that_do_not_say_how_the_gold_standard_is_read_are_refused(gold: Path, option: dict[str, Any]) -> None:
    with pytest.raises(eh.SettingError, match=f"adjudicate has no option '{next(iter(option))}'"):
        eh.adjudicate(gold, write("ana.jsonl", SPURIOUS), **option)


def test_problems_name_the_place_as_the_override_does(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": "d7", "text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}) + "\n")
    path = tmp_path / "overrides.jsonl"
    path.write_text(json.dumps({"document": "d7", "start": 0, "end": 2, "label": "PER", "verdict": "right"}) + "\n")
    (problem,) = eh.adjudicate(gold, path).problems
    assert problem.finding == "document 'd7' has no gold span 'PER' from 0 to 2 (the nearest one is 'PER' from 0 to 3)"
