"""Kills writers and daemons at random moments and looks whether anything that was acknowledged is missing.

usage: kill_test.py FOLDER-OF-PROGRAMS [ROUNDS]; SEED in the environment

In turn: a program with the keychain inside; a daemon that owns the store; a daemon that shares it with such a program.
"""

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from keychain_parts import ends
from patience import PATIENCE, eventually

DEPLOYMENTS = ("daemon", "embedded", "shared")
# Stores fill up; after so many kills there is a new one.
KILLS_OF_A_STORE = 60


def environment(home, mode, programs):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
    return kept | {"KEYCHAIN_HOME": home, "KEYCHAIN_MODE": mode, "KEYCHAIN_DAEMON": f"{programs}/keychaind"}


def daemon_of(home):
    """The process behind the socket; None when nobody answers."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(f"{home}/keychaind.sock")
        except OSError:
            return None
        return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def acknowledged(process):
    """The numbers the writer printed; the last line may be cut off by the kill."""
    lines = process.stdout.read().split(b"\n")[:-1]
    process.communicate(timeout=PATIENCE)
    return [int(line) for line in lines]


def hold(programs, home):
    """A program with the keychain inside that has the store open, so that a daemon that comes has to share it."""
    holder = subprocess.Popen(
        [f"{programs}/item-player"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(home, "embedded", programs),
    )
    holder.stdin.write(b"get one 0\n")
    holder.stdin.flush()
    holder.stdout.readline()
    holder.stdout.readline()
    return holder


def one_kill(programs, home, deployment, service, rng):
    """A round with a holder where the store is shared; it is killed at the end, or goes."""
    if deployment != "shared":
        return round_trip(programs, home, deployment, service, rng.uniform(0, 0.06))
    holder = hold(programs, home)
    figures = round_trip(programs, home, "daemon", service, rng.uniform(0, 0.06))
    holder.kill() if rng.random() < 0.5 else holder.stdin.close()
    holder.wait(PATIENCE)
    # The next round's daemon comes when the store is held again.
    end_daemon(home)
    return figures


def end_daemon(home):
    daemon = daemon_of(home)
    if daemon:
        ends(daemon, signal.SIGTERM)


def started(programs, service, env, tries=3):
    """A writer and its first acknowledged item. One that is refused is started again: on a busy machine a daemon may
    begin later than its program waits.
    """
    command = [f"{programs}/item-writer", "add", service]
    for _ in range(tries):
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        first = writer.stdout.readline()
        if first:
            return writer, first
        refusal = writer.communicate(timeout=PATIENCE)[1].decode()
    sys.exit(f"{service}: nothing is written: {refusal}")


def round_trip(programs, home, mode, service, delay):
    env = environment(home, mode, programs)
    # The first acknowledged item shows that it is under way; from there on the moment is random.
    writer, first = started(programs, service, env)
    time.sleep(delay)
    if mode == "daemon":
        os.kill(eventually(lambda: daemon_of(home)), signal.SIGKILL)
        time.sleep(delay / 4)
    writer.kill()
    numbers = [int(first)] + acknowledged(writer)
    check = subprocess.run([f"{programs}/item-writer", "check", service], capture_output=True, env=env, text=True)
    if check.returncode != 0:
        sys.exit(f"{mode} {service}: {check.stdout}{check.stderr}")
    found = {int(line) for line in check.stdout.split()}
    missing = [number for number in numbers if number not in found]
    if missing:
        sys.exit(f"{mode} {service}: acknowledged but gone: {missing}")
    return len(numbers), len(found)


def look_at(programs, home):
    """Every row of a store and its file are in order; its daemon ends."""
    env = environment(home, "daemon", programs)
    report = subprocess.run([f"{programs}/security", "verify-keychain"], env=env, capture_output=True, text=True)
    if report.returncode != 0:
        sys.exit(f"{home}: {report.stdout}{report.stderr}")
    end_daemon(home)


def main():
    programs, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print(f"{rounds} kills, SEED={seed}", flush=True)
    items, begin = 0, 0
    while begin < rounds:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(begin, min(begin + KILLS_OF_A_STORE, rounds)):
                deployment = DEPLOYMENTS[number % len(DEPLOYMENTS)]
                acknowledged_items, _ = one_kill(programs, f"{folder}/{deployment}", deployment, f"round-{number}", rng)
                items += acknowledged_items
            for home in sorted(os.listdir(folder)):
                look_at(programs, f"{folder}/{home}")
        begin += KILLS_OF_A_STORE
        print(f"{min(begin, rounds)} kills: {items} acknowledged items, none lost, none damaged", flush=True)


if __name__ == "__main__":
    main()
