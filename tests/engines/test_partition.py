"""How work is divided, and what is not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count, cycle, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import brackets, columns
from declared import run_of, score_settings
from divided import Divided, check_same, results, write
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.format import FORMATS
from evenhand.formats.paths import FileList
from evenhand.pipeline.inputs import prepare
from evenhand.pipeline.partition import parts
from evenhand.pipeline.run import Job

SENTENCES = [line for number in range(20) for line in (f"w{number} B-X", "v O", "")]


def work_on(gold: Any, systems: Any, **options: Any) -> Job:
    prepared = prepare(gold, systems, options)
    return Job(gold, systems, prepared, prepared.settings.match, "total")


def divided(gold: Any, system: Any, jobs: int = 3, smallest: int = 1, **options: Any) -> list[Job]:
    return list(parts(work_on(gold, {"system": system}, **options), jobs, smallest))


def files(part: Job) -> list[str]:
    assert isinstance(part.gold, FileList)
    return [file.name for file in part.gold.files]


def pair(folder: Path, lines: list[str] = SENTENCES) -> tuple[Path, Path]:
    return write(folder, "gold.conll", lines), write(folder, "system.conll", lines)


def test_parts_follow_each_other_and_become_smaller(tmp_path: Path) -> None:
    gold, system = pair(tmp_path, SENTENCES * 20)
    pieces = divided(gold, system, jobs=3)
    for side in ("gold", "system"):
        sides = [part.gold if side == "gold" else (part.systems or {})["system"] for part in pieces]
        parts = [item.part for item in sides if isinstance(item, FileList) and item.part is not None]
        assert len(parts) == len(pieces)
        assert [item.start for item in parts[1:]] == [item.end for item in parts[:-1]]
        assert parts[0].start == 0
        assert parts[-1].end == gold.stat().st_size
        sizes = [item.end - item.start for item in parts]
        assert all(size <= before + 40 for before, size in pairwise(sizes))  # parts end after a sentence
        assert sizes[0] < gold.stat().st_size / 3


def test_small_work_is_not_divided(tmp_path: Path) -> None:
    gold, system = pair(tmp_path)
    assert len(divided(gold, system, smallest=10_000)) == 1
    assert len(divided(gold, system)) > 4


def folders(folder: Path, names: dict[str, int], others: dict[str, int] | None = None) -> tuple[Path, Path]:
    """Two folders with files of so many sentences."""
    for side, sizes in (("gold", names), ("system", names if others is None else others)):
        (folder / side).mkdir()
        for name, size in sizes.items():
            write(folder / side, name, SENTENCES * size)
    return folder / "gold", folder / "system"


def test_small_files_are_put_together(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {f"{number}.conll": 1 for number in range(32)})
    pieces = divided(gold, system, jobs=3)
    assert [len(files(part)) for part in pieces][:4] == [5, 4, 3, 3]
    engine = check_same(gold, system, 3, groups="document")
    assert engine.parts == len(pieces)


def test_a_large_file_among_small_ones_is_divided(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {"a.conll": 1, "b.conll": 1, "c.conll": 40, "d.conll": 1})
    items = [files(part) for part in divided(gold, system, jobs=3)]
    assert items[0] == ["a.conll", "b.conll"]
    assert len(items) > 7
    assert items[-1] == ["d.conll"]
    assert not check_same(gold, system, 1, groups="document").whole


def test_lists_of_files_are_divided(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {"a.conll": 3, "b.conll": 3})
    lists = [FileList("list", (folder / "a.conll", folder / "b.conll")) for folder in (gold, system)]
    assert check_same(lists[0], {"s": lists[1]}, 3).parts > 2


def test_folders_with_other_names_are_not_divided(tmp_path: Path) -> None:
    gold, system = folders(tmp_path, {"a.conll": 3}, {"b.conll": 3})
    assert len(divided(gold, system)) == 1


def test_what_cannot_be_divided(tmp_path: Path) -> None:
    gold, _ = pair(tmp_path)
    packed = tmp_path / "system.conll.gz"
    packed.write_bytes(gzip.compress(gold.read_bytes()))
    brackets = write(tmp_path, "trees.mrg", ["(S (NP (NN a)) (VP (VB b)))"] * 50)
    for system in (packed, eh.read(gold), Path("-")):
        assert len(divided(gold, system)) == 1
    assert len(divided(brackets, brackets, task="spans")) == 1


def test_documents_of_chains_stay_whole(tmp_path: Path) -> None:
    text = columns([["(1", "-", "1)", "-", "(1)", "-"]] * 20)
    key = write(tmp_path, "key.conll", text.splitlines())
    assert 1 < len(divided(key, key)) <= 20
    assert not check_same(key, key, 1000).whole


@pytest.mark.parametrize("change", ["missing", "renamed", "last"])
def test_documents_that_one_side_has_not(tmp_path: Path, change: str) -> None:
    """Their counterparts may be anywhere, so that all is one work."""
    documents = [["(1", "-", "1)", "-", "(1)", "-"]] * 20
    names = [f"d{number}" for number in range(20)]
    others = {"missing": [*names[:9], *names[10:]], "renamed": [*names[:9], "x", *names[10:]], "last": names[:-1]}[
        change
    ]
    key = write(tmp_path, "key.conll", columns(documents, names=names).splitlines())
    response = write(tmp_path, "response.conll", columns(documents[: len(others)], names=others).splitlines())
    assert check_same(key, response, 1000).whole


def test_json_documents_without_names_are_one_work(tmp_path: Path) -> None:
    """They are numbered, from the first line on."""
    record = json.dumps({"sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]})
    key = write(tmp_path, "key.jsonl", [record] * 20)
    assert check_same(key, key, 1000).whole


def test_corefud(tmp_path: Path) -> None:
    def document(name: str, fields: str = "eid-etype") -> list[str]:
        entity = {"eid-etype": ("(e1-x", "e1)"), "etype-eid": ("(x-e1", "e1)")}[fields]
        rows = [
            [str(at + 1), f"w{at}", "_", "NOUN", "_", "_", "_", "_", "_", f"Entity={entity[at]}"] for at in range(2)
        ]
        return [f"# newdoc id = {name}", *map("\t".join, rows), ""]

    for fields, is_divided in (("eid-etype", True), ("etype-eid", False)):
        lines = [line for number in range(9) for line in document(f"d{number}", fields)]
        lines.insert(1, f"# global.Entity = {fields}")
        key = write(tmp_path, f"{fields}.conllu", lines)
        engine = check_same(key, key, 1000)
        assert engine.whole is not is_divided


def test_a_file_scored_against_itself_is_refused(tmp_path: Path) -> None:
    """The parts themselves show no single file, only all of them together."""
    gold = write(tmp_path, "gold.conll", ["a B-X", "b O", ""] * 20)
    engine = Divided(1000)
    with pytest.raises(eh.InputError, match=r"gold\.conll: gold standard and system are the same layer of one file"):
        eh.score(gold, gold, engine=engine)
    assert engine.parts > 1


def test_germeval_with_separate_levels(tmp_path: Path) -> None:
    """A stack in one column moves the levels of the next, from there on."""
    lines = ["1\ta\tB-PER\tB-LOC", "2\tb\tO\tI-LOC", ""] * 20
    gold = write(tmp_path, "gold.tsv", lines)
    system = write(tmp_path, "system.tsv", lines)
    engine = check_same(gold, system, 1000, levels="separate")
    assert not engine.whole
    lines = [*lines, "1\ta\tB-PER|B-LOC\tB-ORG", "", *lines]
    stacked = [write(tmp_path, f"stacked-{side}.tsv", lines) for side in ("gold", "system")]
    assert check_same(*stacked, 1000, levels="separate").whole


TAGGED = {"tokens": ["a", "b"], "tags": ["B-X", "O"]}
SPANS = {"tokens": ["a", "b"], "spans": [{"start": 0, "end": 1, "label": "X"}]}
RAW = {"text": "a b", "spans": [{"start": 0, "end": 1, "label": "X"}]}
PLAIN = {"doc_key": "d", "tokens": ["a", "b"], "clusters": [[[0, 0], [1, 1]]]}
WITH_POS = {**PLAIN, "pos": ["NN", "PRP"]}


@pytest.mark.parametrize(
    ("gold", "first", "second", "message"),
    [
        (TAGGED, TAGGED, SPANS, "the record has tokens and spans, but the file began with tokens and tags"),
        (RAW, RAW, SPANS, "the record has tokens and spans, but the file began with a text"),
        (SPANS, SPANS, RAW, "the record has a text, but the file began with tokens and spans"),
        (PLAIN, PLAIN, WITH_POS, "some documents have pos, and others do not"),
    ],
)
def test_kinds_of_records_that_change_are_seen(
    tmp_path: Path, gold: dict[str, Any], first: dict[str, Any], second: dict[str, Any], message: str
) -> None:
    """A file has one kind of records, though parts of it could be read for themselves."""

    def lines(*records: dict[str, Any]) -> list[str]:
        every = [record for record in records for _ in range(20)]
        return [
            json.dumps({**each, "doc_key": f"d{place}"} if "doc_key" in each else each)
            for place, each in enumerate(every)
        ]

    key, response = write(tmp_path, "gold.jsonl", lines(gold, gold)), write(tmp_path, "s.jsonl", lines(first, second))
    with pytest.raises(eh.InputError, match=rf"s\.jsonl:21: {message}"):
        eh.score(key, response, engine=Divided(1))
    same = write(tmp_path, "same.jsonl", lines(gold, gold))
    assert not check_same(key, same, 1).whole


def test_encodings_of_files_that_differ(tmp_path: Path) -> None:
    """Whether tags are compared as they stand is told by the first files."""
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        for number in range(8):
            bioes = number > 3 and side == "gold"
            write(tmp_path / side, f"{number}.conll", ["a S-X" if bioes else "a B-X", "b O", ""] * 5)
    assert check_same(tmp_path / "gold", tmp_path / "system", 1, match="accuracy").whole
    assert not check_same(tmp_path / "gold", tmp_path / "system", 1, match="exact").whole


# Runs over parts add up to the run over the whole: for all tasks, groups and oddities of files


JOBS = st.sampled_from([2, 4, 1000])
GROUPS = st.sampled_from(["total", "document", "sentence", "finest"])
TAGS = ["O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "I-ORG"]
numbers = count()


@pytest.fixture(scope="module")
def folders_joining(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    return (tmp_path_factory.mktemp(f"files-{number}") for number in numbers)


several = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def sentences(draw: st.DrawFn, tags: list[str], systems: int = 1) -> list[tuple[list[str], list[list[str]]]]:
    """Sentences: what stands before each (marks of documents, comments, blank lines), and rows of word and tags."""
    all_sentences = []
    for number in range(draw(st.integers(1, 9))):
        marks = {"": [], "mark": ["-DOCSTART- O", ""], "close": ["-DOCSTART- O"], "alone": ["# a note on it", ""]}
        before = list(marks[draw(st.sampled_from(["", "", "", *marks]))])
        before = [""] * draw(st.sampled_from([0, 0, 0, 1, 2])) + before
        before += ["# newdoc id of this"] * draw(st.sampled_from([0, 0, 0, 1]))
        length = draw(st.integers(1, 4))
        rows = [[f"w{number}", *(draw(st.sampled_from(tags)) for _ in range(systems + 1))] for _ in range(length)]
        all_sentences.append((before, rows))
    return all_sentences


def lines_of(actual: list[tuple[list[str], list[list[str]]]], column: int, *, marks: bool = True) -> list[str]:
    """The lines of one side; a side may do without what stands between sentences."""
    lines = []
    for before, rows in actual:
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
    folders_joining: Iterator[Path], data: st.DataObject, tokens: Any, jobs: int, groups: Any, end: str, begin: str
) -> None:
    folder = next(folders_joining)
    gold = write(folder, "gold.conll", lines_of(tokens, 1), end, begin)
    systems = [
        write(folder, "a.conll", lines_of(tokens, 2), end),
        write(folder, "b.conll", lines_of(tokens, 3, marks=data.draw(st.integers(0, 3)) > 0)),
    ]
    check_same(gold, systems, jobs, groups=groups, match="exact,fair,ts,overlap,semeval,accuracy", supertag="ENTITY")


@given(sentences([*TAGS, "B-PER|B-LOC", "I-PER|O"]), JOBS, GROUPS, st.sampled_from(["begin", "discard"]))
@several
def test_nested_spans_and_separate_levels(
    folders_joining: Iterator[Path], tokens: Any, jobs: int, groups: Any, repair: Any
) -> None:
    folder = next(folders_joining)
    gold = write(folder, "gold.conll", lines_of(tokens, 1))
    system = write(folder, "system.conll", lines_of(tokens, 2))
    options = {"match": "exact,fair,t", "levels": "separate", "repair": repair, "map": {"LOC": "PLACE"}}
    check_same(gold, system, jobs, groups=groups, **options)


@given(sentences(TAGS), JOBS, st.sampled_from(["total", "document"]))
@several
def test_two_columns_of_one_file(folders_joining: Iterator[Path], found: Any, jobs: int, groups: Any) -> None:
    lines = [line for before, rows in found for line in (*before, *map(" ".join, rows), "")]
    lines = ["w B-PER B-PER", "", *(line.replace("-DOCSTART- O", "-DOCSTART- O O") for line in lines)]
    check_same(
        write(next(folders_joining), "both.conll", lines), None, jobs, groups=groups, match="exact,fair,accuracy"
    )


@given(sentences(["NN", "NE", "VB"], systems=2), JOBS, GROUPS)
@several
def test_tags(folders_joining: Iterator[Path], found: Any, jobs: int, groups: Any) -> None:
    folder = next(folders_joining)
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
    for index, word in enumerate(words):
        head = 0 if index == 0 else draw(st.integers(1, index))
        pos, relation = draw(st.sampled_from(["NOUN", "VERB"])), draw(st.sampled_from(["root", "nsubj", "nmod:poss"]))
        lines.append("\t".join([str(index + 1), word, word, pos, pos, "_", str(head), relation, "_", "_"]))
    return lines


@given(trees(), JOBS, GROUPS)
@several
def test_trees(folders_joining: Iterator[Path], found: list[list[str]], jobs: int, groups: Any) -> None:
    folder = next(folders_joining)
    gold, system = (write(folder, f"{name}.conllu", lines) for name, lines in zip("gs", found, strict=True))
    check_same(gold, system, jobs, groups=groups)


@given(
    st.lists(st.tuples(brackets(), brackets(), brackets()), min_size=1, max_size=8),
    JOBS,
    st.sampled_from(["total", "document", "finest"]),
)
@several
def test_chains(folders_joining: Iterator[Path], found: Any, jobs: int, groups: Any) -> None:
    folder = next(folders_joining)
    sides = [columns(documents, pos=[["NN", "PRP"] * 3] * len(found)) for documents in zip(*found, strict=True)]
    sides[2] = sides[2].replace("\tw3\t", "\tother\t")
    paths = [write(folder, f"{name}.conll", text.splitlines()) for name, text in zip("gab", sides, strict=True)]
    check_same(paths[0], paths[1:], jobs, groups=groups)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), JOBS, GROUPS, st.booleans())
@several
def test_span_tables(
    folders_joining: Iterator[Path], counts: list[int], jobs: int, groups: Any, in_columns: bool
) -> None:
    folder = next(folders_joining)
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
def test_json_lines(folders_joining: Iterator[Path], found: list[tuple[str, bool]], jobs: int, groups: Any) -> None:
    folder = next(folders_joining)
    records = [({"text": f"x{text}y", "spans": [{"start": 0, "end": 1, "label": "A"}]}, same) for text, same in found]
    gold = write(folder, "gold.jsonl", [json.dumps(record) for record, _ in records])
    system = write(
        folder, "s.jsonl", [json.dumps(record if same else {**record, "spans": []}) for record, same in records]
    )
    check_same(gold, system, jobs, groups=groups)


# Every format that can be cut, at random cut points


def _conllu(number: int, variant: int) -> list[str]:
    cells = [("1", "0", "root"), ("2", "1", ("obj", "nsubj", "obj")[variant])]
    rows = [
        [at, f"w{number}", "l", "NOUN", ("A", "B", "C")[variant], "_", head, relation, "_", "_"]
        for at, head, relation in cells
    ]
    return [f"# sent_id = {number}", *map("\t".join, rows), ""]


def _conll2009(number: int, variant: int) -> list[str]:
    tag, relation = ("A", "B", "C")[variant], ("obj", "nsubj", "obj")[variant]
    rows = [["1", "0", "root"], ["2", "1", relation]]
    return [
        *(
            f"{at}\tw{number}\tl\tl\t{tag}\t{tag}\t_\t_\t{head}\t{head}\t{name}\t{name}\t_\t_"
            for at, head, name in rows
        ),
        "",
    ]


def _corefud(number: int, variant: int) -> list[str]:
    entity = [("(e1-x)", "(e1-x)"), ("(e1-x)", "(e2-x)"), ("(e1-x", "e1)")][variant]
    rows = [[str(at + 1), f"w{at}", *"______", "_", f"Entity={entity[at]}"] for at in range(2)]
    head = ["# global.Entity = eid-etype"] if number == 0 else []
    return [f"# newdoc id = d{number}", *head, *map("\t".join, rows), ""]


def _conll2012(number: int, variant: int) -> list[str]:
    marks = [("(1)", "(1)"), ("(1)", "(2)"), ("(1", "1)")][variant]
    rows = [f"d{number}\t0\t{at}\tw\tNN\t{mark}" for at, mark in enumerate(marks)]
    return [f"#begin document (d{number}); part 000", *rows, "", "#end document"]


def _coreference(number: int, variant: int) -> list[str]:
    clusters = [[[[0, 0], [1, 1]]], [], [[[0, 1], [1, 1]]]][variant]
    return [json.dumps({"doc_key": f"d{number}", "sentences": [["a", "b"]], "clusters": clusters})]


def _links(number: int, variant: int) -> list[str]:
    spans = [{"start": 0, "end": 1, "label": "X", "links": [["Q1"], ["Q2", "Q1"], []][variant]}]
    return [json.dumps({"id": f"d{number}", "text": "a b", "spans": spans})]


def _elevant(number: int, variant: int) -> list[str]:
    entity = ("Q1", "Q2", "Q3")[variant]
    layers = {"labels": [{"span": [0, 1], "entity_id": entity}], "entity_mentions": [{"span": [0, 1], "id": entity}]}
    return [json.dumps({"id": number, "text": "a b", **layers})]


UNITS: dict[tuple[str, str], Callable[[int, int], list[str]]] = {
    **dict.fromkeys(
        [("conll", "spans"), ("conll", "tags")],
        lambda number, variant: [f"w{number} {('B-X', 'O', 'B-Y')[variant]}", f"v {('I-X', 'O', 'B-X')[variant]}", ""],
    ),
    ("germeval", "spans"): lambda number, variant: [
        f"1\tw{number}\t{('B-X', 'O', 'B-Y')[variant]}\tO",
        "2\tv\tO\tB-Z",
        "",
    ],
    **dict.fromkeys([("conllu", "trees"), ("conllu", "tags")], _conllu),
    **dict.fromkeys([("conllx", "trees"), ("conllx", "tags")], lambda number, variant: _conllu(number, variant)[1:]),
    **dict.fromkeys([("conll2009", "trees"), ("conll2009", "tags")], _conll2009),
    ("conll2012", "chains"): _conll2012,
    ("corefud", "chains"): _corefud,
    ("coref-jsonl", "chains"): _coreference,
    ("spans", "spans"): lambda number, variant: [f"X\t{variant + 1}\t3", "Y\t1\t1", ""],
    ("jsonl", "spans"): lambda number, variant: [
        json.dumps({"text": f"a{number}b", "spans": [{"start": 0, "end": variant + 1, "label": "X"}]})
    ],
    ("jsonl", "links"): _links,
    ("elevant", "links"): _elevant,
    ("brackets", "constituents"): lambda number, variant: [
        ("(S (NP (N a)) (VP (V b)))", "(S (NP (N a)) (V b))", "(S (N a) (VP (V b)))")[variant]
    ],
}
"""The lines of a unit by format and task: its number makes the text, and its variant the annotation."""
NOT_SCORED = {("germeval", "tags")}
"""A task of tags has one column."""


def test_every_format_that_can_be_cut_is_tested() -> None:
    readers = [(format.name, *item) for format in FORMATS.values() for item in format.readers.items()]
    assert {(name, task) for name, task, reader in readers if reader.partitioning is not None} == {*UNITS, *NOT_SCORED}


@pytest.mark.parametrize(("format", "task"), UNITS)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=12),
    st.lists(st.integers(1, 120), min_size=1, max_size=9),
    st.sampled_from(["total", "document", "finest"]),
)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_cuts(
    folders_joining: Iterator[Path],
    format: str,
    task: str,
    variants: list[tuple[int, int]],
    sizes: list[int],
    groups: Any,
) -> None:
    folder, lines = next(folders_joining), UNITS[format, task]
    gold, system = (
        write(folder, name, [line for number, pair in enumerate(variants) for line in lines(number, pair[side])])
        for side, name in enumerate(("gold.txt", "system.txt"))
    )
    following = cycle(sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.pipeline.partition._share", lambda *_: next(following))
        assert not check_same(gold, system, 1, format=format, task=task, groups=groups).whole


@pytest.mark.parametrize(("format", "task"), UNITS)
def test_a_cut_at_every_unit(tmp_path: Path, format: str, task: str) -> None:
    """The first unit may have a header, and is not cut off."""
    sides = [[line for at in range(8) for line in UNITS[format, task](at, at % divisor)] for divisor in (3, 2)]
    gold, system = (write(tmp_path, f"{side}.txt", lines) for side, lines in enumerate(sides))
    engine = check_same(gold, system, 1000, format=format, task=task, groups="finest")
    assert (engine.parts, engine.whole) == (7, False)


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


@pytest.mark.parametrize("jobs", [pytest.param(3, marks=pytest.mark.long), 50])
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


@pytest.mark.parametrize("jobs", [pytest.param(3, marks=pytest.mark.long), 50])
def test_rankings_have_the_same_intervals(jobs: int) -> None:
    """Though labels are met in another order."""
    folder = Path(eh.__file__).parent / "examples" / "ner"
    systems = [folder / f"{name}.conll" for name in ("crf", "gazetteer", "tagger")]
    engine = Divided(jobs)
    found = eh.rank(folder / "gold.conll", systems, engine=engine)
    assert engine.parts > 1
    assert found.to_json() == eh.rank(folder / "gold.conll", systems).to_json()


# Spans of a system that go on behind the end of a portion: tokens count where they are, wherever portions end


WORDS = [["a", "b", "c"], ["d", "e"], ["f", "g", "h"], ["i"]]
ALL = [[word for sentence in WORDS for word in sentence]]
TAGS_OVERHANG = ["O", "B-X", "I-X", "B-Y", "I-Y"]
MODELS = ("exact", "fair", "ts", "t", "overlap", "accuracy")


def tallies(
    gold: list[list[str]], system: list[str], monkeypatch: pytest.MonkeyPatch, portion: int, **options: object
) -> dict[str, object]:
    """The counts of all judges; the gold standard comes a sentence at a time, the system as one sentence."""
    monkeypatch.setattr(import_module("evenhand.tasks.spans.evaluation"), "PART_SPANS", portion)
    golds = [eh.tags([tags], tokens=[words], encoding="iob2") for tags, words in zip(gold, WORDS, strict=True)]
    bioes = eh.tags([system], tokens=ALL, encoding="iob2")
    batch = Annotation(bioes.corpus, {"spans": bioes.spans()}, bioes.readings)
    vocabulary = Vocabulary()
    systems = {"s": lambda reference: iter([batch])}
    run = run_of(lambda: _read(golds, vocabulary), systems, score_settings("spans", MODELS, **options), vocabulary)
    return {
        judge: {
            kind: count for kind, count in zip(tally.kinds, tally.by_label().overall.tolist(), strict=True) if count
        }
        for judge, tally in run.tallies["s"].items()
    }


def _read(golds: list[Annotation], vocabulary: Vocabulary) -> Iterator[Annotation]:
    for gold in golds:
        yield Annotation(gold.corpus, {"spans": gold.spans().into(vocabulary)}, gold.readings)


@given(
    st.lists(st.sampled_from(TAGS_OVERHANG), min_size=9, max_size=9),
    st.lists(st.sampled_from(TAGS_OVERHANG), min_size=9, max_size=9),
)
def test_counts_do_not_depend_on_portions(gold: list[str], system: list[str]) -> None:
    rest = iter(gold)
    sentences = [[next(rest) for _ in words] for words in WORDS]
    with pytest.MonkeyPatch.context() as patch:
        assert tallies(sentences, system, patch, 0) == tallies(sentences, system, patch, 1000)


@given(
    st.lists(st.sampled_from(TAGS_OVERHANG), min_size=9, max_size=9),
    st.lists(st.sampled_from(TAGS_OVERHANG), min_size=9, max_size=9),
)
def test_counts_with_unclear_spans_do_not_depend_on_portions(gold: list[str], system: list[str]) -> None:
    """A system span that is left out has no tokens in later portions either."""
    rest = iter(gold)
    sentences = [[next(rest) for _ in words] for words in WORDS]
    rows = eh.tags(sentences, encoding="iob2").spans().rows()
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        path = Path(folder, "overrides.jsonl")
        lines = [
            {"sentence": scope + 1, "start": start, "end": end, "label": label, "verdict": "unclear"}
            for label, scope, start, end in rows[::2]
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        small, large = (tallies(sentences, system, patch, portion, overrides=path) for portion in (0, 1000))
    assert small == large


def test_a_span_over_three_portions() -> None:
    sentences = [["O"] * len(words) for words in WORDS]
    with pytest.MonkeyPatch.context() as patch:
        found = tallies(sentences, ["O", "O", "B-X", "I-X", "I-X", "I-X", "O", "O", "O"], patch, 0)
    assert found["units"] == {"token.FP": 4, "separator.FP": 3}


def test_a_text_that_is_longer_under_alignment_by_characters(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada\tB-PER\nin\tO\nLondon\tB-LOC\n")
    (tmp_path / "system.conll").write_text("Ada\tB-PER\nin\tO\nLondonLondon\tB-LOC\n")
    with pytest.raises(
        eh.InputError, match=r"system\.conll:3: found the character 'L' after the end of the gold standard"
    ):
        eh.score(tmp_path / "gold.conll", tmp_path / "system.conll", align="characters", match="ts,t")
