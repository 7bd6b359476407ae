"""Lets the disk of a store run full while it merges, and that of a circle's folder while something is sent.

usage: sync_disk_test.py FOLDER-OF-PROGRAMS FOLDER-OF-SMALL-DISKS

The folder has a small disk `store` and a small disk `place`.
"""

import os
import sys

from disk_parts import fill
from sync_parts import Machine, machines
from sync_places import FolderPlace

ITEMS = 600


def filled(count):
    return {f"item-{number}: the secret of item {number}" for number in range(count)}


def merges(one, other, disk):
    """A merge without room ends with its reason and loses nothing; with room it goes on."""
    other.write("put", "own", "of this machine")
    one.write("fill", str(ITEMS))
    one.must("sync", "now")
    fill(f"{disk}/rest", leaving=1 << 17)
    done = other.run("sync", "now")
    assert done.returncode == 1 and "disk is full" in done.stderr and "ended" not in done.stderr, done
    assert "disk is full" in other.sync("status")["problem"], other.sync("status")
    assert "own: of this machine" in other.items() <= filled(ITEMS) | {"own: of this machine"}
    os.unlink(f"{disk}/rest")
    other.must("sync", "now")
    assert other.items() == filled(ITEMS) | {"own: of this machine"}
    assert other.sync("status")["problem"] is None
    other.must("verify-keychain")


def sends(one, other, disk):
    """A change for which the folder has no room waits, the status says why, and it is sent when there is room."""
    fill(f"{disk}/rest", leaving=0)
    one.write("put", "later", "waits for room")
    done = one.run("sync", "now")
    assert done.returncode == 1 and "No space left" in done.stderr, done
    assert "later: waits for room" in one.items()
    status = one.sync("status")
    assert status["unsent"] == 1 and "No space left" in status["problem"], status
    os.unlink(f"{disk}/rest")
    one.must("sync", "now")
    status = one.sync("status")
    assert status["unsent"] == 0 and status["problem"] is None, status
    other.must("sync", "now")
    assert "later: waits for room" in other.items()


def main(programs, disks):
    with machines(programs, "one") as (folder, made):
        one = made[0]
        other = Machine("other", one.programs, folder, KEYCHAIN_HOME=f"{disks}/store/k")
        made.append(other)
        place = FolderPlace(programs, f"{disks}/place")
        place.folder = folder
        one.sync("setup", "-n", "one", place.url)
        place.adds(one, other)
        for machine in (one, other, one, other):
            machine.must("sync", "now")
        merges(one, other, f"{disks}/store")
        sends(one, other, f"{disks}/place")
    print("a full disk holds up what is merged and sent, and loses nothing")


main(os.path.abspath(sys.argv[1]), sys.argv[2])
