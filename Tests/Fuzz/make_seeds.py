#!/usr/bin/env python3
"""Makes what the fuzz targets begin with.

The tests' certificates, keys and PKCS#12 files, and some that only fuzzing needs.

Usage: make_seeds.py FIXTURES CORPORA

FIXTURES is a folder that make_certificates.py has filled; each target's files go to CORPORA/TARGET/corpus.
"""

import base64
import hashlib
import pathlib
import struct
import subprocess
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519

fixtures, corpora = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
# What fuzz-key's first byte says: the type in two bits, below two bits for the format.
TYPES = [rsa.RSAPrivateKey, ec.EllipticCurvePrivateKey, ed25519.Ed25519PrivateKey, x25519.X25519PrivateKey]
PUBLIC, PRIVATE, SUBJECT_PUBLIC_KEY_INFO, PRIVATE_KEY_INFO = 0, 4, 8, 12


def openssl(*words):
    return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True).stdout


def seed(target, name, content):
    folder = corpora / target / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def external(key):
    """A private and a public key as Apple's external representations, from PKCS#8 (rule keys.form.external)."""
    raw, none = serialization.Encoding.Raw, serialization.NoEncryption()
    public = key.public_key()
    if isinstance(key, rsa.RSAPrivateKey):
        return (
            key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, none),
            public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1),
        )
    if isinstance(key, ec.EllipticCurvePrivateKey):
        point = public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return point + key.private_numbers().private_value.to_bytes((key.key_size + 7) // 8, "big"), point
    return (
        key.private_bytes(raw, serialization.PrivateFormat.Raw, none),
        public.public_bytes(raw, serialization.PublicFormat.Raw),
    )


def seed_key(name, encoded):
    key = serialization.load_der_private_key(encoded, None)
    number = next(index for index, kind in enumerate(TYPES) if isinstance(key, kind))
    private, public = external(key)
    seed("fuzz-key", f"{name}.private", bytes([PRIVATE | number]) + private)
    seed("fuzz-key", f"{name}.public", bytes([PUBLIC | number]) + public)


for file in sorted(fixtures.glob("*.der")):
    seed("fuzz-der", file.name, file.read_bytes())
    seed("fuzz-certificate", file.name, file.read_bytes())
for file in sorted(fixtures.glob("*.pem")):
    seed("fuzz-der", file.name, file.read_bytes())
# One key of each type and size is enough: most of the fixtures' are on P-256.
for label in ["server", "server-weakkey", "key-rsa", "key-p384", "key-p521", "key-ed25519"]:
    file = fixtures / f"{label}.key"
    encoded = file.read_bytes()
    seed("fuzz-der", file.name, encoded)
    seed("fuzz-key", f"{file.stem}.pkcs8", bytes([PRIVATE_KEY_INFO]) + encoded)
    spki = openssl("pkey", "-inform", "DER", "-in", file, "-pubout", "-outform", "DER")
    seed("fuzz-key", f"{file.stem}.spki", bytes([SUBJECT_PUBLIC_KEY_INFO]) + spki)
    seed_key(file.stem, encoded)

# Keys that are not used here, and spellings that are not taken, come to the same reader.
x25519_key = openssl("genpkey", "-algorithm", "X25519", "-outform", "DER")
seed("fuzz-key", "x25519.pkcs8", bytes([PRIVATE_KEY_INFO]) + x25519_key)
seed_key("x25519", x25519_key)
others = {
    "ed448": ["-algorithm", "ED448"],
    "pss": ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:1024"],
    "dh": ["-algorithm", "DH", "-pkeyopt", "group:ffdhe2048"],
    "k256": ["-algorithm", "EC", "-pkeyopt", "group:secp256k1"],
    "explicit": ["-algorithm", "EC", "-pkeyopt", "group:P-256", "-pkeyopt", "ec_param_enc:explicit"],
    "binary": ["-algorithm", "EC", "-pkeyopt", "group:sect163k1"],
}
parameters = fixtures / "dsa.parameters"
parameters.write_bytes(openssl("genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:1024"))
others["dsa"] = ["-paramfile", parameters]
for name, words in others.items():
    encoded = openssl("genpkey", *words, "-outform", "DER")
    seed("fuzz-key", f"{name}.pkcs8", bytes([PRIVATE_KEY_INFO]) + encoded)
    # An RSA key is also looked for where there is another.
    seed("fuzz-key", f"{name}.private", bytes([PRIVATE]) + encoded)
    (fixtures / f"{name}.other").write_bytes(encoded)
    spki = subprocess.run(
        ["openssl", "pkey", "-inform", "DER", "-in", fixtures / f"{name}.other", "-pubout", "-outform", "DER"],
        check=True,
        capture_output=True,
    ).stdout
    seed("fuzz-key", f"{name}.spki", bytes([SUBJECT_PUBLIC_KEY_INFO]) + spki)

# Files that take long to open are slow to fuzz; files without an authentication code and ciphers can be altered inside.
for file in sorted(fixtures.glob("*.p12")):
    if file.stem != "hundredthousand":
        seed("fuzz-pkcs12", file.name, file.read_bytes())
for identity in ["server", "key-rsa", "key-p521", "key-ed25519"]:
    for kind in ("der", "key"):
        command = ["x509", "-inform", "DER"] if kind == "der" else ["pkey", "-inform", "DER"]
        openssl(*command, "-in", fixtures / f"{identity}.{kind}", "-out", fixtures / f"{identity}.{kind}.pem")
    export = [
        "pkcs12",
        "-export",
        "-in",
        fixtures / f"{identity}.der.pem",
        "-inkey",
        fixtures / f"{identity}.key.pem",
        "-name",
        "a name",
        "-passout",
        "pass:secret",
        "-nomac",
        "-iter",
        "1",
    ]
    seed("fuzz-pkcs12", f"open-{identity}.p12", openssl(*export, "-keypbe", "NONE", "-certpbe", "NONE"))
    seed("fuzz-pkcs12", f"shrouded-{identity}.p12", openssl(*export, "-certpbe", "NONE"))

# Signed executables, made from docs/formats/signature.md: of both orders of bytes and both sizes of addresses.
PLIST = b"""<?xml version="1.0"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://x">
<plist version="1.0"><dict>
<key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)a</string><string>com.apple.token</string></array>
<key>keychain-requires-anchor</key><true/><key>n</key><integer>-1</integer><key>d</key><data>AAEC</data>
<key>e</key><dict/>
</dict></plist>"""


def run(content):
    return struct.pack("<I", len(content)) + content


def signed_executable(order, wide, chained):
    first, second = ed25519.Ed25519PrivateKey.generate(), ed25519.Ed25519PrivateKey.generate()
    keys = [b"\1" + run(key.public_key().public_bytes_raw()) for key in (first, second)]
    statements = b""
    if chained:
        digest = hashlib.sha256(b"swift-keychain team v1\0\1" + keys[0][5:]).digest()
        said = b"\1\1" + base64.b32encode(digest)[:20] + struct.pack("<QB", 1, 0) + keys[0] + keys[1]
        statements = run(said + first.sign(b"swift-keychain team statement v1\0" + said))
    header, row = (64, 56) if wide else (52, 32)
    code = b"\x90" * 64
    form = "16sHHIQQQIHHHHHH" if wide else "16sHHIIIIIHHHHHH"
    kind = b"\x7fELF" + bytes([1 + wide, 1 + (order == ">"), 1]) + bytes(9)
    note_at = header + row + len(code)
    names = b"\0.shstrtab\0.note.keychain\0"

    def head(table, count, index):
        return struct.pack(
            order + form,
            kind,
            2,
            62,
            1,
            0x1000,
            header,
            table,
            0,
            header,
            row,
            1,
            (64 if wide else 40) if table else 0,
            count,
            index,
        )

    segment = (
        struct.pack(order + "IIQQQQQQ", 1, 5, header + row, 4096, 4096, len(code), len(code), 4096)
        if wide
        else struct.pack(order + "8I", 1, header + row, 4096, 4096, len(code), len(code), 5, 4096)
    )
    digest = hashlib.sha256(b"swift-keychain code digest v1\0" + head(0, 0, 0) + segment + code).digest()
    key = second if chained else first
    desc = b"\1" + keys[chained] + run(b"com.example.app") + run(PLIST) + bytes([chained]) + statements + digest
    desc += key.sign(b"swift-keychain code signature v1\0" + desc)
    note = struct.pack(order + "III", 9, len(desc), 1) + b"keychain" + bytes(4) + desc + bytes(-len(desc) % 4)
    sections = [
        (0,) * 10,
        (1, 3, 0, 0, note_at + len(note), len(names), 0, 0, 1, 0),
        (11, 7, 0, 0, note_at, len(note), 0, 0, 4, 0),
    ]
    table = b"".join(struct.pack(order + ("IIQQQQIIQQ" if wide else "10I"), *section) for section in sections)
    return head(note_at + len(note) + len(names), 3, 1) + segment + code + note + names + table


for number, (order, wide) in enumerate([("<", True), ("<", False), (">", True), (">", False)]):
    for chained in (0, 1):
        seed("fuzz-executable", f"signed-{number}-{chained}", signed_executable(order, wide, chained))
seed("fuzz-entitlements", "plist", PLIST.replace(b"$(AppIdentifierPrefix)", b"g."))
seed("fuzz-entitlements", "empty", b'<plist version="1.0"><dict/></plist>')
