"""Converting chains: between all formats what was read is kept."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from chain_files import SUFFIXES, Document, Span, content, converted, listed, written
from conftest import ROOT
from declared import CHAIN_MODELS
from evenhand.cli import main

CHAINS = ROOT / "src" / "evenhand" / "examples" / "chains"


def cross(one: Span, other: Span) -> bool:
    """Whether one begins in the other, and ends behind it."""
    return other[0] < one[0] <= other[1] < one[1]


@st.composite
def documents(draw: st.DrawFn, name: str, *, empty: bool) -> Document:
    lengths = draw(st.lists(st.integers(1, 4), min_size=0 if empty else 1, max_size=4))
    word = st.sampled_from(["a", "_", "-", "#1", "(1)", "über", "two words", '"'])
    tag = st.sampled_from(["NN", "PRP$", "NOUN", "-", "_"])
    sentences = [draw(st.lists(word, min_size=size, max_size=size)) for size in lengths]
    pos = [draw(st.lists(tag, min_size=size, max_size=size)) for size in lengths]
    size = sum(lengths)
    chains: list[list[Span]] = [[] for _ in range(draw(st.integers(0, 4)))]
    for chain in chains if size else []:
        for _ in range(draw(st.integers(1, 4))):
            first = draw(st.integers(0, size - 1))
            span = (first, min(first + draw(st.integers(0, 5)), size - 1))
            if not any(cross(span, other) or cross(other, span) for other in chain):
                chain.append(span)
    return Document(name, sentences, pos, [chain for chain in chains if chain])


@st.composite
def texts(draw: st.DrawFn, *, empty: bool) -> list[Document]:
    names = draw(st.permutations(["a", "b/c d", "e_3", "e_12", "(f); g", "7"]))
    found = [draw(documents(name, empty=empty)) for name in names[: draw(st.integers(1, 3))]]
    return found if any(each.sentences for each in found) else [*found, draw(documents("z", empty=False))]


def first_bracket(chain: list[Span]) -> tuple[int, bool]:
    return min((first, last > first) for first, last in chain)


def is_tagged(found: list[Document]) -> bool:
    """Whether there are POS that columns can show."""
    return any(tag not in ("-", "_") for each in found for tags in each.pos for tag in tags)


@settings(max_examples=30)
@given(st.data(), st.booleans(), st.integers(1, 200))
def test_all_formats_keep_words_sentences_pos_documents_and_chains(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, empty: bool, size: int
) -> None:
    """From each to each, in batches of any size."""
    drawn = data.draw(texts(empty=empty))
    # In the order of their first brackets, which tell the chain that keeps a repeated span; those of one token first.
    found = [each._replace(chains=sorted(each.chains, key=first_bracket)) for each in drawn]
    tagged = is_tagged(found)
    source = written(tmp_path_factory.getbasetemp(), found, tagged=tagged)
    kept = [each._replace(chains=listed(each.chains), pos=each.pos if tagged else []) for each in found]
    formats = [name for name in SUFFIXES if name != "corefud" or all(each.sentences for each in found)]
    for one in formats:
        first, _ = converted(source, one, size=size)
        assert content(first) == kept
        for other in formats:
            path, conversion = converted(first, other)
            assert content(path) == kept
            assert not conversion.losses


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], prog_name="evenhand")


@pytest.mark.parametrize(
    ("name", "format", "options"),
    [
        ("out.conll", "conll2012", ()),
        ("out.conllu", "corefud", ()),
        ("out.jsonl", "coref-jsonl", ()),
        ("out.jsonlines", "coref-jsonl", ()),
        ("out.txt", "corefud", ("--to", "corefud")),
        ("out.conllu", "coref-jsonl", ("--to", "coref-jsonl")),
    ],
)
def test_the_name_of_the_target_shows_its_format(tmp_path: Path, name: str, format: str, options: tuple) -> None:
    found = run(CHAINS / "neural.conll", tmp_path / name, *options)
    assert (found.exit_code, found.stdout) == (0, "")
    assert found.stderr == f"Not carried by {format}: all but words, sentences, POS and chains.\n"
    assert eh.read(tmp_path / name, format=format).reading.format == format
    assert run(CHAINS / "neural.conll", tmp_path / name, *options, "-q").stderr == ""


def test_targets_that_have_no_place_for_chains(tmp_path: Path) -> None:
    for name, options in (("out.json", ()), ("out.conll", ("--to", "conll")), ("out.conllx", ())):
        found = run(CHAINS / "gold.conll", tmp_path / name, *options)
        assert found.exit_code == 2
        assert "has no place for chains; convert to conll2012, coref-jsonl, corefud.\n" in found.stderr
    assert "does not show a format; name one with --to" in run(CHAINS / "gold.conll", tmp_path / "out.tsv").stderr


def test_the_example_scores_the_same_in_all_formats(tmp_path: Path) -> None:
    names = ("gold", "rules", "pairs", "neural")
    paths = {("conll2012", name): CHAINS / f"{name}.conll" for name in names}
    for target in ("corefud", "coref-jsonl"):
        for name in names:
            paths[target, name] = tmp_path / f"{name}{SUFFIXES[target]}"
            assert run(CHAINS / f"{name}.conll", paths[target, name]).exit_code == 0
    expected: dict[str, dict[str, float]] = {}
    plain = {"match": CHAIN_MODELS, "mention_match": "exact", "repeats": "first"}
    for key, response in product(SUFFIXES, SUFFIXES):
        results = eh.score(paths[key, "gold"], {name: paths[response, name] for name in names[1:]}, **plain)
        assert results.gold.units == 266
        found = {name: {model: result[model].f1 for model in result.scores} for name, result in results.items()}
        expected = expected or found
        assert list(found["pairs"]) == list(expected["pairs"])
        for name in names[1:]:
            assert found[name] == pytest.approx(expected[name])


def test_pos_become_xpos(tmp_path: Path) -> None:
    """Those of CorefUD stay what they are."""
    path, _ = converted(written(tmp_path, [Document("a", [["a", "b"]], [["NOUN", "NN"]], [])]), "corefud")
    assert eh.read(path, column="pos=xpos")["pos"].to_list() == ["NOUN", "NN"]  # type: ignore[union-attr]
    assert "pos" not in eh.read(path, column="pos=upos").layers


@pytest.mark.parametrize(("cells", "column"), [("NOUN\t_", "upos"), ("_\tNN", "xpos"), ("NOUN\tNN", "upos")])
def test_pos_of_corefud_stay_in_their_column(tmp_path: Path, cells: str, column: str) -> None:
    """Of two, those that were read."""
    source = tmp_path / "pos.conllu"
    source.write_text(f"# newdoc id = d\n# global.Entity = eid\n1\tw\t_\t{cells}\t_\t_\t_\t_\tEntity=(e1)\n")
    path, _ = converted(source, "corefud")
    tag = cells.split("\t")[column == "xpos"]
    assert eh.read(path, column=f"pos={column}")["pos"].to_list() == [tag]  # type: ignore[union-attr]
    (other,) = {"upos", "xpos"} - {column}
    assert "pos" not in eh.read(path, column=f"pos={other}").layers


def test_batches_do_not_change_what_is_written(tmp_path: Path) -> None:
    """POS that are all universal in one batch, but not in the next."""
    found = [Document(name, [["a", "b"]], [tags], []) for name, tags in (("a", ["NOUN", "X"]), ("b", ["NOUN", "NN"]))]
    source = written(tmp_path, [*found, found[0]._replace(name="c")])
    whole = converted(source, "corefud")[0].read_text()
    assert converted(source, "corefud", size=1)[0].read_text() == whole
    assert [each.pos for each in content(source)] == [each.pos for each in content(tmp_path / "text-corefud.conllu")]
