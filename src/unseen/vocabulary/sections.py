"""The sections of a recipe: their keys, what each may be, and what it is where nothing is said."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from unseen.vocabulary.plain_numbers import is_number
from unseen.vocabulary.plain_values import NoTruth, Number, Truth, Whole
from unseen.vocabulary.protocol_names import SUPERVISED

SETS = ("seen", "unseen")


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class NamedSection(BaseModel):
    """A section that names a row of a table and gives its arguments; those are checked against its signature."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str

    @property
    def arguments(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class DesignSection(NamedSection):
    seed: Whole = 0


class NetworkSection(Section):
    backbone: str = "resnet18"
    sharing: str = "shared"
    stem: Literal["auto", "standard", "medium", "small"] = "auto"  # see vocabulary/stems.py
    channels: Annotated[Literal[1, 3], NoTruth] = 3
    as_released: Truth = False
    checkpoint: str | None = None
    pretrained: Truth = False
    frozen: Truth = False
    arguments: dict[str, Any] = {}
    model: str | None = None  # one that comes with its weights, in place of a backbone
    labels: str | tuple[str, ...] | None = None  # texts of its outputs, or the file that lists them
    preprocessing: dict[str, Any] = {}  # what to feed it otherwise than it says
    part: str = ""  # which network in its checkpoint, where there are several
    features: str = ""  # the layer or output that its features are taken at

    @property
    def name(self) -> str:
        """What it is called: the model that is given, else its backbone."""
        return self.model or self.backbone

    @property
    def start(self) -> str:
        """The key that gives it weights to start from, "" where it starts from random ones."""
        return "pretrained" if self.pretrained else "checkpoint" if self.checkpoint is not None else ""


class TrainingSection(Section):
    """How weights come to be. Adam, 1e-3, lowest validation loss: Madan et al. 2022; the other defaults are ours."""

    epochs: Whole = Field(default=10, ge=1)
    batch: Whole = Field(default=256, ge=1)
    optimiser: Literal["adam", "adamw", "sgd", "lbfgs"] = "adam"
    lr: Number = Field(default=1e-3, gt=0)
    momentum: Number = Field(default=0.9, ge=0, lt=1)
    weight_decay: Number = Field(default=0.0, ge=0)
    decays: Literal["all", "weights"] = "all"  # weights: neither norms nor biases, nor what a network says is not to
    layer_decay: Number = Field(default=1.0, gt=0, le=1)  # of the learning rate, from each layer to the one below it
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    warmup: Number = Field(default=0.0, ge=0)
    loss_weights: dict[str, Number] = {}
    augment: dict[str, Number] = {}
    normalise: Literal["imagenet", "mnist", "half", "none", "lite", "per-image"] = "imagenet"
    select: Literal["best", "last"] = "best"
    patience: Whole | None = Field(default=None, ge=1)
    precision: Literal["auto", "float32", "bf16"] = "auto"
    compile: Truth = False
    threads: Whole = Field(default=1, ge=1)
    objective: str = SUPERVISED
    objective_arguments: dict[str, Any] = {}

    @model_validator(mode="after")
    def _stops_for_the_best(self) -> TrainingSection:
        if self.patience is not None and self.select == "last":
            raise ValueError(
                f'patience = {self.patience} stops training once no epoch was better for so long, and select = "last" '
                'does not ask which is the best; leave patience out or set select = "best"'
            )
        return self


class PretrainingSection(Section):
    """What a network learns before its trials, on a ``world`` of its own (none: nothing): an encoder that all trials
    which say the same share. ``images``: so many of the world's, drawn at random (none: all). ``objective``: see
    :mod:`unseen.training.pretexts`; "none" leaves the first weights as they are. ``overlap``: categories may be those
    that are asked later. AdamW and half a cosine are of all papers of the table; the other defaults are ours."""

    world: NamedSection | None = None
    images: Whole | None = Field(default=None, ge=1)
    objective: str = SUPERVISED
    objective_arguments: dict[str, Any] = {}
    epochs: Whole = Field(default=50, ge=1)
    batch: Whole = Field(default=256, ge=1)
    optimiser: Literal["adam", "adamw", "sgd"] = "adamw"
    lr: Number = Field(default=1e-3, gt=0)
    momentum: Number = Field(default=0.9, ge=0, lt=1)
    weight_decay: Number = Field(default=0.05, ge=0)
    schedule: Literal["constant", "cosine", "linear"] = "cosine"
    warmup: Number = Field(default=0.0, ge=0)
    augment: dict[str, Number] = {}
    precision: Literal["auto", "float32", "bf16"] = "auto"
    threads: Whole = Field(default=1, ge=1)
    seed: Whole = 0
    overlap: Truth = False

    def settings(self) -> TrainingSection:
        """As the training loop takes them; the last weights are kept, since a pretext has no validation to choose by
        that would mean anything for what comes after."""
        own = {key for key in PretrainingSection.model_fields if key in TrainingSection.model_fields}
        taken = self.model_dump(include=own - {"objective", "objective_arguments"})
        return TrainingSection.model_validate({**taken, "select": "last"})


class SearchSection(Section):
    """Learning rate and weight decay by a grid, each tried on the training rows without a ``share`` of them that is
    then asked; the best is trained on all (Zaidi et al. 2020: 10 %). Both lists empty: no search."""

    lr: tuple[Annotated[Number, Field(gt=0)], ...] = ()
    weight_decay: tuple[Annotated[Number, Field(ge=0)], ...] = ()
    share: Number = Field(default=0.1, gt=0, lt=1)


class CalibrationSection(Section):
    """Strengths of transformations, raised in ``steps`` (one per level; none: no calibration) until a network trained
    on plain images falls under ``target``: accuracy, or "relative": a tenth of the way from chance to the plain one."""

    steps: dict[str, Number] = {}
    target: Number | Literal["relative"] = 0.1
    most: Whole = Field(default=20, ge=1)
    images: Whole = Field(default=2000, ge=1)
    seed: Whole = 0


def _truth_or_size(given: Any) -> Any:
    """One message for both kinds of value: a union would tell of each that it is not."""
    if isinstance(given, bool) or (is_number(given) and given >= 0):
        return given
    raise ValueError(f"{given!r:.40}: give true (keep weights), false, or the GB that they may take, at least 0")


class RecordingsSection(Section):
    """What is kept of a trained network. ``layers``: "last", "all", "none" or names.

    ``cells`` keeps the mean activity of their units in every cell of the design's two factors. ``invariance`` keeps the
    score of every unit on the probe's images plain and transformed; a unit is active above ``threshold``, which
    "search" finds by ablation. ``negative``: what to do with activity below 0. ``weights``: GB that those of all trials
    may take; they are kept if they take no more (true: always, false: never), and can then be recorded anew."""

    sets: tuple[str, ...] = SETS
    layers: Literal["last", "all", "none"] | tuple[str, ...] = "last"
    activity: Literal["mean", "max"] = "mean"
    cells: Truth = True
    weights: Annotated[bool | float, BeforeValidator(_truth_or_size)] = 2.0
    invariance: Truth = False
    threshold: Number | Literal["search"] = "search"
    negative: Literal["error", "rectify", "keep"] = "error"


class AnswersSection(Section):
    """What a model that is not trained here is understood to say. ``map``: from its classes to the categories: one that
    ships ("everyday", "geirhos16"), "names", a CSV or TOML file of your own, or "auto": whichever is right for its
    labels. ``how`` probabilities are joined: by default as the map does. ``templates``: what a category's text is put
    into, by name or written out with {} in its place; several are averaged."""

    map: str = "auto"
    how: Literal["auto", "sum", "mean"] = "auto"
    templates: tuple[str, ...] = ("photo",)


class ExplanationsSection(Section):
    """Maps over images that are recorded of a network (none: no ``methods``). ``images``: how many of the most telling
    ones are drawn for the report. ``scored``: how many of each set asked are compared with what a rendered world knows
    of its pixels. ``checked``: how many the checks are made on, under each of the ``orders`` in which layers are drawn
    anew. ``settings``: by method, over the usual ones."""

    methods: tuple[str, ...] = ()
    images: Whole = Field(default=6, ge=0, le=48)
    scored: Whole = Field(default=0, ge=0)
    checked: Whole = Field(default=6, ge=0)
    orders: tuple[Literal["cascading", "independent"], ...] = ("cascading",)
    settings: dict[str, dict[str, Any]] = {}


class MeasuresSection(Section):
    variant: Literal["paper", "as_released"] = "paper"
    scaling: Literal["min-max", "max", "none"] = "min-max"
    similarity: Literal["wordnet", "sentences", "features"] = "wordnet"  # of classes, where only some were seen varying


SECTIONS: dict[str, type[Section]] = {
    "network": NetworkSection,
    "training": TrainingSection,
    "readout": TrainingSection,
    "pretraining": PretrainingSection,
    "search": SearchSection,
    "calibration": CalibrationSection,
    "answers": AnswersSection,
    "recordings": RecordingsSection,
    "explanations": ExplanationsSection,
}
