"""Scenes → pictures, in plain torch: one source for CPU and GPU.

`mesh` and `bank` hold what can be shown, `scene` says what is shown, `camera` and `chance` help to say it; `projection`,
`visibility`, `shadows`, `shading` and `backdrop` draw it, and `renderer` is the door.
"""
