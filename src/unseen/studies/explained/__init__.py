"""Explanations as recordings: kept by the network, what is asked, the method and the picture; drawn as a stream."""
