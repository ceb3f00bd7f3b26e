"""Help in groups, and options that come from what tasks and match models declare."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main
from evenhand.cli.help import Command
from evenhand.formats.format import FORMATS
from evenhand.tasks.registry import TASKS, all_parameters, models_of

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
SPANS = (EXAMPLES / "ner" / "gold.conll", EXAMPLES / "ner" / "crf.conll")
CHAINS = (EXAMPLES / "chains" / "gold.conll", EXAMPLES / "chains" / "neural.conll")
OPTION = re.compile(r"^  (-\w, )?--?[\w-]+")
HEADING = re.compile(r"^(\w.*):$")
MOST = 25


def run(*arguments: object, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, [str(each) for each in arguments], prog_name="evenhand")


def commands(group: click.Command = main, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The commands that do something, such as `score` and `plot errors`."""
    if not isinstance(group, click.Group):
        yield path
        return
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield from commands(command, (*path, name))


def sections(text: str) -> dict[str, list[str]]:
    """The lines under each heading of a help; what stands above is under the empty one."""
    all_sections: dict[str, list[str]] = {"": []}
    heading = ""
    for line in text.splitlines():
        if match := HEADING.match(line):
            heading = match[1]
            assert heading not in all_sections
            all_sections[heading] = []
        else:
            all_sections[heading].append(line)
    return all_sections


def options(text: str) -> dict[str, list[str]]:
    """The options under each heading of a help."""
    rows = {name: [line for line in lines if OPTION.match(line)] for name, lines in sections(text).items() if name}
    return {name: lines for name, lines in rows.items() if lines}


ALL = list(commands())


def test_all_commands_are_found() -> None:
    assert len(ALL) == 37
    assert ("plot", "errors") in ALL


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_short_help_has_at_most_25_options(command: tuple[str, ...]) -> None:
    assert 1 <= sum(map(len, options(run(*command, "--help").stdout).values())) <= MOST


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_every_option_stands_under_a_heading(command: tuple[str, ...]) -> None:
    shown = options(run(*command, "--help-all").stdout)
    names = {name for lines in shown.values() for line in lines for name in re.findall(r"--[\w-]+", line[:34])}
    status: click.Command = main
    for name in command:
        assert isinstance(status, click.Group)
        status = status.get_command(click.Context(status), name)  # type: ignore[assignment]
    assert isinstance(status, Command)
    declared = {each.opts[-1] for each in status.params if isinstance(each, click.Option) and not each.hidden}
    assert declared <= names
    assert "Options" not in shown


def test_headings_of_score() -> None:
    short, whole = (list(sections(run("score", option).stdout)) for option in ("--help", "--help-all"))
    assert short == ["", "What to score", "Reading files", "Output", "Where it runs", "Measures", "Help"]
    assert whole == [
        *("", "What to score", "Reading files", "Output", "Where it runs"),
        *("Spans", "Spans, tags, relations and links", "Spans and relations", "Tags and trees", "Trees", "Chains"),
        *("Chains and records", "Relations", "Links", "Constituents", "Records"),
        *(f"Measures of {task}, with other names" for task in TASKS),
        *("Tasks, with other names", "Formats", "Help"),
    ]
    gate = list(options(run("gate", "--help").stdout))
    assert gate == ["Criteria", "What to compare", "What to score", "Reading files", "Statistics", "Output", "Help"]


def test_short_help_lists_match_models_by_task() -> None:
    assert sections(run("score", "--help").stdout)["Measures"] == [
        "  spans         exact, fair, weighted, ts, t, overlap, contain, constrained,",
        "                iou, semeval, accuracy, strings, germeval, leak, meddocan, i2b2",
        "  tags          accuracy, features",
        "  trees         uas, ls, las, conll18, iwpt",
        "  chains        mentions, muc, b_cubed, ceaf_m, ceaf_e, blanc, lea, mela, mor,",
        "                zero, arcs",
        "  relations     strict, boundaries, dygie, relaxed, fair, ehealthkd",
        "  links         fair, mentions, typed_mentions, linked_mentions, links, nil,",
        "                all, typed_links, typed_nil, typed_all, entities, weak_links,",
        "                weak_all, hipe, paired",
        "  constituents  labeled, unlabeled, complete, crossing, tagging, short,",
        "                labeled-all, unlabeled-all, complete-all, crossing-all,",
        "                tagging-all, labeled-all-short, unlabeled-all-short,",
        "                complete-all-short, crossing-all-short, tagging-all-short",
        "  records       exact, relaxed, fair, soft, records, documents, anls-star,",
        "                word-set, word-list, text2kg",
        "",
    ]
    assert sections(run("compare", "--help").stdout)["Scores for --by"][0] == "  spans         fair, exact, leak"


def test_the_whole_help_has_every_parameter_match_model_and_alias() -> None:
    shown = " ".join(run("score", "--help-all", COLUMNS="120").stdout.split())
    for parameter in all_parameters().values():
        assert f" {parameter.option} " in shown
    for task in TASKS:
        for model in models_of(task):
            assert re.search(rf"[ ,]{re.escape(model.name)}[ ,]", shown)
    for alias in ("strict", "b3", "ceafe", "conll f1", "jaccard"):
        assert alias in shown
    assert "--missing " not in shown


def test_parameters_of_match_models_say_which() -> None:
    rows = " ".join(" ".join(sections(run("score", "--help-all").stdout)["Spans"]).split())
    assert "--iou NUMBER iou: Minimum IoU for two spans to match [0.5]." in rows
    assert "--token-weight COLUMN ts, t: Column of GOLD" in rows
    assert "--levels [pooled|separate] Match nested spans" in rows


@pytest.mark.parametrize("command", ALL, ids=" ".join)
@pytest.mark.parametrize("width", [80, 120])
def test_lines_fit_the_terminal(command: tuple[str, ...], width: int) -> None:
    lines = run(*command, "--help-all", COLUMNS=str(width)).stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    texts = {line.index(line.split("  ")[-1].strip()) for line in lines if re.match(r"^  -.*\S  +\S", line)}
    assert texts == {30}  # the column where the help of options begins


def test_former_names_work_with_a_note() -> None:
    arguments = ("score", *SPANS, "--match", "constrained", "--as", "value")
    new = run(*arguments, "--constrained-missing", 3, "--constrained-spurious", 0)
    old = run(*arguments, "--missing", 3, "--spurious", 0)
    assert (new.exit_code, old.exit_code) == (0, 0)
    assert old.stdout == new.stdout != run(*arguments).stdout
    assert old.stderr.splitlines()[:2] == [
        "--spurious is now --constrained-spurious.",
        "--missing is now --constrained-missing.",
    ]
    assert "is now" not in new.stderr
    assert run(*arguments, "--missing", 3, "-q").stderr == ""
    both = run(*arguments, "--missing", 3, "--constrained-missing", 3)
    assert both.exit_code == 2
    assert both.stderr.endswith("constrained_missing and missing are the same option; use only one of them.\n")


@pytest.mark.parametrize(
    ("files", "given", "signature"),
    [
        (CHAINS, "b3,CoNLL", "match:b_cubed,mela"),
        (CHAINS, "B-Cubed,CEAFe,CEAFm", "match:b_cubed,ceaf_e,ceaf_m"),
        (SPANS, "STRICT,ConLL", "match:semeval-strict,exact"),
        (SPANS, "Fair,Semeval", "match:fair,semeval-strict,semeval-exact,semeval-partial,semeval-type"),
    ],
)
def test_match_models_by_other_names(files: tuple[Path, Path], given: str, signature: str) -> None:
    result = run("score", *files, "--match", given, "-q")
    assert result.exit_code == 0
    assert f"|{signature}|" in result.stdout


def test_scores_to_compare_by_have_other_names() -> None:
    fast = ("--trials", 0, "--resamples", 0, "--as", "json", "-q")
    result = run("compare", SPANS[0], SPANS[1], SPANS[1].with_name("tagger.conll"), "--by", "CoNLL", *fast)
    assert '"by": "exact"' in result.stdout or '"by":"exact"' in result.stdout
    result = run("compare", SPANS[0], SPANS[1], SPANS[1].with_name("tagger.conll"), "--by", "las", *fast)
    assert result.stderr == "evenhand: by is 'las'; choose one of fair, exact, leak for spans.\n"


@pytest.mark.parametrize(
    ("measure", "hint"),
    [
        ("fairy", "did you mean fair? C"),
        ("semevals", "did you mean semeval? C"),
        ("b3", "it is a measure of chains; c"),
        ("qqq", "c"),
    ],
)
def test_unknown_match_models_get_the_nearest_and_the_list_of_the_task(measure: str, hint: str) -> None:
    result = run("score", *SPANS, "--match", f"exact,{measure}")
    models = (
        "exact, fair, weighted, ts, t, overlap, contain, constrained, iou, semeval-strict, semeval-exact, "
        "semeval-partial, semeval-type, accuracy, string-set, string-multiset, germeval-strict, germeval-loose, "
        "germeval-outer, germeval-inner, leak, "
        "meddocan-ner, meddocan-strict, meddocan-merged, i2b2-strict, i2b2-relaxed, i2b2-token, "
        "i2b2-binary-strict, i2b2-binary-token"
    )
    sentence = f"match is '{measure}', which is not a measure of spans; {hint}hoose from {models}."
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")


PLUGIN = """
from evenhand.plugins import SPAN_MEASURES, Allowed, Effect, Measure, Parameter

EXACT = next(measure for measure in SPAN_MEASURES if measure.name == "exact")
SHARE = Parameter(
    *("plain_share", "number", 0.25, "A share.", ("bare_share",)), Allowed(above=0), effect=Effect(compares=False)
)
PLAIN = Measure("plain", "spans", EXACT.scorer, EXACT.formula, "our_models", ("simple",), parameters=(SHARE,))
"""
ENTRY_POINTS = """[evenhand.models]
plain = our_models:PLAIN
absent = our_models:NOTHING
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder with an installed package that adds a match model, and one that is not there."""
    metadata = tmp_path / "our_models-1.0.dist-info"
    metadata.mkdir()
    (tmp_path / "our_models.py").write_text(PLUGIN)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: our-models\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


def test_a_plug_in_adds_options_and_a_broken_one_is_left_out_with_one_line(plugin: Path) -> None:
    def outside(*arguments: object) -> subprocess.CompletedProcess[str]:
        code = "from evenhand.cli import main; main(prog_name='evenhand')"
        paths = os.pathsep.join([str(plugin), str(ROOT / "src")])
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": paths}
        )

    warning = (
        "evenhand: The plug-in 'absent' of our-models (evenhand.models) is left out: AttributeError: module 'our_models' "
        "has no attribute 'NOTHING'.\n"
    )
    shown = outside("score", "--help-all")
    assert (shown.returncode, shown.stderr) == (0, warning)
    rows = " ".join(shown.stdout.split())
    assert "--plain-share NUMBER plain: A share [0.25]." in rows
    assert "plain simple" in rows
    scored = outside("score", *SPANS, "--match", "Simple", "--bare-share", "0.5", "--as", "text")
    assert scored.returncode == 0
    assert scored.stderr.startswith(f"{warning}--bare-share is now --plain-share.\n")
    assert "|plain-share:0.5" in scored.stdout
    refused = outside("score", *SPANS, "--match", "plain", "--plain-share", "0", "-q")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"{warning}evenhand: plain_share is 0.0; it must be above 0.\n"


# Misspelt commands, options and names: one sentence, with what may have been meant


NER = Path(eh.__file__).parent / "examples" / "ner"
GOLD, CRF, TAGGER = (str(NER / f"{name}.conll") for name in ("gold", "crf", "tagger"))


def run_usage(*arguments: str) -> Result:
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
            "--task is 'span'; did you mean spans? Choose one of spans, tags, trees, chains, relations, links, constituents, records.",
        ),
        (
            ("score", GOLD, "--repair", "begn"),
            "--repair is 'begn'; did you mean begin? Choose one of begin, discard, error.",
        ),
        (("gate", GOLD, CRF, TAGGER, "--as", "jsn"), "--as is 'jsn'; did you mean json? Choose one of "),
        (("score", GOLD, "--format", "gold:cnll"), "--format is 'cnll'; did you mean conll? Choose one of "),
        (
            ("compare", GOLD, CRF, TAGGER, "--baseline", "tager"),
            "Unknown system 'tager'; did you mean tagger? Choose one of crf, tagger.",
        ),
        (
            ("compare", GOLD, CRF, TAGGER, "--by", "fiar"),
            "by is 'fiar'; did you mean fair? Choose one of fair, exact, leak for spans.",
        ),
        (("score", GOLD, CRF, "-q", "--show-columns", "recal"), "no table has a column 'recal'; did you mean recall? "),
    ],
)
def test_what_may_have_been_meant(arguments: tuple[str, ...], sentence: str) -> None:
    result = run_usage(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"evenhand: {sentence}")
    assert result.stderr.count("\n") == 1


# `evenhand formats` and `evenhand models`: everything that is declared, plug-ins too


def shown(*arguments: str, columns: int = 80) -> str:
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, arguments, prog_name="evenhand")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_all_formats_and_what_they_are_for() -> None:
    rows = {row["name"]: row for row in json.loads(shown("formats", "--as", "json"))}
    assert list(rows) == list(FORMATS)
    assert rows["parquet"] == {
        "name": "parquet",
        "help": FORMATS["parquet"].summary,
        "reads": ["spans", "tags"],
        "writes": ["spans", "tags"],
        "suffixes": [".parquet", ".pq"],
    }
    text = " ".join(shown("formats").split())
    assert "spacy spaCy's DocBin; read for spans, tags, trees, links; written for spans; .spacy" in text
    assert "head and relation; read for trees, tags; not written spans label," in text


def test_all_models_with_definitions_and_other_names() -> None:
    rows = json.loads(shown("models", "--as", "json"))
    assert [(row["task"], row["name"]) for row in rows] == [
        (task, each.name) for task in TASKS for each in models_of(task)
    ]
    assert all(row["summary"].endswith(".") and len(row["summary"]) <= 75 for row in rows)
    assert len({row["summary"] for row in rows}) == len(rows)
    text = " ".join(shown("models").split())
    assert "exact A span is right if bounds and label are. Also: conll, conlleval, seqeval." in text
    assert "Measures of tags: accuracy The share of words with the right tag. Also: acc." in text


def test_models_of_one_task() -> None:
    assert shown("models", "--task", "tags").startswith("Measures of tags:\n  accuracy  ")
    assert {row["task"] for row in json.loads(shown("models", "--task", "trees", "--as", "json"))} == {"trees"}


@pytest.mark.parametrize("columns", [80, 120])
def test_lines_fit_the_terminal_listing(columns: int) -> None:
    for command in ("formats", "models"):
        assert max(map(len, shown(command, columns=columns).splitlines())) <= columns


# `evenhand cite` and `eh.cite`


def keys(text: str) -> list[str]:
    return [line.partition("{")[2].rstrip(",") for line in text.splitlines() if line.startswith("@")]


def test_the_papers_behind_match_models_are_printed() -> None:
    outcome = CliRunner().invoke(main, ["cite", "--match", "fair,b3"])
    assert outcome.exit_code == 0
    assert outcome.output.startswith("% fair (spans): Ortmann 2022\n% b_cubed (chains): Bagga and Baldwin 1998")
    assert keys(outcome.output)[:3] == ["evenhand", "ortmann2022", "bagga1998"]


def test_without_match_models_evenhand_itself_is_printed() -> None:
    assert keys(eh.cite()) == ["evenhand"]
    assert f"version = {{{eh.__version__}}}" in eh.cite()


def test_an_entry_is_printed_once() -> None:
    assert keys(eh.cite("semeval-strict, semeval-type")) == ["evenhand", "chinchor1993", "segurabedmar2013"]


def test_the_task_is_chosen() -> None:
    assert "% strict (relations): " in eh.cite("strict", task="relations")
    assert "% semeval-strict (spans): " in eh.cite("strict")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--match", "fiar"], "Unknown measure 'fiar'; did you mean fair? See evenhand models."),
        (
            ["--match", "lea", "--task", "tags"],
            "match is 'lea', which is not a measure of tags; it is a measure of chains",
        ),
    ],
    ids=["unknown", "of another task"],
)
def test_unknown_names_are_refused(options: list[str], sentence: str) -> None:
    found = CliRunner().invoke(main, ["cite", *options])
    assert (found.exit_code, found.stderr.startswith(f"evenhand: {sentence}")) == (2, True)


def test_the_package_is_a_command() -> None:
    found = subprocess.run([sys.executable, "-m", "evenhand", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"evenhand {eh.__version__}\n"


def listed_under(heading: str, text: str) -> dict[str, list[str]]:
    """The names that a help lists by task under a heading."""
    lines = text.split(f"{heading}:\n")[1].split("\n\n")[0]
    by_task = dict(re.findall(r"^  (\w+) +((?:.|\n {4})+)$", lines, re.MULTILINE))
    return {task: re.split(r",\s+", names) for task, names in by_task.items()}


def test_every_score_that_report_lists_makes_a_page(tmp_path: Path) -> None:
    """Of --by; trees get the enhanced dependencies that elas and eulas need."""
    listed = listed_under("Scores for --by", run("report", "--help").stdout)
    assert listed["spans"] == ["fair", "exact", "leak"]
    assert listed["trees"] == ["las", "uas", "ls", "elas", "eulas"]
    assert len(listed) == 8
    for task, names in listed.items():
        example = TASKS[task].example
        gold, system = (EXAMPLES / example.folder / name for name in (example.gold, example.systems[0]))
        if task == "trees":
            gold, system = (_with_enhanced(path, tmp_path / path.name) for path in (gold, system))
        for name in names:
            page, few = tmp_path / f"{task}-{name}.html", ("--trials", 0, "--resamples", 0, "--task", task)
            outcome = run("report", gold, system, "--by", name, "-o", page, *few)
            assert outcome.exit_code == 0, (task, name, outcome.stderr)
            assert "</html>" in page.read_text(encoding="utf-8")


def _with_enhanced(path: Path, target: Path) -> Path:
    """A copy of a treebank whose enhanced dependencies are the basic ones."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    words = [[*row[:8], f"{row[6]}:{row[7]}", row[9]] if len(row) == 10 and row[0].isdigit() else row for row in rows]
    target.write_text("\n".join("\t".join(row) for row in words), encoding="utf-8")
    return target
