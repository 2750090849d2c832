"""Cars in streets: body models (``bodies``, ``individuals``), what stands in a street, and the world of both."""
