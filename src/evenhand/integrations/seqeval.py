"""A drop-in replacement for seqeval: change only the import.

    from evenhand.integrations.seqeval import classification_report, f1_score, IOB2

Every function has the parameters and results of seqeval 1.2.2, even if Evenhand's own results differ;
`docs/how-to/coming-from/seqeval.md` lists the differences. Entities are computed for all sentences at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, compress, repeat
from operator import eq, ne
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, Values, ints, ranges
from evenhand.dataclass import dataclass
from evenhand.errors import counted, warn_caller
from evenhand.parameters import quote

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "UndefinedMetricWarning",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]
ZeroDivision = Literal["warn", 0, 1]
Sentences = list[list[str]]
Scores = tuple[Any, Any, Any, Any]
"""Precision, recall, F and support: arrays by type, or averaged numbers."""
MICRO, _, WEIGHTED = AVERAGES = ("micro", "macro", "weighted")
_ALL = ("precision", "recall", "f-score")
_COLUMNS = ("precision", "recall", "f1-score", "support")
PREFIXES = "OBIESLU.?"
"""Prefixes by code; `?` is any other prefix, which only the lenient scheme has."""
OUTSIDE = PREFIXES.index("O")
Coded = npt.NDArray[np.unsignedinteger[Any]]
_BREAK = ("O",)
"""The tag that is added after every sentence, so entities end there."""
_BARE = frozenset("OBIES")
"""Tags without a type that cause no warning."""
_TYPES = {"*": slice(None), "/": slice(0, 1), "=": slice(1, 2)}


@dataclass(frozen=True)
class Scheme:
    """The rules of a scheme; `inside` is empty if an entity is everything from one beginning to the next end."""

    name: str
    prefixes: str
    starts: str
    inside: str
    ends: str

    def __repr__(self) -> str:
        return self.name


@cache
def _table(rules: str) -> Bools:
    """Where a rule holds: by the previous prefix, the prefix, and whether both have the same type (0 or 1)."""
    table = np.zeros((len(PREFIXES), len(PREFIXES), 2), dtype=np.bool_)
    for rule in rules.split():
        before, prefix = (slice(None) if sign == "*" else PREFIXES.index(sign) for sign in rule[:2])
        table[before, prefix, _TYPES[rule[2]]] = True
    return table


LENIENT = Scheme(
    "LENIENT",
    PREFIXES,
    starts="*B* *S* EE* EI* SE* SI* OE* OI* *I/ *E/ *L/ *U/ *?/",
    inside="",
    ends="E** S** BB* BS* BO* IB* IS* IO* B*/ I*/ L*/ U*/ ?*/",
)
"""seqeval's rules without `mode="strict"`: conlleval's rule with E and S; all other letters are equivalent."""
IOB1 = Scheme("IOB1", "IOB", starts="OI* II/ BI* IB= BB=", inside="BI= II=", ends="II/ IO* IB* BO* BI/ BB=")
IOE1 = Scheme("IOE1", "IOE", starts="OI* II/ EI* EE=", inside="II= IE=", ends="II/ IO* IE/ EI= EE=")
IOB2 = Scheme("IOB2", "IOB", starts="*B*", inside="BI= II=", ends="IO* II/ IB* BO* BI/ BB*")
IOE2 = Scheme("IOE2", "IOE", starts="OI* OE* EI* EE* II/ IE/", inside="IE= II=", ends="E**")
IOBES = Scheme("IOBES", "IOBES", starts="*B* *S*", inside="BI= BE= II= IE=", ends="S** E**")
BILOU = Scheme("BILOU", "BILOU", starts="*B* *U*", inside="BI= BL= II= IL=", ends="U** L**")

_PREFIXES_OF = {
    IOB2: "IOB IB BO B",
    IOE2: "IOE IE EO E",
    IOBES: "IOBES IBES IOBE OBES IBE BES OBE BE S",
    BILOU: "IOBLU IBLU IOBL OBLU IBL BLU OBL BL U",
}
"""The sets of prefixes by which a scheme is recognised."""


def recognised(text: Iterable[str], *, suffix: bool) -> Scheme:
    """The scheme of these tags, by the prefixes that they have."""
    prefixes = {str(tag)[-1:] if suffix else str(tag)[:1] for tag in text}
    for scheme, choices in _PREFIXES_OF.items():
        if any(prefixes == set(letters) for letters in choices.split()):
            return scheme
    raise ValueError(
        "No scheme (IOB2, IOE2, IOBES, BILOU) has the prefixes "
        f"{', '.join(map(repr, sorted(prefixes)))}; specify one with scheme=."
    )


@dataclass(frozen=True)
class Entities:
    """Entities in the order of their last tokens; positions count a break after each sentence."""

    type: Ints
    first: Ints
    last: Ints


@dataclass(frozen=True)
class Affixes:
    """Splits tags into the prefix (or the suffix, one letter) and the type."""

    scheme: Scheme
    suffix: bool = False

    def letter(self, tag: str) -> str:
        return tag[-1] if self.suffix else tag[0]

    def type(self, tag: str) -> str:
        """The lenient scheme splits at one hyphen, the first or last one; strict ones strip all around the type."""
        remainder = tag[:-1] if self.suffix else tag[1:]
        if self.scheme is not LENIENT:
            return remainder.strip("-") or "_"
        return (remainder.rsplit("-", 1)[0] if self.suffix else remainder.split("-", 1)[-1]) or "_"

    def check(self, tag: str) -> None:
        """Strict schemes refuse tags with other letters; the lenient one warns."""
        if not isinstance(tag, str) or not tag:
            raise ValueError(f"Expected a tag such as 'B-PER' or 'O', got {quote(tag)}.")
        letter = self.letter(tag)
        if self.scheme is LENIENT:
            affix = tag[-2:] if self.suffix else tag[:2]
            if tag not in _BARE and (letter not in "BIES" or len(affix) < 2 or affix.strip(letter) != "-"):
                warn_caller(f"{quote(tag)} does not look like a tag of an entity.", UserWarning)
        elif letter not in self.scheme.prefixes:
            known = ", ".join(self.scheme.prefixes)
            raise ValueError(f"The tag {quote(tag)} is not in {self.scheme}, whose prefixes are {known}.")


class TagCodes(dict[str, int]):
    """Codes of tags, in the order of first use."""

    def __missing__(self, tag: str) -> int:
        code = self[tag] = len(self)
        return code

    def of(self, sentences: Sequence[Sequence[str]]) -> Coded:
        """The codes of all tags, with breaks after sentences; one byte each if possible, which is faster."""
        try:
            return np.frombuffer(bytearray(map(self.__getitem__, _joined(sentences))), dtype=np.uint8)
        except ValueError:  # there are more than 256 tags
            return np.fromiter(map(self.__getitem__, _joined(sentences)), dtype=np.uint32)


class TagSet:
    """All tags that occur, by their codes, with their prefixes and types."""

    def __init__(self, tags: Iterable[str], affixes: Affixes) -> None:
        known = list(tags)
        for tag in known:
            affixes.check(tag)
        self.scheme = affixes.scheme
        types = [affixes.type(tag) for tag in known]
        self.types = sorted(set(types))
        codes = {name: code for code, name in enumerate(self.types)}
        self.type = ints([codes[name] for name in types])
        letters = [affixes.letter(tag) for tag in known]
        self.prefix = np.array([PREFIXES.find(letter) % len(PREFIXES) for letter in letters], dtype=np.int8)


def entities(code: Coded, tags: TagSet) -> Entities:
    """The entities of a text that ends with a tag outside."""
    scheme, position = tags.scheme, np.flatnonzero(tags.prefix.take(code) != OUTSIDE)
    before, here, after = (code.take(position + step) for step in (-1, 0, 1))
    prefix, type_ = tags.prefix.take(here), tags.type.take(here)
    same_before, same_after = tags.type.take(before) == type_, tags.type.take(after) == type_
    if scheme is LENIENT:
        same_before[position == 0] = False  # nothing precedes the first tag
    with_before = (tags.prefix.take(before), prefix, same_before.view(np.int8))
    start = np.flatnonzero(_table(scheme.starts)[with_before])
    ends = _table(scheme.ends)[prefix, tags.prefix.take(after), same_after.view(np.int8)]
    if scheme is LENIENT:  # an entity is everything from the last beginning to an end; -1 if none began
        last = np.flatnonzero(ends)
        start = np.append(-1, start)
        first = start[np.searchsorted(start, last, side="right") - 1]
    else:  # an entity is a run from its first beginning to its end, if it may end there
        run = np.cumsum(~_table(scheme.inside)[with_before])
        first = start[np.append(True, run[start][1:] != run[start][:-1])[: len(start)]]
        last = np.searchsorted(run, run[first], side="right") - 1
        first, last = first[ends[last]], last[ends[last]]
    return Entities(type_[last], np.where(first < 0, 0, position[first]), position[last])


def get_entities(seq: Sequence[Any], suffix: bool = False) -> list[tuple[str, int, int]]:
    """The entities of a sequence of tags, or of a list of them: type, first and last token (inclusive).

    In a list of sequences, tokens are numbered consecutively, with one extra after each sequence, as in seqeval.
    """
    sentences = seq if any(isinstance(item, list) for item in seq) else [seq]
    codes = TagCodes()
    code = codes.of(sentences)
    tags = TagSet(codes, Affixes(LENIENT, suffix))
    spans = entities(code, tags)
    columns = (spans.type.tolist(), spans.first.tolist(), spans.last.tolist())
    return [(tags.types[type_], first, last) for type_, first, last in zip(*columns, strict=True)]


def _joined(sentences: Sequence[Sequence[str]]) -> Iterator[str]:
    """All tags in sequence, with a break after each sentence."""
    return chain.from_iterable(chain.from_iterable(zip(sentences, repeat(_BREAK))))


@dataclass(frozen=True)
class EntityCounts:
    """Numbers of entities by type; types are in alphabetical order."""

    types: list[str]
    true: Ints
    predicted: Ints
    correct: Ints


def count(y_true: Any, y_pred: Any, mode: str | None, scheme: Scheme | None, *, suffix: bool) -> EntityCounts:
    """Count entities by the lenient rules, or by a scheme if `mode` is strict."""
    check_sentences(y_true, y_pred)
    chosen = LENIENT
    if mode == "strict":
        chosen = scheme if scheme is not None else recognised(set().union(*y_true), suffix=suffix)
    differs = list(map(ne, y_true, y_pred))
    others = list(compress(y_pred, differs))
    codes = TagCodes()
    gold, different = codes.of(y_true), codes.of(others)
    tags = TagSet(codes, Affixes(chosen, suffix))
    true, predicted = entities(gold, tags), entities(_replaced(gold, y_true, differs, different), tags)
    by_type = [np.bincount(types, minlength=len(tags.types)) for types in (true.type, predicted.type)]
    correct = np.bincount(_correct(true, predicted), minlength=len(tags.types))
    used = np.flatnonzero(by_type[0] + by_type[1])
    return EntityCounts(
        [tags.types[index] for index in used.tolist()], by_type[0][used], by_type[1][used], correct[used]
    )


def _replaced(code: Coded, sentences: list[list[str]], differs: list[bool], others: Coded) -> Coded:
    """Replace the codes of sentences that differ; the tags of equal sentences are not looked up again."""
    sizes = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)) + 1
    rows = np.flatnonzero(differs)
    code = code.astype(np.result_type(code, others))
    code[ranges((np.cumsum(sizes) - sizes)[rows], sizes[rows])] = others
    return code


def _correct(true: Entities, predicted: Entities) -> Ints:
    """The types of entities on both sides."""
    _, here, there = np.intersect1d(true.last, predicted.last, assume_unique=True, return_indices=True)
    is_correct = (true.first[here] == predicted.first[there]) & (true.type[here] == predicted.type[there])
    return np.asarray(true.type[here[is_correct]])


def check_sentences(y_true: Any, y_pred: Any) -> None:
    """Raise seqeval's exceptions unless both are lists of lists of the same lengths."""
    if not set(map(type, chain((y_true, y_pred), y_true, y_pred))) == {list} or not (y_true or y_pred):
        raise TypeError("y_true and y_pred must be lists with a list of tags for each sentence.")
    if len(y_true) != len(y_pred):
        raise ValueError(f"Got {counted(len(y_true), 'sentence')} in y_true, {len(y_pred)} in y_pred.")
    true, predicted = list(map(len, y_true)), list(map(len, y_pred))
    if true != predicted:
        number = list(map(eq, true, predicted)).index(False)
        raise ValueError(
            f"Sentence {number + 1} has {counted(true[number], 'tag')} in y_true, {predicted[number]} in y_pred."
        )


class UndefinedMetricWarning(UserWarning):
    """A score is 0/0, and `zero_division` is not set."""


def precision_recall_fscore_support(
    y_true: Sentences,
    y_pred: Sentences,
    *,
    average: str | None = None,
    warn_for: Collection[str] = _ALL,
    beta: float = 1.0,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Scheme | None = None,
    suffix: bool = False,
    mode: str | None = None,
) -> Scores:
    """Precision, recall, F-beta and support: by type in alphabetical order, or averaged.

    A scheme is used only with `mode="strict"`; without it, conlleval's rule is.
    """
    refuse_weights(sample_weight)
    if beta < 0:
        raise ValueError(f"beta is {quote(beta)}; it must be a number of 0 or more.")
    if average not in (None, *AVERAGES):
        raise ValueError(f"average is {quote(average)}; choose one of None, {', '.join(map(repr, AVERAGES))}.")
    counts = count(y_true, y_pred, mode if scheme else None, scheme, suffix=suffix)
    return averaged(counts, average, beta, zero_division, warn_for)


def _scorer(index: int, score: str) -> Callable[..., Any]:
    """A function that returns one of the scores."""

    def scorer(
        y_true: Sentences,
        y_pred: Sentences,
        *,
        average: str | None = "micro",
        suffix: bool = False,
        mode: str | None = None,
        sample_weight: None = None,
        zero_division: ZeroDivision = "warn",
        scheme: Scheme | None = None,
    ) -> Any:
        return precision_recall_fscore_support(
            y_true,
            y_pred,
            average=average,
            warn_for=(score,),
            sample_weight=sample_weight,
            zero_division=zero_division,
            scheme=scheme,
            suffix=suffix,
            mode=mode,
        )[index]

    scorer.__name__ = scorer.__qualname__ = f"{score.replace('f-score', 'f1')}_score"
    scorer.__doc__ = f"The {score} of entities; see `precision_recall_fscore_support`."
    return scorer


precision_score, recall_score, f1_score = (_scorer(index, score) for index, score in enumerate(_ALL))


def refuse_weights(sample_weight: object) -> None:
    """Refuse weights: seqeval accepts them, but they do not affect its scores."""
    if sample_weight is not None:
        raise ValueError("sample_weight has no effect on scores of entities, in seqeval either; remove it.")


def averaged(
    counts: EntityCounts,
    average: str | None,
    beta: float,
    zero_division: ZeroDivision,
    warn_for: Collection[str] = _ALL,
) -> Scores:
    true, predicted, correct = counts.true, counts.predicted, counts.correct
    if average == MICRO:
        true, predicted, correct = (np.array([column.sum()]) for column in (true, predicted, correct))
    if zero_division == "warn":
        _warn(true, predicted, warn_for)
    otherwise = 0.0 if zero_division in ("warn", 0) else 1.0
    precision, recall = _divided(correct, predicted, otherwise), _divided(correct, true, otherwise)
    f_score = recall if np.isposinf(beta) else _f_score(precision, recall, beta**2)
    if average is None:
        return precision, recall, f_score, true
    if average == WEIGHTED and not true.sum():
        undefined = 0.0 if predicted.sum() else otherwise
        return undefined, otherwise, undefined, sum(true)
    weights = true if average == WEIGHTED else None
    means = [np.average(scores, weights=weights) for scores in (precision, recall, f_score)]
    return means[0], means[1], means[2], sum(true)


def _divided(numerator: Ints, denominator: Ints, otherwise: float) -> Values:
    is_zero = denominator == 0
    return np.where(is_zero, otherwise, numerator / np.where(is_zero, 1, denominator))


def _f_score(precision: Values, recall: Values, beta2: float) -> Values:
    denominator = beta2 * precision + recall
    return np.asarray((1 + beta2) * precision * recall / np.where(denominator == 0, 1, denominator))


def _warn(true: Ints, predicted: Ints, warn_for: Collection[str]) -> None:
    """Warn about scores that are 0/0; about F alone only if precision and recall both are."""
    also = " and F-score are" if "f-score" in warn_for else " is"
    for name, divisor, what in (("precision", predicted, "predicted"), ("recall", true, "true")):
        if name in warn_for and not divisor.all():
            _warn_of(f"{name.title()}{also}", f"without {what} entities")
    if tuple(warn_for) == ("f-score",) and ((true == 0) & (predicted == 0)).any():
        _warn_of("F-score is", "without any entities")


def _warn_of(scores: str, condition: str) -> None:
    message = f"{scores} 0/0 {condition} and set to 0; set zero_division to 0 or 1."
    warn_caller(message, UndefinedMetricWarning)


def classification_report(
    y_true: Sentences,
    y_pred: Sentences,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Scheme | None = None,
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of each type, and their micro, macro and weighted averages.

    With `mode="strict"` and no scheme, the scheme is recognised by the prefixes in `y_true`.
    """
    refuse_weights(sample_weight)
    counts = count(y_true, y_pred, mode, scheme, suffix=suffix)
    by_type = averaged(counts, None, 1.0, zero_division)
    rows = {name: row for name, *row in zip(counts.types, *by_type, strict=True)}
    averages = {f"{average} avg": averaged(counts, average, 1.0, zero_division) for average in AVERAGES}
    if output_dict:
        return {name: dict(zip(_COLUMNS, row, strict=True)) for name, row in {**rows, **averages}.items()}
    if not rows:
        raise ValueError("Neither y_true nor y_pred has an entity, so there is nothing to report.")
    width = max(digits, *map(len, [*rows, *averages]))
    lines = [f"{'':>{width}} " + "".join(f" {column:>9}" for column in _COLUMNS), ""]
    for part in (rows, averages):
        for name, (*scores, support) in part.items():
            lines.append(f"{name:>{width}} " + "".join(f" {score:>9.{digits}f}" for score in scores) + f" {support:>9}")
        lines.append("")
    return "\n".join(lines)


def accuracy_score(y_true: list[Any], y_pred: list[Any]) -> float:
    """The share of tokens with the correct tag, including O."""
    true, predicted = _flat(y_true, y_pred)
    correct: int = sum(map(eq, true, predicted))
    return correct / len(true)


def performance_measure(y_true: list[Any], y_pred: list[Any]) -> dict[str, int]:
    """Tokens by their tags: TP are correct and not O, FP wrong and not O, FN wrongly O, TN correctly O."""
    pairs = list(zip(*_flat(y_true, y_pred), strict=False))
    return {
        "TP": sum(true == predicted != "O" for true, predicted in pairs),
        "FP": sum(true != predicted != "O" for true, predicted in pairs),
        "FN": sum(true != predicted == "O" for true, predicted in pairs),
        "TN": sum(true == predicted == "O" for true, predicted in pairs),
    }


def _flat(y_true: list[Any], y_pred: list[Any]) -> tuple[list[str], list[str]]:
    """The tags of all sentences, or of a single one."""
    if any(isinstance(item, list) for item in y_true):
        return list(chain.from_iterable(y_true)), list(chain.from_iterable(y_pred))
    return y_true, y_pred
