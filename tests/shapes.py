"""The run-time type checker that ``conftest.py`` puts on every function of ``unseen``: an int serves where a float is asked."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
