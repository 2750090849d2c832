"""The run-time checker that ``conftest.py`` puts on every function of ``unseen``.

An int may stand for a float. A wrong word where only some are possible is let through: the function itself answers it
with a sentence, and tests ask for that sentence.
"""

from functools import wraps

from beartype import BeartypeConf, beartype
from beartype.roar import BeartypeCallHintViolation

_strict = beartype(conf=BeartypeConf(is_pep484_tower=True))


def checked(function):
    careful = _strict(function)

    @wraps(function)
    def call(*arguments, **options):
        try:
            return careful(*arguments, **options)
        except BeartypeCallHintViolation as violation:
            if "typing.Literal[" not in str(violation):
                raise
            return function(*arguments, **options)

    return call
