"""A real trainer: a tiny model with random weights trains two steps on a CPU and logs Evenhand's metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.integrations.transformers import compute_metrics

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")

pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("default")]
NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TAGS = [[1, 2, 0, 3], [0, 3, 4], [1, 0], [0, 0, 1, 2, 0]]


def examples() -> list[dict[str, Any]]:
    """Sentences with a special token on both sides, and every first word in two pieces."""
    return [
        {
            "input_ids": [1, *(5 + 2 * tag + at % 2 for at, tag in enumerate(tags)), 4, 2],
            "attention_mask": [1] * (len(tags) + 3),
            "labels": [-100, *tags, -100, -100],
        }
        for tags in TAGS
    ]


def padded(batch: list[dict[str, Any]]) -> dict[str, Any]:
    width = max(len(item["labels"]) for item in batch)
    fill = {"input_ids": 0, "attention_mask": 0, "labels": -100}
    return {
        key: torch.tensor([[*item[key], *[value] * (width - len(item[key]))] for item in batch])
        for key, value in fill.items()
    }


@pytest.fixture
def trainer(tmp_path: Path) -> Any:
    transformers.set_seed(0)
    config = transformers.BertConfig(
        vocab_size=20,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        id2label=dict(enumerate(NAMES)),
        label2id={name: number for number, name in enumerate(NAMES)},
    )
    arguments = transformers.TrainingArguments(
        str(tmp_path),
        max_steps=2,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=3,
        eval_strategy="steps",
        eval_steps=1,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    model = transformers.BertForTokenClassification(config)
    return transformers.Trainer(
        model,
        arguments,
        data_collator=padded,
        train_dataset=examples(),
        eval_dataset=examples(),
        compute_metrics=compute_metrics(model.config.id2label),
    )


def test_a_trainer_logs_the_metrics_of_each_evaluation(trainer: Any) -> None:
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_f1" in entry]
    assert [entry["step"] for entry in logged] == [1, 2]
    names = {"eval_precision", "eval_recall", "eval_accuracy", "eval_fair_f1", "eval_PER_f1", "eval_LOC_recall"}
    assert all(names <= entry.keys() for entry in logged)
    assert all(type(entry[name]) is float for entry in logged for name in names)


def test_the_metrics_are_those_of_lists_without_padding(trainer: Any) -> None:
    trainer.train()
    prediction = trainer.predict(examples())
    best = prediction.predictions.argmax(axis=-1)
    predicted = [[NAMES[best[row, at + 1]] for at in range(len(tags))] for row, tags in enumerate(TAGS)]
    gold = [[NAMES[tag] for tag in tags] for tags in TAGS]
    expected = eh.score(eh.tags(gold), eh.tags(predicted), match="exact,fair,accuracy").metrics()
    assert {name: prediction.metrics[f"test_{name}"] for name in expected} == expected


def test_batch_by_batch_the_figures_are_the_same(trainer: Any) -> None:
    """`batch_eval_metrics` does not keep logits; the evaluation has two batches of different widths."""
    trainer.train()
    expected = trainer.evaluate()
    trainer.args.batch_eval_metrics = True
    for _ in range(2):
        scores = trainer.evaluate()
        names = [name for name in expected if not name.endswith(("_runtime", "_per_second"))]
        assert {name: scores[name] for name in names} == {name: expected[name] for name in names}
    assert expected["eval_fair_FN"] >= 0
