"""The first sync of many items: kill -9 ends commands, carriers and daemons of both machines at random syncs to disk.

usage: sync_first_long_test.py FOLDER-OF-PROGRAMS folder|server|bucket [ITEMS [SEED]]
"""

import os
import random
import sys

from sync_kills import is_killed
from sync_parts import machines
from sync_places import PLACES


def interrupted(machine, is_done, chance):
    """Has a machine go round, and kills it each time, until it is done; how often it was killed."""
    kills, most = 0, 60
    while not is_done():
        when = chance.randrange(1, most)
        if is_killed(machine, when, "now"):
            kills += 1
        else:
            # Nobody has so many syncs any more: this round went to its end.
            most = max(when, 2)
    return kills


def whole(machine, items):
    machine.must("verify-keychain")
    found = machine.items()
    expected = {f"item-{number}: the secret of item {number}" for number in range(items)}
    assert found == expected, (machine.name, len(found), sorted(found ^ expected)[:4])


def synchronised(one, other, place, items, chance):
    """How often each machine was killed while the items of one came to the other one."""
    for machine in (one, other):
        place.knows(machine)
    one.write("fill", str(items))
    # Nothing is sent before.
    one.sync("setup", "-n", "one", *place.founding(one), place.url)
    sending = interrupted(one, lambda: one.sync("status")["unsent"] == 0, chance)
    place.adds(one, other)
    one.must("sync", "now")
    return sending, interrupted(other, lambda: len(other.items()) == items, chance)


def main():
    programs, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    items = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
    print(f"{kind}: {items} items, seed {seed}", flush=True)
    with machines(programs, "one", "other") as (folder, (one, other)):
        place = PLACES[kind](programs, folder)
        try:
            sending, reading = synchronised(one, other, place, items, random.Random(seed))
            for machine in (one, other):
                whole(machine, items)
        finally:
            place.end()
    print(f"sync first: ok, {sending} kills while it was sent, {reading} while it was read")
    assert reading > 2


main()
