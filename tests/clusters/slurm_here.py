"""A real Slurm of two nodes on this machine: munged, slurmctld, two slurmd, without systemd, cgroups or accounting.

    python tests/clusters/slurm_here.py start FOLDER     (as root; what lacks comes by apt-get on Debian and Ubuntu)
    python tests/clusters/slurm_here.py stop FOLDER

All daemons run below FOLDER and are ended by their numbers, and by no others.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PORT = int(os.environ.get("SLURM_HERE_PORT", "26917"))
PACKAGES = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
CONF = """ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=10
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdSpoolDir={folder}/spool-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_min_interval=100000,batch_sched_delay=0
JobRequeue=1
MinJobAge=3600
SlurmctldTimeout=30
SlurmdTimeout=15
MessageTimeout=20
KillWait=5
InactiveLimit=0
ReturnToService=2
NodeName=node[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 RealMemory={memory} State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def command(*words, check=True, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr or done.stdout}")
    return done


def until(what, seconds, why):
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {seconds} s: {why}")
        time.sleep(0.2)


def family(pid):
    """A process and all below it."""
    found = [pid]
    for child in command("pgrep", "-P", pid, check=False).stdout.split():
        found += family(int(child))
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class SlurmHere:
    """The cluster below a folder."""

    nodes = ("node1", "node2")

    def __init__(self, folder):
        self.folder = Path(folder)
        self.conf = self.folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.conf), "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    def run(self, *words, check=True, **options):
        return command(*words, check=check, env=self.environment, **options)

    def start(self):
        self._install()
        (self.folder / "state").mkdir(parents=True, exist_ok=True)
        os.chmod(self.folder, 0o755)
        memory = max(1000, int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20 / 3))
        told = {"host": socket.gethostname().partition(".")[0], "folder": self.folder, "memory": memory}
        self.conf.write_text(CONF.format(**told, port=PORT, first=PORT + 1, last=PORT + 2))
        if not self._pid("munged"):
            key = self.folder / "munge.key"
            if not key.exists():
                key.touch(mode=0o600)
                key.write_bytes(os.urandom(128))
            self.run(
                "munged", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                f"--seed-file={self.folder}/munge.seed",
            )  # fmt: skip
        if not self._pid("slurmctld"):
            self.run("slurmctld", "-f", self.conf)
            until(lambda: "is UP" in self.run("scontrol", "ping", check=False).stdout, 60, "slurmctld answers")
        for node in self.nodes:
            self.back(node)
        until(self._ready, 90, "both nodes are ready")

    def back(self, node):
        """A node comes up, or comes back."""
        if not self._pid(f"slurmd-{node}"):
            (self.folder / f"spool-{node}").mkdir(exist_ok=True)
            self.run("slurmd", "-f", self.conf, "-N", node)
            self.run("scontrol", "update", f"nodename={node}", "state=resume", check=False)  # only one that was down

    def lose(self, node):
        """A machine that lost power: its slurmd, its steps and all that they run, by kill -9."""
        pids = [self._pid(f"slurmd-{node}"), *(pid for step in self._steps(node) for pid in family(step))]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        (self.folder / f"slurmd-{node}.pid").unlink(missing_ok=True)
        self.run("scontrol", "update", f"nodename={node}", "state=down", "reason=lost")  # SlurmdTimeout would say so

    def queue(self):
        return self.run("squeue", "-h", "-r", "-o", "%i %T %N").stdout.splitlines()

    def stop(self):
        if self._pid("slurmctld"):
            self.run("scancel", "-u", "root", check=False)
            with contextlib.suppress(RuntimeError):
                until(lambda: not self.queue(), 20, "the queue is empty")
        steps = [pid for node in self.nodes for step in self._steps(node) for pid in family(step)]
        for name in (*(f"slurmd-{node}" for node in self.nodes), "slurmctld", "munged"):
            if pid := self._pid(name):
                os.kill(pid, signal.SIGTERM)
                with contextlib.suppress(RuntimeError):
                    until(lambda pid=pid: not alive(pid), 15, name)
                if alive(pid):
                    os.kill(pid, signal.SIGKILL)
        for pid in steps:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _pid(self, name):
        """The number of a daemon of ours; a pid file counts only while that process was started with our folder."""
        try:
            pid = int((self.folder / f"{name}.pid").read_text())
            line = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except (OSError, ValueError):
            return 0
        return pid if str(self.folder) in line and alive(pid) else 0

    def _steps(self, node):
        """Numbers of a node's slurmstepd: they hold its log or its spool open."""
        found = []
        for pid in command("pgrep", "-x", "slurmstepd", check=False).stdout.split():
            with contextlib.suppress(OSError):
                held = {os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir()}
                places = tuple(str(self.folder / name) for name in (f"slurmd-{node}.log", f"spool-{node}/"))
                if any(one.startswith(places) for one in held):
                    found.append(int(pid))
        return found

    def _ready(self):
        told = self.run("sinfo", "-h", "-N", "-t", "idle,mixed,allocated", "-o", "%N", check=False).stdout.split()
        if len(set(told)) < len(self.nodes):
            for node in self.nodes:
                self.run("scontrol", "update", f"nodename={node}", "state=resume", check=False)
        return len(set(told)) == len(self.nodes)

    def _install(self):
        path = self.environment["PATH"]
        want = [package for tool, package in PACKAGES.items() if shutil.which(tool, path=path) is None]
        if not want:
            return
        policy = Path("/usr/sbin/policy-rc.d")  # no package starts a daemon of its own
        ours = not policy.exists()
        if ours:
            policy.write_text("#!/bin/sh\nexit 101\n")
            policy.chmod(0o755)
        try:
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            command("apt-get", "update", env=quiet)
            command("apt-get", "install", "-y", "--no-install-recommends", *want, env=quiet)
        finally:
            if ours:
                policy.unlink()


if __name__ == "__main__":
    what, where = sys.argv[1:3]
    cluster = SlurmHere(Path(where).absolute())
    getattr(cluster, what)()
    print(f"export SLURM_CONF={cluster.conf}" if what == "start" else "stopped")
