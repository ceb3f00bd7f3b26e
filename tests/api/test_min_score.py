"""Scores of the units with a least confidence: `--min-score` equals scoring the file without the other units."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.cli.main import main
from evenhand.tasks.registry import TASKS, models_of

Rows = list[list[tuple[str, int, int, float]]]
LABELS = ("A", "B")
SPAN = st.tuples(
    st.sampled_from(LABELS), st.integers(0, 3), st.integers(1, 3), st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0])
).map(lambda row: (row[0], row[1], min(row[1] + row[2], 5), row[3]))
SENTENCES = st.lists(st.lists(SPAN, max_size=4), min_size=1, max_size=3)
LENGTH = 5
THRESHOLDS = st.sampled_from([0.0, 0.25, 0.3, 0.6, 1.0, 1.5])
NEEDS_MORE = {"germeval", "leak", "meddocan", "i2b2", "accuracy", "strings"}
"""Measures that need other input: levels, values, documents or tags."""
MODELS = [model.name for model in models_of("spans") if model.name not in NEEDS_MORE]


def annotation(rows: Rows, least: dict[str, float] | float | None = None) -> eh.Annotation:
    """Spans with their scores, or those that are left if units below a threshold are removed by hand."""
    limit = least if isinstance(least, dict) else dict.fromkeys(LABELS, -1.0 if least is None else least)
    kept = [[span for span in sentence if span[3] >= limit[span[0]]] for sentence in rows]
    tokens = [[f"w{token}" for token in range(LENGTH)] for _ in rows]
    return eh.spans(kept, tokens=tokens, name="crf")


def figures(results: Any) -> Any:
    saved = json.loads(results.to_json())
    return saved["gold"], [(system["units"], system["scores"]) for system in saved["systems"]]


@pytest.mark.parametrize("match", MODELS)
@settings(max_examples=15, deadline=None)
@given(gold=SENTENCES, system=SENTENCES, least=THRESHOLDS)
def test_every_measure_scores_the_remaining_spans(match: str, gold: Rows, system: Rows, least: float) -> None:
    system = [*system, *[[]] * len(gold)][: len(gold)]
    key = annotation(gold)
    by_option = eh.score(key, annotation(system), match=match, min_score=least)
    by_hand = eh.score(key, annotation(system, least), match=match)
    assert figures(by_option) == figures(by_hand)


@settings(max_examples=25, deadline=None)
@given(gold=SENTENCES, system=SENTENCES, one=THRESHOLDS, other=THRESHOLDS)
def test_labels_and_systems_have_their_own_thresholds(gold: Rows, system: Rows, one: float, other: float) -> None:
    system = [*system, *[[]] * len(gold)][: len(gold)]
    key, systems = annotation(gold), {"crf": annotation(system), "tagger": annotation(system)}
    results = eh.score(key, systems, min_score={"A": one, "tagger": other})
    by_hand = {
        "crf": annotation(system, {"A": one, "B": -1.0}),
        "tagger": annotation(system, {"A": one, "B": other}),
    }
    assert figures(results) == figures(eh.score(key, by_hand))


def lines(path: Path, *records: Any) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


TOKENS = {"tokens": ["Ada", "met", "Babbage", "twice"]}


def spans(*scores: float | None, **more: Any) -> list[dict[str, Any]]:
    rows = [{"start": at, "end": at + 1, "label": "PER", **more} for at in range(len(scores))]
    return [row if score is None else {**row, "score": score} for row, score in zip(rows, scores, strict=True)]


@pytest.fixture
def gold(tmp_path: Path) -> str:
    return lines(tmp_path / "gold.jsonl", {**TOKENS, "spans": spans(None, None, None)})


def test_links_and_relations_are_filtered_by_their_own_scores(tmp_path: Path) -> None:
    linked = [{**TOKENS, "spans": [{**span, "links": ["Q1"]} for span in spans(0.9, 0.4)]}]
    links = lines(tmp_path / "links.jsonl", *linked)
    assert eh.score(links, links, task="links", min_score=0.5).predicted == 1
    named = [{**span, "id": at} for at, span in enumerate(spans(0.1, 0.1, 0.1))]
    relations = [
        {"head": 0, "tail": 1, "label": "met", "score": 0.8},
        {"head": 0, "tail": 2, "label": "met", "score": 0.3},
    ]
    related = lines(tmp_path / "relations.jsonl", {**TOKENS, "spans": named, "relations": relations})
    result = eh.score(related, related, task="relations", min_score=0.5)
    assert (result.predicted, result.gold.units) == (1, 2)


def test_a_tag_below_the_threshold_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("Ada\tNNP\nmet\tVBD\nBabbage\tNNP\n")
    (tmp_path / "hmm.tsv").write_text("Ada\tNNP\t0.9\nmet\tVBD\t0.4\nBabbage\tNN\t0.3\n")
    results = [
        eh.score(tmp_path / "gold.tsv", tmp_path / "hmm.tsv", task="tags", score=3, min_score=least)
        for least in (0.0, 0.35, 0.5)
    ]
    assert [result["accuracy"].headline for result in results] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    assert [result.predicted for result in results] == [3, 2, 1]


def test_missing_scores_are_an_error_until_the_user_decides(tmp_path: Path, gold: str) -> None:
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9, 0.2, None)})
    with pytest.raises(eh.InputError) as error:
        eh.score(gold, crf, min_score=0.5)
    assert str(error.value) == f"{crf}: 1 of 3 units have no score. Set --missing-score."
    units = {
        how: eh.score(gold, crf, min_score=0.5, missing_score=how).predicted for how in ("lowest", "highest", "drop")
    }
    assert units == {"lowest": 1, "highest": 2, "drop": 1}
    assert eh.score(gold, crf, missing_score="drop").predicted == 2
    assert eh.score(gold, crf, missing_score="lowest").predicted == 3


def test_a_file_without_scores_is_an_error(gold: str) -> None:
    with pytest.raises(eh.InputError) as error:
        eh.score(gold, gold, min_score=0.5)
    assert str(error.value) == f"{gold}: no unit has a score. Specify the score field with --score."


@pytest.mark.parametrize(("transform", "scores"), [("logistic", (0.0, 1.1, -1.1)), ("percent", (50, 75, 25))])
def test_scores_are_transformed_before_they_are_compared(
    tmp_path: Path, gold: str, transform: str, scores: tuple[float, ...]
) -> None:
    """logistic(1.1) = 0.75026."""
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(*scores)})
    units = [
        eh.score(gold, crf, score_transform=transform, min_score=least).predicted for least in (0.2, 0.5, 0.75, 0.76)
    ]
    assert units == [3, 2, 1, 0]


def test_the_signature_has_the_threshold_and_results_keep_it(tmp_path: Path, gold: str) -> None:
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9, 0.2, 0.5)})
    result = eh.score(gold, crf, min_score={"PER": 0.5, "crf": 0.3}, score="score")
    assert "|score:score|min-score:PER:0.5,crf:0.3" in result.signature
    path = tmp_path / "saved.json"
    path.write_text(result.to_json())
    assert eh.Result.from_json(path).signature == result.signature
    assert "min-score" not in eh.score(gold, crf).signature


def test_notes_name_scores_that_are_not_used_and_units_that_are(tmp_path: Path, gold: str) -> None:
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9, 0.2, 0.5)})
    assert (
        "system crf: has scores, which are not used; see evenhand confidence and --min-score."
        in eh.score(gold, crf).notes
    )
    assert "system crf: 2 of 3 spans are scored (min-score)." in eh.score(gold, crf, min_score=0.5).notes
    assert not any("score" in note for note in eh.score(eh.read(gold), gold).notes)
    notes = eh.score(eh.read(crf), crf, min_score=0.5).notes
    assert "gold: has scores (3 spans), which are ignored." in notes
    notes = eh.score(gold, crf, min_score={"crff": 0.5}).notes
    assert any("the label 'crff' of --min-score occurs nowhere" in note for note in notes)


def test_a_name_of_a_system_and_a_label_is_ambiguous(tmp_path: Path, gold: str) -> None:
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9)})
    with pytest.raises(eh.SettingError, match="PER is a system and a label, so --min-score PER:NUMBER is ambiguous"):
        eh.score(gold, {"PER": crf}, min_score={"PER": 0.5})


@pytest.mark.parametrize("value", ["high", "PER:", True, {"PER": "x"}, ["0.5", "0.6"], float("nan")])
def test_bad_thresholds_are_refused(gold: str, value: Any) -> None:
    with pytest.raises(eh.SettingError, match="min_score"):
        eh.score(gold, gold, min_score=value)


def test_tasks_without_scores_refuse_the_options(gold: str) -> None:
    without = [name for name in TASKS if "min_score" not in {each.name for each in TASKS[name].parameters}]
    assert without == ["trees", "chains", "constituents", "records"]
    with pytest.raises(eh.SettingError, match="min-score has no effect when annotators are compared"):
        eh.agree([gold, gold], min_score=0.5)


def test_rank_compare_gate_and_errors_have_the_same_threshold(tmp_path: Path, gold: str) -> None:
    systems = {
        "crf": lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9, 0.2, 0.5)}),
        "tagger": lines(tmp_path / "tagger.jsonl", {**TOKENS, "spans": spans(0.1, 0.2, 0.6)}),
    }
    f1 = {name: result["exact"].f1 for name, result in eh.score(gold, systems, min_score=0.5).items()}
    assert f1 == {"crf": pytest.approx(0.8), "tagger": pytest.approx(0.5)}
    ranking = eh.rank(gold, systems, match="exact", min_score=0.5, resamples=0)
    assert {name: standing.score for name, standing in ranking["exact"].items()} == pytest.approx(f1)
    assert eh.compare(gold, systems, by="exact", min_score=0.5, trials=0, resamples=0).scores["crf"] == pytest.approx(
        f1["crf"]
    )
    rows = eh.errors(gold, systems, match="exact", min_score=0.5, all=True)
    assert list(zip(rows["system"], rows["type"], rows["score"], strict=True)) == [
        ("crf", "TP", 0.9),
        ("crf", "FN", None),
        ("crf", "TP", 0.5),
        ("tagger", "FN", None),
        ("tagger", "FN", None),
        ("tagger", "TP", 0.6),
    ]


def test_the_command_line_takes_several_thresholds(tmp_path: Path, gold: str) -> None:
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9, 0.2, 0.5)})
    options = ["--min-score", "0.95", "--min-score", "PER:0.4", "--match", "exact", "--as", "value"]
    run = CliRunner().invoke(main, ["score", gold, crf, *options])
    assert float(run.stdout) == pytest.approx(0.8)


def test_several_processes_score_the_same_units(tmp_path: Path) -> None:
    """Missing scores are counted in the whole file, not in its parts."""
    records = [{**TOKENS, "spans": spans(0.9, 0.2, 0.5)} for _ in range(3000)]
    gold, crf = lines(tmp_path / "gold.jsonl", *records), lines(tmp_path / "crf.jsonl", *records)
    one, two = (eh.score(gold, crf, min_score=0.5, jobs=jobs) for jobs in (1, 2))
    assert figures(one) == figures(two)
    records[-1] = {**TOKENS, "spans": spans(0.9, None)}
    lines(tmp_path / "crf.jsonl", *records)
    with pytest.raises(eh.InputError, match="1 of 8,999 units have no score"):
        eh.score(gold, crf, min_score=0.5, jobs=2)


def test_unit_tables_have_a_column_of_scores(tmp_path: Path, gold: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    crf = lines(tmp_path / "crf.jsonl", {**TOKENS, "spans": spans(0.9, 0.25)})
    CliRunner().invoke(main, ["score", gold, crf, "--verdicts", str(tmp_path / "units.parquet")])
    assert parquet.read_table(tmp_path / "units.parquet")["score"].to_pylist() == [0.9, 0.25, None]


# The same through files of every format


WIDTH = 3
"""Characters of a token and the blank after it."""
TEXT = " ".join(f"w{token}" for token in range(LENGTH))
MEASURES = ("exact", "fair", "overlap", "ts", "semeval")


def in_characters(start: int, end: int, begin: int = 0) -> dict[str, int]:
    return {"start": begin + WIDTH * start, "end": begin + WIDTH * end - 1}


def token_lines(folder: Path, rows: Rows) -> Path:
    keys = ("label", "start", "end", "score")
    records = [{"tokens": TEXT.split(), "spans": [dict(zip(keys, span, strict=True)) for span in row]} for row in rows]
    return Path(lines(folder / "crf.jsonl", *records))


def text_lines(folder: Path, rows: Rows) -> Path:
    spans_of = [[{"label": label, **in_characters(*at), "score": score} for label, *at, score in row] for row in rows]
    return Path(lines(folder / "crf.jsonl", *({"text": TEXT, "spans": listed} for listed in spans_of)))


def pipeline_output(folder: Path, rows: Rows) -> Path:
    items = [
        [{"entity_group": label, **in_characters(*at), "score": score} for label, *at, score in row] for row in rows
    ]
    return Path(lines(folder / "crf.jsonl", *items))


def label_studio(folder: Path, rows: Rows) -> Path:
    tasks = []
    for row in rows:
        results = [
            {"type": "labels", "value": {**in_characters(*at), "labels": [label]}, "score": score}
            for label, *at, score in row
        ]
        tasks.append({"data": {"text": TEXT}, "predictions": [{"result": results, "score": 0.2}]})
    path = folder / "crf.json"
    path.write_text(json.dumps(tasks))
    return path


def brat(folder: Path, rows: Rows) -> Path:
    """A text per document."""
    (folder / "crf").mkdir()
    for number, row in enumerate(rows):
        notes = []
        for at, (label, start, end, score) in enumerate(row, 1):
            place = in_characters(start, end)
            quoted = TEXT[place["start"] : place["end"]]
            notes.append(
                f"T{at}\t{label} {place['start']} {place['end']}\t{quoted}\n#{at}\tAnnotatorNotes T{at}\t{score}\n"
            )
        (folder / "crf" / f"{number}.txt").write_text(TEXT)
        (folder / "crf" / f"{number}.ann").write_text("".join(notes))
    return folder / "crf"


def columns(folder: Path, rows: Rows) -> Path:
    """Tags cannot overlap: the first one of overlapping spans is written."""
    sentences = []
    for row in rows:
        cells = [["O", "_"] for _ in range(LENGTH)]
        for label, start, end, score in row:
            cells[start:end] = [["I-" + label if at else "B-" + label, str(score)] for at in range(end - start)]
        sentences.append("".join(f"w{at}\t{tag}\t{score}\n" for at, (tag, score) in enumerate(cells)))
    path = folder / "crf.conll"
    path.write_text("\n".join(sentences))
    return path


def flat(rows: Rows) -> Rows:
    kept: Rows = [[] for _ in rows]
    for row, listed in zip(rows, kept, strict=True):
        for span in row:
            if all(span[2] <= other[1] or other[2] <= span[1] for other in listed):
                listed.append(span)
    return kept


def frame(folder: Path, rows: Rows) -> Path:
    """A flat Parquet file with offsets in characters."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = [
        {"sentence": number, "label": label, **in_characters(*at), "score": score}
        for number, row in enumerate(rows, 1)
        for label, *at, score in row
    ]
    parquet.write_table(arrow.Table.from_pylist(table), folder / "crf.parquet")
    return folder / "crf.parquet"


def table(folder: Path, rows: Rows) -> Path:
    """TSV with a header and offsets in tokens."""
    pytest.importorskip("pyarrow")
    cells = [(number, *span) for number, row in enumerate(rows, 1) for span in row]
    path = folder / "crf.tsv"
    path.write_text("sentence\tlabel\tstart\tend\tscore\n" + "".join("\t".join(map(str, row)) + "\n" for row in cells))
    return path


@pytest.mark.parametrize(
    ("write", "options"),
    [
        (token_lines, {}),
        (text_lines, {}),
        (pipeline_output, {}),
        (label_studio, {}),
        (brat, {}),
        (columns, {"score": 3, "column": {"system": 2}}),
        (frame, {"offsets": {"system": "codepoints"}}),
        (table, {"offsets": {"system": "tokens"}}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@settings(max_examples=6, deadline=None)
@given(gold=SENTENCES, system=SENTENCES, least=THRESHOLDS)
def test_a_filtered_file_has_the_scores_of_the_threshold(
    tmp_path_factory: pytest.TempPathFactory,
    write: Any,
    options: dict[str, Any],
    gold: Rows,
    system: Rows,
    least: float,
) -> None:
    """The last sentence has a sure span, because a file without spans does not show its format."""
    sure: Rows = [[("A", 0, 1, 2.0)]]
    system = [*system, *[[]] * len(gold)][: len(gold)] + sure
    system = flat(system) if write is columns else system
    folders = [tmp_path_factory.mktemp(write.__name__) for _ in range(3)]
    in_texts = write in (text_lines, pipeline_output, label_studio, frame)
    key = (text_lines if in_texts else brat if write is brat else token_lines)(folders[0], [*gold, *sure])
    whole = write(folders[1], system)
    filtered = write(folders[2], [[span for span in row if span[3] >= least] for row in system])
    by_option = eh.score(key, whole, match=MEASURES, min_score=least, **options)
    assert figures(by_option) == figures(eh.score(key, filtered, match=MEASURES, **options))
    assert by_option.predicted == sum(span[3] >= least for row in system for span in row)
