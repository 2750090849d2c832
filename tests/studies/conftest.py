"""What tests of studies stand on."""

from studies_fixtures import *  # noqa: F403
