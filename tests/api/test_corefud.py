"""What users can set of CorefUD: presets, names of the CorefUD scorer, what other formats refuse; and all commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_corefud import HEAD, Drawn, sentence
from conftest import ROOT
from divided import check_same
from evenhand.cli import main
from evenhand.results.result import Result

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
    expected = f"{asked} needs the heads of mentions, which only CorefUD files have; remove it."
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
    actual, spelled = eh.score(*files, preset=preset), eh.score(*files, **options)
    assert actual.signature == spelled.signature
    assert {name: score.f1 for name, score in actual.scores.items()} == {
        name: score.f1 for name, score in spelled.scores.items()
    }
    assert eh.score(*files, preset=preset, **options).signature == actual.signature, "the same twice is no conflict"


@pytest.mark.parametrize("options", [{"mention_match": "exact"}, {"zeros": "linear"}, {"singletons": True}])
def test_a_preset_and_another_value(files: tuple[Path, Path], options: dict[str, object]) -> None:
    option = next(iter(options)).replace("_", "-")
    expected = f"preset crac2024 sets another value for {option}; remove one of the two."
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
    same = "use the same sentences, or --align position."
    begins = "the sentence that begins here begins elsewhere in the gold standard"
    assert refused(*files) == f"response.conllu:5: {begins}; {same}"
    assert eh.score(*files, align="position")["mentions"].f1 == 1
    files[1].write_text(longer)
    assert refused(*files) == f"response.conllu:3: there is 1 sentence, in the gold standard 2; {same}"


@pytest.mark.parametrize(
    ("misc", "finding"),
    [
        ("(a-x-3", "a mention of 'a' has the head 3, but 2 words; write the position of its head, from 1 to 2."),
        ("(a-x-y", "the head of a mention of 'a' is not a number; write the position of its head, from 1 to 2."),
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
    expected = (
        "key.conllu:4: 'nsubj' is not an edge of an empty node; write DEPS as parent:relation, with bars between."
    )
    assert refused(*files) == expected


@pytest.mark.parametrize(("options", "code"), [((), 1), (("--align", "position"), 0)], ids=["default", "position"])
def test_check_finds_what_score_refuses(files: tuple[Path, Path], options: tuple[str, ...], code: int) -> None:
    files[1].write_text(RESPONSE.replace("2\tw\t", "2\tother\t"))
    assert run("check", files[1], "--against", files[0], "--task", "chains", *options)[0] == code
    assert run("score", *files, *options)[0] == (2 if code else 0)
    files[1].write_text(RESPONSE)
    assert run("check", files[1], "--against", files[0], "--task", "chains", *options)[0] == 0


# Empty nodes of CorefUD: overt words are aligned by themselves, and empty nodes by word and decimal number


Score = Callable[..., Result]
HEAD_EMPTY_NODES = "# newdoc id = d\n# global.Entity = eid\n"


def text(*sentences: str, head: str = HEAD_EMPTY_NODES) -> str:
    """Sentences of words and empty nodes with their brackets: `1 (e1) 1.1 (e2) 2 -`."""
    lines = []
    for line in sentences:
        cells = line.split()
        for number, brackets in zip(cells[0::2], cells[1::2], strict=True):
            misc = "_" if brackets == "-" else f"Entity={brackets}"
            lines.append("\t".join([number, f"w{number}", *"_______", misc]) + "\n")
        lines.append("\n")
    return head + "".join(lines)


@pytest.fixture
def score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Score:
    monkeypatch.chdir(tmp_path)

    def score(key: str, response: str, **options: object) -> Result:
        Path("key.conllu").write_text(key)
        Path("response.conllu").write_text(response)
        return eh.score("key.conllu", "response.conllu", **options)

    return score


def mentions(result: Result) -> tuple[float, ...]:
    """Mentions of the key, of the response, and of both."""
    overall = result["mentions"].overall
    return overall["key"], overall["response"], overall["common"]


def about_nodes(result: Result) -> list[str]:
    return [note for note in result.notes if "empty node" in note]


WORDS = " ".join(f"{number} ({'ab'[number % 2]})" for number in range(2, 40))
KEY_EMPTY_NODES = text(f"1 - 1.1 (a) {WORDS}")


def test_a_moved_empty_node_is_one_wrong_mention(score: Score) -> None:
    """The other 38 mentions stay where they are; all would be wrong if tokens were counted."""
    moved = score(KEY_EMPTY_NODES, text(f"1 - {WORDS} 39.1 (a)"))
    assert mentions(moved) == (39, 39, 38)
    assert round(100 * moved["mela"].f1, 2) == 96.6
    assert about_nodes(moved) == [
        "system response: 2 empty nodes are in one of the two files only; "
        "mentions there are wrong or missing, unless zeros match by what they depend on."
    ]


def test_a_missing_empty_node_is_a_missing_mention(score: Score) -> None:
    missing = score(KEY_EMPTY_NODES, text(f"1 - {WORDS}"))
    assert mentions(missing) == (39, 38, 38)
    assert about_nodes(missing) == [
        "system response: 1 empty node is in one of the two files only; "
        "mentions there are wrong or missing, unless zeros match by what they depend on."
    ]
    extra = score(text(f"1 - {WORDS}"), KEY_EMPTY_NODES)
    assert mentions(extra) == (38, 39, 38)


def test_the_same_empty_nodes_need_no_note(score: Score) -> None:
    assert about_nodes(score(KEY_EMPTY_NODES, KEY_EMPTY_NODES)) == []
    assert score(KEY_EMPTY_NODES, KEY_EMPTY_NODES)["mela"].f1 == 1


@pytest.mark.parametrize(
    ("key", "response", "common"),
    [
        ("1 - 1.1 (e) 2 -", "1 - 1.2 (e) 2 -", 0),
        ("1 - 1.1 (e) 1.2 - 2 -", "1 - 1.1 - 1.2 (e) 2 -", 0),
        ("1 - 1.1 - 1.2 (e) 2 -", "1 - 1.2 (e) 2 -", 1),
        ("0.1 (e) 1 - 2 -", "1 - 1.1 (e) 2 -", 0),
        ("0.1 (e) 1 - 2 (f)", "1 - 2 (f)", 1),
        ("1 (e 1.1 - 2 e)", "1 (e 2 e)", 0),
        ("1 (e 1.1 - 2 e)", "1 (e 1.1 - 2 e) 2.1 -", 1),
        ("1 (e 2 e)", "1 (e 1.1 - 2 e)", 0),
        ("1 (e[1/2]) 1.1 - 2 (e[2/2])", "1 (e 2 e)", 1),
        ("1 - 2 -", "1 - 1.1 (e)(e)(f) 2 -", 0),
        ("0.1 - 1 - 2 -", "0.1 (e 1 e) 2 -", 0),
    ],
    ids=[
        *("other number", "other one of two", "one of two", "before the first word", "shift", "inside, missing"),
        *("behind", "inside, extra", "left out", "repeated", "of both sides"),
    ],
)
def test_mentions_are_the_same_if_their_words_and_empty_nodes_are(
    score: Score, key: str, response: str, common: int
) -> None:
    assert mentions(score(text(key), text(response), mention_match="exact"))[2] == common


def test_the_last_word_of_a_sentence_is_not_the_begin_of_the_next(score: Score) -> None:
    one, other = text("1 - 1.1 (e)", "1 -"), text("1 -", "0.1 (e) 1 -")
    assert mentions(score(one, other)) == (1, 1, 0)
    assert mentions(score(other, other)) == (1, 1, 1)


def test_forms_of_empty_nodes_need_not_be_the_same(score: Score) -> None:
    result = score(KEY_EMPTY_NODES, KEY_EMPTY_NODES.replace("w1.1", "she"), align="strict")
    assert result["mela"].f1 == 1
    with pytest.raises(eh.InputError, match=r"response.conllu:3: found 'she' where the gold standard has 'w1'"):
        score(KEY_EMPTY_NODES, text(f"1 - {WORDS}").replace("w1\t", "she\t"), align="strict")


def test_other_overt_words_are_refused(score: Score) -> None:
    """Though there are as many tokens."""
    with pytest.raises(eh.InputError) as error:
        score(text("1 - 1.1 - 2 (e) 3 - 3.1 -"), text("1 - 2 (e) 3 - 3.1 - 4 -"))
    assert str(error.value) == (
        "response.conllu:7: the document d has 4 words apart from empty nodes, in the gold standard 3; "
        "use the same tokens in all files."
    )


def test_empty_nodes_are_words_where_the_other_file_has_none(score: Score) -> None:
    """As convert writes them to formats that know none."""
    key, words = text("1 - 1.1 (e) 2 (e)"), text("1 - 2 (e) 3 (e)")
    assert score(words, key, align="position")["mentions"].f1 == score(key, words, align="position")["mentions"].f1 == 1
    Path("response.jsonl").write_text('{"doc_key": "d", "sentences": [["w1", "w2"]], "clusters": [[[1, 1]]]}\n')
    assert mentions(eh.score("key.conllu", "response.jsonl", mention_match="exact")) == (2, 1, 1)
    assert mentions(eh.score("key.conllu", "response.jsonl", mention_match="partial")) == (2, 1, 1)
    with pytest.raises(eh.InputError) as error:
        eh.score("key.conllu", "response.jsonl")
    assert str(error.value) == (
        "response.jsonl: the system response does not specify the heads of its mentions; "
        "use CorefUD files, or --mention-match partial or exact."
    )


def test_a_document_without_any_token_has_no_empty_node(score: Score) -> None:
    key = text("1 (e)", head="# newdoc id = c\n# newdoc id = d\n# global.Entity = eid\n")
    with pytest.raises(eh.InputError, match="the document c has 1 token, in the gold standard 0"):
        score(key, text("0.1 (e)", head="# newdoc id = c\n# global.Entity = eid\n") + text("1 (e)"))


def test_empty_nodes_in_several_documents_and_systems(score: Score, tmp_path: Path) -> None:
    heads = ["# newdoc id = c\n# global.Entity = eid\n", HEAD_EMPTY_NODES]
    key = "".join(text("1 (e) 1.1 (e) 2 (f)", head=head) for head in heads)
    first = text("1 (e) 2 (f)", head=heads[0]) + text("1 (e) 1.1 (e) 2 (f)")
    second = text("1 (e) 1.1 (e) 2 (f)", head=heads[0]) + text("1 (e) 2 (f) 2.1 (e)")
    assert mentions(score(key, first)) == (6, 5, 5)
    assert mentions(score(key, second)) == (6, 6, 5)
    (tmp_path / "first.conllu").write_text(first)
    compared = eh.compare("key.conllu", {"first": "first.conllu", "second": "response.conllu"}, by="arcs_any")
    assert compared.scores == {"first": pytest.approx(2 / 3), "second": 0.5}


MENTION = st.tuples(st.integers(0, 7), st.integers(0, 3))


@st.composite
def sides(draw: st.DrawFn) -> list[tuple[str, list[frozenset[str]]]]:
    """Two texts of the same four words, with empty nodes anywhere, and the tokens of their mentions."""
    all_sides = []
    for _ in range(2):
        nodes = draw(st.sets(st.sampled_from(["0.1", "1.1", "1.2", "2.1", "3.1", "4.1"])))
        names = sorted({"1", "2", "3", "4"} | nodes, key=lambda name: [int(each) for each in name.split(".")])
        opened, closed, tokens = [""] * len(names), [""] * len(names), []
        for number, (first, length) in enumerate(draw(st.lists(MENTION, max_size=3))):
            first, last = min(first, len(names) - 1), min(first + length, len(names) - 1)
            tokens.append(frozenset(names[first : last + 1]))
            opened[first] += f"(e{number})" if first == last else f"(e{number}"
            closed[last] += "" if first == last else f"e{number})"
        cells = [f"{name} {end + begin or '-'}" for name, end, begin in zip(names, closed, opened, strict=True)]
        all_sides.append((text(" ".join(cells)), tokens))
    return all_sides


@settings(max_examples=100)
@given(sides())
def test_common_mentions_are_those_of_the_same_tokens(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, list[frozenset[str]]]]
) -> None:
    (key, gold), (response, system) = drawn
    paths = [tmp_path_factory.getbasetemp() / name for name in ("key.conllu", "response.conllu")]
    for path, content in zip(paths, (key, response), strict=True):
        path.write_text(content)
    overall = eh.score(*paths, match="mentions", mention_match="exact")["mentions"].overall
    assert (overall["key"], overall["common"]) == (len(set(gold)), len(set(gold) & set(system)))
