"""Looks for the keys of a protected file in the memory of the program that has it open, of the daemon and of the
enclave: before the keychain is locked, and afterwards, with a daemon and with the keychain inside the program. Root
looks; everything else is done by an ordinary user.

The keys are known from a backup and the file, as docs/formats/backup.md and docs/formats/file.md say.

usage: file_memory_test.py FOLDER-OF-PROGRAMS
"""

import base64
import os
import pathlib
import shutil
import sys
import tempfile

import protected_file
import read_backup
from file_parts import Holder
from ordinary_parts import prepared
from patience import eventually
from process_memory import contents

PASSWORD, PASSPHRASE = "pass 1234", "six words that nobody guesses"


def must(home, *words, text=""):
    done = home.run(*words, text=text)
    assert done.returncode == 0, (words, done)


def file_keys(home, path):
    """The keys of a file and of its shelf, by who knows the formats and the passphrase of a backup."""
    backup = f"{home.temporary}/keychain.backup"
    must(home, "backup", backup, text=f"{PASSWORD}\n{PASSPHRASE}\n")
    records = read_backup.read(pathlib.Path(backup).read_bytes(), 1, PASSPHRASE.encode())
    content = pathlib.Path(path).read_bytes()
    claimed = protected_file.Header(content[: protected_file.HEADER])
    for found in records:
        if found["class"] == "shelf" and base64.b64decode(found["id"]) == claimed.own[1]:
            shelf = protected_file.Shelf(found["protection"])
            shelf.id, shelf.wrap_key, shelf.private = (
                base64.b64decode(found[word]) for word in ("id", "wrapKey", "privateKey")
            )
            header, file_key = protected_file.authentic(content, shelf)
            chunks = protected_file.derive(file_key, header.file_id, b"chunks")
            return {"file key": file_key, "key of its chunks": chunks, "wrap key": shelf.wrap_key}
    raise AssertionError("the shelf of the file is not in the backup")


def held(process, keys):
    """The names of the keys that are somewhere in a process's memory."""
    return {name for content in contents(process) for name, key in keys.items() if key in content}


def children(process):
    folder = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(number) for number in folder.read_text().split()]


def processes(home, holder):
    """The program, the daemon, and its enclave."""
    (daemon,) = home.daemons().values()
    named = {"the program": holder.process.pid, "the daemon": daemon}
    return named | {f"a child of the daemon ({number})": number for number in children(daemon)}


def play(programs, mode):
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(programs, folder)
        shutil.copy(f"{programs}/keychain-file", home.programs)
        holder, path = Holder(home, programs, mode), f"{home.home}/file"
        try:
            assert [holder.does("make", "a", path), holder.does("open", "a", path)] == ["ok", "ok"]
            must(home, "set-keychain-password", "-p", PASSWORD)
            must(home, "unlock-keychain", "-p", PASSWORD)
            assert holder.does("open", "a", path) == "ok" and holder.does("read", "a") == "ok"
            keys = file_keys(home, path)
            # The search finds what is there. The news of the change before may come late, and close the file once more.
            eventually(
                lambda: holder.does("read", "a") == "ok" and "key of its chunks" in held(holder.process.pid, keys),
                "no key is found in the memory of a program that reads",
            )
            must(home, "lock-keychain")
            assert holder.does("read", "a").startswith("-25308")
            for name, number in processes(home, holder).items():
                eventually(lambda number=number: not held(number, keys), what=lambda: (name, held(number, keys)))
            must(home, "unlock-keychain", "-p", PASSWORD)
            assert holder.does("read", "a") == "ok"
        finally:
            holder.end()
            home.end()
    print(f"{mode}: locked, no process has a key of an open file in its memory")


for deployment in ("daemon", "embedded"):
    play(os.path.abspath(sys.argv[1]), deployment)
