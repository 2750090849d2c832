"""Subjects side by side, on the same images: networks, models, people; from studies and from files of answers."""
