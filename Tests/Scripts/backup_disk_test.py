"""Lets the disk of the store run full under a backup and a restore: nothing is lost, and what was done is named.

usage: backup_disk_test.py FOLDER-OF-PROGRAMS SMALL-DISK
"""

import json
import os
import sys
import tempfile

import write_backup
from disk_parts import fill
from keychain_parts import Home

PASSPHRASE = "six words that nobody ever guesses"
ITEMS, IN_PART = 600, 50


def made(home, name, count):
    """A backup of some items, which are found by their numbers."""
    group = f"program:{os.path.realpath(home.programs)}/security"
    records = [write_backup.password(group, "many", str(n), b"v" * 4000) for n in range(count)]
    parts = [b"".join(records[start : start + IN_PART]) for start in range(0, count, IN_PART)]
    path = f"{home.temporary}/{name}"
    with open(path, "wb") as file:
        file.write(write_backup.backup(PASSPHRASE, parts))
    return path


def asked(home, *words):
    done = home.run("--json", *words, text=PASSPHRASE + "\n")
    return done, json.loads(done.stdout) if done.stdout else None


def added(report):
    return sum(item["outcome"] == "added" for item in report["items"])


def backs_up(home, file, disk):
    """A backup that has no room for its copy of the store leaves the old file, and nothing else."""
    before, names = open(file, "rb").read(), set(os.listdir(f"{disk}/k"))
    done, _ = asked(home, "backup", file)
    assert done.returncode != 0 and json.loads(done.stderr)["name"] == "errSecDiskFull", done
    assert open(file, "rb").read() == before
    assert set(os.listdir(f"{disk}/k")) <= names, os.listdir(f"{disk}/k")
    assert not [name for name in os.listdir(home.temporary) if ".new-" in name]


def restores(home, many, rest):
    """A restore that ran out of space says which items it took; with space it takes the others."""
    done, report = asked(home, "restore", many)
    assert done.returncode != 0 and json.loads(done.stderr)["name"] == "errSecDiskFull", done
    first = added(report)
    assert 0 < first < ITEMS // 2 and not report["complete"], report
    assert home.run("find-generic-password", "-s", "many", "-a", "7", "-w").stdout.strip() == "v" * 4000
    os.unlink(rest)
    done, report = asked(home, "restore", many)
    assert done.returncode == 0 and report["complete"], done
    assert added(report) + first == ITEMS // 2, (added(report), first)
    assert home.run("verify-keychain").returncode == 0


def main(programs, disk):
    with tempfile.TemporaryDirectory() as folder:
        home = Home(programs, folder, KEYCHAIN_HOME=f"{disk}/k")
        try:
            file = made(home, "half", ITEMS // 2)
            done, _ = asked(home, "restore", file)
            assert done.returncode == 0, done
            fill(f"{disk}/rest", leaving=1 << 19)
            backs_up(home, file, disk)
            restores(home, made(home, "many", ITEMS), f"{disk}/rest")
        finally:
            home.end()
    print("a full disk ends backup and restore, and loses nothing")


main(os.path.abspath(sys.argv[1]), sys.argv[2])
