"""Attacks of the same user's other programs on one that root has anchored: set-group-ID to the marker group."""

import os
import subprocess

from deployment import ANCHORED, PYTHON, VICTIM
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
    return preloads(
        d, d.install("anchored-codesign", d.path("libexec", "keychain-codesign"), group=ANCHORED, mode=0o2755)
    )


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
    """What the command that lists all shows the user, after an anchored program has stored two items, and another one.
    """
    marked = {"PATH": "/usr/bin:/bin"}
    for program, environment, words in (
        (anchored(d), marked, ["--anchored", "-a", "for-anchored"]),
        (anchored(d), marked, ["-a", "of-anchored"]),
        (d.path("bin", "victim"), None, ["-a", "in-the-open"]),
    ):
        done = d.run(program, "add-generic-password", "-U", "-s", "dumped", "-w", d.secret, *words, env=environment)
        if done.returncode:
            raise RuntimeError(f"{program} cannot store: {done.stderr}")
    command = d.path("libexec", "security")
    done = d.run(command, "dump-keychain", "-a")
    why = [
        d.run(command, "why", "-s", "dumped", "--as", program).stdout
        for program in (anchored(d), d.path("bin", "victim"))
    ]
    d.said = done.stdout + done.stderr + "".join(why)
    for account in ("for-anchored", "of-anchored"):
        if account not in d.run(anchored(d), "find-generic-password", "-s", "dumped", "-a", account).stdout:
            raise RuntimeError("the item is not there: " + d.said)
    return d.said


@attack("the attributes of another program's item, by the command that lists all", SUCCEEDS)
def listed(d):
    return "in-the-open" in listing(d)


@attack("the attributes of an item for anchored programs, by the command that lists all", FAILS, "in-the-open")
def hidden(d):
    return "for-anchored" in listing(d)


@attack("the attributes of an anchored program's item, by the command that lists all", FAILS, "in-the-open")
def hidden_group(d):
    return "of-anchored" in listing(d)


@attack("when an anchored program has asked, by the command that shows decisions", FAILS, "victim")
def decisions(d):
    d.learns(*d.search(d.path("bin", "victim")))
    d.learns(*d.search(anchored(d), SERVICE))
    d.said = d.run(d.path("libexec", "security"), "decisions").stdout
    return anchored(d) in d.said


# Asks again and again: `socket request count`.
ASKING = """
import socket, sys
connection, frame = socket.socket(socket.AF_UNIX), bytes.fromhex(sys.argv[2])
connection.connect(sys.argv[1])
answers = connection.makefile("rb")
for _ in range(int(sys.argv[3])):
    connection.sendall(frame)
    answers.read(int.from_bytes(answers.read(16)[:4], "little"))
"""


@attack("how often an anchored program has asked, by what its entries push out", FAILS, "no longer in the log")
def counted(d):
    def shown():
        done = d.run(d.path("libexec", "security"), "-v", "decisions")
        return done.stdout + done.stderr

    # More of the user's own than the log has room for, so that it shows when a place of theirs is taken.
    frame = d.request(d.path("bin", "victim")).hex()
    d.run(PYTHON, "-c", ASKING, d.socket, frame, "2100", check=True)
    before = shown()
    for _ in range(5):
        d.learns(*d.search(anchored(d), SERVICE))
    d.said = shown()
    return d.said != before


def with_run_path(d, name, *options):
    """A program of root's that uses a library, which the user may replace, and where it is found."""
    library, source = d.path("mine", "libuser.so"), d.path("bin", f"{name}.c")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input=b"int user(void) { return 0; }", check=True
    )
    os.chown(library, VICTIM, VICTIM)
    with open(source, "w") as file:
        file.write("int user(void);\nint main(void) { return user(); }\n")
    subprocess.run(["cc", "-o", d.path("bin", name), source, f"-L{d.path('mine')}", "-luser", *options], check=True)
    return d.path("bin", name)


RUN_PATHS = {
    "an absolute run path": lambda d: [f"-Wl,-rpath,{d.path('mine')}"],
    "a run path that libraries inherit": lambda d: ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{d.path('mine')}"],
    "a run path from its own folder": lambda d: ["-Wl,-rpath,$ORIGIN/../mine"],
    "a relative run path": lambda d: ["-Wl,-rpath,mine"],
    "an empty run path": lambda d: ["-Wl,-rpath,/usr/lib::/lib"],
    "a run path that is not there yet": lambda d: [f"-Wl,-rpath,/usr/lib:{d.path('mine', 'later')}"],
}


@attack(
    "a program anchored that loads the user's library (each way to say where it is)",
    FAILS,
    "is not changed: .*libraries looked for",
)
def anchors_user_library(d):
    for name, options in RUN_PATHS.items():
        program = with_run_path(d, "loads-" + name.replace(" ", "-"), *options(d))
        done = d.run(d.path("libexec", "security"), "anchor", "-g", str(ANCHORED), program, user=0)
        d.said = done.stdout + done.stderr
        if done.returncode == 0 or "libraries looked for" not in d.said:
            return True
    return False


@attack("an anchored program anchored by hand that has loaded the user's library", FAILS, "has loaded code that others")
def has_user_library(d):
    with_run_path(d, "loads", f"-Wl,-rpath,{d.path('mine')}")
    program = d.install("interpreter-loads", os.path.realpath(PYTHON), group=ANCHORED, mode=0o2755)
    return d.learns(
        program,
        d.path("bin", "intruder.py"),
        "with_library",
        d.socket,
        d.path("mine", "libuser.so"),
        d.path("bin", "anchored-frame"),
    )
