"""Converting chains: what a format cannot carry is refused, or counted where it may be lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import annotation, layer
from chain_files import SUFFIXES, Document, content, converted, listed, written
from evenhand.arrays import ints
from evenhand.cli import main
from evenhand.data.annotation import Annotation
from evenhand.formats.convert import Conversion
from evenhand.formats.coreference import crossing_in_chain
from evenhand.formats.registry import FORMATS

DECLARED = "# newdoc id = d\n# global.Entity = eid\n"


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 4)), max_size=6))
def test_mentions_that_cross_others_of_their_chain_are_counted(rows: list[tuple[int, int, int]]) -> None:
    mentions = [(chain, first, first + length) for chain, first, length in rows]
    expected = sum(
        any(a == b and other[0] < one[0] <= other[1] < one[1] for b, *other in mentions) for a, *one in mentions
    )
    assert crossing_in_chain(layer([mentions])) == expected


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], prog_name="evenhand")


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
    found = annotation([[(0, min(tokens), max(tokens)) for tokens in mentions]], size=8, words=list("abcdefgh"))
    chains = found.chains()
    gaps = [tuple(at - min(each) for at in range(min(each), max(each)) if at not in each) for each in mentions]
    chains = replace(chains, shape=ints([chains.vocabulary.shapes.code(gap) for gap in gaps]))
    return replace(found, layers={**found.layers, "chains": chains})


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
        "corefud cannot carry 1 mention crossing others of their chain, which would change bounds; "
        "give --lossy to convert all the same."
    )


def test_adjoining_parts_that_cross_others_once_they_are_one(tmp_path: Path) -> None:
    """In the file they have other names: {0, 1, 2, 5} is of two parts, {1, 2, 3, 5} of three, of which two adjoin."""
    source = gaps(tmp_path, "(e1[1/2]", "(e1[1/3])", "e1[1/2])(e1[2/3]", "e1[2/3])", "-", "(e1[2/2])(e1[3/3])")
    assert spans(source) == [(0, 6, (3, 4)), (1, 6, (3,))]
    found = run(source, tmp_path / "out.conllu")
    assert (found.exit_code, (tmp_path / "out.conllu").exists()) == (2, False)
    assert "corefud cannot carry 1 mention crossing others of their chain" in found.stderr
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
    found = run(source, out)
    assert (found.exit_code, found.stdout, out.exists()) == (2, "", False)
    assert found.stderr.startswith(f"evenhand: {target} cannot carry 2 mentions with gaps")
    assert found.stderr.endswith("; give --lossy to convert all the same.\n")
    lossy = run(source, out, "--lossy")
    assert (lossy.exit_code, lossy.stdout) == (0, "")
    assert lossy.stderr.startswith("Lost: 2 mentions with gaps")
    assert spans(out) == [(0, 3, ()), (2, 3, ()), (3, 4, ()), (4, 7, ())]


CROSSING = Document("d", [["a", "b", "c", "d"]], [], [[(0, 2), (1, 3), (3, 3)], [(0, 1)]])


@pytest.mark.parametrize(("name", "target"), [("out.conll", "conll2012"), ("out.conllu", "corefud")])
def test_crossing_mentions_of_one_chain_are_refused_or_lost_in_brackets(tmp_path: Path, name: str, target: str) -> None:
    source, out = written(tmp_path, [CROSSING], tagged=False), tmp_path / name
    found = run(source, out)
    assert (found.exit_code, found.stdout, out.exists()) == (2, "", False)
    assert f"evenhand: {target} cannot carry 1 mention" in found.stderr
    assert "crossing others of their chain, which would change bounds; give --lossy" in found.stderr
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
    assert "corefud cannot carry" in found.stderr
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
        with pytest.raises(eh.SettingError, match="cannot stand in a file of columns"):
            converted(source, target)


@pytest.mark.parametrize("word", [" ", "", "a\tb", "a\nb"])
def test_words_that_no_column_can_hold(tmp_path: Path, word: str) -> None:
    source = written(tmp_path, [Document("a", [["a", word]], [["NN", "X"]], [])])
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError, match="cannot stand in a file of columns; mend it first"):
            converted(source, target)
    assert content(converted(source, "coref-jsonl")[0])[0].sentences == [["a", word]]


@pytest.mark.parametrize("target", SUFFIXES)
def test_a_file_without_words_is_refused(tmp_path: Path, target: str) -> None:
    source = tmp_path / "bare.conll"
    source.write_text("#begin document (a)\n0 (1)\n1 (1)\n")
    with pytest.raises(eh.SettingError, match=f"has no text, which {target} needs; give a file with words"):
        converted(source, target)
