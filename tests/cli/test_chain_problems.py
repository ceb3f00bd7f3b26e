"""Commands on chains that something is wrong with: notes, errors in one sentence, and what a check reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from build_chains import columns
from conftest import ROOT
from evenhand.cli import main

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"
CELLS = ["(1)", "-", "(1)"]
KEY = columns([CELLS] * 3, names=["a", "b", "c"])
"""Documents of six lines: the mark, three words, a blank line, the end."""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("key.conll").write_text(KEY)


def response(*names: str, cells: list[str] = CELLS, words: str = "w") -> str:
    Path("response.conll").write_text(columns([cells] * len(names), names=names, words=words))
    return "response.conll"


# Notes


def test_notes_are_on_standard_error_or_in_the_report() -> None:
    """Under the tables of a text; beside all that programs read."""
    response("b", "x", "a")
    notes = [
        "Note: system response: lacks documents c_0; they count as empty.",
        "Note: system response: has more documents, which are ignored: x_0.",
    ]
    text = run("score", "key.conll", "response.conll")
    assert text.exit_code == 0
    assert [line for line in text.stdout.splitlines() if "document" in line and line.startswith("Note")] == notes
    table = run("score", "key.conll", "response.conll", "--as", "csv")
    assert [line for line in table.stderr.splitlines() if "document" in line and line.startswith("Note")] == notes
    found = json.loads(run("score", "key.conll", "response.conll", "--as", "json").stdout)
    assert [f"Note: {note}" for note in found["notes"] if "document" in note] == notes
    ranked = run("rank", "key.conll", "response.conll")
    assert all(note in ranked.stdout for note in notes)


def test_other_words_are_noted_or_refused() -> None:
    response("a", "b", "c", words="v")
    found = run("score", "key.conll", "response.conll")
    first = "the first one: response.conll:2: found 'v0' where the gold standard has 'w0'; --align strict refuses them"
    assert f"Note: system response: 9 words are not those of the gold standard ({first})." in found.stdout.splitlines()
    strict = run("score", "key.conll", "response.conll", "--align", "strict")
    assert (strict.exit_code, strict.stdout) == (2, "")


# Errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("score", "key.conll"),
            "Gold and prediction of chains stand in two files; name the system's file, too.",
        ),
        (
            ("score", "key.conll", "key.conll", "--match", "arcs_nom"),
            "arcs_nom takes the POS of words, which the gold standard does not have; leave it out.",
        ),
        (
            ("compare", "key.conll", "key.conll", "key.conll", "--by", "arcs_nom"),
            "arcs_nom takes the POS of words, which the gold standard does not have; leave it out.",
        ),
        (("compare", "key.conll", "key.conll"), "A comparison takes two systems at least."),
        (
            ("compare", "key.conll", "key.conll", "key.conll", "--by", "las"),
            "by is 'las'; choose one of arcs_any, arcs_nom for chains.",
        ),
        (("score", "key.conll", "none.conll"), "none.conll: there is no such file; check the path."),
        (("score", "key.conll", "key.conll", "--labels", "PRP"), "labels does nothing for chains; leave it out."),
        (
            ("score", "key.conll", "cut.conll"),
            "cut.conll:2: a mention opens here that is never closed in its document; close it.",
        ),
        (
            ("score", "key.conll", "long.conll"),
            "long.conll:5: the document a_0 has 4 tokens, in the gold standard 3; give the same tokens in all files.",
        ),
    ],
)
def test_errors_are_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    Path("cut.conll").write_text(columns([["(1", "-", "(2)"]], names=["a"]))
    Path("long.conll").write_text(columns([[*CELLS, "-"]], names=["a"]).replace("w2\t(1)\n\n", "w2\t(1)\n"))
    found = run(*arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.splitlines()[-1] == f"evenhand: {sentence}"


def test_conlleval_is_for_spans() -> None:
    """Brackets are no labels."""
    found = run("score", "key.conll", "key.conll", "--as", "conlleval")
    assert (found.exit_code, found.stdout) == (2, "")


@pytest.mark.parametrize("option", [("--stacked",), ("--to-encoding", "bioes")], ids=["stacked", "encoding"])
def test_options_of_spans_are_refused_in_conversions(option: tuple[str, ...]) -> None:
    found = run("convert", "key.conll", "out.jsonl", *option)
    assert (found.exit_code, Path("out.jsonl").exists()) == (2, False)
    assert f"{option[0]} is for spans that are written as tags, which coref-jsonl has none of" in found.stderr


# Checks


def test_a_check_of_chains() -> None:
    found = run("check", CHAINS / "gold.conll", CHAINS / "rules.conll")
    assert found.exit_code == 0
    assert [line.split(": ", 1)[-1] for line in found.stdout.splitlines()] == [
        "conll2012; 69 sentences, 266 mentions; no problems",
        "conll2012; 69 sentences, 191 mentions; no problems",
        "2 of 2 files can be scored",
    ]


def test_a_check_reports_all_problems() -> None:
    Path("bad.conll").write_text(columns([["(1", "x", "(2)"], ["3)", "(4)", "-"]], names=["a", "a"]))
    found = run("check", "bad.conll")
    assert found.exit_code == 1
    *lines, last = found.stdout.splitlines()
    assert [int(line.split(":")[1]) for line in lines] == [2, 3, 7, 8]
    assert last == "bad.conll: conll2012; 2 sentences, 2 mentions; problems: chain (3), document (1)"
    rows = [json.loads(line) for line in run("check", "bad.conll", "--as", "jsonl").stdout.splitlines()]
    assert [(row["line"], row["kind"]) for row in rows] == [(2, "chain"), (3, "chain"), (7, "document"), (8, "chain")]
    assert {row["file"] for row in rows} == {"bad.conll"}


def against(*options: str, text: str = "key.conll") -> list[str]:
    """The problems, without the summary; a check fails just where a score does."""
    found = run("check", "response.conll", "--against", text, *options)
    *lines, last = found.stdout.splitlines()
    assert last.startswith("response.conll: conll2012; ")
    if text == "key.conll":
        assert (found.exit_code == 1) == (run("score", "key.conll", "response.conll", *options).exit_code == 2)
    return lines


def test_a_check_against_the_key() -> None:
    response("a", "b", "c", cells=["-", "(1", "1)"])
    assert against() == []
    assert run("check", CHAINS / "rules.conll", "--against", CHAINS / "gold.conll").exit_code == 0


def test_documents_may_stand_in_another_order() -> None:
    response("c", "a", "b")
    assert against() == []


def test_missing_and_extra_documents() -> None:
    response("x", "b", "y")
    assert against() == [
        "response.conll: warning: the document a_0 of key.conll is missing; add it, with or without chains.",
        "response.conll: warning: the document c_0 of key.conll is missing; add it, with or without chains.",
        "response.conll: warning: the document x_0 is not in key.conll; leave it out, or mend its name.",
        "response.conll: warning: the document y_0 is not in key.conll; leave it out, or mend its name.",
    ]
    found = run("check", "response.conll", "--against", "key.conll")
    assert found.exit_code == 0
    assert found.stdout.endswith(" mentions; no problems; scored with a note: other document (4)\n")


def test_other_words() -> None:
    path = Path(response("a", "b", "c"))
    path.write_text(path.read_text().replace("b\t0\t1\tw1", "b\t0\t1\tv1"))
    remedy = "give the same words, or --align position"
    found = run("check", "response.conll", "--against", "key.conll")
    assert found.exit_code == 0
    assert found.stdout.endswith(" mentions; no problems; scored with a note: other word (1)\n")
    strict = run("check", "response.conll", "--against", "key.conll", "--align", "strict")
    assert strict.exit_code == 1
    assert strict.stdout.endswith(" mentions; problems: text (1)\n")
    assert against() == [f"response.conll:9: warning: found 'v1' where the gold standard has 'w1'; {remedy}."]
    assert against("--align", "position") == []


def test_another_number_of_tokens() -> None:
    path = Path(response("c", "b", "a"))
    path.write_text(
        path.read_text().replace("b\t0\t2\tw2\t(1)\n", "").replace("(1)\nb\t0\t1\tw1\t-", "(1)\nb\t0\t1\tw1\t(1)")
    )
    (problem,) = against()
    assert problem == (
        "response.conll:9: error: the document b_0 has 2 tokens, in the gold standard 3; give the same tokens in all files."
    )


def test_every_word_that_differs_is_reported() -> None:
    path = Path(response("a", "b", "c"))
    path.write_text(path.read_text().replace("b\t0\t1\tw1", "b\t0\t1\tv1").replace("c\t0\t0\tw0", "c\t0\t0\tv0"))
    assert [line.split(":")[1] for line in against()] == ["9", "14"]


def test_problems_of_texts_and_of_brackets_are_reported_together() -> None:
    path = Path(response("x", "c", "a"))
    path.write_text(path.read_text().replace("c\t0\t1\tw1\t-", "c\t0\t1\tw1\t(7"))
    found = against()
    assert "response.conll:9: error: a mention opens here that is never closed in its document; close it." in found
    assert "response.conll: warning: the document b_0 of key.conll is missing; add it, with or without chains." in found
    assert "response.conll: warning: the document x_0 is not in key.conll; leave it out, or mend its name." in found
    assert len(found) == 3


def test_a_text_without_mentions_will_do() -> None:
    response("a", "b", "c")
    Path("text.conll").write_text(columns([["-"] * 3] * 3, names=["a", "b", "c"]))
    assert against(text="text.conll") == []


def test_a_text_that_has_no_chains_at_all_will_do() -> None:
    """As one without tags does, of which the help speaks."""
    response("a", "b", "c")
    words = "".join(f"{number}\tw{number - 1}" + 8 * "\t_" + "\n" for number in (1, 2, 3))
    Path("text.conllu").write_text("".join(f"# newdoc id = {name}_0\n{words}\n" for name in "abc"))
    assert against(text="text.conllu") == []


def test_the_text_must_be_there() -> None:
    response("a")
    assert against(text="none.conll") == ["none.conll: error: there is no such file; check the path."]
