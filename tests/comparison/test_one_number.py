"""One number: `score`, `rank`, `compare`, `gate` and `report` have the same scores, and test their difference.

For every name that `--by` accepts, on random systems with spurious, missing and lost units.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import TAGS
from build_chains import annotation as chain_annotation
from build_chains import rows as mentions
from evenhand.report.comparison_tables import readable_pairs
from evenhand.report.html.overview import overview
from evenhand.report.verdict import verdict
from evenhand.tasks.registry import TASKS

EXAMPLES = Path(eh.__file__).parent / "examples"
QUICK: Any = {"trials": 20, "resamples": 20}
LABELS = ("A", "B", "C")
NAMES = ("one", "two", "three")


class Case(NamedTuple):
    """A gold standard, systems and the options that they take."""

    gold: Any
    systems: Mapping[str, Any]
    options: Mapping[str, Any]


# Random systems of every task

SIZE = 6


def spans_of(draw: st.DrawFn, sentences: int) -> list[list[tuple[str, int, int]]]:
    span = st.tuples(st.sampled_from(LABELS), st.integers(0, SIZE - 1), st.integers(1, 3))
    found = st.lists(span.map(lambda each: (each[0], each[1], min(SIZE, each[1] + each[2]))), max_size=4, unique=True)
    return [draw(found) for _ in range(sentences)]


@st.composite
def span_cases(draw: st.DrawFn) -> Case:
    sentences = draw(st.integers(1, 5))
    sides = [
        eh.spans(spans_of(draw, sentences), end="exclusive", lengths=[SIZE] * sentences)
        for _ in range(draw(st.integers(3, 4)))
    ]
    return Case(sides[0], dict(zip(NAMES, sides[1:], strict=False)), {"task": "spans"})


@st.composite
def link_cases(draw: st.DrawFn) -> Case:
    sentences = draw(st.integers(1, 4))
    identifiers = st.sampled_from(["Q1", "Q2", "NIL"])
    sides = []
    for _ in range(draw(st.integers(3, 4))):
        found = spans_of(draw, sentences)
        sides.append(eh.links([[(*span, draw(identifiers)) for span in part] for part in found], end="exclusive"))
    return Case(sides[0], dict(zip(NAMES, sides[1:], strict=False)), {"task": "links"})


@st.composite
def relation_cases(draw: st.DrawFn) -> Case:
    sentences, sides = draw(st.integers(1, 4)), []
    for _ in range(draw(st.integers(3, 4))):
        spans, links = spans_of(draw, sentences), []
        for part in spans:
            ends = st.integers(0, len(part) - 1) if part else st.nothing()
            relation = st.tuples(st.sampled_from(LABELS), ends, ends)
            links.append(draw(st.lists(relation, max_size=3, unique=True)) if part else [])
        sides.append(eh.relations(spans, links, end="exclusive"))
    return Case(sides[0], dict(zip(NAMES, sides[1:], strict=False)), {"task": "relations"})


@st.composite
def chain_cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(1, 3))
    names = [f"d{number}" for number in range(size)]
    pos = [draw(st.lists(st.sampled_from(TAGS), min_size=SIZE, max_size=SIZE)) for _ in range(size)]
    gold = chain_annotation([draw(mentions(size=SIZE)) for _ in range(size)], pos=pos, names=names)
    systems = {}
    for name in NAMES[: draw(st.integers(2, 3))]:
        there = sorted(draw(st.sets(st.integers(0, size - 1), min_size=1)))  # a system may lack documents
        found = [draw(mentions(size=SIZE)) for _ in there]
        systems[name] = chain_annotation(found, names=[names[number] for number in there])
    return Case(gold, systems, {})


def bracketed(draw: st.DrawFn, words: list[str]) -> str:
    """A tree over these words."""
    if len(words) == 1:
        return f"({draw(st.sampled_from(('N', 'V')))} {words[0]})"
    parts, cut = [], draw(st.integers(1, len(words) - 1))
    for part in (words[:cut], words[cut:]):
        inner = bracketed(draw, part)
        parts.append(f"({draw(st.sampled_from(LABELS))} {inner})" if draw(st.booleans()) else inner)
    return f"({draw(st.sampled_from(LABELS))} {' '.join(parts)})"


@st.composite
def constituent_cases(draw: st.DrawFn) -> Case:
    sentences = [[f"w{number}" for number in range(draw(st.integers(2, 4)))] for _ in range(draw(st.integers(1, 3)))]
    gold = eh.constituents([bracketed(draw, words) for words in sentences])
    others = [
        [draw(st.sampled_from((words, words, words, [*words, "more"], []))) for words in sentences] for _ in NAMES
    ]
    others = [[sentences[0], *each[1:]] for each in others]  # one sentence at least can be scored
    systems = [eh.constituents([bracketed(draw, words) if words else "" for words in each]) for each in others]
    return Case(gold, dict(zip(NAMES, systems, strict=False)), {"task": "constituents"})


def conllu(draw: st.DrawFn, texts: list[str]) -> str:
    """Sentences over these characters, with words, tags, heads and enhanced edges as they come."""
    lines = []
    for text in texts:
        ends = sorted({*draw(st.sets(st.integers(1, len(text)))), len(text)})
        words = [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
        for number, word in enumerate(words, 1):
            head, label = draw(st.integers(1, number - 1)) if number > 1 else 0, draw(st.sampled_from(LABELS)).lower()
            relation = label if number > 1 else "root"
            edge = st.tuples(st.integers(0, len(words)), st.sampled_from(["a", "b:x", "b:y"]))
            edges = [edge for edge in draw(st.lists(edge, max_size=3)) if edge[0] != number]
            deps = "|".join(f"{head}:{name}" for head, name in sorted(edges, key=lambda each: each[0])) or "_"
            cells = (str(number), word, "_", draw(st.sampled_from(LABELS)), "_", "_", str(head), relation, deps, "_")
            lines.append("\t".join(cells))
        lines.append("")
    return "\n".join(lines) + "\n"


@st.composite
def word_cases(draw: st.DrawFn) -> Case:
    """Files whose words are not the same: a system may join or split those of the gold standard."""
    texts = [draw(st.sampled_from(["abcdef", "abc", "ab", "a"])) for _ in range(draw(st.integers(1, 4)))]
    sides = [conllu(draw, texts) for _ in range(draw(st.integers(3, 4)))]
    return Case(sides[0], dict(zip(NAMES, sides[1:], strict=False)), {})


CASES = {
    "spans": span_cases(),
    "links": link_cases(),
    "relations": relation_cases(),
    "chains": chain_cases(),
    "constituents": constituent_cases(),
    "trees": word_cases(),
    "tags": word_cases(),
}
BY = [(task, by) for task in CASES for by in TASKS[task].selection.compared]


@pytest.mark.parametrize(("task", "by"), BY, ids=[f"{task}-{by}" for task, by in BY])
@settings(max_examples=12)
@given(data=st.data())
def test_all_commands_have_the_same_scores(task: str, by: str, data: st.DataObject) -> None:
    case = data.draw(CASES[task])
    with TemporaryDirectory() as folder:
        if isinstance(case.gold, str):
            sides = {"gold": case.gold, **case.systems}
            for name, text in sides.items():
                (Path(folder) / f"{name}.conllu").write_text(text)
            paths = {name: Path(folder) / f"{name}.conllu" for name in sides}
            case = Case(paths.pop("gold"), paths, {"task": task})
        check(task, by, case)


def check(task: str, by: str, case: Case) -> None:
    gold, systems, options = case
    if task == "constituents":  # the figures of EVALB are used where errors are skipped
        options = {**options, "errors": "wrong" if by.endswith("-all") else "skip"}
    results = eh.score(gold, systems, match=by, **options)
    scores = {name: result[by].headline for name, result in results.items()}
    ranking = eh.rank(gold, systems, match=by, resamples=0, **options)
    assert {name: ranking[by][name].score for name in scores} == near(scores)
    lacking = [name for name, result in results.items() if by in result.lacking]
    if lacking:
        check_refusals(by, case, lacking)
        return
    comparison = eh.compare(gold, systems, by=by, **QUICK, **options)
    assert comparison.scores == near(scores)
    check_pairs(comparison, scores, results, by)
    first, second = list(scores.values())[:2]
    if comparison.gold.units:
        gate = eh.gate(gold, *list(systems.values())[:2], by=by, trials=20, **options)
        assert list(gate.scores.values()) == near([first, second])
        assert gate.pair.delta == near(second - first)
    else:
        assert all(map(isnan, scores.values()))
        with pytest.raises(eh.InputError, match="no score is defined and the gate cannot pass"):
            eh.gate(gold, *list(systems.values())[:2], by=by, trials=20, **options)
    if by in TASKS[task].selection.reported:
        check_page(eh.report(gold, systems, by=by, **QUICK, **options), scores)


def check_refusals(by: str, case: Case, lacking: list[str]) -> None:
    """A system without the compared annotation has no score, so no comparison has one."""
    gold, systems, options = case
    refusal = rf"{lacking[0]}.* no [A-Z]+, so {by} cannot be compared; remove .*, or compare by las\."
    with pytest.raises(eh.SettingError, match=refusal):
        eh.compare(gold, systems, by=by, **QUICK, **options)
    with pytest.raises(eh.SettingError, match=refusal):
        eh.report(gold, systems, by=by, **QUICK, **options)
    with pytest.raises(eh.SettingError, match=refusal):
        eh.gate(gold, *[systems[name] for name in (lacking[0], *(set(systems) - {lacking[0]}))][:2], by=by, **options)


def near(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-12, nan_ok=True)


def check_pairs(comparison: eh.Comparison, scores: Mapping[str, float], results: eh.Results, by: str) -> None:
    """The tested differences are those of the scores and, for accuracies, of corrections and new errors."""
    pairs = {(pair.before, pair.after): pair for pair in readable_pairs(comparison)}  # as a figure shows them
    assert set(pairs) == set(combinations(scores, 2))
    for (before, after), pair in pairs.items():
        assert pair.delta == near(scores[after] - scores[before])
        overall = results[after][by].overall
        if results[after][by].model.headline == "accuracy":
            assert pair.size == overall["gold"]
            assert pair.delta * pair.size == near(pair.corrections.count - pair.new_errors.count)


def check_page(report: eh.Report, scores: Mapping[str, float]) -> None:
    """Tables, ranks, comparison and verdict of a page have these scores; its errors are those of the score."""
    assert report.scores == near(scores)
    for model in report.results.models:
        shown = {name: report.results[name][model].headline for name in scores}
        assert {name: report.ranking[model][name].score for name in scores} == near(shown)
        assert model != report.by or shown == near(scores)
    first, second, *_ = report.ordered
    gap = abs(scores[first] - scores[second])
    if not isnan(gap) and gap > 1e-9:
        assert verdict(report)[0].startswith(f"{first} leads {second} by {100 * gap:.2f} points")
    units, task = report.units.units(), TASKS[report.task]
    fine = (*task.error_types.correct(report.by), *task.error_types.unscored)
    right = [number for code, number in report.units.classes.items() if task.error_types.of(report.by)[code[0]] in fine]
    wrong = dict(zip(report.results, (~np.isin(units.classes, right)).sum(axis=1).tolist(), strict=True))
    for row in overview(report)["rows"]:
        if row["bar"] is not None and report.by not in task.compared_units:  # an entity may have several errors
            assert int(row["bar"]["total"].replace(",", "")) == wrong[row["name"]]


# Words that a system lost

TREES = EXAMPLES / "trees"


def with_joined_sentences(path: Path) -> str:
    """Every second sentence as a single word."""
    all_sentences = []
    for number, sentence in enumerate(path.read_text().strip().split("\n\n")):
        lines = [line.split("\t") for line in sentence.split("\n") if line[0].isdigit()]
        words = [line for line in lines if line[0].isdigit()]
        whole = "".join(line[1] for line in words)
        joined = ["\t".join(("1", whole, "_", "X", "_", "_", "0", "root", "_", "_"))]
        all_sentences.append("\n".join(joined if number % 2 else map("\t".join, lines)))
    return "\n\n".join(all_sentences) + "\n\n"


@pytest.mark.parametrize(("task", "by"), [("trees", "las"), ("trees", "uas"), ("tags", "accuracy")])
@pytest.mark.parametrize("criterion", [{}, {"max_drop": 1}, {"max_new_errors": 0}], ids=["test", "drop", "errors"])
def test_a_system_that_loses_half_of_its_words_fails(tmp_path: Path, task: str, by: str, criterion: Any) -> None:
    (tmp_path / "joined.conllu").write_text(with_joined_sentences(TREES / "neural.conllu"))
    files = (TREES / "gold.conllu", TREES / "neural.conllu", tmp_path / "joined.conllu")
    gate = eh.gate(*files, task=task, by=by, **criterion)
    assert not gate.passed
    before, after = (eh.score(files[0], path, task=task, match=by)[by].headline for path in files[1:])
    assert after < before - 0.25
    assert gate.pair.delta == near(after - before)


def test_shared_words_are_a_second_figure(tmp_path: Path) -> None:
    (tmp_path / "joined.conllu").write_text(with_joined_sentences(TREES / "neural.conllu"))
    comparison = eh.compare(TREES / "gold.conllu", [TREES / "neural.conllu", tmp_path / "joined.conllu"], **QUICK)
    shared = comparison.shared
    assert shared is not None
    assert shared.units < comparison.gold.units == 855
    assert shared.scores["neural"] == shared.scores["joined"] > comparison.scores["joined"]
    figures = ", ".join(f"{name} {100 * score:.2f}" for name, score in shared.scores.items())
    assert any(
        note.startswith(f"las on the {shared.units} words that all systems have: {figures};")
        for note in comparison.notes
    )
    assert eh.Comparison.from_json(comparison.to_json()).shared == shared
    new = comparison.pair("neural", "joined").new_errors
    assert {each.after for each in new.transitions} == {"missing"}
    assert {unit.answers["joined"] for unit in new.units()} == {"missing"}


def test_no_second_figure_where_no_system_lacks_a_word() -> None:
    tags = [["NN", "VB"], ["NN"]]
    systems = {"one": eh.tags([["NN", "NN"], ["NN"]]), "two": eh.tags(tags)}
    comparison = eh.compare(eh.tags(tags), systems, task="tags", **QUICK)
    assert comparison.shared is None
    assert "shared" not in comparison.to_dict()


# Edges that only a system has


def with_spurious_edges(path: Path) -> str:
    lines = [line.split("\t") for line in path.read_text().split("\n")]
    for cells in lines:
        if len(cells) == 10 and cells[0].isdigit():
            cells[8] = "|".join([*([cells[8]] if cells[8] != "_" else []), "0:spurious"])
    return "\n".join(map("\t".join, lines))


@pytest.mark.parametrize("by", ["elas", "eulas"])
def test_spurious_edges_count(data: Path, tmp_path: Path, by: str) -> None:
    folder = data / "shared_tasks" / "ud"
    (tmp_path / "spurious.conllu").write_text(with_spurious_edges(folder / "cs_pud-sys1.conllu"))
    gold, system, spurious = (
        folder / "cs_pud-gold.conllu",
        folder / "cs_pud-sys1.conllu",
        tmp_path / "spurious.conllu",
    )
    check("trees", by, Case(gold, {"one": system, "two": spurious}, {}))
    gate = eh.gate(gold, system, spurious, by=by)
    assert not gate.passed
    pair = gate.pair
    assert pair.new_errors.count > 4000
    assert {each.gold for each in pair.new_errors.transitions} == {""}
    assert {each.before for each in pair.new_errors.transitions} == {"absent"}


def test_the_page_of_a_comparison_has_its_score() -> None:
    folder = EXAMPLES / "ner"
    systems = [folder / "crf.conll", folder / "tagger.conll"]
    comparison = eh.compare(folder / "gold.conll", systems, by="exact", **QUICK)
    assert "Points of exact F1." in comparison.to_html()
