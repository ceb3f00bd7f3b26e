"""`evenhand compare`: every form of output, its JSON contract, and many systems that stay readable."""

from __future__ import annotations

import csv
import io
import json
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conftest import EXAMPLE, ROOT
from evenhand.cli import main
from evenhand.cli.compare import COMPARE_OUTPUTS

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")]
TAGS = [*(EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "hmm", "neural")), "--task", "tags"]
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")]
FAST = ("--trials", 100, "--resamples", 100)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in ("compare", *arguments, *FAST)], prog_name="evenhand")


def as_json(*arguments: object) -> dict:
    result = run(*arguments, "--as", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


# The contract


@pytest.mark.parametrize("files", [SPANS, TAGS, TREES], ids=["spans", "tags", "trees"])
def test_the_keys_of_the_contract(files: list) -> None:
    comparison = as_json(*files)
    keys = {"command", "task", "by", "systems", "scores", "pairs", "oracle", "difficulty", "signature", "notes", "gold"}
    assert keys | {"evenhand", "agreement", "labels", "slices", "units"} <= set(comparison)
    assert comparison["command"] == "compare"
    names = comparison["systems"]
    assert set(comparison["scores"]) == set(names)
    assert all(set(scores) == {comparison["by"]} for scores in comparison["scores"].values())
    assert [(pair["from"], pair["to"]) for pair in comparison["pairs"]] == list(combinations(names, 2))
    for pair in comparison["pairs"]:
        assert {"units", "different", "difference", "delta", "classes", "significance", "interval"} <= set(pair)
        assert list(pair["classes"]) == ["correction", "new_error", "changed_error"]
        assert sum(item["count"] for item in pair["classes"].values()) == pair["different"]
        assert {"test", "p", "p_holm", "trials", "seed"} <= set(pair["significance"])
        assert {"of", "level", "low", "high"} <= set(pair["interval"])
        assert (pair["interval"]["of"], pair["interval"]["level"]) == ("delta", 0.95)
        assert ("moved" in pair, "mcnemar" in pair) == (files is SPANS, files is not SPANS)
        for item in pair["classes"].values():
            assert {"count", "share", "transitions"} == set(item)
            for row in item["transitions"]:
                keys = {"gold", "from", "to", "count", "share_of_class", "share_of_differences"}
                assert set(row) == keys | ({"change"} if files is TREES else set())
    for bound in (comparison["oracle"]["overall"], *comparison["oracle"]["labels"].values()):
        assert {"units", "systems", "upper_bound", "gain"} <= set(bound)
        assert list(bound["systems"]) == names
    assert list(comparison["difficulty"]) == [str(number) for number in range(len(names) + 1)]
    assert ("exact" in comparison["oracle"]) == (files is SPANS)


def test_figures_of_the_example() -> None:
    """From crf to tagger: 117 of 285 gold spans and 10 spans of surplus differ."""
    (pair,) = as_json(SPANS[0], SPANS[2], SPANS[3])["pairs"]
    assert (pair["units"], pair["different"], pair["moved"]) == (295, 117, 1)
    assert {name: each["count"] for name, each in pair["classes"].items()} == {
        "correction": 82,
        "new_error": 20,
        "changed_error": 15,
    }
    assert pair["classes"]["correction"]["share"] == 82 / 117
    assert pair["classes"]["correction"]["transitions"][0] == {
        "gold": "LOC",
        "from": "FN",
        "to": "TP LOC",
        "count": 29,
        "share_of_class": 29 / 82,
        "share_of_differences": 29 / 117,
    }


def test_settings_reach_the_comparison() -> None:
    options = ("--by", "uas", "--baseline", "neural", "--level", 0.9, "--interval", "bca", "--seed", 7)
    comparison = as_json(*TREES, *options, "--slice", "upos,document")
    assert comparison["by"] == "uas"
    assert [(pair["from"], pair["to"]) for pair in comparison["pairs"]] == [
        ("neural", "rules"),
        ("neural", "transition"),
    ]
    assert comparison["pairs"][0]["interval"]["kind"] == "bca"
    assert (comparison["pairs"][0]["interval"]["level"], comparison["pairs"][0]["significance"]["seed"]) == (0.9, 7)
    assert list(comparison["slices"]) == ["upos", "document"]
    assert [(pair["from"], pair["to"]) for pair in as_json(*TREES, "--sequence")["pairs"]] == [
        ("rules", "transition"),
        ("transition", "neural"),
    ]


# Forms of output


@pytest.mark.parametrize("form", COMPARE_OUTPUTS)
@pytest.mark.parametrize("files", [SPANS, TAGS, TREES], ids=["spans", "tags", "trees"])
def test_every_form_of_output(form: str, files: list, tmp_path: Path) -> None:
    """On standard output and in a file alike."""
    show = ("--show", "unsolved") if form == "jsonl" else ()
    shown = run(*files, "--as", form, *show)
    assert shown.exit_code == 0, shown.output
    written = run(*files, "--as", form, *show, "-o", tmp_path / "out")
    assert (written.exit_code, written.stdout) == (0, "")
    assert (tmp_path / "out").read_text(encoding="utf-8") == shown.stdout
    for name in (Path(str(file)).stem for file in files[1:3]):
        assert name in shown.stdout


def test_the_text_has_all_parts() -> None:
    text = run(*SPANS, "--slice", "length").stdout
    for part in (
        "3 systems on the gold standard gold, 285 spans, compared by fair",
        "crf to tagger, corrections: 82 of 117 (70.09 %):",
        "crf to tagger, new errors: 20 of 117 (17.09 %):",
        "changed errors: 15 of 117 (12.82 %)",
        "over best: over the label's own best system",
        "Bounds under exact match: precision 100.00, recall 94.04, f1 96.93",
        "One system as the key for another: F1 under exact match",
        "slice: length",
        "100 resamples of documents. Seed 0.",
    ):
        assert part in text


def test_tables_of_markdown_and_latex_are_those_of_the_text() -> None:
    markdown, latex = (run(*SPANS, "--as", form).stdout for form in ("markdown", "latex"))
    assert "## crf to tagger, corrections" in markdown
    assert "| LOC | FN | TP LOC | 29 | 35.37 | 24.79 |" in markdown
    assert r"LOC & FN & TP LOC & 29 & 35.37 & 24.79 \\" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == markdown.count("\n\n| ") + 1
    assert latex.count(r"\medskip") == 1, "the widest table has two parts"


def test_csv_has_a_row_a_transition() -> None:
    rows = list(csv.DictReader(io.StringIO(run(*SPANS, "--as", "csv").stdout)))
    assert {(row["from"], row["to"]) for row in rows} == set(combinations(("gazetteer", "crf", "tagger"), 2))
    mine = [row for row in rows if (row["from"], row["to"]) == ("crf", "tagger")]
    assert sum(int(row["count"]) for row in mine) == 117
    assert {row["class"] for row in mine} == {"correction", "new_error", "changed_error"}
    assert float(mine[0]["low"]) < float(mine[0]["delta"]) < float(mine[0]["high"])


def test_csv_without_tests_and_differences() -> None:
    result = run(SPANS[0], SPANS[1], f"twin={SPANS[1]}", "--as", "csv", "--trials", 0, "--resamples", 0)
    (row,) = csv.DictReader(io.StringIO(run(SPANS[0], SPANS[1], f"twin={SPANS[1]}", "--as", "csv").stdout))
    assert (row["from"], row["to"], row["different"], row["p"]) == ("gazetteer", "twin", "0", "1.0")
    assert (row["class"], row["count"]) == ("", "")
    assert result.exit_code == 0


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_notes_without_a_place_go_to_standard_error(form: str) -> None:
    shown = run(*TREES, "--as", form, "--show", "unsolved", "--limit", 1)
    assert "las on the 836 words that all systems have: rules 69.74, transition 80.26, neural 90.79;" in shown.stderr
    assert "Note" not in shown.stdout
    assert run(*TREES, "--as", form, "--show", "unsolved", "--limit", 1, "--quiet").stderr == ""


# Units


def test_units_as_json_lines() -> None:
    lines = run(*SPANS, "--show", "unsolved", "--as", "jsonl").stdout.splitlines()
    units = [json.loads(line) for line in lines]
    assert len(units) == as_json(*SPANS)["difficulty"]["0"] == 17
    assert {unit["kind"] for unit in units} == {"unsolved"}
    assert all(set(unit["answers"]) == {"gazetteer", "crf", "tagger"} for unit in units)
    assert all(unit["words"] in unit["text"] for unit in units)


def test_units_as_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(run(*TAGS, "--show", "new_error", "--limit", 3, "--as", "csv").stdout)))
    assert [row["words"] for row in rows] == ["up", "broken", "Clocks"]
    assert [(row["gold"], row["hmm"], row["neural"]) for row in rows] == [
        ("ADP", "ADP", "ADV"),
        ("ADJ", "ADJ", "VERB"),
        ("PROPN", "PROPN", "NOUN"),
    ]


def test_units_in_the_text() -> None:
    text = run(*TAGS, "--show", "new_error", "--limit", 1).stdout
    assert "units: new error" in text
    assert "gold.tsv:12" in text
    assert "We left the city at dawn , before the traffic woke up ." in text


def test_units_that_were_asked_for_and_are_none() -> None:
    """A file with nothing to tell is no mistake, and has the columns that others have."""
    twins = (TAGS[0], TAGS[1], f"twin={TAGS[1]}", *TAGS[3:], "--show", "new_error")
    assert (run(*twins, "--as", "jsonl").exit_code, run(*twins, "--as", "jsonl").stdout) == (0, "")
    (header,) = run(*twins, "--as", "csv").stdout.splitlines()
    assert header.startswith("kind,from,to,place,document,document_name,sentence,start,end,positions,token_start,")


def test_json_lines_take_units() -> None:
    shown = run(*TAGS, "--as", "jsonl")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "add --show" in shown.stderr


def test_top_says_how_many_transitions_are_listed() -> None:
    few, many = run(*TAGS, "--top", 1).stdout, run(*TAGS, "--top", 99).stdout
    assert "21 more transitions; --top shows more." in few
    assert "more transitions" not in many
    assert len(many.splitlines()) > len(few.splitlines())


# Many systems


def many(folder: Path) -> list[Path]:
    """Sixteen taggers, from one word in six wrong to one in twenty-one."""
    lines = Path(str(TAGS[0])).read_text().splitlines()
    paths = []
    for number in range(16):
        changed = [
            line.partition("\t")[0] + "\tX" if "\t" in line and (place * 7 + place // 11) % (number + 6) == 0 else line
            for place, line in enumerate(lines)
        ]
        paths.append(folder / f"an-experimental-tagger-{number}.tsv")
        paths[-1].write_text("\n".join(changed) + "\n")
    return paths


def wide_lines(text: str) -> list[str]:
    """Lines of more than 180 columns that are no prose, as the verdict in the first line is."""
    prose = ("Note: ", "evenhand:", "`evenhand:", "Neighbours by score", "gain: of the bound", "diff.: ")
    return [line for line in text.splitlines()[1:] if len(line) > 180 and not line.startswith(prose)]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_sixteen_systems_are_readable(form: str, tmp_path: Path) -> None:
    """Every system once, pairs of neighbours only, and no table too wide."""
    result = run(TAGS[0], *many(tmp_path), "--task", "tags", "--slice", "sentence-length", "--as", form)
    assert result.exit_code == 0, result.output
    assert wide_lines(result.stdout) == []
    assert "Neighbours by score, of 120 pairs; --as csv writes all of them." in result.stdout
    assert "from an-experimental-tagger-0 to" not in result.stdout
    assert len(result.stdout.splitlines()) < 155
    rows = list(csv.DictReader(io.StringIO(run(TAGS[0], *many(tmp_path), "--task", "tags", "--as", "csv").stdout)))
    assert len({(row["from"], row["to"]) for row in rows}) == 120


@pytest.mark.long
def test_systems_of_a_shared_task_are_readable(data: Path) -> None:
    folder = data / "conll2003"
    text = run(folder / "gold.testb.tags", *sorted((folder / "systems").iterdir())).stdout
    assert wide_lines(text) == []
    assert len(text.splitlines()) < 120
    start = text.index("from ")
    table = text[start : text.index("Neighbours by score", start)].splitlines()[2:]
    assert len(table) == 15
    assert all({"florian", "chieu"} <= set(row.split()) for row in table[:1])


def test_text_and_json_go_from_the_first_system_to_later_ones() -> None:
    """The first system is the worst one here."""
    lines = run(*SPANS).stdout.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("from "))
    rows = [line.split() for line in lines[start + 2 : start + 5]]
    assert [row[:2] for row in rows] == [["gazetteer", "crf"], ["gazetteer", "tagger"], ["crf", "tagger"]]
    assert [row[2] for row in rows] == ["+11.82", "+26.33", "+14.52"]
    assert rows[2][-3:] == ["82", "20", "15"]
    assert any(line.startswith("crf to tagger, corrections: 82 of 117") for line in lines)
    pairs = as_json(*SPANS)["pairs"]
    assert [[pair["from"], pair["to"]] for pair in pairs] == [row[:2] for row in rows]
    assert pairs[2]["classes"]["correction"]["count"] == 82


@pytest.mark.parametrize("options", [("--baseline", "gazetteer"), ("--sequence",)])
def test_an_order_that_a_user_gives_stays(options: tuple[str, ...]) -> None:
    lines = run(*SPANS, *options).stdout.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("from "))
    assert lines[start + 2].split()[:2] == ["gazetteer", "crf"]
    assert lines[start + 2].split()[2].startswith("+")


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SPANS[0], SPANS[1]), "A comparison needs at least two systems."),
        ((*SPANS, "--baseline", "nobody"), "Unknown system 'nobody'; choose one of gazetteer, crf, tagger."),
        ((*SPANS, "--by", "las"), "by is 'las'; choose one of fair, exact, leak for spans."),
        ((*SPANS, "--baseline", "crf", "--sequence"), "with a baseline or in a sequence, but not both."),
        ((*SPANS, "--slice", "vocabulary"), "needs a word list; specify it with --vocabulary FILE."),
        ((SPANS[0], SPANS[1], "missing.conll"), "missing.conll: there is no such file; check the path."),
        ((*SPANS, "--by", "muc"), "by is 'muc'; choose one of fair, exact, leak for spans."),
    ],
)
def test_errors_are_sentences(arguments: tuple, message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
