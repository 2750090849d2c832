r"""The classical bag of features: a codebook of patches, a histogram of its words, a linear classifier.

What was done before deep networks (Csurka et al. 2004, Visual categorization with bags of keypoints), on patches of a
regular grid in place of keypoints, whitened and put together by k-means as in Coates & Ng 2012 (ours: no sparse code).
It is the floor for networks of small patches (:mod:`unseen.models.bagnet`), and explains itself as exactly: each patch
is one word, a class weighs words, and the mean of what its patches' words weigh is the score.

It learns by :meth:`BagOfFeatures.fit` from images and labels and is then a function from images to scores, as
``unseen.examine`` and occlusion take one. It has no gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unseen.vocabulary.errors import UnseenError

SAMPLED = 40_000  # patches that the codebook is learned from
TOGETHER = 32  # images whose patches are cut at once
SOFT = 10.0  # added to the variance of a patch on the 0-255 scale (Coates & Ng 2012, §3)


class BagOfFeatures:
    """``patch`` and ``stride`` in pixels, so many ``words``; ``penalty`` is the strength of the classifier's L2."""

    def __init__(
        self, patch: int = 9, stride: int = 3, words: int = 200, *, penalty: float = 1e-3, seed: int = 0
    ) -> None:
        if min(patch, stride, words) < 1:
            raise UnseenError(f"patch, stride and words are one at least; given {patch}, {stride} and {words}.")
        self.patch, self.stride, self.words, self.penalty, self.seed = patch, stride, words, penalty, seed
        self._whiten: Any = None

    def fit(self, images: Any, labels: Any) -> BagOfFeatures:
        """Learn the codebook from the images, and the classifier from their histograms and ``labels`` (0, 1, …)."""
        from sklearn.cluster import MiniBatchKMeans
        from sklearn.linear_model import LogisticRegression

        from unseen.vocabulary.seeds import stream

        labels = np.asarray(labels)
        places = self._patches(images[:1]).shape[1:]
        each = places[0] * places[1]
        some = stream(self.seed, "bag of features").permutation(len(images) * each)[:SAMPLED]
        if len(some) < self.words:
            raise UnseenError(f"{self.words} words cannot be learned from {len(some)} patches; take fewer.")
        sampled = np.empty((len(some), places[2]))
        for start in range(0, len(images), TOGETHER):
            here = (some // each >= start) & (some // each < start + TOGETHER)
            cut = self._patches(images[start : start + TOGETHER]).reshape(-1, places[2])
            sampled[here] = cut[some[here] - start * each]
        self._mean = sampled.mean(0)
        values, axes = np.linalg.eigh(np.cov((sampled - self._mean).T))
        self._whiten = (axes / np.sqrt(np.maximum(values, 0) + 0.1)) @ axes.T  # ZCA; .1 as Coates & Ng 2012
        tries: Any = 1  # typed as a word in scikit-learn's stubs
        clusters: Any = MiniBatchKMeans(self.words, random_state=self.seed, n_init=tries, batch_size=4096)
        self._centres: Any = clusters.fit((sampled - self._mean) @ self._whiten).cluster_centers_
        histograms = self.histograms(images)
        self._scale = np.maximum(histograms.std(0), 1e-3)
        strength = 1 / (self.penalty * len(labels))
        found: Any = LogisticRegression(C=strength, max_iter=2000).fit(histograms / self._scale, labels)
        self.classes = found.classes_
        two = len(self.classes) == 2  # one score, of the second class
        weights, offset = (np.stack([-one, one]) / 2 if two else one for one in (found.coef_, found.intercept_))
        self._weights = weights.reshape(len(self.classes), -1) / self._scale
        self._offset = offset.reshape(-1)
        return self

    def word_maps(self, images: Any) -> np.ndarray:
        """Which word each patch is, ``[n, rows, columns]``."""
        if self._whiten is None:
            raise UnseenError("this bag of features has learned nothing yet; call fit(images, labels) first.")
        made = (self._patches(images) - self._mean) @ self._whiten
        far = (self._centres**2).sum(1) - 2 * made @ self._centres.T
        return far.argmin(-1)

    def histograms(self, images: Any) -> np.ndarray:
        """The share of each word among an image's patches, ``[n, words]``."""
        found = []
        for start in range(0, len(images), TOGETHER):
            words = self.word_maps(images[start : start + TOGETHER])
            found += [np.bincount(one.ravel(), minlength=self.words) / one.size for one in words]
        return np.stack(found)

    def __call__(self, images: Any) -> np.ndarray:
        """Unnormalised scores ``[n, classes]``."""
        return self.histograms(images) @ self._weights.T + self._offset

    def evidence(self, images: Any, label: int) -> np.ndarray:
        """What each patch's word says for a class, ``[n, rows, columns]``; its mean is the score."""
        if not 0 <= label < len(self._weights):
            raise UnseenError(f"no class {label}; this bag of features knows {len(self._weights)}, from 0.")
        return self._weights[label][self.word_maps(images)] + self._offset[label]

    def _patches(self, images: Any) -> np.ndarray:
        """Patches ``[n, rows, columns, values]``, each with its own mean and deviation taken away."""
        given = np.asarray(images, dtype=np.float64)
        if given.ndim != 4 or min(given.shape[2:]) < self.patch:
            raise UnseenError(
                f"images [n, channels, height, width] of at least {self.patch}×{self.patch} pixels were expected; "
                f"given {list(given.shape)}."
            )
        seen = np.lib.stride_tricks.sliding_window_view(given, (self.patch, self.patch), axis=(2, 3))
        cut = seen[:, :, :: self.stride, :: self.stride].transpose(0, 2, 3, 1, 4, 5)
        flat = cut.reshape(*cut.shape[:3], -1)
        return (flat - flat.mean(-1, keepdims=True)) / np.sqrt(flat.var(-1, keepdims=True) + SOFT)
