"""Bracketed trees: `(S (NP (DT the) (NN cat)) (VP (VBD sat)))`.

Two tasks read them differently. For `constituents`, the default, every line is a sentence, unless trees are indented
over several lines; a sentence without a valid tree is kept, as a parser may fail on it. For `spans`, every tree is a
sentence, on any number of lines, and an invalid tree is an error. Constituents become nested spans, whose level is
their depth. A tag over a word is not a constituent, nor is the outermost bracket if it has no label or the label ROOT
or TOP. Traces (words under the tag -NONE-) are left out, and with them constituents that cover nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise, zip_longest

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, distinct, zeros
from evenhand.data.annotation import LISTS, Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.from_lists import check_name, is_text, to_list
from evenhand.data.layers import Spans, TagColumn, Tags
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
from evenhand.settings import CONSTITUENTS, NO_LABEL, POS_TAGS, Columns, ReadSettings

TAGS = "pos"
"""The layer with the words' tags, for spans."""
TRACE = "-NONE-"
ROOTS = ("", "ROOT", "TOP")
"""Labels with which an outermost bracket is not a constituent."""
PROBLEM = "tree"
"""The kind of problem of a sentence without a valid tree."""
BLANK, OPEN, CLOSE, WORD = range(4)
_KINDS = np.full(256, WORD, dtype=np.uint8)
_KINDS[list(b" \t\n\r\v\f")] = BLANK
_KINDS[ord("(")], _KINDS[ord(")")] = OPEN, CLOSE
_SAMPLE = 1 << 16
_ONE_WORD = re.compile(r"[^\s()\0]+", re.ASCII)
_FUNCTIONS = re.compile("[-=]")
_TREE_BEGINS = re.compile(rb"(?:^|(?<=\n))\(")
_REMEDY = "fix the tree, or leave the line empty, which counts as a sentence without an answer"
_SAME_SENTENCES = "write one line per sentence in all files, and an empty line for a sentence without a tree"
_SAME_WORDS = "the score leaves the sentence out unless the parameters repair it"


@dataclass(frozen=True)
class Symbols:
    """The brackets and words of some trees; labels and tags are words, too."""

    data: bytes
    first_line: int
    kind: Bytes
    start: Ints
    end: Ints
    depth: Ints
    """Number of open brackets after each symbol."""

    @staticmethod
    def of(data: bytes, first_line: int) -> Symbols:
        kinds = np.concatenate(([BLANK], _KINDS[np.frombuffer(data, dtype=np.uint8)], [BLANK])).astype(np.uint8)
        same_word = (kinds[1:] == WORD) & (kinds[:-1] == WORD)
        full = kinds[1:-1] != BLANK
        start, end = np.flatnonzero(full & ~same_word[:-1]), np.flatnonzero(full & ~same_word[1:]) + 1
        kind = kinds[1:-1][start]
        depth = np.cumsum((kind == OPEN).astype(np.int64) - (kind == CLOSE))
        return Symbols(data + PADDING, first_line, kind, start, end, depth)

    def kind_at(self, step: int) -> Bytes:
        """The kind of the symbol `step` symbols after each one (before it, if negative); BLANK if there is none."""
        edge = np.full(2, BLANK, dtype=np.uint8)
        return np.concatenate((edge, self.kind, edge))[2 + step : 2 + step + len(self.kind)]

    def text(self, first: int, last: int) -> str:
        return self.data[self.start[first] : self.end[last]].decode()

    def tokens(self, rows: Ints) -> Tokens:
        return Tokens(self.data, self.start[rows], self.end[rows])

    def lines(self, offsets: Ints) -> Ints:
        """The line numbers of offsets."""
        line_feeds = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == LINE_FEED)
        return self.first_line + np.searchsorted(line_feeds, offsets)

    def bracket_pairs(self, is_bracket: Bools, words: Ints) -> tuple[Ints, Ints]:
        """The opening brackets, without those around tagged words, in order, and the closing bracket of each."""
        is_bracket[words - 2] = is_bracket[words + 1] = False
        brackets = np.flatnonzero(is_bracket)
        opens = self.kind[brackets] == OPEN
        first, last = pairs(zeros(len(brackets)), opens)
        closing = np.empty(len(brackets), dtype=np.int64)
        closing[first] = brackets[last]
        return brackets[opens], closing[opens]

    def labels(self, opening: Ints, has_label: Bools) -> Tokens:
        """The labels after opening brackets; empty if there is none."""
        start = self.start[opening + has_label]
        return Tokens(self.data, start, np.where(has_label, self.end[opening + has_label], start))


def recognise(sample: Block) -> float:
    """Whether it begins with brackets that have at most a label each, up to a tag over a word in brackets."""
    symbols = Symbols.of(sample.data[: min(sample.size, _SAMPLE)], 1)
    kind = symbols.kind
    if len(kind) < 2 or kind[0] != OPEN:
        return 0.0
    head = int((kind == CLOSE).argmax()) or len(kind)
    bare = (kind == WORD) & (symbols.kind_at(-1) != OPEN)
    # Columns may begin with the tokens ( and ), but words follow them that trees do not have.
    return float(not bare[: head - 1].any() and not ((kind == WORD) & (symbols.depth == 0))[: head + 2].any())


def read_constituents(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Yield batches of whole sentences, with the layers `constituents` and `pos`."""
    labels, begun = StringCoder(_full_label if settings.functions else _category), source.begins_inside
    for data, first_line, is_indented in _parts_of_sentences(source, settings.block_size):
        sentences = SentenceSymbols(Symbols.of(data, first_line), is_indented)
        batch = sentences.annotation(source.display_name, source.name, labels, vocabulary, ReadInfo(FORMAT.name), begun)
        if source.problems is not None:
            layer = _constituents(batch)
            for sentence, finding in layer.problems.items():
                source.report(int(layer.lines[sentence]), finding, _REMEDY, PROBLEM)
        yield batch
        begun = True


def _category(label: str) -> str:
    """`NP-SBJ-1` and `NP=2` as `NP`, `-NONE-` as an empty label."""
    return _FUNCTIONS.split(label, maxsplit=1)[0] or NO_LABEL


def _full_label(label: str) -> str:
    return label or NO_LABEL


def _parts_of_sentences(source: Source, size: int) -> Iterator[tuple[bytes, int, bool]]:
    """Successive parts of the file that end after a sentence, their first lines, and whether trees are indented."""
    is_indented: bool | None = None
    remainder, first_line = b"", 1
    for block in source.blocks(size, cut_after="line"):
        refuse_deep(block, 0)
        data = remainder + block.data[: block.size]
        if is_indented is None:
            is_indented, first_line = _has_indented_trees(block), block.first_line
            if data.strip() and b"(" not in data:
                finding = "found no bracket in the first lines, so the file has no bracketed trees"
                remedy = "use trees on both sides, or choose --task spans to compare constituents as spans"
                raise source.error(block.first_line, finding, remedy)
        if not is_indented:
            yield data, block.first_line, False
            continue
        begins = list(_TREE_BEGINS.finditer(data))
        last = begins[-1].start() if begins else 0
        if data[:last].strip():
            if len(begins) == 1:
                raise _without_begin(source, first_line)
            yield data[:last], first_line, True
        remainder, first_line = data[last:], first_line + data.count(b"\n", 0, last)
    if remainder.strip():
        if not _TREE_BEGINS.search(remainder):
            raise _without_begin(source, first_line)
        yield remainder, first_line, True


def _without_begin(source: Source, line: int) -> InputError:
    finding = "trees continue on indented lines, but no tree begins at the beginning of a line here"
    return source.error(line, finding, "begin every tree with a bracket at the beginning of a line")


def _has_indented_trees(block: Block) -> bool:
    """Whether a tree of the first lines continues on a line that begins with a blank."""
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
class SentenceSymbols:
    """The brackets and words of some sentences."""

    symbols: Symbols
    is_indented: bool = False
    """Whether sentences begin with a bracket at the beginning of a line; otherwise every line is one."""

    @cached_property
    def begins(self) -> Ints:
        """Offsets of sentences."""
        size = Tokens(self.symbols.data, zeros(0), zeros(0)).size
        data = np.frombuffer(self.symbols.data, dtype=np.uint8)[:size]
        begins = np.append(0, np.flatnonzero(data == LINE_FEED) + 1)
        begins = begins[begins < max(len(data), 1)]
        if self.is_indented:
            begins = begins[data[begins] == ord("(")]
        return begins

    @cached_property
    def sentence(self) -> Ints:
        """The sentence of each symbol."""
        return (np.searchsorted(self.begins, self.symbols.start, side="right") - 1).clip(min=0)

    def _kind_at(self, step: int) -> Ints:
        """Like `Symbols.kind_at`, but only within sentences."""
        return np.where(np.roll(self.sentence, -step) == self.sentence, self.symbols.kind_at(step).astype(np.int64), 0)

    @cached_property
    def _is_label(self) -> Bools:
        is_label: Bools = (self.symbols.kind == WORD) & (self._kind_at(-1) == OPEN)
        return is_label

    @cached_property
    def _is_word(self) -> Bools:
        """Which symbols are words alone after a tag."""
        follows_label = (self._kind_at(-1) == WORD) & (self._kind_at(-2) == OPEN)
        is_word: Bools = (self.symbols.kind == WORD) & follows_label & (self._kind_at(1) == CLOSE)
        return is_word

    @cached_property
    def problems(self) -> dict[int, str]:
        symbols, sentence = self.symbols, self.sentence
        first = np.searchsorted(sentence, np.arange(len(self.begins) + 1))
        before = np.append(0, symbols.depth)
        depth = symbols.depth - before[first[sentence]]
        open_at_end = before[first[1:]] - before[first[:-1]]
        alone = (symbols.kind == WORD) & ~self._is_label & ~self._is_word
        problems: dict[int, str] = {}
        for symbol in np.flatnonzero(alone)[::-1].tolist():
            problems[int(sentence[symbol])] = f"the word {symbols.text(symbol, symbol)!r} is not alone under a tag"
        for row in np.flatnonzero(open_at_end).tolist():
            problems[row] = "not all brackets are closed" if open_at_end[row] > 0 else "more brackets close than open"
        for symbol in np.flatnonzero(depth < 0)[::-1].tolist():
            problems[int(sentence[symbol])] = "a bracket closes nothing"
        for row in distinct(sentence[depth > DEPTH.value]).tolist():
            problems[row] = f"more than {DEPTH.value:,} brackets are open at once"
        return dict(sorted(problems.items()))

    def annotation(
        self,
        display_name: str,
        name: str,
        labels: StringCoder,
        vocabulary: Vocabulary,
        reading: ReadInfo,
        continues: bool,
    ) -> Annotation:
        symbols = self.symbols
        words = np.flatnonzero(self._is_word)
        bounds = np.searchsorted(self.sentence[words], np.arange(len(self.begins) + 1))
        corpus = Corpus(
            source=display_name,
            sentences=len(self.begins),
            bounds=bounds,
            tokens=symbols.tokens(words),
            lines=symbols.lines(symbols.start[words]),
            continues=continues,
        )
        brackets = self._brackets(words, bounds, labels, vocabulary)
        tags = TagColumn(symbols.tokens(words - 1), vocabulary.columns[POS_TAGS])
        layers: dict[str, Layer] = {
            CONSTITUENTS: Constituents(brackets, symbols.lines(self.begins), self.problems),
            POS_TAGS: tags,
        }
        return Annotation(corpus, layers, {CONSTITUENTS: reading}, name)

    def _brackets(self, words: Ints, bounds: Ints, labels: StringCoder, vocabulary: Vocabulary) -> Spans:
        """The brackets of all sentences with valid trees, in the order in which they open."""
        symbols, sentence = self.symbols, self.sentence
        is_bracket = symbols.kind != WORD
        if self.problems:
            is_bracket &= ~np.isin(sentence, list(self.problems))
        first, last = symbols.bracket_pairs(is_bracket, words)
        has_label = self._is_label[np.minimum(first + 1, len(sentence) - 1)] if len(first) else is_bracket[:0]
        code = labels(symbols.labels(first, has_label))
        before = np.append(0, np.cumsum(self._is_word))
        scope = sentence[first]
        begin = bounds[scope]
        label = vocabulary.labels_of(labels, code)
        return Spans.of(vocabulary, scope, before[first] - begin, before[last] - begin, label)


def constituents(trees: Iterable[str], *, functions: bool = False, name: str = "constituents") -> Annotation:
    """Make an annotation from bracketed trees, one per sentence: `constituents(["(S (NP (NN it)) (VP (VBZ rains)))"])`.

    An empty string is a sentence that a parser failed on. Labels lose their functions (`NP-SBJ`) unless `functions` is
    set.
    """
    check_name(name)
    remedy = 'pass a list with one bracketed tree per sentence, such as ["(S (NP (NN rain)) (VP (VBZ falls)))"]'
    if is_text(trees):
        raise InputError(name, None, f"{quote(trees)} is a string, not a list of trees", remedy)
    texts = to_list(trees, "the argument", name, remedy)
    for number, text in enumerate(texts, 1):
        if not is_text(text):
            raise InputError(name, None, f"sentence {number} is {quote(text)}, which is not a string", remedy)
    sentences = SentenceSymbols(Symbols.of("".join(f"{' '.join(text.split())}\n" for text in texts).encode(), 1))
    labels = StringCoder(_full_label if functions else _category)
    annotation = sentences.annotation(name, name, labels, Vocabulary(), ReadInfo(LISTS), continues=False)
    layer, corpus = _constituents(annotation), annotation.corpus
    # Sentences in memory have no line numbers.
    corpus = Corpus(name, corpus.sentences, corpus.bounds, corpus.tokens)
    unnumbered = Constituents(layer.brackets, zeros(len(texts)), layer.problems)
    return Annotation(corpus, {**annotation.layers, CONSTITUENTS: unnumbered}, annotation.readings, name)


def read_spans(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Yield batches of whole trees, with the layers `spans` and `pos`."""
    labels, tags = StringCoder(str if settings.functions else _without_functions), StringCoder()
    begun = False
    for data, first_line in _parts_of_trees(source, settings.block_size):
        symbols = Symbols.of(data, first_line)
        if len(symbols.kind):
            _check_trees(source, symbols)
            yield _spans_annotation(source, symbols, labels, tags, vocabulary, begun)
            begun = True
    if not begun:
        raise source.error(None, "the file has no trees", "check how it was written")


def _without_functions(label: str) -> str:
    """`NP-SBJ-1` and `NP=2` as `NP`; labels that begin with such a character, like -LRB-, are unchanged."""
    return label if label[:1] in ("-", "=") else _FUNCTIONS.split(label, maxsplit=1)[0]


def _parts_of_trees(source: Source, size: int) -> Iterator[tuple[bytes, int]]:
    """Successive parts of the file that end after a tree, and their first lines; then the remainder."""
    remainder: list[bytes] = []
    depth, first_line = 0, 1
    for block in source.blocks(size, cut_after="line"):
        refuse_deep(block, depth)
        kind = _KINDS[np.frombuffer(block.data, dtype=np.uint8)[: block.size]]
        brackets = np.flatnonzero((kind == OPEN) | (kind == CLOSE))
        depths = depth + np.cumsum(np.where(kind[brackets] == OPEN, 1, -1))
        # A negative depth is a bracket that closes nothing: the check of the trees before it will find it.
        ends = brackets[depths <= 0]
        cut = int(ends[-1]) + 1 if len(ends) else 0
        if cut:
            yield b"".join((*remainder, block.data[:cut])), first_line
            remainder, first_line = [], block.first_line + block.data.count(b"\n", 0, cut)
        remainder.append(block.data[cut : block.size])
        depth = int(depths[-1]) if len(depths) else depth
    yield b"".join(remainder), first_line


def _check_trees(source: Source, symbols: Symbols) -> None:
    """Raise an error if a tree does not end, or at the first symbol that is wrong in a tree."""
    kind, depth, before, after = symbols.kind, symbols.depth, symbols.kind_at(-1), symbols.kind_at(1)
    word, label = kind == WORD, (kind == WORD) & (before == OPEN)
    tagged = (before == WORD) & (symbols.kind_at(-2) == OPEN) & (after == CLOSE)
    wrong = (
        (depth < 0)
        | (word & (depth == 0))
        | (word & ~label & ~tagged)
        | (label & (after == CLOSE))
        | ((kind == OPEN) & ((after == CLOSE) | ((after == OPEN) & (depth > 1))))
    )
    if depth[-1] > 0:
        line, finding = _tree_line(symbols, len(kind) - 1), "the tree that begins here is not closed"
        raise source.error(line, finding, f"close its brackets (open at the end of the file: {depth[-1]})")
    if wrong.any():
        symbol = int(wrong.argmax())
        raise source.error(int(symbols.lines(symbols.start[[symbol]])[0]), *_finding(symbols, symbol))


def _finding(symbols: Symbols, symbol: int) -> tuple[str, str]:
    kind, depth, after = symbols.kind[symbol], symbols.depth[symbol], symbols.kind_at(1)[symbol]
    if kind == CLOSE:
        return "this bracket closes nothing", "remove it, or open a bracket before"
    if depth == 0:
        return f"{symbols.text(symbol, symbol)!r} is outside of a tree", "put it into brackets, or remove it"
    if after == OPEN and kind == OPEN:
        finding = f"a bracket of the tree that begins in line {_tree_line(symbols, symbol)} has no label"
        return finding, "only the outermost bracket may be without"
    if after == CLOSE and (kind == OPEN or symbols.kind[symbol - 1] == OPEN):
        first = symbol if kind == OPEN else symbol - 1
        finding = f"the constituent {symbols.text(first, symbol + 1)!r} is empty"
        return finding, "remove it, or put tagged words into it"
    finding = f"{symbols.text(symbol, symbol)!r} is not alone under a tag"
    return finding, "write every word in brackets, as in (NN cat)"


def _tree_line(symbols: Symbols, symbol: int) -> int:
    outermost = np.flatnonzero(((symbols.kind == OPEN) & (symbols.depth == 1))[: symbol + 1])
    return int(symbols.lines(symbols.start[outermost[-1:]])[0])


def _spans_annotation(
    source: Source, symbols: Symbols, labels: StringCoder, tags: StringCoder, vocabulary: Vocabulary, begun: bool
) -> Annotation:
    opens = symbols.kind == OPEN
    tagged = np.flatnonzero(opens & (symbols.kind_at(1) == WORD) & (symbols.kind_at(2) == WORD))
    tag = tags(symbols.tokens(tagged + 1))
    is_word = ~tags.among(tag, (TRACE,))
    words = tagged[is_word] + 2
    before = np.searchsorted(words, np.arange(len(opens)))
    trees = np.flatnonzero(opens & (symbols.depth == 1))
    corpus = Corpus(
        source=source.display_name,
        sentences=len(trees),
        bounds=np.append(before[trees], len(words)),
        tokens=symbols.tokens(words),
        lines=symbols.lines(symbols.start[words]),
        continues=begun,
        advice="parsers that lose words are scored with --task constituents",
    )
    spans = _spans(symbols, tagged + 2, trees, before, labels, vocabulary)
    traces = len(tagged) - len(words)
    reading = ReadInfo(FORMAT.name, skipped={"traces": traces} if traces else {})
    layers: dict[str, Spans | Tags] = {"spans": spans, TAGS: Tags(tag[is_word], tuple(tags.names))}
    return Annotation(corpus, layers, {"spans": reading}, source.name)


def _spans(
    symbols: Symbols, words: Ints, trees: Ints, before: Ints, labels: StringCoder, vocabulary: Vocabulary
) -> Spans:
    """The constituents in the order of their opening brackets; `before` is the number of words before each symbol."""
    first, last = symbols.bracket_pairs(symbols.kind != WORD, words)
    code = labels(symbols.labels(first, symbols.kind[first + 1] == WORD))
    tree = np.searchsorted(trees, first, side="right") - 1
    root = (symbols.depth[first] == 1) & labels.among(code, ROOTS)
    # If the outermost bracket is not a constituent, depth counts from the brackets in it.
    top = np.ones(len(trees), dtype=np.int64)
    top[tree[root]] = 2
    rows = np.flatnonzero(~root & (before[first] < before[last]))
    first, last, tree, label = first[rows], last[rows], tree[rows], vocabulary.labels_of(labels, code[rows])
    begin = before[trees][tree]
    level = symbols.depth[first] - top[tree]
    return Spans.of(vocabulary, tree, before[first] - begin, before[last] - begin, label, level)


def write_spans(annotation: Annotation) -> Iterator[str]:
    """Write sentences as trees under TOP, one per line; words without a known tag have the tag X.

    Round brackets in words are written as -LRB- and -RRB-. Crossing spans are refused.
    """
    corpus, spans, tags = annotation.corpus, annotation.spans(), annotation.layers.get(TAGS)
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    _check_labels(annotation, spans)
    names = tags.to_list() if isinstance(tags, Tags) else ["X"] * len(corpus.tokens)
    order = np.lexsort((spans.level, -spans.end, spans.start, spans.scope))
    edges = np.searchsorted(spans.scope[order], np.arange(corpus.sentences + 1))
    for sentence, (first, last) in enumerate(pairwise(corpus.bounds.tolist())):
        words = [word.replace("(", "-LRB-").replace(")", "-RRB-") for word in corpus.tokens.texts(first, last)]
        rows = spans.take(order[edges[sentence] : edges[sentence + 1]]).rows()
        yield _span_tree(sentence + 1, words, names[first:last], [(label, start, end) for label, _, start, end in rows])


def _check_labels(annotation: Annotation, spans: Spans) -> None:
    """Refuse labels that readers would shorten, unless they were read from trees with their functions."""
    if annotation.reading.format == FORMAT.name:
        return
    for code in distinct(spans.label).tolist():
        label = spans.vocabulary.labels[code]
        if _without_functions(label) != label:
            cut = f"readers of trees cut the label {label!r} to {_without_functions(label)!r}, as NP-SBJ to NP"
            raise SettingError(f"Cannot write trees: {cut}; rename it first, or convert to another format.")


def _span_tree(number: int, words: Sequence[str], tags: Sequence[str], spans: Sequence[tuple[str, int, int]]) -> str:
    """A sentence as a tree on one line, given its spans by first token, longer ones first."""
    for text in (*words, *tags, *(label for label, _, _ in spans)):
        if not _ONE_WORD.fullmatch(text):
            raise SettingError(
                f"Trees cannot have {text!r} of sentence {number}: it is empty, or has spaces or brackets."
            )
    open_spans = list[tuple[str, int]]()
    for label, start, end in spans:
        while open_spans and open_spans[-1][1] <= start:
            open_spans.pop()
        if open_spans and end > open_spans[-1][1]:
            crossing = f"{open_spans[-1][0]!r} and {label!r}"
            raise SettingError(f"The spans {crossing} of sentence {number} cross, so they are not a tree.")
        open_spans.append((label, end))
    tagged = [f"({tag} {word})" for tag, word in zip(tags, words, strict=True)] or [f"({TRACE} *)"]
    return _tree(tagged, [("TOP", 0, len(tagged)), *spans])


def write_constituents(annotation: Annotation) -> Iterator[str]:
    """Write sentences as trees, one per line, with everything that was read."""
    layer, source = _constituents(annotation), annotation.corpus.source
    edges = np.searchsorted(layer.brackets.scope, np.arange(annotation.corpus.sentences + 1)).tolist()
    for sentence, (line, words) in enumerate(_tagged_sentences(annotation)):
        if sentence in layer.problems:
            raise InputError(source, line or None, layer.problems[sentence], "fix the tree, or empty the line")
        rows = layer.brackets.take(slice(edges[sentence], edges[sentence + 1])).rows()
        brackets = [(label, start, end) for label, _, start, end in rows]
        yield _tree([f"({tag} {word})" for tag, word in words], brackets)


def _tree(words: Sequence[str], brackets: Sequence[tuple[str, int, int]]) -> str:
    """The line of tagged words and the brackets over them, in the order in which these open."""
    parts, open_ends, token = list[str](), list[int](), 0
    for label, start, end in [*brackets, ("", len(words), len(words))]:
        while token < start or (end > start and open_ends and open_ends[-1] == token):
            if open_ends and open_ends[-1] == token:
                parts.append(")")
                open_ends.pop()
            else:
                parts.append(f" {words[token]}")
                token += 1
        parts.append(f" ({'' if label == NO_LABEL else label}")
        open_ends.append(end)
    return "".join((*parts[:-1], ")" * (len(open_ends) - 1))).strip() + "\n"


def compare_sentences(batches: Iterator[Annotation], texts: Iterator[Annotation], source: Source) -> None:
    """Raise an error if one file has more sentences; sentences with different words are listed, but scored."""
    sides = (chain.from_iterable(map(_tagged_sentences, side)) for side in (batches, texts))
    for sentence, other in zip_longest(*sides):
        if sentence is None or other is None:
            which = "the file" if sentence is None else "the other file"
            line = None if sentence is None else sentence[0]
            raise InputError(source.display_name, line, f"{which} has fewer sentences", _SAME_SENTENCES, "text")
        line = sentence[0]
        words, others = ([word for tag, word in side[1] if tag != TRACE] for side in (sentence, other))
        if words and words != others:
            difference = f"{counted(len(words), 'word')}, and the other file {len(others):,}"
            for word, other_word in zip(words, others, strict=False):
                if word != other_word:
                    difference = f"the word {word!r}, and the other file {other_word!r}"
                    break
            source.report(line or None, f"the sentence has {difference}", _SAME_WORDS, OTHER_WORDS)


def _tagged_sentences(annotation: Annotation) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Line, and tags with words, of every sentence."""
    corpus, tags = annotation.corpus, annotation.layers[POS_TAGS]
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    assert isinstance(tags, Tags)
    names, lines = tags.to_list(), _constituents(annotation).lines.tolist()
    for line, (first, last) in zip(lines, pairwise(corpus.bounds.tolist()), strict=True):
        yield line, list(zip(names[first:last], corpus.tokens.texts(first, last), strict=True))


def _constituents(annotation: Annotation) -> Constituents:
    layer = annotation.layers[CONSTITUENTS]
    assert isinstance(layer, Constituents)
    return layer


FORMAT = Format(
    "brackets",
    "bracketed trees: (S (NP (DT the) (NN cat)) ...)",
    readers={
        "constituents": Reader(
            read_constituents,
            partitioning=Partitioning(
                lambda block: block.line_starts,
                lambda data, start: data[start] == ord("("),
                is_odd=lambda data: b"\n " in data or b"\n\t" in data,  # trees may have several lines
            ),
        ),
        "spans": Reader(read_spans),
    },
    writers={
        "spans": Writer(
            Capabilities(characters=False, levels=False, gaps=False, documents="none"), by_batch(write_spans)
        ),
        "constituents": Writer(Capabilities(documents="none"), by_batch(write_constituents)),
    },
    suffixes=(".mrg", ".ptb"),
    detection=Detection(b"(", confidence=recognise),
)
