"""Lines of tags without tokens, one sentence per line, as `seq.out` of slot-filling corpora: `O O B-city I-city`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.arrays import ints
from evenhand.formats.parsing.tag_reader import listed_tags
from evenhand.formats.source import Source
from evenhand.formats.text_formats import TAG_LINES
from evenhand.formats.whole_text import whole_text
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file as one batch; blank lines do not count."""
    lines = enumerate(whole_text(source).split("\n"), 1)
    found = [(number, line.split()) for number, line in lines if line.strip()]
    lengths = ints([len(tags) for _, tags in found])
    corpus = Corpus(
        source.shown,
        len(found),
        np.append(0, np.cumsum(lengths)),
        lines=np.repeat(ints([number for number, _ in found]), lengths),
    )
    tags = [tag for _, sentence in found for tag in sentence]
    layers = {layer: [tags] for layer in columns}
    yield listed_tags(TAG_LINES.name, source, settings, vocabulary, corpus, layers, {})
