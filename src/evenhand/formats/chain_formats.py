"""The formats with coreference chains in columns: CoNLL-2012 and CorefUD.

The code that reads and writes them is loaded when a file needs it.
"""

from __future__ import annotations

import re

from evenhand.formats.conllu_layout import has_suffix
from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.parsing.scan import Division, marked
from evenhand.formats.source import Block, Source
from evenhand.registry import late

BEGIN, END = "#begin document", "#end document"
"""The marks of documents in CoNLL-2012."""
DECLARATION = "# global.Entity ="
"""What declares entities in CorefUD."""
_OTHER_FIELDS = re.compile(DECLARATION.encode() + rb"(?! *eid(?:-etype(?:-head\b[^\n]*)?)?\s*$)", re.MULTILINE)


def is_conll2012(sample: Block) -> float:
    """Whether a line begins a document."""
    return float(sample.data.startswith(BEGIN.encode()) or f"\n{BEGIN}".encode() in sample.data)


def declares_entities(sample: Block) -> float:
    """Whether entities are declared."""
    return float(DECLARATION.encode() in sample.data)


def is_corefud(source: Source, task: str | None) -> bool:
    """Whether a file in CoNLL-U declares entities in its first lines; for chains, it may be a text without any."""
    if not has_suffix(source.path):
        return False
    return task == "chains" or (source.path.is_file() and declares_entities(source.sample(1 << 14)) > 0)


def _follows_blank(data: bytes, start: int) -> bool:
    return data.endswith((b"\n\n", b"\n\r\n"), 0, start)


def _has_other_fields(data: bytes) -> bool:
    """Whether fields are declared that do not begin with the usual ones, so that all parts must know of it."""
    return DECLARATION.encode() in data and _OTHER_FIELDS.search(data) is not None


class DocumentNames:
    """All names so far, with their lines; each may stand once only."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def once(self, name: str | None, line: int) -> str:
        """The name (a number, where there is none), if it is new; else that is a problem, and it gets its line."""
        name = str(len(self) + 1) if name is None else name
        if name in self._lines:
            finding = f"the document {name} began in line {self._lines[name]} already"
            self._source.report(line, finding, "give every document a name of its own", "document")
            name = f"{name} in line {line}"
        self._lines[name] = line
        return name


CONLL2012 = Format(
    "conll2012",
    "CoNLL-2011 and CoNLL-2012: a token a line, coreference as brackets in the last column",
    tasks=("chains",),
    read=late("evenhand.formats.conll2012:read"),
    writes={"chains": Writing(Carry(gaps=False, columns=False), late("evenhand.formats.chain_write:write_conll2012"))},
    suffixes=(".conll",),
    begins=b"#",
    recognise=is_conll2012,
    fallback=("chains",),
    is_table=True,
    has_columns=True,
    division=Division(marked(BEGIN.encode()), lambda data, start: True, has_names=True),
    traits=late("evenhand.formats.conll2012:traits"),
)
COREFUD = Format(
    "corefud",
    "coreference in the MISC column of CoNLL-U",
    tasks=("chains",),
    read=late("evenhand.formats.corefud:read"),
    writes={"chains": Writing(Carry(columns=False), late("evenhand.formats.chain_write:write_corefud"))},
    suffixes=(".conllu",),
    begins=b"#",
    certain=is_corefud,
    recognise=declares_entities,
    is_table=True,
    has_columns=True,
    division=Division(marked(b"# newdoc id"), _follows_blank, has_names=True, is_odd=_has_other_fields),
    traits=late("evenhand.formats.corefud:traits"),
    own_traits=frozenset({"heads"}),
)
