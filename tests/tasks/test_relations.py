"""Relations: match models by hand, the invariants of fair evaluation, and the fast way against the definition."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from divided import small_blocks
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, SettingError
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings
from slow_relations import Argument, Relation, Sentence, kinds

KINDS = ("TP", "AL", "AB", "ALB", "DE", "TE", "XE", "AM", "FN", "AS", "FP")
PAIRED = ("AL", "AB", "ALB", "DE", "TE", "XE")
TOKENS = 7
Span = tuple[tuple[int, ...], str]
"""Tokens and label."""
Links = list[tuple[str, int, int]]
Side = tuple[list[Span], Links]


def annotation(sides: Sequence[Side], symmetric: Sequence[str] = (), name: str = "side") -> Annotation:
    """Sentences of some tokens each."""
    spans = [[(label, tokens[0], tokens[-1] + 1, tokens) for tokens, label in spans] for spans, _ in sides]
    words = [[f"w{at}" for at in range(TOKENS)] for _ in sides]
    return eh.relations(spans, [links for _, links in sides], tokens=words, symmetric=symmetric, name=name)  # type: ignore[arg-type]


def score(gold: Sequence[Side], system: Sequence[Side], *models: str, symmetric: Sequence[str] = ()) -> Any:
    sides = (annotation(side, symmetric, name) for side, name in ((gold, "gold"), (system, "system")))
    return eh.score(*sides, match=models or ("fair",))


def counts(result: Any) -> dict[str, float]:
    return {kind: result["fair"].overall[kind] for kind in KINDS}


def plain(*spans: tuple[str, int, int]) -> list[Span]:
    return [(tuple(range(start, end)), label) for label, start, end in spans]


ANNA = plain(("PER", 0, 1), ("ORG", 2, 3), ("LOC", 4, 5))
GOLD: list[Side] = [(ANNA, [("leads", 0, 1)])]


@pytest.mark.parametrize(
    ("spans", "links", "kind"),
    [
        (ANNA, [("leads", 0, 1)], "TP"),
        (plain(("PER", 0, 1), ("LOC", 2, 3)), [("leads", 0, 1)], "AL"),
        (plain(("PER", 0, 1), ("ORG", 2, 4)), [("leads", 0, 1)], "AB"),
        (plain(("PER", 0, 1), ("LOC", 2, 4)), [("leads", 0, 1)], "ALB"),
        (plain(("PER", 0, 2), ("LOC", 2, 3)), [("leads", 0, 1)], "ALB"),
        (ANNA, [("leads", 1, 0)], "DE"),
        (ANNA, [("owns", 0, 1)], "TE"),
        (ANNA, [("owns", 1, 0)], "TE"),
        (plain(("PER", 0, 1), ("ORG", 2, 4)), [("owns", 0, 1)], "XE"),
        (plain(("PER", 0, 1), ("ORG", 2, 4)), [("leads", 1, 0)], "XE"),
        (plain(("PER", 0, 1)), [], "AM"),
        (ANNA, [], "FN"),
    ],
)
def test_each_verdict_on_a_gold_relation(spans: list[Span], links: Links, kind: str) -> None:
    assert counts(score(GOLD, [(spans, links)])) == {each: int(each == kind) for each in KINDS}


@pytest.mark.parametrize(("spans", "kind"), [(ANNA, "FP"), (plain(("PER", 0, 1), ("ORG", 5, 6)), "AS")])
def test_each_verdict_on_surplus(spans: list[Span], kind: str) -> None:
    found = counts(score([(ANNA, [])], [(spans, [("leads", 0, 1)])]))
    assert found == {each: int(each == kind) for each in KINDS}


def test_the_best_pair_is_taken_first() -> None:
    """A relation with the right arguments takes the gold one, and that with longer arguments is spurious."""
    spans = [*ANNA, *plain(("PER", 0, 2), ("ORG", 2, 4))]
    found = counts(score(GOLD, [(spans, [("leads", 3, 4), ("owns", 0, 1)])]))
    assert (found["TE"], found["FP"], found["AB"]) == (1, 1, 0)


def test_symmetric_types_match_either_way() -> None:
    gold, system = [(ANNA, [("with", 0, 1)])], [(ANNA, [("with", 1, 0)])]
    assert counts(score(gold, system, symmetric=("with",)))["TP"] == 1
    assert counts(score(gold, system))["DE"] == 1
    named = eh.score(annotation(gold), annotation(system), match="strict", symmetric="with")
    assert named["strict"].f1 == 1


def test_marks_of_one_system_do_not_change_the_gold_relations_of_another() -> None:
    """The gold standard has both directions of a type that one system marks as symmetric."""
    gold = annotation([(ANNA, [("with", 0, 1), ("with", 1, 0)])], name="gold")
    marked = annotation([(ANNA, [("with", 1, 0)])], ("with",), "marked")
    plain_system = annotation([(ANNA, [("with", 1, 0)])], name="plain")
    comparison = eh.compare(gold, [marked, plain_system], trials=0, resamples=0)
    assert comparison.pair("marked", "plain").different <= 2
    for system in (marked, plain_system):
        found = eh.score(gold, system, match="strict")["strict"].overall
        assert [found[kind] for kind in ("TP", "FP", "FN")] == [1, 0, 1]


def test_boundaries_are_sets_without_labels() -> None:
    """Two labels on the same bounds are two relations under strict, and one under boundaries."""
    double = [*ANNA, *plain(("PER", 2, 3))]
    result = score(GOLD, [(double, [("leads", 0, 1), ("leads", 0, 3)])], "strict", "boundaries", "relaxed")
    assert [result["strict"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 1, 0]
    assert [result["boundaries"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 0, 0]
    hits = ("gold_hits", "gold", "system_hits", "system")
    assert [result["relaxed"].overall[kind] for kind in hits] == [1, 1, 1, 2]


def test_dygie_keeps_the_last_type_of_a_pair_of_spans() -> None:
    system = [(ANNA, [("leads", 0, 1), ("owns", 0, 1)])]
    result = score(GOLD, system, "boundaries", "dygie")
    assert [result["boundaries"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 1, 0]
    assert [result["dygie"].overall[kind] for kind in ("TP", "FP", "FN")] == [0, 1, 1]


def test_repeats_count_once() -> None:
    result = score(GOLD, [(ANNA, [("leads", 0, 1), ("leads", 0, 1)])], "strict", "fair")
    assert [result["strict"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 0, 0]
    assert "system system: 1 relation repeats another and counts once." in result.notes


def test_types_can_be_renamed_chosen_and_left_out() -> None:
    system = [(plain(("PER", 0, 1), ("COMPANY", 2, 3)), [("heads", 0, 1), ("owns", 0, 1)])]
    sides = annotation(GOLD), annotation(system)
    result = eh.score(*sides, match="strict", map={"heads": "leads", "COMPANY": "ORG"}, exclude="owns")
    assert [result["strict"].overall[kind] for kind in ("TP", "FP", "FN")] == [1, 0, 0]


def test_unannotated_sentences_are_kept_or_skipped() -> None:
    gold, system = [*GOLD, ([], [])], [*GOLD, (ANNA, [("leads", 0, 1)])]
    sides = annotation(gold), annotation(system)
    assert eh.score(*sides, match="strict")["strict"].precision == 0.5
    assert eh.score(*sides, match="strict", unannotated="skip")["strict"].precision == 1


def test_ehealthkd_counts_entities_and_relations() -> None:
    """One entity is correct, one incorrect, one partial; the relation has a stand-in for one end only."""
    gold = [(plain(("A", 0, 1), ("B", 1, 2), ("C", 3, 5)), [("r", 0, 1), ("r", 0, 2)])]
    system = [(plain(("A", 0, 1), ("X", 1, 2), ("C", 4, 6)), [("r", 0, 1), ("r", 0, 2)])]
    overall = score(gold, system, "ehealthkd")["ehealthkd"].overall
    found = [overall[f"{kind}_A"] for kind in ("correct", "incorrect", "partial", "spurious", "missing")]
    assert found == [1, 1, 1, 0, 0]
    assert [overall[f"{kind}_B"] for kind in ("correct", "spurious", "missing")] == [1, 1, 1]
    assert overall.precision == pytest.approx(2.5 / 5)


def test_ehealthkd_takes_the_closure_of_same_as() -> None:
    spans = plain(("A", 0, 1), ("A", 1, 2), ("A", 2, 3), ("A", 3, 4))
    gold = [(spans, [("same-as", 0, 1), ("same-as", 1, 2), ("r", 0, 3)])]
    overall = score(gold, [(spans, [("r", 2, 3)])], "ehealthkd")["ehealthkd"].overall
    assert [overall[f"{kind}_B"] for kind in ("correct", "spurious", "missing")] == [1, 0, 2]


def test_relations_with_too_many_overlapping_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    side: list[Side] = [(ANNA, [(f"r{number}", 0, 1) for number in range(12)])]
    assert counts(score(side, side))["TP"] == 12
    monkeypatch.setenv("EVENHAND_MAX_PAIRS", "100")
    with pytest.raises(InputError, match="12 gold and 12 system relations make 144 overlapping pairs; check the"):
        score(side, side)


# Invariants


LABELS, TYPES = ("A", "B"), ("r", "s", "t")


@st.composite
def sides(draw: st.DrawFn, *, flat: bool = False) -> Side:
    """Spans that nest, cross, repeat and have gaps, and relations between them, also of a span with itself."""
    if flat:
        edges = sorted(draw(st.sets(st.integers(0, TOKENS), max_size=6)))
        tokens = [tuple(range(a, b)) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    else:
        drawn = st.sets(st.integers(0, TOKENS - 1), min_size=1, max_size=3)
        tokens = [tuple(sorted(each)) for each in draw(st.lists(drawn, max_size=5))]
    spans = [(each, draw(st.sampled_from(LABELS))) for each in tokens]
    if not spans:
        return spans, []
    ends = st.integers(0, len(spans) - 1)
    return spans, draw(st.lists(st.tuples(st.sampled_from(TYPES), ends, ends), max_size=6))


def sentence(side: Side) -> Sentence:
    spans = [Argument(tokens, label) for tokens, label in side[0]]
    return Sentence(spans, [Relation(kind, spans[head], spans[tail]) for kind, head, tail in side[1]])


symmetric_types = st.sampled_from([(), ("r",), ("r", "s")])


@given(sides(), sides(), symmetric_types)
@settings(max_examples=150)
def test_the_definition_read_literally(gold: Side, system: Side, symmetric: tuple[str, ...]) -> None:
    expected = kinds(sentence(gold), sentence(system), frozenset(symmetric))
    found = counts(score([gold], [system], symmetric=symmetric))
    assert found == {kind: expected[kind] for kind in KINDS}


@given(sides(), sides(), symmetric_types)
def test_every_relation_counts_once(gold: Side, system: Side, symmetric: tuple[str, ...]) -> None:
    """Gold = TP + E + AM + FN, system = TP + E + AS + FP."""
    result = score([gold], [system], "fair", "strict", symmetric=symmetric)
    actual, strict = counts(result), result["strict"].overall
    paired = actual["TP"] + sum(actual[kind] for kind in PAIRED)
    assert strict["TP"] + strict["FN"] == paired + actual["AM"] + actual["FN"]
    assert strict["TP"] + strict["FP"] == paired + actual["AS"] + actual["FP"]


@given(sides(), sides(), symmetric_types)
def test_fair_and_the_other_models(gold: Side, system: Side, symmetric: tuple[str, ...]) -> None:
    """TP is that of strict; TP + AL at least that of boundaries; relaxed hits at least TP + AB."""
    result = score([gold], [system], "fair", "strict", "boundaries", "relaxed", symmetric=symmetric)
    outcome = counts(result)
    assert outcome["TP"] == result["strict"].overall["TP"]
    boundaries = result["boundaries"].overall["TP"]
    assert outcome["TP"] + outcome["AL"] >= boundaries
    if all(len({tokens for tokens, _ in set(spans)}) == len(set(spans)) for spans, _ in (gold, system)):
        assert outcome["TP"] + outcome["AL"] == boundaries
    for hits in ("gold_hits", "system_hits"):
        assert result["relaxed"].overall[hits] >= outcome["TP"] + outcome["AB"]


@given(sides(), sides(), symmetric_types, st.randoms(use_true_random=False))
def test_swapping_sides_and_shuffling_lines(gold: Side, system: Side, symmetric: tuple[str, ...], random: Any) -> None:
    outcome = counts(score([gold], [system], symmetric=symmetric))
    swapped = counts(score([system], [gold], symmetric=symmetric))
    other = {"AM": "AS", "AS": "AM", "FN": "FP", "FP": "FN"}
    assert {other.get(kind, kind): count for kind, count in swapped.items()} == outcome
    order = random.sample(range(len(system[0])), len(system[0]))
    place = {old: new for new, old in enumerate(order)}
    links = [(kind, place[head], place[tail]) for kind, head, tail in random.sample(system[1], len(system[1]))]
    shuffled = ([system[0][at] for at in order], links)
    assert counts(score([gold], [shuffled], symmetric=symmetric)) == outcome


@given(sides(), symmetric_types)
def test_perfect_and_empty_systems(gold: Side, symmetric: tuple[str, ...]) -> None:
    size = score([gold], [gold], "strict", symmetric=symmetric)["strict"].overall["TP"]
    for system, kind in ((gold, "TP"), (([], []), "AM"), ((gold[0], []), "FN")):
        found = counts(score([gold], [system], symmetric=symmetric))
        assert found == {each: size if each == kind else 0 for each in KINDS}


@given(sides())
def test_swapped_ends_are_wrong_directions(gold: Side) -> None:
    """Unless a relation stands beside its reverse, or two labels are on equal bounds."""
    spans, links = gold
    ends = {(kind, spans[head], spans[tail]) for kind, head, tail in links}
    if ends & {(kind, tail, head) for kind, head, tail in ends} or len({item for item, _ in set(spans)}) < len(
        set(spans)
    ):
        return
    found = counts(score([gold], [(spans, [(kind, tail, head) for kind, head, tail in links])]))
    assert found == {item: len(ends) if item == "DE" else 0 for item in KINDS}


@given(sides(flat=True), st.data())
def test_equal_spans_without_overlaps_have_no_faults_of_entities(gold: Side, data: st.DataObject) -> None:
    spans = gold[0]
    ends = st.integers(0, max(len(spans) - 1, 0))
    links = data.draw(st.lists(st.tuples(st.sampled_from(TYPES), ends, ends), max_size=6)) if spans else []
    found = counts(score([gold], [(spans, links)]))
    assert not any(found[kind] for kind in ("AL", "AB", "ALB", "XE", "AM", "AS"))


# Lists


@pytest.mark.parametrize(
    ("spans", "links", "sentence"),
    [
        ([[("A", 0, 1)]], [[("r", 0, 1)]], "('r', 0, 1) of sentence 1 refers to a missing span"),
        ([[("A", 0, 1)]], [], "got 0 lists of relations for 1 of spans"),
        ([[("A", 0, 1)]], [[("r", 0)]], "expected a tuple of 3 in sentence 1, got ('r', 0)"),
        ([[("A", 0, 1)]], [[("", 0, 0)]], "sentence 1 has the type '', not a string"),
        ({"d": [("A", 0, 1)]}, {"e": []}, "the document 'e' has relations but no spans"),
        ({"d": [("A", 0, 1)]}, [[]], "one of spans and relations is a mapping"),
    ],
)
def test_lists_that_are_no_relations(spans: Any, links: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        eh.relations(spans, links)
    assert sentence in str(error.value)


def test_documents_are_matched_by_id() -> None:
    gold = eh.relations({"a": [("A", 0, 1), ("B", 1, 2)], "b": []}, {"a": [("r", 0, 1)]})
    system = eh.relations({"b": [], "a": [("B", 1, 2), ("A", 0, 1)]}, {"a": [("r", 1, 0)]})
    assert eh.score(gold, system)["strict"].f1 == 1


def test_spans_alone_have_no_relations() -> None:
    with pytest.raises(SettingError, match="spans has no relations; use a file that has some"):
        eh.score(annotation(GOLD), eh.spans([[("PER", 0, 1)]]))


# Parts


EXAMPLES = ROOT / "src" / "evenhand" / "examples" / "relations"
GOLD_FILE, JOINT, RULES = (EXAMPLES / f"{name}.jsonl" for name in ("gold", "joint", "rules"))


def in_small_parts(command: Callable[[], Any]) -> Any:
    """Blocks of a few records, each of which is a part."""
    with small_blocks(100) as patch:
        patch.setattr("evenhand.tasks.relations.evaluation._MANY_SPANS", 1)
        return command()


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def with_text(record: dict[str, Any]) -> dict[str, Any]:
    """A record with a text and offsets in place of tokens."""
    words, spans = record["tokens"], []
    for span in record["spans"]:
        start, quote = len(" ".join([*words[: span["start"]], ""])), " ".join(words[span["start"] : span["end"]])
        spans.append({**span, "start": start, "end": start + len(quote)})
    return {"text": " ".join(words), "spans": spans, "relations": record["relations"]}


def one_document(records: list[dict[str, Any]], *links: list[Any]) -> dict[str, Any]:
    """DyGIE++: one document, in which each sentence has two of the records; `links` are additional relations."""
    sentences, ner, relations, before = list[list[str]](), list[Any](), list[Any](), 0
    for number, record in enumerate(records):
        ends = {span["id"]: [before + span["start"], before + span["end"] - 1] for span in record["spans"]}
        entities = [[*ends[span["id"]], span["label"]] for span in record["spans"]]
        pairs = [[*ends[link["head"]], *ends[link["tail"]], link["label"]] for link in record["relations"]]
        if number % 2:
            sentences[-1] += record["tokens"]
            ner[-1] += entities
            relations[-1] += pairs
        else:
            sentences.append(list(record["tokens"]))
            ner.append(entities)
            relations.append(pairs)
        before += len(record["tokens"])
    relations[0] += links
    return {"doc_key": "all", "sentences": sentences, "ner": ner, "relations": relations}


def test_no_score_depends_on_parts(tmp_path: Path) -> None:
    assert len(in_small_parts(lambda: list(batches(GOLD_FILE, ReadSettings(task="relations"), Vocabulary())))) > 10
    texts = [write_lines(tmp_path / path.name, map(with_text, read_records(path))) for path in (GOLD_FILE, RULES)]
    for sides in ((GOLD_FILE, RULES), texts, (GOLD_FILE, texts[1])):
        match = "strict,relaxed,fair,dygie" + ("" if sides[1] is texts[1] and sides[0] is GOLD_FILE else ",ehealthkd")
        for unannotated in ("keep", "skip"):
            command = partial(eh.score, *sides, match=match, unannotated=unannotated)
            assert in_small_parts(command).to_json() == command().to_json()


def test_no_comparison_depends_on_parts() -> None:
    command = partial(eh.compare, GOLD_FILE, [RULES, JOINT], trials=20, resamples=20)
    assert in_small_parts(command).to_json() == command().to_json()


def test_no_score_depends_on_parts_if_sentences_differ(tmp_path: Path) -> None:
    """The system has one document with other sentences, and every gold record is a document."""
    system = write_lines(tmp_path / "system.jsonl", [one_document(read_records(JOINT))])
    command = partial(eh.score, GOLD_FILE, system, match="strict,fair")
    expected = eh.score(GOLD_FILE, JOINT, match="strict,fair")
    assert in_small_parts(command).to_json() == command().to_json()
    assert command()["fair"].overall.counts == expected["fair"].overall.counts


def test_a_relation_of_a_system_that_two_parts_would_divide(tmp_path: Path) -> None:
    records = read_records(JOINT)
    last = sum(len(record["tokens"]) for record in records) - 1
    system = write_lines(tmp_path / "system.jsonl", [one_document(records, [0, 1, last, last, "knows"])])
    with pytest.raises(InputError) as error:
        in_small_parts(partial(eh.score, GOLD_FILE, system))
    assert str(error.value) == (
        f"{system}: a relation has its ends in two documents of the gold standard; "
        "use documents that contain whole relations on both sides."
    )
