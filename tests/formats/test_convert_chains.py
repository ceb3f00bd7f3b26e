"""Converting chains: between all formats what was read is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import annotation, layer
from chain_files import SUFFIXES, Document, Span, content, converted, listed, written
from conftest import ROOT
from declared import CHAIN_MODELS
from evenhand.arrays import ints
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.formats.convert import Conversion
from evenhand.formats.coreference import count_crossing
from evenhand.formats.format import FORMATS

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
    items = [item._replace(chains=sorted(item.chains, key=first_bracket)) for item in drawn]
    tagged = is_tagged(items)
    source = written(tmp_path_factory.getbasetemp(), items, tagged=tagged)
    kept = [item._replace(chains=listed(item.chains), pos=item.pos if tagged else []) for item in items]
    formats = [name for name in SUFFIXES if name != "corefud" or all(item.sentences for item in items)]
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
    assert found.stderr == f"Cannot be represented in {format}: all but words, sentences, POS and chains.\n"
    assert eh.read(tmp_path / name, format=format).reading.format == format
    assert run(CHAINS / "neural.conll", tmp_path / name, *options, "-q").stderr == ""


def test_targets_that_have_no_place_for_chains(tmp_path: Path) -> None:
    for name, options in (("out.json", ()), ("out.conll", ("--to", "conll")), ("out.conllx", ())):
        found = run(CHAINS / "gold.conll", tmp_path / name, *options)
        assert found.exit_code == 2
        assert "cannot represent chains; convert to conll2012, coref-jsonl, corefud.\n" in found.stderr
    assert (
        "does not indicate a format; specify one with --to" in run(CHAINS / "gold.conll", tmp_path / "out.tsv").stderr
    )


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
        by_name = {name: {model: result[model].f1 for model in result.scores} for name, result in results.items()}
        expected = expected or by_name
        assert list(by_name["pairs"]) == list(expected["pairs"])
        for name in names[1:]:
            assert by_name[name] == pytest.approx(expected[name])


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


# Converting chains: what a format cannot represent is refused, or counted where it may be lost


DECLARED = "# newdoc id = d\n# global.Entity = eid\n"


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 4)), max_size=6))
def test_mentions_that_cross_others_of_their_chain_are_counted(rows: list[tuple[int, int, int]]) -> None:
    mentions = [(chain, first, first + length) for chain, first, length in rows]
    expected = sum(
        any(a == b and other[0] < one[0] <= other[1] < one[1] for b, *other in mentions) for a, *one in mentions
    )
    assert count_crossing(layer([mentions])) == expected


def gaps(folder: Path, *brackets: str) -> Path:
    """A sentence in CorefUD."""
    path = folder / "gaps.conllu"
    cells = ["_" if each == "-" else f"Entity={each}" for each in brackets]
    lines = [f"{n}\tw{n}\t_\t_\t_\t_\t_\t_\t_\t{cell}\n" for n, cell in enumerate(cells, 1)]
    path.write_text(DECLARED + "".join(lines) + "\n")
    return path


def spans(path: Path) -> list[tuple[int, int, tuple[int, ...]]]:
    """Start, end and gaps of all mentions."""
    found = eh.read(path).chains()
    shapes = [found.vocabulary.shapes[code] for code in found.shape.tolist()]
    return sorted(zip(found.start.tolist(), found.end.tolist(), shapes, strict=True))


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        ("(e1[1/2]) - (e1[2/2]) (e1)", [(0, 3, (1,)), (3, 4, ())]),
        ("(e1[1/3] e1[1/3]) - (e1[2/3]) - (e1[3/3])", [(0, 6, (2, 4))]),
        ("(e1[1/2])(e2[1/2]) (e2) (e1[2/2]) (e2[2/2])", [(0, 3, (1,)), (0, 4, (1, 2)), (1, 2, ())]),
        ("(e1(e1[1/2]) - (e1[2/2])e1)", [(0, 3, ()), (0, 3, (1,))]),
        ("(e1[1/2]) (e1[1/2]) - (e1[2/2]) - (e1[2/2])", [(0, 6, (1, 2, 3, 4)), (1, 4, (1,))]),
    ],
    ids=["two parts", "three parts", "interleaved", "same bounds", "within each other"],
)
def test_gaps_stay_in_corefud(tmp_path: Path, brackets: str, expected: list) -> None:
    source = gaps(tmp_path, *brackets.split())
    target, conversion = converted(source, "corefud")
    assert spans(source) == expected
    assert spans(target) == expected
    assert not conversion.losses


def with_gaps(*mentions: set[int]) -> Annotation:
    """A document of eight words with one chain, from the tokens of its mentions."""
    side = annotation([[(0, min(tokens), max(tokens)) for tokens in mentions]], size=8, words=list("abcdefgh"))
    chains = side.chains()
    gaps = [tuple(at - min(each) for at in range(min(each), max(each)) if at not in each) for each in mentions]
    chains = replace(chains, shape=ints([chains.vocabulary.shapes.code(gap) for gap in gaps]))
    return replace(side, layers={**side.layers, "chains": chains})


@settings(max_examples=200)
@given(st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=4), min_size=1, max_size=3))
@example([{0, 6}, {1, 3}])
@example([{0, 1, 3}, {0, 5}])
@example([{0, 2, 6}, {1, 3, 5}])
@example([{1, 2, 3, 5}, {0, 1, 2, 5}])
@example([{0, 2}, {0, 2}])
def test_gaps_of_one_chain_are_kept_or_refused(
    tmp_path_factory: pytest.TempPathFactory, mentions: list[set[int]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "gaps.conllu"
    try:
        path.write_text("".join(Conversion(FORMATS["corefud"], "chains").texts(iter([with_gaps(*mentions)]))))
    except eh.SettingError:
        return
    found = [{start + at for at in range(end - start) if at not in gaps} for start, end, gaps in spans(path)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, mentions))


def test_parts_that_cross_others_of_their_chain_are_refused(tmp_path: Path) -> None:
    """Brackets of one name close last in, first out: {0, 1, 2, 5} and {1, 2, 3, 5} would become {0, …, 3, 5} and {1, 2, 5}."""
    with pytest.raises(eh.SettingError) as error:
        list(Conversion(FORMATS["corefud"], "chains").texts(iter([with_gaps({1, 2, 3, 5}, {0, 1, 2, 5})])))
    assert str(error.value) == (
        "corefud cannot represent 1 mention crossing others of their chain, which would change bounds; "
        "use --lossy to convert anyway."
    )


def test_adjoining_parts_that_cross_others_once_they_are_one(tmp_path: Path) -> None:
    """In the file they have other names: {0, 1, 2, 5} is of two parts, {1, 2, 3, 5} of three, of which two adjoin."""
    source = gaps(tmp_path, "(e1[1/2]", "(e1[1/3])", "e1[1/2])(e1[2/3]", "e1[2/3])", "-", "(e1[2/2])(e1[3/3])")
    assert spans(source) == [(0, 6, (3, 4)), (1, 6, (3,))]
    found = run(source, tmp_path / "out.conllu")
    assert (found.exit_code, (tmp_path / "out.conllu").exists()) == (2, False)
    assert "corefud cannot represent 1 mention crossing others of their chain" in found.stderr
    assert run(source, tmp_path / "out.conllu", "--lossy").stderr.startswith("Lost: 1 mention")


def test_parts_between_those_of_another_mention_are_kept(tmp_path: Path) -> None:
    """What the mentions cover crosses, but no two brackets do."""
    source = gaps(tmp_path, "(e1[1/2])", "(e1", "(e1[2/2])", "e1)")
    target, _ = converted(source, "corefud")
    assert spans(target) == spans(source) == [(0, 3, (1,)), (1, 4, ())]


def test_a_repeated_mention_with_gaps_is_kept(tmp_path: Path) -> None:
    source = gaps(tmp_path, "(e1[1/2])(e1[1/2])", "-", "(e1[2/2])(e1[2/2])")
    target, _ = converted(source, "corefud")
    assert spans(target) == spans(source) == [(0, 3, (1,)), (0, 3, (1,))]


@pytest.mark.parametrize(("name", "target"), [("out.conll", "conll2012"), ("out.jsonl", "coref-jsonl")])
def test_gaps_are_refused_or_filled_elsewhere(tmp_path: Path, name: str, target: str) -> None:
    source = gaps(tmp_path, "(e1[1/2])", "-", "(e1[2/2])(e2)", "(e1)", "(e2[1/2])", "-", "(e2[2/2])")
    out = tmp_path / name
    outcome = run(source, out)
    assert (outcome.exit_code, outcome.stdout, out.exists()) == (2, "", False)
    assert outcome.stderr.startswith(f"evenhand: {target} cannot represent 2 mentions with gaps")
    assert outcome.stderr.endswith("; use --lossy to convert anyway.\n")
    lossy = run(source, out, "--lossy")
    assert (lossy.exit_code, lossy.stdout) == (0, "")
    assert lossy.stderr.startswith("Lost: 2 mentions with gaps")
    assert spans(out) == [(0, 3, ()), (2, 3, ()), (3, 4, ()), (4, 7, ())]


CROSSING = Document("d", [["a", "b", "c", "d"]], [], [[(0, 2), (1, 3), (3, 3)], [(0, 1)]])


@pytest.mark.parametrize(("name", "target"), [("out.conll", "conll2012"), ("out.conllu", "corefud")])
def test_crossing_mentions_of_one_chain_are_refused_or_lost_in_brackets(tmp_path: Path, name: str, target: str) -> None:
    source, out = written(tmp_path, [CROSSING], tagged=False), tmp_path / name
    outcome = run(source, out)
    assert (outcome.exit_code, outcome.stdout, out.exists()) == (2, "", False)
    assert f"evenhand: {target} cannot represent 1 mention" in outcome.stderr
    assert "crossing others of their chain, which would change bounds; use --lossy" in outcome.stderr
    lossy = run(source, out, "--lossy")
    assert (lossy.exit_code, len(lossy.stderr.splitlines())) == (0, 1)
    assert "Lost: 1 mention" in lossy.stderr
    assert len(spans(out)) == 4
    assert run(source, tmp_path / "again.jsonl").stderr == ""
    assert content(tmp_path / "again.jsonl") == [CROSSING._replace(chains=listed(CROSSING.chains))]


def test_documents_without_words_have_no_place_in_corefud(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("a", [], [], []), CROSSING._replace(chains=[[(0, 1)]])], tagged=False)
    found = run(source, tmp_path / "out.conllu")
    assert (found.exit_code, (tmp_path / "out.conllu").exists()) == (2, False)
    assert "corefud cannot represent" in found.stderr
    assert run(source, tmp_path / "out.conll").exit_code == 0
    assert [each.name for each in content(tmp_path / "out.conll")] == ["a", "d"]


def test_documents_without_words_can_be_lost(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("a", [], [], []), CROSSING._replace(chains=[[(0, 1)]])], tagged=False)
    found = run(source, tmp_path / "out.conllu", "--lossy")
    assert (found.exit_code, found.stderr[:5]) == (0, "Lost:")
    assert "without words" in found.stderr
    assert [each.name for each in content(tmp_path / "out.conllu")] == ["d"]


@pytest.mark.parametrize("target", SUFFIXES)
def test_the_chain_that_keeps_a_repeated_span_is_kept_or_refused(tmp_path: Path, target: str) -> None:
    """The first one: of a list in JSON lines, by its first bracket elsewhere."""
    words = [list("abcd")]
    (tmp_path / "key").mkdir()
    key = written(tmp_path / "key", [Document("a", words, [], [[(0, 0), (1, 1)], [(2, 2), (3, 3)]])], tagged=False)
    source = written(tmp_path, [Document("a", words, [], [[(2, 2), (3, 3)], [(0, 0), (1, 1), (2, 2)]])], tagged=False)
    assert eh.score(key, source)["mela"].f1 == 1
    try:
        path, _ = converted(source, target)
    except eh.SettingError:
        return
    assert eh.score(key, path)["mela"].f1 == 1


# Names


@pytest.mark.parametrize(
    "name",
    ["n_007", "#1", "a_0", " a", "a\tb", "a\nb", "a; part 3", ")"],
    ids=["zeros", "hash", "part", "blank", "tab", "line", "words of a mark", "bracket"],
)
@pytest.mark.parametrize("target", ["conll2012", "corefud"])
def test_documents_keep_odd_names_or_are_refused(tmp_path: Path, name: str, target: str) -> None:
    """By names they are matched, so that a file with other ones would score nothing."""
    kept = [Document(name, [["a", "b"]], [], [[(0, 1)]])]
    source = written(tmp_path, kept, tagged=False)
    try:
        path, _ = converted(source, target)
    except (eh.InputError, eh.SettingError):
        return
    assert content(path) == kept


def test_files_without_documents_can_be_converted(tmp_path: Path) -> None:
    """Both sides of them match then as they did before."""
    for name, entity in (("key", "(e1)"), ("response", "(e2)")):
        row = f"1\tw\t_\t_\t_\t_\t_\t_\t_\tEntity={entity}\n"
        (tmp_path / f"{name}.conllu").write_text(f"# global.Entity = eid\n{row}")
    for target in SUFFIXES:
        key, response = (converted(tmp_path / f"{name}.conllu", target)[0] for name in ("key", "response"))
        assert eh.score(key, response)["mentions"].f1 == 1
        assert eh.read(key).corpus.names == ("-" if target == "conll2012" else "",)


def test_pos_with_tabs_are_refused_in_columns(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("a", [["a", "b"]], [["NN", "A\tB"]], [])])
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError, match="cannot be written to a column file"):
            converted(source, target)


@pytest.mark.parametrize("word", [" ", "", "a\tb", "a\nb"])
def test_words_that_no_column_can_hold(tmp_path: Path, word: str) -> None:
    source = written(tmp_path, [Document("a", [["a", word]], [["NN", "X"]], [])])
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError, match="cannot be written to a column file; fix it first"):
            converted(source, target)
    assert content(converted(source, "coref-jsonl")[0])[0].sentences == [["a", word]]


@pytest.mark.parametrize("target", SUFFIXES)
def test_a_file_without_words_is_refused(tmp_path: Path, target: str) -> None:
    source = tmp_path / "bare.conll"
    source.write_text("#begin document (a)\n0 (1)\n1 (1)\n")
    with pytest.raises(eh.SettingError, match=f"has no text, which {target} needs; use a file with words"):
        converted(source, target)


# Converting chains of odd texts: names, words and sentences are kept, or refused with a sentence


def kept(source: Path, target: str) -> bool:
    """Whether a conversion keeps all, or refuses."""
    expected = content(source)
    try:
        path, _ = converted(source, target)
    except eh.SettingError:
        return True
    return content(path) == expected


# Documents without a name


def test_a_document_without_a_name_is_not_taken_for_a_part_of_the_one_before(tmp_path: Path) -> None:
    source = written(tmp_path, [Document(name, [["w"]], [], [[(0, 0)]]) for name in ("a", "")], tagged=False)
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError) as error:
            converted(source, target)
        sentence = f"A document has no name, but {target} needs one if there are several; add one."
        assert str(error.value) == sentence
        with pytest.raises(eh.SettingError):
            converted(source, target, size=1)
    assert [each.name for each in content(converted(source, "coref-jsonl")[0])] == ["a", ""]


def test_the_first_document_of_corefud_needs_no_name(tmp_path: Path) -> None:
    source = written(tmp_path, [Document(name, [["w"]], [], [[(0, 0)]]) for name in ("", "b")], tagged=False)
    for size in (1, 1 << 18):
        assert content(converted(source, "corefud", size=size)[0]) == content(source)
    with pytest.raises(eh.SettingError, match="conll2012 needs one if there are several"):
        converted(source, "conll2012", size=1)


def test_the_only_document_without_a_name_is_said_to_get_one(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("", [["w"]], [], [[(0, 0)]])], tagged=False)
    target = tmp_path / "out.conll"
    found = CliRunner().invoke(main, ["convert", str(source), str(target)], prog_name="evenhand")
    assert (found.exit_code, found.stderr) == (0, "Note: The document has no name, and is called - in conll2012.\n")
    assert content(converted(source, "corefud")[0]) == content(source)


# Words that are numbers


@pytest.mark.parametrize("sentences", [[["5", "7"], ["9"]], [["2019"]], [["12", "12"]], [["٣", "٢"]]])
@pytest.mark.parametrize("target", SUFFIXES)
@pytest.mark.parametrize("tagged", [False, True])
def test_numbers_are_words(tmp_path: Path, sentences: list[list[str]], target: str, tagged: bool) -> None:
    found = [Document("d", sentences, [["CD"] * len(each) for each in sentences], [[(0, 0)]])]
    source = written(tmp_path, found, tagged=tagged)
    assert content(converted(source, target)[0]) == content(source)


@pytest.mark.parametrize("sentences", [[["0", "1", "2"]], [["1", "2"], ["1"]], [["0"]]])
def test_numbers_that_count_words_are_refused_in_conll2012(tmp_path: Path, sentences: list[list[str]]) -> None:
    source = written(tmp_path, [Document("d", sentences, [], [[(0, 0)]])], tagged=False)
    with pytest.raises(eh.SettingError) as error:
        converted(source, "conll2012")
    assert str(error.value) == ("The words are numbers, which conll2012 reads as positions; convert to another format.")
    assert content(converted(source, "corefud")[0]) == content(source)


def test_a_cell_of_thousands_of_digits_is_no_position(tmp_path: Path) -> None:
    path = tmp_path / "digits.conll"
    path.write_text(f"#begin document (d);\n{'9' * 5000}\t{'8' * 5000}\t{'7' * 5000}\tw\t-\n")
    assert content(path)[0].sentences == [["w"]]


def test_numbers_of_json_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "numbers.jsonl"
    path.write_text(json.dumps({"doc_key": "d", "sentences": [["a", 7]], "clusters": []}) + "\n")
    with pytest.raises(
        eh.InputError, match=r"numbers.jsonl:1: expected a string for sentences\[0\]\[1\], got a whole number"
    ):
        eh.read(path)


# Sentences without words


@pytest.mark.parametrize("sentences", [[["a"], [], ["b"]], [[], ["a"]], [["a"], []]])
def test_sentences_without_words_are_refused_or_lost(tmp_path: Path, sentences: list[list[str]]) -> None:
    source = written(tmp_path, [Document("d", sentences, [], [[(0, 0)]])], tagged=False)
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError, match=f"{target} cannot represent 1 sentence without words; use --lossy"):
            converted(source, target)
        path, conversion = converted(source, target, lossy=True)
        assert dict(conversion.losses) == {"sentences without words": 1}
        assert content(path)[0].sentences == [each for each in sentences if each]
    assert content(converted(source, "coref-jsonl")[0]) == content(source)


def test_a_document_of_empty_sentences_is_one_without_words(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("a", [[]], [], []), Document("b", [["w"]], [], [])], tagged=False)
    with pytest.raises(eh.SettingError, match="corefud cannot represent 1 document without words"):
        converted(source, "corefud")
    assert [each.name for each in content(converted(source, "corefud", lossy=True)[0])] == ["b"]


# Blanks


@pytest.mark.parametrize(
    "word",
    [
        " a",
        "a ",
        "a b",
        "a  b",
        " ",
        "\u00a0",
        "a\u00a0",
        "\u3000a",
        "\u2028",
        "a\u2028b",
        "\x0b",
        "a\x0cb",
        "\x85",
        "\0",
    ],
)
@pytest.mark.parametrize("target", SUFFIXES)
def test_mentions_over_blanks_are_kept_or_refused(tmp_path: Path, word: str, target: str) -> None:
    words = [["a", word], [word, "b"]]
    source = written(tmp_path, [Document("d", words, words, [[(0, 1), (1, 1)], [(1, 2)]])])
    assert kept(source, target)
