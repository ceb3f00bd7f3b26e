"""`eh.Metric`: batches, processes and states give the scores of one pass."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.api import metric as module
from evenhand.tasks.registry import TASKS
from shards import Sides, cut_example, same

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-PER"], ["O"]]
SYSTEM = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-LOC"], ["B-PER"]]


def results(found: eh.Result | eh.Results) -> eh.Results:
    return found if isinstance(found, eh.Results) else eh.Results({found.name: found})


def saved(found: eh.Result | eh.Results) -> dict[str, Any]:
    """Everything that is saved, without the name of the gold standard, which is that of the first file."""
    plain = results(found).to_dict()
    name = plain["gold"].pop("name")
    for side in (plain, *plain["systems"]):
        side["notes"] = [note.replace(f"gold {name}", "gold") for note in side["notes"]]
    return plain


def metric_of(parts: list[Sides], **options: Any) -> eh.Metric:
    metric = eh.Metric(**options)
    for gold, systems in parts:
        metric.update(gold, systems)
    return metric


@pytest.mark.parametrize("task", list(TASKS))
@pytest.mark.parametrize("seed", [0, 1])
def test_any_parts_of_an_example_score_as_one_pass(task: str, seed: int, tmp_path: Path) -> None:
    """Through updates, merged metrics and pickles: the same, bit by bit. Through added states: equal counts."""
    parts, whole = cut_example(task, tmp_path, seed)
    expected = results(eh.score(*whole, task=task))
    assert saved(metric_of(parts, task=task).compute()) == saved(expected)
    merged, *others = (pickle.loads(pickle.dumps(metric_of([part], task=task))) for part in parts)
    for other in others:
        merged += other
    assert saved(merged.compute()) == saved(expected)

    labels = {label for each in expected.values() for tally in each.tallies.values() for label in tally.labels}
    labels |= {label for each in expected.values() for label in (*each.gold.labels, *each.predicted_labels)}
    metrics = [eh.Metric(task=task, known_labels=sorted(labels)) for _ in parts]
    for metric, part in zip(metrics, parts, strict=True):
        if task == "links":  # count types are ranks, up to the largest number of candidates
            metric.update(*whole)
            metric.state_dict()
            metric.reset()
        metric.update(*part)
    states = [metric.state_dict() for metric in metrics]
    metrics[0].load_state_dict({name: sum(state[name] for state in states) for name in states[0]})
    for system, other in zip(saved(metrics[0].compute())["systems"], saved(expected)["systems"], strict=True):
        assert same(system["scores"], other["scores"], 1e-12)
        assert (system["units"], system["labels"]) == (other["units"], other["labels"])


def tagged(path: Path) -> list[list[str]]:
    """The sentences of a file with one tag per line."""
    return [block.split("\n") for block in path.read_text().strip().split("\n\n")]


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(edges=st.lists(st.integers(1, 3683), min_size=1, max_size=40, unique=True), limit=st.sampled_from([500, 10**5]))
@pytest.mark.property
def test_any_batches_of_conll_2003_score_as_one_pass(data: Path, edges: list[int], limit: int) -> None:
    folder = data / "conll2003"
    sides = [tagged(folder / "gold.testb.tags"), tagged(folder / "systems" / "florian.testb.tags")]
    gold, system = sides
    expected = eh.score(eh.tags(gold, encoding="iob2"), eh.tags(system, encoding="iob1"), match="exact,fair,accuracy")
    cuts = [0, *sorted(edges), len(gold)]
    metrics = [eh.Metric(match="exact,fair,accuracy", encoding={"gold": "iob2", "system": "iob1"}) for _ in "12"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MAX_TOKENS", limit)
        for number, (begin, end) in enumerate(pairwise(cuts)):
            metrics[number >= len(cuts) // 2].update(gold[begin:end], system[begin:end])
        found = (metrics[0] + metrics[1]).compute()
    assert isinstance(found, eh.Result)
    assert found["exact"] == expected["exact"]
    assert found["fair"] == expected["fair"]
    assert found["accuracy"] == expected["accuracy"]
    assert (found.gold.documents, found.gold.sentences) == (1, 3684)
    assert found.signature == expected.signature


def updated(gold: Any = GOLD, system: Any = SYSTEM, size: int = 1, **options: Any) -> eh.Metric:
    metric = eh.Metric(**options)
    for row in range(0, len(gold), size):
        metric.update(gold[row : row + size], system[row : row + size])
    return metric


def scored(metric: eh.Metric) -> eh.Result:
    found = metric.compute()
    assert isinstance(found, eh.Result)
    return found


def test_figures_by_hand() -> None:
    """Gold 3 spans, system 4: 1 correct, 1 boundary error (right end missing), 1 wrong label, 1 spurious."""
    result = scored(updated(match="exact,fair"))
    assert (result["exact"].precision, result["exact"].recall) == (1 / 4, 1 / 3)
    assert [result["fair"].overall[kind] for kind in ("TP", "LE", "BES", "FP", "FN")] == [1, 1, 1, 1, 0]
    assert result.gold.sentences == 4


@pytest.mark.parametrize("wrap", [lambda rows: rows, eh.tags])
def test_lists_and_annotations_score_as_one_pass(wrap: Callable[[Any], Any]) -> None:
    metric, whole = eh.Metric(), eh.score(eh.tags(GOLD), eh.tags(SYSTEM))
    for gold, system in zip(GOLD, SYSTEM, strict=True):
        metric.update(wrap([gold]), wrap([system]))
    found = scored(metric)
    assert dict(found) == dict(whole)
    assert found.signature == whole.signature
    assert found.gold.sizes() == whole.gold.sizes()


def test_the_encoding_is_that_of_all_batches_together() -> None:
    """The second batch alone looks like IOB1, and the first one alone like IOB2."""
    metric = updated([["B-PER"], ["I-PER"]], [["B-PER"], ["I-PER"]], repair="discard")
    assert scored(metric)["exact"].overall.counts == {"TP": 1, "FP": 0, "FN": 0}


def ids(rows: list[list[str]], width: int, ignore: int = -100) -> np.ndarray[Any, Any]:
    return np.array([[*map(NAMES.index, row), *[ignore] * (width - len(row))] for row in rows])


def test_ids_count_where_the_labels_do() -> None:
    """Batches are padded to different widths, and the system has a prediction for the padding, too."""
    metric = eh.Metric(names=NAMES, match="exact,fair")
    metric.update(ids(GOLD[:1], 5), ids(SYSTEM[:1], 5, ignore=3))
    metric.update(ids(GOLD[1:], 2), ids(SYSTEM[1:], 2, ignore=1))
    assert dict(scored(metric)) == dict(eh.score(eh.tags(GOLD), eh.tags(SYSTEM), match="exact,fair"))
    metric.reset()
    metric.update(ids(GOLD, 3).tolist(), ids(SYSTEM, 3, ignore=1))
    assert scored(metric)["exact"].recall == 1 / 3


def test_several_systems_and_files(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    for path in (gold, system):
        path.write_text("Ada B-PER\n")
    metric = eh.Metric()
    metric.update(gold, {"one": system, "two": system})
    metric.update(gold, {"one": system, "two": system})
    found = metric.compute()
    assert isinstance(found, eh.Results)
    assert found["two"].gold.units == 2
    single = eh.Metric()
    single.update(gold, system)
    single.update(eh.read(gold), eh.read(system))
    assert scored(single).predicted == 2


def test_errors_name_the_batch() -> None:
    metric = updated()
    with pytest.raises(eh.InputError, match=r"^batch 5: system: sentence 1 has 2 tags in the gold standard, 1 in the"):
        metric.update([["O", "O"]], [["O"]])
    metric.update([["O"]], [["PER-B"]])
    metric.update([["B-PER"]], [["B-PER"]])
    with pytest.raises(eh.InputError, match=r"^batch 6: system: the tag 'PER-B'"):
        metric.compute()
    assert scored(metric)["exact"].overall["TP"] == 2
    with pytest.raises(eh.SettingError, match=r"^Batch 8: 5 is neither a file nor an annotation"):
        metric.update(5, 5)
    metric._options["align"] = "position"
    metric.update([["O"]], [["O"]])
    with pytest.raises(
        eh.InputError, match=r"^batch 9: expected align:strict as in batches 1 to 4, got align:position"
    ):
        metric.compute()


def test_wrong_options_are_refused_at_once() -> None:
    with pytest.raises(eh.SettingError, match="Metric has no option 'mach'; did you mean match"):
        eh.Metric(mach="fair")  # type: ignore[call-arg]
    with pytest.raises(eh.SettingError, match="not a measure of spans"):
        eh.Metric(names=NAMES, match="fare")
    with pytest.raises(eh.SettingError, match="remove jobs"):
        eh.Metric(jobs=2)
    with pytest.raises(eh.SettingError, match="Nothing to compute"):
        eh.Metric().compute()
    with pytest.raises(eh.SettingError, match="Sums of token weights depend on the order"):
        updated(token_weight=2, match="ts").compute()


def test_reset_forgets_all_batches() -> None:
    metric = updated()
    metric.reset()
    metric.update(GOLD[:1], GOLD[:1])
    assert scored(metric)["exact"].f1 == 1
    assert metric.batches == 1


def test_a_result_does_not_change_with_later_batches() -> None:
    metric = updated()
    first = scored(metric).to_dict()
    result = scored(metric)
    metric.update(GOLD, GOLD)
    assert scored(metric)["exact"].overall["TP"] == 4
    assert result.to_dict() == first


def test_the_first_errors_are_kept() -> None:
    metric = updated(keep_errors=3, match="fair")
    metric.compute()
    assert [(error.sentence, error.type, error.gold, error.predicted) for error in metric.errors] == [
        (1, "BES", "PER", "PER"),
        (3, "LE", "PER", "LOC"),
        (4, "FP", None, "PER"),
    ]
    merged = updated(keep_errors=4, match="fair") + metric
    assert [error.sentence for error in merged.errors] == [1, 3, 4, 5]


def test_groups_are_kept_if_requested() -> None:
    result = scored(updated(groups="sentence"))
    assert sorted({*result.tallies["exact"].group.tolist()}) == [0, 1, 2, 3]


def test_states_of_different_labels_are_not_added() -> None:
    one, other = updated(GOLD[:2], SYSTEM[:2]), updated([["B-ORG"], ["B-MISC"]], [["B-ORG"], ["B-MISC"]])
    states = [metric.state_dict() for metric in (one, other)]
    assert states[0]["gold.labels"].shape == states[1]["gold.labels"].shape
    with pytest.raises(
        eh.SettingError, match=r"not a sum of states with the layout of this metric; specify all labels"
    ):
        one.load_state_dict({name: states[0][name] + states[1][name] for name in states[0]})


def test_a_metric_with_names_has_a_state_before_its_first_batch() -> None:
    metric, other = eh.Metric(names=NAMES), eh.Metric(names=NAMES)
    other.update(ids(GOLD, 3), ids(SYSTEM, 3))
    empty, state = metric.state_dict(), other.state_dict()
    assert {name: array.shape for name, array in empty.items()} == {name: array.shape for name, array in state.items()}
    assert not any(array.any() for array in empty.values())
    metric.load_state_dict({name: empty[name] + 2 * state[name] for name in state})
    assert scored(metric)["exact"].overall["TP"] == 2
    assert metric.batches == 2


def test_a_state_needs_a_layout_and_totals() -> None:
    with pytest.raises(eh.SettingError, match="layout of the state is not known yet"):
        eh.Metric().state_dict()
    with pytest.raises(eh.SettingError, match="only totals, but groups is 'sentence'"):
        updated(groups="sentence").state_dict()


def test_pickles_are_small() -> None:
    """A million tokens in 25,000 sentences, with 20 labels."""
    rng = np.random.default_rng(0)
    names = ["O", *(f"{prefix}-L{label}" for label in range(20) for prefix in "BI")]
    gold, system = (rng.integers(0, len(names), (25_000, 40)) for _ in "12")
    metric = eh.Metric(names=names, match="exact")
    metric.update(gold, system)
    assert len(pickle.dumps(metric)) < 100_000
