"""What it costs to close a model's gaps: a study beside an examination, of a new last layer on its features."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unseen.kinds.variability.read import CANONICAL, SAMPLES, Gaps, read
from unseen.kinds.weaknesses.closing import FOLDER, Closed, Closing, note_closing
from unseen.kinds.weaknesses.models_examined import short_name
from unseen.measures import mean_interval
from unseen.reports.words import has_interval
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import EachVaried, Varied
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sections import NetworkSection

RECIPE = "closing"  # the one that ships
MOST_CLASSES = 20
IMAGES_EACH = 20  # the design's default


def closing_study(examined: Study, name: str, settings: Any = ()) -> Study:
    """The study that asks what closes the gaps of one of the models of an examination: classes, size, meshes and
    factors are those of the examination. ``settings`` change it, as in ``{"world.instances": 12}``."""
    from unseen.engines import open_study
    from unseen.studies.recipe_files import find_recipe
    from unseen.vocabulary.recipe import own_tables

    recipe = examined.recipe
    if recipe.world.name != "natural-variation":
        raise UnseenError(
            f"--closing needs objects that can be shown otherwise, and the world here is '{recipe.world.name}'; leave "
            f"--world and --folder out, or give your objects with --meshes PATH."
        )
    tables = dict(own_tables(find_recipe(RECIPE)))
    tables["network"] = _network(examined, name)
    own = recipe.world.arguments
    world = {key: value for key, value in tables["world"].items() if key not in ("classes", "collection", "side")}
    world |= {key: own[key] for key in ("meshes", "collection", "side", "seed", "environment") if key in own}
    if "classes" in own:
        world["classes"] = _some(own["classes"])
    elif "meshes" in own:
        world["classes"] = MOST_CLASSES
    tables["world"] = world
    facts = EachVaried.of(examined.split(examined.points[0]).facts)
    varied = [one for one in facts.varied if one in tables["grid"][1]["design.vary"]]
    grid = [dict(one) for one in tables["grid"]]
    grid[1]["design.vary"] = varied
    tables["grid"] = grid
    tables["title"] = f"What would close the gaps of {short_name(name)}?"
    slug = re.sub(r"[^\w.+-]+", "-", short_name(name)).strip("-.")[:80] or "model"
    return open_study(tables, out=examined.path / FOLDER / slug, settings=settings)


def _network(examined: Study, name: str) -> dict[str, Any]:
    """``[network]`` as the examination has it."""
    said = examined.recipe.network.model_dump(mode="json", exclude_unset=True)
    known = {key: value for key, value in said.items() if key in NetworkSection.model_fields}
    return {**known, "model": name}


def _some(classes: Any) -> Any:
    """At most so many classes, spread over those that were examined.

    >>> _some(["a", "b"]), len(_some([str(n) for n in range(52)]))
    (['a', 'b'], 20)
    """
    if isinstance(classes, int):
        return min(classes, MOST_CLASSES)
    places = np.linspace(0, len(classes) - 1, min(len(classes), MOST_CLASSES)).round().astype(int)
    return [classes[place] for place in places]


def closing_of(study: Study, name: str) -> Closing:
    """What a finished study of one model found."""
    found = read(study)
    gaps, facts = found.gaps, Varied.of(found.trials[0].split_facts)
    if not gaps.networks:
        raise UnseenError(f"study '{study.path}' has no gaps to tell.")
    network = gaps.networks[0]
    rows: list[Closed] = []
    for factor in gaps.factors:
        shown = [(0.0, CANONICAL, ()), *((share, SAMPLES, (factor,)) for share in gaps.shares(SAMPLES))]
        for share, regime, vary in shown:
            rows += _closed(gaps, network, factor, share, regime, vary)
    known = mean_interval(gaps.of(network, CANONICAL, (), measure="accuracy"))
    design = study.recipe.design.arguments
    classes = len(study.world(study.points[0]).samples.space["category"])
    return Closing(
        short_name(name), float(known.value), tuple(rows), classes, int(facts.objects),
        int(design.get("images_per_object", IMAGES_EACH)),
    )  # fmt: skip


def _closed(gaps: Gaps, network: Any, factor: str, share: float, regime: str, vary: tuple[str, ...]) -> list[Closed]:
    values = gaps.of(network, regime, (factor,), vary=vary, share=share)
    if not np.isfinite(values).any():
        return []
    one = mean_interval(values)
    bounded = has_interval(one.low, one.high)
    return [
        Closed(
            factor, share, float(one.value), float(one.low) if bounded else None,
            float(one.high) if bounded else None, one.n,
        )
    ]  # fmt: skip


def close(
    examined: Study,
    models: Sequence[str],
    run: Callable[[Study], Any],
    settings: Any = (),
    tell: Callable[[str], None] = lambda words: None,
) -> list[Closing]:
    """Ask of every model what closes its gaps, and keep it beside the examination. A model that tells no features is
    told and left out: the page stays."""
    made = []
    for name in models:
        study = closing_study(examined, name, settings)
        try:
            run(study)
            made.append(closing_of(study, name))
        except UnseenError as error:
            tell(f"what would close the gaps of {short_name(name)} was not found: {error}")
    note_closing(examined.path, made)
    return made
