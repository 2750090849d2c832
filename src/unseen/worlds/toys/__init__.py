"""Toy worlds with published grids: dSprites, 3D Shapes and MPI3D, drawn anew on demand or read from the official files.

Either way a world has the same factors, names, order and levels, and its row numbers are the indices of the official
arrays: :mod:`.dsprites`, :mod:`.shapes3d` and :mod:`.mpi3d` say what a row shows, :mod:`.archives` reads official files
without holding them in memory, and :mod:`.official` makes them worlds.
"""
