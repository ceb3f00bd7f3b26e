"""`--sentences`: the sentences of a text without sentence boundaries: the whole text, its lines, or a given number."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.errors import SettingError
from evenhand.parameters import CommandLine, Conversion, Effect, Parameter
from evenhand.settings import ScoreSettings

TEXT, LINES = "text", "lines"
Sentences = str | Mapping[str, int]
"""`text`, `lines`, or the number of sentences of each document by name."""


def parse_sentences(value: str) -> Sentences:
    """Parse `text`, `lines`, or a table with a document and a number per line."""
    if value in (TEXT, LINES):
        return value
    sentences: dict[str, int] = {}
    for line in filter(str.strip, value.splitlines()):
        document, tab, number = line.rpartition("\t")
        if not tab or not number.strip().isdecimal():
            remedy = f"choose {TEXT} or {LINES}, or name a file with a document, a tab and a number in each line"
            raise SettingError(f"sentences is {line[:20]!r}; {remedy}.")
        if document in sentences:
            raise SettingError(f"sentences has the document {document!r} twice; leave one line out.")
        sentences[document] = int(number)
    if not sentences:
        raise SettingError(f"sentences is empty; choose {TEXT} or {LINES}, or name a file with documents and numbers.")
    return sentences


def refuse_table(settings: ScoreSettings, content: object) -> None:
    """For tasks without numbers of sentences."""
    if not isinstance(settings["sentences"], str):
        raise SettingError(f"sentences is a table, which is for spans; for {settings.task}, choose {TEXT} or {LINES}.")


def refuse_lines(settings: ScoreSettings, content: object) -> None:
    """For tasks that do not divide texts into lines."""
    if settings["sentences"] == LINES:
        raise SettingError(f"sentences does nothing for {settings.task}; leave it out, or choose the task relations.")


def _spelled(value: Sentences) -> str:
    return value if isinstance(value, str) else f"{sum(value.values())}-in-{len(value)}"


SENTENCES = Parameter(
    "sentences",
    "text",
    TEXT,
    "Sentences of a text: all of it or its lines (relations in brat's files); or a FILE with documents and their "
    "numbers of sentences (spans).",
    conversion=Conversion(parse=parse_sentences, stored=str | dict[str, int], spell=_spelled),
    cli=CommandLine(metavar="text|lines|FILE", file_of="table of sentences"),
    effect=Effect(reads=True),
)
