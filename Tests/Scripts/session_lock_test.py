"""The system service locks a keychain with its user's session at logind, and at the end of the last one.

usage: session_lock_test.py FOLDER-OF-PROGRAMS
"""

import contextlib
import os
import sys

from bus_parts import Bus
from patience import eventually
from system_service_parts import FAILED, Service, check, connected

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
        stack.callback(d.stop)
        d.start()
        with connected(d), connected(d, OTHER):
            sessions(d, bus)
    sys.exit(1 if FAILED else 0)


main()
