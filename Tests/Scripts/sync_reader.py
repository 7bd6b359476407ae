"""Reads the batches of a circle in a folder with the code of its recovery key: written from docs/formats/sync.md."""

import hashlib
import hmac
import pathlib
import struct

import pairing_reader
import protected_file
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pairing_reader import derive

TEXT = b"keychain sync 1: "
SHELF_CLASS = 6
TOMBSTONE, SHELF = 2, 4
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Cursor:
    """Bytes that are read in order."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        assert self.place + count <= len(self.data), "the bytes end too early"
        self.place += count
        return self.data[self.place - count : self.place]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def run(self):
        return self.take(self.number(4))

    @property
    def rest(self):
        return self.data[self.place :]


def code_bytes(text):
    """The 16 bytes that a code stands for."""
    bits = 0
    for letter in text.replace("-", ""):
        bits = bits << 5 | LETTERS.index(letter)
    return (bits >> 22).to_bytes(16, "big")


def open_box(key, box):
    return AESGCM(key).decrypt(box[:12], box[12:], b"")


class RecoveryKey:
    """The keys that follow from a code, and what they open."""

    def __init__(self, text):
        points = []
        for use in ("signing", "agreement"):
            info = TEXT + f"recovery {use}".encode()
            self.number = int.from_bytes(derive(code_bytes(text), None, info, 40), "big") % pairing_reader.ORDER
            points.append(pairing_reader.write(pairing_reader.times(self.number, pairing_reader.GENERATOR)))
        self.agreement = points[1]
        self.member = hashlib.sha256(b"".join(points)).digest()[:16]

    def open(self, encapsulated, box, info):
        """HPKE (RFC 9180) in base mode: P-256, HKDF-SHA256, AES-256-GCM."""
        own = ec.derive_private_key(self.number, ec.SECP256R1())
        other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), encapsulated)
        shared = own.exchange(ec.ECDH(), other)
        cipher, nonce = protected_file.hpke_cipher(shared, encapsulated, self.agreement, info, kem=0x10)
        return cipher.decrypt(nonce, box, b"")


class Batch:
    def __init__(self, data):
        self.header = data[:136]
        mark, self.version, self.least, self.circle, self.device = struct.unpack_from("<4sHH16s16s", data)
        self.seq, self.generation, self.salt, opened, sealed = struct.unpack_from("<Q32x16s32sII", data, 40)
        assert mark == b"KCB1" and len(data) == 136 + opened + sealed + 64, "no batch"
        self.statements, self.sealed = data[136 : 136 + opened], data[136 + opened : 136 + opened + sealed]

    def shares(self):
        """The generations that it states or shares: number, commitment and shares."""
        cursor = Cursor(self.statements)
        while cursor.rest:
            kind, body = cursor.number(4), Cursor(cursor.run())
            if kind in (4, 5):
                number, commitment = body.number(4), body.take(32)
                shares = [(body.take(16), body.take(65), body.take(112)) for _ in range(body.number(4))]
                yield number, commitment, shares


class Record:
    def __init__(self, body, batch):
        cursor = Cursor(body)
        self.kind, self.item_class, self.protection, flags = cursor.take(4)
        self.rid, self.hlc = cursor.take(16), cursor.number(8)
        if flags & 1:
            cursor.take(24)
        self.is_boxed, self.body, self.batch = bool(flags & 2), cursor.rest, batch

    @property
    def place(self):
        batch = self.batch
        return (
            batch.generation + batch.circle + batch.device + struct.pack("<Q", batch.seq) + batch.salt
            + bytes([self.kind, self.item_class, self.protection, 0]) + self.rid + struct.pack("<Q", self.hlc)
        )  # fmt: skip


class Shelf(protected_file.Shelf):
    """A shelf as it travels, with its keys in the clear. It opens files."""

    def __init__(self, body):
        cursor = Cursor(body)
        self.id, self.made, commitment = cursor.take(16), cursor.number(8), cursor.take(32)
        self.name, key = cursor.run().decode(), cursor.run()
        assert len(body) % 32 == 0 and len(cursor.rest) < 32 and not any(cursor.rest), "no body of a shelf"
        keys = self.read(Cursor(key))
        assert commitment == hashlib.sha256(TEXT + b"shelf" + self.id + key[: -4 - len(keys)] + keys).digest()
        self.wrap_key, self.private = keys[:32], keys[32:]

    def read(self, cursor):
        version, backend, origin, key_type = cursor.take(4)
        assert (version, backend, origin, cursor.number(4)) == (1, 1, 1, 256), "no head of a shelf"
        self.protection, self.key_class = key_type - 0xF0, cursor.number(4)
        assert cursor.number(8) == 0, "an access control"
        self.group, self.public = cursor.run().decode(), cursor.run()
        return cursor.run()


class Circle:
    """The circle in a folder, as somebody reads it who has its code alone."""

    def __init__(self, folder, code):
        paths = sorted(pathlib.Path(folder).glob("*/log/*/*"))
        self.batches, self.key, self.keys = [Batch(path.read_bytes()) for path in paths], RecoveryKey(code), {}
        for batch in self.batches:
            for number, commitment, shares in batch.shares():
                self.take(batch.circle, number, commitment, shares)

    def take(self, circle, number, commitment, shares):
        """Keys of a generation: `Ka`, `Kc` and the record key."""
        for recipient, encapsulated, box in shares:
            if recipient != self.key.member:
                continue
            keys = self.key.open(encapsulated, box, TEXT + b"share" + circle + commitment[:16] + recipient)
            text = TEXT + b"generation" + circle + struct.pack("<I", number) + keys
            assert hashlib.sha256(text).digest() == commitment, "other keys than the commitment's"
            self.keys[commitment[:16]] = (keys[:32], keys[32:64], keys[64:])

    def records(self):
        for batch in self.batches:
            if not batch.sealed:
                continue
            key = derive(self.keys[batch.generation][1], batch.salt, TEXT + b"batch" + batch.header, 32)
            cursor = Cursor(open_box(key, batch.sealed))
            cursor.take(40 * cursor.number(4) + 8)
            while len(cursor.rest) >= 4 and any(cursor.rest[:4]):
                yield Record(cursor.run(), batch)

    def shelves(self):
        """The shelves by their ids; None for one that was deleted."""
        found = {}
        for record in sorted(self.records(), key=lambda record: record.hlc):
            if record.item_class != SHELF_CLASS:
                continue
            assert record.batch.least == 2 and record.protection == 2, "a reader of version 1 would read past it"
            assert record.is_boxed == (record.kind == SHELF)
            shelf = self.opened(record) if record.kind == SHELF else None
            name = shelf.id if shelf else record.body[9:25]
            ka, _, record_key = self.keys[record.batch.generation]
            assert record.rid == hmac.digest(record_key, bytes([SHELF_CLASS]) + name, hashlib.sha256)[:16]
            found[name.hex()] = shelf
        return found

    def opened(self, record):
        key = derive(self.keys[record.batch.generation][0], record.batch.salt, TEXT + b"shelf" + record.place, 32)
        return Shelf(open_box(key, record.body))
