"""Runs over parts add up to the run over the whole: for all tasks, groups and oddities of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import brackets, columns
from divided import Divided, check_same, results, write

JOBS = st.sampled_from([1, 2, 1000])
GROUPS = st.sampled_from(["total", "document", "sentence", "finest"])
TAGS = ["O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "I-ORG"]
numbers = count()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    return (tmp_path_factory.mktemp(f"files-{number}") for number in numbers)


several = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def sentences(draw: st.DrawFn, tags: list[str], systems: int = 1) -> list[tuple[list[str], list[list[str]]]]:
    """Sentences: what stands before each (marks of documents, comments, blank lines), and rows of word and tags."""
    found = []
    for number in range(draw(st.integers(1, 9))):
        marks = {"": [], "mark": ["-DOCSTART- O", ""], "close": ["-DOCSTART- O"], "alone": ["# a note on it", ""]}
        before = list(marks[draw(st.sampled_from(["", "", "", *marks]))])
        before = [""] * draw(st.sampled_from([0, 0, 0, 1, 2])) + before
        before += ["# newdoc id of this"] * draw(st.sampled_from([0, 0, 0, 1]))
        length = draw(st.integers(1, 4))
        rows = [[f"w{number}", *(draw(st.sampled_from(tags)) for _ in range(systems + 1))] for _ in range(length)]
        found.append((before, rows))
    return found


def lines_of(found: list[tuple[list[str], list[list[str]]]], column: int, *, marks: bool = True) -> list[str]:
    """The lines of one side; a side may do without what stands between sentences."""
    lines = []
    for before, rows in found:
        lines += [*(before if marks else []), *(f"{row[0]} {row[column]}" for row in rows), ""]
    return lines


@given(
    st.data(),
    sentences(TAGS, systems=2),
    JOBS,
    GROUPS,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff", "TOKEN TAG\n"]),
)
@several
def test_spans(
    folders: Iterator[Path], data: st.DataObject, found: Any, jobs: int, groups: Any, end: str, begin: str
) -> None:
    folder = next(folders)
    gold = write(folder, "gold.conll", lines_of(found, 1), end, begin)
    systems = [
        write(folder, "a.conll", lines_of(found, 2), end),
        write(folder, "b.conll", lines_of(found, 3, marks=data.draw(st.integers(0, 3)) > 0)),
    ]
    check_same(gold, systems, jobs, groups=groups, match="exact,fair,ts,overlap,semeval,accuracy", supertag="ENTITY")


@given(sentences([*TAGS, "B-PER|B-LOC", "I-PER|O"]), JOBS, GROUPS, st.sampled_from(["begin", "discard"]))
@several
def test_nested_spans_and_separate_levels(
    folders: Iterator[Path], found: Any, jobs: int, groups: Any, repair: Any
) -> None:
    folder = next(folders)
    gold = write(folder, "gold.conll", lines_of(found, 1))
    system = write(folder, "system.conll", lines_of(found, 2))
    options = {"match": "exact,fair,t", "levels": "separate", "repair": repair, "map": {"LOC": "PLACE"}}
    check_same(gold, system, jobs, groups=groups, **options)


@given(sentences(TAGS), JOBS, st.sampled_from(["total", "document"]))
@several
def test_two_columns_of_one_file(folders: Iterator[Path], found: Any, jobs: int, groups: Any) -> None:
    lines = [line for before, rows in found for line in (*before, *map(" ".join, rows), "")]
    lines = ["w B-PER B-PER", "", *(line.replace("-DOCSTART- O", "-DOCSTART- O O") for line in lines)]
    check_same(write(next(folders), "both.conll", lines), None, jobs, groups=groups, match="exact,fair,accuracy")


@given(sentences(["NN", "NE", "VB"], systems=2), JOBS, GROUPS)
@several
def test_tags(folders: Iterator[Path], found: Any, jobs: int, groups: Any) -> None:
    folder = next(folders)
    paths = [write(folder, f"{name}.tsv", lines_of(found, place)) for place, name in enumerate("gab", 1)]
    check_same(paths[0], paths[1:], jobs, task="tags", groups=groups)


@st.composite
def trees(draw: st.DrawFn) -> list[list[str]]:
    """Gold standard and system as lines of CoNLL-U; some systems have tokens and sentences of their own."""
    sides: list[list[str]] = [[], []]
    is_own = draw(st.integers(0, 3)) == 0
    for number in range(draw(st.integers(1, 7))):
        comments = [f"# newdoc id = d{number}"] * draw(st.integers(0, 1)) + [f"# sent_id = {number}"]
        forms = [draw(st.sampled_from(["ab", "abc"])) for _ in range(draw(st.integers(1, 4)))]
        others = list("".join(forms)) if is_own and draw(st.booleans()) else forms
        sides[0] += [*comments, *_tree(draw, forms), ""]
        sides[1] += [*comments, *_tree(draw, others), ""]
        if is_own and len(forms) > 1:
            sides[1] += [*_tree(draw, forms[:1]), "", *_tree(draw, forms[1:]), ""]
            sides[0] += [*_tree(draw, forms), ""]
    return sides


def _tree(draw: st.DrawFn, words: list[str]) -> list[str]:
    lines = []
    multi = draw(st.sampled_from([0, 0, 1])) if len(words) > 1 else 0
    if multi:
        lines.append("\t".join(["1-2", "".join(words[:2]), *"________"]))
    for place, word in enumerate(words):
        head = 0 if place == 0 else draw(st.integers(1, place))
        pos, relation = draw(st.sampled_from(["NOUN", "VERB"])), draw(st.sampled_from(["root", "nsubj", "nmod:poss"]))
        lines.append("\t".join([str(place + 1), word, word, pos, pos, "_", str(head), relation, "_", "_"]))
    return lines


@given(trees(), JOBS, GROUPS)
@several
def test_trees(folders: Iterator[Path], found: list[list[str]], jobs: int, groups: Any) -> None:
    folder = next(folders)
    gold, system = (write(folder, f"{name}.conllu", lines) for name, lines in zip("gs", found, strict=True))
    check_same(gold, system, jobs, groups=groups)


@given(
    st.lists(st.tuples(brackets(), brackets(), brackets()), min_size=1, max_size=8),
    JOBS,
    st.sampled_from(["total", "document", "finest"]),
)
@several
def test_chains(folders: Iterator[Path], found: Any, jobs: int, groups: Any) -> None:
    folder = next(folders)
    sides = [columns(documents, pos=[["NN", "PRP"] * 3] * len(found)) for documents in zip(*found, strict=True)]
    sides[2] = sides[2].replace("\tw3\t", "\tother\t")
    paths = [write(folder, f"{name}.conll", text.splitlines()) for name, text in zip("gab", sides, strict=True)]
    check_same(paths[0], paths[1:], jobs, groups=groups)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), JOBS, GROUPS, st.booleans())
@several
def test_span_tables(folders: Iterator[Path], counts: list[int], jobs: int, groups: Any, in_columns: bool) -> None:
    folder = next(folders)
    table = [line for number in counts for line in [*[f"PER\t{at}\t{at + 1}" for at in range(1, number + 1)], ""]]
    table = [*table, "LOC\t1\t1", ""]
    gold, system = write(folder, "gold.tsv", table), write(folder, "system.tsv", [*table[:-2], "PER\t1\t1", ""])
    if in_columns:
        words = ["B-LOC", "I-LOC", "O", "B-PER"]
        gold = write(
            folder, "gold.conll", [line for _ in [*counts, 0] for line in [*(f"w {tag}" for tag in words), ""]]
        )
    check_same(gold, system, jobs, groups=groups)


@given(st.lists(st.tuples(st.text("ab c", min_size=3), st.booleans()), min_size=1, max_size=12), JOBS, GROUPS)
@several
def test_json_lines(folders: Iterator[Path], found: list[tuple[str, bool]], jobs: int, groups: Any) -> None:
    folder = next(folders)
    records = [({"text": f"x{text}y", "spans": [{"start": 0, "end": 1, "label": "A"}]}, same) for text, same in found]
    gold = write(folder, "gold.jsonl", [json.dumps(record) for record, _ in records])
    system = write(
        folder, "s.jsonl", [json.dumps(record if same else {**record, "spans": []}) for record, same in records]
    )
    check_same(gold, system, jobs, groups=groups)


TEXT = ["-DOCSTART- O", "", "a B-X", "b O", "", "c O", "d I-X", "", "-DOCSTART- O", "", "e B-Y", "", "f O", "g B-X", ""]


def test_a_document_that_goes_on_behind_a_cut_stays_one(tmp_path: Path) -> None:
    gold, system = (write(tmp_path, f"{side}.conll", TEXT * 5) for side in ("gold", "system"))
    engine = Divided(1000)
    result = eh.score(gold, system, engine=engine, groups="document")
    assert engine.parts > 5
    assert not engine.whole
    assert result.gold.documents == 10
    assert result.tallies["exact"].by_group(10, [{"TP": 1}])[:, 0, 0].tolist() == [2, 2] * 5


def test_lines_of_repaired_tags_are_those_of_the_file(tmp_path: Path) -> None:
    lines = ["# a comment", "a B-X", "", *["a O", ""] * 40, "b I-X", ""]
    gold, system = write(tmp_path, "gold.conll", lines, "\r\n"), write(tmp_path, "system.conll", lines)
    engine = check_same(gold, system, 1000)
    assert engine.parts > 20
    assert not engine.whole
    assert "line 84" in str(results(eh.score(gold, system, engine=Divided(1000)))[0].notes)


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 50])
@pytest.mark.parametrize("groups", [pytest.param("total", marks=pytest.mark.long), "finest"])
@pytest.mark.parametrize("task", ["ner", "tags", "trees", "chains"])
def test_examples(task: str, groups: Any, jobs: int) -> None:
    folder = Path(eh.__file__).parent / "examples" / task
    files = sorted(path for path in folder.iterdir() if path.suffix != ".md")
    gold, systems = next(path for path in files if path.stem == "gold"), [path for path in files if path.stem != "gold"]
    if task == "ner":  # strings of a language model are placed in whole documents, so that they are not divided
        systems = [path for path in systems if path.suffix == ".conll"]
    if task == "trees":  # the other two have sentences of their own, so that they are not divided
        systems = [path for path in systems if path.stem == "rules"]
    engine = check_same(gold, systems, jobs, groups=groups, task="tags" if task == "tags" else None)
    assert engine.parts > 1
    assert not engine.whole


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 50])
def test_rankings_have_the_same_intervals(jobs: int) -> None:
    """Though labels are met in another order."""
    folder = Path(eh.__file__).parent / "examples" / "ner"
    systems = [folder / f"{name}.conll" for name in ("crf", "gazetteer", "tagger")]
    engine = Divided(jobs)
    found = eh.rank(folder / "gold.conll", systems, engine=engine)
    assert engine.parts > 1
    assert found.to_json() == eh.rank(folder / "gold.conll", systems).to_json()
