"""Values in Python's notation are read as Python reads them, whichever way is taken."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.json_answers import NOTHING, json_value, python_value

LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_characters="\0"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@pytest.mark.property
@given(LITERALS)
def test_literals_have_the_value_that_python_gives_them(literal: object) -> None:
    assert python_value(repr(literal)) == literal


@pytest.mark.property
@given(st.lists(st.sampled_from(["[", "]", "{", "}", ",", ":", "'a'", "'", '"', '"b"', "None", "1", " ", "u", "#"])))
def test_what_python_reads_is_read_alike(pieces: list[str]) -> None:
    text = "[" + "".join(pieces) + "]"
    try:
        expected = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError):
        return
    assert python_value(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['it\"s', \"it's\"]", ['it"s', "it's"]),
        (r"['it\'s', '\x41', '\u00e9']", ["it's", "A", "é"]),
        ("[None, True, False, null, true, false,]", [None, True, False, None, True, False]),
        (r"['\t', null]", ["\t", None]),
        ("['None', \"true\", 'a null b']", ["None", "true", "a null b"]),
        ("[u'Ada', ('Bob', 1)]", ["Ada", ("Bob", 1)]),
        ("{1: 'Ada'}", {1: "Ada"}),
        ("{'PER': 'Ada', 'PER': 'Bob'}", {"PER": ["Ada", "Bob"]}),
        ("['a', 'b' # it's a comment\n]", ["a", "b"]),
    ],
)
def test_literals(text: str, value: object) -> None:
    assert python_value(text) == value


@pytest.mark.parametrize("text", ["", "[", "['a]", "[a]", "{[]: 1}", "[f()]", "[1 2]", "\0", "['\ud800\\', x]"])
def test_what_is_no_literal(text: str) -> None:
    assert python_value(text) is NOTHING
    assert json_value(text) is NOTHING
