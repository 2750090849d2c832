"""Collections of meshes as people have them on disk: which files, of what category, which way up.

`table` lists the layouts, tells which one a folder has, and is the door; each other module reads one or two of them.
Only the standard library is used: a machine that draws may have little else.
"""
