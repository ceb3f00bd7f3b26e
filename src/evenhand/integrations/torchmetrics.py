"""A `torchmetrics.Metric` for token classification, which also works with Lightning.

    >>> metric = TokenClassification(model.config.id2label, match="exact,fair")
    >>> metric.update(logits, labels)  # or the ids of the best tags; labels are -100 where no tag counts
    >>> metric.compute()  # {"f1": …, "fair_f1": …, "fair_LE": …, "PER_f1": …}

Its states are the arrays of `Metric.state_dict`, which processes reduce by adding.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from evenhand.api.metric import IGNORED, Metric
from evenhand.data.from_lists import Names
from evenhand.errors import SettingError
from evenhand.results.result import Result

try:
    torch: Any = import_module("torch")
    _Base: Any = import_module("torchmetrics").Metric
except ImportError:
    raise SettingError("This metric needs torchmetrics, which is not installed: pip install torchmetrics") from None

_OPTIONS = (
    *("compute_on_cpu", "dist_sync_on_step", "process_group", "dist_sync_fn", "distributed_available_fn"),
    *("sync_on_compute", "compute_with_cache"),
)
"""The keywords of `torchmetrics.Metric`."""


class TokenClassification(_Base):  # type: ignore[misc]
    """Scores of spans or tags from logits, or from ids, of the tokens whose label is not -100."""

    full_state_update, is_differentiable, higher_is_better = False, False, True

    def __init__(
        self,
        names: Names,
        match: str | Sequence[str] = ("exact", "fair", "accuracy"),
        *,
        ignore: int = IGNORED,
        **options: Any,
    ) -> None:
        """A metric of these tags: a list, or a model's `id2label`.

        match     measures as in `score`; the first one has bare names (`f1`), others a prefix (`fair_f1`)
        ignore    the label of tokens that do not count

        Other options are as in `torchmetrics.Metric` and in `score`.
        """
        super().__init__(**{name: options.pop(name) for name in _OPTIONS if name in options})
        self._counted = Metric(names=names, ignore=ignore, match=match, **options)
        empty = self._counted.state_dict()
        self._keys = {f"state_{number}": key for number, key in enumerate(empty)}
        for name, key in self._keys.items():
            self.add_state(name, torch.from_numpy(empty[key]), dist_reduce_fx="sum")

    def update(self, preds: Any, target: Any) -> None:
        """Add a batch of predictions, as logits or ids, and labels."""
        best = preds.argmax(-1) if preds.ndim == target.ndim + 1 else preds
        self._counted.reset()
        self._counted.update(_array(target), _array(best))
        batch = self._counted.state_dict()
        for name, key in self._keys.items():
            total = getattr(self, name)
            setattr(self, name, total + torch.from_numpy(batch[key]).to(total.device))

    def compute(self) -> dict[str, Any]:
        """The figures of `result.metrics()` as tensors."""
        return {name: torch.tensor(value, device=self.device) for name, value in self.result().metrics().items()}

    def result(self) -> Result:
        """The result with its tables, of the batches of this process or, within `sync_context()`, of all processes."""
        self._counted.load_state_dict({key: _array(getattr(self, name)) for name, key in self._keys.items()})
        result = self._counted.compute()
        assert isinstance(result, Result)
        return result


def _array(tensor: Any) -> Any:
    return np.asarray(tensor.detach().cpu())
