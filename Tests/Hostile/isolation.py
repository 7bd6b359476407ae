"""A test on its own: numbers of processes and control groups that nobody else has, and no process that outlives it.

The process that calls `enter` waits outside until all is over. The first process inside waits for those whose parent
has ended, as the machine's own does, and when it ends, the kernel ends all others. The third one is the test.
"""

import contextlib
import os
import secrets
import signal
import sys

import machine
from patience import eventually

NEW_PROCESSES, NEW_GROUPS = 0x20000000, 0x2000000
SET_PARENT_DEATH_SIGNAL = 1
NAMED, UNIFIED = "/sys/fs/cgroup/systemd", "/sys/fs/cgroup"


def hierarchy():
    """Where a service manager has its control groups."""
    return NAMED if os.path.isdir(NAMED) else UNIFIED


def enter():
    """Goes on in a process inside, with mounts of its own (machine.leave); what called it ends as that one ends."""
    group = f"{hierarchy()}/keychain-test-{secrets.token_hex(8)}"
    os.mkdir(group)
    sys.stdout.flush()
    machine.check(machine.libc.unshare(NEW_PROCESSES), "unshare")
    first = os.fork()
    if first:
        wait_outside(first, group)
    begin_inside(group)
    test = os.fork()
    if test:
        wait_inside(test)
    end_with_parent()
    machine.leave()
    machine.mount("proc", "/proc", "proc")
    machine.cover(hierarchy(), group)


def wait_outside(first, group):
    """Ends as the first process inside does, and removes the control group."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGTERM))
    _, status = os.waitpid(first, 0)
    eventually(lambda: is_removed(group), f"processes remain in {group}")
    os._exit(code(status))


def is_removed(group):
    """Whether a control group has gone, with those below it; its last process may just be ending."""
    with contextlib.suppress(OSError):
        for folder, _, _ in os.walk(group, topdown=False):
            os.rmdir(folder)
    return not os.path.exists(group)


def begin_inside(group):
    end_with_parent()
    with open(f"{group}/cgroup.procs", "w") as file:
        file.write("0")
    machine.check(machine.libc.unshare(NEW_GROUPS), "unshare")


def end_with_parent():
    machine.check(machine.libc.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0), "prctl")


def wait_inside(test):
    """Waits for every process that is left to it until the test ends, and ends as that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(test, signal.SIGTERM))
    process = 0
    while process != test:
        process, status = os.wait()
    os._exit(code(status))


def code(status):
    value = os.waitstatus_to_exitcode(status)
    return value if value >= 0 else 128 - value
