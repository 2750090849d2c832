"""Why a worker process ended, in words: the signal or the code, what likely happened, what to try."""

from __future__ import annotations

import signal

CRASH = (
    "a crash in native code (torch or one of its libraries), not in the recipe. Try ONEDNN_MAX_CPU_ISA=AVX2 in front "
    "of the command, --workers 1, or another width of the network; please report it with the recipe"
)
MEMORY = "most likely the machine ran out of memory. Try fewer --workers, or a smaller training.batch"
STOPPED = "somebody or something (a scheduler, a time limit) asked it to end. The same command tries again"
LIKELY = {
    "SIGKILL": MEMORY,
    "SIGSEGV": CRASH,
    "SIGABRT": CRASH,
    "SIGBUS": "memory that a file or /dev/shm backs was not there (a full disk, a file cut short), or a crash in "
    "native code. Look at free disk space, then try --workers 1",
    "SIGILL": "native code used an instruction that this processor lacks. Try ONEDNN_MAX_CPU_ISA=AVX2 in front of the "
    "command, or another build of torch",
    "SIGFPE": CRASH,
    "SIGTERM": STOPPED,
    "SIGHUP": STOPPED,
    "SIGINT": STOPPED,
    "SIGXCPU": "its limit of processor time was reached (ulimit -t, or a scheduler's)",
    "SIGXFSZ": "its limit of file size was reached (ulimit -f)",
}
WINDOWS = {0xC0000005: "an access violation", 0xC0000374: "a corrupt heap", 0xC00000FD: "a stack that is full"}


def death(code: int | None, label: str) -> str:
    """What happened to the process of a trial, by its exit code (negative: a signal's number).

    >>> death(3, "seed 0")
    "the process of 'seed 0' ended with code 3: it gave no reason; see the messages above"
    """
    who = f"the process of '{label}'"
    if code is None:
        return f"{who} no longer answers: {MEMORY}"
    if code >= 0:
        likely = CRASH if code in WINDOWS else "it gave no reason; see the messages above"
        return f"{who} ended {ending(code)}: {likely}"
    return f"{who} ended {ending(code)}: {LIKELY.get(_signal(code), 'see the messages above')}"


def ending(code: int | None) -> str:
    """By what a process ended.

    >>> ending(3), ending(-9), ending(0xC0000005)
    ('with code 3', 'by SIGKILL (signal 9)', 'with code 0xc0000005 (an access violation)')
    """
    if code is None or code >= 0:
        return f"with code {code:#010x} ({WINDOWS[code]})" if code in WINDOWS else f"with code {code}"
    return f"by {_signal(code)} (signal {-code})"


def _signal(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return "a signal without a name"
