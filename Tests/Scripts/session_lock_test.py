"""The system service locks a keychain with its user's session at logind, and at the end of the last one. A logout from
a desktop also closes what its programs have stored.

usage: session_lock_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import sys

from bus_parts import Bus
from patience import eventually
from system_service_parts import FAILED, Desktop, Service, check, connected

import machine  # isort: skip
from deployment import ENCLAVE, OTHER, VICTIM  # isort: skip

NAME, ROOT = "org.freedesktop.login1", "/org/freedesktop/login1"
# Where every program looks for the system's bus.
FOLDER = "/run/dbus"


def is_closed(d, program, user=VICTIM):
    return not d.has(program, user=user) and "locked" in d.said


def opens(d, program, user=VICTIM):
    done = d.run(program, "unlock-keychain", text="1234567\n", user=user)
    return done.returncode == 0 and d.has(program, user=user)


def sessions(d, bus):
    logind = bus.interface(NAME, ROOT, "org.freedesktop.DBus.Mock")
    program = d.install("program")
    for user in (VICTIM, OTHER):
        d.store(program, user=user)
        d.run(program, "set-keychain-password", "-p", "1234567", user=user)
    check("a user without a session has an open keychain", d.has(program), d.said)
    for name, user in (("c1", OTHER), ("c2", VICTIM)):
        logind.AddSession(name, "seat0", user, "user", True)
        logind.EmitSignal(NAME + ".Manager", "SessionNew", "so", [name, f"{ROOT}/session/{name}"])
    seen = eventually(lambda: "session/c2, by logind" in d.run(program, "status").stdout)
    check("status names the session of the keychain's user", seen)
    others, session = (bus.interface(NAME, f"{ROOT}/session/{name}", NAME + ".Session") for name in ("c1", "c2"))
    others.Lock()
    closed = eventually(lambda: is_closed(d, program, OTHER))
    check("the lock of another user's session locks that user's keychain alone", closed and d.has(program), d.said)
    check("the passcode opens it, locked session or not", opens(d, program, OTHER), d.said)
    session.Lock()
    check("the lock of the session locks the keychain", eventually(lambda: is_closed(d, program)))
    check("another user's stays open", d.has(program, user=OTHER), d.said)
    session.Unlock()
    check("the passcode opens it", opens(d, program), d.said)
    logind.RemoveObject(f"{ROOT}/session/c2")
    logind.EmitSignal(NAME + ".Manager", "SessionRemoved", "so", ["c2", f"{ROOT}/session/c2"])
    check("the end of the last session locks it", eventually(lambda: is_closed(d, program)))
    check("the passcode opens it without a session", opens(d, program), d.said)


class Sessions:
    """The victim's sessions at logind."""

    def __init__(self, d, bus, program):
        self.d, self.bus, self.program = d, bus, program
        self.logind = bus.interface(NAME, ROOT, "org.freedesktop.DBus.Mock")

    def begin(self, name, kind):
        self.logind.AddSession(name, "seat0", VICTIM, "user", True)
        self.mock(f"session/{name}").UpdateProperties(NAME + ".Session", {"Type": kind})
        self.tell("SessionNew", name)

    def end(self, name):
        self.logind.RemoveObject(f"{ROOT}/session/{name}")
        self.tell("SessionRemoved", name)

    def tell(self, signal, name):
        self.logind.EmitSignal(NAME + ".Manager", signal, "so", [name, f"{ROOT}/session/{name}"])

    def mock(self, path):
        return self.bus.interface(NAME, f"{ROOT}/{path}", "org.freedesktop.DBus.Mock")

    def watches(self, name):
        """Whether this session is the one that counts."""
        return eventually(lambda: f"session/{name}, by logind" in self.d.run(self.program, "status").stdout)


def logouts(d, bus, desktop):
    """What a desktop's program has stored, at the ends of sessions of several kinds."""
    program = d.path("bin", "program")
    sessions = Sessions(d, bus, program)
    desktop.store()
    check("a program of the desktop finds what it has stored", desktop.finds())
    sessions.begin("t1", "tty")
    sessions.watches("t1")
    sessions.end("t1")
    check("the end of a terminal as the last session locks", eventually(lambda: is_closed(d, program)))
    check("and leaves programs in the background their secrets", desktop.finds())
    check("the passcode opens it", opens(d, program), d.said)
    sessions.begin("d1", "wayland")
    sessions.watches("d1")
    sessions.begin("t2", "tty")
    sessions.end("d1")
    sessions.watches("t2")
    check("a logout from the desktop closes nothing while another session goes on", desktop.finds())
    sessions.end("t2")
    check("after the last session the desktop's secrets are closed", eventually(lambda: not desktop.finds()))
    check("and all others", is_closed(d, program), d.said)
    check("the passcode opens them", opens(d, program) and desktop.finds(), d.said)
    sessions.mock(f"user/{VICTIM}").UpdateProperties(NAME + ".User", {"Linger": True})
    sessions.begin("d2", "x11")
    sessions.watches("d2")
    sessions.end("d2")
    check("the keychain of a user that lingers is locked", eventually(lambda: is_closed(d, program)))
    check("and programs in the background keep their secrets", desktop.finds())


def main():
    d = Service(os.path.abspath(sys.argv[1]))
    machine.leave()
    # A bus lets users in that have accounts.
    d.add_accounts(**{"kc-enclave": (ENCLAVE, None)})
    os.mkdir(FOLDER)
    with contextlib.ExitStack() as stack:
        stack.callback(d.remove)
        bus = Bus(FOLDER, stack)
        os.symlink("bus", f"{FOLDER}/system_bus_socket")
        bus.mock("logind", NAME)
        bridge = Desktop.install(d)
        stack.callback(d.stop)
        d.start()
        with connected(d), connected(d, OTHER):
            sessions(d, bus)
            logouts(d, bus, Desktop(d, bridge, stack))
    sys.exit(1 if FAILED else 0)


main()
