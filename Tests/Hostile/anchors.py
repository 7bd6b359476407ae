"""Attacks of the same user's other programs on one that root has anchored: set-group-ID to the marker group."""

from deployment import ANCHORED
from programs import NOTFOUND, against_waiting, intrude, preloads
from suite import FAILS, SUCCEEDS, attack

SERVICE = "anchored"
WITHOUT_MARKER = "nchor"


def anchored(d):
    return d.path("bin", "anchored")


def prepare(d):
    d.install("anchored", group=ANCHORED, mode=0o2755)
    d.store(anchored(d), service=SERVICE)
    with open(d.path("bin", "anchored-frame"), "wb") as file:
        # Recorded from another program: an anchored one asks nobody but the service.
        file.write(d.request(d.path("bin", "victim"), SERVICE))


@attack("an anchored program itself reads its item", SUCCEEDS)
def itself(d):
    return d.learns(*d.search(anchored(d), SERVICE))


@attack("LD_PRELOAD into an anchored program", FAILS, "sage")
def preloaded(d):
    # The same program as that of the attack that succeeds, but for the mark.
    return preloads(d, d.install("anchored-codesign", d.path("libexec", "keychain-codesign"), group=ANCHORED, mode=0o2755))


@attack("ptrace of an anchored program", FAILS, "refused: Operation not permitted")
def traced(d):
    return against_waiting(d, anchored(d), "trace")


@attack("/proc/PID/mem of an anchored program", FAILS, "refused: .*Permission denied")
def read_memory(d):
    return against_waiting(d, anchored(d), "memory")


@attack("exec of an anchored program after connecting", FAILS, WITHOUT_MARKER)
def executed_later(d):
    return intrude(d, "exec_after_connect", d.socket, d.path("bin", "anchored-frame"), anchored(d))


@attack("an anchored program started with no_new_privs, and what that lets in", FAILS, WITHOUT_MARKER)
def without_privileges(d):
    return d.learns("setpriv", "--no-new-privs", *d.search(anchored(d), SERVICE))


@attack("a copy of an anchored program with the mark, in the attacker's folder", FAILS, NOTFOUND)
def copied(d):
    return d.learns(*d.search(d.install("anchored", folder="mine"), SERVICE))
