"""Reads a keychain's store without its code: written from docs/formats/store.md and docs/formats/vault.md alone.

usage: read_store.py FOLDER [--passcode] [--password TEXT]        the passcode is read from standard input

What the user guards is read too, for he is asked by the enclave and is no part of any key; what an application
password guards, when that is given.

Prints a JSON object: "items", "closed" (how many rows a passcode would open), "damaged" (what does not open, and
why, and counters that are wrong), "groups" (what is known of access groups), "history" (earlier versions of items,
with "ended", in microseconds since 2001, and "event"), "age" (whether store and vault are of one time), "circle" (the
records of a circle; none for a keychain of none). Exit status: 0, or 1 when anything is damaged, 2 when the store
cannot be read at all.
"""

import hmac
import json
import pathlib
import re
import sqlite3
import struct
import sys

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from read_vault import PROTECTION, Closed, Damaged, GuardBinding, Vault, open_box

CLASSES = {"genp": 1, "inet": 2, "cert": 3, "keys": 4}
SHELF = 6


class Attribute:
    """A row of the table in section 7 of docs/formats/store.md, which is read from there."""

    def __init__(self, number, code, kind, classes, key_of, default, column):
        every = set(CLASSES)
        self.number, self.code, self.kind = int(number), code.strip("`"), kind
        self.classes = every if classes == "all" else set(re.findall(r"\w{4}", classes))
        self.key_of = every if key_of == "all" else set(re.findall(r"\w{4}", key_of))
        self.default = {"empty": (1, b""), "0": (3, bytes(8)), "date": (4, bytes(8))}.get(re.split("[ ,]", default)[0])
        self.has_digest, self.is_salted = "digest" in column, "salted" in column

    @staticmethod
    def table():
        page = pathlib.Path(__file__).parents[2] / "docs/formats/store.md"
        section = page.read_text("utf-8").split("## 7. ")[1].split("## 8. ")[0]
        rows = re.findall(r"^\| (\d+) \| (`\w+`) \|(.*)\|$", section, re.MULTILINE)
        return [Attribute(number, code, *map(str.strip, rest.split("|"))) for number, code, rest in rows]

    def comparison(self, kind, value):
        if kind == 3 and self.kind == "blob":
            return value[:4]
        return bytes([kind]) + value if kind in (3, 4) else value


ATTRIBUTES = {attribute.number: attribute for attribute in Attribute.table()}


def parse_list(content):
    entries, offset = {}, 0
    while offset < len(content):
        if offset + 8 > len(content):
            raise Damaged("an entry is cut off")
        number, kind, zero, length = struct.unpack_from("<HBBI", content, offset)
        value = content[offset + 8 : offset + 8 + length]
        if len(value) != length or kind not in (1, 2, 3, 4) or zero or kind > 2 and length != 8:
            raise Damaged("an entry makes no sense")
        entries.setdefault(number, (kind, value))
        offset += 8 + length
    return entries


def readable(kind, value):
    if kind == 1:
        return {"string": value.decode("utf-8")}
    if kind == 2:
        return {"data": value.hex()}
    return {"number": struct.unpack("<q", value)[0]} if kind == 3 else {"date": struct.unpack("<d", value)[0]}


class SealedKey:
    """Section 8 of docs/formats/store.md"""

    NUMBERS = {"accc": 2, "agrp": 3, "sync": 4, "type": 11, "kcls": 34, "bsiz": 40, "extr": 46, "tkid": 57}

    def __init__(self, content):
        try:
            version, self.backend, self.origin, self.type, self.bits, zero = struct.unpack_from("<BBBBHH", content)
            self.protection, zeros, self.control, length = struct.unpack_from("<B3sQI", content, 8)
            self.group, rest = content[24 : 24 + length].decode("utf-8"), content[24 + length :]
            (length,) = struct.unpack_from("<I", rest)
            self.public_key, rest = rest[4 : 4 + length], rest[4 + length :]
            self.guard = GuardBinding(rest, self.control) if version == 2 else None
            rest = self.guard.rest if self.guard else rest
            (length,) = struct.unpack_from("<I", rest)
        except struct.error:
            raise Damaged("its sealed key is cut off") from None
        self.head, self.box = content[: len(content) - len(rest)], rest[4:]
        if (
            version not in (1, 2)
            or zero
            or zeros != bytes(3)
            or self.backend not in (1, 2)
            or self.origin not in (1, 2)
            or len(self.box) != length
        ):
            raise Damaged("its sealed key makes no sense")

    def opened(self, store, protection, entries):
        """The key with its private part, once it is known to agree with its item."""
        self.check(protection, entries)
        aad = struct.pack("<BBH", self.protection, 3, 0) + self.head
        private_part = open_box(store.class_key(self.protection), aad, self.box)
        if self.guard:
            private_part = self.guard.open(private_part, store.password)
        return {
            "backend": self.backend,
            "origin": self.origin,
            "type": self.type,
            "bits": self.bits,
            "group": self.group,
            "control": self.control,
            "publicKey": self.public_key.hex(),
            "privatePart": private_part.hex(),
        }

    def check(self, protection, entries):
        found = {code: readable(*entries[number]) for code, number in self.NUMBERS.items() if number in entries}
        control = bytes.fromhex(found["accc"]["data"]).decode().split(";") if "accc" in found else []
        wanted = {
            "agrp": {"string": self.group},
            "kcls": {"number": 1},
            "type": {"number": self.type},
            "bsiz": {"number": self.bits},
            "extr": {"number": 0},
            "sync": {"number": 0},
        }
        token = {"string": "com.apple.setoken"} if self.origin == 1 else None
        if (
            any(found.get(code) != value for code, value in wanted.items())
            or found.get("tkid") != token
            or self.protection != protection
            or self.control != (int(control[1]) if len(control) == 2 else 0)
        ):
            raise Damaged("its sealed key belongs to another item")


class Store:
    """docs/formats/store.md"""

    def __init__(self, folder, passcode=None, password=None):
        self.password = password
        folder = pathlib.Path(folder)
        self.vault = Vault((folder / "vault").read_bytes(), passcode)
        self.database = sqlite3.connect(f"{folder.absolute().as_uri()}/keychain.db?mode=ro", uri=True)
        self.database.row_factory = sqlite3.Row
        version = self.database.execute("PRAGMA user_version").fetchone()[0]
        if version not in range(1, 9):
            raise Damaged(f"a store of version {version}")
        self.version = version
        self.wrapped = dict(self.database.execute("SELECT pdmn, wrapped FROM metadatakeys"))

    def rows(self):
        for table in CLASSES:
            for row in self.database.execute(f"SELECT * FROM {table} ORDER BY id"):
                yield table, row

    def class_key(self, protection):
        if protection not in PROTECTION:
            raise Damaged("its protection class is none")
        if protection not in self.vault.class_keys:
            raise Closed()
        return self.vault.class_keys[protection]

    def open(self, table, row):
        """An item, or None for a tombstone."""
        self.check_code(table, row)
        return self.open_parts(table, row, row["tomb"])

    def open_parts(self, table, row, tombstone):
        protection, uuid, meta, data = row["pdmn"], row["uuid"], row["meta"], row["data"]
        key = self.class_key(protection)
        if (
            len(uuid) != 16
            or len(row["pk"]) != 16
            or len(meta) < 61
            or not data
            or meta[0] != 1
            or data[0] not in (1, 2)
        ):
            raise Damaged("its columns make no sense, or it is of another version")
        identity = struct.pack("<BBBBBBH", 1, CLASSES[table], protection, row["sync"], tombstone, 0, 0)
        identity += uuid + row["pk"]
        binding = struct.pack("<BBH", protection, 1, 0)
        metadata_key = open_box(key, binding, self.wrapped.get(protection, b""))
        row_key = open_box(metadata_key, identity + b"\1", meta[1:61])
        attributes, tamper = self.split(open_box(row_key, identity + b"\2", meta[61:]))
        secret_key, flags = self.secret_key(key, struct.pack("<BBH", protection, 0, 0) + uuid, row["wkey"])
        value, found = self.split(open_box(secret_key, identity + b"\3", data[1:]))
        if found != tamper:
            raise Damaged("its value belongs to other attributes")
        entries = parse_list(attributes)
        self.check(table, row, entries)
        if flags is not None and entries.get(2) != (2, f"{PROTECTION[protection]};{flags}".encode()):
            raise Damaged("its access control is another inside")
        if tombstone:
            return None
        kept, is_sealed_key = self.unpadded(value, data[0])
        item = self.item(table, uuid, entries, None if is_sealed_key else kept)
        if is_sealed_key:
            item["sealedKey"] = SealedKey(kept).opened(self, row["pdmn"], entries)
        return item

    def check_code(self, table, row):
        """Section 12."""
        if self.version < 5:
            return
        self.check_code_of(row, b"rc" + bytes([CLASSES[table]]))

    def check_code_of(self, row, message):
        for name in sorted(set(row.keys()) - {"id", "code"}):
            value = row[name]
            if value is None:
                continue
            kind, content = (
                (1, struct.pack("<q", value))
                if isinstance(value, int)
                else (2, value) if isinstance(value, bytes) else (3, b"")
            )
            message += bytes([len(name)]) + name.encode() + struct.pack("<BI", kind, len(content)) + content
        if row["code"] != hmac.digest(self.vault.index_key, message, "sha256")[:16]:
            raise Damaged("its code is not that of its columns")

    def secret_key(self, key, binding, wkey):
        """The key of the value, and the flags of what its user guards; None where he guards nothing."""
        if len(wkey) <= 60:
            return open_box(key, binding, wkey), None
        if wkey[:4] != b"\1\0\0\0" or len(wkey) < 12:
            raise Damaged("the key of a guarded row makes no sense, or it is of another version")
        (flags,) = struct.unpack_from("<Q", wkey, 4)
        guard = GuardBinding(wkey[12:], flags)
        head, box = wkey[: len(wkey) - len(guard.rest)], guard.rest[4:]
        if guard.rest[:4] != struct.pack("<I", len(box)):
            raise Damaged("the key of a guarded row is cut off")
        return guard.open(open_box(key, binding + head, box), self.password), flags

    @staticmethod
    def split(content):
        if len(content) < 16:
            raise Damaged("a part is too short")
        return content[:-16], content[-16:]

    @staticmethod
    def unpadded(content, version):
        """What is kept, and whether it is a sealed key rather than a value."""
        if (
            len(content) < 2
            or len(content) % 32 != 2
            or content[-2] > len(content) - 2
            or content[-1] not in ((0, 1) if version == 1 else (2,))
        ):
            raise Damaged("its padding makes no sense")
        padding, present = content[-2:]
        return (content[: len(content) - 2 - padding] if present else None), present == 2

    def check(self, table, row, entries):
        if entries.get(1) != (1, PROTECTION[row["pdmn"]].encode()):
            raise Damaged("its protection class is another inside")
        message = b"pk" + bytes([CLASSES[table]])
        for number, attribute in sorted(ATTRIBUTES.items()):
            if table not in attribute.classes:
                continue
            entry = entries.get(number) or attribute.default
            comparison = attribute.comparison(*entry) if entry else None
            if (
                self.has_column(attribute)
                and attribute.code in row.keys()
                and row[attribute.code] != self.column(attribute, comparison, table, row["agrp"])
            ):
                raise Damaged(f"the column {attribute.code} is not that of the attribute")
            if table in attribute.key_of:
                message += struct.pack("<HI", number, len(comparison)) + comparison
        if row["pk"] != hmac.digest(self.vault.index_key, message, "sha256")[:16]:
            raise Damaged("its primary key is not that of the attributes")

    def has_column(self, attribute):
        """Whether there is a column with a digest; up to version 5 almost every attribute had one."""
        return attribute.has_digest if self.version > 5 else attribute.code not in ("pdmn", "accc", "sync", "tomb")

    def column(self, attribute, comparison, table, group):
        digest = self.digest(attribute, comparison)
        if digest is None or self.version < 6 or not attribute.is_salted:
            return digest
        message = b"sd" + struct.pack("<BH", CLASSES[table], attribute.number) + group + digest
        return hmac.digest(self.vault.index_key, message, "sha256")[:16]

    def digest(self, attribute, comparison):
        if comparison is None:
            return None
        number = (
            next(a.number for a in ATTRIBUTES.values() if a.code == "klbl")
            if attribute.code == "pkhh"
            else attribute.number
        )
        return hmac.digest(self.vault.index_key, struct.pack("<H", number) + comparison, "sha256")[:16]

    @staticmethod
    def item(table, uuid, entries, value):
        attributes = {}
        for number, (kind, content) in entries.items():
            name = ATTRIBUTES[number].code if number in ATTRIBUTES else str(number)
            attributes[name] = readable(kind, content)
        return {
            "class": table,
            "reference": (table.encode() + uuid).hex(),
            "attributes": attributes,
            "value": None if value is None else value.hex(),
        }

    def counters(self):
        """Section 11: what is wrong with the counters, as a list of owners."""
        counted = {}
        last = dict(self.database.execute("SELECT class, last FROM counted")) if self.version == 3 else {}
        for table in CLASSES:
            for number, owner, *parts in self.database.execute(f"SELECT id, ownr, wkey, meta, data FROM {table}"):
                if number > last.get(table, number):
                    continue
                for one in (owner, b"\0"):
                    items, size = counted.get(one, (0, 0))
                    counted[one] = (items + 1, size + sum(map(len, parts)))
        for _, row in self.versions():
            for one in (row["ownr"], b"\0", b"\1"):
                items, size = counted.get(one, (0, 0))
                counted[one] = (items + (one == b"\1"), size + sum(len(row[part]) for part in ("wkey", "meta", "data")))
        kept = {owner: (items, size) for owner, items, size in self.database.execute("SELECT * FROM usage")}
        return [owner for owner in counted.keys() | kept if counted.get(owner, (0, 0)) != kept.get(owner, (0, 0))]

    def groups(self):
        """Section 11: what is known of groups."""
        key = HKDF(SHA256(), 32, b"", b"keychain group book").derive(self.vault.index_key)
        found = []
        for digest, sealed in self.database.execute("SELECT agrp, sealed FROM groupbook"):
            content = open_box(key, b"groupbook" + digest, sealed)
            form, policy, _ = struct.unpack_from("<BBH", content)
            if form != 1:
                continue
            name, rest = self.text(content[4:])
            (count,), rest = struct.unpack_from("<H", rest), rest[2:]
            programs = []
            for _ in range(count):
                seen, kind = struct.unpack_from("<II", rest)
                program, rest = self.text(rest[8:])
                programs.append({"program": program, "seen": seen, "kind": kind})
            agrp = next(attribute for attribute in ATTRIBUTES.values() if attribute.code == "agrp")
            if rest or digest != self.digest(agrp, name.encode()):
                raise Damaged("what is known of a group belongs to another one")
            found.append({"group": name, "policy": ["keep", "purge"][policy], "programs": programs})
        return found

    @staticmethod
    def text(content):
        (length,) = struct.unpack_from("<I", content)
        return content[4 : 4 + length].decode(), content[4 + length :]

    def mark(self):
        """Section 13."""
        if not self.database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'mark'").fetchone():
            return None
        mark = self.database.execute("SELECT changes, block, code FROM mark").fetchone()
        return mark and tuple(mark)

    def has(self, table):
        return self.database.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None

    def versions(self):
        """Section 14: the earlier versions, each with the table it was in."""
        names = {number: name for name, number in CLASSES.items()}
        for row in self.database.execute("SELECT * FROM history ORDER BY id") if self.has("history") else ():
            yield names.get(row["class"]), row

    def open_version(self, table, row):
        self.check_code_of(row, b"hc")
        if table is None or row["pdmn"] not in (1, 2, 3):
            raise Damaged("nothing is kept of such an item")
        lost = row["lost"] if "lost" in row.keys() else None
        found = {"ended": row["ended"], "event": row["event"]}
        if lost is not None:
            winner, base = struct.unpack("<16sQ", lost[:24])
            found["ended by"] = {"machine": winner.hex(), "base": base}
            if len(lost) > 24:
                loser, won, stamp = struct.unpack("<16sQQ", lost[24:])
                found["lost"] = {"winner": winner.hex(), "loser": loser.hex(), "won": won, "stamp": stamp}
        return self.open_parts(table, row, 0) | found

    def circle(self):
        """Section 17: the records, each with its stamp, whether others lack it, and whether a row or a tombstone is
        there; None in a store of no circle.
        """
        tables = [self.has(table) for table in ("synccircle", "syncrow", "syncstate")]
        if not all(tables):
            if any(tables):
                raise Damaged("one table of a circle is missing")
            return None
        names = {number: name for name, number in CLASSES.items()}
        records = []
        for number, key, stamp, dirty in self.database.execute("SELECT class, pk, hlc, dirty FROM syncrow"):
            if number == SHELF and isinstance(key, bytes):
                row = self.shelf(key)
                records.append({"class": "shelf", "key": key.hex(), "stamp": stamp, "dirty": dirty, "row": row})
            if number not in names or not isinstance(key, bytes):
                continue
            found = self.database.execute(f"SELECT tomb FROM {names[number]} WHERE pk = ?", (key,)).fetchone()
            row = None if found is None else "tombstone" if found[0] else "item"
            records.append({"class": names[number], "key": key.hex(), "stamp": stamp, "dirty": dirty, "row": row})
        return records

    def shelf(self, name):
        """Section 16: whether the shelf with this id or its tombstone is there, as it was written."""
        key = HKDF(SHA256(), 32, b"", b"keychain shelves").derive(self.vault.index_key)
        for table, kind, text in (("shelf", "shelf", b"shelf"), ("shelftomb", "tombstone", b"shelf gone")):
            rows = self.has(table) and self.database.execute(f"SELECT sealed FROM {table} WHERE id = ?", (name,))
            for (sealed,) in rows or ():
                record = open_box(key, text + name, sealed)
                if record[:4] in ([b""] if kind == "tombstone" else [b"\1\0\0\0", b"\1\1\0\0"]):
                    return kind
                raise Damaged("the record of a shelf makes no sense")
        return None

    def unmarked(self):
        """The rows of a circle that have no record."""
        marked = {(one["class"], one["key"]) for one in self.circle() or ()}
        for table, row in self.rows() if self.circle() is not None else ():
            if row["sync"] == 1 and row["pdmn"] < 4 and (table, row["pk"].hex()) not in marked:
                yield {"class": table, "row": row["id"], "problem": "its record is not marked"}

    def read(self):
        items, closed, damaged, groups = [], 0, [], []
        if self.version > 1:
            groups = self.groups()
            damaged = [{"counter": owner.hex()} for owner in self.counters()]
        for table, row in self.rows():
            try:
                item = self.open(table, row)
                if item:
                    items.append(item)
            except Closed:
                closed += 1
            except (Damaged, UnicodeDecodeError, struct.error) as error:
                damaged.append({"class": table, "row": row["id"], "problem": str(error)})
        damaged += self.unmarked()
        history = []
        for table, row in self.versions():
            try:
                history.append(self.open_version(table, row))
            except Closed:
                closed += 1
            except (Damaged, UnicodeDecodeError, struct.error) as error:
                damaged.append({"history": row["id"], "problem": str(error)})
        return {
            "history": history,
            "items": items,
            "closed": closed,
            "damaged": damaged,
            "groups": groups,
            "age": self.vault.age(self.mark()),
            "circle": self.circle(),
        }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    passcode = sys.stdin.buffer.read().rstrip(b"\n") if "--passcode" in sys.argv[2:] else None
    password = sys.argv[sys.argv.index("--password") + 1].encode() if "--password" in sys.argv[2:] else None
    try:
        found = Store(sys.argv[1], passcode, password).read()
    except (Damaged, OSError, sqlite3.Error) as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        sys.exit(2)
    json.dump(found, sys.stdout, indent=1)
    sys.exit(1 if found["damaged"] else 0)


if __name__ == "__main__":
    main()
