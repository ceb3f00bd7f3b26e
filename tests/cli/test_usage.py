"""Misspelt commands, options and names: one sentence, with what may have been meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli import main

NER = Path(eh.__file__).parent / "examples" / "ner"
GOLD, CRF, TAGGER = (str(NER / f"{name}.conll") for name in ("gold", "crf", "tagger"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="evenhand")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("scor", GOLD), "No such command 'scor'; did you mean score? See evenhand --help."),
        (("plot", "erors", GOLD), "No such command 'erors'; did you mean errors? See evenhand plot --help."),
        (("qqq",), "No such command 'qqq'; see evenhand --help."),
        (("--verzion",), "No such option --verzion; did you mean --version? See evenhand --help."),
        (("score", "--mach", "x"), "No such option --mach; did you mean --match? See evenhand score --help."),
        (("score", "--by", "x"), "No such option --by; see evenhand score --help."),
        (
            ("demo", "--task", "span"),
            "--task is 'span'; did you mean spans? Choose one of spans, tags, trees, chains, relations, links, constituents.",
        ),
        (
            ("score", GOLD, "--repair", "begn"),
            "--repair is 'begn'; did you mean begin? Choose one of begin, discard, error.",
        ),
        (("gate", GOLD, CRF, TAGGER, "--as", "jsn"), "--as is 'jsn'; did you mean json? Choose one of "),
        (("score", GOLD, "--format", "gold:cnll"), "--format is 'cnll'; did you mean conll? Choose one of "),
        (
            ("compare", GOLD, CRF, TAGGER, "--baseline", "tager"),
            "There is no system 'tager'; did you mean tagger? Choose one of crf, tagger.",
        ),
        (
            ("compare", GOLD, CRF, TAGGER, "--by", "fiar"),
            "by is 'fiar'; did you mean fair? Choose one of fair, exact, leak for spans.",
        ),
        (("score", GOLD, CRF, "-q", "--show-columns", "recal"), "no table has a column 'recal'; did you mean recall? "),
    ],
)
def test_what_may_have_been_meant(arguments: tuple[str, ...], sentence: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"evenhand: {sentence}")
    assert result.stderr.count("\n") == 1
