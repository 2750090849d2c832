"""Transformations: pictures → pictures of the same shape. The visible table, and what each row takes.

Importing this module loads no torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.vocabulary.errors import UnseenError, listed, unknown
from unseen.vocabulary.plain_numbers import is_number
from unseen.worlds.transforms import (
    colour,
    corruption_blur,
    corruption_digital,
    corruption_noise,
    corruption_weather,
    distortions,
    eidolons,
    filters,
    geometry,
    noise,
    opponent,
    spectra,
)
from unseen.worlds.transforms.published_levels import DATA_SETS

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Strength:
    """What a transformation's number means, and which numbers are possible: from ``low`` to ``high``, or ``only`` some.

    ``step`` is by how much the paper raises it until a plainly trained network fails.
    """

    default: float
    low: float
    high: float
    meaning: str
    step: float | None = None
    only: tuple[float, ...] = ()

    @property
    def possible(self) -> str:
        return listed(f"{value:g}" for value in self.only) if self.only else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Transformation:
    """A row of the table. ``function(images, strength, keys)`` takes uint8 or float32 ``[n, c, h, w]`` on the 0–255
    scale and gives float32; ``keys`` is one 63-bit number per image, which ``chance`` says is used."""

    name: str
    function: Callable[[Tensor, float, Tensor], Tensor]
    family: str  # as the papers group them: colour, geometric, …; distortion; noise, blur, weather, digital
    text: str  # in words, with {} for the strength
    strength: Strength | None = None
    needs_colour: bool = False
    chance: bool = False

    def __call__(self, images: Tensor, strength: float | None = None, keys: Tensor | None = None) -> Tensor:
        """Transform pictures; a chance transformation needs ``keys``."""
        import torch

        number = self.check(strength)
        if not isinstance(images, torch.Tensor) or images.ndim != 4:
            raise UnseenError(
                f"'{self.name}' takes pictures as a torch tensor [n, c, h, w]; given {_kind(images)}. For one picture "
                f"give picture[None], for a numpy array torch.from_numpy(array)."
            )
        if self.needs_colour and images.shape[1] != 3:
            raise UnseenError(f"'{self.name}' needs pictures of three channels; these have {images.shape[1]}.")
        if keys is None:
            if self.chance:
                raise UnseenError(f"'{self.name}' is random; give `keys`, one whole number per picture.")
            keys = torch.zeros(len(images), dtype=torch.long, device=images.device)
        elif not isinstance(keys, torch.Tensor) or keys.dtype != torch.long or keys.shape != images.shape[:1]:
            raise UnseenError(
                f"`keys` of '{self.name}' is one whole number per picture, a torch tensor [{len(images)}] of int64; "
                f"given {_kind(keys)}."
            )
        return self.function(images if images.dtype == torch.uint8 else images.float(), number, keys)

    def check(self, strength: object = None) -> float:
        """The strength to use: the one given if it is possible, else the default."""
        if self.strength is None:
            if strength is not None:
                raise UnseenError(f"transformation '{self.name}' has no strength; leave {strength!r} out.")
            return 0.0
        if strength is None:
            return float(self.strength.default)
        may = self.strength
        if not is_number(strength) or not may.low <= strength <= may.high or (may.only and strength not in may.only):
            raise UnseenError(
                f"strength {strength!r} of transformation '{self.name}' is not possible; it is the "
                f"{may.meaning}: {may.possible} (default {may.default:g})."
            )
        return float(strength)

    def said(self, strength: float) -> str:
        return self.text.format(f"{strength:g}")


def _kind(given: object) -> str:
    """What was given instead of a tensor of some shape, in words."""
    shape, kind = getattr(given, "shape", None), str(getattr(given, "dtype", "")).removeprefix("torch.")
    return f"{type(given).__name__} {list(shape)} of {kind}" if shape is not None else type(given).__name__


_SIGMA = "standard deviation of a Gaussian in pixels"
_T, _S = Transformation, Strength
ZAIDI = (  # Zaidi, Boix et al., in the paper's groups. The strengths of blur and white noise are ours: calibrate them.
    _T("grey-scale", colour.grey_scale, "colour", "grey-scale", needs_colour=True),
    _T("hue", colour.hue, "colour", "hue rotated by 180°", needs_colour=True),
    _T("thinning", geometry.thinning, "geometric", "half as wide"),
    _T("rotation-90", geometry.rotation_90, "geometric", "rotated by 90°"),
    _T("rotation-180", geometry.rotation_180, "geometric", "rotated by 180°"),
    _T("blur", filters.blur, "convolutional", "blurred (σ = {} pixels)", _S(2.0, 0, 100, _SIGMA, step=0.5)),
    _T("high-pass", filters.high_pass, "convolutional", "high-pass, [−1, 2, 4, 2, −1] both ways"),
    _T("horizontal", filters.horizontal, "convolutional", "horizontal difference"),
    _T("vertical", filters.vertical, "convolutional", "vertical difference"),
    _T("inversion", colour.inversion, "convolutional", "contrast inverted"),
    _T("white-noise", noise.white_noise, "noise", "white noise (σ = {})",
       _S(100.0, 0, 1000, "standard deviation of the noise, on the 0–255 scale", step=25.0), chance=True),
    _T("salt-and-pepper", noise.salt_and_pepper, "noise", "salt and pepper ({} of the pixels)",
       _S(0.5, 0, 1, "share of the pixels set to 0 or 255"), chance=True),
)  # fmt: skip
GEIRHOS = (  # Geirhos et al. 2018, in the order and at the levels of the lecture's table
    _T("geirhos-colour", distortions.colour, "distortion", "colour", needs_colour=True),
    _T("geirhos-grey", distortions.grey, "distortion", "greyscale", needs_colour=True),
    _T("geirhos-contrast", distortions.contrast, "distortion", "contrast ({})", _S(0.05, 0, 1, "contrast kept")),
    _T("geirhos-low-pass", distortions.low_pass, "distortion", "low-pass (std = {})", _S(7.0, 0, 100, _SIGMA)),
    _T("geirhos-high-pass", distortions.high_pass, "distortion", "high-pass (std = {})", _S(0.7, 0, 100, _SIGMA)),
    _T("geirhos-phase-noise", distortions.phase_noise, "distortion", "phase noise ({}°)",
       _S(90.0, 0, 180, "largest shift of a phase in degrees"), chance=True),
    _T("geirhos-rotation", distortions.rotation, "distortion", "rotation ({}°)",
       _S(90.0, 90, 270, "angle in degrees, anti-clockwise", only=(90, 180, 270))),
    _T("geirhos-salt-and-pepper", distortions.salt_and_pepper, "distortion", "salt-and-pepper noise ({})",
       _S(0.2, 0, 1, "probability that a pixel becomes black or white"), chance=True),
    _T("geirhos-uniform-noise", distortions.uniform_noise, "distortion", "uniform noise ({})",
       _S(0.35, 0, 1, "width of the noise, as a share of the range"), chance=True),
)  # fmt: skip
_REACH = _S(8.0, 0, 256, "reach: how far pixels move, in pixels of a picture of 256")
GEIRHOS_MORE = (  # the experiments of Geirhos et al. 2018 that are not in that table
    _T("geirhos-power-equalisation", spectra.power_equalisation, "distortion", "power equalisation (1/f to the {})",
       _S(1.2, 0, 4, "power of 1/f by which amplitudes fall")),
    _T("geirhos-opponent-colour", opponent.opponent_colour, "distortion", "opponent colour (false colour)",
       needs_colour=True),
    _T("geirhos-eidolon-1", eidolons.eidolon_1, "distortion", "Eidolon I (reach {})", _REACH, chance=True),
    _T("geirhos-eidolon-2", eidolons.eidolon_2, "distortion", "Eidolon II (reach {})", _REACH, chance=True),
    _T("geirhos-eidolon-3", eidolons.eidolon_3, "distortion", "Eidolon III (reach {})", _REACH, chance=True),
)  # fmt: skip
BRENDEL = (  # Brendel & Bethge 2019: what is left of an image whose local features lie anywhere
    _T("patches-scrambled", geometry.patches_scrambled, "geometric", "patches of {} pixels in another order",
       _S(8.0, 1, 256, "side of a patch in pixels", only=tuple(map(float, range(1, 257)))), chance=True),
)  # fmt: skip
_SEVERITY = _S(3, 1, 5, "severity", only=(1, 2, 3, 4, 5))
HENDRYCKS = tuple(  # the fifteen of ImageNet-C, in the order and groups of Hendrycks & Dietterich 2019
    _T(f"hendrycks-{function.__name__.replace('_', '-')}", function, family,
       f"{function.__name__.replace('_', ' ')} (severity {{}})", _SEVERITY, chance=chance)
    for family, functions in {
        "noise": ((corruption_noise.gaussian_noise, True), (corruption_noise.shot_noise, True),
                  (corruption_noise.impulse_noise, True)),
        "blur": ((corruption_blur.defocus_blur, False), (corruption_blur.glass_blur, True),
                 (corruption_blur.motion_blur, True), (corruption_blur.zoom_blur, False)),
        "weather": ((corruption_weather.snow, True), (corruption_weather.frost, True),
                    (corruption_weather.fog, True), (corruption_weather.brightness, False)),
        "digital": ((corruption_digital.contrast, False), (corruption_digital.elastic_transform, True),
                    (corruption_digital.pixelate, False), (corruption_digital.jpeg_compression, False)),
    }.items()
    for function, chance in functions
)  # fmt: skip
READINGS = (  # other readings of a row above, which keeps its name and its meaning; recipes take these
    _T("high-pass-zero-sum", filters.high_pass_zero_sum, "convolutional", "high-pass, zero sum"),
    _T("geirhos-phase-noise-released", distortions.phase_noise_released, "distortion",
       "phase noise ({}°) as in the released code",
       _S(90.0, 0, 180, "largest shift of a phase in degrees"), chance=True),
)  # fmt: skip
TRANSFORMATIONS: dict[str, Transformation] = {
    row.name: row for row in (*ZAIDI, *GEIRHOS, *GEIRHOS_MORE, *BRENDEL, *READINGS, *HENDRYCKS)
}
SETS: dict[str, tuple[str, ...]] = {
    "zaidi2020": tuple(row.name for row in ZAIDI),
    "geirhos2018": tuple(row.name for row in GEIRHOS),
}
# The same twelve and nine with the readings that recipes take. The sets above keep their members, since studies that
# were run name them.
SETS["zaidi2020-zero-sum"] = tuple("high-pass-zero-sum" if name == "high-pass" else name for name in SETS["zaidi2020"])
SETS["geirhos2018-released"] = tuple(
    "geirhos-phase-noise-released" if name == "geirhos-phase-noise" else name for name in SETS["geirhos2018"]
)


# All experiments of Geirhos et al. 2018, each at one level; and the levels of the data sets of model-vs-human.
SETS["geirhos2018-all"] = (*SETS["geirhos2018-released"], *(row.name for row in GEIRHOS_MORE))
SETS["hendrycks2019"] = tuple(f"{row.name}@{severity}" for row in HENDRYCKS for severity in range(1, 6))
SETS |= {f"model-vs-human/{name}": tuple(dict.fromkeys(levels.values())) for name, levels in DATA_SETS.items()}


def level_of(level: object) -> tuple[Transformation, float | None]:
    """The row of a level, and its strength where the level names one after an ``@``.

    >>> row, strength = level_of("geirhos-contrast@0.1")
    >>> row.name, strength
    ('geirhos-contrast', 0.1)
    >>> level_of("geirhos-contrast@low")
    Traceback (most recent call last):
    unseen.vocabulary.errors.UnseenError: level 'geirhos-contrast@low' names no number after the @; it is the contrast \
kept: 0 to 1. Write for instance 'geirhos-contrast@0.05'.
    """
    if not isinstance(level, str) or "@" not in level:
        return transformation(level), None
    name, _, number = level.partition("@")
    row = transformation(name)
    try:
        return row, row.check(float(number))
    except ValueError:
        if row.strength is None:
            raise UnseenError(f"transformation '{name}' has no strength; leave '@{number}' out.") from None
        may = row.strength
        raise UnseenError(
            f"level '{level}' names no number after the @; it is the {may.meaning}: {may.possible}. Write for instance "
            f"'{name}@{may.default:g}'."
        ) from None


def transformation(name: object) -> Transformation:
    """
    >>> transformation("blurr")
    Traceback (most recent call last):
    unseen.vocabulary.errors.UnseenError: no transformation 'blurr'; possible: grey-scale, hue, thinning, rotation-90, \
rotation-180, blur, high-pass, horizontal, vertical, inversion, white-noise, salt-and-pepper … (44 in all). \
Did you mean 'blur'?
    """
    if not isinstance(name, str) or name not in TRANSFORMATIONS:
        raise unknown("transformation", name, TRANSFORMATIONS)
    return TRANSFORMATIONS[name]
