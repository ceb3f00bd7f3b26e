"""Bracketed trees: `(S (NP (DT the) (NN cat)) (VP (VBD sat)))`, on one or several lines; each tree is a sentence.

This module reads them for the task spans; `bracket_lines` reads them for constituents, their default task. Constituents
become nested spans, whose level is their depth. A tag over a word is not a constituent, nor is the outermost bracket if
it has no label or the label ROOT or TOP. Traces (words under the tag -NONE-) are left out, and with them the
constituents that cover nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise, zip_longest

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, distinct, ints, zeros
from evenhand.data.annotation import LISTS, Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.from_lists import check_name, is_text, to_list
from evenhand.data.layers import Spans, TagColumn, Tags
from evenhand.data.names import CONSTITUENTS, NO_LABEL, POS_TAGS
from evenhand.data.structures import Constituents
from evenhand.data.tokens import PADDING, Tokens
from evenhand.data.vocabulary import StringCoder, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import DEPTH, OTHER_WORDS, InputError, SettingError, counted
from evenhand.formats.conll2012 import pairs
from evenhand.formats.format import Capabilities, Detection, Format, Reader, Writer, by_batch
from evenhand.formats.parsing.cells import refuse_deep
from evenhand.formats.partition import Partitioning
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.parameters import quote
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

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
    labels, tags = StringCoder(str if settings.functions else without_functions), StringCoder()
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
    for block in source.blocks(size, cut_after="line"):
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
    source: Source, signs: Signs, labels: StringCoder, tags: StringCoder, vocabulary: Vocabulary, begun: bool
) -> Annotation:
    opens = signs.kind == OPEN
    tagged = np.flatnonzero(opens & (signs.kind_at(1) == WORD) & (signs.kind_at(2) == WORD))
    tag = tags(Tokens(signs.data, signs.start[tagged + 1], signs.end[tagged + 1]))
    kept = ~tags.among(tag, (TRACE,))
    words = tagged[kept] + 2
    before = np.searchsorted(words, np.arange(len(opens)))
    trees = np.flatnonzero(opens & (signs.depth == 1))
    corpus = Corpus(
        source=source.display_name,
        sentences=len(trees),
        bounds=np.append(before[trees], len(words)),
        tokens=Tokens(signs.data, signs.start[words], signs.end[words]),
        lines=signs.lines(words),
        continues=begun,
        advice="parsers that lose words are scored with --task constituents",
    )
    spans = _constituents(signs, tagged, trees, before, labels, vocabulary)
    traces = len(tagged) - len(words)
    reading = ReadInfo(FORMAT.name, skipped={"traces": traces} if traces else {})
    layers: dict[str, Spans | Tags] = {"spans": spans, TAGS: Tags(tag[kept], tuple(tags.names))}
    return Annotation(corpus, layers, {"spans": reading}, source.name)


def _constituents(
    signs: Signs, tagged: Ints, trees: Ints, before: Ints, labels: StringCoder, vocabulary: Vocabulary
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
    readers={
        "constituents": Reader(
            lazy("evenhand.formats.penn_trees:read_bracket_lines"),
            partitioning=Partitioning(lambda block: block.line_starts, _begins_tree, is_odd=_is_indented),
        ),
        "spans": Reader(read),
    },
    writers={
        "spans": Writer(Capabilities(characters=False, levels=False, gaps=False, documents="none"), by_batch(write)),
        "constituents": Writer(
            Capabilities(documents="none"), by_batch(lazy("evenhand.formats.penn_trees:write_bracket_lines"))
        ),
    },
    suffixes=(".mrg", ".ptb"),
    detection=Detection(b"(", confidence=recognise),
)


# == formats/bracket_lines.py: Bracketed trees for the task `constituents`: a line is a sen


FORMAT_NAME = "brackets"
PROBLEM = "tree"
"""The kind of problem that a sentence without a tree is."""
_FUNCTIONS = re.compile("[-=]")
_TREE_BEGINS = re.compile(rb"(?:^|(?<=\n))\(")
_REMEDY = "mend the tree, or leave the line empty, which counts as a sentence without an answer"


def cut(label: str) -> str:
    """`NP-SBJ-1` and `NP=2` as `NP`, `-NONE-` as a label that is empty."""
    return _FUNCTIONS.split(label, maxsplit=1)[0] or NO_LABEL


def whole(label: str) -> str:
    return label or NO_LABEL


def read_bracket_lines(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with the layers `constituents` and `pos`."""
    labels, begun = StringCoder(whole if settings.functions else cut), source.begins_inside
    for data, first_line, is_indented in _sentences_bracket_lines(source, settings.block_size):
        lines = SentenceSigns(Signs.of(data, first_line), is_indented)
        found = lines.annotation(source.display_name, source.name, labels, vocabulary, ReadInfo(FORMAT_NAME), begun)
        if source.problems is not None:
            layer = found.layers[CONSTITUENTS]
            assert isinstance(layer, Constituents)
            for sentence, finding in layer.problems.items():
                source.report(int(layer.lines[sentence]), finding, _REMEDY, PROBLEM)
        yield found
        begun = True


def _sentences_bracket_lines(source: Source, size: int) -> Iterator[tuple[bytes, int, bool]]:
    """Successive parts of the file that end behind a sentence, their first lines, and whether trees have many lines."""
    is_indented: bool | None = None
    held, first_line = b"", 1
    for block in source.blocks(size, cut_after="line"):
        refuse_deep(block, 0)
        data = held + block.data[: block.size]
        if is_indented is None:
            is_indented, first_line = _is_indented_bracket_lines(block), block.first_line
            if data.strip() and b"(" not in data:
                finding = "found no bracket in the first lines, so the file has no bracketed trees"
                remedy = "give trees on both sides, or choose --task spans to compare constituents as spans"
                raise source.error(block.first_line, finding, remedy)
        if not is_indented:
            yield data, block.first_line, False
            continue
        begins = list(_TREE_BEGINS.finditer(data))
        place = begins[-1].start() if begins else 0
        if data[:place].strip():
            yield data[:place], first_line, True
        held, first_line = data[place:], first_line + data.count(b"\n", 0, place)
    if held.strip():
        yield held, first_line, True


def _is_indented_bracket_lines(block: Block) -> bool:
    """Whether a tree of the first lines goes on in a line that begins with a blank."""
    depth = 0
    for line in block.data[: block.size].split(b"\n"):
        if not line.strip():
            continue
        if line[:1] == b"(":
            depth = 0
        elif line[:1] in (b" ", b"\t") and depth > 0:
            return True
        depth += line.count(b"(") - line.count(b")")
    return False


@dataclass(frozen=True)
class SentenceSigns:
    """The brackets and words of some sentences."""

    signs: Signs
    is_indented: bool = False
    """Whether sentences begin with a bracket at the begin of a line; else every line is one."""

    @cached_property
    def begins(self) -> Ints:
        """Where sentences begin in the bytes."""
        data = np.frombuffer(self.signs.data, dtype=np.uint8)[: self._size]
        begins = np.append(0, np.flatnonzero(data == LINE_FEED) + 1)
        begins = begins[begins < max(len(data), 1)]
        if self.is_indented:
            begins = begins[data[begins] == ord("(")]
        return begins

    @property
    def _size(self) -> int:
        return Tokens(self.signs.data, zeros(0), zeros(0)).size

    @cached_property
    def sentence(self) -> Ints:
        """The sentence of each sign."""
        return (np.searchsorted(self.begins, self.signs.start, side="right") - 1).clip(min=0)

    def _kind_at(self, step: int) -> Ints:
        """For each sign the kind of the one `step` signs behind it in its sentence, 0 where there is none."""
        kind = self.signs.kind_at(step).astype(np.int64)
        other = np.roll(self.sentence, -step)
        return np.where(other == self.sentence, kind, 0)

    @cached_property
    def _is_label(self) -> Bools:
        found: Bools = (self.signs.kind == WORD) & (self._kind_at(-1) == OPEN)
        return found

    @cached_property
    def _is_word(self) -> Bools:
        """Which signs are words alone behind a tag."""
        behind_label = (self._kind_at(-1) == WORD) & (self._kind_at(-2) == OPEN)
        found: Bools = (self.signs.kind == WORD) & behind_label & (self._kind_at(1) == CLOSE)
        return found

    @cached_property
    def problems(self) -> dict[int, str]:
        """What is wrong with each sentence that has no tree."""
        signs, sentence = self.signs, self.sentence
        first = np.searchsorted(sentence, np.arange(len(self.begins) + 1))
        before = np.append(0, signs.depth)
        depth = signs.depth - before[first[sentence]]
        open_at_end = before[first[1:]] - before[first[:-1]]
        alone = (signs.kind == WORD) & ~self._is_label & ~self._is_word
        found: dict[int, str] = {}
        for sign in np.flatnonzero(alone)[::-1].tolist():
            found[int(sentence[sign])] = f"the word {signs.text(sign, sign)!r} is not alone under a tag"
        for each in np.flatnonzero(open_at_end).tolist():
            found[each] = "not all brackets are closed" if open_at_end[each] > 0 else "more brackets close than open"
        for sign in np.flatnonzero(depth < 0)[::-1].tolist():
            found[int(sentence[sign])] = "a bracket closes nothing"
        for each in distinct(sentence[depth > DEPTH.value]).tolist():
            found[each] = f"more than {DEPTH.value:,} brackets are open at once"
        return dict(sorted(found.items()))

    def annotation(
        self, shown: str, name: str, labels: StringCoder, vocabulary: Vocabulary, reading: ReadInfo, continues: bool
    ) -> Annotation:
        signs = self.signs
        words = np.flatnonzero(self._is_word)
        bounds = np.searchsorted(self.sentence[words], np.arange(len(self.begins) + 1))
        corpus = Corpus(
            source=shown,
            sentences=len(self.begins),
            bounds=bounds,
            tokens=Tokens(signs.data, signs.start[words], signs.end[words]),
            lines=signs.lines(words),
            continues=continues,
        )
        line_feeds = np.flatnonzero(np.frombuffer(signs.data, dtype=np.uint8) == LINE_FEED)
        lines = signs.first_line + np.searchsorted(line_feeds, self.begins)
        brackets = self._brackets(words, bounds, labels, vocabulary)
        tags = TagColumn(Tokens(signs.data, signs.start[words - 1], signs.end[words - 1]), vocabulary.columns[POS_TAGS])
        layers: dict[str, Layer] = {CONSTITUENTS: Constituents(brackets, lines, self.problems), POS_TAGS: tags}
        return Annotation(corpus, layers, {CONSTITUENTS: reading}, name)

    def _brackets(self, words: Ints, bounds: Ints, labels: StringCoder, vocabulary: Vocabulary) -> Spans:
        """The brackets of all sentences that have a tree, in the order in which they open."""
        signs, sentence = self.signs, self.sentence
        is_bracket = signs.kind != WORD
        is_bracket[words - 2] = is_bracket[words + 1] = False
        if self.problems:
            is_bracket &= ~np.isin(sentence, list(self.problems))
        brackets = np.flatnonzero(is_bracket)
        opens = signs.kind[brackets] == OPEN
        first, last = pairs(zeros(len(brackets)), opens)
        closing = np.empty(len(brackets), dtype=np.int64)
        closing[first] = brackets[last]
        first, last = brackets[opens], closing[opens]
        labeled = self._is_label[np.minimum(first + 1, len(sentence) - 1)] if len(first) else opens[:0]
        cell = signs.start[first + labeled]
        code = labels(Tokens(signs.data, cell, np.where(labeled, signs.end[first + labeled], cell)))
        before = np.append(0, np.cumsum(self._is_word))
        scope = sentence[first]
        begin = bounds[scope]
        label = vocabulary.labels_of(labels, code)
        return Spans.of(vocabulary, scope, before[first] - begin, before[last] - begin, label)


def write_bracket_lines(annotation: Annotation) -> Iterator[str]:
    """The sentences as trees, one a line, with all that was read."""
    layer, tags = annotation.layers[CONSTITUENTS], annotation.layers[POS_TAGS]
    assert isinstance(layer, Constituents)
    assert isinstance(tags, Tags)
    corpus = annotation.corpus
    assert corpus.bounds is not None
    assert corpus.tokens is not None
    edges = np.searchsorted(layer.brackets.scope, np.arange(corpus.sentences + 1)).tolist()
    codes, names = tags.code.tolist(), tags.names
    for sentence, (first, last) in enumerate(pairwise(corpus.bounds.tolist())):
        if sentence in layer.problems:
            line = int(layer.lines[sentence]) or None
            raise InputError(corpus.source, line, layer.problems[sentence], "mend the tree, or empty the line")
        words = zip((names[code] for code in codes[first:last]), corpus.tokens.texts(first, last), strict=True)
        rows = layer.brackets.take(slice(edges[sentence], edges[sentence + 1])).rows()
        yield (
            _tree_bracket_lines(
                [f"({tag} {word})" for tag, word in words], [(label, start, end) for label, _, start, end in rows]
            )
            + "\n"
        )


def _tree_bracket_lines(words: list[str], brackets: list[tuple[str, int, int]]) -> str:
    """Words and the brackets over them, in the order in which these open, on a line."""
    parts, open_ends, place = list[str](), list[int](), 0
    for label, start, end in [*brackets, ("", len(words), len(words))]:
        while place < start or (end > start and open_ends and open_ends[-1] == place):
            if open_ends and open_ends[-1] == place:
                parts.append(")")
                open_ends.pop()
            else:
                parts.append(f" {words[place]}")
                place += 1
        parts.append(f" ({'' if label == NO_LABEL else label}")
        open_ends.append(end)
    return "".join((*parts[:-1], ")" * (len(open_ends) - 1))).strip()


def constituents(trees: Iterable[str], *, functions: bool = False, name: str = "constituents") -> Annotation:
    """An annotation from bracketed trees: `constituents(["(S (NP (NN rain)) (VP (VBZ falls)))"])`, a text a sentence.

    An empty text is a sentence that a parser gave up. Labels lose their functions (`NP-SBJ`) unless `functions` is set.
    """
    check_name(name)
    remedy = 'give a bracketed tree for each sentence, such as ["(S (NP (NN rain)) (VP (VBZ falls)))"]'
    if is_text(trees):
        raise InputError(name, None, f"{quote(trees)} is a text, not a list of trees", remedy)
    given = to_list(trees, "the argument", name, remedy)
    for number, each in enumerate(given, 1):
        if not is_text(each):
            raise InputError(name, None, f"sentence {number} is {quote(each)}, which is not a text", remedy)
    data = "".join(f"{' '.join(each.split())}\n" for each in given).encode()
    signs = SentenceSigns(Signs.of(data, 1))
    coder = StringCoder(whole if functions else cut)
    found = signs.annotation(name, name, coder, Vocabulary(), ReadInfo(LISTS), continues=False)
    layer = found.layers[CONSTITUENTS]
    assert isinstance(layer, Constituents)
    corpus = Corpus(name, found.corpus.sentences, found.corpus.bounds, found.corpus.tokens)
    unnumbered = Constituents(layer.brackets, zeros(len(given)), layer.problems)
    return Annotation(corpus, {**found.layers, CONSTITUENTS: unnumbered}, found.readings, name)


# == formats/bracket_check.py: Checking bracketed trees against those of another file: as m


_TRACE = "-NONE-"
_SAME_SENTENCES = "give a line for each sentence in all files; an empty one where there is no tree"
_SAME_WORDS = "a score leaves the sentence out unless the parameters mend that"


def compare_sentences(batches: Iterator[Annotation], texts: Iterator[Annotation], source: Source) -> None:
    """Raise an error where one file has more sentences; sentences with other words are listed, but scored."""
    for mine, theirs in zip_longest(_sentences(batches), _sentences(texts)):
        if mine is None or theirs is None:
            which = "the file" if mine is None else "the other file"
            line = None if mine is None else mine[0]
            raise InputError(source.display_name, line, f"{which} has fewer sentences", _SAME_SENTENCES, "text")
        (line, words), (_, others) = mine, theirs
        if words and words != others:
            place = next((at for at, pair in enumerate(zip(words, others, strict=False)) if pair[0] != pair[1]), None)
            told = f"{counted(len(words), 'word')}, and the other file {len(others):,}"
            told = told if place is None else f"the word {words[place]!r}, and the other file {others[place]!r}"
            source.report(line or None, f"the sentence has {told}", _SAME_WORDS, OTHER_WORDS)


def _sentences(batches: Iterator[Annotation]) -> Iterator[tuple[int, list[str]]]:
    """Line and words of every sentence."""
    for batch in batches:
        layer, tags, corpus = batch.layers[CONSTITUENTS], batch.layers[POS_TAGS], batch.corpus
        assert isinstance(layer, Constituents)
        assert isinstance(tags, Tags)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        codes, names = tags.code.tolist(), tags.names
        for line, (first, last) in zip(layer.lines.tolist(), pairwise(corpus.bounds.tolist()), strict=True):
            words = zip(codes[first:last], corpus.tokens.texts(first, last), strict=True)
            yield line, [word for code, word in words if names[code] != _TRACE]
