"""Scores of chains from files: documents that do not fit, groups, blocks, repeats and notes."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_arcs
import slow_chains
from build_chains import TAGS, annotation, brackets, columns
from conftest import ROOT
from declared import CHAIN_MODELS
from divided import small_blocks
from evenhand.cli import main
from evenhand.results.result import Result
from evenhand.tasks.chains.task import MEASURES

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
    assert about(extra, "document") == ["system response: has extra documents, which are ignored: x_0, y_0."]
    assert (extra.gold.documents, extra.predicted) == (1, 4)


def test_a_renamed_document_is_both(score: Score) -> None:
    renamed = score(KEY, file(("a", A), ("B", B), ("c", C)))
    assert renamed.tallies == score(KEY, file(("a", A), ("c", C))).tallies
    assert about(renamed, "document") == [
        "system response: lacks documents b_0; they count as empty.",
        "system response: has extra documents, which are ignored: B_0.",
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
    assert about(result, "ignored") == ["system response: has extra documents, which are ignored: b_1."]


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
    assert str(error.value) == f"response.conll:{line}: {finding}; use the same tokens in all files."


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
        f"system response: 1 word differs from the gold standard (the first one: {first}; --align strict rejects them)."
    ]
    assert figures(result) == figures(score(KEY, KEY))
    several = score(KEY, response.replace("w0", "é").replace("w3", "longer words"))
    first = "response.conll:2: found 'é' where the gold standard has 'w0'"
    assert about(several, "word") == [
        f"system response: 7 words differ from the gold standard (the first one: {first}; --align strict rejects them)."
    ]
    with pytest.raises(eh.InputError) as error:
        score(KEY, response, align="strict")
    expected = (
        "response.conll:11: found 'W1' where the gold standard has 'w1'; use the same words, or --align position."
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
    same = ["system response: its chains are identical to the gold standard's. Is this the right file?"]
    assert about(score(KEY, KEY), "right file") == same
    renamed = score(KEY, KEY.replace("1", "9").replace("\t9\t", "\t1\t").replace("w9", "w1"))
    assert about(renamed, "right file") == same
    for response in (file(("a", A), ("b", B)), file(("a", A), ("b", B), ("c", ["(3)", "-", "(3)", "-"]))):
        assert about(score(KEY, response), "right file") == []


def test_empty_sides_are_noted(score: Score) -> None:
    nothing = file(("a", ["-"] * 4))
    assert about(score(nothing, file(("a", A))), "has no mentions") == ["gold key: has no mentions."]
    assert about(score(file(("a", A)), nothing), "has no mentions") == ["system response: has no mentions."]


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
    with small_blocks(size):
        parts = eh.score(*paths, singletons=singletons)
    assert rounded(parts.to_dict()) == rounded(whole.to_dict())


def rounded(value: Any) -> Any:
    """Without the last digits, in which sums of fractions differ when they are added up in another order."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 12) if isinstance(value, float) else value


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_empty_documents_whatever_the_blocks(score: Score, size: int) -> None:
    text = file(("a", A), ("b", []), ("c", []), ("d", C), ("e", []), ("f", B))
    whole = score(text, text)
    with small_blocks(size):
        assert rounded(score(text, text).to_dict()) == rounded(whole.to_dict())
    assert whole.gold.documents == 6


def test_many_batches_add_up(score: Score) -> None:
    documents = [(f"d{number}", (A, B, C, OTHER)[number % 4]) for number in range(60)]
    texts = file(*documents), file(*((name, OTHER) for name, _ in documents))
    whole = {groups: score(*texts, groups=groups) for groups in ("total", "document")}
    for groups, expected in whole.items():
        with small_blocks(16):
            parts = score(*texts, groups=groups)
        assert rounded(parts.to_dict()) == rounded(expected.to_dict())
        for judge, tally in parts.tallies.items():
            assert len(set(tally.group.tolist())) == (60 if groups == "document" else 1)
            assert rounded(tally.cells()) == rounded(expected.tallies[judge].cells())


@pytest.mark.parametrize("size", [1, 16])
def test_no_figure_depends_on_where_parts_end(score: Score, size: int) -> None:
    """Nor does a unit, if the response has other documents in another order."""
    documents = [(f"d{number}", (A, B, [], C, OTHER)[number % 5]) for number in range(30)]
    others = [(name, OTHER if cells else []) for name, cells in documents[:0:-1]] + [("more", A)]
    expected = score(file(*documents), file(*others), groups="document")
    units = eh.evaluate("key.conll", "response.conll", match="arcs_any")
    assert expected.notes[:2] == (
        "system response: lacks documents d0_0; they count as empty.",
        "system response: has extra documents, which are ignored: more_0.",
    )
    with small_blocks(size):
        parts = eh.score("key.conll", "response.conll", groups="document")
        assert (parts.to_dict(), parts.notes) == (expected.to_dict(), expected.notes)
        assert eh.evaluate("key.conll", "response.conll", match="arcs_any") == units


# Scores of chains: what a user can set, the JSON contract, the signature, and the bundled example


EXAMPLES = ROOT / "src" / "evenhand" / "examples"
CHAINS = EXAMPLES / "chains"
GOLD, SYSTEMS = CHAINS / "gold.conll", ("neural", "pairs", "rules")
REFUSED: dict[str, dict[str, Any]] = {
    "labels": {"labels": "nouns"},
    "exclude": {"exclude": "PRP"},
    "map": {"map": {"PRP": "pronoun"}},
    "punctuation": {"punctuation": "form"},
    "subtypes": {"subtypes": True},
    "levels": {"levels": "separate"},
    "focus": {"focus": "system"},
    "separator-weight": {"separator_weight": 2.0},
    "token-weight": {"token_weight": 3},
    "supertag": {"supertag": "ALL"},
    "baselines": {"baselines": True},
    "spurious": {"spurious": 2},
    "missing": {"missing": 2},
    "iou": {"iou": 0.7},
    "encoding": {"encoding": "iob2"},
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_would_do_nothing_are_refused(name: str) -> None:
    with pytest.raises(eh.SettingError, match=f"^{name} has no effect on chains; remove it[,.]"):
        eh.score(GOLD, CHAINS / "rules.conll", **REFUSED[name])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"align": "characters"}, "align is 'characters'; for chains, choose strict or position."),
        (
            {"match": "exact"},
            "match is 'exact', which is not a measure of chains; did you mean --mention-match exact? "
            f"Choose from {', '.join(model.name for model in MEASURES)}.",
        ),
        ({"weights": "lenient"}, "weights has no effect on chains; remove it, or choose the task spans."),
        (
            {"beta": 0.0},
            "beta is 0.0; it must be above 0, from 0.000001 to 1,000,000 (at 1, precision and recall weigh alike).",
        ),
    ],
    ids=["characters", "a model of spans", "weights", "beta"],
)
def test_values_that_chains_do_not_know(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.score(GOLD, CHAINS / "rules.conll", **options)
    assert str(error.value) == sentence


@pytest.mark.parametrize(("name", "value"), [("singletons", False), ("nominal", "NN")])
@pytest.mark.parametrize(
    ("gold", "task"),
    [("ner/gold.conll", "spans"), ("trees/gold.conllu", "trees"), ("tags/gold.tsv", "tags")],
    ids=["spans", "trees", "tags"],
)
def test_settings_of_chains_do_nothing_elsewhere(name: str, value: object, gold: str, task: Any) -> None:
    options: Any = {name: value}
    with pytest.raises(eh.SettingError, match=f"^{name} has no effect on {task}; remove it[,.]"):
        eh.score(EXAMPLES / gold, EXAMPLES / gold, task=task, **options)


def test_arcs_nom_takes_pos(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text(columns([["(1)", "(1)"]]))
    for match in ("arcs_nom", "arcs"):
        with pytest.raises(eh.SettingError) as error:
            eh.score(path, path, match=match)
        expected = "arcs_nom needs the POS of words, which the gold standard does not have; remove it."
        assert str(error.value) == expected
    result = eh.score(path, path)
    assert list(result.scores) == [model for model in CHAIN_MODELS if model != "arcs_nom"]
    assert "gold key: has no POS, so types of mentions and arcs_nom are not available." in result.notes
    lines = [line.split("\t") for line in GOLD.read_text().splitlines()]
    path.write_text(
        "".join("\t".join([*cells[:4], "-", *cells[5:]]) + "\n" if cells[4:] else cells[0] + "\n" for cells in lines)
    )
    assert list(eh.score(GOLD, path).scores) == list(CHAIN_MODELS)  # the response needs none


def test_pos_in_a_column_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text("#begin document (a)\na w0 NN (1)\na w1 PRP (1)\n")
    assert "arcs_nom" not in eh.score(path, path).scores
    found = eh.score(path, path, column="word=2,pos=3")["arcs_nom"]
    assert {kind: row["tp"] for kind, row in found.labels.items()} == {"PRP": 1, "nouns": 0}


def test_key_and_response_stand_in_two_files() -> None:
    with pytest.raises(eh.SettingError, match="Gold and prediction of chains are in two files"):
        eh.score(GOLD)


def test_a_side_without_chains() -> None:
    spans = eh.spans([[("PER", 0, 1)]])
    with pytest.raises(eh.SettingError, match="has no coreference chains; use a file that has some"):
        eh.score(annotation([[(0, 0, 0)]]), spans)


def test_keys_of_the_contract() -> None:
    saved = json.loads(eh.score(GOLD, [CHAINS / f"{name}.conll" for name in SYSTEMS]).to_json())
    assert {"evenhand", "command", "task", "signature", "notes", "gold", "systems"} <= set(saved)
    assert (saved["command"], saved["task"]) == ("score", "chains")
    assert {"name", "format", "documents", "sentences", "tokens", "units", "chains", "labels"} <= set(saved["gold"])
    assert [system["name"] for system in saved["systems"]] == list(SYSTEMS)
    for system in saved["systems"]:
        assert {"name", "format", "units", "chains", "labels", "scores"} <= set(system)
        assert list(system["scores"]) == list(CHAIN_MODELS)
        for name, score in system["scores"].items():
            assert {"headline", "overall"} <= set(score)
            assert {"precision", "recall", "f1"} <= set(score["overall"])
            assert score["headline"] == score["overall"]["f1"]
            assert ("parts" in score) == (name in ("blanc", "mela"))
            assert ("labels" in score) == name.startswith("arcs")
        scores = system["scores"]
        for name in ("mentions", "muc", "ceaf_m", "ceaf_e"):
            assert {"key", "response", "common"} <= set(scores[name]["overall"])
        for name in ("b_cubed", "lea"):
            assert {"key", "response", "common_key", "common_response"} <= set(scores[name]["overall"])
        assert list(scores["blanc"]["parts"]) == ["coreference", "non-coreference"]
        assert list(scores["mela"]["parts"]) == ["muc", "b_cubed", "ceaf_e"]
        for name in ("muc", "b_cubed", "ceaf_e"):
            assert scores["mela"]["parts"][name] == scores[name]["overall"]
        for name in ("arcs_any", "arcs_nom"):
            assert {"tp", "wl", "fn", "fp", "tn", "precision", "recall", "f1"} == set(scores[name]["overall"])
            assert {"nouns", "PRP", "PRP$"} <= set(scores[name]["labels"])


def test_counts_are_whole_numbers_where_they_can_be() -> None:
    scores = eh.score(GOLD, CHAINS / "rules.conll").to_dict()["systems"][0]["scores"]
    for name in ("mentions", "muc", "ceaf_m", "arcs_any"):
        counts = {kind: n for kind, n in scores[name]["overall"].items() if kind not in ("precision", "recall", "f1")}
        assert all(isinstance(n, int) for n in counts.values())


@pytest.mark.parametrize(
    "options",
    [
        {"match": "muc"},
        {"singletons": False},
        {"nominal": "NN"},
        {"beta": 2.0},
        {"align": "strict"},
        {"column": "pos=6"},
    ],
    ids=["match", "singletons", "nominal", "beta", "align", "column"],
)
def test_every_setting_shows_in_the_signature(options: dict[str, Any]) -> None:
    plain, other = (eh.score(GOLD, CHAINS / "rules.conll", **each).signature for each in ({}, options))
    assert plain != other


def test_the_signature_has_singletons_and_nouns() -> None:
    plain = eh.score(GOLD, CHAINS / "rules.conll").signature
    assert plain.startswith(
        f"evenhand:{eh.__version__}|numbers:1|task:chains|match:{','.join(CHAIN_MODELS)}|align:position|"
    )
    assert "|singletons:kept|" in plain
    assert "|nominal:NN+NNS+NNP+NNPS+NE" in plain
    other = eh.score(GOLD, CHAINS / "rules.conll", singletons=False, nominal=["NN", "PRP"]).signature
    assert "|singletons:removed|" in other
    assert "|nominal:NN+PRP|" in other


def test_f_beta_of_means_is_the_mean_of_f_beta() -> None:
    scores = eh.score(GOLD, CHAINS / "rules.conll", beta=2.0).to_dict()["systems"][0]["scores"]
    plain = eh.score(GOLD, CHAINS / "rules.conll").to_dict()["systems"][0]["scores"]
    for name in ("mela", "blanc"):
        parts = [part["f_beta"] for part in scores[name]["parts"].values()]
        assert scores[name]["headline"] == scores[name]["overall"]["f_beta"] == pytest.approx(sum(parts) / len(parts))
        assert scores[name]["overall"]["f1"] == plain[name]["overall"]["f1"]
    precision, recall = (scores["b_cubed"]["overall"][name] for name in ("precision", "recall"))
    assert scores["b_cubed"]["headline"] == pytest.approx(5 * precision * recall / (4 * precision + recall))


def _pos(document: str) -> list[str]:
    """The fifth column, without the lines that are no words."""
    return [line.split()[4] for line in document.splitlines()[1:] if line and not line.startswith("#")]


@pytest.mark.parametrize("singletons", [True, False])
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_example_scores_as_the_definitions_say(name: str, singletons: bool) -> None:
    texts = [(CHAINS / f"{side}.conll").read_text() for side in ("gold", name)]
    pairs = slow_chains.paired(*map(slow_chains.read_columns, texts))
    expected = {score: tuple(row) for score, row in slow_chains.scores(pairs, singletons).items()}
    tags = [_pos(text) for text in texts[0].split("#begin document")[1:]]
    for mode in ("any", "nom"):
        cleaned = [[slow_chains.first_only(side)[0] for side in pair] for pair in pairs]
        counts = [slow_arcs.arcs_counts(*pair, mode, pos) for pair, pos in zip(cleaned, tags, strict=True)]
        expected[f"arcs_{mode}"] = tuple(slow_arcs.arcs_prf(counts))
    result = eh.score(GOLD, CHAINS / f"{name}.conll", singletons=singletons)
    found = {score: (each.precision, each.recall, each.f1) for score, each in result.scores.items() if score != "mela"}
    assert found == {score: pytest.approx(values) for score, values in expected.items()}
    assert result["mela"].f1 == pytest.approx(slow_chains.mela(pairs, singletons))


def test_annotations_score_as_files_do() -> None:
    files = eh.score(GOLD, CHAINS / "neural.conll")
    read = eh.score(eh.read(GOLD), eh.read(CHAINS / "neural.conll"))
    assert read.tallies == files.tallies
    assert read.to_dict() == files.to_dict()


# Documents of coreference without names: they are matched by their order, or refused, but never scored as


WORDS = ["w0", "w1", "w2"]
FIRST, SECOND = [[[0, 0], [2, 2]]], [[[0, 1], [2, 2]]]
CELLS = [["(1)", "-", "(1)"], ["(1", "1)", "(1)"]]


def lines(path: Path, *clusters: list, names: list[str | None] | None = None) -> Path:
    """JSON lines, without names unless they are given."""
    records = []
    for number, cluster in enumerate(clusters):
        name = None if names is None else names[number]
        more = {} if name is None else {"doc_key": name}
        records.append({**more, "sentences": [WORDS], "clusters": cluster})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def brackets_unnamed_documents(path: Path, cells: list[list[str]], names: list[str]) -> Path:
    path.write_text(columns(cells, names=names))
    return path


def corefud(path: Path, *documents: list[str], mark: str = "") -> Path:
    text = "# global.Entity = eid\n"
    for cells in documents:
        rows = [[str(n), f"w{n - 1}", *"_______", cell] for n, cell in enumerate(cells, 1)]
        text += mark + "".join("\t".join(row) + "\n" for row in rows) + "\n"
    path.write_text(text)
    return path


def test_json_lines_without_names_against_names(tmp_path: Path) -> None:
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS, ["a", "b"])
    response = lines(tmp_path / "response.jsonl", FIRST, SECOND)
    for one, other in ((key, response), (response, key)):
        result = eh.score(one, other)
        assert result["mela"].f1 == 1
        assert not [note for note in result.notes if "documents" in note]
    other = lines(tmp_path / "other.jsonl", SECOND, FIRST)
    assert round(eh.score(key, other)["mentions"].f1, 4) == 0.5


def test_documents_of_both_sides_without_names(tmp_path: Path) -> None:
    """One is called nothing, and the other 1."""
    key = corefud(tmp_path / "key.conllu", ["Entity=(e1)", "_", "Entity=(e1)"])
    response = lines(tmp_path / "response.jsonl", FIRST)
    assert eh.score(key, response, mention_match="exact")["mela"].f1 == 1
    assert eh.score(key, eh.chains([[[(0, 1), (2, 3)]]]), mention_match="exact")["mela"].f1 == 1


def test_an_empty_name_is_none(tmp_path: Path) -> None:
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS[:1], ["a"])
    assert eh.score(key, lines(tmp_path / "response.jsonl", FIRST, names=[""]))["mela"].f1 == 1


def test_marks_without_names_are_numbered(tmp_path: Path) -> None:
    entities = [["Entity=(e1)", "_", "Entity=(e1)"], ["Entity=(e1", "Entity=e1)", "Entity=(e1)"]]
    response = corefud(tmp_path / "response.conllu", *entities, mark="# newdoc\n")
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS, ["a", "b"])
    assert eh.score(key, response)["mela"].f1 == 1


@pytest.mark.parametrize("size", [1, 1 << 18])
def test_order_counts_over_all_batches(tmp_path: Path, size: int) -> None:
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS * 20, [f"n{number}" for number in range(40)])
    response = lines(tmp_path / "response.jsonl", *[FIRST, SECOND] * 20)
    with small_blocks(size):
        assert eh.score(key, response)["mela"].f1 == 1


def test_names_that_are_on_both_sides_count_more_than_the_order(tmp_path: Path) -> None:
    """Though those of the response are only numbers that its documents got."""
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS[::-1], ["2", "1"])
    key.write_text(key.read_text().replace("; part 000", ""))
    assert eh.score(key, lines(tmp_path / "response.jsonl", FIRST, SECOND))["mela"].f1 == 1


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", "b", "c"], "no document of the gold standard is here: the first one is '1', there 'a'; give documents the same names in all files."),
        (None, "documents have no names, and their number differs from the gold standard; name them, or use the same number in all files."),
    ],
)  # fmt: skip
def test_other_numbers_of_documents_without_names_are_refused(
    tmp_path: Path, names: list[str | None] | None, sentence: str
) -> None:
    key = lines(tmp_path / "key.jsonl", FIRST, SECOND, FIRST, names=names)
    response = lines(tmp_path / "response.jsonl", FIRST, SECOND)
    with pytest.raises(eh.InputError) as error:
        eh.score(key, response)
    assert str(error.value).endswith(sentence)


def test_other_names_are_an_error_of_score_compare_and_check(tmp_path: Path) -> None:
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS, ["a", "b"])
    response = brackets_unnamed_documents(tmp_path / "response.conll", CELLS, ["x/a", "x/b"])
    sentence = (
        f"{response}:1: no document of the gold standard is here: the first one is 'x/a_0', there 'a_0'; "
        "give documents the same names in all files."
    )
    hint = " Use --skip-broken to skip it."
    for arguments, end in ((["score", "-q", key, response], ""), (["compare", "-q", key, response, key], hint)):
        outcome = CliRunner().invoke(main, [str(each) for each in arguments], prog_name="evenhand")
        expected = f"evenhand: {sentence}{end}\n"
        assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (2, "", expected)
    outcome = CliRunner().invoke(main, ["check", str(response), "--against", str(key)], prog_name="evenhand")
    assert outcome.exit_code == 1
    assert sentence.replace(":1: ", ":1: error: ", 1) in outcome.stdout + outcome.stderr


def test_one_document_of_the_same_name_is_enough(tmp_path: Path) -> None:
    """The others may be missing, which is said."""
    key = brackets_unnamed_documents(tmp_path / "key.conll", CELLS, ["a", "b"])
    result = eh.score(key, brackets_unnamed_documents(tmp_path / "response.conll", CELLS, ["a", "B"]))
    assert "system response: lacks documents b_0; they count as empty." in result.notes
