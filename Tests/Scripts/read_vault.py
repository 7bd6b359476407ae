"""Opens a vault and keys wrapped under it, written from docs/format-vault.md alone.

usage: read_vault.py VAULT PASSCODE CLASS ROW WRAPPED METADATA

PASSCODE, ROW, WRAPPED and METADATA are hexadecimal; an empty PASSCODE means none. Prints, in hexadecimal and one on a line, the
index key, the secret key of the row, and the metadata key of the class.
"""
import struct
import sys

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Vault:
    def __init__(self, content, passcode):
        assert len(content) == 592 and content[:8] == b"KCVAULT\0"
        self.version, flags = struct.unpack_from("<HH", content, 8)
        assert self.version == 1
        self.identifier, self.device_key = content[16:32], content[32:64]
        digest = hmac.HMAC(self.derive(self.device_key, "digest"), hashes.SHA256())
        digest.update(content[:560])
        digest.verify(content[560:])
        self.device_keybag_key = self.derive(self.device_key, "device keybag")
        if flags & 1:
            memory, passes, lanes = struct.unpack_from("<III", content, 64)
            argon2 = Argon2id(
                salt=content[80:96], length=32, iterations=passes, lanes=lanes, memory_cost=memory)
            self.keybag_key = self.derive(self.device_key + argon2.derive(passcode), "keybag with passcode")
        else:
            self.keybag_key = self.derive(self.device_key, "keybag without passcode")
        self.wrapped = [content[140 + 60 * index:200 + 60 * index] for index in range(7)]

    def derive(self, key, purpose):
        info = b"keychain vault 1: " + purpose.encode()
        return HKDF(algorithm=hashes.SHA256(), length=32, salt=self.identifier, info=info).derive(key)

    def class_key(self, code):
        key = self.device_keybag_key if code in (3, 6) else self.keybag_key
        return unwrap(key, self.wrapped[code - 1], struct.pack("<BBH", code, 2, self.version) + self.identifier)


def unwrap(key, wrapped, associated_data):
    return AESGCM(key).decrypt(wrapped[:12], wrapped[12:], associated_data)


def main(path, passcode, code, row, wrapped, metadata):
    passcode, row, wrapped, metadata = (bytes.fromhex(text) for text in (passcode, row, wrapped, metadata))
    code = int(code)
    with open(path, "rb") as file:
        vault = Vault(file.read(), passcode)
    class_key = vault.class_key(code)
    print(vault.derive(vault.device_key, "index").hex())
    print(unwrap(class_key, wrapped, struct.pack("<BBH", code, 0, 0) + row).hex())
    print(unwrap(class_key, metadata, struct.pack("<BBH", code, 1, 0)).hex())


main(*sys.argv[1:])
