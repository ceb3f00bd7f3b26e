"""Documents and records by their ids: in any order, with missing and extra ones."""

from __future__ import annotations

import json
import random
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import Row, annotation, clusters, rows
from declared import run_of, score_settings
from divided import small_blocks
from evenhand.alignment.documents import names_of
from evenhand.alignment.links import LinkFollower
from evenhand.alignment.mentions import ChainFollower
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.read import batches
from evenhand.settings import LINKS, ReadSettings

TEXTS = {"a": "Ada wrote", "b": "Paris slept", "c": "nothing"}
GOLD = {"a": [("PER", 0, 3)], "b": [("LOC", 0, 5)], "c": []}


def records(kind: str, count: int = 60) -> tuple[list[Any], list[Any]]:
    """Gold standard and system; every record has a text of its own, and the system misses every third name."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for number in range(count):
        words = [f"word{number}", "Ada", "Paris"]
        begin = len(words[0]) + 1
        for side, skips in zip(sides, (False, number % 3 == 0), strict=True):
            spans = [] if skips else [{"start": begin, "end": begin + 3, "label": "PER"}]
            spans += [{"start": begin + 4, "end": begin + 9, "label": "LOC"}] if number % 2 else []
            tags = ["O", "O" if skips else "B-PER", "B-LOC" if number % 2 else "O"]
            text = {"text": " ".join(words), "spans": spans} if kind == "text" else {"tokens": words, "tags": tags}
            side.append({"id": number if kind == "text" else f"d{number}", **text})
    return sides


def written(folder: Path, name: str, lines: list[Any], *, odd: bool = False) -> Path:
    """A file; an odd one has records that are not spelled alike, which another reader takes."""
    path = folder / f"{name}.jsonl"
    texts = [
        json.dumps(each, indent=None, separators=(", ", " : ") if odd and at % 2 else None)
        for at, each in enumerate(lines)
    ]
    path.write_text("\n".join(texts) + "\n")
    return path


@pytest.fixture(params=["text", "tags"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("odd", [False, True])
def test_the_order_of_records_does_not_matter(kind: str, odd: bool, tmp_path: Path) -> None:
    gold, system = records(kind)
    key = written(tmp_path, "gold", gold)
    match = "exact,fair" if kind == "text" else "exact,fair,accuracy"
    expected = eh.score(key, written(tmp_path, "same", system), match=match)
    assert expected["exact"].overall.counts == {"TP": 70, "FP": 0, "FN": 20}
    random.Random(0).shuffle(system)
    with small_blocks(50):
        assert len(list(batches(key, ReadSettings(), Vocabulary()))) > 5
        found = eh.score(key, written(tmp_path, "shuffled", system, odd=odd), match=match)
    assert found.metrics() == expected.metrics()
    assert found.notes == ()


@pytest.mark.parametrize("index", [0, 1, 2])
def test_escaped_tokens_in_another_order(index: int, tmp_path: Path) -> None:
    """A token that was escaped stands elsewhere than its neighbours."""
    gold = records("tags", 20)[0]
    for record in gold:
        record["tokens"][index] = 'a"b'
    key = written(tmp_path, "gold", gold)
    assert eh.score(key, written(tmp_path, "turned", gold[::-1]))["exact"].overall["TP"] == 30
    other = {**gold[7], "tokens": ["other", 'a"b', "words"]}
    with pytest.raises(eh.InputError, match=r"other.jsonl:13: found the token 'other' where .*gold.jsonl:8 has"):
        eh.score(key, written(tmp_path, "other", [*gold[:7], other, *gold[8:]][::-1]))


def test_missing_records_count_as_empty_and_extra_ones_are_ignored(kind: str, tmp_path: Path) -> None:
    gold, system = records(kind)
    extra = {**system[1], "id": "new"}
    lines = [extra, *system[30:], *system[:29]]  # 29 is missing, which has both names
    found = eh.score(written(tmp_path, "gold", gold), written(tmp_path, "system", lines))
    assert found["exact"].overall.counts == {"TP": 68, "FP": 0, "FN": 22}
    assert found.notes == (
        f"system system: lacks documents {'29' if kind == 'text' else 'd29'}; they count as empty.",
        "system system: has extra documents, which are ignored: new.",
    )


def test_without_ids_on_both_sides_the_order_counts(kind: str, tmp_path: Path) -> None:
    gold, system = records(kind)
    bare = [{name: value for name, value in each.items() if name != "id"} for each in system]
    key = written(tmp_path, "gold", gold)
    assert eh.score(key, written(tmp_path, "bare", bare))["exact"].overall["TP"] == 70
    with pytest.raises(eh.InputError, match=r"bare.jsonl:1: found the t"):
        eh.score(key, written(tmp_path, "bare", bare[::-1]))


def test_ids_of_another_tool_are_no_ids_of_ours(kind: str, tmp_path: Path) -> None:
    gold, system = records(kind)
    key = written(tmp_path, "gold", gold)
    others = [{**each, "id": f"x{each['id']}"} for each in system]
    found = eh.score(key, written(tmp_path, "others", others))
    assert found["exact"].overall["TP"] == 70
    assert found.notes == ("system others: no id matches the gold standard; documents are matched by order.",)
    with pytest.raises(eh.InputError, match="no document of the gold standard is here: the first one is 'x"):
        eh.score(key, written(tmp_path, "others", others[1:]))


def test_a_record_without_an_id_among_others(kind: str, tmp_path: Path) -> None:
    """It would count as missing, and as a document more."""
    gold, system = records(kind)
    system[3] = {name: value for name, value in system[3].items() if name != "id"}
    with pytest.raises(eh.InputError, match="some records have no id, and the ids do not follow each other"):
        eh.score(written(tmp_path, "gold", gold), written(tmp_path, "system", system))


def test_ids_that_repeat_serve_records_in_the_same_order_only(kind: str, tmp_path: Path) -> None:
    gold, system = (
        [{**each, "id": each["id"] if at else "7"} for at, each in enumerate(side)] for side in records(kind)
    )
    for side in (gold, system):
        side[1] = {**side[1], "id": "7"}
    key = written(tmp_path, "gold", gold)
    assert eh.score(key, written(tmp_path, "same", system))["exact"].overall["TP"] == 70
    with pytest.raises(eh.InputError, match="several records have the id '7', and the ids do not follow"):
        eh.score(key, written(tmp_path, "turned", system[::-1]))


def test_a_matched_record_must_have_the_same_text(kind: str, tmp_path: Path) -> None:
    gold, system = records(kind)
    system[3] = {**system[4], "id": system[3]["id"]}
    system[0], system[1] = system[1], system[0]
    with pytest.raises(eh.InputError, match=r"system.jsonl:4: found the t.*'.*word4"):
        eh.score(written(tmp_path, "gold", gold), written(tmp_path, "system", system))


@pytest.mark.parametrize("is_turned", [False, True])
def test_repeated_spans_are_counted_once_when_they_are_read(is_turned: bool, tmp_path: Path) -> None:
    gold, _ = records("text", 4)
    system = [{**record, "spans": record["spans"] * (1 + (number == 2))} for number, record in enumerate(gold)]
    path = written(tmp_path, "system", system[::-1] if is_turned else system)
    assert eh.score(written(tmp_path, "gold", gold), path).notes == (
        "system system: 1 span is listed more than once, and each listing counts.",
    )


def test_processes_give_the_same_as_one(kind: str, tmp_path: Path) -> None:
    gold, system = records(kind, 400)
    key, engine = written(tmp_path, "gold", gold), eh.engines.processes(2, smallest=2000)
    for name, lines in (("same", system), ("turned", system[::-1]), ("short", system[::-1][5:])):
        path = written(tmp_path, name, lines)
        alone, several = eh.score(key, path), eh.score(key, path, engine=engine)
        assert (several.metrics(), several.notes) == (alone.metrics(), alone.notes)


def test_documents_of_mappings_are_matched_by_their_keys() -> None:
    system = {"b": [("LOC", 0, 5)], "d": [("X", 0, 1)], "a": [("LOC", 0, 3)]}
    gold = eh.spans(GOLD, text=TEXTS)
    for options in ({"text": {**TEXTS, "d": "more"}}, {"text": ["Paris slept", "more", "Ada wrote"]}):
        result = eh.score(gold, eh.spans(system, **options))  # type: ignore[arg-type]
        assert result["exact"].overall.counts == {"TP": 1, "FP": 1, "FN": 1}
        assert result["fair"].overall["LE"] == 1
        assert result.notes[:2] == (
            "system spans: lacks documents c; they count as empty.",
            "system spans: has extra documents, which are ignored: d.",
        )


def test_units_show_their_text_and_document() -> None:
    by_text = eh.compare(
        eh.spans(GOLD, text=TEXTS),
        {"x": eh.spans({"c": []}, text=TEXTS), "y": eh.spans(GOLD, text=TEXTS)},
        show="correction",
    )
    tokens = {name: text.split() for name, text in TEXTS.items()}
    gold = {"a": [("PER", 0, 1)], "b": [("LOC", 0, 1)], "c": []}
    by_token = eh.compare(
        eh.spans(gold, tokens=tokens), {"x": eh.spans({"c": []}), "y": eh.spans(gold, tokens=tokens)}, show="correction"
    )
    for comparison in (by_text, by_token):
        units = comparison.to_dict()["units"]
        assert [(unit["document_name"], unit["words"]) for unit in units] == [("a", "Ada"), ("b", "Paris")]


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"text": {"a": "Ada"}}, "text lacks the document 'b'; add it for every document"),
        ({"text": ["Ada"]}, "got 1 text for 3 sentences; pass one for each"),
        (
            {"text": {**TEXTS, "b": "Par"}},
            "the span [0, 5] of sentence 2 ends after its text, which has 3 characters; ",
        ),
        ({"text": {**TEXTS, "a": "   x"}}, "the span [0, 3] of sentence 1 is blank; "),
        ({"tokens": {**TEXTS, "a": ["Ada"]}}, "sentence 2 is 'Paris slept', not a list; "),
    ],
)
def test_texts_and_tokens_that_do_not_fit(options: Any, finding: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.spans(GOLD, **options)
    assert str(caught.value).startswith(f"spans: {finding}")


def test_only_one_of_text_tokens_and_lengths_is_given() -> None:
    with pytest.raises(eh.SettingError, match="tokens and text are redundant"):
        eh.spans(GOLD, text=TEXTS, tokens={})
    with pytest.raises(eh.InputError, match="text is a mapping, but the spans are not"):
        eh.spans([[("PER", 0, 1)]], text={"a": "Ada"})
    with pytest.raises(eh.InputError, match="two ids differ only in their type"):
        eh.spans({1: [], "1": []})  # type: ignore[dict-item]


def test_ids_on_one_side_need_words() -> None:
    """Without words nothing tells which list is which document, and the order may be another one."""
    gold, system = eh.spans({"a": [("PER", 0, 1)], "b": [("LOC", 0, 1)]}), eh.spans([[("LOC", 0, 1)], [("PER", 0, 1)]])
    for sides in ((gold, system), (system, gold)):
        with pytest.raises(eh.InputError, match=r"one side has ids, the other has none.*; use ids on both sides"):
            eh.score(*sides)
    words = {"a": ["Ada"], "b": ["Rome"]}
    with_words = eh.spans({"a": [("PER", 0, 1)], "b": [("LOC", 0, 1)]}, tokens=words)
    assert eh.score(with_words, eh.spans([[("PER", 0, 1)], []], tokens=[["Ada"], ["Rome"]]))["exact"].recall == 0.5


# The documents of a system with links, in the order of the gold standard's


def taken(
    gold: Annotation, system: Annotation, *, strict: bool = True
) -> tuple[list[tuple[int, int, int]], LinkFollower]:
    """Document, start and end of the system's spans, and the follower at its end."""
    follower = LinkFollower(iter([system]), (lambda: iter([system]), lambda: iter([gold])), strict=strict)
    spans = follower.take([gold])
    follower.finish()
    return [row[1:] for row in spans.rows()], follower


def test_documents_by_name_in_any_order() -> None:
    gold = eh.links({"a": [], "b": [], "c": []})
    system = eh.links({"c": [("X", 5, 6, "Q1")], "x": [("X", 0, 1, "Q1")], "a": [("X", 1, 2, "Q1")]})
    rows, follower = taken(gold, system)
    assert rows == [(0, 1, 2), (2, 5, 6)]
    assert (follower.issues.missing, follower.issues.extra) == (["b"], ["x"])


def test_documents_without_a_name_in_common_go_by_their_order() -> None:
    rows, follower = taken(eh.links({"a": [], "b": []}), eh.links([[], [("X", 1, 2, "Q1")]]))
    assert rows == [(1, 1, 2)]
    assert follower.issues.by_order


def test_words_that_differ_are_counted_or_refused() -> None:
    gold, system = (eh.links([[("X", 0, 1, "Q1")]], tokens=[words]) for words in (["a", "b", "c"], ["a", "x", "y"]))
    _, follower = taken(gold, system, strict=False)
    assert follower.issues.words == 2
    assert follower.issues.first_word == "links: found 'x' where the gold standard has 'b'"
    with pytest.raises(
        eh.InputError, match="found 'x' where the gold standard has 'b'; use the same words, or --align"
    ):
        taken(gold, system)


def test_other_numbers_of_tokens_are_refused() -> None:
    gold, system = (eh.links({"d": []}, tokens={"d": words}) for words in (["a", "b"], ["a"]))
    message = "the document 'd' has 1 token, in the gold standard 2; use the same tokens in all files"
    with pytest.raises(eh.InputError, match=message):
        taken(gold, system, strict=False)


def test_names_are_ids_or_nothing() -> None:
    assert names_of(eh.links({"a": [], "b": []}).corpus).texts(0, 2) == ["a", "b"]
    assert names_of(eh.links([[], []]).corpus).texts(0, 2) == ["", ""]
    assert len(eh.links([[]])[LINKS]) == 0


# The documents of a system in the order of the gold standard's: whatever their order and batches are


Documents = dict[str, list[Row]]
WORDS = ("the", "quick", "brown", "fox", "jumps", "over")


def batches_of(documents: Documents, cuts: Sequence[int], words: Sequence[str] | None = WORDS) -> list[Annotation]:
    """Documents in batches that end at some of them."""
    names = list(documents)
    edges = sorted({0, len(names), *(cut for cut in cuts if cut < len(names))})
    return [
        annotation([documents[name] for name in names[first:last]], names=names[first:last], words=words)
        for first, last in pairwise(edges)
    ]


def follower_of(system: Sequence[Annotation], gold: Sequence[Annotation], *, strict: bool = False) -> ChainFollower:
    return ChainFollower(iter(system), (lambda: iter(system), lambda: iter(gold)), strict=strict)


def taken_chains(follower: ChainFollower, gold: Sequence[Annotation]) -> list[list[list[tuple[int, ...]]]]:
    """The chains of every document of the gold standard, with inclusive ends."""
    found = [chains for batch in gold for chains in follower.take([batch]).clusters(len(batch.corpus.names))]
    follower.finish()
    return [[[(start, end - 1) for start, end in chain] for chain in chains] for chains in found]


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)
CUTS = st.lists(st.integers(1, 7))


@settings(max_examples=100)
@given(NAMES, NAMES, CUTS, CUTS, st.lists(rows(most=4), min_size=8, max_size=8), st.booleans())
def test_documents_are_matched_by_name(
    gold: list[str], system: list[str], cuts: list[int], others: list[int], mentions: list[list[Row]], strict: bool
) -> None:
    """Missing, extra, moved and renamed ones, in any batches."""
    chains = dict(zip("abcdefgh", mentions, strict=True))
    golds = batches_of({name: [] for name in gold}, cuts)
    follower = follower_of(batches_of({name: chains[name] for name in system}, others), golds, strict=strict)
    if not set(gold) & set(system):
        with pytest.raises(eh.InputError, match="no document of the gold standard is here"):
            taken_chains(follower, golds)
        return
    assert taken_chains(follower, golds) == [clusters(chains[name]) if name in system else [] for name in gold]
    assert follower.issues.missing == [name for name in gold if name not in system]
    assert sorted(follower.issues.extra) == sorted(set(system) - set(gold))
    assert follower.issues.words == 0


@settings(max_examples=50)
@given(NAMES, CUTS, CUTS)
def test_words_that_differ_are_counted(names: list[str], cuts: list[int], others: list[int]) -> None:
    golds = batches_of({name: [] for name in names}, cuts)
    system = batches_of({name: [] for name in names[::-1]}, others, ("The", "quick", "brown", "fix", "jumps", "over"))
    follower = follower_of(system, golds)
    taken_chains(follower, golds)
    assert follower.issues.words == 2 * len(names)
    assert follower.issues.first_word == "chains: found 'The' where the gold standard has 'the'"
    with pytest.raises(
        eh.InputError, match="chains: found 'The' where the gold standard has 'the'; use the same words"
    ):
        taken_chains(follower_of(system, golds, strict=True), golds)


def test_the_first_word_that_differs_is_told() -> None:
    golds = batches_of({"a": [], "b": []}, [])
    others = [(*WORDS[:5], "under"), ("The", *WORDS[1:])]
    system = [annotation([[]], names=[name], words=words) for name, words in zip("ab", others, strict=True)]
    follower = follower_of(system, golds)
    taken_chains(follower, golds)
    assert follower.issues.first_word == "chains: found 'under' where the gold standard has 'over'"
    assert follower.issues.words == 2


@pytest.mark.parametrize("side", ["gold", "system"])
def test_without_words_there_is_nothing_to_check(side: str) -> None:
    golds = batches_of({"a": []}, [], None if side == "gold" else WORDS)
    follower = follower_of(batches_of({"a": []}, [], None if side == "system" else WORDS[::-1]), golds, strict=True)
    taken_chains(follower, golds)
    assert follower.issues.words == 0


def test_other_numbers_of_tokens_are_an_error() -> None:
    golds = [annotation([[], []], names=["a", "b"], size=6)]
    system = [annotation([[]], names=["a"], size=6), annotation([[]], names=["b"], size=7)]
    with pytest.raises(eh.InputError, match="the document b has 7 tokens, in the gold standard 6"):
        taken_chains(follower_of(system, golds), golds)


class _Watched:
    """Streams whose batches are counted as long as anybody keeps them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._batches: list[weakref.ref[Annotation]] = []
        self.opened = 0
        self.most = 0

    def __call__(self) -> Iterator[Annotation]:
        self.opened += 1
        for name in self._names:
            batch = annotation([[(0, 0, 0), (0, 1, 2)]], names=[name], words=WORDS)
            self._batches.append(weakref.ref(batch))
            self.most = max(self.most, sum(each() is not None for each in self._batches))
            yield batch
            del batch


def _followed(system: _Watched, gold: _Watched) -> None:
    follower = ChainFollower(system(), (system, gold), strict=True)
    for batch in gold():
        assert len(follower.take([batch])) == 2
    follower.finish()


def _scored(system: _Watched, gold: _Watched) -> None:
    chosen = score_settings("chains", ("muc", "mela", "arcs_any"), "position")
    run = run_of(gold, {"system": system}, chosen, Vocabulary(), "document")
    assert run.documents == 30


@pytest.mark.parametrize("use", [_followed, _scored], ids=["follower", "run"])
def test_documents_in_the_same_order_are_let_go(use: Callable[[_Watched, _Watched], None]) -> None:
    names = [f"document {number}" for number in range(30)]
    system, gold = _Watched(names), _Watched(names)
    use(system, gold)
    assert max(system.most, gold.most) <= 3
    assert (system.opened, gold.opened) == (1, 1)


def test_only_documents_that_come_too_early_wait() -> None:
    """The last document comes first, and waits for its turn; all others go at once."""
    names = [f"document {number}" for number in range(30)]
    system, gold = _Watched([names[-1], *names[:-1]]), _Watched(names)
    _followed(system, gold)
    assert system.most <= 4
    assert (system.opened, gold.opened) == (2, 2)


def test_an_extra_document_does_not_wait() -> None:
    names = [f"document {number}" for number in range(30)]
    system, gold = _Watched(["another", *names]), _Watched(names)
    _followed(system, gold)
    assert system.most <= 3
