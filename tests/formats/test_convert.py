"""Conversion: round trips over all pairs of formats, and what cannot be carried."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import tagged
from conftest import ROOT
from evenhand.alignment.documents import names_of
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.data.characters import to_tokens
from evenhand.data.structures import links_of

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
    corpus, actual = annotation.corpus, []
    for sentence in range(corpus.sentences):
        begin, end = corpus.bounds[sentence : sentence + 2].tolist()
        rows = [(label, s, e) for label, scope, s, e in annotation.spans().rows() if scope == sentence]
        actual.append(([corpus.tokens[i] for i in range(begin, end)], sorted(rows)))
    return actual


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
    assert [spans for _, spans in expected] == [sorted(row) for row in rows]
    for first, second in permutations(SUFFIXES, 2):
        a, b, back = folder / f"a{SUFFIXES[first]}", folder / f"b{SUFFIXES[second]}", folder / "back.conll"
        for source, target, kind in ((original, a, first), (a, b, second), (b, back, "conll")):
            if target.is_dir():
                for row in target.iterdir():
                    row.unlink()
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
    assert said["jsonl"] == "Cannot be represented in jsonl: documents (every sentence becomes one).\n"
    assert said["brat"] == (
        "Cannot be represented in brat: documents (every sentence becomes one), levels, "
        "tokens (there are single spaces between them).\n"
    )
    assert said["brackets"] == "Cannot be represented in brackets: documents, levels.\n"
    assert said["spans"] == "Cannot be represented in spans: documents, levels, the text.\n"
    assert said["germeval"].endswith("Cannot be represented in germeval: documents.\n")


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
    assert "cannot represent" in result.stderr
    assert "--lossy" in result.stderr
    assert "--stacked" in result.stderr
    assert not target.exists()
    lossy = run("convert", example / "gold.conll", target, "--lossy")
    assert lossy.exit_code == 0
    assert lossy.stderr == "Lost: 71 spans inside or across others, which one flat column cannot represent.\n"
    assert len(eh.read(target).spans()) == 285 - 71
    assert run("convert", example / "gold.conll", target, "--stacked").exit_code == 0
    assert eh.read(target).spans().rows() == eh.read(example / "gold.conll").spans().rows()


def test_neighbours_do_not_fit_into_io(tmp_path: Path) -> None:
    source = tmp_path / "iob2.conll"
    source.write_text("a B-X\nb B-X\n")
    result = run("convert", source, tmp_path / "io.conll", "--to-encoding", "io")
    assert "cannot represent 1 neighbour with one label" in result.stderr


def test_gaps_do_not_fit_into_columns(tmp_path: Path) -> None:
    source = tmp_path / "gaps.jsonl"
    source.write_text(
        '{"tokens": ["a", "b", "c"], "spans": [{"start": 0, "end": 3, "label": "X", "parts": [[0, 1], [2, 3]]}]}\n'
    )
    assert eh.read(source).spans().token_sets() == [{0, 2}]
    result = run("convert", source, tmp_path / "gaps.conll")
    assert "cannot represent 1 span with gaps" in result.stderr
    assert run("convert", source, tmp_path / "gaps.tsv", "--to", "spans").exit_code == 0
    assert eh.read(tmp_path / "gaps.tsv").spans().token_sets() == [{0, 2}]


def test_a_name_that_shows_no_format(tmp_path: Path, example: Path) -> None:
    result = run("convert", example / "gold.conll", tmp_path / "gold.xyz")
    assert (result.exit_code, "does not indicate a format; specify one with --to" in result.stderr) == (2, True)


@pytest.mark.parametrize(("target", "form"), [("x.jsonl", "jsonl"), ("x.ann", "brat"), ("x.json", "label-studio")])
def test_an_encoding_is_refused_where_there_are_no_tags(example: Path, tmp_path: Path, target: str, form: str) -> None:
    result = run("convert", example / "crf.conll", tmp_path / target, "--to-encoding", "bioes")
    assert result.exit_code == 2
    assert f"--to-encoding needs spans written as tags, which {form} does not have" in result.output
    assert not (tmp_path / target).exists()


# Converting words: what is written is what was read


TREES = ROOT / "src" / "evenhand" / "examples" / "trees"
TAGS = ROOT / "src" / "evenhand" / "examples" / "tags"


def convert(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], prog_name="evenhand")


@pytest.mark.parametrize("name", ["gold", "rules", "transition", "neural"])
def test_conllu_is_written_as_it_was(tmp_path: Path, name: str) -> None:
    """Comments, multi-word tokens, empty nodes, enhanced dependencies and all."""
    target = tmp_path / "again.conllu"
    assert convert(TREES / f"{name}.conllu", target).exit_code == 0
    assert target.read_bytes() == (TREES / f"{name}.conllu").read_bytes()


def test_published_treebanks_are_written_as_they_were(tmp_path: Path, data: Path) -> None:
    for treebank in ("ud_en_pud", "ud_de_gsd"):
        target = tmp_path / "again.conllu"
        assert convert(data / treebank / "gold.conllu", target).exit_code == 0
        assert target.read_bytes() == (data / treebank / "gold.conllu").read_bytes()


def test_an_empty_node_at_the_end_stays_in_its_sentence(tmp_path: Path) -> None:
    word, node = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n", "1.1\tb\t_\tX\t_\t_\t_\t_\t0:root\t_\n"
    text = f"# one\n{word}{node}\n# two\n0.1\tc\t_\tX\t_\t_\t_\t_\t0:root\t_\n{word}\n"
    (tmp_path / "a.conllu").write_text(text)
    assert convert(tmp_path / "a.conllu", tmp_path / "b.conllu").exit_code == 0
    assert (tmp_path / "b.conllu").read_text() == text


def test_conllx_has_words_only(tmp_path: Path) -> None:
    target = tmp_path / "gold.conllx"
    found = convert(TREES / "gold.conllu", target)
    assert found.stderr == "Cannot be represented in conllx: comments, multi-word tokens and empty nodes.\n"
    lines = [line for line in target.read_text().splitlines() if line]
    assert len(lines) == 855
    assert all(line.split("\t")[0].isdecimal() for line in lines)
    gold, again = eh.read(TREES / "gold.conllu"), eh.read(target, format="conllx")
    assert again["upos"].to_list() == gold["upos"].to_list()
    assert again.trees().head.tolist() == gold.trees().head.tolist()


def test_trees_are_not_lost_unasked(tmp_path: Path) -> None:
    found = convert(TREES / "gold.conllu", tmp_path / "gold.conll")
    assert found.exit_code == 2
    assert found.stderr == (
        "evenhand: conll cannot represent trees; use --task tags to convert only the tags, or --lossy.\n"
    )


def test_tags_become_two_columns_and_come_back(tmp_path: Path) -> None:
    assert convert(TREES / "gold.conllu", tmp_path / "tags.conll", "--task", "tags", "--column", "xpos").exit_code == 0
    assert convert(tmp_path / "tags.conll", tmp_path / "tags.conllu", "--task", "tags").exit_code == 0
    again, gold = eh.read(tmp_path / "tags.conllu"), eh.read(TREES / "gold.conllu")
    assert again["xpos"].to_list() == gold["xpos"].to_list()
    assert set(again["upos"].to_list()) == {"_"}
    assert len(again.corpus.documents) == len(gold.corpus.documents) == 5


def test_universal_tags_become_upos(tmp_path: Path) -> None:
    assert convert(TAGS / "gold.tsv", tmp_path / "gold.conllu", "--task", "tags").exit_code == 0
    again = eh.read(tmp_path / "gold.conllu")
    tags = [line.split("\t")[1] for line in (TAGS / "gold.tsv").read_text().splitlines() if line]
    assert again["upos"].to_list() == tags
    assert "trees" not in again.layers


def test_a_file_without_heads_has_no_trees_to_score(tmp_path: Path) -> None:
    convert(TAGS / "gold.tsv", tmp_path / "gold.conllu", "--task", "tags")
    with pytest.raises(eh.InputError, match="the words have no heads; use --task tags to score only its tags"):
        eh.score(tmp_path / "gold.conllu", tmp_path / "gold.conllu")


def test_spans_have_no_place_in_conllu(tmp_path: Path, example: Path) -> None:
    found = convert(example / "gold.conll", tmp_path / "gold.conllu")
    assert found.exit_code == 2
    assert "conllu cannot represent spans" in found.stderr


def test_words_have_no_place_in_span_tables(tmp_path: Path) -> None:
    found = convert(TREES / "gold.conllu", tmp_path / "gold.tsv", "--to", "spans")
    assert found.exit_code == 2
    assert "spans cannot represent trees" in found.stderr


# Converting links: what stays, and what is refused or lost


EXAMPLES = ROOT / "src" / "evenhand" / "examples" / "links"
SYSTEMS = ("gold", "popularity", "context", "reranker")
HIPE = """TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC
# hipe2022:document_id = a
In\tO\t_\t_
Bad\tB-LOC\tQ9|Q8\t_
Ems\tI-LOC\tQ9|Q8\tEndOfSentence
Tom\tB-PER\tNIL\t_
left\tO\t_\tEndOfSentence
# hipe2022:document_id = b
Rom\tO\tQ220\t_
Bern\tB-LOC\t_\t_
"""


def run_convert_links(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], prog_name="evenhand")


def links(annotation: Annotation) -> list[tuple[str, str, int, int, tuple[str, ...]]]:
    """Document, label, bounds in the document and identifiers of every span."""
    spans, corpus = annotation.spans("links"), annotation.corpus
    all_links = []
    for (label, scope, start, end), link in zip(spans.rows(), links_of(spans), strict=True):
        document = int(corpus.document_of(spans.scope[:1] * 0 + scope)[0])
        begin = 0 if corpus.bounds is None else int(corpus.bounds[scope] - corpus.bounds[corpus.documents[document]])
        all_links.append(
            (names_of(corpus)[document], label, begin + start, begin + end, link.candidates if link else ())
        )
    return sorted(all_links)


@pytest.mark.parametrize("target", ["brat", "jsonl"])
def test_a_way_there_and_back_keeps_everything(tmp_path: Path, target: str) -> None:
    there, back = tmp_path / ("there.jsonl" if target == "jsonl" else "there"), tmp_path / "back.jsonl"
    assert run_convert_links(EXAMPLES / "popularity.jsonl", there, "--to", target).exit_code == 0
    assert run_convert_links(there, back, "--task", "links").exit_code == 0
    assert links(eh.read(back)) == links(eh.read(EXAMPLES / "popularity.jsonl"))


@pytest.mark.parametrize("target", ["brat", "jsonl", "neleval", "hipe"])
def test_scores_are_the_same_in_every_format(tmp_path: Path, target: str) -> None:
    (tmp_path / "gold.tsv").write_text(HIPE, encoding="utf-8")
    (tmp_path / "system.tsv").write_text(HIPE.replace("Q9|Q8", "Q8|Q9").replace("NIL", "Q5"), encoding="utf-8")
    for side in ("gold", "system"):
        assert (
            run_convert_links(tmp_path / f"{side}.tsv", tmp_path / f"new-{side}", "--to", target, "--lossy").exit_code
            == 0
        )
    models = ["links", "links@2", "all", "typed_all", "entities", "fair"]
    old = eh.score(tmp_path / "gold.tsv", tmp_path / "system.tsv", match=models)
    new = eh.score(tmp_path / "new-gold", tmp_path / "new-system", match=models, task="links")
    assert {name: score.overall for name, score in new.scores.items()} == {
        name: score.overall for name, score in old.scores.items()
    }
    assert new.gold.documents == 2


def test_a_table_of_hipe_is_written_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(HIPE, encoding="utf-8")
    assert run_convert_links(tmp_path / "gold.tsv", tmp_path / "new.tsv", "--to", "hipe").exit_code == 0
    assert (tmp_path / "new.tsv").read_text(encoding="utf-8") == HIPE


def test_a_table_of_neleval(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(HIPE, encoding="utf-8")
    refused = run_convert_links(tmp_path / "gold.tsv", tmp_path / "new.tsv", "--to", "neleval")
    assert refused.exit_code == 2
    assert "neleval cannot represent 1 span without links, which neleval treats as NIL; use --lossy" in refused.stderr
    assert run_convert_links(tmp_path / "gold.tsv", tmp_path / "new.tsv", "--to", "neleval", "--lossy").exit_code == 0
    assert (tmp_path / "new.tsv").read_text(encoding="utf-8") == (
        "a\t3\t9\tQ9\t1\tLOC\tQ8\t0.5\tLOC\na\t11\t13\tNIL\t1\tPER\nb\t0\t2\tQ220\t1\n"
    )


@pytest.mark.parametrize(
    ("tokens", "spans", "message"),
    [
        (["a", "#b"], [], "hipe cannot represent 1 token beginning with #, which would be skipped there"),
        (
            ["a"],
            [{"start": 0, "end": 1, "label": "x", "links": ["Q1"]}],
            "1 name with small letters, of labels or identifiers",
        ),
        (["a"], [{"start": 0, "end": 1, "label": "X", "links": ["Q|1"]}], "The identifier 'Q|1' cannot be written"),
        (["a"], [{"start": 0, "end": 1, "label": "X", "links": ["Q\t1"]}], "'Q\\\\t1' has a tab or a line end"),
        (
            ["a", "b"],
            [{"start": 0, "end": 2, "links": ["Q1"]}, {"start": 1, "end": 2, "links": ["Q1"]}],
            "inside or across",
        ),
    ],
)
def test_what_a_table_of_hipe_cannot_carry(
    tmp_path: Path, tokens: list[str], spans: list[object], message: str
) -> None:
    path = tmp_path / "links.jsonl"
    path.write_text(json.dumps({"tokens": tokens, "spans": spans}) + "\n", encoding="utf-8")
    refused = run_convert_links(path, tmp_path / "new.tsv", "--to", "hipe", "--task", "links")
    assert refused.exit_code == 2
    assert message.replace("\\\\", "\\") in refused.stderr
    assert not (tmp_path / "new.tsv").exists()


def test_tables_without_texts_become_none_with_a_text(tmp_path: Path) -> None:
    (tmp_path / "links.tsv").write_text("d\t0\t4\tQ1\t1\tLOC\n", encoding="utf-8")
    refused = run_convert_links(tmp_path / "links.tsv", tmp_path / "new.jsonl")
    assert refused.exit_code == 2
    assert "has no text, which jsonl needs; convert to neleval instead." in refused.stderr
    assert run_convert_links(tmp_path / "links.tsv", tmp_path / "new.tsv", "--to", "neleval").exit_code == 0
    assert (tmp_path / "new.tsv").read_text(encoding="utf-8") == "d\t0\t4\tQ1\t1\tLOC\n"


def test_texts_that_files_of_brat_cannot_have(tmp_path: Path) -> None:
    path = tmp_path / "links.jsonl"
    path.write_text(json.dumps({"id": "d", "text": "a\0b", "spans": []}) + "\n", encoding="utf-8")
    refused = run_convert_links(path, tmp_path / "new", "--to", "brat", "--task", "links")
    assert refused.exit_code == 2
    assert "The text of document d has a NUL character, which brat files cannot contain." in refused.stderr
