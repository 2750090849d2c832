"""The studies of the golden files: one of each kind, as small as its figures and findings allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

TRAINING = {"batch": 32, "lr": 3e-3, "normalise": "half"}
NARROW = {"backbone": "resnet18-w8", "stem": "small", "channels": 1}
PLAIN_DIGITS = {"name": "digits", "viewpoint": "none"}
EXPOSED = {
    "design": {"name": "expose", "images_per_category": 30, "test_images_per_category": 10, "probe_per_category": 4},
    "network": NARROW,
    "training": TRAINING | {"epochs": 6},
}

GIVEN = {"model": "efficientnet-lite0"}
SMALL = {"backbone": "resnet18-w8", "stem": "small"}
METHODS = ["gradient", "grad-cam", "guided-backprop", "edges"]
MAPPED = {"network": SMALL, "training": TRAINING | {"epochs": 4}, "recordings": {"layers": "none"}}


RECIPES: dict[str, dict[str, Any]] = {
    "combinations": {  # which combinations were seen, two ways to share, units recorded
        "title": "Combinations, golden",
        "question": "Does a network recognise a digit at a position where it never saw that digit, and what helps?",
        "seeds": [0],
        "world": {"name": "digits", "viewpoint": "position"},
        "design": {"name": "hold_out_combinations", "columns": "position", "images": 720}
        | {"validation_images": 72, "test_images": 144, "probe_per_cell": 2},
        "network": {"backbone": "resnet18-w8", "stem": "small"},
        "training": TRAINING | {"epochs": 6},
        "recordings": {"layers": ["layer2"]},
        "grid": {
            "design.seed": [0, 1, 2],
            "design.seen_per_level": [1, 6],
            "network.sharing": ["shared", "separate"],
        },
    },
    "regression": {  # four splits of every factor; a network with labels and an encoder that is read out
        "title": "Levels held out, golden",
        "question": "Do networks learn how a factor works, or only the samples of it that they saw?",
        "published": "schott2022/dsprites",
        "task": "regression",
        "seeds": [0, 1],
        "world": {"name": "dsprites"},
        "design": {"name": "hold_out_levels", "share": 0.2, "protect": ["shape"], "images": 256}
        | {"validation": 0.1, "test_images": 48, "probe_images": 48},
        "network": {"channels": 1},
        "training": {"epochs": 4, "batch": 32, "normalise": "none"},
        "readout": {"epochs": 4, "batch": 32},
        "recordings": {"sets": ["test", "one-out-*"], "layers": "none"},
        "grid": [
            {
                "design.mode": ["random", "composition", "interpolation", "extrapolation"],
                "network.backbone": ["mlp"],
            },
            {"design.mode": ["random", "extrapolation"], "network.backbone": ["cnn"]},
            {
                "design.mode": ["random", "extrapolation"],
                "network.backbone": ["vae"],
                "training.objective": ["beta-vae"],
            },
        ],
    },
    "exposure": {  # a transformation seen for some categories; its strength calibrated, units scored at one threshold
        "title": "Transformations, golden",
        "question": "If a network sees a transformation for some categories only, does it know the others transformed?",
        "targets": ["category"],
        "seeds": [0],
        "world": {"name": "transformed", "levels": ["blur", "inversion"], "of": PLAIN_DIGITS},
        **EXPOSED,
        "calibration": {"steps": {"blur": 0.5}, "target": "relative"},
        "recordings": {"sets": ["within*", "across*", "plain"], "layers": ["layer3"], "cells": False}
        | {"invariance": True, "threshold": 0.1},
        "grid": [
            {"design.level": ["blur", "inversion"], "design.seen": [2, 5, 8], "design.seed": [0, 1, 2]},
            {"design.level": [["blur", "inversion"]], "design.seen": [0], "design.seed": [0, 1, 2]},
        ],
    },
    "thresholds": {  # the same kind, where the activity that matters is searched for by ablation
        "title": "Which activity matters, golden",
        "question": "Below which activity can the units of a network be left out of an image's answer?",
        "targets": ["category"],
        "seeds": [0],
        "world": {"name": "transformed", "levels": ["rotation-90", "inversion"], "of": PLAIN_DIGITS},
        **EXPOSED,
        "recordings": {"sets": ["within*", "across*", "plain"], "layers": ["layer2", "layer4"], "cells": False}
        | {"invariance": True, "threshold": "search"},
        "grid": {"design.level": ["rotation-90", "inversion"], "design.seen": [6]},
    },
    "matrix": {  # trained on one condition, on one plus another, on all but one; asked under each
        "title": "Distortions, golden",
        "question": "Does a network that was trained on some distortions of a picture know objects under others?",
        "published": "geirhos2018/table",
        "targets": ["category"],
        "seeds": [0, 1, 2],
        "world": {
            "name": "transformed",
            "levels": ["geirhos-rotation", "geirhos-salt-and-pepper", "geirhos-uniform-noise"],
            "plain": False,
            "of": PLAIN_DIGITS,
        },
        "design": {"name": "matrix", "factor": "transformation", "test_images_per_category": 10},
        "network": NARROW,
        "training": TRAINING | {"epochs": 4},
        "recordings": {"sets": ["test-*"], "layers": "none"},
        "grid": [
            {"design.train": [["geirhos-rotation"], ["geirhos-salt-and-pepper"], ["geirhos-uniform-noise"]]},
            {"design.train": [["geirhos-rotation", "geirhos-uniform-noise"]]},
            {"design.train": [["geirhos-uniform-noise"]], "design.visits_per_image": [2]},
            {"design.train_all_but": ["geirhos-salt-and-pepper", "geirhos-uniform-noise"]},
        ],
    },
    "domains": {  # one domain left out; the photos are gone when the study is looked at
        "title": "One domain left out, golden",
        "question": "Is the category recognised in a domain that was never seen?",
        "seeds": [0, 1, 2],
        "world": {"name": "folder", "root": "photos", "template": "{domain}/{category}/*.png", "size": 16},
        "design": {"name": "leave_one_out", "factor": "domain", "shares": [0.5, 0.1, 0.4]},
        "network": {"backbone": "resnet18-w8", "stem": "small"},
        "training": TRAINING | {"epochs": 15},
        "recordings": {"layers": "none"},
        "grid": {"design.left_out": ["drawn", "inverted", "lit", "none"]},
    },
    "variability": {  # objects of other folds, each factor varied alone; probes of canonical and of varied training
        "title": "Natural changes, golden",
        "question": "Which natural changes break a network, and how much of them must training show?",
        "published": "ibrahim2022/tables",
        "protocol": "probe",
        "seeds": [0],
        "world": {"name": "natural-variation", "classes": ["mug", "chair", "fish", "car"], "instances": 6, "levels": 3}
        | {"backgrounds": 3, "blocks": ["single"], "side": 16},
        "design": {"name": "vary_some", "folds": 3, "images_per_object": 4, "validation": 0.25},
        "network": {"backbone": "resnet18-w8", "stem": "small", "frozen": True},
        "training": {"epochs": 4, "batch": 16},
        "recordings": {"sets": ["canonical*", "varying-*", "trained-canonical*"], "layers": "none"},
        "grid": [
            {"design.fold": [0, 1, 2], "design.regime": ["canonical"]},
            {"design.fold": [0, 1, 2], "design.regime": ["samples"], "design.vary": ["pose"]}
            | {"design.share": [0.25, 0.75]},
            {"design.fold": [0, 1, 2], "design.regime": ["classes"], "design.vary": ["pose"]},
        ],
    },
    "subjects": {  # a model that is given as it is, asked by category and pose
        "title": "Who knows what? Golden",
        "question": "How well is each category known, at each pose?",
        "seeds": [0],
        "targets": ["category"],
        "world": {"name": "objects", "categories": ["mug", "chair", "car"], "instances": 8, "pose": 4, "side": 32},
        "design": {"name": "ask", "factors": ["pose"]},
        "network": GIVEN,
    },
    "weaknesses": {  # the same model, asked canonical and changed images
        "title": "Where does it fail? Golden",
        "question": "Which changes of an image does it not survive, and on which classes and objects does it fail?",
        "seeds": [0],
        "world": {"name": "natural-variation", "classes": ["mug", "chair", "car"], "instances": 6, "levels": 5}
        | {"backgrounds": 3, "pair_levels": 3, "pair_backgrounds": 3, "combinations": 30, "side": 32},
        "design": {"name": "vary_each", "images": 150},
        "network": GIVEN,
    },
    "cues": {  # texture tells the category in training, or half, or not; asked where the two conflict
        "title": "Texture or shape, golden",
        "question": "Where shape and texture conflict, which of the two decides?",
        "targets": ["category"],
        "seeds": [0],
        "world": {"name": "objects", "categories": ["mug", "chair", "car"], "instances": 60, "pose": 2}
        | {"textures": "categories", "side": 24},
        "design": {"name": "decorrelate", "test_images_per_category": 8},
        "network": SMALL,
        "training": TRAINING | {"epochs": 12},
        "recordings": {"sets": ["agreeing", "conflicting"], "layers": "none"},
        "grid": {"design.decorrelated": [0.0, 0.5, 1.0], "design.seed": [0, 1, 2]},
    },
    "replica": {  # six models on a test set, on one made like it, and before backgrounds never shown
        "title": "A test set made anew, golden",
        "question": "Which change in the making of a new test set costs accuracy?",
        "targets": ["category"],
        "seeds": [0],
        "world": {"name": "objects", "categories": ["mug", "chair", "car"], "instances": 120, "pose": 2}
        | {"backgrounds": 3, "side": 24},
        "design": {"name": "replicate", "factor": "background", "shifted": ["city 1"], "original_per_category": 8},
        "network": SMALL,
        "training": TRAINING,
        "recordings": {"sets": ["original", "replica", "shifted"], "layers": "none"},
        "grid": {
            "network.backbone": ["resnet18-w8", "resnet18-w16"],
            "training.epochs": [2, 5, 12],
            "design.seed": [0, 1, 2],
        },
    },
    "sanity": {  # do maps change with the weights, and with labels that are dealt out at random?
        "title": "Sanity checks, golden",
        "question": "Which maps depend on what a network learned?",
        "kind": "sanity",
        "seeds": [0],
        "targets": ["category"],
        "world": {"name": "shuffled", "of": {"name": "digits", "viewpoint": "position"}},
        **MAPPED,
        "design": {"name": "hold_out_combinations", "columns": "position", "seen_per_level": 8, "images": 720}
        | {"validation_images": 72, "test_images": 72, "probe_per_cell": 1},
        "explanations": {"methods": METHODS, "images": 2, "checked": 4, "orders": ["cascading"]},
        "grid": {"world.dealt": [False, True], "design.seed": [0, 1, 2]},
    },
    "looking": {  # does evidence lie on the object, before backgrounds that were seen and others?
        "title": "Where networks look, golden",
        "question": "Does the evidence leave the object where the combination was never seen?",
        "kind": "looking",
        "seeds": [0],
        "targets": ["category"],
        "world": {"name": "objects", "categories": ["mug", "chair", "car"], "instances": 40, "pose": 1}
        | {"backgrounds": 3, "side": 24},
        **MAPPED,
        "design": {"name": "hold_out_combinations", "columns": "background", "seen_per_level": 1, "images": 72}
        | {"validation_images": 9, "test_images": 18, "probe_per_cell": 1},
        "explanations": {"methods": METHODS, "images": 2, "scored": 12, "checked": 2},
        "grid": {"design.seed": [0, 1, 2]},
    },
    "concepts": {  # a class read from the image, or from concepts alone: two ways; some of them told
        "title": "Concept bottlenecks, golden",
        "question": "Does a class that is read from concepts alone hold on unseen combinations?",
        "kind": "concepts",
        "targets": ["category", "top", "middle"],
        "seeds": [0],
        "world": {
            "name": "described",
            "of": {"name": "digits", "viewpoint": "position"},
            "concepts": {"top": ["0", "2", "3", "5", "6", "7", "8"], "middle": ["2", "3", "4", "5", "6", "8"]},
        },
        "design": {"name": "hold_out_combinations", "columns": "position", "seen_per_level": 4, "images": 720}
        | {"validation_images": 72, "test_images": 144, "probe_per_cell": 1},
        **MAPPED,
        "grid": [
            {"design.seed": [0, 1, 2], "targets": [["category"]]},
            {"design.seed": [0, 1, 2], "network.sharing": ["shared", "concepts", "concepts-apart"]},
        ],
    },
}


def photos(folder: Path, each: int = 60) -> Path:
    """Three shapes of any size and place on noise, as three domains show them."""
    shapes = {
        "ball": lambda pen, box: pen.ellipse(box, fill="white"),
        "box": lambda pen, box: pen.rectangle(box, fill="white"),
        "line": lambda pen, box: pen.line(box, fill="white", width=3),
    }
    looks = {
        "drawn": lambda pixels: np.round(pixels / 128) * 128,
        "inverted": lambda pixels: 255 - pixels,
        "lit": lambda pixels: pixels * np.array([1.0, 0.7, 0.4]),
    }
    for place, (domain, look) in enumerate(looks.items()):
        for number, (shape, draw) in enumerate(shapes.items()):
            where = folder / domain / shape
            where.mkdir(parents=True, exist_ok=True)
            for copy in range(each + 4 * number):
                rng = np.random.default_rng([place, number, copy])
                image = Image.fromarray(rng.integers(0, 120, (16, 16, 3), dtype=np.uint8))
                left, top, side = (int(value) for value in rng.integers([0, 0, 6], [6, 6, 10]))
                draw(ImageDraw.Draw(image), (left, top, left + side, top + side))
                pixels = np.clip(look(np.asarray(image, np.float64)), 0, 255).astype(np.uint8)
                Image.fromarray(pixels).save(where / f"{copy:03}.png")
    return folder
