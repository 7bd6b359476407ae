"""NSS's tools make identities and certificates for the keychain, and read what it exports.

usage: nss_test.py FOLDER-OF-PROGRAMS
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from patience import PATIENCE

from pki_parts import Keychain, clear, expect, openssl

KINDS = {"rsa": ["-k", "rsa", "-g", "2048"], "ec": ["-k", "ec", "-q", "nistp256"]}


class Database:
    """A certificate database of NSS's."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        (folder / "noise").write_bytes(bytes(range(256)))
        self.certutil("-N", "--empty-password")

    def run(self, *words):
        done = subprocess.run([*map(str, words), "-d", f"sql:{self.folder}"], capture_output=True, timeout=PATIENCE)
        expect(done.returncode == 0, f"{words} gave {done.returncode}: {done.stdout} {done.stderr}")
        return done.stdout.decode()

    def certutil(self, *words):
        return self.run("certutil", *words)

    def pk12util(self, *words):
        return self.run("pk12util", *words)

    def make(self, name, kind):
        """An identity that is its own issuer."""
        self.certutil("-S", "-n", name, "-s", f"CN={name}", "-x", "-t", "u,u,u", "-m", "7", "-v", "12",
                      "-z", self.folder / "noise", *KINDS[kind])  # fmt: skip

    def certificate(self, name):
        return self.certutil("-L", "-n", name, "-a")


def identities(keychain, folder):
    """An identity of NSS's is imported, and its export is the same identity to NSS."""
    for kind in KINDS:
        theirs, ours = Database(folder / f"theirs-{kind}"), Database(folder / f"ours-{kind}")
        theirs.make(f"NSS {kind}", kind)
        archive, back = folder / f"{kind}.p12", folder / f"{kind}-back.p12"
        theirs.pk12util("-o", archive, "-n", f"NSS {kind}", "-W", "geheim ä")
        keychain.says("import", archive, "-P", "geheim ä", out="1 identity imported.\n")
        keychain.output("export", "-t", "identities", "-f", "pkcs12", "-P", "zurück", "-o", back)
        ours.pk12util("-i", back, "-W", "zurück")
        [name] = [line.rsplit(None, 1)[0].strip() for line in ours.certutil("-L").splitlines() if "u,u,u" in line]
        expect(ours.certificate(name) == theirs.certificate(f"NSS {kind}"), f"{kind}: the same certificate")
        keys = [re.findall(r"^< *0> +\w+ +([0-9a-f]{40})", base.certutil("-K"), re.M) for base in (theirs, ours)]
        expect(keys[0] == keys[1] and len(keys[0]) == 1, f"{kind}: the same key, {keys}")
        clear(keychain)


def ciphers(keychain, folder):
    """Each cipher with which NSS wraps a PKCS #12 file is read, those of old too."""
    database = Database(folder / "wrapping")
    database.make("ciphers", "rsa")
    for cipher in ("AES-128-CBC", "AES-256-CBC", "DES-EDE3-CBC", "PKCS #12 V2 PBE With SHA-1 And 3KEY Triple DES-CBC"):
        archive = folder / "cipher.p12"
        database.pk12util("-o", archive, "-n", "ciphers", "-W", "x", "-c", cipher)
        keychain.says("import", archive, "-P", "x", out="1 identity imported.\n")
        clear(keychain)


def certificates(keychain, folder):
    """A certificate of NSS's goes in as PEM, and comes out as NSS takes it."""
    theirs, ours = Database(folder / "authority"), Database(folder / "authority-back")
    theirs.make("Our CA", "rsa")
    pem, back = folder / "ca.pem", folder / "ca-back.pem"
    pem.write_text(theirs.certificate("Our CA"), encoding="ascii")
    keychain.says("import", pem, out="1 certificate imported.\n")
    keychain.output("export", "-t", "certs", "-f", "pemseq", "-o", back)
    ours.certutil("-A", "-n", "back", "-t", "C,,", "-i", back)
    expect(ours.certificate("back") == theirs.certificate("Our CA"), "the same certificate")
    expect(openssl("x509", "-in", back, "-noout", "-subject") == b"subject=CN = Our CA\n", "openssl reads it")
    clear(keychain)


def main(programs):
    with tempfile.TemporaryDirectory(prefix="nss-") as folder:
        for test in (identities, ciphers, certificates):
            keychain = Keychain(programs, f"{folder}/{test.__name__}")
            try:
                test(keychain, pathlib.Path(folder))
            finally:
                keychain.end()
            print(f"ok: {test.__doc__.splitlines()[0]}")


main(str(pathlib.Path(sys.argv[1]).resolve()))
