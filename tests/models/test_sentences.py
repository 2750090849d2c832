"""How alike categories are by a sentence encoder."""

import importlib.util

import numpy as np
import pytest
import torch

from unseen.models import sentences
from unseen.models.sentences import sentence_similarity
from unseen.vocabulary.errors import UnseenError

transformers = pytest.importorskip("transformers")
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "mug", "cup", "dog", "wine", "glass")


@pytest.fixture
def encoder(tmp_path):
    """A tiny encoder of BERT's kind with random weights, as the hub keeps one."""
    torch.manual_seed(0)
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    transformers.BertTokenizerFast(vocab=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    return tmp_path


def test_similarity_is_the_cosine_of_means_over_tokens_whatever_is_asked_beside(encoder):
    alike = sentence_similarity(["mug", "wine glass", "mug", "dog"], encoder)
    assert alike.shape == (4, 4)
    assert np.allclose(np.diag(alike), 1)
    assert alike[0, 2] == pytest.approx(1)
    assert np.allclose(alike, alike.T)
    tokens = transformers.AutoTokenizer.from_pretrained(encoder)
    model = transformers.AutoModel.from_pretrained(encoder).eval()

    def alone(text):
        with torch.inference_mode():
            return model(**tokens(text, return_tensors="pt")).last_hidden_state[0].mean(0).double().numpy()

    one, two = alone("wine glass"), alone("dog")
    assert alike[1, 3] == pytest.approx(one @ two / np.linalg.norm(one) / np.linalg.norm(two), abs=1e-5)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    with pytest.raises(UnseenError, match="no texts"):
        sentence_similarity([])
    with pytest.raises(UnseenError, match="holds no sentence encoder"):
        sentence_similarity(["mug"], tmp_path)
    monkeypatch.setattr(sentences, "PACKAGE", "no_such_package")
    with pytest.raises(UnseenError, match="unseen\\[sentences\\]"):
        sentence_similarity(["a mug of its own"])


@pytest.mark.skipif(importlib.util.find_spec(sentences.PACKAGE) is None, reason="the package of weights is not here")
def test_the_real_encoder_finds_cups_more_like_mugs_than_dogs_are():
    alike = sentence_similarity(["mug", "cup", "dog"])
    assert alike[0, 1] > alike[0, 2] + 0.1
