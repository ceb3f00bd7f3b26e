"""Notes: what a reader of the numbers should know about the files behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.problems import WARNING
from evenhand.settings import CONLL18, Repair, ScoreSettings, Task
from evenhand.statistics.significance import trials_for
from evenhand.text.annotation import Reading
from evenhand.text.chain_feed import Mismatches
from evenhand.text.label_names import MOST, foreign_labels, listed, nearest

if TYPE_CHECKING:
    from evenhand.result.pairs import Pair, Significance
    from evenhand.result.result import Gold

_ALPHA = 0.05


def notes(
    gold: Gold,
    name: str,
    system: Reading,
    labels: Mapping[str, int],
    repair: Repair,
    *,
    breaks_differ: bool,
    identical: bool,
) -> tuple[str, ...]:
    """One sentence for everything that was mended or is worth a look."""
    found = [*_reading("gold", gold.name, gold.reading, repair), *_reading("system", name, system, repair)]
    if breaks_differ:
        found.append(f"system {name}: its sentences differ from the gold standard's, which were used.")
    if not gold.units:
        found.append(f"gold {gold.name}: has no span at all.")
    if not sum(labels.values()):
        found.append(f"system {name}: has no span at all.")
    elif identical:
        found.append(f"system {name}: its spans are just those of the gold standard; is it the right file?")
    found += notes_on_labels(gold, name, labels)
    return tuple(found)


def notes_on_labels(gold: Gold, name: str, labels: Mapping[str, int], units: str = "spans") -> list[str]:
    """What labels only one side has; a warning if the two have none in common."""
    if not gold.units or not labels or not sum(labels.values()):
        return []
    if foreign := foreign_labels(labels, gold.labels):
        return [f"{WARNING}system {name}: {'; '.join(foreign)}."]
    return [
        *_one_sided(f"gold {gold.name}", "the system", gold.labels, labels, units),
        *_one_sided(f"system {name}", "the gold standard", labels, gold.labels, units),
    ]


def notes_on_words(
    gold: Gold, name: str, system: Reading, labels: Mapping[str, int], missing: int, *, identical: bool
) -> tuple[str, ...]:
    """The same for words, whose tags or relations are scored."""
    found = [*_reading("gold", gold.name, gold.reading, "begin"), *_reading("system", name, system, "begin")]
    if missing:
        found.append(
            f"system {name}: has no word for {missing:,} of the {gold.tokens or 0:,} words of the gold standard, "
            "as its tokens differ; these count as wrong."
        )
    if not gold.units:
        found.append(f"gold {gold.name}: has no word that counts.")
    elif identical:
        found.append(f"system {name}: its words are labeled just as those of the gold standard; is it the right file?")
    found += notes_on_labels(gold, name, labels, "words")
    return tuple(found)


def notes_on_chains(
    gold: Gold,
    name: str,
    mentions: int,
    repeated_in_key: int,
    repeated: int,
    mismatches: Mismatches,
    *,
    identical: bool,
) -> tuple[str, ...]:
    """The same for chains: documents, words and mentions that are not as they should be."""
    found = []
    if repeated_in_key:
        found.append(f"gold {gold.name}: {_repeats(repeated_in_key)}; the first chain keeps the span.")
    if repeated:
        found.append(f"system {name}: {_repeats(repeated)}; where it is in the key, the first chain keeps it.")
    if mismatches.missing:
        found.append(f"system {name}: has not the documents {listed(mismatches.missing)}; they count as empty.")
    if mismatches.extra:
        found.append(f"system {name}: has more documents, which are ignored: {listed(mismatches.extra)}.")
    if mismatches.words:
        words = "1 word is not that" if mismatches.words == 1 else f"{mismatches.words:,} words are not those"
        first = f"the first one: {mismatches.first_word}; --align strict refuses them"
        found.append(f"system {name}: {words} of the gold standard ({first}).")
    if mismatches.nodes:
        nodes = "1 empty node is" if mismatches.nodes == 1 else f"{mismatches.nodes:,} empty nodes are"
        found.append(f"system {name}: {nodes} in one of the two files only; mentions there are wrong or missing.")
    if not gold.units:
        found.append(f"gold {gold.name}: has no mention at all.")
    elif not gold.labels:
        found.append(f"gold {gold.name}: has no POS, so that there are no types of mentions and no arcs_nom.")
    if not mentions:
        found.append(f"system {name}: has no mention at all.")
    elif identical:
        found.append(f"system {name}: its chains are just those of the gold standard; is it the right file?")
    return tuple(found)


def _repeats(count: int) -> str:
    return "1 mention repeats the span of another" if count == 1 else f"{count:,} mentions repeat spans of others"


def notes_on_comparison(
    gold: Gold, left_out: int, pairs: Mapping[tuple[str, str], Pair], groups: str, task: Task
) -> tuple[str, ...]:
    """What a reader of a comparison should know."""
    found = []
    if left_out:
        words = "1 word of the gold standard is" if left_out == 1 else f"{left_out:,} words of the gold standard are"
        found.append(f"{words} not compared, as not all systems have them; scores are over the other {gold.units:,}.")
    identical = [f"{a} and {b}" for (a, b), pair in pairs.items() if not pair.different and not pair.moved]
    if identical:
        found.append(f"no difference at all: {', '.join(identical)}.")
    tests = [pair.significance for pair in pairs.values() if pair.significance is not None and pair.different]
    more = "use --of sentences" if groups == "documents" and task != "chains" else ""
    if any(test.least > _ALPHA for test in tests):
        remedy = f"; {more}" if more else ""
        found.append(f"some systems differ in so few {groups} that no p-value can be below 5 %{remedy}.")
    if tests and min(test.least for test in tests) <= _ALPHA:
        found += _on_correction(pairs, tests, groups, more)
    return tuple(found)


def _on_correction(
    pairs: Mapping[tuple[str, str], Pair], tests: Sequence[Significance], groups: str, more: str
) -> Iterator[str]:
    """A sentence where no p-value can be below 5 % once it is corrected for the number of pairs.

    `more` says how there are more groups.
    """
    number, trials = len(pairs), max(test.trials for test in tests)
    floors = [test.least if test.exact else max(test.least, 1 / (test.trials + 1)) for test in tests]
    if number * min(floors) < _ALPHA:
        return
    if number * min(test.least for test in tests) < _ALPHA:
        cause, remedy = f"{trials:,} trials allow", f"set --trials to {trials_for(number)}"
    else:
        cause, remedy = f"so few {groups} allow", more
    all_pairs = number >= len({name for pair in pairs for name in pair})
    remedies = " or ".join(filter(None, (remedy, "compare with one --baseline" if all_pairs else "")))
    corrected = f"corrected for {number:,} pairs (Holm), " if number > 1 else ""
    yield f"{corrected}{cause} no p-value below 5 %{'; ' if remedies else ''}{remedies}."


def notes_on_settings(settings: ScoreSettings, met: Sequence[str]) -> tuple[str, ...]:
    """A sentence for every label that the user names and no file has; `met` are all labels there are."""
    named = [("--labels", name) for name in settings.labels] + [("--exclude", name) for name in settings.exclude]
    named += [("--map", each.old) for each in settings.maps]
    named += [("--supertag", label) for tag in settings.supertags for label in tag.labels]
    found = []
    for option, label in named:
        if label not in met:
            other = nearest(label, list(met))
            hint = f"; the nearest one is {other!r}" if other else ""
            found.append(f"the label {label!r} of {option} occurs nowhere{hint}.")
    if any(model in CONLL18 for model in settings.match) and _chooses_words(settings):
        found.append("--labels, --exclude, --punctuation and --subtypes do not concern the metrics of CoNLL 2018.")
    return tuple(found)


def _chooses_words(settings: ScoreSettings) -> bool:
    return bool(settings.labels or settings.exclude or settings.punctuation.by != "keep" or settings.subtypes)


def _reading(side: str, name: str, reading: Reading, repair: Repair) -> list[str]:
    found = []
    if reading.repaired:
        one = reading.repaired == 1
        policy = "left out" if repair == "discard" else f"taken as {'it stands' if one else 'they stand'}"
        spans = "1 span is" if one else f"{reading.repaired:,} spans are"
        encoding = (reading.encoding or "").upper()
        found.append(
            f"{side} {name}: {spans} ill-formed in {encoding} and {policy} "
            f"(repair: {repair}; the first one: {reading.first_repair})."
        )
    if reading.looks_like is not None:
        found.append(f"{side} {name}: {_judged_as(reading.looks_like, reading.encoding or '')}.")
    skipped = [f"{side} {name}: skipped {count:,} {what}." for what, count in reading.skipped.items() if count]
    kept = [
        f"{side} {name}: took {count:,} {what} as they stand (--repair error refuses them)."
        for what, count in reading.kept.items()
    ]
    return found + skipped + kept


def _judged_as(looks_like: str, encoding: str) -> str:
    """By which encoding a system's tags are judged that look like another one than the gold standard's."""
    if looks_like == encoding:
        return f"its tags are judged as {encoding.upper()}, since the gold standard's encoding has no such tags"
    judged = f"judged as {encoding.upper()}, the gold standard's encoding"
    return f"its tags look like {looks_like.upper()} but are {judged} (--encoding system:{looks_like} overrides)"


def _one_sided(
    side: str, other: str, labels: Mapping[str, int], others: Mapping[str, int], units: str = "spans"
) -> list[str]:
    """The labels that only one side has, with the nearest one of the other side; of words, rare ones go unsaid."""
    least = sum(labels.values()) / 1000 if units == "words" else 0
    only = [label for label in labels if label not in others and labels[label] >= least]
    found = []
    for label in only[:MOST]:
        near = nearest(label, [each for each in others if each not in labels] or list(others))
        hint = f"; the nearest one there is {near!r}" if near else ""
        found.append(f"{side}: the label {label!r} ({labels[label]:,} {units}) does not occur in {other}{hint}.")
    if len(only) > MOST:
        found.append(f"{side}: {len(only) - MOST} more labels do not occur in {other}.")
    return found
