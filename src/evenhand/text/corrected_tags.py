"""The tags of a corrected gold standard, for scores that compare tags as they stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import ints
from evenhand.problems import SettingError
from evenhand.text.codes import Coder
from evenhand.text.corpus import Corpus
from evenhand.text.encodings import encode
from evenhand.text.layers import Spans, Tags


class CorrectedTags:
    """Spells the sentences anew whose spans were corrected; all batches share one table of tags."""

    def __init__(self) -> None:
        self._coder = Coder()

    def __call__(self, tags: Tags, spans: Spans, corpus: Corpus, scopes: Sequence[int], encoding: str | None) -> Tags:
        """The tags of a batch, whose sentences `scopes` have other spans now, which must not overlap."""
        assert corpus.bounds is not None  # there is a tag a token
        assert encoding is not None
        code = tags.coded(self._coder).copy()
        for scope in scopes:
            found = spans.take(np.flatnonzero(spans.scope == scope))
            found = found.take(np.argsort(found.start, kind="stable"))
            if (found.start[1:] < found.end[:-1]).any():
                finding = f"with these overrides spans of {corpus.source} overlap, which one tag a token cannot say"
                raise SettingError(f"The accuracy of tags is undefined, as {finding}; leave it out of --match.")
            begin, end = corpus.bounds[scope : scope + 2].tolist()
            names = spans.vocabulary.labels.values
            spelled = encode(encoding, found.start, found.end, found.label, names, end - begin, ints([0]))
            code[begin:end] = spelled.coded(self._coder)
        return Tags(code, tuple(self._coder.names))


def outside(tags: Tags, spans: Spans) -> Tags:
    """Tags in which some spans, counted from the first token, are outside."""
    code = tags.code.copy()
    for _, _, start, end in spans.rows():
        code[start:end] = len(tags.names)
    return Tags(code, (*tags.names, "O"))
