"""Values of records: their keys, the comparators, and values that differ in formatting only.

Every scalar has a *key*, a text; two values are right under `exact` if their keys are equal. Keys of strings begin with
a quotation mark and have NFC and no outer white space; keys of numbers, booleans and other constants begin with `\\0`,
and equal decimals have equal keys (5 = 5.0).

*Formatting only* (`is_formatting`): if one side is a JSON boolean, both are equal as booleans. Else, if one side is a
number, both are, with equal values, and with equal units or one unit missing. Else the same for dates. Else the bare
forms are equal and not empty: normalised strings without punctuation and spaces, except for marks between digits and
hyphens that may be signs. So `1.5 mm` is not `15 mm`, and `Fe2+` is not `Fe2-`.

Sources: Biten et al. 2019 for ANLS; Rajpurkar et al. 2016 for token F1; the other rules are Evenhand's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import category, is_normalized, normalize

from evenhand.grounding.search import PLAIN_SIGNS
from evenhand.tasks.records.fields import FieldOptions

NULL, EMPTY_LIST, EMPTY_OBJECT = "\0null", "\0[]", "\0{}"
TRUE, FALSE = "\0true", "\0false"
MILLION = 1_000_000
"""Similarities are compared and added up as whole millionths."""
_CACHED, _MAX_NEAR = 1 << 16, 10_000
"""Number of cached values, and length of the longest strings that may be similar."""
_EXACT = Context(prec=2_000, traps=[])
_CURRENCIES = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
_CODES = "usd|eur|gbp|jpy|inr|chf|cad|aud|cny|sek"
_UNIT = rf"[$€£¥₹]|{_CODES}"
_NUMBER = (
    rf"(?:(?P<open>\()|(?P<sign>[-+]))?\s?(?P<before>{_UNIT})?\s?(?(open)|(?(sign)|(?P<sign2>[-+])?))"
    r"(?P<whole>[0-9]+|[0-9]{{1,3}}(?:(?P<group>[{groups}' ])[0-9]{{3}})(?:(?P=group)[0-9]{{3}})*)"
    rf"(?:{{point}}(?P<part>[0-9]+))?(?P<exponent>e[-+]?[0-9]{{{{1,18}}}})?\s?(?(before)|(?P<after>{_UNIT}|%)?)(?(open)\))"
)
_NUMBERS = {
    "point": re.compile(_NUMBER.format(groups=",", point=r"\.")),
    "comma": re.compile(_NUMBER.format(groups=".", point=",")),
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY, _ORDINAL = r"(?P<day>[0-9]{1,2})", "(?:st|nd|rd|th)?"
_TIME = re.compile(
    r"(?:t|,? )[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[-+][0-9]{2}:?[0-9]{2}))?$"
)
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<year>[0-9]{4})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})",
        r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})",
        r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})",
        rf"{_DAY}{_ORDINAL}(?: of)? {_MONTH},? (?P<year>[0-9]{{4}})",
        rf"{_MONTH} {_DAY}{_ORDINAL},? (?P<year>[0-9]{{4}})",
        rf"{_MONTH},? (?P<year>[0-9]{{4}})",
        r"(?P<one>[0-9]{1,2})/(?P<other>[0-9]{1,2})/(?P<year>[0-9]{4})",
    )
)
_TRUE_WORDS, _FALSE_WORDS = frozenset(("true", "yes", "y", "1")), frozenset(("false", "no", "n", "0"))
_GROUPED = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_LOOSE_MARKS = re.compile(r"(?<![0-9])[.,:]|[.,:](?![0-9])")
_DROPPED = re.compile(r"[;!?'\"()\[\]{}_\s]")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=\w)|(?<=\w)-(?=[^\W\d_])")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)
_PUNCTUATION = str.maketrans("", "", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Number(NamedTuple):
    """A number in a text, its key, and its unit: a currency code in lower case, `%` or none."""

    value: Decimal
    key: str
    unit: str | None


def scalar_key(value: object) -> str:
    """The key of a scalar under `exact`."""
    kind = type(value)
    if kind is str:
        text: str = value  # type: ignore[assignment]
        return '"' + (text if text.isascii() or is_normalized("NFC", text) else normalize("NFC", text)).strip()
    if kind is bool:
        return TRUE if value else FALSE
    if isinstance(value, int | float | Decimal):
        return number_key(value)
    return NULL if value is None else EMPTY_LIST if isinstance(value, list) else EMPTY_OBJECT


def number_key(value: object) -> str:
    """The digits of a number without outer zeros, and its exponent; equal decimals have equal keys."""
    if type(value) is int and -(10**17) < value < 10**17:
        text, exponent = str(value), 0
        sign, text = ("-", text[1:]) if value < 0 else ("", text)
    else:
        is_negative, digits, power = _exact(value).as_tuple()
        sign, text, exponent = "-" if is_negative else "", "".join(map(str, digits)).lstrip("0"), int(power)
    bare = text.rstrip("0")
    if not bare:
        return "\x000"
    exponent += len(text) - len(bare)
    return f"\0{sign}{bare}e{exponent}" if exponent else f"\0{sign}{bare}"


@lru_cache(_CACHED)
def plain(text: str) -> str:
    """A string for parsing: NFKC, plain quotes and dashes, no format characters, casefolded, single blanks."""
    if not text.isascii():
        text = normalize("NFKC", text.translate(PLAIN_SIGNS))
        text = "".join(character for character in text if category(character) != "Cf")
    return " ".join(text.replace("`", "'").casefold().split())


@lru_cache(_CACHED)
def _number_in(text: str, decimal: str) -> Number | None:
    match = _NUMBERS[decimal].fullmatch(plain(text))
    if match is None:
        return None
    digits = match["whole"].replace(match["group"], "") if match["group"] else match["whole"]
    sign = "-" if match["open"] or "-" in (match["sign"], match["sign2"]) else ""
    try:
        value = Decimal(f"{sign}{digits}.{match['part'] or ''}{match['exponent'] or ''}")
    except InvalidOperation:
        return None
    unit = match["before"] or match["after"]
    return Number(value, number_key(value), _CURRENCIES.get(unit, unit) if unit else None)


def parse_number(value: object, decimal: str = "point") -> Number | None:
    """A JSON number, or a number with its unit in a string; None if it is neither."""
    if isinstance(value, str):
        return _number_in(value, decimal) if len(value) < 1_000 and _DIGIT.search(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Number(_exact(value), number_key(value), None)


def _exact(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(repr(value) if isinstance(value, float) else value)


def parse_date(text: str, first: str | None = None) -> str | None:
    """A date as `2020-05-12`, or a month as `2020-05`; None if a string is neither."""
    return _date_in(text, first) if 6 <= len(text) <= 100 and _DIGIT.search(text) else None


@lru_cache(_CACHED)
def _date_in(text: str, first: str | None) -> str | None:
    text = _TIME.sub("", plain(text))
    parts = next((match.groupdict() for pattern in _DATES if (match := pattern.fullmatch(text))), None)
    if parts is None:
        return None
    year = int(parts["year"])
    if "one" in parts:
        one, other = int(parts["one"]), int(parts["other"])
        if first is None and one <= 12 and other <= 12 and one != other:
            return None
        month_first = other > 12 or (one <= 12 and first == "month")
        month, day = (one, other) if month_first else (other, one)
    else:
        month = _MONTHS.index(name[:3]) + 1 if (name := parts.get("name")) else int(parts["month"])
        day = int(parts.get("day", 1))
    try:
        text = date(year, month, day).isoformat()
    except ValueError:
        return None
    return text if "day" in parts or "one" in parts else text[:7]


def parse_boolean(value: object) -> bool | None:
    """true, yes, y, 1; false, no, n, 0; None for everything else."""
    if isinstance(value, str) and len(value) > 20:
        return None
    word = plain(value) if isinstance(value, str) else scalar_key(value).lstrip("\0")
    return True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else None


@lru_cache(_CACHED)
def bare(text: str) -> str:
    """A string without formatting; see the module."""
    text = _GROUPED.sub("", plain(text))
    return _DROPPED.sub("", _HYPHEN.sub("", _LOOSE_MARKS.sub("", text)))


def format_keys(value: object, options: FieldOptions) -> tuple[str, ...]:
    """Texts of which two values that differ in formatting only have one in common."""
    truth, parsed = parse_boolean(value), None if isinstance(value, bool) else _parsed(value, options)
    return (() if truth is None else (scalar_key(truth),)) + (() if parsed is None else parsed[:1])


def _parsed(value: object, options: FieldOptions) -> tuple[str, str | None] | None:
    """The key and the unit of a number, else the key of a date, else that of a bare string that is not empty."""
    if (number := parse_number(value, options.decimal)) is not None:
        return number.key, number.unit
    if not isinstance(value, str):
        return None
    if day := parse_date(value, options.first):
        return f"\1{day}", None
    return (f'"{text}', None) if (text := bare(value)) else None


def is_formatting(gold: object, system: object, options: FieldOptions) -> bool:
    """Whether two values that are not equal differ in formatting only."""
    if isinstance(gold, bool) or isinstance(system, bool):
        truth = parse_boolean(gold)
        return truth is not None and truth == parse_boolean(system)
    one, other = _parsed(gold, options), _parsed(system, options)
    if one is None or other is None or one[0] != other[0]:
        return False
    return one[1] == other[1] or None in (one[1], other[1])


# Normalisers and comparators

_NORMALISERS: dict[str, Callable[[str], str]] = {
    "case": str.casefold,
    "spaces": lambda text: " ".join(text.split()),
    "nfkc": lambda text: normalize("NFKC", text),
    "accents": lambda text: normalize("NFC", "".join(c for c in normalize("NFD", text) if category(c) != "Mn")),
    "punctuation": lambda text: "".join(c for c in text if category(c)[0] != "P"),
    "articles": lambda text: " ".join(_ARTICLES.sub(" ", text).split()),
    "underscores": lambda text: text.replace("_", " "),
}


def normalised(value: object, options: FieldOptions) -> object:
    if isinstance(value, str):
        for name in options.normalise:
            value = _NORMALISERS[name](value)
    return value


def comparison_key(value: object, options: FieldOptions) -> str:
    """The key of a value under the comparator of its field, which decides about equality if the field `has_keys`."""
    value = normalised(value, options)
    if options.compare in ("number", "currency") and (number := parse_number(value, options.decimal)) is not None:
        return number.key if options.compare == "number" else f"{number.key} {number.unit}"
    if options.compare == "date" and isinstance(value, str) and (day := parse_date(value, options.first)):
        return f"\1{day}"
    if options.compare == "boolean" and (truth := parse_boolean(value)) is not None:
        return scalar_key(truth)
    return scalar_key(value)


def is_right(gold: object, system: object, options: FieldOptions) -> bool:
    """Whether two values are equal under a comparator, after its normalisers."""
    if comparison_key(gold, options) == comparison_key(system, options):
        return True
    if options.compare in ("anls", "token-f1"):
        return similarity(gold, system, options) >= options.threshold
    gold, system = normalised(gold, options), normalised(system, options)
    if options.compare in ("number", "currency"):
        return is_within(gold, system, options)
    return options.compare == "relaxed" and is_formatting(gold, system, options)


def is_within(gold: object, system: object, options: FieldOptions) -> bool:
    """Whether two numbers differ by at most max(tolerance, relative · |gold|), and have the same unit if it counts."""
    one, other = parse_number(gold, options.decimal), parse_number(system, options.decimal)
    if one is None or other is None or (options.compare == "currency" and one.unit != other.unit):
        return False
    absolute, relative = (Decimal(repr(limit)) for limit in (options.tolerance, options.relative))
    limit = max(absolute, _EXACT.multiply(relative, one.value.copy_abs()))
    difference = _EXACT.subtract(one.value, other.value).copy_abs()
    return bool(difference.is_finite() and difference <= limit)


def similarity(gold: object, system: object, options: FieldOptions) -> float:
    """ANLS, which is 0 below the threshold, or token F1; 1 or 0 for other comparators and for other values."""
    if options.compare not in ("anls", "token-f1") or not (isinstance(gold, str) and isinstance(system, str)):
        return float(comparison_key(gold, options) == comparison_key(system, options))
    one, other = str(normalised(gold, options)), str(normalised(system, options))
    if options.compare == "token-f1":
        return token_f1(one, other)
    value = anls(one, other)
    return value if value >= options.threshold else 0.0


def anls(one: str, other: str) -> float:
    """1 - Levenshtein distance / length of the longer string, in lower case with single blanks."""
    one, other = _lowered(one), _lowered(other)
    longer = max(len(one), len(other))
    return 1 - levenshtein(one, other) / longer if longer else 1.0


def _lowered(text: str) -> str:
    return " ".join(text.lower().split())


def near(one: object, other: object) -> int:
    """The ANLS of two strings that are not numbers in millionths; 0 if it is below 0.5."""
    return _near(*sorted((one, other))) if isinstance(one, str) and isinstance(other, str) else 0


@lru_cache(_CACHED)
def _near(one: str, other: str) -> int:
    if parse_number(one) is not None or parse_number(other) is not None:
        return 0
    one, other = _lowered(one), _lowered(other)
    shorter, longer = sorted((len(one), len(other)))
    if 2 * shorter < longer or not 0 < longer <= _MAX_NEAR:
        return 0
    kept = longer - levenshtein(one, other)
    return kept * MILLION // longer if 2 * kept >= longer else 0


def levenshtein(one: str, other: str) -> int:
    """The edit distance, by bit vectors.

    Source: Hyyrö 2003.
    """
    if len(one) < len(other):
        one, other = other, one
    if one == other or not other:
        return len(one) - len(other)
    positions: dict[str, int] = {}
    for index, character in enumerate(one):
        positions[character] = positions.get(character, 0) | 1 << index
    ones, last = (1 << len(one)) - 1, 1 << len(one) - 1
    added, removed, distance = ones, 0, len(one)
    for character in other:
        equal = positions.get(character, 0)
        diagonal = (((equal & added) + added) ^ added) | equal | removed
        more, fewer = removed | ~(diagonal | added) & ones, added & diagonal
        distance += bool(more & last) - bool(fewer & last)
        more, fewer = (more << 1 | 1) & ones, (fewer << 1) & ones
        added, removed = fewer | ~(diagonal | more) & ones, more & diagonal
    return distance


def token_f1(one: str, other: str) -> float:
    """F1 of the bags of words: lower case, without ASCII punctuation and articles."""
    bags = [Counter(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()) for text in (one, other)]
    total = bags[0].total() + bags[1].total()
    return 2 * (bags[0] & bags[1]).total() / total if total else 1.0


def words(text: str) -> list[str]:
    """Letters and digits of a string, casefolded, in runs."""
    return _WORD.findall(plain(text))


def is_informative(value: object) -> bool:
    """Whether an equal value elsewhere is evidence: at least three letters or digits, and not a boolean."""
    if isinstance(value, str):
        return sum(map(str.isalnum, value)) >= 3
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    digits, _, power = number_key(value).strip("\0-").partition("e")
    exponent = int(power or 0)
    return max(len(digits) + exponent, 1) + max(-exponent, 0) >= 3  # the digits of the shortest decimal notation
