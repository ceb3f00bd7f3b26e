"""Records of JSON, as annotation tools, pipelines and other programs write them.

What a record holds, by its keys:

==============================  ==========================================================================
text, spans                     spans as objects, with characters as offsets (Prodigy; tokens and answer too)
text or data, entities          the same, under the names of newer doccano: start_offset, end_offset; or as lists
text or data, label or labels   spans as lists: [start, end, label] (doccano), or as objects (Label Studio's JSON-MIN)
text, ents                      spaCy's Doc.to_json
text, {"entities": …}           a pair, as spaCy 2 is trained with
tokens, spans                   spans as objects, with token positions
tokens, tags or ner_tags        a tag a token; also under label or labels
tokenized_text, ner             GLiNER's training data: [first token, last token, label]
passages                        a document of BioC, with offsets into the document
paragraphs                      a document of spaCy 2, with tags of tokens
entities or a list of spans     offsets without a text: the output of GLiNER, of Hugging Face, of a service
==============================  ==========================================================================

`words` is another name for tokens, `sentence` and others for the text; `json_spans` says how spans may be written. With
an `id`, a string or a whole number, records are matched by it.

A record may have several layers. A name with `pred`, `predicted`, `system` and the like is a prediction's, one with
`gold`, `true` or `reference` a gold standard's. A system is read from its prediction, a gold standard from another
layer; `--column` names a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec
import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.bits import equal_to, places
from evenhand.dataclass import dataclass
from evenhand.formats.json_spans import (
    ListedSpan,
    Quote,
    Span,
    SpanError,
    has_offsets,
    merged,
    name_of_type,
    occurs,
    plan_of,
    read_span,
)
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.problems import SettingError
from evenhand.settings import ReadSettings

T = TypeVar("T")
UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What is raised for JSON that is broken, of other types than expected, or nested too deeply."""
PROBLEM = "record"
"""What a check calls problems of records."""
NUMBERED = (
    "its labels are numbers, as doccano's old JSONL has them, without their names",
    "export the project as JSONL (text label), a file for each user",
)
"""What is wrong with records of old doccano, and what to do."""
_WRONG_TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
_NAME = re.compile(r"`(\w+)`")
_NO_FIELD = re.compile(r"Object missing required field `(.+)`")
_PLACE = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)
_TYPES = {
    "str": "a string",
    "int": "a whole number",
    "float": "a decimal number",
    "bool": "a truth value",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
TEXT, TOKENS, TAGS, OFFSETS = "a text", "tokens and spans", "tokens and tags", "offsets without a text"
"""The kinds of records."""
TEXT_KEYS = ("text", "data", "sentence", "content", "raw_text", "Text", "document_text", "raw", "document", "context")
TOKEN_KEYS = ("tokens", "words", "tokenized_text", "token", "sentence", "text")
_INCLUSIVE_TOKENS = "tokenized_text"
"""The tokens of GLiNER, whose spans include their last token."""
SPAN_LIST = "spans"
"""The layer of a record that is nothing but a list of spans."""
Raw = dict[str, Any]
"""A record as it is decoded."""


class Part(dict[str, Any]):
    """A record that belongs to the document of the one before it."""


class Record(msgspec.Struct, gc=False):
    """What a record holds: a text or tokens, with spans or tags."""

    kind: str
    text: str | None = None
    tokens: Sequence[str] | None = None
    spans: Sequence[Span] | None = None
    tags: Sequence[Any] | None = None
    quotes: Sequence[Quote] = ()
    id: Any = None
    continues: bool = False
    merged: int = 0


_DECODER = msgspec.json.Decoder()
decode_value = _DECODER.decode


def decode(source: Source, block: Block) -> tuple[list[Raw], Ints]:
    """The records of a block and their lines; a line that is not a record is a problem."""
    data = memoryview(block.data)[: block.size]
    try:
        values = _DECODER.decode_lines(data)
    except UNREADABLE:
        return _decode_by_line(source, block)
    if not has_a_line_each(values, block) or not all(type(value) is dict and is_simple(value) for value in values):
        return _decode_by_line(source, block)
    return values, np.arange(block.first_line, block.first_line + len(values))


def has_a_line_each(values: Sequence[Any], block: Block) -> bool:
    """Whether each line of a block has one object: the decoder passes over line ends between and within them."""
    text = np.frombuffer(block.data, dtype=np.uint8)[: block.size]
    begins = np.append(0, places(equal_to(text[:-1], LINE_FEED)) + 1)
    return len(values) == len(begins) and bool((text[begins] == ord("{")).all())


def _decode_by_line(source: Source, block: Block) -> tuple[list[Raw], Ints]:
    found, lines = list[Raw](), list[int]()
    for number, value in decoded_lines(source, block, decode_value):
        try:
            records = expanded(value)
        except SpanError as error:
            source.report(number, *error.fault, PROBLEM)
            continue
        if records is None:
            finding = f"the line is not a JSON object (it is {name_of_type(value)})"
            source.report(number, finding, "write one JSON object a line", PROBLEM)
            continue
        found += records
        lines += [number] * len(records)
    return found, ints(lines)


def decoded_lines(source: Source, block: Block, decode_line: Callable[[bytes], T]) -> Iterator[tuple[int, T]]:
    """The lines of a block with what they hold; a line that cannot be read is a problem."""
    for number, line in enumerate(block.data[: block.size].split(b"\n"), block.first_line):
        if not line.strip():
            continue
        try:
            yield number, decode_line(line)
        except UNREADABLE as error:
            finding, place = explain(error)
            if place is None:
                finding = f"the line is not a JSON object ({finding})"
            remedy = "write one JSON object a line" if place is None else "mend the record"
            source.report(number, finding, remedy, PROBLEM)


def sample_lines(source: Source, size: int) -> Iterator[Raw]:
    """The records among the first lines of a file; lines that cannot be read are left to the reader."""
    block = source.sample(size)
    for line in block.data[: block.size].split(b"\n"):
        try:
            yield from expanded(decode_value(line)) or ()
        except (*UNREADABLE, SpanError):
            continue


def explain(error: Exception) -> tuple[str, str | None]:
    """What is wrong with a JSON value, and at which of its keys; None where it is the value as a whole."""
    matched = _PLACE.fullmatch(str(error))
    assert matched is not None
    message, place = matched.groups()
    if wrong := _WRONG_TYPE.fullmatch(message):
        got = _TYPES.get(wrong[2], wrong[2])
        expected = " or ".join(_TYPES.get(name, name) for name in wrong[1].split(" | ") if name != "null")
        return f"found {got} for {place}, which takes {expected}" if place else f"it is {got}", place
    if missing := _NO_FIELD.fullmatch(message):
        return f"{place or 'it'} has no {missing[1]!r}", place
    message = _NAME.sub(lambda name: _TYPES.get(name[1], name[1]), message.removeprefix("JSON is malformed: "))
    return message[:1].lower() + message[1:] + (f" for {place}" if place else ""), place


# Records in other layouts


DOCUMENT_KEYS = ("passages", "paragraphs", "documents")
"""The keys of objects that hold several records."""


def is_simple(value: Raw) -> bool:
    """Whether an object is a record, and not one that holds several."""
    is_task = "data" in value and isinstance(value["data"], dict)
    return not is_task and "passages" not in value and "paragraphs" not in value and "documents" not in value


def expanded(value: Any) -> list[Raw] | None:
    """The records that a line, or an element of a list, holds; None if it is not a record."""
    if isinstance(value, list):
        return _expanded_list(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("documents"), list):
        found = [expanded(each) for each in value["documents"] if isinstance(each, dict)]
        if len(found) < len(value["documents"]):
            raise SpanError("some documents are not objects")
        return [record for records in found for record in records or ()]
    if isinstance(value.get("passages"), list):
        return _bioc(value)
    if isinstance(value.get("paragraphs"), list):
        return _paragraphs(value)
    if isinstance(value.get("data"), dict) and ("annotations" in value or "predictions" in value):
        finding = "the record is a task of Label Studio"
        raise SpanError(finding, "write the tasks as one JSON list, as its export does")
    return [value]


def _expanded_list(value: list[Any]) -> list[Raw] | None:
    """A pair of a text and its annotations, or a list of spans."""
    if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict | list):
        further = value[1] if isinstance(value[1], dict) else {"entities": value[1]}
        return [{**further, "text": value[0]}]
    if all(is_span(each) for each in value):
        return [{SPAN_LIST: value}]
    return None


def is_span(value: Any) -> bool:
    """Whether this is a span with offsets, and not a record that has spans."""
    if not isinstance(value, dict):
        return False
    return has_offsets(value) and not any(isinstance(each, list) and role_of(key) for key, each in value.items())


def _bioc(document: Raw) -> list[Raw]:
    """The passages of a document of BioC, whose offsets count from the begin of the document."""
    found: list[Raw] = []
    begins: list[tuple[int, int]] = []
    for passage in document["passages"]:
        if not isinstance(passage, dict):
            raise SpanError("a passage is not an object")
        sentences = passage.get("sentences")
        has_sentences = not isinstance(passage.get("text"), str) and isinstance(sentences, list)
        for piece in sentences if has_sentences and sentences else [passage]:
            text, annotations = (
                (piece.get(key) for key in ("text", "annotations")) if isinstance(piece, dict) else (0, 0)
            )
            annotations = annotations or []
            if not isinstance(annotations, list) or not isinstance(piece, dict):
                raise SpanError("a passage has no list of annotations")
            if not isinstance(text, str):
                if annotations:
                    raise SpanError("a passage has annotations but no text", "give its text")
                continue
            first = piece.get("offset", 0)
            if type(first) is not int:
                raise SpanError("the offset of a passage is not a whole number")
            found.append((Part if found else dict)(text=text, spans=[_moved(each, first) for each in annotations]))
            begins.append((first, len(found) - 1))
    further = document.get("annotations") or []
    if further and (not found or not isinstance(further, list)):
        raise SpanError("a document has annotations but no text", "give its passages")
    for each in further:
        start = _moved(each, 0)["locations"][0]["offset"]
        at = max((pair for pair in begins if pair[0] <= start), default=begins[0])
        found[at[1]]["spans"].append(_moved(each, at[0]))
    return found


def _moved(annotation: Any, first: int) -> Any:
    """An annotation of BioC with offsets into its passage."""
    places = annotation.get("locations") if isinstance(annotation, dict) else None
    if not isinstance(places, list) or not places or not all(map(_is_location, places)):
        raise SpanError("an annotation of a passage has no locations", "give their offset and length")
    return {**annotation, "locations": [{**each, "offset": each["offset"] - first} for each in places]}


def _is_location(value: Any) -> bool:
    return isinstance(value, dict) and type(value.get("offset")) is int and type(value.get("length")) is int


def _paragraphs(document: Raw) -> list[Raw]:
    """The sentences of a document of spaCy 2, whose tokens have their tags."""
    found: list[Raw] = []
    for sentence in _members(document["paragraphs"], "sentences"):
        tokens = list(_members([sentence], "tokens"))
        if not all(isinstance(token, dict) and isinstance(token.get("orth"), str) for token in tokens):
            raise SpanError("a token of a paragraph has no 'orth'")
        tags = [token.get("ner", "O") for token in tokens]
        words = [token["orth"] for token in tokens]
        found.append((Part if found else dict)(tokens=words, ner_tags=["O" if tag == "-" else tag for tag in tags]))
    return found


def _members(objects: Sequence[Any], key: str) -> Iterator[Any]:
    """What objects list under a key."""
    for each in objects:
        listed = each.get(key) if isinstance(each, dict) else None
        yield from listed if isinstance(listed, list) else ()


# Layers


_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_PREDICTED = frozenset(
    [
        "pred",
        "preds",
        "predicted",
        "prediction",
        "predictions",
        "predict",
        "hyp",
        "hypothesis",
        "hypotheses",
        "system",
        "sys",
        "output",
        "outputs",
        "model",
        "response",
        "guess",
        "auto",
    ]
)
_GOLD = frozenset(("gold", "golden", "true", "truth", "ground", "reference", "ref", "target", "targets", "expected"))
_LAYER = frozenset(
    [
        "spans",
        "span",
        "entities",
        "entity",
        "ents",
        "labels",
        "label",
        "tags",
        "tag",
        "ner",
        "annotations",
        "annotation",
        "mentions",
        "named",
        "bio",
        "iob",
        "bioes",
        "iobes",
        "bilou",
        "seq",
        "sequence",
        "list",
        "y",
        "data",
        "layer",
    ]
)
_ALONE = frozenset(("data", "list", "layer", "y", "entity", "span", "named", "seq", "sequence", "tag", "model", "auto"))
"""Words that do not name a layer without others."""


@cache
def role_of(key: str) -> str | None:
    """Whose layer a key names: `gold`, `system`, or `any`; None where it does not name a layer."""
    words = [word.lower() for word in _WORDS.findall(key)]
    rest = [word for word in words if word not in _PREDICTED and word not in _GOLD]
    if not words or not all(word in _LAYER for word in rest) or (len(words) == 1 and words[0] in _ALONE):
        return None
    if not _PREDICTED.isdisjoint(words):
        return "system"
    return "any" if _GOLD.isdisjoint(words) else "gold"


_TAGGED = frozenset(("tags", "bio", "iob", "bioes", "iobes", "bilou"))


@cache
def _names_tags(key: str) -> bool:
    """Whether a key names tags, so an empty list under it has no tags rather than no spans."""
    return not _TAGGED.isdisjoint(word.lower() for word in _WORDS.findall(key))


def _kind_of_layer(value: Any, tokens: Sequence[Any] | None) -> str | None:
    """Whether a value is a list of `spans` or of `tags`, `empty`, or `null`; None: it is none of these."""
    if value is None:
        return "null"
    if not isinstance(value, list):
        return None
    if not value:
        return "empty"
    first = value[0]
    if isinstance(first, dict | list):
        return "spans"
    if tokens is None or not isinstance(first, str | int) or isinstance(first, bool):
        return None
    return "tags"


@dataclass(frozen=True)
class Layers:
    """Which layer of records is read, by the side that a file is on and by its first records."""

    side: str | None
    column: str | None
    predicted: str | None = None
    """The key of the prediction in the first records, if they have one beside other layers or a system is read."""
    several: bool = False
    """Whether records have several layers, so that the one that is read should be named."""
    inclusive: bool = False

    @staticmethod
    def of(settings: ReadSettings, records: Sequence[Raw]) -> Layers:
        """From the first records of a file."""
        if settings.columns:
            return Layers(settings.side, column_key(settings))
        roles: dict[str, set[str]] = {"system": set(), "gold": set(), "any": set()}
        for record in records:
            for key, kind in candidates(record).items():
                if kind != "null" or role_of(key) == "system":
                    roles[role_of(key) or "any"].add(key)
        several = sum(map(len, roles.values())) > 1 and bool(roles["system"] or roles["gold"])
        predicted = next(iter(roles["system"])) if len(roles["system"]) == 1 and settings.side == "system" else None
        return Layers(settings.side, None, predicted, several)

    def choose(self, record: Raw) -> tuple[str, str] | None:
        """The key and the kind of the layer that counts; None where there is none. An error where several could be."""
        found = candidates(record)
        if self.column is not None:
            if self.column not in record:
                raise SpanError(f"the record has no {self.column!r}", _name_one(found))
            kind = _kind_of_layer(record[self.column], tokens_of(record)[1])
            if kind is None:
                raise SpanError(
                    f"{self.column!r} is neither a list of spans nor one tag for each token", _name_one(found)
                )
            return self.column, kind
        if len(found) == 1 and self.predicted is None:  # as in most files
            ((key, kind),) = found.items()
            if role_of(key) in ("any", None):
                self._check_alone(record, key)
                return key, kind
        by_role = {
            role: [key for key in found if (role_of(key) or "any") == role] for role in ("gold", "system", "any")
        }
        if self.side == "system":
            if by_role["system"] or self.predicted is not None:
                return self._prediction(by_role["system"], found)
            if by_role["gold"] and not by_role["any"]:
                raise SpanError(f"the record of a system has {by_role['gold'][0]!r} only", _NAME_IT)
            keys = by_role["any"]
        else:
            keys = by_role["gold"] or by_role["any"]
            if not keys and by_role["system"]:
                return None
        keys = _preferred(record, {key: found[key] for key in keys})
        if len(keys) > 1:
            names = " and ".join(map(repr, keys))
            raise SpanError(f"the record has {names}, and either could be meant", _name_one(found))
        return (keys[0], found[keys[0]]) if keys else None

    def _check_alone(self, record: Raw, layer: str) -> None:
        """Refuse the record of a system whose own output may be another layer than the one whose name is known."""
        if self.side != "system":
            return
        for key, value in record.items():
            if role_of(key) == "system" and _is_unread(key, value):
                finding = f"the record has {key!r}, which is {name_of_type(value)}, beside {layer!r}"
                raise SpanError(finding, f"write spans or tags under {key!r}, {_NAME_IT}")
        if others := rivals(record, layer):
            finding = f"the record has {layer!r} and {others[0]!r}, and either could be meant"
            raise SpanError(finding, f"name the layer with --column, such as --column system:{others[0]}")

    def _prediction(self, keys: Sequence[str], found: dict[str, str]) -> tuple[str, str]:
        """The prediction of a system's record."""
        others = [key for key in found if key not in keys]
        if len(keys) > 1:
            names = " and ".join(map(repr, keys))
            raise SpanError(f"the record has {names}, and either could be meant", _name_one(found))
        if not keys:
            finding = f"the record has no {self.predicted!r}, which the first records have"
            raise SpanError(finding, f"write an empty list for no predictions, {_NAME_IT}")
        if self.predicted is None and others:
            finding = f"the record has {keys[0]!r} beside {others[0]!r}, and the first records have not"
            raise SpanError(finding, _name_one(found))
        return keys[0], found[keys[0]]


_NAME_IT = "or name the layer with --column"


def _name_one(found: dict[str, str]) -> str:
    names = ", ".join(found) or "none of this record"
    return f"name the layer with --column, such as --column system:{next(reversed(found), 'KEY')} (layers: {names})"


def column_key(settings: ReadSettings) -> str:
    """The key that a user names in place of a column."""
    if len(settings.columns) > 1 or isinstance(settings.columns[0], int):
        given = ",".join(map(str, settings.columns))
        raise SettingError(f"column is {given}; for JSON, name the key of one layer, such as labels or predictions.")
    return str(settings.columns[0])


def _is_unread(key: str, value: Any) -> bool:
    """Whether this is a prediction in a form that is not read: an object, or JSON in a string."""
    if isinstance(value, dict):
        return bool(value)
    if not isinstance(value, str) or not value.strip():
        return False
    return value.lstrip()[:1] in "[{" or key.lower().startswith(("pred", "hyp"))


def candidates(record: Raw) -> dict[str, str]:
    """The layers of a record, by key, with what they are: `spans`, `tags`, `empty` or `null`."""
    found: dict[str, str] = {}
    tokens: Sequence[Any] | None = None
    for key, value in record.items():
        if role_of(key) is None:
            continue
        if tokens is None:
            tokens = tokens_of(record)[1] or ()
        kind = _kind_of_layer(value, tokens or None)
        if kind is not None and (kind != "null" or role_of(key) == "system"):
            found[key] = kind
    return found or _unnamed(record)


_NOT_LAYERS = frozenset(["tokens", "sents", "sentences", "relations", "meta", "tokenized_text", "words"])


def _unnamed(record: Raw) -> dict[str, str]:
    """The only list of a record that has spans with offsets and labels, under a name that no layer has."""
    found = [
        key
        for key, value in record.items()
        if isinstance(value, list) and value and key not in _NOT_LAYERS and all(map(_is_labeled, value))
    ]
    return {found[0]: "spans"} if len(found) == 1 else {}


def _is_labeled(span: Any) -> bool:
    return isinstance(span, dict) and has_offsets(span) and plan_of(span).label is not None


def rivals(record: Raw, layer: str) -> list[str]:
    """Further layers of a record, under names that do not say it: the output of another system, or of this one."""
    own = record.get(layer)
    if not isinstance(own, list) or not own:
        return []
    tokens = tokens_of(record)[1]
    found = []
    for key, value in record.items():
        if key == layer or role_of(key) or key in _NOT_LAYERS or not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], str):
            is_layer = (
                tokens is not None and value is not tokens and len(value) == len(tokens) and _spell_entities(value)
            )
        else:
            is_layer = all(map(_is_labeled, value)) and not _labels(value).isdisjoint(_labels(own))
        found += [key] * is_layer
    return found


def _labels(spans: list[Any]) -> set[str]:
    found = set[str]()
    for span in spans:
        if isinstance(span, dict) and isinstance(value := span.get(plan_of(span).label or ""), str):
            found.add(value)
    return found


_ORDER = ("spans", "entities", "ents", "label", "labels", "annotations")


def _preferred(record: Raw, found: dict[str, str]) -> list[str]:
    """The layer that is meant where several could be: the one that is not empty, or all that differ."""
    full = [key for key, kind in found.items() if kind in ("spans", "tags")]
    keys = full or list(found)
    if len(keys) < 2:
        return keys
    if not full:
        return sorted(keys, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))[:1]
    if isinstance(record.get("text"), str) and any(found[key] == "spans" for key in keys):
        keys = [key for key in keys if found[key] == "spans"]
    entities = [key for key in keys if found[key] == "tags" and _spell_entities(record[key])]
    if entities and all(found[key] == "tags" for key in keys):
        keys = entities
    kept = [key for at, key in enumerate(keys) if not any(record[key] == record[other] for other in keys[:at])]
    return ["ner_tags"] if "ner_tags" in kept and set(kept) <= {"ner_tags", "tags"} else kept


def _spell_entities(tags: Sequence[Any]) -> bool:
    """Whether tags are those of entities, by their prefixes."""
    return any(isinstance(tag, str) and re.match(r"[BIESLU]-", tag) for tag in tags)


def text_of(record: Raw) -> tuple[str | None, str | None]:
    """The key of the text of a record, and the text."""
    for key in TEXT_KEYS:
        value = record.get(key)
        if isinstance(value, str):
            return key, value
        if key == "text" and value is not None and not _are_words(value):
            raise SpanError(f"found {name_of_type(value)} for text, which takes a string")
    others = [key for key, value in record.items() if isinstance(value, str) and len(value.split()) > 1]
    return (others[0], record[others[0]]) if len(others) == 1 else (None, None)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def tokens_of(record: Raw) -> tuple[str | None, list[Any] | None]:
    """The key of the tokens of a record, and the tokens: strings, or objects with offsets."""
    for key in TOKEN_KEYS:
        value = record.get(key)
        if isinstance(value, list) and (key == TOKEN_KEYS[0] or _are_words(value)):
            return key, value
    return None, None


# Reading one record


def settle(record: Raw, layers: Layers, *, prefixed: bool = False, plain: bool = False) -> Record:
    """What a record holds; a `SpanError` where that cannot be read. With `prefixed` labels, tokens are merged.

    Where offsets are `plain` code points from 0 with exclusive ends, quotes that the text has there are left out.
    """
    _, text = text_of(record)
    _, tokens = tokens_of(record)
    if tokens is None and record.get("tokens") is not None:
        raise SpanError(f"found {name_of_type(record['tokens'])} for tokens, which takes a list")
    words = tokens is not None and all(isinstance(token, str) for token in tokens)
    chosen = layers.choose(record)
    if isinstance(record.get("spans"), list) and not record["spans"] and chosen is not None:
        key, kind = chosen
        if kind == "spans" and key != "spans" and role_of(key) == "any" and layers.column is None:
            finding = "the record has an empty list of spans beside another key that lists some"
            raise SpanError(finding, "leave one of the two out")
    key, kind = chosen or ("", "")
    groups = record.get("spans")
    if kind == "empty" and isinstance(groups, dict) and any(groups.values()):
        names = ", ".join(map(repr, groups))
        raise SpanError(f"the record has no entities, but span groups ({names})", "write the group under the key spans")
    if key == "annotations" and has_numbers_for_labels(record[key]):
        raise SpanError(*NUMBERED)
    own, continues = record.get("id"), type(record) is Part
    if words and (kind == "tags" or (kind == "empty" and _names_tags(key))):
        return Record(TAGS, tokens=tokens, tags=record[key], id=own, continues=continues)
    if text is None and not words:
        if tokens is not None:
            raise SpanError("the record has tokens with offsets but no text", "give its text")
        return _textless(record, key, kind, prefixed)
    if kind in ("", "tags"):
        spans = _no_layer(record, text, layers)
    else:
        spans = record[key] or []
        if not isinstance(spans, list):
            raise SpanError(f"found {_TYPES['object']} for {key}, which takes a list")
    listed = [read_span(each, f"{key}[{at}]") for at, each in enumerate(spans)]
    quotes = [
        each.quote
        for each in listed
        if each.quoted is not None and not (plain and text is not None and text[each.start : each.end] == each.quoted)
        if not each.is_value or text is None or occurs(each.quoted, text)
    ]
    count = len(listed)
    if prefixed:
        listed = merged(listed, text if text is not None else tokens)
    found = Record(TEXT if text is not None else TOKENS, text, None, _spans(listed), None, quotes, own, continues)
    found.merged = count if prefixed else 0
    if text is None:
        found.tokens = tokens
    elif tokens and not words and not (plain and _have_their_places(tokens, text)):
        found.quotes = [*_token_quotes(tokens), *quotes]
    return found


def _no_layer(record: Raw, text: str | None, layers: Layers) -> list[Any]:
    """The spans of a record without a layer: none, if Prodigy wrote it; else an error."""
    for key, value in record.items():
        if role_of(key) == "any" and isinstance(value, dict) and key in ("spans", "entities", "ents"):
            raise SpanError(f"found an object for {key}, which takes a list")
    if text is None:
        finding = "the record has tokens but no spans, tags or ner_tags"
        raise SpanError(finding, "list its spans or tags under one of these keys")
    if has_numbers_for_labels(record.get("annotations")):
        raise SpanError(*NUMBERED)
    if record.get("answer") is not None:  # Prodigy leaves the key out where nothing was marked
        return []
    predicted = [key for key, kind in candidates(record).items() if role_of(key) == "system" and kind != "null"]
    if predicted:
        finding = f"the record has {predicted[0]!r} only, which is the layer of a system"
        raise SpanError(finding, f"name it with --column {predicted[0]}")
    finding = "the record has a text but no spans, entities, label or labels"
    raise SpanError(finding, "list its spans under one of these keys")


def _textless(record: Raw, key: str, kind: str, prefixed: bool) -> Record:
    """Spans with offsets into a text that the record does not have."""
    if kind not in ("spans", "empty", "null") or (kind != "spans" and not _is_output(record, key)):
        finding = "the record has no text, data, tokens or words"
        raise SpanError(finding, "give a text and spans, or tokens and spans or tags")
    listed = [read_span(each, f"{key}[{at}]") for at, each in enumerate(record[key] or [])]
    quotes = [each.quote for each in listed if each.quoted is not None]
    count = len(listed)
    listed = merged(listed, None) if prefixed else listed
    own = record.get("id")
    if own is None and type(record.get("Line")) is int:  # Comprehend, whose lines may be in any order
        own = f"{record.get('File', '')}:{record['Line']}"
    spans = _spans(listed)
    return Record(OFFSETS, spans=spans, quotes=quotes, id=own, merged=count if prefixed else 0)


def _is_output(record: Raw, key: str) -> bool:
    """Whether an empty list is the output for a text."""
    return key == SPAN_LIST or key.lower() in ("entities", "ents", "spans")


def _spans(listed: Sequence[ListedSpan]) -> list[Span]:
    return [Span(each.start, each.end, label, each.parts, each.level) for each in listed for label in each.labels]


def _have_their_places(tokens: Sequence[Any], text: str) -> bool:
    """Whether all tokens are what the text has at their offsets; what is odd about them is found elsewhere."""
    try:
        quoted = [token["text"] for token in tokens]
        return [text[token["start"] : token["end"]] for token in tokens] == quoted
    except (TypeError, KeyError):
        return False


def _token_quotes(tokens: Sequence[Any]) -> list[Quote]:
    """What tokens with offsets quote."""
    found = []
    for at, token in enumerate(tokens):
        if not isinstance(token, dict) or type(token.get("start")) is not int or type(token.get("end")) is not int:
            raise SpanError(f"tokens[{at}] has no 'start' and 'end'")
        if isinstance(token.get("text"), str):
            found.append(Quote([(token["start"], token["end"])], token["text"]))
    return found


def labels_of(records: Sequence[Raw], layers: Layers) -> set[str]:
    """The labels of spans in those of the first records that can be read."""
    found: set[str] = set()
    for record in records:
        try:
            chosen = layers.choose(record)
            if chosen is not None and chosen[1] == "spans":
                found.update(label for each in record[chosen[0]] for label in read_span(each, "").labels)
        except SpanError:
            continue
    return found


def has_numbers_for_labels(annotations: Any) -> bool:
    """Whether these are annotations of old doccano, which does not say what the numbers of labels stand for."""
    listed = annotations if isinstance(annotations, list) else []
    return any(isinstance(each, dict) and isinstance(each.get("label"), int) and "user" in each for each in listed)
