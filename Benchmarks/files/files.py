"""Processor time for a protected file of 1 GiB in memory, beside a plain copy, `openssl speed`, gpg and age; and how
many small files a command, and programs together, open in a second.

usage: files.py FOLDER-OF-PROGRAMS [MiB]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Tests", "Scripts"))

from file_parts import Holder  # noqa: E402
from keychain_parts import Home  # noqa: E402

# What the figures must be: the share of openssl's speed that is reached, and the share of age's time that is used.
SPEED, SHARE = 0.85, 0.5
# Opens in a second, and with how many files.
OPENS, FILES = 2000, 4000
# Programs that open files at the same time, and how many each has open at once.
PROGRAMS, OPEN = 4, 500


def seconds(words, environment, source, target):
    """The processor time of a program from one file to another."""
    with open(source, "rb") as given, open(target, "wb") as taken:
        process = subprocess.Popen(words, stdin=given, stdout=taken, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{words} has ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def least(count, *given):
    """The least of several runs: what the machine's other work added is in the rest."""
    return min(seconds(*given) for _ in range(count))


def openssl_speed():
    """Bytes in a second of one core."""
    words = ["openssl", "speed", "-mr", "-seconds", "1", "-evp", "aes-256-gcm", "-bytes", "65536"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"^\+F:.*:([0-9.]+)$", shown, re.MULTILINE).group(1))


def opens(home):
    """How many files of 1 KiB a command opens and reads in a second."""
    environment, paths = home.environment, [f"{home.temporary}/{number}" for number in range(FILES)]
    for path in paths:
        with open(path, "wb") as file:
            file.write(bytes(1024))
    file = [f"{home.programs}/security", "file"]
    subprocess.run([*file, "protect", "-c", "a", *paths], env=environment, check=True)
    start = time.monotonic()
    subprocess.run([*file, "verify", *paths], env=environment, check=True, stdout=subprocess.DEVNULL)
    return FILES / (time.monotonic() - start)


def opens_of_programs(home):
    """How many files several Swift programs open in a second, all together."""
    holders = [Holder.of(home, home.programs, "daemon", None) for _ in range(PROGRAMS)]
    for number, holder in enumerate(holders):
        holder.must("make", "a", f"{home.home}/small-{number}")
    start, rounds = time.monotonic(), FILES // OPEN
    for _ in range(rounds):
        for number, holder in enumerate(holders):
            holder.tell("many", str(OPEN), f"{home.home}/small-{number}")
        for holder in holders:
            if holder.answer() != "ok":
                sys.exit("a program does not open its files")
            holder.must("fewer", str(OPEN))
    rate = rounds * OPEN * PROGRAMS / (time.monotonic() - start)
    for holder in holders:
        holder.end()
    return rate


def measure(home, size):
    folder = home.home
    environment = home.environment | {"GNUPGHOME": folder}
    plain, sealed, other = (f"{folder}/{name}" for name in ("plain", "sealed", "other"))
    with open(plain, "wb") as file:
        for _ in range(size >> 20):
            file.write(os.urandom(1 << 20))
    file = [f"{home.programs}/security", "file"]
    speed, rows = openssl_speed(), []

    def cost(*words, source=plain, target=other):
        return least(3, words, environment, source, target)

    # By read(2) and write(2): cat has the kernel copy, which no program can that changes what it copies.
    copy = cost("dd", "bs=1M", "status=none")
    seal = cost(*file, "protect", "-c", "d", "-o", "-", "-", target=sealed)
    opened = cost(*file, "cat", "-", source=sealed)
    for name, used in (("protect", seal), ("cat", opened)):
        share = size / max(used - copy, 1e-6) / speed
        rows.append((name, used, f"{share:.2f} of openssl speed, without the copy", share >= SPEED))
    if shutil.which("age"):
        key = f"{folder}/key"
        subprocess.run(["age-keygen", "-o", key], check=True, capture_output=True)
        recipient = subprocess.run(["age-keygen", "-y", key], check=True, capture_output=True, text=True).stdout.strip()
        aged = f"{folder}/aged"
        for name, used, age in (
            ("protect", seal, cost("age", "-r", recipient, target=aged)),
            ("cat", opened, cost("age", "-d", "-i", key, source=aged)),
        ):
            rows.append((f"{name} beside age", age, f"{used / age:.2f} of its time", used <= age * SHARE))
    if shutil.which("gpg"):
        words = ["gpg", "--batch", "--yes", "--passphrase", "x", "--pinentry-mode", "loopback", "-z", "0", "-c"]
        gpg = cost(*words, "-o", "-")
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], env=environment, check=True)
        rows.append(("protect beside gpg", gpg, f"{seal / gpg:.2f} of its time", True))
    rate = opens(home)
    rows.append(("opens of 1 KiB", 1 / rate, f"{rate:.0f} in a second", rate >= OPENS))
    rate = opens_of_programs(home)
    rows.append((f"opens by {PROGRAMS} programs", 1 / rate, f"{rate:.0f} in a second", rate >= OPENS))
    print(f"{size >> 20} MiB in memory, processor time; plain copy {copy:.2f} s, openssl speed {speed / 1e9:.2f} GB/s")
    for name, used, beside, is_kept in rows:
        print(f"{name:20} {used:8.4f} s   {beside}{'' if is_kept else '   MISSES ITS BUDGET'}")
    return all(row[-1] for row in rows)


def main(programs, size):
    with tempfile.TemporaryDirectory(dir="/dev/shm", ignore_cleanup_errors=True) as folder:
        home = Home(os.path.abspath(programs), folder)
        try:
            kept = measure(home, size)
        finally:
            home.end()
    sys.exit(not kept)


main(sys.argv[1], int(sys.argv[2]) << 20 if len(sys.argv) > 2 else 1 << 30)
