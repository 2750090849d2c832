"""The command line keeps freed memory for the next tensor; what the user set in the environment stays."""

import os
import subprocess
import sys

import pytest

ASK = """
import os
{before}
from unseen.cli.memory import SETTINGS, keep_freed_memory
print(keep_freed_memory(), [os.environ.get(name) for name, _ in SETTINGS.values()])
"""


def told(before=""):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    command = [sys.executable, "-c", ASK.format(before=before)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=clean)
    return run.stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_it_is_settled_for_this_process_and_those_it_starts():
    said = told()
    if said.startswith("False"):
        pytest.skip("another C library")
    assert said.startswith("True ['1073741824'")


def test_what_the_user_set_is_left_alone():
    assert told("os.environ['MALLOC_TOP_PAD_'] = '5'") == "False [None, None, '5']"


def test_another_system_is_left_alone():
    assert told("import sys; sys.platform = 'darwin'") == "False [None, None, None]"
