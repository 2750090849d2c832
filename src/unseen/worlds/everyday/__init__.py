"""Fifty-four everyday classes with confusable neighbours, each of several sub-types: the second set of things."""
