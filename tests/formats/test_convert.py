"""Conversion: round trips over all pairs of formats, and what cannot be carried."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import tagged
from evenhand.cli import main
from evenhand.data.characters import to_tokens

SUFFIXES = {
    "conll": ".conll",
    "germeval": ".tsv",
    "jsonl": ".jsonl",
    "label-studio": ".json",
    "brackets": ".mrg",
    "brat": "",
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def content(path: Path, **options: object) -> list[tuple[list[str], list[tuple[str, int, int]]]]:
    """Every scope's words and spans, in an order of their own."""
    annotation, misfits = to_tokens(eh.read(path, task="spans", **options))
    assert not len(misfits)
    corpus, found = annotation.corpus, []
    for sentence in range(corpus.sentences):
        begin, end = corpus.bounds[sentence : sentence + 2].tolist()
        rows = [(label, s, e) for label, scope, s, e in annotation.spans().rows() if scope == sentence]
        found.append(([corpus.tokens[i] for i in range(begin, end)], sorted(rows)))
    return found


@st.composite
def nested(draw: st.DrawFn) -> tuple[list[list[str]], list[list[tuple[str, int, int]]]]:
    """Sentences of words, with flat spans and, inside some of these, shorter ones."""
    lengths, spans = draw(tagged(labels=("PER", "geo")))
    words, rows, begin = [], [], 0
    for length in lengths:
        words.append([draw(st.sampled_from(["Ada", "é", "世界", "😀", "x,", "#a", "1"])) for _ in range(length)])
        inside = [(label, s - begin, e - begin) for label, s, e in spans if begin <= s < begin + length]
        inner = [("in", s, s + 1) for _, s, e in inside if e - s > 1 and draw(st.booleans())]
        rows.append(sorted(inside + inner))
        begin += length
    return words, rows


def write_conll(path: Path, words: list[list[str]], rows: list[list[tuple[str, int, int]]]) -> None:
    """A column file with stacked tags, by hand."""
    lines = []
    for sentence, spans in zip(words, rows, strict=True):
        stacks = [["O", "O"] for _ in sentence]
        for label, start, end in spans:
            level = int(any(s <= start and end <= e and (s, e) != (start, end) for _, s, e in spans))
            for token in range(start, end):
                stacks[token][level] = f"{'B' if token == start else 'I'}-{label}"
        lines += ["\t".join((word, "|".join(stack))) for word, stack in zip(sentence, stacks, strict=True)]
        lines.append("")
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.long
@settings(max_examples=25)
@example(([["Ada", "Ada"], ["Ada"]], [[("geo", 0, 2), ("in", 0, 1)], []]))
@given(nested())
def test_round_trips_over_all_pairs_of_formats(tmp_path_factory: pytest.TempPathFactory, text) -> None:
    """From columns to one format, to another, and back: words and spans are the same."""
    words, rows = text
    folder = tmp_path_factory.mktemp("convert")
    original = folder / "original.conll"
    write_conll(original, words, rows)
    expected = content(original)
    assert [spans for _, spans in expected] == [sorted(each) for each in rows]
    for first, second in permutations(SUFFIXES, 2):
        a, b, back = folder / f"a{SUFFIXES[first]}", folder / f"b{SUFFIXES[second]}", folder / "back.conll"
        for source, target, kind in ((original, a, first), (a, b, second), (b, back, "conll")):
            if target.is_dir():
                for each in target.iterdir():
                    each.unlink()
            result = run("convert", source, target, "--to", kind, "--stacked", "--functions", "--task", "spans", "-q")
            assert (result.exit_code, result.stderr) == (0, ""), (first, second, result.stderr)
        assert content(back) == expected, (first, second)


def test_what_is_not_annotation_and_has_no_place_is_named(tmp_path: Path, example: Path) -> None:
    """Documents of several sentences, levels, tokens and text are said to be left behind, not dropped in silence."""
    gold = example / "gold.conll"
    said = {
        kind: run("convert", gold, tmp_path / kind, "--to", kind, "--stacked", "--lossy").stderr for kind in SUFFIXES
    }
    said["spans"] = run("convert", gold, tmp_path / "spans", "--to", "spans").stderr
    assert said["conll"] == ""
    assert said["jsonl"] == "Not carried by jsonl: documents (every sentence becomes one).\n"
    assert said["brat"] == (
        "Not carried by brat: documents (every sentence becomes one), levels, "
        "tokens (there are single spaces between them).\n"
    )
    assert said["brackets"] == "Not carried by brackets: documents, levels.\n"
    assert said["spans"] == "Not carried by spans: documents, levels, the text.\n"
    assert said["germeval"].endswith("Not carried by germeval: documents.\n")


def test_span_tables_carry_spans_without_text(tmp_path: Path, example: Path) -> None:
    table = tmp_path / "gold.tsv"
    assert run("convert", example / "gold.conll", table, "--to", "spans").exit_code == 0
    assert eh.read(table).spans().rows() == eh.read(example / "gold.conll").spans().rows()
    result = run("convert", table, tmp_path / "gold.conll")
    assert result.exit_code == 2
    assert "has no text, which conll needs; convert to spans instead" in result.stderr


@pytest.mark.parametrize("encoding", ["iob1", "iob2", "ioe1", "ioe2", "bioes", "bilou", "bmes"])
def test_encodings(tmp_path: Path, example: Path, encoding: str) -> None:
    target = tmp_path / "crf.conll"
    assert run("convert", example / "crf.conll", target, "--to-encoding", encoding).exit_code == 0
    assert (
        eh.read(target, encoding=encoding, repair="error").spans().rows()
        == eh.read(example / "crf.conll").spans().rows()
    )
    assert len(eh.read(target).corpus.documents) == 8


def test_nesting_does_not_fit_into_a_flat_column(tmp_path: Path, example: Path) -> None:
    target = tmp_path / "flat.conll"
    result = run("convert", example / "gold.conll", target)
    assert result.exit_code == 2
    assert "cannot carry" in result.stderr
    assert "--lossy" in result.stderr
    assert "--stacked" in result.stderr
    assert not target.exists()
    lossy = run("convert", example / "gold.conll", target, "--lossy")
    assert lossy.exit_code == 0
    assert lossy.stderr == "Lost: 71 spans inside or across others, which one flat column cannot say.\n"
    assert len(eh.read(target).spans()) == 285 - 71
    assert run("convert", example / "gold.conll", target, "--stacked").exit_code == 0
    assert eh.read(target).spans().rows() == eh.read(example / "gold.conll").spans().rows()


def test_neighbours_do_not_fit_into_io(tmp_path: Path) -> None:
    source = tmp_path / "iob2.conll"
    source.write_text("a B-X\nb B-X\n")
    result = run("convert", source, tmp_path / "io.conll", "--to-encoding", "io")
    assert "cannot carry 1 neighbour with one label" in result.stderr


def test_gaps_do_not_fit_into_columns(tmp_path: Path) -> None:
    source = tmp_path / "gaps.jsonl"
    source.write_text(
        '{"tokens": ["a", "b", "c"], "spans": [{"start": 0, "end": 3, "label": "X", "parts": [[0, 1], [2, 3]]}]}\n'
    )
    assert eh.read(source).spans().token_sets() == [{0, 2}]
    result = run("convert", source, tmp_path / "gaps.conll")
    assert "cannot carry 1 span with gaps" in result.stderr
    assert run("convert", source, tmp_path / "gaps.tsv", "--to", "spans").exit_code == 0
    assert eh.read(tmp_path / "gaps.tsv").spans().token_sets() == [{0, 2}]


def test_a_name_that_shows_no_format(tmp_path: Path, example: Path) -> None:
    result = run("convert", example / "gold.conll", tmp_path / "gold.xyz")
    assert (result.exit_code, "does not show a format; name one with --to" in result.stderr) == (2, True)


@pytest.mark.parametrize(("target", "form"), [("x.jsonl", "jsonl"), ("x.ann", "brat"), ("x.json", "label-studio")])
def test_an_encoding_is_refused_where_there_are_no_tags(example: Path, tmp_path: Path, target: str, form: str) -> None:
    result = run("convert", example / "crf.conll", tmp_path / target, "--to-encoding", "bioes")
    assert result.exit_code == 2
    assert f"--to-encoding is for spans that are written as tags, which {form} has none of" in result.output
    assert not (tmp_path / target).exists()
