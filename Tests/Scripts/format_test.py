"""Holds the stores that the product writes against docs/formats/store.md, by way of read_store.py.

usage: format_test.py FOLDER-OF-PROGRAMS [TEST...]; KILLS in the environment
"""

import datetime
import os
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from format_parts import (
    OTHERS,
    PASSCODE,
    PASSWORDS,
    PROGRAMS,
    STORES,
    WITH_PASSCODE,
    StoreTest,
    change,
    data,
    decimal,
    expected,
    item,
    number,
    raw_point,
    string,
)
from format_circle import Circle  # noqa: F401 unittest finds it here
from format_tampering import Tampering  # noqa: F401 unittest finds it here
from patience import PATIENCE
from read_store import CLASSES, Closed, Damaged, SealedKey, Store


class Reading(StoreTest):
    def check(self, found, items):
        self.assertEqual(found["damaged"], [])
        self.assertEqual(len(found["items"]), len(items))
        for given in items:
            self.assertEqual(1, sum(self.matches(given, one) for one in found["items"]), given)

    @staticmethod
    def matches(given, found):
        """Value and attributes are the same; one that was not given has a default, or the server set it."""
        value, attributes = given.get("v_Data"), dict(found["attributes"])
        for code in ("agrp", "cdat", "mdat") + (() if "pdmn" in given else ("pdmn",)):
            attributes.pop(code)
        wanted = {code: one for code, one in given.items() if code not in ("class", "v_Data")}
        return (
            found["class"] == given["class"]["string"]
            and found["value"] == (value and expected(value)["data"])
            and all(attributes.pop(code, None) in (expected(one), decimal(one)) for code, one in wanted.items())
            and all(one in (string(""), number(0), {"data": ""}) for one in attributes.values())
        )

    def test_all_classes_without_a_passcode(self):
        change(self.folder, *[{"add": one} for one in PASSWORDS + OTHERS])
        self.check(self.read(), PASSWORDS + OTHERS)

    def test_with_a_passcode_set_later(self):
        items = PASSWORDS + OTHERS + [WITH_PASSCODE]
        change(self.folder, *[{"add": one} for one in PASSWORDS + OTHERS])
        change(self.folder, {"setPasscode": PASSCODE}, {"add": WITH_PASSCODE})
        self.check(self.read("--passcode", passcode=PASSCODE), items)
        without = self.read()
        open_classes = {one["attributes"]["pdmn"]["string"] for one in without["items"]}
        self.assertEqual(open_classes, {"dk", "dku"})
        self.assertEqual(len(without["items"]) + without["closed"], len(items))
        self.assertIn("does not open", self.read("--passcode", passcode="wrong", status=2))

    def test_store_and_vault_know_of_each_other_how_new_they_are(self):
        vault = pathlib.Path(f"{self.folder}/vault")
        change(self.folder, {"add": PASSWORDS[1]})
        self.assertEqual(self.read()["age"], "current")
        old = vault.read_bytes()
        change(self.folder, {"setPasscode": PASSCODE})
        newest = vault.read_bytes()
        self.assertEqual(self.read()["age"], "current")
        vault.write_bytes(old)
        self.assertEqual(self.read()["age"], "older vault")
        vault.write_bytes(newest)
        change(
            self.folder, *[{"add": item("genp", acct=string(str(number)), pdmn=string("dk"))} for number in range(600)]
        )
        self.assertEqual(self.read()["age"], "current")
        ((changes, block, code, _),) = self.sql("SELECT changes, block, code, writes FROM mark")
        self.assertGreater(block, 2)
        for statement in (
            "UPDATE mark SET block = block - 1",
            "UPDATE mark SET code = randomblob(32)",
            "DELETE FROM mark",
        ):
            self.sql(statement)
            self.assertEqual(self.read()["age"], "older store")
            self.sql("INSERT OR REPLACE INTO mark VALUES (1, ?, ?, ?, 0)", changes, block, code)
        self.assertEqual(self.read()["age"], "current")

    def test_earlier_versions(self):
        change(
            self.folder, *[{"add": item("genp", b"one", acct=string(p), pdmn=string(p))} for p in ("ak", "dk", "aku")]
        )
        change(
            self.folder,
            {"update": [{"class": string("genp")}, {"v_Data": data(b"two")}]},
            {"delete": {"class": string("genp"), "acct": string("ak")}},
        )
        found = self.read()
        self.assertEqual(found["damaged"], [])
        shown = [
            (one["attributes"]["acct"]["string"], bytes.fromhex(one["value"]), one["event"]) for one in found["history"]
        ]
        self.assertEqual(sorted(shown[:2]) + shown[2:], [("ak", b"one", 1), ("dk", b"one", 1), ("ak", b"two", 2)])
        self.assertEqual(sorted(one["ended"] for one in found["history"]), [one["ended"] for one in found["history"]])
        columns = "class uuid pk pdmn sync agrp wkey meta data ownr ended event code lost"
        for column in columns.split():
            (kept,) = self.sql(f"SELECT {column} FROM history WHERE id = 2")
            old = bytes(40) if kept[0] is None else kept[0]
            changed = old + 1 if isinstance(old, int) else old[:-1] + bytes([old[-1] ^ 1])
            self.sql(f"UPDATE history SET {column} = ? WHERE id = 2", changed)
            damaged = self.read(status=1)["damaged"]
            self.assertIn(2, [one.get("history") for one in damaged], column)
            self.sql(f"UPDATE history SET {column} = ? WHERE id = 2", kept[0])
        self.assertEqual(self.read()["damaged"], [])

    def test_server_set_attributes(self):
        change(self.folder, {"add": item("genp", b"v", acct=string("a"))})
        attributes = self.read()["items"][0]["attributes"]
        self.assertEqual(attributes["cdat"], attributes["mdat"])
        self.assertGreater(attributes["cdat"]["date"], 700_000_000)
        self.assertEqual(attributes["agrp"], string("TEST.program"))
        self.assertEqual(attributes["pdmn"], string("ak"))
        self.assertEqual((attributes["sync"], attributes["svce"]), (number(0), string("")))

    def test_keys_that_only_the_enclave_sees(self):
        given = ec.generate_private_key(ec.SECP256R1())
        number, point = given.private_numbers().private_value.to_bytes(32, "big"), raw_point(given)
        rsa_key = rsa.generate_private_key(65537, 2048).private_bytes(
            Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption()
        )
        kept = {"kcls": string("1"), "extr": {"boolean": False}}
        change(
            self.folder,
            {"makeKey": {"labl": string("one")}},
            {"makeKey": {"labl": string("two"), "pdmn": string("cku")}},
            {"add": item("keys", point + number, labl=string("ec"), type=string("73"), **kept)},
            {"add": item("keys", rsa_key, labl=string("rsa"), type=string("42"), **kept)},
            {"update": [{"class": string("keys"), "labl": string("two")}, {"pdmn": string("dk")}]},
        )
        found = self.read()
        self.assertEqual(found["damaged"], [])
        self.assertEqual([one["value"] for one in found["items"]], [None] * 4)
        keys = {one["attributes"]["labl"]["string"]: one["sealedKey"] for one in found["items"]}
        for label, control in (("one", 1 << 30), ("two", 1 << 30), ("ec", 0)):
            key = keys[label]
            private = ec.derive_private_key(int(key["privatePart"][-64:], 16), ec.SECP256R1())
            self.assertEqual(raw_point(private).hex(), key["publicKey"])
            self.assertEqual((key["group"], key["control"], key["bits"]), ("TEST.program", control, 256))
        self.assertEqual((keys["one"]["origin"], keys["ec"]["origin"]), (1, 2))
        self.assertEqual(keys["ec"]["privatePart"], (point + number).hex())
        self.assertEqual(keys["rsa"]["privatePart"], rsa_key.hex())
        content = b"".join(path.read_bytes() for path in pathlib.Path(self.folder).iterdir())
        for secret in (number, rsa_key[-64:], bytes.fromhex(keys["one"]["privatePart"])[-32:]):
            self.assertNotIn(secret, content)

    GUARDS = {
        "presence": 1,
        "any finger": 2,
        "these fingers": 8,
        "passcode": 16,
        "either": 8 | 16 | 1 << 14,
        "password": 1 << 31,
        "password and finger": 8 | 1 << 31,
    }

    def guarded(self):
        """Steps that add an item, and a key of the enclave, behind each guard; the password is "secret"."""
        yield from ({"setPasscode": PASSCODE}, {"enrol": "thumb"})
        for name, flags in self.GUARDS.items():
            for step in (
                {"add": item("genp", name.encode(), acct=string(name), accc={"control": ["ak", flags]})},
                {"makeKey": {"labl": string(name), "accc": {"control": ["aku", flags | 1 << 30]}}},
            ):
                if flags >> 31:
                    yield {"type": "secret"}
                yield step

    def test_what_the_user_guards(self):
        change(self.folder, *self.guarded())
        found = self.read("--passcode", "--password", "secret", passcode=PASSCODE)
        self.assertEqual((found["damaged"], found["closed"], len(found["items"])), ([], 0, 2 * len(self.GUARDS)))
        for one in found["items"]:
            attributes = one["attributes"]
            name = attributes["acct" if one["class"] == "genp" else "labl"]["string"]
            if one["class"] == "genp":
                self.assertEqual(bytes.fromhex(one["value"]).decode(), name)
                self.assertEqual(bytes.fromhex(attributes["accc"]["data"]).decode(), f"ak;{self.GUARDS[name]}")
                continue
            key = one["sealedKey"]
            private = ec.derive_private_key(int(key["privatePart"][-64:], 16), ec.SECP256R1())
            self.assertEqual(
                (raw_point(private).hex(), key["control"]), (key["publicKey"], self.GUARDS[name] | 1 << 30)
            )
        without = self.read("--passcode", passcode=PASSCODE)
        self.assertEqual((without["damaged"], without["closed"]), ([], 4))
        self.assertEqual(
            len(self.read("--passcode", "--password", "Secret", passcode=PASSCODE, status=1)["damaged"]), 4
        )

    def test_every_byte_of_what_guards(self):
        change(self.folder, *self.guarded())
        store = Store(self.folder, PASSCODE.encode(), b"secret")
        for row in store.database.execute("SELECT * FROM genp").fetchall():
            store.open("genp", row)
            self.assertGreater(len(row["wkey"]), 60)
            for offset in range(len(row["wkey"])):
                flipped = bytearray(row["wkey"])
                flipped[offset] ^= 1
                with self.assertRaises((Damaged, Closed), msg=offset):
                    store.open("genp", {**dict(row), "wkey": bytes(flipped)})
            with self.assertRaises(Damaged):
                store.open("genp", {**dict(row), "wkey": row["wkey"] + b"\0"})

    def test_a_changed_sealed_key(self):
        change(self.folder, {"makeKey": {"labl": string("one")}})
        store = Store(self.folder)
        row = store.database.execute("SELECT * FROM keys").fetchone()
        opened = []
        original, SealedKey.opened = SealedKey.opened, lambda key, *rest: opened.append((key, rest))
        self.addCleanup(setattr, SealedKey, "opened", original)
        store.open("keys", row)
        ((key, rest),) = opened
        content = key.head + struct.pack("<I", len(key.box)) + key.box
        original(SealedKey(content), *rest)
        change(self.folder, {"add": item("keys", b"v", atag=string("plain"))})
        plain = store.database.execute(
            "SELECT * FROM keys WHERE data NOT IN (SELECT data FROM keys WHERE id = ?)", (row["id"],)
        ).fetchone()
        for one, version in ((row, b"\1"), (plain, b"\2")):
            store.open("keys", one)
            with self.assertRaises(Damaged):
                store.open("keys", {**dict(one), "data": version + one["data"][1:]})
        for offset in range(len(content)):
            flipped = bytearray(content)
            flipped[offset] ^= 1
            with self.assertRaises((Damaged, UnicodeDecodeError, Closed), msg=offset):
                original(SealedKey(bytes(flipped)), *rest)

    def test_update_and_delete(self):
        query = {"class": string("genp"), "acct": string("synchronised")}
        change(
            self.folder,
            {"add": item("genp", b"old", acct=string("a"))},
            {"add": item("genp", b"s", acct=string("synchronised"), sync={"boolean": True})},
        )
        before = {one["reference"] for one in self.read()["items"]}
        change(
            self.folder,
            {"update": [{"class": string("genp"), "acct": string("a")}, {"v_Data": data(b"new")}]},
            {"delete": {**query, "sync": {"boolean": True}}},
        )
        found = self.read()
        self.assertEqual([(one["value"], one["reference"] in before) for one in found["items"]], [(b"new".hex(), True)])
        self.assertEqual(self.sql("SELECT count(*), sum(tomb) FROM genp"), [(1, 0)])
        self.assertIsNone(found["circle"])


class Columns(StoreTest):
    """What stands in the columns, and what only in the sealed attributes."""

    def test_digests_stand_where_an_index_needs_them_and_nowhere_else(self):
        change(self.folder, {"add": OTHERS[0]}, {"add": OTHERS[1]})
        fixed = {"id", "uuid", "pk", "pdmn", "sync", "tomb", "wkey", "meta", "data", "ownr", "code"}
        for table in CLASSES:
            indexed = {
                column[2]
                for index in self.sql(f"PRAGMA index_list({table})")
                for column in self.sql(f"PRAGMA index_info({index[1]})")
            }
            digests = {column[1] for column in self.sql(f"PRAGMA table_info({table})")} - fixed
            self.assertEqual(digests, indexed - {"uuid", "pk"})
            self.assertLess(len(digests), 8)

    def test_a_name_in_two_groups_or_classes_shows_in_no_column_but_the_label_of_a_key_pair(self):
        names = {"acct": string("same"), "labl": string("same")}
        for group in ("TEST.one", "TEST.two"):
            change(
                self.folder,
                {"as": [group]},
                {"add": item("genp", svce=string("same"), **names)},
                {"add": item("inet", srvr=string("same"), **names)},
                {"add": item("keys", b"k", klbl=data(b"same"), atag=string("same"), labl=string("same"))},
            )
        digests = [
            self.sql(f"SELECT {column} FROM {table}")
            for table, columns in (("genp", "svce acct labl"), ("inet", "srvr acct labl"), ("keys", "atag labl"))
            for column in columns.split()
        ]
        found = [digest for column in digests for (digest,) in column]
        self.assertEqual((len(found), len(set(found))), (16, 16))
        self.assertEqual(self.sql("SELECT count(DISTINCT klbl), count(DISTINCT agrp) FROM keys"), [(1, 2)])
        self.assertEqual(self.read()["damaged"], [])


class OlderStores(StoreTest):
    """Stores that earlier versions have written, or would have."""

    #: Stores that were written; earlier ones are made of the first.
    FIXTURES = {5: "version5", 6: "version6", 7: "version7"}
    #: What each version lacks of the next.
    STEPS = {
        4: [f"ALTER TABLE {table} DROP COLUMN code" for table in CLASSES],
        3: (
            [f"DROP TRIGGER {table}_{event}" for table in CLASSES for event in ("comes", "goes", "changes")]
            + ["CREATE TABLE counted (class TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID"]
            + [f"INSERT INTO counted SELECT '{table}', coalesce(max(id), 0) FROM {table}" for table in CLASSES]
        ),
        2: ["DROP TABLE counted"],
        1: (
            ["DROP TABLE usage", "DROP TABLE groupbook"]
            + [f"ALTER TABLE {table} DROP COLUMN ownr" for table in CLASSES]
        ),
    }

    def unpack(self, name, version):
        shutil.unpack_archive(STORES / f"{name}.tar.xz", self.folder)
        for number in range(4, version - 1, -1):
            for statement in self.STEPS[number]:
                self.sql(statement)
            self.sql(f"PRAGMA user_version = {number}")

    def check_brought_up_to_date(self, name, version, *arguments, passcode=""):
        self.unpack(name, version)
        before = self.read(*arguments, passcode=passcode)
        change(self.folder)
        after = self.read(*arguments, passcode=passcode)
        self.assertEqual(self.sql("PRAGMA user_version"), [(8,)])
        tombstones = [self.sql(f"SELECT count(*) FROM {table} WHERE tomb = 1")[0][0] for table in CLASSES]
        self.assertEqual((sum(tombstones), after["circle"]), (2 if version == 7 else 0, before["circle"]))
        self.assertEqual((after["damaged"], after["closed"]), ([], 0))
        self.assertEqual([one for one in after["items"]], before["items"])
        self.assertGreater(len(after["items"]), 20)
        first, *others = [path for path in pathlib.Path(self.folder).iterdir() if path.name.endswith(".snapshot")]
        # A store that needs both is copied before either migration.
        self.assertEqual(len(others), 1 if version < 4 else 0)
        with sqlite3.connect(first) as copy:
            self.assertIn(copy.execute("PRAGMA user_version").fetchone()[0], (version, max(version, 4)))

    def test_each_version_is_copied_and_keeps_its_items(self):
        for version in range(7, 0, -1):
            with self.subTest(version):
                self.check_brought_up_to_date(self.FIXTURES.get(version, "version5"), version)
                shutil.rmtree(self.folder)

    def test_rows_whose_class_is_closed_are_brought_up_to_date_too(self):
        for version in (5, 4, 1):
            with self.subTest(version):
                self.check_brought_up_to_date("version5-passcode", version, "--passcode", passcode="right")
                shutil.rmtree(self.folder)

    def test_a_row_that_was_changed_before_stays_hidden(self):
        self.unpack("version5", 5)
        self.sql("UPDATE genp SET svce = (SELECT svce FROM genp WHERE id = 2) WHERE id = 1")
        change(self.folder)
        self.assertEqual([(one["class"], one["row"]) for one in self.read(status=1)["damaged"]], [("genp", 1)])

    def test_a_kill_at_any_moment_leaves_the_store_as_it_was_or_as_it_is_to_be(self):
        for version in (5, 6, 7):
            with self.subTest(version):
                self.check_kills(version)
                shutil.rmtree(self.folder)

    def check_kills(self, first):
        self.unpack(f"version{first}", first)
        items = self.read()["items"]
        fresh, moment = f"{self.folder}.fresh", random.Random(6)
        shutil.copytree(self.folder, fresh)
        begun = time.monotonic()
        change(self.folder)
        latest, versions = time.monotonic() - begun, set()
        count = int(os.environ.get("KILLS", "4"))
        for _ in range(count):
            shutil.rmtree(self.folder)
            shutil.copytree(fresh, self.folder)
            program = subprocess.Popen([f"{PROGRAMS}/item-changer", self.folder], stdin=subprocess.PIPE)
            # Where the kill falls is left to chance: any moment will do.
            time.sleep(moment.random() * latest)
            program.kill()
            program.communicate()
            ((version,),) = self.sql("PRAGMA user_version")
            versions.add(version)
            # The kills gather around the commit, however fast the machine is just now.
            latest *= 1.1 if version == first else 0.9
            self.assertIn(version, range(first, 9))
            self.assertEqual(self.read()["items"], items)
            change(self.folder)
            self.assertEqual((self.read()["items"], self.sql("PRAGMA user_version")), (items, [(8,)]))
        # Of a few kills, all may fall on one side of the commit.
        self.assertTrue(versions >= {first, 8} or count < 40, versions)
        shutil.rmtree(fresh)


class Groups(StoreTest):
    def daemon(self, *command):
        """Runs the command `security` with a daemon of its own, which has ended afterwards."""
        socket, (reader, writer) = f"{self.folder}.sock", os.pipe()
        words = ["--store", self.folder, "--socket", socket, "--tpm", "none", "--pinentry", "none"]
        words += ["--ready-fd", str(writer)]
        serving = subprocess.Popen([f"{PROGRAMS}/keychaind", *words], pass_fds=[writer])
        os.close(writer)
        try:
            environment = {**os.environ, "KEYCHAIN_SOCKET": socket, "KEYCHAIN_HOME": self.folder}
            with os.fdopen(reader, "rb") as ready:
                self.assertEqual(ready.read(1), b"\1")
            subprocess.run([f"{PROGRAMS}/security", *command], env=environment, check=True)
        finally:
            serving.terminate()
            serving.wait(PATIENCE)

    def test_what_is_known_of_a_group(self):
        self.daemon("set-group-policy", "TEST.findme-group", "purge")
        found = {group["group"]: group for group in self.read()["groups"]}
        self.assertEqual(found["TEST.findme-group"]["policy"], "purge")
        program = os.path.realpath(f"{PROGRAMS}/security")
        own = found[f"program:{program}"]
        self.assertEqual(
            (own["policy"], [(one["program"], one["kind"]) for one in own["programs"]]), ("keep", [(program, 5)])
        )
        today = (datetime.date.today() - datetime.date(2001, 1, 1)).days
        self.assertLessEqual(abs(own["programs"][0]["seen"] - today), 1)
        content = b"".join(path.read_bytes() for path in pathlib.Path(self.folder).iterdir() if path.is_file())
        self.assertNotIn(b"findme-group", content)

    def test_every_byte_of_a_group(self):
        self.daemon("set-group-policy", "TEST.g", "purge")
        for digest, sealed in self.sql("SELECT agrp, sealed FROM groupbook"):
            for offset in range(len(sealed)):
                flipped = bytearray(sealed)
                flipped[offset] ^= 1
                self.sql("UPDATE groupbook SET sealed = ? WHERE agrp = ?", bytes(flipped), digest)
                with self.assertRaises(Damaged):
                    Store(self.folder).groups()
            self.sql("UPDATE groupbook SET sealed = ? WHERE agrp = ?", sealed, digest)

    def test_counters(self):
        change(
            self.folder,
            {"add": item("genp", b"v")},
            {"add": item("genp", b"w" * 500, acct=string("b"))},
            {"delete": {"class": string("genp"), "acct": string("b")}},
            {"add": OTHERS[0]},
        )
        self.assertEqual(self.read()["damaged"], [])
        self.sql("INSERT INTO usage VALUES (x'00', 7, 7) ON CONFLICT DO UPDATE SET bytes = bytes + 1")
        self.assertEqual(self.read(status=1)["damaged"], [{"counter": "00"}])


class Secrecy(StoreTest):
    def test_no_name_and_no_value_is_readable(self):
        names = [b"findme-account", b"findme-service", b"findme-label", b"findme-value", b"findme-group"]
        change(
            self.folder,
            {
                "add": item(
                    "genp",
                    names[3],
                    acct=string("findme-account"),
                    svce=string("findme-service"),
                    labl=string("findme-label"),
                )
            },
        )
        content = b"".join(path.read_bytes() for path in pathlib.Path(self.folder).iterdir())
        self.assertGreater(len(content), 4096)
        for name in names + [b"TEST.program"]:
            self.assertNotIn(name, content)


if __name__ == "__main__":
    unittest.main(verbosity=0)
