"""Looks for the keys of a protected file in the memory of the program that has it open, of the daemon and of the
enclave: before the keychain is locked, and afterwards, with a daemon and with the keychain inside the program. Root
looks; everything else is done by an ordinary user.

usage: file_memory_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import shutil
import sys
import tempfile

from file_keys import children, file_keys, held
from file_parts import Holder
from ordinary_parts import prepared
from patience import eventually

PASSWORD, PASSPHRASE = "pass 1234", "six words that nobody guesses"


def must(home, *words, text=""):
    done = home.run(*words, text=text)
    assert done.returncode == 0, (words, done)


def processes(home, holder):
    """The program, the daemon, and its enclave."""
    (daemon,) = home.daemons().values()
    named = {"the program": holder.process.pid, "the daemon": daemon}
    return named | {f"a child of the daemon ({number})": number for number in children(daemon)}


def play(programs, mode):
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(programs, folder)
        shutil.copy(f"{programs}/keychain-file", home.programs)
        holder, path = Holder.of(home, programs, mode), f"{home.home}/file"
        try:
            assert [holder.does("make", "a", path), holder.does("open", "a", path)] == ["ok", "ok"]
            must(home, "set-keychain-password", "-p", PASSWORD)
            must(home, "unlock-keychain", "-p", PASSWORD)
            assert holder.does("open", "a", path) == "ok" and holder.does("read", "a") == "ok"
            holder.must("many", "1000", path)
            backup = f"{home.temporary}/keychain.backup"
            must(home, "backup", backup, text=f"{PASSWORD}\n{PASSPHRASE}\n")
            keys = file_keys(backup, PASSPHRASE, path)
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
