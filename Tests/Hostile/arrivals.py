"""Attacks on who is being identified: programs whose files are never read, and more new processes than anybody needs.
"""

import contextlib
import os
import subprocess
import time

from deployment import OTHER, PYTHON, VICTIM, wait_until
from patience import PATIENCE
from programs import victim
from own import daemon
from shares import intruder
from suite import FAILS, OWN_DAEMON, SERVICE, attack
from units import as_user, unit

HERE = os.path.dirname(os.path.abspath(__file__))
# What an honest program waits for at most while others wait for ever, and what it takes until it is known that they do:
# seconds.
SOON = 8
# How long a program says that it waits, and what a process takes around it on a busy machine: seconds.
DEADLINE, SLACK = 20, 5
# Not found: it was identified, and answered.
ABSENT = 44


@contextlib.contextmanager
def unread(d, path, count, user, **more):
    """So many programs of a user ask whose file is on a file system that does not answer any more.

`more` for who starts them.
    """
    program = d.path("bin", "asks")
    subprocess.run(["cc", "-o", program, os.path.join(HERE, "asks.c")], check=True)
    script = d.install("unread.py", os.path.join(HERE, "unread.py"))
    process = subprocess.Popen(
        [PYTHON, script, path, d.path("bin", "frame"), program, str(count)],
        **(more or {"user": user, "group": user, "extra_groups": []}),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=d.environment(),
    )
    try:
        asked = process.stdout.readline().strip()
        if asked != str(count):
            raise RuntimeError(f"{asked or 'none'} of {count} programs have asked")
        yield
    finally:
        process.communicate("\n", timeout=PATIENCE)


def asks(d, number, user, **more):
    """A program that nobody has seen before asks: what it says, and how long it takes."""
    program = d.install(f"new{number}")
    start = time.monotonic()
    done = d.run(
        program,
        "-v",
        "find-generic-password",
        "-s",
        "none",
        user=user,
        env=d.environment(KEYCHAIN_TIMEOUT=str(DEADLINE * 1000), **more),
        timeout=4 * DEADLINE,
    )
    return done, time.monotonic() - start


def is_kept_out(d, user, **more):
    """Whether new programs of a user are not identified soon."""
    d.said, slow = "", False
    for number in range(10):
        done, took = asks(d, number, user, **more)
        d.said += f"{done.returncode} after {took:.1f} s {done.stderr.strip()}\n"
        slow = slow or done.returncode != ABSENT or took > SOON
    return slow


@attack(
    "programs of another user whose files are never read keep a user's new programs from being identified",
    FAILS,
    is_timed=True,
)
def unread_of_other(d):
    identifier = d.processes()["identifier"]
    with unread(d, d.socket, 20, OTHER):
        return is_kept_out(d, VICTIM) or d.processes().get("identifier") != identifier


@attack(
    "programs of a user whose files are never read keep root's from the system's keychain",
    FAILS,
    is_timed=True,
)
def unread_at_system(d):
    path = d.path("run", "system")
    with unread(d, path, 20, OTHER):
        return is_kept_out(d, 0, KEYCHAIN_SOCKET=path)


@attack(
    "a file that is never closed, attached to a request, keeps root's from the system's keychain",
    FAILS,
    is_timed=True,
)
def unclosed_at_system(d):
    path = d.path("run", "system")
    with unread(d, path, 0, OTHER):
        return is_kept_out(d, 0, KEYCHAIN_SOCKET=path)


@attack(
    "files that are never closed, attached by a unit's program, keep root's from the system's keychain",
    FAILS,
    is_timed=True,
)
def unclosed_by_unit(d):
    path = d.path("run", "system")
    with unit("mail.service") as join, unread(d, path, -1, OTHER, preexec_fn=as_user(join, OTHER)):
        return is_kept_out(d, 0, KEYCHAIN_SOCKET=path)


@attack(
    "files that the identifier alone never gets closed, attached again and again, keep others from being identified",
    FAILS,
    is_timed=True,
)
def unclosed_by_identifier(d):
    identifier = d.processes()["identifier"]
    with unread(d, d.socket, -identifier, OTHER):
        held = len(os.listdir(f"/proc/{identifier}/fd"))
        late = is_kept_out(d, VICTIM) or is_kept_out(d, 0, KEYCHAIN_SOCKET=d.path("run", "system"))
        d.said += f"the identifier has {held} descriptors\n"
        return late or held > 100 or d.processes().get("identifier") != identifier


def is_known_kept_out(d, path):
    """Whether a program of the victim's that has been there before is not served soon."""
    d.said, slow = "", False
    for _ in range(10):
        start = time.monotonic()
        done = d.run(
            *d.search(victim(d), "none"),
            env=d.environment(KEYCHAIN_SOCKET=path, KEYCHAIN_TIMEOUT=str(DEADLINE * 1000)),
            timeout=4 * DEADLINE,
        )
        took = time.monotonic() - start
        d.said += f"{done.returncode} after {took:.1f} s {done.stderr.strip()}\n"
        slow = slow or done.returncode != ABSENT or took > SOON
    return slow


@contextlib.contextmanager
def own_keychain(d, kind):
    """The socket of the victim's keychain.

The service's, or that of a daemon of the victim's own; the program has been there.
    """
    with contextlib.ExitStack() as stack:
        path = d.socket
        if kind == OWN_DAEMON:
            folder = d.path("home", "unread")
            d.run("mkdir", "-p", "-m", "700", folder)
            path = stack.enter_context(daemon(d, folder))
        # What is read of a file that has just been changed is not kept.
        wait_until(lambda: time.time() - os.stat(victim(d)).st_ctime > 3, 5)
        for _ in range(3):
            d.run(*d.search(victim(d), "none"), env=d.environment(KEYCHAIN_SOCKET=path))
        yield path


def in_own_keychains(d, count):
    """Whether so many programs of the victim's own, or files that they attach, keep a program that is known waiting,
    and where.
    """
    said, late = "", False
    for kind in (SERVICE, OWN_DAEMON):
        with own_keychain(d, kind) as path:
            with unread(d, path, count, VICTIM):
                late = is_known_kept_out(d, path) or late
                said += f"{kind}: {d.said}"
            if not wait_until(lambda: not is_known_kept_out(d, path), 2 * DEADLINE):
                raise RuntimeError(f"{kind}: when those have gone, the program is not served")
    d.said = said
    return late


@attack(
    "programs of a user whose files are never read keep a program of the same user waiting that is known",
    FAILS,
    where=(OWN_DAEMON, SERVICE),
    is_timed=True,
)
def unread_beside_known(d):
    return in_own_keychains(d, 20)


@attack(
    "files that are never closed, attached by a program of the user's, keep another one of the same user waiting",
    FAILS,
    where=(OWN_DAEMON, SERVICE),
    is_timed=True,
)
def unclosed_beside_known(d):
    return in_own_keychains(d, -1)


@attack(
    "programs whose files are never read keep another one of the same user waiting beyond its deadline",
    FAILS,
    "are not read in time",
    is_timed=True,
)
def unread_of_own(d):
    said, late = "", False
    with unread(d, d.socket, 3, VICTIM):
        for number in range(5):
            done, took = asks(d, number, VICTIM)
            said += f"{done.returncode} after {took:.1f} s {done.stderr.strip()}\n"
            late = late or took > DEADLINE + SLACK or done.returncode != ABSENT and not done.stderr.strip()
            d.said = said
    if not wait_until(lambda: asks(d, 9, VICTIM)[0].returncode == ABSENT, 2 * DEADLINE):
        raise RuntimeError("when those programs have gone, the next one is not identified")
    return late


@attack(
    "new processes without end keep another user's new programs from being identified",
    FAILS,
    is_timed=True,
)
def flood_of_newcomers(d):
    with intruder(d, "newcomers", d.socket, d.path("bin", "frame"), 16):
        return is_kept_out(d, VICTIM)
