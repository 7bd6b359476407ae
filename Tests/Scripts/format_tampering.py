"""Changes of a store by somebody without its keys: nothing that was changed opens."""

import pathlib
import shutil
import tempfile

from format_parts import OTHERS, StoreTest, change, data, item, string
from read_store import CLASSES, Closed, Damaged, Store
from read_vault import PROTECTION


class Tampering(StoreTest):
    def setUp(self):
        super().setUp()
        change(
            self.folder,
            {"add": item("genp", b"first", acct=string("a"))},
            {"add": item("genp", b"other", acct=string("b"))},
            {"add": OTHERS[0]},
            {"add": OTHERS[1]},
            {"add": item("inet", b"i", srvr=string("s"))},
        )
        self.sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def refuses(self, table, row, **columns):
        """Whether the row is refused with other bytes in these columns; the file stays as it is."""
        store = Store(self.folder)
        changed = dict(store.database.execute(f"SELECT * FROM {table} WHERE id = ?", (row,)).fetchone())
        store.open(table, changed)
        try:
            store.open(table, {**changed, **columns})
        except (Damaged, Closed):
            return True
        return False

    def test_every_byte_of_every_part_of_a_row(self):
        for table in CLASSES:
            row = self.sql(f"SELECT id FROM {table} LIMIT 1")[0][0]
            columns = [c[1] for c in self.sql(f"PRAGMA table_info({table})") if c[1] not in ("id", "ownr")]
            values = self.sql(f"SELECT {', '.join(columns)} FROM {table} WHERE id = ?", row)[0]
            for column, value in zip(columns, values):
                if isinstance(value, int):
                    for other in (value ^ 1, value + 2, 7):
                        self.assertTrue(self.refuses(table, row, **{column: other}), (table, column, other))
                for offset in range(len(value) if isinstance(value, bytes) else 0):
                    flipped = bytearray(value)
                    flipped[offset] ^= 0x20
                    self.assertTrue(self.refuses(table, row, **{column: bytes(flipped)}), (table, column, offset))
                if value is None or isinstance(value, bytes):
                    self.assertTrue(self.refuses(table, row, **{column: bytes(16) if value is None else value[:-1]}))

    def test_parts_of_another_row(self):
        one, two = self.sql("SELECT uuid, wkey, meta, data FROM genp ORDER BY id")
        names = ("uuid", "wkey", "meta", "data")
        for moved in ((3,), (2,), (1, 3), (1, 2, 3), (0, 1, 2, 3)):
            self.assertTrue(self.refuses("genp", 1, **{names[i]: two[i] for i in moved}), moved)

    def test_an_old_value_beside_new_attributes(self):
        old = self.sql("SELECT wkey, data FROM genp WHERE id = 1")[0]
        change(self.folder, {"update": [{"class": string("genp"), "acct": string("a")}, {"v_Data": data(b"second")}]})
        with self.assertRaisesRegex(Damaged, "its code is not that of its columns"):
            store = Store(self.folder)
            row = dict(store.database.execute("SELECT * FROM genp WHERE id = 1").fetchone())
            store.open("genp", {**row, "wkey": old[0], "data": old[1]})

    def test_every_byte_of_a_metadata_key(self):
        for protection, wrapped in self.sql("SELECT pdmn, wrapped FROM metadatakeys"):
            for offset in range(len(wrapped)):
                flipped = bytearray(wrapped)
                flipped[offset] ^= 1
                store = Store(self.folder)
                store.wrapped[protection] = bytes(flipped)
                found = store.read()
                self.assertTrue(found["damaged"])
                self.assertNotIn(string(PROTECTION[protection]), [i["attributes"]["pdmn"] for i in found["items"]])

    def test_every_byte_of_the_vault(self):
        vault = pathlib.Path(self.folder, "vault")
        content = vault.read_bytes()
        for offset in range(len(content)):
            flipped = bytearray(content)
            flipped[offset] ^= 0x80
            vault.write_bytes(flipped)
            with self.assertRaises(Damaged, msg=offset):
                Store(self.folder)
        vault.write_bytes(content[:-1])
        with self.assertRaises(Damaged):
            Store(self.folder)

    def test_a_vault_of_another_store(self):
        other = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, other)
        change(other, {"add": item("genp", b"v")})
        shutil.copy(f"{other}/vault", f"{self.folder}/vault")
        found = self.read(status=1)
        self.assertEqual((found["items"], len(found["damaged"])), ([], 5))

    def test_a_later_version(self):
        self.sql("PRAGMA user_version = 99")
        self.assertIn("version 99", self.read(status=2))

    def test_a_damaged_row_hides_only_itself(self):
        self.sql("UPDATE genp SET data = zeroblob(60) WHERE id = 1")
        found = self.read(status=1)
        self.assertEqual(len(found["items"]), 4)
        self.assertEqual([(d["class"], d["row"]) for d in found["damaged"]], [("genp", 1)])
