"""The stages of :mod:`bench.natural_variation`: recipes of Ibrahim et al. 2022 with the sizes that one GPU can run in
about twenty minutes, and the benches of models that people bring.

Sizes are ours: the paper's 54 classes of 50 objects for ImageNet's weights, and small encoders (64 px) that see 320,000
and 180,000 pictures, so that 42 and 36 of them fit. Seeds of pretraining are stages of their own, so that a run that
is cut short has every kind once rather than some kinds three times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PAPER = ("world.classes=54", "world.instances=50", "world.levels=21", "world.backgrounds=25", "world.combinations=20",
         "design.folds=10")  # fmt: skip
FOLDS = 'grid."design.fold"=[0,1,2,3,4,5,6,7,8,9]'
TINY = ("world.classes=3", "world.instances=6", "world.levels=3", "world.backgrounds=3", "world.side=32",
        "design.folds=3", "design.images_per_object=4")  # fmt: skip
TINY_FOLDS = 'grid."design.fold"=[0,1,2]'
TINY_MODEL = 'grid."network.preprocessing"=[{size=32,crop=1.0}]'
# Classes of a collection of real models with ten or more, none of which the encoders were pretrained on.
REAL = ("chair", "sofa", "table", "car", "bottle", "bowl", "house", "potted_plant", "person", "spaceship",
        "fruit_vegetable", "plate", "tree", "sneaker", "bookshelf", "mug", "dog", "horse", "screen", "sandwich_bread",
        )  # fmt: skip
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Stage:
    """``recipe`` with ``settings``, or a bench as ``module`` with its words; ``toy`` settings are added for a try.
    ``workers`` processes; ``alone``: nothing runs beside it (until its log says ``alone_until``); ``after`` this stage;
    with the encoders that ``encoders_of`` made."""

    name: str
    shows: str
    recipe: str = ""
    settings: tuple[str, ...] = ()
    toy: tuple[str, ...] = ()
    module: str = ""
    words: tuple[str, ...] = ()
    toy_words: tuple[str, ...] = ()
    workers: int = 1
    alone: bool = False
    alone_until: str = ""
    after: str = ""
    encoders_of: str = ""


def named(classes: Sequence[str]) -> str:
    return ",".join(f'"{name}"' for name in classes)


def stages(meshes: str) -> tuple[Stage, ...]:
    """In the order in which they are worth having: that in which they begin."""
    return (*benches(), *pretrained(meshes, SEEDS[0]), *imagenet(meshes), *pretrained(meshes, SEEDS[1]),
            *pretrained(meshes, SEEDS[2]))  # fmt: skip


def benches() -> tuple[Stage, ...]:
    return (
        Stage("features", "bench: features of a drawn world against a plain forward pass", alone=True,
              module="bench.model_features",
              toy_words=("--networks", "efficientnet_lite0", "--images", "24", "--side", "32")),
        Stage("examine", "bench: 20,000 images of 224 px with ViT-B/16", alone=True, module="bench.examining",
              words=("--model", "vit_base_patch16_224", "--images", "20000"),
              toy_words=("--model", "vit_tiny_patch16_224", "--images", "90", "--side", "32")),
        Stage("probes", "bench: 1,650 probes against scikit-learn", alone=True, alone_until="ours, together",
              module="bench.probes_many", words=("--rivals", "2"), toy_words=(
                  "--factors", "1", "--shares", "2", "--regimes", "1", "--folds", "2", "--classes", "4",
                  "--features", "16", "--rivals", "1")),
    )  # fmt: skip


def pretrained(meshes: str, seed: int) -> tuple[Stage, ...]:
    """What our own encoders show, of one seed of pretraining."""
    seeded = f'grid."pretraining.seed"=[{seed}]'
    own = (seeded, "pretraining.images=20000", "pretraining.epochs=16", "pretraining.batch=256",
           "pretraining.warmup=2")  # fmt: skip
    lone = (seeded, "pretraining.images=9000", "pretraining.world.instances=300", "pretraining.epochs=20",
            "pretraining.batch=256", "pretraining.warmup=2")  # fmt: skip
    base = (*TINY, 'world.classes=["mug","chair","car"]', 'grid."design.fold"=[0]', "pretraining.images=40",
            "pretraining.epochs=1", "pretraining.batch=16", "pretraining.warmup=0", "pretraining.world.side=32",
            'pretraining.world.categories=["cup","vase","fox"]', "pretraining.world.pose=4",
            "network.arguments={}")  # fmt: skip
    tiny = (*base, 'grid."pretraining.world.instances"=[2]')
    alone = (*base, "pretraining.world.instances=14", "pretraining.world.pose=1",
             'grid."pretraining.world.drawn"=[["background"],["background","pose"]]')  # fmt: skip
    tuned = ("protocol=finetune", "training.optimiser=adamw", "training.lr=3e-4", "training.epochs=20",
             "training.batch=128", 'grid."design.fold"=[0,1]')  # fmt: skip
    first = f"pretraining-{seed}"
    real = ("world.collection=first", f"world.meshes={meshes}", f"world.classes=[{named(REAL)}]",
            "world.instances=10", "design.folds=5", 'grid."design.fold"=[0,1,2,3,4]')  # fmt: skip
    made = [
        Stage(first, "Table 1, Figs 2, 3: seven kinds of own pretraining at two sizes, random; one of three seeds",
              "ibrahim2022/pretraining", own, tiny, workers=3),
        Stage(f"causal-{seed}", "one factor varied in pretraining alone; one of three encoders each",
              "ibrahim2022/causal", lone, alone, workers=2),
        Stage(f"finetuned-{seed}", "Table 1b: the same encoders, finetuned; two folds", "ibrahim2022/pretraining",
              (*own, *tuned), (*tiny, "training.epochs=1", 'grid."design.fold"=[0]'), workers=2, after=first,
              encoders_of=first),
    ]  # fmt: skip
    if meshes:
        made.append(
            Stage(f"pretraining-meshes-{seed}", "the same encoders, asked on real meshes", "ibrahim2022/pretraining",
                  (*own, *real), (*tiny, f"world.classes=[{named(REAL[:3])}]"),
                  workers=2, after=first, encoders_of=first)
        )  # fmt: skip
    return tuple(made)


def imagenet(meshes: str) -> tuple[Stage, ...]:
    """What ImageNet's weights show."""
    small = (*TINY, TINY_FOLDS)
    lite = 'grid."network.model"=["efficientnet-lite0"]'
    whole = 'world.blocks=["single"]'
    vary = 'grid."design.vary"=["pose"]'
    few = (*PAPER, "design.images_per_object=8", "design.asked_per_object=10", whole)
    made = [
        Stage("table-1a", "Table 1a: Lite0 to 2 and random weights, linear", "ibrahim2022/imagenet-small",
              (*PAPER, FOLDS, "design.asked_per_object=20"),
              (*small, lite, TINY_MODEL, 'grid."network.arguments"=[{side=32}]')),
        Stage("finetune", "Table 1b: Lite0 finetuned and linear, five folds", "ibrahim2022/finetune",
              (*few, "training.epochs=6"), (*small, "training.epochs=1", "network.arguments={side=32}", whole)),
        Stage("variation", "Figs 4 to 7, Table 3, linear", "ibrahim2022/imagenet-variation-small",
              (*PAPER, FOLDS, "design.asked_per_object=20"),
              (*small, "network.preprocessing={size=32,crop=1.0}", vary), after="table-1a"),
        Stage("classes", "Table 3, finetuned: half of the classes vary; three folds", "ibrahim2022/classes",
              (*few, "protocol=finetune", "network.frozen=false", "training.lr=3e-4", "training.epochs=4",
               'grid."design.fold"=[0,1,2]'),
              (*small, "training.epochs=1", "network.arguments={side=32}", whole, vary)),
    ]  # fmt: skip
    if meshes:
        real = ("world.collection=first", f"world.meshes={meshes}", f"world.classes=[{named(REAL)}]",
                "world.instances=10", "design.folds=5")  # fmt: skip
        small = (*small, f"world.classes=[{named(REAL[:3])}]")
        made[2:2] = [
            Stage("meshes-1a", "Table 1a on real meshes", "ibrahim2022/imagenet-small", real,
                  (*small, lite, TINY_MODEL)),
            Stage("meshes-variation", "Figs 4 to 7, Table 3 on real meshes", "ibrahim2022/imagenet-variation-small",
                  real, (*small, "network.preprocessing={size=32,crop=1.0}", vary), after="meshes-1a"),
        ]  # fmt: skip
    return tuple(made)
