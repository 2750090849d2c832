"""Whether a process is gone can be told of those of this boot and pid namespace, and of no other."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from unseen.vocabulary.whereabouts import here, lives, surely_gone

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def test_this_process_is_here_and_not_gone():
    assert here().pid == os.getpid()
    assert not surely_gone(here())


@linux
def test_one_that_has_ended_is_gone_also_before_its_parent_buries_it():
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout.read() == b""  # it closes when it ends
    process.stdout.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not lives(process.pid)
    assert surely_gone(replace(here(), pid=process.pid))
    process.wait()
    assert surely_gone(replace(here(), pid=process.pid))


@linux
def test_a_number_that_another_process_has_by_now_is_gone():
    assert surely_gone(replace(here(), born="1"))


@linux
def test_of_another_boot_namespace_or_system_nothing_is_certain():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    for realm in ("00000000", ""):
        assert not surely_gone(replace(here(), pid=process.pid, realm=realm))
