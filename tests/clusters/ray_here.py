"""A real Ray of two nodes on this machine; its processes are ended by number (`ray stop` ends everybody's)."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from slurm_here import alive, family

PORT = int(os.environ.get("RAY_HERE_PORT", "26479"))


class RayHere:
    """A head and a second node, each with room for two workers."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # its sockets want a short path
        self.address = f"127.0.0.1:{PORT}"
        self.nodes = []
        self.environment = {**os.environ, "RAY_ADDRESS": self.address, "RAY_DISABLE_IMPORT_WARNING": "1"}
        self.environment |= {"RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0", "RAY_USAGE_STATS_ENABLED": "0"}

    def start(self):
        self._node("--head", f"--port={PORT}", "--include-dashboard=false", f"--temp-dir={self.folder}")
        self._node(f"--address={self.address}")

    def _node(self, *words):
        began = self._raylets()
        command = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", *words]
        command += ["--num-cpus=2", "--node-ip-address=127.0.0.1", "--object-store-memory=100000000", "--block"]
        log = (self.folder / f"node{len(self.nodes)}.log").open("ab")
        environment = {key: value for key, value in self.environment.items() if key != "RAY_ADDRESS"}
        process = subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
        log.close()
        self.nodes.append(process)
        deadline = time.monotonic() + 180
        while not self._raylets() - began:
            if process.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / f"node{len(self.nodes) - 1}.log").read_text()[-500:]
                raise RuntimeError(f"a node does not start: {said}")
            time.sleep(0.5)

    def _raylets(self):
        return {pid for node in self.nodes if node.poll() is None for pid in family(node.pid) if _is(pid, "raylet")}

    def lose(self, number):
        """A machine that lost power: all its processes, by kill -9."""
        for pid in [self.nodes[number].pid, *family(self.nodes[number].pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.nodes[number].wait()

    def stop(self):
        for number in reversed(range(len(self.nodes))):
            pids = family(self.nodes[number].pid)
            if self.nodes[number].poll() is None:
                self.nodes[number].terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.nodes[number].wait(20)
            for pid in pids:
                if alive(pid):
                    os.kill(pid, signal.SIGKILL)
            self.nodes[number].wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _is(pid, name):
    with contextlib.suppress(OSError):
        return name in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    return False
