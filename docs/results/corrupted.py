"""Networks asked the fifteen corruptions at five severities (hendrycks2019/*), from a study's table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from docs.results.contrasts import Judged, above, family, less
from docs.results.matrices import Conditions
from docs.results.numbers import interval, mean_of, number, table
from docs.results.verdicts import pick

HEAD = "hendrycks-"
KINDS = {
    "noise": ("gaussian-noise", "shot-noise", "impulse-noise"),
    "blur": ("defocus-blur", "glass-blur", "motion-blur", "zoom-blur"),
    "weather": ("snow", "frost", "fog", "brightness"),
    "digital": ("contrast", "elastic-transform", "pixelate", "jpeg-compression"),
}
SEVERITIES = (1, 2, 3, 4, 5)


class Corrupted(Conditions):
    """``own``: the corruption that each network was trained on besides plain pictures."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        names = sorted(dict.fromkeys(self.named(trial) for trial in self.trained), key=lambda name: "+" in name)
        self.networks = names = [names[0], *sorted(names[1:], reverse=True)]  # plain, then the noise, then the blur
        self.plain = names[0].partition(",")[0]
        self.helped = [name for name in self.networks if name != self.plain]
        self.corruptions = [name for names in KINDS.values() for name in names]
        self.gains = family(**{
            f"{network} {kind}": above(self.more(network, kind))
            for network in self.helped for kind in KINDS
        })  # fmt: skip

    def others(self, kind: str, network: str) -> list[str]:
        """Corruptions of a kind that the network was not trained on."""
        return [name for name in KINDS[kind] if name not in network]

    def of_kind(self, network: str, kind: str, without: str) -> dict[int, float]:
        """Accuracy, mean over the corruptions of a kind but that which another network was trained on, by seed."""
        each = [self.known(network, name) for name in self.others(kind, without)]
        return {seed: float(np.mean([one[seed] for one in each])) for seed in each[0]}

    def more(self, network: str, kind: str) -> dict[int, float]:
        return less(self.of_kind(network, kind, network), self.of_kind(self.plain, kind, network))

    def known(self, network: str, corruption: str) -> dict[int, float]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Accuracy, mean over the severities, by seed."""
        each = [self.by_seed(network, f"{HEAD}{corruption}@{level}") for level in SEVERITIES]
        return {seed: float(np.mean([one[seed] for one in each])) for seed in each[0]}

    def called(self, network: str) -> str:
        return "plain" if network == self.plain else f"plain + {network.split(HEAD)[1]}"

    def gain(self, network: str, kind: str) -> Judged:
        return self.gains[f"{network} {kind}"]

    def said(self, network: str, *kinds: str) -> str:
        """Nothing, or an error where accuracy surely rises on others than these."""
        found = {kind for kind in KINDS if self.gain(network, kind).holds is True}
        if found != set(kinds):
            raise AssertionError(f"{network} helps with {found}, the page says {kinds}")
        return ""

    def change(self, network: str, corruption: str) -> dict[int, float]:
        return less(self.known(network, corruption), self.known(self.plain, corruption))

    def errors(self) -> str:
        head = ["corruption", "kind", *(f"error, {self.called(one)}" for one in self.networks)]
        rows = [
            [name, kind, *(interval(self.lost(one, name), cut=True) for one in self.networks)]
            for kind, names in KINDS.items()
            for name in names
        ]
        return table(head, rows)

    def lost(self, network: str, corruption: str) -> dict[int, float]:
        return {seed: 1 - value for seed, value in self.known(network, corruption).items()}

    def gains_table(self) -> str:
        head = ["kind", *(f"gain of {self.called(one)}" for one in self.helped)]
        return table(head, [[kind, *(str(self.gain(one, kind)) for one in self.helped)] for kind in KINDS])

    def changes_table(self) -> str:
        head = ["corruption", *(f"gain of {self.called(one)}" for one in self.helped)]
        rows = [[c, *(interval(self.change(one, c), sign=True) for one in self.helped)] for c in self.corruptions]
        return table(head, rows)

    def severities(self, corruption: str) -> str:
        """Accuracy at each severity, means over seeds."""
        rows = [
            [self.called(one), *(self.value(one, f"{HEAD}{corruption}@{level}", 2) for level in SEVERITIES)]
            for one in self.networks
        ]
        return table([corruption, *map(str, SEVERITIES)], rows)

    def mce(self, network: str) -> str:
        """By the library, which divides by AlexNet's errors; the mean error itself is checked here."""
        name = "plain only" if network == self.plain else f"{self.called(network)}"
        one = pick(self.found, f"mean corruption error: trained on {name}")
        raw = mean_of(self.errors_of(network))
        assert f"the mean error itself is {100 * raw.value:.1f} %" in one.statement, (one.statement, raw)
        ends = f" [{number(one.low)}, {number(one.high)}]"
        return f"{number(one.value)}{ends}"

    def errors_of(self, network: str) -> dict[int, float]:
        """Mean over all corruptions and severities, by seed."""
        each = [self.lost(network, name) for name in self.corruptions]
        return {seed: float(np.mean([one[seed] for one in each])) for seed in each[0]}

    def every_seed(self, network: str, kind: str) -> str:
        """Nothing, or an error where accuracy on a kind does not rise in every seed."""
        found = self.more(network, kind)
        if min(found.values()) <= 0:
            raise AssertionError(f"the page says that {network} helps with {kind} in every seed: {found}")
        return ""

    def summary(self) -> str:
        rows = [
            [self.called(one), self.cell(one, "none"), interval(self.errors_of(one)), self.mce(one)]
            for one in self.networks
        ]
        return table(["trained on", "accuracy, plain pictures", "mean error, 15 corruptions", "mCE"], rows)
