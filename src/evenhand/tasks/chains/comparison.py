"""Comparing coreference resolvers: what becomes of every mention, and each response as the key for the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from evenhand.arrays import Values
from evenhand.comparison.counts import Comparing
from evenhand.comparison.ranking import headline
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally, tally_table
from evenhand.tasks.chains.answers import answers_on_chains
from evenhand.tasks.chains.count import count_chains
from evenhand.tasks.chains.judging import ChainPortion, MentionTypes, arcs_tally, judged_arcs
from evenhand.tasks.chains.models import chain_model
from evenhand.tasks.chains.repeats import first_only
from evenhand.tasks.drawings import DrawnChains
from evenhand.tasks.places import Places
from evenhand.tasks.units import judged_mentions
from evenhand.text.chains import Chains

PAIRED_BY = ("lea", "mela")
"""The scores of one response with another as the key, beside the one that systems are compared by."""
UNTYPED = "mentions"
"""What all mentions are, where there are no POS."""


class ChainComparing:
    """Takes every portion of a run to a comparison."""

    def __init__(self, comparing: Comparing, by: str, settings: ScoreSettings, types: MentionTypes) -> None:
        self._comparing, self._by, self._settings, self._types = comparing, by, settings, types
        self._paired: dict[tuple[int, int], dict[str, list[Tally]]] = {
            pair: {"chains": [], by: []} for pair in permutations(range(len(comparing.systems)), 2)
        }

    def __call__(self, portion: ChainPortion) -> None:
        corpus, systems = portion.annotation.corpus, list(portion.systems.values())
        found = judged_arcs(self._by, portion.key, portion.annotation, systems, self._types)
        label = found.label
        if label is None:
            label = np.full(len(found.mentions), self._comparing.labels.code(UNTYPED))
        document_of = corpus.document_of(np.arange(corpus.sentences)) + portion.document
        places = Places([portion.annotation], portion.before, document_of, portion.document)
        answers = answers_on_chains(found.mentions, found.verdicts, label, corpus)
        self._comparing.add(answers, places)
        if self._comparing.collecting is not None:
            drawn = DrawnChains([portion.key, *systems], corpus)
            self._comparing.collecting.add(judged_mentions(answers), places, drawn)
        self._pair(portion, systems)

    def _pair(self, portion: ChainPortion, systems: Sequence[Chains]) -> None:
        """Score all responses against each other; only sums are wanted."""
        nothing = np.zeros_like(portion.groups)
        keys = [first_only(each) for each in systems]
        for (a, b), tallies in self._paired.items():
            kinds, table = count_chains(
                keys[a], systems[b], len(nothing), PAIRED_BY, singletons=self._settings.singletons
            )
            tallies["chains"].append(tally_table(kinds, table, nothing))
            found = judged_arcs(self._by, keys[a], portion.annotation, [systems[b]], self._types)
            tallies[self._by].append(arcs_tally(found, nothing, self._comparing.labels.values))

    def paired(self) -> dict[str, Values]:
        """By score, that of each response (a column) with each other as the key (a row), and 1 with itself."""
        size = len(self._comparing.systems)
        models = [chain_model(name, self._settings) for name in (self._by, *PAIRED_BY)]
        found = {model.name: np.ones((size, size)) for model in models}
        for (a, b), tallies in self._paired.items():
            merged = {judge: Tally.merge(parts) for judge, parts in tallies.items()}
            for model in models:
                found[model.name][a, b] = headline(model, merged[model.judge], ())
        return found
