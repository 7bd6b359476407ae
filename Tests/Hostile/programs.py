"""Attacks of another program of the same user that wants to be taken for the program that stored the secret."""

import contextlib
import os
import subprocess

from deployment import PYTHON, VICTIM, stopped, wait_until
from patience import PATIENCE
from suite import FAILS, SUCCEEDS, attack

# What the keychain says to a program of another group, and to one that is not what it calls itself.
NOTFOUND = "could not be found"
UNIDENTIFIED = "calls itself .*, but in the file system that others see"

INTRUDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "intruder.py")


def victim(d):
    return d.path("bin", "victim")


def intrude(d, *words, user=VICTIM, wrapped=(), **options):
    """Runs an attacker's process; whether it prints the secret, or says that it is attached."""
    learned = d.learns(*wrapped, PYTHON, d.path("bin", "intruder.py"), *map(str, words), user=user, **options)
    return learned or d.said.startswith("attached")


@attack("the program itself reads its item", SUCCEEDS)
def itself(d):
    return d.learns(*d.search(victim(d)))


@attack("another program of the same user", FAILS, NOTFOUND)
def another(d):
    return d.learns(*d.search(d.install("attacker")))


@attack("a copy of the program elsewhere, of the same name", FAILS, NOTFOUND)
def copied(d):
    return d.learns(*d.search(d.install("victim", folder="mine", owner=VICTIM)))


@attack("a copy of the program, renamed", FAILS, NOTFOUND)
def renamed(d):
    return d.learns(*d.search(d.install("victim2", folder="mine", owner=VICTIM)))


@attack("another program that calls itself the program (argv[0])", FAILS, NOTFOUND)
def named(d):
    return d.learns(victim(d), *d.search("")[1:], executable=d.install("attacker"))


@attack("a symbolic link to the program, which runs the program", SUCCEEDS)
def symlinked(d):
    link = d.path("mine", "link")
    os.symlink(victim(d), link)
    return d.learns(*d.search(link))


@attack("a symbolic link of the program's name to another program", FAILS, NOTFOUND)
def symlinked_away(d):
    folder = d.path("mine", "linked")
    os.mkdir(folder)
    os.symlink(d.install("attacker"), f"{folder}/victim")
    return d.learns(*d.search(f"{folder}/victim"))


@attack("a hard link to the program under another name", FAILS, NOTFOUND)
def hard_linked(d):
    link = d.path("bin", "hard-link")
    # As root: the user's own attempt is refused by the kernel where hard links are protected.
    os.link(victim(d), link)
    try:
        return d.learns(*d.search(link))
    finally:
        os.unlink(link)


@attack("another program mounted over the program's path in a namespace of the attacker's", FAILS, UNIDENTIFIED)
def bind_mounted(d):
    other = d.install("attacker")
    script = f"mount --bind {other} {victim(d)} && exec {' '.join(d.search(victim(d)))}"
    got = d.learns("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script)
    if "mount" in d.said and "denied" in d.said:
        raise RuntimeError(d.said)
    return got


@attack(
    "a container of the attacker's own with the socket mounted in it, the program's path taken by another",
    FAILS,
    UNIDENTIFIED,
)
def container(d):
    other = d.install("attacker")
    root = d.path("mine", "root")
    script = f"""
        mkdir -p {root} && mount -t tmpfs none {root}
        for f in usr lib lib64 bin opt etc proc dev; do
            [ -e /$f ] && mkdir -p {root}/$f && mount --rbind /$f {root}/$f
        done
        mkdir -p {root}{d.path('bin')} {root}{d.path('run')} {root}{d.path('home')}
        for f in run home; do mount --bind {d.base}/$f {root}{d.base}/$f; done
        cp {other} {root}{victim(d)}
        exec chroot {root} {' '.join(d.search(victim(d)))}
    """
    return d.learns("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-ec", script)


@attack("another program in the program's place in a sandbox (bubblewrap)", FAILS, UNIDENTIFIED)
def bubble(d):
    other = d.install("attacker")
    return d.learns("bwrap", "--bind", "/", "/", "--dev", "/dev", "--ro-bind", other, victim(d), *d.search(victim(d)))


def preloads(d, program):
    """Whether the attacker's code runs in a program that says how it is used.

`security` itself may be linked statically.
    """
    done = d.run(program, "--help", env=d.environment(LD_PRELOAD=d.path("bin", "preload.so")))
    d.said = done.stdout + done.stderr
    if "sage" not in d.said:
        raise RuntimeError(f"the program does not run: {d.said}")
    return f"attacker's code runs in {program}" in done.stdout


@attack("LD_PRELOAD into a program that is not anchored", SUCCEEDS)
def preloaded(d):
    return preloads(d, d.path("libexec", "keychain-codesign"))


def waiting(d, program, user=VICTIM, stdout=subprocess.DEVNULL):
    """The program, waiting for its input."""
    process = subprocess.Popen(
        d.waits(program),
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        user=user,
        group=user,
        extra_groups=[],
        env=d.environment(),
        cwd="/",
    )
    if not wait_until(lambda: os.readlink(f"/proc/{process.pid}/exe") == program):
        raise RuntimeError("the program does not run")
    return process


def against_waiting(d, program, *words):
    process = waiting(d, program)
    try:
        return intrude(d, *words, process.pid)
    finally:
        process.stdin.close()
        process.wait(PATIENCE)


@attack("ptrace of a program that is not anchored", SUCCEEDS)
def traced(d):
    return against_waiting(d, victim(d), "trace")


@attack("/proc/PID/mem of a program that is not anchored", SUCCEEDS)
def read_memory(d):
    return against_waiting(d, victim(d), "memory")


@attack("a root-owned program replaced by its user while it runs", FAILS, "Permission denied")
def replaced(d):
    attacker = d.install("attacker")
    return not d.learns("cp", "--remove-destination", attacker, victim(d)) and "denied" not in d.said


@attack("a user's own unsigned program replaced while it runs", SUCCEEDS)
def replaced_own(d):
    path = d.install("own", folder="mine", owner=VICTIM)
    d.store(path, service="own")
    process = waiting(d, path)
    try:
        # Whoever may write a program that nobody has signed is that program.
        d.install("own", folder="mine", owner=VICTIM)
        return d.learns(*d.search(path, "own"))
    finally:
        process.stdin.close()
        process.wait(PATIENCE)


@attack("a number of a process that has ended, reused by the program", FAILS, "ended")
def reused_number(d):
    # The race that the attacker would have to win, won for him: nothing is looked at before the program has the number.
    d.learns(*d.search(victim(d)))
    with contextlib.ExitStack() as stack:
        process = stack.enter_context(orphan(d, "child"))
        with stopped(d.daemon_of(VICTIM)):
            stack.enter_context(reuser(d, left_number(process)))
        return gets_secret(d, process)


@attack(
    "a number of a process that has ended, reused by the program, which the keychain has just identified",
    FAILS,
    "another process than the one that connected",
)
def reused_known_number(d):
    with contextlib.ExitStack() as stack:
        process = stack.enter_context(orphan(d, "parent"))
        reused = stack.enter_context(reuser(d, left_number(process)))
        reused.stdin.write(" ".join(d.search(victim(d))[2:]).encode() + b"\n")
        reused.stdin.flush()
        if d.secret.encode() not in reused.stdout.readline():
            raise RuntimeError("the program itself does not get its item")
        return gets_secret(d, process)


@contextlib.contextmanager
def orphan(d, asker):
    """A process that is about to have a connection of a child that has ended; the child or itself asks."""
    d.learns(*d.search(victim(d)))
    busy = d.processes()["master"], d.daemon_of(VICTIM)
    words = ["orphaned_connection", d.socket, d.path("bin", "frame"), asker, *map(str, busy)]
    process = subprocess.Popen(
        [PYTHON, d.path("bin", "intruder.py"), *words],
        user=VICTIM,
        group=VICTIM,
        extra_groups=[],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
        env=d.environment(),
    )
    try:
        if process.stdout.readline() != "about\n":
            raise RuntimeError("the attacker does not begin")
        yield process
    finally:
        process.kill()
        process.communicate()


def left_number(process):
    """Has the child connect and end; gives its number."""
    process.stdin.write("go\n")
    process.stdin.flush()
    return int(process.stdout.readline())


@contextlib.contextmanager
def reuser(d, number):
    """The program under a number that is free. The race that the attacker would have to win, won for him."""
    # Nobody but the service begins processes here, and seldom.
    for _ in range(50):
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(number - 1))
        process = waiting(d, victim(d), stdout=subprocess.PIPE)
        try:
            if process.pid == number:
                yield process
                return
        finally:
            process.communicate(timeout=PATIENCE)
    raise RuntimeError("the number could not be had again")


def gets_secret(d, process):
    d.said = process.communicate("go\n", timeout=PATIENCE)[0]
    return d.secret in d.said
