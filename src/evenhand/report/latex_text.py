"""Escape arbitrary text for LaTeX."""

from __future__ import annotations

import re
from unicodedata import normalize

from evenhand.problems import visible

_ESCAPES = {
    **{special: f"\\{special}" for special in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "—": "---",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\ldots{}",
    "\u00a0": "~",
    "¹": r"\textonesuperior{}",
    "²": r"\texttwosuperior{}",
    "³": r"\textthreesuperior{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "¬": r"$\neg$",
    "·": r"$\cdot$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "↔": r"$\leftrightarrow$",
    "⇒": r"$\Rightarrow$",
    **{
        letter: rf"${name}$"
        for letter, name in zip(
            "αβγδκλμρστ",
            (
                *(r"\alpha", r"\beta", r"\gamma", r"\delta", r"\kappa"),
                *(r"\lambda", r"\mu", r"\rho", r"\sigma", r"\tau"),
            ),
            strict=True,
        )
    },
}
_LETTERS = "".join(
    letter for letter in map(chr, (*range(0xA1, 0x180), *range(0x218, 0x21C))) if letter not in "\xadĦħĸĿŀŉŦŧſ"
)
"""What LaTeX knows beyond ASCII without further packages, in fonts of the encoding T1."""
_KNOWN = re.escape("".join(_ESCAPES) + _LETTERS) + "\x20-\x7e"
_PART = re.compile(f"(?P<special>[{re.escape(''.join(_ESCAPES))}])|(?P<ligature>-(?=-)|,(?=,))|(?P<other>[^{_KNOWN}]+)")
DEFINITION = r"\providecommand{\evenhandtext}[2]{\ifdefined\Umathcode#1\else#2\fi}"
"""Characters for XeLaTeX and LuaLaTeX, which take any that their fonts have, and what pdfLaTeX prints instead."""
_PACKAGES = {
    "textcomp": re.compile(r"\\text(quotesingle|asciigrave|(one|two|three)superior)\b"),
    "array": re.compile(r"\\arraybackslash\b"),
    "longtable": re.compile(r"\\begin\{longtable\}"),
}


def escaped(text: str) -> str:
    """Text that shows as it is; a row is one line, so that line feeds are spelled, as other controls are."""
    return _PART.sub(_replaced, visible(normalize("NFC", text)))


def is_known(char: str) -> bool:
    """Whether pdfLaTeX prints a character as it is, not its code."""
    return " " <= char <= "~" or char in _ESCAPES or char in _LETTERS


def _replaced(part: re.Match[str]) -> str:
    if part["special"]:
        return _ESCAPES[part["special"]]
    if part["ligature"]:
        return part["ligature"] + "{}"
    return rf"\evenhandtext{{{part['other']}}}{{{' '.join(f'U+{ord(char):04X}' for char in part['other'])}}}"


def comment(text: str) -> str:
    """Text that LaTeX does not read; it stays on its line."""
    return f"% {visible(text)}".rstrip()


def needs(body: str) -> str:
    """The packages without which this does not compile, or not look right."""
    found = ["{booktabs}", *(f"{{{name}}}" for name, pattern in _PACKAGES.items() if pattern.search(body))]
    printed = "".join(line for line in body.splitlines() if not line.startswith("%"))
    if any(char in _LETTERS for char in printed):
        found.append("[T1]{fontenc}")
    return ", ".join(rf"\usepackage{each}" for each in found)
