"""Latents are recorded row by row, whatever the batch."""

import numpy as np
import torch

from unseen.recordings.latents import latents_of


def pictures(rows, device):
    return torch.as_tensor(rows, device=device).reshape(-1, 1, 1, 1).expand(-1, 1, 2, 2).to(torch.uint8)


def test_every_row_has_its_latents_in_the_order_asked_and_in_full_precision():
    rows = np.array([7, 3, 250, 0, 3])

    def encode(images):
        assert torch.is_inference_mode_enabled()
        return images.double().mean((2, 3)) * torch.tensor([[1.0, -2.0]], dtype=torch.float64)

    whole = latents_of(encode, pictures, rows, device=torch.device("cpu"))
    assert whole.dtype == np.float32
    assert whole.tolist() == [[row, -2 * row] for row in rows]
    pieces = latents_of(encode, pictures, rows, device=torch.device("cpu"), size=2)
    assert np.array_equal(whole, pieces)
