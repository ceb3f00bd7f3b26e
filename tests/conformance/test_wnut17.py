"""WNUT 2017 as it comes: CRLF, spaces for tabs, tokens that begin with #, changed tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

EXACT_F1 = {"arcada": 39.98, "flytxt": 38.35, "uh_ritual": 41.86}


@pytest.mark.parametrize("name", EXACT_F1)
def test_exact_f1_of_the_shared_task(data: Path, name: str) -> None:
    result = eh.score(data / "wnut17/gold.conll", data / f"wnut17/systems/{name}.conll")
    assert round(100 * result["exact"].f1, 2) == EXACT_F1[name]


def test_changed_tokens_need_alignment_by_position(data: Path) -> None:
    paths = data / "wnut17/gold.conll", data / "wnut17/systems/mic-cis.conll"
    with pytest.raises(eh.InputError, match=r"mic-cis\.conll:2: found the token 'get' where .*gold\.conll:2 has 'gt'"):
        eh.score(*paths)
    assert round(100 * eh.score(*paths, align="position")["exact"].f1, 2) == 37.06


def test_tokens_that_begin_with_a_hash_are_tokens(data: Path) -> None:
    tokens = eh.read(data / "wnut17/gold.conll").corpus.tokens
    assert tokens is not None
    assert sum(tokens[i].startswith("#") for i in range(len(tokens))) == 247
