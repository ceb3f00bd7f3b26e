"""Tags, one label per word: the task, its measure `accuracy`, and the agreement of annotators.

The command line loads this file for its help, so functions import arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evenhand.errors import SettingError
from evenhand.registry import lazy
from evenhand.scoring.measure import Formula, Measure, Scorer, count_errors
from evenhand.settings import ColumnName, ReadSettings, ScoreSettings
from evenhand.tasks import task as spec
from evenhand.tasks.words.measures import (
    EXTRA,
    PUNCTUATION,
    TAG_ERRORS,
    TAG_KINDS,
    as_sets,
    by_label,
    feature_set,
    notes,
    traits_of_words,
)

if TYPE_CHECKING:
    from evenhand.alignment.parts import Alignment
    from evenhand.alignment.words import Words
    from evenhand.data.annotation import Annotation
    from evenhand.data.layers import Spans
    from evenhand.data.vocabulary import Vocabulary
    from evenhand.scoring.tally import Tally
    from evenhand.tasks.evaluation import EvaluationRequest, Part
    from evenhand.tasks.words.evaluation import WordEvaluation, WordSide
    from evenhand.tasks.words.matching import UnitMatches, UnitPair

NO_TAG = "_"
"""The tag of a word whose tag does not count for any annotator."""


def align(request: EvaluationRequest) -> Alignment:
    """Open the gold standard and all systems, to be read in step."""
    from evenhand.tasks.words.evaluation import align

    return align(request, ("tags", "upos", "xpos", *map(str, _columns(request).values())))


def evaluate(part: Part, request: EvaluationRequest) -> WordEvaluation:
    """Count the tags of a part."""
    from evenhand.tasks.words.evaluation import evaluate

    return evaluate(part, request, TagScorer)


def _columns(request: EvaluationRequest) -> dict[str, ColumnName | None]:
    return {side: next(iter(request.read_as[side].columns), None) for side in ("gold", "system")}


class TagScorer:
    """Tags of words: a word is correct if the system gives it the same tag.

    - `accuracy` = correct words / words of the gold standard that count. If the system's tokens differ and it has no
      word for one of them, that word is wrong (`missing`). Words that only the system has (`extra`) count for the
      precision of their tags.
    - For each tag: precision = correct / words with the tag in the system, recall = correct / words with the tag in the
      gold standard, F1.
    - A sentence is fully correct if all its words that count are correct. Sentences without such words are left out.

    With `--align overlap` (tags of spaCy), the tags of all words of the system in one gold word are a set: it is right
    if it has the right tag, and other tags are extra. The headline is F1, as spaCy's `tag_acc`.

    Features (`--column feats`) are compared as sets: `Case=Nom|Number=Sing` equals `Number=Sing|Case=Nom`, and repeated
    features count once. Values are compared unchanged, `PronType=Int,Rel` too. Tables sort them.

    `--labels` and `--exclude` choose the words that count, by their tag in the gold standard.

    Sources: Tuggener 2017, section 2.1 (Table 3), for accuracy and correct sentences.
    """

    def __init__(self, request: EvaluationRequest) -> None:
        from evenhand.tasks.words.evaluation import WordLabelFilter

        settings = self._settings = request.settings
        labels, exclude = (tuple(map(feature_set, names)) for names in (settings.labels, settings.exclude))
        self._feature_settings = replace(settings, labels=labels, exclude=exclude)
        self._labels, self._columns = request.vocabulary.labels, _columns(request)
        self._is_scored, self._counts_features = bool(request.scorers), request.asks("features")
        coder = request.vocabulary.columns["scored"]
        self._tags, self._features = dict[str | None, WordLabelFilter](), dict[str | None, WordLabelFilter]()
        for system in (None, *request.sides.systems):
            names = settings.new_names("gold", "gold") if system is None else settings.new_names("system", system)
            sets = {feature_set(old): feature_set(new) for old, new in names.items()}
            self._tags[system] = WordLabelFilter(coder, self._labels, partial(_renamed, names))
            self._features[system] = WordLabelFilter(coder, self._labels, partial(_renamed_set, sets))

    def side(self, words: Words, system: str | None = None) -> WordSide:
        from evenhand.data.layers import FeatureSets
        from evenhand.tasks.words.evaluation import WordSide, counted_words

        tags = words.annotation.word_tags(self._columns["gold" if system is None else "system"])
        filters, settings = self._tags, self._settings
        if isinstance(tags, FeatureSets):
            filters, settings = self._features, self._feature_settings
        labels = filters[system](tags)
        counted = counted_words(settings, words, labels, self._labels.values)
        return WordSide(words, labels, counted, score=None if system is None else tags.score)

    def score(self, pair: UnitPair, gold: WordSide, system: WordSide) -> tuple[dict[str, Tally], UnitMatches | None]:
        if not self._is_scored:
            return {}, None
        matches = pair.matches(TAG_KINDS, pair.is_wrong)
        tallies = {
            "tags": matches.tally(self._labels.values, pair.groups),
            "sentences": matches.sentence_tally({"accuracy": ("right",)}, pair.groups),
        }
        if self._counts_features:
            from evenhand.tasks.words.features import match_features

            features = match_features(pair, self._labels.values)
            tallies["features"] = features.tally(pair.groups)
            pair.listed["features"] = lambda name: features.rows(pair, self._labels)
        return tallies, matches


def _renamed(names: Mapping[str, str], tag: str) -> str:
    return names.get(tag, tag)


def _renamed_set(names: Mapping[str, str], tag: str) -> str:
    features = feature_set(tag)
    return names.get(features, features)


def as_spans(
    annotation: Annotation, read_as: ReadSettings, settings: ScoreSettings, vocabulary: Vocabulary
) -> Annotation:
    """The tags of an annotator as spans of one word each, whose labels are codes; without ignored punctuation."""
    import numpy as np

    from evenhand.arrays import ints, ones
    from evenhand.data.annotation import Annotation
    from evenhand.data.layers import FeatureSets, Spans
    from evenhand.tasks.words.evaluation import is_punctuation

    tags = annotation.word_tags(next(iter(read_as.columns), None))
    code = tags.code  # read before the names, which are complete only when all cells are coded
    names = map(feature_set, tags.names) if isinstance(tags, FeatureSets) else tags.names
    label = ints([vocabulary.labels.code(name) for name in names])[code]
    corpus = annotation.corpus
    assert corpus.bounds is not None
    word = np.flatnonzero(~is_punctuation(settings["punctuation"], annotation))
    scope = ints(corpus.sentence_of[word])
    start = word - corpus.bounds[scope]
    spans = Spans.of(vocabulary, scope, start, start + ones(len(start)), label[word])
    return Annotation(corpus, {"spans": spans}, {"spans": annotation.reading}, annotation.name)


def labeled_words(
    annotation: Annotation, layer: str, read_as: ReadSettings, settings: ScoreSettings, vocabulary: Vocabulary
) -> tuple[Spans]:
    """The words of an annotation that count, with their tags as labels."""
    return (as_spans(annotation, read_as, settings, vocabulary).spans(),)


def as_tags(annotation: Annotation) -> Annotation:
    """The inverse of `as_spans`."""
    import numpy as np

    from evenhand.data.layers import Tags

    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    labels = spans.vocabulary.labels.values
    code = np.full(corpus.token_count or 0, len(labels))
    code[corpus.bounds[spans.scope] + spans.start] = spans.label
    return replace(annotation, layers={"tags": Tags(code, (*labels, NO_TAG))}, readings={"words": annotation.reading})


def _accuracy(name: str, settings: ScoreSettings) -> Formula:
    formula = by_label(name, "tags", TAG_KINDS, ("right",), settings, confuses=True)
    return as_sets(formula) if settings.align == "overlap" else formula


def _check(settings: ScoreSettings, content: spec.GoldProfile) -> None:
    if settings["punctuation"].by in ("relation", "spacy"):
        raise SettingError("Tags have no relations; choose punctuation by its form, or by tags: pos:PUNCT.")


TASK = spec.Task(
    name="tags",
    title="tags: parts of speech, one label per word",
    aliases=("pos", "pos-tagging", "tagging"),
    unit="word",
    example=spec.Example("tags", "gold.tsv", ("lexicon.tsv", "hmm.tsv", "neural.tsv"), options="--task tags"),
    measures=(
        Measure(
            *("accuracy", "tags", Scorer("tags"), _accuracy, "evenhand.tasks.tags.TagScorer", ("acc",)),
            summary="The share of words with the right tag.",
        ),
        Measure(
            *("features", "tags", Scorer("features"), count_errors, "evenhand.tasks.words.features"),
            summary="Features of words (FEATS, layer morph), each of which counts.",
        ),
    ),
    selection=spec.MeasureSelection.of("accuracy"),
    parameters=(PUNCTUATION, *spec.CONFIDENCES),
    input=spec.InputSpec(
        alignments=("strict", "position", "characters", "overlap"),
        default_alignment=lambda content: "characters" if "universal" in content.traits else "strict",
        traits=traits_of_words,
        detects=lambda annotation: True,
        detects_any=True,
    ),
    rules=spec.SettingRules(
        signature=("align", "gold", "system", "repair", "map", "labels", "exclude", "punctuation", "macro", "beta"),
        check=_check,
    ),
    evaluation=spec.EvaluationSpec(
        align=align, evaluate=evaluate, notes=notes, is_perfect=lazy("evenhand.tasks.tables:is_perfect")
    ),
    error_types=spec.ErrorTypes(extra=(EXTRA,), names=TAG_ERRORS),
    comparison=spec.ComparisonSpec(
        unit_scorers=("tags",),
        unit_columns=(("side", "string"),),
        attributes=(*spec.TEXT_ATTRIBUTES, *spec.STRING_ATTRIBUTES),
        labeled_units=labeled_words,
        has_causes=True,
        has_suspects=True,
        one_label=True,
    ),
    agreement=spec.AgreementSpec(("accuracy",), as_spans=as_spans, from_spans=as_tags, settings={"align": "strict"}),
    display=spec.Display(
        confusion=spec.Confusion(("accuracy",), "confusion (wrong tags)"), label="tag", drawing="words"
    ),
)
