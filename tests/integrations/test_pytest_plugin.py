"""The plug-in for pytest, in runs of pytest itself."""

from __future__ import annotations

import tomllib
from importlib import import_module

import pytest

from conftest import EXAMPLE, ROOT

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "no:evenhand", "-p", "evenhand.integrations.pytest")
"""Loads it whether or not an installation has its entry point, and once only."""


@pytest.fixture
def run(pytester: pytest.Pytester):
    """Runs a test file beside the example."""
    for name in ("gold", "crf", "tagger"):
        pytester.path.joinpath(f"{name}.conll").write_bytes((EXAMPLE / f"{name}.conll").read_bytes())

    def result(source: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess(*PLUGIN, *options)

    return result


def test_a_test_passes_and_has_the_gate(run) -> None:
    result = run("""
        def test_recogniser(evenhand_gate):
            gate = evenhand_gate("gold.conll", candidate="crf.conll", floor={"fair": 0.76})
            assert gate.results["crf"]["fair"].labels["PER"].recall > 0.7
    """)
    result.assert_outcomes(passed=1)


def test_another_numbers_version_is_an_error(run) -> None:
    result = run("""
        def test_recogniser(evenhand_gate):
            evenhand_gate("gold.conll", candidate="crf.conll", floor={"fair": 0.76}, numbers=2)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *SettingError: numbers is 2, but Evenhand * computes numbers version 1; *"])


def test_a_failure_lists_the_new_errors(run) -> None:
    result = run("""
        def test_recogniser(evenhand_gate):
            evenhand_gate("gold.conll", "tagger.conll", "crf.conll", max_drop=0.5, floor={"PER:recall": 0.9}, only=True)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*evenhand_gate(*max_drop=0.5*",
            "E *AssertionError: crf against tagger on the gold standard gold does not pass:",
            "E *  floor PER:recall: PER:recall is 0.7463 (74.63 %); the floor is 0.9 (90 %).",
            "E *  max-drop: The score falls by 14.52 points; the limit is 0.5 points.",
            "E *  alpha (not checked): The score must not fall with a p-value below 0.05: skipped*",
            "E *scores: tagger fair 91.01, crf fair 76.50",
            "E *new errors: 82, of which the first 20:",
            "E *  gold.conll:3: Silver Gannet: gold standard: MISC, tagger: TP MISC, crf: FN",
            "E *  gold.conll:150: Sunday: gold standard: nothing, tagger: TN, crf: FP MISC",
            "E *Note: system tagger: 2 spans are ill-formed*",
            "E *evenhand:*|task:spans|*",
        ]
    )
    assert sum(line.startswith("E         gold.conll:") for line in result.outlines) == 20
    assert not any("integrations/pytest.py" in line for line in result.outlines)  # the line of the test, not ours


def test_lists_have_sentences_instead_of_lines(run) -> None:
    result = run("""
        import evenhand as eh

        def test_lists(evenhand_gate):
            gold, old = eh.tags([["O"], ["B-PER", "O"]]), eh.tags([["O"], ["B-PER", "O"]], name="old")
            evenhand_gate(gold, old, eh.tags([["O"], ["O", "O"]], name="new"), max_new_errors=0)
    """)
    result.stdout.fnmatch_lines(
        ["E *new errors: 1:", "E *  tags, sentence 2: *gold standard: PER, old: TP PER, new: FN"]
    )


def test_bad_input_is_an_error_of_the_test_with_its_sentence(run) -> None:
    result = run("""
        def test_recogniser(evenhand_gate):
            evenhand_gate("gold.conll", candidate="missing.conll", floor={"fair": 0.76})
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *missing.conll: there is no such file; check the path."])


def test_loading_the_plug_in_loads_no_arrays(run) -> None:
    """pytest loads it in every project that has Evenhand installed."""
    result = run("""
        import sys

        def test_modules():
            assert "evenhand.integrations.pytest" in sys.modules
            assert not {"numpy", "evenhand.api", "evenhand.results"} & set(sys.modules)
    """)
    result.assert_outcomes(passed=1)


def test_the_entry_point_names_the_plug_in() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module = import_module(project["entry-points"]["pytest11"]["evenhand"])
    assert hasattr(module, "evenhand_gate")
