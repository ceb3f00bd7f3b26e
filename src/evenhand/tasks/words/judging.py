"""Asks the judges of words: a system's tags or trees against the gold standard's, in codes that both share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.problems import SettingError
from evenhand.settings import UNIVERSAL_LAYERS, ColumnName, ScoreSettings
from evenhand.tally import Tally, tally_table
from evenhand.tasks.tags.judge import judge_tags
from evenhand.tasks.trees import conll18
from evenhand.tasks.trees.judge import DISTANCES, RIGHT, distances, heads, judge_trees, same_heads
from evenhand.tasks.trees.universal import feature_set, universal_features, without_subtype
from evenhand.tasks.words.punctuation import is_punctuation
from evenhand.tasks.words.tallies import tally_words
from evenhand.tasks.words.verdicts import WordVerdicts, right_sentences
from evenhand.text.annotation import Annotation
from evenhand.text.codes import Coder
from evenhand.text.labels import Codes, Vocabulary
from evenhand.text.layers import FeatureSets, Tags
from evenhand.text.word_feed import Aligned
from evenhand.text.words import Words


class Renamed:
    """The tags of a column under other names, as codes of a table; every name is looked at once."""

    def __init__(self, coder: Coder, table: Codes[str], rename: Callable[[str], str]) -> None:
        self._coder, self._table, self._rename = coder, table, rename
        self._new: list[int] = []

    def __call__(self, tags: Tags) -> Ints:
        code = tags.coded(self._coder)
        self._new += [self._table.code(self._rename(name)) for name in self._coder.names[len(self._new) :]]
        return np.array(self._new, dtype=np.int64)[code]


@dataclass(frozen=True)
class SideNames:
    """How the names of one side are taken: its labels, its relations without subtypes, its features."""

    labels: Renamed
    feature_sets: Renamed
    """Labels that are features, which are the same in any order."""
    universal: Renamed
    features: Renamed
    upos: Renamed


class WordJudging:
    """Judges aligned words of one system; tallies add up."""

    def __init__(
        self,
        settings: ScoreSettings,
        judges: Sequence[str],
        vocabulary: Vocabulary,
        name: str,
        columns: Mapping[str, ColumnName | None],
    ) -> None:
        self._settings, self._judges, self._columns = settings, judges, columns
        self._labels, self._universal = vocabulary.labels, Codes[str]()
        self._features, self._upos = Codes[str](), Codes[str]()
        self._gold = self._names(vocabulary, "gold", "gold")
        self._system = self._names(vocabulary, "system", name)
        self._parts: dict[str, list[Tally]] = {}
        self._has_features = False
        self.missing = 0
        """How many words of the gold standard the system does not have."""
        self.found: WordVerdicts | None = None
        """The verdicts on the words that were judged last, if `tags` or `trees` were asked."""

    def _names(self, vocabulary: Vocabulary, side: str, name: str) -> SideNames:
        maps = {each.old: each.new for each in self._settings.maps if each.applies_to(side, name)}
        maps_of_sets = {feature_set(old): feature_set(new) for old, new in maps.items()}
        tags = self._settings.task == "tags"
        keeps = tags or self._settings.subtypes

        def mapped(label: str) -> str:
            label = label if keeps else without_subtype(label)
            return maps.get(label, label)

        def mapped_set(label: str) -> str:
            features = feature_set(label)
            return maps_of_sets.get(features, features)

        columns = vocabulary.columns
        relation = columns["deprel"]
        return SideNames(
            Renamed(columns["scored"] if tags else relation, self._labels, mapped),
            Renamed(columns["scored"], self._labels, mapped_set),
            Renamed(relation, self._universal, lambda label: without_subtype(mapped(label))),
            Renamed(columns["feats"], self._features, universal_features),
            Renamed(columns["upos"], self._upos, str),
        )

    def tallies(self) -> dict[str, Tally]:
        return {judge: Tally.merge(parts) for judge, parts in self._parts.items()}

    def __call__(self, aligned: Aligned) -> tuple[Ints, Ints]:
        """Judge some words; the codes of the labels of all words that count, on either side."""
        self.missing += len(aligned.gold) - len(aligned.rows[0])
        gold, system = self.labels(aligned.gold, "gold"), self.labels(aligned.system, "system")
        counted, counted_extra = self.counted(aligned.gold, gold), self.counted(aligned.system, system)
        groups = aligned.gold.groups
        if self._settings.task == "tags":
            found = self.found = judge_tags(aligned, gold, system, counted, counted_extra)
            self._add("tags", tally_words(found, self._labels.values, groups))
            self._add_sentences({"accuracy": ("right",)}, found, aligned)
        else:
            self._judge_trees(aligned, gold, system, counted, counted_extra)
        kept = _kept(aligned, counted, counted_extra)
        return gold[counted], system[kept]

    def _judge_trees(self, aligned: Aligned, gold: Ints, system: Ints, counted: Bools, counted_extra: Bools) -> None:
        gold_head, system_head = heads(aligned)
        groups = aligned.gold.groups
        if "trees" in self._judges:
            same_head = same_heads(aligned, gold_head, system_head)
            found = self.found = judge_trees(aligned, same_head, gold, system, counted, counted_extra)
            self._add("trees", tally_words(found, self._labels.values, groups))
            self._add_sentences(RIGHT, found, aligned)
            far = replace(
                found,
                gold_label=np.append(distances(gold_head), -1)[found.gold],
                system_label=np.append(distances(system_head), -1)[found.system],
            )
            self._add("distances", tally_words(far, DISTANCES, groups))
        if "conll18" in self._judges:
            one = self._analysis(aligned.gold.annotation, self._gold, gold_head)
            other = self._analysis(aligned.system.annotation, self._system, system_head)
            table = conll18.count_conll18(aligned, one, other, self._universal.values)
            self._add("conll18", tally_table(conll18.KINDS, table, groups))

    def labels(self, words: Words, side: str) -> Ints:
        """The codes of the labels of words on one side: of their tags, or of their relations."""
        annotation = words.annotation
        is_tree = self._settings.task == "trees"
        tags = annotation.trees().relation if is_tree else annotation.word_tags(self._columns[side])
        names = self._gold if side == "gold" else self._system
        if isinstance(tags, FeatureSets):
            self._has_features = True
            return names.feature_sets(tags)
        return names.labels(tags)

    @staticmethod
    def _analysis(annotation: Annotation, names: SideNames, head: Ints) -> conll18.Analysis:
        upos, xpos, features, lemma = (_tags(annotation, layer) for layer in UNIVERSAL_LAYERS)
        universal, relation = names.universal, annotation.trees().relation
        return conll18.Analysis(head, universal(relation), names.upos(upos), names.features(features), xpos, lemma)

    def counted(self, words: Words, labels: Ints) -> Bools:
        """Which words count: those that are no punctuation, and whose labels are chosen."""
        settings = self._settings
        counted = ~is_punctuation(settings.punctuation, words.annotation)
        if settings.labels or settings.exclude:
            spelled = feature_set if self._has_features else str
            wanted, unwanted = (set(map(spelled, names)) for names in (settings.labels, settings.exclude))
            chosen = [(not wanted or name in wanted) and name not in unwanted for name in self._labels.values]
            counted &= np.array(chosen, dtype=np.bool_)[labels]
        return counted

    def _add_sentences(self, right: dict[str, tuple[str, ...]], found: WordVerdicts, aligned: Aligned) -> None:
        """Count the sentences that are fully correct under each score, and those that could be."""
        sentences = aligned.gold.corpus.sentences
        correct = {name: right_sentences(found, kinds, sentences) for name, kinds in right.items()}
        counted = next(iter(correct.values()))[1]
        table = np.stack([counted, *(each for each, _ in correct.values())], axis=1).astype(np.int64)
        self._add("sentences", tally_table(("sentences", *correct), table, aligned.gold.groups))

    def _add(self, judge: str, tally: Tally) -> None:
        parts = self._parts.setdefault(judge, [])
        parts.append(tally)
        if len(parts) > 16 and not tally.group.any():  # totals take little room when they are added up
            self._parts[judge] = [Tally.merge(parts)]


def _kept(aligned: Aligned, counted: Bools, counted_extra: Bools) -> Bools:
    """Which words of the system count: those for words that do, and extra ones."""
    kept = counted_extra.copy()
    mine, theirs = aligned.rows
    kept[theirs] = counted[mine]
    return kept


def _tags(annotation: Annotation, layer: str) -> Tags:
    found = annotation.layers.get(layer)
    if not isinstance(found, Tags):
        raise SettingError(
            f"The metrics of CoNLL 2018 take the column {layer}, which {annotation.corpus.source} does not have; "
            "choose --match uas,ls,las, or name the column."
        )
    return found
