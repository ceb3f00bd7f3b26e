"""brat: a text `DOC.txt` and its annotations `DOC.ann`, with spans as offsets into the text.

A span is a line `T1⇥Label 0 5⇥quoted text`; offsets count the characters of the text from 0, ends are exclusive, and a
span with gaps lists its parts (`Label 0 5;16 23`). The atoms of the text are its characters without spaces.

The code that reads and writes these files is loaded when a file needs it.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.arrays import Ints, distinct, empty, ints, ranges, zeros
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.characters import Texts
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.names import LINKS, RELATIONS
from evenhand.data.structures import Link, ListedParts, Relations, code_links
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, SettingError
from evenhand.formats.brat_lines import IDENTIFIER, Placed, Standoff, TextBounds, by_place, standoff
from evenhand.formats.extractions import whole_data
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.parsing.json_lines import Span, edges, to_write, with_offsets
from evenhand.formats.paths import FileNames
from evenhand.formats.relations import Linked, links_by_sentence
from evenhand.formats.source import BYTE_ORDER_MARK, COMPRESSIONS, Block, Source
from evenhand.formats.storage import Address
from evenhand.registry import lazy
from evenhand.settings import Columns, Offsets, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion


def is_document(source: Source, task: str | None) -> bool:
    """Whether it is an annotation file, or a text with one beside it."""
    plain = source.plain_path
    return plain.suffix == ".ann" or (plain.suffix == ".txt" and plain.with_suffix(".ann").exists())


def recognise(sample: Block) -> float:
    """The share of lines with an identifier of brat; some must be text-bound, or all have one."""
    lines = [line for line in sample.data[: sample.size].decode().split("\n") if line.strip()]
    identified = sum(re.match(rf"{IDENTIFIER}\S+[ :]\S", line) is not None for line in lines)
    if not identified:
        return 0.0
    from evenhand.formats.brat_lines import TEXT_BOUND

    return identified / len(lines) if identified == len(lines) or any(map(TEXT_BOUND.match, lines)) else 0.0


FORMAT = Format(
    "brat",
    "a text DOC.txt and its annotations DOC.ann",
    readers=dict.fromkeys(
        ("spans", "relations", LINKS),
        Reader(lazy("evenhand.formats.brat:read"), lazy("evenhand.formats.brat:read_together")),
    ),
    writers={
        "spans": Writer(
            Capabilities(tokens=False, levels=False, documents="sentence"), folder=lazy("evenhand.formats.brat:write")
        ),
        "relations": Writer(
            Capabilities(tokens=False, levels=False, documents="sentence"),
            folder=lazy("evenhand.formats.brat:write_related"),
        ),
        LINKS: Writer(
            Capabilities(tokens=False, levels=False), folder=lazy("evenhand.formats.entity_links:write_brat")
        ),
    },
    suffixes=(".ann",),
    detection=Detection(b"TREAMN*#", is_document, recognise),
    contents=Contents(is_one_text=True),
)


# == formats/brat_text.py: The text of a brat document, as one scope or a scope a line,


LINES = "lines"
"""The value of `sentences` under which every line that is not blank is a scope."""


@dataclass(frozen=True)
class BratDocument:
    """A text and its spans."""

    corpus: Corpus
    spans: Spans
    misquoted: int
    """How many spans quote another text than they cover."""
    _placed: Placed
    _begin: Ints
    """Where the sentence of each span begins in the text."""

    @property
    def parts(self) -> ListedParts:
        """The parts of spans as they are listed."""
        found = self._placed.spans
        return ListedParts.of(self._placed.text, found.first, found.start, found.end, self._begin)


def document(
    sources: tuple[Source, Source, Source],
    found: TextBounds,
    text: bytes,
    settings: ReadSettings,
    vocabulary: Vocabulary,
) -> BratDocument:
    """The text of a document and its spans; `sources` are the file that a user named, the annotations and the text."""
    source, annotations, written = sources
    if settings.parameters.get("newlines") == "one":
        text = text.replace(b"\r\n", b"\n")
    placed = Placed.of(found, [text], zeros(len(found)), settings.unit)
    misquoted = placed.misquoted()
    if misquoted and written.head.data.startswith(BOM_UTF8):
        placed = placed.without_mark()
        misquoted = placed.misquoted()
    if misquoted and settings.parameters.get("quotes") != "note":
        raise placed.misquoted_error(annotations, misquoted[0])
    start, end, shape = _atoms(partial(placed.fault, annotations), placed, vocabulary)
    label = found.names.into(vocabulary.labels)[found.label]
    # The lines of the text are left out: messages name the file that the user named, which mostly is the .ann.
    corpus = replace(placed.texts.corpus(source.display_name), is_file=True)
    if settings.parameters.get("sentences") == LINES:
        begins, corpus = _in_lines(placed.text, placed.texts, corpus, settings.unit)
    else:
        begins = ints([0])
    assert corpus.bounds is not None
    scope = np.maximum(np.searchsorted(corpus.bounds[:-1], start, side="right") - 1, 0)
    _check_lines(annotations, placed.spans, end, corpus.bounds, scope)
    spans = Spans.of(vocabulary, scope, start, end, label, shape=shape).in_scopes(scope, corpus.bounds)
    return BratDocument(corpus, spans, len(misquoted), placed, begins[scope] if len(begins) else empty())


def documents(
    found: TextBounds, sizes: Sequence[int], texts: Sequence[bytes], sources: Sequence[Source], vocabulary: Vocabulary
) -> Iterator[tuple[Corpus, Spans]]:
    """Several texts, each as one scope, and their spans, which must quote them and count code points.

    `sizes` says how many lines of annotations each text has. An error does not tell which of them it is in.
    """
    text_of = np.searchsorted(np.cumsum(sizes), found.line - 1, side="right")
    placed = Placed.of(found, texts, text_of)

    def fault(row: int) -> Exception:
        return sources[0].error(None, "a span does not fit its text", "read one file after the other")

    if placed.is_outside.any() or placed.misquoted():
        raise fault(0)
    start, end, shape = _atoms(fault, placed, vocabulary)
    label = found.names.into(vocabulary.labels)[found.label]
    spans = Spans.of(vocabulary, zeros(len(found)), start, end, label, shape=shape)
    rows = np.searchsorted(text_of, np.arange(len(texts) + 1)).tolist()
    corpora = placed.texts.corpora([source.display_name for source in sources])
    return ((corpus, spans.take(slice(*bounds))) for corpus, bounds in zip(corpora, pairwise(rows), strict=True))


def _atoms(fault: Callable[[int], Exception], placed: Placed, vocabulary: Vocabulary) -> tuple[Ints, Ints, Ints]:
    """The first atom of each span, the one behind its last, and its shape; parts without atoms do not count.

    `fault` tells what is wrong with the span in a row that is not in its text.
    """
    size, span_of = len(placed.spans), placed.span_of
    begin, behind = (placed.texts.atoms_before(placed.text_of, place) for place in (placed.begin, placed.behind))
    kept = np.flatnonzero((begin >= 0) & (behind > begin))
    order = kept[by_place(span_of[kept], begin[kept])]
    begin_of, behind_of, span_of_part = begin[order], behind[order], span_of[order]
    whole = np.bincount(span_of_part, minlength=size)
    outside = np.bincount(span_of, placed.is_outside, minlength=size)
    for row in np.flatnonzero((whole == 0) | (outside > 0)).tolist():
        raise fault(row)
    first = np.cumsum(whole) - whole
    start, end = (begin_of[first], behind_of[first + whole - 1]) if size else (empty(), empty())
    return start, end, _shapes(vocabulary, span_of_part, begin_of, behind_of, start)


def _shapes(vocabulary: Vocabulary, span_of: Ints, begin: Ints, behind: Ints, start: Ints) -> Ints:
    """The codes of what spans leave out between their parts, which are sorted by span and place."""
    shapes = np.zeros(len(start), dtype=np.int64)
    gap = np.flatnonzero((span_of[1:] == span_of[:-1]) & (begin[1:] > behind[:-1]))
    size = begin[gap + 1] - behind[gap]
    left_out = (ranges(behind[gap], size) - np.repeat(start[span_of[gap]], size)).tolist()
    count = np.bincount(span_of[gap], size, minlength=len(start)).astype(np.int64)
    rows = np.flatnonzero(count)
    for row, bounds in zip(rows.tolist(), pairwise(np.append(0, np.cumsum(count[rows])).tolist()), strict=True):
        shapes[row] = vocabulary.shapes.code(tuple(left_out[slice(*bounds)]))
    return shapes


def _in_lines(text: str, texts: Texts, corpus: Corpus, offsets: Offsets) -> tuple[Ints, Corpus]:
    """Where each line that is not blank begins, in characters; and the corpus with a sentence a line."""
    lines = text.split("\n")
    kept = np.flatnonzero([not line.isspace() and line != "" for line in lines])
    sizes = list(map(len, lines)) if text.isascii() else [len(line.encode()) for line in lines]
    begins, raw = (_before(each)[kept] for each in (list(map(len, lines)), sizes))
    in_units = begins if offsets == "codepoints" else _before(list(map(_units, lines)))[kept]
    bounds = np.append(texts.positions(np.zeros_like(in_units), in_units), texts.bounds[-1])
    raw = np.append(raw, texts.raw[-1])
    changed = replace(corpus, sentences=len(begins), bounds=bounds, raw=raw, texts=texts.raw, documents=ints([0]))
    return begins, changed


def _before(sizes: Sequence[int]) -> Ints:
    """Where lines of these sizes begin."""
    return np.append(0, np.cumsum(ints(sizes) + 1))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _check_lines(source: Source, found: TextBounds, end: Ints, bounds: Ints, scope: Ints) -> None:
    beyond = np.flatnonzero(end > bounds[scope + 1]) if len(scope) else empty()
    if len(beyond):
        row = int(beyond[0])
        finding = f"the span at {found.offsets(row)} reaches over the end of its line"
        raise source.error(int(found.line[row]), finding, "mend its offsets, or leave out --sentences lines")


# == formats/brat_relations.py: Relations in brat's `.ann` files.


KINDS = ("R", "*", "E")
"""The first characters of lines that hold relations."""
_RELATIONS = re.compile(r"(?:R(?:[A-Za-z]*[0-9]\S*)?\t\S+ [^\s:]+:\S+ [^\s:]+:\S+[ \t]*(?:\n|$))*")
"""Relations, one on each line."""
_NUMBERED = re.compile(r"(?:T[1-9][0-9]{0,8}(?: |$))*")
"""Identifiers such as T12."""
_EQUIVALENCE = re.compile(r"\*\S*\t(\S+)((?: \S+)+)\s*")
_EVENT = re.compile(r"(E\S*)\t([^\s:]+):(\S+)((?: [^\s:]+:\S+)*)\s*")
Row = tuple[int, str, str, str]
"""Line, type, and the identifiers of head and tail."""


def relations(source: Source, found: Standoff, vocabulary: Vocabulary, parts: ListedParts) -> Relations:
    """The relations of a file, whose ends are rows of its spans."""
    triggers, by_event = _events(source, zip(*found.of_kind("E"), strict=True))
    equivalent = list(_equivalences(source, zip(*found.of_kind("*"), strict=True)))
    columns = _plain(source, *found.of_kind("R"))
    rows = [*equivalent, *by_event]
    line, label, head, tail = (
        [*column, *more] for column, more in zip(columns, zip(*rows, strict=True) if rows else [()] * 4, strict=True)
    )
    ends = _numbered(found, head, tail) if not triggers else None
    if ends is None:
        places = _places(source, found, triggers) if line else {}
        ends = _ends(source, line, head, places), _ends(source, line, tail, places)
    codes = {name: vocabulary.labels.code(name) for name in dict.fromkeys(label)}
    order = np.argsort(ints(line), kind="stable")
    return Relations(
        vocabulary,
        ints([codes[name] for name in label])[order],
        ends[0][order],
        ends[1][order],
        frozenset(row[1] for row in equivalent),
        parts,
    )


def relation_lines(links: Iterable[Linked]) -> Iterator[str]:
    """Relations of one sentence as lines; its spans are T1 and so on."""
    number = 0
    for link in links:
        if not re.fullmatch(r"[^\s\0]+", link.label):
            remedy = "where types have no spaces; map it to another"
            raise SettingError(f"The type {link.label!r} cannot be written for brat, {remedy}.")
        if link.is_symmetric:
            yield f"*\t{link.label} T{link.head + 1} T{link.tail + 1}"
        else:
            number += 1
            yield f"R{number}\t{link.label} Arg1:T{link.head + 1} Arg2:T{link.tail + 1}"


def _plain(source: Source, numbers: list[int], lines: list[str]) -> tuple[Sequence[Any], ...]:
    """Lines, types, heads and tails of R lines."""
    text = "\n".join(lines)
    if lines and _RELATIONS.fullmatch(text) is None:
        number, line = next(each for each in zip(numbers, lines, strict=True) if _RELATIONS.fullmatch(each[1]) is None)
        remedy = "write identifier, tab, type, Arg1:T1 and Arg2:T2 with spaces between"
        raise source.error(number, f"{line!r} is no relation with a type and two arguments", remedy)
    if text.count(":") == 2 * len(lines):
        cells = text.replace(":", " ").split()
        return numbers, cells[1::6], cells[3::6], cells[5::6]
    cells = text.split()
    head, tail = ([argument.partition(":")[2] for argument in cells[at::4]] for at in (2, 3))
    return numbers, cells[1::4], head, tail


def _equivalences(source: Source, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        match = _EQUIVALENCE.fullmatch(line)
        first, *others = match[2].split() if match else [""]
        if match is None or not others:
            remedy = "write *, tab, type and two identifiers or more with spaces between"
            raise source.error(number, f"{line!r} is no equivalence of several spans", remedy)
        for other in others:
            yield number, match[1], first, other


def _events(source: Source, lines: Iterable[tuple[int, str]]) -> tuple[dict[str, tuple[int, str]], list[Row]]:
    """The line and the trigger of each event, and its arguments as relations."""
    triggers, rows = dict[str, tuple[int, str]](), list[Row]()
    for number, line in lines:
        match = _EVENT.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, TYPE:TRIGGER and ROLE:ARGUMENT with spaces between"
            raise source.error(number, f"{line!r} is no event with a trigger", remedy)
        event, _, trigger, arguments = match.groups()
        triggers[event] = (number, trigger)
        for argument in arguments.split():
            role, _, other = argument.partition(":")
            rows.append((number, role.rstrip("0123456789") or role, trigger, other))
    return triggers, rows


def _numbered(found: Standoff, head: list[str], tail: list[str]) -> tuple[Ints, Ints] | None:
    """The rows of heads and tails where all identifiers are T with a number, and all are there; else None."""
    columns = [_numbers(names) for names in (found.spans.identifiers, head, tail)]
    mine, *ends = columns
    if mine is None or not len(mine) or any(end is None for end in ends):
        return None
    size = int(mine.max()) + 1
    if size > 4 * len(mine) + 1024 or len(distinct(mine)) < len(mine):
        return None
    place = np.full(size, -1)
    place[mine] = np.arange(len(mine))
    rows = [np.where(end < size, place[np.minimum(end, size - 1)], -1) for end in ends if end is not None]
    return (rows[0], rows[1]) if all((row >= 0).all() for row in rows) else None


def _numbers(identifiers: Sequence[str]) -> Ints | None:
    """The numbers of T1 and so on; None where one is spelled otherwise."""
    text = " ".join(identifiers)
    if _NUMBERED.fullmatch(text) is None:
        return None
    return np.fromstring(text.replace("T", ""), dtype=np.int64, sep=" ")


def _places(source: Source, found: Standoff, triggers: dict[str, tuple[int, str]]) -> dict[str, int]:
    """The row of the span that each identifier stands for."""
    spans, names = found.spans, found.spans.identifiers
    places = dict(zip(names, range(len(spans)), strict=True))
    if len(places) < len(spans):
        row = next(row for row, name in enumerate(names) if places[name] != row)
        again = int(spans.line[places[names[row]]])
        finding = f"the identifier {names[row]} stands in line {spans.line[row]}, too"
        raise source.error(again, finding, "give every span an identifier of its own")
    for event, (number, trigger) in triggers.items():
        if trigger not in places:
            raise _undefined(source, number, trigger)
        places[event] = places[trigger]
    return places


def _ends(source: Source, lines: Sequence[int], names: Sequence[str], places: dict[str, int]) -> Ints:
    found = [places.get(name, -1) for name in names]
    if -1 in found:
        at = found.index(-1)
        raise _undefined(source, lines[at], names[at])
    return ints(found)


def _undefined(source: Source, line: int, name: str) -> Exception:
    return source.error(line, f"no line defines {name}", "add a line that begins with it, or mend the argument")


# == formats/brat_links.py: Entity links in brat's `.ann` files: `N1⇥Reference T1 Wikida


KINDS_BRAT_LINKS = ("N",)
"""The first characters of lines that hold links."""
_LINK = re.compile(r"N\S*\t\S+ (\S+) ([^\t]*\S[^\t]*)(?:\t.*)?")


def linked(source: Source, found: Standoff, spans: Spans) -> Spans:
    """The spans of a file with their links."""
    place = {identifier: row for row, identifier in enumerate(found.spans.identifiers)}
    candidates: list[list[str]] = [[] for _ in range(len(spans))]
    for number, line in found.others["N"]:
        match = _LINK.fullmatch(line)
        if match is None:
            remedy = "write identifier, tab, Reference, span and identifier with spaces between, tab, text"
            raise source.error(number, f"{line!r} is no link of a span to an identifier", remedy)
        row = place.get(match[1])
        if row is None:
            remedy = "add a line that begins with it, or mend the link"
            raise source.error(number, f"no line defines {match[1]}", remedy)
        candidates[row].append(match[2].strip())
    links = [Link(tuple(names)) for names in candidates]
    return replace(spans, extra=code_links(links, spans.vocabulary))


# == formats/brat_documents.py: Reading brat's documents, each from its two files.


_TOGETHER = 1 << 20
"""How many bytes are looked at together."""


@dataclass(frozen=True)
class _Loaded:
    """The contents of the two files of a document; `source` is the one that a user named."""

    source: Source
    annotations: Source
    written: Source
    """The file of the text."""
    lines: bytes
    text: bytes


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The document as one batch with one scope, or one a line.

    `source` is its .ann or its .txt, and the other one is beside it.
    """
    yield _annotation(_loaded(source), settings, vocabulary)


def read_together(
    sources: Sequence[Source], settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The documents of several files, each as `read` gives it."""
    waiting: list[_Loaded] = []
    size = 0
    for source in sources:
        try:
            loaded = _loaded(source)
        except EvenhandError:  # which is told when those before it are read
            yield from _annotations(waiting, settings, vocabulary)
            raise
        waiting.append(loaded)
        size += len(loaded.lines) + len(loaded.text)
        if size > _TOGETHER:
            yield from _annotations(waiting, settings, vocabulary)
            waiting, size = [], 0
    yield from _annotations(waiting, settings, vocabulary)


def _annotations(loaded: Sequence[_Loaded], settings: ReadSettings, vocabulary: Vocabulary) -> Iterator[Annotation]:
    if len(loaded) > 1 and _is_plain(settings):
        try:
            yield from _at_once(loaded, vocabulary)
            return
        except EvenhandError:  # in one of them, which is told with its file and line below
            pass
    for each in loaded:
        yield _annotation(each, settings, vocabulary)


def _is_plain(settings: ReadSettings) -> bool:
    """Whether texts are read as they stand, for their spans alone."""
    chosen = settings.parameters
    is_lenient = chosen.get("quotes") == "note" or chosen.get("newlines") == "one" or chosen.get("sentences") == LINES
    return settings.task not in (RELATIONS, LINKS) and settings.unit == "codepoints" and not is_lenient


def _at_once(loaded: Sequence[_Loaded], vocabulary: Vocabulary) -> list[Annotation]:
    """Documents whose spans are all as they should be; else an error, whose place is not that in a file."""
    found = standoff(loaded[0].annotations, b"\n".join(each.lines for each in loaded))
    sizes = [each.lines.count(b"\n") + 1 for each in loaded]
    read = documents(found.spans, sizes, [each.text for each in loaded], [each.source for each in loaded], vocabulary)
    return [
        Annotation(corpus, {"spans": spans}, {"spans": ReadInfo(FORMAT.name, skipped=skipped)}, each.source.name)
        for each, (corpus, spans), skipped in zip(loaded, read, found.skipped_in(sizes), strict=True)
    ]


def _annotation(loaded: _Loaded, settings: ReadSettings, vocabulary: Vocabulary) -> Annotation:
    source, annotations = loaded.source, loaded.annotations
    is_related, is_linked = settings.task == RELATIONS, settings.task == LINKS
    wanted = KINDS if is_related else KINDS_BRAT_LINKS if is_linked else ()
    lenient = settings.parameters.get("quotes") == "note"
    found = standoff(annotations, loaded.lines, wanted, takes_empty=lenient)
    read = document((source, annotations, loaded.written), found.spans, loaded.text, settings, vocabulary)
    kept = {"wrong quotations": read.misquoted} if read.misquoted else {}
    reading = ReadInfo(FORMAT.name, skipped=found.skipped, kept=kept)
    layers: dict[str, Layer] = {"spans": read.spans}
    if is_related:
        layers = {RELATIONS: relations(annotations, found, vocabulary, read.parts), **layers}
    corpus = read.corpus
    if is_linked:
        layers = {LINKS: linked(annotations, found, read.spans)}
        corpus = replace(corpus, names=(source.name,), unnamed=True)
    return Annotation(corpus, layers, dict.fromkeys(layers, reading), source.name)


def _loaded(source: Source) -> _Loaded:
    if source.plain_path.suffix == ".txt":
        annotations, written = _beside(source, ".ann", "annotations"), source
    else:
        annotations, written = source, _beside(source, ".txt", "text")
    return _Loaded(source, annotations, written, whole_data(annotations), whole_data(written))


def _beside(source: Source, suffix: str, what: str) -> Source:
    """The other file of a document, maybe compressed."""
    wanted = source.plain_path.with_suffix(suffix)
    for ending in ("", *COMPRESSIONS):
        path = wanted.with_name(wanted.name + ending) if ending else wanted
        alias = None if source.alias is None else os.path.join(os.path.dirname(source.alias), path.name)
        found = Source(path, alias=alias)
        if found.is_here or (isinstance(path, Address) and path.is_file()):
            return found
    raise source.error(
        None, f"the {what} {wanted.name} cannot be found beside it", "put DOC.ann and DOC.txt into one folder"
    )


# == formats/brat_write.py: Writing brat's files: a text and its annotations for each se


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The files of a folder: a text and its annotations for each sentence (or whole text), by name or number."""
    names = FileNames()
    for batch in batches:
        for called, (text, lines) in zip(_names(batch.corpus), documents_brat_write(batch), strict=True):
            name = names.of(called)
            yield f"{name}.txt", text
            yield f"{name}.ann", lines


def _names(corpus: Corpus) -> Sequence[str]:
    """What each sentence (or whole text) is called, where it is a document with a name; else nothing."""
    is_named = len(corpus.names) == corpus.sentences and not corpus.unnamed
    return corpus.names if is_named else [""] * corpus.sentences


def documents_brat_write(annotation: Annotation) -> Iterator[tuple[str, str]]:
    """For each sentence (or whole text) the content of its .txt and of its .ann, with offsets in code points."""
    for sentence, spans in to_write(annotation):
        text, start, end = edges(annotation.corpus, sentence)
        refuse_odd(text, f"sentence {sentence + 1}")
        lines = enumerate(with_offsets(spans, start, end), 1)
        yield text, "".join(f"T{number}\t{text_bound(span, text)}\n" for number, span in lines)


def write_related(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[tuple[str, str]]:
    """The same with relations: R lines, and * lines for types that are marked as symmetric."""
    number = 0
    for batch in batches:
        found = links_by_sentence(batch)
        conversion.lose(found.across, "relations across sentences")
        for sentence, (text, lines) in enumerate(documents_brat_write(batch)):
            number += 1
            links = found.links.get(sentence, ())
            related = "".join(f"{line}\n" for line in relation_lines(links))
            yield f"{number:05}.txt", text
            yield f"{number:05}.ann", lines + related


def refuse_odd(text: str, what: str) -> None:
    """Raise an error where the text of something has what a file of brat cannot have."""
    if "\0" in text or text.startswith(BYTE_ORDER_MARK):
        odd = "a NUL character" if "\0" in text else "a byte order mark at its begin"
        raise SettingError(f"The text of {what} has {odd}, which brat's files cannot have.")


def text_bound(span: Span, text: str) -> str:
    """A span as it stands behind its identifier."""
    if not re.fullmatch(r"[^\s\0]+", span.label):
        raise SettingError(
            f"The label {span.label!r} cannot be written for brat, where labels have no spaces; map it to another."
        )
    parts = span.parts or [(span.start, span.end)]
    quoted = " ".join(text[first:behind] for first, behind in parts).replace("\r", " ").replace("\n", " ")
    return f"{span.label} {';'.join(f'{first} {behind}' for first, behind in parts)}\t{quoted}"
