"""Worlds that learn to draw: generators trained against a critic (Goodfellow et al. 2014; Isola et al. 2017).

A generator belongs to its world as a renderer does, and no trial asks it anything; so it lives here and not among the
models. It is learned when its pictures are first asked for, and kept in the cache.
"""
