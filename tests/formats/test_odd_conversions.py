"""Odd tokens and labels: what `convert` writes has them, when it is read without options; or it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.cli import main

FORMATS = {
    "conll": ".conll",
    "germeval": ".tsv",
    "jsonl": ".jsonl",
    "label-studio": ".json",
    "brackets": ".mrg",
    "brat": "",
}
TABLES = {"parquet": ".parquet", "arrow": ".arrow"}
TOKENS = [
    *(
        "-DOCSTART-",
        "-DOCSTART-x",
        "#",
        "#x",
        "# x",
        "#begin",
        "\u00a0",
        "a\u00a0b",
        "\u3000",
        "a\tb",
        "",
        " ",
        "a b",
        " a",
    ),
    *(
        "(",
        ")",
        "-LRB-",
        "a(b",
        "|",
        "_",
        "O",
        "B-PER",
        "1",
        "999",
        "NONE",
        "TOKEN",
        "Form",
        "{",
        "[",
        "<",
        '"',
        "\\",
        "\n",
    ),
    *(
        "\r",
        "\u2028",
        "\x85",
        "\x0b",
        "\x1c",
        "\ufeff",
        "😀",
        "e\u0301",
        "\x00",
        "\x1b[31m",
        "-NONE-",
        "T1",
        "=",
        ",",
        ";",
    ),
]
LABELS = [
    *(
        "PER",
        "O",
        "_",
        "B-PER",
        "I-PER",
        "a-b",
        "a_b",
        "PER-B",
        "#",
        "#x",
        "|",
        "a|b",
        "a b",
        "\u00a0",
        "a\u00a0b",
        "a\tb",
    ),
    *(
        "",
        " ",
        "NONE",
        "EMPTY",
        "999",
        "1",
        "(",
        ")",
        "{",
        "TOP",
        "X",
        "😀",
        "\n",
        "\u2028",
        "\x85",
        "\ufeff",
        "-",
        "=",
        "NP-SBJ",
    ),
]


def sentences_of(path: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every sentence without its spaces, with labels and texts of its spans, which have no spaces either."""
    annotation = eh.read(path, task="spans")
    corpus, spans = annotation.corpus, annotation.spans()
    rows: list[list[tuple[str, str]]] = [[] for _ in range(corpus.sentences)]
    for label, sentence, start, end in spans.rows():
        rows[sentence].append((label, _covered(annotation, sentence, start, end)))
    return [(_plain(corpus.text(sentence)), sorted(rows[sentence])) for sentence in range(corpus.sentences)]


def _plain(text: str) -> str:
    """Without spaces, and with brackets as trees spell them."""
    return "".join(text.split()).replace("(", "-LRB-").replace(")", "-RRB-")


def _covered(annotation: eh.Annotation, sentence: int, start: int, end: int) -> str:
    corpus = annotation.corpus
    if corpus.atoms == "tokens":
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        first = int(corpus.bounds[sentence])
        return _plain("".join(corpus.tokens[first + token] for token in range(start, end)))
    return _plain("".join(corpus.text(sentence).split())[start:end])


def convert(source: Path, target: Path, form: str) -> bool:
    """Whether it is converted; if it is not, one sentence says why, and nothing is written."""
    result = CliRunner().invoke(main, ["convert", str(source), str(target), "--to", form, "-q"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code == 0:
        return True
    assert (result.exit_code, result.stderr.count("\n"), target.exists()) == (2, 1, False)
    return False


def check(folder: Path, form: str, tokens: list[list[str]], label: str) -> bool:
    source, target = folder / "source.jsonl", folder / f"target{ {**FORMATS, **TABLES}[form] }"
    records = [{"tokens": words, "spans": [{"start": 0, "end": 1, "label": label}]} for words in tokens]
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    try:
        expected = sentences_of(source)
    except eh.InputError:  # which no format has to carry
        return False
    if not convert(source, target, form):
        return False
    assert sentences_of(target) == expected
    return True


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("token", TOKENS, ids=ascii)
def test_odd_tokens_are_kept_or_refused(tmp_path: Path, form: str, token: str) -> None:
    for number, tokens in enumerate(([[token, "b"], ["c"]], [["a"], [token]], [["a", token]])):
        (tmp_path / str(number)).mkdir()
        check(tmp_path / str(number), form, tokens, "PER")


@pytest.mark.parametrize("form", [*FORMATS, *TABLES])
@pytest.mark.parametrize("label", LABELS, ids=ascii)
def test_odd_labels_are_kept_or_refused(tmp_path: Path, form: str, label: str) -> None:
    if form in TABLES:
        pytest.importorskip("pyarrow", reason="pyarrow, the extra `arrow`, is not installed")
    check(tmp_path, form, [["Ada", "b"], ["c", "d"]], label)


@pytest.mark.parametrize("label", [*LABELS, "a\nb", "a\rb", "a\0b", "\ufeffa"], ids=ascii)
def test_span_tables_keep_or_refuse_odd_labels(tmp_path: Path, label: str) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.tsv"
    spans = [{"start": 0, "end": 2, "label": label}, {"start": 2, "end": 3, "label": "LOC"}]
    source.write_text(json.dumps({"tokens": ["Ada", "b", "c"], "spans": spans}) + "\n")
    try:
        expected = eh.read(source, format="jsonl", task="spans").spans().rows()
    except eh.EvenhandError:
        return
    if convert(source, target, "spans"):
        assert sorted(eh.read(target, format="spans").spans().rows()) == sorted(expected)
    else:
        assert any(char in label for char in "\t\n\r\0\ufeff")


@pytest.mark.parametrize(
    ("form", "label", "message"),
    [
        ("spans", "a\tb", "'a\\tb' cannot be a cell of a table with tabs; rename it, or convert to JSON lines."),
        ("brackets", "B-PER", "readers of trees cut the label 'B-PER' to 'B', as NP-SBJ to NP; rename it first, or"),
        ("brackets", "NP=2", "readers of trees cut the label 'NP=2' to 'NP', as NP-SBJ to NP; rename it first, or"),
    ],
)
def test_labels_that_would_not_come_back(tmp_path: Path, form: str, label: str, message: str) -> None:
    """Beside LOC, B-PER is a label, not the tag of a token."""
    source = tmp_path / "in.jsonl"
    spans = [{"start": at, "end": at + 1, "label": each} for at, each in enumerate((label, "LOC"))]
    source.write_text(json.dumps({"tokens": ["Ada", "Rome"], "spans": spans}) + "\n")
    result = CliRunner().invoke(main, ["convert", str(source), str(tmp_path / "out"), "--to", form])
    assert result.exit_code == 2
    assert message in result.stderr


def test_spans_of_relations_alone(tmp_path: Path) -> None:
    """--task spans names what is converted; without it, relations would be lost."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.tsv"
    spans = [{"id": 1, "start": 0, "end": 1, "label": "PER"}, {"id": 2, "start": 1, "end": 2, "label": "LOC"}]
    relations = [{"head": 1, "tail": 2, "label": "in"}]
    source.write_text(json.dumps({"tokens": ["Ada", "Rome"], "spans": spans, "relations": relations}) + "\n")
    arguments = ["convert", str(source), str(target), "--to", "spans"]
    assert CliRunner().invoke(main, arguments).exit_code == 2
    assert CliRunner().invoke(main, [*arguments, "--task", "spans"]).exit_code == 0
    assert target.read_text() == "PER\t1\t1\t1\nLOC\t2\t2\t2\n\n"


@pytest.mark.parametrize("form", [*FORMATS, *TABLES])
def test_plain_ones_are_kept(tmp_path: Path, form: str) -> None:
    if form in TABLES:
        pytest.importorskip("pyarrow", reason="pyarrow, the extra `arrow`, is not installed")
    assert check(tmp_path, form, [["Ada", "slept"], ["London"]], "PER")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@example("conll", [["("]], "PER")
@example("conll", [["#"]], "0 ")
@given(
    st.sampled_from(list(FORMATS)),
    st.lists(st.lists(st.sampled_from(TOKENS) | st.text(max_size=4), min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(LABELS) | st.text(max_size=4),
)
def test_any_tokens_and_labels(
    tmp_path_factory: pytest.TempPathFactory, form: str, tokens: list[list[str]], label: str
) -> None:
    check(tmp_path_factory.mktemp("odd"), form, tokens, label)
