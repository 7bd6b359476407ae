"""Machines of an ordinary user's whose logs become short by snapshots, over a folder, carried by the real program.

usage: sync_snapshot_long_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import sys

from ordinary_parts import USER
from patience import eventually
from sync_parts import finished, machines, shown

# Batches of each of two machines, and the items that they change by turns.
BATCHES, ITEMS = 300, 40
# A snapshot is made after 256 batches of a machine's own.
SNAPSHOT = 256


def files(folder):
    """The files of the circle: batches, and parts of snapshots."""
    found = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    batches = [path for path in found if path.parent.parent.name == "log"]
    return batches, [path for path in found if path not in batches]


def pair(one, other, place):
    adding, _ = shown(one, place)
    other.sync("join", f"{place}/shared", "-n", other.name)
    code, out, errors = finished(adding)
    assert code == 0, (code, out, errors)
    both = (one, other)
    for machine in both + both:
        machine.must("sync", "now")


def has_same(*all_machines):
    """Whether each has sent what it has, and all have the same items."""
    for machine in all_machines:
        machine.must("sync", "now")
    return len({frozenset(machine.items()) for machine in all_machines}) == 1


def writes(one, other, folder):
    """Many batches, while a machine is away that has to compare the snapshot: nothing goes."""
    for number in range(BATCHES):
        for machine in (one, other):
            machine.write("put", f"{machine.name}{number % ITEMS}", str(number))
            machine.must("sync", "now")
    one.write("drop", "one0")
    assert has_same(one, other)
    batches, parts = files(folder)
    assert len(batches) >= 2 * BATCHES and parts, (len(batches), parts)


def comes_back(all_machines, folder):
    """The machine that was away reads all, and then only the batches since the snapshot stay."""
    eventually(lambda: has_same(*all_machines), "the machine does not catch up")

    def is_short():
        has_same(*all_machines)
        return len(files(folder)[0]) < 2 * (BATCHES - SNAPSHOT) + 60

    eventually(is_short, lambda: f"there are {len(files(folder)[0])} batches")
    assert has_same(*all_machines)


def joins(one, third, folder, place):
    """A newcomer reads few files and has everything."""
    batches, parts = files(folder)
    pair(one, third, place)
    assert third.sync("status")["standing"] == "in"
    assert third.items() == one.items() and "one0" not in str(third.items())
    return len(batches) + len(parts)


def recovers(one, fifth, folder):
    """A recovery key that was made when logs were short brings everything."""
    one.sync("recovery-key")
    one.must("sync", "now")
    fifth.sync("join", "--recovery", "-n", "fifth", folder)
    for machine in (fifth, one, fifth):
        machine.must("sync", "now")
    assert fifth.sync("status")["standing"] == "in" and fifth.items() == one.items()


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "other", "late", "third", "fifth") as (place, made):
        one, other, late, third, fifth = made
        folder = f"{place}/shared"
        os.mkdir(folder)
        if os.getuid() == 0:
            os.chown(folder, USER, USER)
        one.sync("setup", "-n", "one", folder)
        for machine in (other, late):
            pair(one, machine, place)
        one.must("sync", "now")
        writes(one, other, folder)
        comes_back((one, other, late), folder)
        read = joins(one, third, folder, place)
        third.write("put", "of the third", "3")
        eventually(lambda: has_same(one, other, late, third), "the newcomer's change does not arrive")
        assert "of the third: 3" in late.items()
        recovers(one, fifth, folder)
    print(f"sync_snapshot_long: ok, a newcomer has read {read} files of {2 * BATCHES} batches")


main()
