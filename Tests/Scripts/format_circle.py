"""The records of a keychain that belongs to a circle of machines."""

import json
import os
import random
import subprocess
import time

from format_parts import PROGRAMS, StoreTest, change, data, item, string


class Circle(StoreTest):
    """A keychain that belongs to a circle of machines."""

    def setUp(self):
        super().setUp()
        change(self.folder)
        self.enter_circle()

    def add(self, account, **more):
        return {"add": item("genp", b"s", acct=string(account), sync={"boolean": True}, **more)}

    def query(self, account):
        return {"class": string("genp"), "acct": string(account), "sync": {"boolean": True}}

    def test_records_and_tombstones(self):
        change(
            self.folder,
            *[self.add(account) for account in ("stays", "goes", "is renamed")],
            self.add("at home", pdmn=string("cku")),
            {"delete": self.query("goes")},
            {"update": [self.query("is renamed"), {"acct": string("renamed")}]},
        )
        found = self.read()
        self.assertEqual(sorted(one["row"] for one in found["circle"]), ["item", "item", "tombstone", "tombstone"])
        self.assertTrue(all(one["dirty"] == 1 and one["stamp"] > 1 << 50 for one in found["circle"]))
        self.assertEqual(len(found["items"]), 3)
        # No other machine knows the item by its old name.
        self.assertEqual(self.sql("SELECT count(*) FROM syncrow WHERE previous IS NOT NULL"), [(0,)])
        key = self.sql("SELECT pk FROM genp WHERE tomb = 0 AND pdmn < 4 LIMIT 1")[0][0]
        self.sql("DELETE FROM syncrow WHERE pk = ?", key)
        self.assertEqual([one["problem"] for one in self.read(status=1)["damaged"]], ["its record is not marked"])

    def test_a_renamed_item_says_which_record_others_know(self):
        change(self.folder, self.add("first"))
        known, other = b"known by others.", b"deleted before.."
        place = bytes(40)
        self.sql("UPDATE syncrow SET dirty = 0, origin = ?", known + place)
        change(self.folder, self.add("third"), {"delete": self.query("third")})
        self.sql("UPDATE syncrow SET dirty = 0, origin = ? WHERE origin IS NULL", other + place)
        previous = "SELECT previous FROM syncrow WHERE previous IS NOT NULL"
        for old, new in (("first", "second"), ("second", "third"), ("third", "fourth")):
            change(self.folder, {"update": [self.query(old), {"acct": string(new)}]})
            self.assertEqual(self.sql(previous), [(known,)])
        # There and back it is the record that it was.
        change(self.folder, {"update": [self.query("fourth"), {"acct": string("first")}]})
        self.assertEqual((self.sql(previous), len(self.read()["items"])), ([], 1))
        # A batch may have told it, so that others know the item by that name.
        change(self.folder, {"update": [self.query("first"), {"acct": string("second")}]})
        self.sql("UPDATE syncrow SET dirty = 2, origin = ? WHERE previous IS NOT NULL", b"told in a batch." + place)
        change(self.folder, {"update": [self.query("second"), {"acct": string("third")}]})
        self.assertEqual(self.sql(previous), [(b"told in a batch.",)])
        change(self.folder, {"delete": self.query("third")})
        self.assertEqual(self.sql(previous), [])

    def test_a_kill_between_leaves_no_change_without_its_mark(self):
        steps = [
            step
            for number in range(40)
            for step in (
                self.add(f"{number}"),
                {"update": [self.query(f"{number}"), {"v_Data": data(b"new")}]},
                {"update": [self.query(f"{number}"), {"acct": string(f"new {number}")}]},
                {"delete": self.query(f"new {number}")},
            )
        ]
        begun, moment = time.monotonic(), random.Random(7)
        change(self.folder, *steps)
        took = time.monotonic() - begun
        for _ in range(int(os.environ.get("KILLS", "4"))):
            # Every account has another row each time, so that each round begins with tombstones.
            program = subprocess.Popen([f"{PROGRAMS}/item-changer", self.folder], stdin=subprocess.PIPE)
            program.stdin.write(json.dumps(steps).encode())
            program.stdin.close()
            time.sleep(moment.random() * took)
            program.kill()
            program.wait()
            found = self.read()
            self.assertEqual((found["damaged"], {one["dirty"] for one in found["circle"]}), ([], {1}))
            # What the kill has left in the way of the next round.
            left = [one["attributes"]["acct"]["string"] for one in found["items"]]
            change(self.folder, *[{"delete": self.query(account)} for account in left])
