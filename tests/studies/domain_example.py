"""A study that leaves one domain out, with finished trials written by hand through the real store; and the folder of
pictures it is of."""

from __future__ import annotations

import numpy as np
from PIL import Image
from trials_by_hand import write_by_hand

from unseen.studies.study import Study
from unseen.vocabulary.recipe import recipe_from

DOMAINS = ("art", "cartoon", "photo", "sketch")
CATEGORIES = ("cat", "dog", "owl")


def folder_of(path, counts):
    """A tiny grey picture per image: ``counts[domain][category]`` of each."""
    for domain, by_category in counts.items():
        for category, n in by_category.items():
            for number in range(n):
                place = path / domain / category / f"{number:03}.png"
                place.parent.mkdir(parents=True, exist_ok=True)
                key = [len(domain), *domain.encode(), *category.encode(), number]
                pixels = np.random.default_rng(key).integers(0, 255, (8, 8), dtype=np.uint8)
                Image.fromarray(pixels).save(place)
    return path


def even(n=40, domains=DOMAINS, categories=CATEGORIES):
    return {domain: dict.fromkeys(categories, n) for domain in domains}


def tables(root, **changes):
    made = {
        "title": "Domains by hand", "question": "Is the category recognised in a domain that was never seen?",
        "seeds": [0, 1, 2],
        "world": {"name": "folder", "root": str(root), "template": "{domain}/{category}/*.png"},
        "design": {"name": "leave_one_out", "factor": "domain", "shares": [0.4, 0.1, 0.5]},
        "recordings": {"layers": "none"}, "network": {"backbone": "resnet18-w8", "stem": "small"},
        "grid": {"design.left_out": [*DOMAINS, "none"]},
    }  # fmt: skip
    return made | changes


def study_of(root, path, **changes):
    return Study(recipe_from(tables(root, **changes)), path)


def known(left_out, domain, seed):
    """Cartoons and sketches need to be seen, photos do not, and art is easy for all."""
    base = {"art": 0.9, "cartoon": 0.8, "photo": 0.7, "sketch": 0.6}[domain] + 0.02 * (seed - 1)
    spread = 0.02 * (seed % 3 - 1)
    lost = {"art": 0.0, "cartoon": 0.3 + spread, "photo": 0.0, "sketch": 0.25 - spread}[domain]
    lost = lost if domain == left_out else 0
    return base - lost + (0.1 * (seed - 1) if domain == left_out == "photo" else 0)


def by_hand(study, accuracy=known, only=lambda trial: True):
    """Write every trial of a study as finished; of the images of each domain the first so many are named right."""
    for trial in filter(only, study.trials):
        write_trial(study, trial, accuracy)
    return study


def write_trial(study, trial, accuracy):
    split, samples, (target,) = study.split(trial), study.world(trial).samples, study.targets(trial)
    factor = split.factors[1]

    def answer(asked, rows, truth):
        domain, found = samples.levels(factor, rows), truth.copy()
        for number in np.unique(domain):
            here = np.flatnonzero(domain == number)
            here = here[np.argsort(rows[here] * 7919 % 104729)]  # of all categories alike
            right = accuracy(split.facts["left_out"], samples.space[factor].levels[number], trial.seed)
            wrong = here[round(right * len(here)) :]
            found[wrong] = (truth[wrong] + 1) % len(target.classes)
        return found

    write_by_hand(study, trial, "folder", answer)
