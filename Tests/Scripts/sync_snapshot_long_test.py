"""Machines of an ordinary user's whose logs become short by snapshots, carried by the real program.

usage: sync_snapshot_long_test.py FOLDER-OF-PROGRAMS folder|server|bucket
"""

import os
import pathlib
import sys

from circle_reader import Circle
from patience import eventually
from sync_parts import machines
from sync_places import PLACES

# Batches of each of two machines, and the items that they change by turns.
BATCHES, ITEMS = 300, 40
# A snapshot is made after 256 batches of a machine's own.
SNAPSHOT = 256


def counted(one, place):
    """The numbers of batches, and of parts of snapshots."""
    slots = place.slots(one.sync("status")["circle"])
    parts = sum(part is not None for _, _, part in slots)
    return len(slots) - parts, parts


def pair(one, other, place):
    place.adds(one, other)
    both = (one, other)
    for machine in both + both:
        machine.must("sync", "now")


def has_same(*all_machines):
    """Whether each has sent what it has, and all have the same items."""
    for machine in all_machines:
        machine.must("sync", "now")
    return len({frozenset(machine.items()) for machine in all_machines}) == 1


def writes(one, other, place):
    """Many batches, while a machine is away that has to compare the snapshot: nothing goes."""
    for number in range(BATCHES):
        for machine in (one, other):
            machine.write("put", f"{machine.name}{number % ITEMS}", str(number))
            machine.must("sync", "now")
    one.write("drop", "one0")
    assert has_same(one, other)
    batches, parts = counted(one, place)
    assert batches >= 2 * BATCHES and parts, (batches, parts)


def comes_back(all_machines, place):
    """The machine that was away reads all, and then only the batches since the snapshot stay."""
    eventually(lambda: has_same(*all_machines), "the machine does not catch up")

    def is_short():
        has_same(*all_machines)
        return counted(all_machines[0], place)[0] < 2 * (BATCHES - SNAPSHOT) + 60

    eventually(is_short, lambda: f"there are {counted(all_machines[0], place)[0]} batches")
    assert has_same(*all_machines)


def joins(one, third, place):
    """A newcomer reads few slots and has everything."""
    read = sum(counted(one, place))
    pair(one, third, place)
    assert third.sync("status")["standing"] == "in"
    assert third.items() == one.items() and "one0" not in str(third.items())
    return read


def recovers(one, fifth, place, folder):
    """A recovery key that was made when logs were short brings everything; so it does to a reader of the page."""
    one.sync("recovery-key")
    one.must("sync", "now")
    circle = one.sync("status")["circle"]
    found = Circle(circle, place.slots(circle), pathlib.Path(f"{folder}/notes/code").read_text().strip())
    read = {f"{item[0]['acct']['string']}: {item[1].decode()}" for item in found.items().values()}
    assert read == one.items(), (read, one.items())
    fifth.sync("join", "--recovery", "-n", "fifth", *place.recovering(fifth, circle))
    for machine in (fifth, one, fifth):
        machine.must("sync", "now")
    assert fifth.sync("status")["standing"] == "in" and fifth.items() == one.items()


def run(folder, place, one, other, late, third, fifth):
    for machine in (one, other, late, third, fifth):
        place.knows(machine)
    one.sync("setup", "-n", "one", *place.founding(one), place.url)
    for machine in (other, late):
        pair(one, machine, place)
    one.must("sync", "now")
    writes(one, other, place)
    comes_back((one, other, late), place)
    read = joins(one, third, place)
    third.write("put", "of the third", "3")
    eventually(lambda: has_same(one, other, late, third), "the newcomer's change does not arrive")
    assert "of the third: 3" in late.items()
    recovers(one, fifth, place, folder)
    return read


def main():
    programs, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    with machines(programs, "one", "other", "late", "third", "fifth") as (folder, made):
        place = PLACES[kind](programs, folder)
        try:
            read = run(folder, place, *made)
        finally:
            place.end()
    print(f"sync_snapshot_long, {kind}: ok, a newcomer has read {read} slots of {2 * BATCHES} batches")


main()
