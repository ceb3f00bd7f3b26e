"""What holds for all tables: the same corpus gives the same results as columns, as Parquet and as Arrow."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from arrow_files import FORMS, facts, pyarrow, save
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.arrow_columns import distinct, lists, tokens_of
from evenhand.formats.convert import Conversion
from evenhand.formats.read import batches
from evenhand.formats.registry import FORMATS
from evenhand.settings import ReadSettings

WORDS = st.sampled_from(["Ada", "lived", "“in”", "London", "é", "x" * 40, ".", "Straße"])
TAGS = st.sampled_from(["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
Sentence = list[tuple[str, str, str]]
SENTENCES = st.lists(st.lists(st.tuples(WORDS, TAGS, TAGS), min_size=1, max_size=8), min_size=1, max_size=12)
STORED = st.sampled_from(["string", "large_string", "dictionary"])


def item_type(arrow: Any, name: str) -> Any:
    if name == "dictionary":
        return arrow.dictionary(arrow.int16(), arrow.string())
    return getattr(arrow, name)()


def column_file(path: Path, sentences: list[Sentence], place: int, documents: list[int]) -> Path:
    lines = []
    for number, sentence in enumerate(sentences):
        if number and documents[number] != documents[number - 1]:
            lines.append("-DOCSTART-\tO\n\n")
        lines += [f"{token[0]}\t{token[place]}\n" for token in sentence] + ["\n"]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def scores(result: eh.Result) -> Any:
    return result.to_dict()["systems"][0]["scores"]


@settings(max_examples=60)
@given(SENTENCES, st.sampled_from(FORMS), STORED, st.integers(1, 5), st.data())
def test_columns_and_tables_give_the_same_results(
    sentences: list[Sentence], form: str, stored: str, rows: int, data: st.DataObject
) -> None:
    arrow = pyarrow()
    steps = data.draw(st.lists(st.booleans(), min_size=len(sentences), max_size=len(sentences)))
    documents = [sum(steps[: number + 1]) for number in range(len(sentences))]
    with TemporaryDirectory() as folder:
        plain, tables = [], []
        for place, name in ((1, "gold"), (2, "system")):
            plain.append(column_file(Path(folder, f"{name}.conll"), sentences, place, documents))
            columns = {
                "doc_id": documents,
                "tokens": [[token[0] for token in sentence] for sentence in sentences],
                "ner_tags": [[token[place] for token in sentence] for sentence in sentences],
            }
            types = dict.fromkeys(("tokens", "ner_tags"), arrow.list_(item_type(arrow, stored)))
            tables.append(save(Path(folder), columns, form, types=types, rows=rows, name=name))
        for path, table in zip(plain, tables, strict=True):
            assert facts(eh.read(path)) == facts(eh.read(table))
        wanted, found = (eh.score(*pair, groups="document") for pair in (plain, tables))
        assert wanted.tallies == found.tallies
        assert scores(wanted) == scores(found)
        assert wanted.gold.documents == found.gold.documents


@settings(max_examples=60)
@given(SENTENCES, st.sampled_from(FORMS), st.integers(1, 200))
def test_no_number_depends_on_how_much_is_read_at_a_time(sentences: list[Sentence], form: str, size: int) -> None:
    pyarrow()
    documents = [number // 3 for number in range(len(sentences))]
    columns = {
        "document": [f"d{number}" for number in documents],
        "tokens": [[token[0] for token in sentence] for sentence in sentences],
        "tags": [[token[1] for token in sentence] for sentence in sentences],
    }
    with TemporaryDirectory() as folder:
        path = save(Path(folder), columns, form)
        small = list(batches(path, ReadSettings(block_size=size, encoding="iob2"), Vocabulary()))
        whole = eh.read(path, encoding="iob2")
    joined = Annotation.concatenate(small)
    assert facts(joined) == facts(whole)
    assert joined.corpus.names == whole.corpus.names
    assert joined["tags"].to_list() == whole["tags"].to_list()


@given(
    st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=10),
    STORED,
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_slices_of_lists(rows: list[list[str]], stored: str, begin: int, size: int) -> None:
    """Arrays may be parts of others: what stands before and behind them does not count."""
    arrow = pyarrow()
    column = arrow.array(rows, arrow.list_(item_type(arrow, stored))).slice(begin, size)
    wanted = rows[begin : begin + size]
    found = lists(column)
    assert found.lengths.tolist() == [len(row) for row in wanted]
    flat = [word for row in wanted for word in row]
    tokens = tokens_of(found.values)
    assert [tokens[place] for place in range(len(tokens))] == flat
    names, place = distinct(found.values)
    assert [names[each] for each in place.tolist()] == flat
    assert sorted(names) == sorted(set(flat))


@st.composite
def records(draw: st.DrawFn) -> str:
    """JSON lines with spans that nest, cross, repeat and have gaps."""
    lines = []
    for sentence in draw(st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=5)):
        spans = []
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(sentence) - 1))
            end = draw(st.integers(start + 1, len(sentence)))
            inner = [at for at in range(start + 1, end - 1) if draw(st.booleans())]
            parts = [[at, at + 1] for at in sorted({start, *inner, end - 1})]
            label = draw(st.sampled_from(["A", "A", "B|C", "É"]))
            spans.append({"start": start, "end": end, "label": label} | ({"parts": parts} if inner else {}))
        lines.append(json.dumps({"tokens": sentence, "spans": spans}))
    return "\n".join(lines)


@settings(max_examples=60)
@given(records(), st.sampled_from(["parquet", "arrow"]), st.sampled_from(["iob2", "io", "bioes"]), st.booleans())
def test_what_is_written_is_read_again(lines: str, form: str, encoding: str, stacked: bool) -> None:
    pyarrow()
    with TemporaryDirectory() as folder:
        Path(folder, "data.jsonl").write_text(lines)
        annotation = eh.read(Path(folder, "data.jsonl"))
        path = Path(folder, f"data.{form}")
        Conversion(FORMATS[form], "spans", encoding, stacked).write(path, lambda: iter([annotation]))
        found = eh.read(path)
    texts, _, spans = facts(annotation)
    assert facts(found)[0] == texts
    if not stacked:
        assert facts(found)[2] == spans
    else:  # levels are where tags are stacked
        assert sorted(found.spans().rows()) == sorted(annotation.spans().rows())


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_full_disk_is_one_sentence(form: str) -> None:
    pyarrow()
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full on this system")
    annotation = eh.tags([["B-PER"]], tokens=[["Ada"]])
    with pytest.raises(eh.InputError, match="/dev/full: cannot be written, as the disk is full"):
        Conversion(FORMATS[form], "spans").write(Path("/dev/full"), lambda: iter([annotation]))
