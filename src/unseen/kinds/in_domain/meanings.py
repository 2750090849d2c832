"""What a factor means to a person: colour, position, size. R² is told by it, since some kinds of factor are easier.

``Factor.kind`` says how levels are ordered (nominal, ordinal, circular), not what they are of. The published worlds are
listed, because their names mislead: the *orientation* of 3D Shapes is where the camera stands, the two *axes* of MPI3D
move the object through the picture. A factor of any other world is told by the words of its name (``position_x``,
``hat_colour``), and one whose name says nothing known stands for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unseen.measures import factor_kinds

MEANINGS: Mapping[str, Mapping[str, str]] = {  # ours
    "dsprites": {
        "shape": "shape",
        "scale": "size",
        "orientation": "orientation",
        "position_x": "position",
        "position_y": "position",
    },
    "shapes3d": {
        "floor_hue": "colour",
        "wall_hue": "colour",
        "object_hue": "colour",
        "scale": "size",
        "shape": "shape",
        "orientation": "viewpoint",
    },
    "mpi3d": {
        "object_color": "colour",
        "object_shape": "shape",
        "object_size": "size",
        "camera_height": "viewpoint",
        "background_color": "colour",
        "horizontal_axis": "position",
        "vertical_axis": "position",
    },
}


def meanings(world: str, names: Sequence[str]) -> dict[str, str]:
    """The meaning of each factor of a world.

    >>> meanings("shapes3d", ["wall_hue", "orientation"])
    {'wall_hue': 'colour', 'orientation': 'viewpoint'}
    >>> meanings("mine", ["hat_colour", "orientation", "mood"])
    {'hat_colour': 'colour', 'orientation': 'orientation', 'mood': 'mood'}
    """
    known = MEANINGS.get(world, {})
    guessed = factor_kinds(names, {name: known[name] for name in names if name in known})
    return {name: name if meaning == "other" else meaning for name, meaning in zip(names, guessed)}
