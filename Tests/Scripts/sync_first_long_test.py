"""The first sync of many items: kill -9 ends commands, carriers and daemons of both machines at random syncs to disk.

usage: sync_first_long_test.py FOLDER-OF-PROGRAMS folder|server|bucket [ITEMS [SEED]]
"""

import os
import random
import sys

from sync_kills import is_killed
from sync_parts import machines
from sync_places import PLACES

KILLS = 12


def interrupted(machine, is_done, chance):
    """Has a machine go round, and kills it each time, until it is done; how often it was killed."""
    kills = 0
    while not is_done():
        # A little later each time: somewhere between the first sync and the end.
        kills += is_killed(machine, chance.randrange(1, 6 + 2 * kills), "now")
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
    one.sync("setup", "-n", "one", *place.founding(one), place.url)
    place.adds(one, other)
    for machine in (one, other, one, other):
        machine.must("sync", "now")
    # No carrier runs: nothing is sent before.
    one.write("fill", str(items))
    sending = interrupted(one, lambda: one.sync("status")["unsent"] == 0, chance)
    return sending, interrupted(other, lambda: len(other.items()) == items, chance)


def play(programs, kind, items, chance):
    """Two new machines; how often they were killed."""
    with machines(programs, "one", "other") as (folder, (one, other)):
        place = PLACES[kind](programs, folder)
        try:
            sending, reading = synchronised(one, other, place, items, chance)
            for machine in (one, other):
                whole(machine, items)
        finally:
            place.end()
    print(f"{sending} kills while {items} items were sent, {reading} while they were read", flush=True)
    return sending + reading


def main():
    programs, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    items = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
    chance, kills = random.Random(seed), 0
    print(f"{kind}: seed {seed}", flush=True)
    while kills < KILLS:
        kills += play(programs, kind, items, chance)
    print(f"sync first: ok, {kills} kills")


main()
