"""Files that are easily taken for what they are not: each is read as what it is, or refused with the remedy.

The gold standard has three spans in two sentences. A system file that says the same must get an exact F1 of 1.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

WORDS = [["Ada", "Lovelace", "lives", "in", "London", "."], ["Hello", "Paris", "!"]]
TAGS = [["B-PER", "I-PER", "O", "O", "B-LOC", "O"], ["O", "B-LOC", "O"]]
POS = [["NNP", "NNP", "VBZ", "IN", "NNP", "."], ["UH", "NNP", "."]]


def columns(*each: list[list[str]], separator: str = "\t", header: str = "") -> str:
    """A table of these columns, a line a token."""
    sentences = zip(*each, strict=True)
    lines = ["".join(separator.join(row) + "\n" for row in zip(*sentence, strict=True)) for sentence in sentences]
    return header + "\n".join(lines) + "\n"


def each_tag(change: Any) -> list[list[str]]:
    return [[tag if tag == "O" else change(*tag.split("-")) for tag in tags] for tags in TAGS]


NUMBERS = [[str(number) for number in range(1, len(words) + 1)] for words in WORDS]
PROBABILITIES = [["0.98", "0.91", "1", "0.5", "0.75", "1.0"], ["0.3", "0.99", "0.41"]]
GOLD = columns(WORDS, TAGS)
GOLD_SPANS = "PER\t1\t2\nLOC\t5\t5\n\nLOC\t2\t2\n"
RECORDS = [{"words": words, "tags": tags} for words, tags in zip(WORDS, TAGS, strict=True)]
TEXT = "Ada lives in London"
TEXT_RECORDS = [
    {"text": TEXT, "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]},
    {"text": "In Paris", "entities": [{"start_offset": 3, "end_offset": 8, "label": "LOC"}]},
]


def lines_of(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def renamed(**names: str) -> list[dict[str, Any]]:
    """The records with other keys."""
    return [{names.get(key, key): value for key, value in record.items()} for record in RECORDS]


READ = {
    "a column of numbers before the tokens": (columns(NUMBERS, WORDS, TAGS), {}),
    "number, token, chunk and entity with tabs": (
        columns(NUMBERS, WORDS, [["B-NP", "I-NP", "B-VP", "B-PP", "B-NP", "O"], ["O", "B-NP", "O"]], TAGS),
        {},
    ),
    "a trailing tab on every line": (columns(WORDS, TAGS, [[""] * len(words) for words in WORDS]), {}),
    "two trailing tabs on every line": (GOLD.replace("\n", "\t\t\n").replace("\n\t\t\n", "\n\n"), {}),
    "a trailing tab on the first line only": (GOLD.replace("B-PER\n", "B-PER\t\n", 1), {}),
    "a header with a number before the token": (
        columns(NUMBERS, WORDS, TAGS, header="id\ttoken\tner\n"),
        {"column": {"system": "ner"}},
    ),
    "a header without capitals": (columns(WORDS, TAGS, header="word\ttag\n"), {}),
    "a colon behind the prefix": (columns(WORDS, each_tag(lambda prefix, label: f"{prefix}:{label}")), {}),
    "a dot behind the prefix": (columns(WORDS, each_tag(lambda prefix, label: f"{prefix}.{label}")), {}),
    "an underscore behind the prefix": (columns(WORDS, each_tag(lambda prefix, label: f"{prefix}_{label}")), {}),
    "a document mark with a name": ("-DOCSTART-(d1)\tO\n\n" + GOLD, {}),
    "document marks with names between sentences": (GOLD.replace("\n\n", "\n\n-DOCSTART-(d2)\tO\n\n", 1), {}),
    "a document mark with a name after a blank": ("-DOCSTART- (d1) O\n\n" + GOLD.replace("\t", " "), {}),
    "carriage returns alone in a JSON text": (lines_of(RECORDS).replace("\n", "\r\n"), {}),
    "JSON lines with words and tags": (lines_of(RECORDS), {}),
    "JSON lines with tokens and labels": (lines_of(renamed(words="tokens", tags="labels")), {}),
    "JSON lines with words and ner_tags": (lines_of(renamed(tags="ner_tags")), {}),
    "a JSON list of records": (json.dumps(RECORDS), {}),
    "a JSON list of records over many lines": (json.dumps(renamed(words="tokens"), indent=2), {}),
    "probabilities behind the tags, which are named": (
        columns(WORDS, TAGS, PROBABILITIES),
        {"column": {"system": 2}},
    ),
    "probabilities behind the tags": (columns(WORDS, TAGS, PROBABILITIES), {}),
    "parts of speech behind the tags": (columns(WORDS, TAGS, POS), {}),
    "columns between commas, with a header": (columns(WORDS, POS, TAGS, separator=",", header="Word,POS,Tag\n"), {}),
    "labels without prefixes that were named": (
        columns(WORDS, each_tag(lambda _, label: label)),
        {"encoding": {"system": "plain"}},
    ),
    "a first token [, with the format named": (GOLD.replace("Ada", "[", 1), {"format": {"system": "conll"}}),
}
"""System files that say what the gold standard says."""

REFUSED = {
    "a longer text after the end of the gold standard": (
        GOLD.replace("!\tO", "!!!!\tB-LOC"),
        "system.tsv:10: found the token '!!!!' where gold.conll:10 has '!'",
    ),
    "a span table with a bad line among the first": (
        "PER\t1\t2\nLOC\tfive\t5\n\nLOC\t2\t2\n",
        "system.tsv:2: 'LOC\\tfive\\t5' has no first and last token",
    ),
    "a span table with a line of two cells": (
        "PER\t1\t2\nLOC\t5\n\nLOC\t2\t2\n",
        "system.tsv:2: expected 3 or 4 columns, got 2",
    ),
    "a span table with a header": (
        "label\tfirst\tlast\n" + GOLD_SPANS,
        "system.tsv:1: 'label\\tfirst\\tlast' has no first and last token",
    ),
    "spans counted from 0": ("PER\t0\t1\nLOC\t4\t4\n\nLOC\t1\t1\n", "counted from 1 and in this order"),
    "start, end and label": ("1\t2\tPER\n5\t5\tLOC\n\n2\t2\tLOC\n", "looks like a table of start, end and label"),
    "columns between commas": (
        GOLD.replace("\t", ","),
        "system.tsv:1: the columns seem to be separated by commas; separate them with tabs",
    ),
    "columns in quotation marks": (GOLD.replace("\t", '","').replace("\n", '"\n'), "separated by commas"),
    "columns between semicolons": (GOLD.replace("\t", ";"), "the columns seem to be separated by semicolons"),
    "prefixes after the labels": (
        columns(WORDS, each_tag(lambda prefix, label: f"{label}-{prefix}")),
        "in column 2, got tags with the prefix after the label ('PER-B', 'PER-I', 'LOC-B')",
    ),
    "parts of speech alone": (columns(WORDS, POS), "score parts of speech with --task tags"),
    "lemmas for some tokens": (
        "".join(f"w{number}\t{f'lemma{number}' if number % 2 else '_'}\n" for number in range(60)),
        "in column 2, got 30 different values in 60 tokens ('lemma1', 'lemma3', 'lemma5')",
    ),
    "labels without prefixes against tags": (
        columns(WORDS, each_tag(lambda _, label: label)),
        "the system file (conll, tags in plain labels, column 2) and the gold file (conll, tags in IOB2, column 2) "
        "differ in kind; choose the column of tags with --column system:N, or set --encoding system:plain",
    ),
    "a Git LFS pointer": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n",
        "system.tsv:1: the file is a Git LFS pointer, not the data itself; run: git lfs pull",
    ),
    "a line without blanks that is longer than any cell": (
        "x" * 300_000 + "\ny\n",
        "a label has more than 10,000 bytes",
    ),
    "an HTML page": ("<!DOCTYPE html>\n<html><body>404</body></html>\n", "looks like HTML or XML"),
    "an XML file": ('\n<?xml version="1.0"?>\n<a/>\n', "system.tsv:2: the file begins with '<'"),
    "a first token [": (GOLD.replace("Ada", "[", 1), "or specify --format conll if it is a column file"),
    "a first token {": (GOLD.replace("Ada", "{", 1), "begins with '{', but it is not JSON that Evenhand reads"),
    "a JSON object without records": (json.dumps({"a": 1, "b": [2]}, indent=2), "contains no records"),
    "a JSON list of lists": (json.dumps([TAGS]), "begins with '['"),
    "a JSON list of records without spans": (
        json.dumps([{"sentence": "Ada", "label": 1}]),
        "system.tsv:1: the record has a text but no spans, entities, label or labels",
    ),
    "a JSON list that is cut off": (json.dumps(RECORDS)[:-20], "the file is not a JSON list of records"),
    "a JSON list with a bad record on its fifth line": (
        '[\n{"tokens": ["a"], "tags": ["O"]},\n{"tokens": ["a"],\n "tags": ["O"]},\n{"tokens": 1}\n]\n',
        "system.tsv:5: expected a list for tokens, got a whole number",
    ),
    "JSON lines with other keys": (
        lines_of([{"phrase": "Ada", "classes": []}] * 2),
        "system.tsv:1: the record has no text, data, tokens or words",
    ),
    "CoNLL-U between blanks": (
        "1  Ada  Ada  PROPN  NNP  _  2  nsubj  _  _\n2  lives  live  VERB  VBZ  _  0  root  _  _\n\n",
        "looks like CoNLL-U with blanks between its columns; write tabs, or specify --format conllx",
    ),
    "tags of tokens that are numbers": (
        columns([["1", "2"], ["3", "4"]], [["O", "B-X"], ["O", "O"]]),
        "system.tsv:1: found the token '1' where gold.conll:1 has 'Ada'",
    ),
    "a no-break space in the first token": (
        GOLD.replace("Ada", "Ada\u00a0B", 1).replace("\t", " "),
        "found the token 'Ada\\xa0B' where gold.conll:1 has 'Ada'",
    ),
    "an ideographic space in a token": (
        GOLD.replace("lives", "li\u3000ves", 1).replace("\t", " "),
        "found the token 'li\\u3000ves' where gold.conll:3 has 'lives'",
    ),
    "a first token Word with its tag": (
        GOLD.replace("Ada", "Word", 1),
        "system.tsv:1: found the token 'Word' where gold.conll:1 has 'Ada'",
    ),
}
"""System files, and what is said of them."""


@pytest.fixture(autouse=True)
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)


@pytest.mark.parametrize("case", READ)
def test_read_as_what_it_is(case: str) -> None:
    content, options = READ[case]
    if "first token [" in case:
        Path("gold.conll").write_text(GOLD.replace("Ada", "[", 1))
        options = {"format": "conll"}
    Path("system.tsv").write_text(content)
    result = eh.score("gold.conll", "system.tsv", **options)
    assert (result["exact"].f1, result.predicted) == (1.0, 3)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    content, sentence = REFUSED[case]
    Path("system.tsv").write_text(content)
    with pytest.raises(eh.EvenhandError) as error:
        eh.score("gold.conll", "system.tsv")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_entities_beside_an_empty_list_of_spans() -> None:
    Path("system.jsonl").write_text(lines_of([record | {"spans": []} for record in TEXT_RECORDS]))
    with pytest.raises(eh.EvenhandError, match="an empty list of spans next to another key that lists some"):
        eh.read("system.jsonl")


def test_records_of_doccano_in_a_list() -> None:
    Path("system.json").write_text(json.dumps(TEXT_RECORDS, indent=1))
    annotation = eh.read("system.json")
    assert (annotation.reading.format, len(annotation.spans()), annotation.corpus.lines.tolist()) == (
        "json",
        2,
        [2, 12],
    )


def test_records_with_a_text_in_data_are_not_label_studio() -> None:
    Path("system.json").write_text(json.dumps([{"data": TEXT, "label": [[0, 3, "PER"]]}]))
    assert len(eh.read("system.json").spans()) == 1


def test_germeval_between_blanks() -> None:
    rows = [["1", "Bank", "B-ORG", "O"], ["2", "Turin", "I-ORG", "B-LOCpart"]]
    Path("system.txt").write_text("# from a page\n" + "\n".join(map(" ".join, rows)) + "\n\n")
    annotation = eh.read("system.txt")
    assert (annotation.reading.format, len(annotation.spans())) == ("germeval", 2)


def test_germeval_with_labels_of_its_own() -> None:
    Path("system.txt").write_text("1\ta\tB-geo\tB-in\n2\tb\tI-geo\tO\n\n")
    assert str(eh.read("system.txt").reading) == "germeval, tags in IOB2, column 3 and 4"


def test_germeval_with_six_columns_as_gold_standard_and_as_system() -> None:
    rows = [["1", "Bank", "B-ORG", "O", "O", "O"], ["2", "Turin", "I-ORG", "B-LOC", "B-LOC", "O"]]
    Path("six.tsv").write_text("\n".join(map("\t".join, rows)) + "\n\n")
    result = eh.score("six.tsv", "six.tsv")
    assert (result.gold.labels, result.predicted_labels) == ({"LOC": 1, "ORG": 1}, {"LOC": 1})
    assert (result.gold.reading.column, result.reading.column) == ("3+4", "5+6")


@pytest.mark.parametrize("first", ["Form", "Word", "TOKEN"])
def test_a_first_token_like_a_header_is_a_token_of_tags(first: str) -> None:
    Path("tags.tsv").write_text(f"{first}\tNOUN\nis\tAUX\ngood\tADJ\n\n")
    assert eh.read("tags.tsv", task="tags").corpus.token_count == 3


def test_a_header_of_tags_is_none_of_them() -> None:
    Path("tags.tsv").write_text("Form\tUPOS\nis\tAUX\ngood\tADJ\n\n")
    assert eh.read("tags.tsv", task="tags").corpus.token_count == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.tsv", GOLD_SPANS),
        ("s.ptb", "(S (NP (NN Ada)) (VP (VBD slept)))\n"),
    ],
)
def test_a_column_where_there_is_none(name: str, content: str) -> None:
    Path(name).write_text(content)
    with pytest.raises(eh.EvenhandError, match=r"--column is set, but this file is read as .*, which has no columns"):
        eh.read(name, column=2)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.json", json.dumps([{"data": {"text": TEXT}, "annotations": [{"result": []}]}])),
        ("s.jsonl", lines_of(TEXT_RECORDS)),
    ],
)
def test_a_column_of_json_is_a_key(name: str, content: str) -> None:
    Path(name).write_text(content)
    with pytest.raises(eh.EvenhandError, match="column is 2; for JSON, specify the key of one layer"):
        eh.read(name, column=2)


def test_labels_that_are_all_foreign_are_a_warning_above_the_table() -> None:
    Path("system.tsv").write_text(columns(WORDS, each_tag(lambda prefix, label: f"{prefix}-{label.lower()}")))
    result = eh.score("gold.conll", "system.tsv")
    assert result["exact"].f1 == 0
    shown = str(result).splitlines()
    assert shown[1] == (
        "Warning: system system: none of its labels ('loc', 'per') occurs in the gold standard ('LOC', 'PER'); the "
        "nearest are 'loc' to 'LOC', 'per' to 'PER'; rename them with --map system:loc=LOC, or choose another --column."
    )


def test_a_format_that_most_lines_fit_says_how_many() -> None:
    from evenhand.formats.check import check
    from evenhand.settings import ReadSettings

    Path("spans.tsv").write_text("PER\t1\t2\nLOC\tfive\t5\n\nLOC\t2\t2\nLOC\t3\t3\n")
    checked = check(Path("spans.tsv"), ReadSettings())
    assert str(checked.reading) == "spans (75% of the first lines fit)"
    assert [problem.line for problem in checked.problems] == [2]


def test_parts_of_speech_in_lists_are_tags_and_no_spans() -> None:
    gold, system = eh.tags(POS), eh.tags([["NN"] * len(words) for words in WORDS])
    assert eh.score(gold, system, task="tags")["accuracy"].overall["correct"] == 0
    with pytest.raises(
        eh.EvenhandError,
        match=r"expected tags such as B-PER and O.*, got a label for every token \('NNP', 'VBZ', 'IN'\)",
    ):
        eh.score(gold, system)
    with pytest.raises(eh.EvenhandError, match="score parts of speech with --task tags"):
        eh.compare(gold, {"a": system, "b": system})


def test_labels_in_lists_that_were_named() -> None:
    labels = eh.tags(POS, encoding="plain")
    assert eh.score(labels, labels)["exact"].f1 == 1.0


LONG = "Ada " + "word " * 20_000
_LONG_SPAN = {"start": 0, "end": 3, "label": "PER"}
_LONG_RESULT = {"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}
LONG_LINES = {
    "json lines": ({"text": LONG, "spans": [_LONG_SPAN]}, "jsonl"),
    "a list": ([{"text": LONG, "spans": [_LONG_SPAN]}], "json"),
    "label studio": ([{"data": {"text": LONG}, "annotations": [{"result": [_LONG_RESULT]}]}], "label-studio"),
    "coreference": ({"doc_key": "a", "sentences": [LONG.split()], "clusters": [[[0, 0], [5, 7]]]}, "coref-jsonl"),
}


@pytest.mark.parametrize("case", LONG_LINES)
def test_a_long_text_on_one_line_has_no_columns(case: str, tmp_path: Path) -> None:
    """The limit of columns is for tables: a document of 20,000 words on a line of JSON is none."""
    content, format = LONG_LINES[case]
    path = tmp_path / "long"
    path.write_text(json.dumps(content) + "\n")
    assert next(iter(eh.read(path).readings.values())).format == format


def test_a_text_of_megabytes_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_text(json.dumps({"text": "Ada " + "word " * 1_800_000, "spans": [_LONG_SPAN]}) + "\n")
    assert eh.read(path).reading.format == "jsonl"


def test_long_trees_on_one_line_have_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "long.mrg"
    path.write_text("(S " + "(NN a) " * 20_000 + ")\n")
    assert eh.read(path).reading.format == "brackets"


def test_a_line_of_too_many_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.conll"
    path.write_text("a\t" * 20_000 + "O\n")
    with pytest.raises(eh.InputError, match="found 20,001 columns; check which file it is"):
        eh.score(path, path)
