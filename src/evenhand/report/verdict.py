"""The verdict on top of a page or of a command's output: which system is best, and whether that is significant.

`Lead` has the systems by score and the tests of their differences, from a comparison or a summary. `lead_sentences` and
`lead_method` put it into words. A page has the sentences of `verdict`, the small print of `method`, the words of
`against_best` in each system's row, and the list of `cautions`: findings that may mislead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

from evenhand.comparison.ranking import Detectable
from evenhand.data.vocabulary import list_names
from evenhand.dataclass import dataclass
from evenhand.errors import WARNING, counted
from evenhand.results.comparison import Comparison, Pair, Ranking, Report, ResamplingInfo, ScoreChange
from evenhand.results.result import Result, Results
from evenhand.results.signature import ALPHA, NOTHING_TO_RESAMPLE, notes_on_pairs, why_sentences
from evenhand.results.summary import Summary
from evenhand.scoring.measure import Ratio
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, model, model_title, summary_of
from evenhand.tasks.tables import label_notes

_MEANS = {"overall": "", "macro": "macro "}
"""By headline that is an F score: the word before "F1"."""
_OPTIONS = re.compile(r" \(--[^)]*\)|; [^;]*--[^;.]*")
"""The parts of a sentence that recommend options."""
_SYSTEM = "system "
"""Notes on one system begin with this and its name."""
_TIE = 0.00005
"""A smaller difference of scores is 0.00 points."""


@dataclass(frozen=True)
class Lead:
    """Systems by their scores under one measure, and the tests of their differences."""

    task: str
    names: Sequence[str]
    """The systems with a defined score, the best first."""
    pairs: Mapping[tuple[str, str], Pair | ScoreChange]
    """By the names of two systems: their difference and its test."""
    resampling: ResamplingInfo
    notes: Sequence[str]

    @staticmethod
    def of(compared: Comparison | Summary) -> Lead:
        scores = {name: score for name, score in compared.scores.items() if not isnan(score)}
        names = sorted(scores, key=lambda name: -scores[name])
        return Lead(compared.task, names, compared.pairs, compared.resampling, compared.notes)

    def pair(self, one: str, other: str) -> Pair | ScoreChange | None:
        """The comparison of two systems, in any order; None if they were not compared."""
        return self.pairs.get((one, other)) or self.pairs.get((other, one))

    def differ(self, one: str, other: str) -> bool | None:
        """Whether two systems differ significantly; None if that was not tested."""
        pair = self.pair(one, other)
        return None if pair is None or pair.significance is None else pair.significance.p_holm < ALPHA

    def can_decide(self, pair: Pair | ScoreChange) -> bool:
        """Whether the test of a pair is significant, or could be: its least p-value, corrected for all pairs, is."""
        test = pair.significance
        return test is not None and (test.p_holm < ALPHA or len(self.pairs) * test.least < ALPHA)


def verdict(report: Report) -> list[str]:
    """The sentences on top of a page.

    For one system, its score. For several, the lead of the best one, the systems that it beats, the leaders under other
    measures, and notes on p-values. Warnings are always included.
    """
    names = tuple(report.results)
    notes = _joined((note.removeprefix(WARNING) for note in report.notes if note.startswith(WARNING)), len(names))
    warnings = [note if note.startswith(names) else _sentence(note) for note in notes]
    if report.comparison is None:
        return [*_score_of_one(report), *warnings]
    lead = Lead.of(report.comparison)
    if not lead.names:
        return warnings
    scores = {
        score_name(report.results, measure): {name: row.score for name, row in report.ranking[measure].items()}
        for measure in report.ranking.shown_models
    }
    contrast = TASKS[report.task].display.contrast(report.results, *lead.names[:2]) if len(lead.names) > 1 else ""
    sentences = [*lead_sentences(lead), *([contrast] if contrast else [])]
    sentences += [*other_leaders(scores, lead.names[0]), *warnings]
    return [*sentences, *notes_on_lead(lead)]


def method(report: Report) -> str:
    """The compared score and the test, in small print."""
    if report.comparison is None:
        return ""
    name, ratio = score_name(report.results, report.by), _headline_ratio(report.results, report.by)
    return lead_method(Lead.of(report.comparison), name if ratio is None else f"{name}, {ratio.definition}".rstrip("."))


def lead_method(lead: Lead, measure: str) -> str:
    """The compared score, in words (`measure`), and the test of a lead."""
    points = f"Points of {measure}."
    pairs = len(lead.pairs)
    if not lead.resampling["trials"]:
        return points
    groups = lead.resampling["of"]
    corrected = f", corrected for {counted(pairs, 'pair')} (Holm)" if pairs > 1 else ""
    return f"{points} p: approximate randomization of {groups}{corrected}; below {ALPHA:g} is significant."


def against_best(report: Report, name: str) -> str:
    """How a system differs from the best one, for its row; empty if the two were not compared."""
    comparison = report.comparison
    best = next(iter(report.ordered))
    if comparison is None or isnan(comparison.scores[name]):
        return ""
    if name == best:
        return "best"
    lead = Lead.of(comparison)
    pair = lead.pair(best, name)
    if pair is None or pair.significance is None:
        return ""
    p = p_words(pair.significance.p_holm)
    if not lead.can_decide(pair):
        return f"too few {comparison.resampling['of']} to tell, {p}"
    if lead.differ(best, name):
        return f"lower, {p}"
    difference = None if pair.detectable is None else pair.detectable.difference
    return f"not significant, {p}" + ("" if difference is None else f"; detectable: {points(difference)}")


def score_name(results: Results, measure: str) -> str:
    """The score of a measure, as readers call it: fair F1, LAS, leak recall.

    A variant with the scores of the original has its name: labeled F1, not labeled-all F1.
    """
    original = original_of(results, measure)
    if original is not None and all(_equal(result, measure, original) for result in results.values()):
        measure = original
    title, ratio = model_title(results.task, measure), _headline_ratio(results, measure)
    if ratio is not None:
        return title if ratio.name == measure else f"{title} {ratio.title or ratio.name}"
    score = next(iter(results.values())).scores.get(measure)
    mean = None if score is None else _MEANS.get(score.model.headline)
    return title if score is None or mean is None else f"{title} {mean}F{score.beta:g}"


def score_definition(results: Results, measure: str) -> str:
    """The definition of the score of a measure, in one line."""
    ratio = _headline_ratio(results, measure)
    return summary_of(model(results.task, measure)) if ratio is None else f"The share of {ratio.definition}"


def _headline_ratio(results: Results, measure: str) -> Ratio | None:
    """The ratio that is the score of a measure without precision and recall."""
    score = next(iter(results.values())).scores.get(measure)
    return score.model.ratios[0] if score is not None and score.model.has_ratios_only else None


def original_of(results: Results, measure: str) -> str | None:
    """The measure of the literature of which this one is a variant; None if it was not scored."""
    declared = model(results.task, measure)
    return declared.counterpart if declared.is_variant and declared.counterpart in results.models else None


def _equal(result: Result, one: str, other: str) -> bool:
    first, second = (result[measure].headline for measure in (one, other))
    return first == second or (isnan(first) and isnan(second))


def p_words(p: float) -> str:
    """A p-value with two significant digits: p = 0.78, p = 0.0046, p < 0.0001."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.2g}"


def notes_on_lead(lead: Lead, *, with_options: bool = True) -> list[str]:
    """Sentences on p-values: why sentences were resampled instead of documents, and which tests cannot decide.

    Without `with_options`, the sentences do not recommend options of a command.
    """
    sentences = map(_sentence, _notes_on_tests(lead))
    return list(sentences if with_options else map(_without_options, sentences))


def _without_options(note: str) -> str:
    return _OPTIONS.sub("", note)


def _notes_on_tests(lead: Lead) -> list[str]:
    """The same as notes, which begin in lower case."""
    few_documents = lead.resampling["few_documents"]
    notes = [] if few_documents is None else [why_sentences(few_documents)]
    notes += [note for note in lead.notes if note.startswith(NOTHING_TO_RESAMPLE)]
    return [*notes, *notes_on_pairs(lead.pairs, lead.resampling["of"] or "", lead.task)]


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:]


def _score_of_one(report: Report) -> list[str]:
    """The score of the only system with its interval, or the reason why it has none."""
    ranking = report.ranking
    name, standing = next(iter(ranking[report.by].items()))
    if isnan(standing.score):
        return []
    interval = ""
    if standing.interval is not None:
        low, high = (100 * bound for bound in standing.interval)
        interval = f" ({100 * ranking.level:g} % interval {low:.2f} to {high:.2f}, by {ranking.groups})"
    reasons = (_sentence(note) for note in ranking.notes if note.startswith(NOTHING_TO_RESAMPLE))
    return [f"{name} has {100 * standing.score:.2f} {score_name(report.results, report.by)}{interval}.", *reasons]


def lead_sentences(lead: Lead) -> Iterator[str]:
    """The lead of the best system over the next one that it was compared with, and over the others."""
    first, *others = lead.names or [""]
    compared = [name for name in others if lead.pair(first, name) is not None]
    if not compared:
        if others:
            yield f"{first} has the highest score; it was not compared with the others."
        return
    second, *lower = compared
    pair = lead.pair(first, second)
    assert pair is not None
    clause = _with_detectable([pair.detectable], str(lead.resampling["of"]))
    if not pair.delta and isinstance(pair, Pair) and not pair.different:
        yield f"{first} and {second} have identical predictions."
    elif not pair.delta:
        yield f"{first} and {second} have the same score{clause}."
    elif abs(pair.delta) < _TIE:
        yield f"{first} and {second} are tied: their scores differ by less than 0.01 points{clause}."
    else:
        yield f"{first} leads {second} by {100 * abs(pair.delta):.2f} points{_significance(lead, pair)}."
    if lower and lead.resampling["of"] != "groups":  # which only tests within a document
        yield from _beaten(lead, first, second, lower)


def _significance(lead: Lead, pair: Pair | ScoreChange) -> str:
    """The result of the test of a pair, as the end of a sentence."""
    test = pair.significance
    if test is None:
        return "; no test was made"
    if not lead.can_decide(pair):
        groups = counted(test.groups, str(lead.resampling["of"]).removesuffix("s"))
        return f"; they differ in {groups}, too few for a test to decide"
    if lead.resampling["of"] == "groups":
        groups = f"{test.groups:,} differing groups"
        return f", {p_words(test.p_holm)} within this document ({groups}); this does not generalise to other documents"
    return p_verdict(test.p_holm, ALPHA, pair.detectable, str(lead.resampling["of"]))


def p_verdict(p: float, alpha: float, detectable: Detectable | None, groups: str) -> str:
    """A p-value and whether it is significant, as the end of a sentence; if it is not, what the test set can show."""
    if p < alpha:
        return f", {p_words(p)}: a significant difference"
    return f", {p_words(p)}: not significant{_with_detectable([detectable], groups)}"


def _with_detectable(detectable: Iterable[Detectable | None], groups: str) -> str:
    """What the test set can show, as the end of a sentence."""
    clause = detectable_clause(detectable, groups)
    return f"; {clause}" if clause else ""


def detectable_clause(detectable: Iterable[Detectable | None], groups: str) -> str:
    """The differences that a test set can detect, of one pair or of several; or why this is not known."""
    known = [one for one in detectable if one is not None]
    if not known:
        return ""
    size = counted(known[0].groups, groups.removesuffix("s"))
    differences = [one.difference for one in known if one.difference is not None]
    if not differences and any(one.estimate != "refused" for one in known):
        return f"no difference is detectable with {size}"
    if not differences:
        return f"{size} are too few to estimate which differences this test set can detect"
    least, most = points_alike((min(differences), max(differences)))
    rough = f" (rough: only {size})" if any(one.estimate == "rough" for one in known) else ""
    span = least if least == most else f"{least} to {most}"
    return f"this test set can detect differences of about {span} points or more{rough}"


def points(value: float, sign: str = "") -> str:
    """A fraction in points, with two digits below one point and one above."""
    return points_alike((value,), sign)[0]


def points_alike(values: Sequence[float], sign: str = "") -> list[str]:
    """Fractions in points with equal numbers of digits: two if all are below one point, otherwise one."""
    digits = 2 if all(abs(100 * value) < 1 for value in values) else 1
    return [f"{100 * value:{sign}.{digits}f}" for value in values]


def _beaten(lead: Lead, first: str, second: str, lower: Sequence[str]) -> Iterator[str]:
    """Which of the lower systems both leading systems beat, which only the first beats, and which neither does.

    A system beats another one if it is significantly better. If the first beats the second, what the second beats is
    not stated. Nothing is stated if a lower system was not tested against the first.
    """
    if any(lead.differ(first, other) is None for other in lower):
        return
    beaten = [other for other in lower if lead.differ(first, other)]
    undecided = [other for other in lower if other not in beaten]
    first_beats_second = lead.differ(first, second)
    by_both = [] if first_beats_second else [other for other in beaten if lead.differ(second, other)]
    by_first = [other for other in beaten if other not in by_both]
    if by_both:
        yield f"Both beat {_all_or_named(by_both, lower)}."
    groups = str(lead.resampling["of"])
    if by_first:
        pairs = [lead.pair(second, other) for other in by_first]
        clause = "" if first_beats_second else _with_detectable((pair.detectable for pair in pairs if pair), groups)
        ending = "" if first_beats_second else f"; {second} is not significantly better{clause}"
        yield f"{first} also beats {_all_or_named(by_first, lower)}{ending}."
    if undecided:
        verb = "is" if len(undecided) == 1 else "are"
        pairs = [lead.pair(first, other) for other in undecided]
        clause = _with_detectable((pair.detectable for pair in pairs if pair), groups)
        yield f"{_named(undecided)} {verb} not significantly worse than {first}{clause}."


def _all_or_named(beaten: Sequence[str], lower: Sequence[str]) -> str:
    return f"all {len(lower)} others" if len(beaten) == len(lower) > 1 else _named(beaten)


def _named(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c; a longer list is cut."""
    return list_names(names) if len(names) > 5 else " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def other_leaders(scores: Mapping[str, Mapping[str, float]], best: str) -> Iterator[str]:
    """The other measures under which another system is best; `scores` are by measure and system."""
    leaders: dict[str, list[str]] = {}
    for measure, by_system in scores.items():
        defined = {name: score for name, score in by_system.items() if not isnan(score)}
        top = max(defined, key=lambda name: defined[name], default=best)
        if best in defined and defined[top] - defined[best] >= _TIE:
            leaders.setdefault(top, []).append(measure)
    for name, measures in leaders.items():
        yield f"By {_named(measures)}, {name} leads."


# Rankings and comparisons


def comparison_verdict(comparison: Comparison) -> list[str]:
    """The lead of the best system under the compared measure; nothing if no score is defined."""
    lead = Lead.of(comparison)
    return [" ".join(lead_sentences(lead))] if lead.names else []


def ranking_verdict(ranking: Ranking) -> list[str]:
    """The lead of the best system under the first measure, and the systems that are not significantly worse."""
    measure = ranking.models[0]
    scores = {name: row.score for name, row in ranking[measure].items() if not isnan(row.score)}
    ranked = [name for name in ranking.systems if name in scores]
    if not ranked:
        return []
    title = model_title(ranking.task, measure)
    first, *others = ranked
    if not others:
        return [f"{first} has {100 * scores[first]:.2f} {title}."]
    second, *lower = others
    clusters = ranking.clusters
    delta = scores[first] - scores[second]
    groups, placed = str(ranking.groups), None if clusters is None else clusters.systems[second]
    if delta < _TIE:
        clause = "" if placed is None else _with_detectable([placed.detectable], groups)
        return [f"{first} and {second} are tied ({title}){clause}."]
    tested = "; no test was made"
    if clusters is not None and placed is not None and placed.p_holm is not None:
        tested = p_verdict(placed.p_holm, clusters.alpha, placed.detectable, groups)
    sentences = [f"{first} leads {second} by {100 * delta:.2f} points ({title}){tested}."]
    if clusters is not None:
        tied = [name for name in lower if clusters[name] == clusters[first]]
        worse = [name for name in lower if name not in tied]
        if tied:
            verb = "is" if len(tied) == 1 else "are"
            clause = _with_detectable((clusters.systems[name].detectable for name in tied), groups)
            sentences.append(f"{_named(tied)} {verb} not significantly worse than {first}{clause}.")
        if worse:
            which = f"All {len(worse)} others" if len(worse) == len(lower) > 1 else _named(worse)
            verb = "is in a lower cluster" if len(worse) == 1 else "are in lower clusters"
            sentences.append(f"{which} {verb}.")
    return [" ".join(sentences)]


# Cautions


def cautions(report: Report) -> list[str]:
    """Findings that may mislead: settings of labels, labels that one side lacks, and the other notes of the report.

    Warnings and notes on p-values are left out, because `verdict` has them. A note that several systems share is listed
    once.
    """
    unit = TASKS[report.task].unit
    results = report.ordered
    # `_one_sided_labels` replaces these notes on labels.
    elsewhere = {
        note
        for result in results.values()
        for note in label_notes(result.gold, result.name, result.predicted_labels, unit)
    }
    if report.comparison is not None:
        elsewhere |= {*_notes_on_tests(Lead.of(report.comparison))}
    known, in_verdict = set(map(_without_options, elsewhere)), (WARNING, NOTHING_TO_RESAMPLE)
    notes = [n for n in report.notes if _without_options(n) not in known and not n.startswith(in_verdict)]
    labels = (sentence for result in results.values() for sentence in _one_sided_labels(report, result, unit))
    return [
        *_label_settings(next(iter(results.values())).settings),
        *_joined(labels, len(results)),
        *_joined(notes, len(results)),
    ]


def _label_settings(settings: ScoreSettings) -> Iterator[str]:
    """Sentences on labels that do not count, or are renamed."""
    if settings.labels:
        yield f"only these labels count (--labels): {list_names(settings.labels)}."
    if settings.exclude:
        yield f"these labels do not count (--exclude): {list_names(settings.exclude)}."
    if settings.maps:
        yield f"labels are renamed (--map): {list_names([f'{label.old} to {label.new}' for label in settings.maps])}."


def _one_sided_labels(report: Report, result: Result, unit: str) -> Iterator[str]:
    """Sentences on the labels that only one side has: their units and, for gold labels, their share of the errors."""
    gold = result.gold.labels
    system = result.predicted_labels
    if not TASKS[report.task].input.has_labels or not system or not gold or gold.keys().isdisjoint(system):
        return
    if lacking := _only(gold, system, unit):
        share = _error_share(report, result, lacking)
        ending = f"; this causes {share} of its errors" if share else ""
        count = sum(gold[label] for label in lacking)
        yield (
            f"{_SYSTEM}{result.name}: {len(lacking)} of {len(gold)} gold labels never {_occur(lacking)} in its output "
            f"({list_names(lacking)}; {counted(count, unit)}){ending}."
        )
    if extra := _only(system, gold, unit):
        count = sum(system[label] for label in extra)
        yield (
            f"{_SYSTEM}{result.name}: {len(extra)} of its {len(system)} labels never {_occur(extra)} in the gold "
            f"standard ({list_names(extra)}; {counted(count, unit)})."
        )


def _occur(labels: Sequence[str]) -> str:
    return "occurs" if len(labels) == 1 else "occur"


def _only(labels: Mapping[str, int], others: Mapping[str, int], unit: str) -> list[str]:
    """The labels that `others` lacks. Of words, labels with less than a thousandth of all words are left out."""
    minimum = sum(labels.values()) / 1000 if unit == "word" else 0
    return [label for label in labels if label not in others and labels[label] > minimum]


def _error_share(report: Report, result: Result, labels: Iterable[str]) -> str:
    """The share of a system's errors whose gold label is one of these; empty if it is 0 or unknown."""
    if not report.fix_first[result.name] or report.by in TASKS[report.task].other_units:
        return ""
    chosen = frozenset(labels)
    groups = result.fix_first(report.by, most=1 << 30)
    errors = sum(group.count for group in groups)
    with_labels = sum(group.count for group in groups if group.gold in chosen)
    return f"{with_labels / errors:.0%}".replace("%", " %") if with_labels else ""


def _joined(notes: Iterable[str], systems: int) -> list[str]:
    """The notes, where those that differ only in the name of the system are one. `systems` is the number of systems."""

    def who(names: Sequence[str]) -> str:
        return "all systems" if len(names) == systems > 1 else list_names(names)

    systems_of: dict[str, list[str]] = {}
    for note in notes:
        name, colon, text = note.removeprefix(_SYSTEM).partition(": ")
        is_of_system = note.startswith(_SYSTEM) and colon
        systems_of.setdefault(text if is_of_system else note, []).extend([name] if is_of_system else [])
    return [f"{who(names)}: {text}" if names else text for text, names in systems_of.items()]
