"""Reads the shelves of a circle without the keychain's code: written from docs/formats/sync.md and file.md alone."""

import hashlib
import hmac

import protected_file
from circle_bytes import SHELF, SHELF_CLASS, Body, Cursor, require
from circle_reader import TEXT, open_body


class Shelf(protected_file.Shelf):
    """A shelf as it travels, with its keys in the clear. It opens files."""

    def __init__(self, body):
        cursor = Cursor(body)
        self.id, self.made, commitment = cursor.take(16), cursor.integers("q"), cursor.take(32)
        self.name, key = cursor.run().decode(), cursor.run()
        zeros = cursor.rest()
        require(len(body) % 32 == 0 and len(zeros) < 32 and not any(zeros), "no body of a shelf")
        keys = self.read(Cursor(key))
        head = key[: -4 - len(keys)]
        require(self.id == hashlib.sha256(b"keychain shelf 1: id" + head + keys).digest()[:16], "an id of other keys")
        require(commitment == hashlib.sha256(TEXT + b"shelf" + self.id + head + keys).digest(), "keys of another shelf")
        self.wrap_key, self.private = keys[:32], keys[32:]

    def read(self, cursor):
        """The head of a sealed key (store.md, section 16), and its two private keys."""
        version, backend, origin, key_type = cursor.take(4)
        require((version, backend, origin, cursor.integers("I")) == (1, 1, 1, 256), "no head of a shelf")
        self.protection, self.key_class = key_type - 0xF0, cursor.integers("I")
        require(cursor.integers("Q") == 0, "an access control")
        self.group, self.public = cursor.run().decode(), cursor.run()
        return cursor.run()


def shelves(circle):
    """The shelves of a circle by their ids; None for one that was deleted."""
    found = []
    for batch, content in circle.contents():
        for record in content.records:
            if record.item_class == SHELF_CLASS:
                found.append((record.hlc, *read(record, circle.generations[batch.header.generation], batch.header)))
    return {name.hex(): shelf for _, name, shelf in sorted(found, key=lambda one: one[0])}


def read(record, keys, header):
    """The id of a record's shelf, and the shelf; none where it is a tombstone."""
    require(header.least == 2 and record.pdmn == 2, "a reader of version 1 would read past it")
    shelf = Shelf(open_body(b"shelf", record, keys, header)) if record.kind == SHELF else None
    name = shelf.id if shelf else Body(record.body).value
    require(hmac.digest(keys.record, bytes([SHELF_CLASS]) + name, "sha256")[:16] == record.rid, "another shelf's name")
    return name, shelf
