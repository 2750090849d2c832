"""From what a user says to a given model: names of hubs, folders, files, code, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unseen.models.given.catalogue import CATALOGUE, from_catalogue
from unseen.models.given.labels import given_labels, labels_of_many
from unseen.models.given.layouts import Layout
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import with_settings
from unseen.models.given.ways import Ways
from unseen.vocabulary.errors import UnseenError, nearest
from unseen.vocabulary.sources import FACTORY

SCHEMES = ("timm", "torchvision", "open_clip", "huggingface")
UNKNOWN = ("exported", "onnx", "module", "callable")  # what comes without a word on its outputs
TRIAL_SIDE = 224  # of the pictures by which a model that does not say so is asked how many outputs it has
FORMS = (
    "a name of timm (resnet50.a1_in1k, timm:NAME), torchvision:NAME, open_clip:ARCH/TAG, huggingface:FOLDER or a "
    "folder "
    "with config.json, a name of the catalogue (`unseen models`), module:factory, a .pt2 or .onnx file, and, in "
    "Python, a network or a function"
)


def bring(
    name: str | Path | Callable[..., Any],
    *,
    checkpoint: str | Path | None = None,
    part: str = "",
    preprocessing: Mapping[str, Any] | None = None,
    labels: Sequence[str] | str | Path | None = None,
    outputs: int | None = None,
    are_probabilities: bool | None = None,
    features: str = "",
    digest: str = "",
    random: int | None = None,
    arguments: Mapping[str, Any] | None = None,
    precision: str = "float32",
    download: bool = False,
    trust: bool = True,
    device: str | torch.device = "cpu",
) -> GivenModel:
    """A model with its weights, by a name, a folder, a file, or as Python has it.

    ``checkpoint`` is a file of weights in place of the published ones, and ``part`` which network in it, where there
    are several ("teacher"). ``preprocessing`` sets single keys anew, ``labels`` the texts of the outputs.
    ``are_probabilities`` says that outputs need no softmax (told by themselves, where they add up to one). ``features``
    names the layer, or the output of a file, that features are taken at. ``random`` is a seed for weights that learned
    nothing; ``digest`` what a function's user calls this version of it. Nothing is fetched unless ``download`` says so.
    """
    if precision not in ("float32", "bfloat16"):
        raise UnseenError(f"precision '{precision}' is unknown; possible: float32, bfloat16.")
    if random is not None and checkpoint is not None:
        raise UnseenError("random weights (random) and those of a file (checkpoint) exclude each other; give one.")
    file = None if checkpoint is None else str(checkpoint)
    ways = Ways(file, Layout(part), features, random, dict(arguments or {}), download, trust)
    found = _by_name(str(name), ways) if isinstance(name, str | Path) else _by_value(name, ways, digest)
    where = f"model '{found.name}'"
    before = found.preprocessing
    found.preprocessing = with_settings(before, preprocessing, where)
    if preprocessing:
        found.known["preprocessing_set"] = sorted(preprocessing)
    said = None if labels is None else given_labels(labels, where)
    if outputs is not None or said is not None:
        many = outputs if outputs is not None else len(said or ())
        if found.outputs not in (-1, many):
            what = "outputs" if said is None else "labels"
            raise UnseenError(
                f"{where} has {found.outputs} outputs, and {many} {what} were given; give one text for each output, in "
                "their order."
            )
        found.outputs = many
    found.to(device)
    found.precision = precision
    if found.outputs == -1 or (are_probabilities is None and found.source in UNKNOWN):
        _try(found)
    if said is not None:
        found.labels, found.label_space = said, ""
    elif not found.labels and found.source in UNKNOWN and found.outputs == 1000:
        found.labels, found.label_space = labels_of_many(1000)
        found.known["labels_are"] = "assumed: 1,000 outputs are taken for ImageNet's classes in their usual order"
    if are_probabilities is not None:
        found.are_probabilities = are_probabilities
    return found


def _by_name(name: str, ways: Ways) -> GivenModel:
    from unseen.models.given.lite import LITES, from_package

    scheme, _, rest = name.partition(":")
    if scheme in SCHEMES:
        return _of_scheme(name, scheme, rest, ways)
    if name in LITES:
        ways.no(name, "checkpoint", "random", "arguments")
        return from_package(name, ways.features)
    if name in CATALOGUE:
        ways.no(name, "arguments")
        return from_catalogue(
            name, checkpoint=ways.checkpoint, part=ways.part, download=ways.download, features=ways.features,
            random=ways.random,
        )  # fmt: skip
    suffix = Path(name).suffix
    if suffix in (".pt2", ".onnx"):
        ways.no(name, "checkpoint", "random", "arguments")
        return _of_file(name, suffix, ways)
    if suffix in (".pt", ".pth", ".ckpt", ".safetensors", ".bin") and Path(name).expanduser().is_file():
        raise UnseenError(
            f"'{name}' is a file of weights, and does not say of which network: name that, with this file as "
            "checkpoint."
        )
    if Path(name).expanduser().is_dir():
        return _of_scheme(name, "huggingface", name, ways)
    if FACTORY.fullmatch(name):
        from unseen.models.given.code import from_factory

        ways.no(name, "random")
        return from_factory(
            name, checkpoint=ways.checkpoint, layout=ways.layout, arguments=ways.arguments, features=ways.features,
            trust=ways.trust,
        )  # fmt: skip
    from unseen.models.given.timm_models import from_timm, is_timm

    if is_timm(name):
        return from_timm(name, name, ways)
    raise _nothing(name)


def _of_scheme(name: str, scheme: str, rest: str, ways: Ways) -> GivenModel:
    if scheme == "timm":
        from unseen.models.given.timm_models import from_timm

        return from_timm(name, rest, ways)
    if scheme == "torchvision":
        from unseen.models.given.torchvision_models import from_torchvision

        return from_torchvision(name, rest, ways)
    if scheme == "open_clip":
        from unseen.models.given.clip_models import from_open_clip

        ways.no(name, "part", "features")
        return from_open_clip(
            name, rest, checkpoint=ways.checkpoint, random=ways.random, download=ways.download, arguments=ways.arguments
        )
    from unseen.models.given.folders import from_folder

    ways.no(name, "checkpoint", "random", "arguments")
    return from_folder(name, rest, download=ways.download, features=ways.features)


def _of_file(name: str, suffix: str, ways: Ways) -> GivenModel:
    from unseen.models.given.digests import of_files
    from unseen.models.given.hub import facts_of
    from unseen.models.given.reshaped import ChosenOutputs

    file = Path(name).expanduser()
    if not file.is_file():
        beside = nearest(file.name, [one.name for one in file.parent.iterdir()]) if file.parent.is_dir() else None
        raise UnseenError(f"no file '{name}'." + (f" Did you mean '{beside}'?" if beside else ""))
    files = [file]
    if suffix == ".pt2":
        from unseen.models.given.exported import Exported, read_program

        body: Any = Exported(name, read_program(name, file), ChosenOutputs(ways.features))
    else:
        from unseen.models.given.onnx_models import Onnx, files_of

        body, files = Onnx(name, file, ChosenOutputs(ways.features)), files_of(file)
    return GivenModel(
        name, "exported" if suffix == ".pt2" else "onnx", body, outputs=-1, digest=of_files(files, "file"),
        preprocessing=body.taken.preprocessing(name),
        known={**facts_of(file), "input": body.taken.words, "preprocessing_is": "assumed, but for size and layout"},
    )  # fmt: skip


def _by_value(value: Callable[..., Any], ways: Ways, digest: str) -> GivenModel:
    from unseen.models.given.code import from_function, from_network, snapshot

    if isinstance(value, GivenModel):
        return value
    name = getattr(value, "__name__", type(value).__name__)
    ways.no(name, "checkpoint", "random", "arguments")
    if isinstance(value, nn.Module):
        return from_network(snapshot(value), features=ways.features, code=digest)
    if not callable(value):
        raise UnseenError(f"a {type(value).__name__} is no model; possible: {FORMS}.")
    return from_function(value, digest=digest)


def _try(found: GivenModel) -> None:
    """Ask a model once, for the number of its outputs and whether they are probabilities already."""
    made = found.tried(TRIAL_SIDE)
    if found.outputs not in (-1, made.shape[1]):
        raise UnseenError(
            f"model '{found.name}' gives {made.shape[1]} outputs; labels or outputs for {found.outputs} were given."
        )
    found.outputs = made.shape[1]
    if adds_up(made):
        found.are_probabilities = True
        found.known["are_probabilities_is"] = "told by a trial: outputs lie between 0 and 1 and add up to 1"


def adds_up(made: Tensor) -> bool:
    """Whether every row is a distribution. Scores of a network do not come out so by chance."""
    return bool(
        made.shape[1] > 1 and (made >= 0).all() and (made <= 1).all() and ((made.sum(1) - 1).abs() < 1e-3).all()
    )


def _nothing(name: str) -> UnseenError:
    import timm

    from unseen.models.given.lite import LITES

    close = nearest(name.partition(".")[0], [*LITES, *CATALOGUE, *timm.list_models()])
    return UnseenError(f"no model '{name}'; possible: {FORMS}." + (f" Did you mean '{close}'?" if close else ""))
