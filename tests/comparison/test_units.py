"""The units behind the counts: where they are, what they are, and what systems say of them."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT
from evenhand.comparison.units import SHOWN
from evenhand.settings import ReadSettings
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
    with pytest.raises(eh.SettingError, match="'errors' is no kind of unit; choose one of correction, new_error"):
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
    found = eh.compare(gold, systems, trials=0, resamples=0, **options)
    (pair,) = found.pairs.values()
    for name, each in pair.classes.items():
        units = each.units()
        assert len(units) == each.count > 0 or (options.get("by"), name) == ("exact", "changed_error")
        transitions = Counter((unit.gold, *unit.answers.values()) for unit in units)
        if found.task != "trees":
            assert transitions == {(row.gold, row.before, row.after): row.count for row in each.transitions}
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
    found = eh.compare(TREES / "gold.conllu", systems, show="unsolved", trials=0, resamples=0)
    assert len(found.shown_units) == found.difficulty[0] == 39
    sentences = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    for unit in found.shown_units:
        cells = lines[int(unit.place.rpartition(":")[2]) - 1].split("\t")
        assert cells[1] == unit.words
        assert cells[7].partition(":")[0] == unit.gold
        assert (unit.text or "").replace(" ", "") == sentences[unit.sentence - 1].replace(" ", "")


@pytest.mark.parametrize("kind", SHOWN)
def test_no_unit_depends_on_blocks_and_portions(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[dict]:
        options = {"show": kind, "slices": "document,length", "trials": 0, "resamples": 0}
        spans = eh.compare(EXAMPLE / "gold.conll", [EXAMPLE / f"{name}.conll" for name in ("crf", "tagger")], **options)  # type: ignore[arg-type]
        options["slices"] = "document,upos"
        systems = [TREES / f"{name}.conllu" for name in ("rules", "transition")]
        return [spans.to_dict(), eh.compare(TREES / "gold.conllu", systems, **options).to_dict()]  # type: ignore[arg-type]

    def in_order(each: dict) -> dict:
        return {**each, "units": sorted(each["units"], key=lambda unit: sorted(map(str, unit.items())))}

    whole = found()
    assert all(each["units"] for each in whole)
    sizes = tuple(2000 if value == 1 << 18 else value for value in ReadSettings.__init__.__defaults__ or ())
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", sizes)
    monkeypatch.setattr(import_module("evenhand.tasks.spans.evaluation"), "PORTION", 20)
    monkeypatch.setattr(words, "PORTION", 50)
    assert [in_order(each) for each in found()] == [in_order(each) for each in whole]
