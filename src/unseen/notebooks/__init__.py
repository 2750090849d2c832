"""What Python and notebooks hold in their hands: worlds, splits and figures that show themselves.

Each is a thin cover over the library's own frozen data, which stays free of pictures and HTML.
"""

import sys
import warnings

if "IPython" in sys.modules:  # timm brings tqdm along, which asks every notebook for a widget that nothing here uses
    warnings.filterwarnings("ignore", message="IProgress not found")

from unseen.notebooks.figure import OpenedFigure
from unseen.notebooks.network import OpenedNetwork, open_network
from unseen.notebooks.split import OpenedSplit, open_split
from unseen.notebooks.world import OpenedWorld, open_world

__all__ = ["OpenedFigure", "OpenedNetwork", "OpenedSplit", "OpenedWorld", "open_network", "open_split", "open_world"]
