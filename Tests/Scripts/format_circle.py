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
        key = self.sql("SELECT pk FROM genp WHERE tomb = 0 AND pdmn < 4 LIMIT 1")[0][0]
        self.sql("DELETE FROM syncrow WHERE pk = ?", key)
        self.assertEqual([one["problem"] for one in self.read(status=1)["damaged"]], ["its record is not marked"])

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
