"""Pages of the repository as Sphinx takes them: in one folder, with links that hold there and tables of contents.

The pages are plain Markdown, which GitHub shows as well. The index of a folder lists its pages, and its links are the
table of contents: `index.md` in the folder, or a page of the same name beside it (`definitions.md` of `definitions/`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/evenhand/evenhand/blob/main"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
ROOT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "NUMBERS.md")
OUTSIDE = {"README.md": "index.md", **{name: name for name in ROOT_PAGES}}
"""Pages outside of docs/, and their paths on the site."""
INDEX = "index.md"


def pages() -> Iterator[tuple[Path, Path]]:
    """Every page in the repository, with its place on the site."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        if not page.name.endswith(".in.md"):
            yield page, page.relative_to(ROOT / "docs")
    for name in ROOT_PAGES:
        yield ROOT / name, Path(name)


def relinked(text: str, page: Path, position: Path) -> str:
    """A page whose links hold on the site; those to other files of the repository lead to GitHub."""

    def moved(link: re.Match[str]) -> str:
        target = (page.parent / link[1]).resolve()
        if "://" in link[1] or not target.is_relative_to(ROOT) or not target.exists():
            return link[0]
        name = target.relative_to(ROOT).as_posix()
        if name not in OUTSIDE and (not target.is_relative_to(ROOT / "docs") or target.suffix == ".ipynb"):
            return f"{REPOSITORY}/{name}{link[2] or ''}"
        home = OUTSIDE.get(name) or target.relative_to(ROOT / "docs").as_posix()
        return Path(relpath(home, position.parent)).as_posix() + (link[2] or "")

    return LINK.sub(moved, text)


def indexes(folder: Path) -> list[Path]:
    """The indexes of all folders of pages below this one."""
    folders = sorted({page.parent for page in folder.rglob("*.md")})
    return [each / INDEX if (each / INDEX).exists() else each.with_suffix(".md") for each in folders]


def contents(index: Path) -> list[str]:
    """The pages that an index links to: pages of its folder and indexes of subfolders."""
    folder = "" if index.name == INDEX else f"{index.stem}/"
    linked = dict.fromkeys(link[1] for link in LINK.finditer(index.read_text(encoding="utf-8")))
    return [name for name in linked if re.fullmatch(rf"{folder}([\w-]+\.md|[\w-]+/{INDEX})", name)]


def with_contents(index: Path) -> str:
    """An index with the hidden table of contents that Sphinx wants."""
    text, lines = index.read_text(encoding="utf-8"), "\n".join(name.removesuffix(".md") for name in contents(index))
    return f"{text}\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"


def stage(source: Path) -> None:
    """Write all pages and pictures of the repository into the folder of sources."""
    for page, item in pages():
        (source / item).parent.mkdir(parents=True, exist_ok=True)
        text = relinked(page.read_text(encoding="utf-8"), page, item)
        (source / item).write_text(text, encoding="utf-8")
    for picture in sorted((ROOT / "docs").glob("*.png")):
        (source / picture.name).write_bytes(picture.read_bytes())


def add_contents(source: Path) -> None:
    """Give every index its table of contents; what the build made is listed by then."""
    for index in indexes(source):
        index.write_text(with_contents(index), encoding="utf-8")
