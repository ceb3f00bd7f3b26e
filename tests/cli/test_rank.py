"""`evenhand rank` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli import main

SIGNATURE = (
    f"evenhand:{eh.__version__}|numbers:1|task:spans|match:exact,overlap|align:strict|atoms:tokens|scope:sentence|levels:pooled|"
    "gold:conll/iob2/column-2|system:conll/iob2/column-2|repair:begin|offsets:codepoints|functions:cut|map:none|"
    "labels:all|exclude:none|focus:target|macro:gold-labels|beta:1|resamples:0|of:sentences|level:0.95|seed:0"
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One system finds half of the spans, the other all but with a token too few each."""
    files = {
        "gold.conll": "Ada B-PER\nLovelace I-PER\n\nBo B-PER\nDiddley I-PER\n",
        "half.conll": "Ada B-PER\nLovelace I-PER\n\nBo O\nDiddley O\n",
        "short.conll": "Ada B-PER\nLovelace O\n\nBo B-PER\nDiddley O\n",
        "suite.toml": '[[data]]\nname = "names"\ngold = "gold.conll"\nsystems = "*.conll"\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ("gold.conll", "half.conll", "short.conll")
FAST = ("--match", "exact,overlap", "--resamples", "0")


def test_text(folder: Path) -> None:
    result = run("rank", *FILES, *FAST)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split() for line in result.stdout.splitlines()] == [
        line.split()
        for line in (
            "half leads short by 66.67 points (exact); no test was made.",
            "2 systems on the gold standard gold",
            "",
            "system  exact  rank  overlap  rank   ±",
            "─" * len(result.stdout.splitlines()[4]),
            "half    66.67     1    66.67     2  -1",
            "short    0.00     2   100.00     1  +1",
            "±: places gained or lost against exact.",
            "",
            "rank correlation   Spearman  Kendall",
            "─" * 36,
            "exact and overlap    -1.000   -1.000",
            "",
            SIGNATURE,
        )
    ]


def test_intervals_are_shown_unless_there_are_no_resamples(folder: Path) -> None:
    shown = run("rank", *FILES, "--resamples", "50", "--level", "0.9", "--seed", "3").stdout
    assert "90% intervals" in shown
    assert "From 50 resamples of the sentences, seed 3." in shown
    assert "intervals" not in run("rank", *FILES, "--resamples", "0").stdout


def test_json(folder: Path) -> None:
    result = run(
        "rank", *FILES, "--match", "exact,ts", "--resamples", "50", "--level", "0.9", "--seed", "3", "--as", "json"
    )
    expected = eh.rank(FILES[0], FILES[1:], match="exact,ts", resamples=50, level=0.9, seed=3)
    assert json.loads(result.stdout) == expected.to_dict()


def test_the_defaults_are_those_of_python(folder: Path) -> None:
    assert json.loads(run("rank", *FILES, "--as", "json").stdout) == eh.rank(FILES[0], FILES[1:]).to_dict()


def test_a_seed_gives_the_same_intervals_in_every_process(example: Path) -> None:
    """Whatever the hashes of texts are, which Python chooses anew for each."""
    files = [example / f"{name}.conll" for name in ("gold", "crf", "tagger")]
    command = [Path(sys.executable).with_name("evenhand"), "rank", *files, "--resamples", "50", "--as", "json"]
    shown = {
        subprocess.run(command, env={"PYTHONHASHSEED": seed}, check=True, capture_output=True).stdout for seed in "123"
    }
    assert len(shown) == 1


def test_csv(folder: Path) -> None:
    lines = run("rank", *FILES, *FAST, "--as", "csv").stdout.splitlines()
    assert {line.rpartition('"evenhand:')[1] for line in lines[1:]} == {'"evenhand:'}
    assert [line.rpartition('"evenhand:')[0].removesuffix(",") or line for line in lines] == [
        "data,system,model,score,low,high,rank,change,cluster,signature",
        "gold,half,exact,0.6666666666666666,,,1,0,",
        "gold,half,overlap,0.6666666666666666,,,2,-1,",
        "gold,short,exact,0.0,,,2,0,",
        "gold,short,overlap,1.0,,,1,1,",
    ]


def test_csv_puts_notes_on_standard_error(folder: Path) -> None:
    Path("same.conll").write_text(Path("gold.conll").read_text())
    sentence = "Note: system same: its spans are identical to the gold standard's. Is this the right file?\n"
    assert run("rank", "gold.conll", "same.conll", "--as", "csv").stderr == sentence
    assert run("rank", "gold.conll", "same.conll", "--as", "csv", "-q").stderr == ""
    assert sentence in run("rank", "gold.conll", "same.conll").stdout


@pytest.mark.parametrize("command", ["score", "rank", "compare"])
def test_spans_of_the_same_file_are_an_error(folder: Path, command: str) -> None:
    systems = ("gold.conll", "half.conll") if command == "compare" else ("gold.conll",)
    found = run(command, "gold.conll", *systems)
    assert found.exit_code == 2
    assert "gold standard and system are the same layer of one file" in found.stderr


def test_markdown(folder: Path) -> None:
    lines = run("rank", *FILES, *FAST, "--as", "markdown").stdout.splitlines()
    assert "| system | exact | rank | overlap | rank | ± |" in lines
    assert "| half | 66.67 | 1 | 66.67 | 2 | -1 |" in lines
    assert "| exact and overlap | -1.000 | -1.000 |" in lines
    assert lines[-1] == f"`{SIGNATURE}`"


def test_latex_sets_the_best_in_bold(folder: Path) -> None:
    lines = run("rank", *FILES, *FAST, "--as", "latex").stdout.splitlines()
    assert lines[1:3] == ["% 2 systems on the gold standard gold", r"% needs \usepackage{booktabs}"]
    cells = [[cell.strip() for cell in line.removesuffix(r"\\").split("&")] for line in lines if "&" in line]
    assert cells[1:3] == [
        ["half", r"\textbf{66.67}", "1", "66.67", "2", "$-$1"],
        ["short", "0.00", "2", r"\textbf{100.00}", "1", "+1"],
    ]
    assert lines[-1] == f"% {SIGNATURE}"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_ranks_without_a_change_end_where_they_end(form: str, folder: Path) -> None:
    assert "1  " not in run("rank", *FILES, *FAST, "--as", form).stdout


def test_output_goes_to_a_file(folder: Path) -> None:
    result = run("rank", *FILES, *FAST, "--as", "json", "-o", "ranking.json")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert json.loads((folder / "ranking.json").read_text())["command"] == "rank"


def test_suite(folder: Path) -> None:
    data = json.loads(run("rank", "--suite", "suite.toml", *FAST, "--as", "json").stdout)
    assert (data["name"], list(data["data_sets"])) == ("average", ["names"])
    assert [each["name"] for each in data["systems"]] == ["half", "short"]
    assert data["signature"] == f"{SIGNATURE}|suite:names"
    text = run("rank", "--suite", "suite.toml", *FAST).stdout
    assert text.splitlines()[:2] == [
        "half leads short by 66.67 points (exact); no test was made.",
        "2 systems on 1 data set, on average and on each",
    ]
    assert run("rank", "--suite", "suite.toml", *FAST, "--as", "markdown").stdout.count("\n## names\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Specify a GOLD file and SYSTEM files, a --manifest or a --suite"),
        (("gold.conll",), "Specify a GOLD file and SYSTEM files, a --manifest or a --suite"),
        (
            ("--suite", "suite.toml", *FILES),
            "Specify only one of these: GOLD and SYSTEM files, a --manifest, a --suite",
        ),
        ((*FILES, "--resamples", "many"), "Invalid value for '--resamples': 'many' is not a valid integer"),
    ],
)
def test_usage_errors_are_one_sentence_and_status_2(arguments: tuple[str, ...], sentence: str, folder: Path) -> None:
    result = run("rank", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"evenhand: {sentence}; see evenhand rank --help.\n"


@pytest.mark.parametrize("option", [("--as", "value"), ("--as", "conlleval"), ("--nothing",)])
def test_unknown_options_and_values_are_usage_errors(option: tuple[str, ...], folder: Path) -> None:
    result = run("rank", *FILES, *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("evenhand: ")
    assert "see evenhand rank --help." in result.stderr or "hoose one of text, json, " in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*FILES, "--level", "95"), "level is 95.0; it must be a number between 0 and 1."),
        ((*FILES, "--resamples", "-1"), "resamples is -1; it must be a whole number, from 0 to 1,000,000."),
        (("gold.conll", "no.conll"), "no.conll: there is no such file; check the path."),
        (("--suite", "no.toml"), "no.toml: cannot be read (no such file or directory); check the path of the suite."),
        (
            (*FILES, "-o", "no/ranking.txt"),
            "no/ranking.txt: cannot be written (no such file or directory); check the folder.",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments: tuple[str, ...], sentence: str, folder: Path) -> None:
    result = run("rank", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")


# Clusters, and systems that cannot be ranked


def test_letters_stand_behind_ranks_under_the_first_model(example: Path) -> None:
    files = [example / f"{name}.conll" for name in ("gold", "crf", "gazetteer", "tagger")]
    result = run("rank", *files, "--match", "fair,exact")
    rows = [line.split() for line in result.stdout.splitlines()[5:8]]
    assert [row[0] for row in rows] == ["tagger", "crf", "gazetteer"]
    assert [row[2:4] for row in rows] == [["1", "A"], ["2", "B"], ["3", "C"]]
    assert "Letters: systems of a cluster are not significantly worse than its best under fair" in result.stdout
    assert "| 1 A |" in run("rank", *files, "--match", "fair", "--as", "markdown").stdout
    assert "& 1 A " in run("rank", *files, "--match", "fair", "--as", "latex").stdout
    assert ",1,0,A,evenhand:" in run("rank", *files, "--match", "fair", "--as", "csv").stdout.splitlines()[1]


def test_trials_that_allow_no_significance_have_a_note(example: Path) -> None:
    files = [example / f"{name}.conll" for name in ("gold", "crf", "gazetteer", "tagger")]
    result = run("rank", *files, "--match", "exact", "--of", "sentences", "--trials", "20")
    assert (
        "Note: corrected for 3 pairs (Holm), 20 trials allow no p-value below 5 %; set --trials to 10000."
        in result.stdout
    )
    assert result.stdout.splitlines()[-1].endswith("|trials:20")


@pytest.fixture
def broken(folder: Path) -> Path:
    (folder / "cut.conll").write_text("Ada B-PER\nLovelace I-PER\n")
    (folder / "empty.conll").write_text("")
    return folder


CUT = (
    "cut.conll:2: the system ends here, but gold.conll:4 has the token 'Bo'; both sides must have the same tokens in the "
    "same order, unless you choose --align position (other spellings) or --align characters (other tokens of the same "
    "text)."
)
EMPTY = "empty.conll: the file is empty; check how it was written."
SKIPPED = [
    {"name": "cut", "file": "cut.conll", "line": 2, "problem": CUT.removeprefix("cut.conll:2: ")},
    {"name": "empty", "file": "empty.conll", "line": None, "problem": EMPTY.removeprefix("empty.conll: ")},
]
COMMANDS = (
    ("rank", *FAST),
    ("score", "--full"),
    ("score", "--summary"),
    ("compare", "--trials", "0", "--resamples", "0"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_is_broken_is_skipped_and_listed(broken: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    result = run(name, *FILES, "cut.conll", "empty.conll", *options, "--skip-broken")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert "Warning: 2 of 4 systems were not scored. See the notes for the reasons." in lines
    assert f"Note: not scored: cut: {CUT}" in lines
    assert f"Note: not scored: empty: {EMPTY}" in lines
    data = json.loads(run(name, *FILES, "cut.conll", "empty.conll", *options, "--skip-broken", "--as", "json").stdout)
    assert data["skipped"] == SKIPPED
    sound = json.loads(run(name, *FILES, *options, "--skip-broken", "--as", "json").stdout)
    assert data["systems"] == sound["systems"]
    assert sound.get("skipped", []) == []


def test_one_system_is_left(broken: Path) -> None:
    """It has scores, but there is nothing to compare."""
    assert run("score", *FILES[:2], "cut.conll", "--skip-broken").exit_code == 0
    result = run("compare", *FILES[:2], "cut.conll", "--skip-broken")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"evenhand: Only 1 of the 2 systems can be scored. cut: {CUT}\n"


def test_pages_and_figures_of_the_others(broken: Path) -> None:
    result = run("report", *FILES, "cut.conll", "--skip-broken", "-o", "page.html", "--trials", "0", "--resamples", "0")
    assert result.exit_code == 0
    assert "Warning: 1 of 3 systems was not scored. See the notes for the reasons." in result.stderr
    assert "not scored: cut: cut.conll:2" in Path("page.html").read_text()
    for kind in ("errors", "confusion", "comparison", "ranks"):
        assert run("plot", kind, *FILES, "cut.conll", "--skip-broken", "-o", f"{kind}.svg").exit_code == 0


def test_figures_of_confidences_of_the_others(example: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_text('{"text": "Ada"')
    files = (example / "gold.conll", example / "scored.jsonl", tmp_path / "cut.jsonl")
    for kind in ("pr", "threshold", "calibration", "risk"):
        arguments = ("plot", kind, *files, "-o", tmp_path / f"{kind}.svg")
        assert run(*arguments).exit_code == 2
        result = run(*arguments, "--skip-broken")
        assert result.exit_code == 0, result.stderr
        assert "Warning: 1 of 2 systems was not scored." in result.stderr


@pytest.mark.parametrize("load", [eh.Ranking, eh.Results, eh.Comparison])
def test_what_is_skipped_loads_again(broken: Path, load: type[eh.Ranking]) -> None:
    make = {eh.Ranking: eh.rank, eh.Results: eh.score, eh.Comparison: eh.compare}[load]
    made = make("gold.conll", [*FILES[1:], "cut.conll"], skip_broken=True)
    loaded = load.from_json(made.to_json())
    assert {name: str(reason) for name, reason in loaded.skipped.items()} == {"cut": CUT}
    assert made.notes == loaded.notes


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_the_option_what_is_broken_is_an_error(broken: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    result = run(name, *FILES, "cut.conll", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(f"evenhand: {CUT} Use --skip-broken to skip it.\n")


def test_if_all_are_broken_there_is_no_ranking(broken: Path) -> None:
    result = run("rank", "gold.conll", "cut.conll", "empty.conll", "--skip-broken")
    expected = f"evenhand: None of the 2 systems can be scored. cut: {CUT} empty: {EMPTY}\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", expected)
    result = run("score", "gold.conll", "cut.conll", "--skip-broken")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        1,
        f"evenhand: The system cannot be scored. cut: {CUT}",
    )


def test_a_broken_gold_standard_is_no_fault_of_the_systems(broken: Path) -> None:
    result = run("rank", "empty.conll", "half.conll", "short.conll", "--skip-broken")
    assert (result.exit_code, result.stderr) == (2, f"evenhand: {EMPTY}\n")


def test_a_system_that_is_broken_on_one_data_set_is_ranked_on_none(broken: Path) -> None:
    (broken / "suite.toml").write_text(
        '[[data]]\nname = "one"\ngold = "gold.conll"\nsystems = {a = "half.conll", b = "short.conll", c = "half.conll"}\n'
        '[[data]]\nname = "two"\ngold = "gold.conll"\nsystems = {a = "half.conll", b = "short.conll", c = "cut.conll"}\n'
    )
    data = json.loads(run("rank", "--suite", "suite.toml", *FAST, "--skip-broken", "--as", "json").stdout)
    assert [each["name"] for each in data["systems"]] == ["a", "b"]
    assert [each["name"] for each in data["data_sets"]["one"]["systems"]] == ["a", "b"]
    assert data["skipped"] == [{**SKIPPED[0], "name": "c"}]


def test_the_metrics_of_germeval_rank_its_systems(data: Path) -> None:
    """The four F1 scores of `evenhand germeval`; those of stanza are also the task's own script's."""
    folder = data / "germeval2014"
    systems = {name: folder / f"{name}.sixcol.tsv" for name in ("spacy", "stanford_conll", "stanza")}
    ranking = eh.rank(folder / "gold.tsv", systems, match="germeval", resamples=0)
    metrics = ("strict", "loose", "outer", "inner")
    assert ranking.models == tuple(f"germeval-{metric}" for metric in metrics)
    assert ranking.systems == ("stanza", "spacy", "stanford_conll")
    for name, path in systems.items():
        report = eh.germeval(path)
        for metric in metrics:
            assert ranking[f"germeval-{metric}"][name].score == getattr(report, metric).f1
    stanza = [f"{100 * ranking[f'germeval-{metric}']['stanza'].score:.2f}" for metric in metrics]
    assert stanza == ["70.09", "81.59", "73.07", "0.00"]


def test_the_mean_of_a_suite_has_clusters(example: Path, tmp_path: Path) -> None:
    systems = ", ".join(f"{name} = '{example / name}.conll'" for name in ("crf", "tagger"))
    data = "".join(
        f"[[data]]\nname = '{name}'\ngold = '{example}/gold.conll'\nsystems = {{{systems}}}\n"
        for name in ("one", "two")
    )
    (tmp_path / "suite.toml").write_text(data)
    ranking = eh.rank_suite(tmp_path / "suite.toml", match="exact")
    assert ranking.clusters is not None
    assert ranking.clusters["crf"] == "B"
    single = ranking.data_sets["one"].clusters.systems["crf"].p_holm
    assert ranking.clusters.systems["crf"].p_holm < single == 0.0078125
