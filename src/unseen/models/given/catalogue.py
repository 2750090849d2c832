"""The models of Ibrahim et al. 2022, by the exact names of their weights, or by the files of their makers.

The paper names papers, not files. What is listed is what timm, open_clip and the official repositories publish under
those names; where the paper leaves a choice, ``note`` says which was taken. ViT: "ImageNet-21k pre-trained ViT-B/16
achieving 83.97 % and ImageNet-1k pretrained weights from Ridnik et al." is read as both of Ridnik et al.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from unseen.models.given.layouts import Layout
from unseen.models.given.model import GivenModel
from unseen.vocabulary.errors import UnseenError

MAE = Layout(left=("decoder_", "mask_token", "head."))
IBOT = Layout(left=("head", "masked_embed"))
BOLTS = Layout(left=("fc.",))
MIIL_RESNET = {"mean": [0.0] * 3, "std": [1.0] * 3, "interpolation": "bilinear", "crop": 0.875}  # as their others
MAE_VIEW = {"interpolation": "bicubic", "resize_to": 256}  # main_linprobe.py: Resize(256, bicubic), CenterCrop(224)
IBOT_VIEW = MAE_VIEW  # evaluation/eval_linear.py: the same
BOLTS_VIEW = {"interpolation": "bilinear", "resize_to": 246}  # SimCLREvalDataTransform: 224 + 22, CenterCrop(224)


@dataclass(frozen=True)
class Row:
    """One model. ``name`` is what `bring` takes; where nobody's hub has it, ``architecture`` (of timm), ``layout`` and
    ``file`` say which file of its makers is meant, to be given as checkpoint."""

    paper: str
    name: str = ""
    architecture: str = ""
    layout: Layout = field(default_factory=Layout)
    file: str = ""
    arguments: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    view: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    parameters: int = 0
    licence: str = ""
    top1: float | None = None
    repository: str = ""  # of the hub, where that is not timm's with the model's name
    source: str = ""
    note: str = ""


CATALOGUE: dict[str, Row] = {
    "clip": Row(
        "CLIP", "open_clip:ViT-B-16/openai", parameters=149_620_737, licence="MIT",
        repository="timm/vit_base_patch16_clip_224.openai", source="github.com/openai/CLIP",
    ),
    "clip-laion2b": Row(
        "CLIP on LAION-2B, zero-shot", "open_clip:ViT-B-16/laion2b_s34b_b88k", parameters=149_620_737, licence="MIT",
        repository="laion/CLIP-ViT-B-16-laion2B-s34B-b88K", source="github.com/mlfoundations/open_clip",
        note="the paper does not name the size; ViT-B/16 as its others",
    ),
    "mae": Row(
        "MAE", architecture="vit_base_patch16_224.mae", layout=MAE, file="mae_pretrain_vit_base.pth",
        arguments={"num_classes": 0}, view=MAE_VIEW, parameters=85_798_656, licence="CC-BY-NC-4.0",
        source="github.com/facebookresearch/mae, dl.fbaipublicfiles.com/mae/pretrain/mae_pretrain_vit_base.pth",
        note="the same weights are timm:vit_base_patch16_224.mae",
    ),
    "mixer-1k": Row(
        "MLP-Mixer 1k", "timm:mixer_b16_224.goog_in21k_ft_in1k", parameters=59_880_472, licence="Apache-2.0",
        source="timm", note="timm's only Mixer-B/16 of that time with 1k classes; Google trained it on 21k first",
    ),
    "mixer-21k": Row(
        "MLP-Mixer 21k", "timm:mixer_b16_224.miil_in21k", parameters=67_740_421, licence="Apache-2.0",
        source="github.com/Alibaba-MIIL/ImageNet21K (Ridnik et al. 2021)",
    ),
    "resnet50-1k": Row(
        "ResNet-50 1k", "timm:resnet50.a1_in1k", parameters=25_557_032, licence="Apache-2.0", top1=0.804,
        source="Wightman et al. 2021, ResNet strikes back (A1)",
    ),
    "resnet50-21k": Row(
        "ResNet-50 21k", architecture="resnet50", file="resnet50_miil_21k.pth", arguments={"num_classes": 11221},
        view=MIIL_RESNET, parameters=46_499_861, licence="MIT",
        source="github.com/Alibaba-MIIL/ImageNet21K, MODEL_ZOO.md (Ridnik et al. 2021)",
    ),
    "simclr": Row(
        "SimCLR", architecture="resnet50", layout=BOLTS, file="simclr_imagenet.ckpt", arguments={"num_classes": 0},
        view=BOLTS_VIEW, parameters=23_508_032, licence="Apache-2.0",
        source="Lightning Bolts (Falcon & Cho 2020), pl-bolts-weights, simclr/bolts_simclr_imagenet",
        note="a Lightning file holds classes beside tensors: save its state_dict where you trust it",
    ),
    "vit-1k": Row(
        "ViT 1k", "timm:vit_base_patch16_224_miil.in21k_ft_in1k", parameters=86_540_008, licence="Apache-2.0",
        top1=0.844, source="github.com/Alibaba-MIIL/ImageNet21K (Ridnik et al. 2021)",
        note="trained on 21k first; timm:vit_base_patch16_224.augreg_in1k never saw 21k",
    ),
    "vit-21k": Row(
        "ViT 21k", "timm:vit_base_patch16_224_miil.in21k", parameters=94_399_957, licence="Apache-2.0",
        source="github.com/Alibaba-MIIL/ImageNet21K (Ridnik et al. 2021)",
    ),
    "ibot-1k": Row(
        "iBOT 1k", architecture="vit_base_patch16_224", layout=Layout("teacher", IBOT.left),
        file="checkpoint_teacher.pth (ViT-B/16, ImageNet-1k)", arguments={"num_classes": 0}, view=IBOT_VIEW,
        parameters=85_798_656, licence="Apache-2.0", source="github.com/bytedance/ibot",
        note="its 'backbone (t)' or its full checkpoint, whose teacher is taken",
    ),
    "ibot-21k": Row(
        "iBOT 21k", architecture="vit_base_patch16_224", layout=Layout("student", IBOT.left),
        file="checkpoint_student.pth (ViT-B/16, ImageNet-22k)", arguments={"num_classes": 0}, view=IBOT_VIEW,
        parameters=85_798_656, licence="Apache-2.0", source="github.com/bytedance/ibot",
        note="its 'backbone (s)' or its full checkpoint, whose student is taken",
    ),
}  # fmt: skip


def from_catalogue(
    name: str, *, checkpoint: str | None, part: str = "", download: bool = False, features: str = "",
    random: int | None = None, arguments: Mapping[str, Any] | None = None,
) -> GivenModel:  # fmt: skip
    """A model of the catalogue; ``arguments`` beside its own are for tests, which write smaller files."""
    from unseen.models.given.clip_models import from_open_clip
    from unseen.models.given.preprocessing import IMAGENET_MEAN, IMAGENET_STD, with_settings
    from unseen.models.given.timm_models import from_timm
    from unseen.models.given.ways import Ways

    row = CATALOGUE[name]
    scheme, _, said = row.name.partition(":")
    settings = {**row.arguments, **(arguments or {})}
    if scheme == "open_clip":
        found = from_open_clip(name, said, checkpoint=checkpoint, random=random, download=download, arguments=arguments)
    else:
        if not row.name and checkpoint is None and random is None and not row.architecture.partition(".")[2]:
            raise UnseenError(
                f"model '{name}' ({row.paper}) comes as a file from its authors, not from a hub: download {row.file} "
                f"from {row.source}, and give it as checkpoint." + (f" ({row.note}.)" if row.note else "")
            )
        layout = Layout(part or row.layout.part, row.layout.left)
        ways = Ways(checkpoint, layout, features, random, settings, download)
        found = from_timm(name, said or row.architecture, ways)
    if row.view:
        view = {"mean": IMAGENET_MEAN, "std": IMAGENET_STD, **row.view}
        found.preprocessing = with_settings(found.preprocessing, view, f"model '{name}'")
    found.known |= {"licence": row.licence, "paper": row.paper, "from": found.known.get("from", row.source)}
    if row.top1 is not None and random is None:
        found.known["claim"] = {"top1": row.top1, "of": "ImageNet-1k validation", "by": row.source}
    return found
