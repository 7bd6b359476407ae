"""Attacks of a user who takes more of the service than their share: numbers, processes, disk, log, memory."""

import contextlib
import os
import subprocess

from deployment import OTHER, PYTHON, SUBORDINATE, VICTIM, wait_until
from numbers_of_users import STRANGER, SUBORDINATES
from patience import PATIENCE
from programs import victim
from suite import FAILS, SUCCEEDS, attack

CLOSED = "No keychain is available"


def folders(d):
    return set(os.listdir(d.path("state"))) | set(os.listdir(d.path("vaults")))


@attack("a user takes keychains for subordinate numbers of theirs (newuidmap, user namespace)", FAILS, CLOSED)
def subordinates(d):
    program = d.path("bin", "victim")
    script = "; ".join(
        f"setpriv --reuid {number} --clear-groups {program} -v add-generic-password -s s -a a -w {d.secret}"
        for number in range(1, 25)
    )
    done = d.run("unshare", "--user", "--map-root-user", "--map-auto", "sh", "-c", script, user=OTHER)
    d.said = done.stdout + done.stderr
    if "not permitted" in d.said or "newuidmap" in d.said:
        raise RuntimeError("there are no subordinate numbers: " + d.said)
    found = folders(d)
    return any(str(SUBORDINATE + number) in found for number in range(SUBORDINATES))


@attack("a number without an account has a keychain", FAILS, CLOSED)
def stranger(d):
    done = d.run(victim(d), "add-generic-password", "-s", "s", "-a", "a", "-w", d.secret, user=STRANGER)
    d.said = done.stdout + done.stderr
    return done.returncode == 0 or str(STRANGER) in folders(d)


def is_served(d, number):
    done = d.run(victim(d), "add-generic-password", "-U", "-s", "s", "-a", "a", "-w", d.secret, user=number)
    d.said = done.stderr
    return done.returncode == 0


@attack("a flood of subordinate numbers, so that new users are not served", FAILS, is_timed=True)
def subordinate_flood(d):
    flood = subprocess.Popen(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "--map-auto",
            PYTHON,
            d.path("bin", "intruder.py"),
            "many_numbers",
            d.socket,
            "4",
        ],
        user=OTHER,
        group=OTHER,
        extra_groups=[],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=d.environment(),
    )
    try:
        if not int(flood.stdout.readline()):
            raise RuntimeError("there is no flood")
        for number in range(STRANGER + 100, STRANGER + 110):
            with open("/etc/passwd", "a") as file:
                file.write(f"kc-{number}:x:{number}:{number}::/nonexistent:/bin/sh\n")
            # A busy machine may keep anybody waiting; the attack is to keep a new user out for as long as it lasts.
            if not wait_until(lambda: is_served(d, number), 30):
                return True
        return False
    finally:
        flood.communicate("\n", timeout=PATIENCE)


@attack("an account that is made while the service runs has a keychain", SUCCEEDS)
def newcomer(d):
    stranger(d)
    with open("/etc/passwd", "a") as file:
        file.write(f"kc-new:x:{STRANGER + 1}:{STRANGER + 1}::/nonexistent:/bin/sh\n")
    done = d.run(victim(d), "add-generic-password", "-s", "s", "-a", "a", "-w", d.secret, user=STRANGER + 1)
    d.said = done.stdout + done.stderr
    return done.returncode == 0


@attack("a user who stores nothing takes room on the disk", FAILS)
def idle_disk(d):
    user = STRANGER + 2
    with open("/etc/passwd", "a") as file:
        file.write(f"kc-idle:x:{user}:{user}::/nonexistent:/bin/sh\n")
    done = d.run(victim(d), "find-generic-password", "-s", "s", user=user)
    if done.returncode != 44:
        raise RuntimeError("the user has no keychain: " + done.stderr)
    blocks = sum(
        os.stat(os.path.join(parent, name)).st_blocks
        for folder in ("state", "vaults")
        for parent, _, names in os.walk(d.path(folder, str(user)))
        for name in names
    )
    d.said = f"{blocks * 512} bytes"
    return blocks * 512 > 1 << 20


@contextlib.contextmanager
def intruder(d, *words, user=OTHER):
    process = subprocess.Popen(
        [PYTHON, d.path("bin", "intruder.py"), *map(str, words)],
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=d.environment(),
    )
    try:
        yield int(process.stdout.readline())
    finally:
        process.communicate("\n", timeout=PATIENCE)


def lines(d):
    return open(d.log, errors="replace").read().count("\n")


@attack("one user fills the service's log with connections that it does not take", FAILS)
def log_of_connections(d):
    before = lines(d)
    with intruder(d, "hurry", d.socket, 4000):
        pass
    with intruder(d, "hurry", d.socket, 1000, user=STRANGER):
        pass
    d.said = f"{lines(d) - before} lines"
    return lines(d) - before > 100


@attack("one user fills the service's log with broken requests", FAILS)
def log_of_requests(d):
    before = lines(d)
    with intruder(d, "hurry", d.socket, 3000, "ff" * 16):
        pass
    wait_until(lambda: lines(d) > before)
    d.said = f"{lines(d) - before} lines"
    return lines(d) - before > 100


@attack("another user takes all connections of the system's keychain, so that root is not served", FAILS)
def system_flood(d):
    path = d.path("run", "system")
    with intruder(d, "hurry", path, 3000) as held:
        if held < 100:
            raise RuntimeError(f"only {held} connections were made")
        done = d.run(
            victim(d),
            "add-generic-password",
            "-U",
            "-s",
            "s",
            "-a",
            "a",
            "-w",
            d.secret,
            user=0,
            env=d.environment(KEYCHAIN_SOCKET=path),
        )
        d.said = done.stderr
        return done.returncode != 0


@attack("many programs that fill the memory with half requests have an honest one closed in their place", FAILS)
def many_hogs(d):
    return hog_of(d, 830, 80_000, processes=830)


@attack("a program that fills the memory with half requests has an honest one closed in its place", FAILS)
def hog(d):
    return hog_of(d, 67, 1_000_000)


def hog_of(d, count, size, processes=1):
    program, value = victim(d), "x" * 600_000
    with intruder(d, "hog", d.socket, count, size, processes, user=VICTIM) as held:
        if held < count * 8 // 10:
            raise RuntimeError(f"only {held} connections were taken")
        for _ in range(5):
            done = d.run(program, "-v", "add-generic-password", "-U", "-s", "large", "-a", "a", "-w", text=value + "\n")
            d.said = done.stderr
            if done.returncode:
                return True
    return False
