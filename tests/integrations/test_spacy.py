"""The scorer for spaCy, found through its entry point: in `nlp.evaluate`, and in a training run."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.integrations.spacy import make_scorer

spacy = pytest.importorskip("spacy")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
NAME = "evenhand.scorer.v1"
TEXT = "Ada Lovelace lived in London ."
PATTERNS = [{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "London"}]
CONFIG = """
[paths]
train = null

[nlp]
lang = "en"
pipeline = ["ner", "entity_ruler"]

[components]

[components.ner]
factory = "ner"

[components.ner.scorer]
@scorers = "evenhand.scorer.v1"
match = "fair,exact"

[components.ner.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "ner"
extra_state_tokens = false
hidden_width = 8
maxout_pieces = 1
use_upper = false

[components.ner.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
width = 8
depth = 1
embed_size = 50
window_size = 1
maxout_pieces = 1
subword_features = false
pretrained_vectors = null

[components.entity_ruler]
factory = "entity_ruler"
overwrite_ents = true
scorer = null

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[training]
seed = 1
max_steps = 2
eval_frequency = 1
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"

[training.score_weights]
evenhand_ents_f1 = 1.0
evenhand_ents_exact_f1 = 0.0
ents_f = 0.0

[initialize]
"""


@pytest.fixture(autouse=True)
def registered() -> None:
    """The entry point takes effect when the package is installed: an older install of it lacks the scorer."""
    if NAME not in {point.name for point in entry_points(group="spacy_scorers")}:
        spacy.registry.scorers.register(NAME, func=make_scorer)


def example(nlp: Any, *ents: tuple[int, int, str], text: str = TEXT) -> Any:
    return spacy.training.Example.from_dict(nlp.make_doc(text), {"entities": list(ents)})


def ruler(**config: Any) -> Any:
    nlp = spacy.blank("en")
    scorer = {"@scorers": NAME, **config}
    nlp.add_pipe("entity_ruler", config={"scorer": scorer}).add_patterns(PATTERNS)
    return nlp


def test_pyproject_names_the_scorer() -> None:
    import tomllib

    from conftest import ROOT

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["spacy_scorers"][NAME].partition(":")
    assert (module, name) == (make_scorer.__module__, make_scorer.__name__)


def test_evaluate_has_the_figures_of_both() -> None:
    nlp = ruler()
    evaluated = nlp.evaluate([example(nlp, (0, 12, "PER"), (22, 28, "LOC"))])
    assert (evaluated["ents_f"], evaluated["ents_per_type"]["LOC"]["f"]) == (0.5, 1.0)
    assert (evaluated["evenhand_ents_f1"], evaluated["evenhand_ents_LOC_f1"]) == (0.5, 1.0)
    assert evaluated["evenhand_ents_fair_f1"] == pytest.approx(
        2 / 3
    )  # the entity that is too short is one error, not two


def test_the_config_chooses_match_models() -> None:
    nlp = ruler(match="fair")
    found = nlp.evaluate([example(nlp, (0, 12, "PER"), (22, 28, "LOC"))])
    assert found["evenhand_ents_f1"] == pytest.approx(2 / 3)
    assert "evenhand_ents_fair_f1" not in found
    with pytest.raises(eh.SettingError, match="fare"):
        ruler(match="fare")


def test_documents_without_annotation_are_left_out() -> None:
    nlp = ruler()
    unknown = spacy.training.Example(nlp.make_doc(TEXT), nlp.make_doc(TEXT))
    assert nlp.evaluate([example(nlp, (0, 3, "PER"), (22, 28, "LOC")), unknown])["evenhand_ents_f1"] == 1
    found = nlp.evaluate([unknown])
    assert found["ents_f"] is None
    assert {value for name, value in found.items() if name.startswith("evenhand_ents_")} == {None}
    assert {"evenhand_ents_f1", "evenhand_ents_fair_LE"} <= found.keys()


def test_a_reference_without_entities_is_annotated_as_empty() -> None:
    """Evenhand's scores are undefined without a gold unit; spaCy's are 0 if the system has one."""
    nlp = ruler()
    found = nlp.evaluate([example(nlp)])
    assert (found["ents_f"], found["evenhand_ents_f1"], found["evenhand_ents_fair_FP"]) == (0, None, 2)


def test_documents_of_different_vocabularies() -> None:
    """The scorer works outside a pipeline, and compares strings of both vocabularies."""
    sides = [spacy.tokens.Doc(spacy.vocab.Vocab(), words=["Ada", "left"], morphs=["Number=Sing", ""]) for _ in range(2)]
    for doc in sides:
        doc.spans["sc"] = [spacy.tokens.Span(doc, 0, 1, "PER", kb_id="Q7259")]
    examples = [spacy.training.Example(*sides)]
    morph = make_scorer(layer="morph")(examples)
    assert (morph["morph_acc"], morph["evenhand_morph_f1"]) == (1, 1)
    spans = make_scorer(layer="spans:sc")(examples)
    assert (spans["spans_sc_f"], spans["evenhand_spans_sc_f1"]) == (1, 1)


def test_other_tokens_are_aligned_by_characters() -> None:
    nlp = ruler()
    reference = spacy.tokens.Doc(
        nlp.vocab, words=["Ada", "lived", "in", "Lon", "don"], spaces=[True, True, True, False, False]
    )
    reference.set_ents([spacy.tokens.Span(reference, 0, 1, "PER"), spacy.tokens.Span(reference, 3, 5, "LOC")])
    found = nlp.evaluate([spacy.training.Example(nlp.make_doc(reference.text), reference)])
    assert (found["ents_f"], found["evenhand_ents_f1"]) == (1, 1)


def test_a_span_group() -> None:
    nlp = spacy.blank("en")
    scorer = {"@scorers": NAME, "group": "ruler"}
    nlp.add_pipe("span_ruler", config={"scorer": scorer}).add_patterns(PATTERNS)
    gold = example(nlp)
    gold.reference.spans["ruler"] = [
        spacy.tokens.Span(gold.reference, *span) for span in [(0, 2, "PER"), (4, 5, "LOC")]
    ]
    found = nlp.evaluate([gold])
    assert (found["spans_ruler_f"], found["evenhand_spans_ruler_f1"]) == (0.5, 0.5)
    assert found["evenhand_spans_ruler_fair_f1"] == pytest.approx(2 / 3)
    empty = make_scorer(group="ruler")([spacy.training.Example(nlp.make_doc(TEXT), gold.reference)])
    assert (empty["evenhand_spans_ruler_recall"], empty["spans_ruler_r"]) == (0, 0)


def test_components_do_not_overwrite_each_other() -> None:
    nlp = ruler(match="fair")
    nlp.add_pipe("span_ruler", config={"scorer": {"@scorers": NAME, "group": "ruler"}}).add_patterns(PATTERNS[:1])
    gold = example(nlp, (0, 12, "PER"), (22, 28, "LOC"))
    gold.reference.spans["ruler"] = [spacy.tokens.Span(gold.reference, 0, 1, "PER")]
    evaluated = nlp.evaluate([gold])
    assert evaluated["evenhand_ents_f1"] == pytest.approx(2 / 3)
    assert evaluated["evenhand_spans_ruler_f1"] == 1
    assert "evenhand_f1" not in evaluated


def test_two_components_that_score_one_layer_have_their_names_in_the_keys() -> None:
    nlp = ruler(match="fair")
    scorer = {"@scorers": NAME, "match": "exact"}
    nlp.add_pipe("entity_ruler", name="second", config={"scorer": scorer}).add_patterns(PATTERNS)
    evaluated = nlp.evaluate([example(nlp, (0, 12, "PER"), (22, 28, "LOC"))])
    assert evaluated["evenhand_entity_ruler_ents_f1"] == pytest.approx(2 / 3)
    assert evaluated["evenhand_second_ents_f1"] == 0.5
    assert "evenhand_ents_f1" not in evaluated
    by_component = nlp.evaluate([example(nlp, (0, 12, "PER"))], per_component=True)
    assert by_component["second"]["evenhand_second_ents_recall"] == 0


def annotated(nlp: Any, text: str = "Ada lives here") -> Any:
    """An example with all layers."""
    words = text.split()
    heads, deps = [1, 1, 1][: len(words)], ["nsubj", "ROOT", "advmod"][: len(words)]
    gold = spacy.tokens.Doc(
        nlp.vocab,
        words=words,
        tags=["NNP", "VBZ", "RB"],
        pos=["PROPN", "VERB", "ADV"],
        morphs=["Number=Sing", "Number=Sing|Person=3", ""],
        lemmas=["Ada", "live", "here"],
        heads=heads,
        deps=deps,
    )
    gold.set_ents([spacy.tokens.Span(gold, 0, 1, label="PER", kb_id="Q7259")])
    gold.spans["sc"] = [spacy.tokens.Span(gold, 0, 1, label="PER")]
    return spacy.training.Example(nlp.make_doc(gold.text), gold)


def test_the_layers_follow_from_the_components() -> None:
    """Every component has the keys and the figures of its own scorer, besides Evenhand's."""
    pipeline: dict[str, dict[str, str]] = {
        **{name: {} for name in ("tagger", "morphologizer", "parser", "ner")},
        "spancat": {"spans_key": "sc"},
        "span_ruler": {},
        "sentencizer": {},
    }
    keys = []
    for has_scorer in (True, False):
        nlp = spacy.blank("en")
        for name, config in pipeline.items():
            nlp.add_pipe(name, config={**config, "scorer": {"@scorers": NAME}} if has_scorer else config)
        examples = [annotated(nlp)]
        examples[0].reference.spans["ruler"] = []
        spacy.util.fix_random_seed(0)
        nlp.initialize(lambda examples=examples: examples)
        nlp.get_pipe("span_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
        keys.append({name: value for name, value in nlp.evaluate(examples).items() if name != "speed"})
    own = {name: value for name, value in keys[0].items() if not name.startswith("evenhand_")}
    assert own == keys[1]
    layers = ("tag", "pos", "morph", "trees", "ents", "spans_sc", "spans_ruler", "parser_sents", "sentencizer_sents")
    for layer in layers:
        assert f"evenhand_{layer}_f1" in keys[0]
    assert keys[0]["evenhand_tag_f1"] == pytest.approx(keys[0]["tag_acc"])
    assert keys[0]["evenhand_trees_f1"] == pytest.approx(keys[0]["dep_uas"])


def test_evaluate_with_two_components_that_name_the_scorer() -> None:
    nlp = spacy.blank("en")
    scorer = {"scorer": {"@scorers": NAME}}
    nlp.add_pipe("entity_ruler", config=scorer).add_patterns([{"label": "ORG", "pattern": "Ada"}])
    nlp.add_pipe("attribute_ruler", config=scorer).add_patterns(
        [{"patterns": [[{"ORTH": "Ada"}]], "attrs": {"TAG": "NNP", "LEMMA": "Ada", "MORPH": "Number=Sing"}}]
    )
    found = nlp.evaluate([annotated(nlp)])
    assert (found["ents_f"], found["evenhand_ents_f1"]) == (0, 0)
    assert found["evenhand_ents_fair_LE"] == 1
    assert found["tag_acc"] == found["evenhand_tag_f1"] == pytest.approx(1 / 3)
    assert found["lemma_acc"] == found["evenhand_lemma_f1"] == pytest.approx(1 / 3)
    assert found["morph_acc"] == found["evenhand_morph_f1"] == pytest.approx(1 / 3)
    assert found["pos_acc"] == found["evenhand_pos_f1"] == 0


def test_a_layer_that_no_reference_has_is_none() -> None:
    nlp = spacy.blank("en")
    example = spacy.training.Example(nlp.make_doc(TEXT), nlp.make_doc(TEXT))
    layers = {
        "ents": "ents_f",
        "spans:sc": "spans_sc_f",
        "tag": "tag_acc",
        "pos": "pos_acc",
        "morph": "morph_acc",
        "lemma": "lemma_acc",
        "trees": "dep_uas",
        "sents": "sents_f",
    }
    for layer, key in layers.items():
        found = make_scorer(layer=layer)([example])
        assert (found[key], found[f"evenhand_{layer.replace(':', '_')}_f1"]) == (None, None)


@pytest.mark.parametrize(
    ("layer", "key", "other", "value"),
    [
        ("ents", "ents_f", "evenhand_ents_f1", 1.0),
        ("spans:sc", "spans_sc_f", "evenhand_spans_sc_f1", 1.0),
        ("links", "nel_micro_f", "evenhand_links_f1", 1.0),
        ("tag", "tag_acc", "evenhand_tag_f1", 1.0),
        ("trees", "dep_las", "evenhand_trees_las_f1", 1.0),
        ("sents", "sents_f", "evenhand_sents_f1", 1.0),
    ],
)
def test_a_layer_that_is_named(layer: str, key: str, other: str, value: float) -> None:
    reference = annotated(spacy.blank("en")).reference
    found = make_scorer(layer=layer)([spacy.training.Example(reference.copy(), reference)])
    assert (found[key], found[other]) == (value, value)


def test_wrong_settings_are_refused_when_the_config_is_read() -> None:
    with pytest.raises(eh.SettingError, match="layer is 'tags'; did you mean tag"):
        make_scorer(layer="tags")
    with pytest.raises(eh.SettingError, match="layer and group specify the same thing"):
        make_scorer(layer="ents", group="sc")
    with pytest.raises(eh.SettingError, match="match is 'fair'"):
        make_scorer(layer="tag", match="fair")


def test_a_pipeline_that_predicts_nothing_has_figures() -> None:
    nlp = spacy.blank("en")
    found = make_scorer()([example(nlp, (0, 12, "PER"))])
    assert (found["ents_r"], found["evenhand_ents_recall"]) == (0, 0)


def test_a_training_config_names_it_and_weighs_its_figures(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    docs = [example(nlp, (0, 12, "PER"), (22, 28, "LOC")).reference]
    spacy.tokens.DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    text = CONFIG.replace("train = null", f'train = "{(tmp_path / "train.spacy").as_posix()}"')
    config = spacy.util.load_model_from_config(spacy.util.load_config_from_str(text), auto_fill=True).config
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train

    trained = init_nlp(config)
    trained.get_pipe("entity_ruler").add_patterns(PATTERNS)
    (tmp_path / "model").mkdir()
    with (tmp_path / "log").open("w") as log:
        train(trained, tmp_path / "model", stdout=log, stderr=log)
    assert "EVENHAN" in (tmp_path / "log").read_text().upper()
    meta = spacy.load(tmp_path / "model" / "model-last").meta["performance"]
    assert meta["evenhand_ents_f1"] == pytest.approx(2 / 3)
    assert meta["evenhand_ents_exact_f1"] == meta["ents_f"] == 0.5
