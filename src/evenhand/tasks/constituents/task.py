"""Constituents: declaration of the task, its parameters and the measures of EVALB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.parameters import Allowed, CommandLine, Parameter, ParameterConversion
from evenhand.registry import lazy
from evenhand.scoring.measure import Breakdown, Formula, Measure, PrecisionRecall, Ratio, Scorer, WeightedCounts, plus
from evenhand.settings import CONSTITUENTS, ScoreSettings
from evenhand.tasks import task as spec
from evenhand.tasks.spans.measures import KINDS as SPAN_KINDS

_PARSEVAL = "evenhand.tasks.constituents.parseval"
ERRORS = ("LE", "BES", "BEL")
"""Wrong brackets that were matched with one of the other side."""
BRACKET_KINDS = ("TP", *(f"{kind}.{side}" for kind in ERRORS for side in ("gold", "system")), "FN", "FP")
"""An error counts once for the gold label and once for the system's label."""
CLASS_KINDS = (*SPAN_KINDS, "TN", "unscored")
"""In a comparison, surplus of one system is TN under the others; brackets of sentences left out are unscored."""
UNSCORED = CLASS_KINDS.index("unscored")
SENTENCE_KINDS = ("valid", "error", "skip", "failed", "complete", "crossings", "no_crossing", "two_or_less")
TAG_KINDS = ("right", "wrong")
SHORT = "-short"
"""Suffix of scorers and measures of short sentences."""
ALL = "-all"
"""Suffix, before `-short`, of scorers and measures that count sentences with errors as wrong."""
LEFT_OUT, MENDED = "left out", "mended"
"""The tally of sentences that are left out, and the count of sentences with mended quotes."""
WRONG, SKIP = "wrong", "skip"
"""Sentences with errors count as wrong, or are left out as in EVALB."""
ERROR_NAMES = {"LE": "wrong label", "BES": "too narrow", "BEL": "too wide", "FN": "missing", "FP": "spurious"}

_TP, _FN, _FP = ({kind: 1.0} for kind in ("TP", "FN", "FP"))
_OF_GOLD, _OF_SYSTEM = ({f"{kind}.{side}": 1.0 for kind in ERRORS} for side in ("gold", "system"))


def counts_errors(name: str) -> bool:
    """Whether a scorer or measure counts sentences with errors as wrong, by its name."""
    return name.removesuffix(SHORT).endswith(ALL)


def with_errors(name: str) -> str:
    """The measure that counts sentences with errors as wrong, for one that leaves them out."""
    ending = SHORT if name.endswith(SHORT) else ""
    return name if counts_errors(name) else name.removesuffix(SHORT) + ALL + ending


def without_errors(name: str) -> str:
    """The measure that leaves sentences with errors out, as EVALB does."""
    return name.replace(ALL, "", 1) if counts_errors(name) else name


def _scorer(scorer: str, measure: str) -> str:
    """The scorer of a measure. The scorer of sentences counts those with errors in any case."""
    counted = ALL if counts_errors(measure) and scorer != "sentences" else ""
    return scorer + counted + (SHORT if measure.endswith(SHORT) else "")


def labeled(name: str, settings: ScoreSettings) -> Formula:
    counts = {"TP": _TP, **{kind: {f"{kind}.gold": 1.0} for kind in ERRORS}, "FN": _FN, "FP": _FP}
    divided = PrecisionRecall.of_pairs(_TP, plus(_TP, _OF_SYSTEM, _FP), plus(_TP, _OF_GOLD, _FN))
    extra_scores = lazy(f"{_PARSEVAL}:with_confusion")
    return Formula(name, _scorer("brackets", name), counts, divided, beta=settings.beta, extra_scores=extra_scores)


def _unlabeled(name: str, settings: ScoreSettings) -> Formula:
    """Brackets over the right words: a wrong label counts as correct."""
    matched, correct = plus(_TP, {"LE.gold": 1.0}), plus(_TP, {"LE.system": 1.0})
    missed = plus(_FN, {kind: 1.0 for kind in _OF_GOLD if kind != "LE.gold"})
    spurious = plus(_FP, {kind: 1.0 for kind in _OF_SYSTEM if kind != "LE.system"})
    counts = {"TP": matched, "FN": missed, "FP": spurious}
    divided = PrecisionRecall(correct, plus(correct, spurious), matched, plus(matched, missed))
    extra_scores = lazy(f"{_PARSEVAL}:with_undefined")
    return Formula(name, _scorer("brackets", name), counts, divided, beta=settings.beta, extra_scores=extra_scores)


def _complete(name: str, settings: ScoreSettings) -> Formula:
    ratio = Ratio("valid_share", {"valid": 1.0}, {"valid": 1.0, "failed": 1.0}, "sentences without an error.")
    counts = ("valid", "error", "skip", "complete")
    return _sentence_share(name, settings, "complete", counts, lambda whole: ratio, "with_left_out")


def _crossing(name: str, settings: ScoreSettings) -> Formula:
    definition = "sentences with at most two crossing brackets."
    return _sentence_share(
        *(name, settings, "no_crossing", ("valid", "crossings", "no_crossing", "two_or_less")),
        lambda whole: Ratio("two_or_less_share", {"two_or_less": 1.0}, whole, definition),
        "with_undefined",
    )


def _sentence_share(
    name: str,
    settings: ScoreSettings,
    correct: str,
    counts: tuple[str, ...],
    ratio_of: Callable[[WeightedCounts], Ratio],
    extra_scores: str,
) -> Formula:
    """The share of sentences that are correct, of the valid ones or also of those with errors."""
    part, whole = {correct: 1.0}, {"valid": 1.0}
    if counts_errors(name):
        whole, counts = {"valid": 1.0, "failed": 1.0}, ("failed", *counts)
    ratio = ratio_of(whole)
    types = {correct: correct, **{kind: "failed" if kind == "failed" else "incorrect" for kind in whole}}
    return Formula(
        *(name, _scorer("sentences", name), {kind: {kind: 1.0} for kind in counts}),
        PrecisionRecall.of_pairs(part, whole, whole),
        headline="accuracy",
        beta=settings.beta,
        ratios=(ratio,),
        breakdown=Breakdown("overall", known={ratio.name: ratio.denominator}),
        extra_scores=lazy(f"{_PARSEVAL}:{extra_scores}"),
        types=types,
    )


def _tagging(name: str, settings: ScoreSettings) -> Formula:
    right, words = {"right": 1.0}, {"right": 1.0, "wrong": 1.0}
    return Formula(
        *(name, _scorer("tagging", name), {"words": words, "right": right}),
        PrecisionRecall.of_pairs(right, words, words),
        headline="accuracy",
        beta=settings.beta,
        breakdown=Breakdown("labels"),
        extra_scores=lazy(f"{_PARSEVAL}:with_undefined"),
        types={kind: kind for kind in words},
    )


class _Declared(NamedTuple):
    formula: Callable[[str, ScoreSettings], Formula]
    scorer: str
    function: str
    """The function of `parseval` that counts; its docstring, or its module's for `count`, is the definition."""
    aliases: tuple[str, ...]
    summary: str
    units: str
    """The function of `parseval` that lists the units."""
    correct: str = ""
    """The count type of correct sentences, if units are sentences."""


_DECLARED = {
    "labeled": _Declared(
        labeled, "brackets", "count", ("evalb", "parseval", "lf"), "Brackets with the right words and label", "units"
    ),
    "unlabeled": _Declared(_unlabeled, "brackets", "count", ("uf",), "Brackets with the right words", "units"),
    "complete": _Declared(
        *(_complete, "sentences", "count_crossing", ("complete match",), "Sentences with all brackets right"),
        *("sentence_units", "complete"),
    ),
    "crossing": _Declared(
        *(_crossing, "sentences", "count_crossing", ("no crossing",), "Sentences without a crossing bracket"),
        *("sentence_units", "no_crossing"),
    ),
    "tagging": _Declared(
        _tagging, "tagging", "count_tagging", ("tagging accuracy",), "Words with the right tag", "tag_units"
    ),
}


def _measure(base: str, *, short: bool, with_all: bool) -> Measure:
    declared = _DECLARED[base]
    ending = (ALL if with_all else "") + (SHORT if short else "")
    summary = declared.summary + (" (short sentences)" if short else "") + (", errors as wrong" if with_all else "")
    options = {"short": short} | ({} if declared.scorer == "sentences" else {"counts_errors": with_all})
    count: Any = lazy(f"{_PARSEVAL}:{declared.function}")
    units: Any = lazy(f"{_PARSEVAL}:{declared.units}")
    of_units = options | ({"correct": declared.correct} if declared.correct else {})
    name = base + ending
    scorer = Scorer(_scorer(declared.scorer, name), partial(count, **options), units=partial(units, **of_units))
    definition = _PARSEVAL if declared.function == "count" else f"{_PARSEVAL}.{declared.function}"
    return Measure(
        *(name, CONSTITUENTS, scorer, declared.formula, definition),
        aliases=tuple(alias + ending for alias in declared.aliases),
        family="short" if short and not with_all else None,
        summary=f"{summary}.",
        is_variant=with_all,
        counterpart=without_errors(name) if with_all else with_errors(name),
    )


EVALB = tuple(_DECLARED)
EVALB_SHORT = tuple(name + SHORT for name in EVALB)
"""The figures of EVALB's summary, for all sentences and for short ones."""
MEASURES = tuple(
    _measure(name, short=short, with_all=with_all)
    for with_all in (False, True)
    for short in (False, True)
    for name in EVALB
)


_NUMBERS = {"LABELED": "labeled", "CUTOFF_LEN": "cutoff", "MAX_ERROR": "max_error"}
_NAMES = {"DELETE_LABEL": "deleted", "DELETE_LABEL_FOR_LENGTH": "uncounted", "QUOTE_LABEL": "quotes"}
_CLASSES = {"EQ_LABEL": "same_labels", "EQ_WORD": "same_words"}
_IGNORED = ("DEBUG",)
KEYS = (*_NUMBERS, *_NAMES, *_CLASSES, *_IGNORED)
Classes = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class EvalbRules:
    """Parameter files of EVALB: deleted labels and words, and equivalent ones.

    A line has a key and its values. Lines that begin with `#` are comments.

    | key | meaning |
    | --- | --- |
    | `LABELED` | 0: brackets are right by their words alone |
    | `CUTOFF_LEN` | the maximum length of short sentences, in words |
    | `DELETE_LABEL` | a tag whose words, and a label whose brackets, are left out |
    | `DELETE_LABEL_FOR_LENGTH` | a tag whose words do not count for the length of a sentence |
    | `QUOTE_LABEL` | a tag under which a quotation mark may be mistaken for another sign |
    | `EQ_LABEL` | equivalent labels, or tags |
    | `EQ_WORD` | equivalent words |
    | `MAX_ERROR` | the number of errors after which EVALB gives up; ignored |
    | `DEBUG` | the output of EVALB; ignored |

    Sources: Sekine and Collins 1997, README and COLLINS.prm; Collins 1997, section 3, for the labels of COLLINS.prm.
    """

    name: str = "none"
    labeled: int = 1
    cutoff: int = 40
    deleted: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    same_labels: Classes = ()
    same_words: Classes = ()
    max_error: int = 10

    def __str__(self) -> str:
        """The name and, for a file, a digest of the values that affect figures."""
        if self in BUILT_IN.values():
            return self.name
        from hashlib import sha256  # slow to load

        # The digest is part of signatures, so it must not depend on the name of this class.
        values = repr(replace(self, name="", max_error=0)).partition("(")[2]
        return f"{self.name}#{sha256(f'Rules({values}'.encode()).hexdigest()[:8]}"

    def label_class(self) -> Callable[[str], str]:
        """A function that maps a label or tag to the representative of its equivalence class."""
        return _representative(self.same_labels)

    def word_class(self) -> Callable[[str], str]:
        return _representative(self.same_words)


COLLINS = EvalbRules(
    "collins",
    deleted=("TOP", "-NONE-", ",", ":", "``", "''", "."),
    uncounted=("-NONE-",),
    same_labels=(("ADVP", "PRT"),),
)
BUILT_IN = {"collins": COLLINS, "none": EvalbRules()}


def _representative(classes: Classes) -> Callable[[str], str]:
    """Map names to representatives; classes that share a name are merged."""
    first: dict[str, str] = {}
    for names in classes:
        known = {first[name] for name in names if name in first}
        target = min((*known, names[0]), key=lambda name: (name not in known, name))
        first |= {name: target for name, old in first.items() if old in known} | dict.fromkeys(names, target)
    return lambda name: first.get(name, name)


def parse_rules(text: str) -> EvalbRules:
    """`collins`, `none`, or the path of a parameter file of EVALB."""
    if text.lower() in BUILT_IN:
        return BUILT_IN[text.lower()]
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    source = Source(to_path(text))
    name = text.replace("\\", "/").rpartition("/")[2]
    return rules_of(source.read_whole().decode(errors="replace").splitlines(), name, source.display_name)


def rules_of(lines: Iterable[str], name: str, display_name: str) -> EvalbRules:
    """Parse the lines of a parameter file; `display_name` is its name in messages."""
    numbers: dict[str, Any] = {}
    names: dict[str, list[str]] = {key: [] for key in _NAMES}
    classes: dict[str, list[tuple[str, ...]]] = {key: [] for key in _CLASSES}
    for number, line in enumerate(lines, 1):
        key, *values = line.split() or ["#"]
        if key.startswith("#") or key in _IGNORED:
            continue
        finding = _problem(key, values)
        if finding is not None:
            raise InputError(display_name, number, *finding)
        if key in _NUMBERS:
            numbers[key] = int(values[0])
        elif key in _NAMES:
            names[key].append(values[0])
        else:
            classes[key].append(tuple(values))
    fields = {_NUMBERS[key]: value for key, value in numbers.items()}
    fields |= {_NAMES[key]: tuple(values) for key, values in names.items()}
    fields |= {_CLASSES[key]: tuple(values) for key, values in classes.items()}
    from msgspec import convert  # help loads this module, and should load little

    return convert({"name": name, **fields}, EvalbRules)


def _problem(key: str, values: Sequence[str]) -> tuple[str, str] | None:
    if key not in KEYS:
        return f"{key!r} is not a key of EVALB", f"choose from {', '.join(KEYS)}"
    minimum = 2 if key in _CLASSES else 1
    if len(values) < minimum:
        return f"{key} has {len(values)} values", f"write at least {minimum}"
    if key in _NUMBERS and not (values[0].isdecimal() and values[0].isascii() and len(values[0]) < 10):
        return f"{key} is {values[0]!r}", "write a whole number"
    return None


def _resolve(values: dict[str, Any], content: spec.GoldProfile) -> None:
    """Take the length of short sentences from the parameter file by default."""
    if values["cutoff"] is None:
        values["cutoff"] = values["prm"].cutoff


PARAMETERS = (
    Parameter(
        "prm",
        "text",
        COLLINS,
        "EVALB parameters: collins, none, or a .prm file [collins].",
        conversion=ParameterConversion(parse=parse_rules, stored=EvalbRules, spell=str),
        cli=CommandLine(metavar="collins|none|FILE"),
    ),
    Parameter(
        "cutoff",
        "whole",
        None,
        "Maximum number of words in a short sentence [CUTOFF_LEN of --prm, 40].",
        allowed=Allowed(least=0, optional=True),
    ),
    spec.choice(
        "errors",
        (WRONG, SKIP),
        "Sentences with errors in rank, compare, gate and report: count them as wrong, or skip them as EVALB does.",
        cli=CommandLine(metavar="wrong|skip"),
    ),
)

TASK = spec.Task(
    name=CONSTITUENTS,
    title="constituents: phrase structure trees",
    aliases=("constituency", "phrase-structure", "brackets"),
    unit="bracket",
    example=spec.Example(
        "constituents", "gold.mrg", ("chunks.mrg", "pcfg.mrg", "neural.mrg"), options="--task constituents"
    ),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=lambda content: (*EVALB, *EVALB_SHORT, *map(with_errors, (*EVALB, *EVALB_SHORT))),
        ranked=lambda content: EVALB,
        compared=("labeled", with_errors("labeled")),
        reported=("labeled", with_errors("labeled")),
        tested=lambda by, content: tuple(dict.fromkeys((by, without_errors(by)))),
        resolve=lambda name, options: name if options.get("errors") == SKIP else with_errors(name),
        leaves_out=lambda name, options: options.get("errors") == SKIP and counts_errors(name),
    ),
    units_expected_by=with_errors("labeled"),
    parameters=PARAMETERS,
    input=spec.InputSpec(alignments=("strict",), detects=lambda annotation: CONSTITUENTS in annotation.layers),
    rules=spec.SettingRules(
        signature=(
            *("align", "gold", "system", "functions", "prm", "cutoff", "errors"),
            *("map", "labels", "exclude", "macro", "beta"),
        ),
        resolve=_resolve,
        notes=lazy("evenhand.tasks.constituents.tables:setting_notes"),
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.constituents.evaluation:align"),
        evaluate=lazy("evenhand.tasks.constituents.evaluation:evaluate"),
        notes=lazy("evenhand.tasks.constituents.tables:notes"),
        is_perfect=lazy("evenhand.tasks.constituents.tables:is_perfect"),
    ),
    error_types=spec.ErrorTypes(
        all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",), unscored=("unscored",)
    ),
    comparison=spec.ComparisonSpec(
        unit_scorers=("brackets", "brackets-all"),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64")),
        answer_text=partial(lazy("evenhand.tasks.units:answer_text"), kinds=CLASS_KINDS, bare=("FN", "TN", "unscored")),
        page_slices=("length", "sentence-length", "document"),
    ),
    display=spec.Display(
        summary=lazy("evenhand.tasks.constituents.tables:summary"),
        details=lazy("evenhand.tasks.constituents.tables:details"),
        listing=lazy("evenhand.tasks.constituents.tables:listing"),
        errors=lazy("evenhand.tasks.constituents.tables:error_bars"),
        confusion=spec.Confusion(
            (with_errors("labeled"), "labeled"),
            caption="Errors only: wrong bounds on the diagonal, wrong labels off it.",
            diagonal="wrong bounds",
            one_sided=("FN", "FP"),
        ),
        remarks={"moved": "verdict, but other bounds"},
        shows_error_types=True,
        drawing="brackets",
    ),
)
