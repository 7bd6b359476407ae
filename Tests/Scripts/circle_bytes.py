"""Reads batches and parts of snapshots without the keychain's code: written from docs/formats/sync.md alone. What it
does not understand is an error."""

import hashlib
import struct

from read_store import parse_list

NOTHING = bytes(16)
STATEMENTS = ("genesis", "add", "remove", "generation", "share", "recovery", "want", "endorse")
ITEM, TOMBSTONE, MANIFEST, SHELF = 1, 2, 3, 4
SHELF_CLASS = 6


class Malformed(Exception):
    """Bytes that are not what the page says."""


def require(fact, text):
    if not fact:
        raise Malformed(text)


class Cursor:
    """Takes bytes from the front."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        found = self.data[self.place : self.place + count]
        require(len(found) == count, "it is cut off")
        self.place += count
        return found

    def integers(self, kinds):
        found = struct.unpack("<" + kinds, self.take(struct.calcsize("<" + kinds)))
        return found if len(found) > 1 else found[0]

    def run(self):
        return self.take(self.integers("I"))

    def list(self, read):
        return [read() for _ in range(self.integers("I"))]

    def rest(self):
        return self.take(len(self.data) - self.place)

    def end(self):
        require(self.place == len(self.data), "something follows it")


def ascending(keys):
    require(all(one < next_one for one, next_one in zip(keys, keys[1:])), "a list is not in its order")


class Header:
    """Section 2: the first 136 bytes of a batch, or of a part (section 5)."""

    SIZE = 136

    def __init__(self, data, mark):
        require(data[:4] == mark, "it has another mark")
        cursor = Cursor(data[4 : self.SIZE])
        self.version, self.least = cursor.integers("HH")
        require(self.version == 2 and self.least in (1, 2), "it is of another version")
        self.circle, self.device, self.seq = cursor.take(16), cursor.take(16), cursor.integers("Q")
        self.previous, self.generation, self.salt = cursor.take(32), cursor.take(16), cursor.take(32)
        self.open_length, self.sealed_length = cursor.integers("II")
        cursor.end()
        require((self.sealed_length == 0) == (self.generation == NOTHING), "it is sealed without keys")
        require(self.seq > 0, "a log begins with 1")
        self.data = data[: self.SIZE]


def shares(cursor):
    found = cursor.list(lambda: (cursor.take(16), cursor.take(65), cursor.take(112)))
    ascending([recipient for recipient, _, _ in found])
    return found


def statement(kind, body):
    """A statement by its name, and what it says (section 3)."""
    name, cursor = STATEMENTS[kind - 1], Cursor(body)
    if name == "genesis":
        said = {"keys": cursor.take(130), "random": cursor.take(32)}
    elif name == "add":
        said = {"keys": cursor.take(130), "reads": cursor.integers("HH"), "by": cursor.take(16)}
        said |= {"signature": cursor.take(64), "name": cursor.run()}
    elif name == "remove":
        said = {"member": cursor.take(16), "reason": cursor.integers("B")}
        said["kept"] = [cursor.take(16) for _ in range(cursor.integers("B"))]
        ascending(said["kept"])
    elif name in ("generation", "share"):
        said = {"number": cursor.integers("I"), "commitment": cursor.take(32), "shares": shares(cursor)}
    elif name == "recovery":
        said = {"keys": cursor.take(130), "announcement": cursor.take(32)}
    elif name == "want":
        said = {"generation": cursor.take(16)}
    else:
        said = {"position": (cursor.take(16), cursor.integers("Q"), cursor.take(16))}
    cursor.end()
    return name, said


def statements(data):
    cursor, found = Cursor(data), []
    while cursor.place < len(data):
        kind, *zeros = cursor.integers("BBH")
        require(1 <= kind <= len(STATEMENTS) and not any(zeros), "a statement makes no sense")
        found.append(statement(kind, cursor.run()))
    require(len(found) <= 64, "there are too many statements")
    return found


class Batch:
    """Section 2: a batch, or one that is carried without its sealed part."""

    def __init__(self, data, is_carried=False):
        self.header = Header(data, b"KCB1")
        cursor = Cursor(data[Header.SIZE :])
        opened = cursor.take(self.header.open_length)
        self.sealed = None if is_carried else cursor.take(self.header.sealed_length)
        digest = cursor.take(32) if is_carried else hashlib.sha256(self.sealed).digest()
        self.signature = cursor.take(64)
        cursor.end()
        require((self.header.seq == 1) == (self.header.previous == bytes(32)), "only the first follows none")
        self.statements = statements(opened)
        self.signed = b"keychain sync 1: batch" + self.header.data + opened + digest
        self.hash = hashlib.sha256(self.signed).digest()


class Part:
    """Section 5: a part of a snapshot."""

    def __init__(self, data):
        self.header = Header(data, b"KCP1")
        cursor = Cursor(data[Header.SIZE :])
        carried = Cursor(cursor.take(self.header.open_length))
        self.sealed = cursor.take(self.header.sealed_length)
        cursor.end()
        require(self.header.previous == bytes(32), "a part follows no batch")
        self.carried = []
        while carried.place < len(carried.data):
            self.carried.append(Batch(carried.run(), is_carried=True))
        require(len(self.carried) <= 1024, "it carries too much")


class Record:
    """Section 4: a version of an item, its tombstone, or a manifest. `origin` is the machine that wrote it."""

    def __init__(self, data):
        cursor = Cursor(data)
        self.kind, self.item_class, self.pdmn, self.flags = cursor.integers("BBBB")
        self.rid, self.hlc = cursor.take(16), cursor.integers("Q")
        require(self.flags < 4 and self.hlc < 1 << 62, "a record makes no sense")
        self.origin = (cursor.take(16), cursor.integers("Q")) if self.flags & 1 else None
        self.body = cursor.rest()
        is_boxed = self.kind == SHELF or self.pdmn == 1
        require(self.kind == MANIFEST or is_boxed == bool(self.flags & 2), "a body is in the wrong box")


def records(cursor):
    """All records up to the zeros, which make the content as long as Padmé has it."""
    found, content = [], cursor.data
    while len(content) - cursor.place >= 4 and content[cursor.place : cursor.place + 4] != bytes(4):
        found.append(Record(cursor.run()))
    written = cursor.place
    require(not any(cursor.rest()), "something else follows the records")
    require(len(content) == padded(written), "there is another number of zeros")
    return found


def padded(length):
    length = max(length, 1024)
    exponent = length.bit_length() - 1
    step = 1 << exponent - exponent.bit_length()
    return -(-length // step) * step


class Content:
    """Section 4: what a batch has sealed."""

    def __init__(self, data):
        cursor = Cursor(data)
        self.positions = cursor.list(lambda: (cursor.take(16), cursor.integers("Q"), cursor.take(16)))
        ascending([device for device, _, _ in self.positions])
        self.floor = cursor.integers("Q")
        self.records = records(cursor)


class Body:
    """Section 4: an item, or what a tombstone keeps of it."""

    def __init__(self, data):
        require(len(data) % 32 == 0, "a body has another length")
        cursor = Cursor(data)
        self.attributes = parse_list(cursor.run())
        ties = cursor.integers("B")
        require(ties < 4, "a body makes no sense")
        self.previous = cursor.take(16) if ties & 1 else None
        self.base = cursor.integers("Q") if ties & 2 else None
        self.value = cursor.run()
        zeros = cursor.rest()
        require(len(zeros) < 32 and not any(zeros), "something else follows the value")


class Manifest:
    """Section 5: the logs that a snapshot covers, and its parts by length and hash."""

    def __init__(self, data):
        cursor = Cursor(data)
        self.logs = {}
        for _ in range(cursor.integers("I")):
            device, seq, digest = cursor.take(16), cursor.integers("Q"), cursor.take(32)
            floor, said = cursor.integers("Q"), cursor.list(lambda: (cursor.take(16), cursor.integers("Q")))
            require((seq == 0) == (digest == bytes(32)), "an empty log has a hash")
            ascending([log for log, _ in said])
            self.logs[device] = (seq, digest, floor, said)
        ascending(list(self.logs))
        self.parts = cursor.list(lambda: (cursor.integers("I"), cursor.take(32)))
        cursor.end()
