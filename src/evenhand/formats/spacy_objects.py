"""spaCy's documents in memory: a `Doc`, a `DocBin`, an `Example`, and lists of documents or examples.

An example has two documents: as the gold standard it is its reference, as a system its prediction. Which spans are read
is decided as for files (`spacy_docs`). Where a message names a place, it is the number of the document, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any

from evenhand.arguments import checked_arguments, shown
from evenhand.formats.adoption import adopted, type_names
from evenhand.formats.read import open_object
from evenhand.formats.source import Source
from evenhand.formats.spacy_docs import FORMAT, Docs, has_entities, recovered
from evenhand.problems import SettingError
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.list_checks import check_name

_WANTED = "a Doc, a list of these, or a DocBin"
_DOCUMENTS = {"gold": "reference", "system": "predicted"}
"""The document of an example, by the side that it is."""


@checked_arguments()
def docs(docs: Any, *, group: str | None = None, name: str = "docs") -> Annotation:
    """An annotation from spaCy's documents: a `Doc`, several of them in any iterable, or a `DocBin`.

    `group` is the span group to read (`doc.spans[group]`), or "ents" for the entities. Without it, the entities are
    read if one document has them, else the span group, if all groups have the same name.
    """
    check_name(name)
    if isinstance(docs, str | PathLike):
        raise SettingError(f"{shown(docs)} is a path; read the file: eh.read({shown(docs)}).")
    is_single = not isinstance(docs, Iterable) or adopted(docs) is not None
    value = docs if is_single else list(docs)
    found = adopted(value, name)
    if found is None or found.format is not FORMAT:
        raise SettingError(f"{shown(docs)} has no documents of spaCy's; give {_WANTED}.")
    settings = ReadSettings(columns=() if group is None else (group,))
    return Annotation.concatenate(list(open_object(found, settings).batches(Vocabulary())))


def read(
    value: Any, source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The documents in batches."""
    how, what = "with column=…, or make the side with eh.docs(docs, group=…)", "the DocBin"
    if "spacy.DocBin" in type_names(value):
        found = Docs(source, lambda: recovered(source, value), has_entities(value), what, how)
    else:
        listed = value if isinstance(value, list | tuple) else [value]
        documents = [_document(source, settings, number, each) for number, each in enumerate(listed, 1)]
        found = Docs(source, lambda: iter(documents), how=how)
    return found.read(vocabulary, columns)


def _document(source: Source, settings: ReadSettings, number: int, value: Any) -> Any:
    """A document, or that of an example."""
    types = type_names(value)
    if "spacy.Doc" in types:
        return value
    if "spacy.Example" not in types:
        raise source.error(number, f"found {shown(value)} where a Doc should be", "give a list of documents only")
    if settings.side is None:
        finding = "an Example has two documents"
        raise source.error(number, finding, "give eh.docs the references or the predictions, or examples to eh.score")
    return getattr(value, _DOCUMENTS[settings.side])
