"""Scenes → pictures, in plain torch: one source for CPU and GPU.

`mesh` and `bank` hold what can be shown, `scene` says what is shown; `camera`, `chance`, `lighting` and `staging` help
to say it. `projection`, `visibility`, `shadows`, `textures`, `shading` and `backdrop` draw it, `planning` cuts a batch
into chunks, and `renderer` is the door.
"""
