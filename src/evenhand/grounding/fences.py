"""What stands around an answer: thoughts before it, and fences of Markdown."""

from __future__ import annotations

import re

MOST_BLOCKS = 50
"""How many fenced blocks of an answer are looked at, from the last."""
_THOUGHTS = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_FENCE = "```"
_INFO = re.compile(r"[^\n`]*\n")
"""What follows an opening fence on its line: the name of a language."""


def without_thoughts(answer: str) -> str:
    """The answer without `<think>…</think>` and the like, each up to its end or the answer's.

    Some servers send the end of the thoughts alone, as their prompt has the beginning: all before it is cut off.
    """
    if "<" not in answer:
        return answer
    answer = _THOUGHTS.sub("", answer)
    ends = [match.end() for match in _END_OF_THOUGHTS.finditer(answer)]
    return answer[ends[-1] :] if ends else answer


def fenced_blocks(answer: str) -> list[str]:
    """What stands between fences, from the first to the last block; the last one may lack its end."""
    parts = answer.split(_FENCE)[1::2]
    return [_INFO.sub("", part, count=1) if _INFO.match(part) else part for part in parts[-MOST_BLOCKS:]]
