"""Users' own 3D models as a world: any folder, index or collection of mesh files with categories.

`references` finds what a file refers to and hashes it all; `declared` refuses what is too large before it is loaded;
`reading` brings one file into the renderer's convention by way of `parts` (what the file holds), `forms` (to tell
copies), `simplify` (fewer faces), `surface` and `seen` (normals and sides) and `atlas` (one texture). `converted` keeps
the result, and `crew` makes many of them side by side. `layouts` lists what a collection offers, `selection` chooses,
`files` remembers what was read and what is to be told; `things` puts it together, and `world` is the door.
"""
