"""The signature, one line with the versions and every setting that can change a number; and notes on results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.data.annotation import ReadInfo
from evenhand.errors import WARNING, Skipped, counted, nearest, plural
from evenhand.formats.format import FORMATS
from evenhand.settings import Atoms, ReadSettings, ScoreSettings
from evenhand.statistics.significance import trials_for
from evenhand.tasks.evaluation import uses_confidences
from evenhand.tasks.registry import TASKS, models_of, parameters_of
from evenhand.tasks.task import GoldProfile
from evenhand.versions import signed

if TYPE_CHECKING:
    from evenhand.results.comparison import Pair, ScoreChange, Significance, Slice
    from evenhand.results.result import GoldSummary
    from evenhand.tasks.evaluation import SideSummary


def signature(settings: ScoreSettings, read_as: ReadSettings, atoms: Atoms, gold: ReadInfo, system: ReadInfo) -> str:
    """`key:value` pairs, joined by bars. Results with equal signatures can be compared.

    The keys of the task come first, then the parameters of the requested measures, then other parameters of the task if
    they are set.
    """
    sides = {"gold": gold, "system": system}
    return signed(_values(settings, read_as, atoms, sides, TASKS[settings.task].rules.signature))


def agreement_signature(
    settings: ScoreSettings,
    read_as: ReadSettings,
    atoms: Atoms,
    annotators: Iterable[ReadInfo],
    further: Mapping[str, str],
) -> str:
    """The signature of an agreement, which has no gold standard; `further` settings are appended."""
    unused = ("gold", "focus", "macro", "beta")
    names = [key for key in TASKS[settings.task].rules.signature if key not in unused]
    keys = ["annotators" if key == "system" else key for key in names]
    signatures = [signed(_values(settings, read_as, atoms, {"annotators": info}, keys)) for info in annotators]
    return f"{joint_signature(signatures)}|{_joined(further)}"


def _values(
    settings: ScoreSettings, read_as: ReadSettings, atoms: Atoms, sides: Mapping[str, ReadInfo], keys: Sequence[str]
) -> dict[str, str]:
    """The values of these keys and of all parameters in effect; the last side has the system's format."""
    task, *_, system = TASKS[settings.task], *sides.values()
    known = {
        "align": settings.align,
        "atoms": atoms,
        **{side: _read_info(info) for side, info in sides.items()},
        "repair": _repair(sides, read_as),
        "offsets": "+".join(dict.fromkeys(side.offsets or str(read_as.convention) for side in sides.values())),
        "functions": "kept" if read_as.functions else "cut",
        "map": ",".join(map(str, settings.maps)) or "none",
        "labels": ",".join(sorted(settings.labels)) or "all",
        "exclude": ",".join(sorted(settings.exclude)) or "none",
        "macro": "gold-labels",
        "beta": f"{settings.beta:g}",
        **task.rules.constants,
    }
    measures = models_of(task.name)
    of_task = {parameter.signature_key: parameter for parameter in task.parameters}
    of_measures = {parameter.signature_key: parameter for measure in measures for parameter in measure.parameters}
    parameters = of_task | of_measures
    texts = {key: parameter.conversion.spell(settings[parameter.name]) for key, parameter in parameters.items()}
    values = {"task": task.name, "match": ",".join(settings.spelled_match)}
    values |= {key: known[key] if key in known else texts[key] for key in keys}
    for measure in measures:
        if measure.name in settings.match:
            values |= {parameter.signature_key: texts[parameter.signature_key] for parameter in measure.parameters}
    values |= {"train": "+".join(settings.train)} if settings.train else {}
    values |= {"drop-leaked": "exact"} if settings.drop_leaked else {}
    traits = FORMATS[system.format].contents.traits if system.format in FORMATS else frozenset()
    gold = next(iter(sides.values()))
    if gold.format in FORMATS and FORMATS[gold.format].contents.has_missing:
        values["missing"] = "left-out"
    for key, parameter in of_task.items():
        trait = parameter.effect.trait
        if key and (trait in traits if trait else settings[parameter.name] != parameter.default):
            values.setdefault(key, texts[key])
    return values


def _joined(values: Mapping[str, str]) -> str:
    return "|".join(f"{key}:{value}" for key, value in values.items())


def joint_signature(signatures: Iterable[str]) -> str:
    """One signature for several systems: different values of a key are joined by plus signs."""
    by_key: dict[str, list[str]] = {}
    for signature in dict.fromkeys(signatures):
        for pair in signature.split("|"):
            key, _, value = pair.partition(":")
            by_key.setdefault(key, []).append(value)
    return "|".join(f"{key}:{'+'.join(dict.fromkeys(values))}" for key, values in by_key.items())


def _repair(sides: Mapping[str, ReadInfo], read_as: ReadSettings) -> str:
    """The repair of ill-formed tags; one value per side if sides differ."""
    repairs = {side: info.repair or read_as.repair for side, info in sides.items()}
    first, *others = repairs.values()
    same = all(other == first for other in others)
    return first if same else "/".join(f"{side}-{repair}" for side, repair in repairs.items())


def _read_info(info: ReadInfo) -> str:
    column = f"column-{info.column}" if info.column else None
    annotator = f"annotator-{info.annotator}" if info.annotator else None
    return "/".join(filter(None, (info.format, info.encoding, info.shape, column, annotator)))


_DEFAULTS = {
    "align": "strict",
    "scope": "sentence",
    "levels": "pooled",
    "repair": "begin",
    "offsets": "codepoints",
    "functions": "cut",
    "map": "none",
    "labels": "all",
    "exclude": "none",
    "macro": "gold-labels",
    "beta": "1",
    "interval": "percentile",
    "level": "0.95",
    "seed": "0",
}
"""Default values of keys that are not parameters of a task or measure."""
_MAX_MEASURES = 3
"""Maximum number of measures in a short signature."""
_READ = ("gold", "system", "annotators")
"""Keys that state how files were read."""


def short_signature(signature: str) -> str:
    """The versions, the task, the measures, and the settings that differ from their defaults.

    Left out are the formats of files, the unit of positions, which follows from these and from `align`, and the numbers
    of trials and resamples, which tables state.
    """
    pairs = [pair.partition(":")[::2] for pair in signature.split("|")]
    task = dict(pairs).get("task", "")
    defaults, by_content = dict(_DEFAULTS), {*_READ, "atoms", "of", "trials", "resamples"}
    for parameter in parameters_of(task) if task in TASKS else ():
        defaults[parameter.signature_key] = parameter.conversion.spell(parameter.default)
        by_content |= {parameter.signature_key} if parameter.default is None else set()
    shown = {key: value for key, value in pairs if key not in by_content and defaults.get(key) != value}
    if task in TASKS and shown.get("align") in _alignments(task):
        del shown["align"]
    measures = shown.get("match", "").split(",")
    if len(measures) > _MAX_MEASURES:
        shown["match"] = f"{','.join(measures[:_MAX_MEASURES])},…"
    return f"{_joined(shown)} (--signature: all)"


def _alignments(task: str) -> set[str]:
    """The default alignments of a task, which may depend on the traits of the format."""
    default = TASKS[task].input.default_alignment
    return {default(GoldProfile(task, frozenset(traits))) for traits in ((), ("universal",), ("heads",))}


# Notes


ALPHA = 0.05
"""The p-value below which a difference is significant."""
NOTHING_TO_RESAMPLE = "nothing can be resampled"
"""The beginning of the note on missing intervals and tests."""


def notes_on_gold(gold: GoldSummary, unit: str) -> tuple[str, ...]:
    """A warning if the gold standard has no unit."""
    if gold.units:
        return ()
    finding = f"the gold standard {gold.name} has no {unit} that counts"
    return (f"{WARNING}{finding}, so overall scores of {plural(unit)} are undefined.",)


def notes_on_confidences(
    settings: ScoreSettings, gold: SideSummary, name: str, system: SideSummary, unit: str
) -> tuple[str, ...]:
    """How the confidences of a system's units are used, if they have any."""
    if not system.scored and not gold.scored:
        return ()
    if not uses_confidences(settings.parameters):
        note = f"system {name}: has scores, which are not used; see evenhand confidence and --min-score."
        return (note,) if system.scored else ()
    notes = [f"gold: has scores ({counted(gold.scored, unit)}), which are ignored."] if gold.scored else []
    if system.reading is not None and system.reading.merged:
        how = settings.parameters["score_of_span"]
        notes.append(f"system {name}: merged entities have the scores of their tokens (score-of-span: {how}).")
    if system.unscored and system.scored:
        missing = f"{system.unscored:,} of {counted(system.scored + system.unscored, unit)} have no score"
        notes.append(f"system {name}: {missing} (missing-score: {settings.parameters['missing_score']}).")
    if settings.parameters["min_score"] and system.scored:
        units = counted(system.scored + system.unscored, unit)
        notes.append(f"system {name}: {system.units:,} of {units} are scored (min-score).")
    return tuple(notes)


def nothing_to_resample(of: str, number: int) -> str:
    """The note on missing intervals and tests."""
    size = counted(number, of.removesuffix("s"))
    return f"{NOTHING_TO_RESAMPLE} because the gold standard has {size}: no intervals and no tests."


def why_sentences(few_documents: int, alpha: float = ALPHA) -> str:
    """The reason why tests and intervals resample sentences although there are several documents."""
    few = f"systems differ in at most {counted(few_documents, 'document')}, too few for any p-value below {alpha:g}"
    return f"Tests and intervals resample sentences: {few} (--of documents resamples these)."


def notes_on_comparison(
    left_out: int, pairs: Mapping[tuple[str, str], Pair], groups: str, task: str, by: str, shared: Slice | None = None
) -> tuple[str, ...]:
    notes, unit = [], TASKS[task].unit_of(by)
    if left_out:
        units = f"{counted(left_out, unit)} of the gold standard {'is' if left_out == 1 else 'are'}"
        why = TASKS[task].display.remarks.get("left_out", "not all systems are scored on their sentences")
        notes.append(f"{units} not compared because {why}.")
    if shared is not None:
        units = f"the {counted(shared.units, unit)} that all systems have"
        scores = ", ".join(f"{name} {100 * score:.2f}" for name, score in shared.scores.items())
        notes.append(f"{by} on {units}: {scores}; all other figures count a {unit} that a system lacks as wrong.")
    identical = [f"{a} and {b}" for (a, b), pair in pairs.items() if not pair.different and not pair.moved]
    if identical:
        notes.append(f"no difference at all: {', '.join(identical)}.")
    return (*notes, *notes_on_pairs(pairs, groups, task))


def notes_on_pairs(pairs: Mapping[tuple[str, str], Pair | ScoreChange], groups: str, task: str) -> Iterator[str]:
    """Sentences if no p-value of some pairs, or of all, can be below alpha."""
    tested = [(pair, pair.significance) for pair in pairs.values() if pair.significance is not None]
    tests = [test for pair, test in tested if getattr(pair, "different", test.groups)]
    remedy = "compare with one --baseline" if len(pairs) >= len({name for pair in pairs for name in pair}) else ""
    return notes_on_tests(tests, len(pairs), groups, task, remedy=remedy)


def notes_on_tests(
    tests: Sequence[Significance], pairs: int, groups: str, task: str, alpha: float = ALPHA, remedy: str = ""
) -> Iterator[str]:
    """Notes if the p-values of some tests, or all corrected p-values, cannot be below alpha.

    `remedy` is a further remedy for the number of pairs.
    """
    more = "use --of sentences" if groups == "documents" and not TASKS[task].evaluation.by_document else ""
    if any(test.least > alpha for test in tests):
        ending = f"; {more}" if more else ""
        yield f"some systems differ in so few {groups} that no p-value can be below {100 * alpha:g} %{ending}."
    if not tests or min(test.least for test in tests) > alpha:
        return
    floors = [test.least if test.exact else max(test.least, 1 / (test.trials + 1)) for test in tests]
    if pairs * min(floors) < alpha:
        return
    if pairs * min(test.least for test in tests) < alpha:
        trials = max(test.trials for test in tests)
        cause, first = f"{counted(trials, 'trial')} allow", f"set --trials to {trials_for(pairs, alpha)}"
    else:
        cause, first = f"so few {groups} allow", more
    remedies = " or ".join(filter(None, (first, remedy)))
    corrected = f"corrected for {counted(pairs, 'pair')} (Holm), " if pairs > 1 else ""
    yield f"{corrected}{cause} no p-value below {100 * alpha:g} %{'; ' if remedies else ''}{remedies}."


def notes_on_settings(settings: ScoreSettings, seen: Sequence[str], systems: Collection[str] = ()) -> tuple[str, ...]:
    """A note for every label that the user names but no file has; `seen` has the labels of all files.

    Names of `systems` are not labels.
    """
    named = [("--labels", name) for name in settings.labels] + [("--exclude", name) for name in settings.exclude]
    named += [("--map", renamed.old) for renamed in settings.maps]
    for parameter in parameters_of(settings.task):
        labels = parameter.effect.labels(settings[parameter.name])
        named += [(parameter.option, label) for label in labels if label not in systems]
    notes = []
    for option, label in named:
        if label not in seen:
            other = nearest(label, list(seen))
            hint = f"; the nearest one is {other!r}" if other else ""
            notes.append(f"the label {label!r} of {option} occurs nowhere{hint}.")
    return tuple(notes)


def notes_on_skipped(skipped: Mapping[str, Skipped], scored: int) -> tuple[str, ...]:
    """A warning that systems are missing, and the reason for each of them."""
    if not skipped:
        return ()
    verb = "was" if len(skipped) == 1 else "were"
    number = f"{len(skipped):,} of {counted(len(skipped) + scored, 'system')}"
    warning = f"{WARNING}{number} {verb} not scored. See the notes for the reasons."
    return (warning, *(f"not scored: {name}: {reason}" for name, reason in skipped.items()))
