"""Looks for the private halves of keys that only the enclave may see: in the memory of a real daemon and of a program
that uses them, and in the files.

The private halves are known from the store and the vault, as docs/formats/store.md says: read_store.py opens them
without the product's code and without asking any process. That the search finds what is there is shown by the
enclave's own memory. The keychain is an ordinary user's; root looks.

usage: enclave_key_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

from cryptography.hazmat.primitives.asymmetric import ec

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Hostile"))

from numbers_of_users import USERS  # noqa: E402
from patience import PATIENCE  # noqa: E402
from process_memory import contents  # noqa: E402
from read_store import Store  # noqa: E402

NAMES = ("keychaind", "keychain-enclaved", "keychain-agent", "key-holder")
AS_USER = {"user": USERS, "group": USERS, "extra_groups": []}


def environment(home, programs):
    return {
        "HOME": os.path.dirname(home),
        "PATH": os.environ["PATH"],
        "KEYCHAIN_HOME": home,
        "KEYCHAIN_MODE": "daemon",
        "KEYCHAIN_TPM": "none",
        "KEYCHAIN_DAEMON": f"{programs}/keychaind",
    }


def daemon_of(home):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"{home}/keychaind.sock")
        return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def enclave_of(daemon):
    children = pathlib.Path(f"/proc/{daemon}/task/{daemon}/children").read_text().split()
    return next(int(child) for child in children if "keychain-encl" in pathlib.Path(f"/proc/{child}/comm").read_text())


def private_numbers(home):
    """The private number of each key by its label, read from a copy of the files."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("keychain.db", "keychain.db-wal", "vault"):
            if os.path.exists(f"{home}/{name}"):
                shutil.copy(f"{home}/{name}", folder)
        found = Store(folder).read()
    if found["damaged"]:
        sys.exit(f"damaged: {found['damaged']}")
    numbers = {}
    for item in found["items"]:
        key, label = item["sealedKey"], item["attributes"]["labl"]["string"]
        number = bytes.fromhex(key["privatePart"])[-32:]
        # It is the right number: its public half is the key's.
        point = ec.derive_private_key(int.from_bytes(number, "big"), ec.SECP256R1()).public_key().public_numbers()
        if (b"\4" + point.x.to_bytes(32, "big") + point.y.to_bytes(32, "big")).hex() != key["publicKey"]:
            sys.exit(f"the sealed key {label} is not that of its public half")
        if item["value"] is not None or item["attributes"]["extr"] != {"number": 0}:
            sys.exit(f"the item {label} has a value beside its sealed key")
        numbers[label] = number
    return numbers


def patterns(number):
    """The number as bytes, and as a library for large numbers keeps it: its words reversed."""
    return number, number[::-1]


def occurrences(process, number):
    return sum(content.count(pattern) for content in contents(process) for pattern in patterns(number))


def check(home, programs, user):
    numbers = private_numbers(home)
    if sorted(numbers) != ["enclave", "kept"]:
        sys.exit(f"these keys are in the store: {sorted(numbers)}")
    daemon = daemon_of(home)
    enclave = enclave_of(daemon)
    for label, number in numbers.items():
        for process, name in ((daemon, "the daemon"), (user.pid, "the program")):
            if found := occurrences(process, number):
                sys.exit(f"{name} has the private half of the key {label} {found} times in its memory")
        if not occurrences(enclave, number):
            sys.exit(f"the search does not find the key {label} where it is, in the enclave")
        for path in pathlib.Path(home).iterdir():
            if path.is_file() and any(pattern in path.read_bytes() for pattern in patterns(number)):
                sys.exit(f"the private half of the key {label} is readable in {path.name}")
    print("two keys in use; their private halves are in the enclave's memory and nowhere else")


def end(daemon):
    """It writes until it has ended."""
    handle = os.pidfd_open(daemon)
    os.kill(daemon, signal.SIGTERM)
    select.select([handle], [], [], PATIENCE)
    os.close(handle)


def main():
    with tempfile.TemporaryDirectory() as folder:
        home, programs = f"{folder}/keychain", f"{folder}/programs"
        os.mkdir(programs)
        for name in NAMES:
            shutil.copy(f"{sys.argv[1]}/{name}", programs)
        os.chown(folder, USERS, USERS)
        env = environment(home, programs)
        subprocess.run([f"{programs}/key-holder", "make"], env=env, cwd=folder, check=True, **AS_USER)
        user = subprocess.Popen(
            [f"{programs}/key-holder", "use"], env=env, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            **AS_USER,
        )  # fmt: skip
        try:
            if user.stdout.readline() != b"used\n":
                sys.exit("the program could not use its keys")
            check(home, programs, user)
        finally:
            user.stdin.close()
            user.wait()
            end(daemon_of(home))


main()
