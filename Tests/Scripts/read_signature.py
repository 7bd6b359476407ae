"""Verifies a signed executable without the product's code: written from docs/formats/signature.md alone.

usage: read_signature.py FILE

Prints a JSON object: "identifier", "team", "algorithm", "public" (hexadecimal), "rotations", "digest", "groups",
"signed" and "signature" (hexadecimal, for another program to verify). Exit status: 0; 1 when the file is not signed;
2 when its signature does not hold.
"""

import base64
import hashlib
import json
import pathlib
import plistlib
import struct
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.hashes import SHA256


class Unsigned(Exception):
    """There is no note."""


class Refused(Exception):
    """There is a note, and it does not hold."""


def require(holds, what):
    if not holds:
        raise Refused(what)


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        require(count <= len(self.data) - self.place, "cut off")
        self.place += count
        return self.data[self.place - count : self.place]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def run(self):
        return self.take(self.number(4))

    def text(self, data=None):
        try:
            return (self.run() if data is None else data).decode()
        except UnicodeDecodeError:
            raise Refused("text") from None

    def key(self):
        algorithm, public = self.number(1), self.run()
        require(len(public) == {1: 32, 2: 65}.get(algorithm), "key")
        return algorithm, public


def verify(key, signature, message):
    algorithm, public = key
    try:
        if algorithm == 1:
            ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        else:
            pair = utils.encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:]))
            point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
            point.verify(pair, message, ec.ECDSA(SHA256()))
    except (InvalidSignature, ValueError):  # ValueError: a point that is not on the curve
        raise Refused("signature") from None


def team_id(key):
    digest = hashlib.sha256(b"swift-keychain team v1\0" + bytes([key[0]]) + key[1]).digest()
    return base64.b32encode(digest)[:20].decode()


def statement(data):
    """team, key, kind, content of a statement whose own signature holds."""
    reader = Reader(data)
    require(len(data) <= 8192 and reader.number(1) == 1, "version of a statement")
    kind, team, _ = reader.number(1), reader.text(reader.take(20)), reader.number(8)
    chain = [statement(reader.run()) for _ in range(reader.number(1))]
    key = reader.key()
    require(kind in (1, 2) and (kind == 2 or not chain), "kind of a statement")
    content = reader.key() if kind == 1 else (reader.text(), reader.text())
    signed = reader.data[: reader.place]
    verify(key, reader.take(64), b"swift-keychain team statement v1\0" + signed)
    require(reader.place == len(data), "end of a statement")
    if kind == 2:
        require(follow(chain, key) == team and content[0].startswith(team + "."), "handover")
    return {"team": team, "key": key, "kind": kind, "content": content}


def follow(chain, key):
    """The Team ID that a chain of rotations leads from, to this key."""
    current = chain[0]["key"] if chain else key
    team = team_id(current)
    for link in chain:
        require(link["kind"] == 1 and link["key"] == current and link["team"] == team, "rotation")
        current = link["content"]
    require(current == key, "rotation")
    return team


class ELF:
    def __init__(self, data):
        if len(data) < 64 or data[:4] != b"\x7fELF" or data[4] not in (1, 2) or data[5] not in (1, 2):
            raise Unsigned
        self.data, self.wide, self.order = data, data[4] == 2, "<" if data[5] == 1 else ">"
        at = struct.Struct(self.order + ("16sHHIQQQIHHHHHH" if self.wide else "16sHHIIIIIHHHHHH"))
        (
            _,
            _,
            _,
            _,
            _,
            self.phoff,
            self.shoff,
            _,
            _,
            self.phentsize,
            self.phnum,
            self.shentsize,
            self.shnum,
            self.shstrndx,
        ) = at.unpack_from(data)
        self.header = at.size

    def note(self):
        size = 64 if self.wide else 40
        if self.shentsize != size or not self.shoff or self.shoff + self.shnum * size > len(self.data):
            raise Unsigned
        form = struct.Struct(self.order + ("IIQQQQIIQQ" if self.wide else "10I"))
        rows = [form.unpack_from(self.data, self.shoff + index * size) for index in range(self.shnum)]
        if self.shstrndx >= len(rows):
            raise Unsigned
        names = self.data[rows[self.shstrndx][4] :][: rows[self.shstrndx][5]]
        found = [row for row in rows if row[1] == 7 and names[row[0] :].startswith(b".note.keychain\0")]
        if not found:
            raise Unsigned
        require(len(found) == 1, "two notes")
        section = self.data[found[0][4] :][: found[0][5]]
        require(len(section) == found[0][5] >= 24, "the note is cut off")
        namesz, descsz, kind = struct.unpack_from(self.order + "III", section)
        desc = section[24 : 24 + descsz]
        require((namesz, kind, section[12:24]) == (9, 1, b"keychain" + bytes(4)), "the note's head")
        require(section[24:] == desc + bytes(-descsz % 4), "the note's end")
        return desc

    def digest(self):
        size = 56 if self.wide else 32
        require(self.phentsize == size and 0 < self.phnum * size <= 65536, "program headers")
        require(self.phoff + self.phnum * size <= len(self.data), "program headers are outside")
        view = bytearray(self.data)
        for start, end in [(40, 48), (58, 64)] if self.wide else [(32, 36), (46, 52)]:
            view[start:end] = bytes(end - start)
        sha = hashlib.sha256(b"swift-keychain code digest v1\0" + view[: self.header])
        sha.update(self.data[self.phoff : self.phoff + self.phnum * size])
        loads = 0
        for index in range(self.phnum):
            row = self.phoff + index * size
            kind = struct.unpack_from(self.order + "I", self.data, row)[0]
            (offset,) = struct.unpack_from(
                self.order + ("Q" if self.wide else "I"), self.data, row + (8 if self.wide else 4)
            )
            (count,) = struct.unpack_from(
                self.order + ("Q" if self.wide else "I"), self.data, row + (32 if self.wide else 16)
            )
            require(not count or offset + count <= len(view), "a segment is outside")
            loads += kind == 1
            sha.update(view[offset : offset + count])
        require(loads, "nothing to load")
        return sha.digest()


def groups(plist, team, identifier):
    values = {
        "AppIdentifierPrefix": team + ".",
        "TeamIdentifierPrefix": team + ".",
        "DEVELOPMENT_TEAM": team,
        "CFBundleIdentifier": identifier,
        "PRODUCT_BUNDLE_IDENTIFIER": identifier,
    }
    for name, value in values.items():
        plist = plist.replace(f"$({name})".encode(), value.encode())
    entries = plistlib.loads(plist) if plist else {}
    names = ["application-identifier", "com.apple.application-identifier"]
    own = next((entries[name] for name in names if name in entries), f"{team}.{identifier}")
    every = [
        *entries.get("keychain-access-groups", []),
        *entries.get("com.apple.developer.associated-application-identifier", []),
        own,
        *entries.get("com.apple.security.application-groups", []),
    ]
    token = "com.apple.token"
    every = [group for group in dict.fromkeys(every) if group != token] + [token] * (token in every)
    require(all(group == token or group.startswith(team + ".") for group in every), "another team's group")
    return every


def read(data):
    elf = ELF(data)
    reader = Reader(elf.note())
    require(reader.number(1) == 1, "version")
    key, identifier, plist = reader.key(), reader.text(), reader.run()
    chain = [statement(reader.run()) for _ in range(reader.number(1))]
    digest = reader.take(32)
    signed = b"swift-keychain code signature v1\0" + reader.data[: reader.place]
    signature = reader.take(64)
    require(reader.place == len(reader.data), "something behind the signature")
    verify(key, signature, signed)
    team = follow(chain, key)
    require(elf.digest() == digest, "changed")
    return {
        "identifier": identifier,
        "team": team,
        "algorithm": {1: "ed25519", 2: "p256"}[key[0]],
        "public": key[1].hex(),
        "rotations": len(chain),
        "digest": digest.hex(),
        "groups": groups(plist, team, identifier),
        "signed": signed.hex(),
        "signature": signature.hex(),
    }


if __name__ == "__main__":
    try:
        print(json.dumps(read(pathlib.Path(sys.argv[1]).read_bytes())))
    except Unsigned:
        sys.exit(1)
    except Refused as refused:
        print(f"{sys.argv[1]}: {refused}", file=sys.stderr)
        sys.exit(2)
