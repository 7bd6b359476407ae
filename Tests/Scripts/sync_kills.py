"""Kills a command about a circle, or a daemon that works for it, at one of its syncs to disk."""

import os
import pathlib
import shlex
import subprocess

from ordinary_parts import as_user
from patience import PATIENCE, eventually
from sync_parts import PASSCODE

# The calls after which something is on disk that was not there before. The tracer counts them for each thread.
SYNCS = "fsync,fdatasync,rename,renameat,renameat2,linkat"


def is_traced(log):
    """Whether the tracer that writes this file still follows somebody."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == b"strace" and log.encode() in words:
            return True
    return False


def is_killed(machine, when, *words):
    """Whether a command has a thread with so many syncs: its process is killed there, be it the command or a daemon."""
    machine.end()
    log, said = f"{machine.temporary}/killed", f"{machine.temporary}/said"
    command = f"security unlock-keychain -p {PASSCODE} && exec security sync {shlex.join(words)}"
    with open(said, "wb") as output:
        # A pipe would be held by daemons. The tracer notes each call that never came back, and goes on with them.
        done = subprocess.run(
            ["strace", "-D", "-f", "-q", "-o", log, "-e", "signal=none", "-e", f"trace={SYNCS}"]
            + ["-e", f"inject={SYNCS}:signal=KILL:when={when}", "sh", "-c", command],
            stdout=output,
            stderr=output,
            env=machine.environment,
            timeout=PATIENCE,
            preexec_fn=as_user,
        )
    machine.end()
    eventually(lambda: not is_traced(log), "the tracer does not end")
    is_so = " = ?" in pathlib.Path(log).read_text()
    assert is_so or done.returncode == 0, (done, pathlib.Path(said).read_text())
    machine.must("unlock-keychain", "-p", PASSCODE)
    return is_so
