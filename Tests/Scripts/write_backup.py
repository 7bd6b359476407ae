"""Writes backups that `security backup` never makes: of any items and parameters, by docs/formats/backup.md alone."""

import hashlib
import hmac
import os
import struct

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from read_backup import VALUE, derive, records, stretched

# The numbers of attributes: docs/formats/store.md, section 5.
PROTECTION, GROUP, CREATED, MODIFIED, ACCOUNT, SERVICE = 1, 3, 5, 6, 18, 19
STRING, DATA, DATE = 1, 2, 4
LEAST = (65536, 3, 1)


def sealed(key, content, about):
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, content, about)


def entry(number, kind, value):
    content = {STRING: lambda: value.encode(), DATA: lambda: value}.get(kind, lambda: struct.pack("<d", value))()
    return struct.pack("<HBBI", number, kind, 0, len(content)) + content


def record(entries):
    """A generic password of some attributes, each with number, kind and value."""
    body = struct.pack("<I", 1) + os.urandom(16) + b"".join(entry(*one) for one in sorted(entries))
    return struct.pack("<I", len(body)) + body


def password(group, service, account, value):
    return record(
        [
            (PROTECTION, STRING, "ak"),
            (GROUP, STRING, group),
            (CREATED, DATE, 0.0),
            (MODIFIED, DATE, 0.0),
            (ACCOUNT, STRING, account),
            (SERVICE, STRING, service),
            (VALUE, DATA, value),
        ]
    )


def header(passphrase, file_key, salt, cost=LEAST, slots=1):
    """The beginning of a file, of which each slot opens with the passphrase and has the cost."""
    body = b""
    for _ in range(slots):
        head = struct.pack("<III", *cost) + os.urandom(16)
        # What is out of bounds is not computed: the reader refuses it before.
        secret = stretched(passphrase, head[12:], *cost) if cost == LEAST else bytes(32)
        key = derive(secret, salt + head[-16:], b"passphrase")
        body += struct.pack("<BH", 1, len(head) + 60) + head + sealed(key, file_key, b"\1" + head + salt)
    start = b"KCBK" + struct.pack("<HH", 1, 41 + len(body) + 32) + salt + bytes([slots]) + body
    return start + hmac.digest(derive(file_key, salt, b"header"), start, "sha256")


def backup(passphrase, parts, created=0, **options):
    """A file with some parts, each the bytes of its records."""
    file_key, salt = os.urandom(32), os.urandom(32)
    start = header(passphrase.encode(), file_key, salt, **options)
    proof, content, hashes = start[-32:], start, b""
    for index, part in enumerate(parts):
        place = struct.pack("<I", index)
        box = sealed(derive(file_key, salt, b"part" + place), part, proof + b"\1" + place)
        content += struct.pack("<BI", 1, len(box)) + box
        hashes += hashlib.sha256(box).digest()
    items = sum(len(list(records(part))) for part in parts)
    manifest = struct.pack("<qQQI", created, items, 0, len(parts)) + hashes
    box = sealed(derive(file_key, salt, b"manifest" + bytes(4)), manifest, proof + b"\2" + bytes(4))
    return content + struct.pack("<BI", 2, len(box)) + box
