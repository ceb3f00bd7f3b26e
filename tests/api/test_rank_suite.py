"""`rank_suite`: several data sets, each for itself and on average."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.report import data as csv_report


def names(*found: str) -> str:
    """A file in which these names are found."""
    return "".join(f"{word} {'B-PER' if word in found else 'O'}\n" for word in ("Ada", "sees", "Bo", "and", "Cy"))


GOLD = names("Ada", "Bo", "Cy")
ONE, TWO, THREE = names("Cy"), names("Ada", "Cy"), GOLD
"""F1 = 1/2, 4/5 and 1."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two data sets, on which the systems x and y change places."""
    for name, files in {"north": (TWO, ONE), "south": (ONE, THREE)}.items():
        (tmp_path / name / "systems").mkdir(parents=True)
        (tmp_path / name / "gold.conll").write_text(GOLD)
        for system, text in zip("xy", files, strict=True):
            (tmp_path / name / "systems" / f"{system}.conll").write_text(text)
    return tmp_path


def suite(folder: Path, text: str) -> Path:
    path = folder / "suite.toml"
    path.write_text(text)
    return path


PATTERNS = """
[[data]]
name = "north"
gold = "north/gold.conll"
systems = "north/systems/*.conll"

[[data]]
name = "south"
gold = "south/gold.conll"
systems = "south/systems/*.conll"
"""


def test_averages_by_hand(folder: Path) -> None:
    ranking = eh.rank_suite(suite(folder, PATTERNS), match="exact", resamples=0)
    assert (ranking.name, list(ranking.data_sets)) == ("average", ["north", "south"])
    assert {name: each.score for name, each in ranking["exact"].items()} == pytest.approx(
        {"x": (4 / 5 + 1 / 2) / 2, "y": (1 / 2 + 1) / 2}
    )
    assert ranking.systems == ("y", "x")
    north, south = ranking.data_sets.values()
    assert [north["exact"][name].rank for name in "xy"] == [1, 2]
    assert [south["exact"][name].rank for name in "xy"] == [2, 1]


def test_systems_in_a_table_of_names(folder: Path) -> None:
    """Names may differ from those of the files, and from one data set to the next files may."""
    tables = """
[[data]]
name = "north"
gold = "north/gold.conll"
systems = { old = "north/systems/x.conll", new = "north/systems/y.conll" }

[[data]]
name = "south"
gold = "south/gold.conll"
[data.systems]
new = "south/systems/y.conll"
old = "south/systems/x.conll"
"""
    by_name = eh.rank_suite(suite(folder, tables), match="exact", resamples=0)
    by_pattern = eh.rank_suite(suite(folder, PATTERNS), match="exact", resamples=0)
    assert by_name["exact"]["old"] == by_pattern["exact"]["x"]
    assert by_name["exact"]["new"] == by_pattern["exact"]["y"]


def test_a_pattern_that_holds_the_gold_standard_leaves_it_out(folder: Path) -> None:
    for name in "xy":
        (folder / "north" / f"{name}.conll").write_text(ONE)
    text = '[[data]]\ngold = "north/gold.conll"\nsystems = "north/*.conll"\n'
    ranking = eh.rank_suite(suite(folder, text), match="exact", resamples=0)
    assert ranking.systems == ("x", "y")
    assert list(ranking.data_sets) == ["gold"], "without a name, that of the gold file"


def test_paths_are_counted_from_the_folder_of_the_suite(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = suite(folder, PATTERNS)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert eh.rank_suite(path, resamples=0) == eh.rank_suite(Path("..", "suite.toml"), resamples=0)


def test_options_of_a_data_set(folder: Path) -> None:
    for path in sorted((folder / "south").rglob("*.conll")):
        path.write_text("".join(f"{line} x\n" for line in path.read_text().replace("PER", "PERSON").splitlines()))
    text = PATTERNS + 'column = 2\nformat = "conll"\nencoding = "iob2"\nalign = "position"\nmap = { PERSON = "PER" }\n'
    ranking = eh.rank_suite(suite(folder, text), match="exact", resamples=0)
    assert ranking["exact"]["y"].score == pytest.approx(0.75)
    assert "|align:strict+position|" in ranking.signature
    assert "|map:none+PERSON=PER|" in ranking.signature
    assert ranking.signature.endswith("|suite:north+south")


def test_options_for_all_data_sets(folder: Path) -> None:
    for path in folder.rglob("*.conll"):  # two sentences, of which resamples can be drawn
        path.write_text(f"{path.read_text().rstrip()}\n\n" * 2)
    ranking = eh.rank_suite(suite(folder, PATTERNS), match=["exact", "iou"], iou=0.9, resamples=20, seed=4, level=0.8)
    assert ranking.models == ("exact", "iou")
    assert (ranking.resamples, ranking.seed, ranking.level, ranking.groups) == (20, 4, 0.8, "sentences")
    assert all(each.interval is not None for each in ranking["iou"].values())


def test_two_data_sets_give_a_narrower_interval_than_one(tmp_path: Path) -> None:
    """The mean of two independent samples has 1 / sqrt(2) of their deviation, here as if the same data came twice."""
    chance = random.Random(1)
    sentences = [
        [names(*chance.sample(["Ada", "Bo", "Cy"], size)) for size in (3, chance.randint(0, 3))] for _ in range(99)
    ]
    for place, name in enumerate(("gold", "x")):
        (tmp_path / f"{name}.conll").write_text("\n".join(sentence[place] for sentence in sentences))
    entry = '[[data]]\nname = "{}"\ngold = "gold.conll"\nsystems = "x.conll"\n'
    ranking = eh.rank_suite(suite(tmp_path, entry.format("one") + entry.format("two")), match="exact")
    (low, high), (first, last) = (each["exact"]["x"].interval for each in (ranking, ranking.data_sets["one"]))
    assert high - low < 0.85 * (last - first)


def test_csv_names_the_data_sets(folder: Path) -> None:
    text = csv_report.render(eh.rank_suite(suite(folder, PATTERNS), match="exact", resamples=0))
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == ["average"] * 2 + ["north"] * 2 + ["south"] * 2


def test_notes_say_which_data_set_they_concern(folder: Path) -> None:
    notes = eh.rank_suite(suite(folder, PATTERNS), match="exact", resamples=0).notes
    assert notes == ("south: system y: its spans are identical to the gold standard's. Is this the right file?",)


def test_a_suite_as_plain_data(folder: Path) -> None:
    data = json.loads(eh.rank_suite(suite(folder, PATTERNS), match="exact", resamples=0).to_json())
    assert (data["name"], list(data["data_sets"])) == ("average", ["north", "south"])
    assert [each["name"] for each in data["systems"]] == ["y", "x"]
    assert data["data_sets"]["north"]["systems"][0]["standings"]["exact"]["score"] == 0.8


def test_a_suite_shows_its_average_and_then_every_data_set(folder: Path) -> None:
    lines = str(eh.rank_suite(suite(folder, PATTERNS), match="exact", resamples=0)).splitlines()
    assert lines[0].startswith("y leads x by ")
    assert lines[1] == "2 systems on 2 data sets, on average and on each"
    assert [line for line in lines if line.endswith(":")] == ["north:", "south:"]


ENTRY = '[[data]]\ngold = "north/gold.conll"\n'
BROKEN = {
    "no data": ("title = 1\n", r"suite\.toml has no data sets; write a table \[\[data\]\] for each, with gold and"),
    "one table": ('[data]\ngold = "north/gold.conll"\n', "has no data sets"),
    "no TOML": ("[[data]\n", r"suite\.toml is not a TOML file \(.*line 1"),
    "no gold": ('[[data]]\nsystems = "north/systems/*.conll"\n', r"data set 1 of .*suite\.toml has no gold\."),
    "no systems": (PATTERNS + ENTRY, r"data set 3 of .*suite\.toml has no systems\."),
    "unknown key": (
        ENTRY + 'systems = "north/systems/*.conll"\nmatch = "exact"\n',
        "data set 1 of .* has the unknown key 'match'; the keys are name, gold, systems, task, format, column, encoding, align, map",
    ),
    "nothing in the pattern": (ENTRY + 'systems = "nothing/*.conll"\n', "contains no file; check the path"),
    "no such system": (ENTRY + 'systems = { a = "a.conll" }\n', r"a\.conll: there is no such file; check the path"),
    "no such gold": ('[[data]]\ngold = "no.conll"\nsystems = "north/systems/*"\n', r"no\.conll: there is no such file"),
    "no such alignment": (ENTRY + 'systems = "north/systems/*"\nalign = "near"\n', "align is 'near'; choose one of"),
    "two of one name": (PATTERNS.replace("south", "north"), r"suite\.toml has two data sets called 'north'; give them"),
    "two without a name": (
        "\n".join(line for line in PATTERNS.splitlines() if not line.startswith("name")),
        r"suite\.toml has two data sets called 'gold'; give them different names\.",
    ),
    "missing system": (
        PATTERNS.replace("south/systems/*", "south/systems/x"),
        r"The system 'y' is not in all data sets of .*suite\.toml; see south\.",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_suites_that_cannot_be_ranked(kind: str, folder: Path) -> None:
    text, sentence = BROKEN[kind]
    with pytest.raises(eh.EvenhandError, match=sentence):
        eh.rank_suite(suite(folder, text), resamples=0)


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(eh.InputError, match=r"suite\.toml: cannot be read .*; check the path of the suite\."):
        eh.rank_suite(tmp_path / "suite.toml")


SYSTEMS = 'systems = "north/systems/*"\n'
VALUES = {
    "gold": ('[[data]]\ngold = 1\nsystems = "*"\n', "gold; write the path of a file."),
    "gold as a list": ('[[data]]\ngold = ["a"]\nsystems = "*"\n', "gold; write the path of a file."),
    "systems as a list": (ENTRY + 'systems = ["a.conll"]\n', "systems; write a pattern such as"),
    "a system as a number": (ENTRY + "systems = { a = 1 }\n", "systems; write a pattern such as"),
    "name": (ENTRY + SYSTEMS + "name = 3\n", "name; write a text."),
    "task": (ENTRY + SYSTEMS + 'task = ["spans"]\n', "task; write a text."),
    "format": (ENTRY + SYSTEMS + "format = 2.5\n", "format; write a text, or a table with gold and system."),
    "a side": (ENTRY + SYSTEMS + 'format = { silver = "conll" }\n', "format; write a text, or a table"),
    "column": (ENTRY + SYSTEMS + "column = 2.5\n", "column; write a number or a name"),
    "encoding": (ENTRY + SYSTEMS + "encoding = false\n", "encoding; write a text"),
    "align": (ENTRY + SYSTEMS + "align = {}\n", "align; write a text."),
    "map": (ENTRY + SYSTEMS + "map = { PER = 3 }\n", "map; write a table of old and new labels"),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_another_type_are_a_sentence(kind: str, folder: Path) -> None:
    text, sentence = VALUES[kind]
    with pytest.raises(eh.SettingError) as raised:
        eh.rank_suite(suite(folder, text), resamples=0)
    shown = f"data set 1 of {folder / 'suite.toml'} has the wrong kind of value for {sentence}"
    assert str(raised.value).startswith(shown)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"data = [1]\n", "data set 1 of {} is not a table; write [[data]], and its gold and systems below."),
        (b'[[data]]\ngold = "\xe4"\n', "{}:2: the byte 0xe4 is not valid UTF-8; save the file as UTF-8."),
        (b"x = " + b"9" * 5000, "{} is not a TOML file (a value is too long or deep)."),
        (b"x = " + b"[" * 50_000, "{} is not a TOML file (a value is too long or deep)."),
        (
            b"[[data]]\ngold = 'a'\ngold = 'b'\n",
            "{} is not a TOML file (Cannot overwrite a value (at line 3, column 11)).",
        ),
        (
            b'[[data]]\ngold = "a\\u0000"\nsystems = "*"\n',
            "{0.parent}/a\0: cannot be opened (it holds a NUL)",
        ),
        (b'[[data]]\ngold = "a"\nsystems = {}\n', "data set 1 of {} has no systems; systems is a pattern"),
    ],
)
def test_suites_that_cannot_be_read(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "suite.toml"
    path.write_bytes(content)
    with pytest.raises(eh.EvenhandError) as raised:
        eh.rank_suite(path)
    assert str(raised.value).startswith(sentence.format(path))
