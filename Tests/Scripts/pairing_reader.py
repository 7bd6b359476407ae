"""Reads and makes the messages of a pairing without the keychain's code: written from docs/formats/sync.md, section 11,
and RFC 9382 alone. Its arithmetic is slow and tells its timing: it is for tests."""

import hashlib
import hmac
import struct

from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FIELD = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
CURVE_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
GENERATOR = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
PAIR = b"keychain sync 1: pair"


def add(one, other):
    """The sum of two points; None is infinity."""
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if (one[1] + other[1]) % FIELD == 0:
            return None
        slope = 3 * (one[0] ** 2 - 1) * pow(2 * one[1], -1, FIELD)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, FIELD)
    x = (slope * slope - one[0] - other[0]) % FIELD
    return x, (slope * (one[0] - x) - one[1]) % FIELD


def times(number, point):
    result = None
    for bit in bin(number % ORDER)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def compressed(digits):
    data = bytes.fromhex(digits)
    x = int.from_bytes(data[1:], "big")
    y = pow(x**3 - 3 * x + CURVE_B, (FIELD + 1) // 4, FIELD)
    return x, y if y & 1 == data[0] & 1 else FIELD - y


M = compressed("02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f")
N = compressed("03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49")


def write(point):
    return b"\x04" + point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def read(data):
    x, y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
    if len(data) != 65 or data[0] != 4 or (y * y - x**3 + 3 * x - CURVE_B) % FIELD:
        raise ValueError("no point")
    return x, y


def derive(key, salt, info, count):
    return HKDF(SHA256(), count, salt, info).derive(key)


def share(is_first, number, password):
    return write(add(times(number, GENERATOR), times(password, M if is_first else N)))


class Keys:
    """What the sides of SPAKE2 have in common, as the first side computes it."""

    def __init__(self, number, password, names, second_share, associated=b""):
        first_share = share(True, number, password)
        secret = times(number, add(read(second_share), times(ORDER - password, N)))
        parts = [*names, first_share, second_share, write(secret), password.to_bytes(32, "big")]
        transcript = b"".join(struct.pack("<Q", len(part)) + part for part in parts)
        digest = hashlib.sha256(transcript).digest()
        self.shared, self.confirming = digest[:16], digest[16:]
        macs = derive(self.confirming, None, b"ConfirmationKeys" + associated, 32)
        self.first, self.second = (hmac.digest(key, transcript, "sha256") for key in (macs[:16], macs[16:]))


def password_of(digits, session):
    return int.from_bytes(derive(digits.encode(), session, b"keychain sync 1: digits", 40), "big") % ORDER


# The versions of the formats that a machine reads.
VERSIONS = (1, 2)


def head(session, number, versions=VERSIONS):
    return b"KCJ1" + session + bytes([number, 0]) + struct.pack("<HH", *versions)


def keys_of(digits, session, number, second_share, member=VERSIONS, newcomer=VERSIONS):
    """The keys of a pairing, of the member whose secret number this is."""
    associated = PAIR + session + struct.pack("<HHHH", *member, *newcomer)
    names = (b"member", b"newcomer")
    return Keys(number, password_of(digits, session), names, second_share, associated)


def box_key(shared, place):
    return derive(shared, place[4:20], PAIR + place, 32)


def seal(shared, place, nonce, content):
    return nonce + AESGCM(box_key(shared, place)).encrypt(nonce, content, b"")


def open_box(shared, place, box):
    return AESGCM(box_key(shared, place)).decrypt(box[:12], box[12:], b"")


def signed(session, number, circle, member, keys, name, versions=VERSIONS):
    place = session + bytes([number]) + struct.pack("<HH", *versions)
    return PAIR + place + circle + member + keys + struct.pack("<I", len(name)) + name


def has_signed(key, signature, data):
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key)
    numbers = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
    public.verify(utils.encode_dss_signature(*numbers), data, ec.ECDSA(SHA256()))
