"""Attacks of the same user's other programs on one that root has anchored: set-group-ID to the marker group."""

from deployment import ANCHORED
from programs import NOTFOUND, against_waiting, preloads
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


@attack("an anchored program started with no_new_privs, and what that lets in", FAILS, WITHOUT_MARKER)
def without_privileges(d):
    return d.learns("setpriv", "--no-new-privs", *d.search(anchored(d), SERVICE))


@attack("a copy of an anchored program with the mark, in the attacker's folder", FAILS, NOTFOUND)
def copied(d):
    return d.learns(*d.search(d.install("anchored", folder="mine"), SERVICE))


def listing(d):
    """What the command that lists all shows the user, after an anchored program has stored two items."""
    for words in (["--anchored", "-a", "for-anchored"], ["-a", "in-the-open"]):
        done = d.run(anchored(d), "add-generic-password", "-U", "-s", "dumped", "-w", d.secret, *words, env={"PATH": "/usr/bin:/bin"})
        if done.returncode:
            raise RuntimeError("the anchored program cannot store: " + done.stderr)
    command = d.path("libexec", "security")
    done = d.run(command, "dump-keychain", "-a")
    why = d.run(command, "why", "-s", "dumped", "--as", anchored(d))
    d.said = done.stdout + done.stderr + why.stdout
    if "for-anchored" not in d.run(anchored(d), "find-generic-password", "-s", "dumped", "-a", "for-anchored").stdout:
        raise RuntimeError("the item is not there: " + d.said)
    return d.said


@attack("the attributes of another program's item, by the command that lists all", SUCCEEDS)
def listed(d):
    return "in-the-open" in listing(d)


@attack("the attributes of an item for anchored programs, by the command that lists all", FAILS, "in-the-open")
def hidden(d):
    return "for-anchored" in listing(d)
