"""The settings of Sphinx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from evenhand import __version__
from website.search import read_words
from website.staging import ROOT

project = "Evenhand"
author = "The Evenhand authors"
version = release = __version__
extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 4
smartquotes = False  # options keep their two hyphens
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # pages leave code out with …
copybutton_prompt_text = "$ "
html_theme = "pydata_sphinx_theme"
html_title = f"Evenhand {version}"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_js_files = ["names.js"]
html_search_scorer = str(Path(__file__).parent / "static" / "scorer.js")
search_words = read_words(ROOT / "build" / "site" / "source")
html_extra_path = ["../../build/site/extra"]
html_sidebars = {page: [] for page in ("index", "gallery", "CHANGELOG", "NUMBERS", "CONTRIBUTING", "search")}
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": f"Evenhand {version}"},
    "github_url": "https://github.com/evenhand/evenhand",
    "use_edit_page_button": True,
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {
    "github_user": "evenhand",
    "github_repo": "evenhand",
    "github_version": "main",
    "doc_path": "docs",
    "default_mode": "auto",
}
MADE = ("reference/api/", "reference/command-line", "reference/match-models", "reference/format-table", "gallery")
"""Pages generated from the code, without edit links."""
OUTSIDE = ("CONTRIBUTING", "CHANGELOG", "NUMBERS")
"""Pages that are not in docs/."""


class IndexEntries(SphinxTransform):
    """Adds the words that lead to a section to the index, before Sphinx collects it."""

    default_priority = 500

    def apply(self, **options: Any) -> None:
        sections = list(self.document.findall(nodes.section))
        by_heading = {section.next_node(nodes.title).astext(): section for section in reversed(sections)}
        for word, position in self.config.search_words.items():
            page, _, heading = position.partition("#")
            if page == f"{self.env.docname}.md":
                section = by_heading[heading.replace("`", "")] if heading else sections[0]
                anchor = section["ids"][0] if heading else ""
                section.insert(1, addnodes.index(entries=[("single", word, anchor, "main", None)]))


def link_source(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let the edit link lead to the file in the repository, where there is one."""
    if page.startswith(MADE) or page in ("search", "genindex"):
        context["theme_use_edit_page_button"] = False
    if page in OUTSIDE:
        context["doc_path"] = ""


def setup(app: Any) -> None:
    app.add_config_value("search_words", {}, "env", dict)
    app.add_transform(IndexEntries)
    app.connect("html-page-context", link_source)
