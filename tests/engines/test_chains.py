"""Scores of chains from files: documents that do not fit, groups, blocks, repeats and notes."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_arcs
import slow_chains
from build_chains import TAGS, brackets, columns
from evenhand.results.result import Result
from evenhand.settings import ReadSettings

Score = Callable[..., Result]
A, B, C = ["(1", "1)", "(2)", "(1)"], ["(1)", "-", "(1)", "(3)"], ["(3)", "(3)", "-", "-"]
OTHER = ["(1)", "(1)", "(2)", "(2)"]


def file(*documents: tuple[str, list[str]], **options: str) -> str:
    return columns([cells for _, cells in documents], names=[name for name, _ in documents], **options)


@pytest.fixture
def score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Score:
    monkeypatch.chdir(tmp_path)

    def score(key: str, response: str, **options: object) -> Result:
        Path("key.conll").write_text(key)
        Path("response.conll").write_text(response)
        return eh.score("key.conll", "response.conll", **options)

    return score


def about(result: Result, *words: str) -> list[str]:
    """The notes that have one of these words."""
    return [note for note in result.notes if any(word in note for word in words)]


def figures(result: Result) -> dict[str, tuple[float, float, float]]:
    return {name: (found.precision, found.recall, found.f1) for name, found in result.scores.items()}


KEY = file(("a", A), ("b", B), ("c", C))


def test_a_missing_document_is_an_empty_one(score: Score) -> None:
    missing = score(KEY, file(("a", OTHER), ("c", C)))
    empty = score(KEY, file(("a", OTHER), ("b", ["-"] * 4), ("c", C)))
    assert missing.tallies == empty.tallies
    assert about(missing, "document") == ["system response: lacks documents b_0; they count as empty."]
    assert about(empty, "document") == []
    assert missing["mentions"].recall == 4 / 8


def test_extra_documents_are_ignored(score: Score) -> None:
    extra = score(file(("a", A)), file(("x", A), ("a", OTHER), ("y", C)))
    assert extra.tallies == score(file(("a", A)), file(("a", OTHER))).tallies
    assert about(extra, "document") == ["system response: has more documents, which are ignored: x_0, y_0."]
    assert (extra.gold.documents, extra.units) == (1, 4)


def test_a_renamed_document_is_both(score: Score) -> None:
    renamed = score(KEY, file(("a", A), ("B", B), ("c", C)))
    assert renamed.tallies == score(KEY, file(("a", A), ("c", C))).tallies
    assert about(renamed, "document") == [
        "system response: lacks documents b_0; they count as empty.",
        "system response: has more documents, which are ignored: B_0.",
    ]


def test_documents_that_have_all_other_names_are_refused(score: Score) -> None:
    with pytest.raises(eh.InputError) as error:
        score(KEY, file(*((f"x{number}", A) for number in range(7))))
    assert str(error.value) == (
        "response.conll:1: no document of the gold standard is here: the first one is 'x0_0', there 'a_0'; "
        "give documents the same names in all files."
    )


def test_other_parts_are_other_documents(score: Score) -> None:
    result = score(KEY, KEY.replace("(b); part 000", "(b); part 001"))
    assert about(result, "ignored") == ["system response: has more documents, which are ignored: b_1."]


def test_the_order_of_documents_makes_no_difference(score: Score) -> None:
    response = [("a", OTHER), ("b", C), ("c", A)]
    expected = score(KEY, file(*response), groups="document")
    for order in ((2, 1, 0), (1, 2, 0), (0, 2, 1)):
        moved = score(KEY, file(*(response[place] for place in order)), groups="document")
        assert (moved.tallies, moved.notes) == (expected.tallies, expected.notes)


LENGTHS: dict[str, tuple[str, int, str]] = {
    "fewer": (file(("a", A), ("b", B[:3]), ("c", C)), 12, "the document b_0 has 3 tokens, in the gold standard 4"),
    "more": (file(("a", A), ("b", [*B, "-", "-"])), 15, "the document b_0 has 6 tokens, in the gold standard 4"),
    "moved": (file(("c", C), ("b", B), ("a", C[:3])), 20, "the document a_0 has 3 tokens, in the gold standard 4"),
    "other words": (
        file(("a", A), ("b", [*B, "-"])).replace("b\t0\t1\tw1", "b\t0\t1\tx"),
        11,
        "the document b_0 has 5 tokens, in the gold standard 4",
    ),
}


@pytest.mark.parametrize("case", LENGTHS)
@pytest.mark.parametrize("align", ["position", "strict"])
def test_another_number_of_tokens_is_an_error(score: Score, case: str, align: str) -> None:
    """The line is that of the first word that differs, or of the first one too many, or of the last one."""
    response, line, finding = LENGTHS[case]
    with pytest.raises(eh.InputError) as error:
        score(KEY, response, align=align)
    assert str(error.value) == f"response.conll:{line}: {finding}; give the same tokens in all files."


def test_a_document_without_tokens_has_another_number(score: Score) -> None:
    """The line is one of this document, which begins in line 9."""
    with pytest.raises(eh.InputError, match="the document b_0 has 0 tokens, in the gold standard 4") as error:
        score(KEY, file(("a", A), ("b", []), ("c", C)))
    assert error.value.problem.line in (9, 10, 11)


def test_other_words_are_a_note_or_an_error(score: Score) -> None:
    response = file(("a", A), ("b", B), ("c", C)).replace("b\t0\t1\tw1", "b\t0\t1\tW1")
    result = score(KEY, response)
    first = "response.conll:11: found 'W1' where the gold standard has 'w1'"
    assert about(result, "word") == [
        f"system response: 1 word is not that of the gold standard (the first one: {first}; --align strict refuses them)."
    ]
    assert figures(result) == figures(score(KEY, KEY))
    several = score(KEY, response.replace("w0", "é").replace("w3", "longer words"))
    first = "response.conll:2: found 'é' where the gold standard has 'w0'"
    assert about(several, "word") == [
        f"system response: 7 words are not those of the gold standard (the first one: {first}; --align strict refuses them)."
    ]
    with pytest.raises(eh.InputError) as error:
        score(KEY, response, align="strict")
    expected = (
        "response.conll:11: found 'W1' where the gold standard has 'w1'; give the same words, or --align position."
    )
    assert str(error.value) == expected
    assert about(score(KEY, KEY, align="strict"), "word") == []


@pytest.mark.parametrize("align", ["position", "strict"])
def test_two_columns_have_no_words_to_check(score: Score, align: str) -> None:
    bare = "\n".join(" ".join(line.split()[-2:]) if line[:1] in "abc" else line for line in KEY.splitlines())
    for key, response in ((KEY, bare), (bare, KEY), (bare, bare)):
        result = score(key, response, align=align)
        assert (result["mela"].f1, about(result, "word")) == (1, [])
    with pytest.raises(eh.InputError, match=r"response.conll:2: the document a_0 has 4 tokens, in the gold standard 3"):
        score(file(("a", ["-"] * 3)), bare)


def test_repeats_are_counted_and_said(score: Score) -> None:
    result = score(file(("a", ["(1)|(2)", "(1)", "(2)"])), file(("a", ["(1)|(1)|(2)", "(1)", "(2)"])))
    assert about(result, "repeat") == [
        "gold key: 1 mention repeats the span of another; the first chain keeps the span.",
        "system response: 2 mentions repeat spans of others; where it is in the key, the first chain keeps it.",
    ]
    assert (result.gold.units, result.gold.chains) == (3, 2)


def test_an_identical_response_is_noted(score: Score) -> None:
    same = ["system response: its chains are just those of the gold standard; is it the right file?"]
    assert about(score(KEY, KEY), "right file") == same
    renamed = score(KEY, KEY.replace("1", "9").replace("\t9\t", "\t1\t").replace("w9", "w1"))
    assert about(renamed, "right file") == same
    for response in (file(("a", A), ("b", B)), file(("a", A), ("b", B), ("c", ["(3)", "-", "(3)", "-"]))):
        assert about(score(KEY, response), "right file") == []


def test_empty_sides_are_noted(score: Score) -> None:
    nothing = file(("a", ["-"] * 4))
    assert about(score(nothing, file(("a", A))), "at all") == ["gold key: has no mention at all."]
    assert about(score(file(("a", A)), nothing), "at all") == ["system response: has no mention at all."]


def test_a_folder_has_the_documents_of_its_files(score: Score) -> None:
    """In the order of the files; they need not be those of the other side."""
    documents = [("a", A), ("b", B), ("c", C)]
    expected = score(KEY, file(("a", OTHER), ("b", C), ("c", A)))
    for side, chains in (("keys", (A, B, C)), ("responses", (OTHER, C, A))):
        Path(side).mkdir()
        for number, ((name, _), cells) in enumerate(zip(documents, chains, strict=True)):
            Path(side, f"{number if side == 'keys' else 9 - number}.conll").write_text(file((name, cells)))
    for key in ("keys", "key.conll"):
        for response in ("responses", "response.conll"):
            assert eh.score(key, response).tallies == expected.tallies


def test_groups_are_documents(score: Score) -> None:
    parts = [("a", A, OTHER), ("b", B, A), ("c", C, C)]
    key, response = file(*((n, k) for n, k, _ in parts)), file(*((n, r) for n, _, r in parts))
    whole, by_document = score(key, response), score(key, response, groups="document")
    assert figures(whole) == figures(by_document)
    for judge, tally in by_document.tallies.items():
        assert tally.total() == whole.tallies[judge].total()
        for number, (name, one_key, one_response) in enumerate(parts):
            alone = score(file((name, one_key)), file((name, one_response)), groups="document").tallies[judge]
            assert tally.select([number]).total() == alone.total()


DOCUMENT = st.tuples(brackets(), brackets(), st.lists(st.sampled_from(TAGS), min_size=6, max_size=6))


@settings(max_examples=40)
@given(st.lists(DOCUMENT, min_size=1, max_size=4), st.integers(1, 60), st.booleans(), st.sampled_from(["\t", "  "]))
def test_files_score_as_the_definitions_say_whatever_the_blocks(
    tmp_path_factory: pytest.TempPathFactory, documents: list, size: int, singletons: bool, separator: str
) -> None:
    keys, responses, tags = zip(*documents, strict=True)
    texts = columns(keys, pos=tags, separator=separator), columns(responses)
    paths = [tmp_path_factory.getbasetemp() / name for name in ("key.conll", "response.conll")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    whole = eh.score(*paths, singletons=singletons)
    pairs = slow_chains.paired(*map(slow_chains.read_columns, texts))
    expected = slow_chains.scores(pairs, singletons)
    for mode in ("any", "nom"):
        sides = [[slow_chains.first_only(side)[0] for side in pair] for pair in pairs]
        counts = [slow_arcs.arcs_counts(*pair, mode, pos) for pair, pos in zip(sides, tags, strict=True)]
        expected[f"arcs_{mode}"] = slow_arcs.arcs_prf(counts)
    mela = slow_chains.mela(pairs, singletons)
    if not any(pair.key for pair in pairs):  # without any gold mention, all scores are undefined
        expected, mela = dict.fromkeys(expected, (nan, nan, nan)), nan
    assert whole["mela"].f1 == pytest.approx(mela, nan_ok=True)
    assert {name: each for name, each in figures(whole).items() if name != "mela"} == {
        name: pytest.approx(tuple(row), abs=1e-9, nan_ok=True) for name, row in expected.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ReadSettings.__init__, "__defaults__", _with_block_size(size))
        parts = eh.score(*paths, singletons=singletons)
    assert rounded(parts.to_dict()) == rounded(whole.to_dict())


def rounded(value: Any) -> Any:
    """Without the last digits, in which sums of fractions differ when they are added up in another order."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 12) if isinstance(value, float) else value


def _with_block_size(size: int) -> tuple:
    defaults = list(ReadSettings.__init__.__defaults__ or ())
    return tuple(
        size if value == ReadSettings().block_size and not isinstance(value, bool) else value for value in defaults
    )


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_empty_documents_whatever_the_blocks(score: Score, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    text = file(("a", A), ("b", []), ("c", []), ("d", C), ("e", []), ("f", B))
    whole = score(text, text)
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", _with_block_size(size))
    assert rounded(score(text, text).to_dict()) == rounded(whole.to_dict())
    assert whole.gold.documents == 6


def test_many_batches_add_up(score: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [(f"d{number}", (A, B, C, OTHER)[number % 4]) for number in range(60)]
    texts = file(*documents), file(*((name, OTHER) for name, _ in documents))
    whole = {groups: score(*texts, groups=groups) for groups in ("total", "document")}
    monkeypatch.setattr(ReadSettings.__init__, "__defaults__", _with_block_size(16))
    for groups, expected in whole.items():
        parts = score(*texts, groups=groups)
        assert rounded(parts.to_dict()) == rounded(expected.to_dict())
        for judge, tally in parts.tallies.items():
            assert len(set(tally.group.tolist())) == (60 if groups == "document" else 1)
            assert rounded(tally.cells()) == rounded(expected.tallies[judge].cells())
