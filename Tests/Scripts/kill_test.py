"""Kills writers and daemons at random moments and looks whether anything that was acknowledged is missing.

usage: kill_test.py FOLDER-OF-PROGRAMS [ROUNDS]
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
    process.wait()
    return [int(line) for line in lines]


def round_trip(programs, home, mode, service, delay):
    env = environment(home, mode, programs)
    writer = subprocess.Popen([f"{programs}/item-writer", "add", service], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=env)
    # The first acknowledged item shows that it is under way; from there on the moment is random.
    first = writer.stdout.readline()
    time.sleep(delay)
    if mode == "daemon":
        os.kill(daemon_of(home), signal.SIGKILL)
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


def main():
    programs, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    print(f"{rounds} kills, SEED={seed}")
    with tempfile.TemporaryDirectory() as folder:
        items = 0
        for number in range(rounds):
            mode = "embedded" if number % 2 else "daemon"
            home = f"{folder}/{mode}{number // 20}"
            acknowledged_items, _ = round_trip(programs, home, mode, f"round-{number}", rng.uniform(0, 0.06))
            items += acknowledged_items
        for home in sorted(os.listdir(folder)):
            home = f"{folder}/{home}"
            env = environment(home, "daemon", programs)
            report = subprocess.run([f"{programs}/security", "verify-keychain"], env=env, capture_output=True, text=True)
            if report.returncode != 0:
                sys.exit(f"{home}: {report.stdout}{report.stderr}")
            daemon = daemon_of(home)
            if daemon:
                os.kill(daemon, signal.SIGTERM)
    print(f"{items} acknowledged items, none lost, none damaged")


main()
