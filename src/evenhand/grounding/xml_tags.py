"""Tags of XML or HTML: `<PER>Ada</PER>`, `<span class="PER">Ada</span>`."""

from __future__ import annotations

import re
from collections import defaultdict

from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.markup import Markup

TAG = re.compile(r"<(?:(/?)([^\W\d_][\w.:-]{0,99})((?:[\s/][^<>]{0,1000})?)|![^<>]{0,1000})>")
"""A tag, with its name and attributes; a comment or a declaration has no name."""
_ATTRIBUTE = re.compile(r"""(?<![^\s"'/])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CARRIERS = frozenset({"span", "mark", "entity", "ent", "ne", "e", "tag", "annotation"})
"""Tags that carry a label in an attribute."""
_PLAIN_CARRIERS = frozenset({"span", "mark"})
"""Those of HTML itself, which may stand there without a label."""
_ATTRIBUTES = ("class", "type", "label", "data-label", "data-entity", "entity", "category", "name")
"""The attributes of a label, the first one counts."""
_BLOCKS = frozenset(
    {
        *("blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "figure", "footer", "h1", "h2"),
        *("h3", "h4", "h5", "h6", "head", "header", "hr", "html", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
"""HTML's own tags that part words."""
_HTML = _BLOCKS | {
    *("a", "abbr", "article", "aside", "b", "big", "center", "cite", "code", "del", "em", "font"),
    *("i", "img", "input", "ins", "kbd", "link", "meta", "q", "s", "samp", "script", "small"),
    *("strike", "strong", "style", "sub", "sup", "title", "tt", "u", "var", "wbr"),
}
_Open = tuple[int, str | None]
"""Where an opening tag ends, and its label."""


def xml_markup(answer: str, labels: KnownLabels, label: str | None, document: str) -> Markup:
    """The tags of an answer; a tag closes the last open one of its name. Tags that stand in the document are text."""
    markup = Markup()
    literal = {match[0] for match in TAG.finditer(document)} if "<" in document else set()
    open_tags: defaultdict[str, list[_Open]] = defaultdict(list)
    for match in TAG.finditer(answer):
        if match[0] in literal:
            continue
        name = (match[2] or "").casefold()
        is_own = not name or _is_html(match[2], labels)
        markup.cuts.append((match.start(), match.end(), "\n" if is_own and name in _BLOCKS else ""))
        if is_own or match[3].endswith("/"):
            continue
        if not match[1]:
            open_tags[name].append((match.end(), _label(match[2], match[3], labels, label)))
        elif open_tags[name]:
            _close(markup, name, open_tags[name].pop(), match.start())
        else:
            markup.unopened += 1
    markup.unclosed = sum(written is not None for opened in open_tags.values() for _, written in opened)
    return markup


def _close(markup: Markup, name: str, opened: _Open, place: int) -> None:
    start, written = opened
    if written is not None:
        markup.spans.append((start, place, written))
    elif name not in _PLAIN_CARRIERS:
        markup.malformed += 1


def _is_html(name: str, labels: KnownLabels) -> bool:
    """Whether this is a tag of HTML's own and no label; `<b>` is no label B."""
    if name.casefold() not in _HTML:
        return False
    return name not in labels.names if len(name) == 1 else labels.find(name) is None


def _label(name: str, attributes: str, labels: KnownLabels, label: str | None) -> str | None:
    """The label that a tag says, as it is written."""
    if name.casefold() not in _CARRIERS:
        return name
    values = {match[1].casefold(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(attributes)}
    written = next((values[key].strip() for key in _ATTRIBUTES if values.get(key, "").strip()), None)
    if written is None:
        return name if labels.find(name) is not None else label
    if labels.find(written) is None:  # one of several classes may be known
        return next((word for word in written.split() if labels.find(word) is not None), written)
    return written
