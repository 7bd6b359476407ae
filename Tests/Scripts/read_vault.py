"""Reads a keychain's vault without its code: written from docs/formats/vault.md and docs/formats/store.md alone."""

import hashlib
import hmac
import struct

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

PROTECTION = {1: "ak", 2: "ck", 3: "dk", 4: "aku", 5: "cku", 6: "dku", 7: "akpu"}
ALWAYS_OPEN = (3, 6)
ZERO = bytes(60)


class Damaged(Exception):
    """What was read is not what was written."""


class Closed(Exception):
    """The class key is not there."""


def open_box(key, aad, box):
    if len(box) < 28:
        raise Damaged("a box is too short")
    try:
        return AESGCM(key).decrypt(box[:12], box[12:], aad)
    except InvalidTag:
        raise Damaged("a box does not open") from None


class GuardBinding:
    """Section 9 of docs/formats/store.md: what an access control is bound to, at the beginning of some bytes."""

    def __init__(self, content, flags):
        try:
            (length,) = struct.unpack_from("<I", content)
            self.enrolment, rest = content[4 : 4 + length], content[4 + length :]
            (length,) = struct.unpack_from("<I", rest)
            self.password, self.rest = rest[4 : 4 + length], rest[4 + length :]
        except struct.error:
            raise Damaged("what it is bound to is cut off") from None
        if len(self.enrolment) not in ((0, 32) if flags >> 3 & 1 else (0,)) or len(self.password) != 24 * (
            flags >> 31 & 1
        ):
            raise Damaged("what it is bound to makes no sense")

    def open(self, content, password):
        """What is behind the password, if there is one; the head must have been authenticated before."""
        if not self.password:
            return content
        memory, passes = struct.unpack_from("<II", self.password)
        if not (8 <= memory <= 4 << 20 and 1 <= passes <= 64):
            raise Damaged("the price of a password makes no sense")
        if password is None:
            raise Closed()
        key = hash_secret_raw(password, self.password[8:], passes, memory, 1, 32, Type.ID, 0x13)
        return open_box(key, b"", content)


class Vault:
    """docs/formats/vault.md"""

    def __init__(self, content, passcode=None):
        if len(content) < 12 or content[:8] != b"KCVAULT\0":
            raise Damaged("not a vault")
        self.version, flags = struct.unpack_from("<HH", content, 8)
        self.changes = self.block = self.confirmed = 0
        self.recovery = []
        if 3 <= self.version <= 6:
            self.read_slots(content, passcode)
            return
        if self.version != 1:
            raise Damaged(f"a vault of version {self.version}")
        if len(content) != 592:
            raise Damaged("the vault has another size")
        self.identifier, self.device_key = content[16:32], content[32:64]
        expected = hmac.digest(self.derive("digest"), content[:560], "sha256")
        if not hmac.compare_digest(expected, content[560:]):
            raise Damaged("the vault's digest is wrong")
        self.index_key = self.derive("index")
        self.class_keys = self.open_keybag(
            content, self.keybag_key(content, passcode) if flags & 1 else self.derive("keybag without passcode")
        )

    def read_slots(self, content, passcode):
        """Sections 7 to 10, for vaults without a TPM."""
        start = {3: 632, 4: 664}.get(self.version, 672)
        if len(content) < start + 64:
            raise Damaged("the vault has another size")
        if self.version >= 4:
            self.changes, self.block, self.confirmed = struct.unpack_from("<QQQ", content, 632)
        circle, recovery = struct.unpack_from("<II", content, 664) if self.version >= 5 else (0, 0)
        root, device, slots = struct.unpack_from("<HHH", content, 620)
        last = start + device + slots
        end = last + circle + recovery
        proof = end - 28 if recovery else end
        self.recovery = [content[place : place + 32] for place in range(end - recovery, proof, 32)]
        if len(content) != end + 64 or hashlib.sha256(content[:-32]).digest() != content[-32:]:
            raise Damaged("the vault's digest is wrong")
        if root != 1 or device != 32:
            raise Damaged("the vault does not rest on this file")
        self.identifier, self.device_key = content[16:32], content[start : start + 32]
        seal = self.derive_exactly("keychain vault 3: seal")
        if not hmac.compare_digest(hmac.digest(seal, content[:end], "sha256"), content[end : end + 32]):
            raise Damaged("the vault's seal is wrong")
        wrapping = self.derive_exactly("keychain vault 2: index key")
        self.index_key = open_box(wrapping, struct.pack("<BBH", 0, 4, 3) + self.identifier, content[560:620])
        keybag_key, offset = None, start + device
        while offset < last:
            number, kind, lock = struct.unpack_from("<BBH", content, offset)
            key = self.slot_key(kind, content[offset + 4 : offset + 32], passcode)
            if key is not None:
                binding = (
                    struct.pack("<BBH", kind, 5, 3)
                    + self.identifier
                    + bytes([number])
                    + content[offset + 16 : offset + 32]
                )
                keybag_key = open_box(key, binding, content[offset + 32 : offset + 92])
            offset += 92 + lock
        self.class_keys = self.open_keybag(content, keybag_key)
        self.check_recovery(content[proof:end])

    def check_recovery(self, proof):
        """Section 10: who has named the recipients had a key that the passcode opens."""
        if self.recovery and 2 in self.class_keys:
            binding = struct.pack("<BBH", 2, 8, 3) + self.identifier + b"".join(self.recovery)
            if open_box(self.class_keys[2], binding, proof) != b"":
                raise Damaged("the proof of the recovery recipients has content")

    def slot_key(self, kind, parameters, passcode):
        if kind == 1:
            return self.derive("keybag without passcode")
        if kind != 2 or passcode is None:
            return None
        memory, passes, lanes = struct.unpack_from("<III", parameters, 0)
        return self.derive("keybag with passcode", self.stretch(passcode, parameters[12:28], memory, passes, lanes))

    def derive_exactly(self, text):
        return HKDF(SHA256(), 32, self.identifier, text.encode()).derive(self.device_key)

    def derive(self, purpose, passcode_key=b""):
        info = f"keychain vault 1: {purpose}".encode()
        return HKDF(SHA256(), 32, self.identifier, info).derive(self.device_key + passcode_key)

    def keybag_key(self, content, passcode):
        if passcode is None:
            return None
        key = self.stretch(passcode, content[80:96], *struct.unpack_from("<III", content, 64))
        return self.derive("keybag with passcode", key)

    @staticmethod
    def stretch(passcode, salt, memory, passes, lanes):
        if not (1 <= lanes <= 16 and 8 * lanes <= memory <= 4 << 20 and 1 <= passes <= 64):
            raise Damaged("the price of a passcode makes no sense")
        return hash_secret_raw(passcode, salt, passes, memory, lanes, 32, Type.ID, 0x13)

    def open_keybag(self, content, keybag_key):
        always, keys = self.derive("device keybag"), {}
        for number in PROTECTION:
            wrapped = content[140 + 60 * (number - 1) :][:60]
            key = always if number in ALWAYS_OPEN else keybag_key
            if wrapped != ZERO and key is not None:
                binding = struct.pack("<BBH", number, 2, min(self.version, 3)) + self.identifier
                keys[number] = open_box(key, binding, wrapped)
        return keys

    def age(self, mark):
        """Section 8: what a store's mark says of store and vault."""
        if mark is None:
            return "current" if self.confirmed == 0 else "older store"
        changes, block, code = mark
        key = HKDF(SHA256(), 32, self.identifier, b"keychain vault 4: store mark").derive(self.class_keys[6])
        if not hmac.compare_digest(hmac.digest(key, struct.pack("<qq", changes, block), "sha256"), code):
            return "older store"
        if changes > self.changes:
            return "older vault"
        return "older store" if block < self.confirmed else "current"
