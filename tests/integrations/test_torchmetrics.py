"""The metric for torchmetrics: alone, in two processes, and in Lightning."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("default")]
NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-PER"], ["O"]]
SYSTEM = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-LOC"], ["B-PER"]]


def metric(**options: Any) -> Any:
    from evenhand.integrations.torchmetrics import TokenClassification

    return TokenClassification(NAMES, **options)


def batch(rows: slice, width: int) -> tuple[Any, Any]:
    """Logits with some prediction for the padding, and labels that are -100 there."""
    gold, system = (
        torch.tensor([[*map(NAMES.index, row), *[fill] * (width - len(row))] for row in side[rows]])
        for side, fill in ((GOLD, -100), (SYSTEM, 3))
    )
    return torch.nn.functional.one_hot(system, len(NAMES)).float(), gold


def expected() -> dict[str, float]:
    return eh.score(eh.tags(GOLD), eh.tags(SYSTEM), match="exact,fair,accuracy").metrics()


def plain(figures: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in figures.items()}


def test_batches_have_the_figures_of_lists() -> None:
    counted = metric()
    for rows, width in ((slice(0, 1), 5), (slice(1, 4), 2)):
        logits, labels = batch(rows, width)
        counted.update(logits, labels)
    assert plain(counted.compute()) == pytest.approx(expected())
    assert counted.result()["fair"].overall["LE"] == 1
    assert plain(pickle.loads(pickle.dumps(counted)).compute()) == pytest.approx(expected())
    assert plain(copy.deepcopy(counted).compute()) == pytest.approx(expected())
    counted.reset()
    counted.update(batch(slice(0, 1), 3)[0].argmax(-1), batch(slice(0, 1), 3)[1])
    assert counted.result()["exact"].f1 == 0


def test_forward_returns_the_figures_of_the_batch() -> None:
    counted = metric(match="exact")
    assert float(counted(*batch(slice(0, 1), 3))["recall"]) == 0
    assert float(counted(*batch(slice(1, 2), 3))["recall"]) == 1
    assert float(counted.compute()["recall"]) == 0.5


def test_a_collection_and_a_checkpoint() -> None:
    collection = torchmetrics.MetricCollection({"ner": metric(match="exact")})
    collection.update(*batch(slice(0, 4), 3))
    assert float(collection.compute()["recall"]) == pytest.approx(1 / 3)
    saved = metric(match="exact")
    saved.persistent(True)
    saved.update(*batch(slice(0, 4), 3))
    loaded = metric(match="exact")
    loaded.persistent(True)
    loaded.load_state_dict(saved.state_dict())
    assert loaded.result()["exact"].recall == pytest.approx(1 / 3)


def process(rank: int, address: str, folder: str) -> None:
    """One of two processes: each counts its batches, and all of them get the figures of all batches."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{address}", rank=rank, world_size=2)
    counted = metric()
    for row in range(rank, 4, 2):
        counted.update(*batch(slice(row, row + 1), 3 + rank))
    Path(folder, str(rank)).write_bytes(pickle.dumps(plain(counted.compute())))
    state = eh.Metric(names=NAMES, match="exact,fair,accuracy")
    for row in range(rank, 4, 2):
        logits, labels = batch(slice(row, row + 1), 3 + rank)
        state.update(labels.numpy(), logits.argmax(-1).numpy())
    arrays = {name: torch.from_numpy(array) for name, array in state.state_dict().items()}
    for array in arrays.values():
        torch.distributed.all_reduce(array)
    state.load_state_dict({name: array.numpy() for name, array in arrays.items()})
    result = state.compute()
    assert isinstance(result, eh.Result)
    Path(folder, f"state-{rank}").write_bytes(pickle.dumps(result.metrics()))
    torch.distributed.destroy_process_group()


def test_two_processes_have_the_figures_of_one(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(process, (str(tmp_path / "address"), str(tmp_path)), nprocs=2)
    for name in ("0", "1", "state-0", "state-1"):
        assert pickle.loads((tmp_path / name).read_bytes()) == pytest.approx(expected())


def test_lightning_logs_the_figures_of_an_epoch(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning")

    class Tagger(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
            self.counted = metric()

        def forward(self, logits: Any) -> Any:
            return logits + 0 * self.layer(logits[..., :1])

        def training_step(self, step: Any, number: int) -> Any:
            return self(step[0]).sum()

        def validation_step(self, step: Any, number: int) -> None:
            self.counted.update(self(step[0]), step[1])

        def on_validation_epoch_end(self) -> None:
            self.log_dict(self.counted.compute())
            self.counted.reset()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    batches = torch.utils.data.DataLoader([batch(slice(row, row + 1), 3) for row in range(4)], batch_size=None)
    trainer = lightning.Trainer(
        default_root_dir=tmp_path,
        max_epochs=2,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Tagger(), batches, batches)
    found = {name: float(trainer.callback_metrics[name]) for name in expected()}
    assert found == pytest.approx(expected(), abs=1e-6)
