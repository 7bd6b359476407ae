"""Reads a circle at its place without the keychain's code: written from docs/formats/sync.md and docs/formats/store.md
alone. The code of the circle's recovery key opens everything. Its arithmetic tells its timing: it is for tests."""

import hashlib
import hmac
import struct

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

import pairing_reader
from circle_bytes import ITEM, MANIFEST, SHELF_CLASS, TOMBSTONE, Batch, Body, Content, Cursor, Manifest, Part
from circle_bytes import records, require
from read_store import ATTRIBUTES, CLASSES, readable

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TEXT = b"keychain sync 1: "


class RecoveryKey:
    """Section 3: the keys that follow from a code."""

    def __init__(self, code):
        bits = 0
        for letter in code.replace("-", ""):
            bits = bits << 5 | LETTERS.index(letter)
        self.secret = (bits >> 22).to_bytes(16, "big")
        self.numbers = [self.number(use) for use in (b"signing", b"agreement")]
        points = [pairing_reader.times(number, pairing_reader.GENERATOR) for number in self.numbers]
        self.keys = b"".join(map(pairing_reader.write, points))
        self.member = member(self.keys)

    def number(self, use):
        number = pairing_reader.derive(self.secret, None, TEXT + b"recovery " + use, 40)
        return int.from_bytes(number, "big") % pairing_reader.ORDER

    def announcement(self, circle):
        return hmac.digest(self.secret, TEXT + b"recovery" + circle, "sha256")

    def open(self, encapsulated, box, info):
        """RFC 9180, base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM."""
        own = ec.derive_private_key(self.numbers[1], ec.SECP256R1())
        other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), encapsulated)
        kem, suite = b"KEM\0\x10", b"HPKE\0\x10\0\1\0\2"
        shared = extract(kem, b"", b"eae_prk", own.exchange(ec.ECDH(), other))
        shared = expand(kem, shared, b"shared_secret", encapsulated + self.keys[65:], 32)
        context = b"\0" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
        secret = extract(suite, shared, b"secret", b"")
        key, nonce = expand(suite, secret, b"key", context, 32), expand(suite, secret, b"base_nonce", context, 12)
        return AESGCM(key).decrypt(nonce, box, b"")


def extract(suite, salt, label, key):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, "sha256")


def expand(suite, key, label, info, count):
    labelled = count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return HKDFExpand(SHA256(), count, labelled).derive(key)


def member(keys):
    return hashlib.sha256(keys).digest()[:16]


class Generation:
    """Section 3: the keys of a generation."""

    def __init__(self, circle, number, commitment, content):
        digest = hashlib.sha256(TEXT + b"generation" + circle + struct.pack("<I", number) + content).digest()
        require(digest == commitment, "a share has other keys than its generation")
        self.locked, self.content, self.record = content[:32], content[32:64], content[64:]


def open_box(key, text, salt, place, box):
    once = pairing_reader.derive(key, salt, TEXT + text + place, 32)
    return AESGCM(once).decrypt(box[:12], box[12:], b"")


def open_body(text, record, keys, header):
    """The body of a record in a box of its own."""
    kinds = struct.pack("<BBBB", record.kind, record.item_class, record.pdmn, 0)
    place = header.generation + header.circle + header.device + struct.pack("<Q", header.seq) + header.salt
    place += kinds + record.rid + struct.pack("<Q", record.hlc)
    return open_box(keys.locked, text, header.salt, place, record.body)


class Version:
    """A version of an item, whose name is that of its body."""

    def __init__(self, record, keys, header):
        self.record, self.rid = record, record.rid
        self.stamp = (record.hlc, record.origin[0] if record.origin else header.device)
        self.body = Body(open_body(b"record", record, keys, header) if record.flags & 2 else record.body)
        message = bytes([record.item_class]) + primary_key(record.item_class, self.body.attributes)
        require(hmac.digest(keys.record, message, "sha256")[:16] == self.rid, "a record has another item's name")

    @property
    def item(self):
        """Attributes by their codes, and the value; None for a tombstone."""
        if self.record.kind == TOMBSTONE:
            return None
        found = {ATTRIBUTES[number].code: readable(*entry) for number, entry in self.body.attributes.items()}
        return found, self.body.value


def primary_key(item_class, entries):
    """docs/formats/store.md, section 3."""
    table = next(name for name, number in CLASSES.items() if number == item_class)
    message = b""
    for number, attribute in sorted(ATTRIBUTES.items()):
        if table in attribute.classes and table in attribute.key_of:
            comparison = attribute.comparison(*entries.get(number, attribute.default))
            message += struct.pack("<HI", number, len(comparison)) + comparison
    return message


class Circle:
    """A circle at its place, as the holder of the recovery key's code reads it.

    slots: the bytes of each slot, by (device, seq, part), in hexadecimal digits; the part of a batch is None.
    """

    def __init__(self, circle, slots, code):
        self.circle, self.key = bytes.fromhex(circle), RecoveryKey(code)
        self.batches, self.parts = {}, {}
        for (device, seq, part), data in sorted(slots.items(), key=lambda one: (one[0][:2], one[0][2] or "")):
            found = Batch(data) if part is None else Part(data)
            place = (bytes.fromhex(device), int(seq, 16))
            require((found.header.circle, found.header.device, found.header.seq) == (self.circle, *place), "a slot")
            if part is None:
                self.batches[place] = found
            else:
                self.parts.setdefault(place, {})[int(part, 16)] = (found, data)
        self.carried = [batch for parts in self.parts.values() for part, _ in parts.values() for batch in part.carried]
        self.stating = list(self.batches.values()) + self.carried
        self.keys = self.read_members()
        self.generations = self.read_generations()
        self.check_signatures()
        self.check_chains()

    def all(self, *names):
        return [said for batch in self.stating for name, said in batch.statements if name in names]

    def read_members(self):
        """The signing key of each machine; the circle's name is that of its genesis."""
        for said in self.all("genesis"):
            require(hashlib.sha256(said["keys"] + said["random"]).digest()[:16] == self.circle, "another genesis")
        found = {member(said["keys"]): said["keys"][:65] for said in self.all("genesis", "add")}
        (announced,) = {said["announcement"] for said in self.all("recovery") if said["keys"] == self.key.keys}
        require(announced == self.key.announcement(self.circle), "somebody without the code announces the key")
        return found

    def read_generations(self):
        found = {}
        for said in self.all("generation", "share"):
            name = said["commitment"][:16]
            for recipient, encapsulated, box in said["shares"]:
                if recipient == self.key.member:
                    info = TEXT + b"share" + self.circle + name + recipient
                    content = self.key.open(encapsulated, box, info)
                    found[name] = Generation(self.circle, said["number"], said["commitment"], content)
        return found

    def check_signatures(self):
        for batch in self.stating:
            pairing_reader.has_signed(self.keys[batch.header.device], batch.signature, batch.signed)

    def check_chains(self):
        for (device, seq), batch in self.batches.items():
            before = self.batches.get((device, seq - 1))
            require(before is None or before.hash == batch.header.previous, "a batch follows another one")

    def opened(self, found):
        """What the keys of its generation open of a batch or a part; None where the key has no share of them."""
        header, keys = found.header, self.generations.get(found.header.generation)
        return keys and open_box(keys.content, b"batch", header.salt, header.data, found.sealed)

    def contents(self):
        for batch in self.batches.values():
            content = self.opened(batch)
            if content:
                yield batch, Content(content)

    def newest(self, found):
        """The items of versions: of each record the one with the largest stamp, without the deleted ones."""
        newest = {}
        for version in found:
            if version.rid not in newest or version.stamp > newest[version.rid].stamp:
                newest[version.rid] = version
        return {rid: version.item for rid, version in newest.items() if version.item}

    def versions(self, header, read):
        keys = self.generations[header.generation]
        items = [one for one in read if one.kind in (ITEM, TOMBSTONE) and one.item_class != SHELF_CLASS]
        return [Version(record, keys, header) for record in items]

    def items(self):
        """The items of all batches that are there, by their records, and those of snapshots."""
        found = [one for batch, content in self.contents() for one in self.versions(batch.header, content.records)]
        for place in self.snapshots():
            found += self.snapshot_versions(place)
        return self.newest(found)

    def snapshots(self):
        """The manifests by the places of their batches, whose parts are all there and those that it lists."""
        found = {}
        for batch, content in self.contents():
            for record in content.records:
                if record.kind == MANIFEST:
                    place = (batch.header.device, batch.header.seq)
                    found[place] = Manifest(record.body)
                    self.check_parts(place, found[place])
        return found

    def check_parts(self, place, manifest):
        there = [data for _, (_, data) in sorted(self.parts.get(place, {}).items())]
        listed = [(len(data), hashlib.sha256(data).digest()) for data in there]
        require(listed == manifest.parts, "the parts are not those of the manifest")

    def snapshot_versions(self, place):
        found = []
        for part, _ in self.parts[place].values():
            read = records(Cursor(self.opened(part)))
            require(all(record.flags & 1 for record in read), "a record of a snapshot has no author")
            found += self.versions(part.header, read)
        return found
