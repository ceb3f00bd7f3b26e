"""The units behind the counts: where they are, what they are, and what systems say of them."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.arrays import ints
from evenhand.comparison.units import SHOWN, CollectedUnits, Collection
from evenhand.data.corpus import Corpus
from evenhand.data.structures import Chains
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.check import check
from evenhand.formats.parsing import cells as grid
from evenhand.settings import ReadSettings
from evenhand.tasks.chains.evaluation import drawn_chains
from evenhand.tasks.registry import TASKS
from evenhand.tasks.spans import evaluation as portion
from evenhand.tasks.units import Predictions, SentenceView
from evenhand.tasks.words import evaluation as words

TAGS = ROOT / "src" / "evenhand" / "examples" / "tags"
TREES = ROOT / "src" / "evenhand" / "examples" / "trees"

GOLD = "-DOCSTART-\tO\n\nAda\tB-PER\nByron\tI-PER\nslept\tO\n\n-DOCSTART-\tO\n\nRome\tB-LOC\nand\tO\nKyiv\tB-LOC\n"
ONE = GOLD.replace("slept\tO", "slept\tB-LOC").replace("Rome\tB-LOC", "Rome\tO")
TWO = GOLD.replace("Byron\tI-PER", "Byron\tO").replace("Kyiv\tB-LOC", "Kyiv\tB-PER")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents; one finds `slept` and misses Rome, two cuts Ada Byron and has a label wrong."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("one", ONE), ("two", TWO)):
        Path(f"{name}.conll").write_text(text)


def compared(**options: object) -> eh.Comparison:
    return eh.compare("gold.conll", ["one.conll", "two.conll"], trials=0, resamples=0, **options)  # type: ignore[arg-type]


@pytest.mark.usefixtures("files")
def test_a_unit_says_all_about_itself() -> None:
    (unit,) = [unit for unit in compared(show="new_error").shown_units if unit.gold == "PER"]
    assert unit.to_dict() == {
        "kind": "new_error",
        "from": "one",
        "to": "two",
        "place": "gold.conll:3",
        "document": 1,
        "sentence": 1,
        "start": 0,
        "end": 2,
        "positions": "tokens",
        "token_start": 0,
        "token_end": 2,
        "words": "Ada Byron",
        "gold": "PER",
        "answers": {"one": "TP PER", "two": "BES PER"},
        "text": "Ada Byron slept",
    }


@pytest.mark.usefixtures("files")
def test_places_are_lines_of_the_gold_standard() -> None:
    found = compared(show="new_error").shown_units
    assert [(unit.place, unit.document, unit.sentence, unit.words) for unit in found] == [
        ("gold.conll:3", 1, 1, "Ada Byron"),
        ("gold.conll:11", 2, 2, "Kyiv"),
    ]


@pytest.mark.usefixtures("files")
def test_surplus_has_no_gold_label() -> None:
    found = {unit.words: (unit.gold, unit.answers) for unit in compared(show="correction").shown_units}
    assert found == {
        "slept": ("", {"one": "FP LOC", "two": "TN"}),
        "Rome": ("LOC", {"one": "FN", "two": "TP LOC"}),
    }


@pytest.mark.usefixtures("files")
def test_units_that_no_system_or_only_one_has_right() -> None:
    """Here all units are solved once; with the second system twice, two of them never."""
    assert {unit.words for unit in compared(show="solved_once").shown_units} == {"Ada Byron", "slept", "Rome", "Kyiv"}
    assert compared(show="unsolved").shown_units == ()
    twice = {"b": "two.conll", "c": "two.conll"}
    found = eh.compare("gold.conll", twice, show="unsolved", trials=0, resamples=0).shown_units
    assert [(unit.words, unit.pair) for unit in found] == [("Ada Byron", None), ("Kyiv", None)]
    assert (found[0].to_dict()["from"], found[0].to_dict()["to"]) == (None, None)


@pytest.mark.parametrize(("kind", "solvers"), [("unsolved", 0), ("solved_once", 1)])
def test_units_are_as_many_as_their_difficulty_says(kind: str, solvers: int) -> None:
    systems = [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")]
    found = eh.compare(EXAMPLE / "gold.conll", systems, show=kind, trials=0, resamples=0)
    assert len(found.shown_units) == found.difficulty[solvers] > 0
    right = [sum(answer[:2] in ("TP", "TN") for answer in unit.answers.values()) for unit in found.shown_units]
    assert set(right) == {solvers}


@pytest.mark.usefixtures("files")
def test_how_many_are_shown() -> None:
    every = compared(show="solved_once").shown_units
    assert len(every) == 4
    assert compared(show="solved_once", limit=3).shown_units == every[:3]
    assert compared(show="solved_once", limit=99).shown_units == every


@pytest.mark.usefixtures("files")
def test_without_show_no_units_are_kept() -> None:
    assert compared().shown_units == ()
    assert compared().to_dict()["units"] == []


@pytest.mark.usefixtures("files")
def test_kinds_that_are_none() -> None:
    with pytest.raises(eh.SettingError, match="Unknown kind of unit 'errors'; choose one of correction, new_error"):
        compared(show="errors")


@pytest.mark.usefixtures("files")
def test_every_pair_has_its_units() -> None:
    Path("same.conll").write_bytes(Path("gold.conll").read_bytes())
    systems = {"a": "one.conll", "b": "two.conll", "c": "same.conll"}
    found = eh.compare("gold.conll", systems, show="correction", trials=0, resamples=0)
    assert Counter(unit.pair for unit in found.shown_units) == {("a", "b"): 2, ("a", "c"): 2, ("b", "c"): 2}
    assert all(set(unit.answers) == {"a", "b", "c"} for unit in found.shown_units)


def test_spans_of_lists_without_words() -> None:
    gold, system = eh.spans([[("A", 0, 2)]], end="exclusive"), eh.spans([[]], end="exclusive")
    (unit,) = eh.compare(gold, {"a": gold, "b": system}, trials=0, resamples=0).pair("a", "b").new_errors.units()
    assert (unit.place, unit.sentence, unit.words, unit.text) == ("spans", 1, None, None)
    assert (unit.start, unit.end, unit.answers) == (0, 2, {"a": "TP A", "b": "FN"})


def test_words_of_lists_with_tokens() -> None:
    words = [["They", "sing"], ["Birds", "do"]]
    gold, a, b = (
        eh.tags(side, tokens=words)
        for side in ([["P", "V"], ["N", "V"]], [["P", "N"], ["N", "V"]], [["P", "V"], ["V", "V"]])
    )
    found = eh.compare(gold, {"a": a, "b": b}, task="tags", show="new_error", trials=0, resamples=0)
    (unit,) = found.shown_units
    assert (unit.sentence, unit.start, unit.words, unit.text) == (2, 0, "Birds", "Birds do")
    assert (unit.gold, unit.answers) == ("N", {"a": "N", "b": "V"})


def test_a_head_that_changed_is_shown() -> None:
    """Where the relations are the same, the heads must tell why it is a difference."""
    words = [["They", "sing", "songs"]]
    gold = eh.trees([[(2, "nsubj"), (0, "root"), (2, "obj")]], tokens=words)
    other = eh.trees([[(2, "nsubj"), (0, "root"), (1, "obj")]], tokens=words)
    (unit,) = eh.compare(gold, {"a": gold, "b": other}, show="new_error", trials=0, resamples=0).shown_units
    assert unit.answers["a"] != unit.answers["b"]


@pytest.mark.parametrize(
    ("gold", "systems", "options"),
    [
        (EXAMPLE / "gold.conll", [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger")], {}),
        (EXAMPLE / "gold.conll", [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger")], {"by": "exact"}),
        (TAGS / "gold.tsv", [TAGS / f"{name}.tsv" for name in ("hmm", "neural")], {"task": "tags"}),
        (TREES / "gold.conllu", [TREES / f"{name}.conllu" for name in ("rules", "transition")], {"by": "uas"}),
    ],
    ids=["fair", "exact", "tags", "trees"],
)
def test_a_second_pass_finds_as_many_units_as_were_counted(gold: Path, systems: list[Path], options: dict) -> None:
    comparison = eh.compare(gold, systems, trials=0, resamples=0, **options)
    (pair,) = comparison.pairs.values()
    for name, difference in pair.classes.items():
        units = difference.units()
        assert len(units) == difference.count > 0 or (options.get("by"), name) == ("exact", "changed_error")
        transitions = Counter((unit.gold, *unit.answers.values()) for unit in units)
        if comparison.task != "trees":
            assert transitions == {(row.gold, row.before, row.after): row.count for row in difference.transitions}
        assert {unit.kind for unit in units} <= {name}
        assert pair.units(name) == units


@pytest.mark.parametrize("kind", ["correction", "new_error", "changed_error", "solved_once"])
def test_units_come_in_the_order_of_the_text(kind: str) -> None:
    """Surplus among gold spans, so that a limit does not hide it."""
    systems = [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger")]
    found = eh.compare(EXAMPLE / "gold.conll", systems, show=kind, trials=0, resamples=0).shown_units
    places = [(unit.sentence, unit.start) for unit in found]
    assert places == sorted(places)


def test_lines_hold_the_words_that_units_name() -> None:
    lines = (TREES / "gold.conllu").read_text().splitlines()
    systems = [TREES / f"{name}.conllu" for name in ("rules", "transition", "neural")]
    comparison = eh.compare(TREES / "gold.conllu", systems, show="unsolved", trials=0, resamples=0)
    assert len(comparison.shown_units) == comparison.difficulty[0] == 39
    sentences = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    for unit in comparison.shown_units:
        cells = lines[int(unit.place.rpartition(":")[2]) - 1].split("\t")
        assert cells[1] == unit.words
        assert cells[7].partition(":")[0] == unit.gold
        assert (unit.text or "").replace(" ", "") == sentences[unit.sentence - 1].replace(" ", "")


@pytest.mark.parametrize("kind", SHOWN)
def test_no_unit_depends_on_blocks_and_portions(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def comparisons() -> list[dict]:
        options = {"show": kind, "slices": "document,length", "trials": 0, "resamples": 0}
        spans = eh.compare(EXAMPLE / "gold.conll", [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger")], **options)  # type: ignore[arg-type]
        options["slices"] = "document,upos"
        systems = [TREES / f"{name}.conllu" for name in ("rules", "transition")]
        return [spans.to_dict(), eh.compare(TREES / "gold.conllu", systems, **options).to_dict()]  # type: ignore[arg-type]

    def in_order(item: dict) -> dict:
        return {**item, "units": sorted(item["units"], key=lambda unit: sorted(map(str, unit.items())))}

    whole = comparisons()
    assert all(item["units"] for item in whole)
    sizes = tuple(2000 if value == 1 << 18 else value for value in ReadSettings.__init__.__defaults__ or ())
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", sizes)
    monkeypatch.setattr(import_module("evenhand.tasks.spans.evaluation"), "PART_SPANS", 20)
    monkeypatch.setattr(words, "MANY_WORDS", 50)
    assert [in_order(item) for item in comparisons()] == [in_order(item) for item in whole]


# The units that a page carries, where it may not carry all of them


EXAMPLE_COLLECTION = TASKS["spans"].example
FOLDER = Path(eh.__file__).parent / "examples" / EXAMPLE_COLLECTION.folder


def collected(limit: int) -> Collection:
    systems = [FOLDER / name for name in EXAMPLE_COLLECTION.systems]
    return eh.report(FOLDER / EXAMPLE_COLLECTION.gold, systems, limit=limit, trials=0, resamples=0).units


def places(collection: Collection, units: CollectedUnits) -> list[tuple[int, ...]]:
    """Sentence, start, end and what systems say of it."""
    number = [collection.sentences[place].number for place in units.sentence.tolist()]
    tables = (*units.answers.tolist(), *units.surplus[None].tolist())
    return list(zip(number, units.start.tolist(), units.end.tolist(), *tables, strict=True))


@pytest.mark.parametrize("room", [0, 1, 25])
def test_units_that_differ_come_before_those_that_all_have_right(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Portions are small, so that units that all have right are met before others that take their room."""
    monkeypatch.setattr(portion, "PART_SPANS", 10)
    whole = collected(10_000)
    units = whole.units()
    right = [number for (kind, *_), number in whole.classes.items() if TASKS["spans"].error_types.all[kind] == "TP"]
    is_plain = np.isin(units.classes, right).all(axis=0)
    assert np.count_nonzero(is_plain) > 40
    limit = np.count_nonzero(~is_plain) + room
    first = np.concatenate((np.flatnonzero(~is_plain), np.flatnonzero(is_plain)))[:limit]
    some = collected(limit)
    assert places(some, some.units()) == places(whole, units.take(np.sort(first)))
    assert (some.included, some.total) == (limit, whole.total)


@pytest.mark.parametrize("limit", [0, 1, 40])
def test_a_page_carries_no_more_than_it_may(limit: int) -> None:
    some = collected(limit)
    assert len(some.units()) == some.included == limit
    assert some.units().classes.shape == (len(EXAMPLE_COLLECTION.systems), limit)


# Places of many units: line numbers, texts and drawings are worked out once, and are those of the file


SENTENCES = 400
OPTIONS = {"trials": 0, "resamples": 0}


def sentence(number: int, tag: str) -> str:
    mark = "-DOCSTART- O\n\n" if number % 7 == 0 else "\n" * (number % 3)
    return f"{mark}In{number} O\nRome{number} {tag}\nrained O\nit{number} O\n\n"


@pytest.fixture
def files_places(tmp_path: Path) -> tuple[Path, dict[str, Path]]:
    """One system finds every place, the other none; sentences stand in documents, with more or less room between."""
    paths = {name: tmp_path / f"{name}.conll" for name in ("gold", "good", "bad")}
    for path, tag in zip(paths.values(), ("B-LOC", "B-LOC", "O"), strict=True):
        path.write_text("".join(sentence(number, tag) for number in range(SENTENCES)))
    return paths.pop("gold"), paths


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The blocks whose lines were counted, as often as they were."""
    items: list[bytes] = []
    other_lines = grid._other_lines
    monkeypatch.setattr(grid, "_other_lines", lambda data, *where: items.append(data) or other_lines(data, *where))
    return items


def test_lines_of_a_block_are_counted_once(files_places: tuple[Path, dict[str, Path]], looked_at: list[bytes]) -> None:
    assert len(eh.compare(*files_places, show="new_error", **OPTIONS).shown_units) == SENTENCES  # type: ignore[arg-type]
    assert len(looked_at) == 1


def test_lines_of_a_page_are_counted_once(files_places: tuple[Path, dict[str, Path]], looked_at: list[bytes]) -> None:
    assert len(eh.report(*files_places, **OPTIONS).units.units()) == SENTENCES  # type: ignore[arg-type]
    assert len(looked_at) == 1


def test_lines_of_problems_are_counted_once(files_places: tuple[Path, dict[str, Path]], looked_at: list[bytes]) -> None:
    """A tag that does not occur in the encoding, in every sentence."""
    gold, _ = files_places
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
    tables = [np.zeros((1, 2), dtype=np.int64)] * 6
    answers = Predictions(*columns, *tables, *[columns[0]] * 3)
    assert answers.displayed_label.tolist() == [0, -1]
    assert answers.displayed_label is answers.displayed_label


@pytest.mark.parametrize("size", [1 << 18, 900])
def test_every_unit_is_in_the_line_that_it_names(
    files_places: tuple[Path, dict[str, Path]], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In files of one block, and of many."""
    gold, systems = files_places
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
    assert (corpus.line(2), corpus.line(3), corpus.location(3)) == (13, None, "a.conll")


def test_lines_of_sentences_are_those_of_their_tokens() -> None:
    corpus = Corpus("a.jsonl", 2, bounds=np.array([0, 2, 5]), lines=np.array([0, 1]), first_line=7)
    assert corpus.line_numbers(np.array([0, 1, 2, 4])).tolist() == [7, 7, 8, 8]


def test_a_mention_is_drawn_in_all_sentences_that_it_touches() -> None:
    """Sentences [0, 3), [3, 3), [3, 5) and [5, 6); in the second document, positions count from its begin."""
    corpus = Corpus("a", 4, bounds=np.array([0, 3, 3, 5, 6]), documents=np.array([0, 3]))
    columns = ([0, 0, 0, 1], [2, 0, 3, 0], [4, 1, 5, 1], [8, 9, 8, 7], [0, 0, 0, 0])
    drawn = SentenceView([drawn_chains(Chains(Vocabulary(), *map(ints, columns)), corpus)])
    assert drawn.sides(0) == [((1, 2, 4), (2, 0, 1))]
    assert drawn.sides(1) == [((1, -1, 1),)]
    assert drawn.sides(2) == [((1, -1, 1), (1, 0, 2))]
    assert drawn.sides(3) == [((1, 0, 1),)]
