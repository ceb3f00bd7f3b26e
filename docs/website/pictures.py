"""Pictures of pages: those that the commands on a page write, when the page is run from top to bottom."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from website.staging import ROOT

PICTURE = re.compile(r"!\[[^\]]*\]\(([\w.-]+)\)")


def missing_pictures(text: str, page: Path) -> list[str]:
    """The pictures that a page shows and that are not beside it; code may look like a picture."""
    shown = PICTURE.findall(re.sub(r"`[^`\n]*`", "", text))
    return [name for name in shown if not (page.parent / name).exists()]


def draw_pictures(source: Path) -> None:
    """Put the pictures of all pages beside them."""
    for page in sorted(source.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        names = missing_pictures(text, page)
        if names:
            _draw(text, names, page.parent)


def _draw(text: str, names: list[str], folder: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    from snippets import Session, blocks

    with TemporaryDirectory() as name:
        examples = Path(name) / "examples"
        shutil.copytree(ROOT / "src" / "evenhand" / "examples", examples)
        shutil.copytree(ROOT / "tests" / "docs" / "files", examples, dirs_exist_ok=True)
        session = Session(examples, examples)
        for block in blocks(text):
            session.follow(block)
        for picture in names:
            (drawn,) = examples.rglob(picture)
            shutil.copy(drawn, folder / picture)
