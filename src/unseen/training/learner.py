"""One network in training. A learner owns every tensor its step reads, so that a step can be captured as a CUDA graph.

A captured step replays on fixed addresses: a tensor freed in the meantime would be silently reused by another trial
(plausible nonsense, not an error), which is why nothing a step reads may live anywhere but here.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.modules.dropout import _DropoutNd

from unseen.training.augment import AUGMENT, augment
from unseen.training.feed import Prefetcher
from unseen.training.narrow_strides import avoid_narrow_strides, meets_fault, without_onednn
from unseen.training.visits import LabelledData
from unseen.vocabulary.errors import UnseenError, unknown
from unseen.vocabulary.sections import TrainingSection
from unseen.vocabulary.seeds import seed_of, stream

EVALUATION_BATCH = 1024
WARM_UP = 3
Laid = TypeVar("Laid", bound=nn.Module)


class Learner:
    """A network, its optimiser, its data and its place in training."""

    labelled = True
    spent = 0.0  # seconds of work before the first step that count as training

    def __init__(
        self,
        network: nn.Module,
        targets: tuple[str, ...],
        train: LabelledData,
        validation: LabelledData,
        settings: TrainingSection,
        *,
        seed: int,
        device: torch.device,
        precision: str,
        capture: bool | None = None,
        tolerances: Sequence[float] | None = None,
    ) -> None:
        """With ``tolerances`` the targets are numbers: squared error, and right is what is nearer than this."""
        for name in settings.augment:
            if name not in AUGMENT:
                raise unknown("augmentation", name, AUGMENT, where="training.augment")
        for name in settings.loss_weights:
            if name not in targets:
                raise unknown("target", name, targets, where="training.loss_weights")
        for name, rows in (("training", train), ("validation", validation)):
            if not len(rows):
                raise UnseenError(f"no rows for {name}: a learner needs at least one image to train on and one to ask.")
        self.settings, self.seed, self.device, self.targets = settings, seed, device, targets
        self.network = laid_out(network, device)
        self.forward = torch.compile(self.network) if settings.compile else self.network
        self.train, self.validation = train, validation
        self.faulty = device.type == "cpu" and self._meets_fault()
        self.batch = min(settings.batch, len(train))
        self.steps_per_epoch = len(train) // self.batch
        self.precision = precision
        self.captured = device.type == "cuda" if capture is None else capture
        self.stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        total = settings.epochs * self.steps_per_epoch
        self.rates = torch.tensor(
            [rate(settings, step, total, self.steps_per_epoch) for step in range(total + WARM_UP + 1)]
        )
        self.rates = self.rates.to(device)
        self.optimiser = optimiser_for(self.network, settings, device)
        self.tolerances = None if tolerances is None else torch.tensor(list(tolerances), device=device)
        self.weights = torch.tensor([settings.loss_weights.get(t, 1.0) for t in targets], device=device)
        self.order = torch.zeros(self.steps_per_epoch * self.batch, dtype=torch.long, device=device)
        self.arange = torch.arange(self.batch, device=device)
        self.cursor = torch.zeros((), dtype=torch.long, device=device)
        self.step_number = torch.zeros((), dtype=torch.long, device=device)
        self.sums = torch.zeros(2, len(targets), dtype=torch.float64 if device.type != "mps" else None, device=device)
        self.asked = min(EVALUATION_BATCH, len(validation))
        self.asked_range = torch.arange(self.asked, device=device)
        self.asked_sums = torch.zeros_like(self.sums)
        self.buffer = None if train.held is not None else self._buffer(train, self.batch)
        self.asked_buffer = None if validation.held is not None else self._buffer(validation, self.asked)
        self.graphs: dict[str, Any] = {}
        self.curve: list[dict[str, float]] = []
        self.best = self._weights()  # of the start, should no epoch end with a loss that is a number
        self.best_loss, self.best_epoch = math.inf, -1
        self.diverged = False
        self._ahead: Prefetcher | None = None
        self.search: Mapping[str, Any] | None = None  # how its settings were found, for the record
        if self.captured:
            self._capture()

    def _buffer(self, source: LabelledData, n: int) -> Tensor:
        first = source.fetch(source.rows[:1], "cpu")
        return torch.zeros((n, *first.shape[1:]), dtype=first.dtype, device=self.device)

    def _weights(self) -> dict[str, Tensor]:
        return {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}

    def _noise(self) -> contextlib.AbstractContextManager:
        """Dropout draws from torch's global stream; on the CPU each step has its own, whatever else was drawn."""
        if self.device.type != "cpu":
            return contextlib.nullcontext()
        return drawing(seed_of(self.seed, "training", "noise", int(self.step_number)))

    def _meets_fault(self) -> bool:
        """Whether a step needs oneDNN out of the way (training/narrow_strides.py)."""
        if not self.labelled:
            return False  # encoders are ours: all their convolutions are modules
        first = self.train.held[:1] if self.train.held is not None else self.train.fetch(self.train.rows[:1], "cpu")
        with drawing(self.seed):
            return meets_fault(self.network, first)

    def _kernels(self) -> contextlib.AbstractContextManager:
        return without_onednn() if self.faulty else contextlib.nullcontext()

    def _autocast(self) -> contextlib.AbstractContextManager:
        if self.precision != "bf16":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16, cache_enabled=False)

    def _losses(self, images: Tensor, labels: Tensor, picks: Tensor, source: LabelledData) -> tuple[Tensor, Tensor]:
        """Cross-entropy (or squared error) and right answers ``[n, targets]``."""
        del picks, source  # for learners whose loss asks which rows these are
        with self._autocast():
            outputs = self.forward(images)
        if self.tolerances is not None:
            off = torch.cat([outputs[target].float() for target in self.targets], 1) - labels
            return off.square(), off.abs() < self.tolerances
        logits = [outputs[target].float() for target in self.targets]
        losses = [nn.functional.cross_entropy(x, labels[:, t], reduction="none") for t, x in enumerate(logits)]
        right = [x.argmax(1) == labels[:, t] for t, x in enumerate(logits)]
        return torch.stack(losses, 1), torch.stack(right, 1)

    def _step(self) -> None:
        picks = self.order.index_select(0, self.cursor + self.arange)
        images = self.buffer if self.train.held is None else self.train.gathered(picks)
        assert images is not None
        if self.settings.augment:
            plan = self.settings.augment
            images = augment(images, plan, picks, self.step_number, seed_of(self.seed, "training", "augment"))
        losses, right = self._losses(images, self.train.labels.index_select(0, picks), picks, self.train)
        self.optimiser.zero_grad(set_to_none=True)
        (losses.mean(0) * self.weights).sum().backward()
        if self.captured:
            now = self.rates.index_select(0, self.step_number.reshape(1)).squeeze()
            for group in self.optimiser.param_groups:
                group["lr"].copy_(now * group["scale"] if "scale" in group else now)
        self.optimiser.step()
        self.sums += torch.stack([losses.detach().sum(0), right.sum(0)])
        self.cursor += self.batch
        self.step_number += 1

    @torch.no_grad()
    def _ask(self) -> None:
        """One batch of validation; places beyond the last row count for nothing."""
        at = self.cursor + self.asked_range
        inside = at < len(self.validation)
        picks = at.clamp(max=len(self.validation) - 1)
        images = self.asked_buffer if self.validation.held is None else self.validation.gathered(picks)
        assert images is not None
        losses, right = self._losses(images, self.validation.labels.index_select(0, picks), picks, self.validation)
        self.asked_sums += torch.stack([(losses * inside[:, None]).sum(0), (right & inside[:, None]).sum(0)])
        self.cursor += self.asked

    def _on_stream(self) -> contextlib.AbstractContextManager:
        return torch.cuda.stream(self.stream) if self.stream is not None else contextlib.nullcontext()

    def _capture(self) -> None:
        """Warm up, record both steps, and put everything back as it was: warming up trains."""
        before = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        assert self.stream is not None
        self.stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(self.stream):
            for name, step in (("train", self._step), ("ask", self._ask)):
                self.network.train(name == "train")
                for _ in range(WARM_UP):
                    self.cursor.zero_()
                    step()
                self.cursor.zero_()
        torch.cuda.synchronize(self.device)
        for name, step in (("train", self._step), ("ask", self._ask)):
            self.network.train(name == "train")
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self.stream):
                step()
            self.graphs[name] = graph
        with torch.no_grad(), torch.cuda.stream(self.stream):
            for name, tensor in self.network.state_dict().items():
                tensor.copy_(before[name])
            for state in self.optimiser.state.values():
                for tensor in state.values():
                    tensor.zero_()
            for tensor in (self.cursor, self.step_number, self.sums, self.asked_sums):
                tensor.zero_()
        torch.cuda.synchronize(self.device)

    def begin_epoch(self, epoch: int) -> None:
        order = stream(self.seed, "training", "order", epoch).permutation(len(self.train))[: len(self.order)]
        with self._on_stream():
            self.order.copy_(torch.from_numpy(order).to(self.device, non_blocking=False))
            self.cursor.zero_()
            self.sums.zero_()
        self.network.train()
        self.leave()
        if self.train.held is None:
            batches = iter(order.reshape(self.steps_per_epoch, self.batch))
            visited = partial(self.train.visited, epoch=epoch)
            self._ahead = Prefetcher(visited, batches, self.device, drawn=self.train.drawn)
        elif self.train.fresh is not None:
            self._redraw(epoch)

    def _redraw(self, epoch: int) -> None:
        """Noise of this epoch, in the place of the last one's: a captured step reads fixed addresses. No learner that
        shares these pictures reads any more, since the end of an epoch waits for its steps; and none goes on before
        they are whole."""
        if self.stream is not None:
            self.stream.wait_stream(torch.cuda.current_stream(self.device))
        with self._on_stream():
            changed = self.train.redraw(epoch)
        if changed and self.stream is not None:
            self.stream.synchronize()

    def step(self) -> None:
        """One step of training, on this learner's stream."""
        with self._on_stream():
            if self._ahead is not None:
                self._pinned = next(self._ahead)
                assert self.buffer is not None
                self.buffer.copy_(self._pinned, non_blocking=True)
            if self.captured:
                self.graphs["train"].replay()
                return
            for group in self.optimiser.param_groups:
                group["lr"] = float(self.rates[int(self.step_number)]) * group.get("scale", 1.0)
            with self._noise(), self._kernels():
                self._step()

    def ask(self) -> None:
        """The whole validation set."""
        n = len(self.validation)
        with self._on_stream():
            self.network.eval()
            self.cursor.zero_()
            self.asked_sums.zero_()
            for start in range(0, n, self.asked):
                if self.validation.held is None:
                    assert self.asked_buffer is not None
                    where = str(self.device) if self.validation.drawn else "cpu"
                    batch = self.validation.fetch(self.validation.rows[start : start + self.asked], where)
                    self.asked_buffer[: len(batch)].copy_(batch)
                if self.captured:
                    self.graphs["ask"].replay()
                else:
                    self._ask()

    def end_epoch(self, epoch: int) -> dict[str, float]:
        """Read the epoch's figures, keep the weights if they are the best so far."""
        self.leave()
        if self.stream is not None:
            self.stream.synchronize()
        seen = self.steps_per_epoch * self.batch
        figures: dict[str, float] = {"epoch": epoch}
        for phase, sums, n in (("train", self.sums, seen), ("validation", self.asked_sums, len(self.validation))):
            loss, right = (sums / n).tolist()
            figures[f"{phase} loss total"] = sum(w * x for w, x in zip(self.weights.tolist(), loss))
            for target, x, r in zip(self.targets, loss, right):
                figures[f"{phase} loss {target}"] = x
                figures[f"{phase} accuracy {target}"] = r
        self.curve.append(figures)
        self.diverged = not all(math.isfinite(figures[key]) for key in ("train loss total", "validation loss total"))
        loss = figures["validation loss total"]
        if not self.diverged and (self.settings.select == "last" or loss < self.best_loss):
            self.best_loss, self.best_epoch = loss, epoch
            with self._on_stream():
                self.best = self._weights()
        return figures

    @property
    def settled(self) -> bool:
        """Whether no epoch was better than the best for as many as ``patience`` says."""
        patience = self.settings.patience
        return patience is not None and len(self.curve) - 1 - self.best_epoch >= patience

    def leave(self) -> None:
        """Stop fetching ahead."""
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None

    def finish(self) -> nn.Module:
        """The network with its chosen weights, in evaluation mode; the graphs are let go."""
        self.graphs.clear()
        if self.stream is not None:
            self.stream.synchronize()
        self.network.load_state_dict(self.best)
        self.optimiser.zero_grad(set_to_none=True)
        return self.network.eval()


def laid_out(network: Laid, device: torch.device) -> Laid:
    """A network on a device as learners have it: what a convolution rounds to depends on how its weights lie in
    memory."""
    network.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if device.type == "cpu":
        avoid_narrow_strides(network)
    return network


def drops_out(network: nn.Module) -> bool:
    """Whether training draws at random inside the network: torch's dropout layers, timm's DropPath and DropBlock
    (``drop_prob``), and modules that call dropout themselves by a rate of theirs (``drop_rate``, ``dropout``)."""
    rates = [module.p for module in network.modules() if isinstance(module, _DropoutNd)]
    rates += [getattr(m, word, 0) for m in network.modules() for word in ("drop_prob", "drop_rate", "dropout")]
    return any(isinstance(rate, int | float) and rate > 0 for rate in rates)


@contextlib.contextmanager
def drawing(seed: int) -> Iterator[None]:
    """Torch's global stream on the CPU, seeded; it goes on afterwards as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


def rate(settings: TrainingSection, step: int, total: int, per_epoch: int) -> float:
    """Learning rate at a step: warm-up in epochs, then constant, half a cosine to zero, or a line to zero."""
    warm = settings.warmup * per_epoch
    if step < warm:
        return settings.lr * (step + 1) / (warm + 1)
    done = min(1.0, (step - warm) / max(1.0, total - warm))
    if settings.schedule == "cosine":
        return settings.lr * 0.5 * (1 + math.cos(math.pi * done))
    return settings.lr * (1 - done) if settings.schedule == "linear" else settings.lr


def optimiser_for(network: nn.Module, settings: TrainingSection, device: torch.device) -> torch.optim.Optimizer:
    """The named optimiser; on CUDA fused, with its learning rate in a tensor so that a captured step can change it."""
    cuda = device.type == "cuda"
    lr: Any = torch.tensor(settings.lr, device=device) if cuda else settings.lr
    parameters: Any = [p for p in network.parameters() if p.requires_grad]
    if settings.layer_decay != 1 or settings.decays != "all":
        parameters = parameter_groups(network, settings)
        if cuda:  # each changes its own
            parameters = [
                {**group, "lr": torch.tensor(settings.lr * group["scale"], device=device)} for group in parameters
            ]
    fused: Mapping[str, Any] = {"fused": True} if cuda else {}
    if settings.optimiser == "sgd":
        return torch.optim.SGD(parameters, lr, momentum=settings.momentum, weight_decay=settings.weight_decay, **fused)
    kind = torch.optim.Adam if settings.optimiser == "adam" else torch.optim.AdamW
    return kind(parameters, lr, weight_decay=settings.weight_decay, capturable=cuda, **fused)


def parameter_groups(network: nn.Module, settings: TrainingSection) -> list[dict[str, Any]]:
    """Parameters by how fast they learn and whether they decay, as timm's ``param_groups_layer_decay`` has them.

    The heads learn at the full rate, each layer below at ``layer_decay`` times that of the layer above it (Clark et al.
    2020 with ELECTRA; BEiT, MAE). With ``decays = "weights"`` norms, biases and all else of one dimension do not decay,
    nor what a network says (positions, class tokens).
    """
    depths: Any = getattr(network, "depths", None)
    if depths is None and settings.layer_decay != 1:
        raise UnseenError(
            f"training.layer_decay = {settings.layer_decay:g} goes by the layers of a network whose weights all learn, "
            "and what learns here has none; leave it out."
        )
    where = depths() if depths is not None else {}
    kept: Any = getattr(network, "undecayed", set)
    spared, last = kept(), max(where.values(), default=0)
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        scale = settings.layer_decay ** (last - where.get(name, last))
        bare = settings.decays == "weights" and (parameter.ndim <= 1 or name in spared)
        groups.setdefault((scale, 0.0 if bare else settings.weight_decay), []).append(parameter)
    return [{"params": some, "scale": scale, "weight_decay": decay} for (scale, decay), some in groups.items()]
