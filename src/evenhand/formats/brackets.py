"""Bracketed trees: `(S (NP (DT the) (NN cat)) (VP (VBD sat)))`, on one or several lines; each tree is a sentence.

This module reads them for the task spans; `bracket_lines` reads them for constituents, their default task. Constituents
become nested spans, whose level is their depth. A tag over a word is not a constituent, nor is the outermost bracket if
it has no label or the label ROOT or TOP. Traces (words under the tag -NONE-) are left out, and with them the
constituents that cover nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.arrays import Bytes, Ints, distinct, ints, zeros
from evenhand.dataclass import dataclass
from evenhand.formats.format import Carry, Format, Writing, by_batch
from evenhand.formats.parsing.blocks import refuse_deep
from evenhand.formats.parsing.mention_brackets import pairs
from evenhand.formats.parsing.scan import Division
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.problems import SettingError
from evenhand.registry import late
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.codes import Coder
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.tokens import PADDING, Tokens

TAGS = "pos"
"""The layer with the words' tags."""
UNKNOWN_TAG = "X"
TRACE = "-NONE-"
ROOTS = ("", "ROOT", "TOP")
"""The labels with which an outermost bracket is no constituent."""
BLANK, OPEN, CLOSE, WORD = range(4)
_KINDS = np.full(256, WORD, dtype=np.uint8)
_KINDS[list(b" \t\n\r\v\f")] = BLANK
_KINDS[ord("(")], _KINDS[ord(")")] = OPEN, CLOSE
_SAMPLE = 1 << 16
_ONE_WORD = re.compile(r"[^\s()\0]+", re.ASCII)


@dataclass(frozen=True)
class Signs:
    """Some trees as a row of signs: brackets and words (labels and tags among them)."""

    data: bytes
    first_line: int
    kind: Bytes
    start: Ints
    end: Ints
    depth: Ints
    """How many brackets are open behind each sign."""

    @staticmethod
    def of(data: bytes, first_line: int) -> Signs:
        kinds = np.concatenate(([BLANK], _KINDS[np.frombuffer(data, dtype=np.uint8)], [BLANK])).astype(np.uint8)
        same_word = (kinds[1:] == WORD) & (kinds[:-1] == WORD)
        full = kinds[1:-1] != BLANK
        start, end = np.flatnonzero(full & ~same_word[:-1]), np.flatnonzero(full & ~same_word[1:]) + 1
        kind = kinds[1:-1][start]
        depth = np.cumsum((kind == OPEN).astype(np.int64) - (kind == CLOSE))
        return Signs(data + PADDING, first_line, kind, start, end, depth)

    def kind_at(self, step: int) -> Bytes:
        """For each sign the kind of the one `step` signs behind it (before it, if negative); BLANK if there is none."""
        edge = np.full(2, BLANK, dtype=np.uint8)
        return np.concatenate((edge, self.kind, edge))[2 + step : 2 + step + len(self.kind)]

    def text(self, first: int, last: int) -> str:
        return self.data[self.start[first] : self.end[last]].decode()

    def lines(self, signs: Ints) -> Ints:
        line_feeds = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == LINE_FEED)
        return self.first_line + np.searchsorted(line_feeds, self.start[signs])


def recognise(sample: Block) -> float:
    """Whether it begins with brackets that have at most a label each, up to a tag over a word in brackets."""
    signs = Signs.of(sample.data[: min(sample.size, _SAMPLE)], 1)
    kind = signs.kind
    if len(kind) < 2 or kind[0] != OPEN:
        return 0.0
    head = int((kind == CLOSE).argmax()) or len(kind)
    bare = (kind == WORD) & (signs.kind_at(-1) != OPEN)
    # Columns may begin with the tokens ( and ), but there words follow where trees have none.
    return float(not bare[: head - 1].any() and not ((kind == WORD) & (signs.depth == 0))[: head + 2].any())


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole trees, with the layers `spans` and `pos`."""
    labels, tags = Coder(str if settings.functions else without_functions), Coder()
    begun = False
    for data, first_line in _whole_trees(source, settings.block_size):
        signs = Signs.of(data, first_line)
        if len(signs.kind):
            _check(source, signs)
            yield _annotation(source, signs, labels, tags, vocabulary, begun)
            begun = True
    if not begun:
        raise source.error(None, "the file has no trees", "check how it was written")


def without_functions(label: str) -> str:
    """`NP-SBJ-1` and `NP=2` as `NP`; labels that begin with such a sign, as -LRB- does, stay as they are."""
    return label if label[:1] in ("-", "=") else re.split("[-=]", label, maxsplit=1)[0]


def _whole_trees(source: Source, size: int) -> Iterator[tuple[bytes, int]]:
    """Successive parts of the file that end behind a tree, and the lines they begin in; then what is left."""
    held: list[bytes] = []
    depth, first_line = 0, 1
    for block in source.blocks(size, cut_behind="line"):
        refuse_deep(block, depth)
        kind = _KINDS[np.frombuffer(block.data, dtype=np.uint8)[: block.size]]
        brackets = np.flatnonzero((kind == OPEN) | (kind == CLOSE))
        depths = depth + np.cumsum(np.where(kind[brackets] == OPEN, 1, -1))
        # Below 0 stands a bracket that closes nothing: it is handed on with the trees before it, to be found there.
        ends = brackets[depths <= 0]
        cut = int(ends[-1]) + 1 if len(ends) else 0
        if cut:
            yield b"".join((*held, block.data[:cut])), first_line
            held, first_line = [], block.first_line + block.data.count(b"\n", 0, cut)
        held.append(block.data[cut : block.size])
        depth = int(depths[-1]) if len(depths) else depth
    yield b"".join(held), first_line


def _check(source: Source, signs: Signs) -> None:
    """Raise an error if a tree has no end, or else at the first sign that has no place in a tree."""
    kind, depth, before, after = signs.kind, signs.depth, signs.kind_at(-1), signs.kind_at(1)
    word, label = kind == WORD, (kind == WORD) & (before == OPEN)
    tagged = (before == WORD) & (signs.kind_at(-2) == OPEN) & (after == CLOSE)
    wrong = (
        (depth < 0)
        | (word & (depth == 0))
        | (word & ~label & ~tagged)
        | (label & (after == CLOSE))
        | ((kind == OPEN) & ((after == CLOSE) | ((after == OPEN) & (depth > 1))))
    )
    if depth[-1] > 0:
        line, finding = _tree_line(signs, len(kind) - 1), "the tree that begins here is not closed"
        raise source.error(line, finding, f"close its brackets (open at the end of the file: {depth[-1]})")
    if wrong.any():
        sign = int(wrong.argmax())
        raise source.error(int(signs.lines(ints([sign]))[0]), *_finding(signs, sign))


def _finding(signs: Signs, sign: int) -> tuple[str, str]:
    """What is wrong with a sign, and what to do."""
    kind, depth, after = signs.kind[sign], signs.depth[sign], signs.kind_at(1)[sign]
    if kind == CLOSE:
        return "this bracket closes nothing", "remove it, or open a bracket before"
    if depth == 0:
        return f"{signs.text(sign, sign)!r} is outside of a tree", "put it into brackets, or remove it"
    if after == OPEN and kind == OPEN:
        finding = f"a bracket of the tree that begins in line {_tree_line(signs, sign)} has no label"
        return finding, "only the outermost bracket may be without"
    if after == CLOSE and (kind == OPEN or signs.kind[sign - 1] == OPEN):
        first = sign if kind == OPEN else sign - 1
        return f"the constituent {signs.text(first, sign + 1)!r} is empty", "remove it, or put tagged words into it"
    return f"{signs.text(sign, sign)!r} is not alone under a tag", "write every word in brackets, as in (NN cat)"


def _tree_line(signs: Signs, sign: int) -> int:
    """The line in which the tree of a sign begins."""
    outermost = np.flatnonzero(((signs.kind == OPEN) & (signs.depth == 1))[: sign + 1])
    return int(signs.lines(outermost[-1:])[0])


def _annotation(
    source: Source, signs: Signs, labels: Coder, tags: Coder, vocabulary: Vocabulary, begun: bool
) -> Annotation:
    opens = signs.kind == OPEN
    tagged = np.flatnonzero(opens & (signs.kind_at(1) == WORD) & (signs.kind_at(2) == WORD))
    tag = tags(Tokens(signs.data, signs.start[tagged + 1], signs.end[tagged + 1]))
    kept = ~tags.among(tag, (TRACE,))
    words = tagged[kept] + 2
    before = np.searchsorted(words, np.arange(len(opens)))
    trees = np.flatnonzero(opens & (signs.depth == 1))
    corpus = Corpus(
        source=source.shown,
        sentences=len(trees),
        bounds=np.append(before[trees], len(words)),
        tokens=Tokens(signs.data, signs.start[words], signs.end[words]),
        lines=signs.lines(words),
        continues=begun,
        advice="parsers that lose words are scored with --task constituents",
    )
    spans = _constituents(signs, tagged, trees, before, labels, vocabulary)
    traces = len(tagged) - len(words)
    reading = Reading(FORMAT.name, skipped={"traces": traces} if traces else {})
    layers: dict[str, Spans | Tags] = {"spans": spans, TAGS: Tags(tag[kept], tuple(tags.names))}
    return Annotation(corpus, layers, {"spans": reading}, source.name)


def _constituents(
    signs: Signs, tagged: Ints, trees: Ints, before: Ints, labels: Coder, vocabulary: Vocabulary
) -> Spans:
    """The constituents in the order of their opening brackets; `before` has the number of words before each sign."""
    first, last = _pairs(signs, tagged)
    labeled = signs.kind[first + 1] == WORD
    cell = signs.start[first + labeled]
    code = labels(Tokens(signs.data, cell, np.where(labeled, signs.end[first + labeled], cell)))
    tree = np.searchsorted(trees, first, side="right") - 1
    root = (signs.depth[first] == 1) & labels.among(code, ROOTS)
    # Where the outermost bracket is no constituent, depth counts from the brackets in it.
    top = np.ones(len(trees), dtype=np.int64)
    top[tree[root]] = 2
    kept = np.flatnonzero(~root & (before[first] < before[last]))
    first, last, tree, label = first[kept], last[kept], tree[kept], vocabulary.labels_of(labels, code[kept])
    begin = before[trees][tree]
    level = signs.depth[first] - top[tree]
    return Spans.of(vocabulary, tree, before[first] - begin, before[last] - begin, label, level)


def _pairs(signs: Signs, tagged: Ints) -> tuple[Ints, Ints]:
    """The opening brackets of all but tagged words, in their order, and for each the bracket that closes it."""
    is_bracket = signs.kind != WORD
    is_bracket[tagged] = is_bracket[tagged + 3] = False
    brackets = np.flatnonzero(is_bracket)
    opens = signs.kind[brackets] == OPEN
    first, last = pairs(zeros(len(brackets)), opens)
    closing = np.zeros(len(brackets), dtype=np.int64)
    closing[first] = brackets[last]
    return brackets[opens], closing[opens]


def write(annotation: Annotation) -> Iterator[str]:
    """The sentences as trees under TOP, one a line; words whose tag is not known are under the tag X.

    Round brackets in words are written as -LRB- and -RRB-. Spans that cross make no tree.
    """
    corpus, spans, tags = annotation.corpus, annotation.spans(), annotation.layers.get(TAGS)
    assert corpus.tokens is not None
    _check_labels(annotation, spans)
    assert corpus.bounds is not None
    order = np.lexsort((spans.level, -spans.end, spans.start, spans.scope))
    edges = np.searchsorted(spans.scope[order], np.arange(corpus.sentences + 1))
    for sentence in range(corpus.sentences):
        places = range(*corpus.bounds[sentence : sentence + 2].tolist())
        words = [corpus.tokens[place].replace("(", "-LRB-").replace(")", "-RRB-") for place in places]
        names = [tags.names[tags.code[place]] if isinstance(tags, Tags) else UNKNOWN_TAG for place in places]
        rows = spans.take(order[edges[sentence] : edges[sentence + 1]]).rows()
        yield _tree(sentence + 1, words, names, [(label, start, end) for label, _, start, end in rows])


def _check_labels(annotation: Annotation, spans: Spans) -> None:
    """Refuse labels that are cut when they are read, unless they were read from trees, with their functions."""
    if annotation.reading.format == "brackets":
        return
    for code in distinct(spans.label).tolist():
        label = spans.vocabulary.labels[code]
        if without_functions(label) != label:
            cut = f"readers of trees cut the label {label!r} to {without_functions(label)!r}, as NP-SBJ to NP"
            raise SettingError(f"Cannot write trees: {cut}; rename it first, or convert to another format.")


def _tree(number: int, words: Sequence[str], tags: Sequence[str], spans: Sequence[tuple[str, int, int]]) -> str:
    """A sentence as a tree on a line, given its spans by first token, longer ones first."""
    for text in (*words, *tags, *(label for label, _, _ in spans)):
        if not _ONE_WORD.fullmatch(text):
            raise SettingError(
                f"Trees cannot have {text!r} of sentence {number}: spaces or brackets are in it, or nothing."
            )
    parts, open_spans, waiting = ["(TOP"], list[tuple[str, int]](), iter([*spans, ("", len(words), 0)])
    label, start, end = next(waiting)
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        while start == place:
            if open_spans and end > open_spans[-1][1]:
                crossing = f"{open_spans[-1][0]!r} and {label!r}"
                raise SettingError(f"The spans {crossing} of sentence {number} cross, so that they make no tree.")
            parts.append(f" ({label}")
            open_spans.append((label, end))
            label, start, end = next(waiting)
        parts.append(f" ({tag} {word})")
        while open_spans and open_spans[-1][1] == place + 1:
            parts.append(")")
            open_spans.pop()
    return "".join(parts if words else [*parts, f" ({TRACE} *)"]) + ")\n"


def _begins_tree(data: bytes, start: int) -> bool:
    """Whether a line begins with a bracket, and so with a tree where a line is a sentence."""
    return data[start] == ord("(")


def _is_indented(data: bytes) -> bool:
    """Whether a line begins with a blank, so that trees may be written over several lines."""
    return b"\n " in data or b"\n\t" in data


FORMAT = Format(
    "brackets",
    "bracketed trees: (S (NP (DT the) (NN cat)) ...)",
    tasks=("constituents", "spans"),
    read=read,
    reads={"constituents": late("evenhand.formats.bracket_lines:read")},
    writes={
        "spans": Writing(Carry(characters=False, levels=False, gaps=False, documents="none"), by_batch(write)),
        "constituents": Writing(Carry(documents="none"), by_batch(late("evenhand.formats.bracket_lines:write"))),
    },
    suffixes=(".mrg", ".ptb"),
    begins=b"(",
    recognise=recognise,
    divisions={"constituents": Division(lambda block: block.begun_lines, _begins_tree, is_odd=_is_indented)},
)
