"""`eh.causes` and `evenhand causes`: searched slices, units, points, saved results, and what cannot be searched."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli.main import main

EXAMPLES = Path(eh.__file__).parent / "examples"
NER = EXAMPLES / "ner"
GOLD, CRF, TAGGER, GAZETTEER = (NER / f"{name}.conll" for name in ("gold", "crf", "tagger", "gazetteer"))
NAMES = ("Ada", "Bo", "Cid", "Dora")
PLACES = ("Rome", "Oslo", "Ulm", "Bonn")


def sentences(seed: int, *, misses: float) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Words, gold tags and tags of a system, which misses this share of places and 5 % of persons."""
    random = np.random.default_rng(seed)
    for _ in range(20):
        words, gold, system = [], [], []
        for names, label, share in ((NAMES, "PER", 0.05), (PLACES, "LOC", misses)):
            words += [random.choice(names), "and"]
            gold += [f"B-{label}", "O"]
            system += ["O" if random.random() < share else f"B-{label}", "O"]
        yield words, gold, system


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gold standard of 20 documents, a system that misses places, and one that does not."""
    folder = tmp_path_factory.mktemp("corpus")
    lines: dict[str, list[str]] = {"gold": [], "places": [], "good": []}
    for document in range(20):
        for column in lines.values():
            column += ["-DOCSTART- O", ""]
        for words, gold, system in sentences(document, misses=0.4):
            good = ["O" if number % 19 == document % 19 else tag for number, tag in enumerate(gold)]
            for column, tags in zip(lines.values(), (gold, system, good), strict=True):
                column += [f"{word} {tag}" for word, tag in zip(words, tags, strict=True)] + [""]
    for name, column in lines.items():
        (folder / f"{name}.conll").write_text("\n".join(column) + "\n")
    table = ["document,genre", *(f"{number},{'news' if number % 2 else 'chat'}" for number in range(1, 21))]
    (folder / "meta.csv").write_text("\n".join(table) + "\n")
    return folder


@pytest.fixture(scope="module")
def places(corpus: Path) -> eh.Causes:
    return eh.causes(corpus / "gold.conll", corpus / "places.conll")


def causes(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(main, ["causes", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output


def test_the_slice_with_more_errors_is_found(places: eh.Causes, corpus: Path) -> None:
    (found,) = places.found
    assert found.slice == "position=middle"  # all places, and only these, are inside the sentence
    assert (found.units, found.left, found.documents) == (400, 400, 20)
    assert places.significant > 1
    assert found.p == 0.001
    rows = {row.slice: row for row in places.slices}
    assert rows["label=LOC"].inside == pytest.approx(found.inside)
    assert rows["label=LOC"].points == pytest.approx(found.points)


def test_rates_and_points_are_those_of_the_scores(places: eh.Causes, corpus: Path) -> None:
    result = eh.score(corpus / "gold.conll", corpus / "places.conll")
    label = result["fair"].labels["LOC"]
    row = next(row for row in places.slices if row.slice == "label=LOC")
    assert row.inside == pytest.approx(label["FN"] / row.units)
    overall, missed = result["fair"].overall, label["FN"]
    correct, wanted = overall["TP"] + missed, 2 * overall["TP"] + missed * 2 + (overall["FN"] - missed)
    assert row.points == pytest.approx(2 * correct / wanted - result["fair"].f1)
    report = eh.report(corpus / "gold.conll", corpus / "places.conll", by="fair")
    groups = [group for group in report.fix_first["places"] if group.gold == "LOC"]
    assert row.points == pytest.approx(sum(group.recoverable for group in groups))


def test_units_of_a_slice_are_its_errors(places: eh.Causes) -> None:
    units = places.units(places.found[0])
    assert len(units) == round(places.found[0].inside * 400)
    assert {(unit.gold, *unit.answers.values()) for unit in units} == {("LOC", "FN")}
    assert places.units("label=LOC", limit=2) == units[:2]
    assert {unit.place for unit in places.found[0].examples} <= {unit.place for unit in units}
    assert len({unit.document for unit in places.found[0].examples}) == 3
    with pytest.raises(eh.SettingError, match="No slice 'label=LOK' was searched; did you mean label=LOC"):
        places.units("label=LOK")


def test_the_table_has_all_slices(places: eh.Causes) -> None:
    assert len(places.table) == len(places.slices)
    first = places.table[0]
    assert (first.slice, first.found) == ("position=middle", 1)
    assert places.table["p"] == sorted(places.table["p"])
    assert set(places.table["slice"]) >= {"label=PER", "label=LOC"}
    assert "capitals=first" not in places.table["slice"]  # all units are inside


def test_saved_results_are_loaded(places: eh.Causes, tmp_path: Path) -> None:
    path = tmp_path / "causes.json"
    saved = places.to_json(path)
    loaded = eh.Causes.from_json(path)
    assert loaded == places
    assert loaded.to_json() == saved
    assert str(loaded) == str(places)
    with pytest.raises(eh.SettingError, match="A saved result has no units"):
        loaded.units(places.found[0])
    path.write_text(saved.replace('"found":', '"lost":'))
    with pytest.raises(eh.InputError, match="'found' is missing"):
        eh.Causes.from_json(path)


def test_two_systems_are_compared_with_no_difference(corpus: Path) -> None:
    good, bad = corpus / "good.conll", corpus / "places.conll"
    result = eh.causes(corpus / "gold.conll", good, bad)
    assert (result.systems, result.two_sided) == (("good", "places"), True)
    assert result.found[0].slice == "position=middle"
    row = next(row for row in result.slices if row.slice == "position=middle")
    assert result.found[0].inside == pytest.approx(row.rates[1] - row.rates[0])
    mirrored = eh.causes(corpus / "gold.conll", bad, good)
    assert [row.slice for row in mirrored.found] == [row.slice for row in result.found]
    assert [row.statistic for row in mirrored.found] == pytest.approx([-row.statistic for row in result.found])
    assert not eh.causes(corpus / "gold.conll", bad, good, worse=True).found


def test_units_of_one_side(corpus: Path, places: eh.Causes) -> None:
    files = corpus / "gold.conll", corpus / "places.conll"
    gold, system = (eh.causes(*files, units=side) for side in ("gold", "system"))
    assert (gold.size, system.size) == (800, 800 - places.wrong["places"])
    assert system.wrong == {"places": 0}
    assert not system.found
    assert "has significantly more errors in none." in str(system)


def test_slices_are_added_or_replaced(corpus: Path, places: eh.Causes) -> None:
    files, table = (corpus / "gold.conll", corpus / "places.conll"), corpus / "meta.csv"
    assert places.attributes == ("length", "sentence-length", "position", "capitals", "label")
    assert eh.causes(*files, slices=table).attributes == (*places.attributes[:-1], "genre", "label")
    only = eh.causes(*files, slices=[table, "length=1,2+"], only=True)
    assert only.attributes == ("length", "genre", "label")
    assert {row.slice for row in only.slices} == {"genre=chat", "genre=news", "label=LOC", "label=PER"} | {
        f"genre={genre} & label={label}" for genre in ("chat", "news") for label in ("LOC", "PER")
    }
    every = eh.causes(*files, slices="all").attributes
    assert {"frequency", "neighbour", "script"} <= set(every)
    assert not {"seen", "vocabulary"} & set(every)


def test_training_data_add_the_slices_of_seen_strings(corpus: Path, tmp_path: Path) -> None:
    train = tmp_path / "train.conll"
    train.write_text("Rome B-LOC\n\nAda B-PER\n")
    result = eh.causes(corpus / "gold.conll", corpus / "places.conll", train=train)
    assert "seen" in result.attributes
    assert {"seen=new", "seen=same"} <= {row.slice for row in result.slices}
    assert "train:" in result.signature


def test_tags(tmp_path: Path) -> None:
    """All nouns at the end of sentences are wrong."""
    rows = [[("the", "DET"), ("cat", "NOUN"), ("saw", "VERB"), ("dogs", "NOUN")]] * 100
    gold = eh.tags([[tag for _, tag in row] for row in rows], tokens=[[word for word, _ in row] for row in rows])
    wrong = eh.tags(
        [
            [tag if number % 2 or tag != "NOUN" else "VERB" for tag in tags]
            for number, tags in enumerate([[t for _, t in row] for row in rows])
        ],
        tokens=[[word for word, _ in row] for row in rows],
    )
    result = eh.causes(gold, {"tagger": wrong}, task="tags")
    assert (result.unit, result.of, result.size) == ("word", "sentences", 400)
    assert result.found[0].slice == "tag=NOUN"
    with pytest.raises(eh.SettingError, match="units is 'gold', but both sides have the same words"):
        eh.causes(gold, {"tagger": wrong}, task="tags", units="gold")


def test_sentences_are_resampled_if_there_is_one_document() -> None:
    text = causes(GOLD, CRF, "--of", "sentences")
    assert "289 spans in 87 sentences" in text
    assert "This shows where the system fails, not why." in text


def test_few_documents_are_refused(corpus: Path, tmp_path: Path) -> None:
    for name in ("gold", "places"):
        documents = (corpus / f"{name}.conll").read_text().split("-DOCSTART- O\n")
        (tmp_path / f"{name}.conll").write_text("-DOCSTART- O\n".join(documents[:6]))
    message = causes(tmp_path / "gold.conll", tmp_path / "places.conll", status=2)
    assert message == (
        "evenhand: Expected at least 8 documents to search slices, got 5. Use --of sentences if sentences can be treated "
        "as independent.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [GOLD, CRF, TAGGER, GAZETTEER],
            "Causes are searched for one system, or for the difference between two; got 3.",
        ),
        ([GOLD, CRF, "--worse"], "worse needs two systems; remove it."),
        ([GOLD, CRF, "--only"], "only needs slices. Specify some, or remove it."),
        ([GOLD, CRF, "--slice", "seen"], "The slice 'seen' needs training data; specify it with --train FILE."),
    ],
)
def test_contradictions_are_refused(arguments: list[object], message: str) -> None:
    assert causes(*arguments, status=2) == f"evenhand: {message}\n"


@pytest.mark.parametrize(
    ("folder", "gold", "system"),
    [
        ("trees", "gold.conllu", "neural.conllu"),
        ("chains", "gold.conll", "neural.conll"),
        ("links", "gold.jsonl", "reranker.jsonl"),
        ("relations", "gold.jsonl", "joint.jsonl"),
        ("constituents", "gold.mrg", "pcfg.mrg"),
        ("records", "gold.jsonl", "large.jsonl"),
    ],
)
def test_other_tasks_are_refused_by_name(folder: str, gold: str, system: str) -> None:
    with pytest.raises(eh.SettingError, match=f"Causes are searched for spans and tags, not for {folder}."):
        eh.causes(EXAMPLES / folder / gold, EXAMPLES / folder / system)


def test_attributes_of_words_are_left_out_without_words(corpus: Path, tmp_path: Path) -> None:
    for name in ("gold", "places"):
        lines = (corpus / f"{name}.conll").read_text().split("\n")
        (tmp_path / f"{name}.tags").write_text("\n".join(line.rpartition(" ")[2] for line in lines))
    result = eh.causes(tmp_path / "gold.tags", tmp_path / "places.tags")
    assert result.attributes == ("length", "sentence-length", "position", "label")
    assert "not searched because the gold standard has no words: capitals." in result.notes
    with pytest.raises(eh.SettingError, match="capitals"):
        eh.causes(tmp_path / "gold.tags", tmp_path / "places.tags", slices="capitals")


def test_rows_for_spreadsheets(corpus: Path) -> None:
    text = causes(corpus / "gold.conll", corpus / "places.conll", "--as", "csv")
    header, first, *_ = text.splitlines()
    assert header.startswith("slice,units,documents,inside,outside,points,statistic,p,detectable,found,")
    assert first.startswith("position=middle,400,20,")
    saved = json.loads(causes(corpus / "gold.conll", corpus / "places.conll", "--as", "json"))
    assert saved["command"] == "causes"
    assert Counter(type(row["slice"]) for row in saved["slices"]) == {str: len(saved["slices"])}
