"""Objects made by rule: solids to build with (:mod:`.primitives`), and categories of things built from them
(:mod:`.categories`), each with unlimited instances. Numpy only."""
