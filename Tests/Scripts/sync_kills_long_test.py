"""Each process of a change of a circle is killed at each sync to disk; the same command, repeated, gets through.

usage: sync_kills_long_test.py FOLDER-OF-PROGRAMS folder|server|bucket
"""

import json
import os
import shutil
import sys

from sync_kills import is_killed
from sync_parts import Machine, machines
from sync_places import PLACES

ITEMS = {"mail: secret", "shop: other"}


def is_whole(machine):
    """It is in, nothing waits, and it has all items."""
    machine.must("sync", "now")
    status = machine.sync("status")
    assert status["standing"] == "in" and status["unsent"] == 0, status
    assert machine.items() == ITEMS, machine.items()


def enters(one, folder, place, when):
    """A machine enters by the circle's code, at a copy of the place.

    Returns whether somebody was killed.
    """
    circle, new = one.sync("status")["circle"], Machine("new", one.programs, folder)
    try:
        with place.copied() as copy:
            copy.knows(new)
            words = ("join", "--recovery", "-n", "new", *copy.recovering(new, circle))
            was_killed = is_killed(new, when, *words)
            status = new.run("--json", "sync", "status").stdout
            if not status or json.loads(status)["standing"] != "in":
                new.must("sync", *words)
            is_whole(new)
        return was_killed
    finally:
        new.end()
        shutil.rmtree(new.folder)


def makes_key(one, folder, place, when):
    """A key that was cut off is made again, and its code alone opens the circle."""
    was_killed = is_killed(one, when, "recovery-key")
    one.must("sync", "recovery-key")
    one.must("sync", "now")
    keys = [row for row in one.sync("devices") if row["recoveryKey"] and not row["removed"]]
    assert len(keys) == 1, keys
    # Nobody has so many syncs.
    enters(one, folder, place, 10_000)
    return was_killed


def resets(one, place, when):
    """A circle that was given up by half is given up: the command says that the place is to be named then."""
    before = one.sync("status")["circle"]
    was_killed = is_killed(one, when, "reset", "-n", "one", *place.founding(one))
    # The invitation of the first may be used.
    words = ("reset", "-n", "one", *place.founding(one))
    again = one.run("sync", *words)
    if again.returncode != 0:
        assert "Name it: `security sync reset PLACE`" in again.stderr, again
        one.must("sync", *words, place.url)
    assert one.sync("status")["circle"] != before
    is_whole(one)
    return was_killed


def at_each(name, turn):
    """Kills at one sync after the other, until there is none of that number."""
    count = 1
    while turn(count):
        count += 1
    print(f"{name}: {count - 1} kills", flush=True)
    assert count > 4, count


def main():
    programs, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    with machines(programs, "one") as (folder, (one,)):
        place = PLACES[kind](programs, folder)
        try:
            place.knows(one)
            one.sync("setup", "-n", "one", *place.founding(one), place.url)
            one.write("put", "mail", "secret")
            one.write("put", "shop", "other")
            one.sync("recovery-key")
            one.must("sync", "now")
            at_each("join --recovery", lambda when: enters(one, folder, place, when))
            at_each("recovery-key", lambda when: makes_key(one, folder, place, when))
            at_each("reset", lambda when: resets(one, place, when))
        finally:
            place.end()
    print(f"sync kills, {kind}: ok")


main()
