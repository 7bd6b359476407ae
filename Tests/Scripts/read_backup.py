"""Reads a backup without the keychain's code: written from docs/formats/backup.md alone, with the lists of store.md.

usage: read_backup.py FILE [--recovery]          the passphrase, or the 16 bytes of the code, on standard input

Prints a JSON list: of the items "class", "attributes" (by number), "value"; of the shelves "class", "id", "made",
"name", "group", "protection", and their keys "wrapKey" and "privateKey".
"""

import base64
import hashlib
import hmac
import json
import struct
import sys

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from read_store import parse_list
from read_vault import open_box

CLASSES = {1: "genp", 2: "inet", 3: "cert", 4: "keys"}
SHELF = 6
VALUE = 61441


def derive(key, salt, info):
    return HKDF(SHA256(), 32, salt, b"keychain backup 1: " + info).derive(key)


def stretched(passphrase, salt, memory, passes, lanes):
    return hash_secret_raw(passphrase, salt, passes, memory, lanes, 32, Type.ID, 19)


def slots(header):
    """The kind and the body of each slot."""
    count, offset = header[40], 41
    for _ in range(count):
        kind, length = struct.unpack_from("<BH", header, offset)
        yield kind, header[offset + 3 : offset + 3 + length]
        offset += 3 + length
    if offset + 32 != len(header):
        raise ValueError("the header has another length than its slots")


def file_key(header, kind, credential):
    salt = header[8:40]
    for found, body in slots(header):
        if found != kind:
            continue
        head, box = body[:-60], body[-60:]
        if kind == 1:
            memory, passes, lanes = struct.unpack_from("<III", body)
            if not 65536 <= memory <= 524288 or not passes <= 8 or memory * passes < 196608:
                raise ValueError("the cost of a guess is out of bounds")
            secret, purpose = stretched(credential, head[12:], memory, passes, lanes), b"passphrase"
        else:
            secret, purpose = credential, b"recovery"
        return open_box(derive(secret, salt + head[-16:], purpose), bytes([kind]) + head + salt, box)
    raise ValueError("nothing of this kind opens the backup")


def frames(content, offset):
    """The kind and the box of each frame; nothing follows the manifest."""
    kind = 1
    while kind == 1:
        kind, length = struct.unpack_from("<BI", content, offset)
        box = content[offset + 5 : offset + 5 + length]
        if len(box) != length:
            raise ValueError("the file was cut")
        yield kind, box
        offset += 5 + length
    if offset != len(content):
        raise ValueError("something follows the manifest")


def take_bytes(content, offset):
    """What is behind its length, and where it ends."""
    (length,) = struct.unpack_from("<I", content, offset)
    end = offset + 4 + length
    if end > len(content):
        raise ValueError("a shelf was cut")
    return content[offset + 4 : end], end


def shelf(body, shelf_key, proof):
    """A shelf; its keys are in a box of their own, which is bound to the head before it."""
    identifier = body[4:20]
    (made,) = struct.unpack_from("<q", body, 20)
    name, start = take_bytes(body, 28)
    key_type, bits = struct.unpack_from("<BH", body, start + 3)
    protection_class, control = struct.unpack_from("<B3xQ", body, start + 8)
    group, offset = take_bytes(body, start + 20)
    public, end = take_bytes(body, offset)
    box, last = take_bytes(body, end)
    if body[1:4] not in (bytes(3), b"\1\0\0"):
        raise ValueError("no record of a shelf")
    if body[start : start + 3] != b"\1\1\1" or key_type >> 4 != 15 or bits != 256 or last != len(body):
        raise ValueError("no shelf")
    keys = open_box(shelf_key(identifier), proof + b"\3" + identifier + body[start:end], box)
    found = {"id": identifier, "wrapKey": keys[:32], "privateKey": keys[32:], "publicKey": public}
    found = {word: base64.b64encode(value).decode() for word, value in found.items()}
    found |= {"made": made, "name": name.decode(), "group": group.decode(), "protection": key_type & 15}
    found["isOfOther"] = body[1] == 1
    return found | {"class": "shelf", "protectionClass": protection_class, "control": control}


def records(part, shelf_key=None, proof=b""):
    """The records of a part. Without the keys of shelves there is nothing of them but their class."""
    offset = 0
    while offset < len(part):
        (length,) = struct.unpack_from("<I", part, offset)
        body = part[offset + 4 : offset + 4 + length]
        offset += 4 + length
        if body[0] == SHELF:
            yield shelf(body, shelf_key, proof) if shelf_key else {"class": "shelf"}
            continue
        entries = parse_list(body[20:])
        (value_kind, value) = entries.pop(VALUE, (2, None))
        assert value_kind == 2
        yield {
            "class": CLASSES[body[0]],
            "attributes": {number: base64.b64encode(found[1]).decode() for number, found in entries.items()},
            "value": None if value is None else base64.b64encode(value).decode(),
        }


def opened(content, kind, credential):
    """The header and the file key."""
    magic, version, length = struct.unpack_from("<4sHH", content)
    if magic != b"KCBK" or version not in (1, 2):
        raise ValueError("no backup of version 1 or 2")
    header = content[:length]
    return header, file_key(header, kind, credential)


def parts(content, kind, credential):
    """The content of each part."""
    header, key = opened(content, kind, credential)
    length, salt, proof = len(header), header[8:40], header[-32:]
    if not hmac.compare_digest(hmac.digest(derive(key, salt, b"header"), header[:-32], "sha256"), proof):
        raise ValueError("the header is another")
    boxes = list(frames(content, length))
    *sealed, (kind, last) = boxes
    if kind != 2:
        raise ValueError("there is no manifest")
    manifest = open_box(derive(key, salt, b"manifest" + bytes(4)), proof + bytes([2]) + bytes(4), last)
    _, items, _, count = struct.unpack_from("<qQQI", manifest)
    hashes = [manifest[28 + 32 * index : 60 + 32 * index] for index in range(count)]
    if [hashlib.sha256(box).digest() for _, box in sealed] != hashes or len(manifest) != 28 + 32 * count:
        raise ValueError("the parts are not those of the manifest")
    found = []
    for index, (_, box) in enumerate(sealed):
        place = struct.pack("<I", index)
        found.append(open_box(derive(key, salt, b"part" + place), proof + bytes([1]) + place, box))
    if any(len(part) > 262_144 and len(list(records(part))) > 1 for part in found):
        raise ValueError("a part is larger than one is")
    if sum(len(list(records(part))) for part in found) != items:
        raise ValueError("the manifest counts other items")
    if header[4] == 1 and any(record["class"] == "shelf" for part in found for record in records(part)):
        raise ValueError("a shelf in a backup of version 1")
    return found


def read(content, kind, credential):
    header, key = opened(content, kind, credential)

    def shelf_key(identifier):
        return derive(key, header[8:40], b"shelf" + identifier)

    found = parts(content, kind, credential)
    return [record for part in found for record in records(part, shelf_key, header[-32:])]


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        json.dump(read(file.read(), 2 if "--recovery" in sys.argv else 1, sys.stdin.buffer.read()), sys.stdout)
