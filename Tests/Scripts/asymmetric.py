"""Apple's algorithms for key pairs, written from rule keys.algorithm.table with the primitives of PyPI's cryptography.

Nothing here looks at the product. Keys are in Apple's external representations; an algorithm is its identifier.
"""

import os
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF

RSA, EC, ED25519, X25519 = "42", "73", "105", "106"
CURVES = {256: ec.SECP256R1(), 384: ec.SECP384R1(), 521: ec.SECP521R1()}
HASHES = {name: getattr(hashes, name) for name in ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"]}
ZEROS = bytes(16)


class Mismatch(Exception):
    """A signature, tag or padding is wrong."""


def field(key):
    return (key.curve.key_size + 7) // 8


def point(public):
    return public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def make(kind, bits):
    if kind == RSA:
        return rsa.generate_private_key(65537, bits)
    if kind == EC:
        return ec.generate_private_key(CURVES[bits])
    return (ed25519.Ed25519PrivateKey if kind == ED25519 else x25519.X25519PrivateKey).generate()


def write_public(key):
    if isinstance(key, rsa.RSAPublicKey):
        return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
    if isinstance(key, ec.EllipticCurvePublicKey):
        return point(key)
    return key.public_bytes_raw()


def write_private(key):
    if isinstance(key, rsa.RSAPrivateKey):
        return key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return point(key.public_key()) + key.private_numbers().private_value.to_bytes(field(key), "big")
    return key.private_bytes_raw()


def read_public(kind, data):
    if kind == RSA:
        # PKCS #1 inside a SubjectPublicKeyInfo, which is what the library reads.
        bits = b"\0" + data
        return serialization.load_der_public_key(
            der(0x30, bytes.fromhex("300d06092a864886f70d0101010500") + der(3, bits))
        )
    if kind == EC:
        size = (len(data) - 1) // 2
        curve = next(c for c in CURVES.values() if (c.key_size + 7) // 8 == size)
        return ec.EllipticCurvePublicKey.from_encoded_point(curve, data)
    return (ed25519.Ed25519PublicKey if kind == ED25519 else x25519.X25519PublicKey).from_public_bytes(data)


def read_private(kind, data):
    if kind == RSA:
        return serialization.load_der_private_key(data, None)
    if kind == EC:
        size = (len(data) - 1) // 3
        curve = next(c for c in CURVES.values() if (c.key_size + 7) // 8 == size)
        key = ec.derive_private_key(int.from_bytes(data[1 + 2 * size :], "big"), curve)
        assert point(key.public_key()) == data[: 1 + 2 * size], "the private number does not belong to the point"
        return key
    return (ed25519.Ed25519PrivateKey if kind == ED25519 else x25519.X25519PrivateKey).from_private_bytes(data)


def der(tag, content):
    count = len(content)
    length = (
        bytes([count]) if count < 128 else bytes([0x81, count]) if count < 256 else b"\x82" + count.to_bytes(2, "big")
    )
    return bytes([tag]) + length + content


# Signatures ------------------------------------------------------------------------------------------------------


def signature_parts(algorithm):
    """What is signed (raw, digest, message), the scheme and the hash, or None."""
    words = algorithm.split(":")[3:]
    what, _, scheme = words[0].partition("-")
    return what, scheme, HASHES.get(words[1]) if len(words) > 1 else None


def prepared(what, hash_, data):
    """The hash object that the library wants, for a message or a digest."""
    return hash_() if what == "message" else utils.Prehashed(hash_())


def rsa_block(public, what, scheme, data):
    """The block of RSA without a hash: as it is, or PKCS #1 v1.5 padding of type 1."""
    size = (public.key_size + 7) // 8
    if what == "raw":
        return data
    return b"\0\1" + b"\xff" * (size - 3 - len(data)) + b"\0" + data


def sign(key, algorithm, data):
    what, scheme, hash_ = signature_parts(algorithm)
    if ":EdDSA:" in algorithm:
        return key.sign(data)
    if ":RSA:" in algorithm:
        if hash_ is None:
            numbers = key.private_numbers()
            block = int.from_bytes(rsa_block(key.public_key(), what, scheme, data), "big")
            return pow(block, numbers.d, numbers.public_numbers.n).to_bytes((key.key_size + 7) // 8, "big")
        pad = padding.PSS(padding.MGF1(hash_()), hash_().digest_size) if scheme == "PSS" else padding.PKCS1v15()
        return key.sign(data, pad, prepared(what, hash_, data))
    der_signature = key.sign(data, ec.ECDSA(curve_hash(what, hash_, data)))
    if "RFC4754" not in algorithm:
        return der_signature
    r, s = utils.decode_dss_signature(der_signature)
    return r.to_bytes(field(key), "big") + s.to_bytes(field(key), "big")


def verify(key, algorithm, data, signature):
    what, scheme, hash_ = signature_parts(algorithm)
    try:
        if ":EdDSA:" in algorithm:
            key.verify(signature, data)
        elif ":RSA:" in algorithm and hash_ is None:
            numbers = key.public_numbers()
            block = pow(int.from_bytes(signature, "big"), numbers.e, numbers.n).to_bytes((key.key_size + 7) // 8, "big")
            if block != rsa_block(key, what, scheme, data):
                raise Mismatch
        elif ":RSA:" in algorithm:
            pad = padding.PSS(padding.MGF1(hash_()), hash_().digest_size) if scheme == "PSS" else padding.PKCS1v15()
            key.verify(signature, data, pad, prepared(what, hash_, data))
        else:
            if "RFC4754" in algorithm:
                size = field(key)
                assert len(signature) == 2 * size
                signature = utils.encode_dss_signature(
                    int.from_bytes(signature[:size], "big"), int.from_bytes(signature[size:], "big")
                )
            key.verify(signature, data, ec.ECDSA(curve_hash(what, hash_, data)))
    except InvalidSignature as error:
        raise Mismatch from error


def curve_hash(what, hash_, data):
    """A digest of any hash is taken for one of the hash of its length."""
    if hash_ is None:
        hash_ = next(h for h in HASHES.values() if h.digest_size == len(data) and h is not hashes.MD5)
        return utils.Prehashed(hash_())
    return prepared(what, hash_, data)


# Encryption ------------------------------------------------------------------------------------------------------


def oaep(name):
    return padding.OAEP(padding.MGF1(HASHES[name]()), HASHES[name](), None)


def encrypt(public, algorithm, data):
    words = algorithm.split(":")[2:]
    if words[0] == "ECIES":
        ephemeral = ec.generate_private_key(public.curve)
        own = point(ephemeral.public_key())
        key, iv = ecies_key(words, public.curve, ephemeral.exchange(ec.ECDH(), public), own)
        return own + AESGCM(key).encrypt(iv, data, None)
    size = (public.key_size + 7) // 8
    if words[1] == "raw":
        numbers = public.public_numbers()
        return pow(int.from_bytes(data, "big"), numbers.e, numbers.n).to_bytes(size, "big")
    if words[1] == "PKCS1":
        return public.encrypt(data, padding.PKCS1v15())
    if words[-1] != "AESGCM":
        return public.encrypt(data, oaep(words[2]))
    key = os.urandom(32 if public.key_size >= 4096 else 16)
    return public.encrypt(key, oaep(words[2])) + AESGCM(key).encrypt(ZEROS, data, write_public(public))


def decrypt(private, algorithm, data):
    words = algorithm.split(":")[2:]
    try:
        if words[0] == "ECIES":
            size = 1 + 2 * field(private)
            peer = ec.EllipticCurvePublicKey.from_encoded_point(private.curve, data[:size])
            key, iv = ecies_key(words, private.curve, private.exchange(ec.ECDH(), peer), data[:size])
            return AESGCM(key).decrypt(iv, data[size:], None)
        size = (private.key_size + 7) // 8
        if words[1] == "raw":
            numbers = private.private_numbers()
            return pow(int.from_bytes(data, "big"), numbers.d, numbers.public_numbers.n).to_bytes(size, "big")
        if words[1] == "PKCS1":
            return private.decrypt(data, padding.PKCS1v15())
        if words[-1] != "AESGCM":
            return private.decrypt(data, oaep(words[2]))
        key = private.decrypt(data[:size], oaep(words[2]))
        assert len(key) == (32 if private.key_size >= 4096 else 16), "the wrapped key has another size"
        return AESGCM(key).decrypt(ZEROS, data[size:], write_public(private.public_key()))
    except (InvalidTag, ValueError) as error:
        raise Mismatch from error


def ecies_key(words, curve, shared, ephemeral):
    size = 16 if curve.key_size <= 256 else 32
    derives = words[-1] == "AESGCM-KDFIV"
    made = X963KDF(HASHES[words[3]](), size + (16 if derives else 0), ephemeral).derive(shared)
    return made[:size], made[size:] if derives else ZEROS


# Exchange --------------------------------------------------------------------------------------------------------


def exchange(private, algorithm, peer, size, info):
    words = algorithm.split(":")[2:]
    shared = (
        private.exchange(ec.ECDH(), peer) if isinstance(private, ec.EllipticCurvePrivateKey) else private.exchange(peer)
    )
    if len(words) == 1:
        return shared
    return X963KDF(HASHES[words[2]](), size, info or None).derive(shared)
