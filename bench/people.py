"""People and networks of the released trials: accuracy, error consistency, shape bias, as tables of numbers.

    python -m bench.people --data ../shared/data --lite answers --out docs/results/geirhos2019

``--data`` holds ``human_model_vs_human`` and ``texture_vs_shape`` with their packed trials; ``--lite`` the answers of
``bench.cue_conflict``. Rules are those of the released code (modelvshuman/plotting, bethgelab/model-vs-human): a
missing answer is wrong; benchmark means leave out conditions that are undistorted or at which people are below .2; κ is
computed for each condition and person, then averaged over conditions, people and data sets.
"""

from __future__ import annotations

import argparse
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from unseen.kinds.comparison.answers import Answers, Group, answers_of
from unseen.measures import (
    expected_consistency,
    kappa,
    mean_interval,
    pair_counts,
    proportion_interval,
    shape_bias,
)
from unseen.studies.trial_files import read_trials
from unseen.vocabulary.subjects import PEOPLE

OUTSIDE = {  # conditions that the released benchmark leaves out (plot.py, EXCLUDE_CONDITIONS), as our files spell them
    "colour": ["cr"],
    "contrast": ["c100", "c03", "c01"],
    "high-pass": ["inf", "0.55", "0.45", "0.4"],
    "low-pass": ["0", "15", "40"],
    "phase-scrambling": ["0", "150", "180"],
    "power-equalisation": ["0"],
    "false-colour": ["true"],
    "rotation": ["0"],
    "eidolonI": ["1-10-10", "64-10-10", "128-10-10"],
    "eidolonII": ["1-3-10", "32-3-10", "64-3-10", "128-3-10"],
    "eidolonIII": ["1-0-10", "16-0-10", "32-0-10", "64-0-10", "128-0-10"],
    "uniform-noise": ["0.00", "0.60", "0.90"],
}
CUES = "cue-conflict"
ASKED_HERE = (CUES, "edge", "silhouette")
THEIRS = "style-transfer-512-nomask-experiment"  # the cue conflicts of texture-vs-shape


def unpacked(archive: Path, to: Path) -> Path:
    with tarfile.open(archive) as packed:
        packed.extractall(to, filter="data")
    return to / "raw-data"


def answers(*places: Path) -> Answers:
    """Of folders and files together: names of images are brought to one form."""
    trials = read_trials(places)
    return answers_of(trials.frame, list(trials.factors))


def conditions(one: Answers, name: str) -> Iterator[np.ndarray]:
    """The images of each condition that the benchmark counts."""
    if name not in OUTSIDE:
        yield np.ones(len(one.images), dtype=bool)
        return
    levels, places = one.factors["condition"]
    if strange := set(OUTSIDE[name]) - set(levels):
        raise SystemExit(f"{name}: conditions {sorted(strange)} are not among {levels}")
    for place, level in enumerate(levels):
        if level not in OUTSIDE[name]:
            yield places == place


def row_of(one: Answers, name: str, group: Group, people: Group) -> dict[str, object]:
    """Accuracy and error consistency of a subject on a data set."""
    counted = [*conditions(one, name)]
    inside = np.any(counted, axis=0)
    places = list(group.members)
    each = one.right[places].mean(1)
    out = one.right[places][:, inside]
    own = (
        mean_interval(each)
        if len(places) > 1
        else proportion_interval(int(one.right[places].sum()), one.right.shape[1])
    )
    ood = mean_interval(out.mean(1)) if len(places) > 1 else proportion_interval(int(out.sum()), out.size)
    kappas, observed, undefined = consistency(one, counted, group, people)
    ks = mean_interval(kappas)
    return {
        "data set": name, "subject": group.name, "kind": group.kind,
        "persons": len(places) if group.kind == PEOPLE else 0,
        "images": len(one.images), "trials": int(one.asked[places].sum()),
        "accuracy": own.value, "low": own.low, "high": own.high, "n": own.n,
        "benchmark accuracy": ood.value, "benchmark low": ood.low, "benchmark high": ood.high,
        "benchmark images": int(inside.sum()), "conditions": len(counted),
        "kappa": ks.value, "kappa low": ks.low, "kappa high": ks.high, "people": ks.n,
        "observed consistency": observed, "undefined": undefined,
    }  # fmt: skip


def consistency(one: Answers, counted: list[np.ndarray], group: Group, people: Group) -> tuple[np.ndarray, float, int]:
    """κ with each person, the mean over conditions; of people, of each with the others."""
    found, observed, undefined = [], [], 0
    for person in people.members:
        others = [member for member in group.members if member != person]
        values = []
        for member in others:
            for here in counted:
                counts = pair_counts(one.right[member][here], one.right[person][here])
                same = (counts.both + counts.neither) / counts.n
                expected = expected_consistency(*counts.accuracies)
                undefined += expected == 1
                values.append(kappa(same, expected, released=True))
                observed.append(same)
        found.append(np.mean(values))
    return np.array(found), float(np.mean(observed)), undefined


def bias_rows(one: Answers, source: str) -> Iterator[dict[str, object]]:
    """Shape bias of each subject, pooled and by shape category."""
    cues = []
    for name in ("shape", "texture"):
        levels, places = one.factors[name]
        cues.append(np.array([one.classes.index(level) for level in levels])[places])
    shape, texture = cues
    for group in one.groups:
        who, image = np.nonzero(one.asked[list(group.members)])
        said = one.response[list(group.members)][who, image].astype(np.int64)
        person = who if len(group.members) > 1 else None
        for category in (None, *np.unique(shape).tolist()):
            here = np.ones(len(image), dtype=bool) if category is None else shape[image] == category
            found = shape_bias(
                shape[image][here], texture[image][here], said[here], None if person is None else person[here]
            )
            yield {
                "source": source, "subject": group.name, "category": "" if category is None else one.classes[category],
                "bias": found.bias.value, "low": found.bias.low, "high": found.bias.high, "n": found.bias.n,
                "persons": len(group.members) if group.kind == PEOPLE else 0, "shape": found.shape,
                "texture": found.texture, "neither": found.neither, "agreeing": found.agreeing,
            }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lite", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        theirs = unpacked(next((told.data / "human_model_vs_human").glob("raw*.tar.xz")), Path(folder) / "a")
        first = unpacked(told.data / "texture_vs_shape" / "raw-data.tar.xz", Path(folder) / "b")
        rows = []
        for path in sorted(one for one in theirs.iterdir() if one.name != "performances"):
            one = answers(path)
            people = next(group for group in one.groups if group.kind == PEOPLE)
            rows += [row_of(one, path.name, group, people) for group in one.groups]
            print(path.name, len(one.images), flush=True)
        biases = [*bias_rows(answers(first / THEIRS), "texture-vs-shape")]
        biases += bias_rows(answers(first / f"{THEIRS}-trained-CNNs"), "texture-vs-shape, trained")
        biases += bias_rows(answers(theirs / CUES), "model-vs-human")
        if told.lite is not None:
            biases += bias_rows(answers(*sorted(told.lite.glob(f"{CUES}_*.csv"))), "here")
            for name in ASKED_HERE:
                one = answers(theirs / name, *sorted(told.lite.glob(f"{name}_*.csv")))
                if len(one.images) != len(answers(theirs / name).images):
                    raise SystemExit(f"{name}: answers of {told.lite} are about other images than those of {theirs}")
                people = next(group for group in one.groups if group.kind == PEOPLE)
                lite = [group for group in one.groups if "lite" in group.name]
                rows += [{**row_of(one, name, group, people), "kind": "here"} for group in lite]
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(told.out / "datasets.parquet")
    pl.DataFrame(biases, infer_schema_length=None).write_parquet(told.out / "biases.parquet")


if __name__ == "__main__":
    main()
