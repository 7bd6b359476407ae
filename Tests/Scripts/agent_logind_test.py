"""keychain-agent watches sessions of a real logind (elogind), which has nothing of the machine but its processor.

usage: agent_logind_test.py KEYCHAIN-AGENT, in a mount namespace of its own; ELOGIND, ELOGIND_LIBRARIES and
HOST_NAMESPACE (the mount namespace of the machine) in the environment. agent_logind_test.sh does all that.
"""

import contextlib
import os
import subprocess
import sys
import tempfile

from agent_parts import PROGRAM, Agent, expect, run
from bus_parts import Bus, running
from patience import eventually

NAME, ROOT = "org.freedesktop.login1", "/org/freedesktop/login1"
# In this order. A folder of its own in place of every hierarchy that elogind would mount: those are the whole
# machine's.
MOUNTS = ["/run", "/sys/fs/cgroup", "/sys/fs/cgroup/elogind", "/sys/fs/cgroup/unified"]


def isolate():
    """Puts empty folders in place of what logind writes to; never on the machine itself."""
    own, host = os.readlink("/proc/self/ns/mnt"), os.environ.get("HOST_NAMESPACE")
    if not host or own == host or os.getpid() != 1:
        sys.exit("agent_logind_test.py: not in namespaces of its own; start agent_logind_test.sh")
    for folder in MOUNTS:
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "test", folder], check=True)
    # Where elogind looks for the group it is in: the root of a hierarchy that the kernel does not have.
    with open("/run/groups", "w") as groups:
        groups.write("1:name=elogind:/\n")
    subprocess.run(["mount", "--bind", "/run/groups", "/proc/1/cgroup"], check=True)


class Logind:
    def __init__(self, bus, stack):
        self.bus, self.stack = bus, stack
        stack.enter_context(
            running(
                os.environ["ELOGIND"],
                ready=lambda: bus.has(NAME),
                LD_LIBRARY_PATH=os.environ["ELOGIND_LIBRARIES"],
                DBUS_SYSTEM_BUS_ADDRESS=bus.address,
            )
        )
        self.manager = bus.interface(NAME, ROOT, NAME + ".Manager")

    def paths(self):
        return [session[4] for session in self.manager.ListSessions()]

    def begin(self, kind, service, display="", remote=False, role="user"):
        return Session(self, kind, service, display, remote, role)


class Session:
    """A session of this user, there until it is left."""

    def __init__(self, logind, kind, service, display, remote, role):
        self.logind, dbus = logind, logind.bus.dbus
        # A process leads one session only.
        leader = logind.stack.enter_context(running("sleep", "infinity", ready=lambda: True))
        self.name, self.path, _, descriptor, *_ = logind.manager.CreateSession(
            dbus.UInt32(os.getuid()),
            dbus.UInt32(leader.pid),
            service,
            kind,
            role,
            "",
            "",
            dbus.UInt32(0),
            "",
            display,
            remote,
            "",
            "",
            dbus.Array([], signature="(sv)"),
        )
        self.descriptor = descriptor.take()
        self.object = logind.bus.interface(NAME, self.path, NAME + ".Session")

    def leave(self):
        os.close(self.descriptor)
        eventually(lambda: self.path not in self.logind.paths(), "the session stays although it was left")


def sessions():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        bus = Bus(folder, stack)
        logind = Logind(bus, stack)
        logind.begin("x11", "gdm", display=":9", role="greeter")
        ssh = logind.begin("tty", "sshd", remote=True)
        with Agent(PROGRAM, "--pinentry", "none", "--alone", DBUS_SYSTEM_BUS_ADDRESS=bus.address) as agent:

            def watches(session):
                eventually(lambda: agent.report()["session"] == session.path, f"{session.path} is not watched")

            watches(ssh)
            held = eventually(
                lambda: [each for each in logind.manager.ListInhibitors() if each[1] == "Keychain"],
                "sleep is not held up",
            )
            expect(held[0][0] == "sleep" and held[0][3] == "delay", f"what is held up: {held}")
            desktop = logind.begin("x11", "gdm-password", display=":10")
            watches(desktop)
            ssh.object.Lock()
            for change, wanted in [
                (desktop.object.Lock, "locked"),
                (desktop.object.Unlock, "unlocked"),
                (lambda: desktop.object.SetLockedHint(True), "locked"),
                (lambda: desktop.object.SetLockedHint(False), "unlocked"),
                (lambda: logind.manager.LockSession(desktop.name), "locked"),
                (lambda: logind.manager.UnlockSession(desktop.name), "unlocked"),
            ]:
                change()
                expect(agent.next_event() == wanted, f"the session is not {wanted}")
            desktop.leave()
            watches(ssh)
            # An end that counted as locked would be told before this.
            ssh.object.Unlock()
            expect(agent.next_event() == "unlocked", "the end of one of two sessions counts as locked")
            ssh.leave()
            expect(agent.next_event() == "ended", "the end of the last session does not count as a logout")
            expect(agent.report()["session"] == "", "a session that has ended is watched")
            again = logind.begin("tty", "login")
            watches(again)
            again.object.Lock()
            expect(agent.next_event() == "locked", "the lock of a later session is not news")


if __name__ == "__main__":
    isolate()
    run([sessions])
