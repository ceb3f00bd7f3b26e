"""All layers of spaCy's documents: the choice of one, missing annotation, and tokens that differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import main

tokens = pytest.importorskip("spacy.tokens", reason="the documents are made with spaCy")
Vocab = pytest.importorskip("spacy.vocab").Vocab
Example = pytest.importorskip("spacy.training").Example
WORDS = ["Ada", "lives", "in", "London"]
PARSED: dict[str, Any] = {
    "tags": ["NNP", "VBZ", "IN", "NNP"],
    "pos": ["PROPN", "VERB", "ADP", "PROPN"],
    "lemmas": ["Ada", "live", "in", "London"],
    "morphs": ["Number=Sing", "Number=Sing|Person=3", "", "Number=Sing"],
    "heads": [1, 1, 1, 2],
    "deps": ["nsubj", "ROOT", "prep", "pobj"],
}


def doc(words: Sequence[str] = WORDS, ents: Sequence[tuple[Any, ...]] | None = None, **layers: Any) -> Any:
    """A document; entities are (label, start, end) or (label, start, end, identifier)."""
    groups = layers.pop("groups", {})
    made = tokens.Doc(Vocab(), words=list(words), **layers)
    for key, spans in groups.items():
        made.spans[key] = [tokens.Span(made, start, end, label=label) for label, start, end in spans]
    if ents is not None:
        spans = [(label, start, end, *kb_id) for label, start, end, *kb_id in ents]
        made.set_ents(
            [tokens.Span(made, start, end, label=label, kb_id="".join(kb_id)) for label, start, end, *kb_id in spans]
        )
    return made


def full(**changes: Any) -> Any:
    """A document with all layers."""
    ents = changes.pop("ents", [("PER", 0, 1, "Q7259"), ("LOC", 3, 4, "Q84")])
    return doc(ents=ents, groups={"sc": [("PER", 0, 1), ("LOC", 2, 4)]}, **{**PARSED, **changes})


GOLD = full()
SYSTEM = full(
    ents=[("PER", 0, 1, "Q7259"), ("ORG", 3, 4, "Q92561")],
    tags=["NNP", "VBZ", "IN", "NN"],
    lemmas=["Ada", "lives", "in", "London"],
    heads=[1, 1, 1, 1],
)


def test_all_layers_in_one_call() -> None:
    layers = eh.score(GOLD, SYSTEM, layer="all")
    assert list(layers) == ["ents", "spans:sc", "links", "tag", "pos", "lemma", "morph", "trees", "sents"]
    headlines = {layer: next(iter(result.values())).headline for layer, result in layers.items()}
    assert headlines == {
        **dict.fromkeys(("spans:sc", "pos", "morph", "sents"), 1.0),
        **dict.fromkeys(("ents", "links"), 0.5),
        **dict.fromkeys(("tag", "lemma"), 0.75),
        "trees": 0.75,
    }
    assert str(layers).startswith("# ents\n\ngold standard docs: 2 spans")
    assert list(layers.to_dict()) == list(layers)
    assert list(eh.score(GOLD, SYSTEM, layer="all", task="tags")) == ["tag", "pos", "lemma", "morph"]
    assert list(eh.score([GOLD], {"a": [SYSTEM], "b": [GOLD]}, layer="all")["tag"]) == ["a", "b"]


def test_all_layers_have_no_notes_on_each_other() -> None:
    """Spans of another layer are scored in its own result; only layers of one side are mentioned, once."""
    layers = eh.score(GOLD, SYSTEM, layer="all")
    assert [note for result in layers.values() for note in result.notes if "skipped" in note] == []
    assert layers.notes == ()
    other = SYSTEM.copy()
    other.spans["ruler"] = []
    layers = eh.score(GOLD, other, layer="all")
    assert layers.notes == ("The system also has spans:ruler, which not all sides have.",)
    assert str(layers).endswith("Note: The system also has spans:ruler, which not all sides have.")


def test_options_of_all_layers_are_not_dropped() -> None:
    with pytest.raises(eh.SettingError, match="drop_leaked needs training data"):
        eh.score(GOLD, SYSTEM, layer="all", drop_leaked=True)


def test_all_layers_on_the_command_line(tmp_path: Path) -> None:
    for name, made in (("gold", GOLD), ("system", SYSTEM)):
        tokens.DocBin(docs=[made]).to_disk(tmp_path / f"{name}.spacy")
    files = (str(tmp_path / "gold.spacy"), str(tmp_path / "system.spacy"))
    runner = CliRunner()
    printed = runner.invoke(main, ["score", *files, "--layer", "all"]).stdout
    assert [line for line in printed.splitlines() if line.startswith("# ")] == [
        f"# {layer}" for layer in eh.score(GOLD, SYSTEM, layer="all")
    ]
    saved = json.loads(runner.invoke(main, ["score", *files, "--layer", "all", "--as", "json"]).stdout)["layers"]
    assert saved["trees"]["systems"][0]["scores"]["uas"]["headline"] == 0.75
    result = runner.invoke(main, ["score", *files, "--layer", "all", "--as", "csv"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "choose one of the layers, or another form" in result.stderr


def test_the_same_from_every_kind_of_input(tmp_path: Path) -> None:
    for name, made in (("gold", GOLD), ("system", SYSTEM)):
        tokens.DocBin(docs=[made]).to_disk(tmp_path / f"{name}.spacy")
    sides: list[tuple[Any, ...]] = [
        (GOLD, SYSTEM),
        ([GOLD], [SYSTEM]),
        (tokens.DocBin(docs=[GOLD]), [SYSTEM]),
        ([Example(SYSTEM, GOLD)],),
        (Example(SYSTEM, GOLD),),
        (tmp_path / "gold.spacy", tmp_path / "system.spacy"),
    ]
    for each in sides:
        layers = eh.score(*each, layer="all")
        assert [next(iter(result.values())).headline for result in layers.values()] == [
            *(0.5, 1, 0.5, 0.75, 1, 0.75, 1, 0.75, 1)
        ]
    assert eh.score(eh.docs(GOLD, layer="trees"), eh.docs(SYSTEM, layer="trees"))["uas"].f1 == 0.75
    assert eh.score(eh.docs(GOLD, layer="morph"), SYSTEM)["accuracy"].f1 == 1


def test_a_bin_has_the_layers_that_it_stores(tmp_path: Path) -> None:
    stored = tokens.DocBin(attrs=["TAG", "ENT_IOB"], docs=[GOLD])
    assert list(eh.score(stored, SYSTEM, layer="all")) == ["ents", "spans:sc", "tag"]


def test_entities_come_first_and_a_note_names_the_other_layers() -> None:
    result = eh.score(GOLD, SYSTEM)
    assert result.reading.column == "ents"
    assert result.notes[0] == (
        "Both sides also have spans:sc, links, tag, pos, lemma, morph, trees and sents; choose one with layer=…, or use "
        'layer="all".'
    )


def test_a_task_narrows_the_choice() -> None:
    assert eh.score(GOLD, SYSTEM, task="tags").reading.column == "tag"
    without_tags = full(tags=None)
    assert eh.score(without_tags, SYSTEM, task="tags").reading.column == "pos"
    assert eh.score(GOLD, SYSTEM, task="trees").reading.column == "trees"
    assert eh.score(GOLD, SYSTEM, task="links").reading.column == "links"
    assert eh.score(GOLD, SYSTEM, task="links", layer="spans:sc").reading.column == "spans:sc"


def test_several_layers_without_entities_need_a_choice() -> None:
    gold = doc(tags=PARSED["tags"], heads=PARSED["heads"], deps=PARSED["deps"], groups={"sc": []})
    with pytest.raises(eh.SettingError) as raised:
        eh.score(gold, gold)
    assert str(raised.value) == (
        'Both sides have spans:sc, tag, trees and sents. Choose one with layer=…, or use layer="all".'
    )
    assert eh.score(doc(tags=PARSED["tags"]), SYSTEM)["accuracy"].f1 == 0.75  # the only layer that both have


def test_two_layers_are_compared_on_purpose_only() -> None:
    gold = doc(groups={"sc": [("PER", 0, 1)]})
    system = doc(groups={"ruler": [("PER", 0, 1)]})
    assert eh.score(gold, system, layer={"gold": "spans:sc", "system": "spans:ruler"})["exact"].f1 == 1
    with pytest.raises(eh.SettingError, match="ents cannot be compared with tag; choose layers of one task"):
        eh.score(GOLD, SYSTEM, layer={"gold": "ents", "system": "tag"})


def test_categories_of_documents_are_not_read() -> None:
    classified = doc()
    classified.cats = {"travel": 1.0}
    with pytest.raises(eh.SettingError, match=r"doc\.cats labels whole documents and is not read"):
        eh.score(classified, classified)


def test_layer_is_for_files_with_layers() -> None:
    with pytest.raises(eh.SettingError, match="layer chooses among the layers of spaCy's documents; use column"):
        eh.score(eh.tags([["O"]]), eh.tags([["O"]]), layer="ents")
    with pytest.raises(eh.SettingError, match='layer="all" works only in score; specify one layer'):
        eh.compare(GOLD, {"a": GOLD, "b": SYSTEM}, layer="all")


def test_comparisons_take_a_layer() -> None:
    comparison = eh.compare([GOLD, GOLD], {"a": [SYSTEM, SYSTEM], "b": [SYSTEM, GOLD]}, layer="tag")
    assert [unit.words for unit in comparison.pair("a", "b").corrections.units()] == ["London"]
    assert list(eh.errors(GOLD, SYSTEM, layer="trees")["string"]) == ["London"]
    assert eh.rank(GOLD, {"a": SYSTEM, "b": GOLD}, layer="lemma")["accuracy"]["b"].rank == 1


# Missing annotation


def test_a_fresh_document_is_not_annotated_as_empty() -> None:
    gold = [GOLD, doc(ents=[])]
    system = [GOLD, doc(ents=[("PER", 0, 1)])]
    assert eh.score(gold, system)["exact"].overall["FP"] == 1
    gold = [GOLD, doc()]
    result = eh.score(gold, system)
    assert result["exact"].overall["FP"] == 0
    assert "gold docs: skipped unannotated documents of the layer ents (1)." in result.notes
    assert result.signature.endswith("|missing:left-out")
    assert eh.score(system, gold)["exact"].overall["FN"] == 1  # a system's document without entities is empty


def test_an_entity_that_touches_an_unannotated_token_is_left_out() -> None:
    gold = tokens.Doc(Vocab(), words=WORDS)
    gold.set_ents([tokens.Span(gold, 3, 4, "LOC")], missing=[gold[0:2]], default="outside")
    assert [token.ent_iob for token in gold] == [0, 0, 2, 3]
    for touching in ("PER", 0, 1), ("PER", 1, 3):
        row = eh.score(gold, doc(ents=[touching, ("LOC", 3, 4)]))["exact"].overall
        assert (row["TP"], row["FP"], row["FN"]) == (1, 0, 0)
    notes = eh.score(gold, doc(ents=[touching, ("LOC", 3, 4)])).notes
    assert "system docs: 1 span is left out, on tokens that the gold standard leaves unannotated." in notes
    assert eh.score(gold, doc(ents=[("PER", 2, 3)]))["exact"].overall["FP"] == 1
    assert "gold docs: skipped unannotated tokens of the layer ents (2)." in eh.score(gold, GOLD).notes


@pytest.mark.parametrize("layer", ["tag", "pos", "lemma"])
def test_tokens_without_a_value_are_left_out_of_the_gold_standard_only(layer: str) -> None:
    name = {"tag": "tags", "pos": "pos", "lemma": "lemmas"}[layer]
    partial = full(**{name: ["", *PARSED[name][1:]]})
    result = eh.score(partial, GOLD, layer=layer)
    assert (result.gold.units, result["accuracy"].f1) == (3, 1)
    assert f"gold docs: skipped unannotated tokens of the layer {layer} (1)." in result.notes
    score = eh.score(GOLD, partial, layer=layer)["accuracy"]
    assert (score.precision, score.recall) == (0.75, 0.75)  # the empty tag of a system is a wrong one


def test_features_that_are_set_to_nothing_are_not_missing() -> None:
    gold, system = full(), full(morphs=["Number=Sing", "Number=Plur|Person=3", "Case=Nom", "Number=Sing"])
    score = eh.score(gold, system, layer="morph", match="accuracy,features")
    assert score["accuracy"].f1 == 0.5
    overall = score["features"].overall  # the third word has no features in the gold standard
    assert (overall["TP"], overall["FP"], overall["FN"]) == (3, 1, 1)
    assert score["features"].labels["Number"].f1 == pytest.approx(2 / 3)
    unset = full()
    unset[1].set_morph(None)
    assert eh.score(unset, system, layer="morph").gold.units == 3
    errors = eh.errors(gold, system, layer="morph", match="features")
    assert list(zip(errors["string"], errors["type"], errors["gold"], errors["predicted"], strict=True)) == [
        ("lives", "FN", "Number=Sing", None),
        ("lives", "FP", None, "Number=Plur"),
    ]


def test_dependents_of_a_token_without_a_relation_stay() -> None:
    gold = full(deps=["nsubj", "", "prep", "pobj"])
    result = eh.score(gold, SYSTEM, layer="trees")
    assert (result.gold.units, result["uas"].overall["correct"]) == (3, 2)
    assert "gold docs: skipped unannotated tokens of the layer trees (1)." in result.notes


# Trees


def test_punctuation_is_left_out_on_each_side_by_its_own_relation() -> None:
    words = ["Go", "!"]
    gold = doc(words, heads=[0, 0], deps=["ROOT", "punct"])
    system = doc(words, heads=[0, 0], deps=["ROOT", "dep"])
    default = eh.score(gold, system, layer="trees")["uas"]
    assert (default.precision, default.recall) == (0.5, 1.0)
    assert "|punctuation:spacy|" in eh.score(gold, system, layer="trees").signature
    assert eh.score(gold, system, layer="trees", punctuation="keep")["uas"].f1 == 1
    assert eh.score(gold, system, layer="trees", punctuation="relation")["uas"].f1 == 1


def test_relations_are_compared_in_lower_case_and_heads_may_cross() -> None:
    heads, relations = [2, 3, 2, 2], ["det", "amod", "ROOT", "nsubj"]
    gold = doc(heads=heads, deps=relations)
    assert eh.score(gold, doc(heads=heads, deps=["DET", "amod", "root", "nsubj"]), layer="trees")["las"].f1 == 1
    assert eh.score(gold, doc(heads=[2, 3, 2, 1], deps=relations), layer="trees")["uas"].f1 == 0.75


def test_projective_trees_are_refused() -> None:
    projective = doc(heads=[1, 1, 1, 1], deps=["nsubj", "ROOT", "prep", "pobj||prep"])
    with pytest.raises(eh.InputError) as raised:
        eh.score(GOLD, projective, layer="trees")
    assert str(raised.value) == (
        "docs:1: the relation 'pobj||prep' is one of a tree that was made projective; score the output of the whole "
        "pipeline, which restores the heads."
    )


# Links


def test_links_of_equal_spans_regardless_of_label() -> None:
    ids = ("Q1", "NIL", "Q3", "NIL")
    gold = doc(ents=[("PER", at, at + 1, each) for at, each in enumerate(ids)])
    system = doc(ents=[("ORG", at, at + 1, each) for at, each in enumerate(("Q1", "Q2", "NIL", "NIL"))])
    row = eh.score(gold, system, layer="links")["paired"].overall
    assert (row["TP"], row["FP"], row["FN"]) == (1, 1, 1)
    other = doc(ents=[("PER", 0, 1, "Q8"), ("PER", 1, 3, "NIL"), ("PER", 3, 4, "")])
    row = eh.score(gold, other, layer="links")["paired"].overall
    assert (row["TP"], row["FP"], row["FN"]) == (0, 2, 1)  # Q8 for Q1, and an empty identifier for NIL


def test_empty_identifiers_are_equal_for_paired_and_no_link_for_other_measures() -> None:
    gold = doc(ents=[("PER", 0, 1, "Q7259"), ("LOC", 3, 4, "")])
    result = eh.score(gold, gold, layer="links", match="paired,all")
    assert (result["paired"].overall["TP"], result["all"].overall["TP"]) == (2, 1)
    assert len(eh.errors(gold, gold, layer="links", match="paired", all=True)) == 2


# Tokens that differ


SPLIT = ["Ada", "li", "ves", "in", "London"]


def test_a_token_needs_exactly_one_gold_token() -> None:
    gold, split = doc(tags=PARSED["tags"]), doc(SPLIT, tags=["NNP", "VBZ", "VBZ", "IN", "NNP"])
    assert eh.score(gold, split, layer="tag")["accuracy"].f1 == 1  # two equal tags of one gold token count once
    split[2].tag_ = "NN"
    score = eh.score(gold, split, layer="tag")["accuracy"]
    assert (score.precision, score.recall) == (0.8, 1.0)
    score = eh.score(split, gold, layer="tag")["accuracy"]  # "lives" has two gold tokens, and does not count
    assert (score.precision, score.recall) == (1.0, 0.6)


def test_an_arc_without_a_single_gold_token_is_wrong() -> None:
    gold = doc(SPLIT, heads=[1, 1, 1, 1, 3], deps=["nsubj", "ROOT", "dep", "prep", "pobj"])
    score = eh.score(gold, GOLD, layer="trees")["uas"]
    # Ada and in have the head "lives", which has two gold tokens; only London has its head.
    assert (score.precision, score.recall) == (0.25, 0.2)


def test_two_relations_of_one_arc_count_twice_for_las_and_once_for_uas() -> None:
    words = ["Ada", "lived"]
    gold = doc(words, heads=[1, 1], deps=["nsubj", "ROOT"])
    split = doc(["A", "da", "lived"], heads=[2, 2, 2], deps=["nsubj", "dep", "ROOT"])
    result = eh.score(gold, split, layer="trees")
    assert (result["uas"].precision, result["uas"].recall) == (1, 1)
    assert (result["las"].precision, result["las"].recall) == (pytest.approx(2 / 3), 1)


def test_spans_are_counted_if_they_have_whole_gold_tokens() -> None:
    gold = doc(["NewYork", "calls"], ents=[("LOC", 0, 1)], groups={"sc": [("LOC", 0, 1)]})
    system = doc(["New", "York", "calls"], ents=[("LOC", 1, 2)], groups={"sc": [("LOC", 1, 2), ("LOC", 0, 2)]})
    assert eh.score(gold, system, layer="spans:sc")["exact"].f1 == 1  # "York" is left out
    assert eh.score(gold, system, layer="ents")["exact"].f1 == 0
    assert eh.score(gold, system, layer="ents", align="overlap")["exact"].f1 == 1  # as in spaCy


def test_sentences_of_other_tokens() -> None:
    gold = doc(["Go", "!", "Now", "!"], sent_starts=[True, False, True, False])
    system = doc(["Go!", "Now", "!"], sent_starts=[True, True, False])
    assert eh.score(gold, system, layer="sents")["exact"].f1 == 1
    system = doc(["Go", "!", "Now", "!"], sent_starts=[True, False, False, False])
    row = eh.score(gold, system, layer="sents")["exact"].overall
    assert (row["TP"], row["FP"], row["FN"]) == (0, 1, 2)


def test_white_space_tokens_of_a_system_are_not_units() -> None:
    gold = doc(["Go", "now"], tags=["VB", "RB"])
    system = doc(["Go", "\n", "now"], tags=["VB", "_SP", "RB"])
    assert eh.score(gold, system, layer="tag")["accuracy"].f1 == 1
    score = eh.score(system, gold, layer="tag")["accuracy"]
    assert (score.precision, score.recall) == (1, pytest.approx(2 / 3))


def test_texts_may_differ_in_case_and_white_space_only() -> None:
    upper = doc(["ADA", "lives", "in", "London"], tags=PARSED["tags"])
    assert eh.score(GOLD, upper, layer="tag")["accuracy"].f1 == 1
    other = doc(["Ada", "lives", "in", "Paris"], tags=PARSED["tags"])
    with pytest.raises(eh.InputError) as raised:
        eh.score([GOLD, GOLD], [GOLD, other], layer="tag")
    assert str(raised.value) == (
        "docs:2: document 2 has 'paris' at offset 13 where the gold standard has 'london'; give the same text on both "
        "sides; case and white space may differ."
    )
    with pytest.raises(eh.InputError, match="docs:2: the system ends before document 2; give the same documents"):
        eh.score([GOLD, GOLD], [SYSTEM], layer="tag")


def test_other_functions_take_a_layer_of_one_side() -> None:
    agreement = eh.agree({"ana": [GOLD], "ben": [SYSTEM]}, layer="tag")
    assert agreement.to_dict()["task"] == "tags"
    with pytest.raises(eh.SettingError, match="The layer tag is scored as tags, not as spans; remove the task"):
        eh.score(GOLD, SYSTEM, layer="tag", task="spans")
