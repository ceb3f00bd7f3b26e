"""Conversion of annotations to other formats and encodings, and its losses.

Losses follow from the `Capabilities` of the target; its writer reports further ones. They are errors, unless the user
accepts them: then they are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import Path

import numpy as np

from evenhand.data.annotation import Annotation
from evenhand.data.characters import to_tokens
from evenhand.data.encodings import JOINING
from evenhand.data.layers import Spans, flat_levels, is_flat, neighbours, outermost
from evenhand.data.structures import Chains
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted_phrase
from evenhand.files import whole_file, whole_folder
from evenhand.formats.conll import check_labels
from evenhand.formats.format import FORMATS, Capabilities, Format, Writer, format_named, serving

Read = Callable[[], Iterator[Annotation]]
"""Returns the batches of a file, from the first one."""
_OF_WORDS = ("trees", "tags")


@dataclass
class Conversion:
    """A conversion to a target format, with its losses and notes."""

    target: Format
    task: str
    encoding: str | None = None
    """The encoding of tags, if the user names one."""
    stacked: bool = False
    lossy: bool | None = False
    """Whether the user accepts losses; None if the command has no such option."""
    losses: Counter[str] = field(default_factory=Counter)
    not_carried: set[str] = field(default_factory=set)
    """What the target cannot represent besides the annotation."""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        option = "--to-encoding" if self.encoding else "--stacked"
        if (self.encoding and not self.capabilities.tags) or (self.stacked and self.task != "spans"):
            finding = f"{option} needs spans written as tags, which {self.target.name} does not have"
            raise SettingError(f"{finding}; remove it.")

    @property
    def writer(self) -> Writer:
        return self.target.writers[self.task]

    @property
    def capabilities(self) -> Capabilities:
        return self.writer.capabilities

    def write(self, path: Path, read: Read, check: Callable[[Path], None] = lambda path: None) -> None:
        """Write the file or folder; `check` may refuse the path of a file in the folder."""

        def fitted() -> Iterator[Annotation]:
            return map(self.fit, read())

        if self.writer.file is not None:
            self.writer.file(path, fitted, self)
        elif self.writer.folder is not None:
            folder = path.with_suffix("") if path.suffix in self.target.suffixes else path
            with whole_folder(folder) as write:
                for name, content in self.writer.folder(fitted(), self):
                    check(folder / name)
                    write(name, content)
        else:
            texts = self.texts(read())
            first = next(texts, "")  # loads the writer: a signal while Python compiles a module would be lost
            with whole_file(path) as file:
                for text in chain([first], texts):
                    file.write(text.encode())

    def texts(self, batches: Iterator[Annotation]) -> Iterator[str]:
        """Yield the text of the new file."""
        assert self.writer.text is not None
        return self.writer.text(map(self.fit, batches), self)

    def lose(self, count: int, what: str, or_else: str = "") -> None:
        """Count a loss, or refuse it; `what` begins with a plural noun and has no verb that agrees with it."""
        if not count:
            return
        if not self.lossy:
            remedy = f"use --lossy to convert anyway{or_else}"
            remedy = "write another format, such as jsonl" if self.lossy is None else remedy
            raise SettingError(f"{self.target.name} cannot represent {counted_phrase(count, what)}; {remedy}.")
        self.losses[what] += count

    def fit(self, batch: Annotation) -> Annotation:
        """Return the part of a batch that the target can represent."""
        self._note_omissions(batch)
        if self.capabilities.text and batch.corpus.tokens is None:
            writers = {name: FORMATS[name].writers[self.task] for name in serving(self.task, written=True)}
            others = [name for name, writer in writers.items() if not writer.capabilities.text]
            remedy = f"convert to {' or '.join(others)} instead" if others else "use a file with words"
            raise SettingError(f"{batch.corpus.source} has no text, which {self.target.name} needs; {remedy}.")
        if isinstance(batch.layers.get(self.task), Spans):
            return self._fit_spans(batch)
        return self._without_gaps(batch, "mentions") if self.task == "chains" else batch

    def _note_omissions(self, batch: Annotation) -> None:
        """Note what the target cannot represent of a batch, besides the annotation itself."""
        target, corpus, spans = self.capabilities, batch.corpus, batch.layers.get(self.task)
        source = batch.reading.format
        has_columns = source in FORMATS and FORMATS[source].contents.is_table
        has_words = corpus.atoms == "tokens"
        layers = (batch.layers.get(name) for name in dict.fromkeys((self.task, "spans", "tags")))
        has_scores = any(getattr(layer, "score", None) is not None for layer in layers)
        omissions = (
            (not target.scores and has_scores, "scores"),
            (not target.text and corpus.tokens is not None, "the text"),
            (not target.tokens and has_words, "tokens (there are single spaces between them)"),
            (not target.levels and isinstance(spans, Spans) and spans.level.any(), "levels"),
            (target.documents == "none" and len(corpus.documents) > 1, "documents"),
            (
                target.documents == "sentence" and len(corpus.documents) < corpus.sentences,
                "documents (every sentence becomes one)",
            ),
            (
                not target.comments and corpus.asides is not None and len(corpus.asides),
                "comments, multi-word tokens and empty nodes",
            ),
            (not target.columns and batch.is_of_words and len(batch.layers) > 1, "columns but the form and the tags"),
            (not target.columns and batch.is_of_chains and has_columns, "all but words, sentences, POS and chains"),
        )
        self.not_carried |= {what for is_omitted, what in omissions if is_omitted}

    def _fit_spans(self, batch: Annotation) -> Annotation:
        target = self.capabilities
        if not target.tokens and batch.corpus.atoms == "tokens":
            _check_visible(batch, self.task)
        if not target.characters:
            batch, misfits = to_tokens(batch, self.task)
            self.lose(len(misfits), "spans beginning or ending inside a token, which would grow")
        batch = self._without_gaps(batch, "spans")
        return batch if target.depth is None else self._on_levels(batch, target.depth)

    def _without_gaps(self, batch: Annotation, what: str) -> Annotation:
        layer = batch.layers[self.task]
        if self.capabilities.gaps or not isinstance(layer, Spans | Chains):
            return batch
        self.lose(int(np.count_nonzero(layer.shape)), f"{what} with gaps, which would be filled")
        return replace(batch, layers={**batch.layers, self.task: replace(layer, shape=np.zeros_like(layer.shape))})

    def _on_levels(self, batch: Annotation, depth: int) -> Annotation:
        """Put the spans on flat levels, which tags can represent."""
        spans = batch.spans(self.task)
        check_labels(spans, "\t\n\r\0|")
        if depth > 1 or self.stacked:
            spans = flat_levels(spans)
            if not (self.stacked and self.capabilities.stacks):
                upper = np.flatnonzero(spans.level < depth)
                self.lose(len(spans) - len(upper), "spans on a third level")
                spans = spans.take(upper)
        else:
            if not is_flat(spans):
                outer = outermost(spans)
                what = "spans inside or across others, which one flat column cannot represent"
                or_else = ", or --stacked to stack the tags of nested spans" if self.capabilities.stacks else ""
                self.lose(len(spans) - len(outer), what, or_else)
                spans = spans.take(outer)
            spans = replace(spans, level=np.zeros(len(spans), dtype=np.int64))
        if self.encoding in JOINING:
            self.lose(neighbours(spans), "neighbours with one label, which would become one span")
        return replace(batch, layers={self.task: spans})


def conversion_of(
    first: Annotation,
    path: Path,
    named: str | None,
    task: str | None = None,
    *,
    encoding: str | None = None,
    stacked: bool = False,
    lossy: bool | None = False,
) -> Conversion:
    """Return the conversion of an annotation, by its first batch, to the named format or the one of the file name."""
    if first.extractions is not None:
        finding = f"{first.corpus.source} contains answers of a language model, which have no positions"
        raise SettingError(f"{finding}; find them with evenhand ground, and convert its output.")
    tasks = _tasks(first, task)
    formats = check_target_format(path, named)
    target = next((format for format in formats if not format.writers.keys().isdisjoint(tasks)), formats[-1])
    chosen = next((name for name in tasks if name in target.writers), None)
    if chosen is None:
        source = first.reading.format
        others = [name for name in target.writers if source in FORMATS and name in FORMATS[source].readers]
        or_else = f", or read the file with --task {others[0]}" if others else ""
        names = ", ".join(serving(*tasks, written=True))
        raise SettingError(f"{target.name} cannot represent {tasks[0]}; convert to {names}{or_else}.")
    if chosen != tasks[0] and not lossy:
        remedy = f"use --task {chosen} to convert only the {chosen}, or --lossy"
        raise SettingError(f"{target.name} cannot represent {tasks[0]}; {remedy}.")
    return Conversion(target, chosen, encoding, stacked, lossy)


def _tasks(batch: Annotation, task: str | None) -> Sequence[str]:
    """The tasks that an annotation can be written for, the most complete one first."""
    if not batch.is_of_words:
        return (task if task is not None and task in batch.layers else next(iter(batch.readings)),)
    return _OF_WORDS if "trees" in batch.layers and task != "tags" else _OF_WORDS[1:]


def check_target_format(path: Path, named: str | None) -> list[Format]:
    """Return the named format, or the formats of the file's suffix; refuse an unknown suffix."""
    if named is not None:
        return [format_named(named)]
    writable = [format for format in FORMATS.values() if format.writers]
    by_suffix = [format for format in writable if path.suffix in format.suffixes]
    if not by_suffix:
        names = ", ".join(format.name for format in writable)
        raise SettingError(f"The name {path.name!r} does not indicate a format; specify one with --to: {names}.")
    return by_suffix


def _check_visible(annotation: Annotation, layer: str) -> None:
    """Refuse spans that cover only spaces, because the text between offsets must not be empty."""
    corpus, spans = annotation.corpus, annotation.spans(layer)
    if corpus.tokens is None or corpus.bounds is None:
        return
    visible = [bool(corpus.tokens[token].strip()) for token in range(len(corpus.tokens))]
    before = np.append(0, np.cumsum(np.array(visible, dtype=np.int64)))
    first = corpus.bounds[spans.scope]
    bare = before[first + spans.start] == before[first + spans.end]
    if bare.any():
        sentence = int(spans.scope[bare.argmax()]) + 1
        raise SettingError(
            f"A span in sentence {sentence} of {corpus.source} covers only spaces; convert to JSON lines instead."
        )
