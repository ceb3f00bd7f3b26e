"""Coreference chains for tests, as layers, annotations and files, and strategies that draw them.

A mention is a row (chain, first token, last token), the last one inclusive. The rows of a document stand in the order
in which their mentions begin in a file, by which the first of several chains is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Tags
from evenhand.data.structures import Chains
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary

Row = tuple[int, int, int]
Rows = Sequence[Row]
Pair = tuple[list[Row], list[Row]]
"""The rows of key and response."""
TAGS = ("NN", "NNP", "PRP", "PRP$", "DT")


def layer(documents: Sequence[Rows], vocabulary: Vocabulary | None = None) -> Chains:
    numbers: dict[tuple[int, int], int] = {}
    items = [
        (document, first, last + 1, numbers.setdefault((document, chain), len(numbers)))
        for document, rows in enumerate(documents)
        for chain, first, last in rows
    ]
    columns = np.array(items, dtype=np.int64).reshape(-1, 4).T
    return Chains.of(Vocabulary() if vocabulary is None else vocabulary, *columns)


def clusters(rows: Rows) -> list[list[tuple[int, ...]]]:
    """The chains of a document as `slow_chains` has them."""
    chains: dict[int, list[tuple[int, ...]]] = {}
    for chain, first, last in rows:
        chains.setdefault(chain, []).append((first, last))
    return list(chains.values())


def annotation(
    documents: Sequence[Rows],
    *,
    size: int = 6,
    names: Sequence[str] | None = None,
    words: Sequence[str] | None = None,
    pos: Sequence[Sequence[str]] | None = None,
    name: str = "chains",
) -> Annotation:
    """Documents of one sentence of `size` tokens each; `words` are those of every document."""
    count = len(documents)
    corpus = Corpus(
        source=name,
        sentences=count,
        bounds=np.arange(count + 1) * size,
        tokens=None if words is None else Tokens.of([*words] * count),
        documents=np.arange(count),
        names=tuple(map(str, range(count)) if names is None else names),
    )
    layers: dict[str, Layer] = {"chains": layer(documents)}
    if pos is not None:
        tags = [tag for each in pos for tag in each]
        known = tuple(dict.fromkeys(tags))
        layers["pos"] = Tags(ints([known.index(tag) for tag in tags]), known)
    return Annotation(corpus, layers, {"chains": ReadInfo()}, name)


def cells(rows: Rows, size: int = 6, *, bars: bool = True) -> list[str]:
    """What the column of coreference has for each token; of a chain's mentions that cross, brackets make nested ones."""
    all_cells: list[list[str]] = [[] for _ in range(size)]
    for chain, first, last in rows:
        if first == last:
            all_cells[first].append(f"({chain})")
        else:
            all_cells[first].append(f"({chain}")
            all_cells[last].insert(0, f"{chain})")
    return [_cell(parts, bars=bars) or "-" for parts in all_cells]


def _cell(parts: Sequence[str], *, bars: bool) -> str:
    """The parts with bars between them, or only where they would run together."""
    text = ""
    for part in parts:
        needs_bar = bool(text) and (bars or not (text.endswith(")") or part.startswith("(")))
        text += f"|{part}" if needs_bar else part
    return text


def columns(
    documents: Sequence[Sequence[str]],
    *,
    names: Sequence[str] | None = None,
    pos: Sequence[Sequence[str]] | None = None,
    words: str = "w",
    separator: str = "\t",
) -> str:
    """A file of CoNLL-2012, from its cells of coreference: sentences of three tokens; with POS, twelve columns."""
    lines = []
    for document, brackets in enumerate(documents):
        name = f"d{document}" if names is None else names[document]
        lines.append(f"#begin document ({name}); part 000")
        for token, cell in enumerate(brackets):
            lines += [""] if token and token % 3 == 0 else []
            middle = [] if pos is None else [pos[document][token], *"*-----*"]
            lines.append(separator.join([name, "0", str(token % 3), f"{words}{token}", *middle, cell]))
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


def rows(*, size: int = 6, most: int = 8, chains: int = 3, unique: bool = False) -> st.SearchStrategy[list[Row]]:
    """Mentions of a document, of few tokens: nested, crossing and, unless they are `unique`, repeated ones."""
    mention = st.builds(
        lambda chain, first, length: (chain, first, min(first + length, size - 1)),
        st.integers(0, chains - 1),
        st.integers(0, size - 1),
        st.integers(0, 2),
    )
    return st.lists(mention, max_size=most, unique_by=(lambda row: row[1:]) if unique else None)


def pairs(*, most: int = 3, unique: bool = False) -> st.SearchStrategy[list[Pair]]:
    """Key and response of several documents."""
    return st.lists(st.tuples(rows(unique=unique), rows(unique=unique)), min_size=1, max_size=most)


def sides(documents: Sequence[Pair]) -> tuple[list[list[Row]], list[list[Row]]]:
    """Key and response of all documents."""
    return [key for key, _ in documents], [response for _, response in documents]


@st.composite
def brackets(draw: st.DrawFn, size: int = 6, chains: int = 3) -> list[str]:
    """Cells of a document with balanced brackets in any order, with bars and without."""
    opened: Counter[int] = Counter()
    all_brackets = []
    for token in range(size):
        parts = []
        for _ in range(draw(st.integers(0, 3))):
            chain, kind = draw(st.integers(0, chains - 1)), draw(st.sampled_from(["open", "close", "both"]))
            if kind == "close" and opened[chain]:
                parts.append(f"{chain})")
                opened[chain] -= 1
            elif kind == "open":
                parts.append(f"({chain}")
                opened[chain] += 1
            else:
                parts.append(f"({chain})")
        if token == size - 1:
            parts += [f"{chain})" for chain in opened.elements()]
        all_brackets.append(_cell(parts, bars=draw(st.booleans())) or draw(st.sampled_from("-_")))
    return all_brackets
