"""What users can set of CorefUD: presets, names of the CorefUD scorer, what other formats refuse; and all commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from build_corefud import HEAD, Drawn, sentence
from conftest import ROOT
from divided import check_same
from evenhand.cli import main

EXAMPLE = ROOT / "src" / "evenhand" / "examples" / "chains"
PLAIN = EXAMPLE / "gold.conll", EXAMPLE / "rules.conll"
TOKENS = [("1", "_"), ("1.1", "1:nsubj"), ("2", "_"), ("3", "_"), ("3.1", "3:nsubj"), ("4", "_")]
WITHOUT_LAST = TOKENS[:4] + TOKENS[5:]


def document(name: str, tokens: list[tuple[str, str]], *mentions: tuple[str, int, int, int]) -> str:
    found = [Drawn(entity, ((first, last),), head) for entity, first, last, head in mentions]
    return HEAD.format(name) + sentence(tokens, found)


KEY = document("d", TOKENS, ("a", 0, 0, 1), ("a", 1, 1, 1), ("b", 2, 3, 2), ("b", 4, 4, 1), ("c", 5, 5, 1))
RESPONSE = document("d", WITHOUT_LAST, ("a", 0, 0, 1), ("a", 1, 1, 1), ("b", 3, 3, 1), ("b", 4, 4, 1), ("d", 4, 4, 1))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    Path("key.conllu").write_text(KEY)
    Path("response.conllu").write_text(RESPONSE)
    return Path("key.conllu"), Path("response.conllu")


def refused(*arguments: object, **options: object) -> str:
    with pytest.raises(eh.EvenhandError) as error:
        eh.score(*arguments, **options)
    return str(error.value)


def test_corefud_is_scored_by_heads_unless_somebody_says_otherwise(files: tuple[Path, Path]) -> None:
    result = eh.score(*files)
    assert result.signature.endswith("|mention-match:head|zeros:dependent")
    assert "|align:strict|" in result.signature
    assert "|singletons:kept|repeats:last-chain|" in result.signature
    overall = result["mentions"].overall
    assert (overall["key"], overall["response"], overall["common"]) == (5, 4, 4)
    assert eh.score(*files, mention_match="exact")["mentions"].overall["common"] == 3


def test_other_formats_keep_their_way() -> None:
    result = eh.score(*PLAIN)
    assert "mention-match" not in result.signature
    assert "|align:position|" in result.signature
    assert "|repeats:first-chain|" in result.signature
    assert not {"mor", "zero"} & {*result.scores}
    assert eh.score(*PLAIN, mention_match="exact", repeats="first").signature == result.signature


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"preset": "crac2023"}, "preset crac2023"),
        ({"zeros": "linear"}, "zeros linear"),
        ({"mention_match": "partial"}, "mention-match partial"),
        ({"match": "mor"}, "mor"),
        ({"match": "zero"}, "zero"),
    ],
)
def test_what_other_formats_refuse(options: dict[str, str], asked: str) -> None:
    expected = f"{asked} takes the heads of mentions, which only CorefUD has; leave it out."
    assert refused(*PLAIN, **options) == expected


def test_a_mention_of_several_chains_counts_in_all_of_them(files: tuple[Path, Path]) -> None:
    """The chains b and d of the response have the last mention; the key has it as a chain of its own."""
    last, first = (eh.score(*files, repeats=each) for each in ("last", "first"))
    assert [each["b_cubed"].overall["response"] for each in (last, first)] == [5, 4]
    assert last["mentions"].overall["response"] == 4
    copies = "1 mention repeats the span of another; the last of their chains owns them, and all copies count."
    assert f"system response: {copies}" in last.notes
    kept = "1 mention repeats the span of another; where it is in the key, the first chain keeps it."
    assert f"system response: {kept}" in first.notes
    assert last["lea"].recall != first["lea"].recall


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("crac2022", {"mention_match": "partial", "zeros": "linear", "singletons": False}),
        ("crac2023", {"mention_match": "head", "zeros": "linear", "singletons": False}),
        ("crac2024", {"mention_match": "head", "zeros": "dependent", "singletons": False}),
    ],
)
def test_presets(files: tuple[Path, Path], preset: str, options: dict[str, object]) -> None:
    found, spelled = eh.score(*files, preset=preset), eh.score(*files, **options)
    assert found.signature == spelled.signature
    assert {name: score.f1 for name, score in found.scores.items()} == {
        name: score.f1 for name, score in spelled.scores.items()
    }
    assert eh.score(*files, preset=preset, **options).signature == found.signature, "the same twice is no conflict"


@pytest.mark.parametrize("options", [{"mention_match": "exact"}, {"zeros": "linear"}, {"singletons": True}])
def test_a_preset_and_another_value(files: tuple[Path, Path], options: dict[str, object]) -> None:
    option = next(iter(options)).replace("_", "-")
    expected = f"preset crac2024 has another value for {option}; leave out one of the two."
    assert refused(*files, preset="crac2024", **options) == expected


def run(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(main, list(map(str, arguments)))
    return found.exit_code, found.stdout, found.stderr


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["-x"], "--mention-match exact"),
        (["-s"], "--singletons"),
        (["-m", "muc"], "--match"),
        (["--match", "head"], "--mention-match head"),
        (["--match", "partial"], "--mention-match partial"),
    ],
)
def test_options_of_the_corefud_scorer_get_a_suggestion(files: tuple[Path, Path], given: list[str], meant: str) -> None:
    code, _, error = run("score", *files, *given)
    assert code == 2
    assert f"did you mean {meant}?" in error


def test_names_of_the_corefud_scorer_are_taken(files: tuple[Path, Path]) -> None:
    names = "muc,bcub,ceafe,ceafm,blanc,lea,mor,zero,conll"
    result = eh.score(*files, match=names, zero_match_method="linear", keep_singletons=False)
    assert list(result.scores) == ["muc", "b_cubed", "ceaf_e", "ceaf_m", "blanc", "lea", "mor", "zero", "mela"]
    assert result.signature.endswith("|mention-match:head|zeros:linear")
    assert "|singletons:removed|" in result.signature
    code, _, said = run("score", *files, "--zero-match-method", "linear", "--keep-singletons", "--match", "mela")
    assert code == 0
    assert "--zero-match-method is now --zeros." in said


def test_saved_results_and_annotations_in_memory(files: tuple[Path, Path]) -> None:
    result = eh.score(*files)
    loaded, read = eh.Result.from_json(result.to_json()), eh.score(*map(eh.read, files))
    for name, score in result.scores.items():
        assert (loaded[name].f1, read[name].f1) == (score.f1, score.f1), name
    assert loaded.signature == read.signature == result.signature
    assert dict(loaded["zero"].overall.counts) == {"tp": 1, "wl": 0, "fn": 1, "fp": 0}


def test_verdicts_take_matched_mentions_as_one(files: tuple[Path, Path]) -> None:
    """`3` of the response is `2 3` of the key; the response lacks the zero 3.1, which `2 3` is the antecedent of."""
    comparison = eh.compare(files[0], {"same": files[0], "other": files[1]}, by="arcs_any", trials=0)
    assert comparison.scores == {"same": 1.0, "other": 0.5}
    assert eh.score(*files)["arcs_any"].overall["tp"] == 1


def test_parts_of_a_file_have_the_same_scores(tmp_path: Path) -> None:
    texts = ["".join(each.replace("id = d", f"id = d{number}") for number in range(9)) for each in (KEY, RESPONSE)]
    paths = [tmp_path / name for name in ("key.conllu", "response.conllu")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert not check_same(*paths, 1000).whole


def test_other_sentences_are_refused(files: tuple[Path, Path]) -> None:
    key = document("d", [("1", "_"), ("2", "_")], ("a", 0, 0, 1)) + sentence([("1", "_")], [])
    other = document("d", [("1", "_")], ("a", 0, 0, 1)) + sentence([("1", "_"), ("2", "_")], [])
    longer = document("d", [("1", "_"), ("2", "_"), ("3", "_")], ("a", 0, 0, 1))
    files[0].write_text(key)
    files[1].write_text(other)
    same = "give the same sentences, or --align position."
    begins = "the sentence that begins here begins elsewhere in the gold standard"
    assert refused(*files) == f"response.conllu:5: {begins}; {same}"
    assert eh.score(*files, align="position")["mentions"].f1 == 1
    files[1].write_text(longer)
    assert refused(*files) == f"response.conllu:3: there is 1 sentence, in the gold standard 2; {same}"


@pytest.mark.parametrize(
    ("misc", "finding"),
    [
        ("(a-x-3", "a mention of 'a' has the head 3, but 2 words; give the place of its head, from 1 to 2."),
        ("(a-x-y", "the head of a mention of 'a' is no number; give the place of its head, from 1 to 2."),
    ],
)
def test_heads_that_are_none(tmp_path: Path, misc: str, finding: str) -> None:
    path = tmp_path / "file.conllu"
    path.write_text(document("d", [("1", "_"), ("2", "_")], ("a", 0, 1, 2)).replace("(a-x-2", misc))
    with pytest.raises(eh.InputError) as error:
        eh.read(path)
    assert str(error.value) == f"{path}:3: {finding}"


def test_edges_that_are_none(files: tuple[Path, Path]) -> None:
    files[0].write_text(KEY.replace("1:nsubj", "nsubj"))
    expected = "key.conllu:4: 'nsubj' is no edge of an empty node; write DEPS as parent:relation, with bars between."
    assert refused(*files) == expected


@pytest.mark.parametrize(("options", "code"), [((), 1), (("--align", "position"), 0)], ids=["default", "position"])
def test_check_finds_what_score_refuses(files: tuple[Path, Path], options: tuple[str, ...], code: int) -> None:
    files[1].write_text(RESPONSE.replace("2\tw\t", "2\tother\t"))
    assert run("check", files[1], "--against", files[0], "--task", "chains", *options)[0] == code
    assert run("score", *files, *options)[0] == (2 if code else 0)
    files[1].write_text(RESPONSE)
    assert run("check", files[1], "--against", files[0], "--task", "chains", *options)[0] == 0
