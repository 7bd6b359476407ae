"""Everything a key can do, both ways between the product and others: PyPI's cryptography, and the command openssl.

usage: keys_test.py PATH-OF-key-user [--long]: with --long the large keys, whose making takes minutes
"""

import os
import subprocess
import sys
import tempfile
from patience import PATIENCE
from cryptography.hazmat.primitives import serialization
from asymmetric import (
    CURVES,
    EC,
    ED25519,
    HASHES,
    RSA,
    X25519,
    Mismatch,
    decrypt,
    encrypt,
    exchange,
    make,
    point,
    read_private,
    read_public,
    sign,
    signature_parts,
    verify,
    write_private,
    write_public,
)

SHA = ["SHA1", "SHA224", "SHA256", "SHA384", "SHA512"]
SALTS = {"SHA1": 20, "SHA224": 24, "SHA256": 32, "SHA384": 48, "SHA512": 64}
checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit("FAILED: " + what)


class Product:
    """The product, asked line by line."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        texts = [w.hex() or "-" if isinstance(w, bytes) else str(w) for w in words]
        self.process.stdin.write(" ".join(texts) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def bytes(self, *words):
        answer = self.ask(*words)
        if answer == "-":
            return b""
        try:
            return bytes.fromhex(answer)
        except ValueError:
            sys.exit(f"FAILED: {words[0]} {words[3]} answered {answer}")

    def end(self):
        self.process.stdin.close()
        check(self.process.wait() == 0, "key-user ended with an error")


def signatures(kind):
    """Every algorithm for signatures with keys of a kind, and the input it is given."""
    if kind == ED25519:
        return ["algid:sign:EdDSA:message-Curve25519:SHA512"]
    if kind == RSA:
        names = ["raw", "digest-PKCS1v15"]
        for h in ["MD5"] + SHA:
            names += [f"digest-PKCS1v15:{h}", f"message-PKCS1v15:{h}"]
        for h in SHA:
            names += [f"digest-PSS:{h}:{h}:{SALTS[h]}", f"message-PSS:{h}:{h}:{SALTS[h]}"]
        return ["algid:sign:RSA:" + n for n in names]
    names = ["RFC4754", "digest-X962", "digest-RFC4754"]
    for form in ["X962", "RFC4754"]:
        for h in SHA:
            names += [f"digest-{form}:{h}", f"message-{form}:{h}"]
    return ["algid:sign:ECDSA:" + n for n in names]


def encryptions(kind):
    if kind == RSA:
        names = ["raw", "PKCS1"] + ["OAEP:" + h for h in SHA] + [f"OAEP:{h}:AESGCM" for h in SHA]
        return ["algid:encrypt:RSA:" + n for n in names]
    names = []
    for group in ["ECDH", "ECDHC"]:
        names += [f"{group}:KDFX963:{h}:AESGCM" for h in SHA] + [f"{group}:KDFX963:{h}:AESGCM-KDFIV" for h in SHA[1:]]
    return ["algid:encrypt:ECIES:" + n for n in names]


def exchanges(kind):
    names = []
    for group in ["ECDH", "ECDHC"] if kind == EC else ["ECDH"]:
        names += [group] + [f"{group}:KDFX963:{h}" for h in SHA]
    return ["algid:keyexchange:" + n for n in names]


def signed_input(algorithm, key):
    what, scheme, hash_ = signature_parts(algorithm)
    if what == "raw":
        return b"\0" + os.urandom((key.key_size + 7) // 8 - 1)
    if what == "message" or hash_ is None and ":EdDSA:" in algorithm:
        return os.urandom(1 + os.urandom(1)[0])
    return os.urandom(hash_().digest_size if hash_ else 32)


def check_signatures(product, kind, key, private, public):
    for algorithm in signatures(kind):
        data = signed_input(algorithm, key)
        try:
            verify(key.public_key(), algorithm, data, product.bytes("sign", kind, private, algorithm, data))
            check(True, algorithm)
        except Mismatch:
            check(False, f"{algorithm}: the product's signature")
        made = sign(key, algorithm, data)
        check(product.ask("verify", kind, public, algorithm, data, made) == "yes", f"{algorithm}: others' signature")
        changed = made[:-1] + bytes([made[-1] ^ 1])
        check(product.ask("verify", kind, public, algorithm, data, changed) == "-67808", f"{algorithm}: a changed one")


def check_encryption(product, kind, key, private, public):
    for algorithm in encryptions(kind):
        for size in [1, 17] if "AESGCM" not in algorithm else [0, 1, 16, 1000]:
            data = os.urandom(size)
            if algorithm.endswith(":RSA:raw"):
                data = b"\0" + os.urandom((key.key_size + 7) // 8 - 1)
            made = product.bytes("encrypt", kind, public, algorithm, data)
            try:
                check(decrypt(key, algorithm, made) == data, f"{algorithm}: the product's ciphertext")
            except Mismatch:
                check(False, f"{algorithm}: the product's ciphertext")
            theirs = encrypt(key.public_key(), algorithm, data)
            # Without padding the zeros before the data are those of the block, and are left out.
            plain = data.lstrip(b"\0") if algorithm.endswith(":RSA:raw") else data
            check(
                product.bytes("decrypt", kind, private, algorithm, theirs) == plain, f"{algorithm}: others' ciphertext"
            )


def check_exchange(product, kind, bits, key, private):
    peer = make(kind, bits)
    for algorithm in exchanges(kind):
        derives = "KDF" in algorithm
        for size, info in [(16, b""), (33, b"info"), (1000, os.urandom(100))] if derives else [("-", b"")]:
            ours = product.bytes("exchange", kind, private, algorithm, write_public(peer.public_key()), size, info)
            check(ours == exchange(peer, algorithm, key.public_key(), size, info), f"{algorithm}: the shared secret")


def check_key(product, kind, bits, key, private, public):
    if kind != X25519:
        check_signatures(product, kind, key, private, public)
    if kind in (RSA, EC):
        check_encryption(product, kind, key, private, public)
    if kind in (EC, X25519):
        check_exchange(product, kind, bits, key, private)


def openssl(*words, data=None):
    """The command's output; nothing when it fails."""
    done = subprocess.run(["openssl", *words], input=data, capture_output=True, timeout=PATIENCE)
    return done.stdout if done.returncode == 0 else None


def check_command(product, kind, bits, key, private, public, folder):
    """The same with the command openssl, whose keys are PEM."""
    name = lambda file: os.path.join(folder, file)

    def write(file, content):
        with open(name(file), "wb") as stream:
            stream.write(content)
        return name(file)

    pem = write(
        "private",
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    public_pem = write(
        "public",
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
    )
    data = write("data", os.urandom(100))
    content = open(data, "rb").read()

    def both_ways(algorithm, *options):
        signature = write("signature", product.bytes("sign", kind, private, algorithm, content))
        check(
            openssl("dgst", "-verify", public_pem, "-signature", signature, *options, data) is not None,
            f"openssl verifies {algorithm}",
        )
        made = openssl("dgst", "-sign", pem, *options, data)
        check(product.ask("verify", kind, public, algorithm, content, made) == "yes", f"openssl signs {algorithm}")

    def both_ways_encrypted(algorithm, *options):
        secret = os.urandom(20)
        made = product.bytes("encrypt", kind, public, algorithm, secret)
        check(
            openssl("pkeyutl", "-decrypt", "-inkey", pem, *options, data=made) == secret,
            f"openssl decrypts {algorithm}",
        )
        made = openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", public_pem, *options, data=secret)
        check(product.bytes("decrypt", kind, private, algorithm, made) == secret, f"openssl encrypts {algorithm}")

    def options(**pairs):
        return [word for key, value in pairs.items() for word in ("-pkeyopt", f"{key}:{value}")]

    if kind == EC:
        for h in SHA:
            both_ways(f"algid:sign:ECDSA:message-X962:{h}", "-" + h.lower())
    if kind == RSA:
        for h in SHA:
            both_ways(f"algid:sign:RSA:message-PKCS1v15:{h}", "-" + h.lower())
            both_ways(
                f"algid:sign:RSA:message-PSS:{h}:{h}:{SALTS[h]}",
                "-" + h.lower(),
                "-sigopt",
                "rsa_padding_mode:pss",
                "-sigopt",
                "rsa_pss_saltlen:digest",
                "-sigopt",
                "rsa_mgf1_md:" + h.lower(),
            )
            both_ways_encrypted(
                f"algid:encrypt:RSA:OAEP:{h}",
                *options(rsa_padding_mode="oaep", rsa_oaep_md=h.lower(), rsa_mgf1_md=h.lower()),
            )
        both_ways_encrypted("algid:encrypt:RSA:PKCS1", *options(rsa_padding_mode="pkcs1"))
    if kind == ED25519:
        algorithm = signatures(kind)[0]
        signature = write("signature", product.bytes("sign", kind, private, algorithm, content))
        check(
            openssl("pkeyutl", "-verify", "-pubin", "-inkey", public_pem, "-rawin", "-in", data, "-sigfile", signature)
            is not None,
            f"openssl verifies {algorithm}",
        )
        made = openssl("pkeyutl", "-sign", "-inkey", pem, "-rawin", "-in", data)
        check(product.ask("verify", kind, public, algorithm, content, made) == "yes", f"openssl signs {algorithm}")
    if kind in (EC, X25519):
        made = product.ask("make", kind, bits).split()
        peer = write(
            "peer",
            read_public(kind, bytes.fromhex(made[1])).public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            ),
        )
        derived = openssl("pkeyutl", "-derive", "-inkey", pem, "-peerkey", peer)
        ours = product.bytes("exchange", kind, made[0], "algid:keyexchange:ECDH", public, "-", b"")
        check(ours == derived, f"openssl derives what the product does ({bits} bits)")


def main():
    product = Product(sys.argv[1])
    sizes = [(RSA, 2048), (ED25519, 256), (X25519, 256)] + [(EC, bits) for bits in CURVES]
    if "--long" in sys.argv:
        sizes = [(RSA, 3072), (RSA, 4096)]
    with tempfile.TemporaryDirectory() as folder:
        for kind, bits in sizes:
            key = make(kind, bits)
            private, public = write_private(key), write_public(key.public_key())
            check_key(product, kind, bits, key, private, public)
            check_command(product, kind, bits, key, private, public, folder)
            # And with a key that the product made.
            private, public = (bytes.fromhex(text) for text in product.ask("make", kind, bits).split())
            key = read_private(kind, private)
            check(write_private(key) == private, "the product's private key is written as others write it")
            check(write_public(key.public_key()) == public, "the product's public key is written as others write it")
            check_key(product, kind, bits, key, private, public)
            check_command(product, kind, bits, key, private, public, folder)
    product.end()
    print(f"{checks} checks with {len(sizes)} kinds and sizes of keys")


main()
