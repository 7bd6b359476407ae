"""What real daemons write to a circle's place is read by a reader that knows only the documents: batches, keys, and the
parts of a snapshot.

usage: sync_format_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import sys

from circle_bytes import Malformed
from circle_reader import Circle
from cryptography.exceptions import InvalidSignature, InvalidTag
from patience import eventually
from sync_parts import machines
from sync_places import FolderPlace

# A machine makes a snapshot after so many batches of its own.
SNAPSHOT = 256


def looks(*all_machines):
    for machine in all_machines:
        machine.must("sync", "now")


def text(item):
    """As `item-writer show` and `security add` have it: the account, and the value."""
    attributes, value = item
    return f"{attributes['acct']['string']}: {value.decode()}"


def named(items, account):
    (found,) = [item for item in items.values() if item[0]["acct"]["string"] == account]
    return found


class Reading:
    """A circle as the reader finds it in its folder."""

    def __init__(self, place, machine, code):
        self.place, self.machine, self.code = place, machine, code

    def read(self):
        circle = self.machine.sync("status")["circle"]
        return Circle(circle, self.place.slots(circle), self.code)

    def check(self):
        """The reader has the items that the machines have, of all classes of protection."""
        found = self.read()
        items = found.items()
        assert {text(item) for item in items.values()} == self.machine.items() | {"octo: of the server"}, items
        protections = {account: named(items, account)[0]["pdmn"]["string"] for account in ("octo", "early")}
        assert protections == {"octo": "ak", "early": "ck"}, protections
        assert named(items, "octo")[0]["srvr"] == {"string": "github.com"}
        return found


def is_strict(slots, circle, code):
    """A changed byte of any file is found: what the reader accepts says something."""
    for name, data in slots.items():
        for place in (4, len(data) // 2, len(data) - 1):
            changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            try:
                Circle(circle, slots | {name: changed}, code).items()
            except (Malformed, InvalidSignature, InvalidTag):
                continue
            raise AssertionError(f"{name} is read with another byte {place}")


def begins(one, other, place):
    one.sync("setup", "-n", "one", place.url)
    one.sync("recovery-key")
    place.adds(one, other)
    looks(one, other, one, other)
    one.write("put", "mail", "first")
    one.write("open", "early", "before the unlock")
    one.must("add", "-S", "octo", "server=github.com", text="of the server")
    one.write("put", "gone", "soon")
    looks(one, other)
    other.write("put", "mail", "second")
    other.write("drop", "gone")
    looks(other, one)


def writes(one, count):
    for number in range(count):
        one.write("put", f"item{number % 20}", str(number))
        one.must("sync", "now")


def is_short(one, other, place, circle):
    """The other machine compares the snapshot, and the batches that it covers go."""
    looks(one, other)
    slots = place.slots(circle)
    return any(part for _, _, part in slots) and len(slots) < SNAPSHOT // 2


def main():
    with machines(os.path.abspath(sys.argv[1]), "one", "other") as (folder, (one, other)):
        place = FolderPlace(None, folder)
        begins(one, other, place)
        reading = Reading(place, one, pathlib.Path(f"{folder}/notes/code").read_text().strip())
        found = reading.check()
        assert not found.snapshots() and {name for batch in found.stating for name, _ in batch.statements} >= {
            "genesis", "add", "recovery", "generation"}
        writes(one, SNAPSHOT)
        circle = one.sync("status")["circle"]
        eventually(lambda: is_short(one, other, place, circle), "the snapshot covers nothing")
        found = reading.check()
        (snapshot,) = found.snapshots()
        assert one.sync("status")["me"] == snapshot[0].hex()
        is_strict(place.slots(circle), circle, reading.code)
        # What was stated, and the items from before, are in the snapshot alone.
        assert (snapshot[0], 1) not in found.batches and found.carried
        items = found.newest(found.snapshot_versions(snapshot))
        assert {"mail: second", "early: before the unlock"} <= {text(item) for item in items.values()}
    print(f"sync format: ok, a snapshot of {len(items)} items")


main()
