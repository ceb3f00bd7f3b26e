"""`evenhand agree` as a user calls it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
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
    found = eh.agree({"ana": "ana.conll", "ben": "ben.conll"}, coding="iob2")
    assert json.loads(result.stdout) == json.loads(found.to_json())
    assert eh.Agreement.from_json(result.stdout) == found
    assert found.pairs["ana", "ben"].confusion["B-LOC"] == {"B-ORG": 1}


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
    found = eh.agree(["ana.jsonl", "ben.jsonl", "cyd.jsonl"])
    assert found.coverage.by_annotator == {"ana": 3, "ben": 2, "cyd": 1}
    assert found.coverage.by_number == {"1": 0, "2": 3, "3": 0}
    assert found.f1["exact"].mean == 1
    assert found.pairs["ben", "cyd"].f1["exact"] is None
    assert found.undefined["pairs.ben.cyd.f1.exact"] == "the two have no document in common"
    assert found.undefined["pairs.ben.cyd.codes.all.alpha"] == "the two have no document in common"


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
        (["ana.conll"], "Agreement takes two annotators at least."),
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
    with pytest.raises(eh.SettingError, match="Agreement is measured on spans, tags, chains, and not on trees"):
        eh.agree(["one.conllu", "other.conllu"])


def test_overlapping_spans_have_codes_but_no_iob2(folder: Path) -> None:
    sides = [eh.spans([[("A", 0, 2), ("B", 1, 3)]], lengths=[4]), eh.spans([[("A", 0, 2)]], lengths=[4])]
    found = eh.agree(dict(zip("ab", sides, strict=True)))
    assert found.pairs["a", "b"].confusion == {"A": {"A": 1}, "A|B": {"A": 1}, "B": {"O": 1}, "O": {"O": 1}}
    assert found.undefined["unitizing.u_alpha"] == "u-alpha needs spans that do not overlap; a has 2 that do"
    with pytest.raises(eh.SettingError, match="IOB2 has no tags for spans that overlap"):
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
    assert result.stderr.startswith("evenhand: --vote is for --show, --conflicts, --adjudicate or --page; give one")


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
    assert "The page carries 1 of 2 places, conflicts first" in page
    with pytest.raises(eh.SettingError, match="A saved agreement has no places, as these are in the files"):
        eh.Agreement.from_json(eh.agree(FILES).to_json()).to_html()


def test_html_and_notebooks_have_tables(folder: Path) -> None:
    assert "<table" in run("agree", *FILES, "--as", "html").stdout
    assert "<table" in eh.agree(FILES)._repr_html_()


def test_attributes_of_an_agreement(folder: Path) -> None:
    found = eh.agree({"ana": "ana.conll", "ben": "ben.conll"})
    assert found.alpha == pytest.approx(1 - 11 * 2 / (144 - 36 - 16 - 1 - 1))
    assert list(found.pairs) == [("ana", "ben")]
    assert found.labels["PER"].kappa == 1
    assert [place.text for place in found.conflicts()] == ["Oslo"]
    assert found.adjudicated.spans().rows() == [("PER", 0, 0, 2)]


def test_texts_of_annotators_that_differ_are_theirs(folder: Path) -> None:
    (folder / "short.conll").write_text("Ada B-PER\nKeller I-PER\n")
    with pytest.raises(eh.InputError, match=r"short\.conll:2: this annotator ends here, but ana\.conll:3 has"):
        eh.agree(["ana.conll", "short.conll"])
    with pytest.raises(
        eh.InputError, match=r"found the token 'flew' behind the end of the first annotator short\.conll"
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
    with pytest.raises(eh.SettingError, match="beta does nothing where annotators are compared"):
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
    with pytest.raises(eh.SettingError, match="Agreement takes two annotators at least"):
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
