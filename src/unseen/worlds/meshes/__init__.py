"""Users' own 3D models as a world: any folder or index of OBJ, glTF, GLB, STL and PLY files with categories.

`references` finds what a file refers to and hashes it all, `reading` brings one file into the renderer's convention by
way of `parts` (what the file holds), `simplify` (fewer faces), `surface` (normals and sides) and `atlas` (one texture);
`converted` keeps the result, `index` lists what a folder offers, and `world` is the door.
"""
