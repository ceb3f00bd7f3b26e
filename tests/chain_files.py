"""Documents with coreference chains, as JSON lines, and what other files hold of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import evenhand as eh
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats.convert import Conversion
from evenhand.formats.format import FORMATS
from evenhand.formats.read import batches
from evenhand.settings import ReadSettings

SUFFIXES = {"conll2012": ".conll", "corefud": ".conllu", "coref-jsonl": ".jsonl"}
Span = tuple[int, int]


class Document(NamedTuple):
    name: str
    sentences: list[list[str]]
    pos: list[list[str]]
    chains: list[list[Span]]
    """First and last token of mentions."""

    def line(self, *, tagged: bool) -> dict[str, Any]:
        pos = {"pos": self.pos} if tagged else {}
        return {"doc_key": self.name, "sentences": self.sentences, "clusters": self.chains, **pos}


def converted(source: Path, target: str, *, lossy: bool = False, size: int = 1 << 18) -> tuple[Path, Conversion]:
    conversion = Conversion(FORMATS[target], "chains", lossy=lossy)
    read = batches(source, ReadSettings(block_size=size), Vocabulary())
    path = source.with_name(f"{source.stem}-{target}{SUFFIXES[target]}")
    path.write_text("".join(conversion.texts(read)), encoding="utf-8")
    return path, conversion


def listed(chains: list[list[Span]]) -> list[list[Span]]:
    """Chains in any order, with all that is repeated."""
    return sorted(sorted(chain) for chain in chains)


def content(path: Path) -> list[Document]:
    annotation = eh.read(path)
    corpus, tags = annotation.corpus, annotation["pos"].to_list() if "pos" in annotation.layers else []  # type: ignore[union-attr]
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    clusters = annotation.chains().clusters(len(corpus.names))
    bounds, edges = corpus.bounds.tolist(), [*corpus.documents.tolist(), corpus.sentences]
    listing = []
    for number, name in enumerate(corpus.names):
        sentences = [range(*bounds[at : at + 2]) for at in range(*edges[number : number + 2])]
        words = [[corpus.tokens[token] for token in sentence] for sentence in sentences]
        pos = [[tags[token] for token in sentence] for sentence in sentences] if tags else []
        spans = [[(start, end - 1) for start, end in chain] for chain in clusters[number]]
        listing.append(Document(name, words, pos, listed(spans)))
    return listing


def written(folder: Path, found: list[Document], *, tagged: bool = True) -> Path:
    path = folder / "text.jsonl"
    path.write_text("".join(json.dumps(each.line(tagged=tagged)) + "\n" for each in found), encoding="utf-8")
    return path
