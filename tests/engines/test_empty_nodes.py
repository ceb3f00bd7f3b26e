"""Empty nodes of CorefUD: overt words are aligned by themselves, and empty nodes by word and decimal number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.results.result import Result

Score = Callable[..., Result]
HEAD = "# newdoc id = d\n# global.Entity = eid\n"


def text(*sentences: str, head: str = HEAD) -> str:
    """Sentences of words and empty nodes with their brackets: `1 (e1) 1.1 (e2) 2 -`."""
    lines = []
    for sentence in sentences:
        cells = sentence.split()
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
KEY = text(f"1 - 1.1 (a) {WORDS}")


def test_a_moved_empty_node_is_one_wrong_mention(score: Score) -> None:
    """The other 38 mentions stay where they are; all would be wrong if tokens were counted."""
    moved = score(KEY, text(f"1 - {WORDS} 39.1 (a)"))
    assert mentions(moved) == (39, 39, 38)
    assert round(100 * moved["mela"].f1, 2) == 96.6
    assert about_nodes(moved) == [
        "system response: 2 empty nodes are in one of the two files only; "
        "mentions there are wrong or missing, unless zeros match by what they depend on."
    ]


def test_a_missing_empty_node_is_a_missing_mention(score: Score) -> None:
    missing = score(KEY, text(f"1 - {WORDS}"))
    assert mentions(missing) == (39, 38, 38)
    assert about_nodes(missing) == [
        "system response: 1 empty node is in one of the two files only; "
        "mentions there are wrong or missing, unless zeros match by what they depend on."
    ]
    extra = score(text(f"1 - {WORDS}"), KEY)
    assert mentions(extra) == (38, 39, 38)


def test_the_same_empty_nodes_need_no_note(score: Score) -> None:
    assert about_nodes(score(KEY, KEY)) == []
    assert score(KEY, KEY)["mela"].f1 == 1


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
    result = score(KEY, KEY.replace("w1.1", "she"), align="strict")
    assert result["mela"].f1 == 1
    with pytest.raises(eh.InputError, match=r"response.conllu:3: found 'she' where the gold standard has 'w1'"):
        score(KEY, text(f"1 - {WORDS}").replace("w1\t", "she\t"), align="strict")


def test_other_overt_words_are_refused(score: Score) -> None:
    """Though there are as many tokens."""
    with pytest.raises(eh.InputError) as error:
        score(text("1 - 1.1 - 2 (e) 3 - 3.1 -"), text("1 - 2 (e) 3 - 3.1 - 4 -"))
    assert str(error.value) == (
        "response.conllu:7: the document d has 4 words apart from empty nodes, in the gold standard 3; "
        "give the same tokens in all files."
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
        "response.jsonl: the system response does not say what the heads of its mentions are; "
        "give CorefUD, or --mention-match partial or exact."
    )


def test_a_document_without_any_token_has_no_empty_node(score: Score) -> None:
    key = text("1 (e)", head="# newdoc id = c\n# newdoc id = d\n# global.Entity = eid\n")
    with pytest.raises(eh.InputError, match="the document c has 1 token, in the gold standard 0"):
        score(key, text("0.1 (e)", head="# newdoc id = c\n# global.Entity = eid\n") + text("1 (e)"))


def test_empty_nodes_in_several_documents_and_systems(score: Score, tmp_path: Path) -> None:
    heads = ["# newdoc id = c\n# global.Entity = eid\n", HEAD]
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
    found = []
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
        found.append((text(" ".join(cells)), tokens))
    return found


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
