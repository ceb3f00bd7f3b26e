"""Bracketed trees for the task `constituents`: a line is a sentence, whatever is in it.

A line without words is a sentence that a parser gave up. A line whose brackets do not match up, or in which a word
stands alone, is a sentence without a tree: it is kept, with what is wrong. Nothing is left out: traces, punctuation and
the outermost bracket are all read. A line may hold several trees, or words that are in no bracket but their tag's.

Trees may also be written over several lines, as in the Penn Treebank: then a tree begins with a bracket at the begin of
a line, all of its other lines begin with blanks, and blank lines do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np

from evenhand.arguments import shown
from evenhand.arrays import Bools, Ints, distinct, zeros
from evenhand.dataclass import dataclass
from evenhand.formats.brackets import CLOSE, OPEN, WORD, Signs
from evenhand.formats.parsing.blocks import refuse_deep
from evenhand.formats.parsing.mention_brackets import pairs
from evenhand.formats.source import LINE_FEED, Block, Source
from evenhand.limits import DEPTH
from evenhand.problems import InputError
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import LISTS, Annotation, Layer, Reading
from evenhand.text.codes import Coder
from evenhand.text.constituent_names import LAYER, NO_LABEL, TAGS
from evenhand.text.constituents import Constituents
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags, Written
from evenhand.text.list_checks import check_name, is_text, listed
from evenhand.text.tokens import Tokens

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


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with the layers `constituents` and `pos`."""
    labels, begun = Coder(whole if settings.functions else cut), source.begins_inside
    for data, first_line, is_indented in _sentences(source, settings.block_size):
        lines = SentenceSigns(Signs.of(data, first_line), is_indented)
        found = lines.annotation(source.shown, source.name, labels, vocabulary, Reading(FORMAT_NAME), begun)
        if source.problems is not None:
            layer = found.layers[LAYER]
            assert isinstance(layer, Constituents)
            for sentence, finding in layer.problems.items():
                source.report(int(layer.lines[sentence]), finding, _REMEDY, PROBLEM)
        yield found
        begun = True


def _sentences(source: Source, size: int) -> Iterator[tuple[bytes, int, bool]]:
    """Successive parts of the file that end behind a sentence, their first lines, and whether trees have many lines."""
    is_indented: bool | None = None
    held, first_line = b"", 1
    for block in source.blocks(size, cut_behind="line"):
        refuse_deep(block, 0)
        data = held + block.data[: block.size]
        if is_indented is None:
            is_indented, first_line = _is_indented(block), block.first_line
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


def _is_indented(block: Block) -> bool:
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
        self, shown: str, name: str, labels: Coder, vocabulary: Vocabulary, reading: Reading, continues: bool
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
        tags = Written(Tokens(signs.data, signs.start[words - 1], signs.end[words - 1]), vocabulary.columns[TAGS])
        layers: dict[str, Layer] = {LAYER: Constituents(brackets, lines, self.problems), TAGS: tags}
        return Annotation(corpus, layers, {LAYER: reading}, name)

    def _brackets(self, words: Ints, bounds: Ints, labels: Coder, vocabulary: Vocabulary) -> Spans:
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


def write(annotation: Annotation) -> Iterator[str]:
    """The sentences as trees, one a line, with all that was read."""
    layer, tags = annotation.layers[LAYER], annotation.layers[TAGS]
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
            _tree([f"({tag} {word})" for tag, word in words], [(label, start, end) for label, _, start, end in rows])
            + "\n"
        )


def _tree(words: list[str], brackets: list[tuple[str, int, int]]) -> str:
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
        raise InputError(name, None, f"{shown(trees)} is a text, not a list of trees", remedy)
    given = listed(trees, "the argument", name, remedy)
    for number, each in enumerate(given, 1):
        if not is_text(each):
            raise InputError(name, None, f"sentence {number} is {shown(each)}, which is not a text", remedy)
    data = "".join(f"{' '.join(each.split())}\n" for each in given).encode()
    signs = SentenceSigns(Signs.of(data, 1))
    coder = Coder(whole if functions else cut)
    found = signs.annotation(name, name, coder, Vocabulary(), Reading(LISTS), continues=False)
    layer = found.layers[LAYER]
    assert isinstance(layer, Constituents)
    corpus = Corpus(name, found.corpus.sentences, found.corpus.bounds, found.corpus.tokens)
    unnumbered = Constituents(layer.brackets, zeros(len(given)), layer.problems)
    return Annotation(corpus, {**found.layers, LAYER: unnumbered}, found.readings, name)
