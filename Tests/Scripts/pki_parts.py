"""A keychain of a test of certificates, and files that openssl and ssh-keygen have made."""

import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys

from kill_test import daemon_of, environment
from patience import PATIENCE

PASSPHRASE = "p12 pass"


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


class Keychain:
    """The command with a keychain of its own. What it writes is macOS's alone, unless more is asked for."""

    def __init__(self, programs, home):
        self.programs, self.home = programs, home
        settings = {"KEYCHAIN_MACOS_COMPAT": "1", "KEYCHAIN_TPM": "none", "KEYCHAIN_TIMEOUT": "60000"}
        self.environment = environment(home, "daemon", programs) | settings

    def run(self, *words, stdin=b"", **options):
        return subprocess.run(
            [f"{self.programs}/security", *map(str, words)],
            env=self.environment | options.pop("env", {}),
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            **options,
        )

    def says(self, *words, out="", err="", status=0, **options):
        """Runs the command and compares everything that it writes."""
        done = self.run(*words, **options)
        got = (done.stdout.decode(), done.stderr.decode(), done.returncode)
        expect(got == (out, err, status), f"{words} gave {got}, not {(out, err, status)}")

    def output(self, *words, status=0, **options):
        done = self.run(*words, **options)
        expect(done.returncode == status, f"{words} gave {done.returncode}: {done.stdout} {done.stderr}")
        return done.stdout

    def count(self, *words):
        return self.output("find-certificate", "-a", *words).decode().count("keychain: ")

    def end(self):
        daemon = daemon_of(self.home)
        if daemon:
            ended = os.pidfd_open(daemon)
            os.kill(daemon, signal.SIGTERM)
            select.select([ended], [], [], PATIENCE)
            os.close(ended)

    def keys(self):
        return self.run("find-key").stdout.decode().count("keychain: ")


def openssl(*words, **options):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, **options)
    expect(done.returncode == 0, f"openssl {words}: {done.stderr}")
    return done.stdout


class Files:
    """An authority, a certificate for code signing with its key, and files that hold them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        ca, key = self / "ca.pem", self / "ca.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", ca, "-days", "3650",
                "-subj", "/CN=Example CA", "-addext", "basicConstraints=critical,CA:TRUE",
                "-addext", "keyUsage=critical,keyCertSign")  # fmt: skip
        self.leaf("leaf", "/CN=Apple Distribution: Example (ABCDE12345)/O=Example/C=DE", "codeSigning")
        for name, more in (("c", []), ("c-legacy", ["-legacy"])):
            openssl("pkcs12", "-export", *more, "-inkey", self / "leaf.key", "-in", self / "leaf.pem",
                    "-passout", f"pass:{PASSPHRASE}", "-out", self / f"{name}.p12")  # fmt: skip

    def leaf(self, name, subject, purpose, *more):
        """A certificate that the authority has signed."""
        request, extensions = self / f"{name}.csr", self / f"{name}.ext"
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", self / f"{name}.key", "-out", request,
                "-subj", subject)  # fmt: skip
        extensions.write_text(f"keyUsage=critical,digitalSignature,keyEncipherment\nextendedKeyUsage={purpose}\n"
                              + "\n".join(more) + "\n")  # fmt: skip
        openssl("x509", "-req", "-in", request, "-CA", self / "ca.pem", "-CAkey", self / "ca.key", "-CAcreateserial",
                "-days", "365", "-extfile", extensions, "-out", self / f"{name}.pem")  # fmt: skip

    def __truediv__(self, name):
        return self.folder / name


def sha1(certificate):
    text = openssl("x509", "-in", certificate, "-noout", "-fingerprint", "-sha1").decode()
    return text.strip().split("=")[1].replace(":", "")


def items_of(keychain, file, passphrase):
    """The status and the number of items with which the program answers."""
    words = (passphrase or "").encode()
    secret = b"\0" if passphrase is None else b"\1" + len(words).to_bytes(4, "little") + words
    task = b"\x01\x01" + len(file).to_bytes(4, "little") + file + secret
    program = f"{keychain.programs}/keychain-pki"
    answer = subprocess.run([program], input=task, capture_output=True, env={}, timeout=PATIENCE)
    whole = answer.returncode == 0 and len(answer.stdout) >= 8 and not answer.stderr
    expect(whole, f"{file.hex()} ends the program: {answer.returncode} {answer.stderr}")
    return int.from_bytes(answer.stdout[:4], "little", signed=True), int.from_bytes(answer.stdout[4:8], "little")


def mutated(file, chance):
    """The file with one thing changed: a bit, a byte, a piece left out, doubled or cut off."""
    at, length = chance.randrange(len(file)), chance.randrange(1, 64)
    return chance.choice([
        file[:at] + bytes([file[at] ^ 1 << chance.randrange(8)]) + file[at + 1 :],
        file[:at] + bytes([chance.randrange(256)]) + file[at + 1 :],
        file[:at] + file[at + length :],
        file[: at + length] + file[at:],
        file[:at],
    ])  # fmt: skip


def clear(keychain):
    """Deletes all certificates and keys."""
    for line in keychain.output("find-certificate", "-a", "-Z").decode().splitlines():
        if line.startswith("SHA-256 hash: "):
            keychain.says("delete-identity", "-Z", line.split(": ")[1])
    # A key without a certificate gets one, and goes with it.
    expect(keychain.count() == 0, "all certificates are gone")
    if keychain.keys():
        keychain.end()
        shutil.rmtree(keychain.home)
