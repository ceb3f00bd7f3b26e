"""One system against the gold standard in one portion: what the judges of spans are asked."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Values, others
from evenhand.dataclass import dataclass
from evenhand.settings import ScoreSettings
from evenhand.tasks.spans.document_spans import DocumentSpans, DocumentTexts
from evenhand.tasks.spans.exact import equal_spans, exact
from evenhand.tasks.spans.fair import fair
from evenhand.tasks.spans.gold_errors import with_gold_errors
from evenhand.tasks.spans.pairs import AllPairs
from evenhand.tasks.spans.strings import StringSides
from evenhand.tasks.spans.token_separator import Text
from evenhand.tasks.spans.values import SystemValues
from evenhand.tasks.spans.verdicts import Verdicts
from evenhand.text.layers import Spans, Tags, by_level


class Relabeling:
    """`--map` for one side, then `--labels` and `--exclude`: a new code for each label, -1 where it is left out."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, *, chooses: bool = True) -> None:
        """Unless it `chooses`, no label is left out."""
        self._map = settings.new_names(side, name)
        self._chooses = settings.chooses if chooses and (settings.labels or settings.exclude) else None
        self._new: list[int] = []

    def __call__(self, spans: Spans) -> Spans:
        if not self._map and self._chooses is None:
            return spans
        labels = spans.vocabulary.labels
        while len(self._new) < len(labels):
            name = labels[len(self._new)]
            name = self._map.get(name, name)
            kept = self._chooses is None or self._chooses(name)
            self._new.append(labels.code(name) if kept else -1)
        return spans.relabel(np.array(self._new, dtype=np.int64))


@dataclass(frozen=True)
class Context:
    """What all systems of a portion are judged by: the text, and how."""

    groups: Ints
    """The group of each sentence."""
    lengths: Ints | None
    """How many tokens each sentence has, where the files say."""
    weights: Values | None
    settings: ScoreSettings
    texts: DocumentTexts | None = None
    """The texts of documents, where judges take these."""

    @cached_property
    def text(self) -> Text:
        return Text.of(self.lengths, len(self.groups), 0, self.weights)


class Question:
    """What a judge of spans looks at; what several judges need is worked out once.

    `gold` and `system` are the spans to be matched (where levels are separate, levels count as scopes), `given` the
    same spans as they were read.
    """

    def __init__(
        self,
        gold: Spans,
        system: Spans,
        context: Context,
        continued: Spans | None = None,
        tags: tuple[Tags | None, Tags | None] = (None, None),
        *,
        unplaced: int = 0,
        strings: StringSides | None = None,
        values: SystemValues | None = None,
        is_watched: bool = False,
        targets: Spans | None = None,
    ) -> None:
        """`continued` is what spans that begin in an earlier portion cover of this one: tokens, but no spans.

        The last `unplaced` spans of the system have no place in the text. `targets` are spans that the gold standard
        should have, where its errors are a kind; the spans that are wrong have an extra.
        """
        self.given, self.context, self.continued, self.tags = (gold, system), context, continued, tags
        self.strings = strings
        """What both sides have as strings, where somebody asks."""
        self.values = values
        """What the system exposes of the gold standard's values, where somebody asks."""
        self.targets = targets
        self.placed = (gold, system.take(slice(len(system) - unplaced)))
        """The spans that have a place."""
        self.is_watched = is_watched
        """Whether somebody will ask for the verdicts on all spans."""
        self.levels = 1
        if context.settings["levels"] == "separate":
            self.levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
            gold, system = by_level(gold, self.levels), by_level(system, self.levels)
        self.gold, self.system = gold, system

    @property
    def covering(self) -> tuple[Spans, Spans]:
        """The spans that have a place, with what reaches into this portion from an earlier one."""
        gold, system = self.placed
        return gold, system if self.continued is None else Spans.concatenate([system, self.continued], [0, 0])

    @cached_property
    def documents(self) -> list[DocumentSpans]:
        """The spans that have a place, by document and in characters, for judges that take the texts."""
        assert self.context.texts is not None
        return self.context.texts.both(*self.placed)

    @property
    def settings(self) -> ScoreSettings:
        return self.context.settings

    @property
    def groups(self) -> Ints:
        return self.context.groups

    @cached_property
    def equal(self) -> tuple[Ints, Ints]:
        """The rows of equal spans."""
        return equal_spans(self.gold, self.system)

    @property
    def equal_given(self) -> tuple[Ints, Ints]:
        """The same, regardless of level."""
        return self.equal if self.levels == 1 else equal_spans(*self.given)

    @cached_property
    def others(self) -> tuple[Ints, Ints]:
        """The rows of spans that are on one side only."""
        return others(len(self.gold), self.equal[0]), others(len(self.system), self.equal[1])

    @cached_property
    def rest(self) -> tuple[Spans, Spans]:
        """These spans themselves."""
        return self.gold.take(self.others[0]), self.system.take(self.others[1])

    @cached_property
    def pairs(self) -> AllPairs:
        """All pairs of spans that share a token."""
        return AllPairs(self.gold, self.system)

    @cached_property
    def fair(self) -> Verdicts:
        return self._with_gold_errors(fair(self.gold, self.system, self.equal))

    @cached_property
    def exact(self) -> Verdicts:
        return self._with_gold_errors(exact(self.gold, self.system, self.equal))

    def verdicts(self, judge: str) -> Verdicts:
        """What the judges `fair` and `exact` say of every span."""
        return self.fair if judge == "fair" else self.exact

    def _with_gold_errors(self, verdicts: Verdicts) -> Verdicts:
        return verdicts if self.targets is None else with_gold_errors(verdicts, *self.given, self.targets)

    @property
    def text(self) -> Text:
        """The tokens and separators of the portion, as far as files know them."""
        if self.context.lengths is not None:
            return self.context.text
        width = max(int(side.end.max(initial=0)) for side in self.placed)
        return Text.of(None, len(self.groups), width)
