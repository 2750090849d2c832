"""Given models from image-classification folders in the form of the Hugging Face hub: ``config.json``,
``model.safetensors`` and, for networks of transformers, ``preprocessor_config.json``.

A folder that timm wrote (its config names an ``architecture``) is read with timm alone. All others are networks of
transformers, and built by it (extra ``huggingface``): timm has most of these architectures too, but under other names
and with other splits of their tensors, and a mapping of ours would be a second source of mistakes. Code that a folder
brings along is never run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unseen.models.given.backends import Network
from unseen.models.given.digests import of_module
from unseen.models.given.hub import SAFE, facts_of
from unseen.models.given.labels import IMAGENET, labels_of_many
from unseen.models.given.model import GivenModel
from unseen.models.given.preprocessing import IMAGENET_MEAN, IMAGENET_STD, Preprocessing
from unseen.models.given.timm_models import is_timm
from unseen.models.given.timm_models import preprocessing_of as timms_preprocessing
from unseen.models.weights import fit, read
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.extras import needs_extra

CONFIG, PREPROCESSOR = "config.json", "preprocessor_config.json"
RESAMPLING: dict[int, Any] = {0: "nearest", 2: "bilinear", 3: "bicubic"}  # Pillow's numbers
FETCHING = frozenset(("pretrained", "checkpoint_path", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir"))
NOTES = ("_name_or_path", "transformers_version", "torch_dtype", "dtype")  # of a config
DEFAULT_LABEL = "LABEL_"  # how transformers numbers labels that nobody named


def is_folder(said: str) -> bool:
    return (Path(said).expanduser() / CONFIG).is_file()


def from_folder(name: str, said: str, *, download: bool = False, features: str = "") -> GivenModel:
    """A folder of this machine, or a repository of the hub (owner/name)."""
    folder = Path(said).expanduser()
    if not folder.is_dir():
        folder = _fetched(said, download)
    config = _json(folder / CONFIG)
    weights = folder / SAFE
    if not weights.is_file():
        beside = sorted(path.name for path in folder.iterdir())
        raise UnseenError(
            f"model '{name}': '{folder}' has no {SAFE}; it has {listed(beside)}. Pickled weights (pytorch_model.bin) "
            "are not read here: save the model again with save_pretrained(FOLDER, safe_serialization=True)."
        )
    made = _timms(name, config, weights) if "architecture" in config else _transformers(name, folder, config)
    net, preprocessing, labels, space = made
    return GivenModel(
        name, "huggingface", Network(name, net, features), outputs=len(labels) or int(net.num_classes),
        preprocessing=preprocessing, labels=labels, label_space=space,
        digest=of_module(net, "huggingface", json.dumps(_deciding(config), sort_keys=True)),
        known={**facts_of(weights), "parameters": sum(value.numel() for value in net.parameters())},
    )  # fmt: skip


def _deciding(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config without its notes on itself: heads, activations and such decide what no tensor shows."""
    return {key: value for key, value in config.items() if key not in NOTES}


def _fetched(said: str, download: bool) -> Path:
    """A repository's files in the hub's cache."""
    from huggingface_hub import constants, snapshot_download

    if said.count("/") != 1 or said.startswith((".", "/", "~")):
        raise UnseenError(f"no folder '{said}'; a model's folder has {CONFIG} and {SAFE}.")
    wanted = [CONFIG, PREPROCESSOR, SAFE]
    try:
        return Path(snapshot_download(said, allow_patterns=wanted, local_files_only=not download))
    except Exception as error:
        if not download:
            raise UnseenError(
                f"'{said}' is no folder here, and the hub's cache ({constants.HF_HUB_CACHE}) has no such repository. "
                "Nothing is fetched unasked: say download = true (--download), or give a folder."
            ) from error
        raise UnseenError(
            f"'{said}' could not be fetched from the Hugging Face hub ({type(error).__name__}: "
            f"{str(error).partition(chr(10))[0]}). Is there a network here, and is HF_HUB_OFFLINE unset? Otherwise "
            "copy the folder from where there is one."
        ) from error


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnseenError(f"'{file.parent}' has no {file.name}; is it a model's folder?") from None
    except (OSError, ValueError) as error:
        raise UnseenError(f"'{file}' could not be read: {error}.") from None
    if not isinstance(found, dict):
        raise UnseenError(f"'{file}' holds a {type(found).__name__}, not a table of settings.")
    return found


def _timms(name: str, config: Mapping[str, Any], weights: Path) -> tuple[Any, Preprocessing, tuple[str, ...], str]:
    import timm

    architecture, arguments = str(config["architecture"]), config.get("model_args") or {}
    if not is_timm(architecture):  # "hf-hub:..." and "local-dir:..." would be looked up elsewhere
        raise UnseenError(f"model '{name}': its {CONFIG} names the architecture '{architecture}', which timm has not.")
    if fetching := sorted(FETCHING & set(arguments)):
        raise UnseenError(
            f"model '{name}': model_args of its {CONFIG} say {listed(fetching)}, which would bring weights from "
            "elsewhere; leave that out."
        )
    try:
        said = dict(config.get("pretrained_cfg", {}))
        many = int(config.get("num_classes", said.get("num_classes", 1000)))
        net = timm.create_model(architecture, num_classes=many, pretrained_cfg=said, **dict(arguments))
    except Exception as error:
        raise UnseenError(f"timm could not build '{name}': {type(error).__name__}: {error}") from error
    fit(net, read(str(weights)), str(weights))
    own = said.get("label_names") or config.get("label_names")
    labels, space = (tuple(map(str, own)), "") if own else labels_of_many(many)
    return net, timms_preprocessing(net), labels, space


def _transformers(
    name: str, folder: Path, config: Mapping[str, Any]
) -> tuple[Any, Preprocessing, tuple[str, ...], str]:
    if "auto_map" in config:
        raise UnseenError(
            f"model '{name}': the folder brings Python code of its own (auto_map in {CONFIG}), which is not run. "
            "Bring it as module:factory, if you trust that code."
        )
    try:
        from transformers import AutoModelForImageClassification
        from transformers.utils import logging
    except ImportError as error:
        raise needs_extra(f"model '{name}', a network of transformers ({config.get('model_type')}),", "transformers",
                          "huggingface") from error  # fmt: skip
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        net, told = AutoModelForImageClassification.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, trust_remote_code=False, output_loading_info=True,
            ignore_mismatched_sizes=True,
        )  # fmt: skip
    except Exception as error:
        raise UnseenError(
            f"model '{name}': transformers could not load '{folder}' ({type(error).__name__}: "
            f"{str(error).strip().partition(chr(10))[0][:300]}). Is it a folder of an image classifier, and complete?"
        ) from error
    wrong = {
        key: sorted(map(str, told[key])) for key in ("missing_keys", "mismatched_keys", "unexpected_keys") if told[key]
    }
    if wrong:
        said = "; ".join(f"{key.replace('_keys', '')}: {listed(names, 4)}" for key, names in wrong.items())
        raise UnseenError(
            f"model '{name}': the weights in '{folder}' are not those of {config.get('architectures')} ({said}). "
            "Nothing is left at random: was the folder saved from a classifier?"
        )
    return net, preprocessing_in(folder, net), *_labels(net)


def _labels(net: Any) -> tuple[tuple[str, ...], str]:
    table = net.config.id2label
    labels = tuple(str(table[number]) for number in sorted(table, key=int))
    net.num_classes = len(labels)
    if all(label.startswith(DEFAULT_LABEL) for label in labels):
        return labels_of_many(len(labels)) if len(labels) == 1000 else (labels, "")
    known, space = labels_of_many(len(labels))
    alike = sum(a.partition(",")[0].lower() == b.lower() for a, b in zip(labels, known))
    return labels, IMAGENET if space == IMAGENET and alike > 900 else ""


def preprocessing_in(folder: Path, net: Any = None) -> Preprocessing:
    """What a folder's ``preprocessor_config.json`` says is done, in the words of transformers."""
    file = folder / PREPROCESSOR
    if not file.is_file():
        side = getattr(getattr(net, "config", None), "image_size", 224)
        side = side if isinstance(side, int) else 224
        return Preprocessing(size=(side, side))
    said = _json(file)
    try:
        return _preprocessing(said)
    except (KeyError, TypeError, ValueError) as error:
        raise UnseenError(
            f"'{file}' says what is not understood here ({type(error).__name__}: {error}); what is: size and crop_size "
            "as a number, height and width, or shortest_edge (size alone), and resample 0, 2 or 3. Correct it, or "
            "bring the model as module:factory."
        ) from None


def _preprocessing(said: Mapping[str, Any]) -> Preprocessing:
    size, crop = said.get("size", 224), said.get("crop_size")
    size = {"shortest_edge": size} if isinstance(size, int) and crop else size
    resize, to, taken = "none", None, None
    if said.get("do_resize", True):
        if isinstance(size, dict) and "shortest_edge" in size:
            to = int(size["shortest_edge"])
            resize, taken = "shorter", (to, to)
            if share := said.get("crop_pct"):  # ConvNeXt's: enlarged by it below 384, else stretched
                resize, to = ("shorter", int(to / share)) if to < 384 else ("exact", None)
        else:
            side = (size["height"], size["width"]) if isinstance(size, dict) else (int(size), int(size))
            resize, taken = "exact", side
    if said.get("do_center_crop", False) and crop is not None:
        taken = (crop["height"], crop["width"]) if isinstance(crop, dict) else (int(crop), int(crop))
    scale = 255 * float(said.get("rescale_factor", 1 / 255)) if said.get("do_rescale", True) else 255.0
    normal = said.get("do_normalize", True)
    mean = _many(said.get("image_mean", IMAGENET_MEAN)) if normal else (0.0,)
    std = _many(said.get("image_std", IMAGENET_STD)) if normal else (1.0,)
    if said.get("rescale_offset", False):  # EfficientNet's: less 1 after scaling, and for classifiers divided twice
        mean = tuple(value + 1 for value in mean)
    if said.get("include_top", False):
        own = _many(said.get("image_std", IMAGENET_STD))
        std = tuple(a * b for a, b in zip(std * (len(own) // len(std)), own, strict=True))
    way = said.get("resample")
    return Preprocessing(
        size=taken,
        resize=resize,  # type: ignore[arg-type]
        resize_to=to,
        crop=min(taken[0] / to, 1.0) if to and taken else 1.0,
        interpolation=RESAMPLING[2 if way is None else int(way)],
        mean=mean,
        std=std,
        range=scale,
    )


def _many(value: Any) -> tuple[float, ...]:
    return tuple(float(one) for one in value) if isinstance(value, list | tuple) else (float(value),)
