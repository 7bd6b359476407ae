"""Attests a key on a keychain that rests on a TPM, with the programs themselves: swtpm, keychaind, keychain-enclaved,
security and the verifier's script.

The command finds keys of its own access group, which is made of its path. So the key is made by another program at
that path, as if one program had been replaced by the next version of it.

usage: attest_key_test.py FOLDER-OF-PROGRAMS
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

from keychain_parts import answers, ends
from patience import PATIENCE, eventually

FILES = [
    "key.pem",
    "key.tpmt",
    "attestation-key.pem",
    "attestation-key.tpmt",
    "certify.attest",
    "certify.sig",
    "quote.attest",
    "quote.sig",
]
NONCE = "5f1c09e2a7" + "00ff" * 11


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


@contextlib.contextmanager
def software_tpm(folder):
    """A TPM in software; how tpm2-tss reaches it."""
    path = f"{folder}/tpm"
    program = subprocess.Popen(
        [
            "swtpm",
            "socket",
            "--tpm2",
            "--tpmstate",
            f"dir={folder}",
            "--server",
            f"type=unixio,path={path}",
            "--ctrl",
            f"type=unixio,path={path}.ctrl",
            "--flags",
            "not-need-init,startup-clear",
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: answers(path) or program.poll() is not None)
        expect(program.poll() is None, "swtpm does not start")
        yield f"swtpm:path={path}"
    finally:
        program.kill()
        program.wait()


def stop_daemon(home):
    """Ends the daemon, if one serves, and waits for its end."""
    with socket.socket(socket.AF_UNIX) as client:
        if client.connect_ex(f"{home}/keychaind.sock") != 0:
            return
        daemon = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    ends(daemon, signal.SIGTERM)


class Keychain:
    def __init__(self, folder, programs, tpm):
        self.home, self.programs, self.folder = f"{folder}/keychain", programs, folder
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KEYCHAIN_")}
        self.env = kept | {
            "KEYCHAIN_HOME": self.home,
            "KEYCHAIN_MODE": "daemon",
            "KEYCHAIN_TPM": tpm,
            "KEYCHAIN_DAEMON": f"{programs}/keychaind",
        }
        self.security = f"{folder}/security"

    def run(self, *command):
        return subprocess.run(
            command, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
        )

    def put(self, program):
        """Lets a program lie where the command does."""
        shutil.copy(f"{self.programs}/{program}", f"{self.security}.new")
        os.replace(f"{self.security}.new", self.security)

    def attest(self, label, nonce, folder="attestation"):
        return self.run(self.security, "-v", "attest-key", "-l", label, "-n", nonce, "-o", f"{self.folder}/{folder}")

    def verify(self, nonce, *fingerprint, folder="attestation"):
        root = pathlib.Path(__file__).resolve().parents[2]
        return self.run("sh", f"{root}/scripts/verify-attestation", f"{self.folder}/{folder}", nonce, *fingerprint)

    def application_label(self, label):
        """That of a key of the command's group, as the store has it: SHA-1 of the public half."""
        listed = json.loads(self.run(f"{self.programs}/security", "--json", "dump-keychain").stdout)
        group = f"program:{self.security}"
        keys = [item["attributes"] for item in listed if item["attributes"]["agrp"] == group]
        value = next(key["klbl"] for key in keys if key["labl"] == label)
        # Bytes that happen to be text are shown as text.
        return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])


def make_keys(keychain):
    made = keychain.run(f"{keychain.programs}/key-holder", "make")
    expect(made.returncode == 0, f"another program makes no keys: {made.stderr}")
    keychain.put("security")
    foreign = keychain.attest("enclave", NONCE)
    expect(
        foreign.returncode == 44 and not os.path.exists(f"{keychain.folder}/attestation"),
        f"the command has found another program's key: {foreign}",
    )
    keychain.put("key-holder")
    made = keychain.run(keychain.security, "make")
    expect(made.returncode == 0, f"no keys are made: {made.stderr}")
    keychain.put("security")


def check_refusals(keychain, fingerprint):
    folder = pathlib.Path(keychain.folder, "attestation")
    for other in ["11" * len(bytes.fromhex(NONCE)), NONCE[:-2], NONCE + "00"]:
        refused = keychain.verify(other, fingerprint)
        expect(refused.returncode == 1 and "nonce" in refused.stderr, f"another nonce is taken: {other}: {refused}")
    for name in FILES:
        content = (folder / name).read_bytes()
        for position in {len(content) // 2, len(content) - 30}:
            changed = bytearray(content)
            changed[position] ^= 1
            (folder / name).write_bytes(changed)
            refused = keychain.verify(NONCE, fingerprint)
            expect(
                refused.returncode == 1 and refused.stderr.startswith("NOT VERIFIED"),
                f"a change of {name} at {position} is not noticed: {refused}",
            )
        (folder / name).write_bytes(content)
    expect(keychain.verify(NONCE, fingerprint).returncode == 0, "the sound attestation is not taken any more")


def check_key(keychain):
    """Holds key.pem against the key that the program has made."""
    text = pathlib.Path(keychain.folder, "attestation", "key.pem").read_text()
    point = base64.b64decode("".join(text.splitlines()[1:-1]))[-65:]
    expect(hashlib.sha1(point).digest() == keychain.application_label("enclave"), "key.pem is not the program's key")


def check_foreign_key(keychain, fingerprint):
    """Another program's key, handed over in a file: the installed command has it attested, any other program does not.
    """
    file = f"{keychain.folder}/foreign.key"
    saved = keychain.run("sh", "-c", f"'{keychain.programs}/key-holder' save > '{file}'")
    expect(saved.returncode == 0, f"the program cannot write its key: {saved}")
    arguments = ["-v", "attest-key", "-k", file, "-n", NONCE, "-o", f"{keychain.folder}/foreign"]
    refused = keychain.run(keychain.security, *arguments)
    expect(
        refused.returncode != 0 and not os.path.exists(f"{keychain.folder}/foreign"),
        f"a copy of the command attests another program's key: {refused}",
    )
    attested = keychain.run(f"{keychain.programs}/security", *arguments)
    expect(attested.returncode == 0, f"the command does not attest a key that it is handed: {attested}")
    verified = keychain.verify(NONCE, fingerprint, folder="foreign")
    expect(verified.returncode == 0, f"another program's key is not verified: {verified}")
    pathlib.Path(file).write_bytes(b"no key")
    malformed = keychain.run(f"{keychain.programs}/security", *arguments)
    expect(malformed.returncode != 0, f"what is no key is attested: {malformed}")


def check_after_restart(keychain, fingerprint):
    stop_daemon(keychain.home)
    nonce = os.urandom(32).hex()
    attested = keychain.attest("enclave", nonce, "later")
    expect(attested.returncode == 0, f"the key is not attested after a restart: {attested}")
    verified = keychain.verify(nonce, fingerprint, folder="later")
    expect(verified.returncode == 0, f"the fingerprint has changed with a restart: {verified}")


def check_software_key(keychain):
    refused = keychain.attest("kept", NONCE, "software")
    expect(refused.returncode != 0 and "TPM" in refused.stderr, f"a key in software is attested: {refused}")
    expect(not os.path.exists(f"{keychain.folder}/software"), "a refusal leaves a folder behind")


def check(keychain):
    make_keys(keychain)
    status = keychain.run(keychain.security, "status").stdout
    expect(status.split()[:2] == ["protection:", "hardware"], f"the keychain does not rest on the TPM: {status}")
    attested = keychain.attest("enclave", NONCE)
    expect(attested.returncode == 0, f"the key is not attested: {attested}")
    expect(
        sorted(os.listdir(f"{keychain.folder}/attestation")) == sorted(FILES), "other files are written than promised"
    )
    check_key(keychain)
    noted = keychain.verify(NONCE)
    expect(noted.returncode == 0, f"the attestation is not consistent: {noted}")
    fingerprint = noted.stdout.split()[-1]
    verified = keychain.verify(NONCE, fingerprint)
    expect(verified.returncode == 0 and verified.stdout.startswith("verified"), f"it is not verified: {verified}")
    check_refusals(keychain, fingerprint)
    check_software_key(keychain)
    check_foreign_key(keychain, fingerprint)
    check_after_restart(keychain, fingerprint)
    print("a key in the TPM is attested and verified; two changes of each of its eight files are refused")


def main():
    with tempfile.TemporaryDirectory() as folder, software_tpm(folder) as tpm:
        keychain = Keychain(folder, os.path.abspath(sys.argv[1]), tpm)
        try:
            check(keychain)
        finally:
            stop_daemon(keychain.home)


main()
