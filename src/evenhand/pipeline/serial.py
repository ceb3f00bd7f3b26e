"""The whole path in this process: batches are read, judged and tallied one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evenhand.pipeline.run import Run, SideCount
from evenhand.problems import SettingError
from evenhand.settings import Groups, ScoreSettings
from evenhand.tasks.spans.judging import Judging, Watch
from evenhand.tasks.spans.portion import PORTION, Portion
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary


def run_serial(
    gold: Iterator[Annotation],
    systems: Mapping[str, Feed],
    vocabulary: Vocabulary,
    settings: ScoreSettings,
    judges: Sequence[str],
    groups: Groups = "total",
    gold_layer: str = "spans",
    watch: Watch | None = None,
) -> Run:
    """Ask the judges about every system, in one pass over the gold standard; `watch` looks at every portion."""
    judging = Judging(settings, judges, list(systems))
    judging.watch = watch
    run = Run(SideCount(), {name: SideCount() for name in systems})
    portion, corpus = Portion(vocabulary, gold_layer), None
    for batch in gold:
        corpus = batch.corpus
        if settings.token_weight is not None and corpus.weights is None:
            raise SettingError(f"{corpus.source} has no columns, and so no weights of tokens.")
        if "accuracy" in judges and (corpus.atoms == "characters" or corpus.bounds is None):
            raise SettingError(
                f"The accuracy of tags counts tokens, which {corpus.source} and its systems do not share."
            )
        if settings.token_weight is not None and corpus.atoms == "characters":
            raise SettingError("Weights are those of tokens; they cannot be used where characters are compared.")
        portion.add(batch, run.groups_of(corpus, groups))
        run.add_text(corpus, batch.readings[gold_layer])
        if len(portion) >= PORTION:
            _judge(judging, portion, run, systems)
            portion = Portion(vocabulary, gold_layer)
    assert corpus is not None  # a reader yields one batch at least, or raises
    if portion.sentences:
        _judge(judging, portion, run, systems)
    run.tallies, run.supertags, run.levels = judging.tallies(), judging.supertags(), judging.levels
    for name, feed in systems.items():
        feed.finish(corpus)
        run.systems[name].reading, run.systems[name].breaks_differ = feed.reading, feed.breaks_differ
    run.check_kinds()
    return run


def _judge(judging: Judging, portion: Portion, run: Run, systems: Mapping[str, Feed]) -> None:
    """Judge a portion and count what it holds."""
    judged = judging(portion, systems, run.gold.reading.encoding if run.gold.reading else None)
    for name, spans in judged.items():
        side = run.systems[name] if name else run.gold
        side.add(spans.label, spans.vocabulary.labels.values)
