"""A machine's disk is copied, and both run: the copy that writes second stops, and loses nothing when it joins again.

usage: sync_clone_test.py FOLDER-OF-PROGRAMS
"""

import os
import shutil
import subprocess
import sys

from sync_parts import PASSCODE, Machine, machines
from sync_places import FolderPlace, ServerPlace

SHOWN = "another copy of this keychain sends in its name"


def looks(*all_machines):
    for machine in all_machines:
        machine.must("sync", "now")


def cloned(machine, name, programs, folder):
    """Another machine with all files of a machine's home."""
    machine.end()
    clone = Machine(name, programs, folder)
    clone.end()
    shutil.rmtree(clone.home)
    subprocess.run(["cp", "-a", machine.home, clone.home], check=True)
    for one in (machine, clone):
        one.must("unlock-keychain", "-p", PASSCODE)
    return clone


def is_found(one, other, clone):
    """What wrote first goes on. The other copy sends nothing, changes nothing of the circle, and says what to do."""
    clone.write("put", "mail", "of the copy")
    clone.write("put", "late", "of the copy")
    one.write("put", "mail", "of the machine")
    looks(one)
    clone.run("sync", "now")
    assert (one.sync("status")["standing"], clone.sync("status")["standing"]) == ("in", "doubled")
    status = clone.must("sync", "status")
    assert SHOWN in status and "leave, then join again" in status, status
    refused = clone.run("sync", "remove-device", "other")
    assert refused.returncode != 0 and "Another copy of this machine" in refused.stderr, refused
    looks(other, one)
    clone.run("sync", "now")
    assert other.items() == one.items() == {"mail: of the machine"}, (other.items(), one.items())
    assert "late: of the copy" in clone.items(), clone.items()


def joins_again(one, other, clone, place):
    """The copy becomes a machine of its own. Its changes come along, and none is lost."""
    before = clone.sync("status")["me"]
    clone.must("sync", "leave")
    place.adds(one, clone)
    looks(one, clone, one, other, clone)
    status = clone.sync("status")
    assert status["standing"] == "in" and status["me"] != before and status["unsent"] == 0, status
    items = one.items()
    assert "late: of the copy" in items and len(items) == 2, items
    assert other.items() == clone.items() == items, (items, other.items(), clone.items())


def is_restored(one, other):
    """A machine whose disk was put back sends nothing either, and reads what it has missed when it joins again."""
    kept = f"{one.folder}/kept"
    one.end()
    subprocess.run(["cp", "-a", one.home, kept], check=True)
    one.must("unlock-keychain", "-p", PASSCODE)
    one.write("put", "between", "the copies")
    looks(one, other)
    one.end()
    shutil.rmtree(one.home)
    os.rename(kept, one.home)
    one.must("unlock-keychain", "-p", PASSCODE)
    one.run("sync", "now")
    assert one.sync("status")["standing"] == "doubled"
    assert "between: the copies" in other.items()


def begins_again(one, other, place):
    """Where no other machine is left to add it, it gives the circle up, and keeps its items."""
    items = one.items()
    one.must("sync", "reset", "-n", "one", *place.founding(one), place.url)
    assert one.sync("status")["standing"] == "in" and one.items() == items
    other.must("sync", "leave")
    place.adds(one, other)
    looks(one, other, one, other)
    assert one.items() == other.items() and "between: the copies" in one.items(), one.items()


def plays(programs, kind):
    with machines(programs, "one", "other") as (folder, (one, other)):
        place = kind(programs, folder)
        clone = None
        try:
            for machine in (one, other):
                place.knows(machine)
            one.sync("setup", "-n", "one", *place.founding(one), place.url)
            place.adds(one, other)
            looks(one, other, one, other)
            clone = cloned(one, "clone", one.programs, folder)
            is_found(one, other, clone)
            joins_again(one, other, clone, place)
            is_restored(one, other)
            begins_again(one, other, place)
        finally:
            if clone:
                clone.end()
            place.end()


def main():
    programs = os.path.abspath(sys.argv[1])
    for kind in (FolderPlace, ServerPlace):
        plays(programs, kind)
    print("sync clone: ok")


main()
