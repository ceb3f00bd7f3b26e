"""Every format with every task and every option of `score`: a score or one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from evenhand.cli import main
from fuzz.seeds import seeds, write

TASKS = (None, "spans", "tags", "trees", "chains")
OPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    *(("--match", model) for model in ("exact,fair,weighted", "ts,t,overlap,contain", "constrained,iou,semeval")),
    *(
        ("--match", model)
        for model in ("accuracy", "uas,ls,las", "conll18", "muc,b_cubed,ceaf_m,ceaf_e", "blanc,lea,arcs")
    ),
    *(("--align", align) for align in ("strict", "position", "characters")),
    *(("--repair", repair) for repair in ("discard", "error")),
    *(("--encoding", encoding) for encoding in ("iob1", "iob2", "bioes", "plain")),
    *(("--column", column) for column in ("1", "-2", "2,3", "99", "upos", "feats", "gold:1", "system:2")),
    *(("--column", column) for column in ("form=2,head=7,deprel=8", "word=4,pos=5", "head=1", "coref=-1")),
    *(("--punctuation", policy) for policy in ("relation", "form", "pos:PUNCT")),
    *(("--as", form) for form in ("value", "csv", "json", "markdown", "latex", "conlleval")),
    *(("--labels", "PER"), ("--exclude", "PER"), ("--map", "PER=LOC"), ("--offsets", "utf16"), ("--functions",)),
    *(("--levels", "separate"), ("--focus", "system"), ("--beta", "2"), ("--weights", "lenient"), ("--baselines",)),
    *(("--supertag", "ALL"), ("--token-weight", "1"), ("--separator-weight", "0"), ("--spurious", "0"), ("--iou", "1")),
    *(("--subtypes",), ("--no-singletons",), ("--nominal", "NN")),
)


def combinations(folder: Path) -> Iterator[tuple[str, ...]]:
    """The arguments of all calls."""
    for number, (name, seed) in enumerate(seeds().items()):
        sides = []
        for side in ("gold", "system"):
            path = folder / side / str(number)
            path.mkdir(parents=True)
            write(path, seed.files)
            sides.append(str((path / name).parent if "/" in name else path / name))
        named = () if seed.format is None else ("--format", seed.format)
        for task in TASKS:
            for options in OPTIONS:
                yield ("score", *sides, *named, *(("--task", task) if task else ()), *options)


def check(arguments: tuple[str, ...]) -> bool:
    """Whether there is a score; otherwise there is one sentence, of 700 characters at most."""
    result = CliRunner().invoke(main, arguments)
    shown = f"evenhand {' '.join(arguments)}"
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(shown) from result.exception
    assert result.exit_code in (0, 2), shown
    if result.exit_code == 2:
        assert result.stderr.count("evenhand: ") == 1, shown
        sentence = result.stderr.splitlines()[-1]
        assert len(sentence) < 700, shown
    return result.exit_code == 0


def test_a_sample_of_all_combinations(tmp_path: Path) -> None:
    """Another task and option for each format in turn."""
    found = [check(arguments) for arguments in list(combinations(tmp_path))[::92]]
    assert len(found) > 80
    assert 0.1 < sum(found) / len(found) < 0.9


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_all_combinations(part: int, tmp_path: Path) -> None:
    found = [check(arguments) for arguments in list(combinations(tmp_path))[part::4]]
    assert len(found) > 7_700 // 4
    assert 0.1 < sum(found) / len(found) < 0.9
