"""Places of many units: line numbers, texts and drawings are worked out once, and are those of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.arrays import ints
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Chains
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.check import check
from evenhand.formats.parsing import cells as grid
from evenhand.settings import ReadSettings
from evenhand.tasks.chains.comparison import ChainDrawing
from evenhand.tasks.units import Predictions

SENTENCES = 400
OPTIONS = {"trials": 0, "resamples": 0}


def sentence(number: int, tag: str) -> str:
    mark = "-DOCSTART- O\n\n" if number % 7 == 0 else "\n" * (number % 3)
    return f"{mark}In{number} O\nRome{number} {tag}\nrained O\nit{number} O\n\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, dict[str, Path]]:
    """One system finds every place, the other none; sentences stand in documents, with more or less room between."""
    paths = {name: tmp_path / f"{name}.conll" for name in ("gold", "good", "bad")}
    for path, tag in zip(paths.values(), ("B-LOC", "B-LOC", "O"), strict=True):
        path.write_text("".join(sentence(number, tag) for number in range(SENTENCES)))
    return paths.pop("gold"), paths


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The blocks whose lines were counted, as often as they were."""
    found: list[bytes] = []
    other_lines = grid.other_lines
    monkeypatch.setattr(grid, "other_lines", lambda data, *where: found.append(data) or other_lines(data, *where))
    return found


def test_lines_of_a_block_are_counted_once(files: tuple[Path, dict[str, Path]], looked_at: list[bytes]) -> None:
    assert len(eh.compare(*files, show="new_error", **OPTIONS).shown_units) == SENTENCES  # type: ignore[arg-type]
    assert len(looked_at) == 1


def test_lines_of_a_page_are_counted_once(files: tuple[Path, dict[str, Path]], looked_at: list[bytes]) -> None:
    assert len(eh.report(*files, **OPTIONS).units.units()) == SENTENCES  # type: ignore[arg-type]
    assert len(looked_at) == 1


def test_lines_of_problems_are_counted_once(files: tuple[Path, dict[str, Path]], looked_at: list[bytes]) -> None:
    """A tag that does not occur in the encoding, in every sentence."""
    gold, _ = files
    gold.write_text(gold.read_text().replace("it399 O", "it399 B-LOC").replace(" B-LOC", " Q-LOC", SENTENCES))
    found = check(gold, ReadSettings(encoding="iob2"))
    lines = gold.read_text().splitlines()
    assert [lines[(problem.line or 0) - 1] for problem in found.problems] == [
        f"Rome{number} Q-LOC" for number in range(SENTENCES)
    ]
    assert len(looked_at) == 1


def test_places_of_many_different_wrong_tags_are_looked_up_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    line_numbers = Corpus.line_numbers
    monkeypatch.setattr(
        Corpus, "line_numbers", lambda corpus, tokens: asked.append(len(tokens)) or line_numbers(corpus, tokens)
    )
    path = tmp_path / "wrong.conll"
    path.write_text("".join(f"Rome{number} Q{number}-LOC\nrained O\n\n" for number in range(SENTENCES)))
    problems = check(path, ReadSettings(encoding="iob2")).problems
    assert [problem.line for problem in problems] == list(range(1, 3 * SENTENCES, 3))
    assert problems[1].finding.startswith("the tag 'Q1-LOC' is not a prefix such as B- or I-")
    assert asked == [SENTENCES]


def test_labels_of_units_are_told_once() -> None:
    columns = [np.zeros(2, dtype=np.int64), np.array([False, True])]
    tables = [np.zeros((1, 2), dtype=np.int64)] * 4
    answers = Predictions(*columns, *tables, *[columns[0]] * 3)
    assert answers.told.tolist() == [0, -1]
    assert answers.told is answers.told


@pytest.mark.parametrize("size", [1 << 18, 900])
def test_every_unit_is_in_the_line_that_it_names(
    files: tuple[Path, dict[str, Path]], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In files of one block, and of many."""
    gold, systems = files
    sizes = tuple(size if value == 1 << 18 else value for value in ReadSettings.__init__.__defaults__ or ())
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", sizes)
    lines = gold.read_text().splitlines()
    units = eh.compare(gold, systems, show="new_error", **OPTIONS).shown_units  # type: ignore[arg-type]
    named = [lines[int(unit.place.removeprefix(f"{gold}:")) - 1] for unit in units]
    assert named == [f"Rome{number} B-LOC" for number in range(SENTENCES)]
    assert [unit.text for unit in units] == [f"In{n} Rome{n} rained it{n}" for n in range(SENTENCES)]
    page = eh.report(gold, systems, **OPTIONS).units  # type: ignore[arg-type]
    assert [lines[line - 1] for line in page.units().line.tolist()] == named


def test_units_of_one_sentence_share_its_text(tmp_path: Path) -> None:
    """Which is what takes most of the memory of units."""
    for name, tag in (("gold", "B-LOC"), ("good", "B-LOC"), ("bad", "O")):
        (tmp_path / f"{name}.conll").write_text(f"Rome {tag}\nand O\nKyiv {tag}\n\n")
    gold, *systems = (tmp_path / f"{name}.conll" for name in ("gold", "good", "bad"))
    units = eh.compare(gold, systems, show="new_error", **OPTIONS).shown_units  # type: ignore[arg-type]
    assert [unit.words for unit in units] == ["Rome", "Kyiv"]
    assert units[0].text is units[1].text


def test_tokens_beyond_the_lines_of_a_corpus_have_none() -> None:
    corpus = Corpus("a.conll", 2, bounds=np.array([0, 2, 3]), lines=np.array([0, 1, 3]), first_line=10)
    assert corpus.line_numbers(np.array([2, 0, 1, 3])).tolist() == [13, 10, 11, -1]
    assert (corpus.line(2), corpus.line(3), corpus.place(3)) == (13, None, "a.conll")


def test_lines_of_sentences_are_those_of_their_tokens() -> None:
    corpus = Corpus("a.jsonl", 2, bounds=np.array([0, 2, 5]), lines=np.array([0, 1]), first_line=7)
    assert corpus.line_numbers(np.array([0, 1, 2, 4])).tolist() == [7, 7, 8, 8]


def test_a_mention_is_drawn_in_all_sentences_that_it_touches() -> None:
    """Sentences [0, 3), [3, 3), [3, 5) and [5, 6); in the second document, positions count from its begin."""
    corpus = Corpus("a", 4, bounds=np.array([0, 3, 3, 5, 6]), documents=np.array([0, 3]))
    columns = ([0, 0, 0, 1], [2, 0, 3, 0], [4, 1, 5, 1], [8, 9, 8, 7], [0, 0, 0, 0])
    drawn = ChainDrawing([Chains(Vocabulary(), *map(ints, columns))], corpus)
    assert drawn.sides(0) == [((1, 2, 4), (2, 0, 1))]
    assert drawn.sides(1) == [((1, -1, 1),)]
    assert drawn.sides(2) == [((1, -1, 1), (1, 0, 2))]
    assert drawn.sides(3) == [((1, 0, 1),)]
