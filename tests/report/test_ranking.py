"""The reports of a ranking, as golden files."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from conftest import Golden
from evenhand.cli.output import RENDERERS
from evenhand.registry import load


@pytest.fixture(scope="module")
def ranking() -> eh.Ranking:
    folder = Path(eh.__file__).parent / "examples" / "ner"
    return eh.rank(folder / "gold.conll", [folder / f"{name}.conll" for name in ("crf", "gazetteer", "tagger")], seed=0)


@pytest.mark.parametrize(("form", "name"), [("text", "rank.txt"), ("markdown", "rank.md"), ("latex", "rank.tex")])
def test_golden_ranking(ranking: eh.Ranking, form: str, name: str, golden: Golden) -> None:
    """Rendered output, read by hand; its figures are tested elsewhere, and the intervals are those of seed 0."""
    golden(load(RENDERERS[form])(ranking), name)


def test_lines_fit_into_eighty_columns(ranking: eh.Ranking) -> None:
    lines = [line for line in str(ranking).splitlines() if not line.startswith(("±:", "Note:", "evenhand:"))]
    assert max(map(len, lines)) <= 80
