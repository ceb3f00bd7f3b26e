"""LaTeX that pdflatex takes: all commands and tasks, and text that looks like commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from declared import EXAMPLES
from evenhand.integrations import germeval
from evenhand.report import latex
from evenhand.report.latex import CODES_COMMAND, needs
from evenhand.tables import Column, DisplayTable, TableStyle

pytestmark = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
FOLDER = Path(eh.__file__).parent / "examples"
FLOATING = TableStyle(percent=False, decimals=3, caption="F_1 & 50% of \\input{x}", label="tab:all")
NASTY = [
    r"\input{x}",
    r"% _ & # $ { } ~ ^ \ < > |",
    "\"double\" 'single' `back` ``two''",
    "a--b---c ,, << >> ?` !`",
    "B³ – ± → ≥ ≤ é ß Đ « » Ș",
    "人名 한글 😀 العربية e\u0301 x\u0335",
    "\x1b[31m \x00 \x7f \u202e \u2028 \udc80",
    "[PER]",
    "* x",
    r"\end{tabular}\end{document}",
    "line\nfeed\r\nhere\ttab",
    "^^M ^^5c ^^7f",
]


ONE_COLUMN = r"\documentclass{article}"
TWO_COLUMNS = r"\documentclass[11pt,twocolumn]{article}\textwidth455pt\columnsep17pt\textheight700pt\topmargin-40pt"
"""As wide as pages of ACL, which are narrower than those of others, in larger type."""
TASKS = {**EXAMPLES, "constituents": ("constituents", "gold.mrg", ("chunks.mrg", "pcfg.mrg"))}


LESS = [pytest.param(command, marks=pytest.mark.long) for command in ("rank", "gate")]
"""Commands with few tables."""


def compiled(tmp_path: Path, text: str, opening: str = ONE_COLUMN) -> str:
    """Run pdflatex on a minimal article with the packages that the text names; the log."""
    named = re.search(r"^% needs (.*)$", text, re.MULTILINE)
    assert named is not None
    packages = named[1].replace(", ", "\n")
    article = f"{opening}\n\\pdfcompresslevel=0\\maxdeadcycles=1000\n{packages}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(article, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, [line for line in log.splitlines() if line.startswith(("!", "l."))]
    assert (tmp_path / "page.pdf").stat().st_size > 1000
    return log


@cache
def result_of(command: str, task: str) -> Any:
    name, gold, systems = TASKS[task]
    files = {Path(system).stem: FOLDER / name / system for system in systems}
    few: Any = {"task": task}
    if command == "score":
        return eh.score(FOLDER / name / gold, files, **few)
    if command == "rank":
        return eh.rank(FOLDER / name / gold, files, resamples=20, **few)
    if command == "compare":
        return eh.compare(FOLDER / name / gold, files, trials=100, resamples=20, show="new_error", **few)
    return eh.gate(FOLDER / name / gold, *list(files.values())[:2], trials=100, **few)


def protruding(log: str) -> list[str]:
    """What is more than two points too wide, or too high for its page."""
    wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\).*", log)
    return [each for each in wide if float(each) > 2] + re.findall(r"Float too large.*|Overfull \\vbox.*", log)


def type_sizes(path: Path) -> set[float]:
    """The sizes of type in a PDF, in points of TeX."""
    return {float(size) * 72.27 / 72 for size in re.findall(rb"/F\d+ ([\d.]+) Tf", path.read_bytes())}


@pytest.mark.parametrize("task", list(TASKS))
@pytest.mark.parametrize("command", ["score", LESS[0], "compare", LESS[1]])
@pytest.mark.parametrize("columns", [pytest.param(1, marks=pytest.mark.long), 2])
def test_all_results_fit_onto_the_page(command: str, task: str, columns: int, tmp_path: Path) -> None:
    text = latex.render(result_of(command, task), TableStyle(page_columns=columns))
    log = compiled(tmp_path, text, ONE_COLUMN if columns == 1 else TWO_COLUMNS)
    assert protruding(log) == []
    assert min(type_sizes(tmp_path / "page.pdf")) > 6.99


@pytest.mark.parametrize("command", ["score", "rank", "compare", "gate"])
@pytest.mark.parametrize("columns", [1, 2])
def test_floating_tables_compile_and_have_labels_of_their_own(command: str, columns: int, tmp_path: Path) -> None:
    style = replace(FLOATING, page_columns=columns)
    log = compiled(
        tmp_path, latex.render(result_of(command, "spans"), style), ONE_COLUMN if columns == 1 else TWO_COLUMNS
    )
    assert "multiply" not in log
    assert protruding(log) == []


@pytest.mark.parametrize("columns", [1, 2])
def test_the_table_of_four_systems_fits_onto_the_page(columns: int, tmp_path: Path) -> None:
    files = [FOLDER / "ner" / name for name in ("crf.conll", "gazetteer.conll", "prompted.jsonl", "tagger.conll")]
    summary = eh.summarize(FOLDER / "ner" / "gold.conll", files, trials=100, resamples=20)
    text = summary.to_latex(caption="Scores on the test set.", label="tab:scores", page_columns=columns)
    log = compiled(tmp_path, text, ONE_COLUMN if columns == 1 else TWO_COLUMNS)
    assert protruding(log) == []
    assert text.count(r"\begin{table") == 1, "parts of the table stay together"
    assert "--" not in text.partition(r"\parbox")[2].partition(r"\end{table")[0], "no options"


def test_germeval_compiles(tmp_path: Path) -> None:
    file = tmp_path / "both.tsv"
    file.write_text("1\tAda\tB-PER\tO\tB-PER\tO\n\n")
    text = germeval.latex(eh.germeval(file), verbose=True)
    compiled(tmp_path, f"% needs {needs(text)}\n{text}")


@pytest.mark.parametrize("text", NASTY)
def test_text_that_looks_like_commands_compiles(text: str, tmp_path: Path) -> None:
    table = DisplayTable(text, [Column(text, "text"), Column(text, "label")], [[text, text], [text, text]], 1, text)
    body = "\n".join(latex.lines(table))
    compiled(tmp_path, f"% needs {needs(body)}\n{CODES_COMMAND}\n{body}")


def test_names_of_systems_and_labels_stay_text_in_a_whole_report(tmp_path: Path) -> None:
    labels = [text.replace("\udc80", "") for text in NASTY]
    gold = eh.spans([[(label, place, place + 1) for place, label in enumerate(labels)]], name="a\n\\input{x}")
    systems = {text: eh.spans([[(text, 0, 1)]]) for text in labels}
    compiled(tmp_path, latex.render(eh.score(gold, systems), FLOATING))


@pytest.mark.parametrize(("columns", "sizes"), [(1, {9, 10}), (2, {10, 11})])
def test_tables_of_one_document_have_one_type_size(columns: int, sizes: set[int], tmp_path: Path) -> None:
    """`\\small` of documents in 10 and in 11 points, and the numbers of the pages."""
    style = TableStyle(page_columns=columns)
    results = [result_of(command, "spans") for command in ("score", "rank", "compare")]
    gold, *systems = (FOLDER / "ner" / f"{name}.conll" for name in ("gold", "crf", "tagger"))
    results += [eh.agree([gold, *systems]), eh.causes(gold, systems[0])]
    results.append(eh.confidence(gold, FOLDER / "ner" / "scored.jsonl"))
    body = "\n\n".join(latex.render(result, style) for result in results)
    text = f"% needs {needs(body)}\n{body}"
    log = compiled(tmp_path, text, ONE_COLUMN if columns == 1 else TWO_COLUMNS)
    assert protruding(log) == []
    assert {round(size) for size in type_sizes(tmp_path / "page.pdf")} == sizes
    assert body.count(r"\small\set") == sum(map(body.count, (r"\begin{table", r"\begin{center}")))


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_special_characters_print_as_themselves(tmp_path: Path) -> None:
    shown = r"\input{x} % _ & # $ { } ~ ^ < > | -- ,, é ß × ± → ≥"
    table = DisplayTable("", [Column("text", "text")], [[shown], ["人"], ["\x1b[0m"]])
    body = "\n".join(latex.lines(table))
    compiled(tmp_path, f"% needs {needs(body)}\n{CODES_COMMAND}\n\\pagestyle{{empty}}\n{body}")
    done = subprocess.run(["pdftotext", "-layout", tmp_path / "page.pdf", "-"], capture_output=True, check=True)
    printed = "".join(done.stdout.decode().split())
    for part in (r"\input{x}%_&#${}", "<>|", "--,,", "é", "U+4EBA", r"\x1b[0m"):
        assert part in printed
