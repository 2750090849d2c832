"""Accuracy on an original test set against a new one, over many models."""
