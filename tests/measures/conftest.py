"""Property tests here check numbers, not speed: on a busy machine a deadline would fail them at random."""

from hypothesis import settings

settings.register_profile("measures", settings(), deadline=None)
settings.load_profile("measures")
