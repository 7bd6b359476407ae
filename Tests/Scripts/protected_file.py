"""Reads and writes protected files without their library: written from docs/formats/file.md alone."""

import hashlib
import hmac
import os
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC = bytes.fromhex("894B4346494C450A")
ONES = (1 << 64) - 1
HEADER, CODE, CHUNKS, TAG = 4096, 4064, 8192, 16
SIZES = {1: 60, 2: 80, 3: 80}
RECOVERY = 3
UNLESS_OPEN = 2


class Refused(Exception):
    """The file is not read; the text is the kind of the reason."""


def derive(file_key, file_id, name):
    return HKDF(SHA256(), 32, file_id, b"keychain file 1: " + name).derive(file_key)


# HPKE (RFC 9180) in base mode: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.


def labeled_extract(suite, salt, label, key):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, hashlib.sha256)


def labeled_expand(suite, key, label, info, size):
    """One block of HKDF-Expand is enough for all that is derived here."""
    text = struct.pack(">H", size) + b"HPKE-v1" + suite + label + info
    return hmac.digest(key, text + b"\1", hashlib.sha256)[:size]


def hpke_cipher(shared_x, encapsulated, recipient, info):
    kem, suite = b"KEM\0\x20", b"HPKE\0\x20\0\1\0\2"
    key = labeled_extract(kem, b"", b"eae_prk", shared_x)
    shared = labeled_expand(kem, key, b"shared_secret", encapsulated + recipient, 32)
    context = b"\0" + labeled_extract(suite, b"", b"psk_id_hash", b"") + labeled_extract(suite, b"", b"info_hash", info)
    secret = labeled_extract(suite, shared, b"secret", b"")
    return (
        AESGCM(labeled_expand(suite, secret, b"key", context, 32)),
        labeled_expand(suite, secret, b"base_nonce", context, 12),
    )


def hpke_seal(content, recipient, info, aad):
    own = X25519PrivateKey.generate()
    encapsulated = own.public_key().public_bytes_raw()
    shared = own.exchange(X25519PublicKey.from_public_bytes(recipient))
    cipher, nonce = hpke_cipher(shared, encapsulated, recipient, info)
    return encapsulated + cipher.encrypt(nonce, content, aad)


def hpke_open(message, private, info, aad):
    key = X25519PrivateKey.from_private_bytes(private)
    try:
        shared = key.exchange(X25519PublicKey.from_public_bytes(message[:32]))
        cipher, nonce = hpke_cipher(shared, message[:32], key.public_key().public_bytes_raw(), info)
        return cipher.decrypt(nonce, message[32:], aad)
    except (InvalidTag, ValueError):
        return None


class Shelf:
    """The keys of a shelf of a class."""

    def __init__(self, protection):
        self.protection, self.id = protection, os.urandom(16)
        self.wrap_key, self.private = os.urandom(32), os.urandom(32)
        self.public = X25519PrivateKey.from_private_bytes(self.private).public_key().public_bytes_raw()

    def slot(self, file_key, file_id):
        if self.protection == UNLESS_OPEN:
            info, aad = b"keychain file 1: unless open", self.id + file_id
            return slot(2, self.id, hpke_seal(file_key, self.public, info, aad))
        nonce = os.urandom(12)
        aad = b"keychain file 1: wrap" + self.id + file_id
        return slot(1, self.id, nonce + AESGCM(self.wrap_key).encrypt(nonce, file_key, aad))

    def file_key(self, one):
        """None for a slot that does not open."""
        (kind, shelf, wrapped), file_id = one.own, one.file_id
        if kind == 2:
            if self.protection != UNLESS_OPEN:
                return None
            return hpke_open(wrapped, self.private, b"keychain file 1: unless open", shelf + file_id)
        try:
            aad = b"keychain file 1: wrap" + shelf + file_id
            return AESGCM(self.wrap_key).decrypt(wrapped[:12], wrapped[12:], aad)
        except InvalidTag:
            return None


# Bech32 (BIP 173), of which age makes the texts of its keys.
LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def checksum(name, groups):
    state = 1
    for group in [ord(letter) >> 5 for letter in name] + [0] + [ord(letter) & 31 for letter in name] + groups:
        top = state >> 25
        state = (state & 0x1FFFFFF) << 5 ^ group
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            state ^= generator if top >> bit & 1 else 0
    return state


def encoded(name, data):
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    groups = [int(bits[place : place + 5], 2) for place in range(0, len(bits), 5)]
    code = checksum(name, groups + [0] * 6) ^ 1
    return name + "1" + "".join(LETTERS[one] for one in groups + [code >> 5 * (5 - place) & 31 for place in range(6)])


def decoded(name, text):
    text = text.lower()
    assert text.startswith(f"{name}1"), text
    groups = [LETTERS.index(letter) for letter in text[len(name) + 1 :]]
    assert checksum(name, groups) == 1, text
    bits = "".join(f"{group:05b}" for group in groups[:-6])
    return bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits) - 7, 8))


class Identity:
    """Somebody who opens files without their shelf."""

    def __init__(self, text=None):
        self.private = decoded("age-secret-key-", text) if text else os.urandom(32)
        self.public = X25519PrivateKey.from_private_bytes(self.private).public_key().public_bytes_raw()
        self.id = hashlib.sha256(self.public).digest()[:16]
        self.text = encoded("age-secret-key-", self.private).upper()
        self.recipient = encoded("age", self.public)

    def slot(self, file_key, file_id):
        wrapped = hpke_seal(file_key, self.public, b"keychain file 1: recovery", self.id + file_id)
        return slot(RECOVERY, self.id, wrapped)

    def file_key(self, one):
        """The key that a header has for it; None when it has none."""
        for kind, recipient, wrapped in one.slots:
            if kind == RECOVERY and recipient == self.id:
                key = hpke_open(wrapped, self.private, b"keychain file 1: recovery", recipient + one.file_id)
                if key is not None:
                    return key
        return None


def slot(kind, shelf, wrapped):
    return struct.pack("<BBH", kind, 0, len(wrapped)) + shelf + wrapped


def header(file_key, file_id, slots, protection, exponent=16, generation=1, version=1, kind=1, suite=1):
    values = (version, kind, suite, exponent, protection, len(slots), generation, ONES, ONES, 0, file_id)
    fields = struct.pack("<8sHBBBBHQQQQ16s", MAGIC, *values)
    covered = (fields + b"".join(slots)).ljust(CODE, b"\0")
    return covered + hmac.digest(derive(file_key, file_id, b"header"), covered, hashlib.sha256)


def nonce(index, is_last):
    return struct.pack("<Q3xB", index, is_last)


def chunks(content, file_key, file_id, exponent=16):
    """All chunks of a file."""
    cipher, size = AESGCM(derive(file_key, file_id, b"chunks")), 1 << exponent
    whole = len(content) // size
    parts = [content[place * size : (place + 1) * size] for place in range(whole + 1)]
    return [cipher.encrypt(nonce(index, index == whole), part, None) for index, part in enumerate(parts)]


def write(content, shelf, exponent=16, generation=1, further=(), recovery=()):
    """A new file; what is further is put behind the shelf's slot, and the slots for recovery behind that."""
    file_key, file_id = os.urandom(32), os.urandom(16)
    slots = [shelf.slot(file_key, file_id), *further, *(one.slot(file_key, file_id) for one in recovery)]
    one = header(file_key, file_id, slots, shelf.protection, exponent, generation)
    return one + one + b"".join(chunks(content, file_key, file_id, exponent))


class Header:
    def __init__(self, data):
        (magic, version, kind, suite, self.exponent, self.protection, count, self.generation, *fixed, self.file_id) = (
            struct.unpack_from("<8sHBBBBHQQQQ16s", data)
        )
        self.covered, self.code = data[:CODE], data[CODE:]
        if magic != MAGIC:
            raise Refused("not protected")
        if (version, kind, suite) != (1, 1, 1):
            raise Refused("unsupported")
        if fixed != [ONES, ONES, 0] or not 12 <= self.exponent <= 20 or not 1 <= self.protection <= 4:
            raise Refused("damaged")
        if not 1 <= count <= 8:
            raise Refused("damaged")
        self.slots, place = [], 64
        for _ in range(count):
            if place + 20 > CODE:
                raise Refused("damaged")
            slot_kind, zero, size = struct.unpack_from("<BBH", data, place)
            end = place + 20 + size
            if slot_kind == 0 or zero or end > CODE or SIZES.get(slot_kind, size) != size:
                raise Refused("damaged")
            self.slots.append((slot_kind, data[place + 4 : place + 20], data[place + 20 : end]))
            place = end
        known = [one for one in self.slots if one[0] in (1, 2)]
        if any(data[place:CODE]) or [one[0] for one in known] != [2 if self.protection == UNLESS_OPEN else 1]:
            raise Refused("damaged")
        (self.own,) = known


def authentic(data, opener):
    """The header that counts, and the file key, which a shelf or an identity has."""
    if len(data) < CHUNKS:
        raise Refused("damaged" if data[:8] == MAGIC else "not protected")
    found, reasons = [], []
    for place in (0, HEADER):
        try:
            found.append(Header(data[place : place + HEADER]))
        except Refused as refused:
            reasons.append(str(refused))
    if not found:
        raise Refused(next((one for one in reasons if one != "not protected"), "not protected"))
    for one in sorted(found, key=lambda one: -one.generation):
        file_key = opener.file_key(one)
        if file_key is None:
            continue
        code = hmac.digest(derive(file_key, one.file_id, b"header"), one.covered, hashlib.sha256)
        if hmac.compare_digest(code, one.code):
            return one, file_key
    raise Refused("damaged")


def read(data, opener):
    """The content of a file that is whole."""
    one, file_key = authentic(data, opener)
    cipher, full = AESGCM(derive(file_key, one.file_id, b"chunks")), (1 << one.exponent) + TAG
    whole, rest = divmod(len(data) - CHUNKS, full)
    if rest < TAG:
        raise Refused("damaged")
    content = []
    for index in range(whole + 1):
        place = CHUNKS + index * full
        try:
            content.append(cipher.decrypt(nonce(index, index == whole), data[place : place + full], None))
        except InvalidTag:
            raise Refused("damaged") from None
    return b"".join(content)
